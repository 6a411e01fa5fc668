/* pty.h - the pseudo-terminal of a task that wants one.
 *
 * Our end (master) is non-blocking and carries both directions; the task's
 * end becomes its stdin, stdout, stderr and controlling terminal. */
#ifndef HECTOR_PTY_H
#define HECTOR_PTY_H

#include <sys/ioctl.h>
#include <sys/types.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"

/* The task's end belongs to uid, so that the task can open it by its name. */
int pty_open(int *ours, int *tasks, const struct winsize *window, uid_t uid,
             struct err *err);

void pty_size(struct winsize *window, const Hct__Terminal *m);

/* What a person would have to type for the end of file after last. */
const char *pty_end_of_file(int ours, char last);

#endif
