/* eventbook.h - what is due in a job, and its tagged calls on their way to
 * policies: each is told once when it has ended, and before that once if it has
 * not ended when it is heard of. Only calls that some deadline is about are
 * kept. Pure. */
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

/* Clocks, as they are when events come: the wall clock of the node, and its
 * error, against that of the looks. */
struct eventbook_clock {
    int64_t shift_ns;           /* to be added to it */
    uint64_t bound_ns;
};

struct clock_offset;
/* o: against the node's; NULL, or of no samples: it is not known. shift_ns is
 * to be added to the wall clock here. */
struct eventbook_clock eventbook_clock(const struct clock_offset *o,
                                       int64_t shift_ns);

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
    bool changed;               /* something else is due than was shown */
};

/* -1 with a sentence: a deadline of the job makes no sense. */
int eventbook_init(struct eventbook *b, const Hct__Submit *s, struct err *err);
void eventbook_fini(struct eventbook *b);
bool eventbook_empty(const struct eventbook *b);        /* of deadlines */
/* What is due is in *c from now on, which goes on with the same numbers, and
 * gets what was. */
void eventbook_reschedule(struct eventbook *b, struct calendar *c);

/* The tasks begin, or are more than they were: nobody is in a call. -1: no
 * memory. */
int eventbook_begin(struct eventbook *b, uint32_t nranks);

/* After looks that another master has taken, of which this was the last: what
 * is due goes on as it was shown there; some calls may be lost, on their way to
 * it. NULL: none is known. What has come since eventbook_begin(), with shift_ns of
 * the clock 0, as it was not known, gets it now. */
void eventbook_go_on(struct eventbook *b, struct looks *l,
                     const struct hct_snapshot *last, int64_t shift_ns);

/* Records of a message from number `known` on: those before have been here. */
void eventbook_take(struct eventbook *b, const Hct__Events *m, uint64_t known,
                    const struct eventbook_clock *clock);
/* Is there something to be shown? */
bool eventbook_any(const struct eventbook *b);
bool eventbook_fits(const struct eventbook *b);         /* ... in one look */
/* The first of it, as much as a policy can answer, and what is due become part
 * of this look. shift_ns is to be added to the master's wall clock, began_ns is
 * when the job did, by that. What is due is told with the times that it had
 * when it was shown first. */
void eventbook_show(struct eventbook *b, struct looks *l, int64_t shift_ns,
                    uint64_t began_ns);

/* What came of deadlines for the end of the job, which was at now_ns: as many
 * as are returned. */
uint32_t eventbook_ends(const struct looks *l, int64_t now_ns,
                        struct hct_instance v[HCT_DEADLINES_MAX]);

#endif
