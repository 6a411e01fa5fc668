/* jobmodel.c - the models of many tasks as one, see jobmodel.h.
 *
 * Invariants: what an index holds is a number below the length of its array,
 * and so are all numbers inside of frames, states and edges. Nothing is ever
 * removed. */
#include "proto/model/jobmodel.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

enum { BUCKET_FIRST = 6 };      /* as said of JOBMODEL_BUCKETS */
#define SQRT2 1.4142135623730951
#define BUCKET_HALF 0xb504f333f9de6485u /* times 2^63 */

int jobmodel_init(struct jobmodel *m, uint32_t width, struct err *err)
{
    *m = (struct jobmodel){ .width = width, .nstates = JOBMODEL_FIRST };
    return array_reserve_zeros(&m->state, &m->states_cap, JOBMODEL_FIRST)
           ? err_memory(err) : 0;
}

void jobmodel_fini(struct jobmodel *m)
{
    for (size_t i = 0; i < m->nmodules; i++)
        free(m->module[i].path);
    for (size_t i = 0; i < m->nframes; i++) {
        for (uint32_t k = 0; k < m->frame[i].names; k++)
            free(m->frame[i].name[k].text);
        free(m->frame[i].name);
    }
    for (size_t i = 0; i < m->nphases; i++)
        taskset_fini(&m->phase[i].tasks);
    for (size_t i = 0; i < m->nedges; i++) {
        taskset_fini(&m->edge[i].tasks);
        free(m->edge[i].histogram);
    }
    free(m->module);
    free(m->frame);
    free(m->state);
    free(m->phase);
    free(m->edge);
    idtable_fini(&m->by_frame);
    idtable_fini(&m->by_state);
    idtable_fini(&m->by_edge);
    taskset_fini(&m->tasks);
    *m = (struct jobmodel){ 0 };
}

/* --------------------------------------------------------- what there is */

uint32_t jobmodel_module(struct jobmodel *m, const char *path,
                         const uint8_t *id, uint32_t id_bytes)
{
    struct jobmodel_module *to;

    if (id_bytes > JOBMODEL_ID_MAX || strlen(path) > JOBMODEL_TEXT_MAX)
        return JOBMODEL_NONE;
    for (uint32_t i = 0; i < m->nmodules; i++)
        if (m->module[i].id_bytes == id_bytes &&
            (!id_bytes || memcmp(m->module[i].id, id, id_bytes) == 0) &&
            strcmp(m->module[i].path, path) == 0)
            return i;
    if (m->nmodules == JOBMODEL_MODULES_MAX ||
        array_reserve(&m->module, &m->modules_cap, m->nmodules + 1))
        return JOBMODEL_NONE;
    to = &m->module[m->nmodules];
    *to = (struct jobmodel_module){ .path = strdup(path),
                                    .id_bytes = id_bytes };
    if (!to->path)
        return JOBMODEL_NONE;
    if (id_bytes)
        memcpy(to->id, id, id_bytes);
    return (uint32_t)m->nmodules++;
}

uint32_t jobmodel_frame(struct jobmodel *m, uint32_t module, uint64_t offset)
{
    uint64_t hash = idtable_mix(offset, module);
    size_t i = idtable_first(&m->by_frame, hash);
    uint32_t id;

    for (; (id = idtable_at(&m->by_frame, hash, &i)) != IDTABLE_NONE; i++)
        if (m->frame[id].module == module && m->frame[id].offset == offset)
            return id;
    if (m->nframes == JOBMODEL_FRAMES_MAX ||
        array_reserve(&m->frame, &m->frames_cap, m->nframes + 1) ||
        idtable_add(&m->by_frame, hash, (uint32_t)m->nframes))
        return JOBMODEL_NONE;
    m->frame[m->nframes] = (struct jobmodel_frame){ .module = module,
                                                    .offset = offset };
    return (uint32_t)m->nframes++;
}

static size_t bounded(const char *text, size_t n)
{
    return strnlen(text, n < JOBMODEL_TEXT_MAX ? n : JOBMODEL_TEXT_MAX);
}

bool jobmodel_name(struct jobmodel *m, uint32_t frame,
                   const struct jobmodel_name_of *is)
{
    struct jobmodel_frame *f = &m->frame[frame];
    size_t n = bounded(is->function, is->function_bytes);
    size_t file = bounded(is->file, is->file_bytes);
    size_t note = bounded(is->note, is->note_bytes);
    struct jobmodel_name *v;
    char *text;

    if (f->names == JOBMODEL_INLINED || m->nnames == JOBMODEL_NAMES_MAX)
        return false;
    v = realloc(f->name, (f->names + 1) * sizeof(*v));
    if (!v)
        return false;
    f->name = v;
    text = calloc(1, n + file + note + 3);
    if (!text)
        return false;
    memcpy(text, is->function, n);
    memcpy(text + n + 1, is->file, file);
    memcpy(text + n + file + 2, is->note, note);
    v[f->names++] = (struct jobmodel_name){
        .text = text, .file = (uint32_t)n + 1,
        .note = (uint32_t)(n + file) + 2, .line = is->line };
    m->nnames++;
    return true;
}

