/* report.c - what hector-emulate has measured. */
#include "slave/emulate/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/model/jobmodel.h"
#include "proto/tree/prefixtree.h"
#include "proto/model/scores.h"
#include "slave/emulate/latetask.h"
#include "slave/emulate/oddtask.h"

/* What came of the last reduction: a tree, a model, scores, or whereabouts. */
struct found {
    struct prefixtree tree;
    struct prefixtree_classes classes;
    struct jobmodel model;
    struct scores scores;
    struct whereabouts *are;            /* NULL: none */
};

enum { CLASSES_SHOWN = 10, RANKS_SHOWN = 60 };

static double s(uint64_t ns)
{
    return (double)ns / 1e9;
}

static double mb(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_merge(const char *what, const struct report_merge *m)
{
    printf("%-8s %.4f s: parts there in %.4f s, merged on a path in %.4f s, "
           "in the master %.4f s, to ranks %.4f s; CPU seconds of all slaves "
           "%.4f", what, s(m->asked_ns), s(m->own_ns), s(m->path_ns),
           s(m->master_ns), s(m->finish_ns), s(m->cpu_daemons_ns));
    if (m->cpu_master_ns)
        printf(", of the master %.4f", s(m->cpu_master_ns));
    putchar('\n');
}

static void print_class(const struct prefixtree_classes *c,
                        const struct prefixtree *t, uint32_t i, bool brief)
{
    struct taskset ranks = { 0 };
    char text[RANKS_SHOWN];

    printf("  %u tasks, for example %u", c->v[i].count,
           c->v[i].representative);
    if (!brief && prefixtree_class_tasks(c, t, i, &ranks) == 0) {
        int n = taskset_format(&ranks, text, sizeof(text));

        printf(": %s%s", text, n >= (int)sizeof(text) ? "..." : "");
    }
    putchar('\n');
    taskset_fini(&ranks);
}

/* All steps of the model. */
static uint64_t steps(const struct jobmodel *m)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->nedges; i++)
        n += m->edge[i].n;
    return n;
}

/* -------------------------------------------------------------------- scores */

static uint64_t compared(const struct scores *found)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < found->nclusters; i++)
        n += found->cluster[i].what == HCT_CLUSTER_KIND ? found->cluster[i].tasks : 0;
    return n;
}

/* Where in its list the rank is that is odd, from 1; by polish each rank counts
 * once. 0: it is not there. */
static uint32_t place_of(const struct scores *found, enum hct_method method,
                         uint32_t rank)
{
    uint32_t place = 0;

    for (uint32_t i = 0; i < found->nscores; i++) {
        bool again = false;

        if (found->score[i].method != method)
            continue;
        for (uint32_t k = 0; k < i; k++)
            again |= found->score[k].method == method &&
                     found->score[k].rank == found->score[i].rank;
        place += !again;
        if (found->score[i].rank == rank)
            return place;
    }
    return 0;
}

/* The first step of that rank is the one that is odd. */
static bool step_is_right(const struct report *r, const struct scores *found)
{
    uint32_t rank = oddtask_rank(r->options);

    for (uint32_t i = 0; i < found->nscores; i++)
        if (found->score[i].method == HCT_METHOD_POLISH && found->score[i].rank == rank)
            return found->score[i].site == oddtask_place(r->options) &&
                   !found->score[i].in_call;
    return false;
}

static void print_scores(const struct report *r, const Hct__Gathered *m,
                         const struct scores *found)
{
    const struct emulate *e = r->options;
    uint32_t odd = oddtask_rank(e);

    printf("question %.3f CPU seconds to make, %.2f MB\n",
           s(r->question_ns), mb(r->question_bytes));
    printf("result   %" PRIu64 " of %u tasks compared, %zu daemons missing; task "
           "%u is odd: by polish %u., %s step; %u. by its group, %u. by its "
           "neighbours (0: not among those that are furthest)\n", compared(found),
           e->daemons * e->tasks, m->n_absent, odd,
           place_of(found, HCT_METHOD_POLISH, odd),
           step_is_right(r, found) ? "in the right" : "not in the right",
           place_of(found, HCT_METHOD_CLUSTER, odd),
           place_of(found, HCT_METHOD_NEIGHBOUR, odd));
}

