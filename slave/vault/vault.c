/* vault.c - an arena in shared memory, a table of ledgers, and a socket
 * through which descriptors of pages go to the guard.
 *
 * Invariants. The arena is a chain of blocks, each with its size before it;
 * only the slave walks it. Both sides have it at the same address, as one is
 * the other's parent: pointers into it hold. The socket never blocks. */
#include "slave/vault/vault.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "slave/link/passfd.h"

struct block {
    size_t bytes;               /* with this header */
    size_t used;                /* 0: free */
};
enum { ALIGN = 16 };

struct vault_shared {
    uint64_t instance;
    _Atomic(struct vault_ledger *) ledgers[VAULT_TASKS];
};

struct vault {
    struct vault_shared *shared;        /* mapped */
    char *arena;                /* behind it */
    size_t arena_bytes;
    int ends[2];                /* slave's, guard's */
    uint64_t pages;             /* given out so far */
    struct { uint64_t page; int fd; } kept[VAULT_TASKS];  /* the guard's */
};

struct note { uint32_t index, drop; uint64_t page; };

/* The memory, from fresh zeros. */
static void vault_init(struct vault *v)
{
    *(struct block *)v->arena = (struct block){ v->arena_bytes, 0 };
}

struct vault *vault_create(struct err *err)
{
    struct vault *v = calloc(1, sizeof(*v));
    size_t head = (sizeof(struct vault_shared) + 4095) & ~(size_t)4095;
    void *p = mmap(NULL, VAULT_BYTES, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (!v || p == MAP_FAILED ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
                   v->ends)) {
        err_sys(err, "cannot make shared memory");
        if (p != MAP_FAILED)
            munmap(p, VAULT_BYTES);
        free(v);
        return NULL;
    }
    v->shared = p;
    v->arena = (char *)p + head;
    v->arena_bytes = VAULT_BYTES - head;
    vault_init(v);
    for (size_t i = 0; i < VAULT_TASKS; i++)
        v->kept[i].fd = -1;
    return v;
}

void vault_destroy(struct vault *v)
{
    if (!v)
        return;
    munmap(v->shared, VAULT_BYTES);
    close(v->ends[0]);
    close(v->ends[1]);
    free(v);
}

void vault_set_instance(struct vault *v, uint64_t instance)
{
    if (v)
        v->shared->instance = instance;
}

uint64_t vault_instance(const struct vault *v)
{
    return v->shared->instance;
}

/* ------------------------------------------------------------------ memory */

static struct block *block_at(const struct vault *v, size_t at)
{
    return (struct block *)(v->arena + at);
}

/* Join the free blocks behind b to it. */
static void block_join(struct vault *v, struct block *b)
{
    for (;;) {
        size_t next = (size_t)((char *)b - v->arena) + b->bytes;

        if (next >= v->arena_bytes || block_at(v, next)->used)
            return;
        b->bytes += block_at(v, next)->bytes;
    }
}

/* First fit: what is touched stays small. */
void *vault_alloc(struct vault *v, size_t bytes)
{
    size_t want = (bytes + sizeof(struct block) + ALIGN - 1) &
                  ~(size_t)(ALIGN - 1);

    for (size_t at = 0; v && at < v->arena_bytes;
         at += block_at(v, at)->bytes) {
        struct block *b = block_at(v, at);

        if (b->used)
            continue;
        block_join(v, b);
        if (b->bytes < want)
            continue;
        if (b->bytes - want > sizeof(*b)) {
            *(struct block *)((char *)b + want) =
                (struct block){ b->bytes - want, 0 };
            b->bytes = want;
        }
        b->used = 1;
        return b + 1;
    }
    return NULL;
}

bool vault_has(const struct vault *v, const void *p)
{
    return v && (const char *)p >= v->arena &&
           (const char *)p < v->arena + v->arena_bytes;
}

void vault_free(struct vault *v, void *p)
{
    (void)v;
    if (p)
        ((struct block *)p - 1)->used = 0;
}

/* ----------------------------------------------------------------- ledgers */

