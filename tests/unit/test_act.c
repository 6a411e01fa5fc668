/* test_act.c - the table of actions: who may, what is legal when, what limits
 * it, and that the row is there before anything is done. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/act/act.h"
#include "master/state/job.h"
#include "master/store/journal.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"

static char dir[PATHS_MAX], path[PATHS_MAX + 16];
static struct err err;
static struct event_base *base;
static unsigned commits;
static struct str done;         /* what was done, in words */
static struct acts acts;
static struct task tasks[4];
static struct job job;

/* ----------------------------------------------------- who would carry it out */

static void on_committed(void *arg)
{
    (void)arg;
    commits++;
}

static const struct journal_ops journal_ops = { .committed = on_committed };

static void effect(struct job *j, unsigned effects)
{
    (void)j;
    str_addf(&done, "effects %u\n", effects);
}

static void end(struct job *j, const char *why, int exit_code, bool at_once)
{
    j->ending.killed = true;
    str_addf(&done, "end %d%s: %s\n", exit_code, at_once ? " at once" : "",
             why);
}

static void told(const struct job *j, bool error, const char *fmt, ...)
{
    va_list ap;

    (void)j;
    str_add(&done, error ? "told! " : "told ");
    va_start(ap, fmt);
    str_vaddf(&done, fmt, ap);
    va_end(ap);
    str_add(&done, "\n");
}

static bool can_return;

static bool again(struct job *j, const char *why)
{
    (void)j;
    if (can_return)
        str_addf(&done, "again: %s\n", why);
    return can_return;
}

static const struct act_ops act_ops = { .effect = effect, .end = end, .again = again,
                                        .notice = told };

/* --------------------------------------------------------------------- a job */

static int setup(void **state)
{
    struct store_master m = { .instance = 7, .pid = 1, .host = "here",
                              .address = "x", .started_ns = 1 };
    struct store *st;

    (void)state;
    log_init("test", LOG_LEVEL_WARN);
    if (paths_make_private_dir(dir, sizeof(dir), &err))
        return -1;
    snprintf(path, sizeof(path), "%s/h.db", dir);
    base = event_base_new();
    st = store_open(path, &err);
    if (!base || !st)
        return -1;
    acts = (struct acts){ .ops = &act_ops,
                          .conf = { .kills_per_hour = 2 } };
    acts.journal = journal_create(base, st, path, NULL, &m, &journal_ops, NULL,
                                  &err);
    memset(tasks, 0, sizeof(tasks));
    job = (struct job){ .id = 5, .state = JOB_RUNNING, .ntasks = 4,
                        .tasks = tasks };
    for (size_t i = 0; i < 4; i++)
        tasks[i].state = TASK_RUNNING;
    str_fini(&done);
    return acts.journal ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    if (acts.journal)
        journal_destroy(acts.journal);
    str_fini(&done);
    event_base_free(base);
    return paths_remove_tree(dir, NULL);
}

