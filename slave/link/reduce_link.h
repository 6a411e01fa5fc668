/* reduce_link.h - links between slaves: to the children of a reduction tree,
 * from the parents, and from those whose tasks come here with their images, one
 * for each (slave/move/imagelink.h is the other end).
 *
 * A parent connects to its child as a slave does to the master: with the proof
 * of the key over TCP, with the uid on a Unix socket; it says Hello as a slave
 * and is welcomed. Links stay for the next reduction. */
#ifndef HECTOR_REDUCE_LINK_H
#define HECTOR_REDUCE_LINK_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/link/conn.h"

struct reduce_links;
struct reduce_link;

/* Who takes the images of tasks that come here. */
struct reduce_images {
    /* The link is to be the image. -1: of none that is waited for; the slave is
     * sent away with err. 0: there is one call of the next two. */
    int (*take)(void *arg, struct reduce_link *l, const Hct__ImageRaw *m,
                struct err *err);
    /* The link is gone when these return: its socket, which does not block and
     * is the callee's, like its seal (NULL: it needs none), is the image of a task
     * of that job; or it is broken. */
    void (*raw)(void *arg, struct reduce_link *l, uint64_t job, int fd,
                struct seal *seal);
    void (*lost)(void *arg, struct reduce_link *l, uint64_t job,
                 const struct err *why);
};

struct reduce_links_conf {      /* borrowed as long as the links live */
    const struct conn_conf *conn;
    const char *name;           /* of this slave */
    uint64_t instance;
    const char *dir;            /* for the Unix socket */
    bool tcp;                   /* listen on TCP, not on a Unix socket */
    const struct reduce_images *images;     /* NULL: no task comes here */
    void *images_arg;
};

struct reduce_links_ops {
    /* From a parent. */
    int (*begin)(void *arg, struct reduce_link *l, const Hct__Reduce *m,
                 struct err *err);
    int (*end)(void *arg, struct reduce_link *l, const Hct__ReduceEnd *m);
    /* From a child. */
    int (*part)(void *arg, struct reduce_link *l, const Hct__ReducePart *m,
                struct err *err);
    /* The link is gone when this returns; of a child, when it was put. */
    void (*parent_lost)(void *arg, struct reduce_link *l,
                        const struct err *why);
    void (*child_lost)(void *arg, struct reduce_link *l,
                       const struct err *why);
};

struct reduce_links *reduce_links_open(struct event_base *base,
                                       const struct reduce_links_conf *conf,
                                       const struct reduce_links_ops *ops,
                                       void *arg, struct err *err);
void reduce_links_close(struct reduce_links *ls);       /* NULL is fine */

/* Where parents find us. */
const char *reduce_links_addresses(const struct reduce_links *ls);

/* The link to a child, opened if there is none yet. Each take is put back. */
struct reduce_link *reduce_link_take(struct reduce_links *ls,
                                     const char *addresses, struct err *err);
void reduce_link_put(struct reduce_link *l);            /* NULL is fine */

int reduce_link_send(struct reduce_link *l, enum message_type type,
                     const void *msg);

/* The node whose slave has opened it, as that says; "" of a child. */
const char *reduce_link_from(const struct reduce_link *l);

#endif
