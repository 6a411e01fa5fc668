/* statement.h - a Profile message while it is written: of the tables of sites
 * it takes along what it needs, numbered anew, so that each message can be
 * understood by itself. */
#ifndef HECTOR_STATEMENT_H
#define HECTOR_STATEMENT_H

#include "slave/page/names.h"
#include "slave/page/profile.h"
#include "slave/page/sites.h"

enum { STATEMENT_COSTS = 8192, STATEMENT_NAMES = 2048 };

struct statement_index {        /* which of a table, in which order */
    uint32_t *at;               /* number -> place + 1 */
    uint32_t *v;                /* place -> number */
    size_t n;
};

struct statement {
    uint64_t job;
    const struct sites *sites;  /* borrowed; do not grow meanwhile */
    struct statement_index module, frame, site;
    struct statement_task *task;        /* owned */
    size_t ntasks, tasks_cap, ncosts;
    struct statement_name *name;        /* owned */
    size_t nnames;
    bool failed;                /* out of memory: nothing may be sent */
};

void statement_init(struct statement *s, uint64_t job,
                    const struct sites *sites);
void statement_fini(struct statement *s);

/* What of a task the master has not heard. It counts as told. */
void statement_add_task(struct statement *s, uint32_t rank,
                        struct profile *p);

/* Names from number first on; returns the first one that did not fit. */
size_t statement_add_names(struct statement *s, const struct names *names,
                           size_t first);

bool statement_is_empty(const struct statement *s);
bool statement_is_full(const struct statement *s);

/* Call send with the Hct__Profile. -1: out of memory. */
int statement_send(const struct statement *s,
                   void (*send)(void *arg, const void *message), void *arg);

/* All that the master has not heard of some tasks, and names from *names_sent
 * on, in messages of a bounded size each. */
struct statement_of {
    uint64_t job;
    const struct sites *sites;
    const struct names *names;
    size_t *names_sent, ntasks;
    /* The profile of one of the tasks, and its rank. */
    struct profile *(*task)(void *arg, size_t i, uint32_t *rank);
    void (*send)(void *arg, const void *message);
    void *arg;                  /* of both */
};

/* -1: out of memory; nobody knows then what has been told. */
int statement_tell(const struct statement_of *o);

#endif
