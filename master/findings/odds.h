/* odds.h - tasks that are odd, on their way into the record: as they are found, then
 * with the lines that their steps begin and end at: those that the job's slaves have
 * told of themselves, at once; others when they come, in answer to a question or by
 * themselves before the job ends, whenever the tasks were compared. */
#ifndef HECTOR_ODDS_H
#define HECTOR_ODDS_H

#include "hct.pb-c.h"
#include "master/act/act.h"
#include "master/watch/found.h"

struct odds;

/* NULL: no memory; then nothing is recorded. Both borrowed. */
struct odds *odds_create(const struct acts *a, struct job *j);
void odds_destroy(struct odds *o);      /* NULL is fine, here and below */

void odds_take(struct odds *o, const struct found *f);
/* A slave tells what places are called. */
void odds_names(struct odds *o, const Hct__Profile *m);
/* Nobody is there to be asked any more. */
void odds_stop(struct odds *o);

#endif
