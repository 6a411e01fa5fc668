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

enum { TASKS = 40, ROUNDS = 300 };

static uint64_t random_state = 88172645463325252u;
static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Of any length, often nothing. */
static uint64_t number(void)
{
    return draw() % 3 == 0 ? 0 : draw() >> draw() % 64;
}

static void make_task(Hct__Looked__Task *m, char *texts)
{
    hct__looked__task__init(m);
    m->rank = (uint32_t)number();
    m->life = (uint32_t)number();
    m->flags = (uint32_t)number();
    m->threads = (uint32_t)number();
    m->threads_in = (uint32_t)number();
    m->calls = number();
    m->polls = number();
    m->age_ns = number();
    m->in_ns = number();
    m->out_ns = number();
    m->cpu_ns = number();
    m->call = (uint32_t)number();
    m->waits_call = (uint32_t)number();
    m->comm = number();
    m->collective = number();
    m->bytes = number();
    m->count = number();
    m->peer = (int32_t)number();
    m->source = draw() % 2 ? -4 : INT32_MIN;
    m->tag = (int32_t)number();
    m->requests = (uint32_t)number();
    m->site = (uint32_t)number();
    m->phase = (uint32_t)number();
    m->mark = (int32_t)number();
    m->site_calls = number();
    m->level = (uint32_t)number();
    m->own_cpu_ns = number();
    m->sample = (uint32_t)number();
    m->phase_id = (uint32_t)number();
    m->been = (uint32_t)number();
    m->waits = (uint32_t)number();
    m->waits_ns = number();
    m->place_key = number();
    memset(texts, 'x', 200);
    m->place = texts + 150;
    texts[150 + (draw() % 2 ? draw() % 40 : 0)] = '\0';
    m->tag_text.data = (uint8_t *)texts;
    m->tag_text.len = draw() % 2 ? draw() % 64 : 0;
    m->wchan = texts + 100;
    texts[100 + (draw() % 2 ? draw() % 40 : 0)] = '\0';
}

static bool same(const Hct__Looked__Task *a, const Hct__Looked__Task *b)
{
    return a->rank == b->rank && a->life == b->life && a->flags == b->flags &&
           a->threads == b->threads && a->threads_in == b->threads_in &&
           a->calls == b->calls && a->polls == b->polls &&
           a->age_ns == b->age_ns && a->in_ns == b->in_ns &&
           a->out_ns == b->out_ns && a->cpu_ns == b->cpu_ns &&
           a->call == b->call && a->waits_call == b->waits_call &&
           a->comm == b->comm && a->collective == b->collective &&
           a->bytes == b->bytes && a->count == b->count &&
           a->peer == b->peer && a->source == b->source && a->tag == b->tag &&
           a->requests == b->requests && a->site == b->site &&
           a->phase == b->phase && a->mark == b->mark &&
           a->site_calls == b->site_calls && a->level == b->level &&
           a->own_cpu_ns == b->own_cpu_ns && a->sample == b->sample &&
           a->phase_id == b->phase_id &&
           a->tag_text.len == b->tag_text.len &&
           (a->tag_text.len == 0 || memcmp(a->tag_text.data, b->tag_text.data,
                                           a->tag_text.len) == 0) &&
           strcmp(a->wchan, b->wchan) == 0 && a->been == b->been &&
           a->waits == b->waits && a->waits_ns == b->waits_ns &&
           a->place_key == b->place_key &&
           strcmp(a->place, b->place) == 0;
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
    /* whoever adds one to hct.proto adds it to lookwire.c and here, too */
    assert_int_equal(hct__looked__task__descriptor.n_fields, 36);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_unknown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
