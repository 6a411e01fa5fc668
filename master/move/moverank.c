/* moverank.c - see moverank.h. */
#include "master/move/moverank.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/array.h"

static int take_comms(struct moverank *k, const Hct__StopLook__Task *m,
                      struct err *err)
{
    size_t cap = k->cap;

    if (array_reserve(&k->comms, &cap, m->n_comms + 1))
        return err_memory(err);
    k->cap = (uint32_t)cap;
    for (size_t i = 0; i < m->n_comms; i++)
        k->comms[i] = (struct stop_comm){
            .id = m->comms[i]->id, .entered = m->comms[i]->entered,
            .target = m->comms[i]->target, .size = m->comms[i]->size };
    return 0;
}

int moverank_take(struct moverank *k, const Hct__StopLook__Task *m,
                  uint32_t ntasks, struct err *err)
{
    if (m->where >= STOP_AT_COUNT || m->swap > MOVERANK_FAILED ||
        m->n_comms > UINT16_MAX || m->gate > m->n_comms ||
        m->peer < STOP_ANY || (m->peer >= 0 && (uint32_t)m->peer >= ntasks))
        return err_set(err, EPROTO, "a StopLook of rank %u that makes no sense",
                       m->rank);
    if (take_comms(k, m, err))
        return -1;
    k->heard = true;
    k->task = (struct stop_task){
        .comms = k->comms, .ncomms = (uint32_t)m->n_comms, .order = m->order,
        .sent = m->sent, .received = m->received, .calls = m->calls,
        .where = (enum stop_where)m->where, .peer = m->peer, .gate = m->gate,
        .unfinished = m->unfinished };
    if (m->gate == m->n_comms && k->task.where == STOP_AT_HELD)
        k->task.where = STOP_AT_LIBRARY;        /* at none that is listed */
    k->able = m->able;
    k->refuses = m->refuses;
    snprintf(k->why, sizeof(k->why), "%s", m->why);
    k->swap = (enum moverank_swap)m->swap;
    k->generation = m->generation;
    return 0;
}

int moverank_leave(struct moverank *k, const Hct__TaskMoved *m, struct err *err)
{
    size_t n = hct__task_moved__get_packed_size(m);
    uint8_t *p = malloc(n + 1);

    if (!p)
        return err_memory(err);
    free(k->said);
    k->said = p;
    k->said_bytes = hct__task_moved__pack(m, p);
    k->left = true;
    return 0;
}

void moverank_fini(struct moverank *k)
{
    free(k->said);
    free(k->comms);
    *k = (struct moverank){ 0 };
}
