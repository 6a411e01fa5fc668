/* image_fds.c - open files: see image_fds.h. */
#include "mpi-wrappers/image/image_fds.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "mpi-wrappers/image/image_list.h"
#include "mpi-wrappers/image/sys.h"

enum { NAME = 4096, STDIO = 3, KCMP_SAME_FILE = 0 };

/* While they are read: what two descriptors of one open file share. */
struct seen { uint64_t device, inode; int64_t offset; uint32_t flags; };

static bool left_out(const struct image_tables *t, int fd)
{
    if (fd == t->fd)
        return true;
    for (size_t i = 0; t->ask && i < t->ask->nfds; i++)
        if (t->ask->but_fds[i] == fd)
            return true;
    return false;
}

static enum image_reason refuse(struct image_tables *t, int fd,
                                const char *name, const char *what,
                                enum image_reason reason)
{
    struct image_text text;

    image_text_begin(&text, t->why, t->why_size);
    image_text_add(&text, "descriptor ");
    image_text_number(&text, (uint64_t)fd);
    image_text_add(&text, " (");
    image_text_add(&text, name);
    image_text_add(&text, ") is ");
    image_text_add(&text, what);
    return reason;
}

static const char *what_it_is(uint32_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFSOCK: return "a socket";
    case S_IFIFO:  return "a pipe to somebody else";
    case S_IFCHR:
    case S_IFBLK:  return "a device";
    case S_IFDIR:  return "a directory that has no name any more";
    default:       return "no plain file";
    }
}

/* Devices that are the same for everybody, whatever was read of them. */
static bool is_plain_device(const struct stat *st)
{
    unsigned number = minor(st->st_rdev);

    return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 &&
           (number == 3 || number == 5 || (number >= 7 && number <= 9));
}

/* Would its name open this very file? */
static bool has_name(const struct stat *st, const char *name)
{
    struct stat there;

    return *name == '/' &&
           sys(SYS_newfstatat, AT_FDCWD, name, &there, 0) == 0 &&
           there.st_dev == st->st_dev && there.st_ino == st->st_ino;
}

/* The descriptor, of those before, that is a duplicate of this one; -1: none;
 * -2: the kernel does not tell. */
static int same_as(const struct image_tables *t, const struct seen *seen,
                   size_t n, int fd)
{
    long pid = sys(SYS_getpid);

    for (size_t i = 0; i < n; i++) {
        long rc;

        if (memcmp(&seen[i], &seen[n], sizeof(seen[i])) != 0)
            continue;
        rc = sys(SYS_kcmp, pid, pid, KCMP_SAME_FILE, t->fds[i].fd, fd);
        if (rc == 0)
            return t->fds[i].fd;
        if (rc < 0)
            return -2;
    }
    return -1;
}

static void read_name(int fd, char *name)
{
    struct image_text path;
    char link[40];
    long n;

    image_text_begin(&path, link, sizeof(link));
    image_text_add(&path, "/proc/thread-self/fd/");
    image_text_number(&path, (uint64_t)fd);
    n = sys(SYS_readlinkat, AT_FDCWD, link, name, NAME - 1);
    name[n > 0 ? n : 0] = '\0';
}

/* One that is no duplicate. */
static enum image_reason classify(struct image_tables *t, struct image_fd *f,
                                  const struct stat *st, const char *name)
{
    bool plain = S_ISREG(st->st_mode);

    if ((plain || S_ISDIR(st->st_mode) || is_plain_device(st)) &&
        has_name(st, name)) {
        f->kind = IMAGE_FD_FILE;
    } else if (plain && st->st_size > IMAGE_CONTENTS) {
        return refuse(t, f->fd, name, "a file of more than 16 MiB that has no "
                      "name any more", IMAGE_DELETED);
    } else if (plain && !(f->flags & O_PATH)) {
        f->kind = IMAGE_FD_CONTENTS;
    } else {
        return refuse(t, f->fd, name, what_it_is(st->st_mode),
                      IMAGE_DESCRIPTOR);
    }
    f->name = image_arena_name(&t->arena, name);
    return f->name == (uint64_t)-1 ? IMAGE_MEMORY : IMAGE_GOOD;
}

