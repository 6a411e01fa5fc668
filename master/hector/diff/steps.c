/* steps.c - see steps.h. */
#include "master/hector/diff/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/idtable.h"
#include "proto/base/paths.h"

/* -------------------------------------------------------------------- keys */

static bool same_build(const struct jobmodel_module *a,
                       const struct jobmodel_module *b)
{
    return a->id_bytes == b->id_bytes && a->id_bytes &&
           memcmp(a->id, b->id, a->id_bytes) == 0;
}

/* Is a file that both have, by its name, another build in one of them? */
static bool rebuilt(const struct jobmodel *a, const struct jobmodel *b)
{
    for (size_t i = 0; i < a->nmodules; i++)
        for (size_t k = 0; k < b->nmodules; k++)
            if (strcmp(paths_base(a->module[i].path),
                       paths_base(b->module[k].path)) == 0 &&
                !same_build(&a->module[i], &b->module[k]) &&
                (a->module[i].id_bytes || b->module[k].id_bytes))
                return true;
    return false;
}

static uint64_t mix_text(uint64_t key, const char *text)
{
    return idtable_mix(key, idtable_hash(text, strlen(text)));
}

static uint64_t exact_key(const struct jobmodel *m,
                          const struct jobmodel_frame *f, uint64_t key)
{
    const struct jobmodel_module *is = f->module ? &m->module[f->module - 1]
                                                 : NULL;

    if (is && is->id_bytes)
        key = idtable_mix(key, idtable_hash(is->id, is->id_bytes));
    else
        key = mix_text(key, is ? is->path : "");
    return idtable_mix(key, f->offset);
}

/* Libraries that are nobody's own call main, and have names for nothing. */
static uint64_t name_key(const struct jobmodel *m,
                         const struct jobmodel_frame *f, uint64_t key)
{
    if (f->names == 0 || !*f->name[0].text)
        return mix_text(key, f->module
                        ? paths_base(m->module[f->module - 1].path) : "");
    for (uint32_t k = 0; k < f->names; k++)
        key = mix_text(key, f->name[k].text);
    return key;
}

static uint64_t key_of(const struct steps *s, const struct jobmodel *m,
                       uint32_t state)
{
    const struct jobmodel_state *is = &m->state[state];
    uint64_t key = idtable_mix(is->call, is->frames);

    if (state < JOBMODEL_FIRST)
        return state;
    for (uint32_t i = 0; i < is->frames; i++) {
        const struct jobmodel_frame *f = &m->frame[is->frame[i]];

        key = s->by_name ? name_key(m, f, key) : exact_key(m, f, key);
    }
    return key;
}

/* ------------------------------------------------------------------- sites */

static const struct jobmodel *ordered;          /* by_place()'s */

