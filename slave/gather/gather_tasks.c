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

static void count_task(void *to, struct task *t)
{
    uint32_t *n = to;

    (void)t;
    ++*n;
}

static int not_here(uint64_t job, struct err *err)
{
    return err_set(err, ESRCH, "job %llu is not here", (unsigned long long)job);
}

static int too_few(uint32_t found, uint64_t job, uint32_t n, struct err *err)
{
    return err_set(err, ESRCH, "%u tasks of job %llu are here, in place of %u",
                   found, (unsigned long long)job, n);
}

int gather_check(struct jobs *jobs, uint64_t job, uint32_t n, struct err *err)
{
    struct part *p = jobs_find(jobs, job);
    uint32_t found = 0;

    if (!p)
        return not_here(job, err);
    p->ops->each(p, PART_HERE, count_task, &found);
    return found >= n ? 0 : too_few(found, job, n, err);
}

int gather_tasks(struct jobs *jobs, uint64_t job, struct task **tasks,
                 uint32_t n, struct gather_job *of, struct err *err)
{
    struct part *p = jobs_find(jobs, job);
    struct gathered g = { tasks, n, 0 };

    of->account = p ? p->ops->account(p) : NULL;
    if (!of->account)
        return not_here(job, err);
    of->user = p->user;
    p->ops->each(p, PART_HERE, add_task, &g);
    return g.found == n ? 0 : too_few(g.found, job, n, err);
}
