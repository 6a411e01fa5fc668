/* uplink.c - the link to the master.
 *
 * Invariant: exactly one of three holds: a conn (opening, or joined), a
 * timer that will open the next one, or gone. away_ns is when the master was
 * last joined, or when the uplink was opened. */
#include "slave/link/uplink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/greeting.h"
#include "proto/link/timer.h"
#include "slave/proc/load.h"

#define RETRY_NS (300 * CLOCK_NS_PER_MS)
/* For so long a lost link is looked for where it was: elsewhere nobody may
 * answer for seconds. And what does not answer soon is called again, beside. */
#define NEAR_NS (5 * CLOCK_NS_PER_S)
#define NEAR_AGAIN_NS (400 * CLOCK_NS_PER_MS)

struct uplink {
    struct event_base *base;    /* borrowed */
    const struct uplink_conf *conf;
    const struct uplink_ops *ops;
    void *arg;
    struct conn *link;          /* owned */
    struct event *retry;        /* owned */
    bool joined, told;          /* told: the present failure is logged */
    bool farewell;              /* the master has said that it ends */
    uint64_t master;            /* its instance; 0: none yet */
    bool new_master;
    uint64_t away_ns;
    char near[ADDR_TEXT_MAX];   /* where the master was joined; "": nowhere */
    struct conn_conf near_conf;
    struct conn_route *routes;  /* owned */
    struct conn_ops link_ops;
};

void *uplink_owner(void *arg)
{
    return ((struct uplink *)arg)->ops->routes_arg;
}

void uplink_send(struct uplink *u, enum message_type type, const void *msg)
{
    if (u->joined && conn_send(u->link, type, msg))
        log_warn("uplink", "%s is too large to be sent", message_name(type));
}

uint64_t uplink_away_ns(const struct uplink *u)
{
    return u->joined ? 0 : clock_monotonic_ns() - u->away_ns;
}

bool uplink_congested(const struct uplink *u)
{
    return u->joined && conn_congested(u->link);
}

static void on_open(void *arg, struct conn *c)
{
    struct uplink *u = arg;
    Hct__Hello m = HCT__HELLO__INIT;
    Hct__NodeInfo node = HCT__NODE_INFO__INIT;
    struct utsname uts = { .machine = "?" };
    struct cpu_set cpu = u->conf->cpu;
    char host[256] = "?";

    gethostname(host, sizeof(host) - 1);
    uname(&uts);
    node.hostname = host;
    node.cpus = u->conf->cpus ? u->conf->cpus : load_cpus();
    node.processors = load_processors();
    node.speed = u->conf->speed;
    node.memory_bytes = load_memory_bytes();
    node.machine = uts.machine;
    node.mpi = (char *)u->conf->mpi;
    if (!cpu_none(&u->conf->cpu)) {
        node.cpu = cpu.has;
        node.n_cpu = CPU_WORDS;
    }
    if (u->ops->describe)
        u->ops->describe(u->arg, &node);
    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)u->conf->name;
    m.instance = u->conf->instance;
    m.node = &node;
    greeting_hello(c, &m);
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct uplink *u = arg;
    const Hct__Welcome *m = msg;

    if (greeting_welcomed(c, m, HCT__ROLE__ROLE_MASTER, err))
        return -1;
    u->joined = true;
    u->told = u->farewell = false;
    u->new_master = u->master != 0 && u->master != m->instance;
    u->master = m->instance;
    snprintf(u->near, sizeof(u->near), "%s",
             strncmp(conn_peer(c), "tcp:", 4) == 0 ? conn_peer(c) : "");
    log_info("uplink", "joined master=%s node=%u", conn_peer(c), m->node);
    u->ops->joined(u->arg);
    return 0;
}

void uplink_master_leaves(void *arg)
{
    ((struct uplink *)arg)->farewell = true;
}

bool uplink_new_master(const struct uplink *u)
{
    return u->new_master;
}

/* Try again, or give up. May end in ops->gone(), after which u may be closed:
 * the last act of its callers. */
static void failed(struct uplink *u, const struct err *why)
{
    bool was_joined = u->joined;
    uint64_t now_ns = clock_monotonic_ns();

    u->link = NULL;
    u->joined = false;
    if (was_joined)
        u->away_ns = now_ns;
    if ((u->conf->private && (u->farewell || !u->ops->needed(u->arg))) ||
        now_ns - u->away_ns >= u->conf->lost_ns) {
        u->away_ns = now_ns;
        if (!u->conf->private)
            timer_set(u->retry, RETRY_NS);
        u->ops->gone(u->arg, why);
        return;
    }
    if (!u->told && u->conf->private)
        log_info("uplink", "no link to the master, trying on: %s",
                 why->text);
    else if (!u->told)
        log_warn("uplink", "no link to the master, trying on: %s",
                 why->text);
    u->told = true;
    timer_set(u->retry, RETRY_NS);
    if (was_joined)
        u->ops->lost(u->arg);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    (void)c;
    failed(arg, why);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
    struct uplink *u = arg;
    struct err err;
    bool near = *u->near && clock_monotonic_ns() - u->away_ns < NEAR_NS;

    (void)fd, (void)what;
    u->link = conn_open_to(u->base, near ? u->near : u->conf->addresses,
                           near ? &u->near_conf : u->conf->conn, &u->link_ops,
                           u, &err);
    if (!u->link)
        failed(u, &err);
}

struct uplink *uplink_open(struct event_base *base,
                           const struct uplink_conf *conf,
                           const struct uplink_ops *ops, void *arg,
                           struct err *err)
{
    struct uplink *u = calloc(1, sizeof(*u));
    size_t n = 0;

    if (!u || !(u->routes = calloc(ops->nroutes + 2, sizeof(*u->routes))))
        return free(u), err_memory(err), NULL;
    u->base = base;
    u->conf = conf;
    u->ops = ops;
    u->arg = arg;
    u->away_ns = clock_monotonic_ns();
    u->near_conf = *conf->conn;
    u->near_conf.again_ns = NEAR_AGAIN_NS;
    u->routes[n++] = (struct conn_route){ MESSAGE_WELCOME, CONN_STRANGER,
                                          on_welcome };
    u->routes[n++] = (struct conn_route){ MESSAGE_REFUSE, CONN_STRANGER,
                                          greeting_on_refuse };
    for (size_t i = 0; i < ops->nroutes; i++)
        u->routes[n++] = ops->routes[i];
    u->link_ops = (struct conn_ops){ .routes = u->routes, .nroutes = n,
                                     .on_open = on_open,
                                     .on_close = on_close };
    u->retry = evtimer_new(base, on_retry, u);
    u->link = conn_open_to(base, conf->addresses, conf->conn, &u->link_ops,
                           u, err);
    if (u->retry && u->link)
        return u;
    uplink_drop(u);
    return NULL;
}

void uplink_drop(struct uplink *u)
{
    if (!u)
        return;
    timer_free(u->retry);
    conn_close(u->link);
    free(u->routes);
    free(u);
}

bool uplink_close(struct uplink *u, void (*done)(void *arg), void *arg)
{
    Hct__Farewell farewell = HCT__FAREWELL__INIT;
    bool wait;

    if (!u)
        return false;
    farewell.why = (char *)"its slave has ended";
    wait = u->link && u->joined;
    if (wait)
        conn_send(u->link, MESSAGE_FAREWELL, &farewell);
    timer_free(u->retry);
    if (wait)
        conn_close_then(u->link, done, arg);
    else
        conn_close(u->link);
    free(u->routes);
    free(u);
    return wait;
}
