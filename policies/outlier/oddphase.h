/* oddphase.h - in which phase of the program tasks differ the most from what
 * they were in earlier ones: there a fault has shown first. AutomaDeD looks for
 * it before it looks for tasks: by "sharp deviations in the clustering of SMMs
 * from prior phases" (SC11, section 2).
 *
 * Phases are kept as their tasks were compared when they were over: how far
 * tasks were from the medoid of their group, the furthest of them, and who was
 * slow in a step. A phase differs by the task that has gone the furthest from
 * its like, in times: as far as it ever was in earlier phases of the same kind,
 * of which two are known; or as slow as it was in any earlier one. The first
 * that does is the one: later ones that are the same do not differ from it. */
#ifndef HCT_ODDPHASE_H
#define HCT_ODDPHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"

enum {
    ODDPHASE_KEPT = 32, ODDPHASE_SEEN = 4, ODDPHASE_FAR = 16, ODDPHASE_SLOW = 5,
    ODDPHASE_NAME = 64,
};

struct oddphase_name {
    uint32_t phase, id;         /* as in hct_rank */
    char name[ODDPHASE_NAME];   /* the text of the tag that began it; "": none
                                   did, or it is not known */
};

struct oddphase_task {
    uint32_t rank;
    float is;                   /* a distance; or times as long as its like */
};

struct oddphase_one {
    struct oddphase_name what;
    uint32_t nfar, nslow;
    struct oddphase_task far[ODDPHASE_FAR];     /* the furthest first; others
                                   are no further than the last */
    struct oddphase_task slow[ODDPHASE_SLOW];
    float times;                /* that it differs by; 0: it does not */
    uint32_t rank;              /* most by that task, */
    bool by_step;               /* ... which is slow in a step */
};

struct oddphase {               /* all zero it is empty */
    uint32_t nseen, n;
    struct oddphase_name seen[ODDPHASE_SEEN];   /* the last ones, in a ring */
    struct oddphase_one one[ODDPHASE_KEPT];     /* by number */
};

/* In each look: what phases are called. */
void oddphase_look(struct oddphase *p, const struct hct_snapshot *in);

/* The tasks of a phase that is over were compared: in is the answer; of those
 * that are slow in a step, at most ODDPHASE_SLOW, times as long as their
 * like. Returns whether it differs from earlier ones. */
bool oddphase_add(struct oddphase *p, const struct hct_snapshot *in,
                  uint32_t phase, const struct oddphase_task *slow,
                  uint32_t nslow);

/* What is known of it, as of a look. */
struct oddphase_name oddphase_find(const struct oddphase *p, uint32_t phase);

/* The one that differs most; NULL: none does. */
const struct oddphase_one *oddphase_oddest(const struct oddphase *p);
/* Of it, one sentence. */
void oddphase_say(const struct oddphase_one *one, char *buf, size_t size);

#endif
