/* fuzz_emulate.c - a master says anything to hector-emulate: to a slave that
 * it plays, and to the hector-run and operator that it is. Tasks are no more
 * than are emulated, nothing but what was asked for is kept, and what is kept
 * can be printed or is refused.
 *
 * Peer 0 is the master of the slave, peer 1 that of the others; both have said
 * Welcome. A special step is a fact; when the first is FAULT, the slave has
 * one. */
#include "tests/fuzz/peers.h"

#include <sys/stat.h>

#include "proto/base/paths.h"
#include "proto/link/refused.h"
#include "slave/emulate/daemon.h"
#include "slave/emulate/peer.h"
#include "slave/emulate/report.h"

enum { SAMPLES, EVENTS, SUBMIT, KILL, GATHER, REPORT, FAULT, FACTS };

struct world {
    struct event_base *base;
    struct emulate options;
    struct daemon_count count;
    struct daemon_conf conf;
    struct daemon *daemon;
    struct peer peer;
    struct peers peers;
};

static int listening;
static char where[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    listening = peers_listen(where);
    assert(freopen("/dev/null", "w", stdout));
    return 0;
}

/* As main.c does when it has the answer. */
static void print(struct world *w)
{
    struct report r = { .options = &w->options };
    struct err err = { 0 };

    if (!w->peer.gathered)
        return;
    w->options.json = !w->options.json;
    w->options.gather = w->options.json ? w->options.gather
                                        : !w->options.gather;
    if (report_print(&r, w->peer.gathered, &w->peer.bytes, &err))
        assert(*err.text);
}

static void fact(struct world *w, const struct step *s)
{
    bool link = w->peer.c && !w->peer.why.code;
    Hct__Gather ask = HCT__GATHER__INIT;

    switch (s->who % FACTS) {
    case SAMPLES:
        daemon_samples(w->daemon);
        break;
    case EVENTS:
        daemon_events(w->daemon, s->n);
        break;
    case SUBMIT:
        if (link)
            peer_submit(&w->peer, s->n, 2, s->n % 2 ? "none" : NULL);
        break;
    case KILL:
        if (link)
            peer_kill(&w->peer);
        break;
    case GATHER:
        ask.kind = (char *)"tree";
        ask.job = w->peer.job;
        if (link)
            peer_gather(&w->peer, &ask);
        break;
    case REPORT:
        print(w);
    }
}

static void world_open(struct world *w, const struct step *first)
{
    static const struct conn_conf conn;
    struct err err;

    refused_reset();
    w->base = event_base_new();
    peers_open(&w->peers, w->base);
    w->options = (struct emulate){ .daemons = 4, .tasks = 16, .traces = 2,
        .depth = 3, .breadth = 2, .classes = 3, .speed = 1,
        .call_ns = 10000000 };
    if (first && first->what == STEP_SPECIAL && first->who % FACTS == FAULT) {
        w->options.nfaults = 1;
        w->options.faults[0].kind = first->n % (EMULATE_LIE + 1);
    }
    w->conf = (struct daemon_conf){ .base = w->base, .options = &w->options,
        .master = where, .dir = peers_dir, .conn = &conn, .count = &w->count };
    w->daemon = daemon_create(&w->conf, 0, &err);
    assert(w->daemon);
    peers_welcome(&w->peers, 0, listening);
    assert(!peer_open(&w->peer, w->base, HCT__ROLE__ROLE_OPERATOR, where,
                      &conn, &err));
    peers_welcome(&w->peers, 1, listening);
    assert(w->count.joined == 1 && w->peer.welcome);
}

static void world_close(struct world *w)
{
    char dir[64];

    print(w);
    peer_close(&w->peer);
    daemon_destroy(w->daemon);
    peers_close(&w->peers);
    event_base_free(w->base);
    peers_refuse_rest(listening);
    snprintf(dir, sizeof(dir), "%s/0", peers_dir);
    assert(!paths_remove_tree(dir, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    struct world w = { 0 };
    size_t n = steps_parse(v, data, size);

    world_open(&w, n ? v : NULL);
    for (size_t i = 0; i < n; i++) {
        if (v[i].what == STEP_SPECIAL)
            fact(&w, &v[i]);
        else
            peers_step(&w.peers, v[i].who % 2, &v[i]);
        peers_turn(&w.peers);
    }
    world_close(&w);
    return 0;
}
