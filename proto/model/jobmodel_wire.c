/* jobmodel_wire.c - models of jobs as messages: Model of hct.proto.
 *
 * Sets of tasks are kept once each: most edges have the same. What is read
 * comes from anybody: every number is bounded before it is used. */
#include "proto/model/jobmodel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/model/bits.h"
#include "proto/model/tasknotes.h"

/* ----------------------------------------------------------------- writing */

/* The message, and all that it points to. */
struct writer {
    const struct jobmodel *m;
    const uint32_t *rank_of;
    uint32_t ntasks;
    uint64_t *bits;             /* owned, like all arrays; of ranks */
    struct idtable by_set;
    const struct taskset **set; /* by number; the sets are borrowed */
    Hct__Model out;
    Hct__Profile__Module *module;
    Hct__Profile__Name *name;
    Hct__Profile__Site *site;
    Hct__Model__Set *sets;
    Hct__Model__Phase *phase;
    Hct__Model__Spread in_tasks, out_tasks;
    Hct__TreeNote note[TASKNOTES_MAX], *notes[TASKNOTES_MAX];
};

static bool make_lists(struct writer *w)
{
    const struct jobmodel *m = w->m;
    size_t nstates = m->nstates - JOBMODEL_FIRST;
    size_t nsets = m->nphases + m->nedges + 1;
    Hct__Model *o = &w->out;

    w->set = calloc(nsets, sizeof(*w->set));
    w->sets = calloc(nsets, sizeof(*w->sets));
    w->module = calloc(m->nmodules + 1, sizeof(*w->module));
    w->name = calloc(m->nnames + 1, sizeof(*w->name));
    w->site = calloc(nstates + 1, sizeof(*w->site));
    w->phase = calloc(m->nphases + 1, sizeof(*w->phase));
    o->modules = calloc(m->nmodules + 1, sizeof(*o->modules));
    o->names = calloc(m->nnames + 1, sizeof(*o->names));
    o->states = calloc(nstates + 1, sizeof(*o->states));
    o->sets = calloc(nsets, sizeof(*o->sets));
    o->phases = calloc(m->nphases + 1, sizeof(*o->phases));
    o->frame_module = calloc(m->nframes + 1, sizeof(*o->frame_module));
    o->frame_offset = calloc(m->nframes + 1, sizeof(*o->frame_offset));
    w->bits = w->rank_of ? calloc(w->ntasks / 64 + 1, 8) : NULL;
    return w->set && w->sets && w->module && w->name && w->site && w->phase &&
           o->modules && o->names && o->states && o->sets && o->phases &&
           o->frame_module && o->frame_offset && (w->bits || !w->rank_of);
}

static bool make_spread(Hct__Model__Spread *s, size_t n)
{
    hct__model__spread__init(s);
    s->told = calloc(n, sizeof(*s->told));
    s->sum = calloc(n, sizeof(*s->sum));
    s->squares = calloc(n, sizeof(*s->squares));
    s->least = calloc(n, sizeof(*s->least));
    s->most = calloc(n, sizeof(*s->most));
    s->least_task = calloc(n, sizeof(*s->least_task));
    s->most_task = calloc(n, sizeof(*s->most_task));
    return s->told && s->sum && s->squares && s->least && s->most &&
           s->least_task && s->most_task;
}

static void free_spread(Hct__Model__Spread *s)
{
    free(s->told);
    free(s->sum);
    free(s->squares);
    free(s->least);
    free(s->most);
    free(s->least_task);
    free(s->most_task);
}