static void json_scores(const struct report *r, const struct scores *found)
{
    uint32_t odd = oddtask_rank(r->options);

    printf("\"question_ns\":%" PRIu64 ",\"question_bytes\":%" PRIu64
           ",\"odd\":%u,\"polish\":%u,\"step\":%s,\"group\":%u,"
           "\"neighbour\":%u,", r->question_ns, r->question_bytes, odd,
           place_of(found, HCT_METHOD_POLISH, odd),
           step_is_right(r, found) ? "true" : "false",
           place_of(found, HCT_METHOD_CLUSTER, odd),
           place_of(found, HCT_METHOD_NEIGHBOUR, odd));
}

/* ----------------------------------------------------------------- progress */

static uint32_t placed(const struct whereabouts *are)
{
    uint32_t n = 0;

    for (uint32_t i = 0; are && i < are->nplaces; i++)
        n += are->place[i].tasks;
    return n;
}

static int64_t behind(const struct whereabouts *are)
{
    return are ? latetask_found(are) : -1;
}

static void print_progress(const struct report *r, const Hct__Gathered *m,
                           const struct whereabouts *are)
{
    const struct emulate *e = r->options;
    char is[24] = "nobody";

    if (behind(are) >= 0)
        snprintf(is, sizeof(is), "task %u", (uint32_t)behind(are));
    printf("result   %u of %u tasks at %u places, %zu daemons missing; task "
           "%u is behind: all wait for %s\n", placed(are), e->daemons * e->tasks,
           are ? are->nplaces : 0, m->n_absent, latetask_rank(e), is);
}

static void json_progress(const struct report *r, const struct whereabouts *are)
{
    printf("\"question_bytes\":%" PRIu64 ",\"places\":%u,\"late\":%u,"
           "\"behind\":%" PRId64 ",", r->question_bytes, are ? are->nplaces : 0,
           latetask_rank(r->options), behind(are));
}

static void print_found(const struct report *r, const Hct__Gathered *m,
                        const struct found *f)
{
    const struct emulate *e = r->options;
    const struct prefixtree *t = &f->tree;
    uint32_t ntasks = e->daemons * e->tasks;

    if (e->gather == EMULATE_OUTLIERS) {
        print_scores(r, m, &f->scores);
        return;
    }
    if (e->gather == EMULATE_PROGRESS) {
        print_progress(r, m, f->are);
        return;
    }
    if (e->gather == EMULATE_MODEL)
        printf("result   %zu of %u tasks, %zu states, %" PRIu64 " steps of %zu "
               "kinds, %zu daemons missing\n",
               taskset_count(&f->model.tasks), ntasks,
               f->model.nstates - JOBMODEL_FIRST, steps(&f->model),
               f->model.nedges, m->n_absent);
    else
        printf("result   %u of %u tasks, %zu nodes, %u classes, %zu daemons "
               "missing\n", t->nnodes ? prefixtree_count(t, 0) : 0, ntasks,
               t->nnodes, f->classes.n, m->n_absent);
    for (uint32_t i = 0; i < f->classes.n && i < CLASSES_SHOWN; i++)
        print_class(&f->classes, t, i, e->brief);
}

