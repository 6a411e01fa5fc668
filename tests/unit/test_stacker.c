/* test_stacker.c - stacks of real processes: one that calls f and g and waits,
 * with threads, stopped, ending, becoming another program; and that nobody is
 * left stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "proto/prefixtree.h"
#include "slave/reap.h"
#include "slave/stacker.h"

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

enum how { PLAIN, BIG, THREADS };

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
        if (how == THREADS)
            pthread_create(&t, NULL, wait_g, (void *)(intptr_t)fds[1]);
        if (how == BIG)
            call_big(fds[1]);
        else
            call_f(fds[1]);
        _exit(0);
    }
    for (int i = 0; i < (how == THREADS ? 2 : 1); i++)
        assert_int_equal(read(fds[0], &c, 1), 1);
    close(fds[0]);
    close(fds[1]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* R or S, not t (traced) or T. */
static char state_of(pid_t pid)
{
    char path[40], text[400];
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    assert_non_null(f);
    n = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    text[n] = '\0';
    return *(strrchr(text, ')') + 2);
}

/* In the end: who has just been let go may have got no processor yet. */
static void check_state(pid_t pid, char want)
{
    for (int i = 0; i < 10000 && state_of(pid) != want; i++) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        usleep(1000);
    }
    assert_int_equal(state_of(pid), want);
}

/* ---------------------------------------------------------------- asking */

/* Ends are seen through reap.c, as in the slave: stops must not be among
 * them. */
static unsigned ends, killed_by_trap;

static void on_dead(void *arg, pid_t pid, int status, const struct rusage *u)
{
    (void)arg, (void)pid, (void)u;
    ends++;
    killed_by_trap += WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP;
}

static void on_stopped(void *arg, pid_t tid, int status)
{
    (void)arg;
    stacker_stopped(stacker, tid, status);
}

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

static void take(const pid_t *pids, uint32_t n, struct stacker_conf conf)
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

static const char *parent_of(uint32_t node)
{
    uint32_t up = tree.nodes[node].parent;

    return prefixtree_text(&tree, tree.frames[tree.nodes[up].frame].function);
}

/* How many children of ours are readers and live; *one: the last. */
static unsigned readers(pid_t *one)
{
    char path[64], name[32];
    int pid;
    unsigned n = 0;
    FILE *all, *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
    all = fopen(path, "re");
    while (all && fscanf(all, "%d", &pid) == 1) {
        snprintf(path, sizeof(path), "/proc/%d/comm", pid);
        f = fopen(path, "re");
        if (f && fgets(name, sizeof(name), f) &&
            strncmp(name, "hector-scribe", 13) == 0 && state_of(pid) != 'Z') {
            *one = pid;
            n++;
        }
        if (f)
            fclose(f);
    }
    if (all)
        fclose(all);
    return n;
}

/* Who asks again and again has one reader, which goes in the end. */
static void test_kept(void **state)
{
    pid_t pids[2] = { start(PLAIN), start(PLAIN) }, first = 0, now = 0;
    pid_t more[3] = { pids[1], pids[0], start(BIG) };
    struct stacker_conf conf = { .keep = true };

    (void)state;
    for (int i = 0; i < 3; i++) {
        take(pids, 2, conf);
        for (uint32_t p = 0; p < 2; p++)
            assert_true(node_of(p, "main") && prefixtree_count(&tree, 0) == 2);
        assert_int_equal(prefixtree_traces(&tree, 0), 2);       /* only its own */
        assert_int_equal(readers(&now), 1);
        assert_true(i == 0 || now == first);
        first = now;
    }
    /* It is the same one whatever is asked. */
    take(pids, 1, (struct stacker_conf){ .keep = true, .nsamples = 3,
                                         .lines = true });
    assert_int_equal(prefixtree_traces(&tree, 0), 3);
    assert_true(tree.frames[tree.nodes[node_of(0, "call_f")].frame].line > 0);
    take(pids + 1, 1, (struct stacker_conf){ .keep = true, .threads = true });
    assert_int_equal(tree.frames[tree.nodes[node_of(0, "call_f")].frame].line, 0);
    take(more, 3, conf);
    assert_true(node_of(2, "call_big") && !node_of(0, "call_big"));
    assert_int_equal(readers(&now), 1);
    assert_int_equal(now, first);
    end(more[2]);
    assert_int_equal(kill(first, SIGKILL), 0);  /* then there is another one */
    while (readers(&now) > 0) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        usleep(1000);
    }
    take(pids, 2, conf);
    assert_int_equal(readers(&now), 1);
    assert_true(now != first);
    stacker_rest(stacker);
    while (readers(&now) > 0) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        usleep(1000);
    }
    end(pids[0]);
    end(pids[1]);
}

