/* alike.c - see alike.h. */
#include "policies/slow/alike.h"

#include <math.h>

#include "policies/smm/polish.h"

enum { ABOUT = 500 };           /* tasks that stand for all */

double alike_middle(double *v, size_t n)
{
    size_t most = 0;

    if (n == 0 || n % 2)
        return polish_median(v, n);
    for (size_t i = 1; i < n; i++)
        if (v[i] > v[most])
            most = i;
    v[most] = v[n - 1];
    return polish_median(v, n - 1);
}

static void add_to_node(struct speed *s, uint32_t node, double x)
{
    struct speed_task *t = &s->task[node - 1];

    t->node_shift += (float)x;
    t->node_tasks++;
}

/* The middle of what nodes are in the mean; NaN if there is one only. */
static double middle_of_nodes(struct speed *s)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->nodes; i++) {
        struct speed_task *t = &s->task[i];

        if (t->node_tasks)
            s->words[n++] = (double)t->node_shift / t->node_tasks;
        t->node_shift = 0;
        t->node_tasks = 0;
    }
    return n > 1 ? alike_middle(s->words, n) : (double)NAN;
}

/* A node that is slow may have most of the tasks: then the other nodes are what
 * is usual. */
static double of_each(struct speed *s, uint32_t phase,
                      const struct speed_span *span, double *shift,
                      uint32_t each)
{
    size_t n = 0;
    double tasks, nodes;

    for (uint32_t i = 0; i < s->ntasks; i += each) {
        double x = speed_shift(s, i, phase, span);

        if (shift)
            shift[i] = x;
        if (isnan(x))
            continue;
        s->words[n++] = x;
        if (s->task[i].node)
            add_to_node(s, s->task[i].node, x);
    }
    tasks = alike_middle(s->words, n);
    nodes = middle_of_nodes(s);
    return tasks > 0 && nodes < tasks ? fmax(nodes, 0) : tasks;
}

double alike_of(struct speed *s, uint32_t phase, const struct speed_span *span,
                double *shift)
{
    return of_each(s, phase, span, shift, 1);
}

double alike_part(struct speed *s, uint32_t phase, uint64_t since)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->ntasks; i += 1 + s->ntasks / ABOUT) {
        double x = speed_part_grown(s, i, phase, since);

        if (!isnan(x))
            s->words[n++] = x;
    }
    return n ? alike_middle(s->words, n) : 0;
}

double alike_about(struct speed *s, uint32_t phase,
                   const struct speed_span *span)
{
    return of_each(s, phase, span, NULL, 1 + s->ntasks / ABOUT);
}
