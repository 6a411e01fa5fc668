/* climb.h - which step helps a job whose margin declines (Russ et al., the
 * paper on time stamps of MPI events, section 4.1), and which one is taken
 * back. Pure: no clock, no I/O, no memory of its own; the same bytes in, the
 * same bytes out.
 *
 * In order of what they cost others:
 *   calm      a less important job gets the least weight on its processors
 *   raise     its own tasks get the most weight that they may have
 *   aside     it keeps off the processors of the real-time tasks
 *   suspend   it is suspended, by signals
 *   store     the same, in files: where memory is short
 *   leave     its tasks move to a node that is no faster
 *   faster    the real-time tasks move to one where they get on faster
 *
 * The model. Of the time that an instance takes, 1 - margin of what there is,
 * a part s is waiting for a processor: measured, or, where that is not known,
 * the part by which the processors of the node are too few for those who want
 * them. Of as much of it as that explains, a step that takes x processors'
 * worth of others off takes min(1, x / too few) away; a weight that is k times
 * as much takes 1 - 1 / k of all others off, also of what is not ours. A job is
 * as slow as its slowest task, so the rate of a job is the least 1 - s of its
 * nodes, and the margin after a step is 1 - (1 - margin) rate / rate after it.
 *
 * The first step is taken by which the margin comes to what is wanted, else
 * the one with the greatest gain, if that is worth it. */
#ifndef HECTOR_CLIMB_H
#define HECTOR_CLIMB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "master/store/rungkinds.h"

enum climb_kind {
#define X(name, word, done) CLIMB_##name,
    RUNG_KINDS(X)
#undef X
    CLIMB_KINDS
};
/* "calm": in the database; and "given the least weight": done to a job. */
const char *climb_name(enum climb_kind k);
const char *climb_words(enum climb_kind k);
enum climb_kind climb_find(const char *name);           /* or CLIMB_KINDS */

enum { CLIMB_CPUS = 1024, CLIMB_WHY = 200 };
struct climb_cpus { uint64_t w[CLIMB_CPUS / 64]; };

struct climb_node {
    struct climb_cpus cpus;     /* that tasks may use */
    double speed;               /* of others: relative */
    double others;              /* processors that what is not ours takes */
    uint64_t short_bytes;       /* of memory; 0: there is enough */
    bool takes;                 /* tasks may come here */
    const char *name;           /* borrowed: for people */
};

struct climb_job {
    uint64_t id;
    uint32_t uid;
    int class, priority;        /* more is more important; class first */
    uint64_t started_ns;
    bool going; /* all its tasks run, and nobody has stopped one */
    bool held;                  /* it is suspended for a deadline */
    bool due;                   /* it has deadlines of its own */
    bool movable, storable;
    double may_s;               /* it may be suspended so long yet */
    unsigned rests;             /* bit k: not that step, so soon */
};

/* Tasks of a job on a node. */
struct climb_share {
    uint32_t job, node;         /* indexes */
    uint32_t tasks;
    double ran, wanted;         /* processors, of late; wanted < 0: not known */
    struct climb_cpus cpus;     /* they may use; none: not known, all */
    double weight;              /* of one, for the kernel: 1024 is usual */
    double more;                /* ... that it could have; 0: no more */
    uint64_t bytes;             /* of memory */
    bool calm, aside;           /* it has given that up, */
    bool can_calm, can_aside;   /* ... or could */
};

struct climb_due {              /* the deadline that is worst off */
    double margin, want, chance;
    uint64_t limit_ns, missed;
    bool firm;                  /* how long others stand does not matter */
    const char *text;           /* borrowed: for people */
};

struct climb_moves {            /* what earlier ones have taken */
    double base_s;              /* the pause, without the image */
    double bytes_s;             /* of it, by second */
    double risk;                /* part of them that failed */
};

struct climb_in {               /* arrays borrowed */
    const struct climb_node *nodes;
    const struct climb_job *jobs;
    const struct climb_share *shares;
    size_t nnodes, njobs, nshares;
    uint32_t job;               /* it is for this one */
    bool any_user;              /* jobs of other users may be touched */
    struct climb_due due;
    struct climb_moves moves;
};

struct climb_step {
    enum climb_kind kind;
    uint32_t job;               /* it is done to */
    uint32_t node, to;          /* leave, faster: from, and to */
    double gain, margin;        /* expected */
    double pause_s;             /* faster */
    char why[CLIMB_WHY];
};

/* Is it known of all that go where the job's tasks are which processors they may use? A
 * job that has just begun, or is there again after a return, has not said it yet: to
 * suspend it may be for nothing. */
bool climb_knows(const struct climb_in *in);

/* False: no step helps, and step->why says why not. */
bool climb_up(const struct climb_in *in, struct climb_step *step);

/* --------------------------------------------------------------- and down */

/* Processors that others want where the job's tasks are, on the node with the most,
 * also those who are held just now: while that is as much as when weight or
 * processors were given up, what comes of giving them back is known. */
double climb_pressure(const struct climb_in *in);

struct climb_stand {            /* a step that stands, the oldest first */
    uint32_t number;            /* for people */
    enum climb_kind kind;
    double pressure;            /* when it was taken; 0: not known */
    double stood_s;
    double may_s;               /* the job may be suspended so long yet */
};
struct climb_mood {
    bool may_undo;              /* the margin has been good for long enough */
    bool firm;
    double dwell_s;             /* a step stands so long at least */
    double pressure;            /* now */
};
enum climb_down { CLIMB_STAY, CLIMB_GOOD, CLIMB_USED };
/* Which one is undone (*which), as the margin is good, or as the job has stood
 * for as long as it may. What was moved stays; so does what only weighs less, or
 * keeps aside, while others want as much as then. */
enum climb_down climb_down(const struct climb_stand *v, size_t n,
                           const struct climb_mood *mood, size_t *which);

#endif
