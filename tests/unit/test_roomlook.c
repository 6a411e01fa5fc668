/* test_roomlook.c - which memory of a process is worth being had elsewhere first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "slave/move/roomlook.h"

enum { MIB = 1 << 20, MAX = 16 };

/* Apart from all other memory, so that it stays a mapping of its own. */
static char *map(size_t bytes, int prot)
{
    char *p = mmap(NULL, bytes + 2 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                   0);

    assert_true(p != MAP_FAILED);
    assert_int_equal(mprotect(p + MIB, bytes, prot), 0);
    return p + MIB;
}

static void unmap(char *p, size_t bytes)
{
    assert_int_equal(munmap(p - MIB, bytes + 2 * MIB), 0);
}

static bool has(const struct room_span *v, size_t n, const char *p, size_t bytes)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].start == (uintptr_t)p && v[i].end == (uintptr_t)p + bytes)
            return true;
    return false;
}

static void test_which(void **state)
{
    char *full = map(5 * MIB, PROT_READ | PROT_WRITE);
    char *empty = map(6 * MIB, PROT_READ | PROT_WRITE);
    char *half = map(7 * MIB, PROT_READ | PROT_WRITE);
    char *few = map(MIB / 2, PROT_READ | PROT_WRITE);
    char *more = map(8 * MIB, PROT_READ | PROT_WRITE);
    char *closed = map(9 * MIB, PROT_READ | PROT_WRITE);
    struct room_span v[MAX];
    size_t n;

    (void)state;
    memset(full, 1, 5 * MIB);
    memset(half, 1, 7 * MIB / 2);
    memset(few, 1, MIB / 2);
    memset(more, 1, 8 * MIB);
    memset(closed, 1, 9 * MIB);
    assert_int_equal(mprotect(closed, 9 * MIB, PROT_READ), 0);
    n = roomlook(getpid(), v, MAX);
    assert_true(n >= 2);
    assert_true(has(v, n, full, 5 * MIB));
    assert_true(has(v, n, more, 8 * MIB));
    assert_false(has(v, n, empty, 6 * MIB));
    assert_false(has(v, n, half, 7 * MIB));
    assert_false(has(v, n, few, MIB / 2));
    assert_false(has(v, n, closed, 9 * MIB));
    for (size_t i = 1; i < n; i++)
        assert_true(v[i].end - v[i].start <= v[i - 1].end - v[i - 1].start);
    assert_int_equal(roomlook(getpid(), v, 1), 1);      /* the largest */
    assert_true(v[0].end - v[0].start >= 8 * MIB);
    assert_int_equal(roomlook(getpid(), v, 0), 0);
    unmap(full, 5 * MIB);
    unmap(empty, 6 * MIB);
    unmap(half, 7 * MIB);
    unmap(few, MIB / 2);
    unmap(more, 8 * MIB);
    unmap(closed, 9 * MIB);
}

static void test_nobody(void **state)
{
    struct room_span v[MAX];

    (void)state;
    assert_int_equal(roomlook(1 << 30, v, MAX), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which), cmocka_unit_test(test_nobody),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
