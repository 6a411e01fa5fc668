/* reading.h - what all readings of pages on this node share: the window of
 * records that are not committed yet, scratch memory. */
#ifndef HECTOR_READING_H
#define HECTOR_READING_H

#include <stdbool.h>

#include "proto/base/str.h"
#include "slave/link/uplink.h"
#include "slave/page/tally.h"

struct reading;
struct ticks;
struct vault;

/* NULL: out of memory. ticks is borrowed. */
struct reading *reading_create(const struct ticks *ticks);
void reading_destroy(struct reading *r);        /* NULL is fine */

/* What is not committed outlives us there. Borrowed. */
void reading_keep_in(struct reading *r, struct vault *vault);
/* That of all records of this slave, for task_init(). */
struct records_window *reading_window(struct reading *r);

/* From now on rings are only looked at, not read; or read again. */
void reading_hold(struct reading *r, bool hold);

/* Where records are sent: to the master. */
struct records_out reading_out(struct uplink *to);

/* Where goes what is read of a job's tasks: sites and told are the job's, see
 * tally_sink. lines: those of stdtim are wanted. */
struct tally_sink reading_sink(struct reading *r, struct uplink *to,
                               struct sites *sites, unsigned *told,
                               bool lines);
/* They, of all readings since they were reset. */
struct str *reading_lines(struct reading *r);

#endif
