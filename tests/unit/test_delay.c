/* test_delay.c - how long a process was kept from a processor: of the thread
 * that was the longest; two threads that want the same one wait for each
 * other. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "slave/proc/delay.h"

static atomic_bool over;

static void *spins(void *arg)
{
    while (!over)
        ;
    return arg;
}

static void test_text(void **state)
{
    struct delay d = { 1, 2 };

    (void)state;
    assert_true(delay_parse("126648 42924 1\n", &d));
    assert_int_equal(d.ran_ns, 126648);
    assert_int_equal(d.kept_ns, 42924);
    assert_true(delay_parse("18446744073709551615 0 0", &d));
    assert_int_equal(d.ran_ns, UINT64_MAX);
    assert_false(delay_parse("", &d));
    assert_false(delay_parse("7", &d));
    assert_false(delay_parse("seven 8 9", &d));
    assert_int_equal(d.ran_ns, UINT64_MAX);
}

/* The main thread only looks; what is kept is one of the two others. */
static void test_threads(void **state)
{
    struct delay d, before;
    pthread_t thread[2];
    cpu_set_t all, one;
    int cpu = 0;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (access("/proc/self/schedstat", R_OK))
        skip();                 /* the kernel does not count it */
    delay_read(&before, getpid());
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, spins, NULL), 0);
        assert_int_equal(pthread_setaffinity_np(thread[i], sizeof(one), &one), 0);
    }
    do {
        usleep(1000);
        delay_read(&d, getpid());
        assert_true(d.kept_ns >= before.kept_ns);
        before = d;
    } while (d.kept_ns < 50000000 || d.ran_ns < 10000000);
    over = true;
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

static bool is(struct delay d, uint64_t ran_ns, uint64_t kept_ns)
{
    return d.ran_ns == ran_ns && d.kept_ns == kept_ns;
}

static void test_since(void **state)
{
    const struct delay before = { 100, 20 }, now = { 150, 20 }, other = { 99, 90 };

    (void)state;
    assert_true(is(delay_since(&now, &before), 50, 0));
    assert_true(is(delay_since(&other, &before), 0, 0));        /* another process */
}

/* A phase has what was had from its beginning to that of the next one that was
 * seen; one that comes soon behind another takes the place of that. */
static void test_phases(void **state)
{
    const struct delay now = { UINT64_MAX, UINT64_MAX };
    const uint64_t s = 1000000000;
    struct delay_phases p = { .n = 0 };

    (void)state;
    assert_true(is(delay_in_phase(&p, 0, &now), 0, 0));
    delay_turn(&p, getpid(), 0, s);
    delay_turn(&p, getpid(), 0, 2 * s);
    assert_int_equal(p.n, 1);
    assert_true(is(delay_in_phase(&p, 0, &now), UINT64_MAX, UINT64_MAX));
    for (uint32_t phase = 1; phase < 7; phase++)
        delay_turn(&p, getpid(), phase, (3 + phase) * s);
    delay_turn(&p, getpid(), 7, 9 * s + 1);
    delay_turn(&p, getpid(), 7, 10 * s);        /* not later than it began */
    assert_int_equal(p.n, DELAY_MARKS);
    assert_true(p.at_ns == 9 * s);
    for (unsigned i = 0; i < DELAY_MARKS; i++) {
        assert_int_equal(p.mark[i].phase, i == 0 ? 7 : 6 - i);
        p.mark[i].is = (struct delay){ 1000 - 100 * i, 100 - 10 * i * i };
    }
    assert_true(is(delay_in_phase(&p, 5, &now), 100, 10));
    assert_true(is(delay_in_phase(&p, 3, &now), 100, 50));
    assert_true(is(delay_in_phase(&p, 7, &now), UINT64_MAX - 1000, UINT64_MAX - 100));
    assert_true(is(delay_in_phase(&p, 2, &now), 0, 0));
    assert_true(is(delay_in_phase(&p, 6, &now), 0, 0));
}

static void test_nobody(void **state)
{
    struct delay d = { 1, 1 };
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    delay_read(&d, pid);
    assert_int_equal(d.ran_ns, 0);
    assert_int_equal(d.kept_ns, 0);
    d = (struct delay){ 1, 1 };
    delay_read_main(&d, pid);
    assert_int_equal(d.ran_ns, 0);
    assert_int_equal(d.kept_ns, 0);
}

static void *works(void *arg)
{
    clock_t from = clock();

    while (clock() - from < CLOCKS_PER_SEC / 20)
        ;
    return arg;
}

/* What another thread has had is not the main one's. */
static void test_main_thread(void **state)
{
    struct delay before, is;
    pthread_t thread;

    (void)state;
    if (access("/proc/self/schedstat", R_OK))
        skip();
    delay_read_main(&before, getpid());
    assert_true(before.ran_ns > 0);
    assert_int_equal(pthread_create(&thread, NULL, works, NULL), 0);
    pthread_join(thread, NULL);
    delay_read_main(&is, getpid());
    assert_true(is.ran_ns > before.ran_ns);
    assert_true(is.ran_ns - before.ran_ns < 25000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_nobody), cmocka_unit_test(test_since),
        cmocka_unit_test(test_phases), cmocka_unit_test(test_main_thread),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
