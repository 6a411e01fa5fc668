/* inquiry.h - the question of a policy to all tasks of its job (struct hct_question,
 * hct_progress_question), or a look at their stacks for it: on its way through the tree
 * of slaves, and what has come of it, until the policy is shown that in a look. One
 * at a time. */
#ifndef HECTOR_INQUIRY_H
#define HECTOR_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/tree/reduce.h"
#include "master/watch/incall.h"
#include "master/watch/looks.h"
#include "proto/model/whereabouts.h"

struct judge;

struct inquiry {                /* {.reducer, .job} is one without a question */
    struct reducer *reducer;    /* borrowed, as the job; NULL: nobody can be
                                   asked */
    struct job *job;
    uint64_t id;                /* of the reduction; 0: none is under way */
    const struct judge *asker;  /* whose it is, or was */
    const struct inquiry_kind *kind;
    uint64_t number;
    struct scores *scores;      /* owned, as the next two: the answer, of its kind; */
    struct whereabouts *are;    /* ... NULL: none */
    struct incall *seen;
};

/* need: set of enum hct_need that the policy has asked for, with one kind of
 * question. Not while another one is under way: the policy will ask again. An
 * answer that nobody has been shown is forgotten, unless it is to this
 * question. */
void inquiry_start(struct inquiry *q, const struct judge *asker, uint32_t need,
                   const uint8_t *question, size_t bytes);
/* The same, of stacks: a question without words. */
void inquiry_start_stacks(struct inquiry *q, const struct judge *asker);
void inquiry_fini(struct inquiry *q);

bool inquiry_has(const struct inquiry *q, const struct judge *asker);
/* The answer becomes part of the look that is about to end. */
void inquiry_show(struct inquiry *q, struct looks *l);

#endif
