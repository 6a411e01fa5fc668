/* test_rings.c - reading event rings: pairing, numbering, merging, wrapping,
 * and pages that are scribbled over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "slave/page/rings.h"

enum { SLOTS = 4, CALLS = 8, RING = 1024 };

struct rig {
    char *page;
    size_t bytes;
    struct rings rings;
    struct rings_batch batch;
    uint64_t seq;
};

static struct page_header *header(struct rig *r)
{
    return (struct page_header *)r->page;
}

static struct page_slot *slot(struct rig *r, unsigned s)
{
    return (struct page_slot *)(r->page + page_slot_at(s));
}

static char *ring(struct rig *r, unsigned s)
{
    return r->page + page_ring_at(SLOTS, CALLS, RING, s);
}

static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));

    r->bytes = page_bytes(SLOTS, CALLS, RING);
    r->page = aligned_alloc(4096, (r->bytes + 4095) & ~(size_t)4095);
    memset(r->page, 0, r->bytes);
    header(r)->slots_used = SLOTS;
    rings_init(&r->rings, r->page, SLOTS, CALLS, RING, &r->seq);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    rings_fini(&r->rings);
    rings_batch_fini(&r->batch);
    free(r->page);
    free(r);
    return 0;
}

/* What the wrapper library does. */
static void put(struct rig *r, unsigned s, unsigned kind, unsigned call,
                int marker, const char *text, uint64_t wall_ns)
{
    size_t len = strlen(text), bytes = (sizeof(struct page_record) + len + 7) &
                                       ~(size_t)7;
    uint64_t head = slot(r, s)->head;
    size_t at = head % RING;
    struct page_record *rec;

    if (RING - at < bytes) {
        struct page_record pad = { .kind = PAGE_RECORD_PAD };

        memcpy(ring(r, s) + at, &pad, 8);
        head += RING - at;
        at = 0;
    }
    assert_true(head + bytes - slot(r, s)->tail <= RING);
    rec = (struct page_record *)(ring(r, s) + at);
    *rec = (struct page_record){ .bytes = (uint32_t)bytes,
        .kind = (uint16_t)kind, .call = (uint16_t)call, .marker = marker,
        .text_bytes = (uint32_t)len, .wall_ns = wall_ns };
    memcpy(rec->text, text, len);
    slot(r, s)->head = head + bytes;
}

static void enter(struct rig *r, unsigned s, unsigned call, int marker,
                  const char *text, uint64_t at)
{
    put(r, s, PAGE_RECORD_ENTER, call, marker, text, at);
}

static void leave(struct rig *r, unsigned s, unsigned call, uint64_t at)
{
    put(r, s, PAGE_RECORD_EXIT, call, 0, "", at);
}

/* A reading as text: "E0@5=m1:a X0@6 ..." E or X, number, time, mark. */
static const char *read_all(struct rig *r)
{
    static char out[8192];
    size_t n = 0;

    assert_true(rings_read(&r->rings, RING, &r->batch) >= 0);
    out[0] = '\0';
    for (size_t i = 0; i < r->batch.n; i++) {
        const struct rings_stamp *s = &r->batch.v[i];

        n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%c%llu@%llu=%d:%.*s",
            i ? " " : "", s->exit ? 'X' : 'E', (unsigned long long)s->seq,
            (unsigned long long)s->wall_ns, s->marker, (int)s->text_bytes,
            str_text(&r->batch.text) + s->text);
        if (s->mate != SIZE_MAX)
            assert_int_equal(r->batch.v[s->mate].mate, i);
    }
    return out;
}

static void test_one_thread(void **state)
{
    struct rig *r = *state;

    assert_string_equal(read_all(r), "");
    enter(r, 0, 3, 7, "a", 10);
    leave(r, 0, 3, 11);
    enter(r, 0, 3, 8, "", 12);
    assert_string_equal(read_all(r), "E0@10=7:a X0@11=7:a E1@12=8:");
    assert_false(rings_pending(&r->rings));
    assert_int_equal(slot(r, 0)->tail, slot(r, 0)->head);
    leave(r, 0, 3, 15);
    assert_true(rings_pending(&r->rings));
    assert_string_equal(read_all(r), "X1@15=8:");
    assert_int_equal(r->rings.damaged, 0);
}

/* The text of an entry is known when its exit comes in a later reading. */
static void test_late_exit(void **state)
{
    struct rig *r = *state;

    enter(r, 0, 3, 7, "halo exchange", 10);
    read_all(r);
    leave(r, 0, 3, 20);
    assert_string_equal(read_all(r), "X0@20=7:halo exchange");
    assert_int_equal(r->batch.v[0].mate, SIZE_MAX);
}

static void test_threads_merge(void **state)
{
    struct rig *r = *state;

    enter(r, 1, 3, 1, "b", 5);
    leave(r, 1, 3, 30);
    enter(r, 0, 3, 0, "a", 1);
    leave(r, 0, 3, 20);
    enter(r, 0, 3, 2, "c", 25);
    assert_string_equal(read_all(r), "E0@1=0:a E1@5=1:b X0@20=0:a "
                        "E2@25=2:c X1@30=1:b");
}

/* The wall clock was set back: a ring's own order stays. */
static void test_clock_back(void **state)
{
    struct rig *r = *state;

    enter(r, 0, 3, 0, "a", 100);
    leave(r, 0, 3, 50);
    enter(r, 1, 3, 1, "b", 70);
    assert_string_equal(read_all(r), "E0@70=1:b E1@100=0:a X1@50=0:a");
}

