/* session.c - one struct for each link: who comes in, and who has gone.
 *
 * Invariants. A session's link has no role until it was welcomed; then a
 * slave's session has its node, and the node's link is this one. Messages
 * about a job that is not known (any more) are dropped: the slave was told
 * to forget it and has not read that yet. */
#include "master/peers/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master/flow/notice.h"
#include "master/peers/session_route.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/refused.h"

enum { SESSION_NAME_MAX = 255 };
static const uint64_t session_redial_ns = 2 * CLOCK_NS_PER_S;

static const struct conn_ops session_ops;

/* --------------------------------------------------------------- admission */

static void session_unlink(struct session *s)
{
    if (s->prev)
        s->prev->next = s->next;
    else
        s->hub->sessions = s->next;
    if (s->next)
        s->next->prev = s->prev;
}

/* Say why, and close behind it. The session is gone when this returns. */
static int session_refuse(struct session *s, const struct err *err)
{
    Hct__Refuse m = HCT__REFUSE__INIT;

    refused("session", conn_peer(s->link), err);
    m.why = (char *)err->text;
    conn_send(s->link, MESSAGE_REFUSE, &m);
    conn_close_flushed(s->link);
    session_unlink(s);
    free(s);
    return 0;
}

static void node_describe(struct node *n, const Hct__Hello *m)
{
    n->instance = m->instance;
    n->state = NODE_UP;
    n->seen_ns = clock_wall_ns();
    n->clock_known = false;
    free(n->reduce_at);
    n->reduce_at = NULL;
    if (!m->node)
        return;
    n->cpus = m->node->cpus ? m->node->cpus : 1;
    n->memory_bytes = m->node->memory_bytes;
    node_set_text(&n->hostname, m->node->hostname);
    node_set_text(&n->machine, m->node->machine);
}

/* The same slave on a new link: it has given up the old one before us. */
static void session_drop_link(struct session_hub *h, const struct node *n)
{
    for (struct session *s = h->sessions; s; s = s->next)
        if (s->node == n) {
            session_unlink(s);
            conn_close(s->link);
            free(s);
            reducer_node_gone(h->reducer, n, "its link was lost");
            break;
        }
}

/* PMIx, sets of hosts and people take a name apart at these; a node by such a
 * name would spoil every job that is placed on it. */
static bool session_is_name(const char *name)
{
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        if (*p <= ' ' || *p == 0x7f || strchr(",;[]\"", *p))
            return false;
    return true;
}

static int session_join(struct session *s, const Hct__Hello *m,
                        struct err *err)
{
    struct node *n = nodes_find(s->hub->nodes, m->name);

    if (!*m->name || strlen(m->name) > SESSION_NAME_MAX)
        return err_set(err, EINVAL, "a slave needs a name of 1 to %d bytes",
                       SESSION_NAME_MAX);
    if (!session_is_name(m->name))
        return err_set(err, EINVAL, "\"%s\" is no name for a node: a blank, a "
                       "comma or the like is in it", m->name);
    if (n && n->link && n->instance == m->instance) {
        session_drop_link(s->hub, n);
        n->link = NULL;
        flow_node_away(s->hub->flow, n, "it has opened another link");
    }
    if (n && n->link)
        return err_set(err, EEXIST, "a slave named %s has already joined (%s)",
                       m->name, conn_peer(n->link));
    if (m->last_words && !n)
        return err_set(err, ENOENT, "there was no slave called %s", m->name);
    n = nodes_make(s->hub->nodes, m->name);
    if (!n)
        return err_set(err, ENOMEM, "out of memory");
    if (m->last_words) {                /* it will not run anything */
        n->link = s->link;
        s->node = n;
        return 0;
    }
    node_describe(n, m);
    n->link = s->link;
    s->node = n;
    journal_node(s->hub->journal, n);
    log_info("session", "node %s joined with %u processors: %s", n->name,
             n->cpus, conn_peer(s->link));
    if (s->hub->holding)
        conn_pause(s->link);
    return 0;
}

