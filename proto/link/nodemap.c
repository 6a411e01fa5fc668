/* nodemap.c - nodes and ranks of a job, from and to their short form. */
#include "proto/link/nodemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/hostlist.h"

/* ------------------------------------------------------------------ writing */

/* How many ranks from `at` on, before `end`, are on the same node. */
static uint32_t same_node(const uint32_t *node_of, uint32_t at, uint32_t end)
{
    uint32_t n = 1;

    while (at + n < end && node_of[at + n] == node_of[at])
        n++;
    return n;
}

/* Do these ranks repeat those before them, `each` to each node? */
static bool is_round(const uint32_t *node_of, uint32_t at, uint32_t end,
                     const Hct__Prepare__Deal *d)
{
    uint64_t n = (uint64_t)d->nodes * d->each;

    if (at + n > end)
        return false;
    for (uint32_t i = 0; i < d->nodes; i++)
        if (node_of[at + i * d->each] != d->node + i ||
            same_node(node_of, at + i * d->each, end) < d->each)
            return false;
    return true;
}

/* The deal that begins at this rank; returns how many ranks it is about. */
static uint32_t take_deal(Hct__Prepare__Deal *d, const uint32_t *node_of,
                          uint32_t at, uint32_t end)
{
    uint32_t next = at + same_node(node_of, at, end);

    hct__prepare__deal__init(d);
    d->node = node_of[at];
    d->each = next - at;
    d->nodes = d->rounds = 1;
    while (next < end && node_of[next] == d->node + d->nodes &&
           same_node(node_of, next, end) == d->each) {
        d->nodes++;
        next += d->each;
    }
    while (is_round(node_of, next, end, d)) {
        d->rounds++;
        next += d->nodes * d->each;
    }
    return next - at;
}

static int add_deal(Hct__Prepare *p, size_t *cap, const Hct__Prepare__Deal *d)
{
    Hct__Prepare__Deal *copy;

    if (array_reserve(&p->deals, cap, p->n_deals + 1) ||
        !(copy = malloc(sizeof(*copy))))
        return -1;
    *copy = *d;
    p->deals[p->n_deals++] = copy;
    return 0;
}

static char *fold(const struct hostlist *names)
{
    int n = hostlist_fold(names, NULL, 0);
    char *text = malloc((size_t)n + 1);

    if (text)
        hostlist_fold(names, text, (size_t)n + 1);
    return text;
}

int nodemap_write(Hct__Prepare *p, size_t n,
                  const char *(*name)(const void *arg, size_t i),
                  const void *arg, const uint32_t *node_of, uint32_t ntasks)
{
    struct hostlist names = { 0 };
    Hct__Prepare__Deal d;
    size_t i = 0, cap = 0;
    int rc = 0;

    while (i < n && hostlist_add(&names, name(arg, i), NULL) == 0)
        i++;
    p->hosts = i == n ? fold(&names) : NULL;
    hostlist_fini(&names);
    p->deals = NULL;
    p->n_deals = 0;
    rc = p->hosts ? 0 : -1;
    for (uint32_t at = 0; rc == 0 && node_of && at < ntasks; ) {
        at += take_deal(&d, node_of, at, ntasks);
        rc = add_deal(p, &cap, &d);
    }
    if (rc)
        nodemap_drop(p);
    return rc;
}

void nodemap_drop(Hct__Prepare *p)
{
    for (size_t i = 0; i < p->n_deals; i++)
        free(p->deals[i]);
    free(p->deals);
    free(p->hosts);
    p->deals = NULL;
    p->n_deals = 0;
    p->hosts = NULL;
}

/* ------------------------------------------------------------------ reading */

/* A deal from outside that begins at this rank: within the nodes and ranks? */
static int check_deal(const Hct__Prepare__Deal *d, uint64_t at, uint64_t ntasks,
                      uint64_t nodes, struct err *err)
{
    uint64_t left = ntasks - at;

    if (!d->nodes || !d->each || !d->rounds ||
        (uint64_t)d->node + d->nodes > nodes)
        return err_set(err, EINVAL, "ranks from %llu on are dealt to node %u "
                       "and %u behind it, of %llu", (unsigned long long)at,
                       d->node, d->nodes, (unsigned long long)nodes);
    if (d->each > left || d->nodes > left / d->each ||
        d->rounds > left / d->each / d->nodes)
        return err_set(err, EINVAL, "more than %llu ranks are dealt",
                       (unsigned long long)ntasks);
    return 0;
}

