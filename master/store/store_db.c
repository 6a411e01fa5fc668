/* store_db.c - how SQLite is spoken with: errors, statements, values, and
 * questions. */
#include "master/store/store_db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

int store_errno(int code)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:       /* it has lost all of many races */
        return EBUSY;
    case SQLITE_FULL:
        return ENOSPC;
    case SQLITE_READONLY:
        return EROFS;
    case SQLITE_NOMEM:
        return ENOMEM;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return EACCES;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return EBADMSG;
    case SQLITE_ERROR:
        return EINVAL;
    }
    return EIO;
}

/* SQLite does not keep why a write has failed. */
static void store_limit(bool failed, char *buf, size_t size)
{
    struct rlimit l;

    *buf = '\0';
    if (failed && getrlimit(RLIMIT_FSIZE, &l) == 0 &&
        l.rlim_cur != RLIM_INFINITY)
        snprintf(buf, size, " (no file may be larger than %llu KiB: ulimit "
                 "-Hf)", (unsigned long long)l.rlim_cur / 1024);
}

int store_fail(struct store *st, struct err *err, const char *what)
{
    int code = st->db ? sqlite3_errcode(st->db) : SQLITE_NOMEM;
    int system = st->db ? sqlite3_system_errno(st->db) : 0;
    const char *why = st->db ? sqlite3_errmsg(st->db) : "out of memory";

    int number = store_errno(code);
    char limit[80];

    if ((code & 0xff) == SQLITE_CANTOPEN && system) {
        why = strerror(system);
        number = system;
    }
    store_limit((code & 0xff) == SQLITE_IOERR, limit, sizeof(limit));
    return err_set(err, number, "%s %s: %s%s", what,
                   st->path ? st->path : "the database", why, limit);
}

sqlite3_stmt *store_prepare(struct store *st, const char *sql,
                            struct err *err)
{
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v3(st->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s,
                           NULL) != SQLITE_OK)
        store_fail(st, err, "cannot write");
    return s;
}

sqlite3_stmt *store_stmt(struct store *st, enum store_stmt which,
                         const char *sql, struct err *err)
{
    if (!st->stmt[which])
        st->stmt[which] = store_prepare(st, sql, err);
    return st->stmt[which];
}

int store_exec(struct store *st, const char *sql, struct err *err)
{
    return sqlite3_exec(st->db, sql, NULL, NULL, NULL) == SQLITE_OK
           ? 0 : store_fail(st, err, "cannot write");
}

int store_run(struct store *st, sqlite3_stmt *s, struct err *err)
{
    int rc = sqlite3_step(s);

    if (rc != SQLITE_DONE && rc != SQLITE_ROW) {
        store_fail(st, err, "cannot write");
        sqlite3_reset(s);
        return -1;
    }
    sqlite3_reset(s);
    return 0;
}

void store_bind_known(sqlite3_stmt *s, int at, uint64_t value)
{
    if (value)
        sqlite3_bind_int64(s, at, (int64_t)value);
    else
        sqlite3_bind_null(s, at);
}

void store_bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

/* -------------------------------------------------------------- questions */

static void store_value(sqlite3_stmt *s, int i, struct store_value *v)
{
    memset(v, 0, sizeof(*v));
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_INTEGER:
        v->type = STORE_INT;
        v->i = sqlite3_column_int64(s, i);
        break;
    case SQLITE_FLOAT:
        v->type = STORE_REAL;
        v->d = sqlite3_column_double(s, i);
        break;
    case SQLITE_TEXT:
        v->type = STORE_TEXT;
        v->text = (const char *)sqlite3_column_text(s, i);
        v->bytes = (size_t)sqlite3_column_bytes(s, i);
        break;
    case SQLITE_BLOB:
        v->type = STORE_BLOB;
        v->text = sqlite3_column_blob(s, i);
        v->bytes = (size_t)sqlite3_column_bytes(s, i);
        break;
    }
}

static void store_bind(sqlite3_stmt *s, int at, const struct store_value *v)
{
    int bytes = v->bytes ? (int)v->bytes : -1;

    switch (v->type) {
    case STORE_NULL:
        sqlite3_bind_null(s, at);
        break;
    case STORE_INT:
        sqlite3_bind_int64(s, at, v->i);
        break;
    case STORE_REAL:
        sqlite3_bind_double(s, at, v->d);
        break;
    case STORE_TEXT:
        sqlite3_bind_text(s, at, v->text, bytes, SQLITE_STATIC);
        break;
    case STORE_BLOB:
        sqlite3_bind_blob(s, at, v->text, (int)v->bytes, SQLITE_STATIC);
        break;
    }
}

/* Give all rows of a prepared statement; *stop if row() wants no more. */
static int store_rows(struct store *st, sqlite3_stmt *s, store_head_f *head,
                      store_row_f *row, void *arg, bool *stop,
                      struct err *err)
{
    int n = sqlite3_column_count(s), rc = SQLITE_DONE;
    const char **names = calloc((size_t)n + 1, sizeof(*names));
    struct store_value *values = calloc((size_t)n + 1, sizeof(*values));
    bool memory = names && values;

    for (int i = 0; memory && i < n; i++)
        names[i] = sqlite3_column_name(s, i);
    if (memory && head && n > 0)
        head(arg, n, names);
    while (memory && !*stop && (rc = sqlite3_step(s)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++)
            store_value(s, i, &values[i]);
        if (row && row(arg, n, names, values))
            *stop = true;
    }
    free(names);
    free(values);
    if (!memory)
        return err_memory(err);
    if (!*stop && rc != SQLITE_DONE)
        return err_set(err, store_errno(rc), "%s", sqlite3_errmsg(st->db));
    return 0;
}

int store_query_bound(struct store *st, const char *sql,
                      const struct store_value *params, int nparams,
                      store_head_f *head, store_row_f *row, void *arg,
                      struct err *err)
{
    bool stop = false;

    while (*sql && !stop) {
        sqlite3_stmt *s = NULL;
        int rc = sqlite3_prepare_v2(st->db, sql, -1, &s, &sql);

        if (rc != SQLITE_OK)
            return err_set(err, store_errno(rc), "%s", sqlite3_errmsg(st->db));
        if (!s)
            continue;                   /* a comment, or blanks */
        for (int i = 0; i < nparams; i++)
            store_bind(s, i + 1, &params[i]);
        rc = store_rows(st, s, head, row, arg, &stop, err);
        sqlite3_finalize(s);
        if (rc)
            return -1;
        nparams = 0;
    }
    return 0;
}

int store_query(struct store *st, const char *sql, store_row_f *row,
                void *arg, struct err *err)
{
    return store_query_bound(st, sql, NULL, 0, NULL, row, arg, err);
}
