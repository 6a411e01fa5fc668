/* jobhook.h - what jobs ask of those who move their tasks (slave/move), which are
 * above them. All pointers are set where there is a table. */
#ifndef HECTOR_JOBHOOK_H
#define HECTOR_JOBHOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/proc/reap.h"

struct job;
struct task;

struct jobhook {
    /* The latest namespace is known to PMIx, or cannot be. False: that is not
     * about a move. */
    bool (*registered)(struct job *j, const char *why);
    /* A process has ended; false: it is none that comes or leaves. */
    bool (*reaped)(struct job *j, pid_t pid, int status,
                   const struct reap_usage *usage);
    /* Records were acknowledged, or streams have moved. */
    void (*look)(struct job *j);
    /* The task of this rank that comes; NULL: there is none. */
    struct task *(*task)(const struct job *j, uint32_t rank);
    /* Tasks drop their library: what PMIx says of that is no end. */
    bool (*swaps)(const struct job *j);
    /* Tasks may still come, so a part without any is not over. */
    bool (*awaits)(const struct job *j);
    /* The process that is at work on files of the job, more of which may wait; 0:
     * none is. */
    pid_t (*works)(const struct job *j);
    /* All tasks that were here have ended. */
    void (*ended)(struct job *j);
    /* Another master, which knows of no move, or nothing more. */
    void (*release)(struct job *j);
    /* The same one, after the link was broken. */
    void (*tell)(struct job *j);
    /* None has been there for a while, and tasks stand. */
    void (*away)(struct job *j);
    /* The job ends, or is freed: nothing comes or leaves any more. */
    void (*drop)(struct job *j);
    void (*destroy)(struct job *j);
};

#endif
