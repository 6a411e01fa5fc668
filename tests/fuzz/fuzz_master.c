/* fuzz_master.c - slaves, redirectors, operators and strangers say anything
 * to a whole master, in any order: it stays alive and in order, and ends
 * with no job, link or byte left over.
 *
 * Peers 0 to 2 are the slaves n0 to n2, 3 and 4 redirectors, 5 an operator;
 * they have said Hello when their first step comes. 6 and 7 have not. With
 * STEP_SPECIAL time passes: the policy hang, with sanitizers too, has the tasks
 * looked at, and judges what has been told. */
#include "tests/fuzz/peers.h"

#include "master/master.h"
#include "proto/link/refused.h"
#include "tests/fuzz/judge_here.h"

struct world {
    struct event_base *base;
    struct master *master;
    struct peers peers;
};

static int listening;                   /* one for all inputs */
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_bytes;
static char policies[4096 + 100];       /* as in hector.conf */

/* Looks as often as can be, and no patience: an input takes no time. */
static void begin_policies(void)
{
    static struct policy hang;          /* stays, and so does its object */
    struct err err;
    ssize_t n = readlink("/proc/self/exe", policies, 4096);

    assert(n > 0);
    while (policies[n - 1] != '/')
        n--;
    strcpy(policies + n, "policies/hang.so:look=0.01,least=0.1,sure=0.1,"
           "work=0.1,still=0.1,spin=0.1,interval=0.01");
    assert(strlen(policies) < 256);     /* what a word may be there */
    if (policy_open(&hang, policies, &err))
        fprintf(stderr, "%s\n", err.text), abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    begin_policies();
    address_bytes = (socklen_t)sizeof(sa_family_t) +
        (socklen_t)snprintf(address.sun_path, sizeof(address.sun_path),
                            "%cfuzz-master.%d", 0, (int)getpid());
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert(listening >= 0 && !bind(listening, (struct sockaddr *)&address,
                                   address_bytes) && !listen(listening, 64));
    return 0;
}

static void turned(void *arg)
{
    (void)arg;
}

static const struct master_ops ops = { .turned = turned };

static void world_open(struct world *w)
{
    /* Every wait is over at once: what comes after it is to be seen. */
    struct master_conf conf = {
        .flow = { .instance = 5, .join_wait_ns = 1, .notice_ns = 1,
                  .left_wait_ns = 1, .lost_wait_ns = 1, .restart_wait_ns = 1,
                  .end_wait_ns = 1,
                  .watch = { .policies = policies, .tape_bytes = 65536 },
                  .act = { .kills_per_hour = 20, .hang_samples = 2,
                           .hang_slices = true } },
        .reduce = { .fan_out = 1, .last_id = 100 },
        .name = "fuzz", .host = "here", .addresses = "x", .path = ":memory:",
    };
    struct err err;

    refused_reset();
    w->base = event_base_new();
    peers_open(&w->peers, w->base);
    w->master = master_create(w->base, &conf, store_open(":memory:", &err),
                              &ops, w, &err);
    assert(w->master);
    assert(hub_listen(w->master->hub, dup(listening), &err) == 0);
}

static void world_close(struct world *w)
{
    peers_close(&w->peers);
    master_destroy(w->master);
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

/* As long as a look takes to begin. */
static void wait_for_look(struct world *w)
{
    struct timeval tv = { .tv_usec = 12000 };

    event_base_loopexit(w->base, &tv);
    event_base_dispatch(w->base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    struct world w = { 0 };
    size_t n = steps_parse(v, data, size), waits = 4;

    world_open(&w);
    come(&w, 0);
    come(&w, 1);
    come(&w, 3);
    for (size_t i = 0; i < n; i++) {
        int who = v[i].who % PEERS;

        if (v[i].what == STEP_SPECIAL) {
            if (waits)
                waits--, wait_for_look(&w);
            continue;
        }
        if (v[i].what != STEP_CLOSE)
            come(&w, who);
        peers_step(&w.peers, who, &v[i]);
        peers_turn(&w.peers);
    }
    world_close(&w);
    return 0;
}
