/* fuzz_master.c - slaves, redirectors, operators and strangers say anything
 * to a whole master, in any order: it stays alive and in order, and ends
 * with no job, link or byte left over.
 *
 * Peers 0 to 2 are the slaves n0 to n2, 3 and 4 redirectors, 5 an operator;
 * they have said Hello when their first step comes. 6 and 7 have not. */
#include "tests/fuzz/peers.h"

#include "master/events.h"
#include "master/flow.h"
#include "master/journal.h"
#include "master/relay.h"
#include "master/session.h"
#include "master/store.h"
#include "proto/refused.h"

struct world {
    struct event_base *base;
    struct nodes nodes;
    struct jobs jobs;
    struct relay *relay;
    struct flow *flow;
    struct journal *journal;
    struct session_hub *hub;
    struct peers peers;
};

static int listening;                   /* one for all inputs */
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_bytes;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    address_bytes = (socklen_t)sizeof(sa_family_t) +
        (socklen_t)snprintf(address.sun_path, sizeof(address.sun_path),
                            "%cfuzz-master.%d", 0, (int)getpid());
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert(listening >= 0 && !bind(listening, (struct sockaddr *)&address,
                                   address_bytes) && !listen(listening, 64));
    return 0;
}

static void on_committed(void *arg)
{
    flow_committed(((struct world *)arg)->flow);
}

static void on_acked(void *arg, struct job *j, uint32_t rank, uint64_t upto)
{
    (void)arg;
    events_ack(j, rank, upto);
}

static void on_pressure(void *arg, bool high)
{
    session_hub_hold_slaves(((struct world *)arg)->hub, high);
}

static void on_replaced(void *arg, const char *why, bool aside)
{
    session_hub_warn(((struct world *)arg)->hub, why, aside);
}

static void on_quiet(void *arg)
{
    (void)arg;
}

static const struct journal_ops journal_ops = {
    .committed = on_committed, .acked = on_acked, .pressure = on_pressure,
    .replaced = on_replaced,
};

static void world_open(struct world *w)
{
    /* Every wait is over at once: what comes after it is to be seen. */
    struct flow_conf flow = { .instance = 5, .join_wait_ns = 1,
        .notice_ns = 1, .left_wait_ns = 1, .lost_wait_ns = 1,
        .restart_wait_ns = 1, .end_wait_ns = 1 };
    struct session_hub_conf hub = { .instance = 5, .name = "fuzz",
                                    .reduce = { .fan_out = 1,
                                                .last_id = 100 },
                                    .quiet = on_quiet, .arg = w };
    struct store_master row = { .instance = 5, .pid = 1, .host = "here",
                                .address = "x", .started_ns = 1 };
    struct err err;

    refused_reset();
    w->base = event_base_new();
    peers_open(&w->peers, w->base);
    w->relay = relay_create(w->base, &w->nodes);
    w->flow = flow_create(w->base, &flow, &w->nodes, &w->jobs, w->relay);
    w->hub = session_hub_create(w->base, &hub, &w->nodes, &w->jobs, w->relay,
                                w->flow);
    w->journal = journal_create(w->base, store_open(":memory:", &err),
                                ":memory:", false, &row, &journal_ops, w,
                                &err);
    assert(w->journal);
    flow_set_journal(w->flow, w->journal);
    session_hub_set_journal(w->hub, w->journal);
    assert(session_hub_listen(w->hub, dup(listening), &err) == 0);
}

static void world_close(struct world *w)
{
    peers_close(&w->peers);
    session_hub_destroy(w->hub);
    journal_destroy(w->journal);
    flow_destroy(w->flow);
    relay_destroy(w->relay);
    nodes_fini(&w->nodes);
    event_base_free(w->base);
}

static void come(struct world *w, int who)
{
    static const Hct__Role roles[PEERS] = {
        HCT__ROLE__ROLE_SLAVE, HCT__ROLE__ROLE_SLAVE, HCT__ROLE__ROLE_SLAVE,
        HCT__ROLE__ROLE_REDIRECTOR, HCT__ROLE__ROLE_REDIRECTOR,
        HCT__ROLE__ROLE_OPERATOR };
    Hct__Hello m = HCT__HELLO__INIT;
    Hct__NodeInfo node = HCT__NODE_INFO__INIT;
    char name[] = { 'n', (char)('0' + who), 0 };

    if (!peers_come(&w->peers, who, &address, address_bytes) ||
        roles[who] == HCT__ROLE__ROLE_NONE)
        return;
    node.cpus = 2;
    m.protocol = PROTOCOL_VERSION;
    m.role = roles[who];
    m.name = name;
    m.instance = 1 + (uint64_t)who;
    m.node = who < 3 ? &node : NULL;
    peers_turn(&w->peers);
    peers_message(&w->peers, who, MESSAGE_HELLO, &m);
    peers_turn(&w->peers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    struct world w = { 0 };
    size_t n = steps_parse(v, data, size);

    world_open(&w);
    come(&w, 0);
    come(&w, 1);
    come(&w, 3);
    for (size_t i = 0; i < n; i++) {
        int who = v[i].who % PEERS;

        if (v[i].what != STEP_CLOSE)
            come(&w, who);
        peers_step(&w.peers, who, &v[i]);
        peers_turn(&w.peers);
    }
    world_close(&w);
    return 0;
}
