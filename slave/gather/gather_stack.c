/* gather_stack.c - the call tree of this node's tasks of a job. */
#include "slave/gather/gather_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/taskset.h"
#include "slave/gather/gather_part.h"
#include "slave/gather/gather_tasks.h"
#include "slave/gather/remark.h"
#include "slave/page/state.h"
#include "slave/stacks/calltree.h"
#include "slave/stacks/unwinder.h"

#define INTERVAL_MAX_NS (3600 * CLOCK_NS_PER_S)
enum { GATHER_PLACES_MAX = 1024, GATHER_OTHERS_MAX = 256 };

/* One that is being made. */
struct stack_part {
    struct gather_part part;
    uint64_t job;
    uint32_t n, sends_to;       /* sends_to: as in Stack */
    uint32_t *ranks;            /* owned */
    pid_t *pids;                /* owned */
    uint32_t *sites;            /* owned: where places are wanted, of each task;
                                   NULL: its stack is */
};

static void part_free(struct gather_part *part)
{
    struct stack_part *p = (struct stack_part *)part;
    struct stacker *stacker = jobs_node(part->all->jobs)->stacker;

    if (stacker)                /* it may be at it */
        stacker_cancel(stacker, p);
    free(p->ranks);
    free(p->pids);
    free(p->sites);
    free(p);
}

static char *page_of(void *arg, uint32_t position)
{
    const struct stack_part *p = arg;
    struct task *t = gather_task(p->part.all->jobs, p->job, p->ranks[position]);

    return t && t->tally.pid == p->pids[position] ? t->tally.page : NULL;
}

static uint32_t place_of(void *arg, uint32_t position, uint64_t *pc,
                         uint32_t max)
{
    const struct stack_part *p = arg;
    const char *page = page_of(arg, position);
    struct state_site s;
    uint32_t n = 0;

    if (!page || state_site_in(page, p->sites[position], &s) < 1)
        return 0;
    for (; n < s.frames && n < max; n++)
        pc[n] = s.frame[n];
    if (n)
        pc[0]--;                /* in the call, not behind it */
    return n;
}

/* Of tasks that are here; what others do elsewhere is not known. */
static void remark_others(const struct stack_part *p, struct unwinder_remark *to,
                          const struct remark_task *t)
{
    int32_t peer = remark_peer(t);

    for (uint32_t i = 0; i < p->n && i < GATHER_OTHERS_MAX; i++) {
        struct task *of = gather_task(p->part.all->jobs, p->job, p->ranks[i]);
        const struct remark_task other = { of ? of->tally.page : NULL,
                                           p->ranks[i], t->ticks };

        if (other.page && other.rank != t->rank &&
            (peer < 0 || peer == (int32_t)other.rank))
            remark_theirs(to, t, &other);
    }
}

static bool remark_of(void *arg, uint32_t position, struct unwinder_remark *to)
{
    const struct stack_part *p = arg;
    const struct remark_task t = { page_of(arg, position), p->ranks[position],
                                   &jobs_node(p->part.all->jobs)->ticks };

    memset(to, 0, sizeof(*to));
    to->alone = p->sends_to != 0;
    if (!t.page)
        return true;
    if (to->alone) {
        remark_sent(to, &t, p->sends_to - 1);
    } else {
        remark_taken(to, &t);
        remark_lately(to, &t);
        remark_others(p, to, &t);
        remark_loaded(to, &t);
    }
    return true;
}

static int write_part(const Hct__CallTree *m, struct reduction *r)
{
    size_t n = hct__call_tree__get_packed_size(m);
    uint8_t *bytes = malloc(n + 1);

    if (!bytes)
        return -1;
    hct__call_tree__pack(m, bytes);
    reduction_own(r, bytes, n);
    free(bytes);
    return 0;
}

static void on_done(void *arg, const struct stacker_result *s,
                    const struct err *why)
{
    struct stack_part *p = arg;
    struct reduction *r = p->part.reduction;
    Hct__CallTree m;
    struct err err;

    if (why) {
        gather_part_fail(&p->part, why->text);
        return;
    }
    if (calltree_make(&m, s, NULL, p->n, &err)) {
        gather_part_fail(&p->part, err.text);
        return;
    }
    gather_part_end(&p->part);
    if (write_part(&m, r))
        reduction_fail(r, "out of memory");
    calltree_fini(&m);
}

/* Who has the page runs MPI, or was found to have no page; the task itself may
 * be a script around it. */
static void add_task(struct stack_part *p, uint32_t i, const struct task *t)
{
    p->ranks[i] = t->rank;
    p->pids[i] = t->over ? 0 : t->tally.page ? t->tally.pid
                 : t->peeked.pid ? t->peeked.pid : t->pid;
}

/* The tasks of the job that are here, by rank, as many as the master has
 * counted. */
