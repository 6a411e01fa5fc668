/* answer.h - what this slave answers to a question to all tasks (struct
 * hct_question): each of its tasks against the models of the question, and those
 * that are furthest. */
#ifndef HECTOR_ANSWER_H
#define HECTOR_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "policies/smm/score.h"
#include "proto/base/err.h"
#include "proto/base/str.h"
#include "slave/proc/delay.h"

struct answer;

/* For so many tasks. NULL: that is no question, or there is no memory. */
struct answer *answer_open(const void *question, size_t bytes, uint32_t width,
                           struct err *err);
void answer_close(struct answer *a);            /* NULL is fine */

/* Of what time models are wanted. */
struct hct_when answer_when(const struct answer *a);

struct answer_task {
    uint32_t position, rank;
    struct delay delay;         /* of its processor, in that time; 0: not known */
    uint64_t ago_ns;            /* its model began so long ago */
};

/* One more that has no model of that time. */
void answer_miss(struct answer *a);
/* One more, with the edges of its model. */
void answer_add(struct answer *a, const struct answer_task *t,
                const struct score_edge *v, size_t n);
/* As Scores of hct.proto. */
int answer_write(const struct answer *a, struct str *out, struct err *err);

#endif
