/* halt.h - stops a thread for some microseconds, copies its registers and the
 * inner part of its stack, and lets it go.
 *
 * Nothing here but halt_wait() waits: whoever begins asks again, after SIGCHLD, until the
 * thread has stopped. A thread that does not stop (it sleeps in the kernel
 * and cannot be interrupted) stays seized, which does not hinder it; when it
 * stops after all, it has to be let go by halt_poll() or halt_leave().
 *
 *     begin -> HALT_WAIT -poll-> HALT_COPIED | HALT_GONE
 *                        -leave-> HALT_LEFT -poll-> HALT_GONE
 *
 * The thread is stopped by ptrace: a signal that arrives meanwhile reaches
 * it, one that was stopped by a signal stays so, and if we are killed the
 * kernel lets it go. Ends of processes are not consumed; but who waits for
 * ends may be told of stops, and has to pass them on (proc/reap.h). */
#ifndef HECTOR_HALT_H
#define HECTOR_HALT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proto/base/err.h"

enum { HALT_REGS = 33, HALT_STACK = 16 * 1024 };

struct halt_copy {
    uint64_t pc, sp;
    uint32_t nregs, bytes;      /* of the stack, from sp upwards */
    uint64_t regs[HALT_REGS];   /* by their DWARF numbers */
    uint8_t stack[HALT_STACK];
};

enum halt_state { HALT_NONE, HALT_WAIT, HALT_LEFT, HALT_COPIED, HALT_GONE };

struct halt {
    pid_t pid, tid;
    enum halt_state state;
    bool stopped;               /* it was already, by a signal */
    uint64_t asked_ns, held_ns; /* when; how long it was stopped, as far as
                                   can be seen from here */
    uint64_t since_asked_ns;    /* from the request to the end of the stop */
    uint64_t stack_end;         /* nothing is copied from there on; 0: it is
                                   not known. To be set after begin */
};

/* -1: it cannot be done; err says why: EPERM not allowed, EBUSY a debugger
 * has it, ESRCH it is gone. */
int halt_begin(struct halt *h, pid_t pid, pid_t tid, struct err *err);

/* Has it stopped? Then copy (HALT_COPIED), or only let it go (HALT_LEFT). */
enum halt_state halt_poll(struct halt *h, struct halt_copy *copy);

/* The same, but it may take so long. Between halt_hush() and halt_unhush(),
 * where SIGCHLD is blocked and, at the end, passed on only if there is something
 * left to be seen; and where a clock ticks, SIGALRM, which interrupts system
 * calls. Both must be blocked in all other threads of the process.
 *
 * The wait sleeps. A thread that we have taken the processor from stops only
 * then; and one that stops on another processor while we sleep in waitid()
 * takes us there: the kernel wakes who waits in that call where the thread has
 * just left off. So the stop, the copy and the end of the stop happen without a
 * word between two processors, and each thread pays for itself. */
struct halt_quiet {
    sigset_t before;
    bool clock;                 /* it ticks: waits come to an end */
};
void halt_hush(struct halt_quiet *q);
enum halt_state halt_wait(const struct halt_quiet *q, struct halt *h,
                          struct halt_copy *copy, uint64_t patience_ns);
void halt_unhush(const struct halt_quiet *q);

/* Does the copy lack frames that lie further out? */
bool halt_is_cut(const struct halt *h, const struct halt_copy *copy);

/* The same, when somebody else has seen the stop: see proc/reap.h. */
enum halt_state halt_stopped(struct halt *h, int status,
                             struct halt_copy *copy);

/* No copy is wanted any more. */
void halt_leave(struct halt *h);

#endif
