/* earlier.h - how long earlier runs of the same program, which ended well, have
 * stayed behind a place that they had called MPI from. Each place is asked for
 * in the database once, by its number (placekey.h). */
#ifndef HECTOR_EARLIER_H
#define HECTOR_EARLIER_H

#include <stddef.h>
#include <stdint.h>

struct journal;

struct earlier {                /* {.journal} knows nothing yet */
    struct journal *journal;    /* borrowed */
    struct earlier_place { uint64_t key, longest_ns; } *v;      /* owned */
    size_t n, cap;
};

/* The longest of all runs; 0: none is known. */
uint64_t earlier_longest(struct earlier *e, uint64_t key);
void earlier_fini(struct earlier *e);

#endif
