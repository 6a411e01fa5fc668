/* field.h - the system as it would be after the changes that have been made so
 * far: who is where, how fast each host would serve a task, how fast each job
 * would go.
 *
 * A processor is shared evenly: where more is wanted than there is, all get
 * their part of it. Demands are whole numbers, so that a system that was
 * changed and one that was so from the beginning are the same to the last bit:
 * what is decided does not depend on how it became so.
 *
 * All memory is the host's, given once. */
#ifndef HECTOR_BALANCE_FIELD_H
#define HECTOR_BALANCE_FIELD_H

#include <stdbool.h>

#include "policies/balance/ranking.h"
#include "policies/hct_optimizer.h"

enum { FIELD_ONE = 1024 };      /* of a processor: units of demand */
enum field_param { FIELD_MARGIN, FIELD_MESSAGE, FIELD_NPARAMS };

struct spot {                   /* a host */
    uint64_t demand, slots;     /* units */
    uint64_t memory;            /* of the tasks that are there */
    uint32_t ntasks, most;      /* these; moves lead to no more than that */
    double speed, rate;
    double told;                /* rate that the paces of jobs are by */
    uint32_t head;              /* of its tasks: seats; HCT_NOWHERE */
    uint32_t stamp, slot;       /* scratch of faster.c */
};

struct seat {                   /* a task */
    uint32_t at, next, prev;    /* host, and others there; HCT_NOWHERE */
    uint32_t units;             /* of demand */
    uint32_t links;             /* first of its own in field.links */
};

struct task_link {              /* traffic with another seat */
    uint32_t with;
    double bytes_s;
};

struct work {                   /* a job */
    double pace;                /* the least rate of its tasks; 0: has none */
    double rest_s;              /* as expected */
    double worth_s;             /* of its moves in this plan */
    uint32_t stamp;
};

struct group {                  /* of tasks of one job on one host */
    uint32_t host, first, left;
};
struct trial {                  /* a move that may be taken back */
    uint32_t seat, from;
};

struct field {
    const struct hct_system *in;        /* borrowed */
    struct spot *spots;
    struct seat *seats;
    struct work *works;
    struct task_link *links;    /* of a seat, up to those of the next */
    uint32_t *heaviest;         /* numbers of pairs: much traffic first; those
                                   that could be worth a move of either */
    uint32_t nheaviest;
    uint32_t *order;            /* works, the most important first */
    uint32_t *lined;            /* seats of each job: those that are alike stand
                                   together, the heaviest last */
    struct group *groups;       /* scratch: of hosts */
    uint32_t *grouped;          /* scratch: of seats */
    struct trial *trials;       /* scratch: of seats */
    struct ranking ranking;     /* by what one more task would get */
    struct ranking calm;        /* the same, first where nobody loses by it; */
    bool calms;                 /* ... not kept while nobody is seated */
    uint32_t stamp;
};

size_t field_bytes(const struct hct_system *in);
void field_init(struct field *f, void *memory, const struct hct_system *in);

/* What a task that wants a whole processor gets there, as speed. */
double field_rate(const struct field *f, uint32_t host);
/* ... if the demand was so many units more. */
double field_rate_with(const struct field *f, uint32_t host, uint64_t units);

/* May this task come there? Room in memory, features, limits of the job and of the
 * host; or would it if another one left: without the latter. */
bool field_may(const struct field *f, uint32_t seat, uint32_t host);
bool field_may_change(const struct field *f, uint32_t seat, uint32_t host);
/* That limit of the host alone. */
bool field_full(const struct field *f, uint32_t seat, uint32_t host);
/* ... also if another one left. */
bool field_crowded(const struct field *f, uint32_t seat, uint32_t host);
/* The host that serves the task best, of those it may come to; HCT_NOWHERE:
 * none serves it faster than floor, or not one of the best few. */
uint32_t field_best(struct field *f, uint32_t seat, double floor);
/* ... of all; calm: of those where it takes nothing away from others, if there
 * are any, between the two that say so. *hard: the best few will not do; it is
 * kept from one task of a job to the next. */
uint32_t field_any(struct field *f, uint32_t seat, bool calm, bool *hard);
void field_begin_calm(struct field *f);
void field_end_calm(struct field *f);

/* Put a task there; HCT_NOWHERE: takes it away. Paces stay as they were. */
void field_put(struct field *f, uint32_t seat, uint32_t host);
/* The pace of a job from where its tasks are. */
double field_pace(const struct field *f, uint32_t work);
/* Paces of all jobs that have a task on this host, if its rate has changed. */
void field_refresh(struct field *f, uint32_t host);

/* Two of one job that want the same: if they change places only their traffic does. */
bool field_alike(const struct field *f, uint32_t a, uint32_t b);

/* Is it a job whose tasks may be moved? */
bool field_movable(const struct field *f, uint32_t work);

#endif
