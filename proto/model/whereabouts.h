/* whereabouts.h - where the tasks of a job are, and what their models say of
 * who waits for whom there: what comes of a question of the policy progress
 * (struct hct_progress_question). Two bits for a pair of places, merged by OR
 * (PDI, section 3.2, table 2), and a byte for each task, in runs. */
#ifndef HECTOR_WHEREABOUTS_H
#define HECTOR_WHEREABOUTS_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "policies/hct_policy.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

enum { WHEREABOUTS_PAIRS = HCT_PLACES_ASKED * (HCT_PLACES_ASKED - 1) / 2 };

struct whereabouts {
    uint32_t width;             /* positions, or ranks */
    uint32_t nplaces;
    struct hct_place place[HCT_PLACES_MAX];     /* all different; each has a
                                                   task */
    uint8_t order[(WHEREABOUTS_PAIRS + 3) / 4];
    uint8_t at[];               /* of each: number of its place, from 1; or 0 */
};

/* Of so many that nothing is known of. NULL: no memory; free() it. */
struct whereabouts *whereabouts_create(uint32_t width, struct err *err);

/* That position, which was nowhere, is at that place (tasks is not looked at).
 * Of more places than there is room for nothing is kept. */
void whereabouts_put(struct whereabouts *w, uint32_t position,
                     const struct hct_place *place);

/* Of places i and j of the question, which differ: set of enum hct_order. One
 * more is added to what is said. */
void whereabouts_say(struct whereabouts *w, uint32_t i, uint32_t j,
                     uint8_t order);
uint8_t whereabouts_says(const struct whereabouts *w, uint32_t i, uint32_t j);

/* The part of others, whose position 0 is ours at. */
void whereabouts_merge(struct whereabouts *w, const struct whereabouts *part,
                       uint32_t at);

/* rank_of: of each position, below ntasks; or NULL. -1: no memory. */
int whereabouts_write(const struct whereabouts *w, const uint32_t *rank_of,
                      uint32_t ntasks, struct str *out, struct err *err);
/* Of so many positions. NULL: it makes no sense, or says something of two
 * places at which it has no task. */
struct whereabouts *whereabouts_read(const uint8_t *bytes, size_t n,
                                     uint32_t width, struct err *err);

#endif
