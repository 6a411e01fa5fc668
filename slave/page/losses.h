/* losses.h - what is missing from the pages of a job, told to people: tables
 * that were too small, a description that makes no sense, an MPI library that
 * is not known. Each is one sentence a job, however many tasks it has. */
#ifndef HECTOR_LOSSES_H
#define HECTOR_LOSSES_H

#include <stdint.h>

enum losses_kind {
    LOSSES_PHASE = 1, LOSSES_LIBRARY = 2, LOSSES_COMMS = 4,
    LOSSES_REQUESTS = 8, LOSSES_SITES = 16, LOSSES_EDGES = 32,
    LOSSES_THREADS = 64,
};

/* Look at the page of one task of it; *told: what was told already. */
void losses_tell(const char *page, uint64_t job, uint32_t rank,
                 unsigned *told);

#endif
