/* answer.c - joins store, table and json. */
#include "master/hector/core/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/json.h"
#include "proto/base/clock.h"

struct answer {
    bool json;
    const struct table_column *columns;         /* of the caller, or NULL */
    struct table_column *named;                 /* owned: made from the names */
    int nnamed;
    struct table *table;                        /* owned */
    struct json_rows rows;
    unsigned long n;
    struct err *err;
    bool failed;
};

static void on_head(void *arg, int ncols, const char *const *names)
{
    struct answer *a = arg;
    const struct table_column *columns = a->columns;

    if (a->json) {
        json_begin(&a->rows, stdout);
        return;
    }
    if (!columns) {
        a->named = calloc((size_t)ncols + 1, sizeof(*a->named));
        a->nnamed = ncols;
        for (int i = 0; a->named && i < ncols; i++)
            a->named[i] = (struct table_column){ strdup(names[i]), TABLE_ANY,
                                                 "NULL" };
        columns = a->named;
    }
    a->table = columns ? table_create(columns, ncols, clock_wall_ns(), a->err)
                       : NULL;
    a->failed = !a->table;
}

static int on_row(void *arg, int ncols, const char *const *names,
                  const struct store_value *values)
{
    struct answer *a = arg;

    if (!a->failed) {
        a->n++;
        a->failed = a->json
            ? json_add(&a->rows, ncols, names, values, a->err) != 0
            : table_add(a->table, values, a->err) != 0;
    }
    return a->failed;
}

int answer_query(const struct tool *t, struct store *st, const char *sql,
                 const struct store_value *params, int nparams,
                 const struct table_column *columns, unsigned long *rows,
                 struct err *err)
{
    struct err why = { ENOMEM, "out of memory" };
    struct answer a = { .json = t->json, .columns = columns, .err = &why };
    int rc;

    rc = store_query_bound(st, sql, params, nparams, on_head, on_row, &a,
                           &why);
    if (a.failed)
        rc = -1;
    else if (rc == 0 && a.json)
        rc = json_end(&a.rows, &why);
    else if (rc == 0 && a.table)
        rc = table_end(a.table, &why);
    if (rc == 0 && (fflush(stdout) || ferror(stdout)))
        rc = err_sys(&why, "cannot write");
    table_destroy(a.table);
    for (int i = 0; a.named && i < a.nnamed; i++)
        free((char *)(uintptr_t)a.named[i].title);
    free(a.named);
    if (rows)
        *rows = a.n;
    if (rc && err)
        *err = why;
    return rc;
}
