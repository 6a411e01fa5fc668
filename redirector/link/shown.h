/* shown.h - what of a task's standard output, or error, was shown already, when
 * the task begins again as it was at some time: what it writes then is not shown
 * once more, as long as it is what it had written; from the first line on that
 * differs all of it is, so that no result is lost.
 *
 * Lines are told apart by a hash of each, and long ones by pieces. Of more lines
 * than are kept the oldest count as the same. */
#ifndef HECTOR_SHOWN_H
#define HECTOR_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHOWN_LINES = 1 << 16, SHOWN_LINE = 4096 };

struct shown_line { uint64_t end, hash; };      /* hash 0: it is not known */

struct shown {                  /* {0}: nothing was */
    uint64_t now;               /* so many bytes, in all attempts */
    uint64_t before;            /* and in those before this one; less, once what
                                   came then differed */
    struct shown_line *lines;   /* owned: those that are complete */
    size_t nlines, cap;
    uint64_t base;              /* where the first of them begins */
    uint64_t start, hash;       /* of the one that is not */
    bool odd;                   /* its beginning is not known */
    uint8_t *held;              /* owned: of the line that is compared */
    size_t nheld;
    size_t at;                  /* that is this one of lines */
    bool differs;               /* what came again was something else, in this
                                   attempt */
};

typedef void shown_emit_f(void *arg, const void *p, size_t n);

/* Its task begins again. */
void shown_again(struct shown *w);

/* So many bytes came, behind that many others: what is to be shown of them is
 * emitted. again: of the attempt that came last, else of an older one. */
void shown_take(struct shown *w, bool again, uint64_t before, const void *p,
                size_t n, shown_emit_f *emit, void *arg);
/* No more come in this attempt. */
void shown_end(struct shown *w, shown_emit_f *emit, void *arg);
void shown_fini(struct shown *w);

#endif
