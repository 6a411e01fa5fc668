/* moverank.h - what is known of a task while its job is moved: what its page
 * says, as a stop needs it, and how far it has come in a swap. */
#ifndef HECTOR_MOVERANK_H
#define HECTOR_MOVERANK_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/move/stop_look.h"
#include "proto/base/err.h"

/* As enum page_swap of page.h has them. */
enum moverank_swap {
    MOVERANK_NONE, MOVERANK_DOWN, MOVERANK_UP, MOVERANK_FAILED
};

struct moverank {               /* {0}: nothing is known */
    bool roomed;                /* memory for it is there, or will not be */
    bool heard;
    struct stop_task task;      /* comms owned */
    struct stop_comm *comms;
    uint32_t cap;
    bool able, refuses;
    char why[256];
    enum moverank_swap swap;
    uint32_t generation;
    bool left, came;            /* of one that moves: see TaskMoved */
    bool stays;                 /* there is no image of it */
    bool unread;                /* ... as nobody reads it, and why was not said */
    uint32_t pid;
    uint8_t *said;              /* owned: TaskMoved of one that has left, packed */
    size_t said_bytes;
};

/* -1: it makes no sense, or there is no memory. */
int moverank_take(struct moverank *k, const Hct__StopLook__Task *m,
                  uint32_t ntasks, struct err *err);
/* What was known of it where it was, for where it is to be. */
int moverank_leave(struct moverank *k, const Hct__TaskMoved *m, struct err *err);
void moverank_fini(struct moverank *k);

#endif
