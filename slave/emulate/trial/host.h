/* host.h - the policy outlier, as a master would run it, on a run that is
 * played: what it sees, what it asks of all tasks, and what it says in the end. */
#ifndef HECTOR_EMULATE_HOST_H
#define HECTOR_EMULATE_HOST_H

#include "policies/hct_policy.h"
#include "proto/base/str.h"
#include "slave/emulate/trial/played.h"

/* How all tasks are asked: a question goes to them, their answer comes back
 * (borrowed until the next one), as in a reduction of kind scores. */
struct host_ask {
    int (*ask)(void *arg, const struct str *question, const struct str **answer,
               struct err *err);
    void *arg;
};

struct host_conf {
    const struct played *played;        /* borrowed */
    const struct host_ask *ask;         /* borrowed */
    bool person;                /* somebody asks; else it is MPI_Finalize */
    bool whole;                 /* chains are not merged */
};

struct host_said {
    uint32_t right, wrong;      /* verdicts that name the task of the fault;
                                   that name another, or any */
    uint32_t nchains;           /* steps that are left when chains are merged */
    uint32_t nodds;
    struct hct_odd *odd;        /* of hct_out: owned */
    uint32_t *from, *to;        /* of each, states of the step; owned */
    uint32_t models[HCT_MODELS_MAX], nmodels;   /* ranks of the sample */
    uint32_t medoid[HCT_CLUSTERS_MAX];          /* rank, of each group */
};

/* {0} is empty. */
void host_said_fini(struct host_said *said);

int host_run(const struct host_conf *conf, struct host_said *said,
             struct err *err);

#endif
