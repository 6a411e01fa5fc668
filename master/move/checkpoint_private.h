/* checkpoint_private.h - what checkpoint.c, which makes checkpoints, shares with
 * checkpoint_return.c, by which a job goes back to one. */
#ifndef HECTOR_CHECKPOINT_PRIVATE_H
#define HECTOR_CHECKPOINT_PRIVATE_H

#include "master/move/checkpoint.h"

enum { KEPT = 2 };

enum phase { IDLE, BEGINNING, STOPPING, CHECKING, COPYING, SEALING };

struct mark {                   /* number 0: there is none */
    uint32_t number;
    Hct__Checkpoint *of;        /* owned; without submit */
    uint64_t stood_ns, sealed_ns;
};

struct checkpoints {
    struct movers *all;         /* borrowed; NULL: no task has run yet */
    struct job *job;            /* borrowed */
    char *dir;                  /* owned; NULL: none are made */
    char *local;                /* owned; images are written there first, in a
                                   directory of the job; NULL: they are not */
    uint64_t rate;              /* bytes a second that a node copies; 0: at will */
    uint64_t until_ns;          /* COPYING: may take so long; monotonic */
    uint64_t every_ns;          /* 0: when somebody says so */
    uint32_t max_returns;
    struct mark last[KEPT];     /* newest first */
    uint32_t first, next;       /* numbers: its own first one, the next one */
    bool restores;              /* the tasks are made of images */
    bool store;                 /* its tasks are to end once it is sealed */

    enum phase phase;
    struct event *timer;        /* owned: the next one is due, or the work takes
                                   too long */
    uint64_t ticket;
    size_t waits;               /* nodes that have not answered */
    struct mark made;           /* not sealed yet */
    struct conn *asker;         /* borrowed, or NULL */
    uint64_t insists_ns;        /* monotonic: one that fails is tried again until then */
    uint64_t quiesce_ns, stood_ns;
    char *why;                  /* owned: for the record; or NULL */
};

void checkpoint_mark_fini(struct mark *m);
/* In the database it is "whole", or what has become of it. */
void checkpoint_note(const struct checkpoints *c, const struct mark *m,
                     const char *state);

#endif
