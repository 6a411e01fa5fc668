/* setup.h - what was run, and how: of two runs what is not the same. Pure. */
#ifndef HECTOR_DIFF_SETUP_H
#define HECTOR_DIFF_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/str.h"

struct setup_run {              /* texts are borrowed; NULL: not known */
    const char *what;           /* programs and arguments: lastrun.h */
    const char *command;        /* the whole line: with options */
    const char *builds;         /* runkey.h */
    const char *environment;    /* lines */
    const char *nodes;          /* "n1: 0-3, n2: 4-7" */
    uint32_t ntasks;
};

enum setup_kind {               /* in the order in which they are said */
    SETUP_PROGRAM, SETUP_BUILD, SETUP_ARGUMENTS, SETUP_TASKS,
    SETUP_FIRST_LATE,           /* of those that are said last */
    SETUP_NODES = SETUP_FIRST_LATE, SETUP_OPTIONS, SETUP_ENVIRONMENT,
    SETUP_KINDS
};
/* "program" and so on. */
const char *setup_name(enum setup_kind kind);

/* f gets what is in run 1, and in run 0; NULL: it is not there. */
typedef void setup_f(void *arg, enum setup_kind kind, const char *was,
                     const char *is);
void setup_compare(const struct setup_run runs[2], setup_f *f, void *arg);

#endif
