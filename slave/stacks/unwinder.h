/* unwinder.h - a child process that makes a call tree of copied stacks.
 *
 * Reading other people's binaries may take long, wait for a file server, or
 * meet a file made to break the reader. So the slave only copies stacks; the
 * unwinder, a fork of it with nothing open and the rights of the job's user,
 * unwinds them, finds the names, builds the tree and ends. Whatever becomes of
 * it, the slave's loop never waits.
 *
 *     start, then for each task maps before copies, then end -> done
 *
 * Where it is used again, the maps of a position hold until others come. */
#ifndef HECTOR_UNWINDER_H
#define HECTOR_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <event2/event.h>

#include "mpi-wrappers/page.h"
#include "proto/base/err.h"
#include "slave/launch/launch.h"
#include "slave/stacks/halt.h"

struct unwinder_conf {
    struct event_base *base;
    const struct launch_user *user;     /* borrowed during start; or NULL */
    uint32_t ntasks, nsamples;
    bool lines;                 /* frames have files and lines */
    bool offsets;               /* frames have their places in the files, also
                                   where there are names */
    bool slice;                 /* not stacks, but what decides them: slicerows.h */
    uint64_t timeout_ns;        /* for the tree, after the end */
    bool keep;                  /* it may be used again within some seconds:
                                   what it has read of the binaries is known
                                   then */
};

struct unwinder_result {
    const uint8_t *tree;        /* a packed prefixtree over ntasks */
    size_t bytes;
    const char *notes;          /* lines for a person, each with its \n */
    const uint32_t *traces;     /* of each task; less than its copies if a
                                   stack could not be read */
};

/* Called once, from the loop; why is set when there is no tree. The unwinder
 * still has to be stopped. */
typedef void unwinder_done_f(void *arg, const struct unwinder_result *r,
                             const struct err *why);

struct unwinder;
struct unwinder *unwinder_start(const struct unwinder_conf *conf,
                                unwinder_done_f *done, void *arg,
                                struct err *err);
/* For the next tree: old, which was to be kept and is done, if it serves; else
 * a new one, and old is stopped. NULL is fine. */
struct unwinder *unwinder_reuse(struct unwinder *old,
                                const struct unwinder_conf *conf,
                                unwinder_done_f *done, void *arg,
                                struct err *err);
void unwinder_stop(struct unwinder *s);     /* also before done; NULL is fine */

/* Of the child. NULL is fine: 0. */
pid_t unwinder_pid(const struct unwinder *s);

/* What is mapped in a task's process from now on. */
void unwinder_maps(struct unwinder *s, uint32_t position, pid_t pid,
                   const char *text, size_t n);
/* Pieces are gathered, so that the unwinder does not wake up for each. One
 * that is cut, whose outer frames have to be read from the process while they
 * are there, is sent at once. */
void unwinder_copy(struct unwinder *s, uint32_t position, uint32_t sample,
                   const struct halt_copy *copy, bool cut);
void unwinder_addresses(struct unwinder *s, uint32_t position, uint32_t sample,
                        const uint64_t *pc, uint32_t n);
/* What is to be said besides of a task of which a slice is made: as its second
 * line; or, alone, as the only one. */
enum { UNWINDER_LATELY = 6 };
struct unwinder_remark {
    uint64_t awaits;            /* slicerows.h */
    uint32_t alone, nframes, nloaded, nlately,
             ntheirs;
    uint64_t pc[PAGE_FRAMES];   /* the place; nframes 0: there is none */
    char text[200];             /* the reason; "": there is nothing to be said */
    uint64_t lately[UNWINDER_LATELY];   /* where its last calls have returned to,
                                   the last one first; */
    uint64_t theirs[UNWINDER_LATELY];   /* the same of those that it may wait for,
                                   as if they were its own */
    struct unwinder_loaded {    /* what the task has loaded, as far as it has told */
        uint64_t start;
        uint32_t id_bytes;
        uint8_t id[36];         /* build id */
    } loaded[PAGE_MODULES];
};
void unwinder_remark(struct unwinder *s, uint32_t position, uint32_t sample,
                     const struct unwinder_remark *r);
/* What the task has printed and not written: one frame (unwritten.h). */
void unwinder_unwritten(struct unwinder *s, uint32_t position, uint32_t sample);
void unwinder_end(struct unwinder *s);

/* Bytes that it has not read yet. */
size_t unwinder_backlog(const struct unwinder *s);

#endif
