/* submit.h - from a Submit message to a job, or to a sentence that says what
 * is wrong with it. */
#ifndef HECTOR_SUBMIT_H
#define HECTOR_SUBMIT_H

#include "master/state/job.h"
#include "proto/base/err.h"
#include "proto/link/message.h"

enum {
    SUBMIT_TASKS_MAX = 1 << 20,
    SUBMIT_APPS_MAX = 4096,
    SUBMIT_HOSTS_MAX = 65536,
    SUBMIT_COOKIE = JOB_COOKIE, /* bytes, exactly */
};

/* Check everything, copy what is to stay. NULL with err; the job is the
 * caller's, to flow_free_job(). Hosts that are named twice are one, with the
 * sum of their slots. */
struct job *submit_job(const Hct__Submit *s, struct err *err);

#endif
