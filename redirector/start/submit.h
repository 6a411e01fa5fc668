/* submit.h - what is asked of the master: how many tasks, of which programs,
 * where.
 *
 * Pure but for the environment and the current directory. */
#ifndef HECTOR_SUBMIT_H
#define HECTOR_SUBMIT_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/link/message.h"
#include "redirector/batch/hosts.h"
#include "redirector/link/links.h"
#include "redirector/options/options.h"
#include "redirector/start/saved.h"

/* Set ntasks of every program and return all tasks together; 0 with err.
 * hosts_given: by the person or a batch system. cpus: of this machine, for
 * hosts that are this machine and do not say their slots. */
uint32_t submit_count(struct options *o, const struct hosts *h,
                      bool hosts_given, uint32_t cpus, struct err *err);

/* The message, to be freed by submit_free(). env: as environ; argv: the
 * command line. Texts are borrowed from the arguments where possible.
 * with_hosts: name the hosts; else every node of the master will do. */
Hct__Submit *submit_build(const struct options *o, const struct hosts *h,
                          bool with_hosts, char *const *env,
                          char *const *argv, const struct links_where *links,
                          struct err *err);
/* Add the checkpoints that are to be made, and, where the tasks are made of some,
 * the programs that were saved, their name and command line; s is borrowed. */
int submit_saved(Hct__Submit *m, const struct options *o, const struct saved *s,
                 struct err *err);
void submit_free(Hct__Submit *m);

/* Processors this process may use. */
uint32_t submit_cpus(void);

#endif
