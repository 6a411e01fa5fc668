/* test_inject.c - which call of which task is struck: the rules as the
 * injector reads them, and that it reads all that hector-run writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi-wrappers/inject/inject.h"
#include "redirector/options/faults.h"

static struct inject_plan plan;

static void parse(const char *text, uint32_t rank, uint32_t ntasks)
{
    if (inject_parse(&plan, text, rank, ntasks) < 0)
        fail_msg("not understood: %s", text);
}

/* The number of the call, among n, that is struck first; 0: none. */
static int struck(unsigned call, int n)
{
    int first = 0;

    for (int i = 1; i <= n; i++)
        if (inject_due(&plan, call, 0, 1) && !first)
            first = i;
    return first;
}

static void test_nth(void **state)
{
    (void)state;
    parse("hang in 3 MPI_Allreduce 500 500 0 0 0 0 0", 3, 4);
    assert_int_equal(plan.n, 1);
    assert_int_equal(struck(CALL_Barrier, 1000), 0);
    for (int i = 1; i <= 1000; i++)
        assert_int_equal(inject_due(&plan, CALL_Allreduce, 0, 0), i == 500);
}

static void test_pattern(void **state)
{
    static const unsigned calls[] = { CALL_Isend, CALL_Send, CALL_Wait,
                                      CALL_Ssend, CALL_Sendrecv };
    char text[256];

    (void)state;
    parse("hang after all mpi_*SEND 3 3 0 0 0 0 0", 0, 1);
    assert_int_equal(inject_due(&plan, calls[0], 0, 0), 0);
    assert_int_equal(inject_due(&plan, calls[1], 0, 0), 0);
    assert_int_equal(inject_due(&plan, calls[2], 0, 0), 0);
    assert_int_equal(inject_due(&plan, calls[4], 0, 0), 0);
    assert_int_equal(inject_due(&plan, calls[3], 0, 0), 1);
    inject_describe(&plan.rule[0], CALL_Ssend, 0, text, sizeof(text));
    assert_string_equal(text, "injected: hang after MPI_Ssend call 3 of "
                        "mpi_*SEND");
    parse("drop in all mpi_send 3 3 0 0 0 0 0", 0, 1);
    inject_describe(&plan.rule[0], CALL_Send, 7, text, sizeof(text));
    assert_string_equal(text, "injected: drop in MPI_Send call 3 to rank 7");
}

/* Only what sends counts for a message that is to be lost. */
static void test_drop(void **state)
{
    (void)state;
    parse("drop in all MPI_* 2 2 0 0 0 0 0", 0, 1);
    assert_int_equal(struck(CALL_Barrier, 10), 0);
    assert_int_equal(struck(CALL_Recv, 10), 0);
    assert_int_equal(struck(CALL_Bcast, 10), 0);
    for (int i = 0; i < 10; i++)        /* to nobody */
        assert_int_equal(inject_due(&plan, CALL_Send, INJECT_NOBODY, 0), 0);
    assert_int_equal(inject_due(&plan, CALL_Isend, 0, 0), 0);
    assert_int_equal(inject_due(&plan, CALL_Put, 0, 0), 1);
}

static void test_slow(void **state)
{
    (void)state;
    parse("slow in all MPI_Send 3 3 0 0 1000 0 0", 0, 1);
    for (int i = 1; i <= 10; i++)
        assert_int_equal(inject_due(&plan, CALL_Send, 0, 0), i >= 3);
}

static void test_several(void **state)
{
    (void)state;
    parse("stall in 0 MPI_Send 2 2 0 0 1 0 0;exit in 1 MPI_Send 1 1 0 0 0 0 3;"
          "hang in 0-1 MPI_S* 2 2 0 0 0 0 0", 0, 2);
    assert_int_equal(plan.n, 2);        /* the second is not for us */
    assert_int_equal(inject_due(&plan, CALL_Ssend, 0, 0), 0);
    assert_int_equal(inject_due(&plan, CALL_Send, 0, 0), 2);
    assert_int_equal(inject_due(&plan, CALL_Send, 0, 0), 1);
}

