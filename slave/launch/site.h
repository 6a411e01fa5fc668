/* site.h - where the tasks of this slave are started: its directories, the
 * libraries that are put in front of theirs, what they read that read nothing. */
#ifndef HECTOR_SITE_H
#define HECTOR_SITE_H

#include <stdbool.h>

#include "mpi-wrappers/cpu.h"
#include "proto/base/err.h"
#include "proto/base/paths.h"
#include "slave/launch/plan.h"
#include "slave/launch/taskenv.h"

struct site;
struct site *site_open(struct err *err);
void site_close(struct site *s);        /* with what is in them; NULL is fine */

const char *site_dir(const struct site *s);     /* of this slave; private */
const char *site_socket(const struct site *s);  /* where tasks register */
int site_null(const struct site *s);            /* /dev/null, to be read */
bool site_fast_fabric(const struct site *s);    /* load_fast_fabric() */

/* What tasks that can be moved may use here: what the processor has, but for what
 * this slave's own GLIBC_TUNABLES turn off. */
struct cpu_set site_cpu(const struct site *s);

/* Why tasks of class realtime wait as all others do; NULL: they do not. */
const char *site_no_yield(const struct site *s);

/* The directories of a job: dir, where PMIx and MPI work, of PATHS_MAX, is
 * filled in. */
int site_job_open(const struct site *s, const struct plan *plan, char *dir,
                  struct err *err);
void site_job_close(const struct site *s, uint64_t job);

/* What its tasks get in their environment, see taskenv.h; shm, of PATHS_MAX,
 * is filled in and borrowed by *env, like the plan and s. */
void site_env(const struct site *s, const struct plan *plan, char *shm,
              struct taskenv *env);

#endif
