/* allocation.h - the hosts that a batch system has given us, as it says them
 * in the environment. */
#ifndef HECTOR_ALLOCATION_H
#define HECTOR_ALLOCATION_H

#include "proto/base/err.h"
#include "redirector/batch/hosts.h"

/* Slurm's SLURM_JOB_NODELIST with SLURM_TASKS_PER_NODE ("2(x3),1"; NULL: one
 * each). */
int allocation_add_slurm(struct hosts *h, const char *nodelist,
                         const char *tasks, struct err *err);
/* The same of what Slurm says in our environment. */
int allocation_add_slurm_here(struct hosts *h, const char *nodelist,
                              struct err *err);
/* What Slurm's counts are in all: of "2(x3),1" 7; 0: they make no sense. */
uint32_t allocation_sum(const char *counts);
/* LSF's LSB_MCPU_HOSTS: "a 4 b 2". */
int allocation_add_lsf(struct hosts *h, const char *text, struct err *err);
/* The file that PE_HOSTFILE of Grid Engine names: lines "a 4 queue range". */
int allocation_add_sge(struct hosts *h, const char *path, struct err *err);
/* PBS_NODEFILE: a line a slot. */
int allocation_add_pbs(struct hosts *h, const char *path, struct err *err);
/* The hosts of the Flux instance we are in; flux(1) knows them. Each has as
 * many slots as processors. */
int allocation_add_flux(struct hosts *h, const char *uri, struct err *err);

/* A step of several tasks of Slurm runs its command several times: then each
 * but the first is refused, as they would all start the same job on the nodes
 * of the step. */
int allocation_check_first(struct err *err);

/* A heterogeneous job of Slurm is refused, but for steps of one component. */
int allocation_check_whole(struct err *err);

#endif
