/* behind_ask.c - has the master of a job look who is behind, and waits until
 * that is in the database, with the places in the sources. */
#include "master/hector/behind/behind_ask.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "master/hector/core/seek.h"
#include "master/hector/core/talk.h"
#include "proto/base/clock.h"
#include "proto/link/greeting.h"

enum { ASK_WAIT_S = 20 };
static const uint64_t ask_every_ns = 50 * CLOCK_NS_PER_MS;
/* Places come a little later than the graph, or never. */
static const uint64_t ask_places_ns = 5 * CLOCK_NS_PER_S;

struct asking { struct talk talk; uint64_t job; };      /* talk first */

static int send_ask(struct talk *t, struct conn *c)
{
    Hct__Ask m = HCT__ASK__INIT;

    m.job = ((struct asking *)t)->job;
    return conn_send(c, MESSAGE_ASK, &m);
}

static int tell_master(const struct tool *t, uint64_t job, struct err *err)
{
    static const struct conn_route routes[] = { TALK_ROUTES };
    struct asking a = { .talk = { .send = send_ask, .wait_s = ASK_WAIT_S },
                        .job = job };
    char address[ADDR_LIST_MAX];

    if (seek_master(t, job, address, err) ||
        talk_hold(&a.talk, address, routes, sizeof(routes) / sizeof(routes[0]),
                  err))
        return -1;
    return a.talk.good ? 0 : err_set(err, ENOENT, "%s", a.talk.text);
}

static void nap(void)
{
    struct timespec ts = { .tv_nsec = (long)ask_every_ns };

    nanosleep(&ts, NULL);
}

int behind_ask(struct behind *b, const struct tool *t, struct store *st,
               uint64_t job, struct err *err)
{
    uint64_t before = b->at_ns, began = clock_monotonic_ns(), seen = 0, now;

    if (tell_master(t, job, err))
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
        nap();
    }
}
