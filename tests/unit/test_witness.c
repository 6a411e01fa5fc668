/* test_witness.c - what tasks say of each other where they are: on whatever
 * slaves they are, and in whatever order these are merged, it is what the
 * models of all tasks in one place say; and who lies about others is not let
 * in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "policies/progress/rows.h"
#include "policies/progress/witness.h"
#include "proto/model/whereabouts.h"
#include "proto/tree/merge.h"
#include "slave/gather/standing.h"
#include "tests/unit/draw.h"

enum { TASKS = 48, STATES = 20, STEPS = 30, KINDS = 6, ASKED = 9, ROUNDS = 400,
       FIRST_PLACE = 1000 };

static struct {
    struct hct_progress_question q;
    struct hct_progress_place place[HCT_PLACES_ASKED];
} question;

static struct reach_edge step[KINDS][STEPS];
static struct { uint32_t kind, state, number; bool in; } task[TASKS];
static struct rows rows;        /* of all, by numbers of states */

static uint64_t place_of(uint32_t state)
{
    return state ? FIRST_PLACE + 7919ull * state : 0;
}

/* Places that are asked about, all different, and tasks that are there or
 * not. */
static void a_job(void)
{
    uint32_t at[ASKED];

    for (uint32_t k = 0; k < KINDS; k++)
        for (uint32_t i = 0; i < STEPS; i++)
            step[k][i] = i < STATES / 2
                             ? (struct reach_edge){ i, i + 1 }
                             : (struct reach_edge){ (uint32_t)(draw() % STATES),
                                                    (uint32_t)(draw() % STATES) };
    question.q = (struct hct_progress_question){
        .size = sizeof(question.q), .nplaces = ASKED, .number = 5 };
    for (uint32_t i = 0; i < ASKED; i++) {
        uint32_t state = 2 * i + (uint32_t)(draw() % 2);

        question.place[i] = (struct hct_progress_place){
            .place = place_of(state), .in = state && draw() % 2 };
        at[i] = rows_state(state, question.place[i].in);
    }
    rows_begin(&rows, STATES, at, ASKED);
    for (uint32_t t = 0; t < TASKS; t++) {
        uint32_t here = (uint32_t)(draw() % (ASKED + 1));

        task[t].kind = (uint32_t)(draw() % KINDS);
        task[t].number = here < ASKED ? here + 1 : 0;
        task[t].state = here < ASKED ? at[here] / 2 : STATES - 1;
        task[t].in = here < ASKED && question.place[here].in;
        if (here < ASKED)
            rows_task(&rows, step[task[t].kind], STEPS, here);
    }
}

static size_t question_bytes(void)
{
    return sizeof(question.q) + question.q.nplaces * sizeof(question.place[0]);
}

static void add_task(struct standing *s, uint32_t t, uint32_t position)
{
    struct witness_step v[2 * STEPS];

    for (uint32_t i = 0; i < STEPS; i++) {
        const struct reach_edge *e = &step[task[t].kind][(i + t) % STEPS];

        v[i] = v[2 * STEPS - 1 - i] = (struct witness_step){    /* and again */
            place_of(e->from), place_of(e->to) };
    }
    standing_add(s, &(struct standing_task){
        .position = position, .place = place_of(task[t].state), .call = 3,
        .in = task[t].in }, v, 2 * STEPS);
}

/* What the slave of these tasks answers. */
static void a_part(uint32_t first, uint32_t n, struct str *out)
{
    struct standing *s = standing_open(&question, question_bytes(), n, NULL);

    assert_non_null(s);
    for (uint32_t i = 0; i < n; i++)
        add_task(s, first + i, i);
    assert_int_equal(standing_write(s, out, NULL), 0);
    standing_close(s);
}

/* Slaves of some tasks each; those before the middle are merged first, by one
 * of them. */
static struct whereabouts *asked(void)
{
    const struct merge_kind *kind = merge_find("progress");
    uint32_t middle = (uint32_t)(draw() % TASKS), rank_of[TASKS], at = 0;
    void *whole = kind->create(TASKS, NULL), *half = kind->create(middle, NULL);
    struct str part = { 0 };
    struct whereabouts *w;