/* What node i gets by a deal that begins at this rank. */
static int add_dealt(struct taskset *ranks, const Hct__Prepare__Deal *d,
                     uint32_t at, uint32_t i)
{
    if (i < d->node || i - d->node >= d->nodes)
        return 0;
    for (uint32_t k = 0; k < d->rounds; k++) {
        uint32_t first = at + (k * d->nodes + (i - d->node)) * d->each;

        if (taskset_add(ranks, first, first + d->each - 1))
            return -1;
    }
    return 0;
}

/* Nodes first to last get their ranks by all deals: of(arg, i) is the set of
 * node i. */
static int deal(struct taskset *(*of)(void *arg, uint32_t i), void *arg,
                uint32_t first, uint32_t last, uint32_t nodes,
                const Hct__Prepare *p, struct err *err)
{
    uint32_t at = 0;

    for (size_t k = 0; k < p->n_deals; k++) {
        const Hct__Prepare__Deal *d = p->deals[k];
        uint32_t begin = d->node > first ? d->node : first;

        if (check_deal(d, at, p->ntasks, nodes, err))
            return -1;
        for (uint32_t i = begin; i <= last && i - d->node < d->nodes; i++)
            if (add_dealt(of(arg, i), d, at, i))
                return err_memory(err);
        at += d->nodes * d->each * d->rounds;
    }
    return 0;
}

static struct taskset *ranks_of(void *arg, uint32_t i)
{
    return &((struct nodemap *)arg)->v[i].ranks;
}

static struct taskset *ranks_here(void *arg, uint32_t i)
{
    (void)i;
    return arg;
}

static int read_short(struct nodemap *m, const Hct__Prepare *p,
                      struct err *err)
{
    struct hostlist names = { 0 };

    if (hostlist_expand(&names, p->hosts, err)) {
        hostlist_fini(&names);          /* it keeps its room */
        return -1;
    }
    m->v = calloc(names.n + 1, sizeof(*m->v));
    if (!m->v) {
        hostlist_fini(&names);
        return err_memory(err);
    }
    for (; m->n < names.n; m->n++) {
        m->v[m->n].name = names.v[m->n];        /* ours now */
        names.v[m->n] = NULL;
    }
    hostlist_fini(&names);
    return m->n ? deal(ranks_of, m, 0, (uint32_t)m->n - 1, (uint32_t)m->n, p,
                       err) : 0;
}

/* One by one, as masters before this short form have recorded it. */
static int read_long(struct nodemap *m, const Hct__Prepare *p,
                     struct err *err)
{
    m->v = calloc(p->n_nodes + 1, sizeof(*m->v));
    if (!m->v)
        return err_memory(err);
    for (; m->n < p->n_nodes; m->n++) {
        struct nodemap_node *x = &m->v[m->n];

        x->name = strdup(p->nodes[m->n]->name);
        if (!x->name)
            return err_memory(err);
        if (taskset_parse(&x->ranks, p->nodes[m->n]->ranks, p->ntasks, err))
            return free(x->name), -1;
    }
    return 0;
}

int nodemap_read(struct nodemap *m, const Hct__Prepare *p, struct err *err)
{
    *m = (struct nodemap){ 0 };
    if ((p->n_nodes ? read_long : read_short)(m, p, err) == 0)
        return 0;
    nodemap_fini(m);
    return -1;
}

void nodemap_fini(struct nodemap *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->v[i].name);
        taskset_fini(&m->v[i].ranks);
    }
    free(m->v);
    *m = (struct nodemap){ 0 };
}

int nodemap_here(struct taskset *ranks, const Hct__Prepare *p,
                 struct err *err)
{
    int rc;

    if (p->n_nodes && p->here >= p->n_nodes)
        return err_set(err, EINVAL, "node %u of %zu is not one of them",
                       p->here, p->n_nodes);
    if (p->n_nodes)
        return taskset_parse(ranks, p->nodes[p->here]->ranks, p->ntasks, err);
    taskset_fini(ranks);
    rc = deal(ranks_here, ranks, p->here, p->here, UINT32_MAX, p, err);
    if (rc)
        taskset_fini(ranks);
    return rc;
}
