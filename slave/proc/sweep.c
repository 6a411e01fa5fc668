/* sweep.c - finds and kills what a job has left behind.
 *
 * The pids were alive when /proc was read. A descendant of ours that ends
 * becomes a zombie of its parent, in the end of us, and nobody reaps it
 * while this function runs, except a parent that lives: the window for
 * hitting a stranger is that of kill(1). */
#include "slave/proc/sweep.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct proc {
    pid_t pid, parent, group;
    bool dead, ours, hit;
    size_t task;                /* SIZE_MAX: not known */
};

int sweep_init(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static bool read_proc(const char *pid, struct proc *p)
{
    char path[64], text[1024], *close_paren, state;
    int fd, parent, group;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    close_paren = strrchr(text, ')');
    if (!close_paren || sscanf(close_paren + 1, " %c %d %d", &state, &parent,
                               &group) != 3)
        return false;
    *p = (struct proc){ .pid = (pid_t)atoi(pid), .parent = parent,
                        .group = group,
                        .dead = state == 'Z' || state == 'X' };
    return true;
}

static struct proc *read_all(size_t *n)
{
    struct proc *v = NULL, *bigger;
    size_t cap = 0;
    DIR *d = opendir("/proc");
    struct dirent *e;

    *n = 0;
    while (d && (e = readdir(d))) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        if (*n == cap) {
            cap = cap ? 2 * cap : 256;
            bigger = realloc(v, cap * sizeof(*v));
            if (!bigger)
                break;
            v = bigger;
        }
        if (read_proc(e->d_name, &v[*n]))
            ++*n;
    }
    if (d)
        closedir(d);
    return v;
}

/* The variable in the environment of pid that begins so, owned by the caller;
 * whole: and has nothing else. NULL: there is none. */
static char *variable(pid_t pid, const char *begin, bool whole)
{
    char path[64], *text = NULL;
    size_t size = 0, len = strlen(begin);
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    f = fopen(path, "re");
    while (f) {
        ssize_t n = getdelim(&text, &size, '\0', f);

        if (n > 0 && strncmp(text, begin, len) == 0 &&
            (!whole || text[len] == '\0'))
            break;
        if (n > 0)
            continue;
        free(text);
        text = NULL;
        break;
    }
    if (f)
        fclose(f);
    return text;
}

static bool has_mark(pid_t pid, const char *mark)
{
    char *text = variable(pid, mark, true);

    free(text);
    return text != NULL;
}

static size_t task_of(const struct proc *p, const struct proc *up,
                      const struct sweep_job *job)
{
    static const char name[] = "HECTOR_RANK=";
    size_t task = SIZE_MAX;
    char *text;

    if (!job->ranks)
        return SIZE_MAX;
    for (size_t i = 0; i < job->ngroups; i++)
        if (job->groups[i] == p->group)
            return i;
    if (up && up->hit && up->task != SIZE_MAX)
        return up->task;
    text = variable(p->pid, name, false);
    for (size_t i = 0; text && i < job->ngroups; i++)
        if (strtoul(text + sizeof(name) - 1, NULL, 10) == job->ranks[i])
            task = i;
    free(text);
    return task;
}

static bool belongs(const struct proc *p, const struct sweep_job *job)
{
    if (job->all)
        return true;
    for (size_t i = 0; i < job->ngroups; i++)
        if (job->groups[i] == p->group)
            return true;
    return has_mark(p->pid, job->marks[0]) && has_mark(p->pid, job->marks[1]);
}

static int by_pid(const void *a, const void *b)
{
    const struct proc *x = a, *y = b;

    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Mark our descendants and, among them, the job's: from parents to children
 * until nothing changes. */
static void mark(struct proc *v, size_t n, const struct sweep_job *job)
{
    pid_t me = getpid();
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            struct proc *up;

            if (v[i].ours)
                continue;
            up = bsearch(&(struct proc){ .pid = v[i].parent }, v, n,
                         sizeof(*v), by_pid);
            if (v[i].parent != me && !(up && up->ours))
                continue;
            v[i].ours = changed = true;
            v[i].hit = v[i].pid != job->spare &&
                       ((up && up->hit) || belongs(&v[i], job));
            if (v[i].hit)
                v[i].task = task_of(&v[i], up, job);
        }
    }
}

static bool no_children(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 &&
           errno == ECHILD;
}

void sweep_each(const struct sweep_job *job,
                void (*f)(void *arg, pid_t pid, size_t task), void *arg)
{
    struct proc *v;
    size_t n;

    if (no_children())
        return;                 /* and so no orphans either */
    v = read_all(&n);
    if (v) {
        qsort(v, n, sizeof(*v), by_pid);
        mark(v, n, job);
    }
    for (size_t i = 0; v && i < n; i++)
        if (v[i].hit && !v[i].dead)
            f(arg, v[i].pid, v[i].task);
    free(v);
}

struct signalling { int sig; size_t n; };

static void signal_one(void *arg, pid_t pid, size_t task)
{
    struct signalling *s = arg;

    (void)task;
    s->n++;
    if (s->sig)
        kill(pid, s->sig);
}

size_t sweep_signal(const struct sweep_job *job, int sig)
{
    struct signalling s = { .sig = sig };

    sweep_each(job, signal_one, &s);
    return s.n;
}
