/* answer.h - one question to the database, answered on stdout as a table or,
 * with -j, as JSON. */
#ifndef HECTOR_ANSWER_H
#define HECTOR_ANSWER_H

#include "master/hector/core/table.h"
#include "master/hector/core/tool.h"
#include "master/store/store.h"

/* columns belong to those of the query, in order; NULL: whatever it gives,
 * as it is. rows, if not NULL, becomes how many there were. */
int answer_query(const struct tool *t, struct store *st, const char *sql,
                 const struct store_value *params, int nparams,
                 const struct table_column *columns, unsigned long *rows,
                 struct err *err);

#endif
