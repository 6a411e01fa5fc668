/* lastwords.c - collects what a dead slave has left, records and costs of
 * calls, and delivers it.
 *
 * Invariant: what was read from a ring is numbered behind what the ledger
 * says was read before, so the master knows what it has already. */
#include "slave/guard/lastwords.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/greeting.h"
#include "proto/link/timer.h"
#include "slave/page/records.h"
#include "slave/page/profilewire.h"

/* Without an acknowledgement: where nobody answers the call, and where somebody
 * has. A master that is started again, or that has no processor, takes its
 * time. */
#define GASP_NS (5 * CLOCK_NS_PER_S)
#define GASP_LINKED_NS (30 * CLOCK_NS_PER_S)

struct lastwords {
    const struct lastwords_conf *conf;
    struct vault *vault;        /* borrowed */
    const char *why;
    struct event_base *base;    /* owned, as all below */
    struct conn *link;
    struct event *retry, *end;
    struct records_window window;
    struct records *tasks;
    struct profile *profiles;   /* of the same tasks */
    size_t ntasks;
    struct sites sites;         /* of all jobs; nobody looks up names */
    struct ticks ticks;
    bool open, was_open;        /* the link is, or was at some time */
    bool welcome;               /* the master knows who calls */
    bool collected, over;
};

/* -------------------------------------------------------------- collecting */

static int send_nothing(void *arg, const void *events)
{
    (void)arg, (void)events;
    return 0;
}

static void open_calls(struct rings *r, const struct vault_state *s)
{
    for (uint32_t i = 0; i < s->nopen && i < VAULT_OPEN; i++) {
        struct rings_slot *slot = &r->slot[s->open[i].slot % PAGE_SLOTS];

        if (array_reserve(&slot->open, &slot->cap, slot->nopen + 1))
            return;
        slot->open[slot->nopen++] = (struct rings_open){
            .seq = s->open[i].seq, .marker = s->open[i].marker,
            .call = s->open[i].call, .at = SIZE_MAX };
    }
}

static void read_page(struct records *r, void *page,
                      const struct vault_state *s)
{
    const struct records_out out = { send_nothing, NULL };
    struct rings_batch batch = { 0 };
    uint64_t next_seq = s->next_seq;
    struct rings rings;
    struct err err;

    rings_init(&rings, page, PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
               &next_seq);
    for (unsigned i = 0; i < PAGE_SLOTS; i++)
        rings.slot[i].tail = rings.slot[i].taken = s->tail[i];
    open_calls(&rings, s);
    while (rings_read(&rings, PAGE_RING_BYTES, &batch) > 0)
        if (records_add(r, &batch, &out, &err)) {
            log_warn("lastwords", "%s", err.text);
            break;
        }
    rings_batch_fini(&batch);
    rings_fini(&rings);
}

/* From now on the rate of the tasks' clock is known. */
static void tally_clock(struct ticks *t)
{
    const struct timespec some = { .tv_nsec = 5 * CLOCK_NS_PER_MS };

    ticks_init(t);
    nanosleep(&some, NULL);
    ticks_update(t);
}

static void collect_task(struct lastwords *g, size_t index)
{
    const struct vault_ledger *l = vault_ledger(g->vault, index);
    const struct vault_state *s;
    size_t bytes = page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);
    struct records *r;
    struct profile *p;
    void *page;
    int fd;

    if (!l)
        return;
    s = &l->state[atomic_load(&l->now) & 1];
    p = &g->profiles[g->ntasks];
    r = &g->tasks[g->ntasks++];
    records_init(r, l->job, l->rank, &g->window);
    records_inherit(r, atomic_load(&l->first), s->next);
    fd = vault_page(g->vault, index, s->page);
    page = fd < 0 ? MAP_FAILED
                  : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (r->next != s->next)
        log_warn("lastwords", "%llu records of tagged calls are lost, and what "
                 "was tagged since: there was no room to keep them job=%llu "
                 "rank=%u", (unsigned long long)(s->next - r->next),
                 (unsigned long long)l->job, l->rank);
    else if (s->page && page == MAP_FAILED)
        log_warn("lastwords", "what was tagged last is lost: its page is not "
                 "there job=%llu rank=%u", (unsigned long long)l->job, l->rank);
    if (page == MAP_FAILED)
        return;
    profile_read(p, page, &g->ticks, &g->sites);
    if (r->next == s->next)
        read_page(r, page, s);
    munmap(page, bytes);
}

