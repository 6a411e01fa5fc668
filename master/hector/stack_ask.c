/* stack_ask.c - asks the master of a job for the call tree of its tasks. */
#include "master/hector/stack_ask.h"

#include <stddef.h>

Hct__CallTree *stack_ask(const struct tool *t, const char *word)
{
    (void)t;
    tool_complain(TOOL_FAILED, "%s: not yet", word);
    return NULL;
}
