/* restore_files.c - opens files again: see restore_files.h. */
#include "mpi-wrappers/restore/restore_files.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"

enum { STDIO = 3 };

static void close_range_of(unsigned first, unsigned last)
{
    if (first > last || sys(SYS_close_range, first, last, 0) == 0)
        return;
    if (last > 65535)
        last = 65535;
    for (unsigned fd = first; fd <= last; fd++)
        sys(SYS_close, fd);
}

static int lift(const struct restore *r, int fd, int least)
{
    long to = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);

    if (to < 0)
        restore_refuse(r, "had more files open than this process may: raise "
                       "the limit (ulimit -n)", NULL);
    return (int)to;
}

void restore_files_clear(struct restore *r)
{
    int highest = STDIO - 1, first, last;
    struct rlimit limit;

    for (size_t i = 0; i < r->head.nfds; i++)
        if (r->fds[i].fd > highest)
            highest = r->fds[i].fd;
    sys(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
    limit.rlim_cur = limit.rlim_max;
    sys(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, 0);
    first = last = r->fd = lift(r, r->fd, highest + 1);
    if (r->report >= 0)
        last = r->report = lift(r, r->report, first + 1);
    close_range_of(STDIO, (unsigned)first - 1);
    close_range_of((unsigned)first + 1, (unsigned)last - 1);
    close_range_of((unsigned)last + 1, ~0u);
}

/* From anywhere to the number that it had. */
static void place(const struct restore *r, const struct image_fd *f, long fd)
{
    char buf[32];

    if (fd < 0)
        restore_refuse(r, "had opened ", r->names + f->name, ", but ",
                       restore_error(fd, buf, sizeof(buf)), NULL);
    if (fd != f->fd) {
        sys(SYS_dup3, fd, f->fd, f->cloexec ? O_CLOEXEC : 0);
        sys_close((int)fd);
    } else {
        sys(SYS_fcntl, fd, F_SETFD, f->cloexec);
    }
    if (f->offset >= 0)
        sys(SYS_lseek, f->fd, f->offset, SEEK_SET);
}

static void open_named(const struct restore *r, const struct image_fd *f)
{
    uint32_t once = O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY;

    place(r, f, sys(SYS_openat, AT_FDCWD, r->names + f->name,
                    f->flags & ~once, 0));
}

/* A file without a name, opened as the one before was. */
static void open_contents(struct restore *r, const struct image_fd *f)
{
    struct image_text path;
    char link[40];
    long memory = sys(SYS_memfd_create, "restored", MFD_CLOEXEC), fd;
    uint64_t left = f->bytes;

    for (uint64_t part; memory >= 0 && left; left -= part) {
        part = left < RESTORE_SCRATCH ? left : RESTORE_SCRATCH;
        restore_read(r, r->scratch, part);
        for (uint64_t done = 0; done < part; ) {
            long n = sys(SYS_write, memory, r->scratch + done, part - done);

            if (n <= 0)
                restore_refuse(r, "had a file open that was deleted, and there "
                               "is no memory for it", NULL);
            done += (uint64_t)n;
        }
    }
    image_text_begin(&path, link, sizeof(link));
    image_text_add(&path, "/proc/self/fd/");
    image_text_number(&path, (uint64_t)memory);
    fd = memory < 0 ? memory
        : sys(SYS_openat, AT_FDCWD, link, f->flags & ~(O_CREAT | O_EXCL |
              O_TRUNC | O_TMPFILE | O_DIRECT), 0);
    if (memory >= 0)
        sys_close((int)memory);
    place(r, f, fd);
}

void restore_files_open(struct restore *r)
{
    for (size_t i = 0; i < r->head.nfds; i++) {
        const struct image_fd *f = &r->fds[i];

        switch (f->kind) {
        case IMAGE_FD_FILE:
            open_named(r, f);
            break;
        case IMAGE_FD_CONTENTS:
            open_contents(r, f);
            break;
        default:
            if (sys(SYS_dup3, f->same, f->fd, f->cloexec ? O_CLOEXEC : 0) < 0)
                sys_close(f->fd);       /* one of 0..2 that is not open here */
        }
    }
    for (int fd = 0; fd < STDIO; fd++)
        if (!(r->head.stdio & 1u << fd))
            sys_close(fd);
}

void restore_files_skip(struct restore *r)
{
    for (size_t i = 0; i < r->head.nfds; i++)
        if (r->fds[i].kind == IMAGE_FD_CONTENTS)
            restore_skip(r, r->fds[i].bytes);
}

bool restore_files_written(const struct image_fd *f)
{
    return f->kind == IMAGE_FD_FILE && f->type == S_IFREG &&
           !(f->flags & O_PATH) && (f->flags & O_ACCMODE) != O_RDONLY;
}

void restore_files_cut(const struct restore *r)
{
    char buf[32];

    for (size_t i = 0; r->cut && i < r->head.nfds; i++) {
        const struct image_fd *f = &r->fds[i];
        struct stat st;
        long rc;

        if (!restore_files_written(f))
            continue;
        rc = sys(SYS_fstat, f->fd, &st);
        if (rc == 0 && (uint64_t)st.st_size > f->bytes)
            rc = sys(SYS_ftruncate, f->fd, f->bytes);
        if (rc < 0)
            restore_refuse(r, "had written to ", r->names + f->name, ", which "
                           "cannot be cut to what it was then: ",
                           restore_error(rc, buf, sizeof(buf)), NULL);
    }
}
