/* test_sample.c - what the page and /proc say of a task, and what the node
 * has: parsing, splitting, sums over threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi-wrappers/page.h"
#include "proto/base/clock.h"
#include "slave/proc/load.h"
#include "slave/proc/sample.h"

static void test_stat(void **state)
{
    static const char tail[] = " R 1 2 3 0 -1 4194304 100 0 0 0 150 50 7 3 "
        "20 0 1 0 12345 1000000 256 18446744073709551615 1 1 0\n";
    uint64_t tick_ns = CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct sample_proc p;
    char text[400];

    (void)state;
    /* The name may hold anything, also what looks like the end of it. */
    strcpy(text, "42 (a) R 9 9 (b)");
    strcat(text, tail);
    assert_int_equal(sample_proc_parse(text, false, &p), 0);
    assert_int_equal(p.cpu_ns, 200 * tick_ns);
    assert_int_equal(p.rss_bytes, 256 * page);
    assert_int_equal(sample_proc_parse(text, true, &p), 0);
    assert_int_equal(p.cpu_ns, 210 * tick_ns);
    assert_int_equal(sample_proc_parse("", false, &p), -1);
    assert_int_equal(sample_proc_parse("42 (a) R 1 2", false, &p), -1);
    assert_int_equal(sample_proc_read(getpid(), false, &p), 0);
    assert_true(p.rss_bytes > 0);
    assert_int_equal(sample_proc_read(-1, false, &p), -1);
}

static void test_split(void **state)
{
    struct sample_split s = { 0 };

    (void)state;
    sample_split_add(&s, 100, 30, 70);
    assert_int_equal(s.cpu_ns, 100);
    assert_int_equal(s.cpu_in_ns, 30);
    sample_split_add(&s, 300, 130, 70);         /* all of it inside */
    assert_int_equal(s.cpu_in_ns, 230);
    sample_split_add(&s, 400, 130, 70);         /* nothing known of the time */
    assert_int_equal(s.cpu_in_ns, 230);
    assert_int_equal(s.cpu_ns, 400);
    sample_split_add(&s, 350, 100, 50);         /* went back: passed over */
    assert_int_equal(s.cpu_ns, 400);
}

static void test_page(void **state)
{
    size_t bytes = page_bytes(PAGE_SLOTS, 1, 64);
    char *page = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
    struct page_header *h = (struct page_header *)page;
    struct sample_page sum;
    struct ticks ticks;

    (void)state;
    memset(page, 0, bytes);
    ticks_init(&ticks);
    h->clock = PAGE_CLOCK_MONOTONIC;
    h->slots_used = 2;
    for (unsigned i = 0; i < 3; i++) {
        struct page_slot *s = (struct page_slot *)(page + page_slot_at(i));

        s->calls = 10;
        s->in_ticks = 1000;
        s->out_ticks = 2000;
        s->waits = 1;
    }
    sample_page_read(page, &ticks, &sum);
    assert_int_equal(sum.calls, 20);
    assert_int_equal(sum.in_ns, 2000);
    assert_int_equal(sum.out_ns, 4000);
    assert_int_equal(sum.waits, 2);
    assert_int_equal(sum.call, 0);

    /* A call that lasts counts up to now. */
    struct page_slot *s = (struct page_slot *)(page + page_slot_at(1));

    s->call = 7;
    s->since_ticks = clock_monotonic_ns() - CLOCK_NS_PER_S;
    sample_page_read(page, &ticks, &sum);
    assert_int_equal(sum.call, 7);
    assert_true(sum.in_ns >= CLOCK_NS_PER_S && sum.out_ns == 4000);

    s->seq = 1;                 /* for ever being written: still an answer */
    h->slots_used = UINT32_MAX;
    s->call = UINT32_MAX;
    sample_page_read(page, &ticks, &sum);
    assert_int_equal(sum.calls, 30);
    assert_int_equal(sum.call, 0);
    free(page);
}

static void test_ticks(void **state)
{
    struct ticks t;
    uint64_t tsc, mono, dt;

    (void)state;
    ticks_init(&t);
    assert_int_equal(ticks_ns(&t, PAGE_CLOCK_MONOTONIC, 123), 123);
    assert_int_equal(ticks_ns(&t, 77, 123), 0);
    assert_int_equal(ticks_now(77), 0);
    if (!ticks_now(PAGE_CLOCK_TSC))
        return;
    tsc = ticks_now(PAGE_CLOCK_TSC);
    mono = clock_monotonic_ns();
    while (clock_monotonic_ns() - mono < 20 * CLOCK_NS_PER_MS)
        ;
    dt = clock_monotonic_ns() - mono;
    tsc = ticks_now(PAGE_CLOCK_TSC) - tsc;
    ticks_update(&t);
    assert_in_range(ticks_ns(&t, PAGE_CLOCK_TSC, tsc), dt - dt / 20,
                    dt + dt / 20);
}

static void test_load(void **state)
{
    struct load l = { 0 };

    (void)state;
    assert_true(load_parse_cpu_max("max 100000\n") == 0);
    assert_true(load_parse_cpu_max("150000 100000\n") == 1.5);
    assert_true(load_parse_cpu_max("") == 0);
    assert_true(load_parse_cpu_max("-1 100000") == 0);
    assert_true(load_parse_cpu_max("5 0") == 0);
    assert_in_range(load_cpus(), 1, 100000);
    assert_true(load_memory_bytes() > 1 << 20);
    load_read(&l);
    assert_true(l.available_bytes > 0 && l.total > 0);
    load_read(&l);
    assert_true(l.busy >= 0 && l.busy <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat), cmocka_unit_test(test_split),
        cmocka_unit_test(test_page), cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_load),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