static bool make_columns(struct writer *w)
{
    size_t n = w->m->nedges + 1;
    Hct__Model *o = &w->out;

    o->phase = calloc(n, sizeof(*o->phase));
    o->from = calloc(n, sizeof(*o->from));
    o->to = calloc(n, sizeof(*o->to));
    o->set = calloc(n, sizeof(*o->set));
    o->count = calloc(n, sizeof(*o->count));
    o->in_mean = calloc(n, sizeof(*o->in_mean));
    o->in_m2 = calloc(n, sizeof(*o->in_m2));
    o->in_max = calloc(n, sizeof(*o->in_max));
    o->out_mean = calloc(n, sizeof(*o->out_mean));
    o->out_m2 = calloc(n, sizeof(*o->out_m2));
    o->out_max = calloc(n, sizeof(*o->out_max));
    o->bytes_mean = calloc(n, sizeof(*o->bytes_mean));
    o->bytes_m2 = calloc(n, sizeof(*o->bytes_m2));
    o->histogram = calloc(n, 2 * JOBMODEL_BUCKETS * sizeof(*o->histogram));
    return o->phase && o->from && o->to && o->set && o->count && o->in_mean &&
           o->in_m2 && o->in_max && o->out_mean && o->out_m2 && o->out_max &&
           o->bytes_mean && o->bytes_m2 && o->histogram &&
           make_spread(&w->in_tasks, n) && make_spread(&w->out_tasks, n);
}

static void free_writer(struct writer *w)
{
    Hct__Model *o = &w->out;

    for (size_t i = 0; w->sets && i < o->n_sets; i++)
        free(w->sets[i].range);
    for (size_t i = 0; i < o->n_notes; i++)
        free(w->note[i].ranks);
    idtable_fini(&w->by_set);
    free(w->bits);
    free(w->set);
    free(w->sets);
    free(w->module);
    free(w->name);
    free(w->site);
    free(w->phase);
    free(o->modules);
    free(o->names);
    free(o->states);
    free(o->sets);
    free(o->phases);
    free(o->frame_module);
    free(o->frame_offset);
    free(o->phase);
    free(o->from);
    free(o->to);
    free(o->set);
    free(o->count);
    free(o->in_mean);
    free(o->in_m2);
    free(o->in_max);
    free(o->out_mean);
    free(o->out_m2);
    free(o->out_max);
    free(o->bytes_mean);
    free(o->bytes_m2);
    free(o->histogram);
    free_spread(&w->in_tasks);
    free_spread(&w->out_tasks);
}

static void write_frames(struct writer *w)
{
    const struct jobmodel *m = w->m;
    Hct__Model *o = &w->out;

    for (size_t i = 0; i < m->nmodules; i++) {
        Hct__Profile__Module *to = &w->module[i];

        hct__profile__module__init(to);
        to->path = m->module[i].path;
        to->build_id.data = m->module[i].id;
        to->build_id.len = m->module[i].id_bytes;
        o->modules[o->n_modules++] = to;
    }
    for (size_t i = 0; i < m->nframes; i++) {
        const struct jobmodel_frame *f = &m->frame[i];

        o->frame_module[i] = f->module;
        o->frame_offset[i] = f->offset;
        for (uint32_t k = 0; k < f->names; k++) {
            Hct__Profile__Name *to = &w->name[o->n_names];

            hct__profile__name__init(to);
            to->frame = (uint32_t)i;
            to->depth = k;
            to->function = f->name[k].text;
            to->file = f->name[k].text + f->name[k].file;
            to->note = f->name[k].text + f->name[k].note;
            to->line = f->name[k].line;
            o->names[o->n_names++] = to;
        }
    }
    o->n_frame_module = o->n_frame_offset = m->nframes;
    for (size_t i = JOBMODEL_FIRST; i < m->nstates; i++) {
        Hct__Profile__Site *to = &w->site[o->n_states];

        hct__profile__site__init(to);
        to->call = m->state[i].call;
        to->frames = m->state[i].frame;
        to->n_frames = m->state[i].frames;
        o->states[o->n_states++] = to;
    }
}

