/* usage.h - the options of hector-run: one table for the parser and --help.
 *
 * A name of more than one letter may be given with one dash or two, as
 * mpirun has it. */
#ifndef HECTOR_USAGE_H
#define HECTOR_USAGE_H

#include <stdio.h>

enum usage_id {
    USAGE_NTASKS, USAGE_PER_NODE, USAGE_PER_NODE_ONE, USAGE_MAP_BY,
    USAGE_BY_NODE, USAGE_BY_SLOT, USAGE_OVERSUBSCRIBE, USAGE_WDIR,
    USAGE_EXPORT, USAGE_GENV, USAGE_HOST, USAGE_HOSTFILE, USAGE_AGENT,
    USAGE_MASTER, USAGE_STDIN, USAGE_LABEL, USAGE_TAG, USAGE_TIMESTAMP,
    USAGE_OUTPUT_DIR, USAGE_MERGE, USAGE_BUFFER,
    USAGE_UNBUFFERED, USAGE_PTY, USAGE_STDTIM, USAGE_TIMEOUT,
    USAGE_NAME, USAGE_DB, USAGE_POLICY, USAGE_ON_HANG, USAGE_PRIORITY,
    USAGE_DEADLINE, USAGE_MIGRATABLE, USAGE_CHECKPOINT_EVERY,
    USAGE_CHECKPOINT_DIR, USAGE_INJECT, USAGE_PHASE,
    USAGE_ADOPT, USAGE_ADOPT_ENV, USAGE_AS_ROOT, USAGE_VERBOSE, USAGE_QUIET,
    USAGE_HELP, USAGE_VERSION,
};

enum usage_arg { USAGE_NO_ARG, USAGE_ARG, USAGE_MAY_ARG /* only by "=" */,
                 USAGE_TWO_ARGS };

struct usage_option {
    enum usage_id id;
    const char *group;          /* heading; NULL: as the one before */
    const char *names;          /* "n np c ntasks": the first two are shown */
    enum usage_arg takes;
    const char *arg;            /* how the value is shown */
    const char *help;           /* "\n" only between paragraphs; NULL: not
                                   shown (kept for other people's scripts) */
};

/* The option with this name, given without its dashes; NULL if there is
 * none. */
const struct usage_option *usage_find(const char *name);

/* The name that looks most like this one, to be suggested; NULL if nothing
 * comes near. */
const char *usage_nearest(const char *name);

/* --help: grouped, for a terminal of 80 columns. */
void usage_print(FILE *out);

#endif