static bool same_state(const struct jobmodel_state *a,
                       const struct jobmodel_state *b)
{
    return a->call == b->call && a->frames == b->frames &&
           memcmp(a->frame, b->frame, a->frames * sizeof(a->frame[0])) == 0;
}

uint32_t jobmodel_state(struct jobmodel *m, const struct jobmodel_state *s)
{
    uint64_t hash = idtable_mix(s->call, s->frames);
    size_t i;
    uint32_t id;

    for (uint32_t f = 0; f < s->frames; f++)
        hash = idtable_mix(hash, s->frame[f]);
    i = idtable_first(&m->by_state, hash);
    for (; (id = idtable_at(&m->by_state, hash, &i)) != IDTABLE_NONE; i++)
        if (same_state(&m->state[id], s))
            return id;
    if (m->nstates == JOBMODEL_STATES_MAX ||
        array_reserve(&m->state, &m->states_cap, m->nstates + 1) ||
        idtable_add(&m->by_state, hash, (uint32_t)m->nstates))
        return JOBMODEL_OTHER;
    m->state[m->nstates] = *s;
    return (uint32_t)m->nstates++;
}

/* ------------------------------------------------------------------ phases */

uint32_t jobmodel_phase(struct jobmodel *m, uint32_t number, bool merged)
{
    number = merged ? 0 : number;
    for (uint32_t i = 0; i < m->nphases; i++)
        if (m->phase[i].number == number && !m->phase[i].merged == !merged)
            return i;
    if (m->nphases == JOBMODEL_PHASES_MAX ||
        array_reserve(&m->phase, &m->phases_cap, m->nphases + 1))
        return JOBMODEL_NONE;
    m->phase[m->nphases] = (struct jobmodel_phase){
        .number = number, .merged = merged, .last_age_ns = UINT64_MAX };
    return (uint32_t)m->nphases++;
}

void jobmodel_meet_phase(struct jobmodel_phase *to,
                         const struct jobmodel_phase *p)
{
    bool fresh = to->last_age_ns == UINT64_MAX;

    to->labels = to->labels || p->labels || (!fresh && to->label != p->label);
    to->label = p->label;
    if (p->merged > to->merged)
        to->merged = p->merged;
    if (p->age_ns > to->age_ns)
        to->age_ns = p->age_ns;
    if (p->last_age_ns < to->last_age_ns)
        to->last_age_ns = p->last_age_ns;
    to->lost = jobmodel_sum(to->lost, p->lost);
}

/* ------------------------------------------------------------------- edges */

unsigned jobmodel_bucket(double ns)
{
    uint64_t x = ns < 1e18 ? (uint64_t)ns : (uint64_t)1e18;
    unsigned zeros, i;

    if (x < 1 << BUCKET_FIRST)
        return 0;
    zeros = (unsigned)__builtin_clzll(x);
    i = 2 * (63 - BUCKET_FIRST - zeros) + (x << zeros >= BUCKET_HALF);
    return i < JOBMODEL_BUCKETS ? i : JOBMODEL_BUCKETS - 1;
}

double jobmodel_bucket_ns(unsigned bucket)
{
    return (double)(UINT64_C(1) << (BUCKET_FIRST + bucket / 2)) *
           (bucket % 2 ? SQRT2 : 1);
}

double jobmodel_quantile(const uint64_t *row, double share)
{
    double all = 0, below = 0;

    for (unsigned i = 0; i < JOBMODEL_BUCKETS; i++)
        all += (double)row[i];
    for (unsigned i = 0; i < JOBMODEL_BUCKETS && all > 0; i++) {
        double in = (double)row[i], from = jobmodel_bucket_ns(i);

        if (in > 0 && below + in >= share * all)        /* evenly inside */
            return from * (1 + (SQRT2 - 1) * (share * all - below) / in);
        below += in;
    }
    return -1;
}

static bool sane_times(const struct jobmodel_times *t)
{
    return isfinite(t->mean) && t->mean >= 0 && t->mean <= JOBMODEL_MEAN_MAX &&
           isfinite(t->m2) && t->m2 >= 0 && t->m2 <= JOBMODEL_M2_MAX &&
           t->max <= JOBMODEL_COUNT_MAX;
}

