/* test_reserve.c - what a task's thread is to have of each period, from what
 * is due in its job and from what its instances took; and the kernel's part,
 * where it is given here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "slave/launch/apart.h"
#include "slave/launch/reserve.h"

#define MS 1000000ull

static void calendar_of(struct calendar *c, const char *const *v)
{
    *c = (struct calendar){ 0 };
    for (; *v; v++)
        assert_int_equal(calendar_add(c, *v, NULL), 0);
}

static void test_which(void **state)
{
    static const char *const texts[] = {
        "60s", "in<=2ms", "step/50ms", "read@start+k*20ms,ranks=1-2",
        "step*/40ms", "a..b<=1ms", NULL };
    static const struct {
        uint32_t rank;
        uint64_t period_ns;
        const char *ends, *not;
    } v[] = { { 0, 40 * MS, "stepped", "read" }, { 1, 20 * MS, "read", "step" },
            { 2, 20 * MS, "read", "in" }, { 3, 40 * MS, "step", "b" } };
    struct calendar c;
    struct reserve r;

    (void)state;
    calendar_of(&c, texts);
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        reserve_init(&r, &c, v[i].rank);
        assert_int_equal(r.period_ns, v[i].period_ns);
        assert_true(reserve_open(&r));
        assert_true(reserve_is_end(&r, &c, v[i].ends, strlen(v[i].ends),
                                   v[i].rank));
        assert_false(reserve_is_end(&r, &c, v[i].not, strlen(v[i].not),
                                    v[i].rank));
    }
    calendar_take_back(&c, 5, NULL);
    reserve_init(&r, &c, 0);
    assert_int_equal(r.period_ns, 50 * MS);
    calendar_take_back(&c, 3, NULL);
    reserve_init(&r, &c, 0);
    assert_int_equal(r.period_ns, 0);
    assert_false(reserve_open(&r));
    calendar_fini(&c);
}

static struct reserve every(uint64_t period_ns)
{
    static const char *const none[] = { NULL };
    struct calendar c;
    struct reserve r;

    calendar_of(&c, none);
    reserve_init(&r, &c, 0);
    r.period_ns = period_ns;
    return r;
}

/* n instances of so long each; how often was it time to ask? */
static unsigned turns(struct reserve *r, pid_t tid, unsigned n, uint64_t ns)
{
    unsigned asked = 0;

    for (unsigned i = 0; i < n; i++)
        asked += reserve_measured(r, tid, 1, r->ran_ns + ns);
    return asked;
}

static void test_need(void **state)
{
    struct reserve r = every(50 * MS);

    (void)state;
    /* Where the first one began is not known. */
    assert_int_equal(turns(&r, 7, RESERVE_LEARN, 4 * MS), 0);
    assert_int_equal(reserve_need(&r), 0);
    assert_int_equal(turns(&r, 7, 1, 6 * MS), 1);
    assert_int_equal(reserve_need(&r), 9 * MS);
    /* Another program of the same task. */
    assert_int_equal(turns(&r, 8, RESERVE_LEARN, 2 * MS), 0);
    assert_int_equal(turns(&r, 8, 1, 2 * MS), 1);
    assert_int_equal(reserve_need(&r), 3 * MS);
    /* Several ends in one reading share what was had. */
    assert_true(reserve_measured(&r, 8, 4, r.ran_ns + 16 * MS));
    assert_int_equal(reserve_need(&r), 6 * MS);
    /* What it takes is hardly anything. */
    r = every(50 * MS);
    turns(&r, 7, RESERVE_LEARN + 1, 10);
    assert_int_equal(reserve_need(&r), 100000);
}

/* Once it has some: more when it takes nearly all, less when it has long taken
 * much less. */
static void test_again(void **state)
{
    struct reserve r = every(50 * MS);

    (void)state;
    turns(&r, 7, RESERVE_LEARN + 1, 4 * MS);
    r.runtime_ns = reserve_need(&r);
    assert_int_equal(turns(&r, 7, 3 * RESERVE_KEPT, 4 * MS), 0);
    assert_int_equal(turns(&r, 7, 1, 5900000), 1);
    assert_int_equal(reserve_need(&r), 9 * MS);         /* half as much more */
    r.runtime_ns = reserve_need(&r);
    assert_int_equal(turns(&r, 7, 2 * RESERVE_KEPT, 4 * MS), 0);
    assert_true(turns(&r, 7, 2 * RESERVE_KEPT, MS) >= 1);
    assert_int_equal(reserve_need(&r), 1250000);
}

static void test_refused(void **state)
{
    struct reserve_pool pool = { 0 };
    struct reserve r = every(50 * MS);

    (void)state;
    assert_int_equal(reserve_ask(&r, &pool), -1);   /* nothing is known */
    assert_true(reserve_open(&r));
    turns(&r, 1 << 30, RESERVE_LEARN + 1, 40 * MS);
    assert_int_equal(reserve_ask(&r, &pool), -1);
    assert_string_equal(r.why, "SCHED_DEADLINE is not given: tasks compute for "
                        "40 ms in each 50 ms");
    assert_false(reserve_open(&r));
    /* ... and it is not asked for again soon. */
    assert_int_equal(turns(&r, 1 << 30, 200, MS), 0);
    assert_int_equal(turns(&r, 1 << 30, 100, MS) > 0, 1);
    r = every(50 * MS);
    turns(&r, 1 << 30, RESERVE_LEARN + 1, 20 * MS);
    pool.taken_ppm = 1100000;
    assert_int_equal(reserve_ask(&r, &pool), -1);
    assert_string_equal(r.why, "SCHED_DEADLINE is not given: 1.10 of 2 "
                        "processors are promised, and 0.60 would be needed");
    pool.taken_ppm = 900000;
    assert_int_equal(reserve_ask(&r, &pool), -1);   /* nobody has that number */
    assert_non_null(strstr(r.why, "the kernel does not give SCHED_DEADLINE: "));
    assert_int_equal(pool.taken_ppm, 900000);
}

static void test_given(void **state)
{
    struct reserve_pool pool = { 0 };
    struct reserve r = every(50 * MS);
    pid_t child;

    (void)state;
    if (geteuid() || CPU_COUNT(apart_all()) < 2)
        skip();
    child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    turns(&r, child, RESERVE_LEARN + 1, MS);
    if (reserve_ask(&r, &pool)) {   /* in a container, say */
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        skip();
    }
    assert_int_equal(sched_getscheduler(child) & 0xff, 6);
    assert_int_equal(pool.taken_ppm, 30000);
    assert_false(reserve_open(&r));
    turns(&r, child, 1, 2 * MS);
    assert_int_equal(reserve_ask(&r, &pool), 0);
    assert_int_equal(pool.taken_ppm, 60000);
    reserve_drop(&r, &pool);
    assert_int_equal(sched_getscheduler(child), SCHED_OTHER);
    assert_int_equal(pool.taken_ppm, 0);
    reserve_drop(&r, &pool);            /* once is enough */
    assert_int_equal(pool.taken_ppm, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which), cmocka_unit_test(test_need),
        cmocka_unit_test(test_again), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_given),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
