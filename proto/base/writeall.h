/* writeall.h - all of it to a descriptor that blocks, however many calls it takes. */
#ifndef HECTOR_WRITEALL_H
#define HECTOR_WRITEALL_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* -1: errno says why; some of it may be written. */
static inline int write_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n) {
        ssize_t did = write(fd, p, n);

        if (did < 0 && errno == EINTR)
            continue;
        if (did <= 0)
            return -1;
        p += did;
        n -= (size_t)did;
    }
    return 0;
}

#endif
