/* test_turns.c - what threads have had of a processor while they wait: real ones,
 * of this process and of one that is stopped. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "slave/proc/turns.h"

static atomic_bool over;
static sem_t begun, post;

/* The kernel tells what it had up to the last tick. */
static void *spins(void *arg)
{
    struct timespec t = { 0 };

    while (t.tv_sec == 0 && t.tv_nsec < 20000000)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    *(pid_t *)arg = gettid();
    sem_post(&begun);
    while (!over)
        ;
    return NULL;
}

static void *sleeps(void *arg)
{
    *(pid_t *)arg = gettid();
    sem_post(&begun);
    sem_wait(&post);
    return NULL;
}

static struct turns turns;
static struct turns_of of[PAGE_SLOTS];
static pthread_t thread[2];

/* A thread that spins, and one that sleeps. */
static int begin(void **state)
{
    void *(*does[])(void *) = { spins, sleeps };

    (void)state;
    sem_init(&begun, 0, 0);
    sem_init(&post, 0, 0);
    over = false;
    turns = (struct turns){ 0 };
    for (int i = 0; i < 2; i++) {
        of[i].since = 1;
        if (pthread_create(&thread[i], NULL, does[i], &of[i].tid))
            return -1;
        sem_wait(&begun);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    over = true;
    sem_post(&post);
    return pthread_join(thread[0], NULL) | pthread_join(thread[1], NULL);
}

static uint32_t read_all(unsigned n)
{
    turns_read(&turns, 1, of, n);
    return turns_us(&turns, 1);
}

/* Until the n threads have had 2 ms. */
static void wait_for(unsigned n)
{
    for (int i = 0; read_all(n) < 2000; i++) {
        assert_true(i < 60000);
        usleep(1000);
    }
}

static void counts_since_it_waits(void **state)
{
    (void)state;
    assert_int_equal(turns_us(&turns, 1), 0);           /* never read */
    assert_int_equal(read_all(1), 1);                   /* from now on */
    wait_for(1);
    assert_int_equal(turns_us(&turns, 2), 0);           /* has gone on */
    of[0].since = 2;                                    /* another call */
    assert_int_equal(read_all(1), 1);
    wait_for(1);
    turns_read(&turns, 2, of, 1);
    assert_int_equal(turns_us(&turns, 2), 1);
}

/* It waits for the one that asks for messages to wake it. */
static void who_sleeps_needs_none(void **state)
{
    struct turns alone = { 0 };

    (void)state;
    wait_for(2);
    for (int i = 0; i < 2; i++) {
        turns_read(&alone, 1, &of[1], 1);
        assert_int_equal(turns_us(&alone, 1), 1);       /* nobody had any */
    }
}

static void the_least_counts(void **state)
{
    pid_t pid = fork();

    (void)state;
    if (pid == 0) {
        raise(SIGSTOP);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
    of[1].tid = pid;                    /* would like to, and gets none */
    wait_for(1);
    assert_int_equal(read_all(2), 1);
    of[1].tid = 0;                      /* not known */
    assert_int_equal(read_all(2), 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    of[1].tid = pid;                    /* has ended */
    assert_int_equal(read_all(2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counts_since_it_waits, begin, end),
        cmocka_unit_test_setup_teardown(who_sleeps_needs_none, begin, end),
        cmocka_unit_test_setup_teardown(the_least_counts, begin, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
