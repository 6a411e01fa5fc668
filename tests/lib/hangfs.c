/* hangfs.c - a file system that hangs when it is told to, as that of a file
 * server does which is not there: for tests, by what the kernel offers to
 * programs.
 *
 * usage: hangfs FROM ON WORDFILE [LOCKS]
 *
 * Shows directory FROM on directory ON, until it is killed or unmounted. As
 * long as WORDFILE has the name of a request, "write" say, or "all", those get
 * no answer, nor does anything that comes behind them; with "write 3" from the
 * third of them on. Says "hangs WORD" when it begins to. Each lock on a file is
 * refused with the error of the number LOCKS. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NODES = 4096, REQUEST = (1 << 20) + 65536 };

static const char *word_file, *root;
static char *paths[NODES];      /* by number; of what is gone, NULL */
static uint64_t nnodes = FUSE_ROOT_ID + 1;
static int device, no_locks;    /* no_locks: an errno; 0: the kernel has them */

static const struct { uint32_t code; const char *name; } names[] = {
    { FUSE_LOOKUP, "lookup" }, { FUSE_GETATTR, "getattr" },
    { FUSE_MKDIR, "mkdir" }, { FUSE_CREATE, "create" },
    { FUSE_WRITE, "write" }, { FUSE_READ, "read" }, { FUSE_FSYNC, "fsync" },
    { FUSE_RENAME2, "rename" }, { FUSE_RENAME, "rename" },
    { FUSE_OPENDIR, "opendir" }, { FUSE_OPEN, "open" },
    { FUSE_UNLINK, "unlink" },
};

static const char *name_of(uint32_t code)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].code == code)
            return names[i].name;
    return "else";
}

static int told_to_hang(uint32_t code)
{
    static int seen;            /* such requests, since there is that file */
    char word[32] = "";
    FILE *f = fopen(word_file, "r");
    int from = 1;

    if (f && fscanf(f, "%31s %d", word, &from) < 1)
        *word = '\0';
    if (f)
        fclose(f);
    else
        seen = 0;
    return (strcmp(word, "all") == 0 || strcmp(word, name_of(code)) == 0) &&
           ++seen >= from;
}

static void hang(uint32_t code)
{
    if (!told_to_hang(code))
        return;
    printf("hangs %s\n", name_of(code));
    fflush(stdout);
    while (access(word_file, F_OK) == 0)
        usleep(20000);
}

/* ---------------------------------------------------------------- answers */
static void answer(const struct fuse_in_header *in, int error, const void *data,
                   size_t bytes)
{
    struct fuse_out_header out = { .unique = in->unique, .error = -error };
    struct iovec v[] = { { &out, sizeof(out) },
                         { (void *)(uintptr_t)data, bytes } };

    out.len = (uint32_t)(sizeof(out) + (error ? 0 : bytes));
    if (writev(device, v, error || !bytes ? 1 : 2) < 0 && errno != ENOENT)
        exit(errno == ENODEV ? 0 : 1);
}

static const char *path_of(uint64_t node)
{
    return node < nnodes && paths[node] ? paths[node] : "/nowhere";
}

static void join(char *to, size_t size, uint64_t node, const char *name)
{
    snprintf(to, size, "%s/%s", path_of(node), name);
}

static uint64_t node_of(const char *path)
{
    uint64_t i = FUSE_ROOT_ID;

    while (i < nnodes && !(paths[i] && strcmp(paths[i], path) == 0))
        i++;
    if (i == NODES)
        exit(1);
    if (i == nnodes)
        paths[nnodes++] = strdup(path);
    return i;
}

static void forget(const char *path)
{
    for (uint64_t i = FUSE_ROOT_ID + 1; i < nnodes; i++)
        if (paths[i] && strcmp(paths[i], path) == 0)
            paths[i] = NULL;
}

static void move(const char *from, const char *to)
{
    size_t n = strlen(from);
    char path[8192];

    forget(to);
    for (uint64_t i = FUSE_ROOT_ID + 1; i < nnodes; i++)
        if (paths[i] && strncmp(paths[i], from, n) == 0 &&
            (paths[i][n] == '\0' || paths[i][n] == '/')) {
            snprintf(path, sizeof(path), "%s%s", to, paths[i] + n);
            paths[i] = strdup(path);
        }
}

static void fill(struct fuse_attr *a, const struct stat *s)
{
    *a = (struct fuse_attr){
        .ino = s->st_ino, .size = (uint64_t)s->st_size,
        .blocks = (uint64_t)s->st_blocks, .atime = (uint64_t)s->st_atime,
        .mtime = (uint64_t)s->st_mtime, .ctime = (uint64_t)s->st_ctime,
        .mode = s->st_mode, .nlink = (uint32_t)s->st_nlink, .uid = s->st_uid,
        .gid = s->st_gid, .blksize = 4096 };
}

