/* backlog.h - the last bytes of standard input: a task that has gone to another
 * node has left behind what it had not read yet, and gets it once more from
 * here. */
#ifndef HECTOR_BACKLOG_H
#define HECTOR_BACKLOG_H

#include <stddef.h>
#include <stdint.h>

struct backlog;

/* At most of one backlog_add(). */
enum { BACKLOG_ADD_MAX = 256 << 10 };

/* At least the last `keep` bytes will be there. NULL: no memory. */
struct backlog *backlog_create(size_t keep);
void backlog_destroy(struct backlog *b);        /* NULL is fine */

/* Those that follow; n is at most BACKLOG_ADD_MAX. */
void backlog_add(struct backlog *b, const void *p, size_t n);

/* How many bytes there have been, and the number of the first that is there. */
uint64_t backlog_end(const struct backlog *b);
uint64_t backlog_first(const struct backlog *b);

/* All from number `at` on, which is not before the first nor after the end; how
 * many that is is stored in *n. Good until the next backlog_add(). */
const void *backlog_from(const struct backlog *b, uint64_t at, size_t *n);

#endif
