/* yield.c - see yield.h.
 *
 * Invariant: a job is in the list exactly while something of it is given up.
 * One that has gone leaves it at the next tick: there is nobody to get
 * anything back. */
#include "slave/yield/yield.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "proto/base/log.h"
#include "proto/base/taskset.h"
#include "proto/link/timer.h"
#include "slave/jobs/jobhook.h"
#include "slave/proc/delay.h"
#include "slave/yield/surrender.h"

static const uint64_t yield_tick_ns = CLOCK_NS_PER_S / 4;

struct yield {
    struct yield *next;
    uint64_t job;
    struct surrender gives;
    bool held;
    bool waits;                 /* for the end of a move, to be aside again */
};

struct yields {
    struct jobs *jobs;          /* borrowed */
    struct event *timer;        /* owned, like the list */
    struct yield *first;
};

/* --------------------------------------------------------------- the tasks */

/* Of all tasks of a part that live. */
struct fares {
    uint32_t tasks;
    struct delay sum;
    cpu_set_t cpus;
};

static pid_t pid_of(const struct task *t)
{
    return t->tally.pid > 0 ? t->tally.pid : t->pid;
}

static void add_task(void *to, struct task *t)
{
    struct fares *f = to;
    pid_t pid = pid_of(t);
    struct delay d = { 0, 0 };
    cpu_set_t may;

    if (t->pid <= 0 || t->over)
        return;
    f->tasks++;
    delay_read_main(&d, pid);
    f->sum.ran_ns += d.ran_ns;
    f->sum.kept_ns += d.kept_ns;
    if (sched_getaffinity(pid, sizeof(may), &may) == 0)
        CPU_OR(&f->cpus, &f->cpus, &may);
}

static struct fares fares_of(struct part *p)
{
    struct fares f = { .tasks = 0 };

    CPU_ZERO(&f.cpus);
    p->ops->each(p, PART_HERE, add_task, &f);
    return f;
}

static void give_one(void *arg, pid_t pid, size_t task)
{
    (void)task;
    surrender_take(arg, pid);
}

/* Its tasks stand, and may be made images of. */
static bool is_moved(const struct job *j)
{
    const struct jobhook *hook = j->part.node->hook;

    return hook && hook->awaits(j);
}

/* All of it but the processors while it is moved: images have in them what threads are
 * bound to. */
static void give(struct yield *y, struct job *j)
{
    bool aside = y->gives.aside;

    y->waits = aside && is_moved(j);
    y->gives.aside = aside && !y->waits;
    y->gives.refused = 0;
    job_each_process(j, give_one, &y->gives);
    y->gives.aside = aside;
}

/* --------------------------------------------------------------- the order */

/* Processors that are left where the other's tasks have theirs: what these may
 * use, or, where that is all there are, as many as there are tasks. */
static const char *find_room(const struct yields *ys, uint64_t other,
                             cpu_set_t *room)
{
    struct part *p = jobs_find(ys->jobs, other);
    struct fares f;
    cpu_set_t all;
    int taken;

    if (!p || sched_getaffinity(0, sizeof(all), &all))
        return "that job has no task here";
    f = fares_of(p);
    CPU_AND(&f.cpus, &f.cpus, &all);
    taken = CPU_COUNT(&f.cpus);
    *room = all;
    if (taken < CPU_COUNT(&all)) {
        CPU_XOR(room, &all, &f.cpus);
        return NULL;
    }
    taken = (int)f.tasks;
    if (taken >= CPU_COUNT(&all))
        return "its tasks take all processors";
    for (int i = CPU_SETSIZE - 1; i >= 0 && taken; i--)
        if (CPU_ISSET(i, room)) {
            CPU_CLR(i, room);
            taken--;
        }
    return NULL;
}

static struct yield **find(struct yields *ys, uint64_t job)
{
    struct yield **at = &ys->first;

    while (*at && (*at)->job != job)
        at = &(*at)->next;
    return at;
}

static void drop(struct yield **at)
{
    struct yield *y = *at;

    *at = y->next;
    surrender_fini(&y->gives);
    free(y);
}

static const char *be_calm(struct surrender *s)
{
    s->nice = SURRENDER_NICE;
    s->weighs = surrender_may_calm();
    return s->weighs ? NULL : "this user could not give it its weight back";
}

static const char *be_raised(struct surrender *s, uint32_t steps)
{
    uint32_t may = surrender_may_raise();

    s->weighs = may > 0;
    s->nice = getpriority(PRIO_PROCESS, 0) - (int)(steps < may ? steps : may);
    return s->weighs ? NULL : "the kernel does not let this user have more weight";
}

/* Steps that it has, beside what this process has; 0: it is calm, or as it was. */
static uint32_t raised_by(const struct surrender *s)
{
    int steps = getpriority(PRIO_PROCESS, 0) - s->nice;

    return s->weighs && steps > 0 ? (uint32_t)steps : 0;
}

/* NULL, or why not all of it. */
static const char *follow(struct yields *ys, struct yield *y, struct part *p,
                          const Hct__Yield *m)
{
    struct job *j = job_of(p);
    const char *why = NULL;

    y->held = m->held;
    if (!j)
        return m->calm || m->aside || m->raise ? "others have started its tasks"
                                               : NULL;
    if (m->calm)
        why = be_calm(&y->gives);
    else if (m->raise)
        why = be_raised(&y->gives, m->raise);
    else
        y->gives.weighs = false;
    if (m->aside && !y->gives.aside)
        why = find_room(ys, m->for_job, &y->gives.room);
    y->gives.aside = m->aside && (y->gives.aside || !why);
    give(y, j);
    if (y->gives.refused && !why)
        why = "the kernel does not let this user do that";
    return why;
}

