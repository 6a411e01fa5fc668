/* test_hours.c - what is saved of an allocation when a job in it is ended for a
 * hang. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "master/state/job.h"
#include "proto/base/clock.h"

#define S(n) ((n) * CLOCK_NS_PER_S)

/* Of 10 minutes of 4 nodes with 16 processors each, as ParaStack 7.V has them, and
 * ended after 387 s, 35.5 % of the time are saved. */
static void test_saved(void **state)
{
    const struct job_batch batch = { .begin_ns = S(1000), .end_ns = S(1600),
                                     .nodes = 4, .cpus = 64 };
    const struct {
        struct job j;
        double percent, node_hours, core_hours;
    } rows[] = {
        { { .batch = batch, .ended_ns = S(1387),
            .ending = { .killed = true, .kill_code = JOB_CODE_HUNG } },
          35.5, 213 * 4 / 3600.0, 213 * 64 / 3600.0 },
        { { .batch = batch, .ended_ns = S(1387),
            .ending = { .killed = true, .kill_code = 124 } }, 0, 0, 0 },
        { { .batch = batch, .ended_ns = S(1387),
            .ending = { .killed = true, .failed = true, .exit_code = 7,
                        .kill_code = JOB_CODE_HUNG } }, 0, 0, 0 },
        { { .batch = batch, .ended_ns = S(1387),
            .ending = { .failed = true, .exit_code = JOB_CODE_HUNG } }, 0, 0, 0 },
        { { .batch = batch, .ended_ns = S(1600),
            .ending = { .killed = true, .kill_code = JOB_CODE_HUNG } }, 0, 0, 0 },
        { { .batch = batch,
            .ending = { .killed = true, .kill_code = JOB_CODE_HUNG } }, 0, 0, 0 },
        { { .batch = { .nodes = 4, .cpus = 64 }, .ended_ns = S(1387),
            .ending = { .killed = true, .kill_code = JOB_CODE_HUNG } }, 0, 0, 0 },
        { { .batch = { .end_ns = S(1600), .cpus = 2 }, .ended_ns = S(1240),
            .ending = { .killed = true, .kill_code = JOB_CODE_HUNG } },
          0, 0, 0.2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct job_saved s = job_saved(&rows[i].j);

        assert_true(fabs(s.percent - rows[i].percent) < 1e-9);
        assert_true(fabs(s.node_hours - rows[i].node_hours) < 1e-9);
        assert_true(fabs(s.core_hours - rows[i].core_hours) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_saved) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
