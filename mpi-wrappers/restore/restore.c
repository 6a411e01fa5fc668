/* restore.c - hector-restore: becomes the process that an image was made of.
 *
 * usage: hector-restore [--cut] [--tell TEXT] [--report fd:N] [--room MEMORY]
 *                       IMAGE|fd:N
 *        hector-restore --check IMAGE...
 *
 * See restore.h for how. The order of what is done matters: whatever can be
 * refused comes before whatever cannot be taken back. */
#include "mpi-wrappers/restore/restore.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/restore/restore_check.h"
#include "mpi-wrappers/restore/restore_files.h"
#include "mpi-wrappers/restore/restore_frames.h"
#include "mpi-wrappers/restore/restore_memory.h"
#include "mpi-wrappers/restore/restore_owners.h"
#include "mpi-wrappers/restore/restore_place.h"
#include "mpi-wrappers/restore/restore_room.h"
#include "mpi-wrappers/restore/restore_source.h"
#include "mpi-wrappers/restore/restore_start.h"
#include "mpi-wrappers/restore/restore_threads.h"
#include "mpi-wrappers/restore/restore_vdso.h"

#ifndef HECTOR_VERSION
#define HECTOR_VERSION "?"
#endif

enum { OWN_MAPS = 64, USAGE = 2 };
#define TABLES_MAX (1ull << 32)

/* Of the linker: this program from its first to behind its last byte. */
extern const char __executable_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static uint64_t pages(uint64_t bytes)
{
    return (bytes + IMAGE_PAGE - 1) & ~(uint64_t)(IMAGE_PAGE - 1);
}

