/* unwind.h - from the copy of a stack to the addresses of its frames.
 *
 * A process is known by the text of its /proc/PID/maps; tables are read from
 * the files that are mapped there, values from the copy (halt.h), and what
 * lies further out than the copy reaches from the process itself, if it still
 * lives and lets us. */
#ifndef HECTOR_UNWIND_H
#define HECTOR_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/base/err.h"
#include "slave/stacks/halt.h"

enum { UNWIND_DEPTH = 512 };    /* frames; outer ones are left out */
#define UNWIND_NO_NUMBER UINT32_MAX

struct unwind_frame {
    const char *path;           /* of the file; NULL: no file. Valid as long
                                   as the unwind lives */
    uint64_t address;           /* in the file, as its symbols have it */
    bool call;                  /* where a call returns to */
    uint32_t number;            /* the same for the same of all that, small: to
                                   keep things by; or UNWIND_NO_NUMBER */
};

struct unwind;
struct unwind *unwind_create(pid_t pid, const char *maps, struct err *err);
void unwind_destroy(struct unwind *u);          /* NULL is fine */

/* For who compares: everything by libdw from now on; how many stacks were
 * followed without it. */
void unwind_slowly(struct unwind *u);
uint64_t unwind_quick(const struct unwind *u);

/* Frames, innermost first; how many. 0: the program counter is nowhere. */
unsigned unwind_trace(struct unwind *u, const struct halt_copy *copy,
                      struct unwind_frame *v, unsigned max);

/* The same for addresses that the task has found itself. */
unsigned unwind_addresses(struct unwind *u, const uint64_t *pc, unsigned n,
                          struct unwind_frame *v, unsigned max);

#endif
