/* witness.h - what the models of a node's tasks say of the places that others
 * are at (struct hct_progress_question): what is done where the tasks are, so
 * that their models need not travel (PDI, section 3.2 and figure 5). The union
 * of what they say goes up, where it becomes part of the same of all nodes.
 *
 * A task is a witness of its own place only: of who waits for whom between two
 * others it says nothing. */
#ifndef HCT_WITNESS_H
#define HCT_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"

struct witness;                 /* a question, ready to be answered */

/* Bytes that it takes; 0: these are no question. */
size_t witness_room(const void *question, size_t bytes);
/* In room, of so many bytes and aligned for anything. Needs what witness_room()
 * did not refuse; the question is not needed any more then. */
struct witness *witness_open(void *room, const void *question);

/* From one call to the next: places as in hct_place, 0 is the beginning. */
struct witness_step { uint64_t from, to; };

/* One task, which is at that place: with all the steps of its model, in any
 * order, also several times. v NULL: its model is not whole, and it says
 * nothing. Returns the number of the place in the question, from 1; 0: that
 * has not asked about it. */
uint32_t witness_task(struct witness *w, uint64_t place, bool in,
                      const struct witness_step *v, size_t n);

/* What all of them say of places i and j of the question: set of enum
 * hct_order. */
uint8_t witness_says(const struct witness *w, uint32_t i, uint32_t j);

#endif
