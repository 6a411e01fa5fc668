/* oddrows.c - see oddrows.h. */
#include "master/findings/oddrows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/places/placename.h"
#include "master/watch/callclass.h"
#include "proto/base/clock.h"

#define NOWHERE SIZE_MAX

struct oddend {                 /* of a step: where the task is there */
    uint64_t place;             /* as in hct_odd; 0: only line says it, if any */
    size_t line;                /* of those asked for; or NOWHERE */
};

struct oddrow {
    struct store_outlier outlier;       /* its step is owned */
    struct store_step step;     /* of some methods; its files are owned */
    bool has_step;              /* ... as a row */
    struct oddend from, to;
};

struct oddrows {
    struct oddrow *v;           /* owned, as the rest */
    size_t n;
    char phase[16];             /* "": of all */
    char **remark;              /* owned, as all of them: sentences */
    size_t nremarks;
    uint64_t seq, at_ns;        /* of the look; when they came */
    struct places_line *line;   /* where steps begin and end: each place of a
                                   task once; rank HCT_NONE: it has a line */
    size_t nlines;
    struct places *places;      /* NULL: they are not looked for */
};

static const char *call_name(uint32_t call)
{
    uint32_t n;
    const struct hct_call *calls = callclass_table(&n);

    return call && call < n ? calls[call].name : NULL;
}

static const char *method_name(uint32_t method)
{
    return method == HCT_METHOD_CLUSTER ? "cluster"
           : method == HCT_METHOD_NEIGHBOUR ? "neighbour"
           : method == HCT_METHOD_POLISH ? "polish"
           : method == HCT_METHOD_STANDS ? "stands" : "inside";
}

static uint64_t ns(double x)
{
    return x > 0 ? (uint64_t)(x < 1e18 ? x : 1e18) : 0;
}

static void name_phase(struct oddrows *o, const struct hct_when *w)
{
    if (w->window == HCT_WINDOW_PHASE && w->phase == HCT_PHASES_OVER)
        snprintf(o->phase, sizeof(o->phase), "earlier");
    else if (w->window == HCT_WINDOW_PHASE)
        snprintf(o->phase, sizeof(o->phase), "%u", w->phase);
}

/* The number of that line. */
static size_t line_of(struct oddrows *o, const struct found *f, uint32_t line)
{
    const struct hct_line *is = line == HCT_NO_LINE ? NULL : &f->lines[line];
    size_t i = 0;

    if (!is || !is->site)
        return NOWHERE;
    while (i < o->nlines &&
           (o->line[i].rank != is->rank || o->line[i].site != is->site))
        i++;
    if (i == o->nlines)
        o->line[o->nlines++] = (struct places_line){ is->rank, is->site, 0 };
    return i;
}

static void add_end(struct str *to, const char *call, const char *file,
                    uint32_t line)
{
    str_add(to, call ? call : "the beginning");
    if (file)
        str_addf(to, " %s:%u", file, line);
}

/* "MPI_Waitall stencil.c:52 to MPI_Irecv stencil.c:44"; of a stand its call. */
static void name_step(struct oddrow *o)
{
    const struct store_step *k = &o->step;
    struct str text = { 0 };

    if (!k->from_call && !k->to_call)
        return;
    add_end(&text, k->from_call, k->from_file, k->from_line);
    if (k->to_call) {
        str_add(&text, " to ");
        add_end(&text, k->to_call, k->to_file, k->to_line);
    }
    free((char *)(uintptr_t)o->outlier.step);
    o->outlier.step = str_take(&text);
}

static void fill(struct oddrows *all, struct oddrow *to, const struct found *f,
                 const struct hct_odd *o, uint64_t at_ns)
{
    uint64_t ago_ns = f->out.when.ago_ns;

    to->from = (struct oddend){ o->at, line_of(all, f, o->line) };
    to->to = (struct oddend){ o->at_to, line_of(all, f, o->line_to) };
    to->outlier = (struct store_outlier){
        .seq = f->seq, .at_ns = at_ns, .method = method_name(o->method),
        .phase = *all->phase ? all->phase : NULL, .place = o->place,
        .rank = o->rank, .score = o->score, .cluster = o->group + 1,
        .cost_ns = ns(o->cost_ns),
        .since_ns = ago_ns && ago_ns < at_ns ? at_ns - ago_ns : 0 };
    to->has_step = o->method >= HCT_METHOD_POLISH;
    to->step = (struct store_step){
        .seq = f->seq, .at_ns = at_ns, .rank = o->rank, .place = o->place,
        .from_call = call_name(o->from_call), .to_call = call_name(o->to_call),
        .count = o->n, .in_ns = ns(o->in_ns), .out_ns = ns(o->out_ns),
        .normal_in_ns = ns(o->normal_in_ns),
        .normal_out_ns = ns(o->normal_out_ns), .score = o->score };
    name_step(to);
}

static void keep_remarks(struct oddrows *o, const struct found *f)
{
    o->remark = calloc(f->out.nremarks + 1, sizeof(*o->remark));
    for (uint32_t i = 0; o->remark && i < f->out.nremarks; i++) {
        o->remark[i] = strdup(f->lines[f->out.remarks + i].text);
        if (!o->remark[i])
            return;
        o->nremarks++;
    }
}