    for (uint32_t n; at < TASKS; at += n) {
        uint32_t end = at < middle ? middle : TASKS;
        bool low = at < middle;

        n = 1 + (uint32_t)(draw() % (end - at));
        str_reset(&part);
        a_part(at, n, &part);
        assert_int_equal(kind->add(low ? half : whole,
                                   (const uint8_t *)str_text(&part), part.n, at, n,
                                   NULL), 0);
    }
    str_reset(&part);
    assert_int_equal(kind->pack(half, &part, NULL), 0);
    assert_int_equal(kind->add(whole, (const uint8_t *)str_text(&part), part.n, 0,
                               middle, NULL), 0);
    for (uint32_t i = 0; i < TASKS; i++)
        rank_of[i] = TASKS - 1 - i;
    str_reset(&part);
    assert_int_equal(kind->finish(whole, rank_of, TASKS, &part, NULL), 0);
    w = whereabouts_read((const uint8_t *)str_text(&part), part.n, TASKS, NULL);
    assert_non_null(w);
    kind->destroy(whole);
    kind->destroy(half);
    str_fini(&part);
    return w;
}

static void assert_is_right(const struct whereabouts *w)
{
    for (uint32_t i = 0; i < ASKED; i++)
        for (uint32_t j = 0; j < ASKED; j++)
            if (i != j)
                assert_int_equal(whereabouts_says(w, i, j), rows.is[i][j]);
    for (uint32_t t = 0; t < TASKS; t++) {
        const struct hct_place *p = &w->place[w->at[TASKS - 1 - t] - 1];

        assert_true(w->at[TASKS - 1 - t] > 0);
        assert_int_equal(p->place, place_of(task[t].state));
        assert_int_equal(p->in, task[t].in);
        assert_int_equal(p->asked, task[t].number);
        assert_int_equal(p->call, 3);
    }
}

static void test_same_as_all(void **state)
{
    uint32_t said = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct whereabouts *w;

        a_job();
        w = asked();
        assert_is_right(w);
        for (uint32_t i = 1; i < ASKED; i++)
            said |= 1u << rows.is[0][i];
        free(w);
    }
    assert_int_equal(said, 15);         /* all that can be said was */
}

/* Of no places only where all are. */
static void test_where(void **state)
{
    struct whereabouts *w;

    (void)state;
    a_job();
    question.q.nplaces = 0;
    w = asked();
    for (uint32_t i = 0; i < w->nplaces; i++)
        assert_int_equal(w->place[i].asked, 0);
    for (size_t i = 0; i < sizeof(w->order); i++)
        assert_int_equal(w->order[i], 0);
    free(w);
}

/* A model that is not whole is no witness, but its task is somewhere. */
static void test_not_whole(void **state)
{
    struct witness *w;
    void *room;

    (void)state;
    a_job();
    room = malloc(witness_room(&question, question_bytes()));
    w = witness_open(room, &question);
    for (uint32_t i = 0; i < ASKED; i++)
        assert_int_equal(witness_task(w, question.place[i].place,
                                      question.place[i].in, NULL, 0), i + 1);
    assert_int_equal(witness_task(w, 12345, true, NULL, 0), 0);
    for (uint32_t i = 0; i < ASKED; i++)
        for (uint32_t j = 0; j < ASKED; j++)
            assert_int_equal(witness_says(w, i, j), HCT_ORDER_NONE);
    free(room);
}

/* More steps than there is room for: it says nothing, and those behind it
 * do. */
static void test_too_many(void **state)
{
    static struct witness_step v[4 * DICTIONARY_STEPS];
    struct witness_step one = { place_of(1), place_of(2) };
    struct witness *w;
    void *room;

    (void)state;
    question.q = (struct hct_progress_question){ .size = sizeof(question.q),
                                                 .nplaces = 2 };
    for (uint32_t i = 0; i < 2; i++)
        question.place[i] = (struct hct_progress_place){ .place = place_of(i + 1),
                                                         .in = 1 };
    room = malloc(witness_room(&question, question_bytes()));
    w = witness_open(room, &question);
    assert_int_equal(witness_task(w, place_of(1), true, &one, 1), 1);
    assert_int_equal(witness_says(w, 0, 1), HCT_ORDER_WAITED);
    for (uint32_t i = 0; i < 4 * DICTIONARY_STEPS; i++)
        v[i] = (struct witness_step){ draw() | 1, draw() | 1 };
    assert_int_equal(witness_task(w, place_of(2), true, v, 4 * DICTIONARY_STEPS),
                     2);
    assert_int_equal(witness_task(w, place_of(2), true, &one, 1), 2);
    assert_int_equal(witness_says(w, 1, 0), HCT_ORDER_WAITS);
    free(room);
}

/* ------------------------------------------------------------------ bad input */

