/* frames.h - the stack of a thread, from the program's call of MPI upwards,
 * and what is mapped where. Off the path: once for each site. */
#ifndef HECTOR_FRAMES_H
#define HECTOR_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"

/* Where on the stack the return addresses behind the first one lie: bytes above
 * some place. Those of the innermost frames, as far as that could be found
 * out. */
struct frames_where {
    uint32_t n;
    uint32_t at[PAGE_FRAMES - 1];
};

/* Store up to PAGE_FRAMES return addresses into frame, from first on, which is
 * the one that the entry point returns to; modules they are in are added to
 * the page. Returns how many, at least 1. where, which may be NULL, gets those
 * less than room bytes above from. */
uint32_t frames_take(struct page_shared *shared, const void *first,
                     _Atomic uint64_t *frame, const char *from, uint32_t room,
                     struct frames_where *where);

/* Does anybody on this thread's stack return there? True also when the stack
 * is too deep to tell. */
bool frames_have(const void *address);

/* Up to max addresses of the calling thread's stack, from first on. Safe in a
 * signal handler. Returns how many, at least 1. */
uint32_t frames_walk(const void *first, _Atomic uint64_t *frame, uint32_t max);

/* The module that an address is in: base address and path; NULL: none. path is
 * cut to bytes. */
const void *frames_module(const void *address, char *path, unsigned bytes);

#endif
