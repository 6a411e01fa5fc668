/* alone.h - who is in no call that waits, while all others wait in one: they
 * wait for it, whatever it does. A step that has not ended is in no model, so
 * one that hangs or takes very long is not seen there before it goes on.
 *
 * It is a hint, for who asks, and no verdict: that one task reads the input or
 * writes the output while all wait may be as it should be, and of one that
 * hangs others speak. */
#ifndef HCT_ALONE_H
#define HCT_ALONE_H

#include "policies/outlier/stands.h"

/* One look: what it finds is added to the hints. */
void alone_look(struct stands *found, const struct hct_snapshot *in);

#endif
