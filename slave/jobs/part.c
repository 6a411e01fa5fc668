/* part.c - what is told of the part of a job, whoever has started its tasks. */
#include "slave/jobs/part.h"

#include <stdlib.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "slave/jobs/node.h"
#include "slave/jobs/task.h"

struct living {                 /* tasks that the master knows, by rank */
    struct task **v;            /* owned; the tasks are borrowed */
    size_t n, cap;
};

void part_tell_prepared(const struct part *p, const char *refusal)
{
    Hct__Prepared m = HCT__PREPARED__INIT;

    m.job = p->id;
    m.ok = !refusal;
    m.why = refusal ? (char *)refusal : m.why;
    uplink_send(p->node->uplink, MESSAGE_PREPARED, &m);
}

struct account_of part_account(struct part *p)
{
    return (struct account_of){
        .account = p->ops->account(p), .base = p->node->base,
        .uplink = p->node->uplink, .ticks = &p->node->ticks,
        .user = p->user, .job = p->id, .ntasks = p->ntasks };
}

static void add_living(void *to, struct task *t)
{
    struct living *l = to;

    if (!t->over && array_reserve(&l->v, &l->cap, l->n + 1) == 0)
        l->v[l->n++] = t;
}

static void send_samples(const struct part *p, Hct__TaskSamples__Task **v,
                         size_t n)
{
    Hct__TaskSamples m = HCT__TASK_SAMPLES__INIT;

    m.job = p->id;
    m.at_ns = clock_wall_ns();
    m.tasks = v;
    m.n_tasks = n;
    uplink_send(p->node->uplink, MESSAGE_TASK_SAMPLES, &m);
}

static void tell_use(struct part *p, const struct living *l)
{
    Hct__TaskSamples__Task *v, **to;

    if (!l->n || uplink_congested(p->node->uplink))
        return;
    v = calloc(l->n, sizeof(*v));
    to = calloc(l->n, sizeof(*to));
    for (size_t i = 0; v && to && i < l->n; i++) {
        struct sample_proc proc = { 0 };

        p->ops->use(p, l->v[i], &proc);
        to[i] = &v[i];
        task_sample(l->v[i], p->node, &proc, to[i]);
    }
    if (v && to)
        send_samples(p, to, l->n);
    free(v);
    free(to);
}

static void send_effort(const struct part *p, Hct__Effort__Task **v, size_t n)
{
    Hct__Effort m = HCT__EFFORT__INIT;

    m.job = p->id;
    m.tasks = v;
    m.n_tasks = n;
    if (n)
        uplink_send(p->node->uplink, MESSAGE_EFFORT, &m);
}

/* Their profiles have just been read. */
static void tell_effort(struct part *p, const struct living *l)
{
    struct effort_told *v = calloc(l->n + 1, sizeof(*v));
    Hct__Effort__Task **to = calloc(l->n + 1, sizeof(*to));
    const struct sites *sites = &p->ops->account(p)->sites;
    size_t n = 0;

    for (size_t i = 0; v && to && i < l->n; i++)
        if (effort_look(&l->v[i]->effort, &l->v[i]->tally, sites,
                        &v[n]))
            to[n] = &v[n].m, n++;
    if (v && to)
        send_effort(p, to, n);
    free(v);
    free(to);
}

static void tell_costs(struct part *p, const struct living *l)
{
    struct tally **v = calloc(l->n + 1, sizeof(*v));
    struct account_of o = part_account(p);

    for (size_t i = 0; v && i < l->n; i++)
        v[i] = &l->v[i]->tally;
    if (v && account_tick(&o, v, l->n) && p->node->paced)
        tell_effort(p, l);
    free(v);
}

/* As they are now, for those who ask later what was since. */
static void keep_models(const struct living *l)
{
    uint64_t now_ns = clock_monotonic_ns();

    for (size_t i = 0; i < l->n; i++)
        if (l->v[i]->tally.page)
            windows_tick(&l->v[i]->tally.windows, l->v[i]->tally.page,
                         l->v[i]->tally.pid, now_ns);
}

void part_tell_use(struct part *p)
{
    struct living l = { 0 };

    p->ops->each(p, PART_KNOWN, add_living, &l);
    tell_use(p, &l);
    tell_costs(p, &l);
    keep_models(&l);
    free(l.v);
}

void part_tell_last_use(struct part *p, struct task *t)
{
    struct sample_proc proc = { .cpu_ns = t->user_ns + t->system_ns };
    Hct__TaskSamples__Task m, *to = &m;

    task_sample(t, p->node, &proc, &m);
    send_samples(p, &to, 1);
}
