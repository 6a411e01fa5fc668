/* taskmodel.c - the models in the pages of tasks.
 *
 * Invariant: what state_of and frame_of hold is 0 or a number + 1 of the model;
 * numbers of the account's sites and frames stay what they are. */
#include "slave/page/taskmodel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

enum { MEASURE = 1 << 30, PAGE_LOG2 = 8 };      /* of the first bucket */

/* The middle of a bucket, as times its octave: 2^(1/4) and 2^(3/4). */
static const double taskmodel_middle[2] = { 1.189207115002721,
                                            1.681792830507429 };

int taskmodel_init(struct taskmodel *t, uint32_t width,
                   struct account *account, const struct ticks *ticks,
                   bool histograms, struct err *err)
{
    *t = (struct taskmodel){ .account = account, .ticks = ticks,
                             .histograms = histograms };
    if (jobmodel_init(&t->model, width, err))
        return -1;
    t->modules = calloc(PAGE_MODULES, sizeof(*t->modules));
    if (t->modules && state_model_init(&t->one, err) == 0)
        return 0;
    taskmodel_fini(t);
    return err_memory(err);
}

void taskmodel_fini(struct taskmodel *t)
{
    jobmodel_fini(&t->model);
    state_model_fini(&t->one);
    free(t->modules);
    free(t->state_of);
    free(t->frame_of);
    *t = (struct taskmodel){ 0 };
}

/* ------------------------------------------------------------------ states */

static uint32_t frame_of(struct taskmodel *t, uint32_t number)
{
    const struct sites *s = &t->account->sites;
    const struct sites_frame *f = &s->frame[number];
    uint32_t module = 0, is;

    if (array_reserve_zeros(&t->frame_of, &t->nframe_of, (size_t)number + 1))
        return JOBMODEL_NONE;
    if (t->frame_of[number])
        return t->frame_of[number] - 1;
    if (f->module) {
        const struct sites_module *m = &s->module[f->module - 1];

        module = jobmodel_module(&t->model, m->path, m->id, m->id_bytes) + 1;
    }
    is = jobmodel_frame(&t->model, module, f->offset);
    t->frame_of[number] = is + 1;
    return is;
}

uint32_t taskmodel_state(struct taskmodel *t, uint32_t site)
{
    const struct site *p = &t->account->sites.site[site];
    struct jobmodel_state s = { .call = p->call };
    uint32_t is;

    if (array_reserve_zeros(&t->state_of, &t->nstate_of, (size_t)site + 1))
        return JOBMODEL_OTHER;
    if (t->state_of[site])
        return t->state_of[site] - 1;
    for (; s.frames < p->frames && s.frames < JOBMODEL_DEPTH; s.frames++) {
        s.frame[s.frames] = frame_of(t, p->frame[s.frames]);
        if (s.frame[s.frames] == JOBMODEL_NONE)
            return JOBMODEL_OTHER;
    }
    is = jobmodel_state(&t->model, &s);
    t->state_of[site] = is + 1;
    return is;
}

/* Which site of the account an entry of the page is: as whoever accounts for
 * calls has found out, or by its frames. */
static uint32_t site_of(struct taskmodel *t, const struct tally *w,
                        unsigned slot, const struct state_site *s)
{
    const struct profile *p = &w->profile;
    uint16_t at = p->seen[slot] ? p->seen[slot][s->number] : 0;

    if (at && t->account->sites.site[p->cost[at - 1].site].call == s->call)
        return p->cost[at - 1].site;
    if (!t->nmodules)
        t->nmodules = state_modules(w->page, t->modules, PAGE_MODULES);
    return sites_find(&t->account->sites, s, t->modules, t->nmodules);
}

/* Of all entries of a thread's table. */
static void find_states(struct taskmodel *t, const struct tally *w,
                        unsigned slot, uint32_t states[PAGE_SITES])
{
    for (unsigned i = 0; i < PAGE_SITES; i++)
        states[i] = JOBMODEL_OTHER;
    states[PAGE_SITE_START] = JOBMODEL_START;
    for (unsigned i = 0; i < t->one.nsites; i++) {
        uint32_t site = site_of(t, w, slot, &t->one.site[i]);

        if (site != SITES_NONE)
            states[t->one.site[i].number] = taskmodel_state(t, site);
    }
}

/* ------------------------------------------------------------------- edges */

static uint64_t ns(const struct taskmodel *t, uint64_t ticks)
{
    double x = (double)ticks * t->factor;

    return x < 1e18 ? (uint64_t)x : (uint64_t)1e18;
}

static struct jobmodel_times times(const struct taskmodel *t, double mean,
                                   double m2, uint64_t max)
{
    return (struct jobmodel_times){ mean * t->factor,
                                    m2 * t->factor * t->factor, ns(t, max) };
}

/* Only ratios of a page's buckets mean something: they become shares of n. The
 * limits are those of ticks, so the middle of a bucket decides; both count half
 * octaves, so that no two become one but at the ends. */
