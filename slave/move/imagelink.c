/* imagelink.c - see imagelink.h.
 *
 * Invariants: a link has a conn exactly while it is dialled or OPEN, and a socket
 * of its own in RAW, and in BROKEN if it was RAW before. While one is TRYING it
 * is in one of two: it waits, or it is one of `dialled`; nobody waits while there
 * is room among these, but until `next` comes. */
#include "slave/move/imagelink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/greeting.h"
#include "proto/link/seal.h"
#include "proto/link/timer.h"
#include "slave/move/splice.h"

#define PATIENCE_NS (5 * CLOCK_NS_PER_S)
#define ADDRESS_NS  (2 * CLOCK_NS_PER_S)        /* for one, which may be busy */
#define CALL_AGAIN_NS (400 * CLOCK_NS_PER_MS)
#define AGAIN_NS (600 * CLOCK_NS_PER_S)

/* Dialled at a time. Who listens has room for 256 strangers, of all slaves: with
 * more than that it sends away those that are slowest to prove who they are. */
enum { DIALLED_MAX = 16 };

struct unreached {              /* a slave that was not */
    LIST_ENTRY(unreached) place;
    char *node;                 /* owned */
    uint64_t until_ns;          /* monotonic */
};

struct imagelinks {
    struct event_base *base;    /* borrowed, like the next one */
    const struct imagelinks_conf *conf;
    struct conn_conf conn;
    LIST_HEAD(, unreached) unreached;   /* owned */
    TAILQ_HEAD(, imagelink) waiting;    /* borrowed */
    unsigned dialled;
    struct event *next;                 /* owned: somebody may be dialled */
};

struct imagelink {
    struct imagelinks *all;     /* borrowed, like the next two */
    const struct imagelink_ops *ops;
    void *arg;
    TAILQ_ENTRY(imagelink) place;       /* while it waits */
    char *node, *addresses;     /* owned, like all that follows */
    struct conn *conn;
    struct event *patience;     /* pending while it is dialled */
    enum imagelink_state state;
    bool waits, dialled;
    bool asked;                 /* the answer makes it RAW */
    int pipe;                   /* borrowed: the image; -1: none, or it is over */
    int fd;                     /* owned, as is the next; -1: not RAW */
    struct seal *seal;          /* NULL: none is needed */
    struct splice *splice;
    bool ended;                 /* it was whole */
};

/* ------------------------------------------------------ who was not reached */

static struct unreached *find_unreached(const struct imagelinks *ls,
                                        const char *node)
{
    struct unreached *u;

    LIST_FOREACH(u, &ls->unreached, place)
        if (strcmp(u->node, node) == 0)
            return u;
    return NULL;
}

static void forget_unreached(struct unreached *u)
{
    if (!u)
        return;
    LIST_REMOVE(u, place);
    free(u->node);
    free(u);
}

/* Without memory it is said again. */
static void note_unreached(struct imagelinks *ls, const char *node,
                           const char *why)
{
    struct unreached *u = find_unreached(ls, node);
    uint64_t again_ns = ls->conf->again_ns ? ls->conf->again_ns : AGAIN_NS;

    if (!u) {
        log_warn("move", "the slave of %s is not reached, images of tasks that "
                 "go there pass through the master: %s", node, why);
        u = calloc(1, sizeof(*u));
        if (!u || !(u->node = strdup(node))) {
            free(u);
            return;
        }
        LIST_INSERT_HEAD(&ls->unreached, u, place);
    }
    u->until_ns = clock_monotonic_ns() + again_ns;
}

/* ------------------------------------------------------------------ one link */

/* It is not TRYING any more: the next one may be dialled. */
static void settle(struct imagelink *l)
{
    struct imagelinks *ls = l->all;

    if (l->waits)
        TAILQ_REMOVE(&ls->waiting, l, place);
    if (l->dialled) {
        event_del(l->patience);
        ls->dialled--;
        timer_set(ls->next, 0);
    }
    l->waits = l->dialled = false;
}

