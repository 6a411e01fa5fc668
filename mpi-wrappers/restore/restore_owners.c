/* restore_owners.c - locks and the numbers of threads: see restore_owners.h.
 *
 * Both kinds of locks are part of the programs that use them, so their form
 * does not change. In words of 32 bits, counted from the one with the number:
 *
 *   mutex            -2 lock, -1 count, 0 owner, 1 users, 2 kind, 3 spins,
 *                    4..7 list
 *   read-write lock  -6 readers, -5 writers, -4 phase, -3 gate, -2, -1 nothing,
 *                    0 writer, 1 shared, 2..5 nothing, 6 flags
 *
 * The number is at a multiple of 8 bytes, and what follows it is not larger
 * than the number of threads: nearly all memory is passed by with that.
 * Something else is taken for a lock if, besides the 32 bits of a number, some
 * 250 (a mutex) or 300 are as in a lock that is held. A number that a program
 * has for itself does not change.
 *
 * The C library must not go on with the old numbers instead: it gives its own to
 * the kernel (pthread_kill, pthread_cancel, pthread_setaffinity_np), which looks
 * for a thread's own in robust mutexes, and for any in those that inherit. */
#include "mpi-wrappers/restore/restore_owners.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "mpi-wrappers/cpu.h"
#include "mpi-wrappers/image/image_lock.h"
#include "mpi-wrappers/restore/restore_memory.h"

enum {
    BEFORE = 24, BEHIND = 32,   /* bytes of a lock, from its number on */
    AT = BEFORE / 4, WINDOW = (BEFORE + BEHIND) / 4,
    BLOCK = 64,                 /* bytes that are looked at in one go */
    LIST_MAX = 1 << 20          /* robust mutexes of a thread */
};
/* Of a mutex's word that the kernel knows: the thread's number, and two
 * flags. */
#define OWNER_BITS 0x3fffffffu
#define WAITERS 0x80000000u

/* Bits of the lock of one that protects. */
#define CEILING 0xfff80000u

typedef uint32_t lanes __attribute__((vector_size(16)));
typedef int32_t signed_lanes __attribute__((vector_size(16)));
typedef uint64_t pairs __attribute__((vector_size(16)));

static const struct image_thread *thread_of(const struct restore *r,
                                            uint32_t number)
{
    for (size_t i = 0; i < r->head.nthreads; i++)
        if ((uint32_t)r->threads[i].tid == number)
            return &r->threads[i];
    return NULL;
}

/* -------------------------------------------------------------- are found */
void restore_owners_begin(struct restore *r)
{
    struct restore_owners *o = &r->owners;
    uint32_t highest = 0;
    struct cpu_set here;

    o->lowest = UINT32_MAX;
    o->most = (uint32_t)r->head.nthreads;
    for (size_t i = 0; i < r->head.nthreads; i++) {
        uint32_t tid = (uint32_t)r->threads[i].tid;

        o->lowest = tid < o->lowest ? tid : o->lowest;
        highest = tid > highest ? tid : highest;
    }
    o->span = highest - o->lowest;
    cpu_read(&here);
    o->wide = cpu_names(&here, "AVX512F");
}

static bool is_mutex(const struct restore_owners *o, const uint32_t *w)
{
    uint32_t lock = w[-2], kind = w[2], type = kind & LOCK_TYPE;
    bool counts = type == LOCK_RECURSIVE ||
                  (kind & (LOCK_INHERITS | LOCK_PROTECTS));

    if (kind & ~(uint32_t)(LOCK_KINDS & ~LOCK_ROBUST) ||
        w[1] < 1 || w[1] > o->most || w[3] || w[4] | w[5] | w[6] | w[7] ||
        counts != (w[-1] > 0))
        return false;
    if (kind & LOCK_INHERITS)
        return (lock & ~WAITERS) == w[0];
    if (kind & LOCK_PROTECTS)
        lock &= ~CEILING;
    return (type == LOCK_RECURSIVE || type == LOCK_ERROR_CHECKING) &&
           (lock == 1 || lock == 2);
}

