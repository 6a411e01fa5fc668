/* outliers_judge.c - a policy for tests/eval/outliers.sh, which replays a run
 * with it: by the models that the run has recorded, of all tasks, what the two
 * ways of the paper say of task `rank`. A verdict for each look with models,
 * whose lines are
 *
 *   neighbour merged PLACE STEPS      how many steps are compared
 *   neighbour merged step K FROM TO
 *
 * and the same for cluster and whole: with chains of steps merged and without.
 * */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/lib/words.h"
#include "policies/outlier/ask.h"
#include "policies/smm/isolate.h"
#include "policies/smm/score.h"

enum { TOP = 5, GROUPS = 4, EDGES = 4096 };

static const struct hct_param params[] = {
    { "rank", "", "the task that was struck", 0, 0, 1e6 },
    { .name = NULL },
};

struct state { uint32_t rank; };

struct room {
    struct groups groups;
    struct habits habits;
    struct dictionary dictionary;
    struct lknorm table;
    struct score_edge edge[EDGES];
    struct score_task task[GROUPS_SAMPLE];
    struct smm_edge own[DICTIONARY_STEPS];
    struct smm_edge other[GROUPS_SAMPLE][DICTIONARY_STEPS];
    struct smm smm[GROUPS_SAMPLE];
    _Alignas(8) uint8_t question[HCT_QUESTION_MAX];
    _Alignas(8) uint8_t score[HCT_QUESTION_MAX];
};

static size_t state_bytes(const struct hct_job *job, const double *param)
{
    (void)job;
    (void)param;
    return sizeof(struct state);
}

static int init(void *state, const struct hct_job *job, const double *param,
                char *why, size_t why_bytes)
{
    (void)job;
    (void)why;
    (void)why_bytes;
    ((struct state *)state)->rank = (uint32_t)param[0];
    return 0;
}

/* As a slave has them. */
static size_t edges_of(struct room *r, const struct hct_snapshot *in,
                       const struct hct_model *m)
{
    size_t n = 0;

    for (uint32_t i = 0; i < m->nedges && n < EDGES; i++) {
        const struct hct_edge *e = hct_edge(in, m, i);
        const struct hct_state *a = hct_state(in, m, e->from);
        const struct hct_state *b = hct_state(in, m, e->to);

        r->edge[n++] = (struct score_edge){
            .from = a->place ? a->place : a->call ? SCORE_NOWHERE : 0,
            .to = b->place ? b->place : b->call ? SCORE_NOWHERE : 0,
            .site = a->site, .site_to = b->site, .n = e->n,
            .in_mean = e->in_mean, .in_m2 = e->in_m2, .out_mean = e->out_mean,
            .out_m2 = e->out_m2, .bytes_mean = e->bytes_mean };
    }
    return n;
}

static bool score_all(struct room *r, const struct hct_snapshot *in)
{
    static const struct ask ask = { .top = 1 };
    struct groups *g = &r->groups;
    uint32_t bytes = ask_write(&ask, &r->habits, g, &r->dictionary, in,
                               r->question, sizeof(r->question));
    size_t room = bytes ? score_room(r->question, bytes) : 0;
    struct score *s;

    if (!room || room > sizeof(r->score))
        return false;
    s = score_open(r->score, r->question, &r->table);
    for (uint32_t i = 0; i < g->nsample; i++) {
        const struct hct_model *m = hct_model(in, g->sample[i]);

        score_task(s, m->rank, r->edge, edges_of(r, in, m), &r->task[i]);
    }
    return true;
}

/* Distances from a medoid are in deviations of its group (SC11, 3.3.1). */
static double far_of(const struct room *r, uint32_t i)
{
    double squares = 0, n = 0;

    for (uint32_t k = 0; k < r->groups.nsample; k++)
        if (r->task[k].group == r->task[i].group) {
            squares += r->task[k].far * r->task[k].far;
            n++;
        }
    return squares > 0 ? r->task[i].far / sqrt(squares / n) : 0;
}

