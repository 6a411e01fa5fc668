/* inside.h - who computes inside of a call that waits for others, while
 * these wait for it: by looks at the stacks of all tasks (struct
 * hct_inside).
 *
 * In times such a task looks like those that wait for it, in counters of the
 * processor, too, where each has one of its own. Its stack tells: it is in a
 * function that none of the others is in, in look after look, and these are
 * in loops of MPI's. Stacks are looked at some times, a tenth of a second
 * apart, when all have waited for a moment and nobody is out of MPI (a
 * suspicion); and when tasks that have been compared wait for much of their
 * time (drawn: at times that have nothing to do with what they are at).
 *
 * What it costs others have waited: as long as they were in their calls
 * while it was in there; or of looks that are drawn the part of them in
 * which it was, of all the time.
 *
 * It is certain, and a verdict, only of a function that stands between the
 * program and MPI's library: that is no work of MPI's. All else is a hint,
 * for who asks: an operator that MPI calls back, and what MPI does itself,
 * may be more for one task by its place in a tree (the leader of a node, who
 * adds up, who gathers); of a root it is not even that. */
#ifndef HCT_INSIDE_H
#define HCT_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/outlier/stands.h"

enum { INSIDE_MAX = 16 };       /* that are remembered */

struct inside_one {             /* a function, and a task that was in it alone */
    uint32_t rank, call, what;
    uint32_t hits, others;      /* looks that it was seen in; how often others
                                   were */
    uint32_t drawn;             /* of the former, those that are drawn */
    uint32_t site, waited;      /* of the call, 0: not known; tasks that did at
                                   the last one */
    uint64_t function;
    struct stand stays;         /* what others have waited meanwhile */
    uint32_t line, pad;
    char name[64], file[48];
};

struct inside {
    uint32_t left;              /* looks at stacks that are to come */
    bool drawn;                 /* these are */
    bool asked;                 /* one is under way, since then */
    uint64_t asked_ns;
    uint64_t next_ns;           /* the next of them */
    uint64_t rest_ns;           /* no suspicion before; */
    uint64_t short_rest_ns;     /* ... none at all */
    uint64_t every_ns;          /* so far apart are suspicions, at first */
    uint64_t began_ns;          /* the job, as far as it was seen */
    uint32_t looks, ndrawn;     /* that were taken; of these */
    uint32_t n;
    struct inside_one v[INSIDE_MAX];
};

/* Of each look: what it has of stacks is counted, and it may be one to suspect
 * somebody at. True: stacks are wanted. */
bool inside_look(struct inside *x, const struct hct_snapshot *in);
/* Some that are drawn; unless others are under way. */
void inside_draw(struct inside *x, const struct hct_snapshot *in);
bool inside_busy(const struct inside *x);
/* When to look again; UINT64_MAX: no matter. */
uint64_t inside_wake(const struct inside *x, uint64_t now_ns);

/* Do so many wait now that it is worth to look at stacks? */
bool inside_many_wait(const struct hct_snapshot *in);

/* Of those that none of the others was in, the k-th most costly, from 0;
 * NULL: there are fewer. */
const struct inside_one *inside_get(const struct inside *x, uint32_t k,
                                    uint64_t now_ns);
uint64_t inside_cost(const struct inside *x, const struct inside_one *o,
                     uint64_t now_ns);
bool inside_sure(const struct inside_one *o, uint32_t nranks);

#endif
