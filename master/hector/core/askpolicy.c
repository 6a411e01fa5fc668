/* askpolicy.c - see askpolicy.h. */
#include "master/hector/core/askpolicy.h"

#include <errno.h>
#include <time.h>

#include "master/hector/core/seek.h"
#include "master/hector/core/talk.h"
#include "proto/base/clock.h"
#include "proto/link/greeting.h"

enum { ASK_WAIT_S = 20 };
static const uint64_t ask_every_ns = 50 * CLOCK_NS_PER_MS;

struct asking {                 /* talk first */
    struct talk talk;
    uint64_t job;
    const char *policy;
    struct askpolicy_when when;
};

static int send_ask(struct talk *t, struct conn *c)
{
    const struct asking *a = (const struct asking *)t;
    Hct__Ask m = HCT__ASK__INIT;

    m.job = a->job;
    m.policy = (char *)(uintptr_t)a->policy;
    m.window = a->when.window;
    m.phase = a->when.phase;
    m.ago_ns = a->when.ago_ns;
    return conn_send(c, MESSAGE_ASK, &m);
}

int askpolicy(const struct tool *t, uint64_t job, const char *policy,
              const struct askpolicy_when *when, struct err *err)
{
    static const struct conn_route routes[] = { TALK_ROUTES };
    struct asking a = { .talk = { .send = send_ask, .wait_s = ASK_WAIT_S },
                        .job = job, .policy = policy };
    char address[ADDR_LIST_MAX];

    if (when)
        a.when = *when;
    if (seek_master(t, job, address, err) ||
        talk_hold(&a.talk, address, routes, sizeof(routes) / sizeof(routes[0]),
                  err))
        return -1;
    return a.talk.good ? 0 : err_set(err, ENOENT, "%s", a.talk.text);
}

void askpolicy_nap(void)
{
    struct timespec ts = { .tv_nsec = (long)ask_every_ns };

    nanosleep(&ts, NULL);
}
