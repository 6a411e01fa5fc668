/* gather.c - an operator's Gather. */
#include "master/tree/gather.h"

#include <stdlib.h>
#include <string.h>

#include "master/tree/lastmodel.h"
#include "master/tree/lastslice.h"
#include "master/tree/lasttree.h"
#include "master/tree/treeshape.h"
#include "proto/base/clock.h"
#include "proto/base/parse.h"

enum { GATHER_PIECE = 4 << 20 };
#define GATHER_WAIT_MAX_NS (3600 * CLOCK_NS_PER_S)

/* What of the result is kept: that of the whole job. */
enum keep { KEEP_NOTHING, KEEP_TREE, KEEP_MODEL, KEEP_SLICE };

struct gather {
    struct reducer *reducer;            /* borrowed, like the next two */
    struct journal *journal;
    struct conn *link;
    uint64_t id, job;
    bool quiet;
    enum keep keep;
    uint32_t rank;                      /* KEEP_SLICE: of which */
    void (*ended)(void *arg);
    void *arg;
};

static void refuse(struct conn *c, const struct err *err)
{
    Hct__Gathered m = HCT__GATHERED__INIT;

    m.why = (char *)(uintptr_t)err->text;
    m.last = true;
    conn_send(c, MESSAGE_GATHERED, &m);
}

/* All but the last piece; *left is what remains for it. */
static void send_pieces(struct conn *c, const struct str *s,
                        ProtobufCBinaryData *left)
{
    Hct__Gathered m = HCT__GATHERED__INIT;
    size_t at = 0;

    m.ok = true;
    for (; s->n - at > GATHER_PIECE; at += GATHER_PIECE) {
        m.piece.data = (uint8_t *)(uintptr_t)str_text(s) + at;
        m.piece.len = GATHER_PIECE;
        conn_send(c, MESSAGE_GATHERED, &m);
    }
    left->data = (uint8_t *)(uintptr_t)str_text(s) + at;
    left->len = s->n - at;
}

struct lists {                          /* owned: what the answer points to */
    Hct__Gathered__Absent *absent, **absents;
    char **ranks, **names;
    uint32_t *parents;
    size_t n;
};

static void lists_free(struct lists *l)
{
    for (size_t i = 0; l->ranks && i < l->n; i++)
        free(l->ranks[i]);
    free(l->absent);
    free(l->absents);
    free(l->ranks);
    free(l->names);
    free(l->parents);
}

static char *ranks_text(const struct taskset *s)
{
    int n = taskset_format(s, NULL, 0);
    char *text = malloc((size_t)n + 1);

    if (text)
        taskset_format(s, text, (size_t)n + 1);
    return text;
}

static int fill_lists(struct lists *l, const struct reduce_result *r,
                      Hct__Gathered *m)
{
    size_t n = r->nmembers + 1;

    l->absent = calloc(n, sizeof(*l->absent));
    l->absents = calloc(n, sizeof(*l->absents));
    l->ranks = calloc(n, sizeof(*l->ranks));
    l->names = calloc(n, sizeof(*l->names));
    l->parents = calloc(n, sizeof(*l->parents));
    l->n = n;
    if (!l->absent || !l->absents || !l->ranks || !l->names || !l->parents)
        return -1;
    for (uint32_t i = 0; i < r->nmembers; i++) {
        const struct reduce_member *x = &r->members[i];
        Hct__Gathered__Absent *a = &l->absent[m->n_absent];

        if (i < r->nasked) {
            l->names[i] = x->node->name;
            l->parents[i] = x->parent == TREESHAPE_MASTER ? 0 : x->parent + 1;
            m->n_nodes = m->n_parents = i + 1;
        }
        if (x->state == REDUCE_IN)
            continue;
        hct__gathered__absent__init(a);
        a->node = x->node->name;
        a->ranks = l->ranks[i] = ranks_text(&x->ranks);
        a->why = (char *)reduce_why(x);
        if (!a->ranks)
            return -1;
        l->absents[m->n_absent++] = a;
    }
    m->absent = l->absents;
    m->nodes = l->names;
    m->parents = l->parents;
    return 0;
}

static void keep_model(const struct gather *g, const struct reduce_result *r,
                       struct str *model)
{
    for (uint32_t i = 0; i < r->nmembers && model->n; i++)
        if (r->members[i].state != REDUCE_IN)
            lastmodel_note(model, &r->members[i].ranks,
                           r->members[i].node->name,
                           reduce_why(&r->members[i]));
    lastmodel_keep(g->journal, g->job, model, false);
}

