/* test_mapped.c - what is mapped in a process: noticed when it changes, and
 * what is left of the text says as much as the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "slave/proc/mapped.h"
#include "slave/proc/procmaps.h"
#include "slave/stacks/unwind.h"

enum { ROOM = 1 << 20 };

static char room[ROOM], whole[ROOM];

/* A library that is not there yet. */
static bool open_new(void)
{
    static const char *const names[] = { "libm.so.6", "libutil.so.1",
        "libresolv.so.2", "libanl.so.1", "libBrokenLocale.so.1" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!dlopen(names[i], RTLD_NOW | RTLD_NOLOAD) &&
            dlopen(names[i], RTLD_NOW))
            return true;
    return false;
}

/* Does as it is told, byte by byte, and answers with one. */
static void obey(int in, int out)
{
    void *at = NULL;
    char c;

    while (read(in, &c, 1) == 1) {
        if (c == 'm')
            at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        else if (c == 's' && mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE |
                                  MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
            _exit(1);
        else if (c == 'u')
            munmap(at, 1 << 20);
        else if (c == 'd' && !open_new())
            _exit(1);
        if (write(out, &c, 1) != 1)
            _exit(1);
    }
    _exit(0);
}

static pid_t child;
static int to, from;

static void tell(char c)
{
    assert_int_equal(write(to, &c, 1), 1);
    assert_int_equal(read(from, &c, 1), 1);
}

static int start(void **state)
{
    int in[2], out[2];

    (void)state;
    if (pipe(in) || pipe(out))
        return -1;
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        obey(in[0], out[1]);
    }
    close(in[0]);
    close(out[1]);
    to = in[1];
    from = out[0];
    return child > 0 ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    close(to);
    close(from);
    kill(child, SIGKILL);
    return waitpid(child, NULL, 0) == child ? 0 : -1;
}

static void look(struct mapped *m, uint64_t now_ns)
{
    assert_int_equal(mapped_look(m, child, now_ns, room, sizeof(room)), 0);
}

static void test_changes(void **state)
{
    uint64_t now = 1000 * CLOCK_NS_PER_S, at;
    struct mapped m;
    int here = 0;

    (void)state;
    mapped_init(&m);
    look(&m, now);
    assert_true(m.fresh);
    assert_true(m.stack_end > (uintptr_t)&here);
    assert_true(mapped_has(&m, (uintptr_t)test_changes));
    assert_true(mapped_has(&m, (uintptr_t)&here));
    assert_false(mapped_has(&m, 0x10));
    assert_false(mapped_has(&m, UINT64_MAX - 10));
    at = m.read_ns;
    m.fresh = false;

    look(&m, ++now);                    /* nothing has happened */
    assert_int_equal(m.read_ns, at);
    tell('m');                          /* memory of its own: no code in it */
    look(&m, ++now);
    assert_int_equal(m.read_ns, at);
    tell('u');
    look(&m, ++now);
    assert_int_equal(m.read_ns, at);
    tell('s');                          /* read, but the same files */
    look(&m, ++now);
    assert_true(m.read_ns > at && !m.fresh);
    tell('d');                          /* more files */
    look(&m, ++now);
    assert_true(m.fresh);
    at = m.read_ns;
    look(&m, now + 60 * CLOCK_NS_PER_S);        /* it is old */
    assert_true(m.read_ns > at);
    mapped_fini(&m);
}

static void test_gone(void **state)
{
    struct mapped m;
    pid_t pid = fork();

    (void)state;
    mapped_init(&m);
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 },
                            WEXITED | WNOWAIT), 0);
    assert_int_equal(mapped_look(&m, pid, 1, room, sizeof(room)), -1);
    waitpid(pid, NULL, 0);
    assert_int_equal(mapped_look(&m, pid, 1, room, sizeof(room)), -1);
    mapped_fini(&m);
}

/* Each page of code is the same place of the same file, by the whole text and
 * by what is left of it. */
static void test_enough(void **state)
{
    struct unwind *a, *b;
    unsigned files = 0;
    struct mapped m;

    (void)state;
    mapped_init(&m);
    look(&m, 1);
    assert_true(procmaps_read(child, whole, sizeof(whole)) > 0);
    assert_true(strlen(m.files) < strlen(whole));
    a = unwind_create(child, whole, NULL);
    b = unwind_create(child, m.files, NULL);
    assert_non_null(a);
    assert_non_null(b);
    for (size_t i = 0; i < m.nranges; i++) {
        uint64_t last = m.ranges[i].to - 8, middle =
            m.ranges[i].from + (m.ranges[i].to - m.ranges[i].from) / 2;
        const uint64_t pc[] = { m.ranges[i].from + 8, middle, last };
        struct unwind_frame v[3], w[3];

        assert_int_equal(unwind_addresses(a, pc, 3, v, 3), 3);
        assert_int_equal(unwind_addresses(b, pc, 3, w, 3), 3);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(v[k].address, w[k].address);
            assert_true(!v[k].path == !w[k].path);
            if (v[k].path)
                assert_string_equal(v[k].path, w[k].path);
            files += v[k].path != NULL;
        }
    }
    assert_true(files > 10);
    unwind_destroy(a);
    unwind_destroy(b);
    mapped_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_changes, start, end),
        cmocka_unit_test(test_gone),
        cmocka_unit_test_setup_teardown(test_enough, start, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
