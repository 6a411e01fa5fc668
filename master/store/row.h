/* row.h - rows of any table of rows.h: put, read back, copied. For the files
 * of this room only; others put a row by the functions of store.h.
 *
 * A row is given as a pointer to the struct of its table. */
#ifndef HECTOR_ROW_H
#define HECTOR_ROW_H

#include "master/store/store.h"
#include "proto/base/str.h"

/* Put it: insert it, or what the rules of its columns say of one that is
 * there. */
int row_put(struct store *st, enum store_table table, const void *row,
            struct err *err);

/* "p.job, p.rank, ...": what row_read() wants, NULL for those that a file of
 * that version has not. p may be "". */
void row_columns(struct str *sql, enum store_table table, const char *p,
                 int version);
/* Fill a row from those columns; texts and bytes are borrowed from v. Returns
 * how many columns it has taken. */
int row_read(enum store_table table, const struct store_value *v, void *row);

/* A copy with its texts and bytes in one allocation, to be freed by free(); or
 * NULL. */
void *row_copy(enum store_table table, const void *row);
/* Set the column of kind JOB. */
void row_set_job(enum store_table table, void *row, uint64_t job);

/* The statement that copies rows m of a table from main into disk, those for
 * which `where` holds; see store_merge.c. */
void row_merge(struct str *sql, enum store_table table, const char *where);

/* The version that has brought a table; the tables as that version of the
 * schema has them; what has to be done to those of the version before; the views
 * that show tables, made anew; and the present version, which is that of the
 * latest column. */
int row_schema_since(enum store_table table);
void row_schema_tables(struct str *sql, int version);
void row_schema_step(struct str *sql, int to);
void row_schema_views(struct str *sql);
int row_schema_version(void);

#endif
