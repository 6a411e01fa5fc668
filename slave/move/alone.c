/* alone.c - see alone.h.
 *
 * The number that a master is told is above that of the Swap that came to nothing:
 * what another slave says of that one is no news then. */
#include "slave/move/alone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/log.h"
#include "slave/move/jobkeep.h"
#include "slave/move/jobmove_private.h"
#include "slave/move/jobroom.h"
#include "slave/move/jobstop.h"
#include "slave/page/stance.h"

static void say(const struct job *j, const char *what)
{
    log_warn("move", "the master is away: %s job=%llu", what,
             (unsigned long long)j->part.id);
}

/* Nobody elsewhere has to do with them. */
static bool all_are_here(const struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (j->tasks[i]->over)
            return false;
    return j->ntasks == j->part.ntasks &&
           taskset_count(&plan_here(j->plan)->ranks) == j->part.ntasks;
}

static bool any_may_go(const struct jobmove *k)
{
    for (const struct mover *v = k->movers; v; v = v->next)
        if (v->may_go || v->gone || v->part == COMING)
            return true;
    return false;
}

/* Their libraries are gone, and what they are asked for is written, or not. */
static bool all_ask(const struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++) {
        const struct mover *v = jobmove_find(j, j->tasks[i]->rank);

        if (!v || v->lease < 0)
            return false;
    }
    return true;
}

/* Each by way of a barrier of all, wherever they are. */
static bool all_have_joined(const struct job *j)
{
    struct stance *s = calloc(1, sizeof(*s));
    bool joined = s && j->ntasks > 0;

    for (size_t i = 0; joined && i < j->ntasks; i++) {
        const struct task *t = j->tasks[i];

        if (t->over || !t->tally.page) {
            joined = false;
        } else {
            stance_read(t->tally.page, j->part.ntasks, s);
            joined = s->swap == PAGE_SWAP_UP &&
                     s->generation == jobstop_generation(j);
        }
    }
    free(s);
    return joined;
}

static const char *node_name(const void *arg, size_t i)
{
    return ((const struct plan *)arg)->nodes.v[i].name;
}

/* All stay, in a namespace as a master would have it (master/move/mover_send.c). */
static void begin_return(struct job *j)
{
    const struct plan *p = j->plan;
    Hct__Prepare places = HCT__PREPARE__INIT;
    Hct__Swap m = HCT__SWAP__INIT;
    char nspace[PLAN_NSPACE_MAX + 12];
    struct err err;

    m.job = p->job;
    m.serial = j->move->serial + 1;
    snprintf(nspace, sizeof(nspace), "%.*s.%u", (int)strcspn(p->nspace, "."),
             p->nspace, m.serial);
    if (nodemap_write(&places, p->nodes.n, node_name, p, p->node_of, p->ntasks))
        return;
    places.nspace = nspace;
    places.ntasks = p->ntasks;
    places.here = (uint32_t)p->here;
    places.oversubscribed = p->oversubscribed;
    m.places = &places;
    say(j, "all tasks are here yet, and join each other again");
    jobkeep_give_up(j);
    if (jobmove_swap(j, &m, &err))
        log_warn("move", "%s", err.text);
    else
        j->move->alone = true;
    nodemap_drop(&places);
}

/* They join each other without any fence that leaves this node. */
static void go(struct job *j)
{
    uint32_t serial = j->move->serial;
    Hct__SwapGo m = HCT__SWAP_GO__INIT;
    struct err err;

    m.job = j->part.id;
    m.serial = serial;
    if (jobmove_go(j, &m, &err)) {
        log_warn("move", "%s", err.text);
        return;
    }
    say(j, "they go on");
    jobstop_go_alone(j, serial);
    jobmove_forget(j);
}

static void come_back(struct job *j)
{
    struct jobmove *k = j->move;

    if (!k->alone)
        begin_return(j);
    else if (k->registered && !*k->why && all_ask(j))
        go(j);
}

static void stand_no_more(struct job *j)
{
    uint32_t serial = j->move->serial + 1;

    say(j, "all tasks are here, and go on");
    jobkeep_give_up(j);
    jobstop_go_alone(j, serial);
    jobmove_forget(j);
}

void alone_away(struct job *j)
{
    struct jobmove *k = j->move;

    if (!jobstop_swaps(j) && !jobstop_keeps(j)) {
        say(j, "tasks that only stand go on");
        jobkeep_give_up(j);
        jobroom_drop(j);
        jobstop_release(j);
        if (k)
            jobmove_forget(j);
    } else if (k && k->going) {
        if (!all_have_joined(j))
            return;
        say(j, "all have joined, and go on");
        jobstop_go_alone(j, 0);
        jobmove_forget(j);
    } else if (k && all_are_here(j) && !any_may_go(k)) {
        if (jobstop_swaps(j))
            come_back(j);
        else
            stand_no_more(j);
    }
}

bool alone_say(const struct job *j)
{
    Hct__ComeApart m = HCT__COME_APART__INIT;

    if (!jobstop_alone(j))
        return false;
    m.job = j->part.id;
    m.serial = jobstop_alone(j);
    m.alone = true;
    uplink_send(j->part.node->uplink, MESSAGE_COME_APART, &m);
    return true;
}
