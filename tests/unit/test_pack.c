/* test_pack.c - images that are packed, and whole again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slave/keep/pack.h"
#include "tests/unit/draw.h"

enum { BYTES = 3 << 20, STEP = 700001 };

static char data[BYTES], back[BYTES];

static int file_of(const void *bytes, size_t n)
{
    char name[] = "/tmp/hector-pack-XXXXXX";
    int fd = mkstemp(name);

    assert_true(fd >= 0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(write(fd, bytes, n), n);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void fill_alike(void)
{
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (char)(i / 1000);
}

/* Some at a time, as a program reads a file; the descriptor is at its beginning. */
static int packed(uint64_t *bytes)
{
    struct pack *p = pack_open(BYTES);
    int fd = file_of("", 0);

    assert_non_null(p);
    *bytes = 0;
    for (size_t at = 0, n; at < BYTES; at += n) {
        n = BYTES - at < STEP ? BYTES - at : STEP;
        assert_int_equal(pack_put(p, fd, data + at, n, false, bytes), 0);
    }
    assert_int_equal(pack_put(p, fd, NULL, 0, true, bytes), 0);
    pack_close(p);
    assert_int_equal(lseek(fd, 0, SEEK_END), *bytes);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static void is_whole_again(void **state)
{
    struct err err;
    uint64_t bytes;
    int fd, to = file_of("", 0);

    (void)state;
    fill_alike();
    fd = packed(&bytes);
    assert_true(bytes < BYTES / 4);
    assert_int_equal(pack_original(fd), BYTES);
    assert_int_equal(pack_undo(fd, to, &err), 0);
    assert_int_equal(pread(to, back, BYTES, 0), BYTES);
    assert_memory_equal(back, data, BYTES);
    assert_int_equal(lseek(to, 0, SEEK_END), BYTES);
    close(fd);
    close(to);
}

static void knows_what_pays(void **state)
{
    int fd;

    (void)state;
    fill_alike();
    fd = file_of(data, BYTES);
    assert_true(pack_pays(fd, BYTES));
    assert_int_equal(pack_original(fd), 0);
    close(fd);
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (char)draw();
    fd = file_of(data, BYTES);
    assert_false(pack_pays(fd, BYTES));
    close(fd);
    fd = file_of("", 0);
    assert_false(pack_pays(fd, 0));
    assert_int_equal(pack_original(fd), 0);
    close(fd);
}

static void refuses_what_is_damaged(void **state)
{
    struct err err;
    uint64_t bytes;
    int fd, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)state;
    fill_alike();
    fd = packed(&bytes);
    assert_int_equal(ftruncate(fd, (off_t)bytes - 3), 0);
    assert_int_equal(pack_undo(fd, nowhere, &err), -1);
    assert_non_null(strstr(err.text, "ends too early"));
    close(fd);
    fd = packed(&bytes);
    assert_int_equal(pwrite(fd, "more", 4, (off_t)bytes), 4);
    assert_int_equal(pack_undo(fd, nowhere, &err), -1);
    assert_non_null(strstr(err.text, "goes on behind its end"));
    close(fd);
    fd = file_of(data, BYTES);
    assert_int_equal(pack_undo(fd, nowhere, &err), -1);
    assert_non_null(strstr(err.text, "is damaged"));
    close(fd);
    fd = file_of("", 0);
    assert_int_equal(pack_undo(fd, nowhere, &err), -1);
    close(fd);
    close(nowhere);
}

/* The file has become another one meanwhile, or there is no room. */
static void says_that_it_cannot(void **state)
{
    struct pack *p = pack_open(10);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    uint64_t bytes = 0;
    int fd = file_of("", 0);

    (void)state;
    assert_int_equal(pack_put(p, fd, "12345", 5, false, &bytes), 0);
    assert_int_equal(pack_put(p, fd, NULL, 0, true, &bytes), -1);
    assert_int_equal(errno, EIO);
    pack_close(p);
    p = pack_open(5);
    assert_int_equal(pack_put(p, full, "12345", 5, false, &bytes), 0);
    assert_int_equal(pack_put(p, full, NULL, 0, true, &bytes), -1);
    assert_int_equal(errno, ENOSPC);
    pack_close(p);
    pack_close(NULL);
    close(full);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_whole_again),
        cmocka_unit_test(knows_what_pays),
        cmocka_unit_test(refuses_what_is_damaged),
        cmocka_unit_test(says_that_it_cannot),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
