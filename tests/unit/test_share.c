/* test_share.c - does time tell how much a task computes, or what it has of a
 * processor? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "policies/pace/speed.h"

enum { TASKS = 4 };

static void test_log(void **state)
{
    (void)state;
    assert_true(share_log(0, 5) == 0);
    assert_true(share_log(5, 0) == 0);
    assert_true(fabs(share_log(1e9, 9e9) - log(0.1)) < 1e-12);
}

static void add(struct share *h, double time, double work, double part, int n)
{
    for (int i = 0; i < n; i++)
        share_add(h, time, work, part);
}

static void test_turns(void **state)
{
    struct share h = { 0 };

    (void)state;
    add(&h, 0.2, 0.05, 0.3, 3);
    assert_false(share_turns(&h));      /* too early */
    add(&h, NAN, 0.05, 0.3, 3);
    assert_false(share_turns(&h));
    add(&h, 0.2, 0.05, 0.3, 1);
    assert_true(share_turns(&h));
    share_turn(&h);
    assert_true(h.used);
    add(&h, 0.2, 0.22, 0.3, 30);        /* hardly worse */
    assert_false(share_turns(&h));
    add(&h, 0.1, 0.3, 0.3, 30);         /* of who sleeps, or computes for little */
    assert_true(share_turns(&h));
    share_turn(&h);
    assert_false(h.used);
    add(&h, 0.1, 0.3, 0.3, 30);
    assert_false(share_turns(&h));
    h = (struct share){ 0 };
    add(&h, 0.2, 0.05, 0.95, 30);       /* nobody else is there */
    assert_false(share_turns(&h));
    h.used = true;
    add(&h, 0.2, 0.05, 0.99, 200);
    assert_true(share_turns(&h));
}

/* Tasks that sleep outside of MPI, and give their processor away each time that
 * they have looked for a message, amid 25 others on each: their part is a
 * thousandth, and nothing of what they do varies with it. */
static void test_yields(void **state)
{
    struct share h = { 0 };

    (void)state;
    add(&h, 0.31, 0.3, 0.001, 30);
    assert_false(share_turns(&h));
    h.used = true;
    assert_true(share_turns(&h));
    h = (struct share){ 0 };
    add(&h, 0.31, 0.3, 0.05, 30);       /* who computes amid 19 has a twentieth */
    assert_true(share_turns(&h));
}

static struct speed speed;
static struct speed_task tasks[TASKS];
static struct speed_parts parts[TASKS];
static struct hct_rank ranks[TASKS];
static double shift[TASKS], words[TASKS];

/* Each has a tenth of a processor more or less, and computes for a second of
 * ten, as it does in MPI. */
static void window(unsigned w)
{
    struct hct_snapshot in = { .nranks = TASKS, .ranks = ranks,
                               .rank_size = sizeof(*ranks),
                               .now_ns = w * (uint64_t)10000000000 };

    for (unsigned i = 0; i < TASKS; i++) {
        uint64_t all = (9 + (w + i) % 3) * (uint64_t)1000000000;

        ranks[i].flags = HCT_PAGE;
        ranks[i].calls += 100;
        ranks[i].out_ns += all;
        ranks[i].in_ns += all;
        ranks[i].had_ns += 2000000000;
        ranks[i].wanted_ns += 2 * all - 2000000000;
    }
    speed_read(&speed, &in, 0);
    speed_close(&speed, 0, in.now_ns, SPEED_PHASES);
}

/* By what one of the tasks differs between windows, in the ring. */
static double apart(void)
{
    float low = INFINITY, high = -INFINITY;

    for (uint64_t w = speed_first(&speed); w < speed.windows; w++) {
        float x = tasks[1].ring[w % SPEED_RING];

        low = isnan(x) ? low : fminf(low, x);
        high = isnan(x) ? high : fmaxf(high, x);
    }
    return (double)(high - low);
}

/* Windows that were seen by time before are compared by work behind the turn,
 * and the other way round. */
static void test_ring(void **state)
{
    double as_time;

    (void)state;
    speed = (struct speed){ .ntasks = TASKS, .task = tasks, .parts = parts,
                            .shift = shift, .words = words };
    for (unsigned w = 1; w < 30; w++)
        window(w);
    assert_true(share_turns(&speed.share));
    as_time = apart();
    assert_true(as_time > 0.19);
    assert_true(fabs(speed_took(&speed, 20) -
                     (speed.ring[20].in_ns + speed.ring[20].out_ns) / 400) < 1);
    speed_turn(&speed);
    assert_true(apart() < 0.001);
    assert_true(fabs(speed_took(&speed, 20) - 20000000) < 10000);
    for (unsigned w = 30; w < 40; w++)
        window(w);
    assert_true(apart() < 0.001);
    /* 10 ms for a call, as it was before: learnt anew from the ring. */
    assert_true(fabs(speed_before(&speed, 0, 1, speed.windows) - 1e7) < 10000);
    assert_false(share_turns(&speed.share));
    speed_turn(&speed);
    assert_true(fabs(apart() - as_time) < 0.001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_yields), cmocka_unit_test(test_ring),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
