/* test_unwind.c - the quick way through a stack finds what libdw finds: at
 * every few instructions of programs that the compilers here have just made,
 * with calls back from the C library, signal handlers, realigned stacks, calls
 * through the PLT and into the kernel's library, with and without frame
 * pointers and symbols, in C, Fortran and OpenMP; and in threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/asan.h"
#include "proto/base/clock.h"
#include "slave/proc/procmaps.h"
#include "slave/stacks/halt.h"
#include "slave/stacks/unwind.h"
#include "tests/unit/may_trace.h"

enum { MAPS = 1 << 20, MANY = 15000 };

static char dir[] = "/tmp/hct-unwind-XXXXXX";
static char maps[MAPS];
static struct halt_copy copy;

/* It stops itself when it is about to do what is looked at. */
static const char c_source[] =
    "#include <signal.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <time.h>\n"
    "static volatile uint64_t sink;\n"
    "static char room[65536];\n"
    "__attribute__((noinline)) static void aligned(int n)\n"
    "{\n"
    "    _Alignas(64) volatile char v[64];\n"
    "    volatile char *more = __builtin_alloca(n);\n"
    "    v[n % 64] = more[n - 1] = 1;\n"
    "    sink += (uintptr_t)v % 64 + v[n % 64];\n"
    "}\n"
    "__attribute__((noinline)) static int deep(int n)\n"
    "{\n"
    "    struct timespec ts;\n"
    "    clock_gettime(CLOCK_MONOTONIC, &ts);\n"
    "    sink += ts.tv_nsec;\n"
    "    aligned(n + 8);\n"
    "    return n ? deep(n - 1) + 1 : 0;\n"
    "}\n"
    "static int order(const void *a, const void *b)\n"
    "{\n"
    "    return deep(2) * 0 + *(const int *)a - *(const int *)b;\n"
    "}\n"
    "static void handler(int sig) { sink += deep(sig % 3); }\n"
    "static void many(int a, int b, int c, int d, int e, int f, int g,\n"
    "                 double h, const char *text)\n"
    "{\n"
    "    char line[200];\n"
    "    snprintf(line, sizeof(line), \"%d %d %d %d %d %d %d %g %s\", a, b,\n"
    "             c, d, e, f, g, h, text);\n"
    "    sink += strlen(line);\n"
    "}\n"
    "int main(void)\n"
    "{\n"
    "    stack_t other = { .ss_sp = room, .ss_size = sizeof(room) };\n"
    "    struct sigaction sa = { .sa_handler = handler };\n"
    "    int v[] = { 3, 1, 2 };\n"
    "    sigaction(SIGUSR1, &sa, NULL);\n"
    "    sa.sa_flags = SA_ONSTACK;\n"
    "    sigaltstack(&other, NULL);\n"
    "    sigaction(SIGUSR2, &sa, NULL);\n"
    "    raise(SIGSTOP);\n"
    "    qsort(v, 3, sizeof(v[0]), order);\n"
    "    many(1, 2, 3, 4, 5, 6, 7, 8.5, \"nine\");\n"
    "    raise(SIGUSR1);\n"
    "    raise(SIGUSR2);\n"
    "    free(realloc(malloc(10), 100000));\n"
    "    return 0;\n"
    "}\n";

static const char f_source[] =
    "module m\n"
    "contains\n"
    "  recursive subroutine proc(n, v)\n"
    "    integer, intent(in) :: n\n"
    "    real, intent(inout) :: v(:)\n"
    "    v = cshift(v, 1) + n\n"
    "    if (n > 0) call proc(n - 1, v)\n"
    "  end subroutine\n"
    "end module\n"
    "program heat\n"
    "  use m\n"
    "  interface\n"
    "    integer(c_int) function raise(sig) bind(c)\n"
    "      use iso_c_binding\n"
    "      integer(c_int), value :: sig\n"
    "    end function\n"
    "  end interface\n"
    "  real :: v(40) = 1\n"
    "  character(80) :: line\n"
    "  if (raise(19) /= 0) stop 1\n"
    "  call proc(5, v)\n"
    "  write (line, '(5f8.3)') v(1:5)\n"
    "  if (len_trim(line) == 0) stop 1\n"
    "end program\n";

static const char omp_source[] =
    "#include <omp.h>\n"
    "#include <signal.h>\n"
    "static volatile double sum;\n"
    "int main(void)\n"
    "{\n"
    "    double s = 0;\n"
    "    omp_set_num_threads(3);\n"
    "    raise(SIGSTOP);\n"
    "    for (int round = 0; round < 3; round++) {\n"
    "#pragma omp parallel for reduction(+ : s) schedule(dynamic)\n"
    "        for (int i = 0; i < 30; i++)\n"
    "            s += i * 0.5;\n"
    "    }\n"
    "    sum = s;\n"
    "    return 0;\n"
    "}\n";

