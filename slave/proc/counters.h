/* counters.h - what the processor counts of a process: instructions that it
 * has executed, and cycles that it took for them. Of its own code and not of
 * the kernel's, of all its threads, those that it starts later too. They are
 * read from outside (perf_event_open(2)); the process has no part in it.
 *
 * Often there are none: in most virtual machines, and where the system lets
 * nobody read them (kernel.perf_event_paranoid). A source finds that out once,
 * says why, and does not ask again. Each thread takes two descriptors, and all
 * of a source together no more than a quarter of those that this process may
 * have. */
#ifndef HECTOR_COUNTERS_H
#define HECTOR_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/base/err.h"

struct perf_event_attr;

enum {
    COUNTERS_EVENTS = 2,
    COUNTERS_THREADS = 64,      /* of a process, that are there when it begins */
};

/* As in perf_event_attr. */
struct counters_event { uint32_t type; uint64_t config; };

struct counters_source {
    struct counters_event event[COUNTERS_EVENTS];   /* instructions, cycles */
    /* The kernel's: a descriptor, or -1 and errno. */
    int (*open)(struct perf_event_attr *attr, pid_t tid, int group);
    unsigned left;              /* descriptors */
    bool whole;                 /* an old kernel: processes that a process
                                   starts are counted with it */
    int none;                   /* errno: there are none here; 0: may be */
};

/* The processor's, by this machine's kernel. */
void counters_source_init(struct counters_source *s);

struct counters;

/* Counts from now on. NULL: not of this process, or, as s->none says from then
 * on, of none. s is borrowed until it is closed. */
struct counters *counters_open(struct counters_source *s, pid_t pid,
                               struct err *err);
void counters_close(struct counters *c);        /* NULL is fine */
pid_t counters_pid(const struct counters *c);

/* Since it was opened; estimated, where others have had the counters at times.
 * 0: it did nothing, or they were never free. */
struct counters_value { uint64_t instructions, cycles; };
struct counters_value counters_read(const struct counters *c);

#endif
