/* run.h - one run of a job, from the first socket to the exit status. */
#ifndef HECTOR_RUN_H
#define HECTOR_RUN_H

struct frontend_conf;

/* Returns the exit status. What there is to say has been said. */
int run_job(const struct frontend_conf *conf);

#endif
