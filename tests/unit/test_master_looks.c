/* test_master_looks.c - the master has the tasks of two nodes looked at in
 * series: what the two have seen at the same time is one snapshot, in the record
 * too, though one of them is slower than asked, and though one goes away. */
#define RIG_POLICIES "null:every=0.01"
#define RIG_ON_LOOK peer_look
#include "tests/unit/master_rig.h"

#include "master/watch/tape.h"

enum { SLOW = 3 };              /* halves: b takes so many for two of a */
static const uint64_t every = 10 * CLOCK_NS_PER_MS;
static uint32_t longest[2];     /* series that were asked for */
static bool silent;             /* b does not answer any more */

static uint64_t step_of(size_t who)
{
    return who ? every * SLOW / 2 : every;
}

/* A task counts nanoseconds as calls, from ten seconds later in each order: so
 * it is seen how old a state is. */
static void look_of(uint32_t rank, uint64_t calls, uint64_t after_ns,
                    ProtobufCBinaryData *to)
{
    Hct__Looked m = HCT__LOOKED__INIT;
    Hct__Looked__Task task = HCT__LOOKED__TASK__INIT, *tasks[] = { &task };

    m.after_ns = after_ns;
    m.tasks = tasks;
    m.n_tasks = 1;
    task.rank = rank;
    task.life = HCT_LIFE_RUNNING;
    task.flags = HCT_OBSERVED | HCT_PAGE;
    task.calls = calls + after_ns;
    task.wchan = (char *)"";
    to->len = hct__looked__get_packed_size(&m);
    to->data = malloc(to->len + 1);
    hct__looked__pack(&m, to->data);
}

static int peer_look(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const struct peer *p = arg;
    const Hct__Look *order = msg;
    size_t who = p->name[0] == 'b';
    uint32_t n = order->count > 1 ? order->count : 1;
    Hct__Looked m = HCT__LOOKED__INIT;
    ProtobufCBinaryData more[64];

    (void)err;
    assert_int_equal(order->parts, 0);  /* null needs none */
    if (who && silent)
        return 0;
    assert_true(n <= 64);
    if (n > longest[who])
        longest[who] = n;
    if (who)                    /* as many as fit in that time */
        n = n * 2 / SLOW > 1 ? n * 2 / SLOW : 1;
    for (uint32_t i = 0; i < n; i++)
        look_of((uint32_t)who, order->seq * 10 * CLOCK_NS_PER_S,
                i * step_of(who), &more[i]);
    m.job = order->job;
    m.seq = order->seq;
    m.more = more;
    m.n_more = n;
    conn_send(c, MESSAGE_LOOKED, &m);
    while (n--)
        free(more[n].data);
    return 0;
}

static int take_row(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    struct tape_reader *r = arg;
    struct hct_snapshot s;
    struct err err;
    static uint64_t seq;
    unsigned n = 0;

    (void)ncols, (void)names;
    r->p = (const uint8_t *)v[0].text;
    r->end = r->p + v[0].bytes;
    while (tape_read(r, &s, &err) > 0) {
        uint64_t a = hct_rank(&s, 0)->calls, b = hct_rank(&s, 1)->calls;

        assert_int_equal(s.seq, ++seq);
        if ((hct_rank(&s, 1)->flags & HCT_OBSERVED) && a % CLOCK_NS_PER_S) {
            assert_int_equal(a / CLOCK_NS_PER_S, b / CLOCK_NS_PER_S);
            assert_true(a > b ? a - b <= 2 * every : b - a <= every);
            n++;
        }
    }
    assert_true(n > 50);
    return 0;
}

static void test_two_nodes(void **state)
{
    struct rig *r = *state;
    struct peer *a = rig_slave(r, "a", 1), *b = rig_slave(r, "b", 1);
    struct peer *run = rig_redirector(r);
    struct tape_reader reader = { 0 };
    uint64_t until = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;
    struct store *st;
    struct err err;

    peer_submit(run, &(struct wish){ .ntasks = 2, .hosts = { "a", "b" },
                                     .slots = 1 });
    rig_wait(run, "running 2/2");
    while ((longest[0] < 20 || longest[1] < 20) &&
           clock_monotonic_ns() < until)
        rig_turn(r, 20);
    assert_true(longest[0] >= 20 && longest[1] >= 20);
    silent = true;              /* a look ends without it, and is a look */
    rig_turn(r, 1800);
    peer_exit(a, 1, 0, 0, 0, "");
    peer_exit(b, 1, 1, 0, 0, "");
    peer_drained(a, 1);
    peer_drained(b, 1);
    rig_wait(run, "JobEnded job=1 code=0");
    rig_expect(r, "SELECT count(*) > 0 FROM look", "1\n");
    st = store_open_readonly(r->db, &err);
    assert_non_null(st);
    assert_int_equal(store_query(st, "SELECT data FROM look ORDER BY seq",
                                 take_row, &reader, &err), 0);
    store_close(st);
    looks_fini(&reader.looks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_nodes, rig_setup,
                                        rig_teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
