/* test_stacker.c - stacks of real processes: one that calls f and g and waits,
 * with threads, stopped, ending, becoming another program; and that nobody is
 * left stopped. */
#include <sys/ptrace.h>

#include "slave/proc/reap.h"
#include "slave/stacks/stacker_note.h"
#include "tests/unit/may_trace.h"
#include "tests/unit/stacks.h"

/* Ends are seen through reap.c, as in the slave: stops must not be among
 * them. */
static unsigned ends, killed_by_trap;

static void on_dead(void *arg, pid_t pid, int status, const struct reap_usage *u)
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

static const char *parent_of(uint32_t node)
{
    uint32_t up = tree.nodes[node].parent;

    return prefixtree_text(&tree, tree.frames[tree.nodes[up].frame].function);
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

static uint32_t place_in_f(void *arg, uint32_t position, uint64_t *pc,
                           uint32_t max)
{
    (void)arg;
    assert_true(max >= 1);
    pc[0] = (uint64_t)(uintptr_t)call_f + 8;
    return position == 0;
}

/* Places that are told: nobody is stopped. */
static void test_places(void **state)
{
    pid_t pids[2] = { start(PLAIN), start(PLAIN) };
    struct stacker_conf conf = { .lines = true, .place_of = place_in_f };
    uint32_t f;

    (void)state;
    take(pids, 2, conf);
    assert_int_equal(copies, 0);
    f = node_of(0, "call_f");
    assert_true(f && tree.frames[tree.nodes[f].frame].line > 0);
    assert_int_equal(node_of(0, "wait_g"), 0);
    assert_int_equal(node_of(1, "call_f"), 0);
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

static void test_first_has_ended(void **state)
{
    pid_t pid = start(LEFT);
    struct stacker_conf conf = { .nsamples = 2 };

    (void)state;
    check_state(pid, 'Z');
    take(&pid, 1, conf);
    assert_int_equal(copies, 2);
    assert_true(node_of(0, "wait_g") != 0);
    assert_string_equal(notes[0], "its first thread has ended: the stack is that of "
                        "another one");
    end(pid);
}

/* Without ptrace the main thread answers: said where there are others. */
static void test_told(void **state)
{
    pid_t one = start(PLAIN), two = start(THREADS);
    char note[STACKER_NOTE] = "";

    (void)state;
    note_told(note, "no", two);
    assert_string_equal(note, "no: only its main thread has told its stack");
    note[0] = '\0';
    note_told(note, "no", one);
    assert_string_equal(note, "no: the task has told its stack itself");
    note[0] = '\0';
    note_told(note, "no", 0);
    assert_string_equal(note, "no: the task has told its stack itself");
    end(one);
    end(two);
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
        if (ptrace(PTRACE_SEIZE, pids[0], NULL, NULL) ||
            write(fds[1], "s", 1) != 1)
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
    struct reap *reap = reap_open(base, on_dead, on_stopped, NULL, NULL, NULL);

    (void)state;
    assert_non_null(reap);
    ends = killed_by_trap = 0;
    for (int i = 0; i < 6; i++)
        pids[i] = start(PLAIN);
    take_once(pids, 6, conf);
    assert_int_equal(killed_by_trap, 0);
    for (int i = 0; i < 6; i++) {
        if (notes[i][0])        /* on a busy machine */
            assert_non_null(strstr(notes[i], "gets no processor"));
        check_state(pids[i], 'R');
        kill(pids[i], SIGKILL);
    }
    while (ends < 7)            /* the unwinder, too */
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

/* In a process that ends then: false, if anything goes wrong. */
static bool close_in_the_middle(pid_t pid)
{
    struct stacker_conf conf = { .pids = &pid, .ntasks = 1, .nsamples = 100,
                                 .interval_ns = CLOCK_NS_PER_MS };
    struct stacker *own;

    if (event_reinit(base) < 0 || !(own = stacker_open(base, NULL)))
        return false;
    answered = false;
    for (int close = 0; close < 2; close++) {
        if (stacker_take(own, &conf, on_done, NULL, NULL) < 0)
            return false;
        for (int i = 0; i < 20; i++)
            event_base_loop(base, EVLOOP_ONCE);
        if (close) {
            stacker_close(own);
            break;
        }
        stacker_cancel(own, NULL);
        if (!comes_to(pid, 'R'))
            return false;
    }
    return !answered;
}

/* Nobody is left stopped when the stacker goes in the middle. One that got no
 * processor between the request to stop and the close stops afterwards, and
 * is let go as our process ends: hence that is one of its own. */
static void test_close(void **state)
{
    pid_t pid = start(PLAIN), closer;
    int status;

    (void)state;
    stacker_close(stacker);
    closer = fork();
    if (closer == 0)
        _exit(close_in_the_middle(pid) ? 0 : 1);
    assert_int_equal(waitpid(closer, &status, 0), closer);
    assert_int_equal(status, 0);
    check_state(pid, 'R');
    end(pid);
    stacker = stacker_open(base, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain), cmocka_unit_test(test_places),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_first_has_ended),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_stopped), cmocka_unit_test(test_signals),
        cmocka_unit_test(test_gone), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_traced),
        cmocka_unit_test(test_restless), cmocka_unit_test(test_reaped),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_close),
    };

    if (!may_trace())
        return 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
