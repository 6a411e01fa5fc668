/* test_err.c - failures as sentences. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/err.h"

static void test_set(void **state)
{
    struct err e;

    (void)state;
    errno = 0;
    assert_int_equal(err_set(&e, EPROTO, "frame of %d bytes", 7), -1);
    assert_int_equal(errno, EPROTO);
    assert_int_equal(e.code, EPROTO);
    assert_string_equal(e.text, "frame of 7 bytes");

    /* Nobody wants to know; errno is set all the same. */
    assert_int_equal(err_set(NULL, ENOENT, "nothing"), -1);
    assert_int_equal(errno, ENOENT);

    /* A failure without a code is still a failure. */
    assert_int_equal(err_set(&e, 0, "odd"), -1);
    assert_int_not_equal(e.code, 0);
}

static void test_sys(void **state)
{
    struct err e;

    (void)state;
    errno = EACCES;
    assert_int_equal(err_sys(&e, "cannot open %s", "x"), -1);
    assert_int_equal(e.code, EACCES);
    assert_string_equal(e.text, "cannot open x: Permission denied");
    errno = EACCES;
    assert_int_equal(err_sys(NULL, "x"), -1);
    assert_int_equal(errno, EACCES);
}

static void test_prefix(void **state)
{
    struct err e;

    (void)state;
    err_set(&e, EINVAL, "bad");
    assert_int_equal(err_prefix(&e, "file %d", 3), -1);
    assert_string_equal(e.text, "file 3: bad");
    assert_int_equal(e.code, EINVAL);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(err_prefix(NULL, "x"), -1);
}

/* Its own text as an argument, too long a text, and text from outside with
 * control characters. */
static void test_text(void **state)
{
    struct err e;
    char longer[1000];

    (void)state;
    err_set(&e, EINVAL, "inner");
    err_set(&e, EIO, "outer (%s)", e.text);
    assert_string_equal(e.text, "outer (inner)");

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    err_set(&e, EIO, "%s", longer);
    assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
    errno = EIO;
    err_sys(&e, "%s", longer);
    assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
    err_prefix(&e, "%s", longer);
    assert_int_equal(strlen(e.text), sizeof(e.text) - 1);

    err_set(&e, EIO, "a%sb", "\n\033[2J\t");
    assert_string_equal(e.text, "a  [2J b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_sys),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_text),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
