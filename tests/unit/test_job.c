/* test_job.c - the table of a job's tasks grows under those who hold one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "slave/jobs/job.h"

enum { TASKS = 1000 };

static void tasks_stay_where_they_are(void **state)
{
    struct node node = { 0 };
    struct plan plan = { .job = 1 };
    struct job j = { .part = { .node = &node, .id = 1 }, .plan = &plan };
    struct task *first;

    (void)state;
    node.reading = reading_create(&node.ticks);
    assert_non_null(node.reading);
    assert_null(job_task(&j, 0));
    assert_int_equal(job_add_task(&j, 2), 0);
    first = job_task(&j, 2);
    for (uint32_t i = 1; i < TASKS; i++)
        assert_int_equal(job_add_task(&j, 2 + 3 * i), 0);
    assert_ptr_equal(job_task(&j, 2), first);
    for (uint32_t i = 0; i < TASKS; i++) {
        assert_int_equal(job_task(&j, 2 + 3 * i)->rank, 2 + 3 * i);
        assert_null(job_task(&j, 1 + 3 * i));
        assert_null(job_task(&j, 3 + 3 * i));
    }
    for (size_t i = 0; i < j.ntasks; i++) {
        task_fini(j.tasks[i]);
        free(j.tasks[i]);
    }
    free(j.tasks);
    reading_destroy(node.reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_stay_where_they_are),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