static void print_text(const struct report *r, const Hct__Gathered *m,
                       const struct found *f)
{
    const struct emulate *e = r->options;
    uint32_t ntasks = e->daemons * e->tasks;

    printf("%u tasks: %u daemons of %u; %u traces, depth %u, breadth %u, %u "
           "classes\n", ntasks, e->daemons, e->tasks, e->traces, e->depth,
           e->breadth, e->classes);
    printf("join     %.3f s\nlaunch   %.3f s\n", s(r->join_ns),
           s(r->launch_ns));
    printf("made     %.3f CPU seconds for the traces, before the first "
           "question\n", s(r->made_ns));
    print_merge("first", &r->first);
    if (e->iterations) {
        print_merge("merge", &r->median);
        printf("         median of %u, %.4f to %.4f s\n", e->iterations,
               s(r->least_ns), s(r->most_ns));
    }
    printf("tree     %u levels, fan-out %u; %u messages to and from the "
           "master, %.2f MB to it, %.2f MB the result\n", r->first.levels,
           r->first.fan_out, r->first.messages, mb(r->first.received_bytes),
           mb(r->first.result_bytes));
    print_found(r, m, f);
    for (size_t i = 0; i < m->n_absent && i < CLASSES_SHOWN; i++)
        printf("  missing %s, ranks %s: %s\n", m->absent[i]->node,
               m->absent[i]->ranks, m->absent[i]->why);
    if (r->rss_bytes)
        printf("memory   master %.1f MB, at most %.1f MB, %.1f MB before the "
               "job: %.0f bytes a task\n", mb(r->rss_bytes),
               mb(r->peak_bytes), mb(r->idle_bytes),
               (double)(r->peak_bytes - r->idle_bytes) / ntasks);
    if (r->run_s > 0)
        printf("run      %.1f s: master %.3f CPU seconds a second, %" PRIu64
               " events\n", r->run_s, r->run_cpu_s / r->run_s,
               r->run_events);
    if (r->end_ns && r->end_cpu_ns)
        printf("end      %.3f s, CPU seconds of the master %.3f\n",
               s(r->end_ns), s(r->end_cpu_ns));
    else if (r->end_ns)
        printf("end      %.3f s\n", s(r->end_ns));
    if (e->sites)
        printf("account  %u sites, %" PRIu64 " costs of tasks in %" PRIu64
               " statements\n", e->sites, r->costs, r->statements);
}

static void json_merge(const char *name, const struct report_merge *m)
{
    printf("\"%s\":{\"asked_ns\":%" PRIu64 ",\"took_ns\":%" PRIu64
           ",\"own_ns\":%" PRIu64 ",\"path_ns\":%" PRIu64 ",\"master_ns\":%"
           PRIu64 ",\"finish_ns\":%" PRIu64 ",\"cpu_master_ns\":%" PRIu64
           ",\"cpu_daemons_ns\":%" PRIu64 ",\"received_bytes\":%" PRIu64
           ",\"result_bytes\":%" PRIu64 ",\"messages\":%" PRIu32 "},", name,
           m->asked_ns, m->took_ns, m->own_ns, m->path_ns, m->master_ns, m->finish_ns,
           m->cpu_master_ns, m->cpu_daemons_ns,
           m->received_bytes, m->result_bytes, m->messages);
}

