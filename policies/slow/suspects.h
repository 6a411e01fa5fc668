/* suspects.h - the tasks whose models say where it is slow: those that may be
 * it, and of all that are it the one that is shown. */
#ifndef HCT_SLOW_SUSPECTS_H
#define HCT_SLOW_SUSPECTS_H

#include "policies/slow/slow.h"

/* The first of the windows that count in this suspicion. */
uint64_t suspects_from(const struct slow *s);

/* Has somebody computed longer for some windows, or have all, whatever the
 * pace? It does not tell where communication takes most of the time and
 * varies, nor where a machine that others used is free again at that moment. */
enum suspects {
    SUSPECTS_NONE,
    SUSPECTS_SOME, SUSPECTS_ALL,
    SUSPECTS_MOVED,             /* some have more work, others less */
};
enum suspects suspects_alone(struct slow *s, uint32_t phase);

/* Asks for the models of those that may be slow, and of the one that counts
 * iterations: if all are, it is. */
void suspects_want_likely(struct slow *s);

/* ... of those that are to be told, worst first; all are: of the one that
 * counts. */
void suspects_want_told(struct slow *s);

/* They have come, of the beginning. */
void suspects_keep(struct slow *s, const struct hct_snapshot *in);

/* The worst one whose model is known from the beginning, and is shown from now
 * on; NULL: none. */
const struct region *suspects_shown(struct slow *s);

/* Calls that a task has made in the windows of this suspicion. */
double suspects_calls(const struct slow *s);

/* Do the steps that it has taken before explain what it takes longer? */
bool suspects_do_same_work(const struct slow *s, const struct region_grown *g);

/* Why it computes longer, the one that is shown, as far as the processor's
 * counters tell. */
void suspects_explain(struct slow *s);

#endif
