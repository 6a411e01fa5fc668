/* fuzz_uplink.c - a master says anything to hector-run: it hears of a job
 * only after Welcome, of one job only, and nothing after the end. */
#include "tests/fuzz/peers.h"

#include "redirector/link/uplink.h"

struct world {
    struct event_base *base;
    struct uplink *uplink;
    struct peers peers;
    bool ready, accepted, lost;
};

static int listening;
static char where[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    listening = peers_listen(where);
    return 0;
}

static void on_ready(void *arg)
{
    struct world *w = arg;
    Hct__Submit m = HCT__SUBMIT__INIT;
    struct err err;

    assert(!w->ready && !w->lost);
    w->ready = true;
    uplink_submit(w->uplink, &m, &err);
}

static void on_accepted(void *arg, uint64_t job, const char *name)
{
    struct world *w = arg;

    assert(w->ready && !w->accepted && !w->lost && job && name);
    w->accepted = true;
    uplink_signal(w->uplink, 10);
}

static void on_notice(void *arg, const char *text, bool error)
{
    (void)error;
    assert(((struct world *)arg)->ready && text);
}

static void on_state(void *arg, const char *state, uint32_t started,
                     uint32_t ntasks)
{
    (void)started, (void)ntasks;
    assert(((struct world *)arg)->ready && state);
}

static void on_ended(void *arg, const Hct__JobEnded *m)
{
    assert(((struct world *)arg)->ready && m->why);
}

static void on_lost(void *arg, const struct err *why)
{
    struct world *w = arg;

    assert(!w->lost && why->text[0]);
    w->lost = true;
}

static const struct uplink_ops ops = {
    .ready = on_ready, .accepted = on_accepted, .notice = on_notice,
    .state = on_state, .ended = on_ended, .lost = on_lost,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    struct world w = { .base = event_base_new() };
    size_t n = steps_parse(v, data, size);
    struct err err;

    peers_open(&w.peers, w.base);
    w.uplink = uplink_open(w.base, where, NULL, &ops, &w, &err);
    assert(w.uplink);
    peers_turn(&w.peers);
    w.peers.v[0].fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    for (size_t i = 0; i < n; i++) {
        if (v[i].what == STEP_SPECIAL)
            uplink_kill(w.uplink, "fuzz", 1, 2, v[i].n > 0);
        else
            peers_step(&w.peers, 0, &v[i]);
        peers_turn(&w.peers);
    }
    uplink_close(w.uplink);
    peers_close(&w.peers);
    event_base_free(w.base);
    return 0;
}
