/* contextid.h - the context ID of a group of PMIx: a number that no other group of
 * the job has, the same for all its members, of which Open MPI 5 makes communicators
 * (MPI_Comm_create_from_group, MPI-4.0 7.4.2).
 *
 * The members meet in a fence. Each of their nodes brings an ID of its own, and what
 * its members have said of how they are reached; the ID of the first node counts.
 * Pure: no I/O. */
#ifndef HECTOR_CONTEXTID_H
#define HECTOR_CONTEXTID_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/str.h"

/* Adds what node `here` of the job brings to its `serial`-th group. */
void contextid_pack(struct str *out, uint32_t here, uint32_t serial,
                    const void *endpoints, size_t bytes);

/* From what all nodes have brought, one after the other in ascending nodes: the ID, and
 * all endpoints added to `endpoints`. EPROTO if it is something else. */
int contextid_unpack(const void *all, size_t bytes, uint64_t *id,
                     struct str *endpoints, struct err *err);

#endif
