/* window.h - the model of a stretch of time: what the model of a task is now,
 * less what it was when that began.
 *
 * A task only counts, from its start on. Number, mean and sum of squared
 * deviations of a part can be taken away again: Chan, Golub and LeVeque,
 * Updating formulae and a pairwise algorithm for computing sample variances,
 * 1979, (2.1) backwards. So readings are kept, of 64 bytes an edge, a few of
 * each task: the last two, so that the older one of these is from one to two
 * times window_ns ago, and earlier ones, the further apart the longer they are
 * ago: for any time there is one that is not much older or younger. What has no
 * such difference is not there: histograms, and the longest times. Phases are
 * taken together, as a page does with old ones.
 *
 * Numbers are as well conditioned as the stretch is a part of the whole: of one
 * in a million of all steps the mean is right to about 1e-10 of the mean of all,
 * the sum of squares to as much of that of all. */
#ifndef HECTOR_WINDOW_H
#define HECTOR_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/page/state.h"
#include "slave/proc/delay.h"

enum window_what {              /* as in ModelAsk of hct.proto */
    WINDOW_START,               /* all since the task began */
    WINDOW_PHASE,               /* since its phase did: that has a bank */
    WINDOW_LAST,                /* the last minutes */
    WINDOWS
};

extern const uint64_t window_ns;
enum { WINDOW_EDGES = 8192 };   /* of a reading, at most: 512 kB */

struct window_sample { double mean, m2; };
struct window_edge {
    uint32_t slot, ends;        /* of the thread; from << 16 | to */
    uint64_t n;
    struct window_sample in, out, bytes;        /* ticks, ticks, bytes */
};

/* Take away what was there before. False: that is no part of it; nothing is
 * changed then. n is 0 if nothing is left. */
bool window_less(struct window_edge *whole, const struct window_edge *before);

struct window {                 /* {0} is empty */
    struct window_edge *edge;   /* owned; by slot and ends, once it is ended */
    size_t n, cap;
    uint64_t at_ns;             /* when it was read */
    uint64_t began_ticks;       /* of which page; 0: of none */
    uint64_t damaged;           /* edges that make no sense */
    uint64_t lost;              /* that found no room */
    struct delay delay;         /* what the process had had by then; of those that are
                                   kept */
};
void window_fini(struct window *w);

/* All threads of a page, by way of one. False: it is just changing, or there is
 * no memory. */
bool window_read(struct window *w, struct state_model *one, const char *page,
                 uint64_t now_ns);
/* Becomes the stretch from before to itself. */
void window_since(struct window *w, const struct window *before);
/* The edges of that thread: where, and how many. */
size_t window_of_slot(const struct window *w, uint32_t slot,
                      const struct window_edge **first);

/* What is kept of a task. */
enum { WINDOWS_KEPT = 5 };
struct windows {
    struct window kept[WINDOWS_KEPT];   /* n of one page, the oldest first */
    unsigned n;
    uint64_t began_ns, last_ns; /* of the first call; when the last was due */
};
void windows_free(struct windows *k);           /* NULL is fine */
/* A new reading is taken, if the last one is window_ns ago; if need be in the
 * place of one that is missed the least. The first call only looks at the clock.
 * *k is made if need be. */
void windows_tick(struct windows **k, const char *page, pid_t pid,
                  uint64_t now_ns);
/* The last but one of this page, or the last; NULL: there is none, so it is all
 * since the start. */
const struct window *windows_before(const struct windows *k, const char *page);
/* That whose age is nearest to ago_ns, as a ratio; NULL: it is the start of the
 * page, age_ns ago. */
const struct window *windows_from(const struct windows *k, const char *page,
                                  uint64_t now_ns, uint64_t ago_ns,
                                  uint64_t age_ns);

#endif
