/* stack_html.c - a call tree as one page that needs nothing else: the JSON of
 * the tree, whole and cut below MPI, with the source lines that can be read
 * here, inside of stack_page.html. */
#include "master/hector/stack/stack_draw.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AROUND = 4, SOURCE_LINE = 300, SOURCES_MAX = 500,
       SOURCE_BYTES_MAX = 16 << 20 };

static const char page[] = {
#include "stack_page.inc"
    0 };

/* The name comes from anybody's binary, and what is in the file goes into a
 * page that is shown around: only what is called like a source is. */
static bool is_source(const char *path)
{
    static const char *const ends[] = { ".c", ".h", ".cc", ".hh", ".cpp",
        ".hpp", ".cxx", ".hxx", ".c++", ".C", ".H", ".inc", ".cu", ".f", ".F",
        ".for", ".f77", ".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08",
        ".F08", ".s", ".S", ".rs", ".go", ".d", ".m", ".mm", ".y", ".l" };
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof(ends) / sizeof(ends[0]); i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

/* NULL: there is no such file, or it is a device, or too large. */
static FILE *open_source(const char *path)
{
    int fd = is_source(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
                                    O_NOCTTY) : -1;
    struct stat st;
    FILE *f = NULL;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
        st.st_size <= SOURCE_BYTES_MAX)
        f = fdopen(fd, "r");
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

/* [[line, text]...] around this line; NULL if the file is not here. */
static json_t *read_source(const char *path, uint32_t line)
{
    FILE *f = open_source(path);
    char text[SOURCE_LINE];
    json_t *lines;

    if (!f)
        return NULL;
    lines = json_array();
    for (uint32_t n = 1; n <= line + AROUND && fgets(text, sizeof(text), f); ) {
        bool whole = strchr(text, '\n') != NULL;
        json_t *j = NULL;

        text[strcspn(text, "\n")] = '\0';
        if (n + AROUND >= line)
            j = json_pack("[i, s]", (int)n, text);
        if (j)
            json_array_append_new(lines, j);
        while (!whole && fgets(text, sizeof(text), f))
            whole = strchr(text, '\n') != NULL;
        n++;
    }
    fclose(f);
    return lines;
}

static json_t *sources(const struct callview *v)
{
    json_t *all = json_object();

    for (uint32_t i = 0; i < v->n && json_object_size(all) < SOURCES_MAX; i++) {
        const char *file = callview_file(v, v->order[i]);
        uint32_t line = callview_line(v, v->order[i]);
        struct str key = { 0 };
        json_t *lines;

        str_addf(&key, "%s:%u", file, line);
        if (file[0] == '/' && line &&
            !json_object_get(all, str_text(&key)) &&
            (lines = read_source(file, line)))
            json_object_set_new(all, str_text(&key), lines);
        str_fini(&key);
    }
    return all;
}

/* Nothing in it may end the script element. */
static void add_data(struct str *out, const char *json)
{
    for (; *json; json++)
        if (*json == '<')
            str_add(out, "\\u003c");
        else if (*json != '\n')
            str_add_bytes(out, json, 1);
}

static void add_view(struct str *out, const struct callview *v)
{
    struct str json = { 0 };

    stack_draw_json(&json, v);
    if (str_failed(&json))
        out->failed = true;
    add_data(out, str_text(&json));
    str_fini(&json);
}

void stack_draw_html(struct str *out, const struct callview *v)
{
    const char *mark = strstr(page, "@DATA@");
    json_t *source = sources(v);
    char *text = json_dumps(source, JSON_COMPACT);
    struct callview cut;
    struct err err;

    if (!mark || !text || callview_init(&cut, v->m, true, &err)) {
        out->failed = true;
    } else {
        cut.title = v->title;
        cut.processes = v->processes;
        str_add_bytes(out, page, (size_t)(mark - page));
        str_add(out, "{\"cut\":");
        add_view(out, &cut);
        str_add(out, ",\"full\":");
        add_view(out, v);
        str_add(out, ",\"source\":");
        add_data(out, text);
        str_add(out, "}");
        str_add(out, mark + strlen("@DATA@"));
        callview_fini(&cut);
    }
    free(text);
    json_decref(source);
}
