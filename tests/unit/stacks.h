/* stacks.h - processes whose stacks are taken, a stacker with its loop, and the
 * tree it has given: for its tests. */
#ifndef HECTOR_TESTS_STACKS_H
#define HECTOR_TESTS_STACKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "proto/tree/prefixtree.h"
#include "slave/stacks/stacker.h"
#include "tests/unit/process.h"

static struct event_base *base;
static struct stacker *stacker;
static struct prefixtree tree;
static char notes[8][STACKER_NOTE];
static bool answered, good;
static uint32_t copies;

/* -------------------------------------------------- what is looked at */

static volatile int stop_here;

__attribute__((noinline)) static void *wait_g(void *arg)
{
    char c = 'g';

    if (arg && write((int)(intptr_t)arg, &c, 1) != 1)
        _exit(1);
    while (!stop_here)
        ;
    return arg;
}

__attribute__((noinline)) static void call_f(int fd)
{
    wait_g((void *)(intptr_t)fd);
    stop_here++;
}

/* Array bigger than what is copied: the outer frames are read later. */
__attribute__((noinline)) static void call_big(int fd)
{
    volatile char big[100000];

    big[0] = big[sizeof(big) - 1] = 1;
    call_f(fd);
    stop_here += big[0];
}

enum how {
    PLAIN, BIG, THREADS,
    LEFT,                       /* the first thread ends, another one goes on */
    BECOMES,                    /* another program, at SIGUSR1 */
};

static void let_go(int sig)
{
    (void)sig;
    stop_here = 1;
}

/* It is there when this returns. */
static pid_t start(enum how how)
{
    int fds[2];
    char c;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        pthread_t t;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  /* where only children may be */
        if (how == THREADS || how == LEFT)
            pthread_create(&t, NULL, wait_g, (void *)(intptr_t)fds[1]);
        if (how == LEFT)
            pthread_exit(NULL);
        if (how == BECOMES)
            signal(SIGUSR1, let_go);
        if (how == BIG)
            call_big(fds[1]);
        else
            call_f(fds[1]);
        if (how == BECOMES)
            execlp("sleep", "sleep", "100", (char *)NULL);
        _exit(0);
    }
    for (int i = 0; i < (how == THREADS ? 2 : 1); i++)
        assert_int_equal(read(fds[0], &c, 1), 1);
    close(fds[0]);
    close(fds[1]);
    return pid;
}

/* In the end: who has just been let go may have got no processor yet. */
static bool comes_to(pid_t pid, char want)
{
    for (int i = 0; i < 10000 && state_of(pid) != want; i++) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        usleep(1000);
    }
    return state_of(pid) == want;
}

static void check_state(pid_t pid, char want)
{
    if (!comes_to(pid, want))
        assert_int_equal(state_of(pid), want);
}

/* ---------------------------------------------------------------- asking */

static void on_done(void *arg, const struct stacker_result *r,
                    const struct err *why)
{
    (void)arg;
    answered = true;
    good = r != NULL;
    if (why)
        fprintf(stderr, "# %s\n", why->text);
    if (r) {
        assert_int_equal(prefixtree_parse(&tree, r->tree, r->bytes, NULL), 0);
        memcpy(notes, r->task_notes, sizeof(notes[0]) * tree.width);
        copies = r->copies;
    }
    event_base_loopbreak(base);
}

static void take_once(const pid_t *pids, uint32_t n, struct stacker_conf conf)
{
    prefixtree_fini(&tree);
    memset(notes, 0, sizeof(notes));
    conf.pids = pids;
    conf.ntasks = n;
    if (!conf.nsamples)
        conf.nsamples = 1;
    answered = false;
    assert_int_equal(stacker_take(stacker, &conf, on_done, NULL, NULL), 0);
    event_base_dispatch(base);
    assert_true(answered && good);
}

static bool all_on_time(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strstr(notes[i], "gets no processor"))
            return false;
    return true;
}

/* Again, while the machine is so busy that somebody could not even stop. */
static void take(const pid_t *pids, uint32_t n, struct stacker_conf conf)
{
    for (int i = 0; i < 50; i++) {
        take_once(pids, n, conf);
        if (all_on_time(n))
            return;
    }
    fail_msg("a task got no processor in 50 requests");
}

/* The node with this function that this task has, 0: none. */
static uint32_t node_of(uint32_t position, const char *function)
{
    for (uint32_t i = 1; i < tree.nnodes; i++)
        if (prefixtree_has(&tree, i, position) &&
            strcmp(prefixtree_text(&tree,
                       tree.frames[tree.nodes[i].frame].function),
                   function) == 0)
            return i;
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    base = event_base_new();
    stacker = base ? stacker_open(base, NULL) : NULL;
    return stacker ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    prefixtree_fini(&tree);
    stacker_close(stacker);
    event_base_free(base);
    return 0;
}

#endif