static void count_unread(const struct image_tables *t, int fd,
                         const struct stat *st)
{
    int n = 0;

    if (!t->ask || !t->ask->unread || fd != 0)
        return;
    if (S_ISFIFO(st->st_mode))
        sys(SYS_ioctl, fd, FIONREAD, &n);
    *t->ask->unread = (uint64_t)n;
}

static enum image_reason read_one(struct image_tables *t, struct seen *seen,
                                  size_t *n, int fd, char *name)
{
    struct image_fd *f = &t->fds[*n];
    enum image_reason r = IMAGE_GOOD;
    struct stat st;
    int same;

    if (sys(SYS_fstat, fd, &st) != 0)
        return IMAGE_GOOD;              /* closed meanwhile */
    count_unread(t, fd, &st);
    memset(f, 0, sizeof(*f));
    f->fd = fd;
    f->flags = (uint32_t)sys(SYS_fcntl, fd, F_GETFL, 0);
    f->cloexec = (uint32_t)sys(SYS_fcntl, fd, F_GETFD, 0) & FD_CLOEXEC;
    f->type = st.st_mode & S_IFMT;
    f->bytes = (uint64_t)st.st_size;
    f->offset = sys(SYS_lseek, fd, 0, SEEK_CUR);
    if (f->offset < 0)
        f->offset = -1;
    seen[*n] = (struct seen){ st.st_dev, st.st_ino, f->offset, f->flags };
    same = fd < STDIO ? -1 : same_as(t, seen, *n, fd);
    if (same == -2)
        return IMAGE_REFUSE(t, IMAGE_MACHINE, "two descriptors are of one file,"
                            " and this kernel has no kcmp(2)");
    if (same >= 0) {
        f->kind = IMAGE_FD_SAME;
        f->same = same;
    } else if (fd >= STDIO) {
        read_name(fd, name);
        r = classify(t, f, &st, name);
    }
    (*n)++;
    return r;
}

/* Descriptors 0, 1 and 2 come first while they are read: others may be
 * duplicates of them. They do not stay in the table. */
static void drop_stdio(struct image_tables *t, size_t n)
{
    size_t first = 0;

    while (first < n && t->fds[first].fd < STDIO)
        t->head->stdio |= 1u << t->fds[first++].fd;
    t->fds += first;
    t->head->nfds = n - first;
}

enum image_reason image_fds_read(struct image_tables *t)
{
    enum image_reason r = IMAGE_GOOD;
    struct image_list *list = image_arena_take(&t->arena, sizeof(*list));
    char *name = image_arena_take(&t->arena, NAME);
    struct seen *seen;
    size_t room = 0, n = 0;

    if (!list || !name)
        return IMAGE_MEMORY;
    if (image_list_open(list, "/proc/thread-self/fd") < 0)
        return IMAGE_REFUSE(t, IMAGE_MACHINE, "its descriptors cannot be read");
    while (image_list_next(list) >= 0)
        room++;
    room += 16;
    t->fds = image_arena_take(&t->arena, room * sizeof(*t->fds));
    seen = image_arena_take(&t->arena, room * sizeof(*seen));
    if (!t->fds || !seen)
        return IMAGE_MEMORY;
    if (image_list_open(list, "/proc/thread-self/fd") < 0)
        return IMAGE_REFUSE(t, IMAGE_MACHINE, "its descriptors cannot be read");
    for (int fd; (fd = image_list_next(list)) >= 0; ) {
        if (r || fd == list->fd || left_out(t, fd))
            continue;
        r = n == room ? IMAGE_MEMORY : read_one(t, seen, &n, fd, name);
    }
    if (!r)
        drop_stdio(t, n);
    return r;
}
