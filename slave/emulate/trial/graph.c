/* graph.c - see graph.h. */
#include "slave/emulate/trial/graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_time(const struct graph_time *t)
{
    return t->mean >= 0 && t->mean < 1e15 && t->sd >= 0 && t->sd < 1e15 &&
           t->part >= 0 && t->part < 1;
}

static bool add_state(struct graph *g, const char *line)
{
    char call[64], waits[8] = "";
    unsigned number;

    if (sscanf(line, "state %u %63s %7s", &number, call, waits) < 2 ||
        number != g->nstates || number == GRAPH_STATES ||
        (*waits && strcmp(waits, "waits") != 0))
        return false;
    g->waits[g->nstates++] = *waits != '\0';
    return true;
}

static bool add_step(struct graph *g, const char *line)
{
    struct graph_step *s = &g->step[g->nsteps];
    unsigned long long n;

    if (g->nsteps == GRAPH_STEPS ||
        sscanf(line, "step %u %u %llu %lf %lf %lf %lf %lf %lf", &s->from, &s->to,
               &n, &s->in.mean, &s->in.sd, &s->in.part, &s->out.mean, &s->out.sd,
               &s->out.part) != 9 ||
        s->from >= g->nstates || s->to >= g->nstates || s->to == 0 || n == 0 ||
        n > 1000000000 || !is_time(&s->in) || !is_time(&s->out))
        return false;
    s->n = n;
    g->nsteps++;
    return true;
}

static int by_ends(const void *a, const void *b)
{
    const struct graph_step *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static double sum_of(const struct graph *g, bool often)
{
    double ns = 0;

    for (uint32_t i = 0; i < g->nsteps; i++)
        if ((g->step[i].n > 1) == often)
            ns += (double)g->step[i].n *
                  (g->step[i].in.mean + g->step[i].out.mean);
    return ns;
}

/* What is done once is done once, however long the program runs. */
static int stretch(struct graph *g, struct err *err)
{
    double once = sum_of(g, false), often = sum_of(g, true);
    double times = (GRAPH_RUN_NS - once) / often;

    if (!(often > 0) || times <= 0)
        return err_set(err, EINVAL, "no step is taken twice in %.0f s",
                       GRAPH_RUN_NS / 1e9);
    for (uint32_t i = 0; i < g->nsteps; i++)
        if (g->step[i].n > 1)
            g->step[i].n = 2 + (uint64_t)((double)g->step[i].n * times);
    g->run_ns = once + sum_of(g, true);
    return 0;
}

static int read_lines(struct graph *g, FILE *f, struct err *err)
{
    char line[512];

    for (unsigned n = 1; fgets(line, sizeof(line), f); n++)
        if (*line != '#' && *line != '\n' && !add_state(g, line) &&
            !add_step(g, line))
            return err_set(err, EINVAL, "line %u is no state and no step between "
                           "states: see hector-emulate(8)", n);
    if (ferror(f))
        return err_sys(err, "cannot be read");
    qsort(g->step, g->nsteps, sizeof(g->step[0]), by_ends);
    for (uint32_t i = 1; i < g->nsteps; i++)
        if (by_ends(&g->step[i - 1], &g->step[i]) == 0)
            return err_set(err, EINVAL, "the step from %u to %u is there twice",
                           g->step[i].from, g->step[i].to);
    return stretch(g, err);
}

struct graph *graph_read(const char *path, struct err *err)
{
    struct graph *g = calloc(1, sizeof(*g));
    FILE *f = fopen(path, "re");
    int rc = -1;

    if (!g) {
        err_memory(err);
    } else if (!f) {
        err_sys(err, "cannot be opened");
    } else {
        g->nstates = 1;
        rc = read_lines(g, f, err);
    }
    if (f)
        fclose(f);
    if (rc == 0)
        return g;
    free(g);
    err_prefix(err, "%s", path);
    return NULL;
}

static uint32_t mostly(const struct graph *g, uint32_t from)
{
    uint32_t best = GRAPH_NOWHERE;

    for (uint32_t i = 0; i < g->nsteps; i++)
        if (g->step[i].from == from &&
            (best == GRAPH_NOWHERE || g->step[i].n > g->step[best].n))
            best = i;
    return best;
}

uint32_t graph_waits_at(const struct graph *g, uint32_t step)
{
    for (uint32_t i = 0; i < g->nstates && step != GRAPH_NOWHERE; i++) {
        uint32_t at = g->step[step].to;

        step = mostly(g, at);
        if (g->waits[at])
            return step;
    }
    return GRAPH_NOWHERE;
}
