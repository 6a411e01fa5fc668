/* gather_part.h - a part of a reduction that is being made: what all kinds of them
 * have, as the first member of theirs. */
#ifndef HECTOR_GATHER_PART_H
#define HECTOR_GATHER_PART_H

#include <sys/queue.h>

#include "proto/base/str.h"
#include "slave/gather/gather.h"

struct gather_part {
    LIST_ENTRY(gather_part) place;
    struct gather *all;         /* borrowed, like the next */
    struct reduction *reduction;
    void (*free)(struct gather_part *p);        /* all that it has, and itself;
                                   it is in no list any more */
};

void gather_part_begin(struct gather_part *p, struct gather *g,
                       struct reduction *r, void (*end)(struct gather_part *p));

/* It is over: without a word; because of that; or with these bytes, which rc -1 says
 * that there are none of, and err why. The bytes are freed. */
void gather_part_end(struct gather_part *p);
void gather_part_fail(struct gather_part *p, const char *why);
void gather_part_finish(struct gather_part *p, int rc, struct str *bytes,
                        const struct err *err);

/* As reduce_kind has it; arg is the struct gather. */
void gather_part_stop(void *arg, struct reduction *r);

#endif
