/* store.c - the database file: opened, checked, brought up to date, and written
 * in transactions. How SQLite is spoken with is in store_db.c, what the rows are
 * in rows.h.
 *
 * Invariants. A store that store_open() returned has our schema, and this
 * process may write to it. Writes happen inside BEGIN IMMEDIATE only, so with
 * a write-ahead log SQLITE_BUSY can come from store_begin() alone, when nothing
 * is lost by trying again. Who comes while another one writes does not get that
 * log (SQLite does not wait for it, whatever its busy timeout says), and asks
 * for it again until it is there: without it, whoever reads keeps all others
 * from committing. The label cache holds ids that are committed, or will be by
 * the transaction that is open. */
#include "master/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "master/store/alive.h"
#include "master/store/schema.h"
#include "master/store/store_db.h"
#include "mpi-wrappers/table/calls.h"
#include "proto/base/brief.h"
#include "proto/base/clock.h"
#include "proto/base/paths.h"

enum {
    STORE_APPLICATION = 0x48435431,     /* "HCT1": PRAGMA application_id */
    STORE_OPEN_MS = 5000,       /* patience while another makes the schema */
    STORE_LOG_MS = 1000,        /* for a write-ahead log, at the beginning */
    STORE_READ_MS = 30000,      /* of the operator's tool */
    STORE_WRITE_MS = 10,        /* else: a short wait beats a timer's turn */
    STORE_TURN_MS = 5,          /* between two attempts at the log */
    STORE_ALONE = SQLITE_OPEN_NOMUTEX,  /* whoever uses one has one thread */
};

static const char sql_call[] =
    "INSERT OR REPLACE INTO mpi_call(id, name) VALUES(?1, ?2)";

/* ----------------------------------------------------------- transactions */

/* -1: another one is writing just now. A file system without shared memory
 * keeps the journal it has, which is slower, and right. */
static int store_ask_for_log(struct store *st)
{
    int rc = sqlite3_exec(st->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);

    st->wants_log = store_errno(rc) == EBUSY;
    return st->wants_log ? -1 : 0;
}

void store_wait(struct store *st, unsigned ms)
{
    sqlite3_busy_timeout(st->db, (int)ms);
}

void store_wait_little(struct store *st)
{
    store_wait(st, STORE_WRITE_MS);
}

int store_begin(struct store *st, struct err *err)
{
    if (st->wants_log)
        store_ask_for_log(st);

    sqlite3_stmt *s = store_stmt(st, STORE_BEGIN, "BEGIN IMMEDIATE", err);

    return s ? store_run(st, s, err) : -1;
}

int store_commit(struct store *st, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_COMMIT, "COMMIT", err);

    return s ? store_run(st, s, err) : -1;
}

void store_rollback(struct store *st)
{
    sqlite3_stmt *s = store_stmt(st, STORE_ROLLBACK, "ROLLBACK", NULL);

    if (s && !sqlite3_get_autocommit(st->db))
        store_run(st, s, NULL);
    store_labels_forget(st);
    store_sites_forget(st);
}

/* ---------------------------------------------------------------- checks */

static int store_pragma(struct store *st, const char *sql, int64_t *value,
                        struct err *err)
{
    sqlite3_stmt *s = NULL;
    int rc;

    if (sqlite3_prepare_v2(st->db, sql, -1, &s, NULL) != SQLITE_OK)
        return store_fail(st, err, "cannot read");
    rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        *value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return rc == SQLITE_ROW ? 0 : store_fail(st, err, "cannot read");
}

/* *version: of its schema; 0 is a database without a single table, to be made
 * ours. */
static int store_check(struct store *st, int64_t *found, struct err *err)
{
    int64_t version = 0, id = 0, tables = 0;

    /* Tables first: another master may make them between these, and its mark
     * comes with them. */
    if (store_pragma(st, "SELECT count(*) FROM sqlite_master", &tables, err) ||
        store_pragma(st, "PRAGMA user_version", &version, err) ||
        store_pragma(st, "PRAGMA application_id", &id, err))
        return -1;
    *found = version;
    if (version == 0 && tables == 0)
        return 0;
    if (id != STORE_APPLICATION || version < 1)
        return err_set(err, EBADMSG, "%s is not a database of Hector",
                       st->path);
    if (version > schema_version())
        return err_set(err, EPROTO, "%s was made by a newer Hector (schema "
                       "%lld, this one knows %d)", st->path,
                       (long long)version, schema_version());
    return 0;
}

/* ------------------------------------------------------- opening, closing */

void store_close(struct store *st)
{
    int saved = errno;

    if (!st)
        return;
    for (int i = 0; i < STORE_STMT_COUNT; i++)
        sqlite3_finalize(st->stmt[i]);
    for (int i = 0; i < STORE_TABLE_COUNT; i++)
        sqlite3_finalize(st->put[i]);
    sqlite3_close(st->db);
    store_labels_forget(st);
    free(st->labels);
    free(st->sites);
    free(st->path);
    free(st);
    errno = saved;
}

