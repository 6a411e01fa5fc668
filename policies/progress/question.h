/* question.h - all tasks of a job asked where they are, and what their models
 * say of who waits for whom there (struct hct_progress_question): of more
 * tasks than models can be read of. And what they have answered. Flat: part of
 * the policy's state. */
#ifndef HCT_PROGRESS_QUESTION_H
#define HCT_PROGRESS_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/progress/nodes.h"

_Static_assert((int)NODES_MAX <= (int)HCT_PLACES_ASKED, "all nodes' places fit");

struct question {
    uint64_t number;            /* of this one; 0: none was asked yet */
    uint32_t nasked;            /* places that it asks about */
    struct hct_progress_place asked[HCT_PLACES_ASKED];
    /* The answer. */
    uint32_t nplaces;
    struct hct_place place[HCT_PLACES_MAX];
    uint8_t order[HCT_PLACES_ASKED][HCT_PLACES_ASKED];  /* enum hct_order */
};

/* Another question, about the places that nodes are at, by numbers of the last
 * answer; NULL: where all are. */
void question_make(struct question *q, const struct nodes *g);

/* Asks it, also again. */
void question_ask(const struct question *q, struct hct_out *out);

bool question_is_answered(const struct question *q,
                          const struct hct_snapshot *in);
/* Keeps the answer; and place of each task. */
void question_take(struct question *q, struct nodes_task *t,
                   const struct hct_snapshot *in);

#endif
