/* goodruns.c - what earlier runs have taken for their steps, see goodruns.h.
 *
 * Steps are found by the numbers of their places (placekey.h): of another build
 * of the program there are others, and nothing of it is taken for this one. */
#include "master/watch/goodruns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/journal.h"
#include "master/store/query.h"
#include "proto/base/array.h"
#include "proto/base/idtable.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "proto/model/jobmodel.h"
#include "proto/tree/placekey.h"

enum { GOODRUNS_MAX = 10, GOODRUNS_BYTES = 8 << 20,     /* of a model */
       LEARNT_MAX = 256 };
#define NOWHERE UINT64_MAX

struct step {                   /* of the run that is being read: all phases */
    struct hct_earlier is;      /* of those before it */
    double n, in_ns, out_ns, bytes, in_m2, out_m2, in_most, out_most;
    uint32_t tasks;
};

struct goodruns {
    struct event *timer;        /* owned */
    struct journal *journal;    /* borrowed */
    uint64_t job, run[GOODRUNS_MAX];
    uint32_t ntasks, nruns, at; /* runs that may be read, the next one */
    uint32_t taken;             /* so many were */
    bool known;
    struct step *step;          /* owned */
    size_t nsteps, cap;
    struct idtable by_ends;
    struct hct_learnt *learnt;  /* owned: of all policies */
    size_t nlearnt, learnt_cap;
};

/* ------------------------------------------------------------------ one run */

static uint64_t key_of(const struct jobmodel *m, uint32_t state)
{
    const struct jobmodel_state *s = &m->state[state];
    uint64_t key = placekey_begin(s->call);

    if (state < JOBMODEL_FIRST)
        return state == JOBMODEL_START ? 0 : NOWHERE;
    for (uint32_t i = 0; i < s->frames; i++) {
        const struct jobmodel_frame *f = &m->frame[s->frame[i]];
        const struct jobmodel_module *file =
            f->module ? &m->module[f->module - 1] : NULL;

        key = file ? placekey_frame(key, file->id, file->id_bytes, f->offset) : 0;
    }
    return s->frames && key ? key : NOWHERE;
}

/* NULL: there is no room for one more. */
static struct step *step_of(struct goodruns *g, uint64_t from, uint64_t to)
{
    uint64_t hash = idtable_mix(from, to);
    size_t i = idtable_first(&g->by_ends, hash);
    uint32_t id;

    for (; (id = idtable_at(&g->by_ends, hash, &i)) != IDTABLE_NONE; i++)
        if (g->step[id].is.from == from && g->step[id].is.to == to)
            return &g->step[id];
    if (g->nsteps == HCT_STEPS_MAX ||
        array_reserve_zeros(&g->step, &g->cap, g->nsteps + 1) ||
        idtable_add(&g->by_ends, hash, (uint32_t)g->nsteps))
        return NULL;
    g->step[g->nsteps].is.from = from;
    g->step[g->nsteps].is.to = to;
    return &g->step[g->nsteps++];
}

/* Each time, of the task that has taken the longest: as if all had taken the
 * step as often. What is not known (spread.h) is the mean. */
static double most_of(const struct spread *s, double n, double mean)
{
    return s->told ? fmax(mean, s->most / (n / s->told)) : mean;
}

static void add_edge(struct step *s, const struct jobmodel_edge *e)
{
    double n = (double)e->n;
    uint32_t tasks = (uint32_t)taskset_count(&e->tasks);

    s->n += n;
    s->in_ns += n * e->in.mean;
    s->out_ns += n * e->out.mean;
    s->bytes += n * e->bytes.mean;
    s->in_m2 += e->in.m2;
    s->out_m2 += e->out.m2;
    s->in_most = fmax(s->in_most, most_of(&e->in_tasks, n, e->in.mean));
    s->out_most = fmax(s->out_most, most_of(&e->out_tasks, n, e->out.mean));
    s->tasks = tasks > s->tasks ? tasks : s->tasks;
}

