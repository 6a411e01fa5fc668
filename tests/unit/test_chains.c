/* test_chains.c - which steps are made one, and what the models say then. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "policies/smm/chains.h"
#include "tests/unit/draw.h"

enum { STATES = 32, EDGES = STATES * STATES, TASKS = 4 };

static struct smm_step step[EDGES];
static uint32_t into[EDGES], first[EDGES], words[CHAINS_WORDS(STATES)];
static struct chains chains = { .into = into, .first = first };

static void begin(void)
{
    chains.nedges = 0;
}

static void edge(uint32_t from, uint32_t to, uint32_t support)
{
    step[chains.nedges++] = (struct smm_step){ from, to, support };
}

static void find(uint32_t nstates)
{
    assert_true(CHAINS_WORDS(nstates) <= sizeof(words) / sizeof(words[0]));
    chains_find(&chains, step, nstates, TASKS, words);
}

/* What is left: from-to from-to ... by the first edge and the last. */
static void is_left(const char *want)
{
    char text[1000] = "";
    size_t n = 0;

    for (size_t i = 0; i < chains.n; i++) {
        uint32_t last = first[i];

        for (size_t e = 0; e < chains.nedges; e++) {    /* the one behind it */
            size_t x;

            for (x = 0; x < chains.nedges; x++)
                if (into[x] == i && step[x].from == step[last].to &&
                    x != first[i])
                    break;
            if (x == chains.nedges)
                break;
            last = (uint32_t)x;
        }
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u-%u",
                              n ? " " : "", step[first[i]].from, step[last].to);
    }
    assert_string_equal(text, want);
}

/* A program as that of figure 3: Init and what follows without a choice, then a
 * loop, then the end. */
static void test_program(void **state)
{
    (void)state;
    begin();
    edge(0, 1, TASKS);          /* Init, Comm_rank, Comm_size, Barrier */
    edge(1, 2, TASKS);
    edge(2, 3, TASKS);
    edge(3, 4, TASKS);
    edge(4, 5, TASKS);          /* loop: Send, Recv, Allreduce */
    edge(5, 6, TASKS);
    edge(6, 4, TASKS);
    edge(6, 7, TASKS);          /* Gather, Finalize */
    edge(7, 8, TASKS);
    find(9);
    is_left("0-4 4-6 6-4 6-8");
    assert_int_equal(into[0], into[3]);
    assert_int_equal(into[4], into[5]);
    assert_int_not_equal(into[5], into[6]);
}

/* What only some have stays, and the states at its ends. */
static void test_support(void **state)
{
    (void)state;
    begin();
    edge(0, 1, TASKS);
    edge(1, 2, TASKS);
    edge(2, 3, TASKS - 1);
    edge(3, 4, TASKS);
    edge(4, 5, TASKS);
    find(6);
    is_left("0-2 2-3 3-5");
}

static void test_branch(void **state)
{
    (void)state;
    begin();
    edge(0, 1, TASKS);
    edge(1, 2, TASKS);          /* one way, */
    edge(1, 4, 1);              /* or the other */
    edge(2, 3, TASKS);
    edge(3, 5, TASKS);
    edge(4, 5, 1);
    edge(5, 6, TASKS);
    find(7);
    is_left("0-1 1-5 1-4 4-5 5-6");
}

/* Of a window that has nothing but the loop: its head and tail stay. */
static void test_cycle(void **state)
{
    (void)state;
    begin();
    edge(3, 4, TASKS);
    edge(4, 5, TASKS);
    edge(5, 6, TASKS);
    edge(6, 3, TASKS);
    find(7);
    is_left("3-6 6-3");
}

static void test_small(void **state)
{
    (void)state;
    begin();
    find(0);
    assert_int_equal(chains.n, 0);
    edge(0, 0, TASKS);          /* one state, which calls itself */
    find(1);
    is_left("0-0");
    begin();
    edge(0, 1, TASKS);
    find(2);
    is_left("0-1");
}

/* Times add, and so do the squares of their deviations. */
static void test_times(void **state)
{
    struct smm_edge e[3] =
        {
            { 10, 1, { 5, 3 }, { 100, 6 }, 0 },
            { 10, 1, { 7, 4 }, { 200, 8 }, 0 },
            { 0, 0, { 0, 0 }, { 0, 0 }, 0 },
        },
                    merged[3];
    struct smm m = { e, 3 }, to = { merged, 0 };

    (void)state;
    begin();
    edge(0, 1, TASKS);
    edge(1, 2, TASKS);
    edge(2, 3, 1);
    find(4);
    chains_merge(&chains, &m, &to);
    assert_int_equal(to.nedges, 2);
    assert_int_equal(merged[0].n, 10);
    assert_true(fabs(merged[0].in.mean - 12) < 1e-9);
    assert_true(fabs(merged[0].in.sd - 5) < 1e-9);
    assert_true(fabs(merged[0].out.mean - 300) < 1e-9);
    assert_true(fabs(merged[0].out.sd - 10) < 1e-9);
    assert_int_equal(merged[1].n, 0);
    assert_int_equal(e[0].in.mean, 5);
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)((draw() >> 33) % n);
}

/* Any graph: every edge is in one chain, a chain goes along its edges, and
 * states inside of one have no other edge and are no loop by themselves. */
static void test_any(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        uint32_t n = 1 + below(STATES), in[STATES] = { 0 }, out[STATES] = { 0 };
        uint32_t most = 1 + below(100);
        size_t seen = 0;

        begin();
        for (uint32_t f = 0; f < n; f++)
            for (uint32_t t = 0; t < n; t++)
                if (below(100) < most / n || t == f + 1) {
                    edge(f, t, TASKS - !below(5));
                    out[f]++;
                    in[t]++;
                }
        find(n);
        assert_true(chains.n > 0 || chains.nedges == 0);
        for (size_t c = 0; c < chains.n; c++) {
            uint32_t at = first[c], length = 1;

            assert_int_equal(into[at], c);
            assert_true(c == 0 || first[c] > first[c - 1]);
            for (;;) {
                uint32_t s = step[at].to, e = 0;

                while (e < chains.nedges && (step[e].from != s || into[e] != c))
                    e++;
                if (e == chains.nedges || e == first[c])
                    break;
                assert_int_equal(in[s], 1);
                assert_int_equal(out[s], 1);
                assert_true(step[at].support >= TASKS &&
                            step[e].support >= TASKS);
                at = e;
                length++;
                assert_true(length <= chains.nedges);
            }
            seen += length;
        }
        assert_int_equal(seen, chains.nedges);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program), cmocka_unit_test(test_support),
        cmocka_unit_test(test_branch),  cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_small),   cmocka_unit_test(test_times),
        cmocka_unit_test(test_any),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
