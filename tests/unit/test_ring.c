/* test_ring.c - event records: whole, in order, never overwritten. */
#include "tests/unit/pages.h"

#include <pthread.h>
#include <time.h>

enum { SMALL = RING_BYTES_MIN };

static bool put(const struct ring *r, int32_t marker, const char *text,
                uint32_t text_bytes, uint64_t *at)
{
    const struct page_record rec = { .kind = PAGE_RECORD_ENTER,
                                     .marker = marker,
                                     .text_bytes = text_bytes };

    return ring_put(r, &rec, text, at);
}

static void fill_text(char *text, int marker, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        text[i] = (char)('a' + (marker + (int)i) % 26);
}

/* Records of all lengths, taken out at once: every position of the end. */
static void wraps_around(void **state)
{
    struct attach a = page_make(1, SMALL);
    struct ring r = page_ring(&a, 0);
    char text[PAGE_TEXT_MAX];
    struct page_event e;
    uint64_t at;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint32_t bytes = (uint32_t)(i * 37) % (PAGE_TEXT_MAX + 1);

        fill_text(text, i, bytes);
        assert_true(put(&r, i, text, bytes, &at));
        assert_true(page_next(&r, &e));
        assert_int_equal(e.marker, i);
        assert_int_equal(e.text_bytes, bytes);
        assert_int_equal(e.at, at);
        assert_memory_equal(e.text, text, bytes);
        assert_false(page_next(&r, &e));
    }
    munmap(a.page, a.bytes);
}

/* A full ring takes nothing and keeps what it has. */
static void full_is_full(void **state)
{
    static const uint32_t sizes[] = { 0, 1, 8, 100, PAGE_TEXT_MAX };
    char text[PAGE_TEXT_MAX] = "";
    struct page_event e;

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        struct attach a = page_make(1, SMALL);
        struct ring r = page_ring(&a, 0);
        int n = 0, read = 0;
        uint64_t head;

        while (put(&r, n, text, sizes[s], NULL))
            n++;
        head = r.slot->head;
        assert_true(head <= SMALL);
        assert_true(SMALL - head < sizeof(struct page_record) + sizes[s] + 8);
        assert_false(put(&r, n, text, sizes[s], NULL));
        assert_int_equal(r.slot->head, head);
        while (page_next(&r, &e))
            assert_int_equal(e.marker, read++);
        assert_int_equal(read, n);
        munmap(a.page, a.bytes);
    }
}

/* A tail that makes no sense: nothing is written, nothing breaks. */
static void mad_tail(void **state)
{
    static const uint64_t tails[] = { 1, 8, SMALL, 1u << 20, 1ull << 63 };

    (void)state;
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        struct attach a = page_make(1, SMALL);
        struct ring r = page_ring(&a, 0);

        r.slot->tail = tails[i];
        assert_false(put(&r, 1, "", 0, NULL));
        assert_int_equal(r.slot->head, 0);
        munmap(a.page, a.bytes);
    }
}

enum { MANY = 200000 };

static void *reader(void *arg)
{
    struct attach *a = arg;
    struct ring r = page_ring(a, 0);
    struct page_event e;
    char text[64];

    for (int i = 0; i < MANY; ) {
        atomic_fetch_add(&a->page->slave_beat, 1);
        if (!page_next(&r, &e)) {
            sched_yield();
            continue;
        }
        CHECK(e.marker == i);
        fill_text(text, i, e.text_bytes);
        CHECK(memcmp(text, e.text, e.text_bytes) == 0);
        i++;
    }
    return NULL;
}

/* Faster than the reader: everything arrives, in order. */
static void waits_for_room(void **state)
{
    struct attach a = page_make(1, SMALL);
    struct ring r = page_ring(&a, 0);
    pthread_t thread;
    char text[64];

    (void)state;
    pthread_create(&thread, NULL, reader, &a);
    for (int i = 0; i < MANY; i++) {
        fill_text(text, i, (uint32_t)i % 64);
        for (;;) {
            uint64_t tail = atomic_load(&r.slot->tail);

            if (put(&r, i, text, (uint32_t)i % 64, NULL))
                break;
            assert_true(ring_wait(a.page, r.slot, tail));
        }
    }
    pthread_join(thread, NULL);
    munmap(a.page, a.bytes);
}

static double seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void gives_up(void **state)
{
    struct attach a = page_make(1, SMALL);
    double start = seconds();

    (void)state;
    a.page->slave_gone = 1;
    assert_false(ring_wait(a.page, page_slot(&a, 0), 0));
    a.page->slave_gone = 0;
    a.page->drop = 1;
    assert_false(ring_wait(a.page, page_slot(&a, 0), 0));
    a.page->drop = 0;
    assert_true(seconds() - start < 1.0);

    /* A beat that stands still: two seconds once, then no more, until it
     * goes on. */
    a.page->slave_beat = 77;
    assert_false(ring_wait(a.page, page_slot(&a, 0), 0));
    assert_true(seconds() - start > 1.9);
    start = seconds();
    assert_false(ring_wait(a.page, page_slot(&a, 0), 0));
    assert_true(seconds() - start < 1.0);
    a.page->slave_beat = 78;
    page_slot(&a, 0)->tail = 8;
    assert_true(ring_wait(a.page, page_slot(&a, 0), 0));
    munmap(a.page, a.bytes);
}

/* A reader that is not asleep but has no processor: it is waited for. */
static void waits_for_a_reader_that_starves(void **state)
{
    struct attach a = page_make(1, SMALL);
    pid_t reader;
    int status;

    (void)state;
    reader = fork();
    if (reader == 0) {
        double end = seconds() + 3.5;

        while (seconds() < end)
            ;
        page_slot(&a, 0)->tail = 8;
        _exit(0);
    }
    a.page->slave_pid = (uint32_t)reader;
    assert_true(ring_wait(a.page, page_slot(&a, 0), 0));
    assert_int_equal(waitpid(reader, &status, 0), reader);
    munmap(a.page, a.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps_around),
        cmocka_unit_test(full_is_full),
        cmocka_unit_test(mad_tail),
        cmocka_unit_test(waits_for_room),
        cmocka_unit_test(gives_up),
        cmocka_unit_test(waits_for_a_reader_that_starves),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
