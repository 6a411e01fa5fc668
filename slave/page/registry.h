/* registry.h - the socket where tasks ask for their page.
 *
 * A task's wrapper library connects, says who it is, gets a descriptor of
 * shared memory and goes (page.h, Registration). Peers are local; their
 * credentials come from the kernel. Whoever says nothing for five seconds,
 * or something else, is dropped. */
#ifndef HECTOR_REGISTRY_H
#define HECTOR_REGISTRY_H

#include <stdint.h>
#include <sys/types.h>
#include <event2/event.h>

#include "mpi-wrappers/page.h"
#include "proto/base/err.h"

struct registry;

struct registry_peer { pid_t pid; uid_t uid; };

/* Decide on a hello whose magic and version are right. Returns the memfd to
 * hand out, which the registry closes then, or -1 with err. */
typedef int registry_grant_f(void *arg, const struct page_hello *hello,
                             const struct registry_peer *peer,
                             struct err *err);

/* Somebody asks for a lease: the descriptor, over which registry_lease() answers
 * at any later time, is the callee's. -1: refused, err says why. */
typedef int registry_lease_f(void *arg, const struct page_lease_ask *ask,
                             const struct registry_peer *peer, int fd,
                             struct err *err);

/* path "@NAME": a name without a file, which nothing has to remove. */
struct registry *registry_open(struct event_base *base, const char *path,
                               registry_grant_f *grant, void *arg,
                               struct err *err);
void registry_close(struct registry *r);        /* NULL is fine */

/* Without it nobody gets a lease. */
void registry_lease_by(struct registry *r, registry_lease_f *lease);
/* The answer: status as in page_lease, with a descriptor of so many bytes that
 * goes along (-1: none), or why there is no lease. Closes both. */
void registry_lease(int fd, uint32_t status, int with, uint64_t bytes,
                    const char *why);

/* Map a fresh page of the standard layout into *mem; returns its memfd. */
int registry_make_page(char **mem, uint64_t job, uint32_t rank,
                       uint32_t ntasks, struct err *err);
void registry_drop_page(char *mem);     /* tells the task first; NULL is fine */

#endif
