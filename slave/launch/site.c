/* site.c - where the tasks of this slave are started. */
#include "slave/launch/site.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi-wrappers/tunable.h"
#include "proto/base/log.h"
#include "proto/conf/preload.h"
#include "slave/launch/rundir.h"
#include "slave/proc/load.h"

struct site {
    struct rundir rundir;
    char socket[PATHS_MAX];
    char preload[PATHS_MAX];    /* libhector.so, "" if there is none */
    char inject[PATHS_MAX];     /* libhector-inject.so, or only its name: then
                                   tasks that want it say that it is not there */
    char yield[PATHS_MAX];      /* libhector-yield.so, "" if there is none */
    char no_yield[256];         /* why there is none */
    char layer[PATHS_MAX];      /* libmpi.so.40 of ours, "" if there is none */
    char no_layer[256];         /* why there is none */
    struct cpu_set cpu;
    bool fast_fabric;
    int null_fd;
};

static void find_preload(struct site *s)
{
    struct err err;

    if (preload_path("libhector.so", s->rundir.dir, s->preload, &err)) {
        log_warn("node", "tasks run unwatched: %s", err.text);
        s->preload[0] = '\0';
    }
    if (preload_path("libhector-inject.so", s->rundir.dir, s->inject, &err))
        strcpy(s->inject, "libhector-inject.so");
    if (preload_path("libhector-yield.so", s->rundir.dir, s->yield, &err)) {
        snprintf(s->no_yield, sizeof(s->no_yield), "%.255s", err.text);
        s->yield[0] = '\0';
    }
}

/* Both of them: one finds the other beside itself. */
static void find_layer(struct site *s)
{
    char inside[PATHS_MAX];
    struct err err;

    if (HECTOR_OPEN_MPI != 4)
        snprintf(s->no_layer, sizeof(s->no_layer), "this Hector is built with Open "
                 "MPI %d, and tasks of version 4 only can be moved", HECTOR_OPEN_MPI);
    else if (preload_path("libhector-inside.so", s->rundir.dir, inside, &err) ||
             preload_path("libmpi.so.40", s->rundir.dir, s->layer, &err)) {
        snprintf(s->no_layer, sizeof(s->no_layer), "%.255s", err.text);
        s->layer[0] = '\0';
    }
}

static int open_files(struct site *s, struct err *err)
{
    if (rundir_open(&s->rundir, err))
        return -1;
    if (snprintf(s->socket, sizeof(s->socket), "%s/tasks.sock",
                 s->rundir.dir) >= (int)sizeof(s->socket))
        return err_set(err, ENAMETOOLONG, "%s is too long", s->rundir.dir);
    s->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return s->null_fd < 0 ? err_sys(err, "/dev/null") : 0;
}

struct site *site_open(struct err *err)
{
    struct site *s = calloc(1, sizeof(*s));

    if (!s)
        return err_memory(err), NULL;
    s->null_fd = -1;
    if (open_files(s, err)) {
        site_close(s);
        return NULL;
    }
    find_preload(s);
    find_layer(s);
    s->fast_fabric = load_fast_fabric();
    cpu_read(&s->cpu);
    return s;
}

void site_close(struct site *s)
{
    if (!s)
        return;
    if (s->null_fd >= 0)
        close(s->null_fd);
    rundir_close(&s->rundir);
    free(s);
}

const char *site_dir(const struct site *s)
{
    return s->rundir.dir;
}

const char *site_socket(const struct site *s)
{
    return s->socket;
}

int site_null(const struct site *s)
{
    return s->null_fd;
}

bool site_fast_fabric(const struct site *s)
{
    return s->fast_fabric;
}

struct cpu_set site_cpu(const struct site *s)
{
    struct cpu_set told = s->cpu, off = tunable_off(getenv(TUNABLES));

    cpu_without(&told, &off);
    return told;
}

const char *site_no_yield(const struct site *s)
{
    return *s->yield ? NULL : s->no_yield;
}

int site_job_open(const struct site *s, const struct plan *plan, char *dir,
                  struct err *err)
{
    char shm[PATHS_MAX];

    if (plan->migratable && !*s->layer)
        return err_set(err, ENOENT, "tasks cannot be started so that they can "
                       "be moved (--migratable): %s", s->no_layer);
    return rundir_job_open(&s->rundir, plan, err) ||
           rundir_job_paths(&s->rundir, plan->job, dir, shm, err) ? -1 : 0;
}

void site_job_close(const struct site *s, uint64_t job)
{
    rundir_job_close(&s->rundir, job);
}

void site_env(const struct site *s, const struct plan *plan, char *shm,
              struct taskenv *env)
{
    char dir[PATHS_MAX];

    rundir_job_paths(&s->rundir, plan->job, dir, shm, NULL);
    *env = (struct taskenv){
        .plan = plan, .tasks_socket = s->socket, .preload = s->preload,
        .inject = s->inject, .yield = *s->preload ? s->yield : "",
        .layer = s->layer, .shm = shm, .fast_fabric = s->fast_fabric,
        .cpu = &s->cpu };
}
