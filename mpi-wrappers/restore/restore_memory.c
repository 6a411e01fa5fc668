/* restore_memory.c - makes the memory of the image: see restore_memory.h. */
#include "mpi-wrappers/restore/restore_memory.h"

#include <string.h>
#include <sys/mman.h>

#include "mpi-wrappers/image/image_maps.h"
#include "mpi-wrappers/image/image_text.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/restore/restore_owners.h"
#include "mpi-wrappers/restore/restore_room.h"

const struct image_region *restore_memory_region(const struct restore *r,
                                                 uint64_t at)
{
    for (size_t i = 0; i < r->head.nregions; i++)
        if (r->regions[i].start <= at && at < r->regions[i].end)
            return &r->regions[i];
    return NULL;
}

void restore_memory_clear(const struct restore *r)
{
    char *text = r->scratch;
    uint64_t end = r->hole.start + r->hole.bytes;
    struct image_map m;

    if (sys_slurp("/proc/self/maps", text, RESTORE_SCRATCH) <= 0)
        restore_refuse(r, "cannot become a process: there is no "
                       "/proc/self/maps here", NULL);
    while (image_maps_next(&text, &m) > 0) {
        enum image_map_kind kind = image_maps_kind(&m);

        if (kind == IMAGE_MAP_FIXED || kind == IMAGE_MAP_VDSO ||
            kind == IMAGE_MAP_VVAR ||
            (r->hole.start < m.end && m.start < end))
            continue;
        restore_room_spare(r, m.start, m.end);
    }
}

static int open_mapped(const struct restore *r, const struct image_region *g)
{
    const char *name = r->names + r->mapped[g->mapped].name;
    bool write = g->kind == IMAGE_FILE_SHARED && (g->prot & PROT_WRITE);
    int fd = sys_open(name, write ? O_RDWR : O_RDONLY);
    char buf[32];

    if (fd < 0)
        restore_refuse(r, "needs ", name, ", but ",
                       restore_error(fd, buf, sizeof(buf)), NULL);
    return fd;
}

static void refuse_memory(const struct restore *r, long error)
{
    char buf[32];

    restore_refuse(r, "has memory that cannot be made again: ",
                   restore_error(error, buf, sizeof(buf)), NULL);
}

/* As it was, or so that it can be filled: but what the program may not write to is
 * opened once there is something for it. The kernel counts all that can be written
 * to, and goes on with that when it no longer can. */
static void map(const struct restore *r, const struct image_region *g)
{
    int flags = MAP_FIXED_NOREPLACE, fd = -1;
    uint32_t prot = g->prot & PROT_WRITE ? PROT_READ | PROT_WRITE : g->prot;
    long at;

    switch (g->kind) {
    case IMAGE_FILE_SHARED:
        prot = g->prot;
        flags |= MAP_SHARED;
        break;
    case IMAGE_ANON_SHARED:
        flags |= MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
        break;
    case IMAGE_FILE:
        flags |= MAP_PRIVATE;
        break;
    case IMAGE_STACK:
        flags |= MAP_GROWSDOWN | MAP_STACK;
        /* fall through */
    default:
        flags |= MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    }
    if (g->mapped != IMAGE_NONE)
        fd = open_mapped(r, g);
    at = sys(SYS_mmap, g->start, g->end - g->start, prot, flags, fd, g->offset);
    if (fd >= 0)
        sys_close(fd);
    if (at != (long)g->start)
        refuse_memory(r, at < 0 ? at : -EEXIST);
}

/* Where they are given to who asks for them it gets them again: a program whose memory
 * they are is up to some times as fast with them. Where they are given to all it does,
 * too. */
static void ask_for_huge(const struct restore *r, const struct image_region *g)
{
    if (g->huge && r->huge_asked)
        sys(SYS_madvise, g->start, g->end - g->start, MADV_HUGEPAGE);
}

/* Its pages are made before they are filled, many by one call, if they are not
 * there already; a kernel that cannot do that makes each when it is written to.
 * They are looked through while they are in the processor's cache. */
static void read_run(struct restore *r, const struct image_region *g,
                     const struct image_run *run)
{
    enum { PART = 256 << 10 };

    for (uint64_t at = 0, n; at < run->bytes; at += n) {
        n = run->bytes - at < PART ? run->bytes - at : PART;
        if (n > IMAGE_PAGE && !restore_room_made(r, run->start + at, n))
            sys(SYS_madvise, run->start + at, n, MADV_POPULATE_WRITE);
        restore_read(r, (void *)(run->start + at), n);
        restore_owners_look(r, g, run->start + at, run->start + at + n);
    }
}

/* The head of the next one; false: that was the last one of the region. */
static bool next_run(struct restore *r, const struct image_region *g,
                     struct image_run *run)
{
    restore_read(r, run, sizeof(*run));
    if (!run->start && !run->bytes)
        return false;
    if (run->start < g->start || run->start >= g->end ||
        run->bytes > g->end - run->start || g->kind == IMAGE_FILE_SHARED)
        restore_refuse(r, "is damaged: its memory is not what was written; "
                       "take another image", NULL);
    return true;
}

/* Of memory that it has already, pages that are not in the image go back. */
static void drop(uint64_t start, uint64_t end)
{
    if (start < end)
        sys(SYS_madvise, start, end - start, MADV_DONTNEED);
}

static void fill(struct restore *r, const struct image_region *g)
{
    bool closed = !(g->prot & PROT_WRITE), there = restore_room_has(r, g);
    uint64_t at = g->start;
    struct image_run run;
    long rc = 0;

    while (next_run(r, g, &run)) {
        if (closed)
            rc = sys(SYS_mprotect, g->start, g->end - g->start,
                     PROT_READ | PROT_WRITE);
        if (rc < 0)
            refuse_memory(r, rc);
        closed = false;
        if (there)
            drop(at, run.start);
        read_run(r, g, &run);
        at = run.start + run.bytes;
    }
    if (there)
        drop(at, g->end);
}

/* "always [madvise] never" */
static bool is_huge_asked(void)
{
    const char *chosen = NULL;
    char modes[64];

    if (sys_slurp("/sys/kernel/mm/transparent_hugepage/enabled", modes,
                  sizeof(modes)) > 0)
        chosen = strchr(modes, '[');
    return chosen && image_text_begins(chosen, "[madvise]");
}

void restore_memory_read(struct restore *r)
{
    r->huge_asked = is_huge_asked();
    restore_hash_apart(&r->hash, r->hasher);
    for (size_t i = 0; i < r->head.nregions; i++) {
        const struct image_region *g = &r->regions[i];

        if (!restore_room_has(r, g)) {
            map(r, g);
            ask_for_huge(r, g);
        }
        fill(r, g);
        if (!(g->prot & PROT_READ))
            restore_hash_wait(&r->hash);
        if (g->kind != IMAGE_FILE_SHARED &&
            g->prot != (PROT_READ | PROT_WRITE))
            sys(SYS_mprotect, g->start, g->end - g->start, g->prot);
    }
    restore_hash_join(&r->hash);
    restore_owners_end(r);
}

void restore_memory_skip(struct restore *r)
{
    struct image_run run;

    for (size_t i = 0; i < r->head.nregions; i++)
        while (next_run(r, &r->regions[i], &run))
            restore_skip(r, run.bytes);
}
