/* traffic.h - which tasks send each other how much, as optimizers are shown it:
 * pairs of seats, from what each task says of whom it sends to, and of its
 * collective calls.
 *
 * What is sent within a collective call only the MPI library knows. Each member
 * is taken to pass on what it is about to the next one, in the order of their
 * ranks there: a ring. So are large amounts moved (Patarasuk and Yuan,
 * Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009),
 * and it is the way in which members that are together have least to do with
 * others; there is one pair for each member, however many there are. */
#ifndef HECTOR_TRAFFIC_H
#define HECTOR_TRAFFIC_H

#include "master/optimize/effort.h"
#include "policies/hct_optimizer.h"

struct traffic {                /* {0} is empty */
    struct hct_traffic *v;      /* owned */
    size_t n, cap;
};

void traffic_fini(struct traffic *t);

/* All of one job: seat_of has the seat of each rank, or HCT_NOWHERE. Jobs are
 * to come in the order of their seats. -1: no memory. */
int traffic_add(struct traffic *t, const struct job *j, const uint32_t *seat_of);

#endif
