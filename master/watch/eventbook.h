/* eventbook.h - what is due in a job, and its tagged calls on their way to
 * policies: each is told once when it has ended, and before that once if it has
 * not ended when it is heard of. Only calls that some deadline is about are kept.
 * Pure. */
#ifndef HECTOR_EVENTBOOK_H
#define HECTOR_EVENTBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/watch/looks.h"
#include "proto/base/err.h"
#include "proto/conf/calendar.h"

enum { EVENTBOOK_MAX = 64 << 10 };      /* that wait to be shown; to end */

/* Clocks, as they are when events come: the wall clock of the node, and its error,
 * against that of the looks. */
struct eventbook_clock {
    int64_t shift_ns;           /* to be added to it */
    uint64_t bound_ns;
};

struct eventbook_open;
struct eventbook {              /* {0} has no deadlines */
    struct calendar calendar;
    struct hct_event *v;        /* owned: to be shown */
    size_t n, cap;
    struct eventbook_open *open;        /* owned: they have not ended */
    size_t nopen, open_cap;
    uint32_t *first;            /* owned: of each rank the last of these that has
                                   begun, from 1; 0: none */
    uint32_t nranks, unused;    /* unused: the first of those, from 1 */
    uint64_t lost;
};

/* -1 with a sentence: a deadline of the job makes no sense. */
int eventbook_init(struct eventbook *b, const Hct__Submit *s, struct err *err);
void eventbook_fini(struct eventbook *b);
bool eventbook_empty(const struct eventbook *b);        /* of deadlines */

/* The tasks begin, or are more than they were: nobody is in a call. -1: no
 * memory. */
int eventbook_begin(struct eventbook *b, uint32_t nranks);

/* So many were lost so far, as others have told, and now again some may be. */
void eventbook_missed(struct eventbook *b, uint64_t lost);

/* Records of a message from number `known` on: those before have been here. */
void eventbook_take(struct eventbook *b, const Hct__Events *m, uint64_t known,
                    const struct eventbook_clock *clock);
/* Is there something to be shown? */
bool eventbook_any(const struct eventbook *b);
/* All of it, and what is due, become part of this look. shift_ns is to be added to
 * the master's wall clock, began_ns is when the job did, by that. What is due is
 * told with the times that it had when it was shown first. */
void eventbook_show(struct eventbook *b, struct looks *l, int64_t shift_ns,
                    uint64_t began_ns);

#endif