static void on_done(void *arg, const struct reduce_result *r)
{
    struct gather *g = arg;
    struct str bytes = { 0 };
    struct lists lists = { 0 };
    Hct__Gathered m = HCT__GATHERED__INIT;
    uint64_t start = clock_monotonic_ns();
    struct err err = { 0 };

    if (fill_lists(&lists, r, &m))
        err_set(&err, 1, "out of memory");
    else if (r->whole && r->merge->finish(r->whole, r->rank_of, r->ntasks,
                                          &bytes, &err) == 0 &&
             str_failed(&bytes))
        err_set(&err, 1, "out of memory");
    m.ok = m.last = true;
    m.members = r->nasked;
    m.levels = r->levels;
    m.fan_out = r->fan_out;
    m.took_ns = r->took_ns;
    m.own_ns = r->own_ns;
    m.merge_ns = r->merge_ns;
    m.master_ns = r->master_ns;
    m.received_bytes = r->received_bytes;
    m.messages = r->nmessages;
    m.result_bytes = bytes.n;
    m.finish_ns = clock_monotonic_ns() - start;
    if (err.code) {
        refuse(g->link, &err);
    } else {
        if (!g->quiet)
            send_pieces(g->link, &bytes, &m.piece);
        conn_send(g->link, MESSAGE_GATHERED, &m);
        if (g->keep == KEEP_MODEL)
            keep_model(g, r, &bytes);
        if (g->keep == KEEP_TREE)
            lasttree_keep(g->journal, g->job, 0, r, &bytes);
        if (g->keep == KEEP_SLICE)
            lastslice_keep(g->journal, g->job, g->rank, &bytes, NULL);
    }
    lists_free(&lists);
    str_fini(&bytes);
    g->ended(g->arg);
    free(g);
}

/* Of a slice: rank is whose it is. */
static enum keep keep_of_tree(const Hct__Gather *m, uint32_t *rank)
{
    Hct__Stack *how = hct__stack__unpack(NULL, m->argument.len,
                                         m->argument.data);
    enum keep keep = KEEP_NOTHING;
    uint64_t one;

    if (how && how->slice && !how->sends_to) {
        if (parse_u64(&one, how->ranks, 0, INT32_MAX, NULL) == 0) {
            keep = KEEP_SLICE;
            *rank = (uint32_t)one;
        }
    } else if (how && !how->slice && !*how->ranks) {
        keep = KEEP_TREE;
    }
    if (how)
        hct__stack__free_unpacked(how, NULL);
    return keep;
}

static bool is_whole_model(const Hct__Gather *m)
{
    Hct__ModelAsk *how = hct__model_ask__unpack(NULL, m->argument.len,
                                                m->argument.data);
    bool whole = how && !*how->ranks && !how->window;

    if (how)
        hct__model_ask__free_unpacked(how, NULL);
    return whole;
}

/* A tree or model of some ranks only, or of some time, is not the one of the
 * job. */
static enum keep what_to_keep(const Hct__Gather *m, uint32_t *rank)
{
    if (m->job && strcmp(m->kind, "stack") == 0)
        return keep_of_tree(m, rank);
    if (m->job && strcmp(m->kind, "model") == 0 && is_whole_model(m))
        return KEEP_MODEL;
    return KEEP_NOTHING;
}

static uint64_t begin(struct gather *g, struct jobs *jobs,
                      const Hct__Gather *m, struct err *err)
{
    struct reduce_ask ask = {
        .kind = m->kind, .argument = m->argument.data,
        .nargument = m->argument.len, .wait_ns = m->wait_ns,
        .fan_out = m->fan_out, .levels = m->levels };

    if (m->job && !(ask.job = jobs_find(jobs, m->job)))
        return err_set(err, 1, "job %llu is not running here",
                       (unsigned long long)m->job), 0;
    if (m->wait_ns > GATHER_WAIT_MAX_NS)
        return err_set(err, 1, "an hour is the longest time to wait"), 0;
    return reducer_start(g->reducer, &ask, on_done, g, err);
}

struct gather *gather_start(struct reducer *rd, struct jobs *jobs,
                            struct journal *jn, struct conn *c,
                            const Hct__Gather *m,
                            void (*ended)(void *arg), void *arg)
{
    struct gather *g = calloc(1, sizeof(*g));
    struct err err = { 0, "out of memory" };

    if (g) {
        *g = (struct gather){ .reducer = rd, .journal = jn, .link = c,
                              .job = m->job, .quiet = m->quiet,
                              .ended = ended, .arg = arg };
        g->keep = what_to_keep(m, &g->rank);
        g->id = begin(g, jobs, m, &err);
    }
    if (g && g->id)
        return g;
    free(g);
    refuse(c, &err);
    return NULL;
}

void gather_cancel(struct gather *g)
{
    if (g)
        reducer_cancel(g->reducer, g->id);
    free(g);
}
