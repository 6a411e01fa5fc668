/* image_list.h - the numbers that a directory of /proc has as its names. */
#ifndef HECTOR_IMAGE_LIST_H
#define HECTOR_IMAGE_LIST_H

#include <stdint.h>
#include <string.h>

#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"

struct image_list {
    int fd;                     /* of the directory, while it is read */
    long n, at;
    char buf[2048] __attribute__((aligned(8)));
};

static inline int image_list_open(struct image_list *l, const char *path)
{
    l->n = l->at = 0;
    l->fd = sys_open(path, O_RDONLY | O_DIRECTORY);
    return l->fd < 0 ? l->fd : 0;
}

/* The next number; -1 at the end, when the directory is closed. */
static inline int image_list_next(struct image_list *l)
{
    enum { LENGTH = 16, NAME = 19 };    /* in a struct linux_dirent64 */

    for (;;) {
        uint16_t length;
        const char *name;

        if (l->at >= l->n) {
            l->at = 0;
            l->n = sys(SYS_getdents64, l->fd, l->buf, sizeof(l->buf));
            if (l->n <= 0) {
                sys_close(l->fd);
                return -1;
            }
        }
        memcpy(&length, l->buf + l->at + LENGTH, sizeof(length));
        name = l->buf + l->at + NAME;
        l->at += length;
        if (*name >= '0' && *name <= '9')
            return (int)image_text_decimal(&name);
    }
}

#endif
