/* rundir.h - the directories of one slave and of its jobs.
 *
 *   DIR/                 private, in $XDG_RUNTIME_DIR, $TMPDIR or /tmp
 *     slave.lock         held as long as the slave lives
 *     tasks.sock         where tasks register their pages
 *     job.N/RANK/        working files of PMIx and MPI
 *   /dev/shm/hector-.../ the same for files that MPI shares in memory
 *
 * All of it goes when the slave ends. What a slave left behind that was
 * killed is removed by the next one of the same user: nobody holds its lock; or,
 * of one that had not come to lock it, after ten minutes. */
#ifndef HECTOR_RUNDIR_H
#define HECTOR_RUNDIR_H

#include "proto/base/err.h"
#include "proto/base/paths.h"
#include "slave/launch/plan.h"

struct rundir {
    char dir[PATHS_MAX];        /* "" when closed */
    char shm[PATHS_MAX];        /* "" where there is no /dev/shm */
    int lock, shm_lock;
};

int rundir_open(struct rundir *s, struct err *err);
void rundir_close(struct rundir *s);

/* Remove what dead slaves of this user have left. */
void rundir_sweep(void);

/* DIR/job.N, and SHM/job.N ("" without), writable for the job's user. */
int rundir_job_paths(const struct rundir *s, uint64_t job,
                     char dir[PATHS_MAX], char shm[PATHS_MAX],
                     struct err *err);
int rundir_job_open(const struct rundir *s, const struct plan *plan,
                    struct err *err);
void rundir_job_close(const struct rundir *s, uint64_t job);

#endif
