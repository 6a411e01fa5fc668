/* behind_ask.h - the graph of who waits for whom, of now. */
#ifndef HECTOR_BEHIND_ASK_H
#define HECTOR_BEHIND_ASK_H

#include "master/hector/behind/behind.h"

/* Has the master look now, and waits for what comes of it, which is after what
 * is in b. -1 with a sentence: there is nobody to ask. */
int behind_ask(struct behind *b, const struct tool *t, struct store *st,
               uint64_t job, struct err *err);

#endif
