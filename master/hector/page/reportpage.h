/* reportpage.h - a report as one HTML page. */
#ifndef HECTOR_REPORTPAGE_H
#define HECTOR_REPORTPAGE_H

#include "master/hector/core/table.h"
#include "master/store/query.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

struct reportpage {             /* {0} */
    struct str out;             /* what is not printed yet */
    struct query_rows rows;     /* for the question of a table */
    const struct table_column *columns;         /* borrowed: of that */
};

void reportpage_begin(struct reportpage *p, const char *title);
void reportpage_line(struct reportpage *p, const char *text);

/* A table: ask with p->rows in between. */
void reportpage_table(struct reportpage *p, const char *title,
                      const struct table_column *columns);
void reportpage_table_end(struct reportpage *p);

/* A picture of each deadline of the job that was due at all. */
int reportpage_margins(struct reportpage *p, struct store *st, uint64_t job,
                       struct err *err);

/* Print it, and free it. */
int reportpage_end(struct reportpage *p, struct err *err);

#endif
