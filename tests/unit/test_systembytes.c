/* test_systembytes.c - a system as bytes: what is read is what was packed, and what
 * does not fit together is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/plan/systembytes.h"
#include "tests/unit/plan_draw.h"

static char *names_of(uint32_t n, char **names)
{
    char *text = calloc(n, 16);

    for (uint32_t i = 0; i < n; i++) {
        names[i] = text + (size_t)i * 16;
        names[i][0] = 'n';
        names[i][1] = (char)('a' + i % 26);
    }
    return text;
}

static void same(void **state)
{
    char *names[20], *text = names_of(20, names);
    struct systembytes s;
    struct drawn d;
    struct err err;

    (void)state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        struct str first = { 0 }, second = { 0 };

        drawn_open(&d, seed, 20, 100, 10);
        systembytes_pack(&first, &d.in, names);
        assert_int_equal(systembytes_read(&s, str_text(&first), first.n, &err),
                         0);
        assert_int_equal(s.in.nseats, d.in.nseats);
        assert_memory_equal(s.in.seats, d.in.seats,
                            d.in.nseats * sizeof(*d.in.seats));
        assert_string_equal(systembytes_node(&s, 3), "nd");
        assert_string_equal(systembytes_node(&s, HCT_NOWHERE), "-");
        systembytes_pack(&second, &s.in, s.names);
        assert_int_equal(first.n, second.n);
        assert_memory_equal(str_text(&first), str_text(&second), first.n);
        systembytes_fini(&s);
        str_fini(&first);
        str_fini(&second);
        drawn_close(&d);
    }
    free(text);
}

/* Also what is cut anywhere. */
static void refused(void **state)
{
    struct str bytes = { 0 };
    struct systembytes s;
    struct drawn d;
    struct err err;

    (void)state;
    drawn_open(&d, 5, 6, 20, 5);
    d.seats[3].host = 6;
    systembytes_pack(&bytes, &d.in, NULL);
    assert_int_equal(systembytes_read(&s, str_text(&bytes), bytes.n, &err), -1);
    assert_non_null(strstr(err.text, "on no node"));
    d.seats[3].host = 0;
    d.hosts[2].speed = NAN;
    str_reset(&bytes);
    systembytes_pack(&bytes, &d.in, NULL);
    assert_int_equal(systembytes_read(&s, str_text(&bytes), bytes.n, &err), -1);
    assert_non_null(strstr(err.text, "without processors or speed"));
    d.hosts[2].speed = 1;
    str_reset(&bytes);
    systembytes_pack(&bytes, &d.in, NULL);
    assert_int_equal(systembytes_read(&s, str_text(&bytes), bytes.n, &err), 0);
    systembytes_fini(&s);
    for (size_t n = 0; n < bytes.n; n++)
        assert_int_equal(systembytes_read(&s, str_text(&bytes), n, &err), -1);
    str_fini(&bytes);
    drawn_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same), cmocka_unit_test(refused) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
