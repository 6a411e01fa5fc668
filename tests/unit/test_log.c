/* test_log.c - one message, one line, one write. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/log.h"

static int from[2], real_stderr;
static char got[4096];

/* What stderr got since the last call. */
static const char *output(void)
{
    ssize_t n = write(from[1], ".", 1);

    assert_int_equal(n, 1);
    n = read(from[0], got, sizeof(got) - 1);
    assert_true(n >= 1);
    got[n - 1] = '\0';
    return got;
}

static void test_lines(void **state)
{
    (void)state;
    log_init("hector-test", LOG_LEVEL_INFO);
    errno = ENOENT;
    log_info("launch", "task %s pid=%d", "started", 7);
    assert_int_equal(errno, ENOENT);
    assert_string_equal(output(),
                        "hector-test: launch: task started pid=7\n");
    log_debug("launch", "not shown");
    assert_string_equal(output(), "");
    log_warn("launch", "two\nlines\033[0m");
    assert_string_equal(output(),
                        "hector-test: launch: two\\x0alines\\x1b[0m\n");
    log_init("hector-test", LOG_LEVEL_WARN);
    log_info("launch", "not shown");
    assert_string_equal(output(), "");
}

static void test_too_long(void **state)
{
    char longer[3000];

    (void)state;
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    log_warn("launch", "%s", longer);
    const char *line = output();

    assert_true(strlen(line) > 900 && strlen(line) < 1100);
    assert_int_equal(line[strlen(line) - 1], '\n');
    log_warn(longer, "x");
    line = output();
    assert_int_equal(line[strlen(line) - 1], '\n');
}

static int set_up(void **state)
{
    (void)state;
    real_stderr = dup(STDERR_FILENO);
    return pipe(from) < 0 || dup2(from[1], STDERR_FILENO) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    return dup2(real_stderr, STDERR_FILENO) < 0 ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_too_long),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
