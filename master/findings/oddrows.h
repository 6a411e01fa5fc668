/* oddrows.h - tasks that are far from their like, and the steps that they are slow
 * in, as the database keeps them: the views outliers and steps; and what is said of all,
 * the view remarks. */
#ifndef HECTOR_ODDROWS_H
#define HECTOR_ODDROWS_H

#include <stdbool.h>

#include "master/act/act.h"
#include "master/places/placebook.h"
#include "master/places/places.h"
#include "master/store/journal.h"
#include "master/watch/found.h"

struct oddrows;

/* NULL: there are none, or no memory. */
struct oddrows *oddrows_make(const struct found *f);
void oddrows_free(struct oddrows *o);           /* NULL is fine */

/* How many ends of steps have no line yet, of those that are calls. */
size_t oddrows_bare(const struct oddrows *o);

/* Puts in what the book knows. Returns whether that was anything. */
bool oddrows_name(struct oddrows *o, const struct placebook *book);

/* Asks for those that have none yet. False: nothing can be asked. done() comes
 * once, later, unless oddrows_place() puts in before what has come so far; nothing is
 * asked any more then. */
bool oddrows_find(struct oddrows *o, const struct acts *a, struct job *j,
                  places_done_f *done, void *arg);
void oddrows_place(struct oddrows *o);

/* NULL is fine. */
void oddrows_put(const struct oddrows *o, struct journal *jn,
                 const struct job *j);

#endif
