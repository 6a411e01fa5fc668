/* reduce_state.c - the table of a reduction's edges. */
#include "slave/tree/reduce_state.h"

#include <errno.h>
#include <stddef.h>

static const struct { enum reduce_state from; enum reduce_event event;
                      enum reduce_state to; } edges[] = {
    { REDUCE_GATHERING, REDUCE_COMPLETE, REDUCE_SENT },
    { REDUCE_GATHERING, REDUCE_PARENT_LOST, REDUCE_GATHERING_ALONE },
    { REDUCE_GATHERING_ALONE, REDUCE_COMPLETE, REDUCE_SENT_ALONE },
    { REDUCE_SENT, REDUCE_PARENT_LOST, REDUCE_SENT_ALONE },
    { REDUCE_GATHERING, REDUCE_END, REDUCE_OVER },
    { REDUCE_GATHERING_ALONE, REDUCE_END, REDUCE_OVER },
    { REDUCE_SENT, REDUCE_END, REDUCE_OVER },
    { REDUCE_SENT_ALONE, REDUCE_END, REDUCE_OVER },
};

int reduce_next(enum reduce_state from, enum reduce_event event,
                enum reduce_state *to, struct err *err)
{
    static const char *const states[] = { "gathering", "gathering_alone",
                                          "sent", "sent_alone", "over" };
    static const char *const events[] = { "complete", "parent_lost", "end" };

    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
        if (edges[i].from == from && edges[i].event == event) {
            *to = edges[i].to;
            return 0;
        }
    return err_set(err, EPROTO, "a reduction that is %s cannot be %s",
                   states[from], events[event]);
}
