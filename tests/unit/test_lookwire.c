/* test_lookwire.c - looks written by hand are those bytes that protobuf-c makes,
 * read by hand what it reads, and nonsense is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/link/lookwire.h"
#include "tests/unit/draw.h"

enum { TASKS = 40, ROUNDS = 300 };

/* Of any length, often nothing. */
static uint64_t number(void)
{
    return draw() % 3 == 0 ? 0 : draw() >> draw() % 64;
}

static char *text_of(char *to, size_t most)
{
    size_t n = draw() % 2 ? draw() % most : 0;

    memset(to, 'x', n);
    to[n] = '\0';
    return to;
}

/* All that hct.proto has of a task: what lookwire.h does not have is missing in
 * what is written by hand. */
static void make_task(Hct__Looked__Task *m, char *texts)
{
    const ProtobufCMessageDescriptor *d = &hct__looked__task__descriptor;

    hct__looked__task__init(m);
    for (unsigned i = 0; i < d->n_fields; i++) {
        void *to = (char *)m + d->fields[i].offset;

        switch (d->fields[i].type) {
        case PROTOBUF_C_TYPE_UINT64:
            *(uint64_t *)to = number();
            break;
        case PROTOBUF_C_TYPE_UINT32:
            *(uint32_t *)to = (uint32_t)number();
            break;
        case PROTOBUF_C_TYPE_SINT32:
            *(int32_t *)to = draw() % 4 ? (int32_t)number() : INT32_MIN;
            break;
        case PROTOBUF_C_TYPE_STRING:
            *(char **)to = text_of(texts, 40);
            texts += 50;
            break;
        default:
            assert_int_equal(d->fields[i].type, PROTOBUF_C_TYPE_BYTES);
            ((ProtobufCBinaryData *)to)->data = (uint8_t *)text_of(texts, 64);
            ((ProtobufCBinaryData *)to)->len = strlen(texts);
            texts += 100;
        }
    }
}

static bool same(const Hct__Looked__Task *a, const Hct__Looked__Task *b)
{
    static uint8_t packed[2][4 * LOOKWIRE_TASK_MAX];
    size_t n = protobuf_c_message_get_packed_size(&a->base);

    if (n > sizeof(packed[0]) || n != protobuf_c_message_get_packed_size(&b->base))
        return false;
    protobuf_c_message_pack(&a->base, packed[0]);
    protobuf_c_message_pack(&b->base, packed[1]);
    return memcmp(packed[0], packed[1], n) == 0;
}

static Hct__Looked__Task task[TASKS], *tasks[TASKS];
static char texts[TASKS][200];

static size_t by_hand(uint8_t *to, const Hct__Looked *m)
{
    size_t n = lookwire_put_head(to, m->job, m->seq);

    for (size_t i = 0; i < m->n_tasks; i++) {
        size_t bytes = lookwire_put_task(to + n, m->tasks[i]);

        assert_true(bytes <= LOOKWIRE_TASK_MAX);
        n += bytes;
    }
    return n + lookwire_put_after(to + n, m->after_ns);
}

static void test_both_ways(void **state)
{
    static uint8_t hand[TASKS * LOOKWIRE_TASK_MAX + LOOKWIRE_HEAD_MAX],
                   other[sizeof(hand)];

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        Hct__Looked m = HCT__LOOKED__INIT;
        struct lookwire w;
        size_t n;

        m.job = number();
        m.seq = number();
        m.after_ns = number();
        m.n_tasks = draw() % TASKS;
        m.tasks = tasks;
        for (size_t i = 0; i < m.n_tasks; i++) {
            make_task(&task[i], texts[i]);
            tasks[i] = &task[i];
        }
        n = by_hand(hand, &m);
        assert_int_equal(n, hct__looked__pack(&m, other));
        assert_memory_equal(hand, other, n);
        lookwire_open(&w, hand, n);
        for (size_t i = 0; i < m.n_tasks; i++) {
            assert_int_equal(lookwire_next(&w), 1);
            assert_true(same(&w.task, &task[i]));
        }
        assert_int_equal(lookwire_next(&w), 0);
        assert_int_equal(w.after_ns, m.after_ns);
        lookwire_open(&w, hand, n);
        for (size_t i = 0; i < m.n_tasks; i++) {
            assert_int_equal(lookwire_next_rank(&w), 1);
            assert_int_equal(w.task.rank, task[i].rank);
        }
        assert_int_equal(lookwire_next_rank(&w), 0);
        assert_int_equal(w.after_ns, m.after_ns);
    }
}

