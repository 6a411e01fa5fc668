/* ladder_look.c - what there is when a step is decided: nodes, jobs and how
 * their tasks fare, as climb.h wants it. */
#include <math.h>
#include <stdlib.h>

#include "master/ladder/ladder_private.h"
#include "master/move/checkpoint.h"
#include "master/store/journal.h"
#include "master/store/query.h"
#include "proto/link/conn.h"

enum { USUAL_WEIGHT = 1024 };
static const double weight_step = 1.25, /* of the kernel, from nice to nice */
    short_part = 0.05;                  /* of the memory is to be free */
static const uint64_t moves_old_ns = 10 * CLOCK_NS_PER_S;
static const struct climb_moves moves_unknown = { 1, 1e8, 0 };

/* ----------------------------------------------------------- what is known */

const struct pace *ladder_worst(const struct job *j, uint32_t *number)
{
    const struct pace *worst = NULL;

    for (uint32_t i = 0; j->paces && i < PACES; i++) {
        const struct pace *p = &j->paces[i];

        if (!p->each || p->stage == PACE_GOOD)
            continue;
        if (worst && (p->stage < worst->stage ||
                      (p->stage == worst->stage && p->margin >= worst->margin)))
            continue;
        worst = p;
        *number = i + 1;
    }
    return worst;
}

struct fare *ladder_fare(struct ladder *l, uint64_t job, const struct node *n,
                         bool make)
{
    struct seen_fare *f;

    LIST_FOREACH(f, &l->fares, place)
        if (f->job == job && f->node == n)
            return &f->is;
    if (!make || !(f = calloc(1, sizeof(*f))))
        return NULL;
    f->job = job;
    f->node = n;
    LIST_INSERT_HEAD(&l->fares, f, place);
    return &f->is;
}

bool ladder_holds(const struct ladder *l, uint64_t job)
{
    const struct rung_taken *r;

    TAILQ_FOREACH(r, &l->rungs, place)
    if (r->target == job && r->kind == CLIMB_SUSPEND && rung_stands(r->state))
        return true;
    return false;
}

/* ---------------------------------------------------------------- patience */

double ladder_may_s(struct ladder *l, const struct job *j)
{
    uint64_t now_ns = clock_monotonic_ns();
    double part = j->max_suspend / 100.0, most = part * LADDER_WINDOW_S, over;
    bool stands = ladder_holds(l, j->id) || j->state == JOB_STORED;
    struct patience *p;

    if (part >= 1)
        return INFINITY;
    LIST_FOREACH(p, &l->patience, place)
        if (p->job == j->id)
            break;
    if (!p) {
        if (!(p = calloc(1, sizeof(*p))))
            return 0;
        *p = (struct patience){ .job = j->id, .at_ns = now_ns };
        LIST_INSERT_HEAD(&l->patience, p, place);
    }
    over = (double)(now_ns - p->at_ns) / 1e9;
    p->at_ns = now_ns;
    p->used_s = fmax(0, stands ? p->used_s + over
                               : p->used_s - over * part / (1 - part));
    if (!stands && most - p->used_s < (double)LADDER_DWELL_NS / 1e9)
        return 0;               /* it would go on at once */
    return most - p->used_s;
}

/* --------------------------------------------------------------- questions */

static bool reaches(const struct job_node *jn)
{
    return !jn->lost && !jn->away && !jn->drained && jn->node->link;
}

void ladder_ask(struct ladder *l, struct climber *c)
{
    const struct job *rt = jobs_find(l->parts.jobs, c->job);
    Hct__Yield m = HCT__YIELD__INIT;

    m.look = true;
    m.serial = c->serial = ++l->serial;
    c->asks = 0;
    c->asked_ns = clock_monotonic_ns();
    for (struct job *j = NULL; rt && (j = jobs_next(l->parts.jobs, j)); ) {
        m.job = j->id;
        for (size_t i = 0; j->state == JOB_RUNNING && i < rt->nnodes; i++) {
            const struct job_node *jn = job_node_find(j, rt->nodes[i].node);

            if (!jn || !reaches(jn) || !jn->nlive)
                continue;
            conn_send(jn->node->link, MESSAGE_YIELD, &m);
            c->asks++;
        }
    }
}

