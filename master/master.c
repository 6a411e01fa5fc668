/* master.c - who hears of what. */
#include "master/master.h"

#include <stdlib.h>
#include <unistd.h>

#include "master/flow/recover.h"
#include "master/store/events.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

/* ------------------------------------------------------ from the journal */

static void on_committed(void *arg)
{
    struct master *m = arg;

    flow_committed(m->flow);
    m->ops->turned(m->arg);
}

static void on_acked(void *arg, struct job *j, uint32_t rank, uint64_t upto)
{
    (void)arg;
    events_ack(j, rank, upto);
}

static void on_pressure(void *arg, bool high)
{
    struct master *m = arg;

    log_debug("master", "slaves %s", high ? "wait for the database" : "go on");
    hub_hold_slaves(m->hub, high);
}

static void on_told(void *arg, const char *text, bool bad)
{
    struct master *m = arg;

    if (m->ops->told)
        m->ops->told(m->arg, text);
    hub_warn(m->hub, text, bad);
}

static void on_replaced(void *arg)
{
    struct master *m = arg;

    for (size_t i = 0; i < m->nodes.n; i++) {
        struct node *n = m->nodes.v[i];

        n->drain_news |= n->draining;
        n->owner.news |= n->owner.is != NODE_OWNER_UNKNOWN;
        journal_node(m->journal, n);
    }
    flow_note_all(m->flow);
}

static const struct journal_ops journal_ops = {
    .committed = on_committed, .acked = on_acked, .pressure = on_pressure,
    .replaced = on_replaced, .told = on_told,
};

/* ------------------------------------------------------------------ set up */

static int create_parts(struct master *m, struct event_base *base,
                        const struct master_conf *conf)
{
    struct hub_conf hub = {
        .conn = conf->conn, .instance = conf->flow.instance,
        .name = conf->name, .lost_wait_ns = conf->flow.lost_wait_ns,
        .reduce = conf->reduce, .quiet = m->ops->turned, .arg = m->arg,
    };

    m->relay = relay_create(base, &m->nodes);
    if (!m->relay)
        return -1;
    m->flow = flow_create(base, &conf->flow, &m->nodes, &m->jobs, m->relay);
    if (!m->flow)
        return -1;
    m->hub = hub_create(base, &hub, &m->nodes, &m->jobs, m->relay,
                        m->flow);
    if (!m->hub)
        return -1;
    flow_set_reducer(m->flow, hub_reducer(m->hub));
    return 0;
}

static int create_journal(struct master *m, struct event_base *base,
                          const struct master_conf *conf, struct store *st,
                          struct err *err)
{
    struct store_master row = {
        .instance = conf->flow.instance, .pid = (uint32_t)getpid(),
        .host = conf->host, .address = conf->addresses,
        .process = conf->process, .started_ns = clock_wall_ns(),
    };

    m->journal = journal_create(base, st, conf->path, conf->aside, &row,
                                &journal_ops, m, err);
    if (!m->journal)
        return -1;
    flow_set_journal(m->flow, m->journal);
    hub_set_journal(m->hub, m->journal);
    return 0;
}

enum { RECOVER_MS = 5000 };     /* while others have the database locked */

static void recover(struct master *m, const struct master_conf *conf,
                    struct store *st)
{
    struct recover r = {
        .addresses = conf->addresses, .instance = conf->flow.instance,
        .store = st, .nodes = &m->nodes, .flow = m->flow,
        .journal = m->journal,
    };
    size_t n;

    store_wait(st, RECOVER_MS);         /* nobody is served yet */
    recover_nodes(&r);
    n = recover_jobs(&r);
    store_wait_little(st);
    if (n)
        log_info("master", "%zu jobs of the master before are taken up", n);
}

struct master *master_create(struct event_base *base,
                             const struct master_conf *conf, struct store *st,
                             const struct master_ops *ops, void *arg,
                             struct err *err)
{
    struct master *m = calloc(1, sizeof(*m));

    if (m) {
        m->ops = ops;
        m->arg = arg;
    }
    if (!m || create_parts(m, base, conf)) {
        store_close(st);
        err_memory(err);
        return master_destroy(m), NULL;
    }
    if (create_journal(m, base, conf, st, err))
        return master_destroy(m), NULL;
    if (!conf->aside)
        recover(m, conf, st);
    return m;
}

void master_destroy(struct master *m)
{
    if (!m)
        return;
    if (m->flow)
        flow_set_reducer(m->flow, NULL);
    hub_destroy(m->hub);
    journal_destroy(m->journal);
    flow_destroy(m->flow);
    relay_destroy(m->relay);
    nodes_fini(&m->nodes);
    free(m);
}
