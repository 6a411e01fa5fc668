/* laststacks.h - where the tasks are, said on stderr before a time-out ends
 * them: the words of `hector stack`, within a time of its own. */
#ifndef HECTOR_LASTSTACKS_H
#define HECTOR_LASTSTACKS_H

#include <stdint.h>
#include <event2/event.h>

struct laststacks;

/* address: of the master. job 0: there is none. done() is called once,
 * whatever happens: from the loop, or at once, and then NULL is returned. */
struct laststacks *laststacks_ask(struct event_base *base, const char *address,
                                  uint64_t job, void (*done)(void *arg),
                                  void *arg);

/* done() is not called any more. NULL is fine. */
void laststacks_close(struct laststacks *w);

#endif
