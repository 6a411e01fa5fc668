/* checkpoint.h - the checkpoints of a job: all of its tasks as images in files,
 * from which all of them can be made again.
 *
 *   begin   directories are made on all nodes (hector-keep)
 *   stop    the tasks are brought to stand, write their images, and go on: a
 *           move in which nobody moves (mover.h)
 *   check   the images are read again; or, where they are on local disks first,
 *           copied, while the tasks run, and the copies are read
 *   seal    it is a checkpoint from now on; all but the last two are removed
 *
 * Whatever goes wrong, the tasks go on, and what was there before is there; what
 * there is of the new one is removed, as it is when the job ends meanwhile. The
 * last two are known, since an image may turn out to be damaged only when a task
 * is to be made of it. Hung on the job (job->checkpoints). */
#ifndef HECTOR_CHECKPOINT_H
#define HECTOR_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/move/mover.h"
#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

struct checkpoints;

struct checkpoint_order {       /* all borrowed */
    uint64_t quiesce_ns;        /* as in mover_order */
    const char *why;            /* for the record */
    struct conn *asker;         /* hears of each step; or NULL */
    bool store;                 /* its tasks end then, see job_state.h */
    uint64_t until_ns;          /* monotonic: it is tried again until then; 0: not */
};

/* What the job wishes for, by its Submit: once, before it has a number. -1: that
 * cannot be, or there is no memory. */
int checkpoint_wish(struct job *j, const Hct__Submit *s, struct err *err);
void checkpoint_free(struct job *j);    /* part of flow_free_job() */

/* The tasks run: those that come by the clock are begun in time; all: of the
 * master. Or they do not any more: nothing is begun. */
void checkpoint_start(struct movers *all, struct job *j);
void checkpoint_stop(struct job *j, const char *why);
/* A master that was started anew: the one before may have begun the next one. */
void checkpoint_take_up(struct movers *all, struct job *j);

/* Make one. -1 with a sentence: it cannot be. */
int checkpoint_order(struct movers *all, struct job *j,
                     const struct checkpoint_order *o, struct err *err);
/* That link is gone. */
void checkpoint_forget(struct job *j, const struct conn *asker);

/* Words of slaves, and that one has gone. */
void checkpoint_kept(struct job *j, struct job_node *jn, const Hct__Kept *m);
void checkpoint_node_away(struct job *j, const struct job_node *jn);

/* One is being made, be it that its tasks go on already. */
bool checkpoint_works(const struct job *j);

/* Its tasks are ended since it is to be stored; or, once it has nodes again, no
 * more. */
bool checkpoint_stores(const struct job *j);
void checkpoint_resume(struct job *j);

/* Is there one that its tasks can go back to, once more (job->attempt)? They
 * do. */
bool checkpoint_may_return(const struct job *j);
void checkpoint_return(struct job *j);
/* An image of the last one is no good: is there an older one? */
bool checkpoint_spoiled(struct job *j);

/* The tasks have ended, as was wished (checkpoint_stores). */
void checkpoint_stored(struct job *j);

/* Its tasks are made of images: those of the last one. */
bool checkpoint_restores(const struct job *j);
/* "checkpoint 3 of 12:04:05 in /data/run7" */
void checkpoint_text(const struct job *j, struct str *to);
/* Fill p->restore and p->arrivals for this node, until checkpoint_unfill(). -1:
 * no memory. */
int checkpoint_fill(const struct job *j, const struct job_node *jn,
                    Hct__Prepare *p, struct err *err);
void checkpoint_unfill(Hct__Prepare *p);
/* A later master: that one was made. -1: it makes no sense. */
struct store_checkpoint;
int checkpoint_known(struct job *j, const struct store_checkpoint *row);
/* The serial of the namespace that the tasks of the last one ask for. */
uint32_t checkpoint_serial(const struct job *j);

#endif
