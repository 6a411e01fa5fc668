/* passfd.h - messages between processes of one host that carry a descriptor. */
#ifndef HECTOR_PASSFD_H
#define HECTOR_PASSFD_H

#include <stddef.h>
#include <sys/types.h>

/* As send() with MSG_NOSIGNAL; fd -1: none goes along. */
ssize_t passfd_send(int to, const void *data, size_t bytes, int fd,
                    int flags);

/* As recv(); *fd is the caller's to close, -1: none came. */
ssize_t passfd_receive(int from, void *data, size_t bytes, int *fd,
                       int flags);

#endif
