/* whereis.c - where in their sources the tasks of a job are just now. */
#include "master/places/whereis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "master/tree/lasttree.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"

static const uint64_t whereis_wait_ns = 3 * CLOCK_NS_PER_S;
static const uint64_t whereis_interval_ns = 10 * CLOCK_NS_PER_MS;
/* Not in step with what takes whole milliseconds. */
static const uint64_t whereis_apart_ns = 7300000;

struct whereis {
    const struct whereis_by *by;        /* borrowed, like the next */
    struct job *job;
    uint64_t id, seq;           /* seq 0: of places */
    whereis_done_f *done;
    void *arg;
};

static void whereis_tree(struct whereis *w, const struct reduce_result *r)
{
    struct str bytes = { 0 };
    struct prefixtree tree;
    Hct__CallTree *m = NULL;
    struct err err;
    bool good = false;

    if (r->whole &&
        r->merge->finish(r->whole, r->rank_of, r->ntasks, &bytes, &err) == 0 &&
        !str_failed(&bytes))
        m = hct__call_tree__unpack(NULL, bytes.n,
                                   (const uint8_t *)str_text(&bytes));
    if (m && w->seq)
        lasttree_keep(w->by->journal, w->job->id, w->seq, r, &bytes);
    if (m)
        good = prefixtree_parse(&tree, m->tree.data, m->tree.len, &err) == 0;
    w->done(w->arg, good ? &tree : NULL);
    if (good)
        prefixtree_fini(&tree);
    if (m)
        hct__call_tree__free_unpacked(m, NULL);
    str_fini(&bytes);
}

static void whereis_on_done(void *arg, const struct reduce_result *r)
{
    struct whereis *w = arg;

    whereis_tree(w, r);
    free(w);
}

static struct whereis *start(const struct whereis_by *by, struct job *j,
                             uint64_t seq, const Hct__Stack *m,
                             whereis_done_f *done, void *arg)
{
    struct whereis *w = calloc(1, sizeof(*w));
    uint8_t *argument = malloc(hct__stack__get_packed_size(m) + 1);
    struct reduce_ask ask = { .kind = "stack", .argument = argument, .job = j,
                              .wait_ns = whereis_wait_ns +
                                  m->samples * m->interval_ns };
    struct err err = { .text = "out of memory" };

    if (w && argument) {
        *w = (struct whereis){ .by = by, .job = j, .seq = seq,
                               .done = done, .arg = arg };
        ask.nargument = hct__stack__pack(m, argument);
        w->id = reducer_start(by->reducer, &ask, whereis_on_done, w, &err);
    }
    free(argument);
    if (w && w->id)
        return w;
    log_info("whereis", "%s", err.text);
    free(w);
    return NULL;
}

struct whereis *whereis_start(const struct whereis_by *by, struct job *j,
                              uint64_t seq, whereis_done_f *done, void *arg)
{
    Hct__Stack m = HCT__STACK__INIT;

    m.samples = by->samples;
    m.interval_ns = whereis_interval_ns;
    m.lines = true;
    return start(by, j, seq, &m, done, arg);
}

struct whereis *whereis_ask(const struct whereis_by *by, struct job *j,
                            const struct whereis_place *v, size_t n,
                            whereis_done_f *done, void *arg)
{
    Hct__Stack m = HCT__STACK__INIT;
    Hct__Place place[WHEREIS_PLACES], *pointer[WHEREIS_PLACES];

    for (size_t i = 0; i < n; i++) {
        hct__place__init(&place[i]);
        place[i].rank = v[i].rank;
        place[i].site = v[i].site;
        pointer[i] = &place[i];
    }
    m.lines = true;
    m.n_places = n;
    m.places = pointer;
    return start(by, j, 0, &m, done, arg);
}

struct whereis *whereis_sample(const struct whereis_by *by, struct job *j,
                               uint32_t rank, uint32_t samples,
                               whereis_done_f *done, void *arg)
{
    Hct__Stack m = HCT__STACK__INIT;
    char ranks[16];

    snprintf(ranks, sizeof(ranks), "%u", rank);
    m.samples = samples;
    m.interval_ns = whereis_apart_ns;
    m.lines = true;
    m.ranks = ranks;
    return start(by, j, 0, &m, done, arg);
}

