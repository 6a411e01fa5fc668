/* runkey.h - which runs are runs of the same program, as far as one can tell
 * before they are compared: the same build of the same executables, with the
 * same arguments, on as many tasks. */
#ifndef HECTOR_RUNKEY_H
#define HECTOR_RUNKEY_H

#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/str.h"

/* Append the builds of the executables of this model, "solver a1b2c3", in the
 * order of their texts, with commas; one without a build id is known by its
 * path. Executables are the files that no ".so" is in the name of: others are
 * loaded by many. */
void runkey_builds(const Hct__Model *m, struct str *out);

/* A number for all of them, of 52 bits: exact also where numbers are doubles.
 * what: programs and arguments. Never 0. */
uint64_t runkey_make(const char *builds, const char *what, uint32_t ntasks);

#endif