static void *allocate(const struct restore *r, uint64_t at, uint64_t bytes)
{
    long p = sys(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE |
                 MAP_ANONYMOUS | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

    if ((p < 0 && p > -4096) || (at && p != (long)at))
        restore_refuse(r, "cannot become a process: there is no memory for its "
                       "tables", NULL);
    return (void *)p;
}

static void say(int fd, const char *text)
{
    sys(SYS_write, fd, text, strlen(text));
}

/* ------------------------------------------------------ where it was started */
/* "fd:7" is descriptor 7; -1: this is something else. */
static int descriptor_in(const char *name)
{
    const char *p = name + 3;
    int fd;

    if (!image_text_begins(name, "fd:") || strnlen(p, 8) == 8)
        return -1;
    if (*p < '0' || *p > '9')
        return -1;
    fd = (int)image_text_decimal(&p);
    return *p ? -1 : fd;
}

static void open_image(struct restore *r)
{
    struct stat st;
    char buf[32];

    r->fd = descriptor_in(r->name);
    if (r->fd < 0)
        r->fd = sys_open(r->name, O_RDONLY | O_NOCTTY |
                         (r->look ? O_NONBLOCK : 0));
    if (r->fd < 0 || sys(SYS_fstat, r->fd, &st) != 0)
        restore_refuse(r, "cannot be opened: ",
                       restore_error(r->fd < 0 ? r->fd : -EBADF, buf,
                                     sizeof(buf)), NULL);
    r->plain = S_ISREG(st.st_mode);
    r->file_bytes = (uint64_t)st.st_size;
    if (!r->plain && (r->look || r->cut))
        restore_refuse(r, "is no plain file, which is what ",
                       r->look ? "--check" : "--cut", " is for", NULL);
    if (r->plain)
        restore_source_unpack(r);
}

/* Where in the tables each of them begins. */
static void point(struct restore *r)
{
    struct image_head *h = &r->head;

    r->regions = (struct image_region *)r->tables;
    r->mapped = (struct image_mapped *)(r->regions + h->nregions);
    r->fds = (struct image_fd *)(r->mapped + h->nmapped);
    r->threads = (struct image_thread *)(r->fds + h->nfds);
    r->names = (const char *)(r->threads + h->nthreads);
    r->vdso = (uint8_t *)r->names + h->name_bytes;
}

static void read_tables(struct restore *r)
{
    const struct image_head *h = &r->head;

    restore_hash_begin(&r->hash);
    if (r->plain && r->file_bytes < sizeof(r->head))
        restore_refuse(r, "is no image of a process", NULL);
    restore_read(r, &r->head, sizeof(r->head));
    restore_check_head(r);
    if (h->tables_bytes > TABLES_MAX ||
        (r->plain && h->tables_bytes > r->file_bytes))
        restore_refuse(r, "ends too early: it was cut off, or whoever wrote it "
                       "did not finish; take another image", NULL);
    r->tables = allocate(r, 0, pages(h->tables_bytes + 1));
    restore_read(r, r->tables, h->tables_bytes);
    point(r);
    restore_check_tables(r);
}

/* Code, stack, that of who hashes, scratch, this struct, the name, what is told,
 * the tables, where numbers of threads are, the vdso. */
struct layout {
    uint64_t code, stack, hasher, scratch, self, name, tell, tables, owners, vdso, end;
};

static struct layout lay_out(struct restore *r)
{
    struct layout l = { 0 };

    l.stack = l.code + pages((uint64_t)(_end - __executable_start));
    l.hasher = l.stack + RESTORE_STACK;
    l.scratch = l.hasher + RESTORE_HASH_STACK;
    l.self = l.scratch + RESTORE_SCRATCH;
    l.name = l.self + pages(sizeof(*r));
    l.tell = l.name + pages(strlen(r->name) + 1);
    l.tables = l.tell + pages(strlen(r->tell) + 1);
    l.owners = l.tables + pages(r->head.tables_bytes + 1);
    l.vdso = l.owners + pages(RESTORE_OWNERS * sizeof(*r->owners.at));
    l.end = l.vdso + restore_vdso_bytes(r);
    return l;
}

static void go_on_inside(struct restore *r);

/* Copies this program, and what it knows, into a hole, and goes on there. */
static void leave(struct restore *r) __attribute__((noreturn));
static void leave(struct restore *r)
{
    struct layout l = lay_out(r);
    struct image_back own[OWN_MAPS];
    size_t n = restore_place_own(r, own, OWN_MAPS);
    uint64_t at = restore_place_find(r, own, n, l.end);
    struct restore *copy;
    char *hole;

    if (!at)
        restore_refuse(r, "leaves no room in its memory to begin it from",
                       NULL);
    hole = allocate(r, at, l.end);
    memcpy(hole + l.code, __executable_start,
           (size_t)(_end - __executable_start));
    memcpy(hole + l.name, r->name, strlen(r->name) + 1);
    memcpy(hole + l.tell, r->tell, strlen(r->tell) + 1);
    memcpy(hole + l.tables, r->tables, r->head.tables_bytes);
    copy = (struct restore *)(hole + l.self);
    *copy = *r;
    copy->hole = (struct image_back){ at, l.end };
    copy->name = hole + l.name;
    copy->tell = hole + l.tell;
    copy->tables = hole + l.tables;
    copy->hasher = hole + l.scratch;
    copy->scratch = hole + l.scratch;
    copy->owners.at = (uint64_t *)(hole + l.owners);
    point(copy);
    if (sys(SYS_mprotect, hole + l.code, l.stack - l.code,
            PROT_READ | PROT_EXEC) != 0)
        restore_refuse(r, "cannot become a process here: memory with code in it "
                       "is not allowed", NULL);
    restore_vdso_take(copy, at + l.vdso);
    restore_start_on(hole + l.hasher, copy,
                     at + ((uint64_t)go_on_inside -
                           (uint64_t)__executable_start));
}

/* ---------------------------------------------------------------- in the hole */
static void go_on_inside(struct restore *r)
{
    restore_memory_clear(r);
    restore_files_clear(r);
    restore_owners_begin(r);
    restore_memory_read(r);
    restore_files_open(r);
    restore_check_tail(r);
    restore_source_end(r);
    sys_close(r->fd);
    restore_vdso_put(r);
    restore_frames_fit(r);
    restore_threads_prepare(r);
    restore_files_cut(r);
    restore_threads_begin(r);
}

static void usage(int status) __attribute__((noreturn));
static void usage(int status)
{
    say(status ? 2 : 1,
        "usage: hector-restore [--cut] [--tell TEXT] [--report fd:N] "
        "[--room MEMORY]\n"
        "                      IMAGE|fd:N\n"
        "       hector-restore --check IMAGE...\n"
        "Becomes the process that the image was made of.\n"
        "      --check        only says whether images are whole\n"
        "      --cut          files that it wrote to get the size again that\n"
        "                     they had then\n"
        "      --tell TEXT    what the process finds where it asked for it\n"
        "      --report fd:N  say there why it cannot go on, and close it\n"
        "                     when it does\n"
        "      --room MEMORY  what it will need, START-END,... in hexadecimal,\n"
        "                     is had before the image comes\n"
        "  -V, --version      the version of Hector, and ends\n"
        "  -h, --help         this, and ends\n");
    for (;;)
        sys(SYS_exit_group, status);
}

static bool is_either(const char *word, const char *brief, const char *name)
{
    return strcmp(word, brief) == 0 || strcmp(word, name) == 0;
}

static void version(void)
{
    say(1, "hector-restore " HECTOR_VERSION "\n");
    sys(SYS_exit_group, 0);
}

/* Which images to look at; NULL: one to become, r->name. Behind that a test may
 * say that this kernel, or this processor, is another one. */
static char *const *read_arguments(struct restore *r, char *const *argv)
{
    for (argv++; *argv; argv++)
        if (is_either(*argv, "-h", "--help"))
            usage(0);
        else if (is_either(*argv, "-V", "--version"))
            version();
        else if (strcmp(*argv, "--check") == 0)
            r->look = true;
        else if (strcmp(*argv, "--cut") == 0)
            r->cut = true;
        else if (strcmp(*argv, "--tell") == 0 && argv[1])
            r->tell = *++argv;
        else if (strcmp(*argv, "--report") == 0 && argv[1] &&
                 descriptor_in(argv[1]) >= 0)
            r->report = descriptor_in(*++argv);
        else if (strcmp(*argv, "--room") == 0 && argv[1])
            r->rooms = *++argv;
        else if (**argv == '-')
            usage(USAGE);
        else if (r->look)
            break;
        else if (!r->name)
            r->name = *argv;
        else if (strcmp(*argv, "other-vdso") == 0)
            r->trampolines = true;
        else if (strcmp(*argv, "narrow-vectors") == 0)
            r->narrow = true;
        else
            usage(USAGE);
    if (r->look ? !*argv || r->cut || *r->tell || *r->rooms || r->report >= 0
                : !r->name)
        usage(USAGE);
    return r->look ? argv : NULL;
}

/* All of each, with the memory that its tables need. */
static void look_at(struct restore *r, char *const *names)
    __attribute__((noreturn));
static void look_at(struct restore *r, char *const *names)
{
    for (; *names; names++) {
        r->name = *names;
        r->bytes = 0;
        open_image(r);
        read_tables(r);
        restore_memory_skip(r);
        restore_files_skip(r);
        restore_check_tail(r);
        restore_source_end(r);
        sys(SYS_munmap, r->tables, pages(r->head.tables_bytes + 1));
        sys_close(r->fd);
    }
    for (;;)
        sys(SYS_exit_group, 0);
}

void restore_main(const long *words)
{
    const uint64_t everything = ~0ull;
    char *const *names;
    struct restore r;

    memset(&r, 0, sizeof(r));
    r.report = -1;
    r.tell = r.rooms = "";
    names = read_arguments(&r, (char *const *)(words + 1));
    r.scratch = allocate(&r, 0, RESTORE_SCRATCH);
    if (names)
        look_at(&r, names);
    sys(SYS_rt_sigprocmask, SIG_SETMASK, &everything, 0, sizeof(everything));
    open_image(&r);
    if (!restore_room_make(&r, r.rooms))
        usage(USAGE);
    restore_source_link(&r);
    read_tables(&r);
    restore_place_grow_stack(&r);
    restore_room_settle(&r);
    restore_check_place(&r);
    leave(&r);
}
