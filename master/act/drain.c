/* drain.c - see drain.h.
 *
 * Invariants. A drain is in the list from its order until no job waits or moves
 * any more, and as long is in the row of its node (node->leaving), where a later
 * master finds it. It looks at all of its jobs now and then, and when a move has
 * ended: what a job has there is asked of the job each time, it may have ended or
 * have been moved by somebody else. */
#include "master/act/drain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/act/away.h"
#include "master/act/guest.h"
#include "master/store/journal.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "proto/link/timer.h"

#define LOOK_NS (100 * CLOCK_NS_PER_MS)
/* Each try comes after twice the time of the one before. */
#define AGAIN_NS (2 * CLOCK_NS_PER_S)
enum { TRIES = 6 };

enum fate {                     /* as Leaving has them */
    WAITS = HCT__LEAVING__FATE__WAITS,
    LEAVES = HCT__LEAVING__FATE__LEAVES,
    LEFT = HCT__LEAVING__FATE__LEFT,
    STAYS = HCT__LEAVING__FATE__STAYS,
};

struct drain_job {
    uint64_t id;
    enum fate fate;
    uint32_t ntasks;            /* that were here when it was seen first */
    char text[512];             /* a sentence about that */
    unsigned tries;             /* that have come to nothing */
    uint64_t again_ns;          /* not before; monotonic */
};

struct drain {
    struct drain *next;         /* in the list */
    struct drains *all;         /* borrowed, like the next two */
    struct node *node;
    struct conn **askers;       /* owned; who has not heard the result yet */
    size_t naskers, askers_cap;
    struct node **to;           /* owned; the nodes are borrowed */
    size_t nto;
    struct drain_job *jobs;     /* owned */
    size_t njobs, cap;
    char *why;                  /* owned */
    uint64_t early_ns;          /* of a master that was started again: until then
                                   nodes may be missing; monotonic */
    bool begun;                 /* it is in the database */
    bool wait, undo;
    bool for_owner;             /* who cannot leave is his guest: guest.h */
};

struct drains {
    struct drain_parts parts;
    struct drain *list;         /* owned, like the next */
    struct event *timer;
};

static void drain_free(struct drain *d)
{
    if (!d)
        return;
    free(d->askers);
    free(d->to);
    free(d->jobs);
    free(d->why);
    free(d);
}

static void unlink_free(struct drain *d)
{
    struct drain **at = &d->all->list;

    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    drain_free(d);
}

/* ---------------------------------------------------------------------- words */

