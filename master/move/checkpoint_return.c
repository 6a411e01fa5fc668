/* checkpoint_return.c - which checkpoints a job has, and what its tasks are made of
 * when they go back to one: see checkpoint.h.
 *
 * Invariant: last[] is sorted, the newest first, and has no gaps. */
#include "master/move/checkpoint_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "master/store/rows.h"
#include "proto/base/clock.h"

bool checkpoint_works(const struct job *j)
{
    return j->checkpoints && j->checkpoints->phase != IDLE;
}

bool checkpoint_stores(const struct job *j)
{
    return j->checkpoints && j->stores;
}

void checkpoint_resume(struct job *j)
{
    j->stores = false;
    j->resumes++;
}

bool checkpoint_may_return(const struct job *j)
{
    const struct checkpoints *c = j->checkpoints;

    return c && c->last[0].number && j->attempt - j->resumes < c->max_returns;
}

void checkpoint_return(struct job *j)
{
    j->checkpoints->restores = true;
}

bool checkpoint_spoiled(struct job *j)
{
    struct checkpoints *c = j->checkpoints;

    if (!c || !c->last[0].number)
        return false;
    if (c->all)
        checkpoint_note(c, &c->last[0], "damaged");
    if (!c->last[1].number)
        return false;
    checkpoint_mark_fini(&c->last[0]);
    memmove(c->last, c->last + 1, (KEPT - 1) * sizeof(*c->last));
    c->last[KEPT - 1] = (struct mark){ 0 };
    return true;
}

int checkpoint_known(struct job *j, const struct store_checkpoint *row)
{
    struct checkpoints *c = j->checkpoints;
    Hct__Checkpoint *of;
    size_t i = 0;

    if (!c)
        return 0;
    /* Numbers of a job go on behind those that it was submitted with. */
    while (i < KEPT && c->last[i].number > row->number)
        i++;
    if (i == KEPT)
        return 0;
    of = hct__checkpoint__unpack(NULL, row->about.n, row->about.p);
    if (!of || of->ntasks != j->ntasks || of->n_tasks != j->ntasks) {
        if (of)
            hct__checkpoint__free_unpacked(of, NULL);
        return -1;
    }
    checkpoint_mark_fini(&c->last[KEPT - 1]);
    memmove(c->last + i + 1, c->last + i, (KEPT - 1 - i) * sizeof(*c->last));
    c->last[i] = (struct mark){ row->number, of, row->stood_ns,
                                row->sealed_ns };
    c->restores |= j->attempt > 0 || j->state == JOB_RETURNING;
    if (c->next <= row->number)
        c->next = row->number + 1;
    return 0;
}

bool checkpoint_restores(const struct job *j)
{
    return j->checkpoints && j->checkpoints->restores;
}

uint32_t checkpoint_serial(const struct job *j)
{
    return j->checkpoints->last[0].of->serial;
}

void checkpoint_text(const struct job *j, struct str *to)
{
    const struct mark *m = &j->checkpoints->last[0];
    time_t at = (time_t)(m->of->at_ns / CLOCK_NS_PER_S);
    char text[32];
    struct tm tm;

    strftime(text, sizeof(text), "%H:%M:%S", localtime_r(&at, &tm));
    str_addf(to, "checkpoint %u of %s in %s", m->number, text, m->of->dir);
}

/* What was known of each task. Records that came later are stored: numbers go on
 * from there, as do those of tagged calls, of which each has a record at least. */
int checkpoint_fill(const struct job *j, const struct job_node *jn,
                    Hct__Prepare *p, struct err *err)
{
    const Hct__Checkpoint *of = j->checkpoints->last[0].of;
    Hct__SwapGo__Arrival *all = calloc(jn->ntasks + 1, sizeof(*all));

    p->n_arrivals = 0;
    p->arrivals = calloc(jn->ntasks + 1, sizeof(*p->arrivals));
    if (!all || !p->arrivals || asprintf(&p->restore, "%s/%u", of->dir,
                                         of->number) < 0) {
        free(all);
        free(p->arrivals);
        p->arrivals = NULL;
        return err_memory(err);
    }
    p->arrivals[0] = all;       /* if there is none */
    for (int64_t r = -1; (r = taskset_next(&jn->ranks, r)) >= 0; ) {
        const Hct__TaskMoved *was = of->tasks[r];
        uint64_t records = j->tasks[r].records;
        Hct__SwapGo__Arrival *a = &all[p->n_arrivals];

        hct__swap_go__arrival__init(a);
        a->rank = (uint32_t)r;
        a->records = records;
        a->tagged = was->tagged > records ? was->tagged : records;
        a->out_bytes = was->out_bytes;
        a->err_bytes = was->err_bytes;
        a->reads = was->reads;
        a->in_bytes = was->in_bytes;
        a->n_open = was->n_open;
        a->open = was->open;
        p->arrivals[p->n_arrivals++] = a;
    }
    return 0;
}

void checkpoint_unfill(Hct__Prepare *p)
{
    if (!p->arrivals)
        return;
    free(p->arrivals[0]);
    free(p->arrivals);
    free(p->restore);
    p->arrivals = NULL;
    p->n_arrivals = 0;
    p->restore = (char *)protobuf_c_empty_string;
}
