/* system.c - the table of batch systems, see system.h. */
#include "redirector/batch/system.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* When it was begun, what it has asked for, what its queue allows, and what becomes
 * of it. */
static const char *const sge_ask[] = {
    "sh", "-c",
    "qstat -xml -j \"$0\" |"
    " sed -n 's/.*<JAT_start_time>\\([0-9]*\\)<.*/start \\1/p'\n"
    "qstat -j \"$0\" |"
    " sed -n 's/^hard resource_list: */asks /p'\n"
    "qconf -sq \"$QUEUE\" | sed -n 's/^h_rt  */asks h_rt=/p'\n"
    "qstat |"
    " awk -v job=\"$0\" '$1 == job { print \"state\", $5 }'", NULL
};

static const struct system systems[] = {
    { .name = "Flux", .variable = "FLUX_URI",
      .add_hosts = allocation_add_flux, .job = "FLUX_JOB_ID" },
    { .name = "Slurm", .variable = "SLURM_JOB_NODELIST",
      .add_hosts = allocation_add_slurm_here, .agent = "srun",
      .job = "SLURM_JOB_ID", .restarts = "SLURM_RESTART_COUNT",
      .nodes = "SLURM_JOB_NUM_NODES", .cpus = "SLURM_JOB_CPUS_PER_NODE",
      .begin = "SLURM_JOB_START_TIME", .end = "SLURM_JOB_END_TIME",
      .ask = slurm_ask, .answer = system_answer_slurm },
    { .name = "LSF", .variable = "LSB_MCPU_HOSTS",
      .add_hosts = allocation_add_lsf, .agent = "blaunch",
      .job = "LSB_JOBID" },
    { .name = "Grid Engine", .variable = "PE_HOSTFILE",
      .add_hosts = allocation_add_sge, .agent = "qrsh -inherit",
      .job = "JOB_ID", .ask = sge_ask, .answer = system_answer_sge,
      .warning = SIGUSR2 },
    { .name = "PBS", .variable = "PBS_NODEFILE",
      .add_hosts = allocation_add_pbs, .job = "PBS_JOBID",
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

void system_size(const struct system *s, uint32_t *nodes, uint32_t *cpus)
{
    const char *cpus_are = system_value(s->cpus);
    const char *nodes_are = system_value(s->nodes);
    struct hosts h = { 0 };

    *nodes = *cpus = 0;
    if (s->add_hosts(&h, system_value(s->variable), NULL) == 0)
        *nodes = (uint32_t)h.n;
    for (size_t i = 0; i < *nodes; i++)
        *cpus += h.v[i].slots;
    if (nodes_are)
        *nodes = allocation_sum(nodes_are);
    if (cpus_are)
        *cpus = allocation_sum(cpus_are);
    hosts_fini(&h);
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
static uint64_t number(const char *word)
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
    j = (struct slurm_job){ .end_s = number(w[0]),
                            .start_s = number(w[1]), .state = w[2],
                            .why = w[3], .preempted_s = number(w[4]),
                            .restarts = number(w[5]) };
    a->reason = slurm_reason(&j, restarts, n > SLURM_WORDS);
    a->end_s = j.end_s;
    a->begin_s = j.start_s;
    return 0;
}

/* ------------------------------------------------------------- Grid Engine */

/* "90" or "1:30:00", up to a comma; 0: none, as INFINITY. */
static uint64_t sge_seconds(const char *text)
{
    uint64_t s = 0;
    char *end;

    for (int i = 0; i < 3; i++, text = end + 1) {
        s = s * 60 + strtoul(text, &end, 10);
        if (end == text)
            return 0;
        if (*end != ':')
            break;
    }
    return *end == ',' || *end == '\0' ? s : 0;
}

/* Of several limits the least one counts. */
static void sge_limit(uint64_t *limit_s, const char *asks)
{
    const char *p = strstr(asks, "h_rt=");
    uint64_t s = p && (p == asks || p[-1] == ',' || p[-1] == ' ')
                 ? sge_seconds(p + strlen("h_rt=")) : 0;

    if (s && (*limit_s == 0 || s < *limit_s))
        *limit_s = s;
}

/* Of a job of several tasks that run all of these are told: of them nothing is
 * known. Before it kills a job that is over its limit its state is as ever. */
int system_answer_sge(const char *text, uint64_t restarts,
                      struct system_answer *a)
{
    char *copy = strdup(text), *save = NULL, state[16] = "";
    unsigned starts = 0;
    uint64_t limit_s = 0;

    (void)restarts;
    *a = (struct system_answer){ .reason = "" };
    for (char *p = copy ? strtok_r(copy, "\n", &save) : NULL; p;
         p = strtok_r(NULL, "\n", &save)) {
        if (strncmp(p, "asks ", 5) == 0)
            sge_limit(&limit_s, p);
        else if (sscanf(p, "state %15s", state) != 1 &&
                 strncmp(p, "start ", 6) == 0 && number(p + 6)) {
            a->begin_s = number(p + 6);
            starts++;
        }
    }
    free(copy);
    if (starts != 1)
        return -1;
    a->end_s = limit_s ? a->begin_s + limit_s : 0;
    if (strchr(state, 'd'))
        a->reason = "cancelled";
    else if (a->end_s && (uint64_t)time(NULL) >= a->end_s)
        a->reason = "time limit";
    return 0;
}
