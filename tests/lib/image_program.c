/* image_program.c - does one kind of work over and over, each round with what
 * has to be the same result, until a file is there; then it says what all of
 * them had in common, however many there were.
 *
 * usage: image_program WORK STOPFILE */
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : wrong(__LINE__, #what))

static void wrong(int line, const char *what)
{
    printf("wrong: line %d: %s (errno %d)\n", line, what, errno);
    fflush(stdout);
    _exit(1);
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    return (h ^ x) * 0x9e3779b97f4a7c15ull + (h >> 29);
}

/* ------------------------------------------------------------------- heap */
enum { BLOCKS = 500, PAGES = 64 };

static uint64_t heap(void)
{
    static unsigned char *block[BLOCKS];
    unsigned char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *end = sbrk(8192);
    uint64_t h = 1;

    CHECK(end != (void *)-1);
    memset(end, 7, 8192);
    memset(pages, 3, PAGES * 4096);
    CHECK(mprotect(pages + 4096, 4096, PROT_NONE) == 0);
    CHECK(munmap(pages + 8 * 4096, 4096) == 0);
    for (int i = 0; i < 8 * BLOCKS; i++) {
        size_t n = 1 + (size_t)i * 977 % 20000;
        unsigned char **b = &block[i * 31 % BLOCKS];

        if (*b)
            h = mix(h, (*b)[5]);
        free(*b);
        *b = malloc(n + 8);
        memset(*b, i, n + 8);
    }
    for (int i = 0; i < BLOCKS; i++) {
        h = mix(h, block[i] ? block[i][3] : 0);
        free(block[i]);
        block[i] = NULL;
    }
    CHECK(mprotect(pages + 4096, 4096, PROT_READ) == 0);
    h = mix(h, pages[4100] + pages[9 * 4096]);
    h = mix(h, (uint64_t)end[100]);
    munmap(pages, PAGES * 4096);
    if (sbrk(0) == end + 8192)
        sbrk(-8192);
    return h;
}

/* ------------------------------------------------------------------- many */
enum { MANY = 6000 };

/* Every second page of a block is another mapping. */
static uint64_t many(void)
{
    static unsigned char *block;
    uint64_t h = 1;

    if (!block) {
        block = mmap(NULL, 4096 * MANY, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int i = 0; i < MANY; i += 2) {
            block[4096 * i] = (unsigned char)i;
            CHECK(mprotect(block + 4096 * i, 4096, PROT_READ) == 0);
        }
    }
    for (int i = 0; i < MANY; i++)
        h = mix(h, block[4096 * i]);
    return h;
}

/* ------------------------------------------------------------------- vast */
enum { SPOTS = 16 };
#define VAST (1ull << 40)

/* As languages with memory of their own reserve it: next to nothing is in there. */
static uint64_t vast(void)
{
    static unsigned char *open, *closed;
    uint64_t h = 1;

    if (!open) {
        open = mmap(NULL, VAST, PROT_READ | PROT_WRITE, MAP_PRIVATE |
                    MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        closed = mmap(NULL, 4 * VAST, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
                      MAP_NORESERVE, -1, 0);
        CHECK(open != MAP_FAILED && closed != MAP_FAILED);
        for (int i = 0; i < SPOTS; i++)
            open[VAST / SPOTS * (i + 1) - 1] = (unsigned char)(i + 3);
        CHECK(mprotect(closed + VAST, 8192, PROT_READ | PROT_WRITE) == 0);
        closed[VAST + 5000] = 5;
        CHECK(mprotect(closed + VAST, 8192, PROT_NONE) == 0);
    }
    for (int i = 0; i < SPOTS; i++)
        h = mix(h, open[VAST / SPOTS * (i + 1) - 1]);
    CHECK(open[VAST / 2] == 0);
    CHECK(mprotect(closed + VAST, 8192, PROT_READ) == 0);
    h = mix(h, closed[VAST + 5000]);
    CHECK(mprotect(closed + VAST, 8192, PROT_NONE) == 0);
    return h;
}

/* ------------------------------------------------------------------- deep */
static uint64_t down(int depth, uint64_t h)
{
    volatile uint64_t here[8];

    for (int i = 0; i < 8; i++)
        here[i] = mix(h, (uint64_t)(depth + i));
    h = depth ? down(depth - 1, here[7]) : here[0];
    for (int i = 0; i < 8; i++)
        h = mix(h, here[i]);
    return h;
}

static uint64_t deep(void)
{
    return down(20000, 1);
}

/* -------------------------------------------------------------- registers */
/* Values that stay in registers for some milliseconds. */
static uint64_t registers(void)
{
    static uint64_t in[8][4], out[8][4];
    uint64_t h = 1, turns = 3000000, general;
    double x87;

    fesetround(FE_UPWARD);
    for (int i = 0; i < 32; i++)
        in[i / 4][i % 4] = mix(i, 77);
    if (__builtin_cpu_supports("avx2"))
        __asm__ volatile(
            "vmovdqu 0(%3), %%ymm8\n vmovdqu 32(%3), %%ymm9\n"
            "vmovdqu 64(%3), %%ymm10\n vmovdqu 96(%3), %%ymm15\n"
            "fldpi\n mov $0x1234567, %0\n"
            "1: dec %1\n jnz 1b\n"
            "fstpl %2\n"
            "vmovdqu %%ymm8, 0(%4)\n vmovdqu %%ymm9, 32(%4)\n"
            "vmovdqu %%ymm10, 64(%4)\n vmovdqu %%ymm15, 96(%4)\n vzeroupper\n"
            : "=&r"(general), "+r"(turns), "=m"(x87)
            : "r"(in), "r"(out)
            : "memory", "cc", "xmm8", "xmm9", "xmm10", "xmm15", "st");
    else
        return 2;
    for (int i = 0; i < 16; i++)
        CHECK(in[i / 4][i % 4] == out[i / 4][i % 4]);
    h = mix(h, general);
    h = mix(h, (uint64_t)(x87 * 1e15));
    CHECK(fegetround() == FE_UPWARD);
    return mix(h, (uint64_t)(rint(1.25 + (double)(h % 2)) * 8));
}

/* ---------------------------------------------------------------- threads */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static uint64_t total;
static int turn;
static _Thread_local uint64_t mine;

static void *player(void *arg)
{
    int id = (int)(intptr_t)arg;
    double *a = malloc(2000 * sizeof(*a));

    mine = (uint64_t)id;
    for (int i = 0; i < 2000; i++)
        a[i] = i * id;
    for (int k = 0; k < 40; k++) {
        for (int i = 0; i < 2000; i++)
            a[i] = sin(a[i]) + 1 / (1 + fabs(a[i]));
        mine = mix(mine, (uint64_t)(a[k] * 1e6));
        pthread_mutex_lock(&lock);
        while (turn != id)
            pthread_cond_wait(&turn_changed, &lock);
        total = mix(total, mine);
        turn = (turn + 1) % 4;
        pthread_cond_broadcast(&turn_changed);
        pthread_mutex_unlock(&lock);
    }
    free(a);
    return NULL;
}

static void *deaf(void *arg)
{
    sigset_t everything;

    sigfillset(&everything);
    pthread_sigmask(SIG_BLOCK, &everything, NULL);
    for (volatile int i = 0; i < 1000000; i++)
        ;
    return arg;
}

static uint64_t threads(void)
{
    pthread_t t[4], other;

    CHECK(getpid() == (pid_t)syscall(SYS_gettid));
    total = 1;
    turn = 0;
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&t[i], NULL, player, (void *)(intptr_t)i) == 0);
    CHECK(pthread_create(&other, NULL, deaf, NULL) == 0);
    CHECK(pthread_kill(other, SIGCHLD) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(t[i], NULL) == 0);
    CHECK(pthread_join(other, NULL) == 0);
    return total;
}

