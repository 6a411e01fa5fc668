/* test_incall.c - what tasks do inside of calls of MPI, from call trees as
 * they are found: of Open MPI under our wrappers and the injector, of MPICH,
 * of Fortran, with operators that are called back, tools between, libraries
 * below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "master/watch/callclass.h"
#include "master/watch/incall.h"

enum { TASKS = 8, DEPTH = 12 };
#define CALL "main@app:1", "MPI_Allreduce@libhector.so"
#define LIBRARY CALL, "PMPI_Allreduce@libmpi.so.40"

static struct prefixtree tree;
static struct incall is;

/* "function@module:line", outermost first. */
static void stack(uint32_t rank, const char *const *text)
{
    uint32_t frames[DEPTH], n = 0;

    for (; *text; text++) {
        const char *at = strchr(*text, '@'), *colon = strchr(*text, ':');
        struct prefixtree_frame f = { .line = 0 };
        const char *module = at + 1;
        size_t length = colon ? (size_t)(colon - module) : strlen(module);

        f.function = prefixtree_name(&tree, *text, (size_t)(at - *text));
        f.module = prefixtree_name(&tree, module, length);
        if (colon) {
            f.file = prefixtree_name(&tree, "src/app.c", 9);
            f.line = (uint32_t)(colon[1] - '0');
        }
        frames[n++] = prefixtree_frame(&tree, &f);
    }
    assert_int_equal(prefixtree_add(&tree, rank, 0, frames, n, NULL), 0);
}
#define STACK(rank, ...) stack(rank, (const char *const[]){ __VA_ARGS__, NULL })

static void wait_all(uint32_t first)
{
    for (uint32_t i = first; i < TASKS; i++)
        STACK(i, CALL,
              "MPI_Allreduce@libhector-inject.so",
              "PMPI_Allreduce@libmpi.so.40",
              "ompi_coll_base_allreduce_intra_ring@libmpi.so.40",
              "ompi_request_default_wait@libmpi.so.40",
              "opal_progress@libopen-pal.so.40",
              "mca_btl_vader_poll@mca_btl_vader.so");
}

static int begin(void **state)
{
    (void)state;
    return prefixtree_init(&tree, TASKS, 1, NULL);
}

static int end(void **state)
{
    (void)state;
    prefixtree_fini(&tree);
    return 0;
}

static void read_it(uint32_t waiting, uint32_t rows)
{
    assert_int_equal(incall_of(&is, &tree, NULL), 0);
    assert_int_equal(is.stacks, TASKS);
    assert_int_equal(is.waiting, waiting);
    assert_int_equal(is.n, rows);
}

static void assert_row(const char *name, uint32_t what, uint32_t rank)
{
    uint32_t ncalls;

    assert_string_equal(is.v[0].name, name);
    assert_int_equal(is.v[0].what, what);
    assert_int_equal(is.v[0].tasks, 1);
    assert_int_equal(is.v[0].in_call, TASKS);
    assert_int_equal(is.v[0].rank[0], rank);
    assert_string_equal(callclass_table(&ncalls)[is.v[0].call].name,
                        "MPI_Allreduce");
}

static void test_all_wait(void **state)
{
    (void)state;
    wait_all(0);
    read_it(TASKS, 0);
}

static void test_between(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, CALL,
          "MPI_Allreduce@libhector-inject.so",
          "inject_strike@libhector-inject.so",
          "burn@libhector-inject.so", "clock_gettime@libc.so.6");
    read_it(TASKS - 1, 1);
    assert_row("burn", HCT_INSIDE_BEFORE, 0);
    assert_string_equal(is.v[0].file, "libhector-inject.so");
}

/* It sleeps there: it does not wait for a message. */
static void test_sleeps_between(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, CALL, "tool_flush@libtool.so",
          "clock_nanosleep@libc.so.6");
    read_it(TASKS - 1, 1);
    assert_row("tool_flush", HCT_INSIDE_BEFORE, 0);
}

/* A tool's own barrier is one of MPI. */
static void test_tool_waits(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, CALL, "tool_sync@libtool.so",
          "PMPI_Barrier@libmpi.so.40", "opal_progress@libopen-pal.so.40");
    read_it(TASKS, 0);
}

static void test_called_back(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, LIBRARY,
          "ompi_coll_base_allreduce_intra_ring@libmpi.so.40", "slow_op@app:7",
          "pow@libm.so.6");
    read_it(TASKS - 1, 1);
    assert_row("slow_op", HCT_INSIDE_CALLED, 0);
    assert_string_equal(is.v[0].file, "app.c");
    assert_int_equal(is.v[0].line, 7);
}

/* From a loop that asks for messages, which a non-blocking collective is
 * made in. */
static void test_called_back_by_progress(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, LIBRARY,
          "opal_progress@libopen-pal.so.40", "NBC_Progress@mca_coll_libnbc.so",
          "slow_op@app:7");
    read_it(TASKS - 1, 1);
    assert_row("slow_op", HCT_INSIDE_CALLED, 0);
}

