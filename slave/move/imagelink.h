/* imagelink.h - links to slaves where tasks come, one for each task: its image
 * goes there past the master.
 *
 * A slave connects to where the other one listens for slaves, and both prove
 * and greet as in a tree of them (slave/link/reduce_link.h is the other end).
 * Once the other one has agreed to it there are no messages any more: the image
 * is what goes through the connection (splice.h), and its end is that of the
 * image.
 *
 *   TRYING --Welcome--> OPEN --imagelink_pass, ImageCredit--> RAW
 *      |                  +--it ends, or is silent--> BROKEN <--+
 *      +--refused, no answer in time--> UNREACHED
 *
 * Of many that are opened at once some are dialled, and others wait their turn:
 * they are TRYING, too. None is opened again. A slave that is not reached is said in the log, once,
 * and not tried for some minutes: who waits for the answer is a job that
 * stands. */
#ifndef HECTOR_IMAGELINK_H
#define HECTOR_IMAGELINK_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/link/conn.h"

struct imagelinks;              /* of a slave */
struct imagelink;

struct imagelinks_conf {        /* borrowed as long as the links live */
    const struct conn_conf *conn;
    const char *name;           /* of this slave */
    uint64_t instance;
    uint64_t patience_ns;       /* for a link to be open; 0: 5 s */
    uint64_t again_ns;          /* who was not reached is tried; 0: 10 min */
};

enum imagelink_state { IMAGELINK_TRYING, IMAGELINK_OPEN, IMAGELINK_RAW,
                       IMAGELINK_BROKEN, IMAGELINK_UNREACHED };

struct imagelink_ops {          /* none may close the link */
    void (*sent)(void *arg, size_t bytes);      /* so many more */
    /* Nobody holds the pipe open for writing, and all of it was sent. */
    void (*over)(void *arg);
    /* Before that. What was sent may not have come; why: a sentence. */
    void (*broken)(void *arg, const char *why);
};

struct imagelinks *imagelinks_open(struct event_base *base,
                                   const struct imagelinks_conf *conf,
                                   struct err *err);
/* After all links were closed. NULL is fine. */
void imagelinks_close(struct imagelinks *ls);

/* To the slave of that node. One that cannot be tried is UNREACHED at once;
 * NULL: no memory. */
struct imagelink *imagelink_open(struct imagelinks *ls, const char *node,
                                 const char *addresses,
                                 const struct imagelink_ops *ops, void *arg,
                                 struct err *err);
/* An image that was not ended is cut. NULL is fine. */
void imagelink_close(struct imagelink *l);

enum imagelink_state imagelink_state(const struct imagelink *l);
/* On one that is open, once: that image is what comes out of a pipe, which does
 * not block and is borrowed until imagelink_stop(), over() or broken(). */
void imagelink_pass(struct imagelink *l, const Hct__ImageRaw *m, int pipe);
/* Nothing more of it is sent: the other end waits. */
void imagelink_stop(struct imagelink *l);
/* After over(): it was whole, and the other end is told so. */
void imagelink_end(struct imagelink *l);

#endif
