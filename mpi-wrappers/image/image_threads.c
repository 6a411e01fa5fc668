/* image_threads.c - stops all threads: see image_threads.h.
 *
 * A thread that is told to stop gets a slot of t->threads first, which it
 * finds by its number. Each stop has a number, too: who is parked goes on when
 * that has been let go. So nobody can be caught by the next stop while it
 * leaves this one, and a thread that comes too late finds nobody who waits for
 * it; the slots of a stop that failed stay where they are, for him.
 *
 * Who is half way through a function of the C library goes on for a moment,
 * and is told again: it may be taking a lock, and about to write into that who
 * has it. */
#include "mpi-wrappers/image/image_threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "mpi-wrappers/image/image_context.h"
#include "mpi-wrappers/image/image_list.h"
#include "mpi-wrappers/image/image_sleeping.h"
#include "mpi-wrappers/image/sys.h"

enum {
    STOP_SIGNAL = 33,           /* SIGSETXID of the C library */
    STEP_MS = 50,
    PATIENCE = 20,              /* so often who is in the C library goes on */
    MOMENT_US = 100,
    TEXTS = 4,
    SA_RESTORER_ = 0x04000000
};

/* What else is known of a thread. */
struct slot {
    struct image_sleeping sleeping;
    _Atomic int parked;
    _Atomic int again;          /* it is to be told once more */
    _Atomic int patience;
    bool ended;
    bool doubtful;              /* whoever reads its image may change too much */
};

static struct {
    _Atomic int stop;           /* number of the last stop */
    _Atomic int released;       /* number of the last one that is over */
    _Atomic int changes;        /* grows when a thread has parked */
    _Atomic int back;           /* ... that are here again, restored */
    int others;                 /* threads of this stop */
    bool late;                  /* once: one was told, and did not stop */
    /* Borrowed while a stop lasts; not to be looked at after it. */
    struct image_thread *threads;
    struct slot *slots;
    _Atomic size_t n;           /* slots in use, the caller's too */
    struct image_action before; /* how the signal was handled */
    struct image_range text[TEXTS];     /* of the C library */
    size_t ntexts;
} all;

static void wait_for_change(_Atomic int *word, int from, int ms)
{
    struct timespec limit = { .tv_sec = ms / 1000,
                              .tv_nsec = ms % 1000 * 1000000l };

    sys(SYS_futex, word, FUTEX_WAIT, from, ms ? &limit : NULL);
}

static void add_one(_Atomic int *word)
{
    atomic_fetch_add(word, 1);
    sys(SYS_futex, word, FUTEX_WAKE, INT_MAX);
}

/* Everything that is used after the context was saved has to be the same in a
 * restored process, where there are no slots: hence the number of the stop as
 * an argument, which is on the stack. */
__attribute__((noinline))
static void park(struct image_thread *t, struct slot *s, volatile int stop)
{
    if (image_context_save(&t->context) != 0) {
        add_one(&all.back);
    } else if (atomic_load(&all.released) < stop) {
        atomic_store(&s->parked, 1);
        add_one(&all.changes);
    }
    for (int released; (released = atomic_load(&all.released)) < stop; )
        wait_for_change(&all.released, released, 0);
}

static bool goes_on(struct slot *s, const ucontext_t *u)
{
    if (atomic_load(&s->patience) == 0 ||
        (!s->doubtful && !image_sleeping_is_half(u, all.text, all.ntexts)))
        return false;
    atomic_fetch_sub(&s->patience, 1);
    atomic_store(&s->again, 1);
    add_one(&all.changes);
    return true;
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    int stop = atomic_load(&all.stop), tid = (int)sys(SYS_gettid);

    (void)signal_number, (void)info;
    if (atomic_load(&all.released) >= stop)
        return;                         /* too late */
    for (size_t i = 1; i < atomic_load(&all.n); i++)
        if (all.threads[i].tid == tid) {
            struct image_sleeping sleeping = all.slots[i].sleeping;

            all.slots[i].doubtful =
                image_sleeping_is_doubtful(&sleeping, context, tid);
            if (goes_on(&all.slots[i], context))
                return;
            image_context_thread(&all.threads[i]);
            park(&all.threads[i], &all.slots[i], stop);
            image_sleeping_renumber(&sleeping, context, tid,
                                    (int)sys(SYS_gettid));
            image_sleeping_settle(&sleeping, context);
            return;
        }
}

