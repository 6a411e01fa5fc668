/* table.c - libsmartcols behind a row-by-row interface.
 *
 * Invariant: `lines` rows are held in `scols` and not printed yet; at
 * PORTION rows they are printed and dropped. */
#include "master/hector/core/table.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master/hector/core/human.h"
#include "proto/base/str.h"

enum { PORTION = 10000 };

struct table {
    const struct table_column *columns; /* borrowed */
    int ncolumns;
    uint64_t now_ns;
    struct libscols_table *scols;       /* owned */
    int lines;
    bool printed;                       /* the head line is out */
};

static int no_memory(struct err *err)
{
    return err_set(err, ENOMEM, "table: out of memory");
}

struct table *table_create(const struct table_column *columns, int ncolumns,
                           uint64_t now_ns, struct err *err)
{
    struct table *t = calloc(1, sizeof(*t));

    if (!t)
        return no_memory(err), NULL;
    t->columns = columns;
    t->ncolumns = ncolumns;
    t->now_ns = now_ns;
    t->scols = scols_new_table();
    if (!t->scols) {
        table_destroy(t);
        return no_memory(err), NULL;
    }
    for (int i = 0; i < ncolumns; i++) {
        enum table_kind kind = columns[i].kind;
        int flags = kind == TABLE_WIDE ? SCOLS_FL_TRUNC
                    : kind == TABLE_TEXT || kind == TABLE_ANY ? 0
                    : SCOLS_FL_RIGHT;

        if (!scols_table_new_column(t->scols, columns[i].title, 1, flags)) {
            table_destroy(t);
            return no_memory(err), NULL;
        }
    }
    if (!isatty(STDOUT_FILENO)) {
        scols_table_set_termforce(t->scols, SCOLS_TERMFORCE_NEVER);
        scols_table_enable_nowrap(t->scols, 1);
    }
    return t;
}

const char *table_cell(const struct table_column *c,
                       const struct store_value *v, uint64_t now_ns, char *buf)
{
    switch (v->type) {
    case STORE_NULL:
        return c->null ? c->null : "-";
    case STORE_TEXT:
    case STORE_BLOB:
        return v->text ? v->text : "";
    case STORE_REAL:
        snprintf(buf, HUMAN_MAX, c->kind == TABLE_ANY ? "%.10g" : "%.2f", v->d);
        return buf;
    case STORE_INT:
        break;
    }
    switch (c->kind) {
    case TABLE_TIME:
        return human_time(buf, (uint64_t)v->i, now_ns);
    case TABLE_STAMP:
        return human_stamp(buf, (uint64_t)v->i);
    case TABLE_AGE:
        return human_duration(buf, (int64_t)now_ns - v->i);
    case TABLE_DURATION:
        return human_duration(buf, v->i);
    case TABLE_BYTES:
        return human_bytes(buf, (uint64_t)v->i);
    default:
        snprintf(buf, HUMAN_MAX, "%" PRId64, v->i);
        return buf;
    }
}

/* In a table of any query, a column is one of numbers when its first row has
 * a number there. */
static void align(struct table *t, const struct store_value *values)
{
    for (int i = 0; i < t->ncolumns; i++)
        if (t->columns[i].kind == TABLE_ANY &&
            (values[i].type == STORE_INT || values[i].type == STORE_REAL))
            scols_column_set_flags(scols_table_get_column(t->scols, (size_t)i),
                                   SCOLS_FL_RIGHT);
}

static int flush(struct table *t, struct err *err)
{
    if (t->lines == 0 && t->printed)
        return 0;
    scols_table_enable_noheadings(t->scols, t->printed);
    if (t->lines == 0) {
        /* scols prints nothing at all without a line */
        for (int i = 0; i < t->ncolumns; i++) {
            const char *title = t->columns[i].title;
            char text[400];

            str_visible(text, sizeof(text), title, strlen(title));
            printf("%s%s", text, i + 1 < t->ncolumns ? " " : "\n");
        }
    } else if (scols_print_table(t->scols)) {
        return err_set(err, EIO, "cannot print the table");
    }
    scols_table_remove_lines(t->scols);
    t->lines = 0;
    t->printed = true;
    return 0;
}

int table_add(struct table *t, const struct store_value *values,
              struct err *err)
{
    struct libscols_line *line;
    char buf[HUMAN_MAX];

    if (t->lines == 0 && !t->printed)
        align(t, values);
    line = scols_table_new_line(t->scols, NULL);
    if (!line)
        return no_memory(err);
    t->lines++;
    for (int i = 0; i < t->ncolumns; i++)
        if (scols_line_set_data(line, (size_t)i,
                                table_cell(&t->columns[i], &values[i],
                                           t->now_ns, buf)))
            return no_memory(err);
    return t->lines < PORTION ? 0 : flush(t, err);
}

int table_end(struct table *t, struct err *err)
{
    return flush(t, err);
}

void table_destroy(struct table *t)
{
    if (!t)
        return;
    scols_unref_table(t->scols);
    free(t);
}
