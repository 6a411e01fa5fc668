/* inject.h - the fault injector: which call of this task is struck by what.
 *
 * HECTOR_INJECT holds rules, divided by ";", each of eleven words:
 *
 *   FAULT in|after RANKS PATTERN FIRST LAST SEED NOT_BEFORE_NS TIME_NS SIZE CODE
 *
 * hector-run writes it from what --inject says (hector-inject(7)), where
 * everything is explained, checked and given its default; here only this one
 * form is understood. RANKS is a list as 0-3,7, "all" or "random"; PATTERN a
 * shell pattern over the names of MPI functions. The rule strikes the n-th
 * matching outermost call, n chosen by SEED from FIRST to LAST. */
#ifndef HECTOR_INJECT_H
#define HECTOR_INJECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/table/calls.h"

/* Numbers are the markers of events: never changed. */
#define INJECT_FAULTS(X) \
    X(CPU, 1, "cpu") X(MEM, 2, "mem") X(HANG, 3, "hang") \
    X(STALL, 4, "stall") X(SLOW, 5, "slow") X(DROP, 6, "drop") \
    X(EXIT, 7, "exit") X(SEGV, 8, "segv") X(KILL, 9, "kill") \
    X(SPIN, 10, "spin") X(PROBE, 11, "probe")
enum inject_fault {
#define X(id, number, name) INJECT_##id = number,
    INJECT_FAULTS(X)
#undef X
};

enum { INJECT_RULES = 32, INJECT_PATTERN = 64 };

struct inject_rule {
    enum inject_fault fault;
    bool after;                 /* not inside the call: when it has returned */
    char pattern[INJECT_PATTERN];
    uint64_t target;            /* 1: the first matching call */
    uint64_t not_before_ns;     /* since MPI_Init; earlier calls do not count */
    uint64_t time_ns, size;
    int code;
    _Atomic uint64_t count;     /* matching calls so far */
};

struct inject_plan {
    struct inject_rule rule[INJECT_RULES];
    unsigned n;
    uint32_t of_call[CALL_END]; /* bit i: rule i may strike this function */
};

/* The rules for this rank of so many (0: not known). What is not for us is
 * left out. 0, or -1 if the text is not in the form above: then *p holds
 * nothing. */
int inject_parse(struct inject_plan *p, const char *text, uint32_t rank,
                 uint32_t ntasks);

/* Counts one outermost call. receiver: the rank that the call sends to or
 * stores at, or INJECT_NOBODY; rules that drop a message count no call without
 * a receiver. Bit i of the result: rule i strikes this call. now_ns is the time
 * since MPI_Init, 0 before. Safe from any thread. */
enum { INJECT_NOBODY = INT32_MIN };
uint32_t inject_due(struct inject_plan *p, unsigned call, int receiver,
                    uint64_t now_ns);

/* Writes the text of the rule's event: "injected: hang in MPI_Allreduce call
 * 500", or "injected: drop in MPI_Send call 3 to rank 1", the rank that the
 * call names. */
void inject_describe(const struct inject_rule *r, unsigned call, int receiver,
                     char *text, int size);
const char *inject_name(enum inject_fault fault);

/* ----------------------------------------------------- around every call */

/* What the entry points keep during a call. */
struct inject_call { uint32_t after; bool outermost; };

/* Strikes what has to strike inside of the call, which sends to the rank
 * receiver (MPI_PROC_NULL, INJECT_NOBODY: to no task). True: it shall send to
 * nobody. */
bool inject_enter(unsigned call, int receiver, struct inject_call *c);

/* Gets ready what strikes after it. */
void inject_leave(unsigned call, const struct inject_call *c);

#endif
