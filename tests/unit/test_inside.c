/* test_inside.c - who computes inside of a call while others wait: sixteen
 * tasks whose stacks are looked at, as the policy asks for it, and what is
 * made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "policies/outlier/inside.h"

enum { TASKS = 16, ALLREDUCE = 1, REDUCE = 2, ODD = 7 };
#define MS 1000000ull

static const struct hct_call calls[] = {
    { .name = "" },
    { .name = "MPI_Allreduce", .class_ = HCT_CLASS_COLLECTIVE,
      .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL },
    { .name = "MPI_Reduce", .class_ = HCT_CLASS_COLLECTIVE,
      .flags = HCT_CALL_BLOCKING | HCT_CALL_ROOTED },
};
static struct hct_job job = { .size = sizeof(job), .nranks = TASKS, .seed = 5 };
static struct hct_rank rank[TASKS];
static struct hct_inside row[TASKS];
static struct hct_snapshot in = {
    .size = sizeof(in), .job = &job, .calls = calls,
    .call_size = sizeof(calls[0]),
    .ncalls = sizeof(calls) / sizeof(calls[0]), .ranks = rank, .nranks = TASKS,
    .rank_size = sizeof(rank[0]), .inside = row,
    .inside_size = sizeof(row[0]) };
static struct inside inside;
static uint32_t asked;

/* Number 7 is in a function of its own. */
static void usual(void)
{
    row[0] = (struct hct_inside){
        .call = ALLREDUCE, .what = HCT_INSIDE_BEFORE, .tasks = 1,
        .in_call = TASKS,
        .function = 99, .rank = { ODD }, .line = 12, .name = "burn",
        .file = "burn.c" };
    in.ninside = 1;
    in.stacks = TASKS;
    in.waiting = TASKS - 1;
}

/* All come into the same call, each 250 ms there is a look; stacks come 50
 * ms after they were asked for. After 2 s all go on, till 20 s. */
static void stall(void (*change)(uint64_t ms))
{
    uint64_t comes_ms = 0, look_ms = 250;

    memset(&inside, 0, sizeof(inside));
    inside.every_ns = 5000 * MS;
    asked = 0;
    for (uint64_t at = 50; at < 20000; at += 50) {
        bool in_call = at < 2000;

        if (at < look_ms && at != comes_ms)
            continue;
        look_ms = at + 250;
        in.now_ns = (10000 + at) * MS;
        for (uint32_t i = 0; i < TASKS; i++)
            rank[i] = (struct hct_rank){
                .rank = i, .life = HCT_LIFE_RUNNING, .call = ALLREDUCE,
                .flags = (uint16_t)(HCT_OBSERVED | HCT_PAGE | HCT_RUNS |
                                    (in_call ? HCT_IN_MPI : 0)),
                .calls = in_call ? 100 : at, .age_ns = in_call ? at * MS : 1,
                .site = i + 1, .peer = HCT_NONE };
        in.parts = at == comes_ms ? HCT_NEED_STACKS : 0;
        usual();
        if (change)
            change(at);
        if (inside_look(&inside, &in)) {
            asked++;
            comes_ms = at + 50;
        }
        if (inside_busy(&inside))
            look_ms = at + 50;
    }
}

static const struct inside_one *found(void)
{
    return inside_get(&inside, 0, in.now_ns);
}

static void test_one(void **state)
{
    const struct inside_one *o;

    (void)state;
    stall(NULL);
    o = found();
    assert_non_null(o);
    assert_int_equal(o->rank, ODD);
    assert_int_equal(o->call, ALLREDUCE);
    assert_int_equal(o->site, ODD + 1);
    assert_string_equal(o->name, "burn");
    assert_int_equal(o->line, 12);
    assert_int_equal(o->hits, asked);
    assert_int_equal(o->others, 0);
    assert_int_equal(o->waited, TASKS - 1);
    assert_true(inside_sure(o, TASKS));
    assert_in_range(inside_cost(&inside, o, in.now_ns), 1750 * MS, 2000 * MS);
    assert_false(stands_now(&o->stays, &in));
    assert_null(inside_get(&inside, 1, in.now_ns));
}

static void called_back(uint64_t ms)
{
    (void)ms;
    row[0].what = HCT_INSIDE_CALLED;
}
static void of_library(uint64_t ms)
{
    (void)ms;
    row[0].what = HCT_INSIDE_LIBRARY;
}

/* A hint, and never a verdict. */
static void test_hints(void **state)
{
    (void)state;
    stall(called_back);
    assert_non_null(found());
    assert_int_equal(found()->rank, ODD);
    assert_false(inside_sure(found(), TASKS));
    stall(of_library);
    assert_non_null(found());
    assert_false(inside_sure(found(), TASKS));
}

