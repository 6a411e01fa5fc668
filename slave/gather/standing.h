/* standing.h - what this slave answers to a question of the policy progress
 * (struct hct_progress_question): where each of its tasks is, and what their
 * models say (witness.h). */
#ifndef HECTOR_STANDING_H
#define HECTOR_STANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/progress/witness.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

struct standing;

/* For so many tasks. NULL: that is no question, or there is no memory. */
struct standing *standing_open(const void *question, size_t bytes,
                               uint32_t width, struct err *err);
void standing_close(struct standing *s);        /* NULL is fine */

struct standing_task {
    uint32_t position;
    uint64_t place;             /* as in hct_place, as the next two */
    uint32_t call;
    bool in;
};
/* One more; v and n as in witness_task(). */
void standing_add(struct standing *s, const struct standing_task *t,
                  const struct witness_step *v, size_t n);
/* As Whereabouts of hct.proto. */
int standing_write(struct standing *s, struct str *out, struct err *err);

#endif
