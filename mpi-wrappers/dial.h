/* dial.h - one question to the slave, and its answer; see the end of page.h. */
#ifndef HECTOR_DIAL_H
#define HECTOR_DIAL_H

#include <stddef.h>

enum { DIAL_FOR_EVER = -1 };    /* a limit */

/* path: of a SOCK_SEQPACKET socket, "@NAME" for one without a file; who answers
 * is of our user, or root. The answer has exactly that many bytes; *fd is a
 * descriptor that came with it, ours from now on, or -1. Returns 0, or an errno
 * value: nobody to ask, no answer within limit_ms, EPROTO: another answer, or
 * none. */
int dial(const char *path, const void *question, size_t bytes, void *answer,
         size_t answer_bytes, int *fd, int limit_ms);

#endif
