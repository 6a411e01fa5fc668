/* test_ladder.c - steps for deadlines of a master before, as its rows say, also
 * those of damaged and foreign databases: what stands is taken back, what makes
 * no sense is not taken up, and both are said; and what there is of weight when
 * one is decided. */
#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/ladder/ladder_private.h"
#include "master/ladder/rungrow.h"
#include "master/state/job_ops.h"
#include "master/store/journal.h"
#include "master/store/query.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"

/* Job 5 acts on its deadlines; job 6, of the same user, has given way; job 7 is
 * of somebody else. */
static const struct job_ops ours = { .ours = true };
static char dir[PATHS_MAX], path[PATHS_MAX + 16];
static struct err err;
static struct event_base *base;
static struct acts acts;
static struct nodes nodes;
static struct jobs jobs;
static struct job rt, low, other;
static struct task tasks[3][2];
static struct pace paces[PACES];
static struct ladder *ladder;
static unsigned commits, effects;

static void on_committed(void *arg)
{
    (void)arg;
    commits++;
}

static const struct journal_ops journal_ops = { .committed = on_committed };

static void on_effect(struct job *j, unsigned what)
{
    (void)j;
    effects |= what;
}

static void on_notice(const struct job *j, bool error, const char *fmt, ...)
{
    (void)j, (void)error, (void)fmt;
}

static const struct act_ops act_ops = { .effect = on_effect,
                                        .notice = on_notice };

static const struct due *nothing_due(const struct job *j, uint32_t number)
{
    (void)j, (void)number;
    return NULL;
}

static void make_job(struct job *j, struct task *of, uint64_t id, uint32_t uid,
                     enum hold hold)
{
    *j = (struct job){ .ops = &ours, .id = id, .uid = uid, .state = JOB_RUNNING,
                       .ntasks = 2, .tasks = of, .max_suspend = 50 };
    for (int i = 0; i < 2; i++)
        of[i] = (struct task){ .state = TASK_RUNNING, .hold = hold };
    jobs_add(&jobs, j);
}

static int setup(void **state)
{
    struct store_master m = { .instance = 7, .pid = 1, .host = "here",
                              .address = "x", .started_ns = 1 };
    struct ladder_parts parts = { .nodes = &nodes, .jobs = &jobs, .acts = &acts,
                                  .instance = 7, .due = nothing_due };
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
    acts = (struct acts){ .ops = &act_ops };
    acts.journal = journal_create(base, st, path, NULL, &m, &journal_ops, NULL,
                                  &err);
    nodes = (struct nodes){ .n = 0 };
    jobs = (struct jobs){ .n = 0 };
    make_job(&rt, tasks[0], 5, 1000, HOLD_GOING);
    make_job(&low, tasks[1], 6, 1000, HOLD_SUSPENDED);
    make_job(&other, tasks[2], 7, 1001, HOLD_SUSPENDED);
    rt.acts_on_due = true;
    memset(paces, 0, sizeof(paces));
    rt.paces = paces;
    commits = effects = 0;
    parts.base = base;
    ladder = ladder_create(&parts);
    return acts.journal && ladder ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    ladder_destroy(ladder);
    if (acts.journal)
        journal_destroy(acts.journal);
    nodes_fini(&nodes);
    event_base_free(base);
    return paths_remove_tree(dir, NULL);
}

/* A step that stands: job 6 is suspended for the first deadline of job 5. */
static struct store_rung row_of(void)
{
    return (struct store_rung){
        .job = 5, .number = 3, .deadline = "a<=20ms", .deadline_number = 1,
        .kind = "suspend", .target = 6, .margin = -0.1, .chance = 0.5,
        .gain = 0.4, .state = "done", .at_ns = 1000, .done_ns = 2000,
        .why = "so", .master = 6 };
}

