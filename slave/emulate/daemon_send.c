/* daemon_send.c - what an emulated slave tells of its own accord: the load of
 * its node, samples, tagged events and what the calls of its tasks have cost. */
#include "slave/emulate/daemon_private.h"

#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

uint64_t daemon_now_ns(const struct daemon_conf *conf)
{
    double past = (double)(clock_monotonic_ns() - conf->began_ns);

    return conf->wall_ns + (uint64_t)(past * conf->options->speed);
}

void daemon_advance(struct daemon *d)
{
    if (d->ledger)
        ledger_advance(d->ledger, daemon_now_ns(d->conf) - d->launched_ns);
}

void daemon_state(const struct daemon *d, uint32_t i, uint32_t rank,
                  struct tasks_state *s)
{
    if (d->ledger)
        ledger_state(d->ledger, i, s);
    else
        tasks_state(s, rank, daemon_now_ns(d->conf) - d->conf->wall_ns);
}

/* Once, costs of a task that no job has: the master sends it away. */
static void send_forged(struct daemon *d)
{
    Hct__Profile__Task task = HCT__PROFILE__TASK__INIT, *tasks[1] = { &task };
    Hct__Profile m = HCT__PROFILE__INIT;

    if (!d->fault || d->fault->kind != EMULATE_FORGE || d->forged)
        return;
    d->forged = true;
    task.rank = UINT32_MAX;
    m.job = d->job;
    m.tasks = tasks;
    m.n_tasks = 1;
    uplink_send(d->uplink, MESSAGE_PROFILE, &m);
}

static void send_profile(void *arg, const void *message)
{
    const struct daemon *d = arg;
    const Hct__Profile *m = message;

    d->conf->count->statements++;
    for (size_t i = 0; i < m->n_tasks; i++)
        d->conf->count->costs += m->tasks[i]->n_site;
    uplink_send(d->uplink, MESSAGE_PROFILE, m);
}

void daemon_tell(struct daemon *d, uint32_t first, uint32_t n)
{
    if (ledger_tell(d->ledger, first, n, send_profile, d))
        log_warn("daemon", "%s: costs are not told: out of memory", d->name);
}

static void send_load(struct daemon *d, uint64_t now_ns)
{
    Hct__NodeLoad m = HCT__NODE_LOAD__INIT;

    m.at_ns = now_ns;
    m.load = (double)d->conf->options->tasks;
    m.cpu_busy = 0.9;
    m.memory_available_bytes = 1 << 30;
    uplink_send(d->uplink, MESSAGE_NODE_LOAD, &m);
}

void daemon_samples(struct daemon *d)
{
    size_t n = taskset_count(&d->ranks);
    uint64_t now_ns = daemon_now_ns(d->conf);
    Hct__TaskSamples m = HCT__TASK_SAMPLES__INIT;
    Hct__TaskSamples__Task *v, **list;
    struct tasks_state s;

    if (d->gone || !d->job)
        return;
    daemon_advance(d);
    send_load(d, now_ns);
    v = malloc((n + 1) * sizeof(*v));
    list = malloc((n + 1) * sizeof(Hct__TaskSamples__Task *));
    for (int64_t r = -1; v && list &&
                         (r = taskset_next(&d->ranks, r)) >= 0; ) {
        daemon_state(d, (uint32_t)m.n_tasks, (uint32_t)r, &s);
        tasks_sample(&v[m.n_tasks], (uint32_t)r, &s);
        list[m.n_tasks] = &v[m.n_tasks];
        m.n_tasks++;
    }
    m.job = d->job;
    m.at_ns = now_ns;
    m.tasks = list;
    uplink_send(d->uplink, MESSAGE_TASK_SAMPLES, &m);
    free(v);
    free(list);
    if (d->ledger && !uplink_congested(d->uplink) && ledger_due(d->ledger)) {
        send_forged(d);         /* so what follows is lost */
        daemon_tell(d, 0, (uint32_t)n);
    }
}

void daemon_events(struct daemon *d, uint32_t n)
{
    static Hct__Events__Record records[1000], *list[1000];
    static ProtobufCBinaryData label = { 7, (uint8_t *)"step 12" };
    size_t ntasks = taskset_count(&d->ranks);
    Hct__Events m = HCT__EVENTS__INIT;
    int64_t rank = -1;

    if (d->gone || !d->job || !ntasks)
        return;
    d->next = (d->next + 1) % (uint32_t)ntasks;
    for (uint32_t i = 0; i <= d->next; i++)
        rank = taskset_next(&d->ranks, rank);
    m.first = d->seq[d->next];
    for (; m.n_records < n && m.n_records < 1000; m.n_records++) {
        Hct__Events__Record *x = list[m.n_records] = &records[m.n_records];

        hct__events__record__init(x);
        x->seq = m.first + m.n_records;
        x->marker = 12;
        x->call = 7;
        x->enter_ns = daemon_now_ns(d->conf);
        x->exit_ns = x->enter_ns + 900;
    }
    d->seq[d->next] += m.n_records;
    m.job = d->job;
    m.rank = (uint32_t)rank;
    m.records = list;
    m.n_labels = 1;
    m.labels = &label;
    uplink_send(d->uplink, MESSAGE_EVENTS, &m);
    d->conf->count->sent += m.n_records;
}
