/* status.h - the exit status of hector-run. Pure.
 *
 * What ends a job first decides: a task that failed (the job's own status),
 * a signal to hector-run (128+signal), the time-out (124), the reader of our
 * output that went away (141), a failure of Hector itself (125). */
#ifndef HECTOR_STATUS_H
#define HECTOR_STATUS_H

#include <stdbool.h>

enum { STATUS_USAGE = 2, STATUS_HUNG = 123, STATUS_TIMEOUT = 124,
       STATUS_FAILURE = 125, STATUS_SIGNAL = 128, STATUS_PIPE = 141 };

enum status_cause { STATUS_NONE, STATUS_BY_TASK, STATUS_BY_SIGNAL,
                    STATUS_BY_TIMEOUT, STATUS_BY_PIPE, STATUS_BY_FAILURE };

struct status {
    enum status_cause cause;    /* the first */
    int signal;                 /* if by one */
    bool ended;                 /* the job has, with code */
    int code;
    bool incomplete;            /* Hector failed after the job's end */
};

/* Something ends the job; only the first counts. */
void status_note(struct status *s, enum status_cause cause, int signal);

/* The job has ended as the master says. */
void status_end(struct status *s, int code);

/* The job goes back to a checkpoint: that a task has failed ends it no more. */
void status_returns(struct status *s);

/* A signal made us leave while the end of the job was still being shown, or
 * waited for after a task had failed; 0: it was none. */
void status_abandon(struct status *s, int signal);

/* Output was lost or could not be written: success is none. */
void status_incomplete(struct status *s);

int status_exit_code(const struct status *s);

#endif