static void add_side(const struct taskmodel *t, uint64_t *to,
                     const uint16_t side[PAGE_BUCKETS], uint64_t n)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < PAGE_BUCKETS; i++)
        all += side[i];
    for (unsigned i = 0; i < PAGE_BUCKETS && all; i++) {
        double middle = t->factor * taskmodel_middle[i % 2] *
                        (double)(UINT64_C(1) << (PAGE_LOG2 + i / 2));

        to[jobmodel_bucket(middle)] +=
            (uint64_t)((double)n * side[i] / (double)all + 0.5);
    }
}

static int add_edge(struct taskmodel *t, const struct state_edge *e,
                    const uint32_t states[PAGE_SITES], uint32_t phase,
                    const struct taskset *task)
{
    uint64_t histogram[2 * JOBMODEL_BUCKETS] = { 0 };
    struct jobmodel_edge is = {
        .phase = phase, .from = states[e->from], .to = states[e->to],
        .n = e->n, .in = times(t, e->in_mean, e->in_m2, e->in_max),
        .out = times(t, e->out_mean, e->out_m2, e->out_max),
        .bytes = { e->bytes_mean, e->bytes_m2, 0 } };

    if (!jobmodel_sane(&is)) {
        t->model.damaged++;
        return 0;
    }
    if (t->histograms) {
        add_side(t, histogram, e->in, e->n);
        add_side(t, histogram + JOBMODEL_BUCKETS, e->out, e->n);
        is.histogram = histogram;
    }
    return jobmodel_add(&t->model, &is, task, 0);
}

static int add_thread(struct taskmodel *t, const struct tally *w,
                      unsigned slot, uint64_t now, const struct taskset *task)
{
    uint32_t phases[PAGE_BANKS] = { 0 }, states[PAGE_SITES];
    int rc = 0;

    state_model_read(&t->one, w->page, slot);
    find_states(t, w, slot, states);
    t->model.sites_lost = jobmodel_sum(t->model.sites_lost,
                                       t->one.sites_lost);
    t->model.damaged = jobmodel_sum(t->model.damaged, t->one.damaged);
    for (unsigned b = 0; b < PAGE_BANKS && rc == 0; b++) {
        const struct state_bank *bank = &t->one.bank[b];
        uint64_t age = now > bank->since_ticks ? now - bank->since_ticks : 0;
        struct jobmodel_phase p = {
            .merged = bank->merged ? bank->phase : 0, .label = bank->label,
            .age_ns = ns(t, age), .last_age_ns = ns(t, age),
            .lost = jobmodel_sum(bank->lost, 0) };

        if (!bank->there)
            continue;
        phases[b] = jobmodel_phase(&t->model, bank->phase, bank->merged);
        t->model.edges_lost = jobmodel_sum(t->model.edges_lost, p.lost);
        if (phases[b] == JOBMODEL_NONE)
            continue;
        jobmodel_meet_phase(&t->model.phase[phases[b]], &p);
        rc = taskset_union(&t->model.phase[phases[b]].tasks, task);
    }
    for (unsigned i = 0; i < t->one.nedges && rc == 0; i++)
        if (t->one.bank[t->one.edge[i].bank].there)
            rc = add_edge(t, &t->one.edge[i], states,
                          phases[t->one.edge[i].bank], task);
    return rc;
}

int taskmodel_add(struct taskmodel *t, const struct tally *w,
                  uint32_t position)
{
    const struct page_header *h = (const struct page_header *)w->page;
    unsigned clock = atomic_load_explicit(&h->clock, memory_order_relaxed);
    struct taskset_range one = { position, position };
    struct taskset task = { &one, 1, 1 };       /* only read */
    struct state_thread threads[PAGE_SLOTS];
    uint64_t now = w->profile.end_ticks ? w->profile.end_ticks
                                        : ticks_now(clock);
    unsigned n = state_threads(w->page, threads, PAGE_SLOTS);

    t->factor = (double)ticks_ns(t->ticks, clock, MEASURE) / MEASURE;
    t->nmodules = 0;
    if (t->factor <= 0) {               /* of a clock that is none */
        t->model.damaged++;
        return 0;
    }
    for (unsigned i = 0; i < n; i++)
        if (add_thread(t, w, threads[i].slot, now, &task))
            return -1;
    t->model.threads += n;
    if (n && taskset_union(&t->model.tasks, &task))
        return -1;
    return (int)n;
}

/* ------------------------------------------------------------------- names */

void taskmodel_name(struct taskmodel *t)
{
    const struct names *names = &t->account->names;

    for (size_t i = 0; i < names->n; i++) {
        const struct name *is = &names->v[i];
        uint32_t frame = is->frame < t->nframe_of ? t->frame_of[is->frame]
                                                  : 0;

        if (!frame || is->depth != t->model.frame[frame - 1].names)
            continue;
        jobmodel_name(&t->model, frame - 1, &(struct jobmodel_name_of){
            name_text(names, is->function), name_text(names, is->file),
            name_text(names, is->note), SIZE_MAX, SIZE_MAX, SIZE_MAX,
            is->line });
    }
}
