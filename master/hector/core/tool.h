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

enum { TOOL_FAILED = 1, TOOL_USAGE = 2 };

struct tool {
    bool json;                  /* -j */
    bool all;                   /* -a */
    uint64_t count;             /* -n, 0: not given */
    int signal;                 /* --signal, 0: not given */
    const char *policy;         /* --policy, or NULL; borrowed */
    const char *db;             /* --db, or NULL; borrowed */
    const char *address;        /* -s, or NULL; borrowed */
    const char *pids;           /* --pid, or NULL; borrowed */
    uint64_t samples, interval_ms;      /* --samples, 0: not given */
    bool lines, threads;
    bool last;                  /* --last */
    bool phases, histogram;     /* --phases, --histogram */
    const char *phase;          /* --phase, or NULL; borrowed */
    int shape;                  /* D dot, F folded, G svg, H html; 0: text */
    int nwords;
    char **words;               /* borrowed */
};

/* The database of --db, or the user's, for questions; NULL after having
 * complained. */
struct store *tool_open_store(const struct tool *t);

/* "hector: sentence" on stderr; returns status. */
int tool_complain(int status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