static bool is_rwlock(const struct restore_owners *o, const uint32_t *w)
{
    return (w[-6] & 3) == 3 && w[-6] >> 3 <= o->most && w[-5] <= o->most &&
           w[-4] <= 3 && w[-3] <= 3 && !(w[-2] | w[-1]) && w[1] <= 1 &&
           !(w[2] | w[3] | w[4] | w[5]) && w[6] <= 3;
}

/* The words of what may be a lock; what is outside of what was mapped one
 * after the other is taken for zeros. */
static const uint32_t *words_at(const struct restore_owners *o, uint64_t at,
                                uint32_t window[WINDOW])
{
    uint64_t from = at - BEFORE, to = at + BEHIND;

    if (o->floor <= from && to <= o->end)
        return (const uint32_t *)at;
    from = from < o->floor ? o->floor : from;
    to = to > o->end ? o->end : to;
    memset(window, 0, WINDOW * sizeof(*window));
    memcpy((char *)window + (from + BEFORE - at), (const void *)from,
           to - from);
    return window + AT;
}

static void look_at(struct restore *r, uint64_t at)
{
    struct restore_owners *o = &r->owners;
    uint32_t window[WINDOW];
    const uint32_t *w = words_at(o, at, window);

    if ((!is_mutex(o, w) && !is_rwlock(o, w)) || !thread_of(r, *w))
        return;
    if (o->n == RESTORE_OWNERS)
        restore_refuse(r, "has more locks held than can be given the new "
                       "numbers of its threads", NULL);
    o->at[o->n++] = at;
}

static void look_slowly(struct restore *r, uint64_t from, uint64_t to)
{
    const struct restore_owners *o = &r->owners;

    for (; from < to; from += 8) {
        const uint32_t *w = (const uint32_t *)from;

        if (w[0] - o->lowest <= o->span && w[1] <= o->most)
            look_at(r, from);
    }
}

/* Has any of its pairs of words a number that may be one, and behind it one
 * that is small? Unsigned numbers are moved so that signed ones compare
 * alike. */
static inline bool is_suspect(const char *block, lanes move, signed_lanes limit)
{
    pairs none = { ~0ull, ~0ull };
    lanes word;

    for (int i = 0; i < BLOCK; i += (int)sizeof(word)) {
        pairs beyond;

        __builtin_memcpy(&word, block + i, sizeof(word));
        beyond = (pairs)((signed_lanes)(word + move) > limit);
        none &= beyond | beyond >> 32;
    }
    return (uint32_t)(none[0] & none[1]) != UINT32_MAX;
}

/* The first block that has, or what is behind the last whole one. */
static uint64_t next_suspect(const struct restore_owners *o, uint64_t from,
                             uint64_t to)
{
    const uint32_t half = 1u << 31;
    const lanes move = { half - o->lowest, half, half - o->lowest, half };
    const signed_lanes limit = {
        (int32_t)(o->span - half), (int32_t)(o->most - half),
        (int32_t)(o->span - half), (int32_t)(o->most - half)
    };

    while (to - from >= BLOCK && !is_suspect((const char *)from, move, limit))
        from += BLOCK;
    return from;
}

/* The same, by a whole block at a time. */
#if defined(__x86_64__)
__attribute__((target("avx512f")))
static uint64_t next_suspect_wide(const struct restore_owners *o, uint64_t from,
                                  uint64_t to)
{
    const __m512i lowest = _mm512_set1_epi64(o->lowest);
    const uint64_t most = (uint64_t)o->most << 32 | o->span;
    const __m512i limit = _mm512_set1_epi64((int64_t)most);
    const uint32_t firsts = 0x5555;     /* of pairs of words */

    for (; to - from >= BLOCK; from += BLOCK) {
        __m512i words = _mm512_loadu_si512((const void *)from);
        uint32_t beyond;

        words = _mm512_sub_epi32(words, lowest);
        beyond = _mm512_cmpgt_epu32_mask(words, limit);

        if (((beyond | beyond >> 1) & firsts) != firsts)
            break;
    }
    return from;
}
#else
#define next_suspect_wide next_suspect
#endif

