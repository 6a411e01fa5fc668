/* telling.h - a hang, or a deadlock, told to hector-run in its parts, which gives
 * them to the command of --notify. */
#ifndef HECTOR_TELLING_H
#define HECTOR_TELLING_H

#include <stdbool.h>
#include <stdint.h>

#include "master/act/act.h"
#include "master/findings/remedy.h"
#include "master/findings/report.h"
#include "master/watch/found.h"

struct telling {                /* {0} at first */
    const char *kind, *phase;   /* as the view verdicts has them; static */
    double score;
    uint64_t age_ns;
    char *ranks;                /* owned: to blame; NULL: nobody */
    bool ends;                  /* the job is to be ended for it, */
    uint64_t ends_in_ns;        /* ... then */
};

void telling_of(struct telling *t, const struct found *f,
                const struct hct_verdict *v);
void telling_fini(struct telling *t);

/* The job is to be ended, if that is what the remedy does. */
void telling_remedy(struct telling *t, struct remedy r, uint64_t now_ns);

/* Of that policy; next: what will be done, a sentence. */
void telling_send(const struct telling *t, const struct acts *a, const struct job *j,
                  const char *policy, const struct report *r, const char *next);

#endif
