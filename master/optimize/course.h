/* course.h - what the optimizer's host keeps of a job between two plans: what its
 * tasks have had of processors, when it may be moved again, and where it is to
 * be placed. Hung on it (job->course). */
#ifndef HECTOR_COURSE_H
#define HECTOR_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "master/state/job.h"

struct effort;

enum course_placing { COURSE_NEW, COURSE_ASKED, COURSE_ANSWERED };

struct course_task {
    uint64_t cpu_ns, waited_ns; /* as they were at the last look */
    uint64_t out_ns;            /* outside of MPI */
    float wants, gets;          /* of a processor, since the one before */
};

struct course {
    uint64_t at_ns;             /* of the last look; monotonic */
    struct course_task *tasks;  /* owned, by rank */
    uint32_t ntasks;
    uint64_t rests_ns;          /* it is not moved before; monotonic */
    unsigned failed;            /* moves in a row */
    enum course_placing placing;
    uint64_t asked_ns;          /* when; monotonic */
    struct node **aims;         /* owned, by rank: where it is to be placed, or
                                   NULL; the nodes are borrowed */
    bool suspended;             /* by an optimizer, */
    bool orphan;                /* ... which is not there any more */
    struct effort *efforts;     /* owned, by rank: of effort.h */
    size_t nefforts;            /* room for so many */
};

/* Made if there is none; NULL: no memory. */
struct course *course_of(struct job *j);
/* Part of flow_free_job(). */
void course_free(struct job *j);

/* Look at its tasks; what they get is told from looks that are not too close to
 * each other. */
void course_look(struct job *j, uint64_t now_ns);

#endif
