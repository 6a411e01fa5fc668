/* frames.c - the stack of a thread, see frames.h.
 *
 * Unwound with what the compilers leave for exceptions, so programs without
 * frame pointers are no problem; where that ends, the stack ends for us. No
 * allocation, no lock of ours on the way, so a signal handler that calls MPI
 * does no harm. Invariant: modules are added under busy and never changed. */
#include "mpi-wrappers/record/frames.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

enum {
    SKIP_MAX = 8,               /* frames of ours below the program's */
    SEARCH_MAX = 512,
    FRAME_BYTES_MAX = 1 << 20,  /* more is no frame, but another stack */
};

struct walk {
    const void *first;
    _Atomic uint64_t *frame;
    uint32_t max, n, skipped;
    struct frames_where *where; /* NULL: not wanted, or not any more */
    const char *from;
    uint32_t room;
};

struct look {
    uintptr_t address;
    uintptr_t start, end, base;
    char *path;
    unsigned path_bytes;
    uint8_t *id;                /* NULL: not wanted */
    uint32_t id_bytes;
};

static atomic_flag busy = ATOMIC_FLAG_INIT;

/* On most machines a call leaves the return address below its frame. Whether
 * it does is seen: there it is. */
static void note_where(struct walk *w, struct _Unwind_Context *c, uintptr_t ip)
{
    const char *slot = (const char *)_Unwind_GetCFA(c) - sizeof(ip);
    uintptr_t last = (uintptr_t)w->from, at = (uintptr_t)slot;

    if (w->where->n)
        last += w->where->at[w->where->n - 1];
    if (at <= last || at - last > FRAME_BYTES_MAX ||
        at - (uintptr_t)w->from >= w->room ||
        memcmp(slot, &ip, sizeof(ip)) != 0)
        w->where = NULL;
    else
        w->where->at[w->where->n++] = (uint32_t)(at - (uintptr_t)w->from);
}

static _Unwind_Reason_Code step(struct _Unwind_Context *c, void *arg)
{
    struct walk *w = arg;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(c);

    if (w->n == 0 && ip != (uintptr_t)w->first)
        return ++w->skipped > SKIP_MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
    if (ip == 0 || w->n == w->max)
        return _URC_END_OF_STACK;
    if (w->where && w->n > 0)
        note_where(w, c, ip);
    atomic_store_explicit(&w->frame[w->n++], ip, memory_order_relaxed);
    return _URC_NO_REASON;
}

/* The build id among the notes of one segment. */
static void find_id(struct look *l, const char *note, size_t bytes)
{
    const ElfW(Nhdr) *n;

    for (size_t at = 0; at + sizeof(*n) <= bytes; ) {
        size_t name, desc;

        n = (const ElfW(Nhdr) *)(const void *)(note + at);
        name = ((size_t)n->n_namesz + 3) & ~(size_t)3;
        desc = ((size_t)n->n_descsz + 3) & ~(size_t)3;
        at += sizeof(*n);
        if (name > bytes - at || desc > bytes - at - name)
            return;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
            memcmp(note + at, "GNU", 4) == 0 &&
            n->n_descsz <= sizeof(((struct page_module *)0)->id)) {
            memcpy(l->id, note + at + name, n->n_descsz);
            l->id_bytes = n->n_descsz;
            return;
        }
        at += name + desc;
    }
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct look *l = arg;
    bool here = false;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;

        if (p->p_type != PT_LOAD)
            continue;
        if (!l->start || start < l->start)
            l->start = start;
        if (start + p->p_memsz > l->end)
            l->end = start + p->p_memsz;
        here |= l->address >= start && l->address < start + p->p_memsz;
    }
    if (!here) {
        l->start = l->end = 0;
        return 0;
    }
    l->base = info->dlpi_addr;
    snprintf(l->path, l->path_bytes, "%s", info->dlpi_name);
    for (unsigned i = 0; l->id && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && !l->id_bytes)
            find_id(l, (const char *)info->dlpi_addr +
                       info->dlpi_phdr[i].p_vaddr,
                    info->dlpi_phdr[i].p_memsz);
    return 1;
}

static bool look_for(struct look *l, const void *address)
{
    ssize_t n;

    l->address = (uintptr_t)address;
    l->path[0] = '\0';
    if (dl_iterate_phdr(look_at, l) != 1)
        return false;
    if (l->path[0] == '\0') {           /* the program itself */
        int saved = errno;

        n = readlink("/proc/self/exe", l->path, l->path_bytes - 1);
        l->path[n > 0 ? n : 0] = '\0';
        errno = saved;
    }
    return true;
}

static bool is_known(const struct page_shared *s, uint64_t address)
{
    for (unsigned i = 0; i < PAGE_MODULES; i++) {
        uint64_t start = atomic_load_explicit(&s->module[i].start,
                                              memory_order_acquire);

        if (start == 0)
            return false;
        if (address >= start && address < s->module[i].end)
            return true;
    }
    return true;                        /* as far as there is room */
}

static void add_module(struct page_shared *s, uint64_t address)
{
    struct page_module *m = s->module;

    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
    while (m < s->module + PAGE_MODULES &&
           atomic_load_explicit(&m->start, memory_order_relaxed))
        m++;
    if (!is_known(s, address) && m < s->module + PAGE_MODULES) {
        struct look l = { .path = m->path, .path_bytes = sizeof(m->path),
                          .id = m->id };

        if (look_for(&l, (const void *)(uintptr_t)address)) {
            m->end = l.end;
            m->base = l.base;
            m->id_bytes = l.id_bytes;
            atomic_store_explicit(&m->start, l.start, memory_order_release);
        }
    }
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static uint32_t walk(struct walk *w)
{
    _Unwind_Backtrace(step, w);
    if (w->n == 0)
        atomic_store_explicit(&w->frame[w->n++],
                              (uint64_t)(uintptr_t)w->first,
                              memory_order_relaxed);
    return w->n;
}

uint32_t frames_walk(const void *first, _Atomic uint64_t *frame, uint32_t max)
{
    struct walk w = { .first = first, .frame = frame, .max = max };

    return walk(&w);
}

uint32_t frames_take(struct page_shared *shared, const void *first,
                     _Atomic uint64_t *frame, const char *from, uint32_t room,
                     struct frames_where *where)
{
    struct walk w = { .first = first, .frame = frame, .max = PAGE_FRAMES,
                      .where = where, .from = from, .room = room };
    uint32_t n;

    if (where)
        where->n = 0;
    n = walk(&w);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t ip = atomic_load_explicit(&frame[i], memory_order_relaxed);

        if (!is_known(shared, ip))
            add_module(shared, ip);
    }
    return n;
}

static _Unwind_Reason_Code search(struct _Unwind_Context *c, void *arg)
{
    struct walk *w = arg;

    w->skipped++;
    if (w->skipped < SEARCH_MAX && _Unwind_GetIP(c) != (uintptr_t)w->first)
        return _URC_NO_REASON;
    w->n = 1;
    return _URC_NORMAL_STOP;
}

bool frames_have(const void *address)
{
    struct walk w = { .first = address };

    _Unwind_Backtrace(search, &w);
    return w.n;
}

const void *frames_module(const void *address, char *path, unsigned bytes)
{
    struct look l = { .path = path, .path_bytes = bytes };

    return look_for(&l, address) ? (const void *)l.base : NULL;
}
