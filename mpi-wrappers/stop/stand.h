/* stand.h - what this task tells of itself in its page, so that it can be brought
 * to stand, and how it stands: see master/move/stop_look.h for what it promises.
 *
 * Each call that may wait, and those that are asked in a loop, begin and end
 * with stand_enter() and stand_leave(). While it waits it looks at the word with
 * each turn. Calls that only ask or note something need none of it. */
#ifndef HECTOR_STOP_STAND_H
#define HECTOR_STOP_STAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/fields.h"
#include "mpi-wrappers/page.h"
#include "mpi-wrappers/stop/threads.h"

#define STAND_TELL(f, v) atomic_store_explicit(&(f), v, memory_order_release)
#define STAND_MORE(f) SET(f, GET(f) + 1)

/* Never NULL: before there is a page, one that nobody reads. */
extern struct page_stop *stop_page;

/* Several threads may call MPI: threads.h. */
extern bool stand_many;

/* Where this thread says what it does. */
static inline struct page_stop_thread *stand_self(void)
{
    return UNLIKELY(stand_many) ? threads_self() : &stop_page->first;
}

/* What all threads share: no call of MPI in between. */
static inline void stand_lock(void)
{
    if (UNLIKELY(stand_many))
        threads_lock();
}

static inline void stand_unlock(void)
{
    if (UNLIKELY(stand_many))
        threads_unlock();
}

/* Another library: who takes it, and says why it cannot be. Set before main(), by
 * mpi-wrappers/swap/swap.h. */
struct stand_swap {
    bool (*refused)(char *why, size_t size);
    int (*now)(void);
    /* A thread has another number than it had. */
    void (*renumber)(uint32_t was, uint32_t is);
};
extern struct stand_swap stand_swap;

/* Functions of the program that MPI has called in this thread and that are
 * running. */
extern _Thread_local unsigned stand_callbacks
    __attribute__((tls_model("initial-exec")));

/* Why it cannot be moved: each as often as it was said, and not taken back. */
enum stand_why { STAND_THREADS, STAND_CROWDED, STAND_WORLDS, STAND_WHYS };
void stand_refuse(enum stand_why why, int more);

/* MPI has been initialized; where it is finalized in a moment, when all others
 * are there too, nobody is asked to stand any more. */
void stand_begin(void);
void stand_end(void);

/* What Open MPI has to do, and others may run. */
void stand_turn(void);

/* Stands still until it is told to go on, if it may do that here. */
void stand_still(void);

static inline uint32_t stand_word(void)
{
    return atomic_load_explicit(&stop_page->word, memory_order_acquire);
}

/* Inside another call (of a function of the program's that MPI has called)
 * where stays what it is. */
static inline uint32_t stand_enter(void)
{
    struct page_stop *p = stop_page;
    uint32_t before;

    if (UNLIKELY(stand_many))
        return threads_enter(PAGE_AT_LIBRARY);
    before = GET(p->where);
    STAND_MORE(p->calls);
    if (__builtin_expect(before == PAGE_AT_USER, 1))
        SET(p->where, PAGE_AT_LIBRARY);
    return before;
}

static inline void stand_leave(uint32_t before)
{
    struct page_stop *p = stop_page;

    if (UNLIKELY(stand_many)) {
        threads_leave(before);
        return;
    }
    SET(p->where, before);
    if (UNLIKELY(GET(p->word) >= PAGE_STOP_FREEZE))
        stand_still();
}

/* It waits now, for this rank of the world or PAGE_NONE or PAGE_ANY. */
static inline void stand_wait(uint32_t before, int32_t peer)
{
    struct page_stop_thread *t;

    if (before != PAGE_AT_USER)
        return;
    t = stand_self();
    SET(t->peer, peer);
    STAND_TELL(t->where, PAGE_AT_WAITING);
}

/* Around a call of Open MPI's that waits for nobody. One thread alone needs
 * none of it: it is brought to stand somewhere else. */
static inline uint32_t stand_pass(void)
{
    return UNLIKELY(stand_many) ? threads_enter(PAGE_AT_LIBRARY) : PAGE_AT_USER;
}

static inline void stand_passed(uint32_t before)
{
    if (UNLIKELY(stand_many))
        threads_leave(before);
}

static inline void stand_look(void)
{
    if (UNLIKELY(GET(stop_page->word) >= PAGE_STOP_FREEZE))
        stand_still();
}

static inline void stand_sent(int dest)
{
    if (dest < 0)
        return;
    if (UNLIKELY(stand_many))
        threads_count(&threads_self()->sent);
    else
        STAND_MORE(stop_page->sent);
}

static inline void stand_received(int source)
{
    if (source == -2)           /* MPI_PROC_NULL */
        return;
    if (UNLIKELY(stand_many))
        threads_count(&threads_self()->received);
    else
        STAND_TELL(stop_page->received, GET(stop_page->received) + 1);
}

/* It was counted, and did not leave: neither number ever shrinks. */
static inline void stand_unsent(int dest)
{
    if (dest >= 0)
        stand_received(0);
}

#endif
