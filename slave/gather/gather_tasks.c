/* gather_tasks.c - this node's tasks of a job. */
#include "slave/gather/gather_tasks.h"

#include <errno.h>

#include "slave/jobs/part.h"

struct task *gather_task(struct jobs *jobs, uint64_t job, uint32_t rank)
{
    struct part *p = jobs_find(jobs, job);

    return p ? p->ops->task(p, rank) : NULL;
}

struct gathered {
    struct task **tasks;
    uint32_t n, found;
};

static void add_task(void *to, struct task *t)
{
    struct gathered *g = to;

    if (g->found < g->n)
        g->tasks[g->found++] = t;
}

int gather_tasks(struct jobs *jobs, uint64_t job, struct task **tasks,
                 uint32_t n, struct gather_job *of, struct err *err)
{
    struct part *p = jobs_find(jobs, job);
    struct gathered g = { tasks, n, 0 };

    of->account = p ? p->ops->account(p) : NULL;
    if (!of->account)
        return err_set(err, ESRCH, "job %llu is not here",
                       (unsigned long long)job);
    of->user = p->user;
    p->ops->each(p, PART_HERE, add_task, &g);
    if (g.found != n)
        return err_set(err, ESRCH, "%u tasks of job %llu are here, in place"
                       " of %u", g.found, (unsigned long long)job, n);
    return 0;
}
