/* system.c - the table of batch systems, see system.h. */
#include "redirector/batch/system.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/parse.h"
#include "redirector/batch/allocation.h"
#include "redirector/batch/ancestry.h"
#include "redirector/batch/fluxjob.h"
#include "redirector/batch/lsfjob.h"
#include "redirector/batch/pbsjob.h"
#include "redirector/batch/sgejob.h"

/* One question: when it ends, what it is about to do with the job, and which of
 * the job's nodes are down. Times as numbers, whatever the place. */
static const char *const slurm_ask[] = {
    "sh", "-c",
    "SLURM_TIME_FORMAT=%s squeue --noheader --states=all --Format=EndTime:.24,"
    "StartTime:.24,State:.24,Reason:.32,PreemptTime:.24,RestartCnt:.12 "
    "--job \"$0\" && sinfo --noheader --states=down --format=%N "
    "--nodes=\"$SLURM_JOB_NODELIST\"", NULL
};

static const char slurm_mail[] =
    "scontrol --oneliner show job \"$SLURM_JOB_ID\" |"
    " sed -n 's/.* MailUser=\\([^ ]*\\).*/\\1/p'";

static const char *const flux_starters[] = {
    "flux-shell", "flux-broker", "flux-proxy", NULL
};
static const char *const slurm_starters[] = { "slurmstepd", "salloc", NULL };
static const char *const lsf_starters[] = { "res", "sbatchd", NULL };
static const char *const sge_starters[] = { "sge_shepherd", NULL };
static const char *const pbs_starters[] = { "pbs_mom", NULL };

static int slurm_is_sane(bool adopts, struct err *err)
{
    return adopts ? 0 : allocation_check_first(err);
}

static const struct system systems[] = {
    { .name = "Flux", .variable = "FLUX_URI",
      .add_hosts = allocation_add_flux, .starters = flux_starters,
      .job = "FLUX_JOB_ID", .ask = fluxjob_ask, .answer = fluxjob_answer },
    { .name = "Slurm", .variable = "SLURM_JOB_NODELIST",
      .add_hosts = allocation_add_slurm_here, .agent = "srun",
      .starters = slurm_starters, .sane = slurm_is_sane,
      .job = "SLURM_JOB_ID", .restarts = "SLURM_RESTART_COUNT",
      .nodes = "SLURM_JOB_NUM_NODES", .cpus = "SLURM_JOB_CPUS_PER_NODE",
      .begin = "SLURM_JOB_START_TIME", .end = "SLURM_JOB_END_TIME",
      .ask = slurm_ask, .answer = system_answer_slurm, .mail = slurm_mail },
    { .name = "LSF", .variable = "LSB_MCPU_HOSTS",
      .add_hosts = allocation_add_lsf, .agent = "blaunch",
      .starters = lsf_starters, .job = "LSB_JOBID", .index = "LSB_JOBINDEX",
      .restarts = "LSB_RESTART", .run = "LSB_DJOB_HOSTFILE", .ask = lsfjob_ask,
      .answer = lsfjob_answer, .warning = SIGUSR2 },
    { .name = "Grid Engine", .variable = "PE_HOSTFILE",
      .add_hosts = allocation_add_sge, .agent = "qrsh -inherit",
      .starters = sge_starters, .job = "JOB_ID", .index = "SGE_TASK_ID", .restarts = "RESTARTED",
      .run = "PE_HOSTFILE", .ask = sgejob_ask,
      .answer = sgejob_answer, .mail = sgejob_mail, .warning = SIGUSR2,
      .repeats = SIGTERM },
    { .name = "PBS", .variable = "PBS_NODEFILE",
      .add_hosts = allocation_add_pbs, .starters = pbs_starters,
      .job = "PBS_JOBID", .run = "PBS_NODEFILE", .length = "PBS_WALLTIME",
      .ask = pbsjob_ask, .answer = pbsjob_answer, .mail = pbsjob_mail },
};

enum { SYSTEMS = sizeof(systems) / sizeof(systems[0]) };

const char *system_value(const char *variable)
{
    const char *value = variable ? getenv(variable) : NULL;

    return value && *value ? value : NULL;
}

uint32_t system_restarts(const struct system *s)
{
    const char *text = system_value(s->restarts);
    uint64_t n;

    if (text && strcasecmp(text, "Y") == 0)
        return 1;
    return text && !parse_u64(&n, text, 0, UINT32_MAX, NULL) ? (uint32_t)n : 0;
}

/* That of a system that says no more has the job's name: a file that somebody has made
 * of it meanwhile is newer than the run. */
