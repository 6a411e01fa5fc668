/* run.c - see run.h. */
#include "master/hector/diff/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/model/model_ask.h"
#include "master/store/query.h"
#include "proto/base/clock.h"
#include "proto/model/runkey.h"

static char *copy(const char *text)
{
    return text ? strdup(text) : NULL;
}

/* ---------------------------------------------------------------- the job */

static int on_job(void *arg, const struct store_job *row)
{
    struct run *r = arg;
    uint64_t end = row->ended_ns ? row->ended_ns : clock_wall_ns();

    r->known = true;
    r->runs = !row->ended_ns;
    r->ntasks = row->ntasks;
    r->command = copy(row->command);
    r->why = copy(row->why);
    snprintf(r->state, sizeof(r->state), "%s", row->state ? row->state : "");
    if (row->started_ns && end > row->started_ns)
        r->wall_ns = (double)(end - row->started_ns);
    return 1;
}

static int on_run(void *arg, const struct store_run *row)
{
    struct run *r = arg;

    r->program = row->program;
    r->good = row->good;
    r->what = copy(row->what);
    r->builds = copy(row->builds);
    r->environment = copy(row->environment);
    return 1;
}

int run_load_brief(struct run *r, struct store *st, uint64_t job,
                   struct err *err)
{
    *r = (struct run){ .job = job };
    if (query_job(st, job, on_job, r, err) ||
        query_run_of(st, job, on_run, r, err))
        return -1;
    return r->known ? 0 : err_set(err, ESRCH, "there is no job %" PRIu64, job);
}

/* ------------------------------------------------------------------- tasks */

struct tasks { struct run *run; uint64_t held_ns; bool failed; };

static uint32_t number_of(struct run *r, const char *node)
{
    char **v;

    for (uint32_t i = 0; i < r->nnodes; i++)
        if (strcmp(r->node[i], node) == 0)
            return i;
    v = realloc(r->node, (r->nnodes + 1) * sizeof(*v));
    if (!v)
        return UINT32_MAX;
    r->node = v;
    if (!(v[r->nnodes] = strdup(node)))
        return UINT32_MAX;
    return r->nnodes++;
}

static int on_task(void *arg, const struct store_task *row, const char *node)
{
    struct tasks *k = arg;
    struct rundiff_task *t;
    uint64_t cpu = row->cpu_ns > row->cpu_in_mpi_ns
        ? row->cpu_ns - row->cpu_in_mpi_ns : 0;

    if (row->rank >= k->run->ntasks)
        return 0;
    t = &k->run->task[row->rank];
    *t = (struct rundiff_task){
        .in_ns = (double)row->in_mpi_ns, .out_ns = (double)row->out_mpi_ns,
        .cpu_ns = (double)row->cpu_ns, .cpu_out_ns = (double)cpu,
        .waited_ns = (double)row->waited_ns,
        .node = number_of(k->run, node ? node : "") };
    k->failed = k->failed || t->node == UINT32_MAX;
    if (row->held_ns > k->held_ns)
        k->held_ns = row->held_ns;
    return 0;
}

/* "n1: 0-3, n2: 4-7" */
static void name_nodes(struct run *r)
{
    struct str s = { 0 };

    for (uint32_t n = 0; n < r->nnodes; n++) {
        struct taskset set = { 0 };
        char *ranks;

        for (uint32_t i = 0; i < r->ntasks; i++)
            if (r->task[i].node == n)
                taskset_add(&set, i, i);
        ranks = taskset_text(&set);
        str_addf(&s, "%s%s: %s", n ? ", " : "", r->node[n],
                 ranks ? ranks : "?");
        free(ranks);
        taskset_fini(&set);
    }
    r->nodes = str_take(&s);
}

static int load_tasks(struct run *r, struct store *st, struct err *err)
{
    struct tasks k = { r, 0, false };

    r->task = calloc((size_t)r->ntasks + 1, sizeof(*r->task));
    if (!r->task)
        return err_memory(err);
    if (query_job_tasks(st, r->job, on_task, &k, err))
        return -1;
    if (k.failed)
        return err_memory(err);
    if (r->wall_ns > (double)k.held_ns)
        r->wall_ns -= (double)k.held_ns;
    name_nodes(r);
    return 0;
}

/* --------------------------------------------------------------- the model */

static int on_model(void *arg, const struct store_model *row)
{
    *(Hct__Model **)arg = hct__model__unpack(NULL, row->model.n, row->model.p);
    return 1;
}

static int load_model(struct run *r, struct store *st, const struct tool *t,
                      struct err *err)
{
    struct target target = { .job = r->job, .all = true };
    char word[30];

    snprintf(word, sizeof(word), "%" PRIu64, r->job);
    if (r->runs && t)
        r->message = model_ask(t, &target, word, &(struct model_how){ 0 }, err);
    else if (query_model(st, r->job, on_model, &r->message, err))
        return -1;
    if (r->runs && t && !r->message)
        return -1;
    if (!r->message || !r->message->n_phase)
        return err_set(err, ENOENT, "job %" PRIu64 " has no model%s", r->job,
                       r->runs ? " yet: its tasks have not called MPI"
                       : ": its tasks have not called MPI, or not by way of the"
                         " wrapper library, or it is not kept any more");
    return modelview_init(&r->view, r->message, MODELVIEW_ALL, 0, false, err);
}

/* Of a run that goes on it is not recorded yet. */
static int find_program(struct run *r, struct err *err)
{
    struct str builds = { 0 };

    if (r->program || !r->what)
        return 0;
    runkey_builds(r->message, &builds);
    free(r->builds);
    r->builds = str_take(&builds);
    if (!r->builds)
        return err_memory(err);
    r->program = (int64_t)runkey_make(r->builds, r->what, r->ntasks);
    return 0;
}

int run_load(struct run *r, struct store *st, const struct tool *t,
             uint64_t job, struct err *err)
{
    return run_load_brief(r, st, job, err) || load_tasks(r, st, err) ||
           load_model(r, st, t, err) || find_program(r, err) ? -1 : 0;
}

void run_fini(struct run *r)
{
    free(r->why);
    free(r->what);
    free(r->command);
    free(r->builds);
    free(r->environment);
    free(r->nodes);
    free(r->task);
    for (uint32_t i = 0; i < r->nnodes; i++)
        free(r->node[i]);
    free(r->node);
    modelview_fini(&r->view);
    if (r->message)
        hct__model__free_unpacked(r->message, NULL);
    *r = (struct run){ 0 };
}

/* ------------------------------------------------------------------ others */

struct rundiff_run run_figures(const struct run *r)
{
    return (struct rundiff_run){ .model = &r->view.model,
                                 .wall_ns = r->wall_ns, .ntasks = r->ntasks,
                                 .task = r->task };
}

struct setup_run run_setup(const struct run *r)
{
    return (struct setup_run){
        .what = r->what, .command = r->command, .builds = r->builds,
        .environment = r->environment, .nodes = r->nodes,
        .ntasks = r->ntasks };
}

struct good { uint64_t *jobs, not_this; unsigned n, most; };

static int on_good(void *arg, const struct store_run *row)
{
    struct good *g = arg;

    if (row->job != g->not_this && g->n < g->most)
        g->jobs[g->n++] = row->job;
    return 0;
}

unsigned run_good(struct store *st, int64_t program, uint64_t before,
                  uint64_t not_this, uint64_t *jobs, unsigned most)
{
    struct good g = { jobs, not_this, 0, most };

    if (program)
        query_good_runs(st, program, before, most + 1, on_good, &g, NULL);
    return g.n;
}
