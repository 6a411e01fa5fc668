/* ledger.c - the account of tasks that are not there.
 *
 * Invariant: past of a cost holds the steps that are over; now is of the step
 * that is not, at its site, and empty everywhere else. */
#include "slave/emulate/ledger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/calls.h"
#include "slave/account.h"
#include "slave/emulate/chain.h"
#include "slave/statement.h"

enum { FRAMES = 4, GROUP = 8, SITE_BYTES = 1024, MILLION = 1000000 };

/* Where things are in the program, which is mapped where its file says. */
enum { AT_SITES = 0x10000, AT_GROUPS = 0x1000, AT_MAIN = 0x400, AT_START = 0x40,
       EACH = 64, END = 0x100000 };

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

static const uint16_t what[] = {
    CALL_Allreduce, CALL_Isend, CALL_Irecv, CALL_Waitall, CALL_Bcast,
    CALL_Sendrecv, CALL_Barrier, CALL_Alltoall,
};

static uint32_t call_of(uint32_t site)
{
    return what[site % (sizeof(what) / sizeof(what[0]))];
}

static uint64_t bytes_of(uint32_t site)
{
    uint32_t call = call_of(site);

    return call == CALL_Waitall || call == CALL_Barrier
        ? 0 : (uint64_t)SITE_BYTES * (site + 1);
}

/* ------------------------------------------------------------- the program */

static bool name_it(struct ledger *l, uint32_t frame)
{
    uint64_t at = l->sites.frame[frame].offset;
    struct name_of is = { .frame = frame, .function = "step",
                          .file = "/emulated/solver.c", .note = "" };
    char text[32];

    if (at == AT_START) {
        is.function = is.file = "";
        is.note = "what calls main";
    } else if (at == AT_MAIN) {
        is.function = "main";
        is.line = 8;
    } else if (at < AT_SITES) {
        is.line = 20 + (uint32_t)(at - AT_GROUPS) / EACH;
    } else {
        is.line = 100 + (uint32_t)(at - AT_SITES) / EACH;
        snprintf(text, sizeof(text), "phase_%u", (is.line - 100) / GROUP);
        is.function = text;
    }
    is.function_bytes = strlen(is.function);
    is.file_bytes = strlen(is.file);
    is.note_bytes = strlen(is.note);
    return names_add(&l->names, &is);
}

static int make_program(struct ledger *l, uint32_t nsites)
{
    struct state_module m = { .start = 1, .end = END, .id_bytes = 20,
                              .id = "hector-emulate/1",
                              .path = "/emulated/solver" };

    for (uint32_t i = 0; i < nsites; i++) {
        struct state_site s = { .call = call_of(i), .frames = FRAMES };

        s.frame[0] = AT_SITES + EACH * i;
        s.frame[1] = AT_GROUPS + EACH * (i / GROUP);
        s.frame[2] = AT_MAIN;
        s.frame[3] = AT_START;
        if (sites_find(&l->sites, &s, &m, 1) != i)
            return -1;
    }
    for (uint32_t i = 0; i < l->sites.nframes; i++)
        if (!name_it(l, i))
            return -1;
    return 0;
}

/* --------------------------------------------------------------------- life */

/* So many of a million, evenly over the ranks; the last one of the job where
 * it is one of all. */
static bool is_slow(const struct emulate *e, uint32_t rank)
{
    uint64_t ppm = e->outliers_ppm;

    return (rank + 1ull) * ppm / MILLION > rank * ppm / MILLION;
}

static int open_ledger(struct ledger *l, const struct taskset *ranks)
{
    size_t n = taskset_count(ranks), nsites = l->options->sites;

    l->rank = calloc(n + 1, sizeof(*l->rank));
    l->slow = calloc(n + 1, sizeof(*l->slow));
    l->cost = calloc(n * nsites + 1, sizeof(*l->cost));
    if (!l->rank || !l->slow || !l->cost || make_program(l, l->options->sites))
        return -1;
    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; l->ntasks++) {
        l->rank[l->ntasks] = (uint32_t)r;
        l->slow[l->ntasks] = is_slow(l->options, (uint32_t)r);
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
        return err_set(err, ENOMEM, "out of memory"), NULL;
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
    uint64_t bytes = bytes_of(c->site) * c->calls;

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
    s->call = call_of(l->chain.site);
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
    if (statement_tell(&(struct statement_of){
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
