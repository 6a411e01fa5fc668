/* test_label.c - what stands in front of lines, byte for byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "redirector/out/label.h"

static void expect(struct label *l, uint32_t rank, const char *stream,
                   uint64_t at_ns, const char *out)
{
    char buf[LABEL_MAX + 1];

    buf[label_format(l, buf, rank, stream, at_ns)] = '\0';
    assert_string_equal(buf, out);
}

static void set_zone(const char *tz)
{
    setenv("TZ", tz, 1);
    tzset();
}

static void test_rank(void **state)
{
    static const struct { uint32_t ntasks, rank; const char *out; } table[] = {
        { 1, 0, "0: " }, { 10, 9, "9: " }, { 11, 9, "09: " },
        { 11, 10, "10: " }, { 100, 7, "07: " }, { 101, 7, "007: " },
        { 1u << 24, 5, "00000005: " },
    };
    struct label l;

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        label_init(&l, LABEL_RANK, false, table[i].ntasks);
        assert_true(label_wanted(&l));
        expect(&l, table[i].rank, "stdout", 0, table[i].out);
    }
}

static void test_tag(void **state)
{
    struct label l;

    (void)state;
    label_init(&l, LABEL_TAG, false, 100);
    expect(&l, 7, "stdout", 0, "[1,7]<stdout>:");
    expect(&l, 99, "stderr", 0, "[1,99]<stderr>:");
}

static void test_time(void **state)
{
    struct label l;

    (void)state;
    set_zone("UTC");
    label_init(&l, LABEL_NONE, true, 2);
    assert_true(label_wanted(&l));
    expect(&l, 1, "stdout", 913757003257503999u,
           "1998-12-15T21:23:23.257503+00:00 ");
    expect(&l, 1, "stdout", 913757003000000999u,
           "1998-12-15T21:23:23.000000+00:00 ");
    expect(&l, 1, "stdout", 913757004999999999u,
           "1998-12-15T21:23:24.999999+00:00 ");
    set_zone("EST5");
    label_init(&l, LABEL_RANK, true, 2);
    expect(&l, 1, "stdout", 913757003257503000u,
           "1998-12-15T16:23:23.257503-05:00 1: ");
    set_zone("IST-5:30");
    label_init(&l, LABEL_TAG, true, 2);
    expect(&l, 1, "stderr", 913757003257503000u,
           "1998-12-16T02:53:23.257503+05:30 [1,1]<stderr>:");
}

static void test_none(void **state)
{
    struct label l;

    (void)state;
    label_init(&l, LABEL_NONE, false, 2);
    assert_false(label_wanted(&l));
    expect(&l, 1, "stdout", 0, "");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_tag),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_none),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
