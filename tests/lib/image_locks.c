/* image_locks.c - holds locks that know who has them, and has threads that
 * wait for each, while images are made of it: all is as it was afterwards.
 *
 * usage: image_locks STOPFILE
 *
 * Each round says "held" on standard error when all is as it is to be, and is
 * over when this is another process, or there is that file. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(what) ((what) ? (void)0 : wrong(__LINE__, #what, ""))
#define CHECK_OF(k, what) ((what) ? (void)0 : wrong(__LINE__, #what, (k)->name))

static void wrong(int line, const char *what, const char *of)
{
    printf("wrong: line %d: %s %s\n", line, what, of);
    fflush(stdout);
    _exit(1);
}

static const char *stop_file;
static pid_t before;            /* this process, when the round began */

static int over(void)
{
    return getpid() != before || access(stop_file, F_OK) == 0;
}

static void until_over(void)
{
    while (!over())
        usleep(1000);
}

static int number(void)
{
    return (int)syscall(SYS_gettid);
}

/* ---------------------------------------------------------------- mutexes */
static const struct kind {
    const char *name;
    int type, robust, protocol, shared;
} kinds[] = {
#define N PTHREAD_MUTEX_NORMAL
#define R PTHREAD_MUTEX_RECURSIVE
#define E PTHREAD_MUTEX_ERRORCHECK
    { "recursive", R, 0, 0, 0 }, { "checking", E, 0, 0, 0 },
    { "recursive, shared", R, 0, 0, 1 }, { "checking, shared", E, 0, 0, 1 },
    { "robust", N, 1, 0, 0 }, { "robust, recursive", R, 1, 0, 0 },
    { "robust, checking", E, 1, 0, 0 }, { "robust, shared", N, 1, 0, 1 },
    { "inherits", N, 0, 1, 0 }, { "inherits, recursive", R, 0, 1, 0 },
    { "inherits, checking", E, 0, 1, 0 }, { "inherits, robust", E, 1, 1, 0 },
    { "normal", N, 0, 0, 0 },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), WAYS = 3, PAIRS = KINDS * WAYS };

struct pair {                   /* who holds it, and who waits for it */
    const struct kind *kind;
    pthread_mutex_t *mutex;     /* shared: in memory that is mapped so */
    int first;                  /* held by the first thread */
    int until;                  /* waited for, up to a time */
    volatile int waiter;        /* its number */
    pthread_t thread;
};
static struct pair pairs[PAIRS];

static void make(struct pair *p)
{
    pthread_mutexattr_t a;

    CHECK(pthread_mutexattr_init(&a) == 0);
    CHECK(pthread_mutexattr_settype(&a, p->kind->type) == 0);
    if (p->kind->robust)
        CHECK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST) == 0);
    if (p->kind->protocol)
        CHECK(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT) == 0);
    if (p->kind->shared)
        CHECK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED) == 0);
    CHECK(pthread_mutex_init(p->mutex, &a) == 0);
    pthread_mutexattr_destroy(&a);
}

static void take(const struct pair *p)
{
    CHECK_OF(p->kind, pthread_mutex_lock(p->mutex) == 0);
    if (p->kind->type == R)
        CHECK_OF(p->kind, pthread_mutex_lock(p->mutex) == 0);
}

/* By who has it: nobody else may. */
static void leave(const struct pair *p)
{
    const struct kind *k = p->kind;

    if (k->type == E)
        CHECK_OF(k, pthread_mutex_lock(p->mutex) == EDEADLK);
    if (k->type == R) {
        CHECK_OF(k, pthread_mutex_lock(p->mutex) == 0);
        CHECK_OF(k, pthread_mutex_unlock(p->mutex) == 0);
        CHECK_OF(k, pthread_mutex_unlock(p->mutex) == 0);
    }
    CHECK_OF(k, pthread_mutex_unlock(p->mutex) == 0);
    if (k->robust || k->type != N)
        CHECK_OF(k, pthread_mutex_unlock(p->mutex) == EPERM);
}

/* Addresses whose upper half is the number of the thread: numbers of more than 15
 * bits are that of none. */
enum { PAGE = 4096, ADDRESSES = 16 };
static void have_addresses(char *volatile at[ADDRESSES])
{
    char *page = (char *)((unsigned long)number() << 32 | 16 * PAGE);

    if (number() >= 1 << 15)
        page = NULL;
    else
        CHECK(mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
                   MAP_FIXED_NOREPLACE, -1, 0) == page);
    for (int i = 0; i < ADDRESSES; i++)
        at[i] = page;
}

