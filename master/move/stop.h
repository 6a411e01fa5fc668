/* stop.h - brings a running MPI job to stand at a moment at which it can be
 * taken apart and put together again: no collective half entered, no message
 * under way, no request unfinished but receives.
 *
 * A pure function: what it answers to a look follows from the looks before, and
 * time is in them. Whoever has it reads the pages, calls stop_step(), does what
 * it orders, and reads the pages again, at wake_ns at the latest. Orders are
 * done in the order they are given: the word and the targets of a page first
 * (at once, as far as others can see), then the signal.
 *
 * In the end all goes on undisturbed (given up, with the reason), or stands
 * (stopped) until the word in the pages is STOP_WANT_RUN, which is not this
 * function's to say. To break it off, say that, and destroy it. The next stop
 * begins when no page has anything of this one any more, and nobody stands.
 * States: stop_state.h. What it builds on: stop_look.h. */
#ifndef HECTOR_STOP_H
#define HECTOR_STOP_H

#include "master/move/stop_look.h"
#include "master/move/stop_state.h"
#include "master/move/stop_why.h"
#include "proto/base/err.h"

struct stop_options {           /* 0: the one in brackets */
    uint64_t limit_ns;          /* for the whole [10 s] */
    uint64_t still_ns;          /* so long nothing moves, before somebody is
                                   let through for another's sake [2 ms] */
    uint64_t patience_ns;       /* the same where others move, or one polls
                                   [100 ms] */
    uint64_t freeze_ns;         /* for all to stand still, the first time; each
                                   further one has twice of it [50 ms] */
    uint64_t signal_ns;         /* between the first signal and the second; then
                                   twice of it each, to a tenth of freeze_ns
                                   [0.5 ms] */
};

struct stop_raise {             /* "enter no more than number", to all members
                                   of a communicator; never less than before */
    uint64_t comm, number;
};

struct stop_orders {
    uint64_t number;            /* grows with every order for pages; which one a
                                   page has is told with its look */
    enum stop_state state;
    enum stop_want want;        /* in every page */
    const struct stop_raise *raises;    /* borrowed, like what follows, until
                                           the next step */
    uint32_t nraises;
    const uint32_t *signals;    /* ranks to be interrupted now */
    uint32_t nsignals;
    uint64_t wake_ns;           /* 0: it is over */
    struct stop_why why;        /* GIVEN_UP */
    uint32_t retreats;          /* how often all had to go on */
    uint32_t pushed, tried;     /* collectives let through beyond those begun:
                                   by waits that are known; one after another */
};

struct stop;

/* For a job of ntasks, each with up to width communicators. All memory is
 * taken here. NULL: there is none. */
struct stop *stop_create(uint32_t ntasks, uint32_t width,
                         const struct stop_options *options, struct err *err);
void stop_destroy(struct stop *s);

/* The stop begins with the first look. After the end nothing changes. */
const struct stop_orders *stop_step(struct stop *s, const struct stop_look *in);

#endif