static bool ranks_of(const struct writer *w, const struct taskset *from,
                     struct taskset *to)
{
    if (!w->rank_of)
        return taskset_copy(to, from) == 0;
    memset(w->bits, 0, (w->ntasks / 64 + 1) * sizeof(*w->bits));
    for (size_t i = 0; i < from->n; i++)
        for (uint64_t p = from->v[i].first; p <= from->v[i].last; p++)
            bits_set(w->bits, w->rank_of[p]);
    return taskset_from_bits(to, 0, w->bits, w->ntasks) == 0;
}

static bool add_set(struct writer *w, const struct taskset *is)
{
    Hct__Model *o = &w->out;
    Hct__Model__Set *to = &w->sets[o->n_sets];
    struct taskset ranks = { 0 };
    uint32_t next = 0;

    hct__model__set__init(to);
    if (!ranks_of(w, is, &ranks) ||
        !(to->range = calloc(2 * ranks.n + 1, sizeof(*to->range))))
        return taskset_fini(&ranks), false;
    for (size_t i = 0; i < ranks.n; i++) {
        to->range[to->n_range++] = ranks.v[i].first - next;
        to->range[to->n_range++] = ranks.v[i].last - ranks.v[i].first;
        next = ranks.v[i].last + 1;
    }
    taskset_fini(&ranks);
    w->set[o->n_sets] = is;
    o->sets[o->n_sets++] = to;
    return true;
}

static bool find_set(struct writer *w, const struct taskset *is, uint32_t *at)
{
    uint64_t hash = idtable_hash(is->v, is->n * sizeof(*is->v));
    size_t i = idtable_first(&w->by_set, hash);

    for (; (*at = idtable_at(&w->by_set, hash, &i)) != IDTABLE_NONE; i++)
        if (taskset_equal(w->set[*at], is))
            return true;
    *at = (uint32_t)w->out.n_sets;
    return add_set(w, is) && idtable_add(&w->by_set, hash, *at) == 0;
}

static bool write_phases(struct writer *w)
{
    Hct__Model *o = &w->out;

    for (size_t i = 0; i < w->m->nphases; i++) {
        const struct jobmodel_phase *p = &w->m->phase[i];
        Hct__Model__Phase *to = &w->phase[i];

        hct__model__phase__init(to);
        to->number = p->number;
        to->merged = p->merged;
        to->label = p->label;
        to->labels = p->labels;
        to->age_ns = p->age_ns;
        to->last_age_ns = p->last_age_ns;
        to->lost = p->lost;
        if (!find_set(w, &p->tasks, &to->set))
            return false;
        o->phases[o->n_phases++] = to;
    }
    if (!w->m->tasks.n)
        return true;
    if (!find_set(w, &w->m->tasks, &o->set_of_all))
        return false;
    o->set_of_all++;
    return true;
}

static void write_spread(const struct writer *w, Hct__Model__Spread *to,
                         size_t i, const struct spread *s)
{
    to->told[i] = s->told;
    to->sum[i] = s->sum;
    to->squares[i] = s->squares;
    to->least[i] = s->least;
    to->most[i] = s->most;
    to->least_task[i] = s->told && w->rank_of ? w->rank_of[s->least_task]
                                              : s->least_task;
    to->most_task[i] = s->told && w->rank_of ? w->rank_of[s->most_task]
                                             : s->most_task;
    to->n_told = to->n_sum = to->n_squares = to->n_least = to->n_most =
        to->n_least_task = to->n_most_task = i + 1;
}

