/* test_machine.c - a table of states and edges: what follows, what is not
 * legal, and what all is called. */
#include <errno.h>

#include "tests/unit/machine_sound.h"

#define LAMP_STATES(X) X(OFF, "off") X(DIM, "dim") X(ON, "on") X(BROKEN, "broken")
#define LAMP_EVENTS(X) X(PRESS, "press") X(DROP, "drop")
#define X(n, word) n,
enum lamp { LAMP_STATES(X) LAMP_COUNT };
enum event { LAMP_EVENTS(X) EVENT_COUNT };
#undef X

static const char *const states[] = { LAMP_STATES(MACHINE_WORD) };
static const char *const events[] = { LAMP_EVENTS(MACHINE_WORD) };
static const struct machine_edge edges[] = {
    MACHINE_EDGE(OFF, PRESS, DIM),
    MACHINE_EDGE(DIM, PRESS, ON),
    MACHINE_EDGE(ON, PRESS, OFF),
    MACHINE_SPAN(DIM, ON, DROP, BROKEN),
};
static const struct machine lamp = {
    "lamp", "a lamp", MACHINE_LIST(states), MACHINE_LIST(events),
    MACHINE_LIST(edges)
};

static void edges_lead_where_they_say(void **state)
{
    static const int want[LAMP_COUNT][EVENT_COUNT] = {
        [OFF] = { DIM, -1 }, [DIM] = { ON, BROKEN }, [ON] = { OFF, BROKEN },
        [BROKEN] = { -1, -1 },
    };

    (void)state;
    for (unsigned s = 0; s < LAMP_COUNT; s++)
        for (unsigned e = 0; e < EVENT_COUNT; e++)
            assert_int_equal(machine_next(&lamp, s, e, NULL), want[s][e]);
    assert_sound(&lamp);
}

static void no_edge_is_a_sentence(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(machine_next(&lamp, BROKEN, PRESS, &err), -1);
    assert_int_equal(err.code, EPROTO);
    assert_string_equal(err.text, "press is not legal for a lamp that is "
                        "broken");
    assert_int_equal(machine_next(&lamp, 99, 99, &err), -1);
    assert_string_equal(err.text, "? is not legal for a lamp that is ?");
}

static void words(void **state)
{
    (void)state;
    assert_string_equal(machine_state(&lamp, DIM), "dim");
    assert_string_equal(machine_state(&lamp, LAMP_COUNT), "?");
    assert_string_equal(machine_event(&lamp, DROP), "drop");
    assert_string_equal(machine_event(&lamp, EVENT_COUNT), "?");
    assert_int_equal(machine_find(&lamp, "on"), ON);
    assert_int_equal(machine_find(&lamp, "onn"), LAMP_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_lead_where_they_say),
        cmocka_unit_test(no_edge_is_a_sentence),
        cmocka_unit_test(words),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
