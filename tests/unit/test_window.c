/* test_window.c - the model of a stretch of time, by subtraction, is that of its
 * steps alone; and what is no part of the whole is seen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "slave/page/registry.h"
#include "slave/page/window.h"
#include "tests/unit/draw.h"

enum { A = PAGE_SITE_FIRST, B, C };

/* ------------------------------------------------------------- two samples */

/* As the wrapper library adds a step (model.c). */
static void add(struct window_sample *to, uint64_t n, double x)
{
    double d = x - to->mean, is = to->mean + d / (double)n;

    to->m2 += d * (x - is);
    to->mean = is;
}

static void add_step(struct window_edge *e, double in, double out, double bytes)
{
    e->n++;
    add(&e->in, e->n, in);
    add(&e->out, e->n, out);
    add(&e->bytes, e->n, bytes);
}

static void near(const struct window_sample *a, const struct window_sample *b,
                 double to)
{
    if (fabs(a->mean - b->mean) > to * b->mean || fabs(a->m2 - b->m2) > to * b->m2)
        fail_msg("mean %.17g m2 %.17g in place of %.17g %.17g", a->mean, a->m2,
                 b->mean, b->m2);
}

/* Steps of times from 1 to 2 times anything, before; then others. */
static void test_streams(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct window_edge before = { 0 }, whole, alone = { 0 };
        uint64_t first = draw() % 2000, then = 2 + draw() % 2000;
        double scale = pow(10, 2 + 9 * draw_part());
        double later = scale * (0.5 + draw_part());

        for (uint64_t i = 0; i < first; i++)
            add_step(&before, scale * (1 + draw_part()), scale * draw_part(),
                     1000);
        whole = before;
        for (uint64_t i = 0; i < then; i++) {
            double in = later * (1 + draw_part()), out = later * draw_part();
            double bytes = (double)(draw() % 4096);

            add_step(&whole, in, out, bytes);
            add_step(&alone, in, out, bytes);
        }
        assert_true(window_less(&whole, &before));
        assert_int_equal(whole.n, then);
        near(&whole.in, &alone.in, then > 50 ? 1e-9 : 1e-8);
        near(&whole.out, &alone.out, then > 50 ? 1e-9 : 1e-8);
        near(&whole.bytes, &alone.bytes, then > 50 ? 1e-9 : 1e-8);
    }
}

/* Of all nothing, of nothing all, and one step, which has no spread. */
static void test_ends(void **state)
{
    struct window_edge e = { 0 }, none = { 0 }, before;

    (void)state;
    for (int i = 0; i < 9; i++)
        add_step(&e, 100 + i, 50, 8);
    before = e;
    assert_true(window_less(&e, &none));
    assert_memory_equal(&e, &before, sizeof(e));
    assert_true(window_less(&e, &before));
    assert_int_equal(e.n, 0);
    e = before;
    add_step(&e, 1e9, 50, 8);
    assert_true(window_less(&e, &before));
    assert_int_equal(e.n, 1);
    assert_true(fabs(e.in.mean - 1e9) < 1);
    assert_true(e.in.m2 == 0 && e.out.m2 == 0);
    assert_true(fabs(e.out.mean - 50) < 1e-9);
}

/* Equal times, a million million of them: what rounding leaves is never less than
 * nothing. */
static void test_never_negative(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 10000; round++) {
        double mean = 1e9 * draw_part();
        struct window_edge e = { .n = 1000000000000 }, b = e;

        b.n -= 1 + draw() % 1000;
        b.in = (struct window_sample){ mean, draw_part() };
        e.in = (struct window_sample){ mean * (1 + 1e-16), b.in.m2 };
        assert_true(window_less(&e, &b));
        assert_true(e.in.m2 >= 0 && e.in.mean >= 0);
    }
}

/* Whoever has scribbled on it. */
static void test_no_part(void **state)
{
    const struct window_edge e = { .n = 10, .in = { 100, 50 }, .out = { 10, 5 },
                                   .bytes = { 8, 2 } };
    struct window_edge is, b = { .n = 11 };

    (void)state;
    for (int i = 0; i < 7; i++) {
        is = e;
        b = (struct window_edge){ .n = 5, .in = { 100, 10 }, .out = { 10, 1 },
                                  .bytes = { 8, 1 } };
        switch (i) {
        case 0: b.n = 11; break;
        case 1: b.in.mean = 300; break;         /* more time than in all */
        case 2: b.out.m2 = 1e6; break;
        case 3: b.bytes.m2 = 1e9; break;
        case 4: b.in.mean = NAN; break;
        case 5: is.out.m2 = INFINITY; b.out.m2 = INFINITY; break;
        default: assert_true(window_less(&is, &b)); continue;
        }
        assert_false(window_less(&is, &b));
        assert_int_equal(is.n, 10);
        assert_true(is.in.mean == 100);
    }
}

