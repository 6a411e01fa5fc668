/* test_master_parts.c - the master has the tasks of two nodes looked at for two
 * policies, of which one needs models, and not often: slaves are asked for them as
 * often as that one wants a look, and no more; what they tell unasked is nothing;
 * and the record has what was asked for. */
#include <libgen.h>

static char policies[] = "null:every=0.01 ./models.so:every=0.3";
#define RIG_POLICIES policies
#define RIG_ON_LOOK peer_look
#include "tests/unit/master_rig.h"

#include "master/watch/tape.h"

static unsigned with, without;  /* orders for models, of node a */

/* A slave with a model whether it was asked for or not. */
static int peer_look(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    static uint32_t zero[] = { 0 }, call[] = { 12 };
    static uint64_t number[] = { 7 };
    static double time[] = { 2.5 };
    const struct peer *p = arg;
    const Hct__Look *order = msg;
    uint32_t rank = p->name[0] == 'b';
    Hct__Looked__Task task = HCT__LOOKED__TASK__INIT, *tasks[] = { &task };
    Hct__Looked__Model model = HCT__LOOKED__MODEL__INIT, *models[] = { &model };
    Hct__Looked m = HCT__LOOKED__INIT;

    (void)err;
    assert_true(order->parts == 0 || order->parts == HCT_NEED_MODEL);
    assert_true(order->parts == 0 || order->count < 2);
    if (rank == 0)
        *(order->parts ? &with : &without) += 1;
    task.rank = model.rank = rank;
    task.life = HCT_LIFE_RUNNING;
    task.flags = HCT_OBSERVED | HCT_PAGE;
    task.calls = order->seq;
    task.wchan = (char *)"";
    model.n_sites = model.n_calls = model.n_places = model.n_visits = 1;
    model.n_in_ns = model.n_longest_ns = model.n_out_ns = 1;
    model.n_from = model.n_to = model.n_phases = model.n_n = 1;
    model.n_in_mean = model.n_in_m2 = model.n_out_mean = model.n_out_m2 = 1;
    model.n_bytes_mean = model.n_bytes_m2 = 1;
    model.sites = model.from = model.to = model.phases = zero;
    model.calls = call;
    model.places = model.visits = model.in_ns = model.longest_ns = number;
    model.out_ns = model.n = number;
    model.in_mean = model.in_m2 = model.out_mean = model.out_m2 = time;
    model.bytes_mean = model.bytes_m2 = time;
    m.job = order->job;
    m.seq = order->seq;
    m.tasks = tasks;
    m.n_tasks = 1;
    m.models = models;
    m.n_models = 1;
    conn_send(c, MESSAGE_LOOKED, &m);
    return 0;
}

struct seen {
    struct tape_reader reader;
    unsigned with, without;
    uint64_t last_ns;
};

static int take_row(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    struct seen *seen = arg;
    struct tape_reader *r = &seen->reader;
    struct hct_snapshot s;
    struct err err;

    (void)ncols, (void)names;
    r->p = (const uint8_t *)v[0].text;
    r->end = r->p + v[0].bytes;
    while (tape_read(r, &s, &err) > 0) {
        assert_int_equal(s.has_detail, 0);
        if (!(s.parts & HCT_NEED_MODEL)) {
            assert_int_equal(s.nmodels + s.nstates + s.nedges, 0);
            seen->without++;
            continue;
        }
        for (uint32_t i = 0; i < s.nmodels; i++)
            assert_int_equal(hct_edge(&s, hct_model(&s, i), 0)->n, 7);
        if (s.nmodels == 2)
            seen->with++;
        assert_true(!seen->last_ns ||
                    s.now_ns - seen->last_ns > CLOCK_NS_PER_S / 4);
        seen->last_ns = s.now_ns;
    }
    return 0;
}

static void test_two_policies(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 1), *b = rig_slave(r, "b", 1);
    struct peer *run = rig_redirector(r);
    uint64_t until = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;
    struct seen seen = { .with = 0 };
    struct store *st;
    struct err err;

    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "a", "b" },
                                     .slots = 1 });
    rig_wait(run, "running 2/2");
    while ((with < 5 || without < 20) && clock_monotonic_ns() < until)
        rig_turn(r, 20);
    assert_true(with >= 5 && without >= 20);
    peer_exit(a, 1, 0, 0, 0, "");
    peer_exit(b, 1, 1, 0, 0, "");
    peer_drained(a, 1);
    peer_drained(b, 1);
    rig_wait(run, "JobEnded job=1 code=0");
    st = store_open_readonly(r->db, &err);
    assert_non_null(st);
    assert_int_equal(store_query(st, "SELECT data FROM look ORDER BY seq",
                                 take_row, &seen, &err), 0);
    store_close(st);
    assert_true(seen.with >= 3 && seen.without >= 20);
    looks_fini(&seen.reader.looks);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_policies, rig_setup,
                                        rig_teardown),
    };

    (void)argc;
    if (chdir(dirname(argv[0])))
        return 1;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
