/* test_master_relay.c - fences, direct modex and published names between two
 * slaves, through the master. */
#include "tests/unit/master_rig.h"

#include "master/state/job.h"

/* Ranks 0, 1 on a; 2, 3 on b. */
static struct peer *a, *b;

static void start(struct rig *r)
{
    struct peer *run;

    a = rig_slave(r, "a", 2);
    b = rig_slave(r, "b", 2);
    run = rig_redirector(r);
    peer_submit(run, &(struct wish){ .ntasks = 4, .hosts = { "a", "b" } });
    rig_wait(run, "running 4/4");
}

static void fence(struct peer *p, const char *signature, const char *data,
                  const char *ranks)
{
    Hct__Fence m = HCT__FENCE__INIT;

    m.job = 1;
    m.signature.data = (uint8_t *)signature;
    m.signature.len = strlen(signature);
    m.data.data = (uint8_t *)data;
    m.data.len = strlen(data);
    m.ranks = (char *)ranks;
    conn_send(p->c, MESSAGE_FENCE, &m);
}

static void test_fence(void **state)
{
    struct rig *r = *state;

    start(r);
    fence(b, "all", "BB", "all");
    rig_turn(r, 20);
    assert_false(heard(a, "FenceDone"));
    fence(a, "all", "A", "all");
    rig_wait(a, "FenceDone job=1 status=0 data=ABB\n");
    rig_wait(b, "FenceDone job=1 status=0 data=ABB\n");
    fence(a, "low", "x", "0-1");        /* nobody on b takes part */
    rig_wait(a, "FenceDone job=1 status=0 data=x\n");
    assert_false(heard(b, "data=x\n"));
    fence(a, "bad", "x", "0-9");
    rig_wait(a, "closed");
}

static void test_fence_without_the_others(void **state)
{
    struct rig *r = *state;

    start(r);
    fence(a, "f", "1", "all");
    peer_exit(b, 1, 2, 0, 0, "");
    rig_turn(r, 20);
    assert_false(heard(a, "FenceDone"));
    peer_exit(b, 1, 3, 0, 0, "");
    rig_wait(a, "FenceDone job=1 status=-1 data=\n");
    fence(a, "f", "2", "all");          /* too late from the start */
    rig_wait_n(a, "FenceDone job=1 status=-1", 2);
}

static void test_fence_lost_node(void **state)
{
    struct rig *r = *state;

    start(r);
    fence(b, "f", "1", "all");
    fence(a, "g", "1", "0,3");
    rig_turn(r, 20);
    conn_close(b->c);
    b->c = NULL;
    rig_wait_n(a, "FenceDone job=1 status=-1", 2);
}

static void test_modex(void **state)
{
    struct rig *r = *state;
    Hct__ModexRequest q = HCT__MODEX_REQUEST__INIT;
    Hct__ModexReply p = HCT__MODEX_REPLY__INIT;

    start(r);
    q.job = 1;
    q.rank = 3;
    q.ticket = 77;
    q.from_node = 12345;                /* the link decides, not this */
    conn_send(a->c, MESSAGE_MODEX_REQUEST, &q);
    rig_wait(b, "ModexRequest rank=3 ticket=77 from=0");
    p.job = 1;
    p.ticket = 77;
    p.to_node = 0;
    p.data.data = (uint8_t *)"blob";
    p.data.len = 4;
    conn_send(b->c, MESSAGE_MODEX_REPLY, &p);
    rig_wait(a, "ModexReply ticket=77 status=0 data=blob\n");
    peer_exit(b, 1, 2, 0, 0, "");
    peer_exit(b, 1, 3, 0, 0, "");
    peer_drained(b, 1);
    rig_turn(r, 20);
    conn_send(a->c, MESSAGE_MODEX_REQUEST, &q);
    rig_wait(a, "ModexReply ticket=77 status=-1");
    q.rank = 4;
    conn_send(a->c, MESSAGE_MODEX_REQUEST, &q);
    rig_wait(a, "closed");
}

static void lookup(struct peer *p, const char *key, uint64_t ticket,
                   uint64_t timeout_ns)
{
    Hct__Lookup m = HCT__LOOKUP__INIT;
    char *keys[1] = { (char *)key };

    m.job = 1;
    m.n_keys = 1;
    m.keys = keys;
    m.wait = true;
    m.ticket = ticket;
    m.timeout_ns = timeout_ns;
    conn_send(p->c, MESSAGE_LOOKUP, &m);
}

static void test_names(void **state)
{
    struct rig *r = *state;
    Hct__Publish m = HCT__PUBLISH__INIT;

    start(r);
    lookup(b, "port", 5, 0);
    lookup(b, "never", 6, 30 * CLOCK_NS_PER_MS);
    rig_wait(b, "LookupReply ticket=6 status=-24");
    assert_false(heard(b, "ticket=5"));
    m.job = 1;
    m.key = (char *)"port";
    m.nspace = (char *)"ns";
    m.ticket = 9;
    conn_send(a->c, MESSAGE_PUBLISH, &m);
    rig_wait(a, "LookupReply ticket=9 status=0 found=0");
    rig_wait(b, "LookupReply ticket=5 status=0 found=1 port");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        T(test_fence),
        T(test_fence_without_the_others),
        T(test_fence_lost_node),
        T(test_modex),
        T(test_names),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
