/* test_adopt.c - jobs of the master that grow: ranks and nodes that come one
 * by one, while the journal has tasks of them in its lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "master/flow/adopt.h"
#include "master/flow/flow.h"
#include "master/state/job.h"

static struct job *make(void)
{
    struct job *j = calloc(1, sizeof(*j));
    struct err err;

    j->tasks = calloc(1, sizeof(*j->tasks));
    assert_int_equal(adopt_init(j, false, &err), 0);
    return j;
}

static void tasks_stay_as_they_are(void **state)
{
    struct job *j = make();

    (void)state;
    assert_int_equal(job_grow(j, 4), 0);
    j->tasks[1].pid = 11;
    for (uint32_t n = 5; n < 200; n++)
        assert_int_equal(job_grow(j, n), 0);
    assert_int_equal(job_grow(j, 3), 0);        /* never shrinks */
    assert_int_equal(j->ntasks, 199);
    assert_int_equal(j->tasks[1].pid, 11);
    assert_int_equal(j->tasks[198].node, UINT32_MAX);
    flow_free_job(j);
}

static void nodes_and_tasks_come(void **state)
{
    struct node a = { .id = 5, .cpus = 1 }, b = { .id = 2, .cpus = 1 };
    struct job *j = make();
    struct job_node *n;

    (void)state;
    assert_null(job_node_find(j, &a));
    assert_int_equal(job_grow(j, 3), 0);
    assert_non_null(job_add_node(j, &a));
    n = job_add_node(j, &b);
    assert_ptr_equal(job_node_find(j, &b), n);
    assert_null(job_node_find(j, &(struct node){ .id = 3 }));
    assert_int_equal(job_add_task(j, n, 2), 0);
    assert_true(job_has_on(j, &j->tasks[2], n));
    assert_false(job_has_on(j, &j->tasks[0], n));       /* has not come */
    assert_int_equal(b.ntasks, 1);
    assert_int_equal(a.ntasks, 0);
    assert_int_equal(a.njobs + b.njobs, 2);
    assert_int_equal(n->nlive, 1);
    job_task_ended(j, &j->tasks[2]);
    assert_int_equal(n->nlive, 0);
    flow_free_job(j);
}

static void exit_codes_are_the_launchers(void **state)
{
    const struct adopt_past past = { .job = { .known = true, .code = 7 } };
    struct job *j = make();

    (void)state;
    assert_false(j->ops->ours);
    assert_false(job_exit_known(j));
    assert_int_equal(adopt_restore(j, &past), 0);
    job_kill(j, "so", 0, false);
    assert_int_equal(job_exit_code(j), 7);
    flow_free_job(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_stay_as_they_are),
        cmocka_unit_test(nodes_and_tasks_come),
        cmocka_unit_test(exit_codes_are_the_launchers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
