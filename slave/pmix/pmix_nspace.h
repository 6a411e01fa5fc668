/* pmix_nspace.h - a plan in PMIx's words: what every task of a job may ask
 * its server about the job. For pmix.c only. */
#ifndef HECTOR_PMIX_NSPACE_H
#define HECTOR_PMIX_NSPACE_H

#include <stddef.h>
#include <pmix.h>
#include <pmix_server.h>

#include "proto/base/err.h"
#include "slave/launch/plan.h"

/* The info array for PMIx_server_register_nspace(), to be released with
 * PMIX_INFO_FREE. dir holds one directory a local rank, named by the rank. */
int pmix_nspace_info(const struct plan *plan, const char *dir,
                     pmix_info_t **info, size_t *n, struct err *err);

#endif
