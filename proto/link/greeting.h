/* greeting.h - how two of Hector's processes greet each other, once a link.
 *
 *   connecting                         listening
 *   greeting_hello()      --Hello-->   greeting_check(): is it our version?
 *   greeting_welcomed()  <--Welcome--  greeting_welcome()
 *   greeting_on_refuse() <--Refuse---  greeting_refuse(), which closes
 *
 * Both ends learn the role of the other here, and nowhere else; whom it admits
 * the listening side decides between check and welcome. Routes of these
 * messages are for CONN_STRANGER: a second greeting closes the link. */
#ifndef HECTOR_GREETING_H
#define HECTOR_GREETING_H

#include <stddef.h>

#include "proto/base/err.h"
#include "proto/link/conn.h"
#include "proto/link/message.h"

/* Say Hello: role, and what else there is to say, is in m; version, protocol and
 * the last message that is known are added, and a name ("user@host") and an
 * instance (random) where there is none. Borrowed: nothing of m is kept. */
void greeting_hello(struct conn *c, Hct__Hello *m);

/* The answer has come; its sender has to have this role. -1 with EPROTO: it
 * has another one, or speaks another version. From then on it is sent no message
 * that it does not know. */
int greeting_welcomed(struct conn *c, const Hct__Welcome *m, Hct__Role role,
                      struct err *err);

/* The handler of Refuse: -1 with EACCES, "refused: " and why. */
conn_handler_f greeting_on_refuse;

/* Is this a Hello of our version? -1 with a sentence for greeting_refuse();
 * self is what listens, as people call it. From then on who connects is sent no
 * message that it does not know. */
int greeting_check(struct conn *c, const Hct__Hello *m, const char *self,
                   struct err *err);

/* Let it in: m has our role, and what else there is to say. */
void greeting_welcome(struct conn *c, Hct__Role peer, Hct__Welcome *m);

/* Tell it why not, log that for the subsystem, and close behind it: c is not
 * the caller's any more. */
void greeting_refuse(struct conn *c, const char *subsystem,
                     const struct err *why);

/* "user@host" of this process; cut off where the buffer ends. */
void greeting_name(char *buf, size_t size);

#endif
