/* autoslice.h - the lines of source that decide that the task stays where it is
 * which a verdict blames, asked for when the verdict comes, and kept in the
 * database: whoever looks later finds them, also when the job is gone.
 *
 * Nothing waits for them: they are made beside all else by a child of the slave
 * that has the task, which has limits. */
#ifndef HECTOR_AUTOSLICE_H
#define HECTOR_AUTOSLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "master/act/act.h"
#include "master/watch/found.h"
#include "proto/base/str.h"

struct autoslice {              /* {.acts, .job} is one that has nothing to do */
    const struct acts *acts;    /* borrowed, like the next */
    struct job *job;
    uint64_t id;                /* of the reduction; 0: none is under way */
    uint32_t rank;              /* whose it is */
    uint32_t next;              /* + 1: of whom it is wanted then; 0: nobody */
    uint32_t had;               /* + 1: of whom it was asked for last */
    struct str slice;           /* owned: it is here, and who sends is asked */
};

/* This verdict is news: if it is about tasks that stay where they are, a slice of
 * the first of them is made, unless it was for the verdict before. */
void autoslice_want(struct autoslice *s, const struct found *f,
                    const struct hct_verdict *v);

/* They move again: what is found then is another hang. */
void autoslice_forget(struct autoslice *s);

void autoslice_fini(struct autoslice *s);

#endif
