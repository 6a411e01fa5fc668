/* image_memory.c - what is in the memory: see image_memory.h.
 *
 * /proc/thread-self/pagemap says of each page whether there is one, and whether it is
 * still the file's. */
#include "mpi-wrappers/image/image_memory.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>

#include "mpi-wrappers/image/sys.h"

#define PRESENT (1ull << 63)
#define SWAPPED (1ull << 62)
#define FILE_PAGE (1ull << 61)
#define GUARD   (1ull << 58)    /* of madvise(2): reading it is a crash */

#define LARGE   (1ull << 30)

/* Pages of the region that are put one after the other. */
struct run { uint64_t start, end; };

struct pages {                  /* of one region */
    const struct image_tables *tables;
    const struct image_region *region;
    struct image_stream *stream;
    struct run run;             /* not put yet */
    uint64_t *map;              /* a part of pagemap */
    bool readable;              /* has been made so */
};

static bool is_zero(const void *page)
{
    const uint64_t *p = page;

    for (int i = 0; i < IMAGE_PAGE / 8; i += 8)
        if (p[i] | p[i + 1] | p[i + 2] | p[i + 3] | p[i + 4] | p[i + 5] |
            p[i + 6] | p[i + 7])
            return false;
    return true;
}

/* ------------------------------------------------------ what may be lent */

enum {
    LENT_LEAST = 256 << 10,     /* bytes; less is copied sooner */
    NEAR_STACK = 256 << 10,     /* of a pointer to a stack, to both sides */
    NEAR_THREAD = 64 << 10,     /* ... to what the C library has of a thread */
    WINDOWS = 3                 /* of a thread */
};

/* What changes though all other threads stand still: what this library and this
 * thread work with, and what the kernel and a parked thread may still write. All of
 * it in whole pages; false: there are no more. */
static bool nth_busy(const struct image_tables *t, uint64_t n, struct run *r)
{
    extern char __bss_start[] __attribute__((visibility("hidden")));
    extern char _end[] __attribute__((visibility("hidden")));
    const struct image_thread *thread = &t->threads[n / WINDOWS];
    uint64_t at = 0, near = 0;

    if (n == WINDOWS * t->head->nthreads) {
        *r = (struct run){ (uint64_t)__bss_start, (uint64_t)_end };
    } else if (n == WINDOWS * t->head->nthreads + 1) {
        *r = (struct run){ (uint64_t)&errno, (uint64_t)(&errno + 1) };
    } else if (n < WINDOWS * t->head->nthreads) {
        switch (n % WINDOWS) {
        case 0: at = thread->context.rsp, near = NEAR_STACK; break;
        case 1: at = thread->fs, near = NEAR_THREAD; break;
        case 2: at = thread->rseq, near = thread->rseq ? IMAGE_PAGE : 0; break;
        }
        *r = (struct run){ at > near ? at - near : 0, at + near };
    } else {
        return false;
    }
    r->start = r->start / IMAGE_PAGE * IMAGE_PAGE;
    r->end = (r->end + IMAGE_PAGE - 1) / IMAGE_PAGE * IMAGE_PAGE;
    return true;
}

/* How far it goes on as it begins: busy, or not. */
static uint64_t alike_until(const struct image_tables *t, uint64_t at, uint64_t end,
                            bool *busy)
{
    struct run r;

    *busy = false;
    for (uint64_t n = 0; nth_busy(t, n, &r); n++) {
        if (r.start <= at && at < r.end) {
            *busy = true;
            return r.end < end ? r.end : end;
        }
        if (at < r.start && r.start < end)
            end = r.start;
    }
    return end;
}

static void put_memory(struct pages *p, uint64_t at, uint64_t end)
{
    bool busy;

    if (!p->stream->lends || p->region->kind != IMAGE_ANON ||
        end - at < LENT_LEAST) {
        image_stream_put(p->stream, (const void *)at, end - at);
        return;
    }
    for (uint64_t until; at < end; at = until) {
        until = alike_until(p->tables, at, end, &busy);
        if (busy || until - at < LENT_LEAST)
            image_stream_put(p->stream, (const void *)at, until - at);
        else
            image_stream_lend(p->stream, (const void *)at, until - at);
    }
}

/* ---------------------------------------------------------------- its pages */

static void put_run(struct pages *p)
{
    struct image_run run = { p->run.start, p->run.end - p->run.start };

    if (run.bytes) {
        image_stream_put(p->stream, &run, sizeof(run));
        put_memory(p, p->run.start, p->run.end);
    }
    p->run.start = p->run.end = 0;
}

