/* call.h - what the functions that layer.awk makes are made of.
 *
 * In each of them `inside` is Open MPI's function, and rI Open MPI's handle, or
 * handles, of parameter I. Few handles of an array have room on the stack. */
#ifndef HECTOR_LAYER_CALL_H
#define HECTOR_LAYER_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "mpi-wrappers/inside/entry.h"
#include "mpi-wrappers/layer/attribute.h"
#include "mpi-wrappers/stop/gate.h"
#include "mpi-wrappers/stop/pending.h"

enum { CALL_FEW = 32 };

/* An array of so many handles; of none, and where there is no array, the
 * caller's own goes on as it is. */
#define CALL_ARRAY(type, i, from, length)                                  \
    type few##i[CALL_FEW];                                                 \
    int n##i = (from) ? (length) : 0;                                      \
    type *r##i = call_array(few##i, (const void *)(from), n##i)
#define CALL_ARRAY_IS(i) ((n##i) <= 0 || r##i)
#define CALL_ARRAY_SETTLE(i, to)                                           \
    do {                                                                   \
        for (int at_ = 0; at_ < n##i; at_++)                               \
            object_settle(&(to)[at_], r##i[at_]);                          \
    } while (0)
#define CALL_ARRAY_END(i)                                                  \
    do {                                                                   \
        if ((n##i) > CALL_FEW)                                             \
            free(r##i);                                                    \
    } while (0)

/* The same, of a call whose request reads it until it is finished. */
#define CALL_KEPT_ARRAY(type, i, from, length)                             \
    int n##i = (from) ? (length) : 0;                                      \
    struct object_kept *kept##i = call_keep(from, n##i);                   \
    type *r##i = kept##i ? (type *)kept##i->v                              \
                         : n##i > 0 ? NULL : (type *)(uintptr_t)(from)
#define CALL_KEPT_ARRAY_END(i) call_kept(kept##i, rc, request)

/* Attributes: before the end of the object, and after it has been copied. */
#define CALL_ENDING(handle)                                                \
    int ending_ = attribute_ending((handle) ? *(handle) : NULL);           \
                                                                           \
    if (ending_ != MPI_SUCCESS)                                            \
        return ending_
#define CALL_COPIED(rc, from, to)                                          \
    do {                                                                   \
        if ((rc) == MPI_SUCCESS)                                           \
            (rc) = attribute_copy(from, *(to));                            \
    } while (0)

/* A collective on a communicator: behind the gate; and what it has made. */
#define CALL_GATE(handle)                                                  \
    struct comm *over_ = comm_of(handle);                                  \
    uint32_t before_ = gate_enter(over_)
/* Any other one. */
#define CALL_PASS() uint32_t before_ = stand_pass()
#define CALL_MADE(rc, to)                                                  \
    do {                                                                   \
        if ((to) && (rc) == MPI_SUCCESS)                                   \
            comm_made(*(to), over_);                                       \
    } while (0)
#define CALL_MET(rc, to)                                                   \
    do {                                                                   \
        if ((to) && (rc) == MPI_SUCCESS)                                   \
            comm_met(*(to), 0);                                            \
    } while (0)

/* Open MPI's handles for n of the program's: in few if they fit there, else in
 * memory of their own; NULL if there is none. */
void *call_array(void *few, const void *from, int n);

struct object_kept *call_keep(const void *from, int n);
void call_kept(struct object_kept *k, int rc, const MPI_Request *request);

/* Whom a call on the communicator exchanges something with. */
enum call_with { CALL_ALL, CALL_TO, CALL_FROM };
int call_members(MPI_Comm comm, enum call_with with);
bool call_is_root(MPI_Comm comm, int root);

#endif