static void look(struct restore *r, uint64_t from, uint64_t to)
{
    const struct restore_owners *o = &r->owners;

    for (; to - from >= BLOCK; from += BLOCK) {
        from = o->wide ? next_suspect_wide(o, from, to)
                       : next_suspect(o, from, to);
        if (to - from < BLOCK)
            break;
        look_slowly(r, from, from + BLOCK);
    }
    look_slowly(r, from, to);
}

void restore_owners_end(struct restore *r)
{
    struct restore_owners *o = &r->owners;

    look(r, o->from, o->to);
    o->from = o->to;
}

/* Behind the end of a file there is nothing to be looked at. */
static uint64_t end_of(const struct restore *r, const struct image_region *g)
{
    uint64_t bytes;

    if (g->mapped == IMAGE_NONE)
        return g->end;
    bytes = r->mapped[g->mapped].bytes;
    bytes = bytes > g->offset ? bytes - g->offset : 0;
    return bytes < g->end - g->start ? g->start + bytes : g->end;
}

void restore_owners_look(struct restore *r, const struct image_region *g,
                         uint64_t from, uint64_t to)
{
    struct restore_owners *o = &r->owners;
    uint64_t end = end_of(r, g);

    if (!(g->prot & PROT_WRITE))
        return;
    if (from != o->to) {
        restore_owners_end(r);
        o->from = from;
        o->floor = g->start;
    }
    o->end = end > to ? end : to;
    o->to = to;
    if (to - o->from > BEHIND) {
        look(r, o->from, to - BEHIND);
        o->from = to - BEHIND;
    }
}

/* --------------------------------------------- and get their threads' numbers */
static uint32_t number_now(const struct image_thread *t)
{
    return t->tid_address ? *(const uint32_t *)t->tid_address
                          : (uint32_t)t->tid;
}

static void renumber(uint32_t *word, const struct image_thread *t)
{
    if ((*word & OWNER_BITS) == (uint32_t)t->tid)
        *word = (*word & ~OWNER_BITS) | number_now(t);
}

static void renumber_found(const struct restore *r, uint32_t *w)
{
    const struct image_thread *t = thread_of(r, *w);

    if (w[2] & LOCK_INHERITS)
        renumber(&w[-2], t);
    renumber(w, t);
}

/* As set_robust_list(2) has it. */
struct robust { uint64_t next, offset, pending; };
#define ENTRY(at) ((at) & ~1ull)        /* the last bit says something else */

/* Can so much be written there? A program may have written anything there
 * itself. */
static bool is_memory(const struct restore *r, uint64_t at, uint64_t bytes)
{
    const struct image_region *g = restore_memory_region(r, at);

    return g && (g->prot & PROT_WRITE) && g->end - at >= bytes;
}

/* An entry of the list is part of a mutex, at a distance that the list says. */
static void renumber_robust(const struct restore *r,
                            const struct image_thread *t, uint64_t lock)
{
    if (lock % 8 || !is_memory(r, lock, BEFORE))
        return;
    renumber((uint32_t *)lock, t);
    renumber((uint32_t *)lock + 2, t);
}

static void renumber_list(const struct restore *r, const struct image_thread *t)
{
    const struct robust *head = (const struct robust *)t->robust;
    uint64_t at;
    int n = 0;

    if (t->robust_bytes != sizeof(*head) ||
        !is_memory(r, t->robust, sizeof(*head)))
        return;
    for (at = ENTRY(head->next); at != t->robust && n < LIST_MAX &&
         is_memory(r, at, sizeof(at)); at = ENTRY(*(const uint64_t *)at), n++)
        renumber_robust(r, t, at + head->offset);
    if (head->pending)
        renumber_robust(r, t, ENTRY(head->pending) + head->offset);
}

void restore_owners_renumber(const struct restore *r)
{
    const struct restore_owners *o = &r->owners;

    for (size_t i = 0; i < o->n; i++)
        renumber_found(r, (uint32_t *)o->at[i]);
    for (size_t i = 0; i < r->head.nthreads; i++)
        renumber_list(r, &r->threads[i]);
}
