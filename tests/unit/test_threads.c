/* test_threads.c - can a thread of a process go on before the one that is named
 * wakes it? Real children, each with a thread that sleeps in one way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "slave/proc/smallfile.h"
#include "slave/proc/threads.h"

static sem_t own, *shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *posted(void *arg) { sem_wait(&own); return arg; }
static void *locked(void *arg) { pthread_mutex_lock(&mutex); return arg; }
static void *joins(void *arg) { pthread_join(first, NULL); return arg; }
static void *signalled(void *arg)
{
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&m);
    pthread_cond_wait(&cond, &m);
    return arg;
}
static void *from_outside(void *arg) { sem_wait(shared); return arg; }
static void *timed(void *arg)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 1000;
    sem_timedwait(&own, &t);
    return arg;
}
static void *naps(void *arg) { sleep(1000); return arg; }
static void *reads(void *arg)
{
    int p[2];
    char c;

    return pipe(p) || read(p[0], &c, 1) < 0 ? NULL : arg;
}
static void *pauses(void *arg) { pause(); return arg; }
static void *computes(void *arg)
{
    for (volatile int i = 0; ; i++)
        arg = (void *)&i;
    return arg;
}

static void on_signal(int sig) { (void)sig; }

/* The child's first thread works, as one in MPI does. */
static _Noreturn void child(void *(*does)(void *), int caught)
{
    pthread_t t;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    first = pthread_self();
    pthread_mutex_lock(&mutex);
    if (caught)
        signal(caught, on_signal);
    if (does && pthread_create(&t, NULL, does, NULL))
        _exit(1);
    computes(NULL);
    _exit(0);
}

/* The number of a thread that is not the first one, or 0. */
static pid_t other_thread(pid_t pid)
{
    char path[40];
    DIR *dir;
    struct dirent *e;
    pid_t tid = 0;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && (tid == 0 || tid == pid) && (e = readdir(dir)))
        tid = atoi(e->d_name);
    if (dir)
        closedir(dir);
    return tid == pid ? 0 : tid;
}

/* Its other thread is there, and sleeps, or works: what is said of it then. */
static bool settled(pid_t pid, const struct threads_but *but, bool wanted)
{
    bool is = !wanted;

    for (int i = 0; i < (wanted ? 5000 : 100) && is != wanted; i++) {
        usleep(1000);
        is = threads_asleep(pid, but);
    }
    for (int i = 0; i < 20 && is == wanted; i++)
        is = threads_asleep(pid, but);
    return is;
}

static bool ask(void *(*does)(void *), int caught, uint32_t known, bool wanted)
{
    struct threads_but but = { .signals = known ? UINT64_C(1) << (known - 1) : 0,
                               .n = 1 };
    pid_t pid = fork();
    bool is;

    if (pid == 0)
        child(does, caught);
    but.tid[0] = pid;
    while (does && !other_thread(pid))
        usleep(1000);
    is = settled(pid, &but, wanted);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return is;
}

static void each(void **state)
{
    static const struct {
        void *(*does)(void *);
        int caught;
        uint32_t known;
        bool asleep;
    } cases[] = {
        { NULL, 0, 0, true },
        { posted, 0, 0, true },
        { locked, 0, 0, true },
        { signalled, 0, 0, true },
        { joins, 0, 0, true },
        { posted, SIGTERM, 0, true },           /* comes from people */
        { posted, SIGUSR2, SIGUSR2, true },     /* is ours */
        { posted, SIGALRM, 0, false },
        { posted, SIGUSR1, 0, false },
        { from_outside, 0, 0, false },
        { timed, 0, 0, false },
        { naps, 0, 0, false },
        { reads, 0, 0, false },
        { pauses, 0, 0, false },
        { computes, 0, 0, false },
    };

    (void)state;
    sem_init(&own, 0, 0);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(shared, 1, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (ask(cases[i].does, cases[i].caught, cases[i].known,
                cases[i].asleep) != cases[i].asleep)
            fail_msg("case %zu", i);
}

/* Nor those that the question is about, of whom there may be several. */
static void several(void **state)
{
    struct threads_but but = { .n = 1 };
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        child(computes, 0);
    but.tid[0] = pid;
    while (!(but.tid[1] = other_thread(pid)))
        usleep(1000);
    assert_false(settled(pid, &but, false));
    but.n = 2;
    assert_true(settled(pid, &but, true));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* MPI's own threads are not asked about, unless their number belongs to another
 * one by now. */
static void crew(void **state)
{
    static struct page_header h;
    struct threads_but but = { .page = &h, .n = 1 };
    char path[64], text[1024], *p;
    pid_t pid = fork(), tid;

    (void)state;
    if (pid == 0)
        child(naps, 0);
    but.tid[0] = pid;
    while (!(tid = other_thread(pid)))
        usleep(1000);
    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
    assert_true(smallfile_read(path, text, sizeof(text)));
    p = strrchr(text, ')');
    for (int field = 2; field < 22; field++)
        p = strchr(p + 1, ' ');
    atomic_store(&h.crew[1].tid, (uint32_t)tid);
    atomic_store(&h.crew[1].started, (uint32_t)strtoull(p, NULL, 10));
    assert_false(settled(pid, &but, false));
    atomic_store(&h.crew_known, 1);
    assert_true(settled(pid, &but, true));
    assert_true(threads_single(pid, &h));
    assert_false(threads_single(pid, NULL));
    atomic_fetch_add(&h.crew[1].started, 1);
    assert_false(settled(pid, &but, false));
    assert_false(threads_single(pid, &h));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void texts(void **state)
{
    uint64_t address;
    bool shared_too;
    char text[120];

    (void)state;
    snprintf(text, sizeof(text), "%d 0x1000 0x80 0x2 0x0 0x0 0x0 0x7 0x8",
             SYS_futex);
    assert_true(threads_waits(text, &shared_too, &address));
    assert_false(shared_too);
    snprintf(text, sizeof(text), "%d 0x1000 0x109 0x2 0x0 0x0 0x0 0x7 0x8",
             SYS_futex);
    assert_true(threads_waits(text, &shared_too, &address));
    assert_true(shared_too);
    assert_int_equal(address, 0x1000);
    snprintf(text, sizeof(text), "%d 0x1000 0x80 0x2 0x7f 0x0 0x0 0x7 0x8",
             SYS_futex);
    assert_false(threads_waits(text, &shared_too, &address));
    snprintf(text, sizeof(text), "%d 0x1000 0x81 0x2 0x0 0x0 0x0 0x7 0x8",
             SYS_futex);
    assert_false(threads_waits(text, &shared_too, &address));
    assert_false(threads_waits("running", &shared_too, &address));
    assert_true(threads_signalled("nothing", 0));
    assert_false(threads_signalled("a\nSigCgt:\t0000000180004000\n", 0));
    assert_true(threads_signalled("a\nSigCgt:\t0000000000002000\n", 0));
    assert_false(threads_signalled("a\nSigCgt:\t0000000000002000\n",
                                   UINT64_C(1) << (SIGALRM - 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each), cmocka_unit_test(several),
        cmocka_unit_test(crew), cmocka_unit_test(texts),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
