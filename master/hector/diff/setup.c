/* setup.c - see setup.h. */
#include "master/hector/diff/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *setup_name(enum setup_kind kind)
{
    static const char *const names[SETUP_KINDS] = {
        "program", "build", "arguments", "tasks", "nodes", "options",
        "environment",
    };

    return names[kind];
}

static const char *base_of(const char *path, size_t n)
{
    const char *slash = n ? memrchr(path, '/', n) : NULL;

    return slash ? slash + 1 : path;
}

/* ----------------------------------------------------- program, arguments */

/* Is it the same program? Of another one the build says nothing new. */
static bool compare_what(const struct setup_run *r, setup_f *f, void *arg)
{
    const char *is = r[0].what, *was = r[1].what;
    size_t n = strcspn(is, " "), n_was = strcspn(was, " ");
    const char *name = base_of(is, n), *name_was = base_of(was, n_was);

    n -= (size_t)(name - is);
    n_was -= (size_t)(name_was - was);
    if (n != n_was || memcmp(name, name_was, n) != 0) {
        f(arg, SETUP_PROGRAM, was, is);
        return false;
    }
    if (strcmp(name + n, name_was + n) != 0)
        f(arg, SETUP_ARGUMENTS, name_was[n] ? name_was + n + 1 : NULL,
          name[n] ? name + n + 1 : NULL);
    return true;
}

/* ----------------------------------------------------------------- options */

/* The words of the command before those of the program; all of it if they are
 * not its end. */
static char *options_of(const struct setup_run *r)
{
    size_t n = strlen(r->command), tail = r->what ? strlen(r->what) : 0;
    size_t first = strcspn(r->command, " ");

    if (tail && tail < n && strcmp(r->command + n - tail, r->what) == 0)
        n -= tail;
    while (n > first && r->command[n - 1] == ' ')
        n--;
    if (first < n && r->command[first] == ' ')
        first++;
    return strndup(r->command + first, n - first);
}

static void compare_options(const struct setup_run *r, setup_f *f, void *arg)
{
    char *is = options_of(&r[0]), *was = options_of(&r[1]);

    if (is && was && strcmp(is, was) != 0)
        f(arg, SETUP_OPTIONS, *was ? was : NULL, *is ? is : NULL);
    free(is);
    free(was);
}

/* ------------------------------------------------------------- environment */

/* The line that begins as this one does up to its "=". */
static const char *find_line(const char *lines, const char *line)
{
    size_t name = strcspn(line, "=\n") + 1;

    for (const char *at = lines; *at; at += strcspn(at, "\n") + 1)
        if (strncmp(at, line, name) == 0)
            return at;
    return NULL;
}

static bool same_line(const char *a, const char *b)
{
    size_t n = strcspn(a, "\n");

    return n == strcspn(b, "\n") && memcmp(a, b, n) == 0;
}

/* Lines of a that are not so in b; those that b has, too, only where both. */
static void compare_lines(const char *a, const char *b, bool a_is, setup_f *f,
                          void *arg)
{
    for (const char *at = a; *at; ) {
        const char *other = find_line(b, at), *end = at + strcspn(at, "\n");
        char *mine = strndup(at, (size_t)(end - at));
        char *its = other ? strndup(other, strcspn(other, "\n")) : NULL;

        if (a_is && other && !same_line(at, other))
            f(arg, SETUP_ENVIRONMENT, its, mine);
        else if (!other)
            f(arg, SETUP_ENVIRONMENT, a_is ? NULL : mine, a_is ? mine : NULL);
        free(mine);
        free(its);
        at = *end ? end + 1 : end;
    }
}

/* --------------------------------------------------------------------- all */

static bool differ(const char *a, const char *b)
{
    return a && b && strcmp(a, b) != 0;
}

void setup_compare(const struct setup_run r[2], setup_f *f, void *arg)
{
    char is[20], was[20];
    bool same = !r[0].what || !r[1].what || compare_what(r, f, arg);

    if (same && differ(r[0].builds, r[1].builds))
        f(arg, SETUP_BUILD, r[1].builds, r[0].builds);
    if (r[0].ntasks != r[1].ntasks) {
        snprintf(is, sizeof(is), "%u", r[0].ntasks);
        snprintf(was, sizeof(was), "%u", r[1].ntasks);
        f(arg, SETUP_TASKS, was, is);
    } else if (differ(r[0].nodes, r[1].nodes)) {
        f(arg, SETUP_NODES, r[1].nodes, r[0].nodes);
    }
    if (r[0].command && r[1].command)
        compare_options(r, f, arg);
    if (r[0].environment && r[1].environment) {
        compare_lines(r[0].environment, r[1].environment, true, f, arg);
        compare_lines(r[1].environment, r[0].environment, false, f, arg);
    }
}
