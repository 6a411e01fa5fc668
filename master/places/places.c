/* places.c - where in the source the lines of a verdict are.
 *
 * Where all tasks are comes first. The places of calls that are over are then
 * asked for in rounds, each with at most one of every rank; and in the end what
 * a few tasks have printed and not written, which nothing depends on. */
#include "master/places/places.h"

#include <stdlib.h>
#include <string.h>

#include "master/places/whereis.h"
#include "policies/hct_policy.h"
#include "proto/base/taskset.h"

enum { PLACES_PRINTERS = 8 };   /* tasks whose buffers are looked at */

struct line {
    struct places_line is;
    char *here, *made;          /* owned; NULL: not known */
    char *unwritten;            /* owned, the same */
};

/* One place that is not known yet. */
struct wanted { size_t line; bool made, asked, known; };

struct places {
    const struct whereis_by *by;        /* borrowed, like the next */
    struct job *job;
    struct line *line;          /* owned */
    size_t n;
    struct wanted *wanted;      /* owned */
    size_t nwanted;
    struct whereis *where;      /* owned; NULL: nothing is asked just now */
    bool stacks, found;         /* tasks have told where they are; or anything */
    places_done_f *done;
    void *arg;
};

static uint32_t rank_of(const struct places *p, const struct wanted *w)
{
    return (uint32_t)p->line[w->line].is.rank;
}

static char *text_of(const struct prefixtree *t, uint32_t rank)
{
    struct str s = { 0 };

    whereis_text(t, rank, &s);
    return s.n ? str_take(&s) : (str_fini(&s), NULL);
}

static void want(struct places *p, size_t line, bool made)
{
    p->wanted[p->nwanted++] = (struct wanted){ .line = line, .made = made };
}

/* ----------------------------------------------------------------- buffers */

static void on_unwritten(void *arg, const struct prefixtree *tree)
{
    struct places *p = arg;
    struct taskset had = { 0 };

    p->where = NULL;
    for (size_t i = 0; tree && i < p->n; i++) {
        int32_t rank = p->line[i].is.rank;
        const char *text = rank == HCT_NONE || taskset_has(&had, (uint32_t)rank)
                           ? NULL
                           : whereis_unwritten_text(tree, (uint32_t)rank);

        if (text)
            p->line[i].unwritten = strdup(text);
        if (text && taskset_add(&had, (uint32_t)rank, (uint32_t)rank))
            break;
    }
    taskset_fini(&had);
    p->done(p->arg, p->found);
}

/* The tasks that are named, as far as they are few. NULL: there is none. */
static char *printers(const struct places *p)
{
    struct taskset set = { 0 };
    char *text = NULL;

    for (size_t i = 0; i < p->n; i++) {
        int32_t rank = p->line[i].is.rank;

        if (rank != HCT_NONE && taskset_count(&set) < PLACES_PRINTERS &&
            taskset_add(&set, (uint32_t)rank, (uint32_t)rank))
            break;
    }
    if (set.n)
        text = taskset_text(&set);
    taskset_fini(&set);
    return text;
}

/* All places are known. Who has not told where it is does not tell this. */
static void finish(struct places *p)
{
    char *ranks = p->stacks ? printers(p) : NULL;

    p->where = ranks ? whereis_unwritten(p->by, p->job, ranks, on_unwritten,
                                         p) : NULL;
    free(ranks);
    if (!p->where)
        p->done(p->arg, p->found);
}

/* ------------------------------------------------------------------ rounds */

static bool in_round(const struct places *p, const struct whereis_place *v,
                     size_t n, const struct wanted *w)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].rank == rank_of(p, w))
            return true;
    return false;
}

static void on_round(void *arg, const struct prefixtree *tree);

/* The next one: false if there is none. */
static bool ask(struct places *p)
{
    struct whereis_place v[WHEREIS_PLACES];
    size_t n = 0;

    for (size_t i = 0; i < p->nwanted && n < WHEREIS_PLACES; i++) {
        struct wanted *w = &p->wanted[i];
        const struct places_line *l = &p->line[w->line].is;

        if (w->known || in_round(p, v, n, w))
            continue;
        v[n++] = (struct whereis_place){ rank_of(p, w),
                                         w->made ? l->made : l->site };
        w->asked = true;
    }
    p->where = n ? whereis_ask(p->by, p->job, v, n, on_round, p) : NULL;
    return p->where != NULL;
}

static void take(struct places *p, const struct prefixtree *tree)
{
    for (size_t i = 0; i < p->nwanted; i++) {
        struct wanted *w = &p->wanted[i];
        struct line *l = &p->line[w->line];

        if (!w->asked)
            continue;
        *(w->made ? &l->made : &l->here) = text_of(tree, rank_of(p, w));
        p->found |= w->made ? l->made != NULL : l->here != NULL;
        w->asked = false;
        w->known = true;
    }
}

static void on_round(void *arg, const struct prefixtree *tree)
{
    struct places *p = arg;

    p->where = NULL;
    if (tree)
        take(p, tree);
    if (!tree || !ask(p))
        finish(p);
}

/* What is not known yet, where the tasks are just now besides, by tree. */
static void want_all(struct places *p, const struct prefixtree *tree)
{
    for (size_t i = 0; i < p->n; i++) {
        struct line *l = &p->line[i];

        if (l->is.rank == HCT_NONE)
            continue;
        if (l->is.site)
            want(p, i, false);
        else if (tree)
            l->here = text_of(tree, (uint32_t)l->is.rank);
        if (l->is.made)
            want(p, i, true);
    }
}

static void on_stacks(void *arg, const struct prefixtree *tree)
{
    struct places *p = arg;

    p->where = NULL;
    p->stacks = p->found = tree != NULL;
    want_all(p, tree);
    if (!ask(p))
        finish(p);
}

/* -------------------------------------------------------------------- life */

struct places *places_start(const struct whereis_by *by, struct job *j,
                            uint64_t seq, const struct places_line *v, size_t n,
                            places_done_f *done, void *arg)
{
    struct places *p;

    if (!by->reducer || !by->samples || !(p = calloc(1, sizeof(*p))))
        return NULL;
    *p = (struct places){ .by = by, .job = j, .n = n, .done = done,
                          .arg = arg };
    p->line = calloc(n + 1, sizeof(*p->line));
    p->wanted = calloc(2 * n + 1, sizeof(*p->wanted));
    if (!p->line || !p->wanted) {
        places_free(p);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        p->line[i].is = v[i];
    if (seq) {
        p->where = whereis_start(by, j, seq, on_stacks, p);
    } else {
        want_all(p, NULL);
        ask(p);
    }
    if (!p->where) {
        places_free(p);
        return NULL;
    }
    return p;
}

void places_add(const struct places *p, size_t line, struct str *to)
{
    const struct line *l = p && line < p->n ? &p->line[line] : NULL;

    if (l && l->here)
        str_addf(to, ", %s", l->here);
    if (l && l->made && !(l->here && strcmp(l->here, l->made) == 0))
        str_addf(to, ", request made %s", l->made);
}

const char *places_here(const struct places *p, size_t line)
{
    return p && line < p->n ? p->line[line].here : NULL;
}

const char *places_unwritten(const struct places *p, size_t line)
{
    return p && line < p->n ? p->line[line].unwritten : NULL;
}

void places_free(struct places *p)
{
    if (!p)
        return;
    whereis_cancel(p->where);
    for (size_t i = 0; p->line && i < p->n; i++) {
        free(p->line[i].here);
        free(p->line[i].made);
        free(p->line[i].unwritten);
    }
    free(p->line);
    free(p->wanted);
    free(p);
}
