/* system.h - the batch systems that hector-run may be in, a row of a table
 * each: what they say in the environment, and how they are asked for more. */
#ifndef HECTOR_SYSTEM_H
#define HECTOR_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "redirector/batch/hosts.h"

/* What a batch system says of one of its jobs when it is asked. */
struct system_answer {
    uint64_t end_s;             /* since the epoch: it ends then; 0: unknown */
    uint64_t begin_s;           /* as it began */
    const char *reason;         /* why it ends it, as in Allotment; static; "":
                                   it does not, or does not say */
    bool gone;                  /* it knows no such job any more */
};

struct system {
    const char *name;           /* for people */
    const char *variable;       /* is set in an allocation of it */
    int (*add_hosts)(struct hosts *h, const char *value, struct err *err);
    const char *agent;          /* for hosts of it; NULL: the usual one */
    const char *const *starters;        /* processes that start what its jobs are
                                           made of; NULL at the end */

    /* NULL: always; -1: a job cannot be started from here, though one may be
     * watched (adopts). */
    int (*sane)(bool adopts, struct err *err);

    /* More variables; each may be NULL. */
    const char *job;            /* its name for the job */
    const char *index;          /* of an array, all of which have that name;
                                   "0", "undefined" or the like: of none */
    const char *restarts;       /* how often that was begun before, or Y */
    const char *run;            /* a file that it writes as it begins a run of
                                   it: restarts is 1, or Y, in all but the 1st,
                                   or NULL: that is not said, and the file has
                                   the job's name */
    const char *nodes;          /* how many it has; NULL: as hosts are named */
    const char *cpus;           /* how many processors it has: "2(x3),1" is 7;
                                   NULL: as many as its hosts have slots */
    const char *begin, *end;    /* when it began and ends, s since the epoch */
    const char *length;         /* after how many s; its script is the first
                                   process of our session */

    /* Words of a command that tells more about the job whose name is added;
     * NULL: there is none. It ends with 127 where nobody can be asked. answer: of a
     * job that was begun so often before; -1: that makes no sense. */
    const char *const *ask;
    int (*answer)(const char *text, uint64_t restarts, struct system_answer *a);
    const char *mail;           /* for sh: prints who wants its mail, "a,b"; NULL:
                                   it does not say */
    int warning;                /* this signal comes some time before it kills
                                   all: then it is asked, too; 0: none */
    int repeats;                /* this one, by which it ends a job, comes
                                   every second until all is over; 0: once */
};

/* The one we are in; NULL: none. Of several it is the innermost, whose processes
 * are nearest above us; where none are seen, the first in the table. */
const struct system *system_here(void);
/* "Slurm 7 in Grid Engine 12", if there are several; else false. */
bool system_nested(char *buf, size_t size);
/* How many nodes and processors it has, as far as it says so. */
void system_size(const struct system *s, uint32_t *nodes, uint32_t *cpus);
/* A variable of it; NULL: it has none, or it is empty. */
const char *system_value(const char *variable);
/* Does the one we are in send this signal again and again? */
bool system_repeats(int sig);
/* How often its job was begun before; where it does not count: 1; 0: not, or
 * it does not say. */
uint32_t system_restarts(const struct system *s);
/* Where it does not count, and it may have been: when this run began, since the
 * epoch; else 0. */
uint64_t system_run_ns(const struct system *s);

/* The hosts of the allocation we are in, if any; none: h stays empty. h->agent
 * is the one that belongs to it. adopts: others start the tasks. */
int system_add_hosts(struct hosts *h, bool adopts, struct err *err);
/* These hosts, which the person has named, are of the allocation: h->agent is the
 * one that belongs to it. -1: not all are. Where we are in none, or in one that
 * makes no sense, they are as they were. */
int system_claim_hosts(struct hosts *h, struct err *err);

/* Its name with that of the job, for people: "Slurm 7". */
const char *system_job(const struct system *s, char *buf, size_t size);

/* Slurm's answer. */
int system_answer_slurm(const char *text, uint64_t restarts,
                        struct system_answer *a);

#endif
