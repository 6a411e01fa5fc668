/* stands.h - who sleeps inside of a call that waits for others, while these wait
 * for it.
 *
 * In times a task that stands inside of such a call looks like those that wait
 * for it: of a collective call all are inside for as long, and between
 * neighbours the wait goes from each to the next. But who waits in MPI asks
 * for messages: it uses a processor, or would like to; who stands does
 * neither. So those looks count at which at least half of all others wait in
 * MPI and run, and at most one in five of those that are in such a call
 * sleeps: where MPI itself sleeps when it waits, nothing is seen. It is
 * certain when two looks saw the task in the same call, that far apart that
 * its state was read twice, and it has had no processor between. One that
 * computes in there looks like all others: see works.h. */
#ifndef HCT_STANDS_H
#define HCT_STANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"

enum { STANDS_MAX = 16,         /* tasks that are remembered */
       STANDS_HELD = HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED | HCT_STOPPED |
                     HCT_TORN };        /* others hold the task */

struct stand {
    uint32_t rank;
    uint32_t call, site;        /* of its longest stay; */
    uint64_t place;             /* ... as in hct_state; 0: not known */
    uint32_t others;            /* that waited then */
    uint64_t longest_ns;        /* that they waited meanwhile, each */
    uint64_t cost_ns;           /* in all its stays; 0: nothing is certain */
    uint64_t stays;
    struct stay {               /* the one it was seen in last */
        uint64_t calls;         /* hct_rank.calls */
        uint64_t since_ns, cpu_ns;      /* when it was seen there first, and
                                           the processor time it had had */
        uint64_t cost_ns;
    } stay;
};

struct stands {
    uint32_t n;
    struct stand v[STANDS_MAX];
};

/* One look. True: many wait, it is worth looking again soon. */
bool stands_look(struct stands *s, const struct hct_snapshot *in);

/* Is it in a call that waits for others? */
bool stands_waits(const struct hct_snapshot *in, const struct hct_rank *k);

/* It is in a call, or behind it, and so many others wait meanwhile. */
void stands_add(struct stands *s, const struct hct_snapshot *in,
                const struct hct_rank *k, uint32_t others);
/* The same of one that somebody else remembers. */
void stands_stay(struct stand *e, const struct hct_snapshot *in,
                 const struct hct_rank *k, uint32_t others);

/* A look with models: where they stood, for those that have one. */
void stands_place(struct stands *s, const struct hct_snapshot *in);

/* Is it in there still? Then it may be hung, which is for others to say. */
bool stands_now(const struct stand *w, const struct hct_snapshot *in);

/* It is certain of that task, in that call. */
bool stands_has(const struct stands *s, uint32_t rank, uint32_t call);

/* Of those of which it is certain, the k-th most costly, from 0; NULL: there are
 * fewer. */
const struct stand *stands_get(const struct stands *s, uint32_t k);

#endif