/* What the rows say, once all is written. */
static const char *rows(void)
{
    static char text[1000];
    sqlite3 *db;
    sqlite3_stmt *s;

    journal_destroy(acts.journal);
    acts.journal = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT ifnull(group_concat(number"
        " || ' ' || kind || ' ' || ifnull(node, '-') || ' ' || ifnull(to_node,"
        " '-') || ' ' || state || ' ' || master, '|'), '') FROM rung", -1, &s,
        NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    snprintf(text, sizeof(text), "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    sqlite3_close(db);
    return text;
}

/* ------------------------------------------------------------------- a row */

static void test_row(void **state)
{
    static const struct {
        const char *kind, *state;
        uint64_t target;
        uint32_t number, deadline;
        double margin;
        const char *odd, *refused;
    } table[] = {
        { "suspend", "done", 6, 3, 1, 0, "", NULL },
        { "raise", "undoing", 5, 3, PACES, 0, "", NULL },
        { "leave", "doing", 6, RUNGROW_MOST, 64, NAN, "", NULL },
        { "suspend", "done", 6, 3, 65, 0, "deadline 65 of 64 at most", NULL },
        { "suspend", "done", 6, 3, UINT32_MAX, 0,
          "deadline 4294967295 of 64 at most", NULL },
        { "suspend", "stored", 6, 3, 0, 0, "deadline 0 of 64 at most", NULL },
        { "suspend", "done", 6, 0, 1, 0, "step 0 of 16777216 at most", NULL },
        { "suspend", "done", 6, UINT32_MAX, 1, 0,
          "step 4294967295 of 16777216 at most", NULL },
        { "suspend", "done", 6, 3, 1, INFINITY, "a figure that is no number",
          NULL },
        { "raise", "done", 6, 3, 1, 0, NULL, "raise cannot be done to job 6" },
        { "faster", "done", 6, 3, 1, 0, NULL,
          "faster cannot be done to job 6" },
        { "suspend", "done", 5, 3, 1, 0, NULL,
          "suspend cannot be done to job 5" },
        { "suspend", "done", 7, 3, 1, 0, NULL, "job 7 is of another user" },
        { "suspend", "proposed", 6, 3, 1, 0, NULL,
          "nothing is taken back of one that is \"proposed\"" },
        { "suspend", "undone", 6, 3, 1, 0, NULL,
          "nothing is taken back of one that is \"undone\"" },
        { "suspend", NULL, 6, 3, 1, 0, NULL,
          "nothing is taken back of one that is \"\"" },
        { "freeze", "done", 6, 3, 1, 0, NULL, "there is no step \"freeze\"" },
        { NULL, "done", 6, 3, 1, 0, NULL, "there is no step \"\"" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct store_rung row = row_of();
        struct rungrow is;
        int rc;

        row.kind = table[i].kind;
        row.state = table[i].state;
        row.target = table[i].target;
        row.number = table[i].number;
        row.deadline_number = table[i].deadline;
        row.margin = table[i].margin;
        rc = rungrow_read(&is, &row, &rt, jobs_find(&jobs, row.target), &err);
        assert_int_equal(rc, table[i].refused ? -1 : 0);
        if (rc) {
            assert_string_equal(err.text, table[i].refused);
            continue;
        }
        assert_true(is.deadline >= 1 && is.deadline <= PACES);
        if (!isnan(row.margin))
            assert_string_equal(is.odd, table[i].odd);
    }
}

/* --------------------------------------------------------- what is recalled */

static void turn_until_resumed(const struct job *j)
{
    for (int turns = 0; j->tasks[0].hold == HOLD_SUSPENDED; turns++) {
        assert_true(turns < 10000);
        event_base_loop(base, EVLOOP_ONCE);
    }
}

/* Whatever the row says besides. */
static void test_taken_back(void **state)
{
    struct store_rung row = row_of();

    (void)state;
    row.deadline_number = 70;
    row.number = UINT32_MAX;
    ladder_recall(ladder, &row);
    turn_until_resumed(&low);
    assert_int_equal(tasks[1][1].hold, HOLD_RESUMING);
    assert_int_equal(rt.rungs, 0);
    assert_string_equal(rows(), "4294967295 suspend - - undoing 7");
}

static void test_not_taken_up(void **state)
{
    static const char *const odd[] = { "proposed", "failed", "dno" };
    struct store_rung row;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        row = row_of();
        row.state = odd[i];
        ladder_recall(ladder, &row);
    }
    row = row_of();
    row.kind = "sleep";
    ladder_recall(ladder, &row);
    row = row_of();
    row.target = 7;             /* that a person has suspended, it may be */
    ladder_recall(ladder, &row);
    assert_true(TAILQ_EMPTY(&ladder->rungs));
    assert_int_equal(tasks[2][0].hold, HOLD_SUSPENDED);
    assert_string_equal(rows(), "");
}

/* A master that is killed before it takes anything back has the next one find
 * it. */
static void test_next_one_finds_it(void **state)
{
    struct store_rung row = row_of();

    (void)state;
    row.kind = "leave";
    row.node = "n1";
    row.to_node = "n2";
    ladder_recall(ladder, &row);
    assert_string_equal(rows(), "3 leave n1 n2 done 7");
}

/* It goes on counting where the last step was, though that was taken back. */
static void test_count(void **state)
{
    struct store_rung row = row_of();
    uint32_t last = 1;
    struct store *st;

    (void)state;
    row.state = "undone";
    journal_rung(acts.journal, &row);
    row.number = 12;
    journal_rung(acts.journal, &row);
    row.number = UINT32_MAX;
    journal_rung(acts.journal, &row);
    row.number = 40;
    row.job = 6;
    journal_rung(acts.journal, &row);
    rows();
    st = store_open(path, &err);
    assert_non_null(st);
    assert_int_equal(query_last_rung(st, 5, RUNGROW_MOST, &last, &err), 0);
    assert_int_equal(last, 12);
    assert_int_equal(query_last_rung(st, 9, RUNGROW_MOST, &last, &err), 0);
    assert_int_equal(last, 0);
    store_close(st);
}

/* ------------------------------------------------------------------ weights */

/* A job of less weight than usual may have none back where its slave may not
 * lower the nice value: no more than it has is offered. */
static void test_no_more_weight(void **state)
{
    static const struct { uint32_t may; int most; double more; } table[] = {
        { 0, 5, 0 },            /* it may not */
        { 5, 0, 0 },            /* nobody may have more than the usual one */
        { 5, 5, 3125 },         /* 1024 times 1.25 to the fifth */
    };
    struct node *n = nodes_make(&nodes, "n1");
    struct job_node at = { .node = n, .ntasks = 2, .nlive = 2 };
    struct climber c = { .job = 5 };

    (void)state;
    assert_non_null(n);
    assert_int_equal(taskset_add(&at.ranks, 0, 1), 0);
    rt.nodes = &at;
    rt.nnodes = 1;
    for (int i = 0; i < 2; i++) {
        tasks[0][i].share.applied = true;
        tasks[0][i].share.nice = 10;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct fare *f = ladder_fare(ladder, 5, n, true);
        struct ladder_sight sight;

        f->at_ns = 1;
        f->may_raise = table[i].may;
        acts.conf.max_priority = table[i].most;
        assert_true(ladder_look(ladder, &c, NULL, NULL, &sight));
        assert_int_equal(sight.in.nshares, 1);
        assert_true(sight.in.shares[0].weight < 1024);
        assert_int_equal(lround(sight.in.shares[0].more), table[i].more);
        ladder_free(&sight);
    }
    taskset_fini(&at.ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_row, setup, teardown),
        cmocka_unit_test_setup_teardown(test_taken_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_taken_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_next_one_finds_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_more_weight, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
