/* gather_scores.c - this node's tasks of a job against a question. */
#include "slave/gather/gather_scores.h"

#include <stdlib.h>

#include "proto/base/array.h"
#include "slave/gather/answer.h"
#include "slave/gather/gather_turns.h"
#include "slave/jobs/task.h"

struct scores {                 /* owned */
    struct answer *answer;
    struct score_edge *edge;
    size_t cap;
};

static int scores_open(void *own, const void *question, size_t bytes,
                       uint32_t width, struct err *err)
{
    struct scores *s = own;

    s->answer = answer_open(question, bytes, width, err);
    return s->answer ? 0 : -1;
}

static void scores_close(void *own)
{
    struct scores *s = own;

    answer_close(s->answer);
    free(s->edge);
}

static int scores_write(const void *own, struct str *out, struct err *err)
{
    const struct scores *s = own;

    return answer_write(s->answer, out, err);
}

static uint64_t place_of(const Hct__Looked__Model *m, uint32_t state)
{
    return m->places[state] ? m->places[state]
           : m->calls[state] ? SCORE_NOWHERE : 0;
}

static int take_edges(struct scores *s, const Hct__Looked__Model *m)
{
    if (array_reserve(&s->edge, &s->cap, m->n_from + 1))
        return -1;
    for (size_t i = 0; i < m->n_from; i++)
        s->edge[i] = (struct score_edge){
            .from = place_of(m, m->from[i]), .to = place_of(m, m->to[i]),
            .site = m->sites[m->from[i]], .site_to = m->sites[m->to[i]],
            .n = m->n[i],
            .in_mean = m->in_mean[i], .in_m2 = m->in_m2[i],
            .out_mean = m->out_mean[i], .out_m2 = m->out_m2[i],
            .bytes_mean = m->bytes_mean[i] };
    return 0;
}

static enum window_what window_of(const struct hct_when *when)
{
    return when->window == HCT_WINDOW_PHASE ? WINDOW_PHASE
           : when->window == HCT_WINDOW_LAST ? WINDOW_LAST : WINDOW_START;
}

/* The edges of its model of the time that is asked about. 0: it has none, without a
 * page, or a call, or that time; -1: no memory. */
static int read_task(struct scores *s, const struct gather_turn *turn,
                     struct answer_task *is, size_t *n)
{
    const struct task *t = turn->task;
    struct hct_when when = answer_when(s->answer);
    const struct lookmodel_time time = {
        .window = window_of(&when), .kept = t->tally.windows,
        .phase = &when.phase,
        .ago_ns = when.window == HCT_WINDOW_LAST ? when.ago_ns : 0 };
    Hct__Looked__Model m = HCT__LOOKED__MODEL__INIT;
    int rc = 0;

    if (!t->tally.page ||
        !lookmodel_read(turn->reads, t->tally.page, turn->ticks, 0, &time, &m))
        return 0;
    is->ago_ns = m.ago_ns;
    *n = m.n_from;
    if (m.ago_ns)
        rc = take_edges(s, &m) ? -1 : 1;
    free(m.places);
    return rc;
}

/* In that time; of phases that came and went too fast, and those that are merged, since
 * the process began. */
static struct delay delay_of(const struct gather_turn *turn,
                             const struct hct_when *when)
{
    const struct tally *w = &turn->task->tally;
    struct delay now, is = { 0 }, before = lookmodel_delay(turn->reads);

    delay_read(&now, w->pid);
    if (when->window == HCT_WINDOW_LAST)
        return delay_since(&now, &before);
    if (when->window == HCT_WINDOW_PHASE)
        is = delay_in_phase(&w->delays, when->phase, &now);
    return is.ran_ns ? is : now;
}

static int scores_add(void *own, const struct gather_turn *turn)
{
    struct scores *s = own;
    struct hct_when when = answer_when(s->answer);
    struct answer_task is = { .position = turn->position,
                              .rank = turn->task->rank };
    size_t n = 0;
    int rc = read_task(s, turn, &is, &n);

    if (rc == 0) {
        answer_miss(s->answer);
    } else if (rc > 0) {
        is.delay = delay_of(turn, &when);
        answer_add(s->answer, &is, s->edge, n);
    }
    return rc < 0 ? -1 : 0;
}

void gather_scores_start(void *arg, struct reduction *r)
{
    static const struct gather_way way = {  /* each with dozens of models */
        .at_once = 8, .own_bytes = sizeof(struct scores), .open = scores_open,
        .add = scores_add, .write = scores_write, .close = scores_close };

    gather_turns_start(arg, r, &way);
}