static void add_page(struct pages *p, uint64_t at)
{
    if (p->run.end != at) {
        put_run(p);
        p->run.start = at;
    }
    p->run.end = at + IMAGE_PAGE;
}

/* All other threads stand still, so nobody sees that. */
static void make_readable(struct pages *p)
{
    const struct image_region *r = p->region;

    if (!(r->prot & PROT_READ) && !p->readable) {
        long rc = sys(SYS_mprotect, r->start, r->end - r->start,
                      r->prot | PROT_READ);

        p->readable = true;
        if (rc)                 /* it cannot be split: too many mappings */
            p->stream->rc = rc;
    }
}

static bool page_wanted(struct pages *p, uint64_t at, uint64_t entry)
{
    if (!(entry & (PRESENT | SWAPPED)) || (entry & GUARD))
        return false;
    if (p->region->kind == IMAGE_FILE)
        return !(entry & FILE_PAGE);
    make_readable(p);
    return !p->stream->rc && !is_zero((const void *)at);
}

static void put_part(struct pages *p, int pagemap, uint64_t at, uint64_t to)
{
    while (at < to && !p->stream->rc) {
        uint64_t n = (to - at) / IMAGE_PAGE;
        long got;

        if (n > IMAGE_MEMORY_ROOM / sizeof(*p->map))
            n = IMAGE_MEMORY_ROOM / sizeof(*p->map);
        got = sys(SYS_pread64, pagemap, p->map, n * sizeof(*p->map),
                  at / IMAGE_PAGE * sizeof(*p->map));
        if (got != (long)(n * sizeof(*p->map))) {
            p->stream->rc = got < 0 ? got : -EIO;
            return;
        }
        for (uint64_t i = 0; i < n; i++, at += IMAGE_PAGE)
            if (page_wanted(p, at, p->map[i])) {
                make_readable(p);
                add_page(p, at);
            }
    }
}

/* Since Linux 6.7 the kernel can be asked for the next pages that are of one of these
 * kinds (PAGEMAP_SCAN). 0: there are none; negative: it cannot be asked. */
enum { PRESENT_PAGE = 1 << 3, SWAPPED_PAGE = 1 << 4, HUGE_PAGE = 1 << 6 };
static long next_of(int pagemap, uint64_t at, uint64_t end, uint64_t kinds,
                    struct run *part)
{
    struct { uint64_t start, end, categories; } found = { 0 };
    struct {
        uint64_t size, flags, start, end, walked, to, room, most, inverted, all,
            any, wanted;
    } ask = { .size = sizeof(ask), .start = at, .end = end,
              .to = (uint64_t)&found, .room = 1, .any = kinds, .wanted = kinds };
    long n = sys(SYS_ioctl, pagemap, _IOWR('f', 16, ask), &ask);

    *part = (struct run){ found.start, found.end };
    return n;
}

/* What a program has reserved may be terabytes, with next to nothing in it, of which
 * pagemap has 8 bytes a page. */
static bool next_part(int pagemap, uint64_t at, uint64_t end, struct run *part)
{
    long n = next_of(pagemap, at, end, PRESENT_PAGE | SWAPPED_PAGE, part);

    if (n < 0)
        *part = (struct run){ at, end };
    return n != 0;
}

static void put_by_map(struct pages *p, int pagemap)
{
    const struct image_region *r = p->region;
    struct run part = { r->start, r->start };

    if (r->end - r->start < LARGE)
        put_part(p, pagemap, r->start, r->end);
    else
        while (part.end < r->end && !p->stream->rc &&
               next_part(pagemap, part.end, r->end, &part))
            put_part(p, pagemap, part.start, part.end);
    put_run(p);
}

/* Those of [at, at + n pages) that have something in them, which are read by
 * way of the kernel: what is behind the end of the file must not be touched. */
static void put_read(struct pages *p, uint64_t at, uint64_t n, char *data)
{
    struct iovec from = { (void *)at, n * IMAGE_PAGE };
    struct iovec to = { data, n * IMAGE_PAGE };
    long got = sys(SYS_process_vm_readv, sys(SYS_getpid), &to, 1, &from, 1, 0);
    uint64_t whole = got > 0 ? (uint64_t)got / IMAGE_PAGE : 0, end;

    if (got < 0 && got != -EFAULT) {
        p->stream->rc = got;
        return;
    }
    for (uint64_t i = 0; i < whole; i = end) {
        struct image_run run = { .start = at + i * IMAGE_PAGE };

        for (end = i; end < whole && !is_zero(data + end * IMAGE_PAGE); end++)
            run.bytes += IMAGE_PAGE;
        if (run.bytes) {
            image_stream_put(p->stream, &run, sizeof(run));
            image_stream_put(p->stream, data + i * IMAGE_PAGE, run.bytes);
        } else {
            end++;
        }
    }
    if (whole < n - 1)          /* behind the one that is not there */
        put_read(p, at + (whole + 1) * IMAGE_PAGE, n - whole - 1, data);
}

