/* model_text.c - models for people: phases, the steps that take the most time,
 * the states they lead between, and what is missing. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/hector/core/table.h"
#include "master/hector/model/model_draw.h"
#include "proto/base/clock.h"

enum {
    CALLERS = 2,                /* of the caller of MPI, shown */
    COLUMN = 4,                 /* buckets */
};

static const struct table_column phase_columns[] = {
    { "PHASE", TABLE_TEXT, NULL }, { "LABEL", TABLE_NUMBER, NULL },
    { "AGE", TABLE_DURATION, NULL }, { "STEPS", TABLE_NUMBER, NULL },
    { "IN MPI", TABLE_DURATION, NULL }, { "BETWEEN", TABLE_DURATION, NULL },
    { "LOST", TABLE_NUMBER, NULL }, { "RANKS", TABLE_WIDE, NULL },
};
static const struct table_column step_columns[] = {
    { "FROM", TABLE_WIDE, NULL }, { "TO", TABLE_WIDE, NULL },
    { "%", TABLE_NUMBER, NULL }, { "COUNT", TABLE_NUMBER, NULL },
    { "IN MPI", TABLE_DURATION, NULL }, { "+-", TABLE_DURATION, NULL },
    { "BETWEEN", TABLE_DURATION, NULL }, { "+-", TABLE_DURATION, NULL },
    { "BYTES", TABLE_BYTES, NULL }, { "+-", TABLE_BYTES, NULL },
    { "RANKS", TABLE_WIDE, NULL },
};
static const struct table_column state_columns[] = {
    { "STATE", TABLE_NUMBER, NULL }, { "CALL", TABLE_TEXT, NULL },
    { "WHERE", TABLE_WIDE, NULL },
};
static const struct table_column histogram_columns[] = {
    { "FROM", TABLE_WIDE, NULL }, { "TO", TABLE_WIDE, NULL },
    { "TIME", TABLE_TEXT, NULL }, { "10 %", TABLE_DURATION, NULL },
    { "50 %", TABLE_DURATION, NULL }, { "90 %", TABLE_DURATION, NULL },
    { "99 %", TABLE_DURATION, NULL }, { "64 ns ...", TABLE_TEXT, NULL },
};
#define N(columns) (int)(sizeof(columns) / sizeof((columns)[0]))

static struct store_value text(const struct str *s)
{
    return (struct store_value){ .type = STORE_TEXT, .text = str_text(s) };
}

static struct store_value number(uint64_t n)
{
    return (struct store_value){ .type = STORE_INT, .i = (int64_t)n };
}

/* Of a time in ns, or of bytes; a negative one is not known. */
static struct store_value duration(double ns)
{
    return (struct store_value){ .type = ns < 0 ? STORE_NULL : STORE_INT,
                                 .i = ns < 9e18 ? (int64_t)ns : INT64_MAX };
}

/* ------------------------------------------------------------------ phases */

static int print_phases(const struct modelview *v, struct err *err)
{
    struct table *t = table_create(phase_columns, N(phase_columns),
                                   clock_wall_ns(), err);
    int rc = t ? 0 : -1;

    for (uint32_t i = 0; i < v->model.nphases && rc == 0; i++) {
        const struct jobmodel_phase *p = &v->model.phase[v->phases[i]];
        struct modelview_sum s = modelview_phase(v, v->phases[i]);
        struct str name = { 0 }, ranks = { 0 };
        struct store_value row[N(phase_columns)];

        if (p->merged)
            str_addf(&name, "earlier (%u)", p->merged);
        else
            str_addf(&name, "%u", p->number);
        modelview_ranks(&p->tasks, &ranks);
        row[0] = text(&name);
        row[1] = (struct store_value){
            .type = p->merged || p->labels || !p->number ? STORE_NULL
                                                         : STORE_INT,
            .i = p->label };
        row[2] = duration(p->merged ? -1 : (double)p->age_ns);
        row[3] = number(s.n);
        row[4] = duration(s.in_ns);
        row[5] = duration(s.out_ns);
        row[6] = number(p->lost);
        row[7] = text(&ranks);
        rc = table_add(t, row, err);
        str_fini(&name);
        str_fini(&ranks);
    }
    rc = rc || table_end(t, err) ? -1 : 0;
    table_destroy(t);
    return rc;
}

/* ------------------------------------------------------------------- steps */

static void name_state(const struct modelview *v, uint32_t state,
                       struct str *out)
{
    str_addf(out, "%u ", v->number[state]);
    modelview_call(v, state, out);
}

