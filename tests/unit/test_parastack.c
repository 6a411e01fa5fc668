/* test_parastack.c - the published method, apart from its statistics: which
 * tasks it takes to be in MPI, where several threads may call it, too. */
#include "tests/unit/look.h"

#include "master/watch/callclass.h"
#include "policies/hang/parastack.h"

static void one_thread(void **state)
{
    struct hct_rank *k = &look.rank[0];

    (void)state;
    look_at(2);
    k->age_ns = S;
    assert_false(parastack_in(&look.in, k));
    is_in(0, "Allreduce");
    assert_true(parastack_in(&look.in, k));
    k->flags &= (uint16_t)~HCT_IN_MPI;
    k->call = number_of("Allreduce");
    k->age_ns = MS;
    assert_false(parastack_in(&look.in, k));
}

/* Section 6: with several threads that may communicate, a task is in MPI if any
 * of them is; otherwise it is the main one that counts. */
static void levels(void **state)
{
    static const struct {
        unsigned level, threads, in;
        bool main, want;
    } v[] = {
        { HCT_LEVEL_SINGLE, 1, 0, false, false },
        { HCT_LEVEL_SINGLE, 1, 1, true, true },
        { HCT_LEVEL_SINGLE, 2, 1, false, false },
        { HCT_LEVEL_FUNNELED, 2, 1, false, false },
        { HCT_LEVEL_FUNNELED, 2, 1, true, true },
        { HCT_LEVEL_SERIALIZED, 4, 0, false, false },
        { HCT_LEVEL_SERIALIZED, 4, 1, false, true },
        { HCT_LEVEL_SERIALIZED, 4, 1, true, true },
        { HCT_LEVEL_MULTIPLE, 4, 0, false, false },
        { HCT_LEVEL_MULTIPLE, 4, 1, false, true },
        { HCT_LEVEL_MULTIPLE, 4, 3, false, true },
        { HCT_LEVEL_MULTIPLE, 4, 4, true, true },
        /* one that has called MPI is the main one */
        { HCT_LEVEL_MULTIPLE, 1, 0, false, false },
        { HCT_LEVEL_MULTIPLE, 1, 1, true, true },
        /* not known: as if several may */
        { HCT_LEVEL_UNKNOWN, 2, 1, false, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct hct_rank *k = &look.rank[0];

        look_at(2);
        k->level = v[i].level;
        k->threads = v[i].threads;
        k->threads_in = v[i].in;
        k->call = number_of("Recv");
        k->age_ns = S;
        k->flags |= v[i].main ? HCT_IN_MPI : 0;
        if (parastack_in(&look.in, k) != v[i].want)
            fail_msg("case %zu: level %u, %u threads, %u in", i, v[i].level,
                     v[i].threads, v[i].in);
        /* Of a task without a page nothing is known of threads. */
        k->flags &= (uint16_t)~HCT_PAGE;
        assert_int_equal(parastack_in(&look.in, k), v[i].main);
    }
}

/* Section 4: a task that asks in a loop is in MPI between two questions. */
static void asking(void **state)
{
    static const char *const calls[] = { "Test", "Testany", "Iprobe" };

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        struct hct_rank *k = &look.rank[0];

        look_at(2);
        k->call = number_of(calls[i]);
        k->age_ns = MS;
        assert_true(parastack_in(&look.in, k));
        k->age_ns = S;          /* it computes */
        assert_false(parastack_in(&look.in, k));
    }
}

/* Before the first call and after the last one there is nothing but MPI. */
static void ends(void **state)
{
    struct hct_rank *k = &look.rank[0];

    (void)state;
    look_at(2);
    k->age_ns = S;
    k->life = HCT_LIFE_INIT;
    assert_true(parastack_in(&look.in, k));
    k->life = HCT_LIFE_FINALIZE;
    assert_true(parastack_in(&look.in, k));
    k->life = HCT_LIFE_RUNNING;
    assert_false(parastack_in(&look.in, k));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread),
        cmocka_unit_test(levels),
        cmocka_unit_test(asking),
        cmocka_unit_test(ends),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