/* Of the last moves; asked of the database now and then, where there is another
 * node at all. */
static void look_at_moves(struct ladder *l)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct query_moving q;
    struct err err;

    if (l->moves_ns && now_ns - l->moves_ns < moves_old_ns)
        return;
    l->moves_ns = now_ns;
    l->moves = moves_unknown;
    if (query_moving(journal_store(l->parts.acts->journal), &q, &err) ||
        !q.done)
        return;
    l->moves.base_s = q.base_s;
    l->moves.risk = 1 - (double)q.done / (double)q.ended;
    if (q.bytes_s > 0)
        l->moves.bytes_s = q.bytes_s;
}

/* --------------------------------------------------------------- the sight */

/* It is stopped by nobody, and runs; or by us. */
static bool is_going(const struct job *j)
{
    if (j->state != JOB_RUNNING || j->mover)
        return false;
    for (uint32_t r = 0; r < j->ntasks; r++)
        if (!task_state_final(j->tasks[r].state) &&
            j->tasks[r].hold != HOLD_GOING)
            return false;
    return true;
}

static bool has_due(const struct ladder *l, const struct job *j)
{
    for (uint32_t i = 1; i <= HCT_DEADLINES_MAX; i++)
        if (l->parts.due(j, i))
            return true;
    return false;
}

static unsigned rests_of(const struct ladder *l, uint64_t job)
{
    uint64_t now_ns = clock_wall_ns();
    const struct rung_taken *r;
    unsigned rests = 0;

    TAILQ_FOREACH(r, &l->rungs, place)
        if (r->target == job && r->at_ns + LADDER_DWELL_NS > now_ns)
            rests |= 1u << r->kind;
    return rests;
}

static int class_of(const struct job *j)
{
    return j->priority.class == PRIORITY_REALTIME ? 1
           : j->priority.class == PRIORITY_IDLE ? -1 : 0;
}

static struct climb_job job_of(struct ladder *l, const struct job *j)
{
    struct err err;

    return (struct climb_job){
        .id = j->id, .uid = j->uid, .class = class_of(j),
        .priority = j->priority.n, .started_ns = j->started_ns,
        .going = is_going(j), .held = ladder_holds(l, j->id),
        .due = has_due(l, j), .movable = mover_able(j, &err) == 0,
        .storable = j->checkpoints && mover_able(j, &err) == 0,
        .may_s = ladder_may_s(l, j), .rests = rests_of(l, j->id) };
}

static bool is_realtime(const struct task *t)
{
    return t->share.sort == PRIORITY_SORT_REALTIME ||
           t->share.sort == PRIORITY_SORT_DEADLINE;
}

/* As what it might have asked for itself. */
static unsigned may_raise(const struct ladder *l, const struct fare *f)
{
    const int most = l->parts.acts->conf.max_priority;

    return most <= 0 || f->raised                ? 0
           : f->may_raise < (unsigned)most ? f->may_raise
                                           : (unsigned)most;
}

static struct climb_share share_of(struct ladder *l, struct job *j,
                                   const struct job_node *jn)
{
    const struct fare *f = ladder_fare(l, j->id, jn->node, false);
    struct climb_share s = { .node = jn->node->id, .tasks = jn->nlive,
                             .wanted = -1, .weight = USUAL_WEIGHT };
    const struct task *first = NULL;
    unsigned steps;

    for (int64_t r = -1; (r = taskset_next(&jn->ranks, r)) >= 0; ) {
        const struct task *t = &j->tasks[r];

        if (task_state_final(t->state))
            continue;
        s.bytes += t->rss_bytes;
        if (!first && t->share.applied)
            s.weight = USUAL_WEIGHT / pow(weight_step, t->share.nice);
        first = first ? first : t;
    }
    if (!f || !f->at_ns)
        return s;
    s.cpus = f->cpus;
    s.calm = f->calm;
    s.aside = f->aside;
    s.can_calm = f->may_calm;
    s.can_aside = j->ops->ours;
    steps = may_raise(l, f);
    if (steps && first && !is_realtime(first))  /* there it means nothing */
        s.more = USUAL_WEIGHT * pow(weight_step, steps);
    if (fare_is_fresh(f, clock_monotonic_ns()) || ladder_holds(l, j->id)) {
        s.ran = f->ran;
        s.wanted = f->over_ns ? f->wanted : -1;
    }
    return s;
}

