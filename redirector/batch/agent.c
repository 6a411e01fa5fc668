/* agent.c - builds the words of a launch agent's call. */
#include "redirector/batch/agent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/str.h"

struct words { char **v; size_t n, cap; bool failed; };

const char *agent_default(const struct hosts *h)
{
    return h->agent ? h->agent : "ssh";
}

const char *agent_name(const char *agent)
{
    static char name[64];
    size_t n = strcspn(agent, " \t"), from = n;

    while (from > 0 && agent[from - 1] != '/')
        from--;
    snprintf(name, sizeof(name), "%.*s", (int)(n - from), agent + from);
    return name;
}

/* Where Slurm binds no tasks to processors it says so to whoever wants none
 * bound, also with --quiet. When it ends a job, each step says so, as does
 * hector-run; and a node it has lost the master has lost, too. */
const char *const *agent_noise(const char *agent)
{
    static const char *const srun[] = {
        "srun: cluster configuration lacks support for cpu binding",
        " CANCELLED AT ", "srun: error: Node failure on ",
        "srun: Job step aborted", "srun: forcing job termination",
        "srun: got SIGCONT",
        /* These are the reason that is told with the host. */
        "srun: error: Slurm job ", "srun: error: Unable to confirm allocation",
        "srun: Check SLURM_JOB_ID environment variable",
        "srun: error: Unable to create step for job", NULL
    };

    return strcmp(agent_name(agent), "srun") == 0 ? srun : NULL;
}

/* A step that is told of processors has no more of them, and so has no task: what
 * is not told has all that the job has on its node. */
const char *const *agent_unset(const char *agent)
{
    static const char *const srun[] = {
        "SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK", "SLURM_EXACT",
        "SLURM_EXCLUSIVE", "SLURM_THREADS_PER_CORE", "SLURM_HINT",
        "SLURM_NTASKS_PER_NODE", "SLURM_NTASKS_PER_CORE", "SLURM_DISTRIBUTION",
        "SLURM_MEM_PER_CPU", "SLURM_HOSTFILE", NULL
    };

    return strcmp(agent_name(agent), "srun") == 0 ? srun : NULL;
}

static bool is_there(const char *dir, size_t n, const char *name, size_t length)
{
    char path[4096];

    return (size_t)snprintf(path, sizeof(path), "%.*s/%.*s", (int)n, dir,
                            (int)length, name) < sizeof(path) &&
           access(path, X_OK) == 0;
}

bool agent_is_there(const char *agent)
{
    const char *dir = getenv("PATH");
    size_t n = strcspn(agent, " \t"), length;

    if (n == 0 || memchr(agent, '/', n) || !dir)
        return true;            /* said where it is started */
    for (;; dir += length + 1) {
        length = strcspn(dir, ":");
        if (is_there(length ? dir : ".", length ? length : 1, agent, n))
            return true;
        if (!dir[length])
            return false;
    }
}

static bool agent_uses_shell(const char *name)
{
    return strcmp(name, "ssh") == 0 || strcmp(name, "rsh") == 0 ||
           strcmp(name, "remsh") == 0 || strcmp(name, "qrsh") == 0;
}

static void words_add(struct words *w, char *owned)
{
    if (!owned || array_reserve(&w->v, &w->cap, w->n + 2)) {
        w->failed = true;
        free(owned);
        return;
    }
    w->v[w->n++] = owned;
    w->v[w->n] = NULL;
}

static char *agent_quote(const char *word)
{
    struct str s = { 0 };

    str_add_quoted(&s, word);
    return str_take(&s);
}

static char *agent_target(const struct host *host)
{
    char *text = NULL;

    if (!host->user)
        return strdup(host->name);
    if (asprintf(&text, "%s@%s", host->user, host->name) < 0)
        return NULL;
    return text;
}

/* srun has no place for a bare host. The step shares what the allocation has
 * with others, and the slave, not Slurm, binds tasks. */
static void agent_add_srun(struct words *w, const struct host *host)
{
    static const char *const options[] = {
        "--nodes=1", "--ntasks=1", "--overlap", "--cpu-bind=none",
        "--mpi=none", "--quiet"
    };
    char *list = NULL;

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        words_add(w, strdup(options[i]));
    if (asprintf(&list, "--nodelist=%s", host->name) < 0)
        list = NULL;
    words_add(w, list);
}

char **agent_words(const char *agent, const struct host *host,
                   const char *const *command, struct err *err)
{
    struct words w = { 0 };
    bool shell = agent_uses_shell(agent_name(agent));

    for (const char *p = agent; *p; ) {
        size_t n = strcspn(p, " \t");

        if (n > 0)
            words_add(&w, strndup(p, n));
        p += n;
        p += strspn(p, " \t");
    }
    if (w.n == 0 && !w.failed) {
        err_set(err, EINVAL, "the launch agent is empty");
        return NULL;
    }
    if (w.n == 1 && strcmp(agent_name(agent), "srun") == 0)
        agent_add_srun(&w, host);
    else
        words_add(&w, agent_target(host));
    for (; *command; command++)
        words_add(&w, shell ? agent_quote(*command) : strdup(*command));
    if (w.failed) {
        agent_free(w.v);
        err_memory(err);
        return NULL;
    }
    return w.v;
}

void agent_free(char **words)
{
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

/* A slurmctld that has just been begun again takes the memory of the jobs it finds
 * for used up; where munged is away, its answer is an error of no kind; qrsh loses its
 * link to a busy node. */
bool agent_may_pass(const char *agent, const char *line)
{
    static const struct { const char *agent, *words; } passes[] = {
        { "srun", "Memory required by task is not available" },
        { "srun", "Unable to contact slurm controller" },
        { "srun", "Socket timed out on send/recv" },
        { "srun", "Unexpected missing socket error" },
        { "srun", "Protocol authentication error" },
        { "srun", "Unspecified error" },
        { "srun", "Zero Bytes were transmitted or received" },
        { "qrsh", "commlib error: got read error" },
    };
    const char *name = agent_name(agent);

    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
        if (strcmp(name, passes[i].agent) == 0 && strstr(line, passes[i].words))
            return true;
    return false;
}
