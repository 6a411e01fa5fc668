/* faults.h - what --inject says, checked and made explicit.
 *
 *   rank=3,call=MPI_Allreduce:500,fault=hang
 *
 * becomes a rule in the one form that the injector in the tasks understands
 * (mpi-wrappers/inject/inject.h), with every default filled in. See
 * hector-inject(7). */
#ifndef HECTOR_FAULTS_H
#define HECTOR_FAULTS_H

#include <stdint.h>

#include "proto/base/err.h"

/* Append the rule to *rules, a text from malloc() or NULL; they are divided
 * by ";". A random choice without a seed gets this one. On failure *rules is
 * as it was, and err a sentence that quotes the wrong part. */
int faults_add(char **rules, const char *text, uint64_t seed,
               struct err *err);

/* Are all ranks that the rules name below ntasks? */
int faults_check(const char *rules, uint32_t ntasks, struct err *err);

#endif
