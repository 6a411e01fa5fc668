/* tool.h - what the command line of hector(1) said, and what all commands need.
 *
 * A command gets the words behind its name and returns the exit status: 0,
 * 1 when it could not do what was asked, 2 for wrong usage. It prints its
 * answer to stdout and a sentence to stderr through tool_complain(). */
#ifndef HECTOR_TOOL_H
#define HECTOR_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "master/store/store.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

enum { TOOL_FAILED = 1, TOOL_USAGE = 2 };

struct tool {
    bool json;                  /* -j */
    const char *db;             /* --db, or NULL; borrowed */
    const char *address;        /* -s, or NULL; borrowed */
    const void *own;            /* the command's own options; borrowed */
    int nwords;
    char **words;               /* borrowed */
};

/* The database of --db, or the user's, for questions; NULL after having
 * complained. Jobs that nobody will end any more have ended then. */
struct store *tool_open_store(const struct tool *t);

/* All of an answer, on stdout. Returns status; or, after having complained, that
 * it cannot be written, or that there was no memory for it. */
int tool_answer(const struct str *out, int status);

/* "hector: sentence" on stderr; returns status. */
int tool_complain(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
