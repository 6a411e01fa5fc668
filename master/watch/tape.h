/* tape.h - snapshots, as small as they can be kept: of each task only what the
 * snapshot before did not let expect.
 *
 *   tape    := frame...
 *   frame   := look part...
 *   look    := 'K' words of hct_job, then as 'D' against nothing
 *            | 'D' seq now_ns detail, ranks, requests, comms, flights, and
 *              with detail of a later kind accounts, pairs; meetings
 *   part    := 'P' bit of enum hct_need, bytes that follow, as many
 *            | 'P' TAPE_ASKED, the same: set of enum hct_asked, if it is not
 *              empty, and whether no task was read
 *            | 'P' one of these and TAPE_MORE, the same: of what time it is, if it
 *              is not of all, or what there is of the last time
 *   models  := n, n times: rank, threads, at, lost, states, edges
 *   scores  := question, clusters, scores
 *   more    := n, n times: number of the model, last_ns, edges; of scores: words
 *              of hct_stretch; of TAPE_ASKED: words of hct_when; of earlier:
 *              what policies have learnt
 *   earlier := runs, steps
 *   events  := those lost so far, events; more of them: deadlines, where they
 *              stand for the first time or are others
 *   progress := question, places, runs of ranks at one place, orders
 *   ranks   := n, n times: rank, what has changed
 *   changed := mask of words of 8 bytes, the difference of each
 *
 * All numbers are little groups of seven bits, differences with their sign in
 * the lowest bit. A tape begins with 'K' and can be read from any 'K'. A part
 * stands by itself: it may be left out, and of one that is not known only the
 * length is read. What is read is bounded: a tape is a file that anybody may
 * have written. */
#ifndef HECTOR_TAPE_H
#define HECTOR_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/watch/looks.h"
#include "proto/base/str.h"

enum { TAPE_ASKED = 1 << 30,    /* no part: every policy gets it */
       TAPE_MORE = 1 << 29,
       TAPE_UNREAD = 1 << 28 }; /* with TAPE_ASKED, in the set */

struct tape {                   /* {0} is one that begins */
    struct hct_rank *last;      /* owned: of the frame before */
    uint32_t nranks;
    struct hct_deadline deadlines[HCT_DEADLINES_MAX];   /* written last */
    uint32_t ndeadlines;
    uint64_t seq, now_ns;
    bool fresh;                 /* the next frame is 'K' */
    bool begun;
};

int tape_init(struct tape *t, uint32_t nranks);
void tape_fini(struct tape *t);
void tape_cut(struct tape *t);          /* the next frame stands by itself */
/* Appended to out. Returns how many of the bytes are the look; its parts are
 * behind them. */
size_t tape_write(struct tape *t, const struct hct_snapshot *s,
                  struct str *out);

struct tape_frame {             /* one that was written, or several */
    const void *p;              /* borrowed */
    size_t bytes, look_bytes;   /* behind the look are its parts; of several
                                   frames both are the same */
    uint32_t parts;             /* enum hct_need: that its look has; of several
                                   any */
    uint32_t asked;             /* enum hct_asked, the same */
};
/* Appends it to out without those parts that are not in the set. */
void tape_copy(const struct tape_frame *f, uint32_t parts, struct str *out);

/* The next frame of a tape, into l, which is made at the first 'K' (fill it
 * with {0}). 1: *out is a snapshot; 0: the tape is at its end; -1: damaged. */
struct tape_reader {
    const uint8_t *p, *end;     /* borrowed */
    struct looks looks;         /* owned: looks_fini() */
    bool known;                 /* looks is made */
};
int tape_read(struct tape_reader *r, struct hct_snapshot *out,
              struct err *err);

/* The last sound frame of a piece of a tape, into a reader that is {0}. False:
 * there is none. */
bool tape_last(struct tape_reader *r, const void *piece, size_t bytes,
               struct hct_snapshot *out);

#endif
