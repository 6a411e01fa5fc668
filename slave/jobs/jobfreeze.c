/* jobfreeze.c - holds the tasks of a job by control groups, see jobfreeze.h. */
#include "slave/jobs/jobfreeze.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/log.h"
#include "slave/launch/taskenv.h"

/* Which of them are meant: held, of the set, not frozen yet. */
static size_t choose(const struct job *j, const struct taskset *set,
                     pid_t *groups, uint32_t *ranks, bool *frozen)
{
    size_t n = 0, wanted = 0;

    for (size_t i = 0; i < j->ntasks; i++) {
        const struct task *t = j->tasks[i];

        if (t->pid <= 0 || t->over)
            continue;
        groups[n] = t->pid;
        ranks[n] = t->rank;
        frozen[n] = t->held && !t->frozen && taskset_has(set, t->rank);
        wanted += frozen[n++];
    }
    return wanted ? n : 0;
}

static void tell(struct job *j, const struct sweep_job *who,
                 const bool *frozen)
{
    for (size_t i = 0, k = 0; i < j->ntasks && k < who->ngroups; i++) {
        struct task *t = j->tasks[i];

        if (t->pid != who->groups[k] || t->over)
            continue;
        t->frozen |= frozen[k++];
    }
}

void jobfreeze_hold(struct job *j, const struct taskset *set)
{
    struct freezer *f = &j->part.node->freezer;
    char job_mark[64], slave_mark[PATHS_MAX + 32];
    struct taskenv env = { .plan = j->plan,
                           .tasks_socket = site_socket(j->part.node->site) };
    pid_t *groups = calloc(j->ntasks + 1, sizeof(*groups));
    uint32_t *ranks = calloc(j->ntasks + 1, sizeof(*ranks));
    bool *frozen = calloc(j->ntasks + 1, sizeof(*frozen));
    struct sweep_job who = { .groups = groups, .ranks = ranks,
                             .marks = { job_mark, slave_mark },
                             .spares = { stacker_child(j->part.node->stacker),
                                         stacker_slices(
                                             j->part.node->stacker) } };
    struct freezer_job order = { .job = j->part.id, .who = &who,
                                 .frozen = frozen };
    bool known = f->known;
    struct err err;

    if (groups && ranks && frozen)
        who.ngroups = choose(j, set, groups, ranks, frozen);
    if (who.ngroups && freezer_open(f, &err)) {
        if (!known)
            log_info("job", "tasks are held by signals: %s", err.text);
    } else if (who.ngroups) {
        taskenv_marks(&env, job_mark, sizeof(job_mark), slave_mark,
                      sizeof(slave_mark));
        if (freezer_hold(f, &order, &err))
            log_info("job", "some tasks are held by signals job=%llu: %s",
                     (unsigned long long)j->part.id, err.text);
        tell(j, &who, frozen);
    }
    free(groups);
    free(ranks);
    free(frozen);
}

void jobfreeze_release(struct job *j, const struct taskset *set)
{
    for (size_t i = 0; i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (!t->frozen || (set && !taskset_has(set, t->rank)))
            continue;
        freezer_release(&j->part.node->freezer, j->part.id, t->rank);
        t->frozen = false;
    }
}