bool jobmodel_sane(const struct jobmodel_edge *e)
{
    for (size_t i = 0; e->histogram && i < 2 * JOBMODEL_BUCKETS; i++)
        if (e->histogram[i] > JOBMODEL_COUNT_MAX)
            return false;
    return e->n > 0 && e->n <= JOBMODEL_COUNT_MAX && sane_times(&e->in) &&
           sane_times(&e->out) && sane_times(&e->bytes);
}

/* Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for
 * computing sample variances, 1979. */
void jobmodel_add_times(struct jobmodel_times *to, uint64_t n,
                        const struct jobmodel_times *b, uint64_t n_b)
{
    double d = b->mean - to->mean, all = (double)n + (double)n_b;

    if (n == 0) {
        *to = *b;
        return;
    }
    to->m2 += b->m2 + d * d * (double)n * ((double)n_b / all);
    if (to->m2 > JOBMODEL_M2_MAX)
        to->m2 = JOBMODEL_M2_MAX;
    to->mean += d * ((double)n_b / all);
    if (to->mean > JOBMODEL_MEAN_MAX)
        to->mean = JOBMODEL_MEAN_MAX;
    if (to->mean < 0)
        to->mean = 0;           /* by rounding */
    if (b->max > to->max)
        to->max = b->max;
}

static struct jobmodel_edge *find_edge(struct jobmodel *m,
                                       const struct jobmodel_edge *e)
{
    uint64_t hash = idtable_mix(idtable_mix(e->phase, e->from), e->to);
    size_t i = idtable_first(&m->by_edge, hash);
    uint32_t id;

    for (; (id = idtable_at(&m->by_edge, hash, &i)) != IDTABLE_NONE; i++) {
        struct jobmodel_edge *is = &m->edge[id];

        if (is->phase == e->phase && is->from == e->from && is->to == e->to)
            return is;
    }
    if (m->nedges == JOBMODEL_EDGES_MAX ||
        array_reserve(&m->edge, &m->edges_cap, m->nedges + 1) ||
        idtable_add(&m->by_edge, hash, (uint32_t)m->nedges))
        return NULL;
    m->edge[m->nedges] = (struct jobmodel_edge){
        .phase = e->phase, .from = e->from, .to = e->to };
    return &m->edge[m->nedges++];
}

/* Sets behind each other, as parts of a tree have them, cost nothing. */
static int add_tasks(struct taskset *to, const struct taskset *from,
                     uint32_t at)
{
    struct taskset moved = { 0 };
    int rc = 0;

    if (from->n <= 4) {
        for (size_t i = 0; i < from->n && rc == 0; i++)
            rc = taskset_add(to, from->v[i].first + at, from->v[i].last + at);
        return rc;
    }
    rc = taskset_copy(&moved, from);
    for (size_t i = 0; i < moved.n; i++) {
        moved.v[i].first += at;
        moved.v[i].last += at;
    }
    rc = rc || taskset_union(to, &moved) ? -1 : 0;
    taskset_fini(&moved);
    return rc;
}

static int add_histogram(struct jobmodel_edge *to, const uint64_t *from)
{
    if (!from)
        return 0;
    if (!to->histogram)
        to->histogram = calloc(2 * JOBMODEL_BUCKETS, sizeof(*to->histogram));
    if (!to->histogram)
        return -1;
    for (size_t i = 0; i < 2 * JOBMODEL_BUCKETS; i++)
        to->histogram[i] = jobmodel_sum(to->histogram[i], from[i]);
    return 0;
}

int jobmodel_add(struct jobmodel *m, const struct jobmodel_edge *e,
                 const struct taskset *tasks, uint32_t at)
{
    struct jobmodel_edge *to = e->phase == JOBMODEL_NONE ? NULL
                                                         : find_edge(m, e);

    if (!to) {
        m->dropped = jobmodel_sum(m->dropped, e->n);
        return 0;
    }
    jobmodel_add_times(&to->in, to->n, &e->in, e->n);
    jobmodel_add_times(&to->out, to->n, &e->out, e->n);
    jobmodel_add_times(&to->bytes, to->n, &e->bytes, e->n);
    to->n = jobmodel_sum(to->n, e->n);
    spread_merge(&to->in_tasks, &e->in_tasks, at);
    spread_merge(&to->out_tasks, &e->out_tasks, at);
    return add_tasks(&to->tasks, tasks, at) || add_histogram(to, e->histogram)
        ? -1 : 0;
}

void jobmodel_end_task(struct jobmodel *m, uint32_t task)
{
    for (size_t i = 0; i < m->nedges; i++) {
        struct jobmodel_edge *e = &m->edge[i];
        double in_ns = e->in.mean * (double)e->n;
        double out_ns = e->out.mean * (double)e->n;

        if (e->n == e->before.n)
            continue;
        spread_add(&e->in_tasks, fmax(in_ns - e->before.in_ns, 0), task);
        spread_add(&e->out_tasks, fmax(out_ns - e->before.out_ns, 0), task);
        e->before.n = e->n;
        e->before.in_ns = in_ns;
        e->before.out_ns = out_ns;
    }
}