/* In the order of the program's text, as far as it has one. */
static int by_place(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct jobmodel_state *p = &ordered->state[x];
    const struct jobmodel_state *q = &ordered->state[y];

    for (uint32_t i = p->frames < q->frames ? p->frames : q->frames; i--; ) {
        uint64_t u = ordered->frame[p->frame[i]].offset;
        uint64_t v = ordered->frame[q->frame[i]].offset;

        if (u != v)
            return u < v ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

/* The first one of this key that the run has none for yet. */
static uint32_t find_site(struct steps *s, struct idtable *by_key, uint64_t key,
                          unsigned run, uint32_t call)
{
    size_t i = idtable_first(by_key, key);
    uint32_t id;

    for (; (id = idtable_at(by_key, key, &i)) != IDTABLE_NONE; i++)
        if (s->site[id].key == key && s->site[id].state[run] == STEPS_NONE)
            return id;
    if (array_reserve(&s->site, &s->sites_cap, s->nsites + 1) ||
        idtable_add(by_key, key, (uint32_t)s->nsites))
        return STEPS_NONE;
    s->site[s->nsites] = (struct steps_site){ .key = key, .call = call };
    for (unsigned r = 0; r < STEPS_RUNS; r++)
        s->site[s->nsites].state[r] = STEPS_NONE;
    return (uint32_t)s->nsites++;
}

static int add_sites(struct steps *s, struct idtable *by_key,
                     const struct jobmodel *m, unsigned run,
                     uint32_t *site_of)
{
    uint32_t *order = calloc(m->nstates + 1, sizeof(*order));
    int rc = order ? 0 : -1;

    for (uint32_t i = 0; rc == 0 && i < m->nstates; i++)
        order[i] = i;
    ordered = m;
    if (rc == 0 && m->nstates > JOBMODEL_FIRST)
        qsort(order + JOBMODEL_FIRST, m->nstates - JOBMODEL_FIRST,
              sizeof(*order), by_place);
    for (uint32_t i = 0; rc == 0 && i < m->nstates; i++) {
        uint32_t state = order[i];
        uint32_t site = find_site(s, by_key, key_of(s, m, state), run,
                                  m->state[state].call);

        if (site == STEPS_NONE) {
            rc = -1;
        } else {
            s->site[site].state[run] = state;
            site_of[state] = site;
        }
    }
    free(order);
    return rc;
}

/* -------------------------------------------------------------------- rows */

static struct steps_row *find_row(struct steps *s, struct idtable *by_ends,
                                  uint32_t from, uint32_t to)
{
    uint64_t hash = idtable_mix(from, to);
    size_t i = idtable_first(by_ends, hash);
    uint32_t id;

    for (; (id = idtable_at(by_ends, hash, &i)) != IDTABLE_NONE; i++)
        if (s->row[id].from == from && s->row[id].to == to)
            return &s->row[id];
    if (array_reserve(&s->row, &s->rows_cap, s->nrows + 1) ||
        idtable_add(by_ends, hash, (uint32_t)s->nrows))
        return NULL;
    s->row[s->nrows] = (struct steps_row){ .from = from, .to = to };
    return &s->row[s->nrows++];
}

/* One more phase of a step that others have, too: which task has taken how
 * long in both together is not known. It is at most so uneven (Minkowski), and
 * who has taken most in one of them stands for all. */
static void add_phase(struct spread *to, const struct spread *s)
{
    double root = sqrt(to->squares) + sqrt(s->squares);

    if (!to->told) {
        *to = *s;
    } else if (s->told) {
        if (s->most > to->most) {
            to->most = s->most;
            to->most_task = s->most_task;
        }
        if (s->least < to->least) {
            to->least = s->least;
            to->least_task = s->least_task;
        }
        to->told = s->told > to->told ? s->told : to->told;
        to->sum += s->sum;
        to->squares = root * root;
    }
}

static int add_rows(struct steps *s, struct idtable *by_ends,
                    const struct jobmodel *m, unsigned run,
                    const uint32_t *site_of)
{
    for (size_t i = 0; i < m->nedges; i++) {
        const struct jobmodel_edge *e = &m->edge[i];
        struct steps_row *row = find_row(s, by_ends, site_of[e->from],
                                         site_of[e->to]);
        struct steps_cell *c;

        if (!row)
            return -1;
        c = &row->of[run];
        c->n = jobmodel_sum(c->n, e->n);
        c->in_ns += e->in.mean * (double)e->n;
        c->out_ns += e->out.mean * (double)e->n;
        add_phase(&c->in, &e->in_tasks);
        add_phase(&c->out, &e->out_tasks);
    }
    return 0;
}

/* What comes to each site, and what goes from there. */
static int add_visits(struct steps *s, const struct jobmodel *m, unsigned run,
                      const uint32_t *site_of)
{
    struct taskset *tasks = calloc(s->nsites + 1, sizeof(*tasks));
    int rc = tasks ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < m->nedges; i++) {
        const struct jobmodel_edge *e = &m->edge[i];
        struct steps_site *to = &s->site[site_of[e->to]];

        to->visits[run] = jobmodel_sum(to->visits[run], e->n);
        to->ns[run] += e->out.mean * (double)e->n;
        s->site[site_of[e->from]].ns[run] += e->in.mean * (double)e->n;
        rc = taskset_union(&tasks[site_of[e->to]], &e->tasks);
    }
    for (size_t i = 0; tasks && i < s->nsites; i++) {
        s->site[i].tasks[run] = (uint32_t)taskset_count(&tasks[i]);
        taskset_fini(&tasks[i]);
    }
    free(tasks);
    return rc;
}

static int add_run(struct steps *s, struct idtable *by_key,
                   struct idtable *by_ends, const struct jobmodel *m,
                   unsigned run)
{
    uint32_t *site_of = calloc(m->nstates + 1, sizeof(*site_of));
    int rc = site_of && add_sites(s, by_key, m, run, site_of) == 0 &&
             add_rows(s, by_ends, m, run, site_of) == 0 &&
             add_visits(s, m, run, site_of) == 0 ? 0 : -1;

    free(site_of);
    return rc;
}

int steps_init(struct steps *s, const struct jobmodel *const *models,
               unsigned n, struct err *err)
{
    struct idtable by_key = { 0 }, by_ends = { 0 };
    int rc = 0;

    *s = (struct steps){ .nruns = n };
    for (unsigned i = 1; i < n; i++)
        s->by_name = s->by_name || rebuilt(models[0], models[i]);
    for (unsigned i = 0; i < n && rc == 0; i++)
        rc = add_run(s, &by_key, &by_ends, models[i], i);
    idtable_fini(&by_key);
    idtable_fini(&by_ends);
    if (rc == 0)
        return 0;
    steps_fini(s);
    return err_memory(err);
}

void steps_fini(struct steps *s)
{
    free(s->site);
    free(s->row);
    *s = (struct steps){ 0 };
}
