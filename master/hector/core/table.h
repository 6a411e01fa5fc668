/* table.h - rows of the database as an aligned table for people.
 *
 * On a terminal the table is as wide as the terminal, wide columns give way;
 * elsewhere nothing is cut. Control characters are shown as \xNN. Rows are
 * printed in portions, so that a million of them need no memory: columns may
 * become wider on the way. */
#ifndef HECTOR_TABLE_H
#define HECTOR_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/err.h"

enum table_kind {
    TABLE_TEXT,
    TABLE_WIDE,         /* text that may be cut on a narrow terminal */
    TABLE_NUMBER,
    TABLE_TIME,         /* ns since the epoch */
    TABLE_STAMP,        /* the same, time of day to the microsecond */
    TABLE_AGE,          /* ns since the epoch, as "12.3 s" ago */
    TABLE_DURATION,     /* ns */
    TABLE_BYTES,
    TABLE_ANY,          /* as it comes, numbers to the right */
};

struct table_column {
    const char *title;
    enum table_kind kind;
    const char *null;           /* shown for NULL; NULL: "-" */
};

/* One value as text; buf has HUMAN_MAX bytes. */
const char *table_cell(const struct table_column *c,
                       const struct store_value *v, uint64_t now_ns, char *buf);

struct table;
/* columns are borrowed until table_destroy(). */
struct table *table_create(const struct table_column *columns, int ncolumns,
                           uint64_t now_ns, struct err *err);
int table_add(struct table *t, const struct store_value *values,
              struct err *err);
/* Print what has not been printed; the head line also if there was no row. */
int table_end(struct table *t, struct err *err);
void table_destroy(struct table *t);            /* NULL is fine */

#endif
