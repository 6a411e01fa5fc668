/* peek.c - states of tasks from their stacks, see peek.h.
 *
 * Invariant: of a job one peek is under way at most (peek_job.under_way); it
 * knows job and tasks by numbers only, since both may be gone when it ends. */
#include "slave/jobs/peek.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>

#include "mpi-wrappers/table/calls.h"
#include "policies/hct_policy.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "slave/jobs/node.h"
#include "slave/jobs/task.h"
#include "slave/jobs/taskwalk.h"
#include "slave/proc/procmaps.h"
#include "slave/proc/smallfile.h"
#include "slave/stacks/stacker.h"

/* Where it was refused it will be again. */
static const uint64_t peek_refused_ns = 30 * CLOCK_NS_PER_S;
enum { PEEK_MAPS = 1 << 20, PEEK_DEPTH = 8 };

struct peeking {                /* one that is under way */
    LIST_ENTRY(peeking) place;
    struct peek *all;           /* borrowed */
    uint64_t job, at_ns;
    uint32_t n;
    pid_t *pids;                /* owned: as tasks are walked; -1: not this one */
};

struct peek {
    struct node *node;          /* borrowed, as jobs */
    const struct taskwalk *jobs;
    LIST_HEAD(, peeking) under_way;     /* owned */
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
    return t->pid > 0 && !t->over && !t->held && !t->tally.page &&
           (t->facts & TASK_CONNECTED) && t->nfinalized < t->nconnected;
}

static void want(void *to, struct task *t)
{
    *(bool *)to |= wanted(t);
}

static bool any_wanted(const struct peek *p, uint64_t job)
{
    bool any = false;

    p->jobs->tasks(p->jobs->arg, job, want, &any);
    return any;
}

static struct peek_job *job_of(const struct peek *p, uint64_t job)
{
    return p->jobs->peeks(p->jobs->arg, job);
}

/* -------------------------------------------------------------- a peek */

static void peeking_free(struct peeking *g)
{
    LIST_REMOVE(g, place);
    free(g->pids);
    free(g);
}

static void refuse(struct peek_job *j, uint64_t job, const char *why)
{
    j->next_ns = clock_monotonic_ns() + peek_refused_ns;
    if (!j->told)
        log_warn("look", "there are tasks without the wrapper library, and "
                 "their stacks cannot be read: %s. Whether they hang is not "
                 "known job=%llu", why, (unsigned long long)job);
    j->told = true;
}

struct taking {                 /* what was found, on its way to the tasks */
    const struct peeking *g;
    const struct stacker_result *r;
    const struct prefixtree *tree;
    struct peek_job *job;
    uint32_t i;                 /* the next task */
};

/* There is no stack. One that sleeps in the kernel and cannot be stopped is
 * where it was. */
static bool stays(const struct taking *k, const struct task *t,
                  const char *note, bool *in, uint32_t *call)
{
    if (strncmp(note, "ptrace is", 9) == 0)
        refuse(k->job, k->g->job, strstr(note, "not permitted")
               ? "ptrace is not permitted" : "ptrace is switched off");
    *in = t->peeked.in;
    *call = t->peeked.call;
    return t->peeked.sample &&
           strncmp(note, "it does not stop: it sleeps in the kernel, in ",
                   46) == 0;
}

static void take_task(void *to, struct task *t)
{
    struct taking *k = to;
    uint32_t i = k->i++, call;
    bool in;

    if (i >= k->g->n || k->g->pids[i] <= 0 || t->over)
        return;
    if (!peek_read(k->tree, i, &in, &call) &&
        !stays(k, t, k->r->task_notes[i], &in, &call))
        return;
    t->peeked.sample++;
    t->peeked.in = in;
    if (in)
        t->peeked.call = call;
    t->peeked.pid = k->g->pids[i];
    t->peeked.at_ns = k->g->at_ns;
}

static void take(struct peek_job *j, const struct peeking *g,
                 const struct stacker_result *r)
{
    const struct taskwalk *jobs = g->all->jobs;
    struct prefixtree tree;
    struct taking k = { .g = g, .r = r, .tree = &tree, .job = j };

    if (prefixtree_parse(&tree, r->tree, r->bytes, NULL))
        return;
    jobs->tasks(jobs->arg, g->job, take_task, &k);
    prefixtree_fini(&tree);
}

static void on_done(void *arg, const struct stacker_result *r,
                    const struct err *why)
{
    struct peeking *g = arg;
    struct peek_job *j = job_of(g->all, g->job);

    if (j) {
        j->under_way = false;
        if (r)
            take(j, g, r);
        else
            refuse(j, g->job, why->text);
    }
    if (!j || !any_wanted(g->all, g->job))
        stacker_rest(g->all->node->stacker);
    peeking_free(g);
}

static void count_task(void *to, struct task *t)
{
    (void)t;
    ++*(uint32_t *)to;
}

static void add_program(void *to, struct task *t)
{
    struct peeking *g = to;

    g->pids[g->n++] = wanted(t) ? program_of(t->pid) : -1;
}

static bool any_program(const struct peeking *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (g->pids[i] > 0)
            return true;
    return false;
}

static struct peeking *peeking_make(struct peek *p, uint64_t job)
{
    struct peeking *g = calloc(1, sizeof(*g));
    uint32_t n = 0;

    if (!g)
        return NULL;
    p->jobs->tasks(p->jobs->arg, job, count_task, &n);
    g->all = p;
    g->job = job;
    g->at_ns = clock_monotonic_ns();
    g->pids = calloc(n + 1, sizeof(*g->pids));
    if (g->pids)
        p->jobs->tasks(p->jobs->arg, job, add_program, g);
    LIST_INSERT_HEAD(&p->under_way, g, place);
    if (any_program(g))
        return g;
    peeking_free(g);
    return NULL;
}

static void begin(struct peek *p, uint64_t job, struct peek_job *j)
{
    const struct node *node = p->node;
    struct stacker_conf conf = { .nsamples = 1, .keep = true,
        .user = j->user };
    struct peeking *g = peeking_make(p, job);
    struct err err;

    if (!g)
        return;
    conf.pids = g->pids;
    conf.ntasks = g->n;
    j->under_way = true;
    if (stacker_take(node->stacker, &conf, on_done, g, &err)) {
        j->under_way = false;
        refuse(j, job, err.text);
        peeking_free(g);
    }
}

void peek_at(struct peek *p, uint64_t job)
{
    struct peek_job *j = job_of(p, job);
    uint64_t now;

    if (!j || j->under_way || !p->node->stacker || !any_wanted(p, job))
        return;
    now = clock_monotonic_ns();
    if (now < j->next_ns)
        return;
    j->next_ns = now + PEEK_NS;
    begin(p, job, j);
}

struct peek *peek_create(struct node *node, const struct taskwalk *jobs)
{
    struct peek *p = calloc(1, sizeof(*p));

    if (p) {
        p->node = node;
        p->jobs = jobs;
    }
    return p;
}

void peek_destroy(struct peek *p)
{
    if (!p)
        return;
    for (struct peeking *g; (g = LIST_FIRST(&p->under_way)); peeking_free(g))
        if (p->node->stacker)
            stacker_cancel(p->node->stacker, g);
    free(p);
}
