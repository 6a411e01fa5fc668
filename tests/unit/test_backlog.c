/* test_backlog.c - bytes that were read are there once more, whatever the sizes they
 * came in: the last ones in memory, others in a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    assert_int_equal(backlog_add(b, v, n, NULL), 0);
    free(v);
}

/* All from there to the end. */
static void check_from(struct backlog *b, uint64_t at)
{
    while (at < backlog_end(b)) {
        size_t n;
        const unsigned char *v = backlog_from(b, at, &n, NULL);

        assert_non_null(v);
        assert_true(n > 0 && at + n <= backlog_end(b));
        for (size_t i = 0; i < n; i += 97)
            assert_int_equal(v[i], byte_at(at + i));
        assert_int_equal(v[n - 1], byte_at(at + n - 1));
        at += n;
    }
}

static void keep(size_t bytes, const char *dir)
{
    struct backlog_conf conf = { .keep = bytes, .fd = -1, .dir = dir };
    struct backlog *b = backlog_create(&conf, NULL);
    uint64_t end = 0;

    assert_non_null(b);
    for (size_t i = 0; i < 100; i++) {
        size_t n = i % 5 == 4 ? BACKLOG_ADD_MAX : i * 7919 % 30000;
        uint64_t old;

        add(b, n);
        end += n;
        old = end < bytes ? 0 : end - bytes;
        assert_int_equal(backlog_end(b), end);
        assert_int_equal(backlog_reach(b, old, NULL), 0);
        check_from(b, old);
        check_from(b, (old + end) / 2);
    }
    assert_int_equal(backlog_reach(b, 0, NULL), dir ? 0 : -1);
    assert_int_equal(backlog_reach(b, end + 1, NULL), -1);
    if (dir)
        check_from(b, 0);
    backlog_destroy(b);
}

static void test_keep(void **state)
{
    (void)state;
    keep(0, NULL);
    keep(1, NULL);
    keep(100000, NULL);
    keep(1 << 20, NULL);
}

static void test_dir(void **state)
{
    char dir[] = "/tmp/backlog-XXXXXX";

    (void)state;
    assert_non_null(mkdtemp(dir));
    keep(0, dir);
    keep(100000, dir);
    assert_int_equal(rmdir(dir), 0);    /* nothing was left */
}

/* It is said once, and what is in memory is there. */
static void test_no_dir(void **state)
{
    struct backlog_conf conf = { .keep = 10, .fd = -1, .dir = "/nowhere" };
    struct backlog *b = backlog_create(&conf, NULL);
    struct err err;
    size_t n;

    (void)state;
    assert_int_equal(backlog_add(b, "abc", 3, &err), -1);
    assert_non_null(strstr(err.text, "/nowhere"));
    assert_int_equal(backlog_add(b, "def", 3, &err), 0);
    assert_memory_equal(backlog_from(b, 1, &n, &err), "bcdef", 5);
    backlog_destroy(b);
}

/* A file has all of it, wherever reading began, and may get shorter. */
static void test_file(void **state)
{
    struct backlog_conf conf = { .keep = 10, .dir = "/nowhere" };
    FILE *f = tmpfile();
    struct backlog *b;
    struct err err;
    char buf[10];
    size_t n;

    (void)state;
    assert_non_null(f);
    fputs("0123456789ABCDEFGHIJ", f);
    fflush(f);
    conf.fd = fileno(f);
    lseek(conf.fd, 5, SEEK_SET);
    b = backlog_create(&conf, NULL);
    assert_int_equal(backlog_reach(b, 16, &err), -1);
    assert_int_equal(backlog_reach(b, 10, &err), 0);
    assert_int_equal(backlog_end(b), 10);
    assert_int_equal(read(conf.fd, buf, 3), 3);
    assert_memory_equal(buf, "FGH", 3);
    assert_int_equal(backlog_add(b, buf, 3, &err), 0);
    assert_int_equal(backlog_end(b), 13);
    assert_int_equal(backlog_reach(b, 2, &err), 0);
    assert_memory_equal(backlog_from(b, 2, &n, &err), "789ABCDE", 8);
    assert_int_equal(n, 8);
    assert_memory_equal(backlog_from(b, 10, &n, &err), "FGH", 3);
    assert_int_equal(n, 3);
    assert_int_equal(ftruncate(conf.fd, 6), 0);
    assert_null(backlog_from(b, 2, &n, &err));
    assert_non_null(strstr(err.text, "ends at byte 2"));
    backlog_destroy(b);
    fclose(f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keep), cmocka_unit_test(test_dir),
        cmocka_unit_test(test_no_dir), cmocka_unit_test(test_file),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