static void say_result(struct drain *d, bool ok, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say_result(struct drain *d, bool ok, const char *fmt, ...)
{
    Hct__Result m = HCT__RESULT__INIT;
    char text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    log_info("drain", "%s: %s", d->node->name, text);
    m.ok = ok;
    m.text = text;
    while (d->naskers)
        conn_send(d->askers[--d->naskers], MESSAGE_RESULT, &m);
}

static void say_fate(const struct drain_job *w, struct conn *to)
{
    Hct__Leaving m = HCT__LEAVING__INIT;

    m.job = w->id;
    m.ntasks = w->ntasks;
    m.fate = (Hct__Leaving__Fate)w->fate;
    m.text = (char *)(uintptr_t)w->text;
    conn_send(to, MESSAGE_LEAVING, &m);
}

/* Who runs it, once; and it may be suspended. */
static void tell_guest(struct drain *d, struct drain_job *w)
{
    struct job *j = jobs_find(d->all->parts.jobs, w->id);

    if (j && w->fate == STAYS)
        guest_stays(d->all->parts.acts, j, d->node, w->text);
    else if (j && w->fate == LEAVES && w->tries == 0)
        guest_leaves(d->all->parts.acts, j, d->node, w->text);
}

static void set_fate(struct drain *d, struct drain_job *w, enum fate fate,
                     const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static void set_fate(struct drain *d, struct drain_job *w, enum fate fate,
                     const char *fmt, ...)
{
    char before[sizeof(w->text)];
    va_list ap;

    memcpy(before, w->text, sizeof(before));
    va_start(ap, fmt);
    vsnprintf(w->text, sizeof(w->text), fmt, ap);
    va_end(ap);
    if (w->fate == fate && strcmp(before, w->text) == 0)
        return;                         /* said already */
    w->fate = fate;
    log_info("drain", "%s: job %llu: %s", d->node->name,
             (unsigned long long)w->id, w->text);
    for (size_t i = 0; i < d->naskers; i++)
        say_fate(w, d->askers[i]);
    if (d->for_owner)
        tell_guest(d, w);
}

/* ----------------------------------------------------------------- one job */

/* Those of its tasks that are here and live. */
static int who_is_here(const struct drain *d, struct job *j,
                       struct taskset *ranks)
{
    const struct job_node *jn = job_node_find(j, d->node);

    for (int64_t r = -1; jn && (r = taskset_next(&jn->ranks, r)) >= 0; )
        if (!task_state_final(j->tasks[r].state) &&
            taskset_add(ranks, (uint32_t)r, (uint32_t)r))
            return -1;
    return 0;
}

static bool may_take(const void *arg, const struct node *n)
{
    const struct drain *d = arg;
    bool named = d->nto == 0;

    for (size_t i = 0; i < d->nto && !named; i++)
        named = d->to[i] == n;
    return named && n != d->node && n->state == NODE_UP && !n->draining;
}

/* Its slave, of all that take part in a move, is not there just now. */
static const char *who_is_away(const struct job *j)
{
    for (size_t i = 0; i < j->nnodes; i++)
        if (j->nodes[i].away && !j->nodes[i].lost && !j->nodes[i].drained)
            return j->nodes[i].node->name;
    return NULL;
}

/* After a restart nodes come one by one: those that are named are waited for, or
 * enough for all. */
static bool nodes_may_come(const struct drain *d, uint64_t ntasks)
{
    const struct nodes *all = d->all->parts.nodes;
    uint64_t room = 0;

    if (clock_monotonic_ns() >= d->early_ns)
        return false;
    for (size_t i = 0; i < d->nto; i++)
        if (d->to[i]->state != NODE_UP)
            return true;
    for (size_t i = 0; i < all->n; i++) {
        const struct node *n = all->v[i];

        if (may_take(d, n) && n->cpus > n->ntasks + n->ncoming)
            room += n->cpus - n->ntasks - n->ncoming;
    }
    return room < ntasks;
}

static int order_move(const struct drain *d, struct job *j,
                      const struct taskset *ranks, struct str *text,
                      struct err *err)
{
    struct node **to_of = calloc(j->ntasks + 1, sizeof(*to_of));
    struct mover_order o = { .ranks = ranks, .to_of = to_of, .why = d->why };
    int rc = to_of ? mover_able(j, err) : err_memory(err);

    if (rc == 0 && d->node->state != NODE_UP)
        rc = err_set(err, EHOSTDOWN, "node %s is %s", d->node->name,
                     node_state_name(d->node->state));
    if (rc == 0)
        rc = away_plan(d->all->parts.nodes, may_take, d, j, ranks, to_of, text,
                       err);
    if (rc == 0)
        rc = mover_order(d->all->parts.movers, j, &o, err);
    free(to_of);
    return rc;
}

static enum act_who who(const struct drain *d)
{
    return d->for_owner ? ACT_HOST : ACT_OPERATOR;
}

static void send_away(struct drain *d, struct drain_job *w, struct job *j,
                      const struct taskset *ranks)
{
    struct act_order act = { .act = ACT_MIGRATE, .who = who(d), .why = d->why,
                             .ranks = ranks };
    bool one = taskset_count(ranks) == 1;
    char *names = taskset_text(ranks);
    struct str text = { 0 };
    struct err err;

    if (order_move(d, j, ranks, &text, &err)) {
        acts_record(d->all->parts.acts, j, &act, err.text);
        set_fate(d, w, STAYS, "%s", err.text);
    } else {
        acts_record(d->all->parts.acts, j, &act, "ordered");
        set_fate(d, w, LEAVES, "task%s %.100s leave%s for %.300s",
                 one ? "" : "s", names ? names : "", one ? "s" : "",
                 str_text(&text));
    }
    str_fini(&text);
    free(names);
}

/* What is to become of it now. */
static void look_at(struct drain *d, struct drain_job *w)
{
    struct job *j = jobs_find(d->all->parts.jobs, w->id);
    struct taskset here = { 0 };
    const char *away;
    struct err err;

    if (j && who_is_here(d, j, &here)) {
        /* once more, next time */
    } else if (j && w->fate == LEAVES && j->mover) {
        /* until the move is over: drain_move_ended() */
    } else if (here.n == 0) {
        if (w->fate != LEFT)
            set_fate(d, w, LEFT, "%s", j ? "none of its tasks is here any more"
                                         : "it has ended");
    } else if (w->fate == STAYS || clock_monotonic_ns() < w->again_ns) {
        /* as before */
    } else if (j->mover) {
        set_fate(d, w, WAITS, "its tasks leave when those have moved that are "
                 "being moved");
    } else if (j->state == JOB_ENDING || job_state_final(j->state)) {
        set_fate(d, w, WAITS, "it is about to end");
    } else if (d->for_owner && d->node->state != NODE_UP) {
        set_fate(d, w, WAITS, "its tasks leave once %s is back", d->node->name);
    } else if ((d->for_owner || mover_able(j, &err) == 0) &&
               j->state < JOB_RUNNING) {
        set_fate(d, w, WAITS, "its tasks leave once it runs");
    } else if (mover_able(j, &err) == 0 && (away = who_is_away(j))) {
        set_fate(d, w, WAITS, "its tasks leave once %s is back", away);
    } else if (mover_able(j, &err) == 0 &&
               nodes_may_come(d, taskset_count(&here))) {
        set_fate(d, w, WAITS, "its tasks leave once nodes are back that they "
                 "can go to");
    } else {
        send_away(d, w, j, &here);
    }
    taskset_fini(&here);
}

/* ---------------------------------------------------------------- one drain */

static struct drain_job *find_job(const struct drain *d, uint64_t id)
{
    for (size_t i = 0; i < d->njobs; i++)
        if (d->jobs[i].id == id)
            return &d->jobs[i];
    return NULL;
}

/* Jobs that have something here and are not in the list; one may be new, by a
 * move that had begun before. By number. */
static void collect(struct drain *d)
{
    for (struct job *j = NULL; (j = jobs_next(d->all->parts.jobs, j)); ) {
        struct taskset here = { 0 };
        size_t at = d->njobs;

        if (!find_job(d, j->id) && who_is_here(d, j, &here) == 0 && here.n &&
            array_reserve(&d->jobs, &d->cap, d->njobs + 1) == 0) {
            for (; at > 0 && d->jobs[at - 1].id > j->id; at--)
                d->jobs[at] = d->jobs[at - 1];
            d->jobs[at] = (struct drain_job){
                .id = j->id, .ntasks = (uint32_t)taskset_count(&here) };
            d->njobs++;
        }
        taskset_fini(&here);
    }
}

static size_t count(const struct drain *d, enum fate fate)
{
    size_t n = 0;

    for (size_t i = 0; i < d->njobs; i++)
        n += d->jobs[i].fate == fate;
    return n;
}

static const char *jobs_are(size_t n, char text[40])
{
    snprintf(text, 40, "%zu job%s", n, n == 1 ? "" : "s");
    return text;
}

static void say_end(struct drain *d)
{
    size_t stay = count(d, STAYS);
    char jobs[40];

    if (stay)
        say_result(d, false, "%s cannot leave; it takes no new tasks",
                   jobs_are(stay, jobs));
    else
        say_result(d, true, "it is empty, and takes no new tasks");
}

static void say_begun(struct drain *d)
{
    size_t leave = count(d, LEAVES) + count(d, WAITS), stay = count(d, STAYS);
    char leaving[40], staying[60] = "", jobs[40];

    if (stay)
        snprintf(staying, sizeof(staying), ", %s cannot",
                 jobs_are(stay, jobs));
    if (leave + stay == 0)
        say_end(d);
    else
        say_result(d, true, "it takes no new tasks; %s %s leaving%s",
                   jobs_are(leave, leaving), leave == 1 ? "is" : "are",
                   staying);
}

/* For a later master: it goes on with that; why NULL: it is over. */
static int store(const struct drain *d, const char *why, const char *to)
{
    if (node_set_leaving(d->node, why, to))
        return -1;
    d->node->drain_news = true;
    journal_node(d->all->parts.acts->journal, d->node);
    return 0;
}

/* False: it is over, and freed. */
static bool look(struct drain *d)
{
    collect(d);
    for (size_t i = 0; i < d->njobs; i++)
        look_at(d, &d->jobs[i]);
    if (!d->wait && d->naskers)
        say_begun(d);
    if (count(d, WAITS) || count(d, LEAVES) || d->node->ncoming)
        return true;
    say_end(d);
    store(d, NULL, NULL);
    unlink_free(d);
    return false;
}

static void look_at_all(struct drains *all)
{
    bool more = false;

    for (struct drain *d = all->list, *next; d; d = next) {
        next = d->next;
        if (d->begun)
            more |= look(d);
    }
    if (more)
        timer_set(all->timer, LOOK_NS);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    look_at_all(arg);
}

/* The next look comes soon; what has gone wrong is said here. */
void drain_move_ended(struct drains *all, struct job *j, bool ok, bool passing,
                      const char *text)
{
    for (struct drain *d = all->list; d; d = d->next) {
        struct drain_job *w = find_job(d, j->id);

        if (w && w->fate == LEAVES && !ok && passing && ++w->tries < TRIES) {
            uint64_t wait_ns = AGAIN_NS << (w->tries - 1);

            w->again_ns = clock_monotonic_ns() + wait_ns;
            set_fate(d, w, WAITS, "once more in %.0f s: %.400s",
                     (double)wait_ns / 1e9, text);
        } else if (w && w->fate == LEAVES) {
            set_fate(d, w, ok ? LEFT : STAYS, "%s", text);
        }
    }
    event_active(all->timer, EV_TIMEOUT, 0);
}

void drain_committed(struct drains *all)
{
    bool some = false;

    for (struct drain *d = all->list, *next; d; d = next) {
        next = d->next;
        if (d->begun)
            continue;
        d->begun = some = true;
        if (d->undo) {
            say_result(d, true, "it takes tasks again");
            unlink_free(d);
        }
    }
    if (some)
        look_at_all(all);
}

void drain_forget(struct drains *all, const struct conn *asker)
{
    for (struct drain *d = all->list; d; d = d->next)
        for (size_t i = d->naskers; i-- > 0; )
            if (d->askers[i] == asker)
                d->askers[i] = d->askers[--d->naskers];
}

/* ---------------------------------------------------------------------- asked */

static struct node *named(const struct drains *all, const char *name,
                          struct err *err)
{
    struct node *n = nodes_find(all->parts.nodes, name);

    if (!n)
        err_set(err, ENOENT, "there is no node %.100s", name);
    return n;
}

static int take_targets(struct drain *d, const struct drain_order *o,
                        struct err *err)
{
    d->to = calloc(o->nto + 1, sizeof(*d->to));
    if (!d->to)
        return err_memory(err);
    for (size_t i = 0; i < o->nto; i++) {
        struct node *n = named(d->all, o->to[i], err);

        if (!n)
            return -1;
        if (n == d->node)
            return err_set(err, EINVAL, "its tasks are to leave %s, and cannot "
                           "go there", n->name);
        if (node_takes(n, err))
            return -1;
        if (n->state != NODE_UP)
            return err_set(err, EHOSTDOWN, "node %s is %s", n->name,
                           node_state_name(n->state));
        d->to[d->nto++] = n;
    }
    return 0;
}

static int check_others(const struct drain *d, struct err *err)
{
    const struct nodes *all = d->all->parts.nodes;

    for (size_t i = 0; i < all->n; i++)
        if (may_take(d, all->v[i]))
            return 0;
    return err_set(err, ENOSPC, "there is no other node that takes tasks: "
                   "nothing is moved, and %s goes on as before",
                   d->node->name);
}

/* NULL is fine: nobody. */
static int add_asker(struct drain *d, struct conn *asker)
{
    if (array_reserve(&d->askers, &d->askers_cap, d->naskers + 1))
        return -1;
    if (asker)
        d->askers[d->naskers++] = asker;
    return 0;
}

static struct drain *make(struct drains *all, const struct drain_order *o,
                          struct node *n, struct err *err)
{
    struct drain *d = calloc(1, sizeof(*d));

    if (d) {
        *d = (struct drain){ .all = all, .node = n, .wait = o->wait,
                             .why = strdup(*o->why ? o->why : "hector drain") };
        if (d->why && add_asker(d, o->asker) == 0)
            return d;
    }
    drain_free(d);
    err_memory(err);
    return NULL;
}

static void enlist(struct drain *d)
{
    d->next = d->all->list;
    d->all->list = d;
}

/* "n2,n3", "" for any; to be freed. NULL: no memory. */
static char *names_of(const struct drain *d)
{
    struct str to = { 0 };
    char *text;

    for (size_t i = 0; i < d->nto; i++)
        str_addf(&to, "%s%s", i ? "," : "", d->to[i]->name);
    text = str_failed(&to) ? NULL : strdup(str_text(&to));
    str_fini(&to);
    return text;
}

static int store_begun(const struct drain *d, struct err *err)
{
    char *to = names_of(d);
    int rc = to ? store(d, d->why, to) : -1;

    free(to);
    return rc ? err_memory(err) : 0;
}

/* From now on, and after the commit for whoever asks the database. */
static void set_draining(struct drain *d, bool draining, enum act_name name)
{
    struct act_order act = { .act = name, .who = who(d), .why = d->why };
    struct acts *acts = d->all->parts.acts;
    char result[300];

    d->node->draining = draining;
    d->node->owner.drains = draining && d->for_owner;
    d->node->drain_news = true;
    journal_node(acts->journal, d->node);
    snprintf(result, sizeof(result), "%s takes %s", d->node->name,
             draining ? "no new tasks" : "tasks again");
    acts_record(acts, NULL, &act, result);
    enlist(d);
}

static struct drain *find_begun(const struct drains *all, const struct node *n)
{
    struct drain *d = all->list;

    while (d && (d->node != n || !d->begun))
        d = d->next;
    return d;
}

/* One more waits for it, and hears how far it is. */
static int join(struct drain *d, struct conn *asker, struct err *err)
{
    if (add_asker(d, asker))
        return err_memory(err);
    d->wait = true;
    for (size_t i = 0; i < d->njobs; i++)
        say_fate(&d->jobs[i], asker);
    event_active(d->all->timer, EV_TIMEOUT, 0);
    return 0;
}

/* Those of that node are over: who waits for them is told that. */
static void overtake(struct drains *all, const struct node *n, const char *text)
{
    for (struct drain *old = all->list, *next; old; old = next) {
        next = old->next;
        if (old->node == n) {
            say_result(old, false, "%s", text);
            unlink_free(old);
        }
    }
}

/* One for the owner alone is, from now on, also that of an operator. */
int drain_order(struct drains *all, const struct drain_order *o,
                struct err *err)
{
    struct node *n = named(all, o->node, err);
    struct drain *d;

    if (!n)
        return -1;
    if (n->draining && !n->owner.drains && (!o->wait || o->nto))
        return err_set(err, EALREADY, "node %s is draining already", n->name);
    if (n->draining && !n->owner.drains && (d = find_begun(all, n)))
        return join(d, o->asker, err);
    d = make(all, o, n, err);
    if (!d)
        return -1;
    if (take_targets(d, o, err) || check_others(d, err) ||
        store_begun(d, err)) {
        drain_free(d);
        return -1;
    }
    if (n->draining)
        overtake(all, n, "an operator drains it meanwhile");
    set_draining(d, true, ACT_DRAIN);
    d->for_owner = n->owner.is == NODE_OWNER_HERE;
    return 0;
}

static int undo(struct drains *all, const struct drain_order *o, struct node *n,
                bool for_owner, struct err *err)
{
    struct drain *d = make(all, o, n, err);

    if (!d)
        return -1;
    overtake(all, n, "it takes tasks again meanwhile");
    d->undo = true;
    d->for_owner = for_owner;
    store(d, NULL, NULL);
    set_draining(d, false, ACT_UNDRAIN);
    return 0;
}

int drain_undo(struct drains *all, const struct drain_order *o,
               struct err *err)
{
    struct node *n = named(all, o->node, err);

    if (!n)
        return -1;
    if (!n->draining)
        return err_set(err, EALREADY, "node %s is not draining", n->name);
    return undo(all, o, n, false, err);
}

/* -------------------------------------------------------------- for the owner */

static struct drain *find_one(const struct drains *all, const struct node *n)
{
    struct drain *d = all->list;

    while (d && (d->node != n || d->undo))
        d = d->next;
    return d;
}

/* An operator's is under way: what cannot leave is a guest now. */
static void take_guests(struct drain *d)
{
    d->for_owner = true;
    for (size_t i = 0; i < d->njobs; i++)
        tell_guest(d, &d->jobs[i]);
}

int drain_for_owner(struct drains *all, struct node *n, const char *why,
                    struct err *err)
{
    const struct drain_order o = { .node = n->name, .why = why };
    struct drain *d = find_one(all, n);

    if (d)
        return take_guests(d), 0;
    d = make(all, &o, n, err);
    if (!d)
        return -1;
    if (store_begun(d, err))
        return drain_free(d), -1;
    d->for_owner = true;
    if (n->draining)
        enlist(d);              /* for an operator; only the guests are his */
    else
        set_draining(d, true, ACT_DRAIN);
    return 0;
}

int drain_without_owner(struct drains *all, struct node *n, const char *why,
                        struct err *err)
{
    const struct drain_order o = { .node = n->name, .why = why };

    if (n->draining && n->owner.drains)
        return undo(all, &o, n, true, err);
    for (struct drain *d = all->list; d; d = d->next)
        if (d->node == n)
            d->for_owner = false;
    return 0;
}

/* As it was stored: nodes may be missing that are about to come. */
static int recall_targets(struct drain *d, const struct drain_order *o,
                          struct err *err)
{
    d->to = calloc(o->nto + 1, sizeof(*d->to));
    for (size_t i = 0; d->to && i < o->nto; i++) {
        d->to[i] = nodes_make(d->all->parts.nodes, o->to[i]);
        if (!d->to[i])
            return err_memory(err);
        d->nto++;
    }
    return d->to ? 0 : err_memory(err);
}

int drain_recall(struct drains *all, const struct drain_order *o,
                 uint64_t wait_ns, struct err *err)
{
    struct node *n = nodes_make(all->parts.nodes, o->node);
    struct drain *d = n ? make(all, o, n, err) : NULL;

    if (!n)
        return err_memory(err);
    if (!d)
        return -1;
    if (recall_targets(d, o, err) || store_begun(d, err)) {
        drain_free(d);
        return -1;
    }
    d->early_ns = clock_monotonic_ns() + wait_ns;
    d->begun = d->wait = true;
    d->for_owner = n->owner.is == NODE_OWNER_HERE;
    log_info("drain", "%s: taken up again", n->name);
    enlist(d);
    timer_set(all->timer, LOOK_NS);
    return 0;
}

struct drains *drain_create(const struct drain_parts *parts)
{
    struct drains *all = calloc(1, sizeof(*all));

    if (!all)
        return NULL;
    all->parts = *parts;
    all->timer = evtimer_new(parts->base, on_timer, all);
    if (!all->timer)
        return free(all), NULL;
    return all;
}

void drain_destroy(struct drains *all)
{
    if (!all)
        return;
    for (struct drain *d; (d = all->list); drain_free(d))
        all->list = d->next;
    timer_free(all->timer);
    free(all);
}
