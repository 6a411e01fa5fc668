/* said.h - what a person has been told of the findings of one policy, so that
 * the same is not said at each look, nor too much at all. Pure.
 *
 * A finding is the same as one of the look before at which there was any of its
 * kind if it differs in numbers only: how long, how sure, how much. Whom it is
 * about and where counts. What changes all the time is said several times, and
 * then seldom; hangs and what ends them are counted apart, so that nothing else
 * can silence them. */
#ifndef HECTOR_SAID_H
#define HECTOR_SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "master/watch/found.h"

enum { SAID_MANY = 64, SAID_BURST = 8 };        /* sentences in a row, */
#define SAID_SELDOM_NS 10000000000ull           /* and one each so often then */

struct said_of { uint32_t kind; uint64_t what; };
struct said {                   /* {0} at first */
    struct said_of before[SAID_MANY], now[SAID_MANY];
    size_t nbefore, nnow;
    uint64_t free_ns[2];        /* when all that was said is forgiven */
    bool cut[2];                /* the person knows that there is more */
};

enum said_how {
    SAID_ALREADY,
    SAID_SAY,
    SAID_SAY_CUT,               /* that there is more than is said */
    SAID_SILENT,
};

/* Verdict v of f, which was found at now_ns on the clock of snapshots. */
enum said_how said_verdict(struct said *s, const struct found *f,
                           const struct hct_verdict *v, uint64_t now_ns);
/* All verdicts of this look have been looked at. */
void said_look_ends(struct said *s);
/* What was found is taken back: it is news if it comes again. */
void said_forget(struct said *s, uint32_t kind);

#endif
