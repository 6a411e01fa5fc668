/* test_master_scale.c - one job of 10,000 tasks on 100 slaves, through all of
 * its states. Says how long the master took; fails only if it is absurd. */
#define RIG_PEERS 104
#include "tests/unit/master_rig.h"

#include "master/state/job.h"

enum { SLAVES = 100, TASKS = 10000 };

static void test_large_job(void **state)
{
    static char names[SLAVES][16];
    struct rig *r = *state;
    struct peer *s[SLAVES], *run;
    uint64_t start;

    for (int i = 0; i < SLAVES; i++) {
        snprintf(names[i], sizeof(names[i]), "n%02d", i);
        s[i] = rig_slave(r, names[i], TASKS / SLAVES);
    }
    run = rig_redirector(r);
    start = clock_monotonic_ns();
    peer_submit(run, &(struct wish){ .ntasks = TASKS });
    rig_wait(run, "running 10000/10000");
    for (int i = 0; i < SLAVES; i++)
        for (int64_t k = -1; (k = taskset_next(&s[i]->ranks, k)) >= 0; ) {
            uint32_t rank = (uint32_t)k;

            peer_task_state(s[i], 1, rank, HCT__TASK_STATE__KIND__IN_MPI_INIT);
            peer_task_state(s[i], 1, rank, HCT__TASK_STATE__KIND__CONNECTED);
            peer_task_state(s[i], 1, rank, HCT__TASK_STATE__KIND__FINALIZED);
            peer_exit(s[i], 1, rank, 0, 0, "");
        }
    for (int i = 0; i < SLAVES; i++)
        peer_drained(s[i], 1);
    rig_wait(run, "JobEnded job=1 code=0");
    print_message("# %d tasks on %d slaves: %.2f s\n", TASKS, SLAVES,
                  (double)(clock_monotonic_ns() - start) / 1e9);
    rig_expect(r, "SELECT count(*), count(DISTINCT node), sum(mpi_calls) "
               "FROM tasks WHERE state = 'exited'", "10000|100|50095000\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_large_job, rig_setup,
                                        rig_teardown),
    };

    rig_prepare_wait_ns = 30 * CLOCK_NS_PER_S;  /* a busy machine */
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