static void session_welcome(struct session *s)
{
    Hct__Welcome w = HCT__WELCOME__INIT;

    w.protocol = PROTOCOL_VERSION;
    w.role = HCT__ROLE__ROLE_MASTER;
    w.name = (char *)s->hub->conf.name;
    w.version = (char *)HECTOR_VERSION;
    w.instance = s->hub->conf.instance;
    w.node = s->node ? s->node->id : 0;
    conn_send(s->link, MESSAGE_WELCOME, &w);
}

int session_on_hello(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct session *s = arg;
    const Hct__Hello *m = msg;

    if (conn_role(c))
        return err_set(err, EPROTO, "a second Hello");
    if (m->protocol != PROTOCOL_VERSION) {
        err_set(err, EPROTO, "protocol %u of version %s: this master (version "
                HECTOR_VERSION ") speaks %u", m->protocol, m->version,
                PROTOCOL_VERSION);
        return session_refuse(s, err);
    }
    switch (m->role) {
    case HCT__ROLE__ROLE_SLAVE:
        if (session_join(s, m, err))
            return session_refuse(s, err);
        break;
    case HCT__ROLE__ROLE_REDIRECTOR:
    case HCT__ROLE__ROLE_OPERATOR:
        break;
    default:
        err_set(err, EPROTO, "nothing is known about peers of role %d",
                (int)m->role);
        return session_refuse(s, err);
    }
    conn_set_role(c, (unsigned)m->role);
    s->hub->had_redirector |= m->role == HCT__ROLE__ROLE_REDIRECTOR;
    if (m->role == HCT__ROLE__ROLE_REDIRECTOR)
        conn_tolerate_silence(c);       /* Ctrl-Z stops it */
    session_welcome(s);
    if (s->node && !m->last_words)
        flow_node_joined(s->hub->flow);
    return 0;
}

/* ------------------------------------------------------------ links, hub */

/* A connection that opened: from now on it has a session of its own. */
static void session_open(void *arg, struct conn *c)
{
    struct session_hub *h = arg;
    struct session *s = calloc(1, sizeof(*s));

    if (!s) {
        log_warn("session", "%s: out of memory", conn_peer(c));
        conn_close(c);
        return;
    }
    s->hub = h;
    s->link = c;
    s->next = h->sessions;
    if (s->next)
        s->next->prev = s;
    h->sessions = s;
    conn_set_arg(c, s);
}

static void session_slave_gone(struct session *s, const char *why)
{
    struct node *n = s->node;

    n->link = NULL;
    reducer_node_gone(s->hub->reducer, n, why);
    n->seen_ns = clock_wall_ns();
    if (n->state == NODE_UP)
        flow_node_away(s->hub->flow, n, why);
}

/* On this machine the end of a link is the end of the process. Over TCP it may
 * be that the other side has given up a link that did not work. */
static uint64_t session_run_wait(const struct session *s,
                                 const struct err *why)
{
    if (strncmp(conn_peer(s->link), "tcp:", 4) != 0)
        return 0;
    return why->code == ETIMEDOUT ? s->hub->conf.lost_wait_ns
                                  : session_redial_ns;
}

/* Of a stranger the listener has told; and who breaks the protocol, and comes
 * again, is not to fill the log. */
static void session_log_end(const struct session *s, const struct err *why)
{
    const char *peer = conn_peer(s->link);

    if (!conn_role(s->link))
        log_debug("session", "%s left: %s", peer, why->text);
    else if (why->code == EPROTO || why->code == EBADMSG)
        refused("session", peer, why);
    else
        log_info("session", "%s left: %s", s->node ? s->node->name : peer,
                 why->text);
}

static void session_close(void *arg, struct conn *c, const struct err *why)
{
    struct session *s = arg;
    struct session_hub *h = s->hub;

    session_log_end(s, why);
    session_unlink(s);
    if (s->node)
        session_slave_gone(s, why->text);
    if (conn_role(c) == HCT__ROLE__ROLE_REDIRECTOR)
        flow_redirector_gone(h->flow, c, session_run_wait(s, why));
    gather_cancel(s->gather);
    free(s);
    h->conf.quiet(h->conf.arg);
}

