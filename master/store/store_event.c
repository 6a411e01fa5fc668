/* store_event.c - event rows and their labels: the path on which hundreds of
 * thousands of rows a second have to pass.
 *
 * What a batch has in common (job, rank, node) is bound once; a label's text
 * is looked up once a batch, in a bounded cache that mostly knows it. Label
 * rows and job.first_event/last_event are written in the transaction of the
 * rows that need them. */
#include "master/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/row.h"
#include "master/store/store_db.h"
#include "proto/base/idtable.h"

static const char sql_label_find[] = "SELECT id FROM label WHERE text = ?1";
static const char sql_label_add[] = "INSERT INTO label(text) VALUES(?1)";

static const char sql_event_exit[] =
    "UPDATE event SET exit_ns = ?4 WHERE job = ?1 AND rank = ?2 AND seq = ?3"
    " AND exit_ns IS NULL";

static const char sql_job_events[] =
    "UPDATE job SET first_event = coalesce(first_event, ?2), last_event = ?3"
    " WHERE job = ?1";

static const char sql_task_records[] =
    "UPDATE task SET records = ?3 WHERE job = ?1 AND rank = ?2";

/* ----------------------------------------------------------------- labels */

void store_labels_forget(struct store *st)
{
    for (int i = 0; st->labels && i < STORE_LABEL_ROWS; i++)
        for (int k = 0; k < 2; k++) {
            free(st->labels[i][k].text);
            memset(&st->labels[i][k], 0, sizeof(st->labels[i][k]));
        }
}

static struct store_label_entry *label_cached(struct store *st, uint64_t hash,
                                              const struct store_label *l)
{
    struct store_label_entry *row = st->labels[hash % STORE_LABEL_ROWS];

    for (int k = 0; k < 2; k++)
        if (row[k].id && row[k].hash == hash && row[k].bytes == l->bytes &&
            memcmp(row[k].text, l->text, l->bytes) == 0)
            return &row[k];
    return NULL;
}

static void label_cache(struct store *st, uint64_t hash,
                        const struct store_label *l, int64_t id)
{
    struct store_label_entry *row = st->labels[hash % STORE_LABEL_ROWS];
    char *text;

    if (l->bytes > STORE_LABEL_MAX || !(text = malloc(l->bytes + 1)))
        return;
    memcpy(text, l->text, l->bytes);
    free(row[1].text);
    row[1] = row[0];
    row[0] = (struct store_label_entry){ id, hash, (uint32_t)l->bytes, text };
}

static int label_step(struct store *st, enum store_stmt which,
                      const char *sql, const struct store_label *l,
                      int64_t *id, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, which, sql, err);
    int rc;

    if (!s)
        return -1;
    sqlite3_bind_text(s, 1, l->bytes ? l->text : "", (int)l->bytes,
                      SQLITE_STATIC);
    rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        *id = sqlite3_column_int64(s, 0);
    else if (rc != SQLITE_DONE)
        store_fail(st, err, "cannot write");
    sqlite3_reset(s);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : -1;
}

static int label_id(struct store *st, const struct store_label *l,
                    int64_t *id, struct err *err)
{
    uint64_t hash = idtable_hash(l->text, l->bytes);
    struct store_label_entry *e = label_cached(st, hash, l);

    if (e) {
        *id = e->id;
        return 0;
    }
    *id = 0;
    if (label_step(st, STORE_LABEL_FIND, sql_label_find, l, id, err))
        return -1;
    if (*id == 0) {
        if (label_step(st, STORE_LABEL_ADD, sql_label_add, l, id, err))
            return -1;
        *id = sqlite3_last_insert_rowid(st->db);
    }
    label_cache(st, hash, l, *id);
    return 0;
}

static int64_t *label_ids(struct store *st, const struct store_batch *b,
                          struct err *err)
{
    int64_t *ids = malloc((b->nlabels + 1) * sizeof(*ids));

