/* gate.c - see gate.h. */
#include "mpi-wrappers/stop/gate.h"

static bool gate_open(const struct comm *c)
{
    return stand_word() == PAGE_STOP_RUN || c->slot == UINT32_MAX ||
           GET(c->at->entered) < GET(c->at->target);
}

void gate_hold(const struct comm *c)
{
    if (stand_callbacks || stand_many || gate_open(c))
        return;
    SET(stop_page->gate, c->slot);
    STAND_TELL(stop_page->where, PAGE_AT_HELD);
    while (!gate_open(c)) {
        stand_look();
        stand_turn();
    }
    SET(stop_page->where, PAGE_AT_COLLECTIVE);
}
