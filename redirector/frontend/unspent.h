/* unspent.h - inside an allocation of a batch system: how much of it is left
 * when a hung job has been ended. */
#ifndef HECTOR_UNSPENT_H
#define HECTOR_UNSPENT_H

#include <stddef.h>
#include <stdint.h>

/* What the batch system and the kernel say; texts may be NULL. */
struct unspent_facts {
    const char *slurm_end;      /* $SLURM_JOB_END_TIME: s since the epoch */
    const char *pbs_walltime;   /* $PBS_WALLTIME: s, from the job's start */
    const char *tasks;          /* $SLURM_NTASKS, or $PBS_NP */
    uint64_t now_s;             /* since the epoch */
    uint64_t script_age_s;      /* of the session's first process */
};
void unspent_read(struct unspent_facts *f);

/* Seconds; 0: no allocation, not known, or nothing is left. */
uint64_t unspent_left_s(const struct unspent_facts *f);

/* "2h13m of the allocation are left, 142 core hours of its 64 tasks" */
void unspent_text(char *buf, size_t size, const struct unspent_facts *f);

/* Say it, if the job has ended with this code because it hung. */
void unspent_say(int code, const char *on_hang);

#endif