static void *wait_for(void *arg)
{
    struct pair *p = arg;
    struct timespec late = { .tv_sec = time(NULL) + 1000 };
    char *volatile at[ADDRESSES], *page;

    have_addresses(at);
    page = at[0];
    p->waiter = number();
    if (p->until)
        CHECK_OF(p->kind, pthread_mutex_timedlock(p->mutex, &late) == 0);
    else
        CHECK_OF(p->kind, pthread_mutex_lock(p->mutex) == 0);
    if (p->kind->type == R)
        CHECK_OF(p->kind, pthread_mutex_lock(p->mutex) == 0);
    leave(p);
    for (int i = 0; i < ADDRESSES; i++)
        CHECK_OF(p->kind, at[i] == page);
    if (page)
        munmap(page, PAGE);
    return NULL;
}

/* ------------------------------------------------------------ other locks */
static pthread_rwlock_t rw[2];          /* held by the first one, by another */
static mtx_t mtx;                       /* by another, twice */
static pthread_mutex_t met;             /* recursive, by whoever waits for cond */
static pthread_cond_t cond;
static int said;
static pthread_mutex_t left;            /* robust, by one that ends with it */
static pthread_mutex_t *edge[6];        /* across the borders of pages */
static char *pages;
static volatile int reads[2], writes[2], conds;

static void *read_(void *arg)
{
    pthread_rwlock_t *l = arg;

    reads[l - rw] = number();
    CHECK(pthread_rwlock_rdlock(l) == 0);
    CHECK(pthread_rwlock_unlock(l) == 0);
    return NULL;
}

static void *write_(void *arg)
{
    pthread_rwlock_t *l = arg;

    writes[l - rw] = number();
    CHECK(pthread_rwlock_wrlock(l) == 0);
    CHECK(pthread_rwlock_wrlock(l) == EDEADLK);
    CHECK(pthread_rwlock_unlock(l) == 0);
    return NULL;
}

static void leave_rw(pthread_rwlock_t *l)
{
    CHECK(pthread_rwlock_wrlock(l) == EDEADLK);
    CHECK(pthread_rwlock_rdlock(l) == EDEADLK);
    CHECK(pthread_rwlock_unlock(l) == 0);
}

static void *meet(void *arg)
{
    CHECK(pthread_mutex_lock(&met) == 0);
    conds = number();
    while (!said)
        CHECK(pthread_cond_wait(&cond, &met) == 0);
    CHECK(pthread_mutex_unlock(&met) == 0);
    CHECK(pthread_mutex_unlock(&met) == EPERM);
    return arg;
}

/* The second page has nothing of the mutex but zeros, or more of it. */
static void make_edges(void)
{
    pthread_mutexattr_t a;

    pages = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK(pthread_mutexattr_init(&a) == 0);
    CHECK(pthread_mutexattr_settype(&a, R) == 0);
    for (int i = 0; i < 6; i++) {
        char *at = pages + (2 * i + 1) * 4096 - 8 * i;

        if (i == 0)             /* at the beginning, and at the end of it all */
            at = pages;
        if (i == 5)
            at = pages + 16 * 4096 - 40;
        edge[i] = (pthread_mutex_t *)(void *)at;
        CHECK(pthread_mutex_init(edge[i], &a) == 0);
    }
}

/* ------------------------------------------------ what nobody may change */
enum { LIKE = 10, SPACE = 14, MINE = 420 * SPACE };
static int mine[MINE];          /* what looks like locks, and is none */

/* First numbers with small ones behind them; then what would be a recursive
 * mutex, held once, but for one word. */
static void fill(int tid)
{
    static const int held[LIKE] = { 1, 1, 0, 1, 1, 0, 0, 0, 0, 0 };
    static const int wrong_[LIKE] = { 3, 0, 0, 1 << 20, 4, 1, 1, 1, 1, 1 };

    for (int i = 0; i < MINE; i++)
        mine[i] = i % 2 ? i % 3 : tid;
    for (int i = 0; i < MINE / 2; i += SPACE) {
        int k = i / SPACE % LIKE;

        memcpy(&mine[i], held, sizeof(held));
        mine[i + 2] = k == 2 ? 1 : tid;
        if (k != 2)
            mine[i + k] = wrong_[k];
    }
}

static unsigned sum(void)
{
    unsigned s = 0;

    for (int i = 0; i < MINE; i++)
        s = s * 31 + (unsigned)mine[i];
    return s;
}

/* ---------------------------------------------------------------- a round */
static pthread_barrier_t gate;

static void *hold(void *arg)            /* the other thread that holds some */
{
    for (int i = 0; i < PAIRS; i++)
        if (!pairs[i].first)
            take(&pairs[i]);
    CHECK(pthread_rwlock_wrlock(&rw[1]) == 0);
    CHECK(mtx_lock(&mtx) == thrd_success && mtx_lock(&mtx) == thrd_success);
    pthread_barrier_wait(&gate);
    until_over();
    for (int i = 0; i < PAIRS; i++)
        if (!pairs[i].first)
            leave(&pairs[i]);
    leave_rw(&rw[1]);
    CHECK(mtx_trylock(&mtx) == thrd_success);
    for (int i = 0; i < 3; i++)
        CHECK(mtx_unlock(&mtx) == thrd_success);
    CHECK(mtx_unlock(&mtx) == thrd_error);
    return arg;
}

