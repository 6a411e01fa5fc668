/* test_waiting.c - what a process waits for that sleeps in a system call: real
 * children that wait for one thing each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "policies/hct_policy.h"
#include "slave/proc/procstate.h"
#include "slave/proc/smallfile.h"
#include "slave/proc/waiting.h"
#include "tests/unit/may_trace.h"

static char dir[] = "/tmp/waiting-XXXXXX";
static int held = -1;           /* a locked file, by us */

static void naps(void) { sleep(1000); }
static void sleeps_until(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += 500;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
static void polls(void) { poll(NULL, 0, 70000); }
static void selects(void)
{
    struct timeval t = { .tv_sec = 80 };

    select(0, NULL, NULL, NULL, &t);
}
static void waits_for_signal(void)
{
    struct timespec t = { .tv_sec = 90 };
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigtimedwait(&set, NULL, &t);
}
static void waits_for_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        usleep(100000);         /* it is another program only after a while */
        prctl(PR_SET_NAME, "worker");
        pause();
    }
    waitpid(child, NULL, 0);
}
static void reads_pipe(void)
{
    int p[2];
    char c;

    if (pipe(p) == 0 && read(p[0], &c, 1) < 0)
        _exit(1);
}
static void reads_socket(void)
{
    int p[2];
    char c;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0 && read(p[0], &c, 1) < 0)
        _exit(1);
}
static void opens_fifo(void)
{
    char path[80];

    snprintf(path, sizeof(path), "%s/fifo", dir);
    mkfifo(path, 0600);
    open(path, O_RDONLY);
}
static void locks_region(void)
{
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    char path[80];

    snprintf(path, sizeof(path), "%s/locked", dir);
    fcntl(open(path, O_RDWR), F_SETLKW, &l);
}
static void locks_file(void)
{
    char path[80];

    snprintf(path, sizeof(path), "%s/locked", dir);
    flock(open(path, O_RDWR), LOCK_EX);
}
static void locks_memory(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
}

static bool asleep(pid_t pid)
{
    char path[40], text[1024];

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    return smallfile_read(path, text, sizeof(text)) &&
           procstate_letter(text) == 'S';
}

/* A child does that: what it waits for, as soon as it is that. */
static struct waiting look_at(void (*does)(void), uint32_t wanted,
                              const char *name)
{
    struct waiting w = { 0 };
    char path[40], text[WAITING_TEXT];
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        does();
        _exit(0);
    }
    snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
    for (int i = 0; i < 60000 && (w.what != wanted || !strstr(w.name, name) ||
                                  !asleep(pid)); i++) {
        if (smallfile_read(path, text, sizeof(text)))
            waiting_read(&w, pid, text);
        usleep(1000);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return w;
}

/* While we hold it, to look at its stack, it is what it was before; and then it is
 * read again. */
static void while_held(void **state)
{
    struct procstate s = { 0 }, fresh = { 0 };
    pid_t pid = fork();
    int status;

    (void)state;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pause();
        _exit(0);
    }
    for (int i = 0; i < 60000 && !(s.flags & HCT_PAUSES); i++) {
        procstate_read(&s, pid);
        usleep(1000);
    }
    assert_int_equal(s.flags, HCT_PAUSES);
    assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, NULL), 0);
    assert_int_equal(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL), 0);
    assert_int_equal(waitpid(pid, &status, __WALL), pid);
    procstate_read(&s, pid);
    assert_int_equal(s.flags, HCT_PAUSES);
    assert_int_equal(s.waiting.what, HCT_WAITS_SIGNAL);
    procstate_read(&fresh, pid);        /* nothing was known */
    assert_int_equal(fresh.flags, 0);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
}

static void each(void **state)
{
    static const struct {
        void (*does)(void);
        uint32_t what;
        unsigned from_s, to_s;  /* that it sleeps */
        const char *name;
    } cases[] = {
        { naps, HCT_WAITS_TIME, 1000, 1000, "" },
        { sleeps_until, HCT_WAITS_TIME, 400, 500, "" },
        { polls, HCT_WAITS_TIME, 70, 70, "" },
        { selects, HCT_WAITS_TIME, 80, 80, "" },
        { waits_for_signal, HCT_WAITS_TIME, 90, 90, "" },
        { waits_for_child, HCT_WAITS_CHILD, 0, 0, "(worker)" },
        { reads_pipe, HCT_WAITS_PIPE, 0, 0, "" },
        { reads_socket, HCT_WAITS_SOCKET, 0, 0, "" },
        { opens_fifo, HCT_WAITS_FILE, 0, 0, "fifo" },
        { locks_region, HCT_WAITS_LOCK, 0, 0, "locked" },
        { locks_file, HCT_WAITS_LOCK, 0, 0, "locked" },
        { locks_memory, HCT_WAITS_THREAD, 0, 0, "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct waiting w = look_at(cases[i].does, cases[i].what,
                                   cases[i].name);

        if (w.what != cases[i].what || !strstr(w.name, cases[i].name) ||
            w.ns < cases[i].from_s * 1000000000ull ||
            w.ns > cases[i].to_s * 1000000000ull)
            fail_msg("case %zu: %u \"%s\" %llu ns: %s", i, w.what, w.name,
                     (unsigned long long)w.ns, w.text);
    }
}

/* The same text is not looked into again; another one, or none, is. */
static void again(void **state)
{
    struct waiting w = { 0 };

    (void)state;
    waiting_read(&w, getpid(), "running");
    assert_int_equal(w.what, HCT_WAITS_UNKNOWN);
    waiting_read(&w, getpid(), "9999 0x0 0x0 0x0 0x0 0x0 0x0 0x7f 0x7e");
    assert_int_equal(w.what, HCT_WAITS_OTHER);
    waiting_read(&w, getpid(), "");
    assert_int_equal(w.what, HCT_WAITS_UNKNOWN);
}

static int setup(void **state)
{
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    char path[80];

    (void)state;
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof(path), "%s/locked", dir);
    held = open(path, O_RDWR | O_CREAT, 0600);
    return held < 0 || fcntl(held, F_SETLK, &l) || flock(held, LOCK_EX);
}

static int teardown(void **state)
{
    char path[80];

    (void)state;
    close(held);
    snprintf(path, sizeof(path), "%s/locked", dir);
    unlink(path);
    snprintf(path, sizeof(path), "%s/fifo", dir);
    unlink(path);
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(while_held),
        cmocka_unit_test(each), cmocka_unit_test(again),
    };

    if (!may_trace())
        return 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