static void give_up(struct imagelink *l, const char *why)
{
    l->state = IMAGELINK_UNREACHED;
    settle(l);
    note_unreached(l->all, l->node, why);
}

static void on_patience(evutil_socket_t fd, short what, void *arg)
{
    struct imagelink *l = arg;

    (void)fd, (void)what;
    conn_close(l->conn);
    l->conn = NULL;
    give_up(l, "it does not answer");
}

/* Addresses may be those of another network, too. */
static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct imagelink *l = arg;
    const Hct__Welcome *m = msg;

    if (strcmp(m->name, l->node) != 0)
        return err_set(err, EHOSTUNREACH, "at %s is the slave of %.100s",
                       conn_peer(c), m->name);
    if (greeting_welcomed(c, m, HCT__ROLE__ROLE_SLAVE, err))
        return -1;
    l->state = IMAGELINK_OPEN;
    settle(l);
    forget_unreached(find_unreached(l->all, l->node));
    log_debug("move", "open to the slave of %s at %s", l->node, conn_peer(c));
    return 0;
}

static void set_broken(struct imagelink *l, const struct err *why)
{
    char text[sizeof(why->text) + 300];

    l->state = IMAGELINK_BROKEN;
    imagelink_stop(l);
    snprintf(text, sizeof(text), "the link to %.200s is broken: %s", l->node,
             why->text);
    l->ops->broken(l->arg, text);
}

static void on_sent(void *arg, size_t bytes)
{
    const struct imagelink *l = arg;

    l->ops->sent(l->arg, bytes);
}

static void on_over(void *arg, const struct err *why)
{
    struct imagelink *l = arg;

    if (why) {
        set_broken(l, why);
        return;
    }
    imagelink_stop(l);
    l->ops->over(l->arg);
}

static const struct splice_ops splice_ops = { on_sent, on_over };

static void on_raw(void *arg, int fd, struct seal *seal)
{
    struct imagelink *l = arg;
    struct splice_conf conf = { .from = l->pipe, .to = fd, .socket = fd,
                                .seal = seal,
                                .dead_ns = l->all->conn.dead_ns };
    struct err err;

    l->conn = NULL;
    l->fd = fd;
    l->seal = seal;
    l->state = IMAGELINK_RAW;
    if (l->pipe < 0)
        return;
    l->splice = splice_open(l->all->base, &conf, &splice_ops, l, &err);
    if (!l->splice)
        set_broken(l, &err);
}

static int on_image_credit(void *arg, struct conn *c, const void *msg,
                           struct err *err)
{
    const struct imagelink *l = arg;

    (void)msg;
    if (!l->asked)
        return err_set(err, EPROTO, "an answer that nobody has asked for");
    conn_detach(c, on_raw);
    return 0;
}

static void on_open(void *arg, struct conn *c)
{
    (void)arg, (void)c;                 /* our Hello waits in its queue */
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct imagelink *l = arg;

    (void)c;
    l->conn = NULL;
    if (l->state == IMAGELINK_TRYING)
        give_up(l, why->text);
    else
        set_broken(l, why);
}

static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_ANY, greeting_on_refuse },
    MESSAGES_TARGET_TO_SOURCE(CONN_ROUTE)
};
static const struct conn_ops link_ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close,
};

static void dial(struct imagelink *l)
{
    const struct imagelinks_conf *conf = l->all->conf;
    Hct__Hello m = HCT__HELLO__INIT;
    struct err err;

    l->dialled = true;
    l->all->dialled++;
    l->conn = conn_open_to(l->all->base, l->addresses, &l->all->conn,
                           &link_ops, l, &err);
    if (!l->conn) {
        give_up(l, err.text);
        return;
    }
    timer_set(l->patience, conf->patience_ns ? conf->patience_ns : PATIENCE_NS);
    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)(uintptr_t)conf->name;
    m.instance = conf->instance;
    greeting_hello(l->conn, &m);
}

