/* halt.c - stops a thread for some microseconds.
 *
 * Invariant: a seized thread is let go as soon as its stop is seen; only
 * WSTOPPED is waited for, so that its end stays for proc/reap.c. Whoever sees
 * the stop first, we or reap.c, has consumed it. */
#include "slave/stacks/halt.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"

#define EVENT_STOP 128          /* PTRACE_EVENT_STOP; glibc names it late */

/* A call that lets a thread go and takes longer than this has returned late: the
 * thread ran in our place. */
#define RETURN_NS (CLOCK_NS_PER_MS / 10)
#define TICK_US 1000           /* a wait ends at the next one */

enum { PAGE = 4096 };

/* The thread's state as in /proc/TID/status and who traces it; false: there is
 * no such thread, or only what its parent has not taken note of. */
static bool status(pid_t tid, long *tracer)
{
    char path[40], line[256], state = 'X';
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
    f = fopen(path, "re");
    if (!f)
        return false;
    *tracer = 0;
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "State: %c", &state) != 1)
            sscanf(line, "TracerPid: %ld", tracer);
    fclose(f);
    return state != 'X' && state != 'Z';
}

static int explain(pid_t pid, int code, struct err *err)
{
    long tracer;

    if (code == ESRCH || !status(pid, &tracer))
        return err_set(err, ESRCH, "there is no such process any more");
    if (tracer == getpid())
        return err_set(err, EAGAIN, "it has not stopped since it was asked"
                       " last: it sleeps in the kernel");
    if (tracer > 0)
        return err_set(err, EBUSY, "process %ld traces it", tracer);
    if (code == EPERM)
        return err_set(err, EPERM, "ptrace is not permitted");
    return err_set(err, code, "ptrace: %s", strerror(code));
}

int halt_begin(struct halt *h, pid_t pid, pid_t tid, struct err *err)
{
    *h = (struct halt){ .pid = pid, .tid = tid };
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
        return explain(tid, errno, err);
    h->asked_ns = clock_monotonic_ns();
    h->state = HALT_WAIT;
    /* It can only fail because the thread is gone; then it never stops. */
    ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
    return 0;
}

/* ------------------------------------------------------------- registers */

#if defined(__x86_64__)
static void take_registers(struct halt_copy *c,
                           const struct user_regs_struct *r)
{
    const uint64_t v[] = { r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
        r->rbp, r->rsp, r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14,
        r->r15, r->rip };

    memcpy(c->regs, v, sizeof(v));
    c->nregs = sizeof(v) / sizeof(v[0]);
    c->pc = r->rip;
    c->sp = r->rsp;
}
#elif defined(__aarch64__)
static void take_registers(struct halt_copy *c,
                           const struct user_regs_struct *r)
{
    for (unsigned i = 0; i < 31; i++)
        c->regs[i] = r->regs[i];
    c->regs[31] = r->sp;
    c->nregs = 32;
    c->pc = r->pc;
    c->sp = r->sp;
}
#else
#error "say here how the registers of this processor are numbered"
#endif

static bool ends_within(const struct halt *h, const struct halt_copy *c)
{
    return h->stack_end > c->sp && h->stack_end - c->sp <= HALT_STACK;
}

bool halt_is_cut(const struct halt *h, const struct halt_copy *copy)
{
    return !ends_within(h, copy) || copy->bytes < h->stack_end - copy->sp;
}

/* By pages, for the kernel gives whole pieces only: the stack may end. */
static void take_stack(struct halt_copy *c, const struct halt *h)
{
    struct iovec local = { c->stack, HALT_STACK };
    struct iovec remote[HALT_STACK / PAGE + 1];
    uint64_t at = c->sp;
    uint64_t end = ends_within(h, c) ? h->stack_end : c->sp + HALT_STACK;
    unsigned n = 0;
    ssize_t got;

    while (at < end && n < sizeof(remote) / sizeof(remote[0])) {
        uint64_t next = (at / PAGE + 1) * PAGE;

        if (next > end)
            next = end;
        remote[n].iov_base = (void *)(uintptr_t)at;
        remote[n++].iov_len = next - at;
        at = next;
    }
    got = process_vm_readv(h->pid, &local, 1, remote, n, 0);
    c->bytes = got > 0 ? (uint32_t)got : 0;
}

