/* sweep.c - finds and kills what a job has left behind.
 *
 * The pids were alive when /proc was read. A descendant of ours that ends
 * becomes a zombie of its parent, in the end of us, and nobody reaps it
 * while this function runs, except a parent that lives: the window for
 * hitting a stranger is that of kill(1). */
#include "slave/proc/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/proctable.h"

/* What is found out about one of proctable.h. */
struct mark {
    bool ours, hit, spared;
    size_t task;                /* SIZE_MAX: not known */
};

int sweep_init(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
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

static size_t task_of(const struct proctable_process *p, const struct mark *up,
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

static bool belongs(const struct proctable_process *p,
                    const struct sweep_job *job)
{
    if (job->all)
        return true;
    for (size_t i = 0; i < job->ngroups; i++)
        if (job->groups[i] == p->group)
            return true;
    return has_mark(p->pid, job->marks[0]) && has_mark(p->pid, job->marks[1]);
}

static bool is_spare(pid_t pid, const struct sweep_job *job)
{
    for (size_t i = 0; i < SWEEP_SPARES; i++)
        if (pid == job->spares[i])
            return true;
    return false;
}

/* Mark our descendants and, among them, the job's: from parents to children
 * until nothing changes. */
static void mark_all(struct mark *m, const struct proctable_process *v,
                     size_t n, const struct sweep_job *job)
{
    pid_t me = getpid();
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            size_t at = m[i].ours ? SIZE_MAX
                                  : proctable_find(v, n, v[i].parent);
            const struct mark *up = at == SIZE_MAX ? NULL : &m[at];

            if (m[i].ours || (v[i].parent != me && !(up && up->ours)))
                continue;
            m[i].ours = changed = true;
            m[i].spared = (up && up->spared) || is_spare(v[i].pid, job);
            m[i].hit = !m[i].spared &&
                       ((up && up->hit) || belongs(&v[i], job));
            if (m[i].hit)
                m[i].task = task_of(&v[i], up, job);
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
    struct proctable_process *v;
    struct mark *m;
    size_t n;

    if (no_children())
        return;                 /* and so no orphans either */
    v = proctable_read(&n);
    m = calloc(n + 1, sizeof(*m));
    if (m)
        mark_all(m, v, n, job);
    for (size_t i = 0; m && i < n; i++)
        if (m[i].hit && !v[i].dead)
            f(arg, v[i].pid, m[i].task);
    free(m);
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
