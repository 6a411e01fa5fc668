/* fare.h - how the tasks of a job fare on a node, as its slave says: what they
 * have of processors and what they want, between its last two answers. Pure. */
#ifndef HECTOR_FARE_H
#define HECTOR_FARE_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/ladder/climb.h"
#include "proto/base/err.h"

struct fare {                   /* {0}: nothing is known */
    uint64_t at_ns; /* of the last answer; monotonic; 0: there is none */
    uint64_t heard_ns;          /* of any answer, also one that came too soon */
    uint64_t ran_ns, kept_ns;   /* as it was in there */
    uint64_t over_ns; /* time that the next two are about; 0: not known */
    double ran, wanted;         /* processors */
    uint32_t tasks;
    struct climb_cpus cpus, all;        /* they may use, and could */
    bool calm, aside, held, may_calm;
    uint32_t raised, may_raise; /* steps of priority: has, and could have */
};

/* held: it is suspended, and what it wanted before stays known. -1: it makes no
 * sense. */
int fare_take(struct fare *f, const Hct__Yielded *m, bool held, uint64_t now_ns,
              struct err *err);
/* It is known, and not from long ago. */
bool fare_is_fresh(const struct fare *f, uint64_t now_ns);

#endif