/* Threads that share a slot: call and marker tell whose exit it is. */
static void test_shared_slot(void **state)
{
    struct rig *r = *state;

    enter(r, 3, 1, 10, "p", 1);
    enter(r, 3, 2, 20, "q", 2);
    put(r, 3, PAGE_RECORD_EXIT, 1, 10, "", 3);
    put(r, 3, PAGE_RECORD_EXIT, 2, 20, "", 4);
    assert_string_equal(read_all(r), "E0@1=10:p E1@2=20:q X0@3=10:p "
                        "X1@4=20:q");
}

static void test_wraps(void **state)
{
    struct rig *r = *state;

    for (int i = 0; i < 1000; i++) {
        char text[64], want[200];

        memset(text, 'x', sizeof(text));
        text[i % 60] = '\0';
        enter(r, 0, 3, i, text, 1);
        leave(r, 0, 3, 2);
        snprintf(want, sizeof(want), "E%d@1=%d:%s X%d@2=%d:%s", i, i, text, i,
                 i, text);
        assert_string_equal(read_all(r), want);
    }
    assert_int_equal(r->rings.damaged, 0);
}

static void test_budget(void **state)
{
    struct rig *r = *state;

    for (int i = 0; i < 10; i++)
        enter(r, 0, 3, i, "", (uint64_t)i);
    assert_int_equal(rings_read(&r->rings, 1, &r->batch), 1);
    assert_int_equal(rings_read(&r->rings, 64, &r->batch), 3);
    assert_int_equal(rings_read(&r->rings, RING, &r->batch), 6);
}

/* An exit nobody entered, as after a fork: passed over. */
static void test_lonely_exit(void **state)
{
    struct rig *r = *state;

    leave(r, 0, 3, 1);
    enter(r, 0, 3, 5, "z", 2);
    assert_string_equal(read_all(r), "E0@2=5:z");
    assert_int_equal(r->rings.damaged, 1);
}

static void test_never_leaves(void **state)
{
    struct rig *r = *state;

    for (int i = 0; i < 3 * RINGS_OPEN_MAX; i++) {
        enter(r, 0, 3, i, "long", 1);
        read_all(r);
    }
    assert_true(r->rings.slot[0].nopen <= RINGS_OPEN_MAX);
    leave(r, 0, 3, 9);
    assert_string_equal(read_all(r), "X767@9=767:long");
}

/* Records that make no sense: given up, counted, and reading goes on. */
static void test_bad_records(void **state)
{
    static const struct page_record bad[] = {
        { .bytes = 0, .kind = PAGE_RECORD_ENTER },
        { .bytes = 16, .kind = PAGE_RECORD_ENTER },
        { .bytes = 33, .kind = PAGE_RECORD_ENTER },
        { .bytes = 2048, .kind = PAGE_RECORD_ENTER },
        { .bytes = UINT32_MAX, .kind = PAGE_RECORD_ENTER },
        { .bytes = 32, .kind = PAGE_RECORD_ENTER, .text_bytes = 9 },
        { .bytes = 32, .kind = PAGE_RECORD_ENTER, .text_bytes = UINT32_MAX },
        { .bytes = 32, .kind = 77 },
        { .bytes = 32, .kind = PAGE_RECORD_PAD },
    };
    struct rig *r = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        uint64_t damaged = r->rings.damaged;
        struct page_slot *s = slot(r, 0);

        memcpy(ring(r, 0) + s->head % RING, &bad[i], sizeof(bad[i]));
        s->head += 32;
        assert_string_equal(read_all(r), "");
        assert_int_equal(r->rings.damaged, damaged + 1);
        assert_int_equal(s->tail, s->head);
        assert_false(rings_pending(&r->rings));
    }
    enter(r, 0, 3, 1, "fine", 2);
    assert_string_equal(read_all(r), "E0@2=1:fine");
}

static void test_bad_heads(void **state)
{
    static const uint64_t heads[] = { RING + 8, 4, UINT64_MAX, UINT64_MAX - 7,
                                      1ull << 63, 3 * RING };
    struct rig *r = *state;

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        slot(r, 1)->head = heads[i];
        read_all(r);
        assert_false(rings_pending(&r->rings));
    }
    assert_true(r->rings.damaged >= 4);
    header(r)->slots_used = UINT32_MAX;
    read_all(r);
}

/* Noise everywhere: nothing outside the page is touched (ASan), every
 * reading ends, and no stamp is out of bounds. */
static void test_scribbled(void **state)
{
    struct rig *r = *state;
    size_t end = page_ring_at(SLOTS, CALLS, RING, SLOTS);

    srand(1);
    for (int round = 0; round < 3000; round++) {
        for (size_t i = page_slot_at(0); i < end; i += 1 + i % 3)
            if (rand() % 4 == 0)
                r->page[i] = (char)rand();
        header(r)->slots_used = (uint32_t)rand();
        for (unsigned s = 0; s < SLOTS; s++)
            slot(r, s)->head = r->rings.slot[s].tail +
                               8 * (uint64_t)(rand() % (RING / 8 + 2));
        assert_true(rings_read(&r->rings, RING, &r->batch) >= 0);
        for (size_t i = 0; i < r->batch.n; i++) {
            const struct rings_stamp *s = &r->batch.v[i];

            assert_true(s->text + s->text_bytes <= r->batch.text.n);
            assert_true(s->text_bytes <= PAGE_TEXT_MAX);
            assert_true(s->mate == SIZE_MAX || s->mate < r->batch.n);
            assert_true(s->seq < r->seq);
        }
    }
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_one_thread), TEST(test_late_exit),
        TEST(test_threads_merge), TEST(test_clock_back),
        TEST(test_shared_slot), TEST(test_wraps), TEST(test_budget),
        TEST(test_lonely_exit), TEST(test_never_leaves),
        TEST(test_bad_records), TEST(test_bad_heads), TEST(test_scribbled),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
