/* heap.c - the memory of all that lives in the namespace of Open MPI.
 *
 * One region of address space, reserved with the first block, from which
 * nothing is given back before all of it goes: what the old Open MPI leaves
 * behind, its libraries and its C library too, costs nothing after it has been
 * dropped, and is not part of an image.
 *
 * Blocks are of classes, four for each power of two, and have a header of 16
 * bytes; free ones of a class are a list. A block that was aligned has a header
 * of its own before it that says how far it is from the real one. Pages of large
 * blocks go back to the system when they are freed. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi-wrappers/shell/heap.h"
#include "mpi-wrappers/span.h"

#define HEAP_EXPORT __attribute__((visibility("default")))
#define HEAP_REGION ((size_t)1 << 36)
#define HEAP_LEAST  ((size_t)1 << 26)
#define HEAP_LARGEST ((size_t)1 << 34)
enum {
    HEAP_HEADER = 16,
    HEAP_SMALLEST = 64,         /* bytes of class 0; all have a multiple of 16 */
    HEAP_CLASSES = 4 * 32,
    HEAP_PAGE = 4096,
    HEAP_LARGE = 128 * 1024,    /* whose pages are given back */
    HEAP_PART = 4,              /* of a limit on address space */
};

struct heap_block {
    uint32_t class;
    uint32_t aligned;           /* a header before an aligned block, and */
    uint64_t back;              /* ... so far behind the real one */
};
_Static_assert(sizeof(struct heap_block) == HEAP_HEADER, "they keep alignment");

struct heap_free {
    struct heap_block block;
    struct heap_free *next;
};

static struct {
    atomic_flag busy;
    struct span region;
    size_t used;                /* of it, from the front */
    struct heap_free *freed[HEAP_CLASSES];
} heap = { .busy = ATOMIC_FLAG_INIT };

static uintptr_t page_of(uintptr_t at)
{
    return at & ~(uintptr_t)(HEAP_PAGE - 1);
}

static size_t class_bytes(unsigned class)
{
    return (size_t)(4 + (class & 3)) << (class / 4 + 4);
}

/* The smallest class that has so many bytes. */
static unsigned class_of(size_t bytes)
{
    unsigned high, class;

    if (bytes <= HEAP_SMALLEST)
        return 0;
    high = 63 - (unsigned)__builtin_clzl(bytes);
    class = (high - 6) * 4 + (unsigned)((bytes >> (high - 2)) & 3);
    return class_bytes(class) < bytes ? class + 1 : class;
}

static void heap_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&heap.busy, memory_order_acquire))
        ;
}

static void heap_unlock(void)
{
    atomic_flag_clear_explicit(&heap.busy, memory_order_release);
}

/* With the lock. */
static struct heap_block *heap_take(unsigned class)
{
    struct heap_free *f = heap.freed[class];
    size_t bytes = class_bytes(class);
    struct heap_block *b;

    if (f) {
        heap.freed[class] = f->next;
        return &f->block;
    }
    if ((!heap.region.at && !span_take(&heap.region, HEAP_REGION, HEAP_LEAST,
                                       HEAP_PART)) ||
        !span_reach(&heap.region, heap.used + bytes))
        return NULL;
    b = (struct heap_block *)(heap.region.at + heap.used);
    heap.used += bytes;
    return b;
}

static bool heap_has(const void *p)
{
    return heap.region.at && (const char *)p >= heap.region.at &&
           (const char *)p < heap.region.at + heap.region.bytes;
}

static struct heap_block *heap_block_of(void *p)
{
    struct heap_block *b = (struct heap_block *)p - 1;

    return b->aligned ? (struct heap_block *)((char *)b - b->back) : b;
}

void heap_region(void **from, void **to)
{
    *from = heap.region.at;
    *to = heap.region.at ? heap.region.at + heap.region.bytes : NULL;
}

HEAP_EXPORT void *malloc(size_t bytes)
{
    unsigned class = class_of(bytes + HEAP_HEADER);
    struct heap_block *b = NULL;

    if (bytes <= HEAP_LARGEST) {
        heap_lock();
        b = heap_take(class);
        heap_unlock();
    }
    if (!b) {
        errno = ENOMEM;
        return NULL;
    }
    *b = (struct heap_block){ .class = class };
    return b + 1;
}

/* The loader's own blocks are none of ours. */
HEAP_EXPORT void free(void *p)
{
    struct heap_block *b;
    struct heap_free *f;
    size_t bytes;
    int saved = errno;

    if (!heap_has(p))
        return;
    b = heap_block_of(p);
    bytes = class_bytes(b->class);
    if (bytes >= HEAP_LARGE) {
        uintptr_t from = page_of((uintptr_t)(b + 2) + HEAP_PAGE - 1);
        uintptr_t to = page_of((uintptr_t)b + bytes);

        madvise((void *)from, to - from, MADV_DONTNEED);
        errno = saved;
    }
    f = (struct heap_free *)b;
    heap_lock();
    f->next = heap.freed[f->block.class];
    heap.freed[f->block.class] = f;
    heap_unlock();
}

HEAP_EXPORT size_t malloc_usable_size(void *p)
{
    struct heap_block *b;

    if (!p)
        return 0;
    b = heap_block_of(p);
    return class_bytes(b->class) - (size_t)((char *)p - (char *)b);
}

HEAP_EXPORT void *calloc(size_t n, size_t each)
{
    size_t bytes;
    void *p;

    if (__builtin_mul_overflow(n, each, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    p = malloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

HEAP_EXPORT void *realloc(void *p, size_t bytes)
{
    size_t had;
    void *q;

    if (!p)
        return malloc(bytes);
    had = malloc_usable_size(p);
    if (bytes <= had)
        return p;
    q = malloc(bytes);
    if (q) {
        memcpy(q, p, had);
        free(p);
    }
    return q;
}

HEAP_EXPORT void *memalign(size_t to, size_t bytes)
{
    uintptr_t at;
    char *p;

    if (to <= HEAP_HEADER)
        return malloc(bytes);
    if (bytes > HEAP_LARGEST || to > HEAP_LARGEST) {
        errno = ENOMEM;
        return NULL;
    }
    p = malloc(bytes + to + HEAP_HEADER);
    if (!p)
        return NULL;
    at = ((uintptr_t)p + to - 1) & ~(uintptr_t)(to - 1);
    if (at != (uintptr_t)p) {
        struct heap_block *b = (struct heap_block *)at - 1;

        *b = (struct heap_block){
            .aligned = 1, .back = (uint64_t)((char *)b - (p - HEAP_HEADER)) };
    }
    return (void *)at;
}

HEAP_EXPORT int posix_memalign(void **to, size_t alignment, size_t bytes)
{
    void *p = memalign(alignment, bytes);

    if (!p)
        return ENOMEM;
    *to = p;
    return 0;
}

HEAP_EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

HEAP_EXPORT void *valloc(size_t bytes)
{
    return memalign(HEAP_PAGE, bytes);
}

HEAP_EXPORT void *pvalloc(size_t bytes)
{
    return memalign(HEAP_PAGE, page_of(bytes + HEAP_PAGE - 1));
}
