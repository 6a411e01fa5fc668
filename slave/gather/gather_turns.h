/* gather_turns.h - a part of a reduction that is made of one task after the other.
 *
 * Some tasks at a turn of the loop: a node may have hundreds, and there are other
 * things to do meanwhile. */
#ifndef HECTOR_GATHER_TURNS_H
#define HECTOR_GATHER_TURNS_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/str.h"
#include "slave/gather/gather.h"
#include "slave/page/lookmodel.h"

struct gather_turn {            /* one task; all of it borrowed */
    const struct task *task;
    uint32_t position;          /* in the reduction */
    struct lookmodel *reads;
    const struct ticks *ticks;
};

/* What is made; own is of own_bytes, all 0 before open(). */
struct gather_way {
    unsigned at_once;           /* tasks in a turn */
    size_t own_bytes;
    /* For so many tasks, by the argument of the reduction; -1, and why, if that is
     * none. */
    int (*open)(void *own, const void *argument, size_t bytes, uint32_t width,
                struct err *err);
    int (*add)(void *own, const struct gather_turn *t); /* -1: no memory */
    int (*write)(const void *own, struct str *out, struct err *err);
    void (*close)(void *own);   /* whatever of it there is */
};

void gather_turns_start(struct gather *g, struct reduction *r,
                        const struct gather_way *way);

#endif
