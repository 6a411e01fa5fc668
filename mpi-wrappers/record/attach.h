/* attach.h - how a task gets the page that it shares with its slave.
 *
 * The slave's socket is named by HECTOR_SLAVE; HECTOR_JOB, HECTOR_RANK and
 * HECTOR_NTASKS say who we are, or else the variables of the launcher that
 * started the task. Nothing is printed: a task runs on without its slave. */
#ifndef HECTOR_ATTACH_H
#define HECTOR_ATTACH_H

#include <stdbool.h>

#include "mpi-wrappers/page.h"

/* What was mapped: our own copy of the sizes, checked against each other. */
struct attach {
    struct page_header *page;
    size_t bytes;
    uint32_t slots, calls, ring_bytes, what;
};

/* Who we are, by the environment. */
struct attach_who {
    uint64_t job;               /* 0: not known */
    uint32_t rank, ntasks;      /* UINT32_MAX, 0: not known */
};
void attach_who(struct attach_who *who);

/* Is there anybody to register with? */
bool attach_wanted(void);

/* Register and map. mpi (may be NULL) is the MPI library's own version text.
 * Returns 0, or an errno value: nobody to ask, no answer within limit_ms,
 * refused, or a page that is not one. errno is left alone. */
int attach_open(struct attach *a, const char *mpi, int limit_ms);

/* Check and take a page that is in memory already; 0 or EPROTO. */
int attach_check(struct attach *a, struct page_header *page, size_t bytes);

#endif
