/* door.h - who gets through to the PMIx server, which listens on TCP.
 *
 * The library takes whoever connects, on its one thread, and waits for the
 * first words: somebody who says nothing would keep every task of every job
 * from its server. So its listening socket is taken over once it is there:
 * connections wait here, on the event loop, until they have something to say,
 * for some seconds; those of other users are sent away; and only then the
 * library may accept them, through an accept() of ours. */
#ifndef HECTOR_DOOR_H
#define HECTOR_DOOR_H

#include <stdbool.h>
#include <sys/types.h>
#include <event2/event.h>

#include "proto/base/err.h"

enum { DOOR_FDS = 1024 };       /* sockets with larger numbers stay as they are */

/* Which sockets listen on TCP already: none of them is the library's. */
struct door_before { bool listens[DOOR_FDS]; };
void door_look(struct door_before *b);

/* May processes of this user come in? */
typedef bool door_may_f(void *arg, uid_t uid);

/* Take over what listens now and did not before. NULL with err if there is no
 * such socket, or nothing can be done about it. One in a process. */
struct door *door_open(struct event_base *base, const struct door_before *b,
                       door_may_f *may, void *arg, struct err *err);
/* Before the library is stopped. NULL is fine. */
void door_close(struct door *d);

#endif