static void answer_attr(const struct fuse_in_header *in, const char *path)
{
    struct fuse_attr_out out = { 0 };
    struct stat s;
    int rc = lstat(path, &s);

    if (rc == 0)
        fill(&out.attr, &s);
    answer(in, rc ? errno : 0, &out, sizeof(out));
}

static int entry(struct fuse_entry_out *out, const char *path)
{
    struct stat s;

    *out = (struct fuse_entry_out){ 0 };
    if (lstat(path, &s))
        return errno;
    fill(&out->attr, &s);
    out->nodeid = node_of(path);
    return 0;
}

static void answer_entry(const struct fuse_in_header *in, int rc,
                         const char *path)
{
    struct fuse_entry_out out = { 0 };
    int error = rc ? errno : entry(&out, path);

    answer(in, error, &out, sizeof(out));
}

static void answer_list(const struct fuse_in_header *in,
                        const struct fuse_read_in *r)
{
    char list[8192];
    size_t used = 0;
    DIR *d = opendir(path_of(in->nodeid));
    uint64_t at = 0;

    if (!d) {
        answer(in, errno, NULL, 0);
        return;
    }
    for (struct dirent *e; (e = readdir(d)); ) {
        size_t n = strlen(e->d_name);
        struct fuse_dirent to = { .ino = e->d_ino, .off = at + 1,
                                  .namelen = (uint32_t)n, .type = e->d_type };
        size_t bytes = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + n);

        if (at++ < r->offset)
            continue;
        if (used + bytes > sizeof(list) || used + bytes > r->size)
            break;
        memset(list + used, 0, bytes);
        memcpy(list + used, &to, FUSE_NAME_OFFSET);
        memcpy(list + used + FUSE_NAME_OFFSET, e->d_name, n);
        used += bytes;
    }
    closedir(d);
    answer(in, 0, list, used);
}

static void answer_open(const struct fuse_in_header *in, int fd)
{
    struct fuse_open_out out = { .fh = (uint64_t)fd };

    answer(in, fd < 0 ? errno : 0, &out, sizeof(out));
}

static void answer_create(const struct fuse_in_header *in,
                          const struct fuse_create_in *c, const char *path)
{
    struct {
        struct fuse_entry_out entry;
        struct fuse_open_out open;
    } out = { 0 };
    int fd = open(path, (int)c->flags | O_CREAT, c->mode), error = errno;

    if (fd >= 0)
        error = entry(&out.entry, path);
    out.open.fh = (uint64_t)fd;
    answer(in, error, &out, sizeof(out));
}

static void answer_change(const struct fuse_in_header *in,
                          const struct fuse_setattr_in *s)
{
    const char *path = path_of(in->nodeid);

    if (((s->valid & FATTR_SIZE) && truncate(path, (off_t)s->size)) ||
        ((s->valid & FATTR_MODE) && chmod(path, s->mode)))
        answer(in, errno, NULL, 0);
    else
        answer_attr(in, path);
}

static void answer_read(const struct fuse_in_header *in,
                        const struct fuse_read_in *r)
{
    static char data[1 << 20];
    size_t most = r->size < sizeof(data) ? r->size : sizeof(data);
    ssize_t n = pread((int)r->fh, data, most, (off_t)r->offset);

    answer(in, n < 0 ? errno : 0, data, n < 0 ? 0 : (size_t)n);
}

static void answer_write(const struct fuse_in_header *in,
                         const struct fuse_write_in *w)
{
    ssize_t n = pwrite((int)w->fh, w + 1, w->size, (off_t)w->offset);
    struct fuse_write_out out = { .size = (uint32_t)n };

    answer(in, n < 0 ? errno : 0, &out, sizeof(out));
}

static void answer_init(const struct fuse_in_header *in,
                        const struct fuse_init_in *i)
{
    struct fuse_init_out out = {
        .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
        .max_readahead = i->max_readahead, .max_write = 1 << 20, .time_gran = 1,
        .flags = FUSE_BIG_WRITES | FUSE_MAX_PAGES, .max_pages = 256 };

    if (no_locks)
        out.flags |= FUSE_POSIX_LOCKS;

    answer(in, 0, &out, sizeof(out));
}

static void answer_room(const struct fuse_in_header *in)
{
    struct statvfs v = { 0 };
    struct fuse_statfs_out out = { 0 };
    int rc = statvfs(root, &v);

    out.st = (struct fuse_kstatfs){ .blocks = v.f_blocks, .bfree = v.f_bfree,
        .bavail = v.f_bavail, .files = v.f_files, .ffree = v.f_ffree,
        .bsize = (uint32_t)v.f_bsize, .namelen = 255,
        .frsize = (uint32_t)v.f_frsize };
    answer(in, rc ? errno : 0, &out, sizeof(out));
}

