/* messages.h - the account of messages: what this task has sent to each partner
 * and received from it, in the page. From the accounts of both sides it is
 * known, and not guessed, whether a message is under way.
 *
 * What is not counted as received can only hide a deadlock, what is not counted
 * as sent could make one up: so a message is counted as sent before MPI gets
 * to know of it, whatever becomes of it, and as received when the page no
 * longer says that it is waited for. */
#ifndef HECTOR_MESSAGES_H
#define HECTOR_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"

/* After MPI_Init; m is in the page, or NULL where that has no room for it.
 * several: threads may call MPI, at the same time or (what nobody checks) not. */
void messages_start(struct page_messages *m, bool several);
void messages_stop(void);

/* peer and tag as in the page, bytes as far as that is known. Returns the sum of what
 * went there so far, with this one; 0: not known. */
uint64_t messages_sent(uint64_t comm, int32_t peer, int32_t tag, uint64_t bytes);
/* The one that was just counted is not sent after all. */
void messages_unsent(uint64_t comm, int32_t peer, int32_t tag, uint64_t bytes);
/* PAGE_NONE: perhaps none was. */
void messages_received(uint64_t comm, int32_t peer, int32_t tag);
/* Perhaps one was received, perhaps not. */
void messages_unsure(void);

#endif
