/* image_write.c - an image of this process: see image.h.
 *
 * Everything is looked at twice: while all threads run, when an image can be
 * refused without anybody having noticed, and again when they stand still. If
 * the arena is too small it is made larger, and all begins anew.
 *
 * What a restored process needs before it is itself again stands in `own`, since
 * the arena is not in the image, and variables may be in registers. */
#include "mpi-wrappers/image/image.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "mpi-wrappers/image/image_context.h"
#include "mpi-wrappers/image/image_fds.h"
#include "mpi-wrappers/image/image_memory.h"
#include "mpi-wrappers/image/image_processors.h"
#include "mpi-wrappers/image/image_regions.h"
#include "mpi-wrappers/image/image_self.h"
#include "mpi-wrappers/image/image_threads.h"
#include "mpi-wrappers/image/sys.h"

enum { ARENA = 4 << 20, ARENA_MAX = 1 << 30, MORE_THREADS = 32 };

static struct {
    atomic_flag busy;
    uint64_t mask;              /* signals that the caller blocks */
    struct image_back back;     /* filled by hector-restore */
} own = { .busy = ATOMIC_FLAG_INIT };

static enum image_reason read_tables(struct image_tables *t)
{
    enum image_reason r;

    image_arena_reset(&t->arena);
    if ((r = image_self_read(t)) || (r = image_fds_read(t)))
        return r;
    t->thread_room = 2 * image_threads_count() + MORE_THREADS;
    t->threads = image_arena_take(&t->arena,
                                  t->thread_room * sizeof(*t->threads));
    return t->threads ? image_regions_read(t) : IMAGE_MEMORY;
}

/* As often as the arena has to grow. */
static enum image_reason with_arena(struct image_tables *t,
                                    enum image_reason (*f)(struct image_tables *))
{
    enum image_reason r = IMAGE_MEMORY;

    for (size_t bytes = ARENA; r == IMAGE_MEMORY && bytes <= ARENA_MAX;
         bytes *= 2) {
        if (image_arena_open(&t->arena, bytes) != 0)
            break;
        r = f(t);
        image_arena_close(&t->arena);
    }
    if (r == IMAGE_MEMORY)
        return IMAGE_REFUSE(t, r, "there is no memory for its tables");
    return r;
}

enum image_reason image_refused(const struct image_ask *ask, char *why,
                                size_t size)
{
    struct image_tables t = { .ask = ask, .fd = -1, .why = why,
                              .why_size = size };

    return with_arena(&t, read_tables);
}

static void hash_tables(const struct image_tables *t)
{
    struct image_head *h = t->head;
    struct image_blake3 hash;

    image_blake3_begin(&hash, false);
    image_blake3_add(&hash, t->regions, h->nregions * sizeof(*t->regions));
    image_blake3_add(&hash, t->mapped, h->nmapped * sizeof(*t->mapped));
    image_blake3_add(&hash, t->fds, h->nfds * sizeof(*t->fds));
    image_blake3_add(&hash, t->threads, h->nthreads * sizeof(*t->threads));
    image_blake3_add(&hash, image_arena_names(&t->arena), h->name_bytes);
    image_blake3_add(&hash, (const void *)h->vdso, h->vdso_bytes);
    image_blake3_end(&hash, h->tables_hash);
    image_blake3_begin(&hash, false);
    image_blake3_add(&hash, h, offsetof(struct image_head, hash));
    image_blake3_end(&hash, h->hash);
}

static void finish_head(struct image_tables *t)
{
    struct image_head *h = t->head;

    h->back = (uint64_t)&own.back;
    if (t->ask && t->ask->told && t->ask->told_size) {
        h->told = (uint64_t)t->ask->told;
        h->told_bytes = t->ask->told_size;
        *t->ask->told = '\0';
    }
    h->name_bytes = t->arena.name_bytes;
    h->tables_bytes = h->nregions * sizeof(*t->regions) +
                      h->nmapped * sizeof(*t->mapped) +
                      h->nfds * sizeof(*t->fds) +
                      h->nthreads * sizeof(*t->threads) + h->name_bytes +
                      h->vdso_bytes;
    hash_tables(t);
}

static void put_tables(const struct image_tables *t, struct image_stream *s)
{
    const struct image_head *h = t->head;

    image_stream_put(s, h, sizeof(*h));
    image_stream_put(s, t->regions, h->nregions * sizeof(*t->regions));
    image_stream_put(s, t->mapped, h->nmapped * sizeof(*t->mapped));
    image_stream_put(s, t->fds, h->nfds * sizeof(*t->fds));
    image_stream_put(s, t->threads, h->nthreads * sizeof(*t->threads));
    image_stream_put(s, image_arena_names(&t->arena), h->name_bytes);
    image_stream_put(s, (const void *)h->vdso, h->vdso_bytes);
}

static void read_pending(struct image_tables *t, char *room)
{
    t->head->pending = image_self_pending(room, IMAGE_MEMORY_ROOM) &
                       ~IMAGE_LIBRARY_SIGNALS;
    for (size_t i = 0; i < t->head->nthreads; i++)
        t->threads[i].pending =
            image_self_pending_of(t->threads[i].tid, room, IMAGE_MEMORY_ROOM) &
            ~IMAGE_LIBRARY_SIGNALS;
}

