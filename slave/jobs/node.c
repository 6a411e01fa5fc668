/* node.c - what all jobs of this slave share. */
#include "slave/jobs/node.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "slave/proc/load.h"

int node_init(struct node *n, struct event_base *base, const char *name,
              const struct conn_conf *conn, struct err *err)
{
    memset(n, 0, sizeof(*n));
    n->base = base;
    n->name = name;
    n->conn = conn;
    ticks_init(&n->ticks);
    if (getrandom(&n->instance, sizeof(n->instance), 0) !=
        sizeof(n->instance))
        return err_sys(err, "getrandom");
    n->reading = reading_create(&n->ticks);
    if (!n->reading)
        return err_memory(err);
    n->site = site_open(err);
    if (!n->site)
        return -1;
    freezer_sweep();
    weight_sweep();
    n->starved = load_starved();
    return 0;
}

bool node_starved(struct node *n)
{
    bool news = load_starved() > n->starved;

    n->starved += news;
    return news;
}

void node_close(struct node *n)
{
    exchange_destroy(n->exchange);
    pmixd_close(n->pmix.server);
    n->exchange = NULL;
    n->pmix.server = NULL;
}

void node_fini(struct node *n)
{
    node_close(n);
    reading_destroy(n->reading);
    freezer_fini(&n->freezer);
    weight_fini(&n->weight);
    site_close(n->site);
}

void node_serve_pmix(struct node *n, const struct pmixd_ops *ops, void *arg,
                     uint64_t wait_ns)
{
    n->pmix.ops = ops;
    n->pmix.arg = arg;
    n->pmix.wait_ns = wait_ns;
}

void node_renew_by(struct node *n, struct event *look)
{
    n->pmix.renew = look;
}

struct pmixd *node_pmix(struct node *n, struct err *err)
{
    struct node_pmix *p = &n->pmix;

    if (!p->server)
        p->server = pmixd_open(n->base, n->name, n->site,
                               p->wait_ns, p->ops, p->arg, err);
    return p->server;
}

struct pmixd *node_pmix_now(const struct node *n)
{
    return n->pmix.server;
}

void node_look_at_pmix(const struct node *n)
{
    if (n->pmix.renew && pmixd_health(n->pmix.server) != PMIXD_SOUND)
        event_active(n->pmix.renew, EV_TIMEOUT, 0);
}
