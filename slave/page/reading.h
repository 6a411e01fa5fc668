/* reading.h - what all readings of pages on this node share: the window of
 * records that are not committed yet, scratch memory. */
#ifndef HECTOR_READING_H
#define HECTOR_READING_H

#include <stdbool.h>

#include "proto/base/str.h"
#include "slave/link/uplink.h"
#include "slave/page/watch.h"

struct ticks;

struct reading {                /* {0} until reading_init() */
    struct records_window window;
    const struct ticks *ticks;  /* borrowed */
    bool hold;                  /* rings are only looked at, not read */
    struct rings_batch batch;   /* scratch */
    struct str lines;           /* scratch: stdtim lines of the last one */
};

void reading_init(struct reading *r, const struct ticks *ticks);
void reading_fini(struct reading *r);

/* Where records are sent: to the master. */
struct records_out reading_out(struct uplink *to);

/* Where goes what is read of its tasks: sites and told are the job's, see
 * watch_sink. lines: those of stdtim are wanted. */
struct watch_sink reading_sink(struct reading *r, struct uplink *to,
                               struct sites *sites, unsigned *told,
                               bool lines);

#endif
