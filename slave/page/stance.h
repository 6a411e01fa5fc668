/* stance.h - the part of a task's page by which it is brought to stand: what the
 * task says of itself, and what is ordered.
 *
 * No field is trusted: texts end, numbers of a kind are of that kind, gate is an
 * index of comms or their number. The orders of a page are the slave's own, who
 * remembers them; a task that has written over them gets them again. */
#ifndef HECTOR_STANCE_H
#define HECTOR_STANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpi-wrappers/page.h"

struct stance_comm {            /* as in page_stop_comm */
    uint64_t id, entered, target;
    uint32_t size;
};

struct stance {                 /* as in page_stop */
    enum page_stop_where where;
    int32_t peer;               /* rank, PAGE_NONE or PAGE_ANY */
    uint32_t gate, unfinished, signal, tid, generation, stopped;
    uint64_t sent, received, calls;
    enum page_swap swap;
    bool refuses;
    char why[256];
    uint32_t ncomms;
    struct stance_comm comms[PAGE_STOP_COMMS];
};

/* where is read before all else. ranks: of the world, a peer above is none. */
void stance_read(const char *page, uint32_t ntasks, struct stance *s);

/* Does it say the same, but for how often it asked? */
bool stance_same(const struct stance *a, const struct stance *b);

/* Has it no MPI library now? */
bool stance_apart(const char *page);

struct stance_raise { uint64_t comm, target; };
/* Targets that are higher than before. */
void stance_raise(char *page, const struct stance_raise *v, uint32_t n);
/* Word and generation, behind the targets; then the number of the orders. */
void stance_order(char *page, enum page_stop_word word, uint32_t generation,
                  uint64_t number);
/* Is that what stands there? */
bool stance_ordered(const char *page, enum page_stop_word word,
                    uint32_t generation);

/* The thread that gets the signal of the page is interrupted, if it is one of
 * this process. False: there is none. */
bool stance_interrupt(const char *page, pid_t pid);

#endif
