/* leaf.c - see leaf.h. The page is found by its mapping: nobody has to tell
 * where it is as long as nothing moves. */
#include "mpi-wrappers/swap/leaf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi-wrappers/stop/stand.h"
#include "mpi-wrappers/record/attach.h"

enum { LEAF_ANSWER_MS = 60000, LEAF_STEP = 4096 };

bool leaf_find(struct leaf *l)
{
    uint64_t in = (uint64_t)(uintptr_t)stop_page;
    FILE *f = fopen("/proc/self/maps", "re");
    bool found = false;
    char line[4096], mode[5];

    *l = (struct leaf){ 0 };
    while (f && !found && fgets(line, sizeof(line), f))
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &l->start, &l->end,
                       mode) == 3 && l->start <= in && in < l->end;
    if (f)
        fclose(f);
    l->tid = (uint32_t)syscall(SYS_gettid);
    if (found && mode[3] == 's' &&
        ((const struct page_header *)(uintptr_t)l->start)->magic == PAGE_MAGIC)
        return true;
    *l = (struct leaf){ 0 };
    return false;
}

static bool leaf_empty(const char *p)
{
    static const char none[LEAF_STEP];

    return memcmp(p, none, sizeof(none)) == 0;
}

/* All but what the slave has written there before it gave the page away. */
static void leaf_copy(struct page_header *to, const struct page_header *from,
                      size_t bytes)
{
    size_t kept = offsetof(struct page_header, state);

    memcpy((char *)to + kept, (const char *)from + kept, LEAF_STEP - kept);
    for (size_t at = LEAF_STEP; at + LEAF_STEP <= bytes; at += LEAF_STEP)
        if (!leaf_empty((const char *)from + at))
            memcpy((char *)to + at, (const char *)from + at, LEAF_STEP);
}

static void leaf_tid(_Atomic uint32_t *at, uint32_t was, uint32_t is)
{
    if (atomic_load(at) == was)
        atomic_store(at, is);
}

/* A thread has another number. */
static void leaf_thread(struct page_header *h, uint32_t was, uint32_t is)
{
    unsigned slots = h->slots, calls = h->calls, ring = h->ring_bytes;
    char *at = (char *)h;

    for (unsigned i = 0; i < slots; i++)
        leaf_tid(&((struct page_slot *)(at + page_slot_at(i)))->tid, was, is);
    leaf_tid(&((struct page_told *)(at + page_told_at(slots, calls, ring)))->tid,
             was, is);
    leaf_tid(&((struct page_stop *)(at + page_stop_at(slots, calls, ring)))->tid,
             was, is);
}

/* So has this one, the first one, and the process. */
static void leaf_number(struct page_header *h, uint32_t was)
{
    leaf_thread(h, was, (uint32_t)syscall(SYS_gettid));
    leaf_thread(h, atomic_load(&h->pid), (uint32_t)getpid());
    for (unsigned i = 0; i < PAGE_CREW; i++)
        atomic_store(&h->crew[i].tid, 0);
    atomic_store(&h->pid, (uint32_t)getpid());
}

void leaf_renumber(uint32_t was, uint32_t is)
{
    struct leaf l;

    if (leaf_find(&l))
        leaf_thread((struct page_header *)(uintptr_t)l.start, was, is);
}

int leaf_renew(const struct leaf *l)
{
    struct page_header *old = (struct page_header *)(uintptr_t)l->start;
    size_t bytes = (size_t)(l->end - l->start);
    struct attach new;
    int code = attach_open(&new, NULL, LEAF_ANSWER_MS);

    if (code)
        return code;
    if (new.bytes != bytes || new.slots != old->slots ||
        new.calls != old->calls || new.ring_bytes != old->ring_bytes) {
        munmap(new.page, new.bytes);
        return EPROTO;
    }
    leaf_copy(new.page, old, bytes);
    leaf_number(new.page, l->tid);
    if (mremap(new.page, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, old) ==
        MAP_FAILED) {
        code = errno;
        munmap(new.page, new.bytes);
        return code;
    }
    return 0;
}
