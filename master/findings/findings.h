/* findings.h - what the policies of a job have found: recorded, told to the
 * person who runs the job, and acted on as far as --on-hang allows.
 *
 * Of a hang the stacks of all tasks are taken first, so that the person is told
 * where in the source they are, and nothing is done before that is known or has
 * failed, which takes seconds at most. Anything else is one line. */
#ifndef HECTOR_FINDINGS_H
#define HECTOR_FINDINGS_H

#include "hct.pb-c.h"
#include "master/act/act.h"
#include "master/watch/watcher.h"

struct findings;

/* on_hang as in --on-hang. NULL with a sentence: it is wrong. a is borrowed. */
struct findings *findings_create(struct acts *a, struct job *j,
                                 const char *on_hang, struct err *err);
void findings_destroy(struct findings *f);      /* NULL is fine */

/* A slave tells what places are called in the source, in a message that
 * profile_take() has found to make sense. */
void findings_names(struct job *j, const Hct__Profile *m);

/* What a watcher has found goes to j->findings. */
extern const struct watcher_ops findings_ops;

#endif
