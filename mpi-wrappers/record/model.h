/* model.h - how a thread moves from call to call: the model in the page.
 *
 * One writer for each slot of the page at a time. Memory is fixed; what finds
 * no room is counted. A step costs a handful of stores, and two lookups where the
 * call is another one than came after the same one last time. Only a call from a
 * place that was not seen before costs more, once: its stack is unwound, and what
 * was found there is where to look whether another call comes the same way. */
#ifndef HECTOR_MODEL_H
#define HECTOR_MODEL_H

#include <stdint.h>

#include "mpi-wrappers/page.h"

/* What came after a call when it was made last: mostly it comes again. Indices
 * into the tables of the page, which are looked at before they are believed. */
struct guess { uint16_t site, edge; };

struct model {
    struct page_thread *page;   /* borrowed; the slot's tables */
    struct page_shared *shared; /* borrowed */
    struct page_slot *slot;     /* borrowed */
    uint32_t what;              /* PAGE_DO_... */
    uint32_t phase;             /* + 1, of bank; 0: none yet */
    struct page_bank *bank;     /* borrowed */
    uint32_t last;              /* site of the last call */
    uint32_t number;            /* of the slot */
    uint64_t in, bytes;         /* ticks it has taken, and its bytes */
    struct guess next[PAGE_SITES];
};

/* A thread begins to use the tables of the slot with this number. */
void model_init(struct model *m, unsigned number, struct page_slot *slot,
                struct page_thread *page, struct page_shared *shared,
                uint32_t what);

/* A call is entered, out ticks after the last one was left; from is where it
 * returns to, height that of the stack: so many bytes above this function's
 * frame are there. Returns its site. */
uint32_t model_enter(struct model *m, unsigned call, const void *from,
                     uint32_t height, uint64_t out, uint64_t now);

/* It is left, after in ticks. */
void model_leave(struct model *m, uint64_t in, uint64_t bytes);

#endif
