/* admission.h - who gets through to the PMIx server, which listens on TCP.
 *
 * The library takes whoever connects, on its one thread, and waits for the
 * first words: somebody who says nothing would keep every task of every job
 * from its server. So its listening socket is taken from it: connections wait
 * here, on the event loop, until they have something to say, for some seconds;
 * those of other users are sent away; and only then the library may accept
 * them, through an accept() of ours. */
#ifndef HECTOR_ADMISSION_H
#define HECTOR_ADMISSION_H

#include <stdbool.h>
#include <sys/types.h>
#include <event2/event.h>

#include "proto/base/err.h"

/* May processes of this user come in? */
typedef bool admission_may_f(void *arg, uid_t uid);

/* Before the library is started: the next socket on which this process listens
 * on TCP is its own. It is taken from it in listen(): later its thread may
 * wait for that socket already, and would not hear of what comes elsewhere. */
void admission_expect(void);

/* Once it is started: let in who may. NULL with err if it does not listen, or
 * nothing can be done about it; then everybody gets through. One in a process. */
struct admission *admission_open(struct event_base *base, admission_may_f *may,
                                 void *arg, struct err *err);
/* Before the library is stopped. NULL is fine. */
void admission_close(struct admission *d);

#endif