static void hook(void)
{
    struct image_action ours = {
        .handler = (uint64_t)handle, .restorer = (uint64_t)image_context_sigreturn,
        .flags = SA_SIGINFO | SA_RESTART | SA_RESTORER_, .mask = ~0ull
    };
    struct image_action old;

    sys(SYS_rt_sigaction, STOP_SIGNAL, 0, &old, sizeof(uint64_t));
    if (old.handler != ours.handler)    /* else somebody was late last time */
        all.before = old;
    sys(SYS_rt_sigaction, STOP_SIGNAL, &ours, 0, sizeof(uint64_t));
}

/* Never again once somebody was late: the signal may be waiting for him, and
 * would end the process. */
static void unhook(void)
{
    if (!all.late)
        sys(SYS_rt_sigaction, STOP_SIGNAL, &all.before, 0, sizeof(uint64_t));
}

static bool known(int tid)
{
    for (size_t i = 1; i < all.n; i++)
        if (all.threads[i].tid == tid)
            return true;
    return false;
}

/* false: it has ended. */
static bool tell(size_t i)
{
    int tid = all.threads[i].tid;

    all.slots[i].sleeping = image_sleeping_read(tid);
    return sys(SYS_tgkill, sys(SYS_getpid), tid, STOP_SIGNAL) == 0;
}

/* Those that were half way, a moment later; false: there were none. */
static bool tell_again(void)
{
    const struct timespec moment = { .tv_nsec = MOMENT_US * 1000l };
    bool any = false;

    for (size_t i = 1; i < all.n; i++) {
        if (!atomic_load(&all.slots[i].again))
            continue;
        if (!any)
            sys(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, 0);
        any = true;
        atomic_store(&all.slots[i].again, 0);
        tell(i);
    }
    return any;
}

/* Tells all that are not told yet; how many, or -1: no room for them. */
static int tell_others(struct image_tables *t)
{
    int me = (int)sys(SYS_gettid), told = 0;
    struct image_list list;
    bool room = true;

    if (image_list_open(&list, "/proc/self/task") < 0)
        return -1;
    for (int tid; (tid = image_list_next(&list)) >= 0; ) {
        size_t i = all.n;

        if (tid == me || known(tid) || !room)
            continue;
        if (i == t->thread_room) {
            room = false;
            continue;
        }
        memset(&all.threads[i], 0, sizeof(all.threads[i]));
        all.threads[i].tid = tid;
        memset(&all.slots[i], 0, sizeof(all.slots[i]));
        atomic_store(&all.slots[i].patience, PATIENCE);
        atomic_store(&all.n, i + 1);
        if (tell(i))
            told++;
        else
            atomic_store(&all.n, i);    /* it has ended */
    }
    return room ? told : -1;
}

/* A first thread that has ended stays in the list until all others have. */
static bool has_ended(int pid, int tid)
{
    struct image_text t;
    char path[40], text[512];
    const char *p;

    if (sys(SYS_tgkill, pid, tid, 0) == -ESRCH)
        return true;
    image_text_begin(&t, path, sizeof(path));
    image_text_add(&t, "/proc/self/task/");
    image_text_number(&t, (uint64_t)tid);
    image_text_add(&t, "/stat");
    if (sys_slurp(path, text, sizeof(text)) <= 0)
        return true;
    p = strrchr(text, ')');             /* the name before may have any */
    return p && (p[2] == 'Z' || p[2] == 'X');
}

/* Threads that were told and have ended without having heard it. Their slots
 * stay where they are while somebody may look for his own. */
static void note_ended(void)
{
    int pid = (int)sys(SYS_getpid);

    for (size_t i = 1; i < all.n; i++)
        if (!all.slots[i].ended && !atomic_load(&all.slots[i].parked))
            all.slots[i].ended = has_ended(pid, all.threads[i].tid);
}

