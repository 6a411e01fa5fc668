/* noderows.c - see noderows.h. */
#include "master/findings/noderows.h"

#include <stdlib.h>
#include <string.h>

#include "master/places/placename.h"
#include "master/watch/callclass.h"
#include "proto/base/clock.h"
#include "proto/base/taskset.h"

struct noderow {
    struct store_progress_node row;     /* its texts are owned */
    uint32_t line;              /* of the verdict */
};

struct noderows {
    struct noderow *v;          /* owned */
    size_t n;
};

static char *ranks_of(const struct found *f, uint32_t first, uint32_t n)
{
    struct taskset set = { 0 };
    char *text = NULL;
    int rc = 0;

    for (uint32_t i = 0; i < n && rc == 0; i++)
        rc = taskset_add(&set, f->ranks[first + i], f->ranks[first + i]);
    if (rc == 0)
        text = taskset_text(&set);
    taskset_fini(&set);
    return text;
}

/* "1, 3": places of a set. */
static char *places_of(uint64_t set)
{
    struct str s = { 0 };

    for (; set; set &= set - 1)
        str_addf(&s, "%s%d", s.n ? ", " : "", __builtin_ctzll(set) + 1);
    return str_take(&s);
}

/* Who waits for the row of that place. */
static uint64_t behind(const struct found *f, const struct hct_row *of)
{
    uint64_t set = 0;

    for (uint32_t i = 0; i < f->out.nrows; i++) {
        const struct hct_row *r = &f->rows[i];

        if (r->verdict == of->verdict && (r->waits_for >> (of->place - 1) & 1))
            set |= (uint64_t)1 << (r->place - 1);
    }
    return set;
}

static bool is_least(const struct found *f, const struct hct_row *r)
{
    const struct hct_verdict *v = &f->verdicts[r->verdict];

    for (uint32_t i = 0; i < v->nranks; i++)
        if (f->ranks[v->ranks + i] == f->ranks[r->ranks])
            return true;
    return false;
}

static void fill(struct noderow *to, const struct found *f,
                 const struct hct_row *r, uint64_t at_ns)
{
    uint32_t ncalls;
    const struct hct_call *calls = callclass_table(&ncalls);
    const char *by = found_decided_name(r->decided);

    to->line = r->line - f->verdicts[r->verdict].lines;
    to->row = (struct store_progress_node){
        .seq = f->seq, .place = r->place, .at_ns = at_ns,
        .ranks = ranks_of(f, r->ranks, r->nranks), .least = is_least(f, r),
        .call = r->call && r->call < ncalls ? strdup(calls[r->call].name) : NULL,
        .inside = r->in, .behind = places_of(behind(f, r)),
        .waits_for = places_of(r->waits_for), .unsure = places_of(r->unsure),
        .decided_by = *by ? strdup(by) : NULL };
}

struct noderows *noderows_make(const struct found *f, uint32_t verdict)
{
    struct noderows *n = f->out.nrows ? calloc(1, sizeof(*n)) : NULL;
    uint64_t at_ns = clock_wall_ns();

    if (!n)
        return NULL;
    n->v = calloc(f->out.nrows, sizeof(*n->v));
    for (uint32_t i = 0; n->v && i < f->out.nrows; i++)
        if (f->rows[i].verdict == verdict)
            fill(&n->v[n->n++], f, &f->rows[i], at_ns);
    if (n->n)
        return n;
    noderows_free(n);
    return NULL;
}

static void drop(const char *text)
{
    free((char *)(uintptr_t)text);
}

void noderows_free(struct noderows *n)
{
    for (size_t i = 0; n && i < n->n; i++) {
        const struct store_progress_node *r = &n->v[i].row;

        drop(r->ranks);
        drop(r->call);
        drop(r->function);
        drop(r->file);
        drop(r->behind);
        drop(r->waits_for);
        drop(r->unsure);
        drop(r->decided_by);
    }
    if (n)
        free(n->v);
    free(n);
}

static void place(struct store_progress_node *r, const char *text)
{
    struct placename p = placename_parse(text);

    r->function = p.function;
    r->file = p.file;
    r->line = p.line;
}

void noderows_place(struct noderows *n, const struct report *r)
{
    for (size_t i = 0; n && i < n->n; i++) {
        const char *text = places_here(r->places, n->v[i].line);

        if (text && !n->v[i].row.function)
            place(&n->v[i].row, text);
    }
}

void noderows_put(const struct noderows *n, struct journal *jn,
                  const struct job *j)
{
    for (size_t i = 0; n && i < n->n; i++)
        journal_progress_node(jn, j, &n->v[i].row);
}
