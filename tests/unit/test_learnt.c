/* test_learnt.c - how many groups are normal: as comparisons of this run and of
 * earlier ones say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "policies/outlier/learnt.h"

static struct learnt l;
static struct hct_learnt was[LEARNT_KINDS + 8], told[4];
static struct hct_out out;

static int begin(void **state)
{
    (void)state;
    l = (struct learnt){ .most = 4 };
    out = (struct hct_out){ .learnt = told, .learnt_max = 4 };
    return 0;
}

static void take(uint32_t n)
{
    struct hct_snapshot in = { .learnt = was, .nlearnt = n,
                               .learnt_size = sizeof(was[0]) };

    learnt_take(&l, &in);
}

static struct learnt_about is;

static const struct learnt_about *about(uint32_t phase_id, bool unmerged)
{
    is = (struct learnt_about){ 77, phase_id, unmerged };
    return &is;
}

/* As another run has told it. */
static uint64_t what_of(uint32_t phase_id)
{
    struct learnt other = { .most = 4 };
    struct hct_learnt row;
    struct hct_out to = { .learnt = &row, .learnt_max = 1 };

    learnt_add(&other, about(phase_id, false), 1);
    learnt_tell(&other, about(phase_id, false), &to);
    return row.what;
}

static uint32_t groups(uint32_t phase_id)
{
    return learnt_find(&l, about(phase_id, false)).groups;
}

/* One comparison may be chance; then the most of them is normal, of each kind.
 * */
static void test_here(void **state)
{
    (void)state;
    assert_int_equal(groups(7), 0);
    learnt_add(&l, about(7, false), 1);
    assert_int_equal(groups(7), 0);
    learnt_add(&l, about(7, false), 2);
    learnt_add(&l, about(7, false), 1);
    assert_int_equal(groups(7), 2);
    assert_int_equal(groups(8), 0);
    for (uint32_t k = 3; k; k--)        /* of all time the last one */
        assert_true(learnt_add(&l, about(0, false), k));
    assert_int_equal(groups(0), 0);     /* but this run's are of the same time */
    learnt_tell(&l, about(0, false), &out);
    assert_int_equal(told[0].groups, 1);
    assert_int_equal(learnt_find(&l, about(7, true)).groups, 0);
}

/* What other runs say counts until this one has said something itself; not
 * where they did not look for more. */
static void test_runs(void **state)
{
    (void)state;
    was[0] = (struct hct_learnt){ .what = what_of(7), .groups = 3,
                                  .most = 4, .times = 9, .runs = 2 };
    was[1] = (struct hct_learnt){ .what = what_of(0), .groups = 2,
                                  .most = 4, .times = 1, .runs = 1 };
    was[2] = (struct hct_learnt){ .what = what_of(5), .groups = 2,
                                  .most = 2, .times = 5, .runs = 5 };
    was[3] = (struct hct_learnt){ .what = what_of(6), .groups = 1,
                                  .most = 2, .times = 5, .runs = 5 };
    take(4);
    assert_int_equal(groups(7), 3);
    assert_int_equal(learnt_find(&l, about(7, false)).runs, 2);
    assert_int_equal(groups(0), 0);      /* one, of one run */
    assert_int_equal(groups(5), 0);      /* there may have been more */
    assert_int_equal(groups(6), 1);
    learnt_add(&l, about(7, false), 1);
    assert_int_equal(groups(7), 3);
    learnt_add(&l, about(7, false), 1);
    assert_int_equal(groups(7), 1);
    assert_int_equal(learnt_find(&l, about(7, false)).runs, 0);
}

/* News are told, and now and then that nothing has changed. */
static void test_tell(void **state)
{
    unsigned n = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        n += learnt_add(&l, about(7, false), i == 600 ? 2 : 1);
    assert_in_range(n, 10, 12);
    learnt_tell(&l, about(8, false), &out);
    assert_int_equal(out.nlearnt, 0);
    learnt_tell(&l, about(7, false), &out);
    assert_int_equal(out.nlearnt, 1);
    assert_int_equal(told[0].what, what_of(7));
    assert_int_equal(told[0].groups, 2);
    assert_int_equal(told[0].most, 4);
    assert_int_equal(told[0].times, 1000);
    out.nlearnt = out.learnt_max;
    learnt_tell(&l, about(7, false), &out);
    assert_int_equal(out.nlearnt, out.learnt_max);
}