static void write_file(const char *name, const char *text)
{
    char path[200];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static bool shell(const char *words)
{
    char line[600];

    snprintf(line, sizeof(line), "cd %s && %s 2>/dev/null", dir, words);
    return system(line) == 0;
}

/* ------------------------------------------------------------ comparison */

struct pair { struct unwind *quick, *slow; unsigned deepest; };

static struct pair pair_create(pid_t pid)
{
    struct pair p = { 0 };

    assert_true(procmaps_read(pid, maps, sizeof(maps)) > 0);
    p.quick = unwind_create(pid, maps, NULL);
    p.slow = unwind_create(pid, maps, NULL);
    assert_non_null(p.quick);
    assert_non_null(p.slow);
    unwind_slowly(p.slow);
    return p;
}

static void pair_destroy(struct pair *p)
{
    assert_int_equal(unwind_quick(p->slow), 0);
    unwind_destroy(p->quick);
    unwind_destroy(p->slow);
}

static void compare(struct pair *p)
{
    struct unwind_frame a[UNWIND_DEPTH], b[UNWIND_DEPTH];
    unsigned n = unwind_trace(p->quick, &copy, a, UNWIND_DEPTH);

    assert_int_equal(unwind_trace(p->slow, &copy, b, UNWIND_DEPTH), n);
    for (unsigned i = 0; i < n; i++) {
        assert_true(!a[i].path == !b[i].path);
        if (a[i].path)
            assert_string_equal(a[i].path, b[i].path);
        assert_int_equal(a[i].address, b[i].address);
        assert_int_equal(a[i].call, b[i].call);
    }
    if (n > p->deepest)
        p->deepest = n;
}

/* ------------------------------------------------------- step after step */

#if defined(__x86_64__)
static void take(pid_t pid)
{
    struct user_regs_struct r;
    struct iovec iov = { &r, sizeof(r) };
    struct iovec local = { copy.stack, 8192 }, remote = { NULL, 8192 };
    ssize_t n;

    assert_int_equal(ptrace(PTRACE_GETREGSET, pid,
                            (void *)(uintptr_t)NT_PRSTATUS, &iov), 0);
    const uint64_t v[] = { r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp,
        r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip };

    memcpy(copy.regs, v, sizeof(v));
    copy.nregs = sizeof(v) / sizeof(v[0]);
    copy.pc = r.rip;
    copy.sp = r.rsp;
    remote.iov_base = (void *)(uintptr_t)r.rsp;
    n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
    copy.bytes = n > 0 ? (uint32_t)n : 0;
}

static int step(pid_t pid, int sig)
{
    int status;

    assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL,
                            (void *)(intptr_t)sig), 0);
    assert_int_equal(waitpid(pid, &status, __WALL), pid);
    return status;
}

/* Compares at every few of its instructions. */
static void follow(const char *program, unsigned every, unsigned least)
{
    unsigned compared = 0, steps = 0;
    int status, sig = 0;
    char path[200];
    struct pair p;
    pid_t pid;

    snprintf(path, sizeof(path), "%s/%s", dir, program);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(path, path, NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);    /* the exec */
    assert_true(WIFSTOPPED(status));
    do {
        ptrace(PTRACE_CONT, pid, NULL, NULL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSTOPPED(status));
    } while (WSTOPSIG(status) != SIGSTOP);
    p = pair_create(pid);
    while (steps < MANY) {
        status = step(pid, sig);
        if (!WIFSTOPPED(status))
            break;
        sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
        if (steps++ % every)
            continue;
        take(pid);
        compare(&p);
        compared++;
    }
    if (WIFSTOPPED(status)) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, __WALL);
    }
    printf("# %s: %u steps, %u stacks compared, %u quick, up to %u frames\n",
           program, steps, compared, (unsigned)unwind_quick(p.quick),
           p.deepest);
    assert_true(compared > 100);
    /* Those with rules that libdw has to evaluate are few. */
    assert_true(unwind_quick(p.quick) * 10 >= compared * 9);
    assert_true(p.deepest >= least);
    pair_destroy(&p);
}

static void test_c(void **state)
{
    static const char *const flags[] = { "-O0", "-O2 -fomit-frame-pointer",
        "-O2 -fno-omit-frame-pointer -Wl,-z,lazy", "-O3 -s", "-O2 -static",
        "-O2 -fno-asynchronous-unwind-tables -g" };
    unsigned made = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        char line[200], name[20];

        snprintf(name, sizeof(name), "c%zu", i);
        snprintf(line, sizeof(line), "cc %s -o %s c.c", flags[i], name);
        if (!shell(line))
            continue;           /* no static C library */
        made++;
        follow(name, 7, 7);
    }
    assert_true(made >= 4);
}

