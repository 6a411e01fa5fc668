/* reduce_make.c - who takes part in a reduction, and in which order.
 *
 * Slaves on Unix sockets, all on this machine, and slaves on TCP have no way
 * to each other: each kind has a tree of its own below the master. A slave
 * that has not said where it listens has nobody below it. */
#include "master/tree/reduce_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master/tree/treeshape.h"
#include "proto/base/clock.h"

enum way { WAY_TCP, WAY_UNIX, WAY_NONE, WAYS };

static enum way way_of(const struct node *n)
{
    if (!n->reduce_at)
        return WAY_NONE;
    return strncmp(n->reduce_at, "unix:", 5) == 0 ? WAY_UNIX : WAY_TCP;
}

static bool is_there(const struct node *n, const struct job_node *jn)
{
    return n->link && n->state == NODE_UP && !(jn && jn->lost);
}

/* Those there come before those that are not, in the order of their ways. */
static int add_members(struct reducing *r, const struct nodes *nodes,
                       const struct job *j)
{
    size_t n = j ? j->nnodes : nodes->n;

    r->members = calloc(n + 1, sizeof(*r->members));
    if (!r->members)
        return -1;
    for (int pass = 0; pass <= WAYS; pass++) {
        for (size_t i = 0; i < n; i++) {
            const struct job_node *jn = j ? &j->nodes[i] : NULL;
            struct node *node = jn ? jn->node : nodes->v[i];
            struct reduce_member *x = &r->members[r->nmembers];
            bool there = is_there(node, jn);

            if (there ? (int)way_of(node) != pass : pass != WAYS)
                continue;
            if (!there && !jn)
                continue;               /* a node that left is no loss */
            x->node = node;
            if (jn && taskset_copy(&x->ranks, &jn->ranks))
                return -1;
            x->own = jn ? (uint32_t)taskset_count(&jn->ranks) : 1;
            if (!there) {
                x->state = REDUCE_LOST;
                x->why = strdup("its slave is not there");
            }
            r->nmembers++;
        }
        if (pass < WAYS)
            r->nasked = r->nmembers;
    }
    r->nwaiting = r->nasked;
    return 0;
}

static uint32_t fan_out_of(const struct reducing *r,
                           const struct reduce_ask *ask, uint32_t n)
{
    const struct reducer_conf *conf = &r->all->conf;

    if (ask->fan_out)
        return ask->fan_out;
    if (ask->levels)
        return treeshape_fan_out(n, ask->levels);
    return conf->fan_out ? conf->fan_out : treeshape_fan_out(n, conf->levels);
}

static int add_shape(struct reducing *r, const struct reduce_ask *ask)
{
    struct treeshape_slave *v = calloc(r->nasked + 1, sizeof(*v));
    uint32_t first = 0;

    if (!v)
        return -1;
    for (int way = 0; way < WAYS; way++) {
        uint32_t n = 0, levels;

        while (first + n < r->nasked &&
               (int)way_of(r->members[first + n].node) == way)
            n++;
        if (!n)
            continue;
        levels = treeshape_fill(v + first, n, first, way == WAY_NONE
                                ? UINT32_MAX : fan_out_of(r, ask, n));
        r->levels = levels > r->levels ? levels : r->levels;
        first += n;
    }
    for (uint32_t i = 0; i < r->nasked; i++) {
        r->members[i].parent = v[i].parent;
        r->members[i].members = v[i].members;
        r->members[i].height = v[i].height;
    }
    free(v);
    return 0;
}

/* Positions go by the order of the members. */
static int add_positions(struct reducing *r, const struct job *j)
{
    uint64_t width = 0;

    for (uint32_t i = 0; i < r->nasked; i++) {
        r->members[i].at = (uint32_t)width;
        width += r->members[i].own;
        if (width > UINT32_MAX)
            return -1;
    }
    r->width = (uint32_t)width;
    for (uint32_t i = 0; i < r->nasked; i++) {
        const struct reduce_member *last = &r->members[i] +
                                           r->members[i].members - 1;

        r->members[i].width = last->at + last->own - r->members[i].at;
    }
    r->rank_of = malloc((width + 1) * sizeof(*r->rank_of));
    if (!r->rank_of)
        return -1;
    for (uint32_t i = 0; i < r->nasked; i++) {
        const struct reduce_member *x = &r->members[i];
        uint32_t p = x->at;

        if (!j)
            r->rank_of[p] = i;
        for (int64_t k = -1; (k = taskset_next(&x->ranks, k)) >= 0; )
            r->rank_of[p++] = (uint32_t)k;
    }
    r->ntasks = j ? j->ntasks : r->nasked;
    return 0;
}

static int copy_argument(struct reducing *r, const struct reduce_ask *ask)
{
    r->nargument = ask->nargument;
    r->argument = malloc(ask->nargument + 1);
    if (r->argument && ask->nargument)
        memcpy(r->argument, ask->argument, ask->nargument);
    return r->argument ? 0 : -1;
}

struct reducing *reducing_make(struct reducer *rd,
                               const struct reduce_ask *ask, struct err *err)
{
    struct reducing *r;
    const struct merge_kind *merge = merge_find(ask->kind);

    if (!merge)
        return err_set(err, EINVAL, "nothing is known about gathering "
                       "\"%.40s\"", ask->kind), NULL;
    if (ask->job && !ask->job->nodes)
        return err_set(err, ESRCH, "job %llu has no tasks yet",
                       (unsigned long long)ask->job->id), NULL;
    r = calloc(1, sizeof(*r));
    if (!r)
        return err_memory(err), NULL;
    r->all = rd;
    r->merge = merge;
    r->id = ++rd->last_id;
    r->start_ns = clock_monotonic_ns();
    r->job = ask->job ? ask->job->id : 0;
    if (copy_argument(r, ask) || add_members(r, rd->nodes, ask->job) ||
        add_shape(r, ask) || add_positions(r, ask->job)) {
        reducing_free(r);
        return err_memory(err), NULL;
    }
    if (r->nasked == 0) {
        reducing_free(r);
        return err_set(err, ESRCH, "no slave is there to be asked"), NULL;
    }
    return r;
}

void reducing_free(struct reducing *r)
{
    if (r->merge)
        r->merge->destroy(r->whole);
    for (uint32_t i = 0; i < r->nmembers; i++) {
        taskset_fini(&r->members[i].ranks);
        free(r->members[i].why);
    }
    while (r->uploads) {
        struct upload *u = r->uploads;

        r->uploads = u->next;
        str_fini(&u->bytes);
        free(u->lacks);
        free(u);
    }
    if (r->timer)
        event_free(r->timer);
    free(r->argument);
    free(r->members);
    free(r->rank_of);
    free(r);
}
