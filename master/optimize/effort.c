/* effort.c - see effort.h.
 *
 * What is told of one stretch of time counts as much as all before it: programs
 * change, and what they do in turns comes out as its mean. */
#include "master/optimize/effort.h"

#include <errno.h>
#include <math.h>

#include "proto/base/array.h"

enum { MOST = 64 };             /* of each that a task may tell of */
/* Between two calls less is computed than the wrappers and caches let it vary. */
static const double least_s = 20e-6;
/* Less traffic does not count, nor what is sent by one that computes nothing. */
static const double least_bytes_s = 1000, least_computed_s = 1e-3;

const struct effort *effort_of(const struct job *j, uint32_t rank)
{
    return j->course && rank < j->course->nefforts ? &j->course->efforts[rank]
                                                   : NULL;
}

/* -------------------------------------------------------------------- sites */

static bool is_told(const Hct__Effort__Task *m, uint64_t key)
{
    for (size_t i = 0; i < m->n_sites; i++)
        if (m->sites[i] == key)
            return true;
    return false;
}

/* Where it is, or may be: in place of one that is not told of any more. */
static struct effort_site *site_of(struct effort *e, const Hct__Effort__Task *m,
                                   uint64_t key)
{
    struct effort_site *free_one = NULL;

    for (int i = 0; i < EFFORT_SITES; i++)
        if (e->site[i].key == key)
            return &e->site[i];
    for (int i = 0; i < EFFORT_SITES && !free_one; i++)
        if (e->site[i].key == 0 || !is_told(m, e->site[i].key))
            free_one = &e->site[i];
    if (free_one)
        *free_one = (struct effort_site){ .key = key };
    return free_one;
}

static void take_site(struct effort *e, const Hct__Effort__Task *m, size_t i,
                      uint32_t node)
{
    double s = m->calls[i] && m->outside_ns
               ? (double)m->out_ns[i] / 1e9 * (double)m->computed_ns /
                 (double)m->outside_ns / (double)m->calls[i]
               : 0;
    struct effort_site *at;

    if (m->sites[i] == 0 || !(s >= least_s) || !isfinite(s) ||
        !(at = site_of(e, m, m->sites[i])))
        return;
    if (at->now.node == node) {
        at->now.s = (float)(at->now.s + s) / 2;
        return;
    }
    if (at->now.node)
        at->was = at->now;
    at->now = (struct effort_place){ node, (float)s };
}

/* ----------------------------------------------------------------- partners */

static struct effort_partner *partner_of(struct effort *e, uint32_t rank)
{
    for (uint32_t i = 0; i < e->npartners; i++)
        if (e->partner[i].rank == rank)
            return &e->partner[i];
    return NULL;
}

static struct effort_partner *least_of(struct effort *e)
{
    struct effort_partner *p = &e->partner[0];

    for (uint32_t i = 1; i < e->npartners; i++)
        if (e->partner[i].bytes_s < p->bytes_s)
            p = &e->partner[i];
    return p;
}

static void add_partner(struct effort *e, uint32_t rank, float bytes_s)
{
    struct effort_partner *p = partner_of(e, rank);

    if (p) {
        p->bytes_s += bytes_s;
    } else if (e->npartners < EFFORT_PARTNERS) {
        e->partner[e->npartners++] = (struct effort_partner){ rank, bytes_s };
    } else if (least_of(e)->bytes_s < bytes_s) {
        *least_of(e) = (struct effort_partner){ rank, bytes_s };
    }
}

/* What is told of again, or in place of the least. */
static void add_comm(struct effort *e, const struct effort_comm *is)
{
    struct effort_comm *to = &e->comm[0];
    float had_bytes_s;

    for (int i = 0; i < EFFORT_COMMS; i++) {
        if (e->comm[i].id == is->id) {
            to = &e->comm[i];
            break;
        }
        if (e->comm[i].bytes_s < to->bytes_s)
            to = &e->comm[i];
    }
    if (to->id != is->id && to->bytes_s >= is->bytes_s)
        return;
    had_bytes_s = to->id == is->id ? to->bytes_s : 0;
    *to = *is;
    to->bytes_s += had_bytes_s;
}

