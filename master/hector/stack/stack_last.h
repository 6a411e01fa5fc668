/* stack_last.h - call trees that are kept in the database. */
#ifndef HECTOR_STACK_LAST_H
#define HECTOR_STACK_LAST_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/hector/core/tool.h"

/* The latest one of the job this word names, with a title for it; to be freed.
 * NULL after having complained. */
Hct__CallTree *stack_last(const struct tool *t, const char *word, char *title,
                          size_t size);

/* That of a verdict; NULL if there is none. */
Hct__CallTree *stack_of_verdict(struct store *st, uint64_t job, uint64_t seq);

#endif