static void rename_(const struct fuse_in_header *in, uint64_t to,
                    const char *from_name, uint32_t flags)
{
    char path[4096], other[4096];
    int rc;

    join(path, sizeof(path), in->nodeid, from_name);
    join(other, sizeof(other), to, from_name + strlen(from_name) + 1);
    rc = renameat2(AT_FDCWD, path, AT_FDCWD, other, flags);
    if (rc == 0)
        move(path, other);
    answer(in, rc ? errno : 0, NULL, 0);
}

static void serve(const struct fuse_in_header *in, const void *arg)
{
    char path[4096];
    int rc;

    switch (in->opcode) {
    case FUSE_INIT:
        answer_init(in, arg);
        break;
    case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT:
        break;
    case FUSE_LOOKUP:
        join(path, sizeof(path), in->nodeid, arg);
        answer_entry(in, 0, path);
        break;
    case FUSE_GETATTR:
        answer_attr(in, path_of(in->nodeid));
        break;
    case FUSE_SETATTR:
        answer_change(in, arg);
        break;
    case FUSE_STATFS:
        answer_room(in);
        break;
    case FUSE_MKDIR:
        join(path, sizeof(path), in->nodeid, (const char *)arg +
             sizeof(struct fuse_mkdir_in));
        answer_entry(in, mkdir(path, ((const struct fuse_mkdir_in *)arg)->mode), path);
        break;
    case FUSE_UNLINK: case FUSE_RMDIR:
        join(path, sizeof(path), in->nodeid, arg);
        rc = in->opcode == FUSE_RMDIR ? rmdir(path) : unlink(path);
        if (rc == 0)
            forget(path);
        answer(in, rc ? errno : 0, NULL, 0);
        break;
    case FUSE_RENAME:
        rename_(in, ((const struct fuse_rename_in *)arg)->newdir, (const char *)arg +
                sizeof(struct fuse_rename_in), 0);
        break;
    case FUSE_RENAME2:
        rename_(in, ((const struct fuse_rename2_in *)arg)->newdir, (const char *)arg +
                sizeof(struct fuse_rename2_in),
                ((const struct fuse_rename2_in *)arg)->flags);
        break;
    case FUSE_OPEN:
        answer_open(in, open(path_of(in->nodeid),
                             (int)((const struct fuse_open_in *)arg)->flags & ~O_CREAT));
        break;
    case FUSE_CREATE:
        join(path, sizeof(path), in->nodeid, (const char *)arg +
             sizeof(struct fuse_create_in));
        answer_create(in, arg, path);
        break;
    case FUSE_READ:
        answer_read(in, arg);
        break;
    case FUSE_WRITE:
        answer_write(in, arg);
        break;
    case FUSE_FSYNC:
        rc = fsync((int)((const struct fuse_fsync_in *)arg)->fh);
        answer(in, rc ? errno : 0, NULL, 0);
        break;
    case FUSE_RELEASE:
        close((int)((const struct fuse_release_in *)arg)->fh);
        answer(in, 0, NULL, 0);
        break;
    case FUSE_OPENDIR: {
        struct fuse_open_out out = { 0 };

        answer(in, 0, &out, sizeof(out));
        break;
    }
    case FUSE_READDIR:
        answer_list(in, arg);
        break;
    case FUSE_RELEASEDIR: case FUSE_FSYNCDIR: case FUSE_FLUSH: case FUSE_ACCESS:
        answer(in, 0, NULL, 0);
        break;
    case FUSE_SETLK: case FUSE_SETLKW: case FUSE_GETLK:
        answer(in, no_locks, NULL, 0);
        break;
    default:
        answer(in, ENOSYS, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    static char request[REQUEST];
    char options[200];
    ssize_t n;

    if (argc != 4 && argc != 5)
        return 2;
    no_locks = argc == 5 ? atoi(argv[4]) : 0;
    root = paths[FUSE_ROOT_ID] = argv[1];
    word_file = argv[3];
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u,"
             "allow_other,default_permissions", device, getuid(), getgid());
    if (device < 0 || mount("hangfs", argv[2], "fuse", MS_NOSUID | MS_NODEV, options)) {
        perror("hangfs");
        return 1;
    }
    puts("serves");
    fflush(stdout);
    while ((n = read(device, request, sizeof(request))) > 0 || errno == EINTR ||
           errno == ENOENT || errno == EAGAIN) {
        const struct fuse_in_header *in = (const void *)request;

        if (n < (ssize_t)sizeof(*in))
            continue;
        hang(in->opcode);
        serve(in, in + 1);
    }
    return 0;
}
