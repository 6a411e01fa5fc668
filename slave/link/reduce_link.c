/* reduce_link.c - links between slaves. Who connects here is called a parent, also
 * a slave whose tasks come here.
 *
 * Invariant: a child's link is in the list as long as it has a conn or a
 * user; one without a conn is never given to another user. */
#include "slave/link/reduce_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "proto/base/log.h"
#include "proto/link/addr.h"
#include "proto/link/greeting.h"

enum { LINKS_IDLE = 256, ADDRESSES_MAX = ADDR_LIST_MAX };

struct reduce_link {
    LIST_ENTRY(reduce_link) place;
    struct reduce_links *all;           /* borrowed */
    struct conn *conn;                  /* owned; NULL when lost */
    char *addresses;                    /* owned; NULL: of a parent */
    char *from;                         /* owned; of a parent: its node */
    uint64_t job;                       /* of a parent: it is to be the image of
                                           a task of that; 0: it is not */
    unsigned users;
};

struct reduce_links {
    struct event_base *base;            /* borrowed, like the next two */
    const struct reduce_links_conf *conf;
    const struct reduce_links_ops *ops;
    void *arg;
    struct conn_listener *listener;     /* owned */
    LIST_HEAD(, reduce_link) parents, children; /* owned */
    char addresses[ADDRESSES_MAX];
    char path[ADDR_TEXT_MAX];           /* of the Unix socket, "" */
};

static void link_free(struct reduce_link *l)
{
    LIST_REMOVE(l, place);
    conn_close(l->conn);
    free(l->addresses);
    free(l->from);
    free(l);
}

/* ----------------------------------------------------------------- parents */

/* It is nobody's parent, or not any more. l is gone. */
static int parent_refuse(struct reduce_link *l, const struct err *why)
{
    greeting_refuse(l->conn, "reduce", why);
    l->conn = NULL;
    link_free(l);
    return 0;
}

static int on_hello(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct reduce_link *l = arg;
    const Hct__Hello *m = msg;
    Hct__Welcome w = HCT__WELCOME__INIT;

    if (greeting_check(c, m, "slave", err))
        return parent_refuse(l, err);
    if (!(l->from = strdup(m->name)))
        return err_memory(err);
    if (m->role != HCT__ROLE__ROLE_SLAVE) {
        err_set(err, EACCES, "%s wants to be above this slave, with role %d",
                m->name, (int)m->role);
        return parent_refuse(l, err);
    }
    w.role = HCT__ROLE__ROLE_SLAVE;
    w.name = (char *)l->all->conf->name;
    w.instance = l->all->conf->instance;
    greeting_welcome(c, HCT__ROLE__ROLE_SLAVE, &w);
    return 0;
}

static int on_reduce(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct reduce_link *l = arg;

    (void)c;
    return l->all->ops->begin(l->all->arg, l, msg, err);
}

static int on_reduce_end(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    struct reduce_link *l = arg;

    (void)c, (void)err;
    return l->all->ops->end(l->all->arg, l, msg);
}

static void tell_lost(struct reduce_link *l, const struct err *why)
{
    const struct reduce_links *ls = l->all;

    if (l->job)
        ls->conf->images->lost(ls->conf->images_arg, l, l->job, why);
    ls->ops->parent_lost(ls->arg, l, why);
}

static int take_image(struct reduce_link *l, const Hct__ImageRaw *m,
                      struct err *err)
{
    const struct reduce_links_conf *conf = l->all->conf;

    if (!conf->images || !m->job)
        return err_set(err, ENOTSUP, "no tasks come here");
    if (conf->images->take(conf->images_arg, l, m, err))
        return -1;
    l->job = m->job;
    return 0;
}

/* It is no link of slaves any more. */
static void on_raw(void *arg, int fd, struct seal *seal)
{
    struct reduce_link *l = arg;
    const struct reduce_links *ls = l->all;
    struct err why;

    l->conn = NULL;
    ls->conf->images->raw(ls->conf->images_arg, l, l->job, fd,
                          seal);
    err_set(&why, ECONNRESET, "the link from %.100s is an image now", l->from);
    ls->ops->parent_lost(ls->arg, l, &why);
    link_free(l);
}

static int on_image_raw(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct reduce_link *l = arg;
    const Hct__ImageRaw *m = msg;
    Hct__ImageCredit go = HCT__IMAGE_CREDIT__INIT;

    if (take_image(l, m, err)) {
        tell_lost(l, err);
        return parent_refuse(l, err);
    }
    go.job = m->job;
    go.rank = m->rank;
    go.serial = m->serial;
    conn_send(c, MESSAGE_IMAGE_CREDIT, &go);
    conn_detach(c, on_raw);
    return 0;
}

static void on_parent_open(void *arg, struct conn *c)
{
    struct reduce_links *ls = arg;
    struct reduce_link *l = calloc(1, sizeof(*l));

    if (!l) {
        conn_close(c);
        return;
    }
    l->all = ls;
    l->conn = c;
    LIST_INSERT_HEAD(&ls->parents, l, place);
    conn_set_arg(c, l);
}

static void on_parent_close(void *arg, struct conn *c, const struct err *why)
{
    struct reduce_link *l = arg;

    log_debug("reduce", "the slave above at %s left: %s", conn_peer(c),
              why->text);
    l->conn = NULL;
    tell_lost(l, why);
    link_free(l);
}

