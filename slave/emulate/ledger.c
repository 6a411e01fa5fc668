/* ledger.c - the account of tasks that are not there.
 *
 * Invariant: past of a cost holds the steps that are over; now is of the step
 * that is not, at its site, and empty everywhere else. */
#include "slave/emulate/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slave/emulate/chain.h"
#include "slave/emulate/program.h"
#include "slave/page/account.h"
#include "slave/page/profilewire.h"


struct ledger {
    const struct emulate *options;      /* borrowed */
    uint64_t job, age_ns, due_ns, interval_ns;
    struct chain chain;
    struct sites sites;                 /* owned, like all below */
    struct names names;
    size_t names_sent;
    uint32_t ntasks;
    uint32_t *rank;
    bool *slow;
    struct profile_cost *cost;          /* of a task, one for each site */
    /* while it tells */
    struct profile task;                /* its cost is borrowed */
    uint32_t first;
    void (*send)(void *arg, const void *message);
    void *arg;
};

/* --------------------------------------------------------------------- life */

static int open_ledger(struct ledger *l, const struct taskset *ranks)
{
    size_t n = taskset_count(ranks), nsites = l->options->sites;

    l->rank = calloc(n + 1, sizeof(*l->rank));
    l->slow = calloc(n + 1, sizeof(*l->slow));
    l->cost = calloc(n * nsites + 1, sizeof(*l->cost));
    if (!l->rank || !l->slow || !l->cost ||
        program_make(&l->sites, &l->names, l->options->sites))
        return -1;
    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; l->ntasks++) {
        l->rank[l->ntasks] = (uint32_t)r;
        l->slow[l->ntasks] = program_slow(l->options, (uint32_t)r);
        for (uint32_t i = 0; i < nsites; i++)
            l->cost[l->ntasks * nsites + i] = (struct profile_cost){
                .site = i, .sent = true };      /* nothing is what is known */
    }
    l->task.n = nsites;
    return 0;
}

struct ledger *ledger_create(const struct emulate *e, uint64_t job,
                             const struct taskset *ranks, struct err *err)
{
    struct ledger *l = calloc(1, sizeof(*l));

    if (l) {
        l->options = e;
        l->job = job;
        l->interval_ns = e->interval_ns ? e->interval_ns
            : account_interval_ns(e->daemons * e->tasks);
        l->due_ns = l->interval_ns / 4;
        chain_init(&l->chain, e->sites, e->call_ns, e->seed);
    }
    if (!l || open_ledger(l, ranks)) {
        ledger_destroy(l);
        return err_memory(err), NULL;
    }
    return l;
}

void ledger_destroy(struct ledger *l)
{
    if (!l)
        return;
    sites_fini(&l->sites);
    names_fini(&l->names);
    free(l->rank);
    free(l->slow);
    free(l->cost);
    free(l);
}

/* ------------------------------------------------------------------- time */

static struct profile_cost *cost_of(const struct ledger *l, uint32_t i)
{
    return &l->cost[(size_t)i * l->options->sites];
}

/* The step is over: for all tasks. */
static void settle(struct ledger *l)
{
    const struct chain *c = &l->chain;
    uint64_t took_ns = c->until_ns - c->since_ns;
    uint64_t bytes = program_bytes(c->site) * c->calls;

    for (uint32_t i = 0; i < l->ntasks; i++) {
        struct profile_cost *x = &cost_of(l, i)[c->site];
        uint64_t out_ns = chain_out_ns(c, l->rank[i], l->slow[i]);
        uint64_t one_ns = took_ns - out_ns;

        if (c->calls > 1)
            one_ns /= c->calls;
        x->now = (struct profile_counters){ 0 };
        x->past.calls += c->calls;
        x->past.bytes += bytes;
        x->past.out_ns += out_ns;
        x->past.in_ns += took_ns - out_ns;
        x->in_ticks = x->past.in_ns;
        if (one_ns > x->past.max_ns)
            x->past.max_ns = one_ns;
    }
}

/* It is not, yet. As in a page, what was computed before a call counts with
 * it, and so does the time of a call that has not ended. */
static void open_step(struct ledger *l)
{
    const struct chain *c = &l->chain;
    uint64_t past_ns = l->age_ns - c->since_ns;

    for (uint32_t i = 0; i < l->ntasks; i++) {
        struct profile_cost *x = &cost_of(l, i)[c->site];
        uint64_t out_ns = chain_out_ns(c, l->rank[i], l->slow[i]);

        if (past_ns <= out_ns)
            continue;
        x->now.out_ns = out_ns;
        x->now.in_ns = past_ns - out_ns;
        x->now.max_ns = x->now.in_ns / c->calls;
        x->in_ticks = x->past.in_ns + x->now.in_ns;
    }
}

void ledger_advance(struct ledger *l, uint64_t age_ns)
{
    if (age_ns <= l->age_ns)
        return;
    l->age_ns = age_ns;
    while (l->chain.until_ns <= age_ns) {
        settle(l);
        chain_next(&l->chain, age_ns);
    }
    open_step(l);
}

void ledger_state(const struct ledger *l, uint32_t i, struct tasks_state *s)
{
    const struct profile_cost *x = cost_of(l, i), *at = &x[l->chain.site];
    uint64_t out_ns = chain_out_ns(&l->chain, l->rank[i], l->slow[i]);

    *s = (struct tasks_state){ .in_mpi = at->now.in_ns > 0 };
    for (uint32_t k = 0; k < l->options->sites; k++) {
        s->calls += x[k].past.calls;
        s->in_ns += x[k].past.in_ns + x[k].now.in_ns;
    }
    s->out_ns = l->age_ns - s->in_ns;
    s->age_ns = l->age_ns - l->chain.since_ns - (s->in_mpi ? out_ns : 0);
    s->call = program_call(l->chain.site);
    s->site = PAGE_SITE_FIRST + l->chain.site;
    s->site_calls = at->past.calls;
}

/* ---------------------------------------------------------------- telling */

bool ledger_due(struct ledger *l)
{
    if (l->age_ns < l->due_ns)
        return false;
    l->due_ns = l->age_ns + l->interval_ns;
    return true;
}

static struct profile *profile_of(void *arg, size_t i, uint32_t *rank)
{
    struct ledger *l = arg;

    *rank = l->rank[l->first + i];
    l->task.cost = cost_of(l, l->first + (uint32_t)i);
    return &l->task;
}

static void pass(void *arg, const void *message)
{
    struct ledger *l = arg;

    l->send(l->arg, message);
}

int ledger_tell(struct ledger *l, uint32_t first, uint32_t n,
                void (*send)(void *arg, const void *message), void *arg)
{
    l->first = first;
    l->send = send;
    l->arg = arg;
    if (profilewire_tell(&(struct profilewire_of){
            .job = l->job, .sites = &l->sites, .names = &l->names,
            .names_sent = &l->names_sent, .ntasks = n, .task = profile_of,
            .send = pass, .arg = l }) == 0)
        return 0;
    ledger_forget_sent(l);
    return -1;
}

void ledger_forget_sent(struct ledger *l)
{
    l->names_sent = 0;
    for (size_t i = 0; i < (size_t)l->ntasks * l->options->sites; i++)
        l->cost[i].sent = l->cost[i].in_ticks == 0;
}