static void *die(void *arg)
{
    CHECK(pthread_mutex_lock(&left) == 0);
    pthread_barrier_wait(&gate);
    until_over();
    return arg;
}

static int sleeps(int tid)              /* in futex(2) */
{
    char path[64], text[200] = "";
    FILE *f;

    snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
    f = fopen(path, "r");
    if (f && !fgets(text, sizeof(text), f))
        *text = '\0';
    if (f)
        fclose(f);
    return atoi(text) == SYS_futex && *text >= '0' && *text <= '9';
}

/* Or is over: what it waits for may be had then. */
static void until_sleeps(volatile int *tid)
{
    while (!over() && (!*tid || !sleeps(*tid)))
        usleep(500);
}

static void begin(pthread_t *t, void *(*f)(void *), void *arg)
{
    CHECK(pthread_create(t, NULL, f, arg) == 0);
}

static void once(void)
{
    pthread_t holder, dead, r[2], w[2], c;
    unsigned was;

    before = getpid();
    said = conds = 0;
    begin(&holder, hold, NULL);
    begin(&dead, die, NULL);
    for (int i = 0; i < PAIRS; i++)
        if (pairs[i].first)
            take(&pairs[i]);
    for (int i = 0; i < 6; i++)
        CHECK(pthread_mutex_lock(edge[i]) == 0);
    CHECK(pthread_rwlock_wrlock(&rw[0]) == 0);
    pthread_barrier_wait(&gate);
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].waiter = 0;
        begin(&pairs[i].thread, wait_for, &pairs[i]);
    }
    for (int i = 0; i < 2; i++) {
        reads[i] = writes[i] = 0;
        begin(&r[i], read_, &rw[i]);
        begin(&w[i], write_, &rw[i]);
    }
    begin(&c, meet, NULL);
    for (int i = 0; i < PAIRS; i++)
        until_sleeps(&pairs[i].waiter);
    for (int i = 0; i < 2; i++) {
        until_sleeps(&reads[i]);
        until_sleeps(&writes[i]);
    }
    until_sleeps(&conds);
    fill(number());
    was = sum();
    if (write(2, "held\n", 5) != 5)
        _exit(99);
    until_over();
    CHECK(sum() == was);
    for (int i = 0; i < PAIRS; i++)
        if (pairs[i].first)
            leave(&pairs[i]);
    for (int i = 0; i < 6; i++) {
        CHECK(pthread_mutex_unlock(edge[i]) == 0);
        CHECK(pthread_mutex_unlock(edge[i]) == EPERM);
    }
    leave_rw(&rw[0]);
    CHECK(pthread_mutex_lock(&met) == 0);
    said = 1;
    CHECK(pthread_cond_signal(&cond) == 0);
    CHECK(pthread_mutex_unlock(&met) == 0);
    for (int i = 0; i < PAIRS; i++)
        CHECK(pthread_join(pairs[i].thread, NULL) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(r[i], NULL) == 0 && pthread_join(w[i], NULL) == 0);
    CHECK(pthread_join(c, NULL) == 0);
    CHECK(pthread_join(holder, NULL) == 0);
    CHECK(pthread_join(dead, NULL) == 0);
    CHECK(pthread_mutex_lock(&left) == EOWNERDEAD);     /* the kernel says so */
    CHECK(pthread_mutex_consistent(&left) == 0);
    CHECK(pthread_mutex_unlock(&left) == 0);
}

int main(int argc, char **argv)
{
    pthread_mutex_t *shared = mmap(NULL, PAIRS * sizeof(*shared), PROT_READ |
                                   PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct pair one = { .kind = &kinds[4], .mutex = &left };

    if (argc < 2 || shared == MAP_FAILED)
        return 2;
    stop_file = argv[1];
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].kind = &kinds[i / WAYS];
        pairs[i].first = i % WAYS == 0;
        pairs[i].until = i % WAYS == 1;
        pairs[i].mutex = pairs[i].kind->shared ? &shared[i]
                                               : malloc(sizeof(*shared));
        CHECK(pairs[i].mutex);
        make(&pairs[i]);
    }
    make(&one);
    one = (struct pair){ .kind = &kinds[0], .mutex = &met };
    make(&one);
    CHECK(mtx_init(&mtx, mtx_recursive) == thrd_success);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_rwlock_init(&rw[i], NULL) == 0);
    CHECK(pthread_cond_init(&cond, NULL) == 0);
    CHECK(pthread_barrier_init(&gate, NULL, 3) == 0);
    make_edges();
    do
        once();
    while (access(stop_file, F_OK) != 0);
    puts("locks: all right");
    return 0;
}