/* -------------------------------------------------------------- delivering */

static void lastwords_over(void *arg)
{
    struct lastwords *g = arg;

    g->over = true;
    event_base_loopexit(g->base, NULL);
}

static void lastwords_wait(struct lastwords *g)
{
    bool much = g->open && (g->ntasks || !g->collected);

    timer_set(g->end, much ? GASP_LINKED_NS : GASP_NS);
}

/* With records to deliver it is worth while to wait for another master; that
 * a slave without any job is gone need not be told but to this one. */
static void lastwords_failed(struct lastwords *g, const struct err *why)
{
    bool nobody = why->code == ECONNREFUSED || why->code == ENOENT;
    bool closed = g->open;

    g->link = NULL;
    g->open = g->welcome = false;
    if (closed)
        lastwords_wait(g);
    if ((g->ntasks || !g->collected) && !(nobody && g->conf->last))
        timer_set(g->retry, g->conf->retry_ns);
    else
        lastwords_over(g);
}

static bool lastwords_all_acknowledged(const struct lastwords *g)
{
    for (size_t i = 0; i < g->ntasks; i++)
        if (!records_empty(&g->tasks[i]))
            return false;
    return true;
}

static void lastwords_check(struct lastwords *g)
{
    Hct__Farewell m = HCT__FAREWELL__INIT;
    struct conn *c = g->link;

    if (!c || !lastwords_all_acknowledged(g))
        return;
    m.why = (char *)g->why;
    conn_send(c, MESSAGE_FAREWELL, &m);
    g->link = NULL;
    conn_close_then(c, lastwords_over, g);
}

static int send_events(void *arg, const void *events)
{
    struct lastwords *g = arg;

    conn_send(g->link, MESSAGE_EVENTS, events);
    return 0;
}

static void send_profile(void *arg, const void *profile)
{
    struct lastwords *g = arg;

    conn_send(g->link, MESSAGE_PROFILE, profile);
}

/* Of programs that a task ran before only the slave knew: the master keeps the
 * greater figures. */
static void send_costs(struct lastwords *g, size_t i)
{
    struct profilewire s;

    profile_forget_sent(&g->profiles[i]);
    profilewire_init(&s, g->tasks[i].job, &g->sites);
    profilewire_add_task(&s, g->tasks[i].rank, &g->profiles[i]);
    if (!profilewire_is_empty(&s) && profilewire_send(&s, send_profile, g))
        log_warn("lastwords", "costs of calls are lost: out of memory");
    profilewire_fini(&s);
}

static void lastwords_say(struct lastwords *g)
{
    const struct records_out out = { send_events, g };

    for (size_t i = 0; i < g->ntasks; i++) {
        records_resend(&g->tasks[i], &out);
        send_costs(g, i);
    }
    lastwords_check(g);
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct lastwords *g = arg;

    if (greeting_welcomed(c, msg, HCT__ROLE__ROLE_MASTER, err))
        return -1;
    g->welcome = true;
    if (g->collected)
        lastwords_say(g);
    return 0;
}

static int on_event_ack(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct lastwords *g = arg;
    const Hct__EventAck *m = msg;

    (void)c;
    for (size_t i = 0; i < g->ntasks; i++)
        if (g->tasks[i].job == m->job && g->tasks[i].rank == m->rank &&
            records_ack(&g->tasks[i], m->upto, err))
            return -1;
    lastwords_wait(g);
    lastwords_check(g);
    return 0;
}

