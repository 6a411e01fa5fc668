/* saved.h - checkpoints of a run: the directory they are to go to
 * (--checkpoint-dir), and those that its tasks are made of (--restart). */
#ifndef HECTOR_SAVED_H
#define HECTOR_SAVED_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/err.h"
#include "proto/link/message.h"
#include "redirector/link/inputsums.h"
#include "redirector/options/options.h"

struct saved {                  /* {0}: none */
    char *dir;                  /* owned; absolute; NULL: none are made */
    int lock;                   /* on that: dirlock.h; 0: there is none */
    Hct__Checkpoint **v;        /* owned; the good ones, newest first, each without
                                   its submit, and where it was found */
    size_t n;                   /* 0: the tasks begin anew */
    Hct__Submit *submit;        /* owned; that of the first; NULL if n is 0 */
    struct inputsums *sums;     /* owned; NULL: {0} */
    bool former;                /* they are of former runs of the batch
                                   system's job: nobody has said --restart */
};

/* As o says; --checkpoint-dir of a job that was requeued (former.h) stands for
 * --restart of the same, if there are checkpoints. The directory for new ones
 * is made, and can be written to; it has none that are not those to go on from.
 * Where a newer checkpoint is no good that is said. Programs and tasks of o
 * become those of the job that was saved, if they were not given as others.
 * Where standard input is a file its first bytes are those that the tasks have
 * read; of a pipe that is seen as they come. One run at a time has the directory:
 * one that was requeued waits for the run before, for a while. -1: that cannot be,
 * says err (EBUSY: another has it), and *s is empty. */
int saved_open(struct saved *s, struct options *o, struct err *err);
void saved_fini(struct saved *s);

#endif
