/* glance.c - where tasks are outside of MPI, see glance.h.
 *
 * Invariants. One glance of a job is under way at most, and knows job and tasks
 * by numbers only, since both may be gone when it ends. Where a task is a stack
 * says only if the task has been in one stay from before the glance until its
 * end; what it has shown is learned when the stay is over that it may be of, so
 * that who hangs does not teach that hangs are usual. */
#include "slave/jobs/glance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "policies/hct_policy.h"
#include "proto/base/clock.h"
#include "proto/tree/prefixtree.h"
#include "slave/jobs/look.h"
#include "slave/jobs/node.h"
#include "slave/jobs/task.h"
#include "slave/jobs/taskwalk.h"
#include "slave/proc/procstate.h"
#include "slave/proc/smallfile.h"
#include "slave/stacks/stacker.h"

/* Of who computes; when so many have been learned, seldom. */
static const uint64_t glance_often_ns = 400 * CLOCK_NS_PER_MS;
static const uint64_t glance_seldom_ns = 5 * CLOCK_NS_PER_S;
enum { GLANCE_LEARNED = 100 };
/* Of who stands. */
static const uint64_t glance_stands_ns = 900 * CLOCK_NS_PER_MS;
static const uint64_t glance_again_ns = 700 * CLOCK_NS_PER_MS;
/* Of who did not stop in time; and where it was not possible it will not be. */
static const uint64_t glance_missed_ns = 2 * CLOCK_NS_PER_S;
static const uint64_t glance_refused_ns = 30 * CLOCK_NS_PER_S;

enum { GLANCE_TASKS = 8, GLANCE_COMPUTING = 4 };        /* at a time */

struct known_job {
    LIST_ENTRY(known_job) place;
    uint64_t id, next_ns;
    uint32_t learned, turn;
    bool under_way;
    struct spots spots;
};

struct glancing {               /* one that is under way */
    LIST_ENTRY(glancing) place;
    struct glance *all;         /* borrowed */
    uint64_t job;
    uint32_t n, ranks[GLANCE_TASKS], calls[GLANCE_TASKS];
    uint64_t stays[GLANCE_TASKS];       /* 0: it is in MPI */
    pid_t pids[GLANCE_TASKS];
};

struct glance {
    struct node *node;          /* borrowed, as jobs */
    const struct taskwalk *jobs;
    LIST_HEAD(, known_job) known;       /* owned */
    LIST_HEAD(, glancing) under_way;    /* owned */
};

/* -------------------------------------------------------------------- jobs */

static bool is_here(const struct glance *g, uint64_t job)
{
    return g->jobs->user(g->jobs->arg, job) != NULL;
}

static void walk(const struct glance *g, uint64_t job, taskwalk_f *step,
                 void *to)
{
    g->jobs->tasks(g->jobs->arg, job, step, to);
}

struct wanted_task {
    uint32_t rank;
    struct task *task;          /* borrowed */
};

static void find_step(void *to, struct task *t)
{
    struct wanted_task *f = to;

    if (t->rank == f->rank)
        f->task = t;
}

static struct task *find_task(const struct glance *g, uint64_t job,
                              uint32_t rank)
{
    struct wanted_task f = { rank, NULL };

    walk(g, job, find_step, &f);
    return f.task;
}

static void job_free(struct known_job *k)
{
    LIST_REMOVE(k, place);
    spots_fini(&k->spots);
    free(k);
}

static struct known_job *find(struct glance *g, uint64_t job)
{
    struct known_job *k;

    LIST_FOREACH(k, &g->known, place)
        if (k->id == job)
            return k;
    return NULL;
}

/* Those that are gone are forgotten when another one comes. */
static struct known_job *get(struct glance *g, uint64_t job)
{
    struct known_job *k = find(g, job), *next;

    if (k)
        return k;
    for (k = LIST_FIRST(&g->known); k; k = next) {
        next = LIST_NEXT(k, place);
        if (!is_here(g, k->id))
            job_free(k);
    }
    k = calloc(1, sizeof(*k));
    if (!k)
        return NULL;
    k->id = job;
    /* Who begins is on the way to where it will compute. */
    k->next_ns = clock_monotonic_ns() + glance_often_ns;
    LIST_INSERT_HEAD(&g->known, k, place);
    return k;
}

/* -------------------------------------------------------------- what is seen */

/* It has gone on: what was seen of it is a place that is known. */
static void learn(struct known_job *k, struct glanced *d)
{
    for (uint32_t i = 0; i < d->nkept; i++)
        spots_learn(&k->spots, &d->kept[i]);
    k->learned += d->nkept;
    d->nkept = 0;
    d->been = HCT_BEEN_UNKNOWN;
    d->place[0] = '\0';
    d->next_ns = 0;
}

