/* test_job_state.c - the machines of jobs and tasks, edge by edge. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/state/job_state.h"
#include "master/state/task_state.h"
#include "tests/unit/machine_sound.h"

/* Rows: states in order; columns: events in order; the letter is the target,
 * '.' an error. */
static const char job_letters[] = "swopSrREdfk";
static const char *const job_table[JOB_STATE_COUNT] = {
    /* wait place prepared launched fail kill ask return again store ended
     * ended_failed _killed */
    [JOB_SUBMITTED] = "wp..fkE......",
    [JOB_WAITING] = ".p..fkE......",
    [JOB_STORED] = "....fk..w....",
    [JOB_PREPARING] = "..S.fkE......",
    [JOB_STARTING] = "...rEE.R..d..",
    [JOB_RUNNING] = "....EE.R..d..",
    [JOB_RETURNING] = ".....E..wo...",
    [JOB_ENDING] = "...EEE.....fk",
    [JOB_DONE] = ".............",
    [JOB_FAILED] = ".............",
    [JOB_KILLED] = ".............",
};

static void test_job_edges(void **state)
{
    (void)state;
    for (int s = 0; s < JOB_STATE_COUNT; s++)
        for (int e = 0; e < JOB_EVENT_COUNT; e++) {
            enum job_state next = JOB_STATE_COUNT;
            struct err err;
            int rc = job_state_next(s, e, &next, &err);

            if (job_table[s][e] == '.') {
                assert_int_equal(rc, -1);
                assert_int_equal(next, JOB_STATE_COUNT);
                assert_non_null(strstr(err.text,
                                       machine_event(&job_state_machine, e)));
                assert_non_null(strstr(err.text, job_state_name(s)));
            } else {
                assert_int_equal(rc, 0);
                assert_int_equal(job_letters[next], job_table[s][e]);
            }
        }
    assert_sound(&job_state_machine);
}

static const char task_letters[] = "0123456789";
static const char *const task_table[TASK_STATE_COUNT] = {
    /* launch run mpi_init connect finalize exit signal lose again */
    [TASK_PLACED] = "12345678.",
    [TASK_STARTING] = ".2345678.",
    [TASK_RUNNING] = "..345678.",
    [TASK_IN_MPI_INIT] = "...45678.",
    [TASK_CONNECTED] = "....5678.",
    [TASK_FINALIZED] = ".....678.",
    [TASK_EXITED] = "........0",
    [TASK_KILLED] = "........0",
    [TASK_LOST] = "........0",
};

static void test_task_edges(void **state)
{
    (void)state;
    for (int s = 0; s < TASK_STATE_COUNT; s++)
        for (int e = 0; e < TASK_EVENT_COUNT; e++) {
            enum task_state next = TASK_STATE_COUNT;
            struct err err;
            int rc = task_state_next(s, e, &next, &err);

            if (task_table[s][e] == '.')
                assert_int_equal(rc, -1);
            else
                assert_int_equal(task_letters[next], task_table[s][e]);
        }
    assert_sound(&task_state_machine);
}

static void test_words(void **state)
{
    (void)state;
    assert_true(job_state_final(JOB_KILLED));
    assert_false(job_state_final(JOB_ENDING));
    assert_true(task_state_final(TASK_LOST));
    assert_true(task_state_in_mpi(TASK_CONNECTED));
    assert_false(task_state_in_mpi(TASK_FINALIZED));
    assert_string_equal(task_state_name(TASK_IN_MPI_INIT), "in_mpi_init");
    assert_string_equal(job_state_name(99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_edges),
        cmocka_unit_test(test_task_edges),
        cmocka_unit_test(test_words),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
