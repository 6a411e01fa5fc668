/* evidence.h - where the time of an instance went, as far as looks at its task
 * and the calls of others tell. */
#ifndef HCT_DEADLINE_EVIDENCE_H
#define HCT_DEADLINE_EVIDENCE_H

#include "policies/deadline/deadline.h"

/* Takes what a look has read of all tasks; also whether they run, or have all
 * ended. Event looks have read nothing. */
void evidence_look(struct deadline *s, const struct hct_snapshot *in);

/* What has held the task since then, or holds it: of enum hct_rank_flags; 0. */
uint32_t evidence_held(struct deadline *s, const struct hct_snapshot *in,
                       uint32_t rank, int64_t since_ns);

/* A rank has entered its nth such call. */
void evidence_enter(struct due *d, uint64_t ordinal, const struct hct_event *e);

/* One that was met says what is usual. */
void evidence_usual(struct due *d, const struct outcome *o);

enum evidence_of {
    EVIDENCE_NONE,
    EVIDENCE_STARVED,           /* it wanted a processor and had none for
                                   part of the time */
    EVIDENCE_SHARED,            /* wanted one, and had it for so much only */
    EVIDENCE_WORK,              /* has computed for more of the time, by part */
};
struct evidence {
    bool split;                 /* these hold: how much longer than usual */
    double out_ns, in_ns;       /* before the call, and in it */
    double usual_out_ns, usual_in_ns;
    enum evidence_of what;
    double part;
    double over_s;              /* ... of a time that is so long */
    const struct round *round;  /* NULL: it is not known who was last in it */
};
void evidence_find(struct deadline *s, const struct due *d, const struct outcome *o,
                   const struct hct_snapshot *in, struct evidence *e);

#endif