static bool is_refused(const struct whereabouts *w, uint32_t width)
{
    struct str s = { 0 };
    struct whereabouts *back;
    struct err err = { 0 };
    bool refused;

    assert_int_equal(whereabouts_write(w, NULL, 0, &s, NULL), 0);
    back = whereabouts_read((const uint8_t *)str_text(&s), s.n, width, &err);
    refused = !back;
    assert_true(refused == (*err.text != '\0'));
    free(back);
    str_fini(&s);
    return refused;
}

static struct whereabouts *two_tasks(void)
{
    struct whereabouts *w = whereabouts_create(4, NULL);

    assert_non_null(w);
    whereabouts_put(w, 0, &(struct hct_place){ .place = 7, .in = 1, .asked = 2 });
    whereabouts_put(w, 3, &(struct hct_place){ .place = 8, .asked = 5 });
    return w;
}

/* A slave says something of tasks that it does not have, or nothing that can
 * be. */
static void test_lies(void **state)
{
    struct whereabouts *w = two_tasks();

    (void)state;
    whereabouts_say(w, 1, 0, HCT_ORDER_WAITS);
    whereabouts_say(w, 63, 4, HCT_ORDER_WAITED);
    assert_false(is_refused(w, 4));
    assert_true(is_refused(w, 3));
    assert_true(is_refused(w, 5));
    assert_int_equal(whereabouts_says(w, 0, 1), HCT_ORDER_WAITED);
    assert_int_equal(whereabouts_says(w, 4, 63), HCT_ORDER_WAITS);
    whereabouts_say(w, 2, 3, HCT_ORDER_WAITS);  /* it has nobody there */
    assert_true(is_refused(w, 4));
    free(w);
    w = two_tasks();
    w->at[1] = 3;               /* there is no such place */
    assert_true(is_refused(w, 4));
    w->at[1] = w->at[0] = 0;    /* nobody is at the first */
    assert_true(is_refused(w, 4));
    free(w);
    w = two_tasks();
    w->place[1] = w->place[0];
    assert_true(is_refused(w, 4));
    w->place[1].asked = HCT_PLACES_ASKED + 1;
    assert_true(is_refused(w, 4));
    w->place[1] = (struct hct_place){ .place = 9, .in = 2 };
    assert_true(is_refused(w, 4));
    free(w);
}

/* More places than there is room for: the tasks there are nowhere. */
static void test_full(void **state)
{
    enum { MANY = HCT_PLACES_MAX + 40 };
    struct whereabouts *w = whereabouts_create(MANY, NULL), *part;
    struct whereabouts *both = whereabouts_create(2 * MANY, NULL);

    (void)state;
    part = whereabouts_create(MANY, NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        whereabouts_put(w, i, &(struct hct_place){ .place = 1 + i });
        whereabouts_put(part, i, &(struct hct_place){ .place = MANY - i });
    }
    assert_int_equal(w->nplaces, HCT_PLACES_MAX);
    assert_int_equal(w->at[HCT_PLACES_MAX - 1], HCT_PLACES_MAX);
    assert_int_equal(w->at[HCT_PLACES_MAX], 0);
    whereabouts_merge(both, w, 0);
    whereabouts_merge(both, part, MANY);
    assert_int_equal(both->nplaces, HCT_PLACES_MAX);
    assert_int_equal(both->at[MANY], 0);        /* place MANY is not in it */
    assert_int_equal(both->place[both->at[MANY + 40] - 1].place, MANY - 40);
    assert_int_equal(both->place[both->at[MANY + 40] - 1].tasks, 2);
    free(w);
    free(part);
    free(both);
}

static void test_bad_questions(void **state)
{
    struct err err = { 0 };
    size_t n;

    (void)state;
    a_job();
    n = question_bytes();
    assert_true(witness_room(&question, n) > 0);
    for (size_t less = 0; less < n; less++)
        assert_int_equal(witness_room(&question, less), 0);
    question.q.nplaces++;
    assert_int_equal(witness_room(&question, n), 0);
    question.q.nplaces = UINT32_MAX;
    assert_int_equal(witness_room(&question, n), 0);
    question.q.nplaces = ASKED;
    question.place[3].in = 2;
    assert_int_equal(witness_room(&question, n), 0);
    question.place[3] = question.place[2];      /* twice */
    assert_int_equal(witness_room(&question, n), 0);
    assert_null(standing_open(&question, n, 4, &err));
    assert_string_equal(err.text, "this is no question about progress");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_all),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_not_whole),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_bad_questions),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
