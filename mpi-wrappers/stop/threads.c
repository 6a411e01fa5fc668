/* threads.c - see threads.h.
 *
 * Who enters says so and then looks whether the way is closed; who closes it
 * does that and then looks who is inside. For one of the two to see the other
 * there has to be a barrier between in both: membarrier(2) puts both into the
 * one that closes, and a call pays none. */
#include "mpi-wrappers/stop/threads.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/stop/stand.h"

/* Places are numbered from 1; the last one is shared by who finds no other. */
enum { FIRST = 1, CROWD = FIRST + PAGE_STOP_OTHERS, NAP_US = 100 };

static struct {
    _Atomic bool closed;
    _Atomic bool over;
    _Atomic uint32_t born;      /* grows when threads have other numbers */
    _Atomic uint32_t tid;       /* of the one of our own */
    _Atomic bool used[PAGE_STOP_OTHERS - 1];
    _Atomic unsigned crowd;     /* so many share the last place */
    pthread_key_t ends;         /* a thread with a place ends; if keyed */
    bool keyed;
    void (*obey)(uint32_t word, bool begins);
    pthread_t own;
} threads;

static _Thread_local struct {
    unsigned place;             /* from 1; 0: none yet */
    uint32_t born, tid;
    unsigned depth;             /* of calls that it is inside of */
    bool leads;                 /* the one of our own, which may call MPI */
} self __attribute__((tls_model("initial-exec")));

static void nap(void)
{
    const struct timespec step = { 0, NAP_US * 1000 };

    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &step, NULL);
}

/* ----------------------------------------------------------------- places */

static struct page_stop_thread *place_of(unsigned place)
{
    return place == FIRST ? &stop_page->first
                          : &stop_page->other[place - FIRST - 1];
}

static void crowd(int more)
{
    atomic_fetch_add(&threads.crowd, (unsigned)more);
    stand_refuse(STAND_THREADS, more);
}

/* The thread ends. */
static void give_back(void *arg)
{
    unsigned at = self.place;

    (void)arg;
    self.place = 0;
    if (at == CROWD)
        crowd(-1);
    if (at <= FIRST || at >= CROWD)
        return;
    SET(place_of(at)->where, PAGE_AT_USER);
    atomic_store_explicit(&threads.used[at - FIRST - 1], false,
                          memory_order_release);
}

/* Highest place so far: for who looks at them. */
static void show(uint32_t n)
{
    uint32_t was = GET(stop_page->others);

    while (was < n &&
           !atomic_compare_exchange_weak(&stop_page->others, &was, n))
        continue;
}

static unsigned find_place(void)
{
    unsigned i = 0;

    while (FIRST + 1 + i < CROWD &&
           (GET(threads.used[i]) || atomic_exchange(&threads.used[i], true)))
        i++;
    show(i + 1);
    return FIRST + 1 + i;
}

/* Its number, in this process. */
static void learn_tid(void)
{
    self.tid = (uint32_t)syscall(SYS_gettid);
    self.born = atomic_load(&threads.born);
}

COLD static void take_place(void)
{
    self.place = find_place();
    learn_tid();
    if (threads.keyed)
        pthread_setspecific(threads.ends, &threads);
    if (self.place == CROWD)
        crowd(1);
}

/* One may have become free. */
COLD static void leave_crowd(void)
{
    self.place = find_place();
    if (self.place != CROWD)
        crowd(-1);
}

COLD static void renumber(void)
{
    uint32_t was = self.tid;

    learn_tid();
    if (was != self.tid)
        stand_swap.renumber(was, self.tid);
}

struct page_stop_thread *threads_self(void)
{
    if (UNLIKELY(!self.place))
        take_place();
    if (UNLIKELY(self.born != GET(threads.born)))
        renumber();
    return place_of(self.place);
}

bool threads_is_first(void)
{
    return self.place == FIRST;
}

void threads_born(void)
{
    atomic_store(&threads.tid, (uint32_t)syscall(SYS_gettid));
    atomic_fetch_add(&threads.born, 1);
}

/* ------------------------------------------------------------------ calls */

static void wait_open(void)
{
    int saved = errno;

    while (atomic_load(&threads.closed))
        nap();
    errno = saved;
}

void threads_count(_Atomic uint64_t *number)
{
    if (UNLIKELY(self.place == CROWD))
        atomic_fetch_add_explicit(number, 1, memory_order_release);
    else
        STAND_TELL(*number, GET(*number) + 1);
}

