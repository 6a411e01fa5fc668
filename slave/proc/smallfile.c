/* smallfile.c - files of a few lines, read in one go. */
#include "slave/proc/smallfile.h"

#include <fcntl.h>
#include <unistd.h>

bool smallfile_read(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return false;
    n = read(fd, buf, size - 1);
    close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n > 0;
}
