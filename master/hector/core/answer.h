/* answer.h - one question to the database, answered on stdout as a table or,
 * with -j, as JSON.
 *
 *   answer_begin(&a, t, columns);
 *   rc = answer_end(&a, query_nodes(st, &a.rows, &a.why), NULL, &err); */
#ifndef HECTOR_ANSWER_H
#define HECTOR_ANSWER_H

#include "master/hector/core/json.h"
#include "master/hector/core/table.h"
#include "master/hector/core/tool.h"
#include "master/store/query.h"

struct answer {
    struct query_rows rows;     /* for the question */
    struct err why;             /* the same; not from both for one failure */
    /* Private. */
    bool json;
    const struct table_column *columns;         /* of the caller, or NULL */
    struct table_column *named;                 /* owned: made from the names */
    int nnamed;
    struct table *table;                        /* owned */
    struct json_rows out;
    unsigned long n;
    bool failed;
};

/* columns belong to those of the question, in order; NULL: whatever it gives,
 * as it is. */
void answer_begin(struct answer *a, const struct tool *t,
                  const struct table_column *columns);
/* rc is what the question has returned. rows, if not NULL, becomes how many
 * there were. */
int answer_end(struct answer *a, int rc, unsigned long *rows,
               struct err *err);

/* For people, on stdout: one line if events of these tasks are lost. */
int answer_lost(struct store *st, const struct query_which *which,
                struct err *err);

#endif
