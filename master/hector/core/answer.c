/* answer.c - joins store, table and json. */
#include "master/hector/core/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/events.h"
#include "proto/base/clock.h"

static void on_head(void *arg, int ncols, const char *const *names)
{
    struct answer *a = arg;
    const struct table_column *columns = a->columns;

    if (a->json) {
        json_begin(&a->out, stdout);
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
    a->table = columns ? table_create(columns, ncols, clock_wall_ns(), &a->why)
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
            ? json_add(&a->out, ncols, names, values, &a->why) != 0
            : table_add(a->table, values, &a->why) != 0;
    }
    return a->failed;
}

void answer_begin(struct answer *a, const struct tool *t,
                  const struct table_column *columns)
{
    *a = (struct answer){ .rows = { on_head, on_row, a }, .json = t->json,
                          .why = { ENOMEM, "out of memory" },
                          .columns = columns };
}

int answer_end(struct answer *a, int rc, unsigned long *rows,
               struct err *err)
{
    if (a->failed)
        rc = -1;
    else if (rc == 0 && a->json)
        rc = json_end(&a->out, &a->why);
    else if (rc == 0 && a->table)
        rc = table_end(a->table, &a->why);
    if (rc == 0 && (fflush(stdout) || ferror(stdout)))
        rc = err_sys(&a->why, "cannot write");
    table_destroy(a->table);
    for (int i = 0; a->named && i < a->nnamed; i++)
        free((char *)(uintptr_t)a->named[i].title);
    free(a->named);
    if (rows)
        *rows = a->n;
    if (rc && err)
        *err = a->why;
    return rc;
}

int answer_lost(struct store *st, const struct query_which *which,
                struct err *err)
{
    struct events_lost lost = { 0 };
    struct str text = { 0 };
    int rc = query_lost(st, which, &lost, err);

    events_lost_text(&lost, &text);
    if (rc == 0 && text.n)
        puts(str_text(&text));
    str_fini(&text);
    events_lost_fini(&lost);
    return rc;
}
