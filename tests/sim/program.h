/* program.h - random programs of a few tasks: correct ones, and what mistakes
 * make of them. */
#ifndef HECTOR_SIM_PROGRAM_H
#define HECTOR_SIM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    PROGRAM_TASKS = 8,
    PROGRAM_OPS = 120,          /* of a task */
    PROGRAM_SLOTS = 20,         /* variables for requests */
    PROGRAM_COMMS = 8,          /* ... for communicators and windows: 0 is the
                                   world */
    PROGRAM_MISTAKES = 2,
    PROGRAM_ANY = -2,           /* source or tag */
    PROGRAM_NULL = -3,          /* nobody */
};

enum op_kind {
    OP_NONE,
    OP_COMPUTE, OP_SLEEP, OP_FOREVER,   /* outside of MPI */
    OP_THREAD,                          /* wakes the other thread of the task,
                                           which computes and then sends */
    OP_SEND, OP_SSEND, OP_BSEND, OP_RSEND,
    OP_ISEND, OP_ISSEND, OP_IBSEND, OP_SEND_INIT, OP_SSEND_INIT,
    OP_RECV, OP_IRECV, OP_RECV_INIT, OP_SENDRECV,
    OP_PROBE, OP_IPROBE,                /* Iprobe: in a loop, until it finds */
    OP_START, OP_WAIT, OP_WAITALL, OP_WAITANY, OP_WAITSOME,
    OP_TEST, OP_TESTALL, OP_TESTANY,    /* in a loop, until it succeeds */
    OP_REQUEST_FREE, OP_CANCEL,
    OP_BARRIER, OP_ALLREDUCE, OP_ALLGATHER, OP_BCAST, OP_SCATTER, OP_REDUCE,
    OP_GATHER, OP_SCAN,
    OP_IBARRIER, OP_IALLREDUCE, OP_IBCAST, OP_IREDUCE,
    OP_DUP, OP_SPLIT, OP_FREE,
    OP_WIN_CREATE, OP_FENCE, OP_LOCK, OP_UNLOCK, OP_POST, OP_START_EPOCH,
    OP_COMPLETE, OP_WAIT_EPOCH, OP_WIN_FREE,
    OP_FINALIZE,
    OP_KINDS
};

struct op {
    uint8_t kind;               /* enum op_kind */
    uint8_t comm;               /* variable */
    uint8_t made;               /* variable of the request or communicator that
                                   it makes, starts, frees or cancels */
    bool ignores;               /* the status */
    int8_t peer, source;        /* in the world; peer also: root */
    int16_t tag, source_tag;
    uint32_t bytes;
    uint32_t mask;              /* variables of requests; members */
    uint64_t ns;                /* of a computation; between two questions */
    uint64_t patience_ns;       /* then it asks no more; 0: for ever */
};

enum mistake {
    MISTAKE_NONE, MISTAKE_DROP, MISTAKE_TAG, MISTAKE_PEER, MISTAKE_COMM,
    MISTAKE_SWAP, MISTAKE_TWICE, MISTAKE_KIND, MISTAKE_ROOT, MISTAKE_LARGE,
    MISTAKE_SYNC, MISTAKE_END, MISTAKE_FOREVER, MISTAKE_KINDS
};

struct program {
    uint32_t ntasks;
    uint32_t nops[PROGRAM_TASKS];
    struct op op[PROGRAM_TASKS][PROGRAM_OPS];
    uint8_t mistake[PROGRAM_MISTAKES];  /* enum mistake */
    uint8_t nmistakes;
    bool threads;               /* of the tasks two may call MPI */
};

/* What programs are made of: all kinds, or those of a bit only. */
enum program_parts {
    PROGRAM_COLLECTIVES = 1, PROGRAM_WINDOWS = 2, PROGRAM_LOOPS = 4,
    PROGRAM_WILD = 8, PROGRAM_ALL = 15,
};

void program_make(struct program *p, uint64_t *chance, unsigned parts,
                  uint32_t mistakes);

void program_insert(struct program *p, uint32_t task, uint32_t at,
                    struct op op);

/* Removes an operation; a smaller program may still show the same. */
void program_drop(struct program *p, uint32_t task, uint32_t at);

const char *program_mistake(uint32_t mistake);
/* "MPI_Send"; "" outside of MPI. */
const char *program_call(uint32_t kind);
void program_print_op(FILE *out, const struct op *o);
void program_print(FILE *out, const struct program *p);

#endif