static const struct conn_ops session_ops = {
    .routes = session_routes,
    .nroutes = SESSION_ROUTES,
    .on_open = session_open,
    .on_close = session_close,
};

struct session_hub *session_hub_create(struct event_base *base,
                                       const struct session_hub_conf *conf,
                                       struct nodes *nodes, struct jobs *jobs,
                                       struct relay *relay, struct flow *flow)
{
    struct session_hub *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->base = base;
    h->conf = *conf;
    h->nodes = nodes;
    h->jobs = jobs;
    h->relay = relay;
    h->flow = flow;
    h->reducer = reducer_create(base, &conf->reduce, nodes);
    if (!h->reducer)
        return free(h), NULL;
    return h;
}

struct reducer *session_hub_reducer(const struct session_hub *h)
{
    return h->reducer;
}

void session_hub_set_journal(struct session_hub *h, struct journal *jn)
{
    h->journal = jn;
}

int session_hub_listen(struct session_hub *h, int fd, struct err *err)
{
    struct conn_listener *l;

    if (h->nlisteners == SESSION_LISTENERS)
        return err_set(err, EMFILE, "more than %d sockets to listen on",
                       SESSION_LISTENERS);
    l = conn_listen_fd(h->base, fd, &h->conf.conn, &session_ops, h, err);
    if (!l)
        return -1;
    h->listeners[h->nlisteners++] = l;
    return 0;
}

size_t session_hub_count(const struct session_hub *h, Hct__Role role)
{
    size_t n = 0;

    for (const struct session *s = h->sessions; s; s = s->next)
        n += conn_role(s->link) == (unsigned)role;
    return n;
}

bool session_hub_had_redirector(const struct session_hub *h)
{
    return h->had_redirector;
}

void session_hub_hold_slaves(struct session_hub *h, bool hold)
{
    h->holding = hold;
    for (struct session *s = h->sessions; s; s = s->next) {
        if (!s->node)
            continue;
        if (hold)
            conn_pause(s->link);
        else
            conn_resume(s->link);
    }
}

void session_hub_warn(struct session_hub *h, const char *sentence, bool bad)
{
    free(h->warning);
    h->warning = bad ? strdup(sentence) : NULL;
    notice_all(h->flow, bad, sentence);
}

static void session_stop_listening(struct session_hub *h)
{
    while (h->nlisteners)
        conn_listener_close(h->listeners[--h->nlisteners]);
}

static void session_flushed(void *arg)
{
    struct session_hub *h = arg;

    if (--h->nleaving == 0)
        h->left(h->conf.arg);
}

void session_hub_leave(struct session_hub *h, void (*left)(void *arg))
{
    Hct__Farewell farewell = HCT__FAREWELL__INIT;

    session_stop_listening(h);
    farewell.why = (char *)"hector-master has ended";
    h->left = left;
    h->nleaving = 1;
    while (h->sessions) {
        struct session *s = h->sessions;

        if (s->node) {
            conn_send(s->link, MESSAGE_FAREWELL, &farewell);
            s->node->link = NULL;
            s->node->state = NODE_LEFT;
            journal_node(h->journal, s->node);
        }
        session_unlink(s);
        gather_cancel(s->gather);
        h->nleaving++;
        conn_close_then(s->link, session_flushed, h);
        free(s);
    }
    session_flushed(h);
}

void session_hub_destroy(struct session_hub *h)
{
    if (!h)
        return;
    session_stop_listening(h);
    while (h->sessions) {
        struct session *s = h->sessions;

        session_unlink(s);
        gather_cancel(s->gather);
        conn_close(s->link);
        free(s);
    }
    reducer_destroy(h->reducer);
    free(h->warning);
    free(h);
}
