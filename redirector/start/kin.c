/* kin.c - finds descendants in the table of processes; see kin.h.
 *
 * Invariant: whoever lost his parent since kin_claim() has one of the children
 * or us for parent, so nobody is missed by following parents, as long as all of
 * one pass is alive when it begins; who was made meanwhile is there in the
 * next. */
#include "redirector/start/kin.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "proto/base/proctable.h"

enum { KIN_NAMED = 4 };         /* the others are counted */

struct kin {
    pid_t *children;            /* owned */
    size_t nchildren;
    pid_t *strangers;           /* owned: children of ours, too */
    size_t nstrangers;
};

static bool has(const pid_t *v, size_t n, pid_t pid)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] == pid)
            return true;
    return false;
}

/* Before we inherit anybody. */
static int find_strangers(struct kin *k)
{
    size_t n;
    struct proctable_process *v = proctable_read(&n);

    k->strangers = calloc(n + 1, sizeof(*k->strangers));
    for (size_t i = 0; k->strangers && i < n; i++)
        if (v[i].parent == getpid() &&
            !has(k->children, k->nchildren, v[i].pid))
            k->strangers[k->nstrangers++] = v[i].pid;
    free(v);
    return k->strangers ? 0 : -1;
}

struct kin *kin_claim(const pid_t *children, size_t n)
{
    struct kin *k = calloc(1, sizeof(*k));

    if (!k)
        return NULL;
    k->children = calloc(n + 1, sizeof(*k->children));
    if (k->children) {
        memcpy(k->children, children, n * sizeof(*children));
        k->nchildren = n;
    }
    if (!k->children || find_strangers(k)) {
        kin_release(k);
        return NULL;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return k;
}

void kin_release(struct kin *k)
{
    if (!k)
        return;
    free(k->children);
    free(k->strangers);
    free(k);
}

/* From parents to children until nothing changes. */
static void mark(const struct kin *k, const struct proctable_process *v,
                 size_t n, bool *ours)
{
    pid_t me = getpid();
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            size_t up = ours[i] ? SIZE_MAX
                                : proctable_find(v, n, v[i].parent);

            if (ours[i] || has(k->strangers, k->nstrangers, v[i].pid) ||
                !(v[i].parent == me || (up != SIZE_MAX && ours[up])))
                continue;
            ours[i] = changed = true;
        }
    }
}

/* f for each that lives. */
static void each(const struct kin *k, void (*f)(void *arg, pid_t pid),
                 void *arg)
{
    size_t n;
    struct proctable_process *v = proctable_read(&n);
    bool *ours = calloc(n + 1, sizeof(*ours));

    if (ours)
        mark(k, v, n, ours);
    for (size_t i = 0; ours && i < n; i++)
        if (ours[i] && !v[i].dead)
            f(arg, v[i].pid);
    free(ours);
    free(v);
}

static void kill_one(void *arg, pid_t pid)
{
    const struct kin *spared = arg;

    if (!spared || !has(spared->children, spared->nchildren, pid))
        kill(pid, SIGKILL);
}

void kin_kill(const struct kin *k, bool spare_children)
{
    each(k, kill_one, spare_children ? (void *)(uintptr_t)k : NULL);
}

static void count_one(void *arg, pid_t pid)
{
    (void)pid;
    ++*(size_t *)arg;
}

bool kin_any(const struct kin *k)
{
    size_t n = 0;

    each(k, count_one, &n);
    return n > 0;
}

struct naming { char *buf; size_t size, used, n; };

static void name_one(void *arg, pid_t pid)
{
    struct naming *m = arg;
    char path[64], name[64] = "";
    FILE *f;
    int n;

    if (m->n++ >= KIN_NAMED || m->used >= m->size)
        return;
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    f = fopen(path, "re");
    if (f && fgets(name, sizeof(name), f))
        name[strcspn(name, "\n")] = '\0';
    if (f)
        fclose(f);
    n = snprintf(m->buf + m->used, m->size - m->used, "%s%s (pid %d)",
                 m->n > 1 ? ", " : "", *name ? name : "a process", (int)pid);
    m->used += n > 0 ? (size_t)n : 0;
}

void kin_names(const struct kin *k, char *buf, size_t size)
{
    struct naming m = { .buf = buf, .size = size };

    *buf = '\0';
    each(k, name_one, &m);
    if (m.n > KIN_NAMED && m.used < size)
        snprintf(buf + m.used, size - m.used, " and %zu more",
                 m.n - KIN_NAMED);
}
