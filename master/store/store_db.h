/* store_db.h - the inside of a store, for the files of this room that speak
 * with SQLite: store.c, store_*.c and row.c. */
#ifndef HECTOR_STORE_DB_H
#define HECTOR_STORE_DB_H

#include <sqlite3.h>

#include "master/store/store.h"

/* Statements that are prepared once, when first needed, besides those that put
 * rows. */
enum store_stmt {
    STORE_BEGIN, STORE_COMMIT, STORE_ROLLBACK, STORE_CALL,
    STORE_JOB_NEW, STORE_RESUME_DROP, STORE_RESULT, STORE_REPORT,
    STORE_LOOK_TRIM, STORE_LOOK_TIDY, STORE_STAY_TIDY, STORE_MODEL_TIDY, STORE_STACK_TRIM,
    STORE_SYSTEM_TIDY,
    STORE_CLIMB_TIDY,
    STORE_LABEL_FIND, STORE_LABEL_ADD,
    STORE_EVENT_EXIT, STORE_JOB_EVENTS, STORE_TASK_RECORDS,
    STORE_STMT_COUNT
};

/* Label texts whose id is known. Bounded: a full row forgets its older half,
 * and long texts are not kept at all. */
enum { STORE_LABEL_ROWS = 8192, STORE_LABEL_MAX = 256 };
struct store_label_entry {
    int64_t id;                 /* 0: empty */
    uint64_t hash;
    uint32_t bytes;
    char *text;                 /* owned */
};

/* Call sites that are in the database already; 0: none. A full set is
 * emptied. */
enum { STORE_SITES = 16384 };
struct store_sites { int64_t v[STORE_SITES]; size_t n; };

struct store {
    sqlite3 *db;                /* owned */
    char *path;                 /* owned */
    int64_t version;            /* of the schema */
    bool wants_log;             /* a write-ahead log, and was refused one */
    sqlite3_stmt *stmt[STORE_STMT_COUNT];       /* owned */
    sqlite3_stmt *put[STORE_TABLE_COUNT];       /* owned */
    struct store_label_entry (*labels)[2];      /* owned; NULL until used */
    struct store_sites *sites;                  /* the same */
};

/* The prepared statement, or NULL with err filled. */
sqlite3_stmt *store_stmt(struct store *st, enum store_stmt which,
                         const char *sql, struct err *err);

/* The same of one that is not among those; the caller's to keep. */
sqlite3_stmt *store_prepare(struct store *st, const char *sql,
                            struct err *err);

/* Step a statement that gives no rows, and reset it. */
int store_run(struct store *st, sqlite3_stmt *s, struct err *err);

/* Fill err from what SQLite says of the last call; returns -1. */
int store_fail(struct store *st, struct err *err, const char *what);

/* All statements of a text, without rows. */
int store_exec(struct store *st, const char *sql, struct err *err);

/* What a code of SQLite is as one of errno. */
int store_errno(int code);

/* NULL for 0 (store_bind_known) or for NULL (store_bind_text). Texts are not
 * copied: they have to stay until the statement is reset. */
void store_bind_known(sqlite3_stmt *s, int at, uint64_t value);
void store_bind_text(sqlite3_stmt *s, int at, const char *text);

/* The statement that puts rows of a table; its parameters are ":column". Bind
 * those that are in the struct; the column of a label, and those of a batch,
 * are the caller's. row.c */
sqlite3_stmt *row_statement(struct store *st, enum store_table table,
                            struct err *err);
void row_bind(sqlite3_stmt *s, enum store_table table, const void *row);

/* Ids given since store_begin() may have been taken back. */
void store_labels_forget(struct store *st);
void store_sites_forget(struct store *st);

#endif