/* ----------------------------------------------------------------- a page */

static char *page;
static struct page_thread *thread;
static struct state_model one;

static int make(void **state)
{
    struct page_header *h;
    struct err err;

    (void)state;
    if (registry_make_page(&page, 1, 0, 1, &err) < 0 ||
        state_model_init(&one, &err))
        return -1;
    h = (struct page_header *)page;
    thread = (struct page_thread *)
        (page + page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0));
    h->slots_used = 1;
    h->clock = PAGE_CLOCK_MONOTONIC;
    h->start_ticks = 77;
    ((struct page_slot *)(page + page_slot_at(0)))->tid = 1;
    ((struct page_slot *)(page + page_slot_at(0)))->calls = 1;
    return 0;
}

static int drop(void **state)
{
    (void)state;
    state_model_fini(&one);
    registry_drop_page(page);
    return 0;
}

static void put(unsigned bank, unsigned at, unsigned from, unsigned to,
                uint64_t n, double mean)
{
    struct page_bank *b = &thread->bank[bank];

    if (!b->phase)
        b->phase = bank;
    b->edge[at].ends = from << 16 | to;
    b->edge[at].n = n;
    b->edge[at].in_mean = mean;
    if (b->used <= at)
        b->used = at + 1;
}

/* Two phases are one, and what comes to lie in the bank of old ones is there
 * as it was: nothing is counted twice. */
static void test_phases(void **state)
{
    struct window before = { 0 }, now = { 0 };
    const struct window_edge *e;

    (void)state;
    put(1, 0, A, B, 100, 10);
    put(2, 0, B, A, 30, 5);
    put(2, 1, A, B, 100, 20);
    assert_true(window_read(&before, &one, page, 1000));
    assert_int_equal(before.n, 2);
    assert_int_equal(window_of_slot(&before, 0, &e), 2);
    assert_int_equal(e[0].n, 200);
    assert_true(fabs(e[0].in.mean - 15) < 1e-9);
    assert_true(fabs(e[0].in.m2 - 200 * 25) < 1e-6);
    assert_int_equal(window_of_slot(&before, 1, &e), 0);
    thread->bank[0].phase = 1;          /* the first is over now */
    put(0, 0, A, B, 100, 10);
    thread->bank[1].phase = 3;
    put(1, 0, A, C, 7, 1);
    put(2, 1, A, B, 150, 22);           /* 100 of 20, 50 of 26 */
    thread->bank[2].edge[1].in_m2 = 1200;
    assert_true(window_read(&now, &one, page, 2000));
    window_since(&now, &before);
    assert_int_equal(now.damaged, 0);
    assert_int_equal(window_of_slot(&now, 0, &e), 2);
    assert_int_equal(e[0].ends, A << 16 | B);
    assert_int_equal(e[0].n, 50);
    assert_true(fabs(e[0].in.mean - 26) < 1e-9);
    assert_true(fabs(e[0].in.m2) < 1e-6);
    assert_int_equal(e[1].ends, A << 16 | C);
    assert_int_equal(e[1].n, 7);
    put(2, 1, A, B, 5, 22);             /* scribbled over */
    assert_true(window_read(&now, &one, page, 3000));
    window_since(&now, &before);
    assert_int_equal(now.damaged, 1);
    assert_int_equal(window_of_slot(&now, 0, &e), 1);
    thread->bank[2].seq = 1;            /* being emptied */
    assert_false(window_read(&now, &one, page, 4000));
    window_fini(&before);
    window_fini(&now);
}

