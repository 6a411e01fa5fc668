/* peek.c - states of tasks from their stacks, see peek.h.
 *
 * Invariant: of a job one peek is under way at most (peek_job.under_way); it
 * knows job and tasks by numbers only, since both may be gone when it ends. */
#include "slave/jobs/peek.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mpi-wrappers/table/calls.h"
#include "policies/hct_policy.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "slave/jobs/job.h"
#include "slave/jobs/jobs.h"
#include "slave/proc/procmaps.h"
#include "slave/proc/smallfile.h"
#include "slave/stacks/stacker.h"

/* Where it was refused it will be again. */
static const uint64_t peek_refused_ns = 30 * CLOCK_NS_PER_S;
enum { PEEK_MAPS = 1 << 20, PEEK_DEPTH = 8 };

struct peeking {                /* one that is under way */
    struct peeking *next;
    struct peek *all;           /* borrowed */
    uint64_t job, at_ns;
    uint32_t n;
    pid_t *pids;                /* owned: as job->tasks; -1: not this one */
};

struct peek {
    struct jobs *jobs;          /* borrowed */
    struct peeking *first;      /* owned */
};

/* --------------------------------------------------------- what stacks say */

static uint32_t number_of(const char *function)
{
    static const struct { const char *name; uint32_t call; } others[] = {
        /* what the functions of MPI jump into */
        { "ompi_mpi_init", CALL_Init }, { "ompi_mpi_finalize", CALL_Finalize },
        { "ompi_mpi_abort", CALL_Abort },
    };
    const char *name = function + (*function == 'P' || *function == 'p');

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(function, others[i].name) == 0)
            return others[i].call;
    if (strncasecmp(name, "mpi_", 4) != 0)
        return 0;
    for (unsigned i = 1; i < CALL_END; i++)     /* Fortran's is in lower case */
        if (strcasecmp(call_name(i), name) == 0)
            return i;
    return 0;
}

bool peek_is_mpi(const char *function, const char *module, uint32_t *call)
{
    static const char *const begin[] = { "MPI", "mpi", "PMPI", "pmpi" };
    static const char *const libraries[] = { "libmpi", "libopen-rte",
        "libopen-pal", "libpmpi", "libmpich" };

    *call = number_of(function);
    for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
        if (strncmp(function, begin[i], strlen(begin[i])) == 0)
            return true;
    /* Some functions of MPI leave no frame of their own. */
    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
        if (strncmp(module, libraries[i], strlen(libraries[i])) == 0)
            return true;
    return *call != 0;
}

/* The outermost one counts, and a name further in where that has none. */
bool peek_read(const struct prefixtree *t, uint32_t position, bool *in,
               uint32_t *call)
{
    *in = false;
    *call = 0;
    if (!prefixtree_has(t, 0, position))
        return false;
    for (uint32_t i = 1; i < t->nnodes && !*call; i++) {
        const struct prefixtree_frame *f = &t->frames[t->nodes[i].frame];

        if (prefixtree_has(t, i, position) &&
            peek_is_mpi(prefixtree_text(t, f->function),
                        prefixtree_text(t, f->module), call))
            *in = true;
    }
    return true;
}

uint32_t peek_life(const struct task *t)
{
    if (!(t->facts & TASK_CONNECTED))
        return HCT_LIFE_STARTED;
    if (t->nfinalized >= t->nconnected)
        return HCT_LIFE_DONE;
    if (!t->peeked.sample)
        return HCT_LIFE_INIT;
    if (!t->peeked.in)
        return HCT_LIFE_RUNNING;
    return t->peeked.call == CALL_Init || t->peeked.call == CALL_Init_thread
               ? HCT_LIFE_INIT
           : t->peeked.call == CALL_Finalize ? HCT_LIFE_FINALIZE
                                             : HCT_LIFE_RUNNING;
}

/* ---------------------------------------------------- which process it is */

static bool has_mpi(pid_t pid)
{
    static char text[PEEK_MAPS];

    return procmaps_read(pid, text, sizeof(text)) > 0 &&
           (strstr(text, "/libmpi") || strstr(text, "/libpmpi"));
}

/* How many; *one is the first. */
static unsigned children_of(pid_t pid, pid_t *one)
{
    char path[64], text[256];
    int n = 0, second;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
             (int)pid);
    if (!smallfile_read(path, text, sizeof(text)))
        return 0;
    n = sscanf(text, "%d %d", one, &second);
    return n < 0 ? 0 : (unsigned)n;
}

/* The task may be a script around its program: then that is its only child,
 * and has MPI. -1: it cannot be told. */
static pid_t program_of(pid_t pid)
{
    pid_t child;

    if (children_of(pid, &child) == 0)
        return pid;
    for (unsigned depth = 0; depth < PEEK_DEPTH; depth++) {
        if (has_mpi(pid))
            return pid;
        if (children_of(pid, &child) != 1)
            return -1;
        pid = child;
    }
    return -1;
}

