/* oddrows.c - see oddrows.h. */
#include "master/act/oddrows.h"

#include <stdlib.h>
#include <string.h>

#include "master/act/placename.h"
#include "master/watch/callclass.h"
#include "proto/base/clock.h"

struct oddrow {
    struct store_outlier outlier;
    struct store_step step;     /* of some methods; its files are owned */
    bool has_step;
    uint32_t line, line_to;     /* of all lines of the look */
};

struct oddrows {
    struct oddrow *v;           /* owned */
    size_t n;
    uint32_t first_line;        /* of the verdict of kind HCT_OUTLIER */
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
           : method == HCT_METHOD_POLISH ? "polish" : "stands";
}

static uint64_t ns(double x)
{
    return x > 0 ? (uint64_t)(x < 1e18 ? x : 1e18) : 0;
}

static void fill(struct oddrow *to, const struct found *f,
                 const struct hct_odd *o, uint64_t at_ns)
{
    to->line = o->line;
    to->line_to = o->line_to;
    to->outlier = (struct store_outlier){
        .seq = f->seq, .at_ns = at_ns, .method = method_name(o->method),
        .place = o->place, .rank = o->rank, .score = o->score,
        .cluster = o->group + 1, .cost_ns = ns(o->cost_ns) };
    to->has_step = o->method >= HCT_METHOD_POLISH;
    to->step = (struct store_step){
        .seq = f->seq, .at_ns = at_ns, .rank = o->rank, .place = o->place,
        .from_call = call_name(o->from_call), .to_call = call_name(o->to_call),
        .count = o->n, .in_ns = ns(o->in_ns), .out_ns = ns(o->out_ns),
        .normal_in_ns = ns(o->normal_in_ns),
        .normal_out_ns = ns(o->normal_out_ns), .score = o->score };
}

struct oddrows *oddrows_make(const struct found *f)
{
    struct oddrows *o = f->out.nodds ? calloc(1, sizeof(*o)) : NULL;
    uint64_t at_ns = clock_wall_ns();

    if (!o)
        return NULL;
    o->v = calloc(f->out.nodds, sizeof(*o->v));
    if (!o->v) {
        oddrows_free(o);
        return NULL;
    }
    for (; o->n < f->out.nodds; o->n++)
        fill(&o->v[o->n], f, &f->odds[o->n], at_ns);
    for (uint32_t i = 0; i < f->out.nverdicts; i++)
        if (f->verdicts[i].kind == HCT_OUTLIER)
            o->first_line = f->verdicts[i].lines;
    return o;
}

void oddrows_free(struct oddrows *o)
{
    for (size_t i = 0; o && i < o->n; i++) {
        free((char *)(uintptr_t)o->v[i].step.from_file);
        free((char *)(uintptr_t)o->v[i].step.to_file);
    }
    if (o)
        free(o->v);
    free(o);
}

static void place(const char **file, uint32_t *line, const struct oddrows *o,
                  uint32_t of, const struct report *r)
{
    const char *text = of != HCT_NO_LINE && of >= o->first_line
                           ? places_here(r->places, of - o->first_line)
                           : NULL;
    struct placename p = { 0 };

    if (!text || *file)
        return;
    p = placename_parse(text);
    free(p.function);
    *file = p.file;
    *line = p.line;
}

void oddrows_place(struct oddrows *o, const struct report *r)
{
    for (size_t i = 0; o && i < o->n; i++) {
        struct oddrow *x = &o->v[i];

        place(&x->step.from_file, &x->step.from_line, o, x->line, r);
        place(&x->step.to_file, &x->step.to_line, o, x->line_to, r);
    }
}

void oddrows_put(const struct oddrows *o, struct journal *jn,
                 const struct job *j)
{
    for (size_t i = 0; o && i < o->n; i++) {
        journal_outlier(jn, j, &o->v[i].outlier);
        if (o->v[i].has_step)
            journal_odd_step(jn, j, &o->v[i].step);
    }
}