/* An operator that waits for a message itself. */
static void test_called_back_waits(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, LIBRARY,
          "slow_op@app:7", "PMPI_Recv@libmpi.so.40",
          "opal_progress@libopen-pal.so.40");
    read_it(TASKS, 0);
}

static void test_library(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, LIBRARY,
          "ompi_op_base_2buff_sum_double@libmpi.so.40", "memcpy@libc.so.6");
    read_it(TASKS - 1, 1);
    assert_row("ompi_op_base_2buff_sum_double", HCT_INSIDE_LIBRARY, 0);
}

/* Copying of a message that comes in is what all wait for. */
static void test_copies_as_it_waits(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, LIBRARY,
          "opal_progress@libopen-pal.so.40", "mca_pml_ob1_recv@mca_pml_ob1.so",
          "opal_convertor_unpack@libopen-pal.so.40", "memcpy@libc.so.6");
    read_it(TASKS, 0);
}

static void test_recorder(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, CALL, "record_enter@libhector.so");
    read_it(TASKS - 1, 0);
}

static void test_fortran(void **state)
{
    (void)state;
    wait_all(1);
    STACK(0, "MAIN__@app:1", "mpi_allreduce_@libhector.so", "tool_@libtool.so");
    read_it(TASKS - 1, 1);
    assert_row("tool_", HCT_INSIDE_BEFORE, 0);
}

static void test_mpich(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < TASKS; i++)
        STACK(i, "main@app:1", "PMPI_Allreduce@libmpich.so.12",
              "MPIR_Allreduce_intra@libmpich.so.12",
              "MPIDI_CH3I_Progress@libmpich.so.12");
    STACK(0, "main@app:1", "PMPI_Allreduce@libmpich.so.12",
          "MPIR_Reduce_local@libmpich.so.12", "slow_op@app:3");
    read_it(TASKS - 1, 1);
    assert_row("slow_op", HCT_INSIDE_CALLED, 0);
}

/* Outside of MPI, or in functions of the program that are called like it. */
static void test_outside(void **state)
{
    (void)state;
    for (uint32_t i = 0; i + 1 < TASKS; i++)
        STACK(i, "main@app:1", "work@app:2", "pow@libm.so.6");
    STACK(TASKS - 1, "main@app:1", "mpi_solver@app:2", "work@app:3");
    read_it(0, 0);
}

/* Of many at one place, by two ways, the first are known; the fewest come
 * first. */
static void test_many(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        STACK(i, "main@app:1", i % 2 ? "sum@app:2" : "add@app:3",
              "PMPI_Allreduce@libmpi.so.40", "ompi_op_sum@libmpi.so.40");
    STACK(6, "main@app:1", "PMPI_Allreduce@libmpi.so.40", "slow_op@app:3");
    STACK(7, "main@app:1", "PMPI_Bcast@libmpi.so.40", "opal_progress@libmpi.so.40");
    read_it(1, 2);
    assert_string_equal(is.v[0].name, "slow_op");
    assert_int_equal(is.v[0].in_call, 7);
    assert_string_equal(is.v[1].name, "ompi_op_sum");
    assert_int_equal(is.v[1].tasks, 6);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(is.v[1].rank[i] < 6);
}

/* More functions than there is room for: those with the fewest tasks stay. */
static void test_full(void **state)
{
    char name[40];
    struct prefixtree big;
    uint32_t frames[2];
    struct prefixtree_frame f = { .line = 0 };

    (void)state;
    assert_int_equal(prefixtree_init(&big, 3 * HCT_INSIDE_MAX, 1, NULL), 0);
    f.function = prefixtree_name(&big, "PMPI_Bcast", 10);
    f.module = prefixtree_name(&big, "libmpi.so.40", 12);
    frames[0] = prefixtree_frame(&big, &f);
    f.module = prefixtree_name(&big, "app", 3);
    for (uint32_t i = 0; i < 3 * HCT_INSIDE_MAX; i++) {
        uint32_t which = i < 2 * HCT_INSIDE_MAX ? i / 2 : i;

        f.function = prefixtree_name(&big, name,
                                     (size_t)sprintf(name, "f%u", which));
        frames[1] = prefixtree_frame(&big, &f);
        assert_int_equal(prefixtree_add(&big, i, 0, frames, 2, NULL), 0);
    }
    assert_int_equal(incall_of(&is, &big, NULL), 0);
    assert_int_equal(is.n, HCT_INSIDE_MAX);
    for (uint32_t i = 0; i < is.n; i++)
        assert_int_equal(is.v[i].tasks, 1);
    prefixtree_fini(&big);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_all_wait), TEST(test_between), TEST(test_sleeps_between),
        TEST(test_tool_waits), TEST(test_called_back),
        TEST(test_called_back_by_progress), TEST(test_called_back_waits),
        TEST(test_library), TEST(test_copies_as_it_waits), TEST(test_recorder),
        TEST(test_fortran), TEST(test_mpich), TEST(test_outside), TEST(test_many),
        TEST(test_full),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
