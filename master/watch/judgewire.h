/* judgewire.h - what goes between hector-judge and whoever started it. Both are
 * of one build and on one host: structs cross as they are.
 *
 *   hector-judge has three files open from the start: a stream, the tape, and
 *   what it keeps. On the stream
 *
 *     asks     OPENED or REFUSED, once
 *     shows    struct judgewire_show: so many bytes of the tape are in its file,
 *              from the beginning, and stay there until
 *     answers  FOUND for each step that found something, STEPPING now and then
 *              if it takes long, then DONE; or REFUSED
 *
 *   An optimizer is shown systems (systembytes.h) in place of a tape, and answers
 *   PLAN to each.
 *
 *   An answer is struct judgewire_head and so many bytes. Nothing is shown before
 *   the last answer was DONE. Kept is the state of the policy after a step, for
 *   the process that may come after this one (kept.h). The end of the stream ends
 *   the process. */
#ifndef HECTOR_JUDGEWIRE_H
#define HECTOR_JUDGEWIRE_H

#include <stdint.h>

enum { JUDGEWIRE_STREAM = 3, JUDGEWIRE_TAPE = 4, JUDGEWIRE_KEPT = 5 };

struct judgewire_show {
    uint64_t bytes;             /* whole frames; the first is 'K' if this is the
                                   first, or if some were left out */
    uint64_t quiet;             /* up to here it is only to learn: what it finds
                                   is known */
    uint64_t passed;            /* from there to here nothing is stepped: it was
                                   busy when these came */
};

enum judgewire_kind {
    JUDGEWIRE_OPENED = 1,       /* struct judgewire_opened */
    JUDGEWIRE_REFUSED,          /* a sentence: it is not to be asked again */
    JUDGEWIRE_STEPPING,         /* nothing: another step has ended */
    JUDGEWIRE_FOUND,            /* found_pack() */
    JUDGEWIRE_DONE,             /* struct judgewire_done, ranks, a question */
    JUDGEWIRE_PLAN,             /* of an optimizer, to each system that it is
                                   shown: struct judgewire_plan, steps */
};

struct judgewire_plan {
    uint64_t lost;              /* as in struct hct_plan, like the next two */
    uint32_t nsteps, steps_max;
    int32_t rc;                 /* of its function */
    uint32_t greedy;            /* it wants more memory than it gets */
};

struct judgewire_head {
    uint32_t kind, bytes;       /* bytes that follow */
};

struct judgewire_opened {
    uint32_t needs, may_need;   /* sets of enum hct_need: looks without the
                                   first are none for it, and parts that are in
                                   neither are not shown to it */
    uint32_t hears;             /* set of enum hct_asked: looks that it sees,
                                   whenever it is to be asked again */
};

struct judgewire_done {
    uint64_t wake_ns;           /* not to be asked before; of the snapshots */
    uint64_t missed;            /* of the passed ones, that it had asked for */
    uint64_t seen;              /* looks that it was asked about */
    uint32_t need;              /* enum hct_need, of all its steps */
    uint32_t off;               /* it is not to be asked any more */
    uint32_t nsample;           /* with HCT_NEED_MODEL: so many ranks follow,
                                   uint32_t each; 0: of all */
    uint32_t nquestion;         /* with one of LOOKS_ANSWERS: and so many
                                   bytes */
    uint64_t last_ns;           /* with HCT_NEED_MODEL: as in hct_out */
};

#endif