/* Every text in it is ours: nothing needs an escape. */
static void print_json(const struct report *r, const Hct__Gathered *m,
                       const struct found *f)
{
    const struct emulate *e = r->options;
    const struct prefixtree *t = &f->tree;
    const struct prefixtree_classes *c = &f->classes;

    printf("{\"daemons\":%u,\"tasks\":%u,\"traces\":%u,\"depth\":%u,"
           "\"breadth\":%u,\"classes\":%u,\"levels\":%u,\"fan_out\":%u,"
           "\"join_ns\":%" PRIu64 ",\"launch_ns\":%" PRIu64 ",\"end_ns\":%"
           PRIu64 ",\"made_ns\":%" PRIu64 ",", e->daemons,
           e->daemons * e->tasks, e->traces, e->depth, e->breadth, e->classes,
           r->first.levels, r->first.fan_out, r->join_ns, r->launch_ns,
           r->end_ns, r->made_ns);
    json_merge("first", &r->first);
    json_merge("merge", &r->median);
    printf("\"least_ns\":%" PRIu64 ",\"most_ns\":%" PRIu64
           ",\"rss_bytes\":%" PRIu64 ",\"peak_bytes\":%" PRIu64
           ",\"idle_bytes\":%" PRIu64 ",\"run_s\":%.3f,\"run_cpu_s\":%.3f,"
           "\"run_events\":%" PRIu64 ",\"end_cpu_ns\":%" PRIu64
           ",\"statements\":%" PRIu64 ",\"costs\":%" PRIu64 ",", r->least_ns,
           r->most_ns, r->rss_bytes, r->peak_bytes, r->idle_bytes, r->run_s,
           r->run_cpu_s, r->run_events, r->end_cpu_ns, r->statements,
           r->costs);
    if (e->gather == EMULATE_MODEL)
        printf("\"found_states\":%zu,\"found_edges\":%zu,\"found_steps\":%"
               PRIu64 ",", f->model.nstates - JOBMODEL_FIRST, f->model.nedges,
               steps(&f->model));
    if (e->gather == EMULATE_OUTLIERS)
        json_scores(r, &f->scores);
    if (e->gather == EMULATE_PROGRESS)
        json_progress(r, f->are);
    printf("\"found_tasks\":%u,\"found_nodes\":%zu,\"missing\":%zu,"
           "\"found_classes\":[", e->gather == EMULATE_OUTLIERS
           ? (uint32_t)compared(&f->scores) : e->gather == EMULATE_PROGRESS
           ? placed(f->are) : e->gather == EMULATE_MODEL
           ? (uint32_t)taskset_count(&f->model.tasks)
           : t->nnodes ? prefixtree_count(t, 0) : 0,
           t->nnodes, m->n_absent);
    for (uint32_t i = 0; i < c->n; i++)
        printf("%s{\"count\":%u,\"representative\":%u}", i ? "," : "",
               c->v[i].count, c->v[i].representative);
    printf("]}\n");
}

static int read_tree(struct found *f, const struct str *bytes,
                     struct err *err)
{
    if (prefixtree_parse(&f->tree, (const uint8_t *)bytes->s, bytes->n, err))
        return -1;
    return prefixtree_classify(&f->classes, &f->tree)
        ? err_memory(err) : 0;
}

static int read_model(struct found *f, const struct str *bytes,
                      struct err *err)
{
    Hct__Model *m = hct__model__unpack(NULL, bytes->n,
                                       (const uint8_t *)bytes->s);
    int rc = m ? jobmodel_read(&f->model, m, err)
               : err_set(err, EBADMSG, "what came is no model");

    if (m)
        hct__model__free_unpacked(m, NULL);
    return rc;
}

static int read_whereabouts(struct found *f, const struct str *bytes,
                            uint32_t ntasks, struct err *err)
{
    f->are = whereabouts_read((const uint8_t *)bytes->s, bytes->n, ntasks, err);
    return f->are ? 0 : -1;
}

int report_print(const struct report *r, const Hct__Gathered *m,
                 const struct str *bytes, struct err *err)
{
    static struct found f = { .model = { .nstates = JOBMODEL_FIRST } };
    int rc = 0;

    if (bytes->n && r->options->gather == EMULATE_OUTLIERS)
        rc = scores_read(&f.scores, (const uint8_t *)bytes->s, bytes->n,
                         r->options->daemons * r->options->tasks, err);
    else if (bytes->n && r->options->gather == EMULATE_PROGRESS)
        rc = read_whereabouts(&f, bytes,
                              r->options->daemons * r->options->tasks, err);
    else if (bytes->n && r->options->gather == EMULATE_MODEL)
        rc = read_model(&f, bytes, err);
    else if (bytes->n)
        rc = read_tree(&f, bytes, err);
    if (rc == 0 && r->options->json)
        print_json(r, m, &f);
    else if (rc == 0)
        print_text(r, m, &f);
    if (rc == 0 && (fflush(stdout) || ferror(stdout)))
        rc = err_sys(err, "cannot write");
    prefixtree_classes_fini(&f.classes);
    prefixtree_fini(&f.tree);
    jobmodel_fini(&f.model);
    free(f.are);
    return rc;
}
