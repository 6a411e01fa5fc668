/* test_policy.c - the host's side of a policy: what is done about steps that
 * are slow, and how much memory it may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "master/watch/policy.h"
#include "proto/base/clock.h"

enum { SLOW_MS = 110, MILLION = 1048576 };

static unsigned busy_ms;
static size_t wants;

static size_t mine_bytes(const struct hct_job *job, const double *params)
{
    (void)job;
    (void)params;
    return wants;
}

static int mine_init(void *state, const struct hct_job *job,
                     const double *params, char *why, size_t why_bytes)
{
    (void)state;
    (void)job;
    (void)params;
    (void)why;
    (void)why_bytes;
    return 0;
}

static uint64_t used_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

static int mine_step(void *state, const struct hct_snapshot *in,
                     struct hct_out *out)
{
    uint64_t end = busy_ms ? used_ns() + busy_ms * CLOCK_NS_PER_MS : 0;

    (void)state;
    (void)in;
    out->nlines = 1;
    out->lines[0] = (struct hct_line){ HCT_NONE, "", 7, 8 };
    while (end && used_ns() < end)
        ;
    return 0;
}

static const struct hct_param none[] = { { .name = NULL } };
static const struct hct_policy mine = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "mine",
    .params = none, .state_bytes = mine_bytes, .init = mine_init,
    .step = mine_step,
};

static struct policy policy;
static struct policy_out out;
static struct hct_job job;

static void begin(uint32_t nranks)
{
    struct err err;

    policy = (struct policy){ .p = &mine, .name = "mine" };
    job = (struct hct_job){ .size = sizeof(job), .nranks = nranks };
    wants = 1;
    assert_int_equal(policy_begin(&policy, &job, &err), 0);
    assert_int_equal(policy_out_init(&out, 1), 0);
}

static void end(void)
{
    policy_out_fini(&out);
    policy_close(&policy);
}

/* What came of n steps that are all the same; that of the last one. */
static enum policy_result steps(unsigned n, unsigned ms)
{
    const struct hct_snapshot in = { .size = sizeof(in), .job = &job,
                                     .nranks = job.nranks };
    enum policy_result rc = POLICY_FINE;
    char why[100];

    busy_ms = ms;
    for (unsigned i = 0; i < n; i++)
        rc = policy_step(&policy, &in, &out, why, sizeof(why));
    return rc;
}

static void test_three_slow(void **state)
{
    (void)state;
    begin(1);
    assert_int_equal(steps(1, SLOW_MS), POLICY_ODD);
    assert_int_equal(steps(100, 0), POLICY_FINE);
    assert_int_equal(steps(1, SLOW_MS), POLICY_ODD);
    assert_int_equal(steps(POLICY_FORGIVEN - 1, 0), POLICY_FINE);
    assert_int_equal(steps(1, SLOW_MS), POLICY_OFF);
    assert_true(policy.off);
    end();
}

/* What older ones have there is text. */
static void test_places(void **state)
{
    struct hct_policy old = mine;

    (void)state;
    begin(1);
    steps(1, 0);
    assert_int_equal(out.lines[0].site, 7);
    assert_int_equal(out.lines[0].made, 8);
    old.minor = 4;
    policy.p = &old;
    steps(1, 0);
    assert_int_equal(out.lines[0].site | out.lines[0].made, 0);
    end();
}

static void test_forgiven(void **state)
{
    (void)state;
    begin(1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(steps(2, SLOW_MS), POLICY_ODD);
        assert_int_equal(steps(POLICY_FORGIVEN, 0), POLICY_FINE);
    }
    assert_int_equal(steps(2, SLOW_MS), POLICY_ODD);
    assert_int_equal(steps(1, SLOW_MS), POLICY_OFF);
    end();
}

/* Of many tasks a step may take longer. */
static void test_slow_for_many(void **state)
{
    (void)state;
    begin(MILLION);
    assert_int_equal(steps(4, SLOW_MS), POLICY_FINE);
    end();
    begin(MILLION / 16);
    assert_int_equal(steps(1, SLOW_MS), POLICY_ODD);
    end();
}

static void test_memory(void **state)
{
    struct err err;

    (void)state;
    begin(MILLION);
    wants = (size_t)MILLION * 512;
    assert_int_equal(policy_begin(&policy, &job, &err), 0);
    wants++;
    assert_int_equal(policy_begin(&policy, &job, &err), -1);
    assert_string_equal(err.text, "policy mine wants 536870913 bytes for its "
                        "state");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_slow),
        cmocka_unit_test(test_places), cmocka_unit_test(test_forgiven),
        cmocka_unit_test(test_slow_for_many),
        cmocka_unit_test(test_memory),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