/* The older reading is from one to two times window_ns ago, of this page. */
static void test_kept(void **state)
{
    struct windows *k = NULL;
    uint64_t now_ns = 5000;

    (void)state;
    put(1, 0, A, B, 100, 10);
    assert_null(windows_before(k, page));
    windows_tick(&k, page, getpid(), now_ns);
    assert_null(windows_before(k, page));
    for (unsigned i = 1; i < 400; i++) {
        const struct window *w;

        now_ns += window_ns / 40;
        put(1, 0, A, B, 100 + i, 10);
        windows_tick(&k, page, getpid(), now_ns);
        w = windows_before(k, page);
        assert_int_equal(w != NULL, i >= 40);
        if (i < 120)
            continue;
        assert_true(now_ns - w->at_ns >= window_ns);
        assert_true(now_ns - w->at_ns < 2 * window_ns);
        assert_int_equal(w->edge[0].n, 100 + (w->at_ns - 5000) * 40 / window_ns);
    }
    ((struct page_header *)page)->start_ticks = 78;     /* another program */
    assert_null(windows_before(k, page));
    assert_true(k->kept[0].cap && k->kept[1].cap);
    windows_free(k);
    windows_free(NULL);
}

/* Of any time there is a reading that is ago not much longer or less; no more are
 * kept than a few. */
static void test_from(void **state)
{
    struct windows *k = NULL;
    uint64_t now_ns = 1;
    double worst = 1;

    (void)state;
    put(1, 0, A, B, 100, 10);
    windows_tick(&k, page, getpid(), now_ns);
    assert_null(windows_from(k, page, now_ns, 1000, 1));
    for (unsigned i = 1; i <= 2000; i++) {      /* more than a day */
        now_ns += window_ns;
        windows_tick(&k, page, getpid(), now_ns);
        assert_true(k->n <= WINDOWS_KEPT);
        for (uint64_t ago = window_ns; ago <= now_ns; ago += ago / 8) {
            const struct window *w = windows_from(k, page, now_ns, ago, now_ns);
            double age = (double)(w ? now_ns - w->at_ns : now_ns);
            double ratio = age > (double)ago ? age / (double)ago
                                             : (double)ago / (age + 1);

            worst = ratio > worst ? ratio : worst;
        }
    }
    assert_true(worst < 8);
    assert_int_equal(k->n, WINDOWS_KEPT);
    assert_int_equal(k->kept[k->n - 1].at_ns, now_ns);
    assert_int_equal(k->kept[k->n - 2].at_ns, now_ns - window_ns);
    assert_ptr_equal(windows_from(k, page, now_ns + window_ns / 2,
                                  window_ns / 4 * 3, now_ns),
                     &k->kept[k->n - 1]);
    assert_null(windows_from(k, page, now_ns, 2 * now_ns, now_ns));
    ((struct page_header *)page)->start_ticks = 78;     /* another program */
    assert_null(windows_from(k, page, now_ns, window_ns, now_ns));
    windows_tick(&k, page, getpid(), now_ns + window_ns);
    assert_int_equal(k->n, 1);
    windows_free(k);
}

/* Readings of tasks stay together whenever the slave comes to look. */
static void test_together(void **state)
{
    struct windows *k = NULL;

    (void)state;
    put(1, 0, A, B, 100, 10);
    windows_tick(&k, page, getpid(), 1000);
    for (unsigned i = 1; i < 50; i++)
        windows_tick(&k, page, getpid(), 1000 + i * window_ns + i % 7 * window_ns / 10);
    assert_int_equal(k->last_ns, 1000 + 49 * window_ns);
    windows_free(k);
}

/* Never more than there is room for. */
static void test_bounded(void **state)
{
    struct page_header *h = (struct page_header *)page;
    struct window w = { 0 };

    (void)state;
    h->slots_used = 16;
    for (unsigned s = 0; s < 16; s++) {
        ((struct page_slot *)(page + page_slot_at(s)))->tid = 1 + s;
        ((struct page_slot *)(page + page_slot_at(s)))->calls = 1;
        thread = (struct page_thread *)(page + page_thread_at(
            PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, s));
        for (unsigned i = 0; i < PAGE_EDGES; i++)
            put(1, i, A + i / 400, A + i % 400, 1, 1);
    }
    assert_true(window_read(&w, &one, page, 1));
    assert_int_equal(w.n, WINDOW_EDGES);
    assert_int_equal(w.lost, 16 * PAGE_EDGES - WINDOW_EDGES);
    window_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_never_negative), cmocka_unit_test(test_no_part),
        cmocka_unit_test_setup_teardown(test_phases, make, drop),
        cmocka_unit_test_setup_teardown(test_kept, make, drop),
        cmocka_unit_test_setup_teardown(test_from, make, drop),
        cmocka_unit_test_setup_teardown(test_together, make, drop),
        cmocka_unit_test_setup_teardown(test_bounded, make, drop),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
