/* mover_send.c - what slaves are told of a move, and who of them. */
#include "master/move/mover_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"
#include "proto/link/nodemap.h"

/* Has a part of the job, and takes part in what is ordered; while its link is
 * broken that waits for it. */
bool mover_takes_part(const struct job_node *jn)
{
    return jn->prepared && !jn->lost && !jn->drained;
}

bool mover_is_there(const struct job_node *jn)
{
    return mover_takes_part(jn) && !jn->away && jn->node->link;
}

static void send_all(const struct mover *v, enum message_type type,
                     const void *msg)
{
    for (size_t i = 0; i < v->job->nnodes; i++)
        if (mover_is_there(&v->job->nodes[i]))
            conn_send(v->job->nodes[i].node->link, type, msg);
}

/* What stands in the pages from now on, and that they are to be looked at. */
void mover_send_order(struct mover *v, unsigned word, uint64_t number,
                      uint64_t wait_ns, const struct stop_orders *o)
{
    Hct__StopOrder m = HCT__STOP_ORDER__INIT;
    uint32_t n = o ? o->nraises : 0;
    Hct__StopOrder__Raise *raises = calloc(n + 1, sizeof(*raises));
    Hct__StopOrder__Raise **all = calloc(n + 1, sizeof(*all));

    for (uint32_t i = 0; raises && all && i < n; i++) {
        hct__stop_order__raise__init(&raises[i]);
        raises[i].comm = o->raises[i].comm;
        raises[i].target = o->raises[i].number;
        all[m.n_raises++] = &raises[i];
    }
    m.job = v->job->id;
    m.number = v->number = number;
    m.look = v->looks = ++v->all->looks;
    v->asked_ns = clock_monotonic_ns();
    m.word = word;
    m.generation = v->generation;
    m.raises = all;
    m.signals = o ? (uint32_t *)(uintptr_t)o->signals : NULL;
    m.n_signals = o ? o->nsignals : 0;
    m.wait_ns = wait_ns;
    m.end = word == WORD_RUN && v->state != MOVE_CHECKED;
    send_all(v, MESSAGE_STOP_ORDER, &m);
    free(all);
    free(raises);
}

void mover_send_end(const struct mover *v)
{
    Hct__SwapEnd m = HCT__SWAP_END__INIT;

    m.job = v->job->id;
    m.serial = v->job->serial;
    send_all(v, MESSAGE_SWAP_END, &m);
}

static const char *node_name(const void *arg, size_t i)
{
    return ((const struct job *)arg)->nodes[i].node->name;
}

/* Those of these that are on that node now, "" for nobody; to be freed. */
static char *who_is_on(const struct mover *v, const struct taskset *ranks,
                       size_t node)
{
    struct taskset set = { 0 };
    char *text;

    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; )
        if (v->job->tasks[r].node == node)
            taskset_add(&set, (uint32_t)r, (uint32_t)r);
    text = taskset_text(&set);
    taskset_fini(&set);
    return text;
}

uint32_t mover_send_room_asks(const struct mover *v)
{
    uint32_t n = 0;

    for (size_t i = 0; v->nto && i < v->job->nnodes; i++) {
        Hct__RoomAsk m = HCT__ROOM_ASK__INIT;
        char *ranks = mover_is_there(&v->job->nodes[i])
                      ? who_is_on(v, &v->ranks, i) : NULL;

        m.job = v->job->id;
        m.serial = v->serial;
        m.ranks = ranks;
        if (ranks && *ranks)
            conn_send(v->job->nodes[i].node->link, MESSAGE_ROOM_ASK, &m);
        for (int64_t r = -1; ranks && (r = taskset_next(&v->ranks, r)) >= 0; )
            n += v->job->tasks[r].node == i;
        free(ranks);
    }
    return n;
}

/* Where the images of those go that leave a node; to be freed, as is ranks. */
struct mover_ways { Hct__Swap__Way *v, **all; size_t n; };

static void drop_ways(struct mover_ways *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i].ranks);
    free(w->v);
    free(w->all);
}

