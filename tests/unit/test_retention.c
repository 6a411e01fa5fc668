/* test_retention.c - how much of the looks at jobs is kept: so many bytes of
 * each, and those of old jobs only where a policy found something; and at which
 * places the stays of earlier runs are. */
#include "tests/unit/look.h"

#include "master/store/journal.h"
#include "master/store/store.h"
#include "master/watch/spool.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"

static char dir[PATHS_MAX], path[PATHS_MAX + 16];
static struct err err;
static struct store *st;

static int setup(void **state)
{
    (void)state;
    if (paths_make_private_dir(dir, sizeof(dir), &err))
        return -1;
    snprintf(path, sizeof(path), "%s/h.db", dir);
    st = store_open(path, &err);
    return st && store_begin(st, &err) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    store_close(st);
    return paths_remove_tree(dir, NULL);
}

static int row(void *arg, int n, const char *const *names,
               const struct store_value *v)
{
    (void)names;
    for (int i = 0; i < n; i++)
        str_addf(arg, "%s%lld", i ? " " : "", (long long)v[i].i);
    str_add(arg, "\n");
    return 0;
}

static void expect(const char *sql, const char *want)
{
    struct str out = { 0 };

    if (store_query(st, sql, row, &out, &err))
        fail_msg("%s: %s", sql, err.text);
    assert_string_equal(str_text(&out), want);
    str_fini(&out);
}

static void add_job(uint64_t id, bool ended)
{
    struct store_job j = { .job = id, .name = "a", .ntasks = 1,
                           .state = ended ? "done" : "running", .command = "c",
                           .submitted_ns = 1, .started_ns = 2,
                           .ended_ns = ended ? 3 : 0, .exit_code = { ended, 0 } };

    if (store_put_job(st, &j, &err))
        fail_msg("%s", err.text);
}

static void add_look(uint64_t job, uint64_t seq)
{
    struct store_look l = { .job = job, .seq = seq, .at_ns = seq, .data = { "abc", 3 } };

    if (store_put_look(st, &l, &err))
        fail_msg("%s", err.text);
}

/* All before a look, of one job. */
static void trimmed(void **state)
{
    (void)state;
    for (uint64_t job = 1; job <= 2; job++) {
        add_job(job, false);
        for (uint64_t seq = 10; seq <= 50; seq += 10)
            add_look(job, seq);
    }
    assert_int_equal(store_trim_looks(st, 1, 30, &err), 0);
    expect("SELECT job, count(*), min(seq) FROM look GROUP BY job",
           "1 3 30\n2 5 10\n");
    assert_int_equal(store_trim_looks(st, 1, INT64_MAX, &err), 0);
    expect("SELECT job, count(*) FROM look GROUP BY job", "2 5\n");
}

/* 30 jobs have ended, 2 and 5 with a verdict; 3 and 31 run on. */
static void tidied(void **state)
{
    (void)state;
    for (uint64_t job = 1; job <= 31; job++) {
        add_job(job, job != 3 && job != 31);
        add_look(job, 1);
        add_look(job, 2);
    }
    for (uint64_t job = 2; job <= 5; job += 3) {
        struct store_verdict v = { .job = job, .seq = 1, .at_ns = 1,
                                   .policy = "p", .kind = "hang", .phase = "",
                                   .ranks = "", .why = "", .detail = "",
                                   .report = "" };

        if (store_put_verdict(st, &v, &err))
            fail_msg("%s", err.text);
    }
    assert_int_equal(store_tidy(st, &err), 0);
    /* the last 20 without a verdict are 11 to 30 */
    expect("SELECT count(DISTINCT job), count(*) FROM look", "24 48\n");
    expect("SELECT DISTINCT job FROM look WHERE job <= 11 ORDER BY job",
           "2\n3\n5\n11\n");
    assert_int_equal(store_tidy(st, &err), 0);
    expect("SELECT count(DISTINCT job), count(*) FROM look", "24 48\n");
}

static void add_stay(uint64_t place, uint64_t longest_ns, uint64_t at_ns)
{
    struct store_stay s = { .place = place, .longest_ns = longest_ns, .job = 1,
                            .at_ns = at_ns };

    if (store_put_stay(st, &s, &err))
        fail_msg("%s", err.text);
}

/* 10,000 places are known, those that runs came to last; a place that a run
 * comes to again is not forgotten, however short its stay is then. */
static void forgotten(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 10000; i++)
        add_stay(i, 100, i);
    assert_int_equal(store_tidy(st, &err), 0);
    expect("SELECT count(*), min(place) FROM stay", "10000 1\n");
    add_stay(1, 50, 20000);
    for (uint64_t i = 10001; i <= 10030; i++)
        add_stay(i, 100, i);
    assert_int_equal(store_tidy(st, &err), 0);
    expect("SELECT count(*), max(place) FROM stay", "10000 10030\n");
    expect("SELECT place, longest_ns FROM stay ORDER BY place LIMIT 2",
           "1 100\n32 100\n");
}

/* ---------------------------------------------------- the tape of one job */

/* What the journal has been given, in place of it. */
static struct { uint64_t seq; size_t bytes; } piece[100];
static size_t npieces;
static uint64_t trimmed_to;

void journal_look(struct journal *jn, const struct job *j,
                  const struct store_look *l)
{
    (void)jn, (void)j;
    assert_true(npieces < 100);
    piece[npieces].seq = l->seq;
    piece[npieces++].bytes = l->data.n;
}

void journal_trim_looks(struct journal *jn, const struct job *j, uint64_t seq)
{
    (void)jn, (void)j;
    trimmed_to = seq;
}

/* n looks, 11 s apart: a piece each. */
static void record(struct spool *r, unsigned n)
{
    struct tape_frame frame;

    while (n--) {
        look.rank[1].calls += 5;
        spool_add(r, &look.in, &frame);
        assert_true(frame.bytes > 0);
        look.in.seq++;
        look.in.now_ns += 11 * S;
    }
    spool_flush(r);
}

/* As many of the last pieces as fit; of all pieces that were given. */
static uint64_t first_that_fits(size_t keep)
{
    size_t i = npieces, bytes = 0;

    while (i > 0 && bytes + piece[i - 1].bytes <= keep)
        bytes += piece[--i].bytes;
    return piece[i].seq;
}

static void reeled(void **state)
{
    struct job j = { .id = 0 };
    struct spool r = { .job = &j, .keep_bytes = 1 << 20 };

    (void)state;
    look_at(2);
    npieces = trimmed_to = 0;
    assert_int_equal(spool_begin(&r, 2), 0);
    record(&r, 20);
    assert_int_equal(npieces, 20);
    assert_int_equal(trimmed_to, 0);
    r.keep_bytes = r.stored_bytes / 4;
    record(&r, 30);
    assert_int_equal(npieces, 50);
    assert_int_equal(trimmed_to, first_that_fits(r.keep_bytes));
    assert_true(trimmed_to > 40 && trimmed_to < 50);
    assert_true(r.stored_bytes <= r.keep_bytes);
    r.keep_bytes = 1;           /* the last one stays, whatever it takes */
    record(&r, 2);
    assert_int_equal(trimmed_to, piece[npieces - 1].seq);
    /* Other tasks cannot be on the same tape. */
    assert_int_equal(spool_begin(&r, 3), 0);
    assert_int_equal(trimmed_to, INT64_MAX);
    spool_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(trimmed, setup, teardown),
        cmocka_unit_test_setup_teardown(tidied, setup, teardown),
        cmocka_unit_test_setup_teardown(forgotten, setup, teardown),
        cmocka_unit_test(reeled),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
