/* test_oddphase.c - which phase of the program differs from earlier ones:
 * series of phases of three kinds that come in turn, as the tasks of each were
 * compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "policies/outlier/oddphase.h"
#include "tests/unit/draw.h"

enum { TASKS = 40, KINDS = 3, TOP = 16 };

static struct hct_rank rank[TASKS];
static struct hct_score score[TASKS];
static struct hct_snapshot in = {
    .size = sizeof(in), .ranks = rank, .nranks = TASKS,
    .rank_size = sizeof(rank[0]), .scores = score,
    .score_size = sizeof(score[0]) };
static struct oddphase p;
static double far[TASKS];       /* from the medoid, in this phase */

/* As the wrapper library numbers the kinds of phases: by the tag's text. */
static uint32_t id_of(const char *text)
{
    uint32_t h = 2166136261u;

    while (*text)
        h = (h ^ (unsigned char)*text++) * 16777619u;
    return h;
}

static int begin(void **state)
{
    (void)state;
    memset(&p, 0, sizeof(p));
    memset(rank, 0, sizeof(rank));
    return 0;
}

/* A phase of a healthy job: those of a kind are alike, but for chance. */
static void draw_far(uint32_t phase)
{
    for (uint32_t i = 0; i < TASKS; i++)
        far[i] = (phase % KINDS + 1) * (1 + draw_part());
}

static void enter(uint32_t phase)
{
    static const char *const name[KINDS] = { "solve", "smooth", "write" };

    for (uint32_t i = 0; i < TASKS; i++) {
        rank[i].flags = HCT_PAGE;
        rank[i].phase = phase;
        rank[i].phase_id = id_of(name[phase % KINDS]);
        snprintf(rank[i].tag_text, sizeof(rank[i].tag_text), "%s",
                 name[phase % KINDS]);
    }
    oddphase_look(&p, &in);
}

/* The furthest alone are told. */
static void leave(uint32_t phase, const struct oddphase_task *slow, uint32_t n)
{
    uint32_t k = 0;

    for (uint32_t i = 0; i < TASKS; i++) {
        uint32_t before = 0;

        for (uint32_t j = 0; j < TASKS; j++)
            before += far[j] > far[i] || (far[j] >= far[i] && j < i);
        if (before < TOP)
            score[k++] = (struct hct_score){ .method = HCT_METHOD_CLUSTER,
                                             .rank = i, .score = far[i] };
    }
    in.nscores = k;
    oddphase_add(&p, &in, phase, slow, n);
}

static void healthy(uint32_t phase)
{
    enter(phase);
    draw_far(phase);
    leave(phase, NULL, 0);
}

static const char *said(void)
{
    static char text[244];

    oddphase_say(oddphase_oddest(&p), text, sizeof(text));
    return text;
}

/* However many phases there were, more than are kept, too. */
static void test_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 300; i++) {
        healthy(i);
        assert_null(oddphase_oddest(&p));
    }
    assert_int_equal(p.n, ODDPHASE_KEPT);
}

/* The first phase in which a task is far is the one, for as long as the job
 * runs, though it is as far from then on. */
static void test_far(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 200; i++) {
        enter(i);
        draw_far(i);
        if (i >= 50 && i % KINDS == 2)
            far[33] = 30;
        leave(i, NULL, 0);
        if (i < 50)
            assert_null(oddphase_oddest(&p));
        else
            assert_int_equal(oddphase_oddest(&p)->what.phase, 50);
    }
    assert_int_equal(oddphase_oddest(&p)->rank, 33);
    assert_non_null(strstr(said(), "phase 50 'write' is where its tasks differ most from "
                                   "earlier phases: task 33 is "));
}

/* Of two kinds of which one has always had tasks that are far, nothing is said;
 * nor of a kind that has come once. */
static void test_always(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < 100; i++) {
        enter(i);
        draw_far(i);
        if (i % KINDS == 1)
            far[0] = 50;
        leave(i, NULL, 0);
    }
    assert_null(oddphase_oddest(&p));
    for (uint32_t i = 0; i < TASKS; i++)
        rank[i].phase_id = 1;
    rank[0].phase = 200;
    oddphase_look(&p, &in);
    far[4] = 80;
    leave(200, NULL, 0);
    assert_null(oddphase_oddest(&p));
}

/* Who is slow in a step needs no phase of the same kind, but an earlier one;
 * the worse of two is the one. */
static void test_slow(void **state)
{
    const struct oddphase_task slow = { 7, 4.0f }, slower = { 8, 9.0f };

    (void)state;
    enter(1);
    draw_far(1);
    leave(1, &slow, 1);                 /* there is nothing earlier */
    assert_null(oddphase_oddest(&p));
    enter(2);
    draw_far(2);
    leave(2, &slow, 1);                 /* it was as slow before */
    assert_null(oddphase_oddest(&p));
    enter(3);
    draw_far(3);
    leave(3, &slower, 1);
    assert_int_equal(oddphase_oddest(&p)->what.phase, 3);
    assert_int_equal(oddphase_oddest(&p)->rank, 8);
    assert_string_equal(said(), "phase 3 'solve' is where its tasks differ most from "
                        "earlier phases: task 8 is 9.0 times as slow in a step against "
                        "its like as it was before");
}

/* A tag that has not begun the phase is not its name; a phase that nobody was
 * seen in has none. */
static void test_names(void **state)
{
    const struct oddphase_task slow = { 7, 4.0f };

    (void)state;
    healthy(1);
    enter(2);
    rank[0].phase_id = 5;
    p.nseen = 0;
    oddphase_look(&p, &in);
    draw_far(2);
    leave(2, &slow, 1);
    assert_non_null(strstr(said(), "phase 2 is where"));
    memset(&p, 0, sizeof(p));
    healthy(1);
    leave(9, &slow, 1);
    assert_non_null(strstr(said(), "phase 9 is where"));
}

/* The name of a phase comes from whoever has it, and later if nobody has it yet. */
static void test_later(void **state)
{
    (void)state;
    enter(1);
    for (uint32_t i = 0; i < TASKS; i++) {
        rank[i].phase = 2;
        rank[i].phase_id = id_of("write");
    }
    oddphase_look(&p, &in);
    assert_string_equal(oddphase_find(&p, 2).name, "");
    snprintf(rank[TASKS - 1].tag_text, sizeof(rank[0].tag_text), "write");
    oddphase_look(&p, &in);
    assert_string_equal(oddphase_find(&p, 2).name, "write");
    assert_string_equal(oddphase_find(&p, 1).name, "smooth");
    snprintf(rank[TASKS - 1].tag_text, sizeof(rank[0].tag_text), "no more");
    oddphase_look(&p, &in);
    assert_string_equal(oddphase_find(&p, 2).name, "write");
}

static void test_find(void **state)
{
    (void)state;
    enter(7);
    enter(8);
    assert_int_equal(oddphase_find(&p, 7).id, id_of("smooth"));
    assert_string_equal(oddphase_find(&p, 8).name, "write");
    assert_int_equal(oddphase_find(&p, 9).id, 0);       /* nobody was seen there */
    leave(7, NULL, 0);
    leave(7, NULL, 0);                  /* a phase is kept once */
    assert_int_equal(p.n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing, begin),
        cmocka_unit_test_setup(test_far, begin),
        cmocka_unit_test_setup(test_always, begin),
        cmocka_unit_test_setup(test_slow, begin),
        cmocka_unit_test_setup(test_names, begin),
        cmocka_unit_test_setup(test_later, begin),
        cmocka_unit_test_setup(test_find, begin),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