static bool write_edges(struct writer *w)
{
    Hct__Model *o = &w->out;
    bool any = false, spread = false;

    for (size_t i = 0; i < w->m->nedges; i++) {
        const struct jobmodel_edge *e = &w->m->edge[i];

        o->phase[i] = e->phase;
        o->from[i] = e->from;
        o->to[i] = e->to;
        o->count[i] = e->n;
        o->in_mean[i] = e->in.mean;
        o->in_m2[i] = e->in.m2;
        o->in_max[i] = e->in.max;
        o->out_mean[i] = e->out.mean;
        o->out_m2[i] = e->out.m2;
        o->out_max[i] = e->out.max;
        o->bytes_mean[i] = e->bytes.mean;
        o->bytes_m2[i] = e->bytes.m2;
        write_spread(w, &w->in_tasks, i, &e->in_tasks);
        write_spread(w, &w->out_tasks, i, &e->out_tasks);
        any = any || e->histogram;
        spread = spread || e->in_tasks.told || e->out_tasks.told;
        if (e->histogram)
            memcpy(o->histogram + i * 2 * JOBMODEL_BUCKETS, e->histogram,
                   2 * JOBMODEL_BUCKETS * sizeof(*e->histogram));
        if (!find_set(w, &e->tasks, &o->set[i]))
            return false;
    }
    o->n_phase = o->n_from = o->n_to = o->n_set = o->n_count = o->n_in_mean =
        o->n_in_m2 = o->n_in_max = o->n_out_mean = o->n_out_m2 =
        o->n_out_max = o->n_bytes_mean = o->n_bytes_m2 = w->m->nedges;
    o->in_tasks = spread ? &w->in_tasks : NULL;
    o->out_tasks = spread ? &w->out_tasks : NULL;
    o->n_histogram = any ? w->m->nedges * 2 * JOBMODEL_BUCKETS : 0;
    return true;
}

static bool write_notes(struct writer *w, const struct tasknotes *notes)
{
    Hct__Model *o = &w->out;

    if (!notes)
        return true;
    o->notes = w->notes;
    o->n_notes = notes->n;
    return tasknotes_fill(notes, w->rank_of, w->note, w->notes) == 0;
}

int jobmodel_write(const struct jobmodel *m, const struct tasknotes *notes,
                   const uint32_t *rank_of, uint32_t ntasks, struct str *out,
                   struct err *err)
{
    struct writer *w = calloc(1, sizeof(*w));
    uint8_t *bytes = NULL;
    size_t n = 0;

    if (!w)
        return err_memory(err);
    w->m = m;
    w->rank_of = rank_of;
    w->ntasks = rank_of ? ntasks : m->width;
    hct__model__init(&w->out);
    w->out.width = w->ntasks;
    w->out.sites_lost = m->sites_lost;
    w->out.edges_lost = m->edges_lost;
    w->out.dropped = m->dropped;
    w->out.damaged = m->damaged;
    w->out.threads = m->threads;
    if (make_lists(w) && make_columns(w) && write_notes(w, notes) &&
        write_phases(w) && write_edges(w)) {
        write_frames(w);
        n = hct__model__get_packed_size(&w->out);
        bytes = malloc(n + 1);
    }
    if (bytes) {
        hct__model__pack(&w->out, bytes);
        str_add_bytes(out, bytes, n);
    }
    free_writer(w);
    free(w);
    free(bytes);
    return bytes && !str_failed(out) ? 0
           : err_memory(err);
}

/* ----------------------------------------------------------------- reading */

static int wrong(struct err *err, const char *what, size_t at)
{
    return err_set(err, EBADMSG, "a model whose %s %zu is not in order", what,
                   at);
}

static int read_modules(struct jobmodel *m, const Hct__Model *from,
                        struct err *err)
{
    for (size_t i = 0; i < from->n_modules; i++) {
        const Hct__Profile__Module *is = from->modules[i];

        if (jobmodel_module(m, is->path, is->build_id.data,
                            (uint32_t)is->build_id.len) != i)
            return wrong(err, "file", i);
    }
    return 0;
}

