/* slicer.c - asks hector-slice(8) for the lines that decide that a task is where
 * it is. */
#include "slave/stacks/slicer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/paths.h"

enum { SECONDS = 25, NICE = 10, FRAMES = 64, ADDRESS = 24, WORDS = FRAMES + 3 };

static const char deleted[] = " (deleted)";

/* What is asked: the program, and the frames of it. */
struct question {
    char program[PATH_MAX], file[PATH_MAX];
    char text[FRAMES][ADDRESS];
    char *argv[WORDS];
    unsigned n;
    bool replaced;              /* the file is not what was loaded any more */
};

static bool ends_so(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0;
}

static size_t plain_length(const char *path)
{
    return strlen(path) - (ends_so(path, deleted) ? strlen(deleted) : 0);
}

/* The executable is the file of the outermost frame. Where it was replaced,
 * what was loaded can still be read: /proc has it, and says so. */
static void set_file(struct question *q, const char *path, pid_t pid)
{
    char exe[40], is[PATH_MAX];
    size_t n = plain_length(path);
    ssize_t bytes;

    snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
    bytes = readlink(exe, is, sizeof(is) - 1);
    is[bytes > 0 ? bytes : 0] = '\0';
    q->replaced = ends_so(is, deleted) && (strcmp(path, exe) == 0 ||
        (plain_length(is) == n && strncmp(is, path, n) == 0));
    snprintf(q->file, sizeof(q->file), "%s", q->replaced ? exe : path);
}

static void add_frame(struct question *q, const struct unwind_frame *f)
{
    if (q->n == FRAMES)
        return;
    snprintf(q->text[q->n], ADDRESS, "%s%llx", f->call ? "" : "=",
             (unsigned long long)f->address);
    q->argv[2 + q->n] = q->text[q->n];
    q->n++;
}

/* What libraries do further in has been called by the program. */
static int make(struct question *q, const struct unwind_frame *v, unsigned n,
                pid_t pid, struct err *err)
{
    const char *path = n ? v[n - 1].path : NULL;

    if (!path || *path != '/')
        return err_set(err, ESRCH, "it is not known which program it runs");
    if (paths_sibling("hector-slice", q->program, sizeof(q->program), err))
        return -1;
    set_file(q, path, pid);
    q->argv[0] = q->program;
    q->argv[1] = q->file;
    for (unsigned i = 0; i < n; i++)
        if (v[i].path && strcmp(v[i].path, path) == 0)
            add_frame(q, &v[i]);
    return 0;
}

/* ----------------------------------------------------------------- the child */

static _Noreturn void be_slice(struct question *q, int out)
{
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
        _exit(127);
    close_range(3, ~0u, 0);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpriority(PRIO_PROCESS, 0, NICE);     /* the tasks come first */
    alarm(SECONDS);
    execv(q->program, q->argv);
    dprintf(STDERR_FILENO, "hector-slice: %s cannot be started: %s\n",
            q->program, strerror(errno));
    _exit(127);
}

static FILE *start(struct question *q, pid_t *pid, struct err *err)
{
    int fds[2];
    FILE *in;

    if (pipe2(fds, O_CLOEXEC))
        return err_sys(err, "no pipe"), NULL;
    *pid = fork();
    if (*pid == 0)
        be_slice(q, fds[1]);
    close(fds[1]);
    in = *pid > 0 ? fdopen(fds[0], "r") : NULL;
    if (!in) {
        err_sys(err, "hector-slice cannot be started");
        close(fds[0]);
    }
    return in;
}

/* ---------------------------------------------------------------- the answer */

struct answer {
    struct prefixtree *tree;
    struct str *notes;
    const struct slicerow *more;        /* borrowed */
    uint32_t frames[SLICEROWS_MAX];
    size_t n;
    bool full;
};

static void add_row(struct answer *a, const struct slicerow *row)
{
    if (a->n == SLICEROWS_MAX)
        return;
    if (slicerows_frame(a->tree, row, a->frames, a->n))
        a->full = true;
    else
        a->n++;
}

static bool is_more(const struct answer *a, const struct slicerow *row)
{
    return a->more->file && a->more->line == row->line &&
           strcmp(a->more->file, row->file) == 0;
}

/* More comes behind where the task is; a line is there once. */
static void take_row(struct answer *a, struct slicerow *row)
{
    if (a->n == 0) {
        row->awaits = a->more->awaits;
        add_row(a, row);
        if (is_more(a, row))
            str_addf(a->notes, "The same line: %s.\n", a->more->reason);
        else if (a->more->file)
            add_row(a, a->more);
    } else if (!is_more(a, row)) {
        add_row(a, row);
    }
}

/* Cost, function, file, line, reason, with tabs; or words for a person. */
static void take(struct answer *a, char *text)
{
    char *part[5], *rest = text;
    int n = 0;

    text[strcspn(text, "\n")] = '\0';
    if (strncmp(text, "# ", 2) == 0) {
        str_addf(a->notes, "%s\n", text + 2);
        return;
    }
    while (n < 5 && rest)
        part[n++] = strsep(&rest, "\t");
    if (n == 5) {
        struct slicerow row = { part[1], part[2], part[4],
                                (uint32_t)strtoul(part[3], NULL, 10), 0 };

        take_row(a, &row);
    } else if (n < 5) {
        const char *words = strstr(text, "hector-slice: ");

        str_addf(a->notes, "no slice: %s\n",
                 words ? words + strlen("hector-slice: ") : text);
    }
}

static void say_end(struct str *notes, int status)
{
    if (WIFSIGNALED(status) &&
        (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ||
         WTERMSIG(status) == SIGKILL))
        str_add(notes, "no slice: to read the program takes too long\n");
    else if (WIFSIGNALED(status))
        str_addf(notes, "no slice: hector-slice was ended by signal %d\n",
                 WTERMSIG(status));
}

static int read_answer(struct answer *a, FILE *in, pid_t pid)
{
    char *line = NULL;
    size_t size = 0;
    int status = 0;

    while (getline(&line, &size, in) > 0)
        take(a, line);
    free(line);
    fclose(in);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    say_end(a->notes, status);
    return a->full ? -1 : 0;
}

int slicer_add(struct prefixtree *tree, struct str *notes,
               const struct unwinder_head *h, pid_t pid,
               const struct unwind_frame *v, unsigned n,
               const struct slicerow *more)
{
    struct answer a = { .tree = tree, .notes = notes, .more = more };
    struct question *q = calloc(1, sizeof(*q));
    struct err err;
    pid_t child = 0;
    FILE *in = NULL;
    int rc = 0;

    if (!q)
        return -1;
    if (make(q, v, n, pid, &err) == 0)
        in = start(q, &child, &err);
    if (in)
        rc = read_answer(&a, in, child);
    else
        str_addf(notes, "no slice: %s\n", err.text);
    if (in && q->replaced)
        str_add(notes, "The program was built anew, or removed, since it was"
                       " started: lines are those of what was loaded, texts of"
                       " the sources may be newer.\n");
    free(q);
    if (rc == 0 && a.n)
        rc = prefixtree_add(tree, h->position, h->sample, a.frames, a.n, NULL);
    return rc;
}
