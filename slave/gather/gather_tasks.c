/* gather_tasks.c - this node's tasks of a job. */
#include "slave/gather/gather_tasks.h"

#include <errno.h>

#include "slave/jobs/adopt.h"
#include "slave/jobs/world.h"

struct task *gather_task(struct jobs *jobs, uint64_t job, uint32_t rank)
{
    struct job *j = jobs_find(jobs, job);
    struct adopt *in;
    struct world *w = j ? NULL : adopts_world(jobs_adopts(jobs), job, &in);
    struct adopted *a = w ? world_find(w, rank) : NULL;

    return j ? job_task(j, rank) : a ? &a->task : NULL;
}

int gather_tasks(struct jobs *jobs, uint64_t job, struct task **tasks,
                 uint32_t n, struct gather_job *of, struct err *err)
{
    struct job *j = jobs_find(jobs, job);
    struct adopt *in;
    struct world *w = j ? NULL : adopts_world(jobs_adopts(jobs), job, &in);
    uint32_t found = 0;

    if (!j && !w)
        return err_set(err, ESRCH, "job %llu is not here",
                       (unsigned long long)job);
    of->account = j ? &j->account : &w->account;
    of->user = j ? &j->user : w->owner->user;
    for (; j && found < j->ntasks && found < n; found++)
        tasks[found] = &j->tasks[found];
    for (struct adopted *a = w ? w->tasks : NULL; a && found < n; a = a->next)
        tasks[found++] = &a->task;
    if (found != n)
        return err_set(err, ESRCH, "%u tasks of job %llu are here, in place"
                       " of %u", found, (unsigned long long)job, n);
    return 0;
}