/* ---------------------------------------------------------------- signals */
static char other_stack[64 << 10];
static volatile sig_atomic_t ticks, elsewhere, asked;

static void tick(int signal_number)
{
    char here;

    (void)signal_number;
    if (&here < other_stack || &here >= other_stack + sizeof(other_stack))
        elsewhere++;
    for (volatile int i = 0; i < 100000; i++)
        ;
    ticks++;
}

static void ask(int signal_number)
{
    (void)signal_number;
    asked++;
}

static uint64_t signals(void)
{
    static int begun;
    struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, now;
    stack_t other = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
    struct sigaction on_tick = { .sa_handler = tick,
                                 .sa_flags = SA_ONSTACK | SA_RESTART };
    struct sigaction on_ask = { .sa_handler = ask, .sa_flags = SA_RESTART };
    sigset_t set, was;
    int before = ticks;

    if (!begun++) {
        sigaltstack(&other, NULL);
        sigaction(SIGALRM, &on_tick, NULL);
        sigaction(SIGUSR1, &on_ask, NULL);
        setitimer(ITIMER_REAL, &every, NULL);
    }
    asked = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &was);
    CHECK(!sigismember(&was, SIGUSR1));
    kill(getpid(), SIGUSR1);
    raise(SIGUSR1);
    while (ticks < before + 3)
        ;
    CHECK(asked == 0);
    CHECK(sigpending(&set) == 0 && sigismember(&set, SIGUSR1));
    sigprocmask(SIG_SETMASK, &was, NULL);
    CHECK(asked == 1 || asked == 2);
    CHECK(elsewhere == 0);
    CHECK(getitimer(ITIMER_REAL, &now) == 0);
    CHECK(now.it_interval.tv_usec == 5000);
    return 5;
}