struct whereis *whereis_unwritten(const struct whereis_by *by, struct job *j,
                                  const char *ranks, whereis_done_f *done,
                                  void *arg)
{
    Hct__Stack m = HCT__STACK__INIT;

    m.unwritten = true;
    m.ranks = (char *)ranks;
    return start(by, j, 0, &m, done, arg);
}

void whereis_cancel(struct whereis *w)
{
    if (w && w->by->reducer)
        reducer_cancel(w->by->reducer, w->id);
    free(w);
}

/* -------------------------------------------------------------------- words */

static bool is_mpi(const struct prefixtree *t, uint32_t node)
{
    const struct prefixtree_frame *f = &t->frames[t->nodes[node].frame];
    const char *function = prefixtree_text(t, f->function);
    const char *module = prefixtree_text(t, f->module);

    return strncasecmp(function, "MPI_", 4) == 0 ||
           strncasecmp(function, "PMPI_", 5) == 0 ||
           strstr(module, "libmpi") || strstr(module, "libopen-") ||
           strstr(module, "libhector");
}

/* Where its own debug information is installed it has lines, too. */
static bool is_libc(const struct prefixtree *t, uint32_t node)
{
    const char *module = prefixtree_text(t,
        t->frames[t->nodes[node].frame].module);

    return strncmp(module, "libc.", 5) == 0 || strncmp(module, "ld-", 3) == 0;
}

void whereis_add(const struct prefixtree *t, const struct prefixtree_frame *f,
                 struct str *to)
{
    str_addf(to, "in %s", prefixtree_text(t, f->function));
    if (f->line)
        str_addf(to, " (%s:%u)", paths_base(prefixtree_text(t, f->file)), f->line);
}

void whereis_text(const struct prefixtree *t, uint32_t rank, struct str *to)
{
    uint32_t at = 0, last = 0, known = 0;

    while ((at = prefixtree_child(t, at, rank)) && !is_mpi(t, at)) {
        last = at;
        if (t->frames[t->nodes[at].frame].line && !is_libc(t, at))
            known = at;
    }
    if (last)
        whereis_add(t, &t->frames[t->nodes[known ? known : last].frame], to);
}

/* The traces that end in this node. */
static uint64_t traces_of(const struct prefixtree *t, uint32_t node)
{
    uint64_t n = prefixtree_traces(t, node);

    for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].sibling)
        n -= prefixtree_traces(t, c);
    return n;
}

/* How much a function tells: the program's own with a source most. */
static int worth(const struct prefixtree *t, uint32_t node)
{
    return is_libc(t, node) ? 0 : t->frames[t->nodes[node].frame].line ? 2 : 1;
}

/* Parents come first, so what is known of one is known when its children come. */
int whereis_outside(const struct prefixtree *t, whereis_seen_f *seen, void *arg)
{
    uint32_t *at = calloc(t->nnodes + 1, sizeof(*at));  /* 0: it is in MPI */

    if (!at)
        return -1;
    for (uint32_t i = 1; i < t->nnodes; i++) {
        uint32_t parent = t->nodes[i].parent;
        uint64_t n;

        if ((parent && !at[parent]) || is_mpi(t, i))
            continue;
        at[i] = parent && worth(t, i) < worth(t, at[parent]) ? at[parent] : i;
        n = traces_of(t, i);
        if (n)
            seen(arg, t, &t->frames[t->nodes[at[i]].frame], n);
    }
    free(at);
    return 0;
}

/* A slave that does not know the question has answered with a stack. */
const char *whereis_unwritten_text(const struct prefixtree *t, uint32_t rank)
{
    uint32_t at = prefixtree_child(t, 0, rank);
    const struct prefixtree_frame *f = &t->frames[t->nodes[at].frame];

    return at && strcmp(prefixtree_text(t, f->module), "stdout") == 0
           ? prefixtree_text(t, f->function) : NULL;
}
