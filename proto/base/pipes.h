/* pipes.h - a pipe of which one end is ours and does not block, while the other is
 * for another process, which may. */
#ifndef HECTOR_PIPES_H
#define HECTOR_PIPES_H

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

/* Both ends are closed by exec. -1: errno says why. */
static inline int pipes_open(int *read_end, int *write_end, bool ours_is_read)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC))
        return -1;
    *read_end = fds[0];
    *write_end = fds[1];
    return fcntl(fds[ours_is_read ? 0 : 1], F_SETFL, O_NONBLOCK);
}

#endif
