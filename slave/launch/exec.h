/* exec.h - finding a program as a shell does, and saying why it cannot run.
 *
 * The search itself happens in the forked child, as the user, in the task's
 * working directory, with nothing but system calls: exec_run() is safe after
 * fork(). What it needs is prepared before, what it reports is a small struct
 * that the parent turns into an exit code and a sentence. */
#ifndef HECTOR_EXEC_H
#define HECTOR_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

enum exec_step {
    EXEC_STEP_NONE,             /* the program runs */
    EXEC_STEP_SETUP,            /* descriptors, group, signals */
    EXEC_STEP_USER,             /* becoming the user */
    EXEC_STEP_CHDIR,
    EXEC_STEP_EXEC,
};

/* Written whole to the report pipe by a child that fails. */
struct exec_report { int32_t step, error; };

/* The paths to try for one program, in order. */
struct exec_search {
    char **paths;               /* owned, NULL-terminated */
    char **script;              /* owned: {"/bin/sh", path, argv[1] ...} */
    char *const *argv;          /* borrowed */
};

/* path is the task's $PATH; NULL or "" means the usual one. A name with a
 * slash is looked up nowhere. */
int exec_search_init(struct exec_search *s, char *const *argv,
                     const char *path, struct err *err);
void exec_search_fini(struct exec_search *s);

/* Replace the process; returns the errno of the failure. EACCES of one place
 * is remembered while others are tried, as in execvp(). */
int exec_run(const struct exec_search *s, char *const *env);

/* What a shell's $? would be: 127 not found, 126 found but not runnable. */
int exec_code(const struct exec_report *r);

/* "node2: cannot run ./solver: No such file or directory" */
void exec_sentence(const struct exec_report *r, const char *node,
                   const char *program, const char *wdir, char *buf,
                   size_t size);

#endif
