/* commtable.h - the communicators of a job during a stop: how far their members
 * have come in the last look, and how far they may go.
 *
 * A look is read task by task between commtable_begin() and commtable_end().
 * Where a communicator of a page was found the last time is remembered by its
 * place there, so the hash is asked only for those that are new. Those nobody
 * lists any more are forgotten. */
#ifndef HECTOR_COMMTABLE_H
#define HECTOR_COMMTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/move/stop_look.h"
#include "proto/base/err.h"

struct commtable_comm {
    uint64_t id;
    uint64_t target;                /* never shrinks */
    uint64_t highest, lowest;       /* entered, of those who list it */
    uint64_t ordered, order;        /* the target last ordered, in which */
    uint32_t listed, size;
    uint32_t look;                  /* the last one it was listed in */
    bool again;                     /* a page does not have the target yet */
};

struct commtable {
    struct commtable_comm *v;       /* owned */
    uint32_t n, max;
    uint32_t *slot;                 /* owned: hash to place in v, + 1 */
    uint32_t nslots;                /* a power of two */
    uint32_t *place;                /* owned: of [task][position in its page] */
    uint32_t ntasks, width;
    uint32_t look;
    /* of the last look, of communicators: */
    uint32_t open;                  /* a member has not reached the target */
    uint32_t beyond;                /* a member is beyond it */
    uint32_t torn;                  /* some members list it and some do not */
};

/* Room for tasks with up to width communicators each; all that is ever
 * allocated. */
int commtable_init(struct commtable *t, uint32_t ntasks, uint32_t width,
                   struct err *err);
void commtable_fini(struct commtable *t);

void commtable_begin(struct commtable *t);
/* Takes what the page of a task lists, up to width; returns a number that is
 * another one when it has entered something, likely. */
uint64_t commtable_read(struct commtable *t, uint32_t rank,
                        const struct stop_task *task);
/* Counts; first lets targets follow the highest number, if raise. */
void commtable_end(struct commtable *t, bool raise);

/* A communicator whose target the task has not reached, or, if torn, one that
 * some have freed: NULL if there is none. Marks those targets that the page has
 * to be told. */
const struct commtable_comm *commtable_lags(struct commtable *t, uint32_t rank,
                                            const struct stop_task *task,
                                            bool torn);

/* Is it before a collective that is beyond the target, really? If not, it has
 * been let through already and may not know yet. */
bool commtable_holds(const struct commtable *t, uint32_t rank,
                     const struct stop_task *task);
/* Lets the members of the communicator that the task is held at through the one
 * it is before. */
void commtable_push(struct commtable *t, uint32_t rank,
                    const struct stop_task *task);

#endif
