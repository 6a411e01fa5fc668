/* reasons.h - why a batch system has ended a job: the word in column reason of the
 * view jobs, and the end of a sentence whose subject is its job. */
#ifndef HECTOR_REASONS_H
#define HECTOR_REASONS_H

#define REASON_NODE_FAILURE "node failure"

#define REASONS(X)                                                            \
    X("cancelled", "was cancelled")                                           \
    X("time limit", "has reached its time limit")                             \
    X("requeued", "goes back into the queue")                                 \
    X("preempted", "makes room for another one")                              \
    X(REASON_NODE_FAILURE, "has lost a node")

#endif
