/* effort.h - what is kept of what tasks do, as their slaves tell it: how long
 * they compute before calls of some sites, where they are and where they were
 * before, whom they send to, and what their collective calls are about. Hung on
 * the course of a job; of each task it is of one size. */
#ifndef HECTOR_EFFORT_H
#define HECTOR_EFFORT_H

#include "hct.pb-c.h"
#include "master/optimize/course.h"
#include "master/state/job.h"
#include "proto/base/err.h"

enum { EFFORT_SITES = 4, EFFORT_PARTNERS = 8, EFFORT_COMMS = 2 };

struct effort_place {           /* seconds of a processor, on one node */
    uint32_t node;              /* its id + 1; 0: nowhere */
    float s;
};
struct effort_site {
    uint64_t key;               /* placekey.h; 0: none */
    struct effort_place now, was;       /* was: on another node, before */
};
struct effort_partner {
    uint32_t rank;
    float bytes_s;              /* sent to it */
};
struct effort_comm {            /* a communicator that it is in; id 0: none */
    uint64_t id;
    uint32_t rank, size;        /* its own in there, of so many */
    float bytes_s;              /* in collective calls */
};
struct effort {                 /* of a task; {0}: nothing is known */
    struct effort_site site[EFFORT_SITES];
    struct effort_partner partner[EFFORT_PARTNERS];
    uint32_t npartners;
    struct effort_comm comm[EFFORT_COMMS];
};

/* -1 with a sentence: it makes no sense, or no memory. */
int effort_take(struct job *j, const struct job_node *at, const Hct__Effort *m,
                struct err *err);

/* NULL: nothing is known of it. */
const struct effort *effort_of(const struct job *j, uint32_t rank);

#endif
