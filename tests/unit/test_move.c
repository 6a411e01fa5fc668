/* test_move.c - the machine of a move, edge by edge, and what is taken of a look
 * at the pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/move/move_state.h"
#include "master/move/moverank.h"
#include "tests/unit/machine_sound.h"

static const char letters[] = "acqdpirojgbl";
static const char *const table[MOVE_STATE_COUNT] = {
    /* checked quiet thawed drained apart imaged return restored joined went
     * returned give_up lose alone */
    [MOVE_ASKED] = "c..........b..",
    [MOVE_CHECKED] = ".q.........b..",
    [MOVE_QUIET] = "..cd.......b..",
    [MOVE_DRAINED] = "....p......b..",
    [MOVE_APART] = ".....ir.....lb",
    [MOVE_IMAGED] = ".......o....lb",
    [MOVE_RETURNING] = ".......o....lb",
    [MOVE_RESTORED] = "........j...l.",
    [MOVE_JOINED] = ".........gb...",
    [MOVE_GOING] = "..............",
    [MOVE_BACK] = "..............",
    [MOVE_LOST] = "..............",
};

static void test_edges(void **state)
{
    (void)state;
    for (int s = 0; s < MOVE_STATE_COUNT; s++)
        for (int e = 0; e < MOVE_EVENT_COUNT; e++) {
            enum move_state next = MOVE_STATE_COUNT;
            struct err err;
            int rc = move_state_next(s, e, &next, &err);

            if (table[s][e] == '.') {
                assert_int_equal(rc, -1);
                assert_int_equal(next, MOVE_STATE_COUNT);
                assert_non_null(strstr(err.text, move_state_name(s)));
            } else {
                assert_int_equal(rc, 0);
                assert_int_equal(letters[next], table[s][e]);
            }
        }
    assert_sound(&move_state_machine);
}

/* Until all is taken apart it can be given up, and never after. */
static void test_whole(void **state)
{
    (void)state;
    for (int s = 0; s < MOVE_STATE_COUNT; s++) {
        enum move_state next;
        int give_up = move_state_next(s, MOVE_EVENT_GIVE_UP, &next, NULL);
        int lose = move_state_next(s, MOVE_EVENT_LOSE, &next, NULL);

        assert_int_equal(give_up == 0, move_state_is_whole(s));
        assert_false(give_up == 0 && lose == 0);
        if (move_state_final(s))
            assert_true(give_up != 0 && lose != 0);
    }
}

static Hct__StopLook__Comm comm[2];
static Hct__StopLook__Comm *comms[] = { &comm[0], &comm[1] };

static Hct__StopLook__Task told(void)
{
    Hct__StopLook__Task m = HCT__STOP_LOOK__TASK__INIT;

    for (int i = 0; i < 2; i++) {
        hct__stop_look__comm__init(&comm[i]);
        comm[i].id = 7 + (unsigned)i;
        comm[i].entered = 3;
        comm[i].size = 4;
    }
    m.comms = comms;
    m.n_comms = 2;
    m.peer = STOP_NONE;
    m.gate = 2;
    m.order = 5;
    m.why = (char *)"";
    return m;
}

static void test_taken(void **state)
{
    struct moverank k = { 0 };
    Hct__StopLook__Task m = told();
    struct err err;

    (void)state;
    m.where = STOP_AT_HELD;
    m.gate = 1;
    assert_int_equal(moverank_take(&k, &m, 4, &err), 0);
    assert_true(k.heard);
    assert_int_equal(k.task.ncomms, 2);
    assert_int_equal(k.task.comms[1].id, 8);
    assert_int_equal(k.task.where, STOP_AT_HELD);
    m.gate = 2;                 /* before one that is not listed */
    assert_int_equal(moverank_take(&k, &m, 4, &err), 0);
    assert_int_equal(k.task.where, STOP_AT_LIBRARY);
    m.n_comms = 0;
    m.gate = 0;
    assert_int_equal(moverank_take(&k, &m, 4, &err), 0);
    assert_int_equal(k.task.ncomms, 0);
    moverank_fini(&k);
}

static void refuse(Hct__StopLook__Task m)
{
    struct moverank k = { 0 };
    struct err err;

    assert_int_equal(moverank_take(&k, &m, 4, &err), -1);
    assert_false(k.heard);
    moverank_fini(&k);
}

static void test_refused(void **state)
{
    Hct__StopLook__Task m;

    (void)state;
    m = told(), m.where = STOP_AT_COUNT, refuse(m);
    m = told(), m.swap = MOVERANK_FAILED + 1, refuse(m);
    m = told(), m.gate = 3, refuse(m);
    m = told(), m.peer = 4, refuse(m);
    m = told(), m.peer = STOP_ANY - 1, refuse(m);
    m = told(), m.n_comms = UINT16_MAX + 1u, refuse(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges), cmocka_unit_test(test_whole),
        cmocka_unit_test(test_taken), cmocka_unit_test(test_refused),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