/* The rows of table action, each "action ranks by result: why". */
static const char *rows(void)
{
    static char text[1000];
    sqlite3 *db;
    sqlite3_stmt *s;

    journal_destroy(acts.journal);      /* writes what is left */
    acts.journal = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT ifnull(group_concat(action"
        " || ' ' || ranks || ' ' || by || ' ' || result || ': ' || why, '|'),"
        " '') FROM action", -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    snprintf(text, sizeof(text), "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    sqlite3_close(db);
    return text;
}

static struct act_order order(enum act_name act, enum act_who who,
                              const struct taskset *ranks)
{
    return (struct act_order){ .act = act, .who = who, .why = "so",
                               .by = who == ACT_POLICY ? "odd" : NULL,
                               .ranks = ranks, .whole = !ranks,
                               .number = act == ACT_SIGNAL ? SIGUSR1 : 0 };
}

/* --------------------------------------------------------------------- tests */

/* Nobody can have done what he may not ask for. */
static void who_may(void **state)
{
    static const char *const may[] = {  /* owner operator batch policy */
        [ACT_REPORT] = "...p", [ACT_SUSPEND] = "uo.p", [ACT_RESUME] = "uo.p",
        [ACT_KILL] = "uobp", [ACT_SIGNAL] = "uob.", [ACT_WARN] = "...p",
        [ACT_SWITCH_OFF] = "...p", [ACT_MIGRATE] = ".o.p", [ACT_DRAIN] = ".o..",
        [ACT_UNDRAIN] = ".o..", [ACT_CHECKPOINT] = ".o..",
        [ACT_ROLLBACK] = "...p",
    };
    struct taskset ranks = { 0 };

    (void)state;
    assert_int_equal(taskset_add(&ranks, 1, 2), 0);
    for (size_t act = 0; act < sizeof(may) / sizeof(may[0]); act++)
        for (unsigned who = 0; who < 4; who++) {
            struct act_order o = order((enum act_name)act, 1u << who,
                                       act == ACT_KILL ? NULL : &ranks);
            if (may[act][who] != '.')
                continue;
            err = (struct err){ 0 };
            assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), -1);
            assert_int_equal(err.code, EPERM);
            assert_non_null(strstr(err.text, act_name((enum act_name)act)));
        }
    assert_int_equal(done.n, 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(tasks[i].hold, HOLD_GOING);
    taskset_fini(&ranks);
    /* Of people nothing is recorded, of policies what they wanted. */
    assert_string_equal(rows(),
        "signal 1-2 odd signal may not be asked for by policy odd: so|"
        "drain 1-2 odd drain may not be asked for by policy odd: so|"
        "undrain 1-2 odd undrain may not be asked for by policy odd: so|"
        "checkpoint 1-2 odd checkpoint may not be asked for by policy odd: so");
}

static void suspend_and_resume(void **state)
{
    struct taskset ranks = { 0 };
    struct act_order o = order(ACT_SUSPEND, ACT_OPERATOR, &ranks);
    char text[200];

    (void)state;
    assert_int_equal(taskset_add(&ranks, 1, 2), 0);
    assert_int_equal(acts_order(&acts, &job, &o, text, sizeof(text), &err), 2);
    assert_string_equal(text, "2 tasks are being suspended");
    assert_int_equal(tasks[1].hold, HOLD_SUSPENDING);
    assert_int_equal(acts_order(&acts, &job, &o, text, sizeof(text), &err), 0);
    assert_string_equal(text, "suspended already");
    o.act = ACT_RESUME;
    o.who = ACT_OWNER;
    assert_int_equal(acts_order(&acts, &job, &o, text, sizeof(text), &err), 2);
    assert_string_equal(text, "2 tasks are being resumed");
    assert_string_equal(str_text(&done), "effects 128\n"
        "told 2 of 4 tasks of job 5 are suspended: so\neffects 128\n");
    taskset_fini(&ranks);
    assert_string_equal(rows(), "suspend 1-2 operator overtaken by the next "
                                "order: so|resume 1-2 hector-run ordered: so");
}

/* What is not legal in a state changes nothing, and says why. */
static void checks(void **state)
{
    static const struct {
        enum act_name act;
        enum job_state state;
        const char *words;      /* NULL: it is done */
    } cases[] = {
        { ACT_SUSPEND, JOB_WAITING, NULL },
        { ACT_SUSPEND, JOB_PREPARING, NULL },
        { ACT_SUSPEND, JOB_ENDING, "job 5 is ending" },
        { ACT_RESUME, JOB_ENDING, "job 5 is ending" },
        { ACT_KILL, JOB_WAITING, "job 5 is waiting" },
        { ACT_KILL, JOB_STARTING, NULL },
        { ACT_SIGNAL, JOB_WAITING, "no tasks to be signalled" },
        { ACT_SIGNAL, JOB_RUNNING, "these tasks of job 5 have ended" },
    };
    struct taskset ranks = { 0 };

    (void)state;
    assert_int_equal(taskset_add(&ranks, 0, 1), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct act_order o = order(cases[i].act, ACT_OPERATOR, &ranks);
        long n;

        job.state = cases[i].state;
        tasks[0].hold = tasks[1].hold = HOLD_GOING;
        err = (struct err){ 0 };
        n = acts_order(&acts, &job, &o, NULL, 0, &err);
        if (!cases[i].words && n != 2)
            fail_msg("case %zu: %ld, %s", i, n, err.text);
        if (cases[i].words && (n >= 0 || !strstr(err.text, cases[i].words)))
            fail_msg("case %zu: %ld, %s", i, n, err.text);
    }
    job.state = JOB_RUNNING;
    tasks[0].state = tasks[1].state = TASK_EXITED;
    struct act_order o = order(ACT_SUSPEND, ACT_OWNER, &ranks);
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), -1);
    assert_non_null(strstr(err.text, "have ended"));
    tasks[0].state = tasks[1].state = TASK_RUNNING;
    tasks[0].hold = tasks[1].hold = HOLD_ENDING;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), -1);
    assert_non_null(strstr(err.text, "are being ended"));
    o = order(ACT_KILL, ACT_OPERATOR, NULL);
    o.exit_code = 256;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), -1);
    assert_non_null(strstr(err.text, "256 is not an exit code"));
    o.exit_code = 0;
    o.number = 999;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), -1);
    assert_non_null(strstr(err.text, "there is no signal 999"));
    taskset_fini(&ranks);
}

