/* test_effort.c - why does a task compute longer, by the counters of the
 * processor? Of tasks that wait for each other and spin meanwhile. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policies/pace/effort.h"

enum { TASKS = 6, SLOW = 2 };

static struct effort_task task[TASKS];
static struct effort effort;
static uint64_t instructions[TASKS], cycles[TASKS];

/* Outside of MPI: times as long as usual, 2 instructions a cycle, 3 GHz. */
struct kind { double time, instructions, each, clock, spin; };
static const struct kind usual = { 1, 1, 1, 1, 0.5 };

static void begin(void)
{
    memset(task, 0, sizeof(task));
    memset(instructions, 0, sizeof(instructions));
    memset(cycles, 0, sizeof(cycles));
    effort = (struct effort){ .ntasks = TASKS, .task = task };
}

/* A window of 100 calls: SLOW is of that kind, and all wait for the last. */
static void window(const struct kind *k, uint32_t phase)
{
    double last = 0;

    for (unsigned i = 0; i < TASKS; i++)
        last = fmax(last, (1 + 0.02 * i) * (i == SLOW ? k->time : 1) * 1e6);
    for (unsigned i = 0; i < TASKS; i++) {
        const struct kind *is = i == SLOW ? k : &usual;
        double work = (1 + 0.02 * i) * 1e6, out = work * is->time;
        double in = last - out + 1e5;
        struct effort_sum made = { 100, (float)(100 * in), (float)(100 * out),
                                   0, 0 };

        instructions[i] += (uint64_t)(100 * (6 * work * is->instructions +
                                             k->spin * 3 * in));
        cycles[i] += (uint64_t)(100 * (3 * out * is->clock + 3 * in));
        effort_add(&effort, i, phase, &made, 1 + instructions[i],
                   1 + cycles[i]);
    }
    effort_close(&effort, phase);
}

static void windows(unsigned n, const struct kind *k, uint32_t phase)
{
    for (unsigned i = 0; i < n; i++)
        window(k, phase);
}

static bool others(const void *arg, uint32_t i)
{
    (void)arg;
    return i != SLOW;
}

static bool nobody(const void *arg, uint32_t i)
{
    (void)arg, (void)i;
    return false;
}

static bool is_near(double x, double is)
{
    return fabs(x - is) < 0.02 * is;
}

static void assert_explains(uint32_t cause, const struct kind *k)
{
    struct effort_change c;

    assert_true(effort_explain(&effort, SLOW, others, NULL, &c));
    assert_int_equal(c.cause, cause);
    assert_true(is_near(c.time, k->time));
    assert_true(is_near(c.instructions, k->instructions));
    assert_true(is_near(c.each, k->each));
    assert_true(is_near(c.clock, k->clock));
}

/* Each kind, with much and little spinning; the windows in which nobody has
 * noticed yet do no harm. */
static void test_causes(void **state)
{
    static const struct { uint32_t cause; struct kind kind; } of[] = {
        { EFFORT_WORK, { 2, 2, 1, 1, 0 } }, { EFFORT_WORK, { 1.3, 1.3, 1, 1, 3 } },
        { EFFORT_MEMORY, { 2, 1, 2, 1, 0 } },
        { EFFORT_MEMORY, { 1.3, 1, 1.3, 1, 3 } },
        { EFFORT_CLOCK, { 2, 1, 1, 0.5, 0.2 } },
        { EFFORT_CLOCK, { 1.25, 1, 1, 0.8, 3 } },
        { EFFORT_MEMORY, { 3, 1.2, 2.5, 1, 1 } },       /* most of it */
        { EFFORT_UNKNOWN, { 2.25, 1.5, 1.5, 1, 1 } },   /* half of it */
        { EFFORT_UNKNOWN, { 1.05, 1.05, 1, 1, 1 } },    /* too little */
        { EFFORT_UNKNOWN, { 1, 1, 1, 1, 1 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        struct kind before = usual;

        begin();
        before.spin = of[i].kind.spin;
        windows(24, &before, 0);
        windows(3, &of[i].kind, 0);
        effort_suspect(&effort, 0);
        windows(5, &of[i].kind, 0);
        if (of[i].kind.time >= 1.1) {
            assert_explains(of[i].cause, &of[i].kind);
        } else {
            struct effort_change c;

            if (effort_explain(&effort, SLOW, others, NULL, &c))
                assert_int_equal(c.cause, of[i].cause);
        }
    }
}

/* What all do longer tells nothing of waiting, which is little here. */
static void test_all(void **state)
{
    static const struct kind slow = { 2, 1, 1, 0.5, 0.5 };
    struct effort_change c;

    (void)state;
    begin();
    windows(24, &usual, 0);
    effort_suspect(&effort, 0);
    windows(5, &slow, 0);
    assert_true(effort_explain(&effort, SLOW, nobody, NULL, &c));
    assert_int_equal(c.cause, EFFORT_CLOCK);
    /* ... and much of one that waits for it half of the time. */
    assert_false(effort_explain(&effort, 0, nobody, NULL, &c));
}

/* Another phase has another kind of work, which is not how it was before; what
 * was it once is forgotten when it is so from now on. */
static void test_phases(void **state)
{
    static const struct kind memory = { 2, 1, 2, 1, 0.5 },
                             heavy = { 3, 3, 1, 1, 0.5 };
    struct effort_change c;

    (void)state;
    begin();
    for (unsigned i = 0; i < 10; i++) {
        windows(2, &usual, 0);
        windows(2, &heavy, 1);
    }
    windows(1, &usual, 0);
    effort_suspect(&effort, 0);
    for (unsigned i = 0; i < 3; i++) {
        windows(2, &memory, 0);
        windows(2, &heavy, 1);
    }
    assert_explains(EFFORT_MEMORY, &memory);
    effort_dismiss(&effort, true);
    assert_false(effort_explain(&effort, SLOW, others, NULL, &c));
    windows(8, &memory, 0);
    effort_suspect(&effort, 0);
    windows(4, &memory, 0);
    assert_true(!effort_explain(&effort, SLOW, others, NULL, &c) ||
                c.cause == EFFORT_UNKNOWN);
}

/* Without counters, of one that began anew elsewhere, of a task that there is
 * not, of counters that run backwards: nothing is known, or what is. */
static void test_unknown(void **state)
{
    static const struct kind slow = { 2, 2, 1, 1, 0.5 };
    struct effort_sum made = { 100, 1e6f, 1e6f, 0, 0 };
    struct effort_change c;

    (void)state;
    begin();
    for (unsigned i = 0; i < 20; i++)
        effort_add(&effort, SLOW, 0, &made, 0, 0);
    effort_suspect(&effort, 0);
    assert_false(effort_explain(&effort, SLOW, others, NULL, &c));
    assert_false(effort_explain(&effort, TASKS, others, NULL, &c));
    begin();
    windows(24, &usual, 0);
    instructions[SLOW] = cycles[SLOW] = 0;      /* it has moved */
    effort_suspect(&effort, 0);
    windows(5, &slow, 0);
    assert_explains(EFFORT_WORK, &slow);
    effort.ntasks = 0;
    window(&slow, 0);
    assert_false(effort_explain(&effort, SLOW, others, NULL, &c));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_unknown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