/* More kinds than there is room for: of the last ones nothing is known. */
static void test_many(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LEARNT_KINDS + 8; i++)
        was[i] = (struct hct_learnt){ .what = what_of(i + 1), .groups = 1,
                                      .most = 4, .times = 2, .runs = 1 };
    take(LEARNT_KINDS + 8);
    assert_int_equal(groups(LEARNT_KINDS), 1);
    assert_int_equal(groups(LEARNT_KINDS + 1), 0);
    assert_false(learnt_add(&l, about(1000, false), 1));
}

/* Where MPI begins says which program it is; of several the least. */
static void test_program(void **state)
{
    const struct hct_call calls[] = {
        { .name = "" }, { "MPI_Init", HCT_CLASS_INIT, 0 },
        { "MPI_Send", HCT_CLASS_SEND, 0 } };
    const struct hct_state states[] = {
        { .call = 0 }, { .call = 2, .place = 5 }, { .call = 1, .place = 90 },
        { .call = 1, .place = 60 }, { .call = 1 } };
    const struct hct_model models[] = { { .nstates = 3 },
                                        { .states = 3, .nstates = 2 } };
    struct hct_snapshot in = {
        .calls = calls, .ncalls = 3, .call_size = sizeof(calls[0]),
        .states = states, .state_size = sizeof(states[0]), .models = models,
        .model_size = sizeof(models[0]) };
    struct learnt_about other = { 78, 7, false };

    (void)state;
    assert_int_equal(learnt_program(&in), 0);
    in.nmodels = 1;
    assert_int_equal(learnt_program(&in), 90);
    in.nmodels = 2;
    assert_int_equal(learnt_program(&in), 60);
    for (int i = 0; i < 3; i++)
        learnt_add(&l, about(7, false), 1);
    assert_int_equal(groups(7), 1);
    assert_int_equal(learnt_find(&l, &other).groups, 0);
}

/* Each is a line of a policy's, whole. */
static void test_words(void **state)
{
    char text[sizeof(((struct hct_line *)0)->text) + 100], of[90];
    struct learnt_groups g = { .groups = 0 };

    (void)state;
    learnt_say(&g, 1, "", text, sizeof(text));
    assert_string_equal(text, "its tasks are in 1 group by the Bayesian "
                              "information criterion: no earlier runs say how many are normal");
    g = (struct learnt_groups){ 2, 5, 0 };
    learnt_say(&g, 1, "phases 'solve'", text, sizeof(text));
    assert_string_equal(text, "its tasks are in 1 group, of no more than 2: "
                              "so they were in 5 earlier phases 'solve' in which nobody was "
                              "odd");
    g.runs = 3;
    learnt_say(&g, 2, "", text, sizeof(text));
    assert_string_equal(text, "its tasks are in 2 groups, of no more than 2: "
                              "so were those of 3 good runs");
    memset(of, 'x', sizeof(of) - 1);
    of[sizeof(of) - 1] = '\0';
    for (unsigned i = 0; i < 3; i++) {
        g = (struct learnt_groups){ i ? 10 : 0, UINT32_MAX, i == 1 ? 10 : 0 };
        learnt_say(&g, 10, of, text, sizeof(text));
        assert_in_range(strlen(text), 1, sizeof(((struct hct_line *)0)->text) - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_here, begin),
        cmocka_unit_test_setup(test_runs, begin),
        cmocka_unit_test_setup(test_tell, begin),
        cmocka_unit_test_setup(test_many, begin),
        cmocka_unit_test_setup(test_words, begin),
        cmocka_unit_test_setup(test_program, begin),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
