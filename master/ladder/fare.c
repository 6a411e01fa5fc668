/* fare.c - see fare.h. */
#include "master/ladder/fare.h"

#include <errno.h>
#include <math.h>

#include "proto/base/taskset.h"

/* Two answers that are closer tell more of chance than of tasks. */
static const uint64_t fare_least_ns = 40000000, fare_old_ns = 3000000000;

static int take_cpus(struct climb_cpus *to, const char *text, struct err *err)
{
    struct taskset set = { 0 };

    if (taskset_parse(&set, text, CLIMB_CPUS, err))
        return -1;
    *to = (struct climb_cpus){ { 0 } };
    for (int64_t i = -1; (i = taskset_next(&set, i)) >= 0; )
        to->w[i / 64] |= (uint64_t)1 << i % 64;
    taskset_fini(&set);
    return 0;
}

/* Another number of tasks, or less time than before: some have ended, or
 * begun. */
static void compare(struct fare *f, const Hct__Yielded *m, uint64_t now_ns)
{
    double over = (double)(now_ns - f->at_ns);

    f->over_ns = 0;
    if (!f->at_ns || m->tasks != f->tasks || m->ran_ns < f->ran_ns ||
        m->kept_ns < f->kept_ns)
        return;
    f->over_ns = now_ns - f->at_ns;
    f->ran = (double)(m->ran_ns - f->ran_ns) / over;
    /* Who has waited for long is told of when he runs again. */
    f->wanted = fmin(fmax(m->tasks, f->ran),
                     f->ran + (double)(m->kept_ns - f->kept_ns) / over);
}

int fare_take(struct fare *f, const Hct__Yielded *m, bool held, uint64_t now_ns,
              struct err *err)
{
    struct climb_cpus cpus, all;

    if (take_cpus(&cpus, m->cpus, err) || take_cpus(&all, m->all, err))
        return err_prefix(err, "Yielded");
    f->heard_ns = now_ns;
    f->cpus = cpus;
    f->all = all;
    f->calm = m->calm;
    f->aside = m->aside;
    f->held = m->held;
    f->may_calm = m->may_calm;
    f->raised = m->raised;
    f->may_raise = m->may_raise;
    if (f->at_ns && now_ns - f->at_ns < fare_least_ns && m->tasks == f->tasks)
        return 0;
    if (!held)
        compare(f, m, now_ns);
    f->tasks = m->tasks;
    f->at_ns = now_ns;
    f->ran_ns = m->ran_ns;
    f->kept_ns = m->kept_ns;
    return 0;
}

bool fare_is_fresh(const struct fare *f, uint64_t now_ns)
{
    return f->over_ns && now_ns - f->at_ns < fare_old_ns;
}