static bool take(const struct halt *h, struct halt_copy *c)
{
    struct user_regs_struct regs;
    struct iovec iov = { &regs, sizeof(regs) };

    if (ptrace(PTRACE_GETREGSET, h->tid, (void *)(uintptr_t)NT_PRSTATUS, &iov))
        return false;
    take_registers(c, &regs);
    take_stack(c, h);
    return c->bytes > 0;
}

/* ----------------------------------------------------------------- stops */

/* 1: stopped, *status as wait(2) has it; 0: not yet; -1: never. */
static int wait_stop(pid_t tid, int *status, int how)
{
    siginfo_t info = { .si_pid = 0 };

    if (waitid(P_PID, (id_t)tid, &info, WSTOPPED | __WALL | how))
        return errno == EINTR ? 0 : -1;
    *status = info.si_status;
    return info.si_pid == tid;
}

enum halt_state halt_stopped(struct halt *h, int status,
                             struct halt_copy *copy)
{
    uint64_t seen_ns = clock_monotonic_ns(), left_ns, now_ns;
    bool whole = false;
    int sig;

    if (h->state != HALT_WAIT && h->state != HALT_LEFT)
        return h->state;
    if (h->state == HALT_WAIT && copy)
        whole = take(h, copy);
    /* Another stop than the one we asked for is a signal on its way. */
    sig = status >> 8 == EVENT_STOP ? 0 : status & 0x7f;
    h->stopped = status >> 8 == EVENT_STOP && (status & 0x7f) != SIGTRAP;
    left_ns = clock_monotonic_ns();
    ptrace(PTRACE_DETACH, h->tid, NULL, (void *)(intptr_t)sig);
    now_ns = clock_monotonic_ns();
    if (now_ns - left_ns < RETURN_NS)
        left_ns = now_ns;
    h->held_ns = left_ns - seen_ns;
    h->since_asked_ns = left_ns - h->asked_ns;
    return h->state = whole ? HALT_COPIED : HALT_GONE;
}

enum halt_state halt_poll(struct halt *h, struct halt_copy *copy)
{
    int status = 0, rc;

    if (h->state != HALT_WAIT && h->state != HALT_LEFT)
        return h->state;
    rc = wait_stop(h->tid, &status, WNOHANG);
    if (rc == 0)
        return h->state;
    if (rc < 0)
        return h->state = HALT_GONE;
    return halt_stopped(h, status, copy);
}

static sigset_t child_only(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

static void on_alarm(int sig)
{
    (void)sig;
}

/* The alarm comes again and again, for the first one may come before the wait
 * has begun. */
static bool set_clock(suseconds_t us)
{
    const struct itimerval tick = { { 0, us }, { 0, us } };

    return setitimer(ITIMER_REAL, &tick, NULL) == 0;
}

void halt_hush(struct halt_quiet *q)
{
    const struct sigaction act = { .sa_handler = on_alarm };
    const sigset_t set = child_only();
    sigset_t alarm;

    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, &q->before);
    sigprocmask(SIG_UNBLOCK, &alarm, NULL);
    q->clock = sigaction(SIGALRM, &act, NULL) == 0 && set_clock(TICK_US);
}

enum halt_state halt_wait(const struct halt_quiet *q, struct halt *h,
                          struct halt_copy *copy, uint64_t patience_ns)
{
    uint64_t until_ns = clock_monotonic_ns() + patience_ns;
    int status = 0, rc = 0;

    if (h->state != HALT_WAIT || !q->clock || !patience_ns)
        return halt_poll(h, copy);
    while (rc == 0 && clock_monotonic_ns() < until_ns)
        rc = wait_stop(h->tid, &status, 0);
    if (rc < 0)
        h->state = HALT_GONE;
    return rc > 0 ? halt_stopped(h, status, copy) : h->state;
}

/* Signals of stops that have been seen are taken here; any other may have been
 * merged with one of them. */
void halt_unhush(const struct halt_quiet *q)
{
    const struct timespec now = { 0 };
    const sigset_t set = child_only();
    siginfo_t info = { .si_pid = 0 };

    if (q->clock)
        set_clock(0);
    sigtimedwait(&set, NULL, &now);
    if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT |
               __WALL) == 0 && info.si_pid)
        kill(getpid(), SIGCHLD);
    sigprocmask(SIG_SETMASK, &q->before, NULL);
}

void halt_leave(struct halt *h)
{
    if (h->state == HALT_WAIT)
        h->state = HALT_LEFT;
}
