/* query_private.h - what query.c and query_costs.c share, for these two only. */
#ifndef HECTOR_QUERY_PRIVATE_H
#define HECTOR_QUERY_PRIVATE_H

#include "master/store/query.h"
#include "proto/base/str.h"

/* " WHERE job = ... AND (rank ...)" */
void query_add_where(struct str *sql, const struct query_which *which);

/* Ask, and free the text. */
int query_run(struct store *st, struct str *sql, const struct query_rows *to,
              struct err *err);

#endif