static int read_frames(struct jobmodel *m, const Hct__Model *from,
                       struct err *err)
{
    if (from->n_frame_module != from->n_frame_offset)
        return err_set(err, EBADMSG, "a model with columns of different "
                       "lengths");
    for (size_t i = 0; i < from->n_frame_module; i++)
        if (from->frame_module[i] > m->nmodules ||
            jobmodel_frame(m, from->frame_module[i],
                           from->frame_offset[i]) != i)
            return wrong(err, "frame", i);
    for (size_t i = 0; i < from->n_names; i++) {
        const Hct__Profile__Name *is = from->names[i];

        if (is->frame >= m->nframes ||
            is->depth != m->frame[is->frame].names ||
            !jobmodel_name(m, is->frame, &(struct jobmodel_name_of){
                is->function, is->file, is->note, SIZE_MAX, SIZE_MAX,
                SIZE_MAX, is->line }))
            return wrong(err, "name", i);
    }
    return 0;
}

static int read_states(struct jobmodel *m, const Hct__Model *from,
                       struct err *err)
{
    for (size_t i = 0; i < from->n_states; i++) {
        const Hct__Profile__Site *is = from->states[i];
        struct jobmodel_state s = { .call = is->call };

        if (is->call == 0 || is->call >= JOBMODEL_CALLS_MAX ||
            is->n_frames > JOBMODEL_DEPTH)
            return wrong(err, "state", i);
        for (; s.frames < is->n_frames; s.frames++) {
            s.frame[s.frames] = is->frames[s.frames];
            if (is->frames[s.frames] >= m->nframes)
                return wrong(err, "state", i);
        }
        if (jobmodel_state(m, &s) != i + JOBMODEL_FIRST)
            return wrong(err, "state", i);
    }
    return 0;
}

static int read_set(struct taskset *to, const Hct__Model__Set *from,
                    uint32_t width)
{
    uint64_t next = 0;

    if (from->n_range % 2)
        return -1;
    for (size_t i = 0; i < from->n_range; i += 2) {
        uint64_t first = next + from->range[i];
        uint64_t last = first + from->range[i + 1];

        if (last >= width ||
            taskset_add(to, (uint32_t)first, (uint32_t)last))
            return -1;
        next = last + 1;
    }
    return 0;
}

static int read_phases(struct jobmodel *m, const Hct__Model *from,
                       const struct taskset *sets, struct err *err)
{
    for (size_t i = 0; i < from->n_phases; i++) {
        const Hct__Model__Phase *is = from->phases[i];
        struct jobmodel_phase p = {
            .merged = is->merged, .label = is->label, .labels = is->labels,
            .age_ns = is->age_ns, .last_age_ns = is->last_age_ns,
            .lost = is->lost };

        if (is->set >= from->n_sets || is->age_ns > JOBMODEL_COUNT_MAX ||
            is->last_age_ns > is->age_ns || is->lost > JOBMODEL_COUNT_MAX ||
            jobmodel_phase(m, is->number, is->merged) != i)
            return wrong(err, "phase", i);
        jobmodel_meet_phase(&m->phase[i], &p);
        if (taskset_copy(&m->phase[i].tasks, &sets[is->set]))
            return err_memory(err);
    }
    return 0;
}

static bool even_spread(const Hct__Model__Spread *s, size_t n)
{
    return !s || (s->n_told == n && s->n_sum == n && s->n_squares == n &&
                  s->n_least == n && s->n_most == n && s->n_least_task == n &&
                  s->n_most_task == n);
}

static struct spread read_spread(const Hct__Model__Spread *s, size_t i)
{
    if (!s)
        return (struct spread){ 0 };
    return (struct spread){
        .told = s->told[i], .sum = s->sum[i], .squares = s->squares[i],
        .least = s->least[i], .most = s->most[i],
        .least_task = s->least_task[i], .most_task = s->most_task[i] };
}

static bool even(const Hct__Model *f)
{
    size_t n = f->n_phase;

    return f->n_from == n && f->n_to == n && f->n_set == n &&
           f->n_count == n && f->n_in_mean == n && f->n_in_m2 == n &&
           f->n_in_max == n && f->n_out_mean == n && f->n_out_m2 == n &&
           f->n_out_max == n &&
           (f->n_bytes_mean == 0 || f->n_bytes_mean == n) &&
           f->n_bytes_m2 == f->n_bytes_mean &&
           (f->n_histogram == 0 ||
            f->n_histogram == n * 2 * JOBMODEL_BUCKETS) &&
           even_spread(f->in_tasks, n) && even_spread(f->out_tasks, n);
}

