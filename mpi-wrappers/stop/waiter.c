/* waiter.c - see waiter.h. The stack is unwound to where the program goes on;
 * the call before that place says which function it has called. What is at the
 * top of the C library's part of the stack does not: pthread_join ends with a
 * jump. */
#include "mpi-wrappers/stop/waiter.h"

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>
#include <unwind.h>

#include "mpi-wrappers/image/image_lock.h"

#if defined(__x86_64__)
enum { DEEP = 24,               /* frames of the C library, and ours before */
       STUB_ALIGN = 8 };        /* of those that the linker puts in between */

typedef void (*function)(void);

/* None of them holds a lock of the C library while it sleeps, or remembers
 * which number its thread had before. */
static const function waiting[] = {
    (function)pthread_join, (function)pthread_timedjoin_np,
    (function)pthread_clockjoin_np, (function)pthread_barrier_wait,
    (function)pthread_cond_wait, (function)pthread_cond_timedwait,
    (function)pthread_cond_clockwait, (function)sem_wait,
    (function)sem_timedwait, (function)sem_clockwait, (function)thrd_join, (function)cnd_wait,
    (function)cnd_timedwait, (function)syscall,
    (function)pthread_rwlock_rdlock, (function)pthread_rwlock_timedrdlock,
    (function)pthread_rwlock_clockrdlock, (function)pthread_rwlock_wrlock,
    (function)pthread_rwlock_timedwrlock, (function)pthread_rwlock_clockwrlock,
};

/* Those of a mutex: these do for some kinds, and those that stop at a time for
 * any that knows who has it. */
static const function locking[] = {
    (function)pthread_mutex_lock, (function)mtx_lock,
};
static const function locking_until[] = {
    (function)pthread_mutex_timedlock, (function)pthread_mutex_clocklock,
    (function)mtx_timedlock,
};

#define HAS(list, to) has(list, sizeof(list) / sizeof((list)[0]), to)

struct walk {
    const struct waiter_text *text;
    uintptr_t at;               /* where the signal came */
    bool begun;                 /* that frame was seen */
    unsigned n;
    uintptr_t back;             /* where the program goes on; 0: not found */
};

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *arg)
{
    struct walk *w = arg;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(c);

    if (++w->n > DEEP)
        return _URC_END_OF_STACK;
    w->begun = w->begun || ip == w->at;
    if (!w->begun || w->text->is_library(ip))
        return _URC_NO_REASON;
    w->back = w->text->is_program(ip) ? ip : 0;
    return _URC_END_OF_STACK;
}

/* An address that is as far from the end of an instruction as its last four
 * bytes say. */
static uintptr_t from_end(const unsigned char *end)
{
    int32_t distance;

    memcpy(&distance, end - sizeof(distance), sizeof(distance));
    return (uintptr_t)end + (uintptr_t)(intptr_t)distance;
}

static uintptr_t word_at(uintptr_t at)
{
    uintptr_t word;

    memcpy(&word, (const void *)at, sizeof(word));
    return word;
}

/* Where a jump by the table of a library leads to; anything else is itself. */
static uintptr_t follow(uintptr_t at)
{
    static const unsigned char landing[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    const unsigned char *p = (const unsigned char *)at;

    if (memcmp(p, landing, sizeof(landing)) == 0)
        p += sizeof(landing);
    if (*p == 0xf2)                     /* bnd */
        p++;
    return p[0] == 0xff && p[1] == 0x25 ? word_at(from_end(p + 6)) : at;
}

/* What the instruction before has called; 0: by a register, or that is none. */
static uintptr_t called(const unsigned char *back,
                        const struct waiter_text *text)
{
    uintptr_t to;

    if (back[-6] == 0xff && back[-5] == 0x15)
        return word_at(from_end(back));
    if (back[-5] != 0xe8 || (back[-2] == 0xff && (back[-1] & 0xf8) == 0xd0))
        return 0;
    to = from_end(back);
    if (text->is_library(to))
        return to;
    return to % STUB_ALIGN == 0 && text->is_program(to) ? follow(to) : 0;
}

static bool has(const function *list, size_t n, uintptr_t to)
{
    for (size_t i = 0; i < n; i++)
        if (to == follow((uintptr_t)list[i]))
            return true;
    return false;
}

/* The word is the first one of a mutex. */
static bool forgets(uintptr_t word, bool until)
{
    int kind = ((const pthread_mutex_t *)word)->__data.__kind;

    return !(kind & (LOCK_ROBUST | LOCK_INHERITS)) &&
           (!until || (kind & LOCK_TYPE) == PTHREAD_MUTEX_NORMAL ||
            (kind & LOCK_TYPE) == PTHREAD_MUTEX_ADAPTIVE_NP);
}

bool waiter_is_programs(uintptr_t at, uintptr_t word,
                        const struct waiter_text *text)
{
    struct walk w = { .text = text, .at = at };
    uintptr_t to;

    _Unwind_Backtrace(step, &w);
    to = w.back ? called((const unsigned char *)w.back, text) : 0;
    return to && (HAS(waiting, to) ||
                  (HAS(locking, to) && forgets(word, false)) ||
                  (HAS(locking_until, to) && forgets(word, true)));
}
#else
bool waiter_is_programs(uintptr_t at, uintptr_t word,
                        const struct waiter_text *text)
{
    (void)at, (void)word, (void)text;
    return false;
}
#endif