static bool wanted(const struct task *t)
{
    return t->pid > 0 && !t->over && !t->held && !t->watch.page &&
           (t->facts & TASK_CONNECTED) && t->nfinalized < t->nconnected;
}

static bool any_wanted(const struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (wanted(&j->tasks[i]))
            return true;
    return false;
}

/* -------------------------------------------------------------- a peek */

static void peeking_free(struct peeking *g)
{
    for (struct peeking **at = &g->all->first; *at; at = &(*at)->next)
        if (*at == g) {
            *at = g->next;
            break;
        }
    free(g->pids);
    free(g);
}

static void refuse(struct job *j, const char *why)
{
    j->peek.next_ns = clock_monotonic_ns() + peek_refused_ns;
    if (!j->peek.told)
        log_warn("look", "there are tasks without the wrapper library, and "
                 "their stacks cannot be read: %s. Whether they hang is not "
                 "known job=%llu", why, (unsigned long long)j->id);
    j->peek.told = true;
}

/* There is no stack. One that sleeps in the kernel and cannot be stopped is
 * where it was. */
static bool stays(struct job *j, const struct task *t, const char *note,
                  bool *in, uint32_t *call)
{
    if (strncmp(note, "ptrace is", 9) == 0)
        refuse(j, strstr(note, "not permitted") ? "ptrace is not permitted"
                                                : "ptrace is switched off");
    *in = t->peeked.in;
    *call = t->peeked.call;
    return t->peeked.sample &&
           strncmp(note, "it does not stop: it sleeps in the kernel, in ",
                   46) == 0;
}

static void take(struct job *j, const struct peeking *g,
                 const struct stacker_result *r)
{
    struct prefixtree tree;

    if (prefixtree_parse(&tree, r->tree, r->bytes, NULL))
        return;
    for (uint32_t i = 0; i < g->n && i < j->ntasks; i++) {
        struct task *t = &j->tasks[i];
        uint32_t call;
        bool in;

        if (g->pids[i] <= 0 || t->over)
            continue;
        if (!peek_read(&tree, i, &in, &call) &&
            !stays(j, t, r->task_notes[i], &in, &call))
            continue;
        t->peeked.sample++;
        t->peeked.in = in;
        if (in)
            t->peeked.call = call;
        t->peeked.pid = g->pids[i];
        t->peeked.at_ns = g->at_ns;
    }
    prefixtree_fini(&tree);
}

static void on_done(void *arg, const struct stacker_result *r,
                    const struct err *why)
{
    struct peeking *g = arg;
    struct job *j = jobs_find(g->all->jobs, g->job);
    struct stacker *stacker = jobs_node(g->all->jobs)->stacker;

    if (j) {
        j->peek.under_way = false;
        if (r)
            take(j, g, r);
        else
            refuse(j, why->text);
    }
    if (!j || !any_wanted(j))
        stacker_rest(stacker);
    peeking_free(g);
}

static struct peeking *peeking_make(struct peek *p, const struct job *j)
{
    struct peeking *g = calloc(1, sizeof(*g));
    bool any = false;

    if (!g)
        return NULL;
    g->all = p;
    g->job = j->id;
    g->at_ns = clock_monotonic_ns();
    g->n = (uint32_t)j->ntasks;
    g->pids = calloc(j->ntasks + 1, sizeof(*g->pids));
    for (uint32_t i = 0; g->pids && i < g->n; i++) {
        g->pids[i] = wanted(&j->tasks[i]) ? program_of(j->tasks[i].pid) : -1;
        any |= g->pids[i] > 0;
    }
    g->next = p->first;
    p->first = g;
    if (any)
        return g;
    peeking_free(g);
    return NULL;
}

static void begin(struct peek *p, struct job *j)
{
    const struct node *node = j->node;
    struct stacker_conf conf = { .nsamples = 1, .keep = true,
        .no_ptrace = node->no_ptrace, .user = &j->user };
    struct peeking *g = peeking_make(p, j);
    struct err err;

    if (!g)
        return;
    conf.pids = g->pids;
    conf.ntasks = g->n;
    j->peek.under_way = true;
    if (stacker_take(node->stacker, &conf, on_done, g, &err)) {
        j->peek.under_way = false;
        refuse(j, err.text);
        peeking_free(g);
    }
}

void peek_at(struct peek *p, struct job *j)
{
    uint64_t now;

    if (j->peek.under_way || !j->node->stacker || !any_wanted(j))
        return;
    now = clock_monotonic_ns();
    if (now < j->peek.next_ns)
        return;
    j->peek.next_ns = now + PEEK_NS;
    begin(p, j);
}

struct peek *peek_create(struct jobs *js)
{
    struct peek *p = calloc(1, sizeof(*p));

    if (p)
        p->jobs = js;
    return p;
}

void peek_destroy(struct peek *p)
{
    if (!p)
        return;
    while (p->first) {
        struct node *node = jobs_node(p->jobs);

        if (node->stacker)
            stacker_cancel(node->stacker, p->first);
        peeking_free(p->first);
    }
    free(p);
}