/* As its slave says of any of its jobs; else as many as it has told. */
static struct climb_cpus cpus_of(const struct ladder *l, const struct node *n)
{
    struct climb_cpus c = { { 0 } };
    const struct seen_fare *f;

    LIST_FOREACH(f, &l->fares, place)
        if (f->node == n && f->is.at_ns)
            return f->is.all;
    for (uint32_t i = 0; i < n->cpus && i < CLIMB_CPUS; i++)
        c.w[i / 64] |= (uint64_t)1 << i % 64;
    return c;
}

static void look_at_nodes(const struct ladder *l, struct ladder_sight *v)
{
    const struct nodes *all = l->parts.nodes;

    for (size_t i = 0; i < all->n; i++) {
        const struct node *n = all->v[i];
        double spare = short_part * (double)n->memory_bytes, ours = 0;

        for (size_t k = 0; k < v->in.nshares; k++)
            if (v->shares[k].node == i && !v->jobs[v->shares[k].job].held)
                ours += v->shares[k].wanted >= 0 ? v->shares[k].ran
                                                 : v->shares[k].tasks;
        v->nodes[i] = (struct climb_node){
            .cpus = cpus_of(l, n), .speed = node_speed(n),
            .others = fmax(0, n->cpu_busy * n->cpus - ours),
            .takes = n->state == NODE_UP && !n->draining, .name = n->name };
        if (n->memory_available_bytes &&
            (double)n->memory_available_bytes < spare)
            v->nodes[i].short_bytes =
                (uint64_t)spare - n->memory_available_bytes;
    }
    v->in.nnodes = all->n;
}

static bool make_room(const struct ladder *l, struct ladder_sight *v)
{
    size_t njobs = 0, nshares = 0;

    for (struct job *j = NULL; (j = jobs_next(l->parts.jobs, j)); njobs++)
        nshares += j->nnodes;
    v->jobs = calloc(njobs + 1, sizeof(*v->jobs));
    v->of = calloc(njobs + 1, sizeof(*v->of));
    v->shares = calloc(nshares + 1, sizeof(*v->shares));
    v->nodes = calloc(l->parts.nodes->n + 1, sizeof(*v->nodes));
    return v->jobs && v->of && v->shares && v->nodes;
}

bool ladder_look(struct ladder *l, const struct climber *c,
                 const struct pace *p, const struct due *due,
                 struct ladder_sight *v)
{
    bool there = false;

    *v = (struct ladder_sight){ 0 };
    if (!make_room(l, v))
        return false;
    for (struct job *j = NULL; (j = jobs_next(l->parts.jobs, j)); ) {
        uint32_t at = (uint32_t)v->in.njobs;

        if (j->state != JOB_RUNNING && j->state != JOB_STARTING)
            continue;
        v->of[at] = j;
        v->jobs[at] = job_of(l, j);
        for (size_t i = 0; i < j->nnodes; i++)
            if (!j->nodes[i].lost && j->nodes[i].nlive) {
                v->shares[v->in.nshares] = share_of(l, j, &j->nodes[i]);
                v->shares[v->in.nshares++].job = at;
            }
        if (j->id == c->job) {
            v->in.job = at;
            there = true;
        }
        v->in.njobs++;
    }
    look_at_nodes(l, v);
    if (l->parts.nodes->n > 1)
        look_at_moves(l);
    v->in.moves = l->moves_ns ? l->moves : moves_unknown;
    v->in.nodes = v->nodes;
    v->in.jobs = v->jobs;
    v->in.shares = v->shares;
    if (p)
        v->in.due = (struct climb_due){
            .margin = p->margin, .want = pace_wants(p), .chance = p->chance,
            .limit_ns = due->limit_ns, .missed = p->missed,
            .firm = due->firm && p->stage > PACE_WARY,
            .text = due->text };
    return there;
}

void ladder_free(struct ladder_sight *v)
{
    free(v->nodes);
    free(v->jobs);
    free(v->shares);
    free(v->of);
}
