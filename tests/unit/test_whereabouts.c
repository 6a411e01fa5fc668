/* test_whereabouts.c - where tasks are, as policies are shown it: the same
 * from the slaves and from a tape; of a damaged tape no more than it says; and
 * policy progress takes from it what fits its question. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "master/watch/tape.h"
#include "policies/progress/question.h"
#include "tests/unit/draw.h"

enum { TASKS = 40, PLACES = 6, NUMBER = 77 };

static struct hct_job job = { .size = sizeof(job), .nranks = TASKS, .job = 4 };
static struct looks looks;
static struct hct_snapshot in;

static struct hct_place place(uint32_t i)
{
    return (struct hct_place){ .place = 100 + i, .call = 3, .in = i % 2,
                               .asked = i };
}

/* All but every seventh are somewhere. */
static void a_look(void)
{
    struct whereabouts *w = whereabouts_create(TASKS, NULL);

    assert_non_null(w);
    for (uint32_t r = 0; r < TASKS; r++) {
        struct hct_place is = place((uint32_t)(draw() % PLACES));

        if (r % 7)
            whereabouts_put(w, r, &is);
    }
    for (uint32_t j = 1; j < PLACES - 1; j++)
        for (uint32_t i = 0; i < j; i++)
            whereabouts_say(w, i, j, (uint8_t)(draw() % 4));
    assert_int_equal(looks_init(&looks, &job), 0);
    looks_begin(&looks, 0);
    looks_take_whereabouts(&looks, w, NUMBER);
    looks_end(&looks, 1, &in);
    free(w);
}

static void assert_same(const struct hct_snapshot *s)
{
    assert_int_equal(s->parts, HCT_NEED_PROGRESS);
    assert_int_equal(s->question, NUMBER);
    assert_int_equal(s->nplaces, in.nplaces);
    assert_int_equal(s->norders, in.norders);
    assert_memory_equal(s->places, in.places, in.nplaces * sizeof(*in.places));
    assert_memory_equal(s->at, in.at, TASKS);
    assert_memory_equal(s->orders, in.orders, in.norders * in.norders);
}

static void test_tape(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct tape_reader r = { 0 };
        struct str bytes = { 0 };
        struct hct_snapshot s;
        struct tape tape;

        a_look();
        assert_int_equal(tape_init(&tape, TASKS), 0);
        tape_write(&tape, &in, &bytes);
        assert_false(str_failed(&bytes));
        r.p = (const uint8_t *)str_text(&bytes);
        r.end = r.p + bytes.n;
        assert_int_equal(tape_read(&r, &s, NULL), 1);
        assert_same(&s);
        looks_fini(&r.looks);
        looks_fini(&looks);
        tape_fini(&tape);
        str_fini(&bytes);
    }
}

/* Changed or cut: refused, or within its bounds. */
static void test_damaged(void **state)
{
    struct str bytes = { 0 };
    unsigned refused = 0;
    struct tape tape;
    uint8_t *bad;

    (void)state;
    a_look();
    assert_int_equal(tape_init(&tape, TASKS), 0);
    tape_write(&tape, &in, &bytes);
    bad = malloc(bytes.n);
    for (int round = 0; round < 20000; round++) {
        struct tape_reader r = { .p = bad };
        struct hct_snapshot s;
        struct err err;

        memcpy(bad, str_text(&bytes), bytes.n);
        for (int i = 0; i <= round % 3; i++)
            bad[bytes.n - 1 - draw() % (bytes.n / 2)] = (uint8_t)draw();
        r.end = bad + bytes.n - (round % 5 ? 0 : draw() % 40);
        if (tape_read(&r, &s, &err) != 1) {
            refused++;
        } else if (s.parts & HCT_NEED_PROGRESS) {
            assert_true(s.norders <= HCT_PLACES_ASKED);
            for (uint32_t i = 0; i < TASKS; i++)
                assert_true(s.at[i] <= s.nplaces);
            for (uint32_t i = 0; i < s.norders * s.norders; i++)
                assert_true(s.orders[i] <= 3);
        }
        looks_fini(&r.looks);
    }
    assert_true(refused > 1000 && refused < 20000);
    looks_fini(&looks);
    tape_fini(&tape);
    str_fini(&bytes);
    free(bad);
}

/* ----------------------------------------------------------------- the policy */

static struct question question;
static struct nodes_task task[TASKS];

/* Of places 1 to 5, as a look has them. */
static void ask(void)
{
    question = (struct question){ .nplaces = PLACES };
    for (uint32_t i = 0; i < PLACES; i++)
        question.place[i] = place(i);
}

static void test_question(void **state)
{
    static uint8_t room[HCT_QUESTION_MAX];
    struct hct_out out = { .question = room, .question_max = sizeof(room) };
    const struct hct_progress_question *q = (const void *)room;
    struct nodes g = { .n = 3 };
    uint64_t first;

    (void)state;
    ask();
    question_make(&question, NULL);
    assert_int_equal(question.nasked, 0);
    first = question.number;
    assert_true(first != 0);
    g.node[0].state = 2;
    g.node[1].state = NODES_NOWHERE;
    g.node[2].state = 2;
    question_make(&question, &g);
    assert_int_equal(question.nasked, 1);       /* each once */
    assert_int_equal(question.asked[0].place, 102);
    assert_true(question.number != first);
    question_ask(&question, &out);
    assert_int_equal(out.need, HCT_NEED_PROGRESS);
    assert_int_equal(out.nquestion, sizeof(struct hct_progress_question) +
                                        sizeof(struct hct_progress_place));
    assert_int_equal(q->nplaces, 1);
    assert_true(q->number == question.number);
    out = (struct hct_out){ .question = NULL };         /* a host of old */
    question_ask(&question, &out);
    assert_int_equal(out.need, 0);
}

static void test_answer(void **state)
{
    (void)state;
    a_look();
    question = (struct question){ .number = NUMBER, .nasked = PLACES - 1 };
    for (uint32_t i = 1; i < PLACES; i++)
        question.asked[i - 1] = (struct hct_progress_place){
            .place = place(i).place, .in = place(i).in };
    assert_true(question_is_answered(&question, &in));
    question_take(&question, task, &in);
    for (uint32_t r = 0; r < TASKS; r++)
        assert_int_equal(task[r].place, in.at[r]);
    for (uint32_t i = 0; i < PLACES - 1; i++)
        for (uint32_t j = 0; j < PLACES - 1; j++)
            assert_int_equal(question.order[i][j], in.orders[i * in.norders + j]);
    /* A slave numbers a place as it likes: nobody is there. */
    question.asked[1].place = 999;
    question_take(&question, task, &in);
    for (uint32_t r = 0; r < TASKS; r++)
        assert_int_equal(task[r].place,
                         in.at[r] && in.places[in.at[r] - 1].asked != 2
                             ? in.at[r] : 0);
    question.number++;
    assert_false(question_is_answered(&question, &in));
    question.number = NUMBER;
    in.at = NULL;
    assert_false(question_is_answered(&question, &in));
    looks_fini(&looks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tape),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_question),
        cmocka_unit_test(test_answer),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
