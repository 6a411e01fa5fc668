/* exec.c - finding a program as a shell does, and saying why it cannot run.
 *
 * Invariant: exec_run() calls nothing that is not async-signal-safe; the
 * process it runs in is a fork of one with threads. */
#include "slave/launch/exec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual_path[] = "/usr/local/bin:/usr/bin:/bin";

static char *join(const char *dir, size_t len, const char *name)
{
    char *path;

    if (len == 0)
        return strdup(name);    /* an empty entry is the directory itself */
    if (asprintf(&path, "%.*s/%s", (int)len, dir, name) < 0)
        return NULL;
    return path;
}

static int fill_paths(struct exec_search *s, const char *name,
                      const char *path)
{
    size_t n = 2, i = 0;

    for (const char *p = path; *p; p++)
        n += *p == ':';
    s->paths = calloc(n + 1, sizeof(*s->paths));
    if (!s->paths)
        return -1;
    if (strchr(name, '/'))
        return (s->paths[0] = strdup(name)) ? 0 : -1;
    for (const char *p = path; ; p++) {
        size_t len = strcspn(p, ":");

        if (!(s->paths[i++] = join(p, len, name)))
            return -1;
        p += len;
        if (!*p)
            return 0;
    }
}

int exec_search_init(struct exec_search *s, char *const *argv,
                     const char *path, struct err *err)
{
    size_t n = 0;

    *s = (struct exec_search){ .argv = argv };
    while (argv[n])
        n++;
    s->script = calloc(n + 2, sizeof(*s->script));
    if (!s->script ||
        fill_paths(s, argv[0], path && *path ? path : usual_path)) {
        exec_search_fini(s);
        return err_memory(err);
    }
    s->script[0] = (char *)"/bin/sh";
    for (size_t i = 1; i < n; i++)
        s->script[i + 1] = argv[i];
    return 0;
}

void exec_search_fini(struct exec_search *s)
{
    for (char **p = s->paths; p && *p; p++)
        free(*p);
    free(s->paths);
    free(s->script);
    *s = (struct exec_search){ 0 };
}

int exec_run(const struct exec_search *s, char *const *env)
{
    int worst = ENOENT;

    for (char **p = s->paths; *p; p++) {
        struct stat st;

        execve(*p, s->argv, env);
        if (errno == ENOEXEC) {         /* a script without #! */
            s->script[1] = *p;
            execve(s->script[0], s->script, env);
        }
        switch (errno) {
        case ENOENT:
            /* The file may be there and its interpreter missing. */
            if (stat(*p, &st) == 0)
                return ENOEXEC;
            break;
        case ENOTDIR: case ENAMETOOLONG: case ESTALE: case ENODEV:
        case ETIMEDOUT:
            break;
        case EACCES:            /* of the file, or of a folder above it */
            if (stat(*p, &st) == 0)
                worst = S_ISDIR(st.st_mode) ? EISDIR : EACCES;
            break;
        default:
            return errno;
        }
    }
    return worst;
}

int exec_code(const struct exec_report *r)
{
    return r->step == EXEC_STEP_EXEC && r->error == ENOENT ? 127 : 126;
}

void exec_sentence(const struct exec_report *r, const char *node,
                   const char *program, const char *wdir, char *buf,
                   size_t size)
{
    const char *why = strerror(r->error);

    switch (r->step) {
    case EXEC_STEP_CHDIR:
        snprintf(buf, size, "%s: cannot enter the working directory %s: %s",
                 node, wdir, why);
        return;
    case EXEC_STEP_USER:
        snprintf(buf, size, "%s: cannot become the user to run %s: %s",
                 node, program, why);
        return;
    case EXEC_STEP_EXEC:
        break;
    default:
        snprintf(buf, size, "%s: cannot start %s: %s", node, program, why);
        return;
    }
    if (r->error == ENOENT)
        snprintf(buf, size, "%s: %s: %s", node, program,
                 strchr(program, '/') ? "no such file"
                                      : "command not found");
    else if (r->error == ENOEXEC)
        snprintf(buf, size, "%s: %s: not a program this node can run, or "
                 "its interpreter is missing", node, program);
    else
        snprintf(buf, size, "%s: cannot run %s: %s", node, program, why);
}
