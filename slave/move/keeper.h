/* keeper.h - one hector-keep at work on files of a job: started, and what it said. */
#ifndef HECTOR_KEEPER_H
#define HECTOR_KEEPER_H

#include <sys/types.h>

#include "proto/base/err.h"
#include "slave/jobs/job.h"

enum { KEEPER_WORDS = 12 };     /* of a command line, with the NULL behind it */

struct keeper {                 /* KEEPER_NONE: it was not started */
    pid_t pid;
    int report, words;          /* owned: of its exec; what it says */
};
#define KEEPER_NONE ((struct keeper){ .report = -1, .words = -1 })

/* With these words behind its name, whose first place is ours, and a borrowed
 * descriptor as its standard input. -1: *k is to be given to keeper_fini() all the
 * same. */
int keeper_start(struct keeper *k, const struct job *j, char **argv, int in,
                 struct err *err);
void keeper_kill(const struct keeper *k);
void keeper_fini(struct keeper *k);

/* What it has said, or why it could not be run, as "n2: the disk is full"; -1:
 * nothing. */
int keeper_words(const struct keeper *k, const struct job *j, char *to,
                 size_t size);
/* It has ended: the same, or what can be said without a word of it. */
void keeper_end_words(const struct keeper *k, const struct job *j, int status,
                      char *to, size_t size);

#endif
