/* bench_store.c - event rows a second through the master's store, against a
 * bare prepared INSERT of the same rows in the same batches; and the costs of
 * 50 call sites of each of 10,000 tasks, written twice, against the same
 * upserts bare. Both in one run,
 * turn about, best of three each; prints the two rates and their ratio.
 *
 *   bench_store [ROWS [BATCH]] */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/store.h"
#include "proto/base/clock.h"
#include "proto/base/paths.h"

enum {
    RANKS = 16, LABELS = 32, PER_MESSAGE = 256, ROUNDS = 3,
    TASKS = 10000, SITES = 50, TASKS_A_BATCH = 320,
};

static struct store_label labels[LABELS];
static char texts[LABELS][64];
static char dir[PATHS_MAX];

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_store: %s: %s\n", what, why);
    paths_remove_tree(dir, NULL);
    exit(1);
}

static void event_of(struct store_event *e, uint64_t i)
{
    e->seq = i / RANKS;
    e->marker = (int32_t)(i % 1000);
    e->label = (uint32_t)(i % LABELS);
    e->call = 10 + (uint32_t)(i % 5);
    e->enter_ns = 1795229784549179114ull + i * 1500;
    e->exit_ns = e->enter_ns + 900;
    e->thread = 0;
}

/* Through the store: as many messages to a transaction as a batch has. */
static double through_store(const char *path, uint64_t rows, uint64_t batch)
{
    static struct store_event events[PER_MESSAGE];
    struct store_job job = { .name = "bench", .state = "running",
                             .ntasks = RANKS };
    uint64_t done = 0, upto[RANKS] = { 0 }, start;
    struct err err;
    struct store *st = store_open(path, &err);

    if (!st || store_begin(st, &err) || store_put_job(st, &job, &err))
        die("store", err.text);
    for (uint32_t r = 0; r < RANKS; r++)
        if (store_put_task(st, &(struct store_task){ .job = job.job,
                           .rank = r, .state = "running" }, &err))
            die("store", err.text);
    store_commit(st, &err);
    start = clock_monotonic_ns();
    while (done < rows) {
        if (store_begin(st, &err))
            die("store", err.text);
        for (uint64_t end = done + batch; done < end && done < rows; ) {
            uint32_t rank = (uint32_t)(done / PER_MESSAGE % RANKS);
            struct store_batch b = {
                .job = job.job, .rank = rank, .node = 1, .events = events,
                .labels = labels, .nlabels = LABELS,
            };

            for (; b.nevents < PER_MESSAGE && done < end && done < rows;
                 b.nevents++)
                event_of(&events[b.nevents], done++);
            b.upto = upto[rank] += b.nevents;
            if (store_add_events(st, &b, &err))
                die("store", err.text);
        }
        if (store_commit(st, &err))
            die("store", err.text);
    }
    start = clock_monotonic_ns() - start;
    store_close(st);
    return (double)rows * 1e9 / (double)start;
}

/* Rows a second. */
static double close_raw(sqlite3 *db, sqlite3_stmt *s, uint64_t start,
                        double rows)
{
    start = clock_monotonic_ns() - start;
    sqlite3_finalize(s);
    sqlite3_close(db);
    return rows * 1e9 / (double)start;
}

/* The same columns, nothing else: no labels, no high-water marks. */
static double raw(const char *path, uint64_t rows, uint64_t batch)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    uint64_t done = 0, start;
    struct store_event e;

    if (sqlite3_open(path, &db) ||
        sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                     "CREATE TABLE event(id INTEGER PRIMARY KEY, job, rank,"
                     " seq, marker, label, call, enter_ns, exit_ns, node,"
                     " thread)", NULL, NULL, NULL) ||
        sqlite3_prepare_v2(db, "INSERT INTO event(job, rank, seq, marker,"
                           " label, call, enter_ns, exit_ns, node, thread)"
                           " VALUES(?,?,?,?,?,?,?,?,?,?)", -1, &s, NULL))
        die("sqlite", sqlite3_errmsg(db));
    start = clock_monotonic_ns();
    while (done < rows) {
        sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        for (uint64_t end = done + batch; done < end && done < rows; done++) {
            event_of(&e, done);
            sqlite3_bind_int64(s, 1, 1);
            sqlite3_bind_int64(s, 2, (int64_t)(done / PER_MESSAGE % RANKS));
            sqlite3_bind_int64(s, 3, (int64_t)e.seq);
            sqlite3_bind_int64(s, 4, e.marker);
            sqlite3_bind_int64(s, 5, e.label);
            sqlite3_bind_int64(s, 6, e.call);
            sqlite3_bind_int64(s, 7, (int64_t)e.enter_ns);
            sqlite3_bind_int64(s, 8, (int64_t)e.exit_ns);
            sqlite3_bind_int64(s, 9, 1);
            sqlite3_bind_int64(s, 10, e.thread);
            if (sqlite3_step(s) != SQLITE_DONE)
                die("sqlite", sqlite3_errmsg(db));
            sqlite3_reset(s);
        }
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    }
    return close_raw(db, s, start, (double)rows);
}

/* ------------------------------------------------------- costs of calls */

static double better(double a, double b)
{
    return a > b ? a : b;
}

static int64_t site_id(int i)
{
    return 1234567890123 * (i + 1);
}