uint64_t system_run_ns(const struct system *s)
{
    const char *path = system_value(s->run), *job = system_value(s->job);
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct stat st;

    if (s->restarts ? !system_restarts(s)
                    : !slash || !job || strcmp(slash + 1, job) != 0)
        return 0;
    return path && stat(path, &st) == 0
           ? (uint64_t)st.st_mtim.tv_sec * CLOCK_NS_PER_S +
             (uint64_t)st.st_mtim.tv_nsec : 0;
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

/* "flux-broker" is "flux-broker-0", too. */
static bool starts(const struct system *s, const char *name)
{
    for (const char *const *p = s->starters; *p; p++) {
        size_t n = strlen(*p);

        if (strncmp(name, *p, n) == 0 && (!name[n] || name[n] == '-'))
            return true;
    }
    return false;
}

struct innermost { const struct system *v[SYSTEMS]; size_t n, is; };

static bool innermost_is(void *arg, const char *name)
{
    struct innermost *in = arg;

    for (in->is = 0; in->is < in->n; in->is++)
        if (starts(in->v[in->is], name))
            return true;
    return false;
}

/* Those we are in, the innermost in place 0. */
static size_t systems_here(struct innermost *in)
{
    const struct system *first;

    in->n = in->is = 0;
    for (size_t i = 0; i < SYSTEMS; i++)
        if (system_value(systems[i].variable))
            in->v[in->n++] = &systems[i];
    if (in->n < 2 || !ancestry_find(innermost_is, in))
        return in->n;
    first = in->v[in->is];
    memmove(in->v + 1, in->v, in->is * sizeof(first));
    in->v[0] = first;
    return in->n;
}

const struct system *system_here(void)
{
    struct innermost in;

    return systems_here(&in) ? in.v[0] : NULL;
}

bool system_repeats(int sig)
{
    const struct system *s = system_here();

    return s && s->repeats == sig;
}

const char *system_job(const struct system *s, char *buf, size_t size)
{
    const char *job = system_value(s->job), *index = system_value(s->index);
    uint64_t n;

    if (!job || !index || parse_u64(&n, index, 1, UINT32_MAX, NULL))
        n = 0;
    snprintf(buf, size, "%s%s%.60s", s->name, job ? " " : "", job ? job : "");
    if (n)
        snprintf(buf + strlen(buf), size - strlen(buf), "[%" PRIu64 "]", n);
    return buf;
}

bool system_nested(char *buf, size_t size)
{
    struct innermost in;
    char name[100];
    size_t used = 0;

    systems_here(&in);
    for (size_t i = 0; i < in.n && used < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s",
                                 i ? " in " : "",
                                 system_job(in.v[i], name, sizeof(name)));
    return in.n > 1;
}

int system_add_hosts(struct hosts *h, bool adopts, struct err *err)
{
    const struct system *s = system_here();

    /* A heterogeneous job of Slurm has no variable but that. */
    if ((!s || s->sane == slurm_is_sane) && allocation_check_whole(err) < 0)
        return -1;
    if (!s)
        return 0;
    if (s->sane && s->sane(adopts, err) < 0)
        return -1;
    if (s->add_hosts(h, system_value(s->variable), err) < 0)
        return -1;
    h->agent = s->agent;
    h->granted = 0;
    for (size_t i = 0; i < h->n; i++)
        h->granted += h->v[i].slots;
    return 0;
}

/* "n1" is "n1.cluster", too, but 10.0.0.1 is not 10.0.0.2. */
static bool same_host(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");

    if (strcasecmp(a, b) == 0)
        return true;
    return n == m && strncasecmp(a, b, n) == 0 && (!a[n] || !b[n]) &&
           strspn(a, "0123456789") < n;
}

static const struct host *find_host(const struct hosts *all,
                                    const struct host *wanted)
{
    for (size_t i = 0; i < all->n; i++)
        if (same_host(all->v[i].name, wanted->name) ||
            (wanted->local && all->v[i].local))
            return &all->v[i];
    return NULL;
}

static int claim_all(struct hosts *h, const struct hosts *all,
                     const struct system *s, struct err *err)
{
    char job[100];
    uint64_t granted = 0;
    bool users = false;

    for (size_t i = 0; i < h->n; i++) {
        const struct host *host = find_host(all, &h->v[i]);

        if (!host)
            return err_set(err, EINVAL, "%.80s is not a host of %s, which has "
                           "given %s%s: name one of them, or a --launch-agent",
                           h->v[i].name, system_job(s, job, sizeof(job)),
                           all->v[0].name, all->n > 1 ? " and others" : "");
        granted += host->slots;
        users |= h->v[i].user != NULL;
    }
    h->granted = granted;
    h->agent = users ? NULL : s->agent;
    return 0;
}

int system_claim_hosts(struct hosts *h, struct err *err)
{
    const struct system *s = system_here();
    struct hosts all = { 0 };
    struct err ignored;
    int rc = 0;

    if (s && s->add_hosts(&all, system_value(s->variable), &ignored) == 0 &&
        all.n > 0) {
        hosts_find_local(&all);
        rc = claim_all(h, &all, s, err);
    }
    hosts_fini(&all);
    return rc;
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
