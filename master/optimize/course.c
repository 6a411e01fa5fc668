/* course.c - see course.h. */
#include "master/optimize/course.h"

#include <stdlib.h>

#include "proto/base/clock.h"

/* Slaves tell what tasks have used once a second. */
static const uint64_t look_least_ns = 3 * CLOCK_NS_PER_S;

struct course *course_of(struct job *j)
{
    if (!j->course)
        j->course = calloc(1, sizeof(*j->course));
    return j->course;
}

void course_free(struct job *j)
{
    if (!j->course)
        return;
    free(j->course->tasks);
    free(j->course->aims);
    free(j->course->efforts);
    free(j->course);
    j->course = NULL;
}

static bool grow(struct course *c, uint32_t ntasks)
{
    struct course_task *more;

    if (c->ntasks >= ntasks)
        return true;
    more = realloc(c->tasks, ntasks * sizeof(*more));
    if (!more)
        return false;
    c->tasks = more;
    for (; c->ntasks < ntasks; c->ntasks++)
        more[c->ntasks] = (struct course_task){ .wants = 1 };
    return true;
}

static float part(uint64_t of_ns, uint64_t all_ns)
{
    double p = (double)of_ns / (double)all_ns;

    return p > 1 ? 1 : (float)p;
}

/* It wants what it had, and what it waited for; and as long as it is outside of MPI
 * it computes, also where a quota lets it stand, which the kernel does not count as
 * waiting. One that sleeps there seems to want more than it does: but it has
 * computed little, so nobody thinks that it would gain much. */
static void look_at(struct course_task *c, const struct task *t,
                    uint64_t passed_ns)
{
    if (passed_ns && t->cpu_ns >= c->cpu_ns && t->waited_ns >= c->waited_ns &&
        t->out_mpi_ns >= c->out_ns) {
        uint64_t had_ns = t->cpu_ns - c->cpu_ns;
        float out = part(t->out_mpi_ns - c->out_ns, passed_ns);

        c->gets = part(had_ns, passed_ns);
        c->wants = part(had_ns + t->waited_ns - c->waited_ns, passed_ns);
        c->wants = out > c->wants ? out : c->wants;
    }
    c->cpu_ns = t->cpu_ns;
    c->waited_ns = t->waited_ns;
    c->out_ns = t->out_mpi_ns;
}

void course_look(struct job *j, uint64_t now_ns)
{
    struct course *c = course_of(j);
    uint64_t passed_ns;

    if (!c || !grow(c, j->ntasks))
        return;
    passed_ns = c->at_ns ? now_ns - c->at_ns : 0;
    if (c->at_ns && passed_ns < look_least_ns)
        return;
    c->at_ns = now_ns;
    for (uint32_t r = 0; r < j->ntasks; r++)
        look_at(&c->tasks[r], &j->tasks[r], passed_ns);
}
