/* stack_ask.h - asks the master of a job for the call tree of its tasks. */
#ifndef HECTOR_STACK_ASK_H
#define HECTOR_STACK_ASK_H

#include "hct.pb-c.h"
#include "master/hector/core/tool.h"

/* word: JOB or JOB.RANKS. NULL after having complained. */
Hct__CallTree *stack_ask(const struct tool *t, const char *word);

#endif
