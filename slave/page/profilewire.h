/* profilewire.h - a Profile message while it is written: of the tables of sites
 * it takes along what it needs, numbered anew, so that each message can be
 * understood by itself. */
#ifndef HECTOR_PROFILEWIRE_H
#define HECTOR_PROFILEWIRE_H

#include "slave/page/names.h"
#include "slave/page/profile.h"
#include "slave/page/sites.h"

enum { PROFILEWIRE_COSTS = 8192, PROFILEWIRE_NAMES = 2048 };

struct profilewire_index {      /* which of a table, in which order */
    uint32_t *at;               /* number -> place + 1 */
    uint32_t *v;                /* place -> number */
    size_t n;
};

struct profilewire {
    uint64_t job;
    const struct sites *sites;  /* borrowed; do not grow meanwhile */
    struct profilewire_index module, frame, site;
    struct profilewire_task *task;      /* owned */
    size_t ntasks, tasks_cap, ncosts;
    struct profilewire_name *name;      /* owned */
    size_t nnames;
    bool failed;                /* out of memory: nothing may be sent */
};

void profilewire_init(struct profilewire *s, uint64_t job,
                      const struct sites *sites);
void profilewire_fini(struct profilewire *s);

/* What of a task the master has not heard. It counts as told. */
void profilewire_add_task(struct profilewire *s, uint32_t rank,
                          struct profile *p);

/* Names from number first on; returns the first one that did not fit. */
size_t profilewire_add_names(struct profilewire *s, const struct names *names,
                             size_t first);

bool profilewire_is_empty(const struct profilewire *s);

/* Call send with the Hct__Profile. -1: out of memory. */
int profilewire_send(const struct profilewire *s,
                     void (*send)(void *arg, const void *message), void *arg);

/* All that the master has not heard of some tasks, and names from *names_sent
 * on, in messages of a bounded size each. */
struct profilewire_of {
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
int profilewire_tell(const struct profilewire_of *o);

#endif
