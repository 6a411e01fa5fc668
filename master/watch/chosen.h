/* chosen.h - which policies watch a job: those of hector.conf and those that the
 * user has named. */
#ifndef HECTOR_CHOSEN_H
#define HECTOR_CHOSEN_H

#include <stddef.h>

#include "hct.pb-c.h"
#include "master/watch/judge.h"
#include "proto/base/err.h"

enum { CHOSEN_MAX = 16 };

struct chosen {
    struct judge *v[CHOSEN_MAX];        /* owned */
    size_t n;
};

/* How they are made; all is borrowed. */
struct chosen_how {
    struct judges *all;
    const struct judge_conf *conf;
    const struct judge_ops *ops;
    void *arg;
};

/* defaults, separated by blanks, may be NULL; one that there is not is left out
 * and logged. -1 with a sentence: one of the user's is wrong; c is as
 * chosen_fini() wants it. */
int chosen_init(struct chosen *c, const struct chosen_how *how,
                const char *defaults, const Hct__Submit *s, struct err *err);
void chosen_fini(struct chosen *c);

#endif
