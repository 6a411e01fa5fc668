/* json.h - rows of the database as JSON for programs.
 *
 * One array of objects, one object a line, keys as the query names them;
 * numbers stay numbers, times stay nanoseconds, NULL is null. Bytes that are
 * no UTF-8 become U+FFFD. */
#ifndef HECTOR_JSON_H
#define HECTOR_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "master/store/store.h"
#include "proto/base/err.h"

struct json_rows { FILE *out; unsigned long n; };

void json_begin(struct json_rows *j, FILE *out);
int json_add(struct json_rows *j, int ncolumns, const char *const *names,
             const struct store_value *values, struct err *err);
int json_end(struct json_rows *j, struct err *err);

/* A name that comes from a binary: UTF-8 as well. */
json_t *json_name(const char *name);

#endif
