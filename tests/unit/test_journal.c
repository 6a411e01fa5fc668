/* test_journal.c - the last words of a journal, where others have locked the
 * database; and tasks that are noted while their table moves. */
#include <fcntl.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/store/journal.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"

static char dir[PATHS_MAX], path[PATHS_MAX + 16];
static struct err err;
static struct event_base *base;
static unsigned commits, words;

static void on_committed(void *arg)
{
    (void)arg;
    commits++;
}

static void on_replaced(void *arg)
{
    (void)arg;
}

static void on_told(void *arg, const char *text, bool bad)
{
    (void)arg;
    (void)bad;
    print_message("%s\n", text);
    words++;
}

static const struct journal_ops ops = {
    .committed = on_committed, .replaced = on_replaced, .told = on_told,
};

static int setup(void **state)
{
    (void)state;
    if (paths_make_private_dir(dir, sizeof(dir), &err))
        return -1;
    snprintf(path, sizeof(path), "%s/h.db", dir);
    base = event_base_new();
    commits = words = 0;
    log_init("test", LOG_LEVEL_WARN);
    return base ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    event_base_free(base);
    return paths_remove_tree(dir, NULL);
}

/* One that has written all it has. */
static struct journal *open_it(void)
{
    struct store_master m = { .instance = 7, .pid = 1, .host = "here",
                              .address = "x", .started_ns = 1 };
    struct store *st = store_open(path, &err);
    struct journal *jn;

    assert_non_null(st);
    jn = journal_create(base, st, path, NULL, &m, &ops, NULL, &err);
    assert_non_null(jn);
    while (!commits)
        event_base_loop(base, EVLOOP_ONCE);
    return jn;
}

/* What journal_destroy() writes to stderr, in bytes. */
static long last_words(struct journal *jn)
{
    int was = dup(STDERR_FILENO);
    FILE *f = tmpfile();
    long n;

    dup2(fileno(f), STDERR_FILENO);
    journal_destroy(jn);
    dup2(was, STDERR_FILENO);
    close(was);
    n = lseek(fileno(f), 0, SEEK_END);
    fclose(f);
    return n;
}

static int64_t number(const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    int64_t n;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return n;
}

static int64_t ended(void)
{
    return number("SELECT count(ended_ns) FROM master");
}

/* Another process writes for a moment: the end is recorded all the same. */
static void test_busy(void **state)
{
    struct journal *jn = open_it();
    int ready[2], status;
    char c;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(ready), 0);
    child = fork();
    if (child == 0) {
        sqlite3 *db;

        if (sqlite3_open(path, &db) ||
            sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(300000);                 /* how long it writes */
        _exit(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK);
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(last_words(jn), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(ended(), 1);
    close(ready[0]);
    close(ready[1]);
}

/* It writes on and on: nobody waits, nobody is told, nothing is lost by it. */
static void test_stuck(void **state)
{
    struct journal *jn = open_it();
    sqlite3 *db;

    (void)state;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(last_words(jn), 0);
    assert_int_equal(words, 0);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_int_equal(ended(), 0);
}

static int exit_code(const struct job *j, bool *known)
{
    (void)j;
    *known = true;
    return 0;
}

/* Ranks come one by one, and each may move the table of those before: all that
 * was noted of them is written, and only that. */
static void test_growing(void **state)
{
    static const struct job_ops job_ops = { .exit_code = exit_code };
    struct journal *jn = open_it();
    struct job *j = calloc(1, sizeof(*j));

    (void)state;
    j->ops = &job_ops;
    j->name = strdup("solver");
    j->command = strdup("./solver");
    journal_job(jn, j);
    for (uint32_t n = 1; n <= 300; n++) {
        assert_int_equal(job_grow(j, n), 0);
        j->tasks[n - 1].pid = 1000 + n;
        if (n % 3 == 1)
            journal_task(jn, j, &j->tasks[n - 1]);
        else if (n % 3 == 2)
            journal_task_later(jn, j, &j->tasks[n - 1]);
    }
    for (unsigned before = commits; commits == before; )
        event_base_loop(base, EVLOOP_ONCE);
    assert_int_equal(j->id, 1);
    assert_int_equal(number("SELECT count(*) FROM task WHERE pid = 1001 + rank "
                            "AND rank % 3 < 2"), 200);
    assert_int_equal(number("SELECT count(*) FROM task"), 200);

    j->tasks[7].pid = 7;                /* once more, after that */
    journal_task(jn, j, &j->tasks[7]);
    for (unsigned before = commits; commits == before; )
        event_base_loop(base, EVLOOP_ONCE);
    assert_int_equal(number("SELECT pid FROM task WHERE rank = 7"), 7);
    journal_destroy(jn);
    job_destroy(j);
}

/* What is due, and what came of it: of the instances that are told twice, the last
 * word, also when both wait for the same commit. */
static void test_deadlines(void **state)
{
    static const struct job_ops job_ops = { .exit_code = exit_code };
    enum { N = 5000 };
    struct store_instance *rows = calloc(N, sizeof(*rows));
    struct journal *jn = open_it();
    struct job *j = calloc(1, sizeof(*j));
    struct due d;

    (void)state;
    j->ops = &job_ops;
    j->name = strdup("control");
    j->command = strdup("./control");
    journal_job(jn, j);
    assert_int_equal(due_parse(&d, "A<=1s,ranks=1,3,firm", false, &err), 0);
    d.number = 1;
    journal_deadline(jn, j, &d, 77);
    due_fini(&d);
    for (size_t i = 0; i < N; i++)
        rows[i] = (struct store_instance){ .deadline = 1, .rank = i % 2 ? 1 : 3,
            .instance = i / 2, .release_ns = 5, .due_ns = 15 };
    journal_instances(jn, j, rows, N);
    rows[1].done_ns = 12;
    journal_instances(jn, j, rows, 2);
    journal_instances(jn, j, rows, 0);
    assert_false(journal_idle(jn));
    free(rows);
    while (!journal_idle(jn))
        event_base_loop(base, EVLOOP_ONCE);
    assert_int_equal(j->id, 1);
    assert_int_equal(number("SELECT count(*) FROM deadlines WHERE job = 1 AND "
                            "deadline = 'A<=1s,ranks=1,3,firm'"), N);
    assert_int_equal(number("SELECT margin_ns FROM deadlines WHERE rank = 1 AND "
                            "instance = 0"), 3);
    assert_int_equal(number("SELECT count(done_ns) FROM instance"), 1);
    assert_int_equal(number("SELECT added_ns FROM deadline WHERE kind = 'call' AND "
                            "firm AND ranks = '1,3' AND NOT over"), 77);
    journal_destroy(jn);
    job_destroy(j);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = { T(test_growing), T(test_deadlines),
                                        T(test_busy), T(test_stuck) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
