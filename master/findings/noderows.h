/* noderows.h - the graph of a verdict that says who has made the least progress,
 * as the database keeps it: the view progress. */
#ifndef HECTOR_NODEROWS_H
#define HECTOR_NODEROWS_H

#include "master/findings/report.h"
#include "master/store/journal.h"
#include "master/watch/found.h"

struct noderows;

/* Of that verdict; NULL: it has none, or no memory. */
struct noderows *noderows_make(const struct found *f, uint32_t verdict);
void noderows_free(struct noderows *n);         /* NULL is fine, as below */

/* Where each of them is, as far as the report of the verdict knows. */
void noderows_place(struct noderows *n, const struct report *r);

void noderows_put(const struct noderows *n, struct journal *jn,
                  const struct job *j);

#endif