static int read_edges(struct jobmodel *m, const Hct__Model *f,
                      const struct taskset *sets, struct err *err)
{
    if (!even(f))
        return err_set(err, EBADMSG, "a model with columns of different "
                       "lengths");
    for (size_t i = 0; i < f->n_phase; i++) {
        struct jobmodel_edge e = {
            .phase = f->phase[i], .from = f->from[i], .to = f->to[i],
            .n = f->count[i],
            .in = { f->in_mean[i], f->in_m2[i], f->in_max[i] },
            .out = { f->out_mean[i], f->out_m2[i], f->out_max[i] },
            .in_tasks = read_spread(f->in_tasks, i),
            .out_tasks = read_spread(f->out_tasks, i) };

        if (f->n_bytes_mean)
            e.bytes = (struct jobmodel_times){ f->bytes_mean[i],
                                               f->bytes_m2[i], 0 };
        if (f->n_histogram)
            e.histogram = f->histogram + i * 2 * JOBMODEL_BUCKETS;
        if (e.phase >= m->nphases || e.from >= m->nstates ||
            e.to >= m->nstates || e.to == JOBMODEL_START ||
            f->set[i] >= f->n_sets || !sets[f->set[i]].n ||
            !jobmodel_sane(&e) || !spread_sane(&e.in_tasks, m->width) ||
            !spread_sane(&e.out_tasks, m->width))
            return wrong(err, "step", i);
        if (jobmodel_add(m, &e, &sets[f->set[i]], 0))
            return err_memory(err);
        if (m->nedges != i + 1)
            return wrong(err, "step", i);       /* it was there already */
    }
    return 0;
}

static int read_all(struct jobmodel *m, const Hct__Model *from,
                    struct taskset *sets, struct err *err)
{
    for (size_t i = 0; i < from->n_sets; i++)
        if (read_set(&sets[i], from->sets[i], m->width))
            return wrong(err, "set of tasks", i);
    if (from->set_of_all > from->n_sets ||
        (from->set_of_all &&
         taskset_copy(&m->tasks, &sets[from->set_of_all - 1])))
        return wrong(err, "set of tasks", from->set_of_all);
    return read_modules(m, from, err) || read_frames(m, from, err) ||
           read_states(m, from, err) || read_phases(m, from, sets, err) ||
           read_edges(m, from, sets, err) ? -1 : 0;
}

int jobmodel_read(struct jobmodel *m, const Hct__Model *from, struct err *err)
{
    struct taskset *sets;
    int rc;

    if (from->width > JOBMODEL_WIDTH_MAX ||
        from->n_sets > JOBMODEL_EDGES_MAX + JOBMODEL_PHASES_MAX + 1 ||
        from->sites_lost > JOBMODEL_COUNT_MAX ||
        from->edges_lost > JOBMODEL_COUNT_MAX ||
        from->dropped > JOBMODEL_COUNT_MAX ||
        from->damaged > JOBMODEL_COUNT_MAX)
        return err_set(err, EBADMSG, "a model with numbers beyond the limits");
    if (jobmodel_init(m, from->width, err))
        return -1;
    m->sites_lost = from->sites_lost;
    m->edges_lost = from->edges_lost;
    m->dropped = from->dropped;
    m->damaged = from->damaged;
    m->threads = from->threads;
    sets = calloc(from->n_sets + 1, sizeof(*sets));
    rc = sets ? read_all(m, from, sets, err)
              : err_memory(err);
    for (size_t i = 0; sets && i < from->n_sets; i++)
        taskset_fini(&sets[i]);
    free(sets);
    if (rc)
        jobmodel_fini(m);
    return rc;
}
