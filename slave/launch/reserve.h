/* reserve.h - so much of a processor in each period, before everybody else, for
 * the thread of a task that something comes round in: SCHED_DEADLINE.
 *
 * How often it comes round the calendar of its job says (LABEL/50ms, or a
 * clock); what it takes is measured: what the thread has had of processors from
 * one such instance to the next. The kernel is asked for the most that one of
 * the last ones took and a quarter more (at first a half), with the period as the
 * deadline (Documentation/scheduler/sched-deadline.rst). Who takes more waits
 * for the next period, so that nobody is kept from a processor, this slave
 * neither; then it is asked for more.
 *
 * The kernel gives it to single threads that may use all processors, as long
 * as what all have fits; of that we leave half a processor to others. */
#ifndef HECTOR_RESERVE_H
#define HECTOR_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/base/err.h"
#include "proto/conf/calendar.h"

enum { RESERVE_LEARN = 8, RESERVE_KEPT = 64 };

struct reserve {                /* of a task; {0}: nothing comes round in it */
    uint64_t period_ns;         /* 0: none is known */
    unsigned entry;             /* of the calendar: whose instances count */
    pid_t tid;                  /* whose times these are; 0: of none yet */
    uint64_t ran_ns;            /* when the last instance had ended */
    uint64_t took_ns[RESERVE_KEPT];     /* the last instances */
    unsigned n;                 /* of all that were measured */
    unsigned again;             /* instances until it is asked for once more */
    uint64_t runtime_ns;        /* that it has; 0: none */
    bool refused;
    char why[160];              /* ... for this reason */
};

struct reserve_pool { uint64_t taken_ppm; };    /* of a processor, here */

/* Of this task, from now on: nothing has been measured. */
void reserve_init(struct reserve *r, const struct calendar *c, uint32_t rank);

/* Is the exit of a call with this label the end of an instance? */
bool reserve_is_end(const struct reserve *r, const struct calendar *c,
                    const char *label, size_t bytes, uint32_t rank);

/* n instances of thread tid have ended since the last time, and it has had
 * so much of processors in all. True: it is time for reserve_ask(). */
bool reserve_measured(struct reserve *r, pid_t tid, unsigned n,
                      uint64_t ran_ns);

/* What it needs in each period, in ns; 0: not known yet. */
uint64_t reserve_need(const struct reserve *r);

/* Give it that. -1: it stays as it is, and r->why says why. */
int reserve_ask(struct reserve *r, struct reserve_pool *pool);
/* It is not to have it, for this reason. */
void reserve_refuse(struct reserve *r, const char *why);
/* It has it no longer: its thread is a usual one then, or is gone. */
void reserve_drop(struct reserve *r, struct reserve_pool *pool);

/* It may yet get it. */
bool reserve_open(const struct reserve *r);

#endif
