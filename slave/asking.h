/* asking.h - tasks that tell their stack themselves, where ptrace is not
 * permitted: the slave raises a number in the page and sends a signal, a
 * handler of the wrapper library (mpi-wrappers/backtrace.h) stores the return
 * addresses of the thread. One sample at a time. */
#ifndef HECTOR_ASKING_H
#define HECTOR_ASKING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/stacker.h"

typedef void asking_answer_f(void *arg, uint32_t position, const uint64_t *pc,
                             uint32_t n);

struct asking;

/* moved() is called when an answer came outside of asking_end(). */
struct asking *asking_create(asking_answer_f *answer, void (*moved)(void *arg),
                             void *arg);
void asking_destroy(struct asking *a);  /* NULL is fine */

/* Ask; -1: this task cannot answer. */
int asking_add(struct asking *a, uint32_t position, pid_t pid, char *page);

/* Is an answer still missing? Those that have come are given out. */
bool asking_open(struct asking *a);

/* The time is up: give out what is there, note what is not. */
void asking_end(struct asking *a, char (*notes)[STACKER_NOTE]);

void asking_forget(struct asking *a, const char *page);

#endif