/* ----------------------------------------------------------------- sleeps */
static void *sleeper(void *arg)
{
    struct timespec t = { 0, 30000000 };

    for (int i = 0; i < 3; i++)
        CHECK(nanosleep(&t, NULL) == 0);        /* no EINTR */
    CHECK(sleep(1) == 0);
    return arg;
}

static uint64_t sleeps(void)
{
    static int begun;
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&t[i], NULL, sleeper, NULL) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(t[i], NULL) == 0);
    if (!begun++) {             /* a line comes when the test wants it */
        char line[8];

        CHECK(read(0, line, 3) == 3 && memcmp(line, "go\n", 3) == 0);
    }
    return 6;
}

/* ------------------------------------------------------------------ files */
static uint64_t files(void)
{
    static int named = -1, twin, deleted, append, low = -1;
    static char directory[4096], *shared, *mapped;
    struct rlimit limit = { 77, 99 };
    char buf[4096];
    struct stat st;
    mode_t mask;

    if (named < 0) {
        mkdir("somewhere", 0700);
        CHECK(chdir("somewhere") == 0);
        CHECK(getcwd(directory, sizeof(directory)));
        named = open("named", O_RDWR | O_CREAT | O_TRUNC, 0600);
        twin = dup(named);
        deleted = open("deleted", O_RDWR | O_CREAT | O_TRUNC, 0600);
        append = open("append", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND |
                      O_CLOEXEC, 0600);
        low = dup2(1, 200);
        CHECK(write(deleted, "0123456789", 10) == 10);
        CHECK(unlink("deleted") == 0);
        shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        strcpy(shared + 4096, "shared");
        CHECK(ftruncate(named, 4096) == 0);
        mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, named, 0);
        umask(027);
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 512, 512 });
        setrlimit(RLIMIT_SIGPENDING, &limit);
    }
    CHECK(getcwd(buf, sizeof(buf)) && strcmp(buf, directory) == 0);
    mask = umask(027);
    CHECK(mask == 027);
    CHECK(getrlimit(RLIMIT_SIGPENDING, &limit) == 0);
    CHECK(limit.rlim_cur == 77 && limit.rlim_max == 99);
    CHECK(lseek(named, 0, SEEK_SET) == 0);
    CHECK(ftruncate(named, 500) == 0);
    for (int i = 0; i < 200; i++) {
        CHECK(write(i % 2 ? named : twin, "ab", 2) == 2);
        CHECK(lseek(i % 2 ? twin : named, 0, SEEK_CUR) == 2 * i + 2);
    }
    CHECK(pread(named, buf, 4, 498) == 2);
    CHECK(memcmp(mapped + 396, "abab", 4) == 0);
    CHECK(strcmp(shared + 4096, "shared") == 0);
    CHECK(fstat(deleted, &st) == 0 && st.st_nlink == 0 && st.st_size == 10);
    CHECK(pread(deleted, buf, 20, 0) == 10);
    CHECK(memcmp(buf, "0123456789", 10) == 0);
    CHECK(lseek(deleted, 0, SEEK_CUR) == 10);
    CHECK(fcntl(append, F_GETFL) & O_APPEND);
    CHECK(fcntl(append, F_GETFD) == FD_CLOEXEC && fcntl(named, F_GETFD) == 0);
    CHECK(ftruncate(append, 0) == 0 && write(append, "xy", 2) == 2);
    CHECK(fstat(append, &st) == 0 && st.st_size == 2);
    CHECK(fstat(low, &st) == 0);
    return 7;
}

static const struct work { const char *name; uint64_t (*round)(void); } works[] = {
    { "heap", heap }, { "many", many }, { "vast", vast }, { "deep", deep },
    { "registers", registers }, { "threads", threads }, { "signals", signals },
    { "sleeps", sleeps }, { "files", files },
};

int main(int argc, char **argv)
{
    char stop[4096];

    if (argc < 3 || !realpath(argv[2], stop))
        snprintf(stop, sizeof(stop), "%s", argc < 3 ? "" : argv[2]);
    for (size_t i = 0; argc > 2 && i < sizeof(works) / sizeof(works[0]); i++)
        if (strcmp(works[i].name, argv[1]) == 0) {
            uint64_t first = works[i].round(), more;

            do {
                struct timespec now;

                more = works[i].round();
                CHECK(more == first);
                CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
                CHECK(now.tv_sec > 1700000000);
            } while (access(stop, F_OK) != 0);
            printf("%s: %016llx\n", argv[1], (unsigned long long)first);
            return 0;
        }
    return 2;
}
