/* model_json.c - models for programs: one JSON object. */
#include <inttypes.h>
#include <stdlib.h>

#include "master/hector/core/json.h"
#include "master/hector/model/model_draw.h"
#include "mpi-wrappers/table/calls.h"

static void set_count(json_t *j, const char *name, uint64_t n)
{
    json_object_set_new(j, name, json_integer((json_int_t)n));
}

static void set_ranks(json_t *j, const struct taskset *s)
{
    struct str text = { 0 };

    modelview_ranks(s, &text);
    json_object_set_new(j, "ranks", json_string(str_text(&text)));
    str_fini(&text);
}

static json_t *phase_json(const struct modelview *v, uint32_t i)
{
    const struct jobmodel_phase *p = &v->model.phase[i];
    struct modelview_sum s = modelview_phase(v, i);
    json_t *j = json_object();

    set_count(j, "id", i);
    if (p->merged)
        set_count(j, "merged", p->merged);
    else
        set_count(j, "phase", p->number);
    if (!p->merged && !p->labels)
        json_object_set_new(j, "label", json_integer(p->label));
    set_count(j, "age_ns", p->age_ns);
    set_count(j, "last_age_ns", p->last_age_ns);
    set_ranks(j, &p->tasks);
    set_count(j, "steps", s.n);
    json_object_set_new(j, "in_ns", json_real(s.in_ns));
    json_object_set_new(j, "out_ns", json_real(s.out_ns));
    set_count(j, "lost", p->lost);
    return j;
}

static json_t *frame_json(const struct modelview *v, uint32_t at)
{
    const struct jobmodel_frame *f = &v->model.frame[at];
    json_t *j = json_object(), *names = json_array();

    json_object_set_new(j, "module", json_name(f->module
        ? v->model.module[f->module - 1].path : ""));
    set_count(j, "offset", f->offset);
    for (uint32_t k = 0; k < f->names; k++) {
        const struct jobmodel_name *n = &f->name[k];
        json_t *name = json_object();

        json_object_set_new(name, "function", json_name(n->text));
        json_object_set_new(name, "file", json_name(n->text + n->file));
        set_count(name, "line", n->line);
        if (n->text[n->note])
            json_object_set_new(name, "note", json_name(n->text + n->note));
        json_array_append_new(names, name);
    }
    json_object_set_new(j, "names", names);
    return j;
}

static json_t *state_json(const struct modelview *v, uint32_t state)
{
    const struct jobmodel_state *s = &v->model.state[state];
    json_t *j = json_object(), *frames = json_array();
    struct str place = { 0 };

    set_count(j, "id", v->number[state]);
    if (state == JOBMODEL_START || state == JOBMODEL_OTHER)
        json_object_set_new(j, "call", json_string(
            state == JOBMODEL_START ? "start" : "other"));
    else
        json_object_set_new(j, "call", json_string(call_name(s->call)));
    modelview_place(v, state, 0, &place);
    json_object_set_new(j, "place", json_name(str_text(&place)));
    str_fini(&place);
    for (uint32_t f = 0; f < s->frames; f++)
        json_array_append_new(frames, frame_json(v, s->frame[f]));
    json_object_set_new(j, "frames", frames);
    return j;
}

static void set_times(json_t *j, const char *const names[5],
                      const struct jobmodel_edge *e,
                      const struct jobmodel_times *t, const uint64_t *buckets)
{
    double sd = modelview_deviation(t, e->n);
    static const double share[] = { 0.1, 0.5, 0.9, 0.99 };
    json_t *list, *quantiles;

    json_object_set_new(j, names[0], json_real(t->mean));
    json_object_set_new(j, names[1], sd < 0 ? json_null() : json_real(sd));
    set_count(j, names[2], t->max);
    if (!buckets)
        return;
    list = json_array();
    for (unsigned i = 0; i < JOBMODEL_BUCKETS; i++)
        json_array_append_new(list, json_integer((json_int_t)buckets[i]));
    json_object_set_new(j, names[3], list);
    quantiles = json_array();
    for (unsigned i = 0; i < sizeof(share) / sizeof(share[0]); i++)
        json_array_append_new(quantiles,
                              json_real(jobmodel_quantile(buckets, share[i])));
    json_object_set_new(j, names[4], quantiles);
}

static json_t *step_json(const struct modelview *v,
                         const struct jobmodel_edge *e)
{
    static const char *const in[] = { "in_mean_ns", "in_sd_ns", "in_max_ns",
                                      "in_histogram", "in_quantiles_ns" };
    static const char *const out[] = { "out_mean_ns", "out_sd_ns",
                                       "out_max_ns", "out_histogram",
                                       "out_quantiles_ns" };
    double sd = modelview_deviation(&e->bytes, e->n);
    json_t *j = json_object();

    set_count(j, "phase_id", e->phase);
    set_count(j, "from", v->number[e->from]);
    set_count(j, "to", v->number[e->to]);
    set_count(j, "count", e->n);
    json_object_set_new(j, "share", json_real(v->total_ns > 0
        ? modelview_time_ns(e) / v->total_ns : 0));
    set_times(j, in, e, &e->in, e->histogram);
    set_times(j, out, e, &e->out, e->histogram
              ? e->histogram + JOBMODEL_BUCKETS : NULL);
    json_object_set_new(j, "bytes_mean", json_real(e->bytes.mean));
    json_object_set_new(j, "bytes_sd", sd < 0 ? json_null() : json_real(sd));
    set_ranks(j, &e->tasks);
    return j;
}

static json_t *notes_json(const struct modelview *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->m->n_notes; i++) {
        json_t *j = json_object();

        json_object_set_new(j, "ranks", json_name(v->m->notes[i]->ranks));
        json_object_set_new(j, "text", json_name(v->m->notes[i]->text));
        json_array_append_new(list, j);
    }
    return list;
}

void model_draw_json(struct str *out, const struct modelview *v)
{
    json_t *j = json_object(), *phases = json_array(), *states = json_array(),
           *steps = json_array();
    char *text;

    json_object_set_new(j, "title", json_name(v->title));
    set_ranks(j, &v->model.tasks);
    set_count(j, "ntasks", v->model.width);
    set_count(j, "threads", v->model.threads);
    for (uint32_t i = 0; i < v->model.nphases; i++)
        json_array_append_new(phases, phase_json(v, v->phases[i]));
    for (uint32_t i = 0; i < v->nstates; i++)
        json_array_append_new(states, state_json(v, v->state[i]));
    for (size_t i = 0; i < v->norder; i++)
        json_array_append_new(steps,
            step_json(v, &v->steps.edge[v->order[i]]));
    json_object_set_new(j, "phases", phases);
    json_object_set_new(j, "states", states);
    json_object_set_new(j, "edges", steps);
    set_count(j, "sites_lost", v->model.sites_lost);
    set_count(j, "edges_lost", v->model.edges_lost);
    set_count(j, "dropped", v->model.dropped);
    set_count(j, "damaged", v->model.damaged);
    json_object_set_new(j, "notes", notes_json(v));
    text = json_dumps(j, JSON_COMPACT | JSON_PRESERVE_ORDER);
    str_add(out, text ? text : "{}");
    str_add(out, "\n");
    free(text);
    json_decref(j);
}