struct oddrows *oddrows_make(const struct found *f)
{
    struct oddrows *o = f->out.nodds ? calloc(1, sizeof(*o)) : NULL;

    if (!o)
        return NULL;
    o->seq = f->seq;
    o->at_ns = clock_wall_ns();
    o->v = calloc(f->out.nodds, sizeof(*o->v));
    o->line = calloc(2 * (size_t)f->out.nodds, sizeof(*o->line));
    if (!o->v || !o->line) {
        oddrows_free(o);
        return NULL;
    }
    name_phase(o, &f->out.when);
    for (; o->n < f->out.nodds; o->n++)
        fill(o, &o->v[o->n], f, &f->odds[o->n], o->at_ns);
    keep_remarks(o, f);
    return o;
}

void oddrows_free(struct oddrows *o)
{
    if (!o)
        return;
    places_free(o->places);
    for (size_t i = 0; i < o->n; i++) {
        free((char *)(uintptr_t)o->v[i].outlier.step);
        free((char *)(uintptr_t)o->v[i].step.from_file);
        free((char *)(uintptr_t)o->v[i].step.to_file);
    }
    for (size_t i = 0; i < o->nremarks; i++)
        free(o->remark[i]);
    free(o->remark);
    free(o->v);
    free(o->line);
    free(o);
}

/* ------------------------------------------------------------------- places */

static bool is_bare(const char *call, const char *file)
{
    return call && !file;
}

size_t oddrows_bare(const struct oddrows *o)
{
    size_t n = 0;

    for (size_t i = 0; i < o->n; i++)
        n += (size_t)is_bare(o->v[i].step.from_call, o->v[i].step.from_file) +
             is_bare(o->v[i].step.to_call, o->v[i].step.to_file);
    return n;
}

/* Those that are not known from a book are asked for. */
static void want(bool *wanted, const struct oddend *end, const char *call,
                 const char *file)
{
    if (end->line != NOWHERE && is_bare(call, file))
        wanted[end->line] = true;
}

bool oddrows_find(struct oddrows *o, const struct acts *a, struct job *j,
                  places_done_f *done, void *arg)
{
    bool *wanted = calloc(o->nlines + 1, sizeof(*wanted)), any = false;

    for (size_t i = 0; wanted && i < o->n; i++) {
        const struct oddrow *x = &o->v[i];

        want(wanted, &x->from, x->step.from_call, x->step.from_file);
        want(wanted, &x->to, x->step.to_call, x->step.to_file);
    }
    for (size_t i = 0; wanted && i < o->nlines; i++) {
        any |= wanted[i];
        if (!wanted[i])
            o->line[i].rank = HCT_NONE;
    }
    free(wanted);
    if (any)
        o->places = places_start(&a->by, j, 0, o->line, o->nlines, done, arg);
    return o->places != NULL;
}

static void place(const char **file, uint32_t *line, const char *text)
{
    struct placename p = { 0 };

    if (!text || *file)
        return;
    p = placename_parse(text);
    free(p.function);
    *file = p.file;
    *line = p.line;
}

void oddrows_place(struct oddrows *o)
{
    for (size_t i = 0; i < o->n; i++) {
        struct oddrow *x = &o->v[i];

        place(&x->step.from_file, &x->step.from_line,
              places_here(o->places, x->from.line));
        place(&x->step.to_file, &x->step.to_line,
              places_here(o->places, x->to.line));
        name_step(x);
    }
    places_free(o->places);
    o->places = NULL;
}

static bool name(const char **file, uint32_t *line, const struct placebook *book,
                 uint64_t place_)
{
    struct placebook_name is;

    if (*file || !placebook_find(book, place_, &is) || !is.file)
        return false;
    *file = strdup(is.file);
    *line = is.line;
    return *file != NULL;
}

bool oddrows_name(struct oddrows *o, const struct placebook *book)
{
    bool any = false;

    for (size_t i = 0; i < o->n; i++) {
        struct oddrow *x = &o->v[i];
        struct store_step *k = &x->step;
        bool from = name(&k->from_file, &k->from_line, book, x->from.place);
        bool to = name(&k->to_file, &k->to_line, book, x->to.place);

        if (from || to)
            name_step(x);
        any |= from || to;
    }
    return any;
}

void oddrows_put(const struct oddrows *o, struct journal *jn,
                 const struct job *j)
{
    for (size_t i = 0; o && i < o->n; i++) {
        struct store_outlier is = o->v[i].outlier;

        /* Tasks begin a little before their job counts as started. */
        if (is.since_ns && is.since_ns < j->started_ns)
            is.since_ns = j->started_ns;
        journal_outlier(jn, j, &is);
        if (o->v[i].has_step)
            journal_odd_step(jn, j, &o->v[i].step);
    }
    for (size_t i = 0; o && i < o->nremarks; i++)
        journal_remark(jn, j, &(struct store_remark){
            .seq = o->seq, .at_ns = o->at_ns, .place = (uint32_t)i + 1,
            .text = o->remark[i] });
}
