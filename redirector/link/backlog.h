/* backlog.h - standard input that was read already: a task that has gone to
 * another node has left behind what it had not read yet, and gets it once more
 * from here; one that has gone back to a checkpoint all since then.
 *
 * The last bytes are in memory. Those before are in the file that standard input
 * is, or in one without a name that what comes by a pipe is written to. */
#ifndef HECTOR_BACKLOG_H
#define HECTOR_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct backlog;

/* At most of one backlog_add(). */
enum { BACKLOG_ADD_MAX = 256 << 10 };

struct backlog_conf {
    size_t keep;                /* bytes that are to be in memory, at least */
    int fd;                     /* what is read, as it is now; -1: not known */
    const char *dir;            /* borrowed: for bytes before; NULL: those of a
                                 * plain file are there, others are not */
    bool ahead;                 /* tasks have read some of it before: those bytes
                                 * are to come first */
};

struct backlog *backlog_create(const struct backlog_conf *conf, struct err *err);
void backlog_destroy(struct backlog *b);        /* NULL is fine */

/* Those that follow; n is at most BACKLOG_ADD_MAX. -1: those that leave memory
 * cannot be kept from now on; said once. */
int backlog_add(struct backlog *b, const void *p, size_t n, struct err *err);

/* How many bytes there have been. */
uint64_t backlog_end(const struct backlog *b);

/* Can those from number `at` on be had? Behind the end too, if it is a file that
 * has them: it is read from there then; or if others come before. -1: no. */
int backlog_reach(struct backlog *b, uint64_t at, struct err *err);

/* Some from number `at` on, which is not behind the end; how many is stored in
 * *n. Good until the next call. NULL: they cannot be read. */
const void *backlog_from(struct backlog *b, uint64_t at, size_t *n,
                         struct err *err);

#endif
