/* usage.h - the options of hector-run: one table for the parser and --help.
 *
 * A name of more than one letter may be given with one dash or two, as
 * mpirun has it. What a row stores goes into a struct options. */
#ifndef HECTOR_USAGE_H
#define HECTOR_USAGE_H

#include <stdio.h>

#include "proto/base/args.h"
#include "redirector/options/options.h"

extern const struct args_option usage_rows[];
extern const size_t usage_nrows;        /* at most 64: see options.seen */

/* --help: grouped, for a terminal of 80 columns. */
void usage_print(FILE *out);

#endif
