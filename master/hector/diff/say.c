/* say.c - see say.h. */
#include "master/hector/diff/say.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "master/hector/core/human.h"
#include "master/hector/core/json.h"
#include "mpi-wrappers/table/calls.h"

enum { SAY_CALLERS = 1 };       /* of a place that are named */

static const char *duration(char buf[HUMAN_MAX], double ns)
{
    ns = fabs(ns);
    return human_duration(buf, ns < 9e18 ? (int64_t)ns : INT64_MAX);
}

/* ------------------------------------------------------------------ places */

/* The run that knows the site: run 0 if it does. */
static const struct modelview *view_of(const struct say *s, uint32_t site,
                                       uint32_t *state)
{
    const uint32_t *of = s->diff->steps.site[site].state;
    unsigned run = of[0] != STEPS_NONE ? 0 : 1;

    *state = of[run];
    return &s->run[run].view;
}

static void add_site(const struct say *s, uint32_t site, struct str *out)
{
    uint32_t state;
    const struct modelview *v = view_of(s, site, &state);
    struct str place = { 0 };

    modelview_call(v, state, out);
    if (state >= JOBMODEL_FIRST) {
        modelview_place(v, state, SAY_CALLERS, &place);
        str_addf(out, " (%s)", str_text(&place));
    }
    str_fini(&place);
}

/* "between Bcast (main a.c:3) and Send (main a.c:9)", "in Send (main a.c:9)" */
static void add_step(const struct say *s, uint32_t row, bool inside,
                     struct str *out)
{
    const struct steps_row *r = &s->diff->steps.row[row];

    str_add(out, inside ? "in " : "between ");
    add_site(s, r->from, out);
    if (inside)
        return;
    str_add(out, " and ");
    add_site(s, r->to, out);
}

/* ------------------------------------------------------------------- items */

static void add_calls(const struct say *s, const struct steps_site *site,
                      unsigned run, struct str *out)
{
    double each = site->tasks[run] ? (double)site->visits[run] /
                                     site->tasks[run] : 0;
    uint32_t ntasks = s->run[run].ntasks;

    if (site->visits[run] == site->tasks[run])
        str_add(out, "once");
    else if (fabs(each - round(each)) < 1e-9)
        str_addf(out, "%.0f times", each);
    else
        str_addf(out, "%.1f times", each);
    if (site->tasks[run] == ntasks)
        str_addf(out, " a task");
    else
        str_addf(out, " by %u of %u tasks", site->tasks[run], ntasks);
}

static void say_calls(const struct say *s, const struct rundiff_item *i,
                      struct str *out)
{
    const struct steps_site *site = &s->diff->steps.site[i->site];
    unsigned run = i->kind == RUNDIFF_ONLY ? i->run : 0;

    add_site(s, i->site, out);
    str_add(out, " is called ");
    add_calls(s, site, run, out);
    str_addf(out, " in job %" PRIu64 ", ", s->run[run].job);
    if (i->kind == RUNDIFF_CALLS) {
        add_calls(s, site, 1, out);
        str_addf(out, " in job %" PRIu64, s->run[1].job);
    } else {
        str_addf(out, "and not in job %" PRIu64, s->run[!run].job);
    }
}

/* " on n1", where all of them are. */
static void add_node(const struct run *r, const struct taskset *tasks,
                     struct str *out)
{
    int64_t first = taskset_next(tasks, -1);

    for (int64_t i = first; i >= 0; i = taskset_next(tasks, i))
        if (r->task[i].node != r->task[first].node)
            return;
    if (first >= 0)
        str_addf(out, " on %s", r->node[r->task[first].node]);
}

static void say_tasks(const struct say *s, const struct rundiff_item *i,
                      struct str *out)
{
    const struct run *r = &s->run[i->run];
    bool one = taskset_count(&i->tasks) == 1;
    char *ranks = taskset_text(&i->tasks), cost[HUMAN_MAX];

    if (i->kind == RUNDIFF_NODE)
        str_add(out, "all tasks");
    else
        str_addf(out, "task%s %s", one ? "" : "s", ranks ? ranks : "?");
    add_node(r, &i->tasks, out);
    if (i->kind == RUNDIFF_NODE)
        str_addf(out, ", %s,", ranks ? ranks : "?");
    str_addf(out, " %s %s%s longer than the others %s job %" PRIu64,
             i->inside ? one ? "takes" : "take" : one ? "computes" : "compute",
             one ? "" : "up to ", duration(cost, i->cost_ns),
             i->run ? "do in" : "do, and not so in", s->run[1].job);
    if (i->run)
        str_addf(out, ", and not so in job %" PRIu64, s->run[0].job);
    if (i->row != STEPS_NONE) {
        str_add(out, i->inside ? ": " : ": most of it ");
        add_step(s, i->row, i->inside, out);
    }
    free(ranks);
}