static int print_steps(const struct modelview *v, struct err *err)
{
    struct table *t = table_create(step_columns, N(step_columns), 0, err);
    int rc = t ? 0 : -1;

    for (size_t i = 0; i < v->norder && rc == 0; i++) {
        const struct jobmodel_edge *e = &v->steps.edge[v->order[i]];
        struct str from = { 0 }, to = { 0 }, ranks = { 0 };

        name_state(v, e->from, &from);
        name_state(v, e->to, &to);
        modelview_ranks(&e->tasks, &ranks);
        rc = table_add(t, (struct store_value[]){
            text(&from), text(&to),
            { .type = STORE_REAL, .d = v->total_ns > 0
              ? 100 * modelview_time_ns(e) / v->total_ns : 0 },
            number(e->n), duration(e->in.mean),
            duration(modelview_deviation(&e->in, e->n)),
            duration(e->out.mean),
            duration(modelview_deviation(&e->out, e->n)),
            duration(e->bytes.mean),
            duration(modelview_deviation(&e->bytes, e->n)), text(&ranks) },
            err);
        str_fini(&from);
        str_fini(&to);
        str_fini(&ranks);
    }
    rc = rc || table_end(t, err) ? -1 : 0;
    table_destroy(t);
    return rc;
}

static int print_states(const struct modelview *v, struct err *err)
{
    struct table *t = table_create(state_columns, N(state_columns), 0, err);
    int rc = t ? 0 : -1;

    for (uint32_t i = 0; i < v->nstates && rc == 0; i++) {
        struct str call = { 0 }, place = { 0 };

        modelview_call(v, v->state[i], &call);
        modelview_place(v, v->state[i], CALLERS, &place);
        rc = table_add(t, (struct store_value[]){
            number(i + 1), text(&call), text(&place) }, err);
        str_fini(&call);
        str_fini(&place);
    }
    rc = rc || table_end(t, err) ? -1 : 0;
    table_destroy(t);
    return rc;
}

/* -------------------------------------------------------------- histograms */

/* A letter for four buckets, which are a factor of 4: the more there is in it,
 * the darker. */
static void draw_buckets(const uint64_t *v, struct str *out)
{
    static const char shades[] = ".:-=+*#@";
    double column[JOBMODEL_BUCKETS / COLUMN] = { 0 }, most = 0;

    for (unsigned i = 0; i < JOBMODEL_BUCKETS; i++) {
        column[i / COLUMN] += (double)v[i];
        if (column[i / COLUMN] > most)
            most = column[i / COLUMN];
    }
    str_add(out, "[");
    for (unsigned i = 0; i < JOBMODEL_BUCKETS / COLUMN; i++)
        str_addf(out, "%c", column[i] > 0
                 ? shades[(unsigned)(column[i] / most * 7)] : ' ');
    str_add(out, "]");
}

static int add_histogram(const struct modelview *v, struct table *t,
                         const struct jobmodel_edge *e, bool between,
                         struct err *err)
{
    struct str from = { 0 }, to = { 0 }, shape = { 0 };
    const char *what = between ? "between" : "in MPI";
    const uint64_t *row = e->histogram + (between ? JOBMODEL_BUCKETS : 0);
    int rc;

    name_state(v, e->from, &from);
    name_state(v, e->to, &to);
    draw_buckets(row, &shape);
    rc = table_add(t, (struct store_value[]){
        text(&from), text(&to), { .type = STORE_TEXT, .text = what },
        duration(jobmodel_quantile(row, 0.1)),
        duration(jobmodel_quantile(row, 0.5)),
        duration(jobmodel_quantile(row, 0.9)),
        duration(jobmodel_quantile(row, 0.99)), text(&shape) }, err);
    str_fini(&from);
    str_fini(&to);
    str_fini(&shape);
    return rc;
}

static int print_histograms(const struct modelview *v, struct err *err)
{
    struct table *t = table_create(histogram_columns, N(histogram_columns),
                                   0, err);
    int rc = t ? 0 : -1;
    bool any = false;

    for (size_t i = 0; i < v->norder && rc == 0; i++) {
        const struct jobmodel_edge *e = &v->steps.edge[v->order[i]];

        any = any || e->histogram;
        if (e->histogram)
            rc = add_histogram(v, t, e, false, err) ||
                 add_histogram(v, t, e, true, err) ? -1 : 0;
    }
    if (any)
        rc = rc || table_end(t, err) ? -1 : 0;
    else if (rc == 0)
        puts("Nobody asked for them when this model was taken");
    table_destroy(t);
    return rc;
}

/* -------------------------------------------------------------------- rest */