/* How often it went to sleep: when it was stopped, for it never does else. */
static unsigned long rests_of(pid_t pid)
{
    unsigned long n = 0;
    char path[40], line[200];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
            break;
    fclose(f);
    return n;
}

/* Somebody else's turn of the loop is as good as one of its own, when a sample
 * is due and not before. */
static void test_tick(void **state)
{
    struct stacker_conf conf = { .nsamples = 2, .ntasks = 1,
                                 .interval_ns = 200 * CLOCK_NS_PER_MS };
    pid_t pid = start(PLAIN);
    unsigned long rests = rests_of(pid);
    uint64_t asked_ns = clock_monotonic_ns();

    (void)state;
    conf.pids = &pid;
    prefixtree_fini(&tree);
    answered = false;
    assert_int_equal(stacker_take(stacker, &conf, on_done, NULL, NULL), 0);
    while (rests_of(pid) == rests)
        event_base_loop(base, EVLOOP_NONBLOCK);
    rests = rests_of(pid);
    while (rests_of(pid) == rests)
        stacker_tick(stacker);          /* the loop does not run */
    assert_true(clock_monotonic_ns() - asked_ns >= conf.interval_ns);
    while (!answered)
        event_base_loop(base, EVLOOP_ONCE);
    assert_true(good);
    assert_int_equal(copies, 2);
    stacker_tick(stacker);              /* there is nothing to do */
    stacker_tick(NULL);
    end(pid);
}

static void test_plain(void **state)
{
    pid_t pids[2] = { start(PLAIN), start(BIG) };
    struct stacker_conf conf = { .nsamples = 5,
                                 .interval_ns = CLOCK_NS_PER_MS };
    uint32_t g;

    (void)state;
    take(pids, 2, conf);
    assert_int_equal(copies, 10);
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(notes[i], "");
        g = node_of(i, "wait_g");
        assert_true(g != 0);
        assert_string_equal(parent_of(g), "call_f");
        assert_true(node_of(i, "main") != 0);
        assert_int_equal(tree.counts[g * 5 + 4], 1);
        assert_int_equal(tree.frames[tree.nodes[g].frame].line, 0);
    }
    assert_true(node_of(1, "call_big") != 0);
    assert_true(node_of(0, "call_big") == 0);
    check_state(pids[0], 'R');
    check_state(pids[1], 'R');
    conf.lines = true;
    take(pids, 1, conf);
    g = node_of(0, "call_f");
    assert_true(tree.frames[tree.nodes[g].frame].line > 0);
    end(pids[0]);
    end(pids[1]);
}

static void test_threads(void **state)
{
    pid_t pid = start(THREADS);
    struct stacker_conf conf = { .threads = true };
    uint32_t n = 0;

    (void)state;
    take(&pid, 1, conf);
    assert_int_equal(copies, 2);
    for (uint32_t i = 1; i < tree.nnodes; i++)
        if (strcmp(prefixtree_text(&tree,
                       tree.frames[tree.nodes[i].frame].function),
                   "wait_g") == 0)
            n++;
    assert_int_equal(n, 2);     /* below main, and below the thread's start */
    end(pid);
}

/* A stopped one has a stack, and stays stopped. */
static void test_stopped(void **state)
{
    pid_t pid = start(PLAIN);
    struct stacker_conf conf = { .nsamples = 2 };
    siginfo_t info;

    (void)state;
    kill(pid, SIGSTOP);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
    take(&pid, 1, conf);
    assert_true(node_of(0, "wait_g") != 0);
    assert_non_null(strstr(notes[0], "stopped"));
    check_state(pid, 'T');
    kill(pid, SIGCONT);
    end(pid);
}

/* A signal that comes at the same time is not lost. */
static void test_signals(void **state)
{
    pid_t pid = start(PLAIN);
    struct stacker_conf conf = { .nsamples = 50, .interval_ns = 1000 };
    int status;

    (void)state;
    kill(pid, SIGUSR1);         /* ends it: nobody catches it */
    take(&pid, 1, conf);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
}

static void test_gone(void **state)
{
    pid_t pids[3] = { start(PLAIN), start(PLAIN), 0 };
    struct stacker_conf conf = { .nsamples = 3 };

    (void)state;
    end(pids[1]);
    take(pids, 3, conf);
    assert_string_equal(notes[0], "");
    assert_non_null(strstr(notes[1], "no such process"));
    assert_non_null(strstr(notes[2], "no such process"));
    assert_true(node_of(0, "wait_g") && !node_of(1, "wait_g"));
    end(pids[0]);
}

static void on_kill(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    kill(*(pid_t *)arg, SIGKILL);
}