static void keep(struct glanced *d, const struct spot_stack *s)
{
    if (!d->kept && !(d->kept = calloc(GLANCE_KEPT, sizeof(*d->kept))))
        return;
    if (d->nkept < GLANCE_KEPT)
        d->nkept++;
    d->kept[d->nkept - 1] = *s;
}

/* The one trace of this position. False: there is none. */
static bool read_stack(const struct prefixtree *t, uint32_t position,
                       uint32_t call, struct spot_stack *s)
{
    spot_begin(s, call);
    if (!prefixtree_has(t, 0, position))
        return false;
    for (uint32_t i = 1; i < t->nnodes; i++) {
        const struct prefixtree_frame *f = &t->frames[t->nodes[i].frame];

        if (prefixtree_has(t, i, position))
            spot_push(s, prefixtree_text(t, f->module),
                      prefixtree_text(t, f->function), f->offset);
    }
    return true;
}

/* Another stay has begun, or none is (0). */
static void follow(struct known_job *k, struct glanced *d, uint64_t stay)
{
    if (d->stay == stay)
        return;
    learn(k, d);
    d->stay = stay;
}

/* Of the stay in which the task was chosen, or of a later one: it may be the
 * present one, if there is one, and then counts when that is over. */
static void take_older(struct known_job *k, struct glanced *d,
                       const struct spot_stack *s)
{
    if (s->wrapper || s->n == 0)
        return;
    keep(d, s);
    if (!d->stay)
        learn(k, d);
}

static void take_one(struct known_job *k, const struct glancing *g,
                     const struct prefixtree *tree, uint32_t i)
{
    struct task *t = find_task(g->all, g->job, g->ranks[i]);
    struct spot_stack s;
    struct look_stay now;
    bool outside;

    if (!t)
        return;
    if (!read_stack(tree, i, g->calls[i], &s)) {
        t->glanced.next_ns = clock_monotonic_ns() + glance_missed_ns;
        return;
    }
    if (!g->stays[i]) {
        if (s.wrapper)
            spots_lead(&k->spots, &s);
        return;
    }
    outside = look_stay(t, &now);
    follow(k, &t->glanced, outside ? now.stay : 0);
    if (!outside || now.stay != g->stays[i]) {
        take_older(k, &t->glanced, &s);
        return;
    }
    /* Who is in a wrapper is at its call, where it has been before. */
    if (s.wrapper || spots_know(&k->spots, &s))
        t->glanced.been = HCT_BEEN_HERE;
    else if (s.n && t->glanced.been == HCT_BEEN_UNKNOWN)
        t->glanced.been = HCT_BEEN_NEVER;
    memcpy(t->glanced.place, s.name, sizeof(t->glanced.place));
    if (!s.wrapper)
        keep(&t->glanced, &s);
}

static void glancing_free(struct glancing *g)
{
    LIST_REMOVE(g, place);
    free(g);
}

static void on_done(void *arg, const struct stacker_result *r,
                    const struct err *why)
{
    struct glancing *g = arg;
    struct known_job *k = find(g->all, g->job);
    struct prefixtree tree;

    (void)why;
    if (k)
        k->under_way = false;
    if (k && r && prefixtree_parse(&tree, r->tree, r->bytes, NULL) == 0) {
        for (uint32_t i = 0; i < g->n; i++)
            take_one(k, g, &tree, i);
        prefixtree_fini(&tree);
    } else if (k && !r) {
        k->next_ns = clock_monotonic_ns() + glance_refused_ns;
    }
    glancing_free(g);
}

/* ------------------------------------------------------------------ choosing */

static bool runs(const struct task *t)
{
    char path[48], text[1024];

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)t->tally.pid);
    return smallfile_read(path, text, sizeof(text)) &&
           procstate_letter(text) == 'R';
}

/* Stopping it changes nothing for it. */
static bool may_be_stopped(const struct task *t, const struct look_stay *s)
{
    if (s->stands_ns >= glance_stands_ns)
        return (s->flags & HCT_RUNS) || s->waits == HCT_WAITS_THREAD ||
               ((s->flags & HCT_PAUSES) && !s->collects);
    return runs(t);
}

static bool wanted(struct known_job *k, struct task *t, struct look_stay *s,
                   uint64_t now_ns)
{
    bool any = look_stay(t, s);

    follow(k, &t->glanced, any ? s->stay : 0);
    if (!any || now_ns < t->glanced.next_ns ||
        (s->stands_ns < glance_stands_ns && now_ns < k->next_ns))
        return false;
    return may_be_stopped(t, s);
}

