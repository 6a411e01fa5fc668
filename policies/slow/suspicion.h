/* suspicion.h - the job may have become slower: who is it, for how long, and
 * is it not something else? Each window that ends either confirms it or not. */
#ifndef HCT_SLOW_SUSPICION_H
#define HCT_SLOW_SUSPICION_H

#include "policies/slow/slow.h"

/* It begins, with that window of the phase. */
void suspicion_raise(struct slow *s, uint32_t phase, uint64_t since,
                     const struct pace_change *c, uint64_t now_ns);

/* ... with the last windows, in which somebody computes longer whatever the
 * pace. */
void suspicion_raise_alone(struct slow *s, uint32_t phase, uint64_t now_ns);

/* It was nothing. other: what is done now is what will be usual. */
void suspicion_dismiss(struct slow *s, bool other);

/* It is over, without a word of ours that did it. */
void suspicion_went_by(struct slow *s, uint64_t now_ns);

/* A window of its phase has ended. */
void suspicion_window(struct slow *s, const struct hct_snapshot *in,
                      struct hct_out *out);

/* The models that were asked for are in the snapshot: the first ones are kept,
 * the second ones decide. */
void suspicion_models(struct slow *s, const struct hct_snapshot *in,
                      struct hct_out *out);

#endif