/* That it ended is the last word on a task, also before its parent knows. */
static void test_ends(void **state)
{
    pid_t pid = start(PLAIN);
    struct stacker_conf conf = { .nsamples = 10,
                                 .interval_ns = 20 * CLOCK_NS_PER_MS };
    struct timeval tv = { .tv_usec = 50000 };
    siginfo_t info;

    (void)state;
    kill(pid, SIGSTOP);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
    assert_int_equal(event_base_once(base, -1, EV_TIMEOUT, on_kill, &pid, &tv),
                     0);
    take(&pid, 1, conf);
    assert_string_equal(notes[0], "there is no such process any more");
    assert_int_equal(state_of(pid), 'Z');
    end(pid);
}

/* Somebody else traces it. */
static void test_traced(void **state)
{
    pid_t pids[2] = { start(PLAIN), start(PLAIN) }, tracer;
    struct stacker_conf conf = { .nsamples = 1 };
    int fds[2];
    char c;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    tracer = fork();
    if (tracer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_SEIZE, pids[0], NULL, NULL) || write(fds[1], "s", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(fds[0], &c, 1), 1);
    take(pids, 2, conf);
    assert_non_null(strstr(notes[0], "traces it"));
    assert_true(node_of(1, "wait_g") != 0);
    end(tracer);
    end(pids[0]);
    end(pids[1]);
    close(fds[0]);
    close(fds[1]);
}

/* Ends and becomes another program while samples are taken: each task has a
 * stack or a sentence, and nobody waits for long. */
static void test_restless(void **state)
{
    struct stacker_conf conf = { .nsamples = 40,
                                 .interval_ns = CLOCK_NS_PER_MS };
    pid_t pids[2] = { start(PLAIN), 0 };

    (void)state;
    pids[1] = fork();
    if (pids[1] == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 300 ]; do i=$((i+1));"
              " (:); done; exec sleep 100", (char *)NULL);
        _exit(1);
    }
    take(pids, 2, conf);
    assert_true(node_of(0, "wait_g") != 0);
    assert_true(prefixtree_has(&tree, 0, 1) || notes[1][0]);
    assert_true(state_of(pids[1]) != 't');
    end(pids[0]);
    end(pids[1]);
}

/* With somebody else who waits for all children, in both orders. */
static void test_reaped(void **state)
{
    struct stacker_conf conf = { .nsamples = 200, .interval_ns = 200000 };
    pid_t pids[6];
    struct reap *reap = reap_open(base, on_dead, on_stopped, NULL, NULL);

    (void)state;
    assert_non_null(reap);
    ends = killed_by_trap = 0;
    for (int i = 0; i < 6; i++)
        pids[i] = start(PLAIN);
    take(pids, 6, conf);
    assert_int_equal(killed_by_trap, 0);
    for (int i = 0; i < 6; i++) {
        if (notes[i][0])        /* on a busy machine */
            assert_non_null(strstr(notes[i], "gets no processor"));
        check_state(pids[i], 'R');
        kill(pids[i], SIGKILL);
    }
    while (ends < 7)            /* the scribe, too */
        event_base_loop(base, EVLOOP_ONCE);
    reap_close(reap);
}

static void test_limits(void **state)
{
    pid_t one = getpid();
    struct stacker_conf conf = { .pids = &one, .ntasks = 0, .nsamples = 1 };
    struct err err;

    (void)state;
    assert_int_equal(stacker_take(stacker, &conf, on_done, NULL, &err), -1);
    conf.ntasks = 1;
    conf.nsamples = STACKER_SAMPLES_MAX + 1;
    assert_int_equal(stacker_take(stacker, &conf, on_done, NULL, &err), -1);
    assert_non_null(strstr(err.text, "samples"));
}

/* Nobody is left seized when the stacker goes in the middle. */
static void test_close(void **state)
{
    pid_t pid = start(PLAIN);
    struct stacker_conf conf = { .pids = &pid, .ntasks = 1, .nsamples = 100,
                                 .interval_ns = CLOCK_NS_PER_MS };
    struct stacker *own;

    (void)state;
    stacker_close(stacker);
    own = stacker_open(base, NULL);
    assert_non_null(own);
    answered = false;
    assert_int_equal(stacker_take(own, &conf, on_done, NULL, NULL), 0);
    for (int i = 0; i < 20; i++)
        event_base_loop(base, EVLOOP_ONCE);
    stacker_cancel(own, NULL);
    check_state(pid, 'R');
    assert_int_equal(stacker_take(own, &conf, on_done, NULL, NULL), 0);
    for (int i = 0; i < 20; i++)
        event_base_loop(base, EVLOOP_ONCE);
    stacker_close(own);
    assert_false(answered);
    check_state(pid, 'R');
    end(pid);
    stacker = stacker_open(base, NULL);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_kept),
        cmocka_unit_test(test_tick),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_stopped), cmocka_unit_test(test_signals),
        cmocka_unit_test(test_gone), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_traced),
        cmocka_unit_test(test_restless), cmocka_unit_test(test_reaped),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_close),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
