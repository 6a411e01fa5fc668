/* autoslice.h - the lines of source that decide that the task stays where it is
 * which a verdict blames, asked for when the verdict comes, and kept in the
 * database: whoever looks later finds them, also when the job is gone.
 *
 * They are made beside all else by a child of the slave that has the task, which has
 * limits, and may come when the job has ended. Who ends a job for its hang waits for
 * them, and nobody else: its slaves may end with it, and then nothing can be read
 * any more. */
#ifndef HECTOR_AUTOSLICE_H
#define HECTOR_AUTOSLICE_H

#include <stdbool.h>

#include "master/act/act.h"
#include "master/watch/found.h"

struct autoslice;

/* For a job; both are borrowed. NULL: no memory. */
struct autoslice *autoslice_create(struct acts *a, struct job *j);

/* This verdict is news: if it is about tasks that stay where they are, a slice of
 * the first of them is made, unless it was for the verdict before. NULL is fine, as
 * below. */
void autoslice_want(struct autoslice *s, const struct found *f,
                    const struct hct_verdict *v);

/* Is one under way? Not for longer than the slaves are given. */
bool autoslice_is_made(const struct autoslice *s);

/* They move again: what is found then is another hang. */
void autoslice_forget(struct autoslice *s);

/* The job goes. One that is being made is kept when it is done. */
void autoslice_leave(struct autoslice *s);

/* Those of jobs that have gone will not be kept any more. */
void autoslice_drop_all(struct acts *a);

#endif
