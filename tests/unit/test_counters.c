/* test_counters.c - what the processor counts: the plumbing by a clock that
 * every kernel has, of threads that are there and of one that comes later; and
 * what is made of it where there are none. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "slave/proc/counters.h"

static const struct counters_event task_clock = { PERF_TYPE_SOFTWARE,
                                                  PERF_COUNT_SW_TASK_CLOCK };

static uint64_t ran_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *runs(void *arg)
{
    uint64_t until = ran_ns() + *(const uint64_t *)arg;

    while (ran_ns() < until)
        ;
    return NULL;
}

static struct counters_source clocks(void)
{
    struct counters_source s;

    counters_source_init(&s);
    s.event[0] = s.event[1] = task_clock;
    return s;
}

/* ... or there is no test. */
static struct counters *open_or_skip(struct counters_source *s)
{
    struct err err;
    struct counters *c = counters_open(s, getpid(), &err);

    if (!c && (s->none == EACCES || s->none == EPERM || s->none == ENOSYS)) {
        print_message("# SKIP %s\n", err.text);
        skip();
    }
    assert_non_null(c);
    return c;
}

/* Of a clock that counts what the process has had: no more, and most of it. The
 * kernel does not begin and end with both clocks in the same moment. */
static void test_clock(void **state)
{
    static const uint64_t span_ns = 50000000;
    struct counters_source s = clocks();
    unsigned left = s.left;
    uint64_t before = ran_ns();
    struct counters *c = open_or_skip(&s);
    struct counters_value was = counters_read(c), is;
    uint64_t opened = ran_ns(), spent;
    pthread_t thread;

    (void)state;
    assert_int_equal(counters_pid(c), getpid());
    assert_int_equal(s.left, left - 2);
    runs((void *)(uintptr_t)&span_ns);
    assert_int_equal(pthread_create(&thread, NULL, runs,
                                    (void *)(uintptr_t)&span_ns), 0);
    pthread_join(thread, NULL);
    spent = ran_ns() - opened;
    is = counters_read(c);
    assert_true(is.instructions - was.instructions >= spent * 9 / 10);
    assert_true(is.instructions <= (ran_ns() - before) * 11 / 10);
    assert_true(is.cycles - was.cycles >= spent * 9 / 10);
    counters_close(c);
    assert_int_equal(s.left, left);
}

/* A process that it starts is not counted, where the kernel can tell. */
static void test_child(void **state)
{
    static const uint64_t span_ns = 100000000;
    struct counters_source s = clocks();
    struct counters *c = open_or_skip(&s);
    int status;
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        runs((void *)(uintptr_t)&span_ns);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!s.whole)
        assert_true(counters_read(c).instructions < span_ns);
    counters_close(c);
}

static int fails_with;
static unsigned times_asked;
static bool not_ours;           /* only other processes */

static int fails(struct perf_event_attr *attr, pid_t tid, int group)
{
    times_asked++;
    assert_true(attr->exclude_kernel && attr->exclude_hv && attr->inherit);
    /* EBADF: only the second event. */
    if ((group >= 0 || fails_with != EBADF) && !(not_ours && tid == 0)) {
        errno = fails_with;
        return -1;
    }
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* What is so of every process is found out once. */
static void test_none(void **state)
{
    static const struct { int code; const char *says; } none[] = {
        { ENOENT, "this machine has none" }, { EOPNOTSUPP, "has none" },
        { EACCES, "perf_event_paranoid" }, { EPERM, "perf_event_paranoid" },
        { ENOSYS, "no perf_event_open" }, { EBADF, "Bad file" },
    };
    struct counters_source s;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        counters_source_init(&s);
        s.open = fails;
        fails_with = none[i].code;
        assert_null(counters_open(&s, getpid(), &err));
        assert_int_equal(s.none, none[i].code);
        assert_non_null(strstr(err.text, none[i].says));
        times_asked = 0;
        assert_null(counters_open(&s, getpid(), &err));
        assert_int_equal(times_asked, 0);
        assert_non_null(strstr(err.text, none[i].says));
    }
}

/* What is of one process alone, or passes, is asked again of the next. */
static void test_not_this_one(void **state)
{
    static const int codes[] = { ESRCH, EMFILE, ENOMEM };
    struct counters_source s;
    struct err err;

    (void)state;
    counters_source_init(&s);
    s.open = fails;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        fails_with = codes[i];
        assert_null(counters_open(&s, getpid(), &err));
        assert_int_equal(s.none, 0);
    }
    times_asked = 0;
    assert_null(counters_open(&s, 0x7fffffff, &err));   /* nobody */
    assert_int_equal(times_asked + (unsigned)s.none, 0);
    fails_with = EACCES;        /* of one that nobody may look at */
    not_ours = true;
    assert_null(counters_open(&s, getpid(), &err));
    assert_int_equal(s.none, 0);
    not_ours = false;
    times_asked = 0;
    s.left = 1;
    assert_null(counters_open(&s, getpid(), &err));
    assert_int_equal(err.code, EMFILE);
    assert_int_equal(times_asked + (unsigned)s.none, 0);
}

static bool old_kernel_saw;

static int is_old(struct perf_event_attr *attr, pid_t tid, int group)
{
    (void)tid, (void)group;
    if (attr->inherit_thread) {
        errno = EINVAL;
        return -1;
    }
    old_kernel_saw = true;
    return open("/dev/zero", O_RDONLY | O_CLOEXEC);
}

/* A kernel that does not know of threads alone counts all; of a counter that
 * was never free nothing is known. */
static void test_old(void **state)
{
    struct counters_source s;
    struct err err;
    struct counters *c;

    (void)state;
    counters_source_init(&s);
    s.open = is_old;
    c = counters_open(&s, getpid(), &err);
    assert_non_null(c);
    assert_true(old_kernel_saw && s.whole);
    assert_int_equal(counters_read(c).cycles, 0);
    counters_close(c);
}

static int pipes[2];

static int shares(struct perf_event_attr *attr, pid_t tid, int group)
{
    static const uint64_t words[] = { 1000, 30, 10 };   /* a third of the time */

    (void)attr, (void)tid, (void)group;
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    assert_int_equal(write(pipes[1], words, sizeof(words)), sizeof(words));
    close(pipes[1]);
    return pipes[0];
}

static void test_shared(void **state)
{
    struct counters_source s;
    struct counters_value v;
    struct err err;
    struct counters *c;

    (void)state;
    counters_source_init(&s);
    s.open = shares;
    c = counters_open(&s, getpid(), &err);
    assert_non_null(c);
    v = counters_read(c);
    assert_int_equal(v.instructions, 3000);
    assert_int_equal(v.cycles, 3000);
    v = counters_read(c);               /* nothing more can be read */
    assert_int_equal(v.instructions, 0);
    counters_close(c);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_not_this_one),
        cmocka_unit_test(test_old),
        cmocka_unit_test(test_shared),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