static void take_comms(struct effort *e, const struct job *j,
                       const Hct__Effort__Task *m, double computed_s)
{
    float part = e->comm[0].id || e->comm[1].id ? 0.5f : 1;

    for (int i = 0; i < EFFORT_COMMS; i++)
        e->comm[i].bytes_s *= part;
    for (size_t i = 0; i < m->n_comms; i++) {
        struct effort_comm is = {
            m->comms[i], m->comm_ranks[i], m->comm_sizes[i],
            part * (float)((double)m->collected[i] / computed_s) };

        if (is.id && is.size <= j->ntasks)
            add_comm(e, &is);
    }
    for (int i = 0; i < EFFORT_COMMS; i++)
        if (e->comm[i].bytes_s < least_bytes_s)
            e->comm[i] = (struct effort_comm){ .id = 0 };
}

/* For each second that it computes, on a processor of speed 1: what a program sends
 * goes with what it does. */
static void take_partners(struct effort *e, const Hct__Effort__Task *m,
                          double computed_s)
{
    uint32_t n = 0;

    /* What is known at first is all that is known. */
    float part = e->npartners ? 0.5f : 1;

    for (uint32_t i = 0; i < e->npartners; i++)
        e->partner[i].bytes_s *= part;
    for (size_t i = 0; i < m->n_partners; i++)
        add_partner(e, m->partners[i],
                    part * (float)((double)m->bytes[i] / computed_s));
    for (uint32_t i = 0; i < e->npartners; i++)
        if (e->partner[i].bytes_s >= least_bytes_s)
            e->partner[n++] = e->partner[i];
    e->npartners = n;
}

/* ---------------------------------------------------------------------- all */

static int check_comms(const Hct__Effort__Task *t, struct err *err)
{
    bool same = t->n_comm_ranks == t->n_comms && t->n_comm_sizes == t->n_comms &&
                t->n_collected == t->n_comms && t->n_comms <= MOST;

    for (size_t i = 0; same && i < t->n_comms; i++)
        same = t->comm_ranks[i] < t->comm_sizes[i];
    return same ? 0 : err_set(err, EPROTO, "communicators of an Effort that make "
                              "no sense");
}

static int check(const struct job *j, const struct job_node *at,
                 const Hct__Effort *m, struct err *err)
{
    for (size_t i = 0; i < m->n_tasks; i++) {
        const Hct__Effort__Task *t = m->tasks[i];
        const struct task *task = t->rank < j->ntasks ? &j->tasks[t->rank]
                                                      : NULL;

        if (!task || !job_has_on(j, task, at))
            return err_set(err, EPROTO, "efforts of rank %u, which is not on "
                           "this node", t->rank);
        if (t->n_calls != t->n_sites || t->n_out_ns != t->n_sites ||
            t->n_bytes != t->n_partners || t->n_sites > MOST ||
            t->n_partners > MOST)
            return err_set(err, EPROTO, "an Effort that makes no sense");
        if (check_comms(t, err))
            return -1;
        for (size_t k = 0; k < t->n_partners; k++)
            if (t->partners[k] >= j->ntasks || t->partners[k] == t->rank)
                return err_set(err, EPROTO, "rank %u sends to rank %u of %u",
                               t->rank, t->partners[k], j->ntasks);
    }
    return 0;
}

int effort_take(struct job *j, const struct job_node *at, const Hct__Effort *m,
                struct err *err)
{
    struct course *c = course_of(j);

    if (check(j, at, m, err))
        return -1;
    if (!c || array_reserve_zeros(&c->efforts, &c->nefforts, j->ntasks))
        return err_memory(err);
    for (size_t i = 0; i < m->n_tasks; i++) {
        const Hct__Effort__Task *t = m->tasks[i];
        struct effort *e = &c->efforts[t->rank];
        double computed_s;

        for (size_t k = 0; k < t->n_sites; k++)
            take_site(e, t, k, at->node->id + 1);
        computed_s = (double)t->computed_ns / 1e9 * node_speed_whole(at->node);
        if (computed_s < least_computed_s)
            continue;
        take_partners(e, t, computed_s);
        take_comms(e, j, t, computed_s);
    }
    return 0;
}