/* Is there something in those pages? What was swapped out, the kernel takes for
 * nothing; then all of them are read. */
static void ask_core(const struct pages *p, uint64_t at, uint64_t n,
                     uint8_t *core)
{
    struct sysinfo info = { 0 };

    if (p->region->pages == IMAGE_PAGES_SHARED &&
        sys(SYS_sysinfo, &info) == 0 && info.freeswap == info.totalswap &&
        sys(SYS_mincore, at, n * IMAGE_PAGE, core) == 0)
        return;
    memset(core, 1, n);
}

/* Of memory that is not this process's alone: see enum image_pages. */
static void put_by_core(struct pages *p)
{
    enum { AT_ONCE = 4096, PART = (IMAGE_MEMORY_ROOM - AT_ONCE) / IMAGE_PAGE };
    const struct image_region *r = p->region;
    uint8_t *core = (uint8_t *)p->map;
    char *data = (char *)core + AT_ONCE;

    make_readable(p);
    for (uint64_t at = r->start, n; at < r->end; at += n * IMAGE_PAGE) {
        n = (r->end - at) / IMAGE_PAGE;
        if (n > AT_ONCE)
            n = AT_ONCE;
        ask_core(p, at, n, core);
        for (uint64_t i = 0, end; i < n && !p->stream->rc; i = end) {
            for (end = i; end < n && end < i + PART && (core[end] & 1); end++)
                ;
            if (end > i)
                put_read(p, at + i * IMAGE_PAGE, end - i, data);
            else
                end++;
        }
    }
}

void image_memory_put(const struct image_tables *t, struct image_stream *s,
                      char *room)
{
    static const struct image_run last;
    int pagemap = sys_open("/proc/thread-self/pagemap", O_RDONLY);

    if (pagemap < 0) {
        s->rc = pagemap;
        return;
    }
    for (size_t i = 0; i < t->head->nregions && !s->rc; i++) {
        const struct image_region *r = &t->regions[i];
        struct pages p = { .tables = t, .region = r, .stream = s,
                           .map = (uint64_t *)room };

        if (r->kind == IMAGE_FILE_SHARED)
            ;
        else if (r->pages != IMAGE_PAGES_OWN)
            put_by_core(&p);
        else
            put_by_map(&p, pagemap);
        if (p.readable)
            sys(SYS_mprotect, r->start, r->end - r->start, r->prot);
        image_stream_put(s, &last, sizeof(last));
    }
    sys_close(pagemap);
}

void image_memory_find_huge(struct image_tables *t)
{
    int pagemap = sys_open("/proc/thread-self/pagemap", O_RDONLY);
    struct run part;

    for (size_t i = 0; pagemap >= 0 && i < t->head->nregions; i++) {
        struct image_region *r = &t->regions[i];

        if (r->kind == IMAGE_ANON && r->end - r->start >= IMAGE_HUGE_PAGE)
            r->huge = next_of(pagemap, r->start, r->end, HUGE_PAGE, &part) > 0;
    }
    if (pagemap >= 0)
        sys_close(pagemap);
}

/* By a descriptor of its own: this one may be for writing only. */
static void put_file(const struct image_fd *f, struct image_stream *s,
                     char *room)
{
    struct image_text t;
    uint64_t at = 0;
    int fd;

    image_text_begin(&t, room, IMAGE_MEMORY_ROOM);
    image_text_add(&t, "/proc/thread-self/fd/");
    image_text_number(&t, (uint64_t)f->fd);
    fd = sys_open(room, O_RDONLY);
    if (fd < 0) {
        s->rc = fd;
        return;
    }
    while (at < f->bytes && !s->rc) {
        uint64_t want = f->bytes - at < IMAGE_MEMORY_ROOM ? f->bytes - at
                                                          : IMAGE_MEMORY_ROOM;
        long n = sys(SYS_pread64, fd, room, want, at);

        if (n <= 0)
            s->rc = n ? n : -EIO;
        else
            image_stream_put(s, room, (size_t)n);
        at += n > 0 ? (uint64_t)n : 0;
    }
    sys_close(fd);
}

void image_memory_put_contents(const struct image_tables *t,
                               struct image_stream *s, char *room)
{
    for (size_t i = 0; i < t->head->nfds && !s->rc; i++)
        if (t->fds[i].kind == IMAGE_FD_CONTENTS)
            put_file(&t->fds[i], s, room);
}
