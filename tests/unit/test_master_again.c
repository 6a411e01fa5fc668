/* test_master_again.c - jobs that go back to a checkpoint: when a task or a node is
 * gone, so often, and to the one before if an image is no good. */
#include "tests/unit/master_rig.h"

#include <signal.h>

#include "master/state/job.h"

static Hct__TaskMoved moved[4];
static Hct__TaskMoved *list[4] = { &moved[0], &moved[1], &moved[2], &moved[3] };
static Hct__Checkpoint past[2];
static Hct__Checkpoint *pasts[2] = { &past[0], &past[1] };

static void make_pasts(void)
{
    for (uint32_t r = 0; r < 4; r++) {
        hct__task_moved__init(&moved[r]);
        moved[r].rank = r;
    }
    for (uint32_t i = 0; i < 2; i++) {
        hct__checkpoint__init(&past[i]);
        past[i].number = 5 - i;
        past[i].job = 1;
        past[i].dir = (char *)"/old";
        past[i].ntasks = past[i].n_tasks = 4;
        past[i].tasks = list;
    }
}

/* Two tasks on each of two nodes; a third one is there. */
static void start(struct rig *r, struct peer *node[3], struct peer **run,
                  uint32_t max_restarts)
{
    static const char *const names[] = { "a", "b", "c" };

    make_pasts();
    for (int i = 0; i < 3; i++)
        node[i] = rig_slave(r, names[i], 2);
    *run = rig_redirector(r);
    peer_submit(*run, &(struct wish){ .ntasks = 4, .from = pasts, .nfrom = 2,
                                      .max_restarts = max_restarts });
    rig_wait(node[0], "ranks=0-1 over=0 app=./solver");
    rig_wait(node[1], "attempt=0 restore=/old/5");
    rig_wait(*run, "running 4/4");
}

static void end_all(struct peer *p, uint32_t first, int code, int signal)
{
    peer_exit(p, 1, first, code, signal, "");
    peer_exit(p, 1, first + 1, code, signal, "");
    peer_drained(p, 1);
}

/* A task is killed: the others are ended, and all of them begin again; the second
 * time it fails. */
static void test_killed(void **state)
{
    struct rig *r = *state;
    struct peer *node[3], *run;

    start(r, node, &run, 1);
    peer_exit(node[1], 1, 3, 0, SIGKILL, "");
    rig_wait(node[0], "Terminate job=1 ranks=all");
    rig_wait(run, "all tasks go back to checkpoint 5 of ");
    rig_expect(r, "SELECT state FROM jobs", "returning\n");
    end_all(node[0], 0, 0, SIGTERM);
    peer_exit(node[1], 1, 2, 0, SIGTERM, "");
    assert_false(heard(node[0], "Forget"));
    peer_drained(node[1], 1);
    rig_wait(node[0], "Forget job=1");
    rig_wait(node[0], "attempt=1 restore=/old/5");
    rig_wait_n(run, "running 4/4", 2);
    rig_expect(r, "SELECT state, count(*) FROM tasks GROUP BY 1", "running|4\n");
    rig_expect(r, "SELECT action FROM actions", "rollback\n");
    peer_exit(node[0], 1, 0, 0, SIGSEGV, "");
    end_all(node[0], 0, 0, SIGTERM);
    end_all(node[1], 2, 0, SIGTERM);
    rig_wait(run, "JobEnded job=1 code=139");
}

/* A node is lost: the tasks are on those that are there. */
static void test_node_lost(void **state)
{
    struct rig *r = *state;
    struct peer *node[3], *run;
    Hct__Farewell m = HCT__FAREWELL__INIT;

    start(r, node, &run, 1);
    m.why = (char *)"it was tired";
    conn_send(node[1]->c, MESSAGE_FAREWELL, &m);
    rig_wait(run, "node b was lost: it was tired: all tasks go back to ");
    rig_wait(node[0], "Terminate");
    end_all(node[0], 0, 0, SIGTERM);
    rig_wait(node[2], "attempt=1 restore=/old/5");
    rig_wait_n(run, "running 4/4", 2);
    rig_expect(r, "SELECT node, count(*) FROM tasks GROUP BY 1", "a|2\nc|2\n");
    end_all(node[0], 0, 0, 0);
    end_all(node[2], 2, 0, 0);
    rig_wait(run, "JobEnded job=1 code=0");
}

/* The program's own word is final, also if it may go back. */
static void test_own_word(void **state)
{
    struct rig *r = *state;
    struct peer *node[3], *run;

    start(r, node, &run, 9);
    peer_exit(node[1], 1, 3, 3, 0, "");
    rig_wait(node[0], "Terminate");
    end_all(node[0], 0, 0, SIGTERM);
    end_all(node[1], 2, 0, SIGTERM);
    rig_wait(run, "JobEnded job=1 code=3");
    rig_expect(r, "SELECT count(*) FROM actions", "0\n");
}

/* It is ended while it goes back: it does not begin again, and its code is that of
 * the task for which it went. */
static void test_ended_meanwhile(void **state)
{
    struct rig *r = *state;
    struct peer *node[3], *run;
    Hct__Kill m = HCT__KILL__INIT;

    start(r, node, &run, 9);
    peer_exit(node[1], 1, 3, 0, SIGKILL, "");
    rig_wait(run, "go back");
    m.job = 1;
    m.ranks = (char *)"all";
    conn_send(run->c, MESSAGE_KILL, &m);
    rig_wait_n(run, "ending", 1);
    end_all(node[0], 0, 0, SIGTERM);
    end_all(node[1], 2, 0, SIGTERM);
    rig_wait(run, "JobEnded job=1 code=137 why=it was killed");
    assert_false(heard(node[0], "attempt=1"));
}

/* A task cannot be made of its image. */
static void no_image(struct peer *p, uint32_t rank)
{
    Hct__TaskExited m = HCT__TASK_EXITED__INIT;

    m.job = 1;
    m.rank = rank;
    m.code = 126;
    m.at_ns = clock_wall_ns();
    m.why = (char *)"its image is damaged";
    conn_send(p->c, MESSAGE_TASK_EXITED, &m);
}

/* The one before is taken, without any return that is allowed; then there is
 * none. */
static void test_spoiled(void **state)
{
    struct rig *r = *state;
    struct peer *node[3], *run;

    start(r, node, &run, 0);
    no_image(node[1], 3);
    rig_wait(run, "its image is damaged: all tasks go back to checkpoint 4 of ");
    end_all(node[0], 0, 0, SIGTERM);
    peer_exit(node[1], 1, 2, 0, SIGTERM, "");
    peer_drained(node[1], 1);
    rig_wait(node[1], "attempt=1 restore=/old/4");
    rig_wait_n(run, "running 4/4", 2);
    no_image(node[1], 3);
    rig_wait(run, "ending");
    end_all(node[0], 0, 0, SIGTERM);
    end_all(node[1], 2, 0, SIGTERM);
    rig_wait(run, "JobEnded job=1 code=126");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_killed), TEST(test_node_lost), TEST(test_own_word),
        TEST(test_ended_meanwhile), TEST(test_spoiled),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("master_again", tests, NULL, NULL);
}
