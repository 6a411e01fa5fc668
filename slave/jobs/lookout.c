/* lookout.c - looks in series, see lookout.h.
 *
 * Invariant: what a series has seen is kept packed, so that it holds nothing
 * of tasks or jobs, which may be gone when it is sent. */
#include "slave/jobs/lookout.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/link/timer.h"
#include "slave/jobs/glance.h"
#include "slave/jobs/look.h"
#include "slave/jobs/node.h"
#include "slave/jobs/peek.h"
#include "slave/jobs/taskwalk.h"

/* The master forgives a look that comes a little early: who goes along with
 * others cannot choose. */
static const uint64_t lookout_early_ns = CLOCK_NS_PER_MS / 2;
static const uint64_t lookout_most_ns = 3600 * CLOCK_NS_PER_S;
static const uint64_t lookout_late_ns = 5 * CLOCK_NS_PER_MS;

struct series {
    struct series *next;
    uint64_t job, seq;          /* of its first look */
    uint64_t every_ns, began_ns, last_ns;
    uint32_t count, n;          /* wanted, taken */
    ProtobufCBinaryData look[LOOKOUT_MAX];      /* owned: packed */
};

struct lookout {
    struct node *node;          /* borrowed, as jobs */
    const struct taskwalk *jobs;
    struct event *timer;        /* owned: when no ring is read */
    struct series *first;       /* owned */
    struct peek *peek;          /* owned, as the next */
    struct glance *glance;
};

static void lookout_on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    lookout_tick(arg);
}

struct lookout *lookout_create(struct node *node, const struct taskwalk *jobs)
{
    struct lookout *lo = calloc(1, sizeof(*lo));

    if (!lo)
        return NULL;
    lo->node = node;
    lo->jobs = jobs;
    lo->timer = evtimer_new(node->base, lookout_on_timer, lo);
    lo->peek = peek_create(node, jobs);
    lo->glance = glance_create(node, jobs);
    if (!lo->timer || !lo->peek || !lo->glance) {
        lookout_destroy(lo);
        return NULL;
    }
    return lo;
}

static void series_free(struct series *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        free(s->look[i].data);
    free(s);
}

void lookout_destroy(struct lookout *lo)
{
    if (!lo)
        return;
    while (lo->first) {
        struct series *s = lo->first;

        lo->first = s->next;
        series_free(s);
    }
    glance_destroy(lo->glance);
    peek_destroy(lo->peek);
    timer_free(lo->timer);
    free(lo);
}

static void look_at_task(void *to, struct task *t)
{
    look_at(to, t);
}

/* False: the job is not here. */
static bool look_at_job(struct lookout *lo, struct look *l)
{
    if (!lo->jobs->tasks(lo->jobs->arg, l->order->job, look_at_task, l))
        return false;
    peek_at(lo->peek, l->order->job);
    glance_at(lo->glance, l->order->job);
    return true;
}

static void series_send(struct lookout *lo, struct series *s)
{
    struct series **at = &lo->first;
    Hct__Looked m = HCT__LOOKED__INIT;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    m.job = s->job;
    m.seq = s->seq;
    m.n_more = s->n;
    m.more = s->look;
    uplink_send(lo->node->uplink, MESSAGE_LOOKED, &m);
    series_free(s);
}

/* One more look. False: there is no job any more, or no memory. */
static bool series_look(struct lookout *lo, struct series *s,
                        const Hct__Look *order)
{
    struct look l = { .node = lo->node, .order = order };
    uint64_t now = clock_monotonic_ns();
    bool good = look_at_job(lo, &l) &&
                look_pack(&l, now - s->began_ns, &s->look[s->n]);

    s->last_ns = now;
    s->n += good;
    look_free(&l);
    return good;
}

void lookout_order(struct lookout *lo, const Hct__Look *m)
{
    struct look l = { .node = lo->node, .order = m };
    struct series *s = lo->first;

    while (s && s->job != m->job)
        s = s->next;
    if (s)
        series_send(lo, s);
    if (m->count < 2 || m->parts || !(s = calloc(1, sizeof(*s)))) {
        if (look_at_job(lo, &l))
            look_send(&l);
        look_free(&l);
        return;
    }
    s->job = m->job;
    s->seq = m->seq;
    s->every_ns = m->every_ns < lookout_most_ns ? m->every_ns : lookout_most_ns;
    s->count = m->count < LOOKOUT_MAX ? m->count : LOOKOUT_MAX;
    s->began_ns = clock_monotonic_ns();
    if (!series_look(lo, s, m)) {
        series_free(s);
        return;
    }
    s->next = lo->first;
    lo->first = s;
    lookout_tick(lo);
}

uint64_t lookout_due(const struct lookout *lo)
{
    uint64_t now = clock_monotonic_ns(), wait = UINT64_MAX;

    for (const struct series *s = lo->first; s; s = s->next) {
        uint64_t due = s->last_ns + s->every_ns;

        due = due > now ? due - now : 0;
        wait = due < wait ? due : wait;
    }
    return wait;
}

void lookout_tick(struct lookout *lo)
{
    uint64_t now, wait;

    if (!lo->first)
        return;
    now = clock_monotonic_ns();
    for (struct series *s = lo->first, *next; s; s = next) {
        Hct__Look order = HCT__LOOK__INIT;

        next = s->next;
        order.job = s->job;
        order.seq = s->seq + s->n;
        if (now - s->last_ns + lookout_early_ns >= s->every_ns &&
            (!series_look(lo, s, &order) || s->n == s->count))
            series_send(lo, s);
    }
    wait = lookout_due(lo);
    if (wait < UINT64_MAX)
        timer_set(lo->timer, wait + lookout_late_ns);
    else
        event_del(lo->timer);
}
