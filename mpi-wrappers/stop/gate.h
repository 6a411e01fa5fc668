/* gate.h - the way into each collective. While the job is brought to stand
 * nobody goes through beyond the target of the communicator, and its number
 * grows behind the gate. */
#ifndef HECTOR_STOP_GATE_H
#define HECTOR_STOP_GATE_H

#include "mpi-wrappers/stop/comm.h"
#include "mpi-wrappers/stop/stand.h"

void gate_hold(const struct comm *c);

/* Its end is stand_leave(). c is NULL for a handle that is none. In hundreds of
 * functions of one file a compiler makes a call of it. */
__attribute__((always_inline))
static inline uint32_t gate_enter(const struct comm *c)
{
    struct page_stop *p = stop_page;
    uint32_t before;

    if (UNLIKELY(stand_many)) {
        before = threads_enter(PAGE_AT_COLLECTIVE);
    } else {
        before = GET(p->where);
        SET(p->where, PAGE_AT_COLLECTIVE);
    }
    if (__builtin_expect(c != NULL, 1)) {
        if (UNLIKELY(GET(p->word) != PAGE_STOP_RUN) &&
            before == PAGE_AT_USER)
            gate_hold(c);
        STAND_TELL(c->at->entered, GET(c->at->entered) + 1);
    }
    return before;
}

#endif
