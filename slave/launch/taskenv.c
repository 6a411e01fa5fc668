/* taskenv.c - the environment a task gets.
 *
 * Why each Open MPI setting stands here: schizo=ompi, or every task is a job
 * of its own: the other components of that kind take it for one, orte's
 * anywhere, slurm's wherever a Slurm allocation has left its variables; ess
 * says outright what it would find by trying (Open MPI 5 has neither, and looks
 * at neither; its vader is called sm, and answers to both); yield_when_idle, or
 * tasks that wait steal the processor of those that work, and those that rest
 * (mpi-wrappers/yield) would not; ob1 over shared
 * memory and TCP halves the start-up where there is nothing faster; the
 * backing directories put shared-memory files where they are removed with the
 * job. Of tasks that can be moved: plugins of hwloc make libraries that cannot
 * be unloaded any more, and MPI's are; what not all hosts have of processors is
 * turned off, and where registers differ, functions that are bound when they are
 * called first would save them into room that was measured elsewhere. */
#include "slave/launch/taskenv.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "mpi-wrappers/tunable.h"

int taskenv_begin(struct env *e, const struct plan_app *app)
{
    static const struct { const char *prefix, *except; } foreign[] = {
        { "PMIX_", "PMIX_MCA_" }, { "PMI_", NULL },
        { "OMPI_COMM_WORLD_", NULL }, { "OMPI_MCA_orte_", NULL },
        { "OMPI_MCA_ess", NULL }, { "OMPI_MCA_pmix", NULL },
        { "OMPI_MCA_schizo", NULL }, { "OMPI_UNIVERSE_SIZE=", NULL },
        { "HECTOR_SLAVE=", NULL }, { "HECTOR_JOB=", NULL },
        { "HECTOR_RANK=", NULL }, { "HECTOR_NTASKS=", NULL },
        { "HECTOR_STDOUT=", NULL },
    };

    if (env_copy(e, app->env))
        return -1;
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        env_strip(e, foreign[i].prefix, foreign[i].except);
    return 0;
}

static int set_mpi(struct env *e, const struct taskenv *t)
{
    int rc = 0;

    rc |= env_set(e, "OMPI_MCA_schizo", "ompi");
    rc |= env_set(e, "OMPI_MCA_ess", "pmi");
    if (t->plan->oversubscribed || (*t->yield && plan_rests(t->plan)))
        rc |= env_default(e, "OMPI_MCA_mpi_yield_when_idle", "1");
    if ((t->plan->nodes.n == 1 || !t->fast_fabric) &&
        !env_get(e, "OMPI_MCA_pml") && !env_get(e, "OMPI_MCA_btl")) {
        rc |= env_set(e, "OMPI_MCA_pml", "ob1");
        rc |= env_set(e, "OMPI_MCA_btl", "self,vader,tcp");
    }
    if (*t->shm) {
        rc |= env_default(e, "OMPI_MCA_btl_vader_backing_directory", t->shm);
        rc |= env_default(e, "OMPI_MCA_btl_sm_backing_directory", t->shm);
        rc |= env_default(e, "OMPI_MCA_osc_rdma_backing_directory", t->shm);
        rc |= env_default(e, "OMPI_MCA_osc_sm_backing_directory", t->shm);
    }
    return rc;
}

/* Open MPI sums up by its own choice, as far as it is let. */
static int set_sums(struct env *e, const struct cpu_set *may)
{
    static const char *const names[] = { "AVX", "AVX2", "AVX512F", "AVX512BW" };
    char text[64] = "SSE,SSE2,SSE3,SSE4.1";

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (cpu_names(may, names[i])) {
            strcat(text, ",");
            strcat(text, names[i]);
        }
    return env_default(e, "OMPI_MCA_op_avx_support", text);
}

/* What not all hosts have that the task may come to. */
static int set_cpu(struct env *e, const struct taskenv *t)
{
    const struct plan *p = t->plan;
    struct cpu_set off;
    char text[TUNABLE_BYTES];
    int rc = 0;

    if (cpu_none(&p->cpu))
        return 0;
    off = cpu_missing(&p->cpu, t->cpu);
    if (!cpu_none(&off)) {
        if (tunable_turn_off(env_get(e, TUNABLES), &off, text, sizeof(text)))
            return -1;
        rc |= env_set(e, TUNABLES, text);
        rc |= set_sums(e, &p->cpu);
    }
    if (p->bind_now)
        rc |= env_set(e, "LD_BIND_NOW", "1");
    return rc;
}

int taskenv_finish(struct env *e, const struct taskenv *t, uint32_t rank)
{
    const struct plan *p = t->plan;
    uint32_t local = p->local_of[rank];
    int rc = set_mpi(e, t);

    rc |= env_setf(e, "OMPI_COMM_WORLD_RANK", "%u", rank);
    rc |= env_setf(e, "OMPI_COMM_WORLD_SIZE", "%u", p->ntasks);
    rc |= env_setf(e, "OMPI_COMM_WORLD_LOCAL_RANK", "%u", local);
    rc |= env_setf(e, "OMPI_COMM_WORLD_LOCAL_SIZE", "%zu",
                   taskset_count(&plan_here(p)->ranks));
    rc |= env_setf(e, "OMPI_COMM_WORLD_NODE_RANK", "%u", local);
    rc |= env_setf(e, "OMPI_UNIVERSE_SIZE", "%u", p->ntasks);
    rc |= env_set(e, "HECTOR_SLAVE", t->tasks_socket);
    rc |= env_setf(e, "HECTOR_JOB", "%llu", (unsigned long long)p->job);
    rc |= env_setf(e, "HECTOR_RANK", "%u", rank);
    rc |= env_setf(e, "HECTOR_NTASKS", "%u", p->ntasks);
    if (p->migratable) {
        rc |= env_set(e, "HWLOC_PLUGINS_PATH", "/none");
        rc |= set_cpu(e, t);
        rc |= env_prepend(e, "LD_PRELOAD", t->layer, ':');
    }
    if (env_get(e, "HECTOR_INJECT"))
        rc |= env_prepend(e, "LD_PRELOAD", t->inject, ':');
    if (*t->yield && plan_yields(p))
        rc |= env_prepend(e, "LD_PRELOAD", t->yield, ':');
    if (*t->preload)
        rc |= env_prepend(e, "LD_PRELOAD", t->preload, ':');
    return rc ? -1 : 0;
}

int taskenv_output(struct env *e, int fd)
{
    const char *mode = env_get(e, "HECTOR_BUFFER");
    struct stat st;

    if (!mode || !*mode)
        mode = "line";
    if (!strcmp(mode, "block") || fstat(fd, &st) || !S_ISFIFO(st.st_mode))
        return 0;
    return env_setf(e, "HECTOR_STDOUT", "%s:%llu:%llu", mode,
                    (unsigned long long)st.st_dev,
                    (unsigned long long)st.st_ino);
}

int taskenv_marks(const struct taskenv *t, char *job, size_t job_size,
                  char *slave, size_t slave_size)
{
    int a = snprintf(job, job_size, "HECTOR_JOB=%llu",
                     (unsigned long long)t->plan->job);
    int b = snprintf(slave, slave_size, "HECTOR_SLAVE=%s", t->tasks_socket);

    return a < (int)job_size && b < (int)slave_size ? 0 : -1;
}
