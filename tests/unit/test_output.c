/* test_output.c - whose standard output is buffered how, from HECTOR_STDOUT. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi-wrappers/record/output.h"

static int fds[2];

static int make_pipe(void **state)
{
    (void)state;
    return pipe(fds);
}

static const char *named(const char *mode, int fd, const char *end)
{
    static char text[80];
    struct stat st;

    assert_int_equal(fstat(fd, &st), 0);
    snprintf(text, sizeof(text), "%s:%llu:%llu%s", mode,
             (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
             end);
    return text;
}

static void test_modes(void **state)
{
    (void)state;
    assert_int_equal(output_mode(named("line", fds[1], ""), fds[1]),
                     OUTPUT_LINE);
    assert_int_equal(output_mode(named("none", fds[1], ""), fds[1]),
                     OUTPUT_NONE);
    assert_int_equal(output_mode(named("block", fds[1], ""), fds[1]),
                     OUTPUT_AS_IT_IS);
}

static void test_other_pipe(void **state)
{
    int other[2];

    (void)state;
    assert_int_equal(pipe(other), 0);
    assert_int_equal(output_mode(named("line", fds[1], ""), other[1]),
                     OUTPUT_AS_IT_IS);
    close(other[0]);
    close(other[1]);
    assert_int_equal(output_mode(named("line", fds[1], ""), other[1]),
                     OUTPUT_AS_IT_IS);
}

static void test_nonsense(void **state)
{
    static const char *const texts[] = { NULL, "", "line", "line:", "line:1",
        "line::", "line:x:y", "lines:1:2", ":1:2" };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(output_mode(texts[i], fds[1]), OUTPUT_AS_IT_IS);
    assert_int_equal(output_mode(named("line", fds[1], "x"), fds[1]),
                     OUTPUT_AS_IT_IS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes), cmocka_unit_test(test_other_pipe),
        cmocka_unit_test(test_nonsense),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_pipe, NULL);
}