int store_version(const struct store *st)
{
    return (int)st->version;
}

static void store_is_dead(sqlite3_context *ctx, int n, sqlite3_value **v)
{
    (void)n;
    sqlite3_result_int(ctx, alive_is_dead(
        (const char *)sqlite3_value_text(v[0]),
        (uint32_t)sqlite3_value_int64(v[1]),
        (const char *)sqlite3_value_text(v[2])));
}

static void store_brief(sqlite3_context *ctx, int n, sqlite3_value **v)
{
    const char *name = (const char *)sqlite3_value_text(v[0]);
    struct str s = { 0 };

    (void)n;
    if (name)
        brief_add(&s, name);
    if (name && !str_failed(&s))
        sqlite3_result_text(ctx, str_text(&s), -1, SQLITE_TRANSIENT);
    str_fini(&s);
}

/* Standard deviation over mean, by Welford. */
struct store_cov { double n, mean, squares; };

static void store_cov_step(sqlite3_context *ctx, int n, sqlite3_value **v)
{
    struct store_cov *c = sqlite3_aggregate_context(ctx, sizeof(*c));
    double x = sqlite3_value_double(v[0]), from;

    (void)n;
    if (!c || sqlite3_value_type(v[0]) == SQLITE_NULL)
        return;
    from = x - c->mean;
    c->mean += from / ++c->n;
    c->squares += from * (x - c->mean);
}

static void store_cov_end(sqlite3_context *ctx)
{
    struct store_cov *c = sqlite3_aggregate_context(ctx, 0);

    if (c && c->n > 0 && c->mean > 0)
        sqlite3_result_double(ctx, sqrt(c->squares / c->n) / c->mean);
    else
        sqlite3_result_double(ctx, 0);
}

/* As sum() of integers, but stops at the largest one: a task that has written
 * all over its page may have counted to anything. */
struct store_whole { int64_t sum; bool any; };

static void store_whole_step(sqlite3_context *ctx, int n, sqlite3_value **v)
{
    struct store_whole *w = sqlite3_aggregate_context(ctx, sizeof(*w));
    int64_t x = sqlite3_value_int64(v[0]);

    (void)n;
    if (!w || sqlite3_value_type(v[0]) == SQLITE_NULL)
        return;
    w->any = true;
    if (__builtin_add_overflow(w->sum, x, &w->sum))
        w->sum = x > 0 ? INT64_MAX : INT64_MIN;
}

static void store_whole_end(sqlite3_context *ctx)
{
    struct store_whole *w = sqlite3_aggregate_context(ctx, 0);

    if (w && w->any)
        sqlite3_result_int64(ctx, w->sum);
}

/* Nobody asks SQLite how much memory it has; it counts under a lock. Means
 * something before the first file is opened, and is refused after it. */
static struct store *store_new(const char *path, struct err *err)
{
    struct store *st = calloc(1, sizeof(*st));

    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (!st || !(st->path = strdup(path))) {
        store_close(st);
        err_set(err, ENOMEM, "cannot open %s: out of memory", path);
        return NULL;
    }
    return st;
}

struct store *store_open_readonly(const char *path, struct err *err)
{
    struct store *st = store_new(path, err);

    if (!st)
        return NULL;
    if (sqlite3_open_v2(path, &st->db, SQLITE_OPEN_READONLY | STORE_ALONE,
                        NULL)) {
        store_fail(st, err, "cannot read");
        store_close(st);
        return NULL;
    }
    sqlite3_busy_timeout(st->db, STORE_READ_MS);
    sqlite3_create_function(st->db, "master_is_dead", 3, SQLITE_UTF8, NULL,
                            store_is_dead, NULL, NULL);
    sqlite3_create_function(st->db, "cov", 1, SQLITE_UTF8, NULL, NULL,
                            store_cov_step, store_cov_end);
    sqlite3_create_function(st->db, "brief", 1, SQLITE_UTF8, NULL,
                            store_brief, NULL, NULL);
    sqlite3_create_function(st->db, "whole", 1, SQLITE_UTF8, NULL, NULL,
                            store_whole_step, store_whole_end);
    if (store_check(st, &st->version, err)) {
        store_close(st);
        return NULL;
    }
    if (st->version == 0) {
        err_set(err, EBADMSG, "%s is empty: nothing has been recorded yet",
                path);
        store_close(st);
        return NULL;
    }
    return st;
}

/* The names of MPI functions grow with the versions of Hector. */
static int store_lacks_calls(struct store *st, bool *lacks, struct err *err)
{
    int64_t calls = 0;

    if (store_pragma(st, "SELECT count(*) FROM mpi_call", &calls, err))
        return -1;
    *lacks = calls < CALL_END - 1;
    return 0;
}