/* Those that are not in it go through us. */
static void find_ways(const struct mover *v, size_t from, struct mover_ways *w)
{
    *w = (struct mover_ways){ .v = calloc(v->nto + 1, sizeof(*w->v)),
                              .all = calloc(v->nto + 1, sizeof(*w->all)) };
    for (size_t i = 0; w->v && w->all && !v->returns && i < v->nto; i++) {
        const struct node *to = v->to[i].node;
        char *ranks = to->reduce_at ? who_is_on(v, &v->to[i].ranks, from)
                                    : NULL;

        if (!ranks || !*ranks) {
            free(ranks);
            continue;
        }
        hct__swap__way__init(&w->v[w->n]);
        w->v[w->n].ranks = ranks;
        w->v[w->n].node = to->name;
        w->v[w->n].addresses = to->reduce_at;
        w->all[w->n] = &w->v[w->n];
        w->n++;
    }
}

static void send_swap_to(struct mover *v, size_t i, Hct__Prepare *places)
{
    const struct node *n = v->job->nodes[i].node;
    const struct mover_target *to = mover_target_of(v, n);
    const struct taskset none = { 0 };
    Hct__Swap m = HCT__SWAP__INIT;
    struct mover_ways ways;

    find_ways(v, i, &ways);
    m.ways = ways.all;
    m.n_ways = ways.n;
    places->here = (uint32_t)i;
    m.job = v->job->id;
    m.serial = v->serial;
    m.places = places;
    if (v->saving && !v->returns)
        m.saving = v->saving;
    m.leaving = who_is_on(v, v->returns ? &none : &v->ranks, i);
    m.coming = taskset_text(to && !v->returns ? &to->ranks : &none);
    if (m.leaving && m.coming)
        conn_send(n->link, MESSAGE_SWAP, &m);
    free(m.leaving);
    free(m.coming);
    drop_ways(&ways);
}

bool mover_moves(const struct mover *v, uint32_t r)
{
    return !v->returns && taskset_has(&v->ranks, r);
}

/* The name of the first one, and a number. */
static int name_space(const struct mover *v, char *to, size_t size,
                      struct err *err)
{
    const struct job_paper *paper = &v->job->placement;
    Hct__Prepare *p = hct__prepare__unpack(NULL, paper->n, paper->bytes);

    if (!p)
        return err_memory(err);
    snprintf(to, size, "%.*s.%u", (int)strcspn(p->nspace, "."), p->nspace,
             v->serial);
    hct__prepare__free_unpacked(p, NULL);
    return 0;
}

/* Where all are to be. */
int mover_take_aim(struct mover *v, struct err *err)
{
    struct job *j = v->job;

    for (uint32_t r = 0; r < j->ntasks; r++)
        v->node_of[r] = j->tasks[r].node;
    for (size_t i = 0; !v->returns && i < v->nto; i++) {
        const struct job_node *to = job_node_find(j, v->to[i].node);

        if (!to)
            return err_set(err, ESRCH, "%s has left", v->to[i].node->name);
        for (int64_t r = -1; (r = taskset_next(&v->to[i].ranks, r)) >= 0; )
            v->node_of[r] = (uint32_t)(to - j->nodes);
    }
    return 0;
}

struct mover_target *mover_target_of(struct mover *v, const struct node *n)
{
    for (size_t i = 0; i < v->nto; i++)
        if (v->to[i].node == n)
            return &v->to[i];
    return NULL;
}

struct mover_target *mover_target_of_rank(struct mover *v, uint32_t rank)
{
    for (size_t i = 0; i < v->nto; i++)
        if (taskset_has(&v->to[i].ranks, rank))
            return &v->to[i];
    return NULL;
}

/* Has tasks, or was to get some. One that all have left is about to say that it
 * has drained, and can take no order to be another. */
bool mover_swaps(struct mover *v, const struct job_node *jn)
{
    return mover_takes_part(jn) && (jn->ntasks || mover_target_of(v, jn->node));
}

/* A further namespace: to all, or to one that may not have heard of it. */
int mover_send_swap(struct mover *v, const struct job_node *only,
                    struct err *err)
{
    struct job *j = v->job;
    Hct__Prepare places = HCT__PREPARE__INIT;
    char nspace[128];

