/* options.h - what hector-emulate is to emulate: its command line. */
#ifndef HECTOR_EMULATE_OPTIONS_H
#define HECTOR_EMULATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "slave/emulate/plan/fleet.h"
#include "slave/emulate/trial/played.h"

enum { EMULATE_DAEMONS_MAX = 16384, EMULATE_TASKS_MAX = 1 << 20,
       EMULATE_FAULTS_MAX = 64, EMULATE_WORKERS_MAX = 64,
       EMULATE_NODES_MAX = 1 << 20, EMULATE_JOBS_MAX = 1 << 20,
       EMULATE_SITES_MAX = 500 };       /* a page has room for 510 */

enum emulate_fault_kind { EMULATE_DIE, EMULATE_SILENT, EMULATE_LATE,
                          EMULATE_NOISE, EMULATE_LIE, EMULATE_FORGE };
struct emulate_fault { uint32_t daemon; enum emulate_fault_kind kind;
                       uint64_t late_ns; };

enum emulate_gather { EMULATE_TREE, EMULATE_MODEL, EMULATE_OUTLIERS,
                      EMULATE_PROGRESS };

struct emulate {
    /* STATBench's, by its letters; -D is the number of its processes. */
    uint32_t daemons;           /* -D */
    uint32_t tasks;             /* -n: of each daemon */
    uint32_t traces;            /* -t: of each task, its samples */
    uint32_t depth;             /* -m: calls below main() */
    uint32_t breadth;           /* -b: functions that each can call */
    uint32_t classes;           /* -e: of equivalent tasks; 0: all differ */
    uint32_t fan_out, levels;   /* -f, -d: of the tree; 0: the master's */
    uint32_t iterations;        /* -i */
    enum emulate_gather gather; /* --gather: what reductions carry */
    bool brief;                 /* -U: counts and representatives */
    bool json;                  /* -j */

    uint64_t seconds_ns;        /* --seconds: of samples and events */
    uint64_t events;            /* --events: a second, over all tasks */
    uint32_t batch;             /* --batch: events in a message */
    uint32_t sites;             /* --sites: that tasks call MPI from; 0: no
                                   account of calls is kept */
    uint64_t call_ns;           /* --call-time: mean, from call to call */
    uint64_t interval_ns;       /* --interval: of statements; 0: a slave's */
    uint32_t outliers_ppm;      /* --outliers: tasks that are slow */
    uint64_t seed;              /* --seed: of the chain of sites */
    double odd;                 /* --odd: times as long as others */
    uint32_t spread_ppm;        /* --spread: of the loads of tasks */
    const char *program;        /* --program: file of a graph; NULL: none */
    struct played_conf played;  /* ... that has --spread, --clean and --seed */
    const char *optimizer;      /* --optimizer; NULL: none, no master is needed */
    struct fleet_conf fleet;    /* --nodes, --jobs, --speeds, --load, --seed */
    uint32_t trials;            /* --trials: runs that are played, by number */
    bool clean;                 /* --clean: without a fault */
    double speed;               /* --speed: virtual seconds a second */
    uint64_t wait_ns;           /* --wait: of a reduction; 0: the master's */
    uint32_t workers;           /* --workers: processes that play daemons */
    const char *policy;         /* --policy; NULL: the master's */
    const char *master;         /* --master; NULL: one of our own */
    bool no_end;                /* --no-end: leave without ending the job */
    const char *fault_text[EMULATE_FAULTS_MAX];         /* as given */
    struct emulate_fault faults[EMULATE_FAULTS_MAX];
    uint32_t nfaults;
};

/* Returns -1 to go on, else the exit status; complains itself. */
int emulate_options(struct emulate *e, int argc, char **argv);

#endif