/* Calls before the time do not count, nor those before MPI_Init. */
static void test_time(void **state)
{
    (void)state;
    parse("hang in all MPI_Send 2 2 0 1000 0 0 0", 0, 1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(inject_due(&plan, CALL_Send, 0, i ? 999 : 0), 0);
    assert_int_equal(inject_due(&plan, CALL_Send, 0, 1000), 0);
    assert_int_equal(inject_due(&plan, CALL_Send, 0, 1001), 1);
}

static void test_ranks(void **state)
{
    static const struct { const char *list; const char *mine; } v[] = {
        { "0", "10000000" }, { "7", "00000001" }, { "0-3,7", "11110001" },
        { "1,3,5", "01010100" }, { "all", "11111111" }, { "8", "00000000" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        for (uint32_t rank = 0; rank < 8; rank++) {
            char text[128];

            snprintf(text, sizeof(text), "hang in %s MPI_Send 1 1 0 0 0 0 0",
                     v[i].list);
            parse(text, rank, 8);
            assert_int_equal(plan.n, v[i].mine[rank] == '1');
        }
}

/* One rank of all, the same for everyone who asks, and in time every one. */
static void test_random_rank(void **state)
{
    enum { TASKS = 7, SEEDS = 700 };
    int chosen[TASKS] = { 0 };

    (void)state;
    for (int seed = 0; seed < SEEDS; seed++) {
        int n = 0;

        for (uint32_t rank = 0; rank < TASKS; rank++) {
            char text[128];

            snprintf(text, sizeof(text), "hang in random MPI_Send 1 1 %d 0 0 "
                     "0 0", seed);
            parse(text, rank, TASKS);
            n += (int)plan.n;
            chosen[rank] += (int)plan.n;
        }
        assert_int_equal(n, 1);
    }
    for (int rank = 0; rank < TASKS; rank++)
        assert_in_range(chosen[rank], SEEDS / TASKS / 2, SEEDS / TASKS * 2);
    parse("hang in random MPI_Send 1 1 0 0 0 0 0", UINT32_MAX, 0);
    assert_int_equal(plan.n, 0);        /* nobody knows how many there are */
}

/* The same seed, the same call; another rank or seed, another one; all within
 * the bounds. */
static void test_random_call(void **state)
{
    uint64_t targets[64];

    (void)state;
    for (int i = 0; i < 64; i++) {
        char text[128];

        snprintf(text, sizeof(text), "hang in all MPI_* 11 5010 %d 0 0 0 0",
                 i / 8);
        parse(text, (uint32_t)i % 8, 8);
        targets[i] = plan.rule[0].target;
        assert_in_range(targets[i], 11, 5010);
        assert_int_equal(struck(CALL_Send, 5010), targets[i]);
        parse(text, (uint32_t)i % 8, 8);
        assert_int_equal(plan.rule[0].target, targets[i]);
        for (int k = 0; k < i && i < 16; k++)
            assert_int_not_equal(targets[k], targets[i]);
    }
}

static void test_malformed(void **state)
{
    static const char *const bad[] = {
        "hang", "hang in 3 MPI_Send 1 1 0 0 0 0",
        "hang in 3 MPI_Send 1 1 0 0 0 0 0 0",
        "hung in 3 MPI_Send 1 1 0 0 0 0 0", "hang on 3 MPI_Send 1 1 0 0 0 0 0",
        "hang in x MPI_Send 1 1 0 0 0 0 0", "hang in 3- MPI_Send 1 1 0 0 0 0 0",
        "hang in 3,,4 MPI_Send 1 1 0 0 0 0 0",
        "hang in 4-3 MPI_Send 1 1 0 0 0 0 0",
        "hang in 3 MPI_Foo 1 1 0 0 0 0 0", "drop in 3 MPI_Wait 1 1 0 0 0 0 0",
        "hang in 3 MPI_Send 0 1 0 0 0 0 0", "hang in 3 MPI_Send 2 1 0 0 0 0 0",
        "hang in 3 MPI_Send 1 1 0 0 0 0 256", "hang in 3 MPI_Send 1 1 -1 0 0 0 0",
        "hang in 3 MPI_Send 1 1 0 0 0 0 0;hang",
        "hang in 3 MPI_Send 99999999999999999999 1 0 0 0 0 0",
    };
    char big[5000];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (inject_parse(&plan, bad[i], 3, 4) == 0)
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(plan.n, 0);
        assert_int_equal(plan.of_call[CALL_Send], 0);
    }
    memset(big, ';', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    assert_int_equal(inject_parse(&plan, big, 3, 4), -1);
    assert_int_equal(inject_parse(&plan, "", 3, 4), 0);
}

/* What hector-run makes of a description is what the injector takes. */
static void test_agree(void **state)
{
    static const char *const faults[] = {
#define X(id, number, name) name,
        INJECT_FAULTS(X)
#undef X
    };
    struct err err = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        char text[128], *rules = NULL;

        snprintf(text, sizeof(text), "rank=0-2,5,call=MPI_*send:random,seed=3,"
                 "after=1s,fault=%s", faults[i]);
        if (faults_add(&rules, text, 0, &err) < 0)
            fail_msg("%s: %s", text, err.text);
        parse(rules, 5, 8);
        assert_int_equal(plan.n, 1);
        assert_string_equal(inject_name(plan.rule[0].fault), faults[i]);
        assert_int_equal(plan.rule[0].not_before_ns, 1000000000);
        assert_in_range(plan.rule[0].target, 1, 1000);
        free(rules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nth), cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_drop), cmocka_unit_test(test_slow),
        cmocka_unit_test(test_several), cmocka_unit_test(test_time),
        cmocka_unit_test(test_ranks), cmocka_unit_test(test_random_rank),
        cmocka_unit_test(test_random_call), cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_agree),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
