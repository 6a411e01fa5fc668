/* procstate.h - what the kernel says of a process that seems to stand. */
#ifndef HECTOR_PROCSTATE_H
#define HECTOR_PROCSTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/proc/waiting.h"

enum { PROCSTATE_WCHAN = 32 };

struct procstate {              /* {0}: nothing is known */
    uint32_t flags;             /* HCT_RUNS, HCT_SLEEPS, HCT_TRACED, ... */
    uint64_t cpu_ns;            /* of all threads; */
    uint64_t own_cpu_ns;        /* of the one that was read; 0: not known */
    char wchan[PROCSTATE_WCHAN];        /* where in the kernel it sleeps, if
                                           that is uninterruptible */
    struct waiting waiting;     /* for what, if a signal would wake it */
};

/* From some files in /proc/TID, of a thread; the number of the process is that
 * of its first one. Times that cannot be read stay as they are; and while we hold
 * the thread, to look at its stack, all that was found before. */
void procstate_read(struct procstate *s, pid_t tid);

/* 1: it is stopped by a signal; 0: it is not; -1: who knows, as somebody holds it
 * to look at its stack, or it is gone. Whom a tracer lets go the kernel wakes for a
 * moment before it stops again: *cpu_ns is what the process had used when it was seen
 * to stand, 0 before; who has hardly used any since is not known to go on. */
int procstate_stands(pid_t pid, uint64_t *cpu_ns);

/* The part that is not the kernel's; for tests. text of /proc/PID/stat: the
 * state letter, 0 if there is none. */
char procstate_letter(const char *text);
/* Of /proc/PID/syscall: it reads its standard input. */
bool procstate_reads_stdin(const char *text);
/* ... it sleeps, and only a signal can end that. */
bool procstate_pauses(const char *text);

#endif
