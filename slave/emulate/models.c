/* models.c - the models of tasks that are not there. */
#include "slave/emulate/models.h"

#include <errno.h>
#include <stdlib.h>

#include "slave/emulate/chain.h"
#include "slave/emulate/program.h"
#include "slave/page/taskmodel.h"

struct maker {
    const struct emulate *options;
    struct account account;     /* owned, like the next two */
    struct taskmodel model;
    uint64_t *in_ns;            /* of each task: the last call */
    struct taskset all;
    bool histograms;
};

static void add_one(struct jobmodel_times *t, uint64_t n, double ns)
{
    const struct jobmodel_times one = { ns, 0, (uint64_t)ns };

    jobmodel_add_times(t, n, &one, 1);
}

/* One step of all tasks, which leads from a state to a state. */
static int add_step(struct maker *k, const struct chain *c,
                    const struct taskset *ranks, uint32_t phase,
                    uint32_t from)
{
    uint64_t took_ns = c->until_ns - c->since_ns;
    uint64_t histogram[2 * JOBMODEL_BUCKETS] = { 0 };
    struct jobmodel_edge e = {
        .phase = phase, .from = from,
        .to = taskmodel_state(&k->model, c->site) };
    size_t i = 0;

    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; i++) {
        uint64_t out_ns = chain_out_ns(c, (uint32_t)r,
                                       program_slow(k->options, (uint32_t)r));

        add_one(&e.in, e.n, (double)k->in_ns[i]);
        add_one(&e.out, e.n, (double)out_ns);
        e.n++;
        if (k->histograms) {
            histogram[jobmodel_bucket((double)k->in_ns[i])]++;
            histogram[JOBMODEL_BUCKETS + jobmodel_bucket((double)out_ns)]++;
            e.histogram = histogram;
        }
        k->in_ns[i] = took_ns - out_ns;
    }
    return jobmodel_add(&k->model.model, &e, &k->all, 0);
}

static int add_phase(struct maker *k, uint32_t number, uint64_t age_ns)
{
    uint32_t at = jobmodel_phase(&k->model.model, number, false);
    const struct jobmodel_phase p = {
        .label = (int32_t)number, .age_ns = age_ns, .last_age_ns = age_ns };

    if (at != number)
        return -1;
    jobmodel_meet_phase(&k->model.model.phase[at], &p);
    return taskset_copy(&k->model.model.phase[at].tasks, &k->all);
}

/* As if all tasks had taken as long: what travels is as large as ever. */
static struct spread alike(double sum, uint32_t n)
{
    return (struct spread){ .told = n, .sum = sum, .squares = sum * sum / n,
                            .least = sum / n, .most = sum / n };
}

static void add_spreads(struct jobmodel *m, uint32_t n)
{
    for (size_t i = 0; i < m->nedges; i++) {
        struct jobmodel_edge *e = &m->edge[i];

        e->in_tasks = alike(e->in.mean * (double)e->n, n);
        e->out_tasks = alike(e->out.mean * (double)e->n, n);
    }
}

static int add_steps(struct maker *k, const struct taskset *ranks)
{
    uint32_t from = JOBMODEL_START, n = (uint32_t)taskset_count(ranks);
    struct jobmodel *m = &k->model.model;
    struct chain c;

    k->in_ns = calloc(n, sizeof(*k->in_ns));
    if (!k->in_ns || taskset_add(&k->all, 0, n - 1) ||
        taskset_copy(&m->tasks, &k->all) ||
        add_phase(k, 0, MODELS_STEPS * k->options->call_ns) ||
        add_phase(k, 1, MODELS_STEPS / 2 * k->options->call_ns))
        return -1;
    m->threads = n;
    chain_init(&c, (uint32_t)k->account.sites.nsites, k->options->call_ns,
               k->options->seed);
    for (unsigned i = 0; i < MODELS_STEPS; i++) {
        if (add_step(k, &c, ranks, i >= MODELS_STEPS / 2, from))
            return -1;
        from = taskmodel_state(&k->model, c.site);
        chain_next(&c, 0);
    }
    add_spreads(m, n);
    taskmodel_name(&k->model);
    return 0;
}

int models_part(const struct emulate *e, const struct taskset *ranks,
                bool histograms, struct str *out, struct err *err)
{
    struct maker k = { .options = e, .histograms = histograms };
    uint32_t n = (uint32_t)taskset_count(ranks);
    int rc;

    if (n == 0)
        return 0;
    if (program_make(&k.account.sites, &k.account.names,
                     e->sites ? e->sites : MODELS_SITES) ||
        taskmodel_init(&k.model, n, &k.account, NULL, histograms, err) ||
        add_steps(&k, ranks))
        rc = err_memory(err);
    else
        rc = jobmodel_write(&k.model.model, NULL, NULL, 0, out, err);
    taskmodel_fini(&k.model);
    account_fini(&k.account);
    taskset_fini(&k.all);
    free(k.in_ns);
    return rc;
}