/* The mean of k + 1, as that of k was mean. */
static double join(double mean, double is, uint32_t k)
{
    return mean + (is - mean) / (k + 1);
}

/* Each run counts as much as any other. */
static void fold(struct step *s)
{
    struct hct_earlier *e = &s->is;

    if (s->n > 0) {
        double freedom = fmax(s->n - 1, 1);

        e->n = join(e->n, s->n / fmax(s->tasks, 1), e->runs);
        e->in_mean = join(e->in_mean, s->in_ns / s->n, e->runs);
        e->out_mean = join(e->out_mean, s->out_ns / s->n, e->runs);
        e->in_sd = join(e->in_sd, sqrt(s->in_m2 / freedom), e->runs);
        e->out_sd = join(e->out_sd, sqrt(s->out_m2 / freedom), e->runs);
        e->bytes_mean = join(e->bytes_mean, s->bytes / s->n, e->runs);
        e->in_most = fmax(e->in_most, s->in_most);
        e->out_most = fmax(e->out_most, s->out_most);
        e->tasks = s->tasks > e->tasks ? s->tasks : e->tasks;
        e->runs++;
    }
    *s = (struct step){ .is = *e };
}

static bool take(struct goodruns *g, const struct jobmodel *m)
{
    uint64_t *key = calloc(m->nstates + 1, sizeof(*key));

    if (!key)
        return false;
    for (uint32_t i = 0; i < m->nstates; i++)
        key[i] = key_of(m, i);
    for (size_t i = 0; i < m->nedges; i++) {
        const struct jobmodel_edge *e = &m->edge[i];
        struct step *s = key[e->from] == NOWHERE || key[e->to] == NOWHERE || !e->n
                             ? NULL : step_of(g, key[e->from], key[e->to]);

        if (s)
            add_edge(s, e);
    }
    for (size_t i = 0; i < g->nsteps; i++)
        fold(&g->step[i]);
    g->taken++;
    free(key);
    return true;
}

bool goodruns_add(struct goodruns *g, const Hct__Model *model)
{
    struct jobmodel m;
    bool rc = true;

    if (model->width != g->ntasks || jobmodel_read(&m, model, NULL))
        return true;
    rc = take(g, &m);
    jobmodel_fini(&m);
    return rc;
}

/* ------------------------------------------------------------------- learnt */

static struct hct_learnt *learnt_of(struct goodruns *g, uint64_t by, uint64_t what)
{
    for (size_t i = 0; i < g->nlearnt; i++)
        if (g->learnt[i].by == by && g->learnt[i].what == what)
            return &g->learnt[i];
    if (g->nlearnt == LEARNT_MAX ||
        array_reserve(&g->learnt, &g->learnt_cap, g->nlearnt + 1))
        return NULL;
    g->learnt[g->nlearnt] = (struct hct_learnt){ .by = by, .what = what,
                                                .most = UINT32_MAX };
    return &g->learnt[g->nlearnt++];
}

/* From anybody's database. */
void goodruns_learn(struct goodruns *g, const struct store_learnt *row)
{
    struct hct_learnt *l;

    if (!row->ngroups || row->ngroups > row->most || !row->times ||
        !(l = learnt_of(g, row->policy, row->what)))
        return;
    l->groups = row->ngroups > l->groups ? row->ngroups : l->groups;
    l->most = row->most < l->most ? row->most : l->most;
    l->most = l->most < l->groups ? l->groups : l->most;
    l->times += row->times < UINT32_MAX - l->times ? row->times : 0;
    l->runs++;
}

/* ------------------------------------------------------------------ reading */

static int on_model(void *arg, const struct store_model *row)
{
    struct goodruns *g = arg;
    Hct__Model *m = row->model.n <= GOODRUNS_BYTES
        ? hct__model__unpack(NULL, row->model.n, row->model.p) : NULL;

    if (m) {
        goodruns_add(g, m);
        hct__model__free_unpacked(m, NULL);
    }
    return 1;
}

