/* system.c - the table of batch systems, see system.h. */
#include "redirector/batch/system.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/parse.h"
#include "redirector/batch/allocation.h"

/* One question: when it ends, what it is about to do with the job, and which of
 * the job's nodes are down. Times as numbers, whatever the place. */
static const char *const slurm_ask[] = {
    "sh", "-c",
    "SLURM_TIME_FORMAT=%s squeue --noheader --states=all --Format=EndTime:.24,"
    "StartTime:.24,State:.24,Reason:.32,PreemptTime:.24,RestartCnt:.12 "
    "--job \"$0\" && sinfo --noheader --states=down --format=%N "
    "--nodes=\"$SLURM_JOB_NODELIST\"", NULL
};

static const struct system systems[] = {
    { .name = "Flux", .variable = "FLUX_URI",
      .add_hosts = allocation_add_flux, .job = "FLUX_JOB_ID" },
    { .name = "Slurm", .variable = "SLURM_JOB_NODELIST",
      .add_hosts = allocation_add_slurm_here, .agent = "srun",
      .job = "SLURM_JOB_ID", .restarts = "SLURM_RESTART_COUNT",
      .tasks = "SLURM_NTASKS", .end = "SLURM_JOB_END_TIME",
      .ask = slurm_ask, .answer = system_answer_slurm },
    { .name = "LSF", .variable = "LSB_MCPU_HOSTS",
      .add_hosts = allocation_add_lsf, .agent = "blaunch",
      .job = "LSB_JOBID" },
    { .name = "Grid Engine", .variable = "PE_HOSTFILE",
      .add_hosts = allocation_add_sge, .agent = "qrsh -inherit",
      .job = "JOB_ID", .tasks = "NSLOTS" },
    { .name = "PBS", .variable = "PBS_NODEFILE",
      .add_hosts = allocation_add_pbs, .job = "PBS_JOBID", .tasks = "PBS_NP",
      .length = "PBS_WALLTIME" },
};

const char *system_value(const char *variable)
{
    const char *value = variable ? getenv(variable) : NULL;

    return value && *value ? value : NULL;
}

uint32_t system_restarts(const struct system *s)
{
    const char *text = system_value(s->restarts);
    uint64_t n;

    return text && !parse_u64(&n, text, 0, UINT32_MAX, NULL) ? (uint32_t)n : 0;
}

const struct system *system_here(void)
{
    for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
        if (system_value(systems[i].variable))
            return &systems[i];
    return NULL;
}

int system_add_hosts(struct hosts *h, struct err *err)
{
    const struct system *s = system_here();

    if (!s)
        return 0;
    if (s->add_hosts(h, system_value(s->variable), err) < 0)
        return -1;
    h->agent = s->agent;
    return 0;
}

/* ------------------------------------------------------------------- Slurm */

enum { SLURM_WORD = 32, SLURM_WORDS = 6 };
struct slurm_job { uint64_t end_s, start_s, preempted_s, restarts; char *state, *why; };

/* "NONE", "N/A" and the like: 0. */
static uint64_t slurm_number(const char *word)
{
    uint64_t n;

    return parse_u64(&n, word, 0, INT64_MAX, NULL) ? 0 : n;
}

static bool slurm_is(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

/* While a job is being cleared of nothing but its traces says what for. */
static const char *slurm_reason(const struct slurm_job *j, uint64_t restarts,
                                bool down)
{
    static const char *const ends[] = {
        "COMPLETING", "CANCELLED", "TIMEOUT", "DEADLINE", "NODE_FAIL", "PREEMPTED",
        "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", NULL
    };
    static const char *const limits[] = {
        "TIMEOUT", "DEADLINE", "TimeLimit", NULL
    };
    static const char *const nodes[] = { "NODE_FAIL", "NodeDown", NULL };
    bool again = j->restarts > restarts;

    if (!slurm_is(j->state, ends))
        return "";
    if (slurm_is(j->state, limits) || slurm_is(j->why, limits))
        return "time limit";
    if (down || slurm_is(j->state, nodes) || slurm_is(j->why, nodes))
        return "node failure";
    if (strcmp(j->state, "PREEMPTED") == 0 ||
        (j->preempted_s && (again || j->preempted_s >= j->start_s)))
        return "preempted";
    if (again || (strcmp(j->state, "COMPLETING") && strcmp(j->state, "CANCELLED")))
        return "requeued";
    return "cancelled";
}

int system_answer_slurm(const char *text, uint64_t restarts,
                        struct system_answer *a)
{
    char w[SLURM_WORDS][SLURM_WORD], more[2];
    int n = sscanf(text, "%31s %31s %31s %31s %31s %31s %1s", w[0], w[1], w[2],
                   w[3], w[4], w[5], more);
    struct slurm_job j;

    if (n < SLURM_WORDS)
        return -1;
    j = (struct slurm_job){ .end_s = slurm_number(w[0]),
                            .start_s = slurm_number(w[1]), .state = w[2],
                            .why = w[3], .preempted_s = slurm_number(w[4]),
                            .restarts = slurm_number(w[5]) };
    a->reason = slurm_reason(&j, restarts, n > SLURM_WORDS);
    a->end_s = j.end_s;
    return 0;
}