static double measure_of(const struct room *r, uint32_t i, bool cluster)
{
    return cluster ? far_of(r, i) : r->task[i].near;
}

static uint32_t place_of(const struct room *r, uint32_t at, bool cluster)
{
    uint32_t place = 1;

    for (uint32_t i = 0; i < r->groups.nsample; i++)
        place += measure_of(r, i, cluster) > measure_of(r, at, cluster);
    return place;
}

static void say_steps(struct room *r, const struct hct_snapshot *in,
                      uint32_t at, bool cluster, const char *way,
                      struct hct_out *out)
{
    const struct groups *g = &r->groups;
    const struct dictionary *d = &r->dictionary;
    struct smm own = { r->own, d->nsteps };
    uint32_t edge[TOP];
    size_t n = 0;

    dictionary_model(d, in, hct_model(in, g->sample[at]), r->own, NULL);
    for (uint32_t i = 0; i < g->nsample; i++) {
        if (i == at || (cluster && i != g->medoids.medoid[r->task[at].group]))
            continue;
        dictionary_model(d, in, hct_model(in, g->sample[i]), r->other[n], NULL);
        r->smm[n] = (struct smm){ r->other[n], d->nsteps };
        n++;
    }
    n = isolate(&(struct isolate){ &r->table, &own, r->smm, n }, edge, TOP);
    for (size_t k = 0; k < n; k++) {
        const struct smm_step *s = &d->step[edge[k]];

        words_line(out, (int32_t)hct_model(in, g->sample[at])->rank,
                   "%s step %zu %s %s", way, k + 1,
                   hct_call(in, d->call[s->from])->name,
                   hct_call(in, d->call[s->to])->name);
    }
}

static void say(struct room *r, const struct hct_snapshot *in, uint32_t rank,
                struct hct_out *out)
{
    for (uint32_t at = 0; at < r->groups.nsample; at++)
        for (int cluster = 0; cluster < 2 &&
                              hct_model(in, r->groups.sample[at])->rank == rank;
             cluster++) {
            char way[40];

            snprintf(way, sizeof(way), "%s %s", cluster ? "cluster" : "neighbour",
                     r->groups.unmerged ? "whole" : "merged");
            words_line(out, (int32_t)rank, "%s %u %zu", way,
                       place_of(r, at, cluster), r->groups.nchains);
            say_steps(r, in, at, cluster, way, out);
        }
}

static int step(void *state, const struct hct_snapshot *in, struct hct_out *out)
{
    struct room *r = out->room;
    struct groups *g = &r->groups;

    if (!(in->parts & HCT_NEED_MODEL))
        return 0;
    words_verdict(out, HCT_OUTLIER);
    words_line(out, HCT_NONE, "judged by %u models", in->nmodels);
    lknorm_fill(&r->table);
    for (uint32_t i = 0; i < in->nmodels && g->nsample < GROUPS_SAMPLE; i++)
        if (hct_model(in, i)->nedges)
            g->sample[g->nsample++] = i;
    dictionary_make(&r->dictionary, in, g->sample, g->nsample);
    for (int whole = 0; whole < 2 && r->dictionary.nsteps; whole++) {
        g->unmerged = whole;
        groups_make(g, &r->table, &r->dictionary, in,
                    &(struct groups_most){ GROUPS, GROUPS });
        if (score_all(r, in))
            say(r, in, ((struct state *)state)->rank, out);
    }
    return 0;
}

static const struct hct_policy policy = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "judge",
    .help = "says of a task how far it is from its like, by the ways of AutomaDeD",
    .params = params, .state_bytes = state_bytes, .init = init, .step = step,
    .needs = HCT_NEED_MODEL, .room_bytes = sizeof(struct room),
};

const struct hct_policy *hct_policy(void)
{
    return &policy;
}