/* Whatever comes: what both accept both read alike. */
static void test_nonsense(void **state)
{
    uint8_t good[LOOKWIRE_TASK_MAX + LOOKWIRE_HEAD_MAX], bad[sizeof(good)];
    unsigned accepted = 0;

    (void)state;
    for (unsigned round = 0; round < 100 * ROUNDS; round++) {
        Hct__Looked m = HCT__LOOKED__INIT, *read;
        struct lookwire w;
        size_t n, at;
        int rc = 1;

        m.job = number();
        m.n_tasks = 1;
        m.tasks = tasks;
        tasks[0] = &task[0];
        make_task(&task[0], texts[0]);
        n = by_hand(good, &m);
        memcpy(bad, good, n);
        if (draw() % 4 == 0)
            n = draw() % n;
        for (unsigned i = 0; n && i < 1 + draw() % 3; i++)
            bad[draw() % n] = (uint8_t)draw();
        read = hct__looked__unpack(NULL, n, bad);
        lookwire_open(&w, bad, n);
        for (at = 0; rc > 0; at++) {
            rc = lookwire_next(&w);
            if (rc > 0 && read && at < read->n_tasks &&
                strlen(read->tasks[at]->wchan) < LOOKWIRE_TEXT - 1)
                accepted += same(&w.task, read->tasks[at]);
        }
        if (read && rc == 0)
            assert_int_equal(at - 1, read->n_tasks);
        if (rc == 0) {                  /* who takes all of it takes the ranks */
            lookwire_open(&w, bad, n);
            while ((rc = lookwire_next_rank(&w)) > 0)
                ;
            assert_int_equal(rc, 0);
        }
        if (read)
            hct__looked__free_unpacked(read, NULL);
    }
    assert_true(accepted > 1000);
}

/* Fields of later versions are passed over. */
static void test_unknown(void **state)
{
    static const uint8_t look[] = {
        8, 1,                           /* job */
        0xf2, 0x01, 2, 'x', 'y',        /* 30: bytes */
        0x1a, 12,                       /* a task: */
        8, 7,                           /* rank 7 */
        0xf8, 0x02, 5,                  /* 47: a number */
        0x85, 0x03, 1, 2, 3, 4,         /* 48: four bytes */
        48,                             /* calls, but no number follows */
    };
    struct lookwire w;

    (void)state;
    lookwire_open(&w, NULL, 0);
    assert_int_equal(lookwire_next(&w), 0);
    assert_int_equal(lookwire_next_rank(&w), 0);
    lookwire_open(&w, look, sizeof(look));
    assert_int_equal(lookwire_next(&w), -1);
    {
        uint8_t good[sizeof(look)];

        memcpy(good, look, sizeof(look));
        good[8] = 11;                   /* without the last byte */
        lookwire_open(&w, good, sizeof(look) - 1);
        assert_int_equal(lookwire_next(&w), 1);
        assert_int_equal(w.task.rank, 7);
        assert_int_equal(lookwire_next(&w), 0);
    }
}

/* Who looks at the ranks alone sees those that are taken. */
static void test_one_rank(void **state)
{
    static const uint8_t twice[] = { 0x1a, 4, 8, 7, 8, 9 },
        behind[] = { 0x1a, 4, 48, 1, 8, 9 },
        none[] = { 0x1a, 2, 48, 1 };
    struct lookwire w;

    (void)state;
    lookwire_open(&w, twice, sizeof(twice));
    assert_int_equal(lookwire_next(&w), -1);
    lookwire_open(&w, behind, sizeof(behind));
    assert_int_equal(lookwire_next(&w), -1);
    lookwire_open(&w, none, sizeof(none));
    assert_int_equal(lookwire_next_rank(&w), 1);
    assert_int_equal(w.task.rank, 0);
    lookwire_open(&w, none, sizeof(none));
    assert_int_equal(lookwire_next(&w), 1);
    assert_int_equal(w.task.rank, 0);
    assert_int_equal(w.task.calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_one_rank),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