static char *cpus_text(const cpu_set_t *cpus)
{
    struct taskset set = { 0 };
    char *text;

    for (uint32_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, cpus) && taskset_add(&set, i, i))
            break;
    text = taskset_text(&set);
    taskset_fini(&set);
    return text;
}

static void answer(const struct yield *y, struct part *p, const Hct__Yield *o,
                   const char *why)
{
    Hct__Yielded m = HCT__YIELDED__INIT;
    const struct fares f = fares_of(p);
    char *cpus = cpus_text(&f.cpus), *here = NULL;
    cpu_set_t all;

    if (sched_getaffinity(0, sizeof(all), &all) == 0)
        here = cpus_text(&all);
    m.job = p->id;
    m.serial = o->serial;
    m.calm = y && y->gives.weighs && y->gives.nice == SURRENDER_NICE;
    m.raised = y ? raised_by(&y->gives) : 0;
    m.aside = y && y->gives.aside;
    m.held = y && y->held;
    m.tasks = f.tasks;
    m.ran_ns = f.sum.ran_ns;
    m.kept_ns = f.sum.kept_ns;
    m.may_calm = job_of(p) && surrender_may_calm();
    m.may_raise = job_of(p) ? surrender_may_raise() : 0;
    if (why)
        m.why = (char *)(uintptr_t)why;
    if (cpus)
        m.cpus = cpus;
    if (here)
        m.all = here;
    uplink_send(p->node->uplink, MESSAGE_YIELDED, &m);
    free(cpus);
    free(here);
}

void yields_order(struct yields *ys, const Hct__Yield *m)
{
    struct part *p = jobs_find(ys->jobs, m->job);
    struct yield **at = find(ys, m->job);
    const char *why = NULL;

    if (!p)
        return;
    if (!m->look && !*at && (m->calm || m->raise || m->aside || m->held)) {
        *at = calloc(1, sizeof(**at));
        if (*at)
            (*at)->job = m->job;
    }
    if (!m->look && *at)
        why = follow(ys, *at, p, m);
    answer(*at, p, m, why);
    if (*at && !(*at)->gives.weighs && !(*at)->gives.aside && !(*at)->held)
        drop(at);
    if (ys->first && !event_pending(ys->timer, EV_TIMEOUT, NULL))
        timer_set(ys->timer, yield_tick_ns);
}

/* --------------------------------------------------------------- the lease */

static void let_go(struct yield *y, struct part *p)
{
    struct job *j = job_of(p);
    struct err err;

    log_warn("yield", "the master is away: what was given up is given back "
             "job=%llu", (unsigned long long)y->job);
    y->gives.weighs = y->gives.aside = false;
    if (j)
        give(y, j);
    if (y->held && p->ops->hold(p, "all", HCT__HOLD_ORDER__HOLD_RESUME, &err))
        log_warn("yield", "%s", err.text);
}

struct newcomer { const struct surrender *gives; bool any; };

static void look_at(void *to, struct task *t)
{
    struct newcomer *n = to;
    pid_t pid = pid_of(t);

    n->any |= pid > 0 && !t->over && !surrender_knows(n->gives, pid);
}

/* Tasks that have come since have not given up anything yet, nor those processors that
 * they got back to be moved. */
static void give_later(struct yield *y, struct part *p)
{
    struct newcomer new = { &y->gives, y->waits };
    struct job *j = job_of(p);

    if (!j || is_moved(j) || (!y->gives.weighs && !y->gives.aside))
        return;
    p->ops->each(p, PART_HERE, look_at, &new);
    if (new.any)
        give(y, j);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct yields *ys = arg;

    (void)fd, (void)what;
    for (struct yield **at = &ys->first; *at; ) {
        struct part *p = jobs_find(ys->jobs, (*at)->job);
        uint64_t away_ns = p ? uplink_away_ns(p->node->uplink) : 0;

        if (p && away_ns < YIELD_LEASE_S * CLOCK_NS_PER_S) {
            give_later(*at, p);
            at = &(*at)->next;
            continue;
        }
        if (p)
            let_go(*at, p);
        drop(at);
    }
    if (ys->first)
        timer_set(ys->timer, yield_tick_ns);
}

void yields_unbind(struct yields *ys, struct job *j)
{
    struct yield *y = ys ? *find(ys, j->part.id) : NULL;

    if (y && y->gives.aside && !y->waits)
        give(y, j);
}

struct yields *yields_open(struct event_base *base, struct jobs *jobs,
                           struct err *err)
{
    struct yields *ys = calloc(1, sizeof(*ys));

    if (ys)
        ys->timer = evtimer_new(base, on_tick, ys);
    if (!ys || !ys->timer) {
        free(ys);
        return err_memory(err), NULL;
    }
    ys->jobs = jobs;
    return ys;
}

void yields_close(struct yields *ys)
{
    if (!ys)
        return;
    while (ys->first)
        drop(&ys->first);
    timer_free(ys->timer);
    free(ys);
}
