/* test_policy.c - what hector-judge does with the steps of a policy: what makes
 * no sense is not believed, and it may have so much memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "master/judge/policy.h"

enum { MILLION = 1048576 };

static bool wrong;
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

static int mine_step(void *state, const struct hct_snapshot *in,
                     struct hct_out *out)
{
    (void)state;
    (void)in;
    out->nlines = 1;
    out->lines[0] = (struct hct_line){ HCT_NONE, "", 7, 8 };
    out->nverdicts = wrong;
    out->verdicts[0] = (struct hct_verdict){ .kind = 99 };
    return 0;
}

static const struct hct_param none[] = { { .name = NULL } };
static const struct hct_policy mine = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "mine",
    .params = none, .state_bytes = mine_bytes, .init = mine_init,
    .step = mine_step,
};

static struct policy policy;
static struct found out;
static struct hct_job job;

static void begin(uint32_t nranks)
{
    struct err err;

    policy = (struct policy){ .p = &mine, .name = "mine" };
    job = (struct hct_job){ .size = sizeof(job), .nranks = nranks };
    wants = 1;
    assert_int_equal(policy_begin(&policy, &job, &err), 0);
    assert_int_equal(found_init(&out, 1), 0);
}

static void end(void)
{
    found_fini(&out);
    policy_close(&policy);
}

/* What came of n steps that are all the same; that of the last one. */
static enum found_how steps(unsigned n, bool odd)
{
    const struct hct_snapshot in = { .size = sizeof(in), .job = &job,
                                     .nranks = job.nranks };

    wrong = odd;
    for (unsigned i = 0; i < n; i++)
        policy_step(&policy, &in, &out);
    return out.how;
}

static void test_three_wrong(void **state)
{
    (void)state;
    begin(1);
    assert_int_equal(steps(2, true), FOUND_ODD);
    assert_string_equal(out.why, "it gave a verdict of no kind");
    assert_int_equal(out.out.nverdicts, 0);
    assert_int_equal(steps(1000, false), FOUND_FINE);
    assert_int_equal(steps(1, true), FOUND_OFF);
    assert_true(policy.off);
    end();
}

/* What older ones have there is text. */
static void test_places(void **state)
{
    struct hct_policy old = mine;

    (void)state;
    begin(1);
    steps(1, false);
    assert_int_equal(out.lines[0].site, 7);
    assert_int_equal(out.lines[0].made, 8);
    old.minor = 4;
    policy.p = &old;
    steps(1, false);
    assert_int_equal(out.lines[0].site | out.lines[0].made, 0);
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
        cmocka_unit_test(test_three_wrong), cmocka_unit_test(test_places),
        cmocka_unit_test(test_memory),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