struct vault_ledger *vault_open_ledger(struct vault *v, uint64_t job,
                                       uint32_t rank)
{
    struct vault_ledger *l;
    uint32_t i = 0;

    while (v && i < VAULT_TASKS && atomic_load(&v->shared->ledgers[i]))
        i++;
    if (!v || i == VAULT_TASKS || !(l = vault_alloc(v, sizeof(*l))))
        return NULL;
    memset(l, 0, sizeof(*l));
    l->job = job;
    l->rank = rank;
    l->index = i;
    atomic_store(&v->shared->ledgers[i], l);
    return l;
}

static void vault_send(struct vault *v, const struct note *n, int fd)
{
    if (passfd_send(v->ends[0], n, sizeof(*n), fd, MSG_DONTWAIT) < 0)
        return;                 /* a guard that hangs: less can be saved */
}

void vault_close_ledger(struct vault *v, struct vault_ledger *l)
{
    struct note n = { .drop = 1 };

    if (!v || !l)
        return;
    n.index = l->index;
    atomic_store(&v->shared->ledgers[l->index], NULL);
    vault_free(v, l);
    vault_send(v, &n, -1);
}

struct vault_state *vault_draft(struct vault_ledger *l)
{
    return &l->state[!atomic_load(&l->now)];
}

void vault_commit(struct vault_ledger *l)
{
    atomic_store(&l->now, !atomic_load(&l->now));
}

void vault_stop(struct vault_ledger *l, pid_t pid)
{
    if (l)
        atomic_store(&l->stopped, (int32_t)pid);
}

void vault_shares(struct vault_ledger *l, pid_t pid)
{
    if (l)
        atomic_store(&l->shares, (int32_t)pid);
}

uint64_t vault_keep_page(struct vault *v, const struct vault_ledger *l,
                         int fd)
{
    struct note n = { .page = v && l ? ++v->pages : 0 };

    if (!n.page)
        return 0;
    n.index = l->index;
    vault_send(v, &n, fd);
    return n.page;
}

/* ------------------------------------------------------------- the guard's */

int vault_socket(const struct vault *v)
{
    return v->ends[1];
}

static void vault_note(struct vault *v, const struct note *n, int fd)
{
    if (n->index >= VAULT_TASKS) {
        close(fd);
        return;
    }
    if (v->kept[n->index].fd >= 0)
        close(v->kept[n->index].fd);
    v->kept[n->index].fd = n->drop ? -1 : fd;
    v->kept[n->index].page = n->page;
}

void vault_take(struct vault *v)
{
    struct note n;
    int fd;

    while (passfd_receive(v->ends[1], &n, sizeof(n), &fd, MSG_DONTWAIT) ==
           sizeof(n))
        vault_note(v, &n, fd);
}

void vault_empty(struct vault *v)
{
    vault_take(v);
    for (size_t i = 0; i < VAULT_TASKS; i++) {
        if (v->kept[i].fd >= 0)
            close(v->kept[i].fd);
        v->kept[i].fd = -1;
    }
    if (madvise(v->shared, VAULT_BYTES, MADV_REMOVE))
        memset(v->shared, 0, VAULT_BYTES);
    vault_init(v);
}

const struct vault_ledger *vault_ledger(const struct vault *v, size_t index)
{
    return atomic_load(&v->shared->ledgers[index]);
}

void vault_let_go(const struct vault *v, void (*undo)(pid_t pid))
{
    for (size_t i = 0; i < VAULT_TASKS; i++) {
        const struct vault_ledger *l = vault_ledger(v, i);
        pid_t pid = l && vault_has(v, l) ? atomic_load(&l->stopped) : 0;

        if (pid > 0)
            kill(pid, SIGCONT);
        pid = l && vault_has(v, l) ? atomic_load(&l->shares) : 0;
        if (pid > 0)
            undo(pid);
    }
}

int vault_page(const struct vault *v, size_t index, uint64_t page)
{
    return page && v->kept[index].page == page ? v->kept[index].fd : -1;
}
