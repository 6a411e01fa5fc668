/* behind_ask.c - has the master of a job look who is behind, and waits until
 * that is in the database, with the places in the sources. */
#include "master/hector/behind/behind_ask.h"

#include <errno.h>

#include "master/hector/core/askpolicy.h"
#include "proto/base/clock.h"

enum { ASK_WAIT_S = 60 };
/* Places come a little later than the graph, or never. */
static const uint64_t ask_places_ns = 5 * CLOCK_NS_PER_S;

int behind_ask(struct behind *b, const struct tool *t, struct store *st,
               uint64_t job, struct err *err)
{
    uint64_t before = b->at_ns, began = clock_monotonic_ns(), seen = 0, now;

    if (askpolicy(t, job, "progress", NULL, err))
        return -1;
    for (;;) {
        behind_fini(b);
        if (behind_read(b, st, job, err))
            return -1;
        now = clock_monotonic_ns();
        if (b->at_ns > before) {
            seen = seen ? seen : now;
            if (behind_placed(b) || now - seen > ask_places_ns)
                return 0;
        } else if (now - began > ASK_WAIT_S * CLOCK_NS_PER_S) {
            return err_set(err, ETIMEDOUT, "no answer came within %d s: a task "
                           "or a slave may not answer, or the job is over",
                           ASK_WAIT_S);
        }
        askpolicy_nap();
    }
}
