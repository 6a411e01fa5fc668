/* look.h - what the tasks of a job do just now, for the policies of the master:
 * from their pages, and of those that have not moved for a while from /proc.
 * Of a task of MPI without a page, what its stack said last (peek.h).
 *
 * A look costs the tasks nothing and the node little: one reading of a page is
 * a few hundred bytes, only what has changed is sent, and /proc is asked
 * twice a second at most, for tasks that seem to stand, and for details. */
#ifndef HECTOR_LOOK_H
#define HECTOR_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "slave/jobs/node.h"
#include "slave/jobs/task.h"

/* What is collected for one answer. {.node, .order} is how it begins. */
struct look {
    const struct node *node;    /* borrowed */
    const Hct__Look *order;     /* borrowed */
    Hct__Looked__Task *tasks;   /* owned, as all below */
    Hct__Looked__Request *requests;
    Hct__Looked__Comm *comms;
    Hct__Looked__Flight *flights;
    Hct__Looked__Account *accounts;     /* with their arrays */
    Hct__Looked__Meeting *meetings;     /* with their arrays */
    Hct__Looked__Model *models;         /* with their columns */
    size_t ntasks, nrequests, ncomms, nflights, naccounts, nmeetings, nmodels;
    size_t tasks_cap, requests_cap, comms_cap, flights_cap, accounts_cap;
    size_t meetings_cap, models_cap;
    bool failed;                /* without memory: nothing is to be said */
    struct lookmodel *reads;    /* models; NULL: none was read yet */
    size_t entries;             /* of all models */
};

/* Add what is to be said of this task. */
void look_at(struct look *l, struct task *t);
void look_send(struct look *l);
/* The same into memory of its own, owned by the caller; false without any. */
bool look_pack(struct look *l, uint64_t after_ns, ProtobufCBinaryData *to);
void look_free(struct look *l);         /* what was collected */

/* Is the task outside of MPI, between two of its calls? From its page, and from
 * what was found at the last look. */
struct look_stay {
    uint64_t stay;              /* since when: in ticks, never 0 */
    uint32_t call;              /* that was left */
    uint64_t stands_ns;         /* it was seen so for so long */
    uint32_t flags, waits;      /* as of hct_rank, if it stands */
    bool collects;              /* it waits to take a signal itself */
};
bool look_stay(const struct task *t, struct look_stay *s);

/* Where was it at the last look: numbers as in hct_rank? False: it was not looked at
 * by its page. */
struct look_spot { uint32_t site; bool in; };
bool look_spot(const struct task *t, struct look_spot *s);

void look_task_free(struct look_task *k);       /* NULL is fine */

#endif