/* The names of the MPI functions that are not in table mpi_call yet. */
static int store_put_calls(struct store *st, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_CALL, sql_call, err);

    for (unsigned id = 1; s && id < CALL_END; id++) {
        sqlite3_bind_int64(s, 1, id);
        store_bind_text(s, 2, call_name(id));
        if (store_run(st, s, err))
            return -1;
    }
    return s ? 0 : -1;
}

/* From the version it has to ours, inside a transaction. */
static int store_migrate(struct store *st, int64_t version, struct err *err)
{
    struct str sql = { 0 };
    int rc;

    if (version == schema_version())
        return 0;
    schema_update(&sql, (int)version);
    str_addf(&sql, "PRAGMA application_id=%d; PRAGMA user_version=%d",
             STORE_APPLICATION, schema_version());
    rc = str_failed(&sql) ? err_memory(err)
                          : store_exec(st, str_text(&sql), err);
    str_fini(&sql);
    return rc;
}

/* Make an empty file ours, or an older one a present one. Another master may
 * be doing the same: whoever gets the write lock first does it, the second
 * one finds it done. */
static int store_make_schema(struct store *st, struct err *err)
{
    int64_t version = 0;
    bool lacks = false;

    if (store_begin(st, err))
        return -1;
    if (store_check(st, &version, err) || store_migrate(st, version, err))
        goto fail;
    if (store_lacks_calls(st, &lacks, err) ||
        (lacks && store_put_calls(st, err)) || store_commit(st, err))
        goto fail;
    return 0;
fail:
    store_rollback(st);
    return -1;
}

/* A file that is ours already is not locked: another process may be writing
 * to it for long, and then it is the journal that waits. */
static int store_ready(struct store *st, int64_t version, struct err *err)
{
    bool lacks = true;

    if (version == schema_version() && store_lacks_calls(st, &lacks, err))
        return -1;
    return lacks ? store_make_schema(st, err) : 0;
}

/* SQLite opens what it cannot write read-only, without a word. */
static int store_check_writable(struct store *st, struct err *err)
{
    if (sqlite3_db_readonly(st->db, "main") != 1)
        return 0;
    if (access(st->path, W_OK) == 0)
        errno = EROFS;                  /* then it is what the file is on */
    return err_sys(err, "cannot write %s", st->path);
}

/* Whatever the umask: the environment of users is in it. SQLite gives the files
 * beside it the same mode. */
static void store_create(const char *path)
{
    int fd = access(path, F_OK) == 0
             ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);              /* else SQLite says why not */
}

/* Earlier versions left the mode to the umask. This is done once, with the
 * change of the schema: who lets others read it later means it. */
static void store_shut(const struct store *st)
{
    static const char *const with[] = { "", "-wal", "-shm" };
    char file[PATHS_MAX + 8];
    struct stat sb;

    for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
        snprintf(file, sizeof(file), "%s%s", st->path, with[i]);
        if (stat(file, &sb) == 0 && (sb.st_mode & 077) &&
            chmod(file, sb.st_mode & 0700))
            return;             /* it is somebody else's */
    }
}

/* Asked for often and shortly: while it waits for readers it keeps new ones
 * out. */
static void store_get_log(struct store *st, unsigned patience_ms)
{
    uint64_t until = clock_monotonic_ns() + patience_ms * CLOCK_NS_PER_MS;

    store_wait(st, STORE_WRITE_MS);
    while (store_ask_for_log(st) && clock_monotonic_ns() < until)
        sqlite3_sleep(STORE_TURN_MS);
    store_wait(st, patience_ms);
}

static struct store *store_open_within(const char *path, unsigned patience_ms,
                                       struct err *err)
{
    struct store *st = store_new(path, err);
    bool memory = strcmp(path, ":memory:") == 0;
    int64_t version = 0;

    if (!st)
        return NULL;
    if (!memory && paths_make_parents(path, err)) {
        err_prefix(err, "cannot write %s", path);
        goto fail;
    }
    if (!memory)
        store_create(path);
    if (sqlite3_open_v2(path, &st->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                        STORE_ALONE, NULL)) {
        store_fail(st, err, "cannot write");
        goto fail;
    }
    store_wait(st, patience_ms);
    if (store_check_writable(st, err) || store_check(st, &version, err))
        goto fail;
    if (!memory)
        store_get_log(st, patience_ms < STORE_LOG_MS ? patience_ms
                                                     : STORE_LOG_MS);
    /* What is dropped when a job has ended is gone. */
    sqlite3_exec(st->db, "PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON",
                 NULL, NULL, NULL);
    if (store_ready(st, version, err))
        goto fail;
    st->version = schema_version();
    if (version > 0 && version < schema_version())
        store_shut(st);
    store_wait_little(st);
    return st;
fail:
    store_close(st);
    return NULL;
}

struct store *store_open(const char *path, struct err *err)
{
    return store_open_within(path, STORE_OPEN_MS, err);
}

struct store *store_open_now(const char *path, struct err *err)
{
    return store_open_within(path, STORE_WRITE_MS, err);
}
