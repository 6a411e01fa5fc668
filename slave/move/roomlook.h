/* roomlook.h - what memory a task that is to go will need where it comes. */
#ifndef HECTOR_ROOMLOOK_H
#define HECTOR_ROOMLOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct room_span { uint64_t start, end; };

/* Private memory in large pieces, as far as there are pages all over it: the largest
 * ones first, max of them at most. 0: none, or that process cannot be looked at. It
 * goes on meanwhile. */
size_t roomlook(pid_t pid, struct room_span *v, size_t max);

#endif
