/* outlier.h - what the policy outlier knows, and what it says of it. */
#ifndef HCT_OUTLIER_H
#define HCT_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/outlier/agenda.h"
#include "policies/outlier/ask.h"
#include "policies/outlier/earlier.h"
#include "policies/outlier/inside.h"
#include "policies/outlier/learnt.h"
#include "policies/outlier/oddphase.h"
#include "policies/outlier/pauses.h"
#include "policies/outlier/stands.h"
#include "policies/outlier/works.h"

/* A person waits for looks at stacks; models of a sample are read, and make a
 * question; its answer is judged. */
enum outlier_wants { OUTLIER_NOTHING, OUTLIER_STACKS, OUTLIER_MODELS,
                     OUTLIER_SCORES };

enum { OUTLIER_FOUND = 5, OUTLIER_TOP = 16, OUTLIER_SAID = 8 };

struct outlier_said {           /* the last ones: a step of a task, in which time,
                                   and what it cost */
    struct outlier_said_step {
        uint32_t rank, window;
        uint64_t from, to;      /* places */
        double cost_ns;
    } step[OUTLIER_SAID];
    uint32_t n;
};

struct outlier {
    struct agenda agenda;
    struct agenda_item item;    /* that is under way, */
    uint64_t asked_ns;          /* ... since then */
    struct ask ask;
    uint32_t groups_max, nsample;
    bool unmerged;              /* chains are not merged */
    enum outlier_wants wants;
    struct hct_question question;       /* the last one, without its arrays */
    uint32_t sample[LOT_SAMPLE];        /* ranks, ascending */
    struct outlier_said said, said_kept;
    struct stands stands;
    struct inside inside;
    float waited;               /* of their time tasks wait in calls, by the last
                                   sample; */
    bool unexplained;           /* ... and nobody was odd */
    struct oddphase phases;
    struct pauses pauses;
    struct learnt learnt;
    struct learnt_about about;  /* what is asked about, as far as it is learnt, */
    bool learns;                /* ... if it is */
    struct learnt_groups normal;        /* ... what is normal then, */
    uint32_t free_groups;       /* ... and groups as if that were not known */
    struct earlier earlier;
    struct earlier_longer longer;       /* of the sample that is asked about */
    bool has_table;
    struct lknorm table;        /* from the first question on */
    struct dictionary dictionary;       /* of the sample */
    struct works works;
    struct works_rank rank[];   /* of all */
};

/* One that is slow in a step, or stands in a call, or is in a function in there. */
struct outlier_find {
    const struct hct_score *score;
    const struct stand *stand;
    const struct inside_one *inside;
    uint64_t inside_ns;         /* what that costs */
};

struct outlier_list {           /* the most costly first */
    struct outlier_find v[OUTLIER_FOUND];
    size_t n;
};

/* So many are like it. */
uint32_t outlier_like(const struct hct_snapshot *in, const struct hct_score *o);

/* "between MPI_Wait and MPI_Send", into a buffer of that size. */
enum { OUTLIER_WHERE = 120 };
const char *outlier_where(char buf[OUTLIER_WHERE], const struct dictionary *d,
                          const struct hct_snapshot *in, uint32_t step,
                          bool in_call);
/* "burn (inside.c:12)", into a buffer of that size. */
enum { OUTLIER_FUNCTION = 140 };
const char *outlier_function(char buf[OUTLIER_FUNCTION],
                             const struct inside_one *o);
/* What earlier runs have had of its step; NULL: nothing is known. */
const struct hct_earlier *outlier_earlier(const struct outlier *s,
                                          const struct hct_score *o);
/* How long it takes for it, each time. */
double outlier_each(const struct hct_score *o);

/* In verdicts, unless it is known. */
void outlier_say(struct outlier *s, const struct hct_snapshot *in,
                 const struct outlier_list *l, struct hct_out *out);
/* Of those whose node has too much to do: nobody is odd then. */
void outlier_say_kept(struct outlier *s, const struct hct_snapshot *in,
                      const struct outlier_list *l, struct hct_out *out);

/* For the views: all that are among the furthest, however far. */
void outlier_add_odds(const struct outlier *s, const struct hct_snapshot *in,
                      struct hct_out *out);
/* ... with what there is to be said of all of them. */
void outlier_remark(const struct outlier *s, const struct hct_snapshot *in,
                    struct hct_out *out);

#endif