    if (!st->labels)
        st->labels = calloc(STORE_LABEL_ROWS, sizeof(*st->labels));
    if (!ids || !st->labels) {
        free(ids);
        err_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < b->nlabels; i++)
        if (label_id(st, &b->labels[i], &ids[i], err)) {
            free(ids);
            return NULL;
        }
    return ids;
}

/* ------------------------------------------------------------------- rows */

/* The exit of a row that was stored before its call had returned. Returns 1
 * if there is no such row: then the exit is all that is known of the call. */
static int event_exit(struct store *st, const struct store_batch *b,
                      const struct store_event *e, struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_EVENT_EXIT, sql_event_exit, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)b->job);
    sqlite3_bind_int64(s, 2, b->rank);
    sqlite3_bind_int64(s, 3, (int64_t)e->seq);
    sqlite3_bind_int64(s, 4, (int64_t)e->exit_ns);
    if (store_run(st, s, err))
        return -1;
    return sqlite3_changes(st->db) == 0;
}

static int column_at(sqlite3_stmt *s, const char *column)
{
    return sqlite3_bind_parameter_index(s, column);
}

/* What all of them have in common is bound once. */
static sqlite3_stmt *event_statement(struct store *st,
                                     const struct store_batch *b,
                                     struct err *err)
{
    sqlite3_stmt *s = row_statement(st, STORE_TABLE_event, err);

    if (!s)
        return NULL;
    sqlite3_bind_int64(s, column_at(s, ":job"), (int64_t)b->job);
    sqlite3_bind_int64(s, column_at(s, ":rank"), b->rank);
    store_bind_known(s, column_at(s, ":node"), (uint64_t)b->node);
    return s;
}

static int events_insert(struct store *st, const struct store_batch *b,
                         const int64_t *ids, int64_t range[2],
                         struct err *err)
{
    sqlite3_stmt *s = event_statement(st, b, err);
    int label = s ? column_at(s, ":label") : 0;

    if (!s)
        return -1;
    for (size_t i = 0; i < b->nevents; i++) {
        const struct store_event *e = &b->events[i];
        int rc = e->enter_ns == 0 ? event_exit(st, b, e, err) : 1;

        if (rc < 0)
            return -1;
        if (rc == 0)
            continue;
        row_bind(s, STORE_TABLE_event, e);
        if (e->label < b->nlabels)
            sqlite3_bind_int64(s, label, ids[e->label]);
        else
            sqlite3_bind_null(s, label);
        if (store_run(st, s, err))
            return -1;
        if (range[0] == 0)
            range[0] = sqlite3_last_insert_rowid(st->db);
    }
    if (range[0])
        range[1] = sqlite3_last_insert_rowid(st->db);
    return 0;
}

static int store_run3(struct store *st, enum store_stmt which,
                      const char *sql, uint64_t a, uint64_t b, uint64_t c,
                      struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, which, sql, err);

    if (!s)
        return -1;
    sqlite3_bind_int64(s, 1, (int64_t)a);
    sqlite3_bind_int64(s, 2, (int64_t)b);
    sqlite3_bind_int64(s, 3, (int64_t)c);
    return store_run(st, s, err);
}

int store_add_events(struct store *st, const struct store_batch *b,
                     struct err *err)
{
    int64_t range[2] = { 0, 0 };
    int64_t *ids = label_ids(st, b, err);
    int rc;

    if (!ids)
        return -1;
    rc = events_insert(st, b, ids, range, err);
    free(ids);
    if (rc == 0 && range[0])
        rc = store_run3(st, STORE_JOB_EVENTS, sql_job_events, b->job,
                        (uint64_t)range[0], (uint64_t)range[1], err);
    if (rc == 0)
        rc = store_run3(st, STORE_TASK_RECORDS, sql_task_records, b->job,
                        b->rank, b->upto, err);
    return rc;
}
