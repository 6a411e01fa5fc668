/* waiter.h - a thread that sleeps in the C library until another one of the
 * program wakes it: by which function has the program come there?
 *
 * The C library sleeps in the same system call for the program (pthread_join, a
 * semaphore, a barrier) and for a lock of its own, and who waits for one of those
 * may hold another. */
#ifndef HECTOR_STOP_WAITER_H
#define HECTOR_STOP_WAITER_H

#include <stdbool.h>
#include <stdint.h>

struct waiter_text {            /* whose an address is */
    bool (*is_program)(uintptr_t at);
    bool (*is_library)(uintptr_t at);   /* the C library's */
};

/* In the handler of a signal that has interrupted the calling thread at `at`,
 * which is of the C library, where it sleeps until the word changes: has the
 * program itself called one of the functions by which threads wait for each other,
 * and may it have another number afterwards? False: no, or that cannot be told. */
bool waiter_is_programs(uintptr_t at, uintptr_t word,
                        const struct waiter_text *text);

#endif