static bool is_unreached(const struct imagelink *l)
{
    const struct unreached *u = find_unreached(l->all, l->node);

    return u && clock_monotonic_ns() < u->until_ns;
}

/* As many as may be. One that waits may have become one that is not reached. */
static void dial_more(struct imagelinks *ls)
{
    struct imagelink *l;

    while (ls->dialled < DIALLED_MAX && (l = TAILQ_FIRST(&ls->waiting))) {
        TAILQ_REMOVE(&ls->waiting, l, place);
        l->waits = false;
        if (is_unreached(l))
            l->state = IMAGELINK_UNREACHED;
        else
            dial(l);
    }
}

static void on_next(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    dial_more(arg);
}

struct imagelink *imagelink_open(struct imagelinks *ls, const char *node,
                                 const char *addresses,
                                 const struct imagelink_ops *ops, void *arg,
                                 struct err *err)
{
    struct imagelink *l = calloc(1, sizeof(*l));

    if (!l)
        return err_memory(err), NULL;
    *l = (struct imagelink){ .all = ls, .ops = ops, .arg = arg,
                             .node = strdup(node),
                             .addresses = strdup(addresses), .pipe = -1,
                             .fd = -1 };
    l->patience = evtimer_new(ls->base, on_patience, l);
    if (!l->node || !l->addresses || !l->patience) {
        imagelink_close(l);
        return err_memory(err), NULL;
    }
    if (is_unreached(l)) {
        l->state = IMAGELINK_UNREACHED;
        return l;
    }
    TAILQ_INSERT_TAIL(&ls->waiting, l, place);
    l->waits = true;
    dial_more(ls);
    return l;
}

void imagelink_close(struct imagelink *l)
{
    if (!l)
        return;
    settle(l);
    conn_close(l->conn);
    splice_close(l->splice);
    seal_free(l->seal);
    if (l->ended)
        close(l->fd);
    else
        splice_reset(l->fd);
    timer_free(l->patience);
    free(l->node);
    free(l->addresses);
    free(l);
}

enum imagelink_state imagelink_state(const struct imagelink *l)
{
    return l->state;
}

void imagelink_pass(struct imagelink *l, const Hct__ImageRaw *m, int pipe)
{
    if (!l->conn)
        return;
    conn_send(l->conn, MESSAGE_IMAGE_RAW, m);
    conn_hush(l->conn);
    l->asked = true;
    l->pipe = pipe;
}

void imagelink_stop(struct imagelink *l)
{
    splice_close(l->splice);
    l->splice = NULL;
    l->pipe = -1;
}

void imagelink_end(struct imagelink *l)
{
    if (l->state != IMAGELINK_RAW)
        return;
    l->ended = true;
    shutdown(l->fd, SHUT_WR);
}

/* ---------------------------------------------------------------- all of them */

struct imagelinks *imagelinks_open(struct event_base *base,
                                   const struct imagelinks_conf *conf,
                                   struct err *err)
{
    struct imagelinks *ls = calloc(1, sizeof(*ls));

    if (!ls)
        return err_memory(err), NULL;
    *ls = (struct imagelinks){ .base = base, .conf = conf, .conn = *conf->conn };
    ls->conn.shake_ns = ADDRESS_NS;
    ls->conn.again_ns = CALL_AGAIN_NS;
    TAILQ_INIT(&ls->waiting);
    ls->next = evtimer_new(base, on_next, ls);
    if (ls->next)
        return ls;
    imagelinks_close(ls);
    return err_memory(err), NULL;
}

void imagelinks_close(struct imagelinks *ls)
{
    if (!ls)
        return;
    while (!LIST_EMPTY(&ls->unreached))
        forget_unreached(LIST_FIRST(&ls->unreached));
    timer_free(ls->next);
    free(ls);
}
