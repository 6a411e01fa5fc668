/* test_jobstate.c - the states of a job on one node: the ways through, and
 * what is not legal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "slave/jobs/jobstate.h"
#include "tests/unit/machine_sound.h"

#define E(name) JOB_EVENT_##name
#define END JOB_EVENT_COUNT

static void test_ways(void **state)
{
    static const struct {
        enum job_event events[10];
        enum job_state last;
    } table[] = {
        { { E(PREPARED), E(LAUNCH), E(LAUNCHED), E(EXITED), E(FLUSHED),
            E(FORGET), END }, JOB_FORGOTTEN },
        { { E(PREPARED), E(LAUNCH), E(LAUNCHED), E(TERMINATE), E(TERMINATE),
            E(EXITED), E(TERMINATE), E(FLUSHED), E(TERMINATE), E(FORGET),
            }, JOB_FORGOTTEN },
        { { E(PREPARED), E(LAUNCH), E(TERMINATE), E(LAUNCHED), E(EXITED),
            E(FLUSHED), END }, JOB_DRAINED },
        { { E(REFUSED), E(FORGET), END }, JOB_FORGOTTEN },
        { { E(TERMINATE), E(FLUSHED), E(FORGET), END }, JOB_FORGOTTEN },
        { { E(PREPARED), E(TERMINATE), E(FLUSHED), END }, JOB_DRAINED },
        { { E(PREPARED), E(FORGET), END }, JOB_FORGOTTEN },
        { { E(FORGET), END }, JOB_FORGOTTEN },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        enum job_state s = JOB_PREPARING;

        for (int k = 0; k < 10 && table[i].events[k] != END; k++)
            assert_int_equal(jobstate_next(s, table[i].events[k], &s, NULL),
                             0);
        assert_int_equal(s, table[i].last);
    }
}

static void test_not_legal(void **state)
{
    static const struct { enum job_state s; enum job_event e; } table[] = {
        { JOB_PREPARING, E(LAUNCH) },
        { JOB_RUNNING, E(LAUNCH) }, { JOB_RUNNING, E(FORGET) },
        { JOB_TERMINATING, E(FORGET) }, { JOB_DRAINING, E(FORGET) },
        { JOB_DRAINED, E(LAUNCH) }, { JOB_FORGOTTEN, E(FORGET) },
        { JOB_FORGOTTEN, E(TERMINATE) },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        enum job_state s = table[i].s;
        struct err err;

        assert_int_equal(jobstate_next(s, table[i].e, &s, &err), -1);
        assert_int_equal(s, table[i].s);
        assert_non_null(strstr(err.text, jobstate_name(s)));
        assert_non_null(strstr(err.text, machine_event(&jobstate_machine,
                                                       table[i].e)));
    }
}

/* Every state but the last can be left by some event, and "terminate" leads
 * out of all of them. */
static void test_no_dead_end(void **state)
{
    enum job_state next;

    (void)state;
    for (int s = 0; s < JOB_FORGOTTEN; s++)
        assert_int_equal(jobstate_next((enum job_state)s, E(TERMINATE), &next,
                                       NULL), 0);
    assert_sound(&jobstate_machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways), cmocka_unit_test(test_not_legal),
        cmocka_unit_test(test_no_dead_end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