struct choice {
    struct glance *all;
    struct known_job *of;
    struct glancing *g;
    uint64_t now_ns;
    uint32_t computing;         /* that are chosen, and do not stand */
    bool inside;                /* so is one in MPI */
    uint32_t n, first, i;       /* tasks; who comes first; the next one */
    bool early;                 /* now those before the first */
    void (*step)(struct choice *c, struct task *t);
};

static void choose(struct glancing *g, const struct task *t,
                   const struct look_stay *s)
{
    g->ranks[g->n] = t->rank;
    g->calls[g->n] = s->call;
    g->stays[g->n] = s->stay;
    g->pids[g->n++] = t->tally.pid;
}

/* One that is in MPI, others each time: which functions lead there. */
static void consider_inside(struct choice *c, struct task *t)
{
    static const struct look_stay inside;

    if (c->inside || c->now_ns < c->of->next_ns || !t->tally.page ||
        c->g->n == GLANCE_TASKS || t->glanced.stay ||
        !runs(t))
        return;
    c->inside = true;
    choose(c->g, t, &inside);
}

static void consider(struct choice *c, struct task *t)
{
    struct glancing *g = c->g;
    struct look_stay s;

    if (!wanted(c->of, t, &s, c->now_ns) || g->n == GLANCE_TASKS ||
        (s.stands_ns < glance_stands_ns && c->computing == GLANCE_COMPUTING))
        return;
    t->glanced.next_ns = c->now_ns + glance_again_ns;
    c->computing += s.stands_ns < glance_stands_ns;
    choose(g, t, &s);
}

static void count_step(void *to, struct task *t)
{
    (void)t;
    ((struct choice *)to)->n++;
}

static void consider_step(void *to, struct task *t)
{
    struct choice *c = to;

    if ((c->i++ < c->first) == c->early)
        c->step(c, t);
}

/* All tasks once, beginning with number turn. */
static void around(struct choice *c, uint32_t turn,
                   void (*step)(struct choice *c, struct task *t))
{
    c->step = step;
    c->first = c->n ? turn % c->n : 0;
    for (int early = 0; early < 2; early++) {
        c->i = 0;
        c->early = early;
        walk(c->all, c->of->id, consider_step, c);
    }
}

/* Others come first each time. */
static void consider_all(struct choice *c)
{
    walk(c->all, c->of->id, count_step, c);
    around(c, GLANCE_COMPUTING * c->of->turn, consider);
    around(c, c->of->turn, consider_inside);
}

void glance_at(struct glance *g, uint64_t job)
{
    struct node *node = g->node;
    struct known_job *k = get(g, job);
    struct glancing *go = calloc(1, sizeof(*go));
    struct choice c = { .all = g, .of = k, .g = go,
                        .now_ns = clock_monotonic_ns() };
    struct stacker_conf conf = { .nsamples = 1, .keep = true,
                                 .offsets = true };
    struct err err;

    if (!k || !go || k->under_way || !stacker_uses_ptrace(node->stacker)) {
        free(go);
        return;
    }
    *go = (struct glancing){ .all = g, .job = job };
    LIST_INSERT_HEAD(&g->under_way, go, place);
    consider_all(&c);
    conf.user = g->jobs->user(g->jobs->arg, job);
    conf.pids = go->pids;
    conf.ntasks = go->n;
    if (c.now_ns >= k->next_ns) {
        k->turn++;
        k->next_ns = c.now_ns + (k->learned < GLANCE_LEARNED
                                     ? glance_often_ns : glance_seldom_ns);
    }
    if (go->n == 0) {
        glancing_free(go);
        return;
    }
    k->under_way = true;
    if (stacker_take(node->stacker, &conf, on_done, go, &err)) {
        k->under_way = false;
        k->next_ns = c.now_ns + glance_refused_ns;
        glancing_free(go);
    }
}

/* --------------------------------------------------------------------- life */

struct glance *glance_create(struct node *node, const struct taskwalk *jobs)
{
    struct glance *g = calloc(1, sizeof(*g));

    if (g) {
        g->node = node;
        g->jobs = jobs;
    }
    return g;
}

void glance_destroy(struct glance *g)
{
    if (!g)
        return;
    for (struct glancing *go; (go = LIST_FIRST(&g->under_way));
         glancing_free(go))
        if (g->node->stacker)
            stacker_cancel(g->node->stacker, go);
    while (!LIST_EMPTY(&g->known))
        job_free(LIST_FIRST(&g->known));
    free(g);
}
