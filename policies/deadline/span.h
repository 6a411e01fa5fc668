/* span.h - instances of HCT_DUE_SPAN: from the first entry of one label to the
 * last exit of another one with the same marker, over all ranks.
 *
 * Nobody says how many ranks will leave it. It has ended when as many have as
 * did in an earlier instance, of which that is known as soon as somebody has left a
 * later one; else it is judged when it is due, by those who
 * have come till then: if several in a row had all of them, one that has not is
 * missed. Who leaves it later makes it late. A marker that comes again when it
 * has ended, or is due, begins another instance. Where there are too many, the
 * one that began first is closed as it stands. */
#ifndef HCT_DEADLINE_SPAN_H
#define HCT_DEADLINE_SPAN_H

#include "policies/deadline/deadline.h"

/* Bits that an instance keeps for ranks: of more some share one. They do so
 * each time, so that those who end it are as many. */
uint32_t span_bits(uint32_t nranks);
size_t span_bytes(uint32_t nranks);

/* A rank has entered the first label, or left the second one. */
void span_entry(struct deadline *s, struct due *d, const struct hct_event *e,
                const struct hct_snapshot *in, struct hct_out *out);
void span_exit(struct deadline *s, struct due *d, const struct hct_event *e,
               const struct hct_snapshot *in, struct hct_out *out);

/* As of instance.h. over: all tasks have ended. */
void span_check(struct deadline *s, const struct hct_snapshot *in,
                struct hct_out *out);
void span_over(struct deadline *s, const struct hct_snapshot *in,
               struct hct_out *out);
int64_t span_next(const struct deadline *s);

#endif
