/* due.h - something that is due in a job, as people write it:
 *
 *   60s                         the job's end, so long after its beginning
 *   LABEL<=20ms                 a tagged call: its own length
 *   LABEL/50ms                  each exit, so long after the one before, of the
 *                               same rank
 *   A..B<=30ms                  from the first entry of A to the last exit of B
 *                               with the same marker, of all ranks
 *   LABEL@T0+k*50ms             the exits, by a clock that began at T0: start,
 *                               seconds since the epoch, or an ISO 8601 date and
 *                               time, local without a zone
 *
 * and behind it ,ranks=0-3,7 ,soft ,firm ,margin=20%. A final * of a label
 * stands for any rest. A label with one of " , < / @ in it, or two dots, is
 * written in double quotes, in which \ stands before a quote and itself. Two dots
 * are a span only where they are no more than two. */
#ifndef HECTOR_DUE_H
#define HECTOR_DUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/taskset.h"

enum due_kind {                 /* the numbers of hct_due */
    DUE_END = 1, DUE_CALL, DUE_PERIOD, DUE_SPAN, DUE_CLOCK, DUE_KINDS
};

struct due_label {
    char *text;                 /* owned; NULL: there is none */
    size_t n;
    bool prefix;                /* any rest may follow */
};

struct due {
    uint32_t number;            /* the calendar's */
    enum due_kind kind;
    bool firm;                  /* what is late is of no use any more */
    bool over;                  /* it has been taken back; the calendar's */
    bool from_start;            /* DUE_CLOCK: T0 is the job's beginning */
    bool some;                  /* of ranks only; else of all */
    uint64_t limit_ns;          /* above 0, at most DUE_LIMIT_MAX */
    uint64_t from_ns;           /* DUE_CLOCK: else T0, since the epoch */
    double margin;              /* of limit_ns is to be left: 0 to 1 */
    struct taskset ranks;       /* owned */
    struct due_label of, to;    /* to: of DUE_SPAN */
    char *text;                 /* owned: the same as it is written shortest,
                                   times since the epoch as UTC */
};

#define DUE_LIMIT_MAX (3653 * 86400 * 1000000000ull)    /* ten years */
#define DUE_MARGIN 0.2
enum { DUE_TEXT_MAX = 16384 };  /* bytes of one as it is written */

/* *d is overwritten; due_fini() after success. comments: what follows a # behind
 * a blank is none of it. -1: a sentence that names the column, and *d is
 * empty. */
int due_parse(struct due *d, const char *text, bool comments, struct err *err);
void due_fini(struct due *d);

bool due_same_label(const struct due_label *a, const struct due_label *b);
/* Is it of the same calls and ranks, in the same sense? */
bool due_alike(const struct due *a, const struct due *b);

#endif
