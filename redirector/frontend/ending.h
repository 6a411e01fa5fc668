/* ending.h - how often the end of the job was asked for, and how long that may
 * take: the first time the master has to begin with it, the second time it has
 * to be over. */
#ifndef HECTOR_ENDING_H
#define HECTOR_ENDING_H

#include <stdbool.h>
#include <event2/event.h>

struct ending {
    int asked;
    int signal;                 /* with the last request; 0: none */
    bool private;               /* daemons of ours; else only links */
    bool begun;                 /* by the master, whoever has asked */
    struct event *late;         /* owned */
    void (*stuck)(void *arg);   /* a private master has not begun */
    void (*over)(void *arg);    /* it is not over, though asked twice */
    void *arg;
};

/* The callbacks are the owner's to set before. -1: no memory. */
int ending_open(struct ending *e, struct event_base *base);
void ending_close(struct ending *e);

/* By a signal, or 0. Returns how often that makes it. */
int ending_ask(struct ending *e, int signal);

/* The master has begun, or nothing is asked of it any more; also before it was
 * asked, as by who has ended the job. */
void ending_begun(struct ending *e);
/* The job runs, after all. */
void ending_forget(struct ending *e);

#endif
