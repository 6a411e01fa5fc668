/* guest.c - see guest.h. */
#include "master/act/guest.h"

#include <stdio.h>

#include "master/state/ownerhold.h"
#include "master/store/journal.h"

static const char *sign_of(const struct node *n)
{
    return n->owner.why && *n->owner.why ? n->owner.why : "seen there";
}

void guest_leaves(struct acts *a, const struct job *j, const struct node *n,
                  const char *text)
{
    a->ops->notice(j, false, "the owner of %s is back (%s): %s", n->name,
                   sign_of(n), text);
}

/* Those that go: who stands already does so for another reason. */
static int suspend(struct acts *a, struct job *j, const char *why, struct err *err)
{
    struct taskset going = { 0 };
    struct act_order o = { .act = ACT_SUSPEND, .who = ACT_HOST, .why = why,
                           .ranks = &going };
    int rc = 0;

    for (uint32_t r = 0; rc == 0 && r < j->ntasks; r++)
        if (!task_state_final(j->tasks[r].state) && j->tasks[r].hold == HOLD_GOING)
            rc = taskset_add(&going, r, r);
    if (rc == 0 && going.n)
        rc = ownerhold_add(j, &going);
    if (rc)
        err_memory(err);
    else if (going.n && acts_order(a, j, &o, NULL, 0, err) < 0)
        ownerhold_drop(j, &going), rc = -1;
    if (rc == 0)
        journal_job(a->journal, j);
    taskset_fini(&going);
    return rc;
}

void guest_stays(struct acts *a, struct job *j, const struct node *n,
                 const char *why)
{
    char because[300];
    struct err err = { 0 };
    bool held;

    snprintf(because, sizeof(because), "the owner of %s is back: %s", n->name,
             sign_of(n));
    held = n->owner.suspends && suspend(a, j, because, &err) == 0;
    a->ops->notice(j, false, "the owner of %s is back (%s), and job %llu cannot "
                   "leave: %s; it %s", n->name, sign_of(n),
                   (unsigned long long)j->id, why,
                   held ? "is suspended until the owner is gone" : "goes on there");
}

static bool waits(const struct job *j)
{
    for (size_t i = 0; i < j->nnodes; i++) {
        const struct job_node *jn = &j->nodes[i];

        for (int64_t r = -1; jn->node->owner.is == NODE_OWNER_HERE &&
                             jn->node->owner.suspends &&
                             (r = taskset_next(&jn->ranks, r)) >= 0; )
            if (!task_state_final(j->tasks[r].state))
                return true;
    }
    return false;
}

void guest_again(struct acts *a, struct job *j, const struct node *n)
{
    struct taskset ranks = { 0 };
    char why[300];
    struct act_order o = { .act = ACT_RESUME, .who = ACT_HOST, .why = why,
                           .ranks = &ranks };
    struct err err;

    if (ownerhold_get(j, &ranks) && !waits(j)) {
        snprintf(why, sizeof(why), "the owner of %s is gone", n->name);
        ownerhold_drop(j, &ranks);
        journal_job(a->journal, j);
        if (acts_order(a, j, &o, NULL, 0, &err) > 0)
            a->ops->notice(j, false, "%s: job %llu goes on", why,
                           (unsigned long long)j->id);
    }
    taskset_fini(&ranks);
}
