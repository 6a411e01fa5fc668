/* restore_hash.c - see restore_hash.h.
 *
 * Invariants: the thread hashes the parts from `done` up to `told`, this one
 * writes those from `put` on, and never more than there is room for ahead of
 * `done`. Each waits by futex(2) for the number that the other one moves. */
#include "mpi-wrappers/restore/restore_hash.h"

#include <linux/futex.h>
#include <sched.h>
#include <string.h>

#include "mpi-wrappers/image/image_processors.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/restore/restore_start.h"

enum { ENOUGH = 128 << 10 };    /* bytes: worth to wake it for */

static void wait_while(_Atomic uint32_t *word, uint32_t is)
{
    sys(SYS_futex, word, FUTEX_WAIT, is, 0);
}

static void move_to(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store(word, value);
    sys(SYS_futex, word, FUTEX_WAKE, 1);
}

/* ----------------------------------------------------------------- the thread */

/* False: that was the end. */
static bool hash(struct restore_hash *h, const struct restore_part *p)
{
    image_blake3_add(&h->sum, p->at ? p->at : p->small, p->bytes);
    return p->bytes > 0;
}

static void make_it(void *arg)
{
    struct restore_hash *h = arg;
    bool more = true;

    for (uint32_t n = 0; more; ) {
        uint32_t told = atomic_load(&h->told);

        if (n == told)
            wait_while(&h->told, told);
        while (n != told && more)
            more = hash(h, &h->part[n++ % RESTORE_HASH_PARTS]);
        move_to(&h->done, n);
    }
    for (;;)
        sys(SYS_exit, 0);
}

/* ---------------------------------------------------------- who gives it work */
static void tell(struct restore_hash *h)
{
    h->fresh = 0;
    move_to(&h->told, h->put);
}

static void wait_for_room(struct restore_hash *h)
{
    uint32_t done;

    while (h->put - (done = atomic_load(&h->done)) == RESTORE_HASH_PARTS) {
        tell(h);
        wait_while(&h->done, done);
    }
}

static void give(struct restore_hash *h, const void *data, uint32_t bytes)
{
    struct restore_part *p = &h->part[h->put % RESTORE_HASH_PARTS];

    wait_for_room(h);
    p->bytes = bytes;
    p->at = bytes > sizeof(p->small) ? data : NULL;
    if (!p->at)
        memcpy(p->small, data, bytes);
    h->put++;
    h->fresh += bytes;
    if (h->fresh >= ENOUGH)
        tell(h);
}

void restore_hash_begin(struct restore_hash *h)
{
    memset(h, 0, sizeof(*h));
    image_blake3_begin(&h->sum, false);
}

void restore_hash_add(struct restore_hash *h, const void *data, size_t bytes)
{
    const char *p = data;

    if (!h->thread) {
        image_blake3_add(&h->sum, data, bytes);
        return;
    }
    for (uint32_t n; bytes; bytes -= n, p += n) {
        n = bytes < 1u << 30 ? (uint32_t)bytes : 1u << 30;
        give(h, p, n);
    }
}

/* Where there is more than can be asked about there are many. */
static bool is_alone(void)
{
    struct image_processors here;
    unsigned first;

    image_processors_of(0, &here);
    first = image_processors_next(&here, 0);
    return first < IMAGE_PROCESSORS &&
           image_processors_next(&here, first + 1) == IMAGE_PROCESSORS;
}

void restore_hash_apart(struct restore_hash *h, char *top)
{
    const uint64_t flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM |
                           CLONE_SIGHAND | CLONE_THREAD | CLONE_PARENT_SETTID |
                           CLONE_CHILD_CLEARTID;
    long rc;

    if (is_alone())
        return;
    rc = restore_start_helper(flags, top, &h->lives, make_it, h);
    h->thread = rc > 0 ? (int)rc : 0;
}

void restore_hash_wait(struct restore_hash *h)
{
    uint32_t done;

    if (!h->thread)
        return;
    tell(h);
    while ((done = atomic_load(&h->done)) != h->put)
        wait_while(&h->done, done);
}

/* What the kernel has cleared is not gone yet: for a moment it is listed among
 * the threads of what this becomes. */
void restore_hash_join(struct restore_hash *h)
{
    uint32_t lives;

    if (!h->thread)
        return;
    give(h, NULL, 0);
    restore_hash_wait(h);
    while ((lives = atomic_load(&h->lives)))
        wait_while(&h->lives, lives);
    while (sys(SYS_tgkill, sys(SYS_getpid), h->thread, 0) == 0)
        sys(SYS_sched_yield);
    h->thread = 0;
}
