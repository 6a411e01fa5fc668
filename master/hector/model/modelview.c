/* modelview.c - the models of a job as they are shown. */
#include "master/hector/model/modelview.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/stack/callview.h"
#include "mpi-wrappers/table/calls.h"
#include "proto/base/paths.h"

/* ------------------------------------------------------------------- times */

double modelview_time_ns(const struct jobmodel_edge *e)
{
    return (e->in.mean + e->out.mean) * (double)e->n;
}

double modelview_deviation(const struct jobmodel_times *t, uint64_t n)
{
    return n > 1 ? sqrt(t->m2 / (double)(n - 1)) : -1;
}

struct modelview_sum modelview_phase(const struct modelview *v,
                                     uint32_t phase)
{
    struct modelview_sum s = { 0 };

    for (size_t i = 0; i < v->model.nedges; i++) {
        const struct jobmodel_edge *e = &v->model.edge[i];

        if (e->phase != phase)
            continue;
        s.n = jobmodel_sum(s.n, e->n);
        s.in_ns += e->in.mean * (double)e->n;
        s.out_ns += e->out.mean * (double)e->n;
    }
    return s;
}

/* ---------------------------------------------------------------- choosing */

static int find_phase(struct modelview *v, int64_t phase, struct err *err)
{
    v->phase = -1;
    if (phase == MODELVIEW_ALL)
        return 0;
    for (uint32_t i = 0; i < v->model.nphases; i++) {
        const struct jobmodel_phase *p = &v->model.phase[i];

        if (p->merged ? phase == MODELVIEW_EARLIER : phase == p->number)
            v->phase = i;
    }
    if (v->phase >= 0)
        return 0;
    return phase == MODELVIEW_EARLIER
        ? err_set(err, ESRCH, "no phases are merged into earlier ones yet")
        : err_set(err, ESRCH, "there is no phase %" PRId64 ", or not any more "
                  "by itself; see --phases", phase);
}

static const struct jobmodel_phase *phases;     /* by_phase_number()'s */

