/* gate.c - see gate.h. */
#include "mpi-wrappers/stop/gate.h"

static bool gate_open(const struct comm *c)
{
    return stand_word() == PAGE_STOP_RUN || c->slot == UINT32_MAX ||
           GET(c->at->entered) < GET(c->at->target);
}

void gate_hold(const struct comm *c)
{
    struct page_stop_thread *t = stand_self();

    if (stand_callbacks || gate_open(c))
        return;
    SET(t->gate, c->slot);
    STAND_TELL(t->where, PAGE_AT_HELD);
    while (!gate_open(c)) {
        stand_look();
        stand_turn();
    }
    SET(t->where, PAGE_AT_COLLECTIVE);
}