static void print_head(const struct modelview *v)
{
    size_t tasks = taskset_count(&v->model.tasks);
    char in[HUMAN_MAX], between[HUMAN_MAX];
    double in_ns = 0, out_ns = 0;

    for (size_t i = 0; i < v->steps.nedges; i++) {
        const struct jobmodel_edge *e = &v->steps.edge[i];

        in_ns += e->in.mean * (double)e->n;
        out_ns += e->out.mean * (double)e->n;
    }
    printf("%s: %zu task%s, %u thread%s, %zu state%s\n", v->title, tasks,
           tasks == 1 ? "" : "s", v->model.threads,
           v->model.threads == 1 ? "" : "s", v->model.nstates - JOBMODEL_FIRST,
           v->model.nstates == JOBMODEL_FIRST + 1 ? "" : "s");
    printf("%" PRIu64 " step%s of %zu kind%s, %s in MPI, %s between\n",
           v->count, v->count == 1 ? "" : "s", v->steps.nedges,
           v->steps.nedges == 1 ? "" : "s",
           human_duration(in, duration(in_ns).i),
           human_duration(between, duration(out_ns).i));
}

static void print_losses(const struct modelview *v)
{
    const struct jobmodel *m = &v->model;

    if (m->edges_lost)
        printf("%" PRIu64 " steps found no room in the tables of their tasks:"
               " they are not here\n", m->edges_lost);
    if (m->sites_lost)
        printf("%" PRIu64 " calls are from places that found no room: they"
               " are \"other\"\n", m->sites_lost);
    if (m->dropped)
        printf("%" PRIu64 " steps found no room when models were merged\n",
               m->dropped);
    if (m->damaged)
        printf("%" PRIu64 " entries of tasks' tables make no sense, and are"
               " left out\n", m->damaged);
    for (size_t i = 0; i < v->m->n_notes; i++) {
        struct str line = { 0 };
        char shown[2000];

        str_addf(&line, "[%s]: %s", v->m->notes[i]->ranks,
                 v->m->notes[i]->text);
        str_visible(shown, sizeof(shown), str_text(&line), line.n);
        puts(shown);
        str_fini(&line);
    }
}

/* Why a frame of this file that is shown has no name; NULL: all have one. */
static const char *nameless(const struct modelview *v, uint32_t module)
{
    for (uint32_t i = 0; i < v->nstates; i++) {
        const struct jobmodel_state *s = &v->model.state[v->state[i]];

        for (uint32_t k = 0; k < s->frames && k <= CALLERS; k++) {
            const struct jobmodel_frame *f = &v->model.frame[s->frame[k]];

            if (f->module != module + 1 || (f->names && *f->name->text))
                continue;
            if (!f->names)
                return "they have not been looked up yet";
            if (!modelview_is_start(f))
                return f->name->text + f->name->note;
        }
    }
    return NULL;
}

static void print_nameless(const struct modelview *v)
{
    for (uint32_t i = 0; i < v->model.nmodules; i++) {
        const char *why = nameless(v, i), *path = v->model.module[i].path;
        char shown[2000];

        if (!why)
            continue;
        str_visible(shown, sizeof(shown), path, strlen(path));
        printf("No names of %s: ", shown);
        str_visible(shown, sizeof(shown), why, strlen(why));
        puts(shown);
    }
}

static void print_title(const char *what)
{
    printf("\n%s\n", what);
}

int model_print(const struct modelview *v, const struct model_text *what,
                struct err *err)
{
    print_head(v);
    if (what->phases) {
        print_title("Phases");
        if (print_phases(v, err))
            return -1;
    }
    if (what->steps) {
        if (v->phase >= 0 && v->model.phase[v->phase].merged)
            print_title("Steps of earlier phases, those that take the most"
                        " time first");
        else if (v->phase >= 0)
            printf("\nSteps of phase %u, those that take the most time first\n",
                   v->model.phase[v->phase].number);
        else
            print_title("Steps, those that take the most time first");
        if (print_steps(v, err))
            return -1;
        if (v->norder < v->steps.nedges)
            printf("and %zu more\n", v->steps.nedges - v->norder);
        print_title("States");
        if (print_states(v, err))
            return -1;
        print_nameless(v);
    }
    if (what->histograms && what->steps) {
        print_title("Histograms: each column is of times four times as long");
        if (print_histograms(v, err))
            return -1;
    }
    if (v->model.edges_lost || v->model.sites_lost || v->model.dropped ||
        v->model.damaged || v->m->n_notes)
        puts("");
    print_losses(v);
    return 0;
}