/* Orders come too late. */
static int on_other(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    return 0;
}

static void on_open(void *arg, struct conn *c)
{
    struct lastwords *g = arg;
    Hct__Hello m = HCT__HELLO__INIT;

    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)g->conf->name;
    m.instance = vault_instance(g->vault);
    m.last_words = true;
    greeting_hello(c, &m);
    g->open = true;
    if (!g->was_open)           /* not again: it may be refused each time */
        lastwords_wait(g);
    g->was_open = true;
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    (void)c;
    log_debug("lastwords", "%s", why->text);
    lastwords_failed(arg, why);
}

#define OTHER(NAME, name, roles) { MESSAGE_##NAME, roles, on_other },
static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },
    { MESSAGE_EVENT_ACK, CONN_ROLE(HCT__ROLE__ROLE_MASTER), on_event_ack },
    MESSAGES_MASTER_TO_SLAVE(OTHER)
};
#undef OTHER
static const struct conn_ops lastwords_ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close,
};

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
    struct lastwords *g = arg;
    struct err err;

    (void)fd, (void)what;
    g->link = conn_open_to(g->base, g->conf->addresses, g->conf->conn,
                           &lastwords_ops, g, &err);
    if (!g->link)
        lastwords_failed(g, &err);
}

static void on_end(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    lastwords_over(arg);
}

/* What cannot be delivered is at least said, here: there is nobody else. */
static void lastwords_tell_lost(const struct lastwords *g)
{
    for (size_t i = 0; i < g->ntasks; i++)
        if (!records_empty(&g->tasks[i]))
            log_warn("lastwords", "%llu records of tagged calls are lost: the "
                     "master has not taken them job=%llu rank=%u",
                     (unsigned long long)records_waiting(&g->tasks[i]),
                     (unsigned long long)g->tasks[i].job, g->tasks[i].rank);
}

struct lastwords *lastwords_begin(const struct lastwords_conf *conf,
                                  struct vault *v, const char *why)
{
    struct lastwords *g = calloc(1, sizeof(*g));

    if (!g)
        return NULL;
    *g = (struct lastwords){ .conf = conf, .vault = v, .why = why,
                             .window = { .max = SIZE_MAX, .vault = v } };
    g->base = event_base_new();
    g->tasks = calloc(VAULT_TASKS, sizeof(*g->tasks));
    g->profiles = calloc(VAULT_TASKS, sizeof(*g->profiles));
    if (g->base) {
        g->retry = evtimer_new(g->base, on_retry, g);
        g->end = evtimer_new(g->base, on_end, g);
    }
    if (g->tasks && g->profiles && g->retry && g->end) {
        lastwords_wait(g);
        on_retry(-1, 0, g);
    } else {
        g->over = true;
    }
    return g;
}

void lastwords_turn(struct lastwords *g)
{
    if (g && !g->over)
        event_base_loop(g->base, EVLOOP_NONBLOCK);
}

static void lastwords_free(struct lastwords *g)
{
    conn_close(g->link);
    timer_free(g->retry);
    timer_free(g->end);
    if (g->base)
        event_base_free(g->base);
    for (size_t i = 0; i < g->ntasks; i++) {
        profile_fini(&g->profiles[i]);
        records_fini(&g->tasks[i]);
    }
    sites_fini(&g->sites);
    free(g->profiles);
    free(g->tasks);
    free(g);
}

void lastwords_end(struct lastwords *g)
{
    if (!g)
        return;
    if (!g->over) {
        tally_clock(&g->ticks);
        vault_take(g->vault);
        for (size_t i = 0; i < VAULT_TASKS; i++)
            collect_task(g, i);
        g->collected = true;
        lastwords_wait(g);
        if (g->welcome)
            lastwords_say(g);
        else if (!g->ntasks && !g->link)
            g->over = true;
    }
    if (!g->over)
        event_base_dispatch(g->base);
    lastwords_tell_lost(g);
    lastwords_free(g);
}