static void test_fortran(void **state)
{
    (void)state;
    if (!shell("gfortran -O1 -o f f.f90"))
        skip();
    follow("f", 11, 7);
}

static void test_openmp(void **state)
{
    (void)state;
    if (!shell("cc -O1 -fopenmp -o omp omp.c"))
        skip();
    follow("omp", 11, 3);
}
#else
static void test_c(void **state) { (void)state; skip(); }
static void test_fortran(void **state) { (void)state; skip(); }
static void test_openmp(void **state) { (void)state; skip(); }
#endif

/* ------------------------------------------------------- as samples come */

/* Stacks that are larger than the copy, and copies that end early: the rest is
 * read from the process. */
__attribute__((noinline)) static void wait_deep(int fd, unsigned depth)
{
    volatile char room[600];

    memset((char *)room, 1, sizeof(room));
    if (depth > 0)
        wait_deep(fd, depth - 1);
    else if (write(fd, "x", 1) != 1)
        _exit(1);
    while (depth == 0)
        pause();
    room[0]++;
}

static void test_live(void **state)
{
    struct pair p;
    struct halt h;
    uint32_t all;
    int fds[2];
    pid_t pid;
    char c;

    (void)state;
    if (ASAN)                   /* frames are larger than the pieces that are tried */
        skip();
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        wait_deep(fds[1], 50);
    }
    assert_int_equal(read(fds[0], &c, 1), 1);
    assert_int_equal(halt_begin(&h, pid, pid, NULL), 0);
    while (halt_poll(&h, &copy) == HALT_WAIT)
        ;
    assert_int_equal(h.state, HALT_COPIED);
    p = pair_create(pid);
    all = copy.bytes;
    for (uint32_t n = all; n > 0; n /= 3) {
        copy.bytes = n;
        p.deepest = 0;
        compare(&p);
        assert_true(p.deepest >= 50);
    }
    pair_destroy(&p);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(fds[0]);
    close(fds[1]);
}

/* Nonsense is nonsense to both. */
static void test_nonsense(void **state)
{
    struct pair p = pair_create(getpid());
    uint64_t words[HALT_STACK / sizeof(uint64_t)];

    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        srandom(round);
        copy = (struct halt_copy){ .nregs = 17, .bytes = 4096,
                                   .sp = 0x10000 };
        for (size_t i = 0; i < 512; i++)
            words[i] = random() % 3 == 0
                ? (uintptr_t)test_nonsense + (uint64_t)random() % 100000
                : random() % 2 ? (uintptr_t)qsort + (uint64_t)random() % 100000
                               : 0x10000 + (uint64_t)random() % 4096;
        memcpy(copy.stack, words, 4096);
        for (unsigned i = 0; i < 17; i++)
            copy.regs[i] = 0x10000 + (uint64_t)random() % 512 * 8;
        copy.regs[7] = copy.sp;
        copy.regs[16] = copy.pc =
            (round % 2 ? (uintptr_t)test_nonsense : (uintptr_t)qsort) +
            (uint64_t)random() % 20000;
        compare(&p);
    }
    pair_destroy(&p);
}

/* What an address is, is known by its number. */
static void test_numbers(void **state)
{
    uint64_t pc[] = { (uintptr_t)qsort + 5, (uintptr_t)test_numbers + 9,
                      (uintptr_t)test_numbers + 9, 12 };
    struct pair p = pair_create(getpid());
    struct unwind_frame v[4], again[4];

    (void)state;
    assert_int_equal(unwind_addresses(p.quick, pc, 4, v, 4), 4);
    assert_int_equal(unwind_addresses(p.quick, pc, 4, again, 4), 4);
    assert_int_equal(v[1].number, v[2].number);
    assert_true(v[0].number != v[1].number && v[3].number != v[1].number);
    assert_null(v[3].path);
    for (int i = 0; i < 4; i++)
        assert_int_equal(v[i].number, again[i].number);
    assert_true(!v[0].call && v[1].call);
    pair_destroy(&p);
}

static int make(void **state)
{
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    write_file("c.c", c_source);
    write_file("f.f90", f_source);
    write_file("omp.c", omp_source);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    return shell("rm -rf \"$PWD\"") ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c),
        cmocka_unit_test(test_fortran),
        cmocka_unit_test(test_openmp),
        cmocka_unit_test(test_live),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_numbers),
    };

    if (!may_trace())
        return 0;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make, clean);
}