    if (name_space(v, nspace, sizeof(nspace), err))
        return -1;
    if (nodemap_write(&places, j->nnodes, node_name, j, v->node_of,
                      j->ntasks))
        return err_memory(err);
    places.nspace = nspace;
    places.ntasks = j->ntasks;
    places.oversubscribed = j->oversubscribed;
    for (size_t i = 0; i < j->nnodes; i++)
        if (mover_is_there(&j->nodes[i]) && mover_swaps(v, &j->nodes[i]) &&
            (!only || only == &j->nodes[i]))
            send_swap_to(v, i, &places);
    nodemap_drop(&places);
    return 0;
}

int mover_begin_swap(struct mover *v, struct err *err)
{
    if (mover_take_aim(v, err))
        return -1;
    for (size_t i = 0; i < v->nnodes; i++)
        v->node[i].swapped = false;
    v->serial++;
    return mover_send_swap(v, NULL, err);
}

/* For where it comes; said is to be freed. */
static Hct__TaskMoved *fill_arrival(const struct mover *v, uint32_t rank,
                                    Hct__SwapGo__Arrival *a)
{
    Hct__TaskMoved *said = hct__task_moved__unpack(
        NULL, v->rank[rank].said_bytes, v->rank[rank].said);

    hct__swap_go__arrival__init(a);
    a->rank = rank;
    if (!said)
        return NULL;
    a->records = said->records;
    a->tagged = said->tagged;
    a->n_open = said->n_open;
    a->open = said->open;
    a->out_bytes = said->out_bytes;
    a->err_bytes = said->err_bytes;
    a->reads = said->reads;
    a->in_bytes = said->in_bytes;
    return said;
}

int mover_find_arrivals(const struct mover *v, struct mover_arrivals *a,
                        struct err *err)
{
    size_t n = taskset_count(&v->ranks);

    *a = (struct mover_arrivals){ .v = calloc(n + 1, sizeof(*a->v)),
                                  .all = calloc(n + 1, sizeof(*a->all)),
                                  .said = calloc(n + 1, sizeof(*a->said)) };
    if (!a->v || !a->all || !a->said)
        return err_memory(err);
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; ) {
        if (!v->rank[r].left)
            continue;           /* it is there already, for who took this up */
        a->said[a->n] = fill_arrival(v, (uint32_t)r, &a->v[a->n]);
        a->all[a->n] = &a->v[a->n];
        a->n++;
    }
    return 0;
}

void mover_drop_arrivals(struct mover_arrivals *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->said[i])
            hct__task_moved__free_unpacked(a->said[i], NULL);
    free(a->said);
    free(a->all);
    free(a->v);
}

void mover_send_go(const struct mover *v)
{
    Hct__SwapGo m = HCT__SWAP_GO__INIT;
    struct mover_arrivals a;
    struct err err;

    if (mover_find_arrivals(v, &a, &err))
        log_warn("move", "%s job=%llu", err.text,
                 (unsigned long long)v->job->id);
    m.job = v->job->id;
    m.serial = v->serial;
    m.arrivals = a.all;
    m.n_arrivals = a.n;
    send_all(v, MESSAGE_SWAP_GO, &m);
    mover_drop_arrivals(&a);
}

struct job_node *mover_other_end(const struct mover *v, uint32_t rank,
                                 bool to_target)
{
    uint32_t node = to_target ? v->node_of[rank] : v->job->tasks[rank].node;

    return node < v->job->nnodes && mover_is_there(&v->job->nodes[node])
           ? &v->job->nodes[node] : NULL;
}

void mover_send_let(const struct mover *v)
{
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; ) {
        struct job_node *at = mover_other_end(v, (uint32_t)r, false);
        Hct__ImageCredit m = HCT__IMAGE_CREDIT__INIT;

        m.job = v->job->id;
        m.rank = (uint32_t)r;
        m.serial = v->serial;
        m.came = true;
        if (at)
            conn_send(at->node->link, MESSAGE_IMAGE_CREDIT, &m);
    }
}