static void say_step(const struct say *s, const struct rundiff_item *i,
                     struct str *out)
{
    char is[HUMAN_MAX], was[HUMAN_MAX];

    add_step(s, i->row, i->kind == RUNDIFF_CALL, out);
    str_addf(out, ": %s each time, %s in job %" PRIu64,
             duration(is, i->is_ns), duration(was, i->was_ns), s->run[1].job);
}

static void say_order(const struct say *s, const struct rundiff_item *i,
                      struct str *out)
{
    const struct steps_row *r = &s->diff->steps.row[i->row];

    add_site(s, r->to, out);
    str_add(out, " comes after ");
    add_site(s, r->from, out);
    str_addf(out, " in job %" PRIu64 ", and never in job %" PRIu64,
             s->run[i->run].job, s->run[!i->run].job);
}

void say_item(const struct say *s, const struct rundiff_item *i,
              struct str *out)
{
    switch (i->kind) {
    case RUNDIFF_ONLY:
    case RUNDIFF_CALLS:
        say_calls(s, i, out);
        return;
    case RUNDIFF_TASK:
    case RUNDIFF_NODE:
        say_tasks(s, i, out);
        return;
    case RUNDIFF_COMPUTE:
    case RUNDIFF_CALL:
        say_step(s, i, out);
        return;
    case RUNDIFF_ORDER:
        say_order(s, i, out);
        return;
    }
}

void say_setup(enum setup_kind kind, const char *was, const char *is,
               struct str *out)
{
    str_addf(out, "%s: %s, was %s", setup_name(kind), is ? is : "none",
             was ? was : "none");
}

/* -------------------------------------------------------------------- JSON */

static json_t *site_json(const struct say *s, uint32_t site)
{
    uint32_t state;
    const struct modelview *v = view_of(s, site, &state);
    const struct jobmodel_state *is = &v->model.state[state];
    const struct jobmodel_frame *f = is->frames ? &v->model.frame[is->frame[0]]
                                                : NULL;
    json_t *j = json_object();
    struct str place = { 0 };

    json_object_set_new(j, "call", state < JOBMODEL_FIRST ? json_null()
                                   : json_name(call_name(is->call)));
    modelview_place(v, state, JOBMODEL_DEPTH, &place);
    json_object_set_new(j, "place", json_name(str_text(&place)));
    if (f && f->names) {
        json_object_set_new(j, "function", json_name(f->name[0].text));
        json_object_set_new(j, "file",
                            json_name(f->name[0].text + f->name[0].file));
        json_object_set_new(j, "line", json_integer(f->name[0].line));
    }
    str_fini(&place);
    return j;
}

static json_t *tasks_json(const struct taskset *tasks)
{
    char *text = taskset_text(tasks);
    json_t *j = json_string(text ? text : "");

    free(text);
    return j;
}

json_t *say_item_json(const struct say *s, const struct rundiff_item *i)
{
    static const char *const kinds[] = {
        "only", "calls", "task", "node", "compute", "call", "order",
    };
    json_t *j = json_object();
    struct str text = { 0 };

    json_object_set_new(j, "kind", json_string(kinds[i->kind]));
    json_object_set_new(j, "cost_ns", json_real(i->cost_ns));
    if (i->kind == RUNDIFF_ONLY || i->kind == RUNDIFF_CALLS) {
        const struct steps_site *site = &s->diff->steps.site[i->site];

        json_object_set_new(j, "site", site_json(s, i->site));
        json_object_set_new(j, "calls",
                            json_integer((json_int_t)site->visits[0]));
        json_object_set_new(j, "was_calls",
                            json_integer((json_int_t)site->visits[1]));
    }
    if (i->kind == RUNDIFF_TASK || i->kind == RUNDIFF_NODE)
        json_object_set_new(j, "ranks", tasks_json(&i->tasks));
    if (i->row != STEPS_NONE) {
        const struct steps_row *r = &s->diff->steps.row[i->row];

        json_object_set_new(j, "from", site_json(s, r->from));
        json_object_set_new(j, "to", site_json(s, r->to));
    }
    if (i->kind == RUNDIFF_COMPUTE || i->kind == RUNDIFF_CALL) {
        json_object_set_new(j, "is_ns", json_real(i->is_ns));
        json_object_set_new(j, "was_ns", json_real(i->was_ns));
    }
    if (i->kind != RUNDIFF_CALLS && i->kind != RUNDIFF_COMPUTE &&
        i->kind != RUNDIFF_CALL)
        json_object_set_new(j, "in_job",
                            json_integer((json_int_t)s->run[i->run].job));
    say_item(s, i, &text);
    json_object_set_new(j, "text", json_name(str_text(&text)));
    str_fini(&text);
    return j;
}