/* A person may end as many as there are, policies two here. */
static void limits(void **state)
{
    struct act_order o = order(ACT_KILL, ACT_OPERATOR, NULL);

    (void)state;
    for (int i = 0; i < 3; i++) {
        job.ending.killed = false;
        assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), 1);
    }
    o = order(ACT_KILL, ACT_POLICY, NULL);
    o.exit_code = JOB_CODE_HUNG;
    o.end = "it hung";
    for (int i = 0; i < 3; i++) {
        job.ending.killed = false;
        assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err),
                         i < 2 ? 1 : -1);
    }
    assert_int_equal(err.code, EDQUOT);
    assert_false(job.ending.killed);
    assert_string_equal(str_text(&done),
        "end 0: so\nend 0: so\nend 0: so\n"
        "end 123: it hung\nend 123: it hung\n"
        "told! job 5 is not ended: this master has ended 2 hung jobs within "
        "an hour\n");
    assert_string_equal(rows(),
        "kill all operator ordered: so|kill all operator ordered: so|"
        "kill all operator ordered: so|kill all odd ordered: so|"
        "kill all odd ordered: so|"
        "kill all odd refused: too many kills in this hour: so");
}

/* Who cannot go back is ended; both count as ends of a hung job. */
static void rollback(void **state)
{
    struct act_order o = order(ACT_ROLLBACK, ACT_POLICY, NULL);

    (void)state;
    o.exit_code = JOB_CODE_HUNG;
    o.end = "it hung, and cannot go back";
    can_return = true;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), 1);
    assert_false(job.ending.killed);
    can_return = false;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), 1);
    assert_true(job.ending.killed);
    job.ending.killed = false;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), -1);
    assert_int_equal(err.code, EDQUOT);
    assert_string_equal(str_text(&done),
        "again: so\nend 123: it hung, and cannot go back\n"
        "told! job 5 is not ended: this master has ended 2 hung jobs within "
        "an hour\n");
}

/* A second time, without grace, is a new order; else it is the same. */
static void kill_twice(void **state)
{
    struct act_order o = order(ACT_KILL, ACT_OPERATOR, NULL);

    (void)state;
    o.number = SIGINT;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), 1);
    assert_int_equal(job_kill_signal(&job), SIGINT);
    o.number = SIGTERM;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), 0);
    assert_int_equal(job_kill_signal(&job), SIGINT);
    o.at_once = true;
    assert_int_equal(acts_order(&acts, &job, &o, NULL, 0, &err), 1);
    assert_string_equal(str_text(&done),
                        "end 0: so\nend 0: so\nend 0 at once: so\n");
    assert_string_equal(rows(), "kill all operator ordered: so|"
                                "kill all operator ordered: so");
}

static void within_an_hour(void **state)
{
    const uint64_t s = 1000000000;
    struct limit l = { 0 };

    (void)state;
    assert_false(limit_take(&l, 0, 1 * s));
    assert_true(limit_take(&l, 2, 10 * s));
    assert_true(limit_take(&l, 2, 20 * s));
    assert_false(limit_take(&l, 2, 3609 * s));
    assert_true(limit_take(&l, 2, 3611 * s));
    assert_false(limit_take(&l, 2, 3612 * s));
    l = (struct limit){ 0 };
    for (unsigned i = 0; i < 10 * LIMIT_MAX; i++)
        assert_int_equal(limit_take(&l, UINT32_MAX, s + i), i < LIMIT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_may, setup, teardown),
        cmocka_unit_test_setup_teardown(suspend_and_resume, setup, teardown),
        cmocka_unit_test_setup_teardown(checks, setup, teardown),
        cmocka_unit_test_setup_teardown(limits, setup, teardown),
        cmocka_unit_test_setup_teardown(rollback, setup, teardown),
        cmocka_unit_test_setup_teardown(kill_twice, setup, teardown),
        cmocka_unit_test(within_an_hour),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