static const struct conn_route parent_routes[] = {
    { MESSAGE_HELLO, CONN_STRANGER, on_hello },
    MESSAGES_ABOVE_TO_BELOW(CONN_ROUTE)
    MESSAGES_SOURCE_TO_TARGET(CONN_ROUTE)
};
static const struct conn_ops parent_ops = {
    .routes = parent_routes,
    .nroutes = sizeof(parent_routes) / sizeof(parent_routes[0]),
    .on_open = on_parent_open, .on_close = on_parent_close,
};

/* ---------------------------------------------------------------- children */

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    (void)arg;
    return greeting_welcomed(c, msg, HCT__ROLE__ROLE_SLAVE, err);
}

static int on_reduce_part(void *arg, struct conn *c, const void *msg,
                          struct err *err)
{
    struct reduce_link *l = arg;

    (void)c;
    return l->all->ops->part(l->all->arg, l, msg, err);
}

static void on_child_open(void *arg, struct conn *c)
{
    (void)arg, (void)c;                 /* our Hello waits in its queue */
}

static void on_child_close(void *arg, struct conn *c, const struct err *why)
{
    struct reduce_link *l = arg;

    (void)c;
    l->conn = NULL;
    l->users++;
    l->all->ops->child_lost(l->all->arg, l, why);
    reduce_link_put(l);
}

static const struct conn_route child_routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },
    MESSAGES_BELOW_TO_ABOVE(CONN_ROUTE)
};
static const struct conn_ops child_ops = {
    .routes = child_routes,
    .nroutes = sizeof(child_routes) / sizeof(child_routes[0]),
    .on_open = on_child_open, .on_close = on_child_close,
};

static void say_hello(struct reduce_links *ls, struct conn *c)
{
    Hct__Hello m = HCT__HELLO__INIT;

    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)ls->conf->name;
    m.instance = ls->conf->instance;
    greeting_hello(c, &m);
}

struct reduce_link *reduce_link_take(struct reduce_links *ls,
                                     const char *addresses, struct err *err)
{
    struct reduce_link *l;

    LIST_FOREACH(l, &ls->children, place)
        if (l->conn && strcmp(l->addresses, addresses) == 0)
            return l->users++, l;
    l = calloc(1, sizeof(*l));
    if (!l || !(l->addresses = strdup(addresses))) {
        err_memory(err);
        return free(l), NULL;
    }
    LIST_INSERT_HEAD(&ls->children, l, place);
    l->all = ls;
    l->users = 1;
    l->conn = conn_open_to(ls->base, addresses, ls->conf->conn, &child_ops,
                           l, err);
    if (!l->conn)
        return link_free(l), NULL;
    say_hello(ls, l->conn);
    return l;
}

void reduce_link_put(struct reduce_link *l)
{
    const struct reduce_link *x;
    unsigned idle = 0;

    if (!l || --l->users)
        return;
    LIST_FOREACH(x, &l->all->children, place)
        idle += x->users == 0;
    if (l->conn && idle <= LINKS_IDLE)
        return;
    link_free(l);
}

int reduce_link_send(struct reduce_link *l, enum message_type type,
                     const void *msg)
{
    return l->conn ? conn_send(l->conn, type, msg) : -1;
}

const char *reduce_link_from(const struct reduce_link *l)
{
    return l->from ? l->from : "";
}

/* --------------------------------------------------------------- listening */

static int start_listening(struct reduce_links *ls, struct err *err)
{
    struct addr a = { .is_unix = !ls->conf->tcp };
    int fd, n;

    n = snprintf(a.host, sizeof(a.host), ls->conf->tcp ? "*" : "%s/reduce",
                 ls->conf->dir);
    if (n >= (int)sizeof(a.host))
        return err_set(err, ENAMETOOLONG, "%s is too long", ls->conf->dir);
    fd = addr_listen(&a, err);
    if (fd < 0)
        return -1;
    ls->listener = conn_listen_fd(ls->base, fd, ls->conf->conn, &parent_ops,
                                  ls, err);
    if (!ls->listener)
        return -1;
    if (ls->conf->tcp)
        return addr_list_local(a.port, ls->addresses, sizeof(ls->addresses),
                               err) < 0 ? -1 : 0;
    memcpy(ls->path, a.host, sizeof(a.host));
    addr_format(&a, ls->addresses, sizeof(ls->addresses));
    return 0;
}

struct reduce_links *reduce_links_open(struct event_base *base,
                                       const struct reduce_links_conf *conf,
                                       const struct reduce_links_ops *ops,
                                       void *arg, struct err *err)
{
    struct reduce_links *ls = calloc(1, sizeof(*ls));

    if (!ls)
        return err_memory(err), NULL;
    ls->base = base;
    ls->conf = conf;
    ls->ops = ops;
    ls->arg = arg;
    if (start_listening(ls, err))
        return reduce_links_close(ls), NULL;
    return ls;
}

void reduce_links_close(struct reduce_links *ls)
{
    if (!ls)
        return;
    conn_listener_close(ls->listener);
    while (!LIST_EMPTY(&ls->parents))
        link_free(LIST_FIRST(&ls->parents));
    while (!LIST_EMPTY(&ls->children))
        link_free(LIST_FIRST(&ls->children));
    if (*ls->path)
        remove(ls->path);
    free(ls);
}

const char *reduce_links_addresses(const struct reduce_links *ls)
{
    return ls->addresses;
}
