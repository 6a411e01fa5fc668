/* test_inputsums.c - standard input is the same again, or it is not: whatever
 * pieces it comes in, and however often another hector-run goes on. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "proto/base/paths.h"
#include "redirector/link/inputsums.h"

enum { MOST = 400000, PIECE = 64 << 10 };

static unsigned char bytes[MOST];
static char dir[64], other[80];

static int set_up(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/inputsums-XXXXXX");
    if (sodium_init() < 0 || !mkdtemp(dir))
        return -1;
    snprintf(other, sizeof(other), "%s/other", dir);
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    return mkdir(other, 0700);
}

static int tear_down(void **state)
{
    (void)state;
    return paths_remove_tree(dir, NULL);
}

static struct inputsums *open_sums(const char *to, const char *from,
                                   uint64_t needed)
{
    struct err err;
    struct inputsums *s = inputsums_open(to, from, needed, &err);

    assert_non_null(s);
    return s;
}

/* Up to number `end`, by pieces of so many; the first result that is not 0. */
static int add(struct inputsums *s, size_t at, size_t end, size_t step,
               struct err *err)
{
    int rc = 0;

    for (size_t n; at < end && rc == 0; at += n) {
        n = end - at < step ? end - at : step;
        rc = inputsums_add(s, at, bytes + at, n, err);
    }
    return rc;
}

static void keep_file(void)             /* as a checkpoint would */
{
    char path[120];

    snprintf(path, sizeof(path), "%s/1", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/1/checkpoint", dir);
    fclose(fopen(path, "w"));
}

static bool has_file(const char *d)
{
    char path[120];

    snprintf(path, sizeof(path), "%s/input", d);
    return access(path, F_OK) == 0;
}

static void first_run(size_t end, size_t step)
{
    struct inputsums *s = open_sums(dir, NULL, 0);
    struct err err;

    assert_int_equal(add(s, 0, end, step, &err), 0);
    assert_true(inputsums_good(s) == UINT64_MAX);
    assert_int_equal(inputsums_end(s, &err), 0);
    inputsums_close(s);
}

static void test_same(void **state)
{
    static const size_t ends[] = { 1, 1234, PIECE - 1, PIECE, PIECE + 1,
                                   3 * PIECE, MOST };
    static const size_t steps[] = { 1000, 4999, PIECE, 100000, MOST };
    struct err err;

    (void)state;
    keep_file();
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
            struct inputsums *s;

            first_run(ends[i], steps[k]);
            s = open_sums(NULL, dir, ends[i]);
            assert_int_equal(add(s, 0, MOST, steps[(k + 2) % 5], &err), 0);
            assert_true(inputsums_good(s) == UINT64_MAX);
            inputsums_close(s);
        }
}

/* One byte is another one: no task gets it, nor what comes after it. */
static void test_another(void **state)
{
    static const size_t ends[] = { 1, 1234, PIECE, 200000, MOST };
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        for (size_t k = 0; k < 3; k++) {
            size_t at = k == 0 ? 0 : k == 1 ? ends[i] / 2 : ends[i] - 1, to = 0;
            struct inputsums *s;
            int rc = 0;

            first_run(ends[i], 5000);
            s = open_sums(NULL, dir, ends[i]);
            bytes[at] ^= 1;
            while (rc == 0 && to < MOST) {
                assert_true(inputsums_good(s) <= at || to <= at);
                rc = inputsums_add(s, to, bytes + to, 1000, &err);
                to += 1000;
            }
            bytes[at] ^= 1;
            assert_int_equal(rc, -1);
            assert_int_equal(err.code, EBADMSG);
            assert_non_null(strstr(err.text, "standard input is another one: bytes "));
            inputsums_close(s);
        }
}

/* What no task had read may be something else; what was is waited for to the end
 * of its piece. */
static void test_later(void **state)
{
    struct inputsums *s;
    struct err err;

    (void)state;
    first_run(300000, 5000);
    s = open_sums(NULL, dir, PIECE + 10);
    assert_true(inputsums_good(s) == 0);
    assert_int_equal(add(s, 0, PIECE + 10, 5000, &err), 0);
    assert_true(inputsums_good(s) == PIECE);
    bytes[2 * PIECE] ^= 1;
    assert_int_equal(add(s, PIECE + 10, MOST, 5000, &err), 0);
    bytes[2 * PIECE] ^= 1;
    assert_true(inputsums_good(s) == UINT64_MAX);
    inputsums_close(s);

    s = open_sums(NULL, dir, 0);                /* nobody has read any */
    bytes[0] ^= 1;
    assert_int_equal(add(s, 0, MOST, 5000, &err), 0);
    bytes[0] ^= 1;
    inputsums_close(s);

    s = open_sums(NULL, dir, PIECE + 10);
    assert_int_equal(add(s, 0, PIECE + 11, 5000, &err), 0);
    assert_int_equal(inputsums_end(s, &err), -1);
    assert_int_equal(err.code, EBADMSG);
    inputsums_close(s);
}

/* Another run writes its own: to the same directory, to another one, from the
 * middle of a file whose beginning was looked at before. */
static void test_on_and_on(void **state)
{
    struct inputsums *s;
    struct err err;

    (void)state;
    first_run(100000, 5000);
    s = open_sums(dir, dir, 90000);
    assert_int_equal(add(s, 0, 95000, 5000, &err), 0);
    inputsums_close(s);                         /* it has come to nothing */
    s = open_sums(dir, dir, 90000);
    assert_int_equal(add(s, 0, 250000, 5000, &err), 0);
    inputsums_close(s);

    s = open_sums(other, dir, 240000);
    assert_int_equal(add(s, 0, 250000, 5000, &err), 0);
    assert_int_equal(add(s, 240000, 300000, 5000, &err), 0);
    assert_true(has_file(other));
    bytes[245000] ^= 1;
    inputsums_close(s);
    assert_false(has_file(other));              /* no checkpoint is there */
    s = open_sums(NULL, dir, 250000);
    assert_int_equal(add(s, 0, 250000, 5000, &err), -1);
    bytes[245000] ^= 1;
    inputsums_close(s);
}

/* It is no reason to end that what there is makes no sense, or cannot be written. */
static void test_odd(void **state)
{
    char path[120];
    struct inputsums *s;
    struct err err;
    FILE *f;

    (void)state;
    snprintf(path, sizeof(path), "%s/input", dir);
    first_run(200000, 5000);
    assert_int_equal(truncate(path, 100), 0);
    s = open_sums(NULL, dir, 200000);
    assert_int_equal(add(s, 0, PIECE, 5000, &err), 0);
    bytes[PIECE] ^= 1;                          /* nobody knows */
    assert_int_equal(add(s, PIECE, MOST, 5000, &err), 0);
    bytes[PIECE] ^= 1;
    inputsums_close(s);

    f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 1000; i++)
        fputs("no line of ours\n", f);
    fclose(f);
    s = open_sums(NULL, dir, 200000);
    assert_int_equal(add(s, 0, MOST, 5000, &err), 0);
    inputsums_close(s);

    s = open_sums("/proc/nowhere", NULL, 0);
    assert_int_equal(inputsums_add(s, 0, bytes, 10, &err), -1);
    assert_true(err.code != EBADMSG);
    assert_int_equal(add(s, 10, MOST, 5000, &err), 0);
    assert_true(inputsums_good(s) == UINT64_MAX);
    inputsums_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same), cmocka_unit_test(test_another),
        cmocka_unit_test(test_later), cmocka_unit_test(test_on_and_on),
        cmocka_unit_test(test_odd),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
