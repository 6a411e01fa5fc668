/* stacker.h - takes the stacks of processes of this node, several times if
 * wanted, and gives back their merged call tree.
 *
 * Requests are served one after the other (but for slices: these are read while
 * the next one is served), and never block the loop: a
 * process that does not stop, stops for good, is traced by a debugger, ends or
 * becomes another program costs a sentence in the result, not time. One
 * stacker in a process. */
#ifndef HECTOR_STACKER_H
#define HECTOR_STACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "slave/launch/launch.h"

enum {
    STACKER_TASKS_MAX = 65536,
    STACKER_SAMPLES_MAX = 1000,
    STACKER_NOTE = 120,
};

/* The page that a task has now, or NULL. */
typedef char *stacker_page_f(void *arg, uint32_t position);

/* Where a place of it is: up to max addresses, innermost first; how many. */
typedef uint32_t stacker_place_f(void *arg, uint32_t position, uint64_t *pc,
                                 uint32_t max);

/* What is to be said besides of a task whose slice is made, or in place of that;
 * false: nothing. */
struct unwinder_remark;
typedef bool stacker_remark_f(void *arg, uint32_t position,
                              struct unwinder_remark *to);

struct stacker_conf {
    const pid_t *pids;          /* 0: it has ended before; -1: it is not to
                                   be looked at; borrowed during the call */
    uint32_t ntasks, nsamples;
    uint64_t interval_ns;
    bool lines, threads;
    bool offsets;               /* as in unwinder.h */
    bool keep;                  /* somebody may ask again soon: the child that
                                   makes the tree is kept some seconds for who
                                   has the same user */
    const struct launch_user *user;     /* as in unwinder.h; borrowed during
                                           the call */
    stacker_page_f *page_of;    /* NULL: there are no pages; called with the
                                   arg of done() */
    stacker_place_f *place_of;  /* the tree is made of these: no task is
                                   stopped; NULL: of stacks; called like
                                   page_of */
    bool slice;                 /* the tree is made of the lines that decide
                                   that they are there: slicerows.h */
    stacker_remark_f *remark_of;        /* of a slice; NULL: nothing; called
                                           like page_of */
    bool unwritten;             /* the tree is made of what they have printed and
                                   not written, in frames of the module
                                   "stdout": no task is stopped */
};

struct stacker_result {
    const uint8_t *tree;        /* packed; positions are those of pids[] */
    size_t bytes;
    const char *notes;          /* lines about files */
    const char (*task_notes)[STACKER_NOTE];     /* "" or a sentence a task */
    uint32_t copies, asked;     /* stacks that were taken by ptrace; by the
                                   tasks themselves */
    uint64_t held_p50_ns, held_p99_ns;  /* how long a thread was stopped */
    uint64_t total_p50_ns, total_p99_ns;        /* since it was asked to */
};

typedef void stacker_done_f(void *arg, const struct stacker_result *r,
                            const struct err *why);

struct stacker;
struct stacker *stacker_open(struct event_base *base, struct err *err);
void stacker_close(struct stacker *st);         /* NULL is fine; done is not
                                                   called any more */

/* From now on the tasks themselves are asked for their stacks; who looks so
 * often that this would disturb them does not. NULL is fine. */
void stacker_use_no_ptrace(struct stacker *st);
bool stacker_uses_ptrace(const struct stacker *st);

/* done() comes once, from the loop; without a tree why is set. */
int stacker_take(struct stacker *st, const struct stacker_conf *conf,
                 stacker_done_f *done, void *arg, struct err *err);

/* The loop is awake for something else: a sample that is due is taken now. */
void stacker_tick(struct stacker *st);          /* NULL is fine, both */
/* When that would be good next: in ns; UINT64_MAX: there is no need. */
uint64_t stacker_due(const struct stacker *st);

/* The child that makes a tree just now, 0: none. It outlives the tasks that it
 * reads about. */
pid_t stacker_child(const struct stacker *st);
/* The same, of the slice that was begun first. */
pid_t stacker_slices(const struct stacker *st);

/* Nobody will ask again soon: no child is kept. NULL is fine. */
void stacker_rest(struct stacker *st);

/* What proc/reap.c has seen. */
void stacker_stopped(struct stacker *st, pid_t tid, int status);

/* The answer with this arg is not wanted any more. */
void stacker_cancel(struct stacker *st, const void *arg);

#endif
