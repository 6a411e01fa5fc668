/* endmodel.c - the models of a job's tasks as they are in the end. */
#include "master/flow/endmodel.h"

#include <stdlib.h>

#include "master/flow/flow_step.h"
#include "master/tree/lastmodel.h"
#include "master/tree/lastrun.h"
#include "proto/base/log.h"
#include "proto/tree/merge.h"

struct endmodel {
    void *whole;                /* of merge_model, like the next owned */
    struct str notes;           /* about nodes that are not in it */
};

/* Positions go by the order of the nodes, as in a reduction. */
static uint32_t first_of(const struct job *j, const struct job_node *jn)
{
    uint32_t at = 0;

    for (const struct job_node *n = j->nodes; n < jn; n++)
        at += (uint32_t)taskset_count(&n->ranks);
    return at;
}

static struct endmodel *begin(struct job *j)
{
    struct err err;

    if (j->models)
        return j->models;
    j->models = calloc(1, sizeof(*j->models));
    if (j->models)
        j->models->whole = merge_model.create(j->ntasks, &err);
    if (j->models && !j->models->whole)
        endmodel_fini(j);
    return j->models;
}

void endmodel_take(struct job *j, const struct job_node *jn,
                   const uint8_t *part, size_t n)
{
    struct endmodel *e = begin(j);
    struct err err;

    if (!e)
        return;
    if (!n) {
        lastmodel_note(&e->notes, &jn->ranks, jn->node->name,
                       "its tasks have told none");
    } else if (merge_model.add(e->whole, part, n, first_of(j, jn),
                               (uint32_t)taskset_count(&jn->ranks), &err)) {
        log_warn("endmodel", "the models of node %s are not kept job=%llu: %s",
                 jn->node->name, (unsigned long long)j->id, err.text);
        lastmodel_note(&e->notes, &jn->ranks, jn->node->name, err.text);
    }
}

static uint32_t *ranks_of(const struct job *j)
{
    uint32_t *rank_of = calloc((size_t)j->ntasks + 1, sizeof(*rank_of));
    uint32_t p = 0;

    for (size_t i = 0; rank_of && i < j->nnodes; i++)
        for (int64_t r = -1;
             (r = taskset_next(&j->nodes[i].ranks, r)) >= 0 && p < j->ntasks; )
            rank_of[p++] = (uint32_t)r;
    return rank_of;
}

void endmodel_keep(struct job *j)
{
    struct endmodel *e = j->models;
    uint32_t *rank_of = e ? ranks_of(j) : NULL;
    bool well = !job_failed(j) && !job_killed(j) && job_exit_code(j) == 0;
    struct str bytes = { 0 };
    struct err err;

    if (rank_of &&
        merge_model.finish(e->whole, rank_of, j->ntasks, &bytes, &err) == 0) {
        str_add_bytes(&bytes, str_text(&e->notes), e->notes.n);
        for (size_t i = 0; i < j->nnodes; i++)
            if (j->nodes[i].lost)
                lastmodel_note(&bytes, &j->nodes[i].ranks,
                               j->nodes[i].node->name, "it was lost");
        lastmodel_keep(j->flow->journal, j->id, &bytes, well);
    }
    lastrun_end(j->flow->journal, j, &bytes, well);
    free(rank_of);
    str_fini(&bytes);
    endmodel_fini(j);
}

void endmodel_fini(struct job *j)
{
    if (!j->models)
        return;
    merge_model.destroy(j->models->whole);
    str_fini(&j->models->notes);
    free(j->models);
    j->models = NULL;
}
