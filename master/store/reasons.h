/* reasons.h - why a batch system has ended a job: the word in column reason of the
 * view jobs, and the end of a sentence whose subject is its job. */
#ifndef HECTOR_REASONS_H
#define HECTOR_REASONS_H

#include <stddef.h>
#include <string.h>

#define REASON_NODE_FAILURE "node failure"

#define REASONS(X)                                                            \
    X("cancelled", "was cancelled")                                           \
    X("time limit", "has reached its time limit")                             \
    X("requeued", "goes back into the queue")                                 \
    X("preempted", "makes room for another one")                              \
    X(REASON_NODE_FAILURE, "has lost a node")

/* The end of that sentence; NULL: there is no such word. */
static inline const char *reason_sentence(const char *reason)
{
#define REASON(word, sentence) { word, sentence },
    static const struct { const char *word, *sentence; } reasons[] = {
        REASONS(REASON)
    };
#undef REASON

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (strcmp(reasons[i].word, reason) == 0)
            return reasons[i].sentence;
    return NULL;
}

#endif
