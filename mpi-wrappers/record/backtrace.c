/* backtrace.c - a task tells its own stack.
 *
 * The handler only walks the stack and stores into the page; it answers each
 * ask once, whoever sends the signal. */
#include "mpi-wrappers/record/backtrace.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "mpi-wrappers/record/frames.h"

static struct page_told *told;  /* in the page; set before the handler */

/* Where the thread was when the signal came. */
static const void *place(const ucontext_t *u)
{
#if defined(__x86_64__)
    return (const void *)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)u->uc_mcontext.pc;
#else
    (void)u;
    return NULL;
#endif
}

static void on_ask(int sig, siginfo_t *info, void *context)
{
    uint32_t ask = atomic_load_explicit(&told->ask, memory_order_acquire);
    uint32_t done = atomic_load_explicit(&told->answer, memory_order_relaxed);
    int saved = errno;

    (void)sig, (void)info;
    if (ask != done &&
        (uint32_t)syscall(SYS_gettid) ==
            atomic_load_explicit(&told->tid, memory_order_relaxed)) {
        uint32_t n = frames_walk(place(context), told->frame, PAGE_TOLD);

        atomic_store_explicit(&told->frames, n, memory_order_relaxed);
        atomic_store_explicit(&told->answer, ask, memory_order_release);
    }
    errno = saved;
}

/* From the top: what programs use of their own is at the bottom. */
static int free_signal(void)
{
    struct sigaction now;

    for (int sig = SIGRTMAX - 2; sig > SIGRTMIN; sig--)
        if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            return sig;
    return 0;
}

void backtrace_start(const struct attach *a)
{
    struct sigaction act = { .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
    size_t at = page_told_at(a->slots, a->calls, a->ring_bytes);
    int sig = free_signal();
    sigset_t only;

    if (sig == 0 || at + sizeof(*told) > a->bytes)
        return;
    told = (struct page_told *)(void *)((char *)a->page + at);
    act.sa_sigaction = on_ask;
    sigfillset(&act.sa_mask);
    if (sigaction(sig, &act, NULL))
        return;
    sigemptyset(&only);
    sigaddset(&only, sig);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    atomic_store_explicit(&told->tid, (uint32_t)syscall(SYS_gettid),
                          memory_order_relaxed);
    atomic_store_explicit(&told->signal, (uint32_t)sig, memory_order_release);
}
