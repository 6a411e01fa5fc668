/* slicer.c - asks hector-slice(8) for the lines that decide that a task is
 * where it is. */
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
#include "slave/stacks/unwinder.h"
#include "slave/symbols/loaded.h"

enum { SECONDS = 25, NICE = 10, FRAMES = 64, ADDRESS = 24,
       CALLS = 2 * UNWINDER_LATELY,
       WORDS = FRAMES + CALLS + 5 };

/* What is asked: the program, and the frames of it. */
struct question {
    char program[PATH_MAX], file[PATH_MAX], id[LOADED_HEX];
    char text[FRAMES + CALLS][ADDRESS];
    char *argv[WORDS];
    unsigned n, nwords;
    bool replaced;              /* the file is not what was loaded any more */
};

/* ----------------------------------------------------------- the executable */

static void read_exe(pid_t pid, char exe[40], char is[PATH_MAX])
{
    ssize_t n;

    snprintf(exe, 40, "/proc/%d/exe", (int)pid);
    n = readlink(exe, is, PATH_MAX - 1);
    is[n > 0 ? n : 0] = '\0';
}

static bool is_same(const char *a, const char *b)
{
    size_t n = loaded_path_length(a);

    return n == loaded_path_length(b) && strncmp(a, b, n) == 0;
}

/* What libraries do further in has been called by the program: by the one that
 * was started; or, if that is only a loader, by who is outermost. */
static const char *program_of(const struct unwind_frame *v, unsigned n,
                              const char *exe, const char *is)
{
    for (unsigned i = n; i-- > 0; )
        if (v[i].path && (strcmp(v[i].path, exe) == 0 || is_same(v[i].path, is)))
            return v[i].path;
    return n ? v[n - 1].path : NULL;
}

/* Which build was loaded: the task knows it best. */
static void set_id(struct question *q, const struct slicer_task *t,
                   const char *path)
{
    const struct unwinder_remark *r = t->remark;
    uint8_t id[LOADED_ID];
    struct loaded_range at;

    if (!loaded_where(t->maps, path, &at))
        return;
    for (uint32_t i = 0; i < r->nloaded; i++)
        if (r->loaded[i].start >= at.from && r->loaded[i].start < at.to)
            loaded_hex(r->loaded[i].id, r->loaded[i].id_bytes, q->id);
    if (!*q->id)
        loaded_hex(id, loaded_id(t->pid, at.from, id), q->id);
}

/* Where it was replaced, what was loaded can still be read: /proc has it, and
 * says so. */
static int set_file(struct question *q, const struct slicer_task *t,
                    const char *path, const char *exe, const char *is,
                    struct err *err)
{
    int n = (int)loaded_path_length(path);
    bool gone = is[loaded_path_length(is)] != '\0';

    q->replaced = gone && (strcmp(path, exe) == 0 || is_same(path, is));
    if (q->replaced)
        snprintf(q->file, sizeof(q->file), "%s", exe);
    else
        snprintf(q->file, sizeof(q->file), "%.*s", n, path);
    set_id(q, t, strcmp(path, exe) == 0 ? is : path);
    if (!*q->id && loaded_before(t->pid, q->file))
        return err_set(err, ESTALE, "%s was written to since the task was"
                       " started, and has no build id that says whether it is what"
                       " was loaded", q->file);
    return 0;
}

/* ------------------------------------------------------------- the question */

static void add_word(struct question *q, char *word)
{
    q->argv[q->nwords++] = word;
}

static void add_address(struct question *q, const char *what, uint64_t address)
{
    snprintf(q->text[q->n], ADDRESS, "%s%llx", what,
             (unsigned long long)address);
    add_word(q, q->text[q->n++]);
}

static void add_frame(struct question *q, const struct unwind_frame *f)
{
    if (q->n < FRAMES)
        add_address(q, f->call ? "" : "=", f->address);
}

/* Calls that libraries have made are not in the program. */
static void add_calls(struct question *q, const char *what, const uint64_t *pc,
                      uint32_t n, const struct slicer_task *t, const char *path)
{
    struct unwind_frame f;

    for (uint32_t i = 0; i < n; i++)
        if (unwind_addresses(t->unwind, &pc[i], 1, &f, 1) == 1 && f.path &&
            strcmp(f.path, path) == 0)
            add_address(q, what, f.address);
}

/* The first frame that is in a file of which nothing can be read any more:
 * further out nobody knows the stack. */
static int say_nowhere(const struct unwind_frame *v, unsigned n,
                       const struct slicer_task *t, struct err *err)
{
    const char *path;
    size_t bytes = 0;

    for (unsigned i = 0; i < n && !bytes; i++)
        if (!v[i].path)
            bytes = loaded_file(t->maps, v[i].address - v[i].call, &path);
    if (!bytes)
        return err_set(err, ESRCH, "it is not known which program it runs");
    return err_set(err, ESTALE, "%.*s was replaced or removed since the task was"
                   " started, and cannot be read any more", (int)bytes, path);
}

static int make(struct question *q, const struct unwind_frame *v, unsigned n,
                const struct slicer_task *t, struct err *err)
{
    char exe[40], is[PATH_MAX];
    const char *path;

    read_exe(t->pid, exe, is);
    path = program_of(v, n, exe, is);
    if (!path || *path != '/')
        return say_nowhere(v, n, t, err);
    if (paths_sibling("hector-slice", q->program, sizeof(q->program), err) ||
        set_file(q, t, path, exe, is, err))
        return -1;
    add_word(q, q->program);
    if (*q->id) {
        add_word(q, (char *)"-b");
        add_word(q, q->id);
    }
    add_word(q, q->file);
    for (unsigned i = 0; i < n; i++)
        if (v[i].path && strcmp(v[i].path, path) == 0)
            add_frame(q, &v[i]);
    add_calls(q, "+", t->remark->lately, t->remark->nlately, t, path);
    add_calls(q, "@", t->remark->theirs, t->remark->ntheirs, t, path);
    return 0;
}

/* ---------------------------------------------------------------- the child */

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

/* --------------------------------------------------------------- the answer */

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
               const struct unwinder_head *h, const struct slicer_task *t,
               const struct unwind_frame *v, unsigned n)
{
    struct answer a = { .tree = tree, .notes = notes, .more = t->more };
    struct question *q = calloc(1, sizeof(*q));
    struct err err;
    pid_t child = 0;
    FILE *in = NULL;
    int rc = 0;

    if (!q)
        return -1;
    if (make(q, v, n, t, &err) == 0)
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