/* Such a one is where its class has put it, and is put there again. */
static bool is_realtime(int tid)
{
    enum { DEADLINE = 6 };      /* SCHED_DEADLINE, which sched.h may not know */
    long policy = sys(SYS_sched_getscheduler, tid);

    return policy == SCHED_RR || policy == SCHED_FIFO || policy == DEADLINE;
}

static void read_processors(struct image_tables *t)
{
    image_processors_of((int)sys(SYS_getppid), &t->head->given);
    for (size_t i = 0; i < t->head->nthreads; i++)
        if (!is_realtime(t->threads[i].tid))
            image_processors_of(t->threads[i].tid, &t->threads[i].bound);
}

static enum image_reason not_written(struct image_tables *t, long rc)
{
    char number[24];
    struct image_text text;

    image_text_begin(&text, number, sizeof(number));
    image_text_number(&text, (uint64_t)-rc);
    t->fd = (int)rc;            /* for image_write() */
    return IMAGE_REFUSE(t, IMAGE_OUTPUT, "it cannot be written: error ",
                        number);
}

/* The process has the number of its first thread. That has to be the one it
 * was, whichever writes the image. */
static void put_first_thread_first(struct image_tables *t)
{
    struct image_thread writer = t->threads[0];
    int pid = (int)sys(SYS_getpid);

    for (size_t i = 1; i < t->head->nthreads; i++)
        if (t->threads[i].tid == pid) {
            t->threads[0] = t->threads[i];
            t->threads[i] = writer;
        }
}

/* All threads stand still, and threads[0] says where this one goes on. */
static enum image_reason write_out(struct image_tables *t, char *buf,
                                   char *room)
{
    struct image_stream s;
    long rc;

    read_pending(t, room);
    read_processors(t);
    put_first_thread_first(t);
    image_memory_find_huge(t);
    finish_head(t);
    image_stream_begin(&s, t->fd, buf,
                       t->ask && t->ask->patience_ms ? t->ask->patience_ms : -1,
                       t->ask && t->ask->standing);
    put_tables(t, &s);
    image_memory_put(t, &s, room);
    image_memory_put_contents(t, &s, room);
    rc = image_stream_end(&s);
    if (t->ask && t->ask->written)
        *t->ask->written = s.bytes;
    return rc ? not_written(t, rc) : IMAGE_GOOD;
}

/* With all threads stopped. nthreads is in the head that is made anew. */
static enum image_reason read_stopped(struct image_tables *t, char **buf,
                                      char **room)
{
    uint64_t nthreads = t->head->nthreads;
    struct image_thread *threads = t->threads;
    enum image_reason r = image_self_read(t);

    t->head->nthreads = nthreads;
    if (r || (r = image_fds_read(t)))
        return r;
    *buf = image_arena_take(&t->arena, IMAGE_STREAM_BYTES);
    *room = image_arena_take(&t->arena, IMAGE_MEMORY_ROOM);
    t->threads = threads;
    return *buf && *room ? image_regions_read(t) : IMAGE_MEMORY;
}

enum { RESTORED = -1 };

static enum image_reason make(struct image_tables *t)
{
    char *buf, *room;
    enum image_reason r = read_tables(t);

    if (r)
        return r;
    r = image_threads_stop(t);
    if (r) {
        t->arena.at = NULL;     /* who comes too late may still look there */
        return r;
    }
    t->arena.name_bytes = 0;
    r = read_stopped(t, &buf, &room);
    if (!r && image_context_thread(&t->threads[0]) != 0)
        r = IMAGE_REFUSE(t, IMAGE_MACHINE, "this kernel does not say what it "
                         "keeps for threads (CONFIG_CHECKPOINT_RESTORE)");
    if (!r)
        r = image_regions_held(t);
    if (!r) {
        if (image_context_save(&t->threads[0].context) != 0) {
            t->arena.at = NULL;         /* it is not in the image */
            return (enum image_reason)RESTORED;
        }
        r = write_out(t, buf, room);
        if (!r && t->ask && t->ask->standing)
            t->ask->standing(t->ask->arg);
    }
    image_threads_go_on();
    return r;
}

/* What hector-restore has left of itself is given back when all threads have
 * come out of it. */
static void begin_anew(void)
{
    image_threads_wait_back();
    sys(SYS_munmap, own.back.start, own.back.bytes);
    image_threads_go_on();
}

static int result(enum image_reason r, const struct image_tables *t)
{
    switch (r) {
    case IMAGE_GOOD:   return 0;
    case IMAGE_MEMORY: return -ENOMEM;
    case IMAGE_THREAD: return -ETIMEDOUT;
    case IMAGE_OUTPUT: return t->fd;
    default:           return -ENOTSUP;
    }
}

int image_write(int fd, const struct image_ask *ask, char *why, size_t size)
{
    struct image_tables t = { .ask = ask, .fd = fd, .why = why,
                              .why_size = size };
    const uint64_t everything = ~0ull;
    uint64_t mask;
    enum image_reason r;
    int rc = 1;

    if (atomic_flag_test_and_set(&own.busy)) {
        image_text_all(why, size, "another thread is writing one", NULL);
        return -EBUSY;
    }
    sys(SYS_rt_sigprocmask, SIG_SETMASK, &everything, &mask, sizeof(mask));
    own.mask = mask;
    r = with_arena(&t, make);
    if ((int)r == RESTORED)
        begin_anew();
    else
        rc = result(r, &t);
    mask = own.mask;
    atomic_flag_clear(&own.busy);
    sys(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof(mask));
    return rc;
}
