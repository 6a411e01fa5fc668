/* bench_progress.c - how long it takes to say which tasks have made the least
 * progress, once all is known: by the models, of graphs with 200 steps and tasks in
 * 40 states, where most share a structure and where all differ; and by calls and
 * messages, where all wait for one.
 *
 * usage: bench_progress [TASKS...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/progress/decide.h"
#include "policies/progress/say.h"

enum { STATES = 120, STEPS = 200, OCCUPIED = 40, STRUCTURES = 8, BARRIER = 1,
       ROWS_MAX = 64, LINES_MAX = 80 };

static struct rows rows;
static struct reach_edge step[STRUCTURES + 1][STEPS];

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A program: one state after the other, with ways back and past some. */
static void a_structure(struct reach_edge *v, uint32_t which)
{
    uint64_t x = 88172645463325252u + which;

    for (uint32_t i = 0; i < STEPS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        v[i] = i < STATES - 1
                   ? (struct reach_edge){ i, i + 1 }
                   : (struct reach_edge){ (uint32_t)(x % STATES),
                                          (uint32_t)((x >> 32) % STATES) };
    }
}

static double by_models(uint32_t tasks, bool all_differ)
{
    uint32_t at[OCCUPIED], n = STEPS;
    double began = now_s();

    for (uint32_t i = 0; i < OCCUPIED; i++)
        at[i] = rows_state(3 * i, i % 2);
    rows_begin(&rows, STATES, at, OCCUPIED);
    for (uint32_t t = 0; t < tasks; t++) {
        struct reach_edge *v = step[all_differ ? STRUCTURES : t % STRUCTURES];

        if (all_differ)
            v[STEPS - 1] = (struct reach_edge){ t % STATES, t / STATES % STATES };
        rows_task(&rows, v, n, t % OCCUPIED);
    }
    return now_s() - began;
}

static void *array(size_t n, size_t size)
{
    void *v = calloc(n ? n : 1, size);

    if (!v)
        exit(1);
    return v;
}

/* All but the last are in a barrier. */
static double by_calls(uint32_t tasks)
{
    static const struct hct_call calls[] = { { .name = "" },
        { .name = "MPI_Barrier", .class_ = HCT_CLASS_COLLECTIVE,
          .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL } };
    static struct hct_verdict verdict[1];
    static struct hct_line line[LINES_MAX];
    static struct hct_row row[ROWS_MAX];
    static struct nodes g;
    struct hct_job job = { .size = sizeof(job), .nranks = tasks };
    struct hct_rank *ranks = array(tasks, sizeof(*ranks));
    struct hct_comm *comms = array(tasks, sizeof(*comms));
    struct nodes_task *t = array(tasks, sizeof(*t));
    struct hct_snapshot in = {
        .size = sizeof(in), .has_detail = 1, .job = &job, .calls = calls,
        .ncalls = 2, .call_size = sizeof(calls[0]), .ranks = ranks,
        .nranks = tasks, .rank_size = sizeof(*ranks), .comms = comms,
        .ncomms = tasks, .comm_size = sizeof(*comms) };
    struct hct_out out = { .size = sizeof(out), .verdicts = verdict,
        .verdicts_max = 1, .ranks = array(2 * (size_t)tasks + 16, 4),
        .ranks_max = 2 * tasks + 16, .lines = line, .lines_max = LINES_MAX,
        .rows = row, .rows_max = ROWS_MAX };
    struct say say = { .g = &g, .t = t, .in = &in };
    double took;

    for (uint32_t r = 0; r < tasks; r++) {
        bool late = r == tasks - 1;

        ranks[r] = (struct hct_rank){ .rank = r, .life = HCT_LIFE_RUNNING,
            .call = BARRIER, .flags = HCT_OBSERVED | HCT_PAGE |
            (late ? 0 : HCT_IN_MPI), .comm = 7, .collective = 10 };
        comms[r] = (struct hct_comm){ .rank = r, .id = 7, .size = tasks,
                                      .collectives = late ? 9 : 10 };
        t[r].state = NODES_NOWHERE;
    }
    took = now_s();
    nodes_make(&g, t, &in);
    decide_collectives(&g, t, &in);
    decide_messages(&g, t, &in);
    say_find(&say);
    say_verdict(&say, &out);
    took = now_s() - took;
    if (verdict[0].nranks != 1 || out.ranks[0] != tasks - 1)
        exit(1);
    free(ranks);
    free(comms);
    free(t);
    free(out.ranks);
    return took;
}

int main(int argc, char **argv)
{
    for (uint32_t i = 0; i <= STRUCTURES; i++)
        a_structure(step[i], i);
    for (int i = 1; i < argc; i++) {
        uint32_t tasks = (uint32_t)strtoul(argv[i], NULL, 10);
        double shared = by_models(tasks, false);
        double all_differ = tasks <= 65536 ? by_models(tasks, true) : 0;

        printf("%u %.4f %.4f %.4f\n", tasks, shared, all_differ,
               by_calls(tasks));
    }
    return 0;
}