/* ----------------------------------------------------------------- merging */

struct numbers { uint32_t *module, *frame, *state, *phase; };   /* owned */

static void numbers_fini(struct numbers *to)
{
    free(to->module);
    free(to->frame);
    free(to->state);
    free(to->phase);
}

static bool numbers_init(struct numbers *to, const struct jobmodel *part)
{
    to->module = calloc(part->nmodules + 1, sizeof(*to->module));
    to->frame = calloc(part->nframes + 1, sizeof(*to->frame));
    to->state = calloc(part->nstates + 1, sizeof(*to->state));
    to->phase = calloc(part->nphases + 1, sizeof(*to->phase));
    return to->module && to->frame && to->state && to->phase;
}

/* A frame whose module finds no room is in none, and so is not known. */
static void merge_frames(struct jobmodel *m, const struct jobmodel *part,
                         struct numbers *to)
{
    for (uint32_t i = 0; i < part->nmodules; i++) {
        const struct jobmodel_module *is = &part->module[i];

        to->module[i] = jobmodel_module(m, is->path, is->id, is->id_bytes);
    }
    for (uint32_t i = 0; i < part->nframes; i++) {
        const struct jobmodel_frame *f = &part->frame[i];
        uint32_t module = f->module ? to->module[f->module - 1] + 1 : 0;
        uint32_t is = jobmodel_frame(m, module, f->offset);

        to->frame[i] = is;
        if (is == JOBMODEL_NONE || m->frame[is].names)
            continue;
        for (uint32_t k = 0; k < f->names; k++)
            jobmodel_name(m, is, &(struct jobmodel_name_of){
                f->name[k].text, f->name[k].text + f->name[k].file,
                f->name[k].text + f->name[k].note, SIZE_MAX, SIZE_MAX,
                SIZE_MAX, f->name[k].line });
    }
}

static void merge_states(struct jobmodel *m, const struct jobmodel *part,
                         struct numbers *to)
{
    for (uint32_t i = 0; i < part->nstates; i++) {
        struct jobmodel_state s = part->state[i];
        bool known = true;

        for (uint32_t f = 0; f < s.frames; f++) {
            s.frame[f] = to->frame[s.frame[f]];
            known = known && s.frame[f] != JOBMODEL_NONE;
        }
        to->state[i] = i < JOBMODEL_FIRST ? i
                       : known ? jobmodel_state(m, &s) : JOBMODEL_OTHER;
    }
}

static int merge_phases(struct jobmodel *m, const struct jobmodel *part,
                        uint32_t at, struct numbers *to)
{
    for (uint32_t i = 0; i < part->nphases; i++) {
        const struct jobmodel_phase *p = &part->phase[i];
        uint32_t is = jobmodel_phase(m, p->number, p->merged);

        to->phase[i] = is;
        if (is == JOBMODEL_NONE) {
            m->dropped = jobmodel_sum(m->dropped, p->lost);
            continue;
        }
        jobmodel_meet_phase(&m->phase[is], p);
        if (add_tasks(&m->phase[is].tasks, &p->tasks, at))
            return -1;
    }
    return 0;
}

int jobmodel_merge(struct jobmodel *m, const struct jobmodel *part,
                   uint32_t at, struct err *err)
{
    struct numbers to = { 0 };
    int rc = numbers_init(&to, part) ? 0 : -1;

    if (rc == 0) {
        merge_frames(m, part, &to);
        merge_states(m, part, &to);
        rc = merge_phases(m, part, at, &to);
    }
    for (size_t i = 0; rc == 0 && i < part->nedges; i++) {
        struct jobmodel_edge e = part->edge[i];

        e.phase = to.phase[e.phase];
        e.from = to.state[e.from];
        e.to = to.state[e.to];
        rc = jobmodel_add(m, &e, &e.tasks, at);
    }
    numbers_fini(&to);
    m->sites_lost = jobmodel_sum(m->sites_lost, part->sites_lost);
    m->edges_lost = jobmodel_sum(m->edges_lost, part->edges_lost);
    m->dropped = jobmodel_sum(m->dropped, part->dropped);
    m->damaged = jobmodel_sum(m->damaged, part->damaged);
    m->threads = part->threads < UINT32_MAX - m->threads
        ? m->threads + part->threads : UINT32_MAX;
    if (rc || add_tasks(&m->tasks, &part->tasks, at))
        return err_memory(err);
    return 0;
}
