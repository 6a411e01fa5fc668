/* oddrows.h - tasks that are far from their like, and the steps that they are slow
 * in, as the database keeps them: the views outliers and steps. */
#ifndef HECTOR_ODDROWS_H
#define HECTOR_ODDROWS_H

#include "master/act/report.h"
#include "master/store/journal.h"
#include "master/watch/found.h"

struct oddrows;

/* NULL: there are none, or no memory. */
struct oddrows *oddrows_make(const struct found *f);
void oddrows_free(struct oddrows *o);           /* NULL is fine, as below */

/* Where the steps begin and end, as far as the report of this verdict knows. */
void oddrows_place(struct oddrows *o, const struct report *r);

void oddrows_put(const struct oddrows *o, struct journal *jn,
                 const struct job *j);

#endif