/* Those that are merged were before all others. */
static int by_phase_number(const void *a, const void *b)
{
    const struct jobmodel_phase *p = &phases[*(const uint32_t *)a];
    const struct jobmodel_phase *q = &phases[*(const uint32_t *)b];

    if (!p->merged != !q->merged)
        return p->merged ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

static int order_phases(struct modelview *v, struct err *err)
{
    v->phases = calloc(v->model.nphases + 1, sizeof(*v->phases));
    if (!v->phases)
        return err_memory(err);
    for (uint32_t i = 0; i < v->model.nphases; i++)
        v->phases[i] = i;
    phases = v->model.phase;
    if (v->model.nphases)
        qsort(v->phases, v->model.nphases, sizeof(*v->phases),
              by_phase_number);
    return 0;
}

static int choose_steps(struct modelview *v, bool by_phase, struct err *err)
{
    int rc = jobmodel_init(&v->steps, v->model.width, err);

    for (size_t i = 0; i < v->model.nedges && rc == 0; i++) {
        struct jobmodel_edge e = v->model.edge[i];

        if (v->phase >= 0 && e.phase != v->phase)
            continue;
        if (!by_phase)
            e.phase = 0;
        v->total_ns += modelview_time_ns(&e);
        v->count = jobmodel_sum(v->count, e.n);
        if (jobmodel_add(&v->steps, &e, &e.tasks, 0))
            rc = err_memory(err);
    }
    return rc;
}

static const struct jobmodel_edge *sorted;      /* what by_time() compares in */

static int by_time(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double t = modelview_time_ns(&sorted[x]), u = modelview_time_ns(&sorted[y]);

    if (t != u)
        return t > u ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void show_state(struct modelview *v, uint32_t state)
{
    if (v->number[state])
        return;
    v->state[v->nstates] = state;
    v->number[state] = ++v->nstates;
}

static int order_steps(struct modelview *v, uint64_t most, struct err *err)
{
    size_t n = v->steps.nedges;

    v->order = calloc(n + 1, sizeof(*v->order));
    v->number = calloc(v->model.nstates + 1, sizeof(*v->number));
    v->state = calloc(v->model.nstates + 1, sizeof(*v->state));
    if (!v->order || !v->number || !v->state)
        return err_memory(err);
    for (uint32_t i = 0; i < n; i++)
        v->order[i] = i;
    sorted = v->steps.edge;
    if (n)
        qsort(v->order, n, sizeof(*v->order), by_time);
    v->norder = most && most < n ? (size_t)most : n;
    for (size_t i = 0; i < v->norder; i++) {
        show_state(v, v->steps.edge[v->order[i]].from);
        show_state(v, v->steps.edge[v->order[i]].to);
    }
    return 0;
}

int modelview_init(struct modelview *v, const Hct__Model *m, int64_t phase,
                   uint64_t most, bool by_phase, struct err *err)
{
    *v = (struct modelview){ .m = m, .title = "" };
    if (jobmodel_read(&v->model, m, err))
        return -1;
    if (find_phase(v, phase, err) == 0 && order_phases(v, err) == 0 &&
        choose_steps(v, by_phase, err) == 0 &&
        order_steps(v, most, err) == 0)
        return 0;
    modelview_fini(v);
    return -1;
}

void modelview_fini(struct modelview *v)
{
    jobmodel_fini(&v->model);
    jobmodel_fini(&v->steps);
    free(v->order);
    free(v->number);
    free(v->state);
    free(v->phases);
    *v = (struct modelview){ 0 };
}

/* ------------------------------------------------------------------- texts */

void modelview_call(const struct modelview *v, uint32_t state,
                    struct str *out)
{
    const char *name = call_name(v->model.state[state].call);

    if (state == JOBMODEL_START)
        str_add(out, "start");
    else if (state == JOBMODEL_OTHER)
        str_add(out, "other");
    else if (strncmp(name, "MPI_", 4) == 0)
        str_add(out, name + 4);
    else
        str_addf(out, "call %u", v->model.state[state].call);
}

/* One function with its line. */
static void add_name(const struct modelview *v,
                     const struct jobmodel_frame *f, uint32_t k,
                     struct str *out)
{
    const struct jobmodel_name *n = k < f->names ? &f->name[k] : NULL;

    if (n && *n->text) {
        str_add(out, n->text);
        if (n->line)
            str_addf(out, " %s:%u", paths_base(n->text + n->file),
                     n->line);
    } else {
        str_addf(out, "%s+0x%" PRIx64, f->module
                 ? paths_base(v->model.module[f->module - 1].path) : "?",
                 f->offset);
    }
}

bool modelview_is_start(const struct jobmodel_frame *f)
{
    return f->names && !*f->name[0].text &&
           strcmp(f->name[0].text + f->name[0].note, "what calls main") == 0;
}

void modelview_place(const struct modelview *v, uint32_t state,
                     unsigned callers, struct str *out)
{
    const struct jobmodel_state *s = &v->model.state[state];
    unsigned shown = 0;

    if (state < JOBMODEL_FIRST)
        str_add(out, state == JOBMODEL_START
                     ? "before the first call of a thread"
                     : "places that found no room");
    else if (!s->frames)
        str_add(out, "its place was not recorded");
    for (uint32_t i = 0; i < s->frames && shown <= callers; i++) {
        const struct jobmodel_frame *f = &v->model.frame[s->frame[i]];
        uint32_t k = 0;

        if (modelview_is_start(f))
            return;
        do {
            if (shown++)
                str_add(out, " < ");
            add_name(v, f, k, out);
        } while (++k < f->names && shown <= callers);
    }
}

void modelview_ranks(const struct taskset *s, struct str *out)
{
    char *text = taskset_text(s);

    str_add(out, text ? text : "?");
    free(text);
}
