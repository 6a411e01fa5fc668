/* test_records.c - tagged calls on their way: numbering, labels, the window,
 * acknowledgements, sending again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hct.pb-c.h"
#include "proto/base/array.h"
#include "slave/page/records.h"

/* Everything sent, as text: "first[seq/marker/label/enter-exit ...] " */
static char sent[1 << 20];
static size_t sent_n, messages;
static uint64_t total;

static int on_send(void *arg, const void *events)
{
    const Hct__Events *m = events;

    (void)arg;
    messages++;
    total += m->n_records;
    assert_int_equal(m->job, 9);
    assert_int_equal(m->rank, 3);
    if (m->n_records > 10)
        return 0;
    sent_n += (size_t)sprintf(sent + sent_n, "%llu[",
                              (unsigned long long)m->first);
    for (size_t i = 0; i < m->n_records; i++) {
        const Hct__Events__Record *r = m->records[i];

        assert_true(r->label < m->n_labels);
        sent_n += (size_t)sprintf(sent + sent_n, "%s%llu/%d/%.*s/%llu-%llu",
            i ? " " : "", (unsigned long long)r->seq, r->marker,
            (int)m->labels[r->label].len, (char *)m->labels[r->label].data,
            (unsigned long long)r->enter_ns, (unsigned long long)r->exit_ns);
    }
    sent_n += (size_t)sprintf(sent + sent_n, "] ");
    return 0;
}

static const struct records_out out = { on_send, NULL };

static const char *flush(void)
{
    static char text[sizeof(sent)];

    memcpy(text, sent, sent_n + 1);
    sent_n = 0;
    sent[0] = '\0';
    return text;
}

static void stamp(struct rings_batch *b, bool exit, uint64_t seq, int marker,
                  const char *text, uint64_t at, size_t mate)
{
    assert_int_equal(array_reserve(&b->v, &b->cap, b->n + 1), 0);
    b->v[b->n++] = (struct rings_stamp){
        .exit = exit, .seq = seq, .marker = marker, .wall_ns = at,
        .text = b->text.n, .text_bytes = strlen(text), .mate = mate };
    str_add(&b->text, text);
}

static void clear(struct rings_batch *b)
{
    b->n = 0;
    str_reset(&b->text);
}

static void test_pairs(void **state)
{
    struct records_window w = { .max = 1 << 20 };
    struct rings_batch b = { 0 };
    struct records r;

    (void)state;
    records_init(&r, 9, 3, &w);
    stamp(&b, false, 0, 5, "a", 10, 1);
    stamp(&b, true, 0, 5, "a", 11, 0);
    stamp(&b, false, 1, 6, "b", 12, SIZE_MAX);
    assert_int_equal(records_add(&r, &b, &out, NULL), 0);
    assert_string_equal(flush(), "0[0/5/a/10-11 1/6/b/12-0] ");
    clear(&b);
    stamp(&b, true, 1, 6, "b", 20, SIZE_MAX);
    assert_int_equal(records_add(&r, &b, &out, NULL), 0);
    assert_string_equal(flush(), "2[1/6/b/0-20] ");
    assert_int_equal(r.next, 3);

    records_resend(&r, &out);
    assert_string_equal(flush(), "0[0/5/a/10-11 1/6/b/12-0] 2[1/6/b/0-20] ");
    assert_int_equal(records_ack(&r, 1, NULL), 0);  /* half of the first */
    records_resend(&r, &out);
    assert_string_equal(flush(), "0[0/5/a/10-11 1/6/b/12-0] 2[1/6/b/0-20] ");
    assert_int_equal(records_ack(&r, 2, NULL), 0);
    records_resend(&r, &out);
    assert_string_equal(flush(), "2[1/6/b/0-20] ");
    assert_false(records_empty(&r));
    assert_int_equal(records_ack(&r, 3, NULL), 0);
    assert_true(records_empty(&r));
    assert_int_equal(w.bytes, 0);
    assert_int_equal(records_ack(&r, 4, NULL), -1);
    assert_int_equal(records_ack(&r, 0, NULL), 0);  /* an old one again */
    records_fini(&r);
    rings_batch_fini(&b);
}

/* A batch of exits only, whose entries were sent as pairs: nothing to say. */
static void test_nothing(void **state)
{
    struct records_window w = { .max = 1 << 20 };
    struct rings_batch b = { 0 };
    struct records r;

    (void)state;
    records_init(&r, 9, 3, &w);
    assert_int_equal(records_add(&r, &b, &out, NULL), 0);
    assert_string_equal(flush(), "");
    assert_true(records_empty(&r));
    records_fini(&r);
    rings_batch_fini(&b);
}

/* Many records are cut into messages that fit; labels are sent once each. */
static void test_many(void **state)
{
    struct records_window w = { .max = 1 << 20 };
    struct rings_batch b = { 0 };
    struct records r;

    (void)state;
    records_init(&r, 9, 3, &w);
    for (uint64_t i = 0; i < 3 * RECORDS_BATCH + 1; i++) {
        char text[32];

        snprintf(text, sizeof(text), "%llu", (unsigned long long)i % 5000);
        stamp(&b, false, i, 0, text, i + 1, SIZE_MAX);
    }
    messages = total = 0;
    assert_int_equal(records_add(&r, &b, &out, NULL), 0);
    assert_int_equal(messages, 4);
    assert_int_equal(total, 3 * RECORDS_BATCH + 1);
    flush();
    assert_true(w.bytes > 0);
    assert_int_equal(records_ack(&r, r.next, NULL), 0);
    assert_int_equal(w.bytes, 0);
    records_fini(&r);
    rings_batch_fini(&b);
}

static void test_window(void **state)
{
    struct records_window w = { .max = 4096 };
    struct rings_batch b = { 0 };
    struct records one, two;

    (void)state;
    records_init(&one, 9, 3, &w);
    records_init(&two, 9, 3, &w);
    stamp(&b, false, 0, 5, "a", 10, SIZE_MAX);
    while (!records_window_full(&w)) {
        assert_int_equal(records_add(&one, &b, &out, NULL), 0);
        assert_int_equal(records_add(&two, &b, &out, NULL), 0);
    }
    flush();
    records_fini(&two);
    assert_false(records_window_full(&w));
    records_fini(&one);
    assert_int_equal(w.bytes, 0);
    rings_batch_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_many), cmocka_unit_test(test_window),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