static void cost_of(struct store_cost *c, uint32_t rank, int site, int round)
{
    *c = (struct store_cost){
        .rank = rank, .site = site_id(site), .calls = 1000u * (round + 1),
        .in_ns = 123456789u * (uint64_t)(round + 1), .out_ns = 987654321,
        .bytes = 1u << 30, .max_ns = 1234567 };
}

static double costs_through_store(const char *path)
{
    static struct store_cost costs[SITES];
    struct store_place sites[SITES];
    struct store_job job = { .name = "bench", .state = "running",
                             .ntasks = TASKS };
    struct store_profile p = { .sites = sites, .nsites = SITES,
                               .costs = costs, .ncosts = SITES };
    struct err err;
    struct store *st = store_open(path, &err);
    uint64_t start = clock_monotonic_ns();

    if (!st || store_begin(st, &err) || store_put_job(st, &job, &err) ||
        store_commit(st, &err))
        die("store", err.text);
    p.job = job.job;
    for (int i = 0; i < SITES; i++)
        sites[i] = (struct store_place){ .id = site_id(i), .call = 1 };
    for (int round = 0; round < 2; round++)
        for (uint32_t rank = 0; rank < TASKS; rank++) {
            if (rank % TASKS_A_BATCH == 0 && store_begin(st, &err))
                die("store", err.text);
            for (int i = 0; i < SITES; i++)
                cost_of(&costs[i], rank, i, round);
            if (store_put_profile(st, &p, &err) ||
                ((rank % TASKS_A_BATCH == TASKS_A_BATCH - 1 ||
                  rank == TASKS - 1) && store_commit(st, &err)))
                die("store", err.text);
        }
    start = clock_monotonic_ns() - start;
    store_close(st);
    return 2.0 * TASKS * SITES * 1e9 / (double)start;
}

static double costs_raw(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    uint64_t start = clock_monotonic_ns();

    if (sqlite3_open(path, &db) ||
        sqlite3_exec(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                     "CREATE TABLE cost(job, rank, site, calls, in_ns, out_ns,"
                     " bytes, max_ns, PRIMARY KEY(job, rank, site))"
                     " WITHOUT ROWID", NULL, NULL, NULL) ||
        sqlite3_prepare_v2(db, "INSERT INTO cost VALUES(?1, ?2, ?3, ?4, ?5,"
                           " ?6, ?7, ?8) ON CONFLICT DO UPDATE SET calls = ?4,"
                           " in_ns = ?5, out_ns = ?6, bytes = ?7, max_ns = ?8",
                           -1, &s, NULL))
        die("sqlite", sqlite3_errmsg(db));
    for (int row = 0; row < 2 * TASKS * SITES; row++) {
        uint32_t rank = (uint32_t)(row / SITES % TASKS);
        bool edge = rank % TASKS_A_BATCH == 0 && row % SITES == 0;
        struct store_cost c;

        if (edge && !sqlite3_get_autocommit(db))
            sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
        if (edge)
            sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        cost_of(&c, rank, row % SITES, row / SITES / TASKS);
        sqlite3_bind_int64(s, 1, 1);
        sqlite3_bind_int64(s, 2, c.rank);
        sqlite3_bind_int64(s, 3, c.site);
        sqlite3_bind_int64(s, 4, (int64_t)c.calls);
        sqlite3_bind_int64(s, 5, (int64_t)c.in_ns);
        sqlite3_bind_int64(s, 6, (int64_t)c.out_ns);
        sqlite3_bind_int64(s, 7, (int64_t)c.bytes);
        sqlite3_bind_int64(s, 8, (int64_t)c.max_ns);
        if (sqlite3_step(s) != SQLITE_DONE)
            die("sqlite", sqlite3_errmsg(db));
        sqlite3_reset(s);
    }
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return close_raw(db, s, start, 2.0 * TASKS * SITES);
}

static void compare_costs(void)
{
    double ours = 0, bare = 0;
    char path[PATHS_MAX + 32];

    for (int i = 0; i < ROUNDS; i++) {
        snprintf(path, sizeof(path), "%s/costs%d.db", dir, i);
        ours = better(ours, costs_through_store(path));
        snprintf(path, sizeof(path), "%s/bare%d.db", dir, i);
        bare = better(bare, costs_raw(path));
    }
    printf("store: %.0f rows/s of costs committed, bare upsert %.0f rows/s, "
           "ratio %.2f\n", ours, bare, ours / bare);
}

int main(int argc, char **argv)
{
    uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    uint64_t batch = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000;
    double ours = 0, bare = 0;
    char path[PATHS_MAX + 32];
    struct err err;

    if (rows == 0 || batch == 0) {
        fputs("usage: bench_store [ROWS [BATCH]]\n", stderr);
        return 2;
    }
    if (paths_make_private_dir(dir, sizeof(dir), &err))
        die("directory", err.text);
    for (int i = 0; i < LABELS; i++) {
        snprintf(texts[i], sizeof(texts[i]), "Sending assignment %d...", i);
        labels[i] = (struct store_label){ texts[i], strlen(texts[i]) };
    }
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(path, sizeof(path), "%s/raw%d.db", dir, i);
        bare = better(bare, raw(path, rows, batch));
        snprintf(path, sizeof(path), "%s/store%d.db", dir, i);
        ours = better(ours, through_store(path, rows, batch));
    }
    compare_costs();
    paths_remove_tree(dir, NULL);
    printf("store: %.0f event rows/s committed, bare insert %.0f rows/s, "
           "ratio %.2f\n", ours, bare, ours / bare);
    return 0;
}
