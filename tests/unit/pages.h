/* pages.h - a slave's half of a page, as small as it can be, for the tests of
 * the wrapper library; and running a test in a process of its own, because a
 * process records into one page in its life. */
#ifndef HECTOR_TESTS_PAGES_H
#define HECTOR_TESTS_PAGES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/record/attach.h"
#include "mpi-wrappers/record/ring.h"
#include "mpi-wrappers/table/calls.h"

/* For code that runs in a child, where cmocka's asserts must not. */
#define CHECK(what) do { \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            _exit(1); \
        } \
    } while (0)

static inline void in_child(void (*test)(void))
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        test();
        exit(0);
    }
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static inline void page_fill(struct page_header *h, uint32_t slots,
                             uint32_t ring_bytes)
{
    h->magic = PAGE_MAGIC;
    h->major = PAGE_MAJOR;
    h->minor = PAGE_MINOR;
    h->slots = slots;
    h->calls = PAGE_CALLS;
    h->ring_bytes = ring_bytes;
    h->what = PAGE_DO_ALL;
    h->bytes = page_bytes(slots, PAGE_CALLS, ring_bytes);
}

static inline struct attach page_make(uint32_t slots, uint32_t ring_bytes)
{
    size_t bytes = page_bytes(slots, PAGE_CALLS, ring_bytes);
    struct page_header *h = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct attach a;

    CHECK(h != MAP_FAILED);
    page_fill(h, slots, ring_bytes);
    CHECK(attach_check(&a, h, bytes) == 0);
    return a;
}

static inline struct page_slot *page_slot(const struct attach *a, unsigned i)
{
    return (struct page_slot *)(void *)((char *)a->page + page_slot_at(i));
}

static inline struct page_shared *page_shared(const struct attach *a)
{
    return (struct page_shared *)(void *)((char *)a->page +
        page_shared_at(a->slots, a->calls, a->ring_bytes));
}

static inline struct page_thread *page_thread(const struct attach *a,
                                              unsigned i)
{
    return (struct page_thread *)(void *)((char *)a->page +
        page_thread_at(a->slots, a->calls, a->ring_bytes, i));
}

static inline struct page_count *page_counts(const struct attach *a,
                                             unsigned i)
{
    return (struct page_count *)(void *)
        ((char *)a->page + page_counts_at(a->slots, a->calls, i));
}

static inline struct ring page_ring(const struct attach *a, unsigned i)
{
    return (struct ring){ .slot = page_slot(a, i), .bytes = a->ring_bytes,
        .data = (char *)a->page +
                page_ring_at(a->slots, a->calls, a->ring_bytes, i) };
}

/* The next record of a ring, copied; false if there is none. */
struct page_event {
    uint16_t kind, call;
    int32_t marker;
    uint32_t text_bytes;
    uint64_t wall_ns, at;
    char text[PAGE_TEXT_MAX + 8];
};

static inline bool page_next(const struct ring *r, struct page_event *e)
{
    uint64_t tail = r->slot->tail;

    while (tail != atomic_load_explicit(&r->slot->head,
                                        memory_order_acquire)) {
        struct page_record *rec = (struct page_record *)(void *)
            (r->data + (tail & (r->bytes - 1)));
        uint32_t bytes = rec->bytes;
        bool pad;

        CHECK(bytes % 8 == 0 && bytes >= 8);
        CHECK((tail & (r->bytes - 1)) + bytes <= r->bytes);
        pad = rec->kind == PAGE_RECORD_PAD;
        if (!pad) {
            CHECK(bytes >= sizeof(*rec) + rec->text_bytes);
            e->kind = rec->kind;
            e->call = rec->call;
            e->marker = rec->marker;
            e->text_bytes = rec->text_bytes;
            e->wall_ns = rec->wall_ns;
            e->at = tail;
            memcpy(e->text, rec->text, rec->text_bytes);
            e->text[rec->text_bytes] = '\0';
        }
        atomic_store_explicit(&r->slot->tail, tail + bytes,
                              memory_order_release);
        if (!pad)
            return true;
        tail += bytes;
    }
    return false;
}

#endif
