/* run.h - one run of a job, from the first socket to the exit status. */
#ifndef HECTOR_RUN_H
#define HECTOR_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "redirector/batch/hosts.h"
#include "redirector/options/options.h"

struct run_conf {
    const struct options *options;      /* counted; borrowed */
    const struct hosts *hosts;          /* borrowed; those of a private run */
    uint32_t ntasks;
    const char *master;                 /* a standing one; NULL: private */
    const char *agent, *db;             /* NULL: defaults */
    char *const *argv;                  /* of hector-run */
    char *const *env;                   /* of the tasks, before -x */
};

/* Returns the exit status. What there is to say has been said. */
int run_job(const struct run_conf *conf);

#endif
