/* taskwalk.h - the tasks of a job on this node, one after the other, for those
 * who look at them: they need not know who has started the job, nor who keeps
 * it. */
#ifndef HECTOR_TASKWALK_H
#define HECTOR_TASKWALK_H

#include <stdbool.h>
#include <stdint.h>

struct launch_user;
struct task;
struct peek_job;

typedef void taskwalk_f(void *to, struct task *t);

struct taskwalk {
    /* Calls step(to, task) for each task, by rank. False: the job is not
     * here. */
    bool (*tasks)(void *arg, uint64_t job, taskwalk_f *step, void *to);
    /* What the peeks at a job know; NULL: it is not here, or never peeked
     * at. */
    struct peek_job *(*peeks)(void *arg, uint64_t job);
    /* Whose tasks they are, borrowed; NULL: the job is not here. */
    const struct launch_user *(*user)(void *arg, uint64_t job);
    void *arg;
};

#endif
