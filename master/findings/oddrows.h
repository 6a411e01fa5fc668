/* oddrows.h - tasks that are far from their like, and the steps that they are slow
 * in, as the database keeps them: the views outliers and steps; and what is said of all,
 * the view remarks. */
#ifndef HECTOR_ODDROWS_H
#define HECTOR_ODDROWS_H

#include <stdbool.h>

#include "master/act/act.h"
#include "master/places/places.h"
#include "master/store/journal.h"
#include "master/watch/found.h"

struct oddrows;

/* NULL: there are none, or no memory. */
struct oddrows *oddrows_make(const struct found *f);
void oddrows_free(struct oddrows *o);           /* NULL is fine */

/* Looks for where in the source the steps begin and end. False: nothing can be
 * asked. done() comes once, later, unless they are freed before; then
 * oddrows_place() puts in what is known. NULL is fine. */
bool oddrows_find(struct oddrows *o, const struct acts *a, struct job *j,
                  places_done_f *done, void *arg);
void oddrows_place(struct oddrows *o);

/* NULL is fine. */
void oddrows_put(const struct oddrows *o, struct journal *jn,
                 const struct job *j);

#endif