static void drop_ended(void)
{
    size_t n = 1;

    for (size_t i = 1; i < all.n; i++)
        if (!all.slots[i].ended)
            all.threads[n++] = all.threads[i];
    all.n = n;
}

static uint64_t now_ms(void)
{
    struct timespec now;

    sys(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool all_parked(void)
{
    for (size_t i = 1; i < all.n; i++)
        if (!all.slots[i].ended && !atomic_load(&all.slots[i].parked))
            return false;
    return true;
}

/* Until all that were told are parked; false: not in time. */
static bool wait_parked(uint64_t until_ms)
{
    for (;;) {
        int changes = atomic_load(&all.changes);

        if (all_parked())
            return true;
        if (tell_again())
            continue;
        wait_for_change(&all.changes, changes, STEP_MS);
        if (atomic_load(&all.changes) == changes) {
            note_ended();
            if (now_ms() >= until_ms)
                return false;
        }
    }
}

static bool somebody_is_doubtful(void)
{
    for (size_t i = 1; i < all.n; i++)
        if (!all.slots[i].ended && all.slots[i].doubtful)
            return true;
    return false;
}

/* The mapping is in the tables already. */
static void learn_texts(const struct image_tables *t)
{
    static const char *const names[] = { "libc.so", "libc-2", "libpthread" };

    all.ntexts = 0;
    for (size_t i = 0; i < t->head->nregions && all.ntexts < TEXTS; i++) {
        const struct image_region *g = &t->regions[i];
        const char *name;

        if (!(g->prot & PROT_EXEC) || g->mapped == IMAGE_NONE)
            continue;
        name = image_arena_names(&t->arena) + t->mapped[g->mapped].name;
        name = strrchr(name, '/');
        for (size_t k = 0; name && k < sizeof(names) / sizeof(names[0]); k++)
            if (image_text_begins(name + 1, names[k])) {
                all.text[all.ntexts++] =
                    (struct image_range){ g->start, g->end };
                break;
            }
    }
}

enum image_reason image_threads_stop(struct image_tables *t)
{
    uint64_t until_ms = now_ms() + IMAGE_STOP_MS;
    int told;

    all.threads = t->threads;
    all.slots = image_arena_take(&t->arena,
                                 t->thread_room * sizeof(*all.slots));
    if (!all.slots)
        return IMAGE_MEMORY;
    atomic_store(&all.n, 1);
    all.others = 0;
    atomic_store(&all.back, 0);
    atomic_fetch_add(&all.stop, 1);
    t->head->nthreads = 1;
    if (image_threads_count() == 1)
        return IMAGE_GOOD;
    learn_texts(t);
    hook();
    do {                        /* those that run may make new ones */
        told = tell_others(t);
        if (told < 0 || !wait_parked(until_ms)) {
            all.late = true;
            image_threads_go_on();
            return told < 0 ? IMAGE_MEMORY
                : IMAGE_REFUSE(t, IMAGE_THREAD, "a thread does not stop");
        }
    } while (told);
    unhook();
    if (somebody_is_doubtful()) {
        image_threads_go_on();
        return IMAGE_REFUSE(t, IMAGE_THREAD, "a thread waits for a lock that knows "
                            "its threads by numbers, and its own is so small that "
                            "other values are like it");
    }
    drop_ended();
    all.others = (int)all.n - 1;
    t->head->nthreads = all.n;
    return IMAGE_GOOD;
}

size_t image_threads_count(void)
{
    struct image_list list;
    size_t n = 0;

    if (image_list_open(&list, "/proc/self/task") < 0)
        return 1;
    while (image_list_next(&list) >= 0)
        n++;
    return n;
}

void image_threads_go_on(void)
{
    atomic_store(&all.released, atomic_load(&all.stop));
    sys(SYS_futex, &all.released, FUTEX_WAKE, INT_MAX);
}

void image_threads_wait_back(void)
{
    for (int back; (back = atomic_load(&all.back)) < all.others; )
        wait_for_change(&all.back, back, 0);
}
