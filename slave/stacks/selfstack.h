/* selfstack.h - tasks that tell their stack themselves, where ptrace is not
 * permitted: the slave raises a number in the page and sends a signal, whose
 * handler in the wrapper library stores the return addresses of the thread
 * (record/backtrace.h). A program that has taken the handler away since
 * is not sent anything: the signal would end it. */
#ifndef HECTOR_SELFSTACK_H
#define HECTOR_SELFSTACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/stacks/stacker.h"

typedef void selfstack_answer_f(void *arg, uint32_t position,
                                const uint64_t *pc, uint32_t n);

struct selfstack;
struct selfstack *selfstack_create(selfstack_answer_f *answer,
                                   stacker_page_f *page_of, void *page_arg,
                                   void *arg);
void selfstack_destroy(struct selfstack *a);  /* NULL is fine */

/* Ask; -1: this task cannot answer. */
int selfstack_add(struct selfstack *a, uint32_t position, pid_t pid);

/* Give out what has come; is an answer still missing? */
bool selfstack_open(struct selfstack *a);

/* The time is up: note who has not answered. */
void selfstack_end(struct selfstack *a, char (*notes)[STACKER_NOTE]);

#endif