static int on_learnt(void *arg, const struct store_learnt *row)
{
    goodruns_learn(arg, row);
    return 0;
}

static int on_like(void *arg, const struct store_run *row)
{
    struct goodruns *g = arg;

    if (g->nruns < GOODRUNS_MAX)
        g->run[g->nruns++] = row->job;
    return 0;
}

static int on_run(void *arg, const struct store_run *row)
{
    *(char **)arg = row->what ? strdup(row->what) : NULL;
    return 1;
}

/* Which program it is is known by its build when it ends: now by what people
 * call it, and then by places. */
static int find_runs(struct goodruns *g, struct err *err)
{
    struct store *st = journal_store(g->journal);
    char *what = NULL;
    int rc = query_run_of(st, g->job, on_run, &what, err);

    if (rc == 0 && what)
        rc = query_like_runs(st, what, g->job, GOODRUNS_MAX, on_like, g, err);
    free(what);
    return rc;
}

static int by_ends(const void *a, const void *b)
{
    const struct hct_earlier *x = &((const struct step *)a)->is;
    const struct hct_earlier *y = &((const struct step *)b)->is;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static int by_policy(const void *a, const void *b)
{
    const struct hct_learnt *x = a, *y = b;

    return x->by != y->by ? (x->by > y->by) - (x->by < y->by)
                          : (x->what > y->what) - (x->what < y->what);
}

void goodruns_end(struct goodruns *g)
{
    if (g->nlearnt)
        qsort(g->learnt, g->nlearnt, sizeof(*g->learnt), by_policy);
    if (g->nsteps)
        qsort(g->step, g->nsteps, sizeof(*g->step), by_ends);
    idtable_fini(&g->by_ends);
    g->known = true;
}

/* Of one whose model is not taken nothing is learnt. */
static int read_run(struct goodruns *g, uint64_t run, struct err *err)
{
    struct store *st = journal_store(g->journal);
    uint32_t before = g->taken;

    if (query_model(st, run, on_model, g, err))
        return -1;
    return g->taken > before ? query_learnt(st, run, on_learnt, g, err) : 0;
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct goodruns *g = arg;
    struct err err;
    int rc = 0;

    (void)fd, (void)what;
    if (g->nruns == 0)
        rc = find_runs(g, &err);
    else
        rc = read_run(g, g->run[g->at++], &err);
    if (rc)
        log_info("goodruns", "earlier runs are not known: %s job=%llu", err.text,
                 (unsigned long long)g->job);
    if (rc || g->at == g->nruns)
        goodruns_end(g);
    else
        timer_set(g->timer, 0);
}

struct goodruns *goodruns_create(struct event_base *base, struct journal *jn,
                                 uint64_t job, uint32_t ntasks)
{
    struct goodruns *g = calloc(1, sizeof(*g));

    if (!g || !(g->timer = evtimer_new(base, on_timer, g))) {
        free(g);
        return NULL;
    }
    g->journal = jn;
    g->job = job;
    g->ntasks = ntasks;
    timer_set(g->timer, 0);
    return g;
}

void goodruns_destroy(struct goodruns *g)
{
    if (!g)
        return;
    timer_free(g->timer);
    idtable_fini(&g->by_ends);
    free(g->step);
    free(g->learnt);
    free(g);
}

bool goodruns_known(const struct goodruns *g)
{
    return g->known;
}

void goodruns_show(const struct goodruns *g, struct looks *l)
{
    struct hct_earlier *e;
    struct hct_learnt *k;

    for (size_t i = 0; i < g->nsteps; i++)
        if ((e = looks_add_earlier(l)))
            *e = g->step[i].is;
    for (size_t i = 0; i < g->nlearnt; i++)
        if ((k = looks_add_learnt(l)))
            *k = g->learnt[i];
    l->runs = g->taken;
    l->parts |= HCT_NEED_EARLIER;
}
