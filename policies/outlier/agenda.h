/* agenda.h - what tasks are compared in, and when: in all their time, now and then,
 * ever more seldom as the job runs, and when the first of them are in
 * MPI_Finalize; in a phase of the program, when all have left it; and in what a
 * person asks for. One after the other. */
#ifndef HCT_AGENDA_H
#define HCT_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/hct_policy.h"

struct agenda {
    uint64_t every_ns;          /* at first; and phases no more often */
    uint64_t least_ns;          /* a phase that was shorter is not compared */
    uint64_t began_ns, next_ns;
    bool finalized;
    bool person;                /* somebody waits for an answer, */
    struct hct_when wanted;     /* ... about that, */
    uint64_t person_ns;         /* ... who is to be told then, */
    uint64_t patience_ns;       /* ... or not at all */
    uint32_t phase;             /* that not all have left yet, */
    uint64_t phase_ns;          /* ... and then somebody was in one before */
    uint64_t looked_ns;         /* the last look */
    uint64_t phases_ns;         /* when one was compared last; 0: never */
    bool over;                  /* the one before is to be compared */
};

struct agenda_item {
    struct hct_when when;
    bool person;                /* he is to be shown all */
};

/* What is to be seen in a snapshot; of each of them. */
void agenda_look(struct agenda *a, const struct hct_snapshot *in);
/* Is something to be compared now? Then it is taken off. */
bool agenda_next(struct agenda *a, uint64_t now_ns, struct agenda_item *item);
/* It was compared. */
void agenda_done(struct agenda *a, uint64_t now_ns,
                 const struct agenda_item *item);
/* It could not be, just now: a person may be told a little later. */
void agenda_failed(struct agenda *a, uint64_t now_ns,
                   const struct agenda_item *item);
/* When to look again, if nothing is under way. */
uint64_t agenda_wake(const struct agenda *a, uint64_t now_ns);

#endif
