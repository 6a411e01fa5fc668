/* test_kin.c - what descends from our children is killed, wherever it went, and
 * no stranger. */
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "redirector/start/kin.h"
#include "tests/unit/process.h"

/* A process that sleeps; what it has made comes up the pipe. */
static pid_t sleeper(int depth, int report)
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    setsid();
    alarm(60);                  /* whatever becomes of this test */
    if (depth > 1)
        prctl(PR_SET_CHILD_SUBREAPER, 1);       /* as a guard is one */
    if (depth > 0)
        sleeper(depth - 1, report);
    pid = getpid();
    if (write(report, &pid, sizeof(pid)) != sizeof(pid))
        _exit(1);
    if (depth == 1)
        _exit(0);               /* an orphan is left */
    for (;;)
        pause();
}

static void await(int fd, int n)
{
    pid_t pid;

    while (n-- > 0)
        assert_int_equal(read(fd, &pid, sizeof(pid)), sizeof(pid));
}

static bool is_dead(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG) == pid;
}

static void test_kin(void **state)
{
    char names[200], wanted[64];
    int ends[2];
    pid_t stranger, child;
    struct kin *k;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    stranger = sleeper(0, ends[1]);
    child = sleeper(2, ends[1]);        /* child, gone, orphan */
    await(ends[0], 4);
    k = kin_claim(&child, 1);
    assert_non_null(k);
    assert_true(kin_any(k));
    kin_kill(k, true);
    snprintf(wanted, sizeof(wanted), "test_kin (pid %d)", (int)child);
    do
        kin_names(k, names, sizeof(names));
    while (strcmp(names, wanted) != 0 && strchr(names, ','));
    assert_string_equal(names, wanted);
    assert_false(is_dead(child));
    do
        kin_kill(k, false);
    while (kin_any(k));
    kin_names(k, names, sizeof(names));
    assert_string_equal(names, "");
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(is_dead(stranger));
    assert_int_equal(state_of(stranger), 'S');
    end(stranger);
    kin_release(k);
}

/* Those whose parent goes after kin_claim(). */
static void test_orphans(void **state)
{
    int ends[2];
    pid_t child;
    struct kin *k;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    child = sleeper(3, ends[1]);
    await(ends[0], 4);
    k = kin_claim(&child, 1);
    assert_non_null(k);
    end(child);
    assert_true(kin_any(k));
    do
        kin_kill(k, false);
    while (kin_any(k));
    kin_release(k);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kin), cmocka_unit_test(test_orphans),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
