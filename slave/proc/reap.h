/* reap.h - tells who has died. One in a process: it reaps every child. And how
 * somebody else's child has ended. */
#ifndef HECTOR_REAP_H
#define HECTOR_REAP_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <event2/event.h>

#include "proto/base/err.h"

struct reap;

struct reap_usage {
    struct rusage of;
    uint64_t waited_ns;         /* its first thread was ready to run, and had
                                   no processor; 0: not known */
};

/* status as from wait(2). Called once for each child, also for adopted ones. */
typedef void reap_f(void *arg, pid_t pid, int status,
                    const struct reap_usage *usage);

/* A thread that we trace has stopped (halt.h); status as si_status of
 * waitid(2) has it. */
typedef void reap_stop_f(void *arg, pid_t tid, int status);

/* A child was stopped by this signal, or, 0, goes on, whoever has sent that. */
typedef void reap_stand_f(void *arg, pid_t pid, int sig);

/* stood may be NULL. */
struct reap *reap_open(struct event_base *base, reap_f *dead,
                       reap_stop_f *stopped, reap_stand_f *stood, void *arg,
                       struct err *err);
void reap_close(struct reap *r);        /* NULL is fine */

/* How a process has ended that is another's child, as from wait(2); -1: the kernel
 * does not tell. pidfd: of it, readable as it has ended. */
int reap_other(int pidfd, pid_t pid);

#endif
