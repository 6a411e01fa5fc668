/* hitting.c - see hitting.h: by Gauss and Seidel, from both sides. */
#include "policies/progress/hitting.h"

static double step(const struct reach_graph *g, const double *weight, uint32_t i,
                   const double *h)
{
    double sum = 0, all = 0;

    for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
        sum += weight[e] * h[g->next[e]];
        all += weight[e];
    }
    return all > 0 ? sum / all : 0;
}

void hitting(const struct reach_graph *g, const double *weight,
             const struct reach_to *r, double *least, double *most)
{
    double apart = 1;

    for (uint32_t i = 0; i < g->n; i++) {
        enum reach c = reach_of(r, i);

        least[i] = c == REACH_ALWAYS;
        most[i] = c != REACH_NEVER;
    }
    for (unsigned sweep = 0; sweep < HITTING_SWEEPS && apart > HITTING_CLOSE;
         sweep++) {
        apart = 0;
        for (uint32_t i = 0; i < g->n; i++) {
            if (reach_of(r, i) != REACH_PERHAPS)
                continue;
            least[i] = step(g, weight, i, least);
            most[i] = step(g, weight, i, most);
            if (most[i] - least[i] > apart)
                apart = most[i] - least[i];
        }
    }
}
