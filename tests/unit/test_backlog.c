/* test_backlog.c - the last bytes of a stream are there, whatever the sizes they came
 * in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "redirector/link/backlog.h"

static unsigned char byte_at(uint64_t i)
{
    return (unsigned char)(i * 2654435761u >> 13);
}

static void add(struct backlog *b, size_t n)
{
    unsigned char *v = malloc(n + 1);

    for (size_t i = 0; i < n; i++)
        v[i] = byte_at(backlog_end(b) + i);
    backlog_add(b, v, n);
    free(v);
}

static void check_from(const struct backlog *b, uint64_t at)
{
    size_t n;
    const unsigned char *v = backlog_from(b, at, &n);

    assert_int_equal(at + n, backlog_end(b));
    for (size_t i = 0; i < n; i += 97)
        assert_int_equal(v[i], byte_at(at + i));
    if (n)
        assert_int_equal(v[n - 1], byte_at(at + n - 1));
}

static void keep(size_t bytes)
{
    struct backlog *b = backlog_create(bytes);
    uint64_t end = 0;

    assert_non_null(b);
    for (size_t i = 0; i < 100; i++) {
        size_t n = i % 5 == 4 ? BACKLOG_ADD_MAX : i * 7919 % 30000;

        add(b, n);
        end += n;
        assert_int_equal(backlog_end(b), end);
        assert_true(backlog_first(b) + bytes <= end || backlog_first(b) == 0);
        check_from(b, backlog_first(b));
        check_from(b, (backlog_first(b) + end) / 2);
        check_from(b, end);
    }
    assert_true(end - backlog_first(b) <= 2 * bytes + BACKLOG_ADD_MAX);
    backlog_destroy(b);
}

static void test_keep(void **state)
{
    (void)state;
    keep(0);
    keep(1);
    keep(100000);
    keep(1 << 20);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(test_keep) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
