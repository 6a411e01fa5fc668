/* allocation.c - what batch systems say of the hosts they have given us; see
 * allocation.h. Errors name the variable, which is what a person can look
 * at. */
#include "redirector/batch/allocation.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/hostlist.h"
#include "proto/base/parse.h"

/* ------------------------------------------------------------------- Slurm */

/* Take the next "2" or "2(x3)" off Slurm's counts. */
static int slurm_count(const char **text, uint32_t *tasks, uint32_t *times)
{
    char *end;
    unsigned long n = strtoul(*text, &end, 10);

    if (end == *text || !isdigit((unsigned char)**text) || n == 0 ||
        n > HOSTS_SLOTS_MAX)
        return -1;
    *tasks = (uint32_t)n;
    *times = 1;
    if (strncmp(end, "(x", 2) == 0) {
        n = strtoul(end + 2, &end, 10);
        if (*end++ != ')' || n == 0 || n > HOSTLIST_MAX)
            return -1;
        *times = (uint32_t)n;
    }
    if (*end == ',')
        end++;
    *text = end;
    return 0;
}

/* "2(x3),1" is of 4 nodes, 7 in all; of none, where it makes no sense. */
static uint64_t slurm_counted(const char *counts, uint64_t *sum)
{
    uint32_t each, times;
    uint64_t n = 0;

    for (*sum = 0; *counts; *sum += (uint64_t)each * times, n += times)
        if (slurm_count(&counts, &each, &times) < 0)
            return *sum = 0;
    return n;
}

static int slurm_check(const struct hostlist *list, const char *nodelist,
                       const char *tasks, struct err *err)
{
    uint64_t sum, n = tasks ? slurm_counted(tasks, &sum) : list->n;

    if (n == list->n)
        return 0;
    if (n == 0)
        return err_set(err, EINVAL, "SLURM_TASKS_PER_NODE is \"%.60s\": "
                       "numbers are wanted, as in 2(x3),1", tasks);
    return err_set(err, EINVAL, "SLURM_TASKS_PER_NODE does not fit "
                   "SLURM_JOB_NODELIST: %.60s is for %llu node%s, %.60s has %zu",
                   tasks, (unsigned long long)n, n == 1 ? "" : "s", nodelist,
                   list->n);
}

uint32_t allocation_sum(const char *counts)
{
    uint64_t sum;

    slurm_counted(counts, &sum);
    return sum <= UINT32_MAX ? (uint32_t)sum : 0;
}

int allocation_add_slurm(struct hosts *h, const char *nodelist,
                         const char *tasks, struct err *err)
{
    struct hostlist list = { 0 };
    uint32_t slots = 1, times = 0;
    int rc = hostlist_expand(&list, nodelist, err);

    if (rc < 0)
        err_prefix(err, "SLURM_JOB_NODELIST");
    else
        rc = slurm_check(&list, nodelist, tasks, err);
    for (size_t i = 0; rc == 0 && i < list.n; i++) {
        if (tasks && times == 0)
            slurm_count(&tasks, &slots, &times);
        if (times > 0)
            times--;
        rc = hosts_add(h, list.v[i], slots, err);
    }
    hostlist_fini(&list);
    return rc;
}

/* sbatch --ntasks-per-node gives each node so many, and srun starts no more than -n
 * says, which it deals out evenly. */
static void slurm_trim(struct hosts *h)
{
    const char *text = getenv("SLURM_NTASKS");
    uint64_t wanted, sum = 0;

    for (size_t i = 0; i < h->n; i++)
        sum += h->v[i].slots;
    if (!text || parse_u64(&wanted, text, h->n, HOSTS_SLOTS_MAX, NULL) < 0)
        return;
    for (; sum > wanted; sum--) {
        size_t most = 0;

        for (size_t i = 1; i < h->n; i++)
            if (h->v[i].slots >= h->v[most].slots)
                most = i;
        h->v[most].slots--;
    }
}

/* In a step of fewer nodes the counts are those of the step, and so are the
 * processors we may use. A shell that salloc or srun --pty has started is in a
 * step of one task, but has the counts of the job. */
int allocation_add_slurm_here(struct hosts *h, const char *nodelist,
                              struct err *err)
{
    const char *tasks = getenv("SLURM_TASKS_PER_NODE");
    const char *step = getenv("SLURM_STEP_NODELIST");
    struct hosts probe = { 0 };
    int rc = allocation_add_slurm(&probe, nodelist, tasks, err);

    hosts_fini(&probe);
    rc = allocation_add_slurm(h, rc < 0 && step ? step : nodelist, tasks, err);
    if (rc == 0)
        slurm_trim(h);
    return rc;
}

/* --------------------------------------------------------------------- LSF */

/* One host with the number that follows it. */
static int add_pair(struct hosts *h, const char *name, const char *number,
                    struct err *err)
{
    uint64_t slots;

    if (!number || parse_u64(&slots, number, 1, HOSTS_SLOTS_MAX, NULL) < 0)
        return err_set(err, EINVAL, "no number of slots after %.80s", name);
    return hosts_add(h, name, (uint32_t)slots, err);
}

int allocation_add_lsf(struct hosts *h, const char *text, struct err *err)
{
    char *copy = strdup(text), *save = NULL, *name;
    int rc = copy ? 0 : err_memory(err);

    name = copy ? strtok_r(copy, " \t", &save) : NULL;
    if (copy && !name)
        rc = err_set(err, EINVAL, "no host");
    for (; rc == 0 && name; name = strtok_r(NULL, " \t", &save))
        rc = add_pair(h, name, strtok_r(NULL, " \t", &save), err);
    free(copy);
    return rc ? err_prefix(err, "LSB_MCPU_HOSTS") : 0;
}