static void root(uint64_t ms)
{
    (void)ms;
    row[0].what = HCT_INSIDE_LIBRARY;
    row[0].call = REDUCE;
    for (uint32_t i = 0; i < TASKS; i++) {
        rank[i].call = REDUCE;
        rank[i].peer = ODD;
    }
}
static void nobody_is(uint64_t ms) { (void)ms; in.ninside = 0; }
static void by_turns(uint64_t ms)
{
    row[0].rank[0] = (uint32_t)(ms / 50) % TASKS;
}
static void of_a_node(uint64_t ms)      /* the leaders of four nodes */
{
    (void)ms;
    row[0].tasks = 4;
    for (uint32_t i = 0; i < 4; i++)
        row[0].rank[i] = 4 * i;
    in.waiting = TASKS - 4;
}
static void others_too(uint64_t ms)     /* at each other look */
{
    (void)ms;
    if (asked % 2) {
        row[0].tasks = 3;
        row[0].rank[1] = 8;
        row[0].rank[2] = 9;
    }
}
static void most_compute(uint64_t ms) { (void)ms; in.waiting = TASKS / 2 - 2; }
static void few_stacks(uint64_t ms) { (void)ms; in.stacks = TASKS / 2; }
static void held(uint64_t ms) { (void)ms; rank[3].flags |= HCT_SUSPENDED; }
static void no_page(uint64_t ms)
{
    (void)ms;
    rank[ODD].flags &= (uint16_t)~HCT_PAGE;
}

static void test_nobody(void **state)
{
    (void)state;
    stall(root);
    assert_null(found());
    stall(nobody_is);
    assert_null(found());
    stall(by_turns);
    assert_null(found());
    stall(of_a_node);
    assert_null(found());
    stall(others_too);
    assert_null(found());
    stall(most_compute);
    assert_null(found());
    stall(few_stacks);
    assert_null(found());
    stall(held);
    assert_int_equal(asked, 0);
    stall(no_page);
    assert_null(found());
}

static void computes(uint64_t ms)
{
    (void)ms;
    rank[3].flags &= (uint16_t)~HCT_IN_MPI;
    rank[3].age_ns = rank[4].age_ns;
}
static void short_calls(uint64_t ms)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        rank[i].calls = ms;
        rank[i].age_ns = 3 * MS;
    }
}

/* Nobody is suspected inside of MPI while one is out of it, or calls are
 * short. */
static void test_no_suspicion(void **state)
{
    (void)state;
    stall(computes);
    assert_int_equal(asked, 0);
    stall(short_calls);
    assert_int_equal(asked, 0);
}

static void hangs(uint64_t ms)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        rank[i].flags |= HCT_IN_MPI;
        rank[i].calls = 100;
        rank[i].age_ns = ms * MS;
    }
}

/* They are looked at again, but seldom. */
static void test_hang(void **state)
{
    (void)state;
    stall(hangs);
    assert_in_range(asked, 12, 72);
    assert_true(stands_now(&found()->stays, &in));
}

static bool drawn;
static void slow_calls(uint64_t ms)     /* in there at each third look */
{
    short_calls(ms);
    if (!drawn && ms >= 10000) {
        inside_draw(&inside, &in);
        drawn = true;
    }
    if (ms / 50 % 3)
        in.ninside = 0;
}

/* Each call is short: what it costs is known by how often it was seen there. */
static void test_drawn(void **state)
{
    const struct inside_one *o;

    (void)state;
    drawn = false;
    stall(slow_calls);
    assert_int_equal(asked, 10);
    o = found();
    if (o) {
        uint64_t part_ns = 20000 * MS * o->drawn / 10;

        assert_int_equal(o->rank, ODD);
        assert_int_equal(o->drawn, o->hits);
        assert_in_range(inside_cost(&inside, o, in.now_ns), part_ns * 9 / 10,
                        part_ns * 11 / 10);
    }
    assert_int_equal(inside.v[0].rank, ODD);
    assert_in_range(inside.v[0].hits, 1, 8);
}

static void no_answer(uint64_t ms) { (void)ms; in.parts = 0; }

/* Where stacks cannot be had it gives up, for some time. */
static void test_no_answer(void **state)
{
    (void)state;
    stall(no_answer);
    assert_int_equal(asked, 1);
    assert_false(inside_busy(&inside));
    assert_null(found());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one), cmocka_unit_test(test_hints),
        cmocka_unit_test(test_nobody), cmocka_unit_test(test_no_suspicion),
        cmocka_unit_test(test_hang), cmocka_unit_test(test_drawn),
        cmocka_unit_test(test_no_answer),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