static int find_tasks(struct stack_part *p, struct gather_job *of,
                      struct err *err)
{
    struct task **v = calloc(p->n, sizeof(*v));
    int rc = v ? gather_tasks(p->part.all->jobs, p->job, v, p->n, of, err)
               : err_memory(err);

    for (uint32_t i = 0; rc == 0 && i < p->n; i++)
        add_task(p, i, v[i]);
    free(v);
    return rc;
}

/* Others than those that are asked for are not looked at. */
static int choose(struct stack_part *p, const char *ranks, struct err *err)
{
    struct taskset set = { 0 };

    if (!*ranks)
        return 0;
    if (taskset_parse(&set, ranks, UINT32_MAX, err))
        return -1;
    for (uint32_t i = 0; i < p->n; i++)
        if (!taskset_has(&set, p->ranks[i]))
            p->pids[i] = -1;
    taskset_fini(&set);
    return 0;
}

static int choose_places(struct stack_part *p, const Hct__Stack *m,
                         struct err *err)
{
    if (!m->n_places)
        return 0;
    p->sites = calloc(p->n + 1, sizeof(*p->sites));
    if (!p->sites)
        return err_memory(err);
    for (uint32_t i = 0; i < p->n; i++) {
        for (size_t k = 0; k < m->n_places; k++)
            if (m->places[k]->rank == p->ranks[i])
                p->sites[i] = m->places[k]->site;
        if (!p->sites[i])
            p->pids[i] = -1;
    }
    return 0;
}

/* A slice is of one task, mostly elsewhere: then no child is started. */
static bool is_nobodys(const struct stack_part *p, const Hct__Stack *m)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->pids[i] >= 0)
            return false;
    return m->slice;
}

/* 1: there is nothing to be done. */
static int begin(struct stack_part *p, const Hct__Stack *m, struct err *err)
{
    struct stacker_conf conf = {
        .ntasks = p->n, .nsamples = m->samples ? m->samples : 1,
        .interval_ns = m->interval_ns, .lines = m->lines,
        .threads = m->threads, .keep = !m->slice, .unwritten = m->unwritten,
        .slice = m->slice, .remark_of = m->slice ? remark_of : NULL,
        .page_of = page_of };
    struct stacker *stacker = jobs_node(p->part.all->jobs)->stacker;
    struct gather_job of;

    if (!stacker)
        return err_set(err, ENOTSUP, "no stacks can be taken here");
    if (m->unasked && !stacker_uses_ptrace(stacker))
        return err_set(err, ENOTSUP, "stacks cannot be taken by ptrace here");
    if (m->interval_ns > INTERVAL_MAX_NS)
        return err_set(err, EINVAL, "samples more than an hour apart");
    if (m->n_places > GATHER_PLACES_MAX)
        return err_set(err, EINVAL, "%zu places at once", m->n_places);
    if (find_tasks(p, &of, err) || choose(p, m->ranks, err) ||
        choose_places(p, m, err))
        return -1;
    if (is_nobodys(p, m))
        return 1;
    if (p->sites)
        conf.place_of = place_of;
    p->sends_to = m->slice ? m->sends_to : 0;
    conf.pids = p->pids;
    conf.user = of.user;
    return stacker_take(stacker, &conf, on_done, p, err);
}

static struct stack_part *part_make(struct gather *g, struct reduction *r)
{
    struct stack_part *p = calloc(1, sizeof(*p));
    size_t n = reduction_width(r);

    if (!p)
        return NULL;
    gather_part_begin(&p->part, g, r, part_free);
    p->job = reduction_job(r);
    p->n = (uint32_t)n;
    p->ranks = calloc(n + 1, sizeof(*p->ranks));
    p->pids = calloc(n + 1, sizeof(*p->pids));
    if (p->ranks && p->pids)
        return p;
    gather_part_end(&p->part);
    return NULL;
}

void gather_stack_start(void *arg, struct reduction *r)
{
    struct gather *g = arg;
    struct err err = { .text = "out of memory" };
    struct stack_part *p = NULL;
    Hct__Stack *m;
    size_t n;
    const uint8_t *bytes = reduction_argument(r, &n);
    int rc = -1;

    m = hct__stack__unpack(NULL, n, bytes);
    if (!m) {
        reduction_fail(r, "this is no request for stacks");
        return;
    }
    if (reduction_width(r) == 0) {      /* no task is here yet */
        reduction_own(r, NULL, 0);
        hct__stack__free_unpacked(m, NULL);
        return;
    }
    if (gather_check(g->jobs, reduction_job(r), reduction_width(r),
                     &err) == 0 && (p = part_make(g, r)))
        rc = begin(p, m, &err);
    if (rc && p)
        gather_part_end(&p->part);
    if (rc < 0)
        reduction_fail(r, err.text);
    else if (rc > 0)
        reduction_own(r, NULL, 0);
    hct__stack__free_unpacked(m, NULL);
}