/* ---------------------------------------------------- files of Grid Engine, PBS */

/* Where their jobs have their files: ".../active_jobs/12.1/pe_hostfile" and
 * ".../aux/12.server". */
struct jobfile { const char *system, *variable, *job, *where; };

static const struct jobfile jobfile_sge = {
    "Grid Engine", "PE_HOSTFILE", "JOB_ID", "/active_jobs/"
};
static const struct jobfile jobfile_pbs = {
    "PBS", "PBS_NODEFILE", "PBS_JOBID", "/aux/"
};

/* The number of the job that it is of; NULL: that cannot be seen. */
static const char *jobfile_number(const struct jobfile *f, const char *path,
                                  int *n)
{
    const char *at = strstr(path, f->where);

    if (!at)
        return NULL;
    at += strlen(f->where);
    at += strspn(at, "/");
    *n = (int)strcspn(at, "./");
    return *n > 0 && *n < 40 ? at : NULL;
}

static int jobfile_check(const struct jobfile *f, const char *path,
                         struct err *err)
{
    const char *job = getenv(f->job);
    int n = 0;
    const char *at = jobfile_number(f, path, &n);

    if (!at || !job || !*job ||
        (strcspn(job, ".") == (size_t)n && strncmp(at, job, (size_t)n) == 0))
        return 0;
    return err_set(err, EINVAL, "%s is that of job %.*s of %s, but %s is %.40s",
                   f->variable, n, at, f->system, f->job, job);
}

/* It could not be read, as err says. */
static int jobfile_fail(const struct jobfile *f, const char *path,
                        struct err *err)
{
    struct err was = *err;
    int n = 0;
    const char *at = jobfile_number(f, path, &n);

    if (at && access(path, F_OK))
        err_set(err, was.code, "%s: has job %.*s of %s ended?", was.text, n, at,
                f->system);
    return err_prefix(err, "%s", f->variable);
}

int allocation_add_sge(struct hosts *h, const char *path, struct err *err)
{
    if (jobfile_check(&jobfile_sge, path, err) < 0)
        return -1;
    FILE *f = fopen(path, "re");
    char *line = NULL, *save, *name;
    size_t cap = 0, before = h->n;
    int rc = 0;

    if (!f) {
        err_sys(err, "cannot read %s", path);
        return jobfile_fail(&jobfile_sge, path, err);
    }
    while (rc == 0 && getline(&line, &cap, f) >= 0) {
        name = strtok_r(line, " \t\r\n", &save);
        if (name)
            rc = add_pair(h, name, strtok_r(NULL, " \t\r\n", &save), err);
    }
    if (rc == 0 && h->n == before)
        rc = err_set(err, EINVAL, "%s names no host", path);
    free(line);
    fclose(f);
    return rc ? err_prefix(err, "PE_HOSTFILE") : 0;
}

int allocation_add_pbs(struct hosts *h, const char *path, struct err *err)
{
    if (jobfile_check(&jobfile_pbs, path, err) < 0)
        return -1;
    if (hosts_load_file(h, path, err) < 0)
        return jobfile_fail(&jobfile_pbs, path, err);
    for (size_t i = 0; i < h->n; i++)
        if (h->v[i].slots == 0)
            h->v[i].slots = 1;
    return 0;
}

/* -------------------------------------------------------------------- Flux */

int allocation_add_flux(struct hosts *h, const char *uri, struct err *err)
{
    static const char command[] = "flux getattr hostlist";
    char text[65536];
    FILE *f = popen(command, "re");     /* before our work begins */
    size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
    int status = f ? pclose(f) : -1;
    struct hostlist list = { 0 };

    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (status != 0 || n == sizeof(text) - 1)
        return err_set(err, EIO, "FLUX_URI is %.80s, but \"%s\" does not say "
                       "the hosts there", uri, command);
    int rc = *text ? hostlist_expand(&list, text, err)
                   : err_set(err, EINVAL, "no host");

    for (size_t i = 0; rc == 0 && i < list.n; i++)
        rc = hosts_add(h, list.v[i], 0, err);
    for (size_t i = 0; i < h->n; i++)   /* several brokers on one host */
        h->v[i].slots = 0;
    hostlist_fini(&list);
    return rc ? err_prefix(err, "%s", command) : 0;
}

/* ---------------------------------------------------- the same job twice */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value;
}

/* Each component of it has hosts, options and a launch of its own. In a step there
 * is one only. */
int allocation_check_whole(struct err *err)
{
    const char *size = getenv("SLURM_HET_SIZE");
    uint64_t n;

    if (is_set("SLURM_STEP_NODELIST") || !size ||
        parse_u64(&n, size, 0, UINT32_MAX, NULL) || n <= 1)
        return 0;
    return err_set(err, EINVAL, "this is a heterogeneous job of Slurm, of %llu "
                   "components: hector-run works in one of them, as in srun "
                   "--het-group=0 -n 1 hector-run", (unsigned long long)n);
}

/* A batch script and a shell of salloc's are number 0, whatever they have
 * inherited of the step that they were submitted from. */
int allocation_check_first(struct err *err)
{
    const char *rank = getenv("SLURM_PROCID");
    const char *size = getenv("SLURM_STEP_NUM_TASKS");
    uint64_t at, n;

    if (!is_set("SLURM_JOB_NODELIST") || !rank || !size ||
        parse_u64(&at, rank, 0, UINT32_MAX, NULL) ||
        parse_u64(&n, size, 0, UINT32_MAX, NULL) || n <= 1 || at == 0)
        return 0;
    return err_set(err, EINVAL, "srun runs this %llu times, and only task 0 of "
                   "its step starts the job: use srun -n 1, or no srun; with "
                   "-H each starts one of its own", (unsigned long long)n);
}
