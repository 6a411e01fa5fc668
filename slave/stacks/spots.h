/* spots.h - where the tasks of a job have been between their calls of MPI, from
 * stacks that were looked at now and then.
 *
 * A stack is known if one was seen after a call of the same function of MPI
 * with the same functions of the program on it, and if in those of them that
 * lead to calls of MPI it is at a place between those that were seen: in the
 * loop, not behind it. Which functions lead there is learned from stacks of
 * tasks in MPI; before there was one, all may. What libraries of the system do
 * is not told apart. Pure: no I/O, no clock. */
#ifndef HECTOR_SPOTS_H
#define HECTOR_SPOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/idtable.h"

enum {
    SPOT_DEPTH = 24,            /* frames; inner ones are left out */
    SPOT_NAME = 40,
    SPOTS_MAX = 1 << 14,        /* that are kept */
};

struct spot_stack {
    uint32_t n;
    uint64_t key[SPOT_DEPTH];   /* of the function and those outside of it */
    uint64_t function[SPOT_DEPTH];      /* itself */
    uint64_t offset[SPOT_DEPTH];        /* in its file */
    char name[SPOT_NAME];       /* of the innermost function */
    bool library, wrapper;      /* further in there is a library; ours */
};

/* After this function of MPI; then frames, outermost first. */
void spot_begin(struct spot_stack *s, uint32_t call);
void spot_push(struct spot_stack *s, const char *module, const char *function,
               uint64_t offset);

struct spot_range { uint64_t key, low, high; };

struct spots {                  /* {0} is empty */
    struct spot_range *v;       /* owned; of functions that lead to MPI, too */
    size_t n, cap;
    struct idtable by_key;
    bool leads;                 /* some are known */
};
void spots_fini(struct spots *s);

/* What finds no room, or no memory, is not known later. */
void spots_learn(struct spots *s, const struct spot_stack *k);
/* Of a task in MPI. */
void spots_lead(struct spots *s, const struct spot_stack *k);
bool spots_know(const struct spots *s, const struct spot_stack *k);

#endif