uint32_t threads_enter(uint32_t what)
{
    struct page_stop_thread *t;
    uint32_t before;

    if (UNLIKELY(self.leads))
        return PAGE_AT_LIBRARY;
    if (UNLIKELY(self.place == CROWD && self.depth == 0))
        leave_crowd();
    t = threads_self();
    before = self.depth++ ? GET(t->where) : PAGE_AT_USER;
    threads_count(&t->calls);
    if (before != PAGE_AT_USER) {
        if (what == PAGE_AT_COLLECTIVE)
            SET(t->where, what);
        return before;
    }
    for (;;) {
        SET(t->where, what);
        atomic_signal_fence(memory_order_seq_cst);
        if (LIKELY(!atomic_load_explicit(&threads.closed,
                                         memory_order_acquire)))
            return before;
        SET(t->where, PAGE_AT_USER);
        wait_open();
    }
}

void threads_leave(uint32_t before)
{
    if (UNLIKELY(self.leads))
        return;
    self.depth--;
    STAND_TELL(threads_self()->where, before);
}

static void wake(void)
{
    if (!atomic_load(&threads.closed))
        syscall(SYS_tgkill, getpid(), atomic_load(&threads.tid),
                GET(stop_page->signal));
}

void threads_stand(void)
{
    struct page_stop_thread *t = threads_self();
    uint32_t where = GET(t->where);
    int saved = errno;

    do {
        STAND_TELL(t->where, PAGE_AT_FROZEN);
        while (stand_word() >= PAGE_STOP_FREEZE ||
               atomic_load(&threads.closed)) {
            wake();
            nap();
        }
        t = threads_self();             /* maybe with another number */
        SET(t->where, where);
        atomic_signal_fence(memory_order_seq_cst);
    } while (atomic_load_explicit(&threads.closed, memory_order_acquire));
    errno = saved;
}

/* ------------------------------------------------------- the one of our own */

/* In a process that was made of an image nobody has registered. */
static void put_barrier(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
        return;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static bool is_out(struct page_stop_thread *t)
{
    uint32_t where = atomic_load_explicit(&t->where, memory_order_acquire);

    return where == PAGE_AT_USER || where == PAGE_AT_FROZEN;
}

static bool all_out(void)
{
    uint32_t n = GET(stop_page->others);

    if (atomic_load(&threads.crowd) || !is_out(&stop_page->first))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!is_out(&stop_page->other[i]))
            return false;
    return true;
}

static void lead(void)
{
    bool begins = true;
    uint32_t word;

    atomic_store(&threads.closed, true);
    put_barrier();
    while ((word = stand_word()) >= PAGE_STOP_FREEZE) {
        if (begins && !all_out()) {
            sched_yield();
            continue;
        }
        threads.obey(word, begins);
        begins = false;
    }
    if (!begins)
        threads.obey(PAGE_STOP_RUN, false);
    atomic_store(&threads.closed, false);
}

/* Sleeps with its signal blocked but for the moment in which it waits for it.
 * It is seen in stacks by this name. */
static void *hector_stop_thread(void *arg)
{
    sigset_t open;

    (void)arg;
    self.leads = true;
    sigfillset(&open);
    sigdelset(&open, (int)GET(stop_page->signal));
    atomic_store(&threads.tid, (uint32_t)syscall(SYS_gettid));
    while (!atomic_load(&threads.over)) {
        if (stand_word() >= PAGE_STOP_FREEZE)
            lead();
        else
            ppoll(NULL, 0, NULL, &open);
    }
    return NULL;
}

int threads_begin(void (*obey)(uint32_t word, bool begins))
{
    sigset_t all, before;
    int rc;

    threads.obey = obey;
    self.place = FIRST;
    learn_tid();
    threads.keyed = pthread_key_create(&threads.ends, give_back) == 0;
    if (!threads.keyed || !GET(stop_page->signal) ||
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
                0, 0))
        return -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&threads.own, NULL, hector_stop_thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc)
        return -1;
    while (!atomic_load(&threads.tid))
        sched_yield();
    return 0;
}

void threads_end(void)
{
    atomic_store(&threads.over, true);
    if (!threads_tid())
        return;
    wake();
    pthread_join(threads.own, NULL);
}

uint32_t threads_tid(void)
{
    return atomic_load(&threads.tid);
}

/* -------------------------------------------------------------------- lock */

static atomic_flag locked = ATOMIC_FLAG_INIT;

void threads_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        sched_yield();
}

void threads_unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}
