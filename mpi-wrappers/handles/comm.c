/* comm.c - communicators, windows and files by handle, see comm.h.
 *
 * Invariants: an entry is complete before its key is stored, and changes only
 * under busy afterwards, but for the translations that are added to peers.
 * place of an entry in the table and in the page is the same. What is asked
 * here of MPI is local: nothing communicates, and only about handles that MPI
 * itself has just accepted. */
#include "mpi-wrappers/handles/comm.h"

#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/handles/handle.h"
#include "mpi-wrappers/fields.h"

enum {
    PEERS_EACH = 1024,          /* translations kept for one communicator */
    PEERS_ALL = 32 * 1024,      /* for all of them together */
    F_CACHE = 256,              /* Fortran handles kept for each kind */
    GROUPS = 256,               /* kinds of groups whose making is counted */
    MEMBERS_CHUNK = 256,
    PROMISES = 16,              /* MPI_Comm_idup under way */
};

struct comm comm_table[PAGE_COMMS];

static struct page_header *page;        /* borrowed */
static struct page_shared *_Atomic shown;       /* borrowed */
static MPI_Group world;
static uint32_t self_rank, peers_used;
static _Atomic uint16_t f_cache[4][F_CACHE];    /* place + 1 */
static struct { uint64_t of; uint32_t n; } groups[GROUPS];
static struct page_comm *freed[PAGE_FREED];     /* shown so; or NULL */
static unsigned nfreed;         /* ever */
static struct promise {
    uintptr_t request;          /* 0: free */
    struct about about;
    struct comm parent;         /* as it was: it may be freed before */
    uint64_t number;
} promises[PROMISES];
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

/* ------------------------------------------------------- asking MPI */

static MPI_Comm comm_of_key(uintptr_t key)
{
    return HANDLE_OF(MPI_Comm, key);
}

static bool is_inter(MPI_Comm c)
{
    int flag = 0;

    HANDLE_ASK(Comm_test_inter, (MPI_Comm, int *), (c, &flag), 0);
    return flag;
}

/* The group of c's members; with remote of an intercommunicator, the other
 * one. False: there is none to be had. */
static bool group_of(uintptr_t key, unsigned kind, bool remote, MPI_Group *g)
{
    switch (kind) {
    case PAGE_KIND_WIN:
        return HANDLE_ASK(Win_get_group, (MPI_Win, MPI_Group *),
                          (HANDLE_OF(MPI_Win, key), g), -1) == MPI_SUCCESS;
    case PAGE_KIND_FILE:
        return HANDLE_ASK(File_get_group, (MPI_File, MPI_Group *),
                          ((MPI_File)key, g), -1) == MPI_SUCCESS;
    default:
        if (remote)
            return HANDLE_ASK(Comm_remote_group, (MPI_Comm, MPI_Group *),
                              (comm_of_key(key), g), -1) == MPI_SUCCESS;
        return HANDLE_ASK(Comm_group, (MPI_Comm, MPI_Group *),
                          (comm_of_key(key), g), -1) == MPI_SUCCESS;
    }
}

static void group_done(MPI_Group *g)
{
    HANDLE_ASK(Group_free, (MPI_Group *), (g), 0);
}

static uint32_t group_size(MPI_Group g)
{
    int n = 0;

    HANDLE_ASK(Group_size, (MPI_Group, int *), (g, &n), 0);
    return n < 0 ? 0 : (uint32_t)n;
}

static uint32_t group_rank(MPI_Group g)
{
    int n = 0;

    HANDLE_ASK(Group_rank, (MPI_Group, int *), (g, &n), 0);
    return (uint32_t)n;
}

/* World ranks of n members from the first on; PAGE_UNKNOWN in other worlds. */
static void world_ranks(MPI_Group g, int from, int n, int *out)
{
    int ranks[MEMBERS_CHUNK];

    for (int i = 0; i < n; i++) {
        ranks[i] = from + i;
        out[i] = MPI_UNDEFINED;
    }
    HANDLE_ASK(Group_translate_ranks,
               (MPI_Group, int, const int *, MPI_Group, int *),
               (g, n, ranks, world, out), 0);
    for (int i = 0; i < n; i++)
        if (out[i] < 0)
            out[i] = PAGE_UNKNOWN;
}

uint32_t comm_group_size(uintptr_t group)
{
    return group_size(HANDLE_OF(MPI_Group, group));
}

void comm_group_ranks(uintptr_t group, int from, int n, int *out)
{
    world_ranks(HANDLE_OF(MPI_Group, group), from, n, out);
}

int32_t comm_self(void)
{
    return (int32_t)self_rank;
}

/* ------------------------------------------------------- identities */

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014; Stafford's mix13). */
uint64_t comm_mix(uint64_t a, uint64_t b)
{
    uint64_t z = a * 0x9e3779b97f4a7c15u + b + 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t first_and_size(MPI_Group g)
{
    int first = PAGE_UNKNOWN;
    uint32_t n = group_size(g);

    if (n)
        world_ranks(g, 0, 1, &first);
    return comm_mix((uint32_t)first, n);
}

static uint64_t all_members(MPI_Group g)
{
    int ranks[MEMBERS_CHUNK];
    uint32_t n = group_size(g);
    uint64_t h = n;

    for (uint32_t i = 0; i < n; i += MEMBERS_CHUNK) {
        uint32_t some = n - i < MEMBERS_CHUNK ? n - i : MEMBERS_CHUNK;

        world_ranks(g, (int)i, (int)some, ranks);
        for (uint32_t j = 0; j < some; j++)
            h = comm_mix(h, (uint32_t)ranks[j]);
    }
    return h;
}

/* Of both sides of an intercommunicator, whichever is ours. */
static uint64_t members(uint64_t (*of)(MPI_Group), MPI_Group g, uintptr_t key,
                        bool inter)
{
    uint64_t here = of(g), there;
    MPI_Group r = (MPI_Group)0;

    if (!inter || !group_of(key, PAGE_KIND_COMM, true, &r))
        return here;
    there = of(r);
    group_done(&r);
    return here < there ? comm_mix(here, there) : comm_mix(there, here);
}

/* How many with this hash there were before; -1: no room to count. */
static int64_t count_group(uint64_t of)
{
    for (unsigned i = 0; i < GROUPS; i++) {
        unsigned at = (unsigned)(of + i) % GROUPS;

        if (groups[at].n == 0)
            groups[at].of = of;
        if (groups[at].of == of)
            return groups[at].n++;
    }
    return -1;
}

/* One that only this task knows by its number. */
static uint64_t local_id(void)
{
    static uint64_t made;

    return comm_mix(self_rank, ++made) | PAGE_COMM_LOCAL;
}

static uint64_t identify(const struct about *a, const struct comm *parent,
                         uint64_t number, const struct comm *c, uintptr_t key,
                         MPI_Group g)
{
    uint64_t id;
    int64_t before;

    if (!parent || !parent->id || (parent->id & PAGE_COMM_LOCAL) ||
        (a->traits & ABOUT_OUTSIDE))
        return local_id();
    if (a->traits & ABOUT_BY_GROUP) {
        id = comm_mix(members(all_members, g, key, c->inter), (uint32_t)a->tag);
        before = count_group(id);
        if (before < 0)
            return local_id();
        id = comm_mix(id, (uint64_t)before);
    } else {
        id = comm_mix(comm_mix(parent->id, number),
                 c->kind == PAGE_KIND_COMM
                     ? members(first_and_size, g, key, c->inter) : c->kind);
    }
    id &= ~PAGE_COMM_LOCAL;
    return id > 15 ? id : id + 16;      /* the first are spoken for */
}

/* ------------------------------------------------------- the table */

static struct comm *take_place(uintptr_t key)
{
    struct comm *c = comm_find(key), *gone = NULL;
    uint32_t at = comm_place(key);

    if (c)                              /* freed where we did not see it */
        return c;
    for (unsigned n = 0; n < PAGE_COMMS; n++, at = (at + 1) % PAGE_COMMS) {
        uintptr_t k = GET(comm_table[at].key);

        if (k == COMM_GONE && !gone)
            gone = &comm_table[at];
        if (k == 0)     /* never quite full: searching has to end */
            return gone ? gone : n + 8 < PAGE_COMMS ? &comm_table[at] : NULL;
    }
    return gone;
}

static void show_begin(struct page_comm *p)
{
    SET(p->seq, GET(p->seq) | 1);
    atomic_thread_fence(memory_order_release);
}

static void show_end(struct page_comm *p)
{
    atomic_store_explicit(&p->seq, GET(p->seq) + 1, memory_order_release);
}

static void drop_peers(struct comm *c)
{
    if (c->peers)
        peers_used -= c->peers_mask + 1;
    free(c->peers);
    c->peers = NULL;
}

/* Room for translations: as many as there are ranks, if that is possible. */
static void make_peers(struct comm *c)
{
    uint32_t n = 16;

    if (c->same)
        return;
    while (n < c->size && n < PEERS_EACH)
        n *= 2;
    while (n > PEERS_ALL - peers_used)
        n /= 2;
    if (n)
        c->peers = calloc(n, sizeof(*c->peers));
    if (c->peers) {
        c->peers_mask = n - 1;
        peers_used += n;
    }
}

/* Under the lock. id 0: to be found out. */
static void add(uintptr_t key, unsigned kind, uint64_t id,
                const struct about *a, const struct comm *parent,
                uint64_t number)
{
    struct page_shared *s = atomic_load_explicit(&shown,
                                                 memory_order_acquire);
    struct comm *c = s ? take_place(key) : NULL;
    struct page_comm *p;
    uint32_t remote = 0;
    MPI_Group g = (MPI_Group)0, r = (MPI_Group)0;

    if (!c) {
        if (s)
            SET(page->comms_lost, GET(page->comms_lost) + 1);
        return;
    }
    if (!group_of(key, kind, false, &g))
        return;
    SET(c->key, COMM_GONE);
    drop_peers(c);
    c->kind = (uint8_t)kind;
    c->inter = kind == PAGE_KIND_COMM && id == 0 && is_inter(comm_of_key(key));
    c->size = group_size(g);
    c->same = id == PAGE_COMM_WORLD ||
              (a && (a->traits & ABOUT_SAME_GROUP) && parent && parent->same);
    SET(c->fortran, -1);
    c->shown = p = &s->comm[c - comm_table];
    show_begin(p);
    SET(p->size, c->size);
    SET(p->rank, group_rank(g));
    c->id = id ? id : identify(a, parent, number, c, key, g);
    group_done(&g);
    if (c->inter && group_of(key, kind, true, &r)) {
        c->size = remote = group_size(r);
        group_done(&r);
    }
    make_peers(c);
    SET(p->remote_size, remote);
    SET(p->id, c->id);
    SET(p->parent, parent ? parent->id : 0);
    SET(p->call, 0);
    SET(p->collectives, 0);
    SET(p->since_ticks, 0);
    SET(p->history, 0);
    SET(p->history_before, 0);
    SET(p->freed, 0);
    SET(p->parcels_in, 0);
    SET(p->bytes, 0);
    SET(p->kind, kind);
    show_end(p);
    atomic_store_explicit(&c->key, key, memory_order_release);
}

static uintptr_t key_of_fortran(unsigned kind, int f)
{
    return kind == PAGE_KIND_WIN ? handle_win_f2c(f)
           : kind == PAGE_KIND_FILE ? handle_file_f2c(f) : handle_comm_f2c(f);
}

static bool means_nothing(uintptr_t key, unsigned kind)
{
    return key <= COMM_GOING ||
           key == handle_known(kind == PAGE_KIND_WIN ? HANDLE_NO_WIN
                               : kind == PAGE_KIND_FILE ? HANDLE_NO_FILE
                               : HANDLE_NO_COMM);
}

/* The key of a handle that a call has stored. */
static uintptr_t stored_key(const void *at, unsigned kind, bool fortran)
{
    return fortran ? key_of_fortran(kind, *(const MPI_Fint *)at)
           : kind == PAGE_KIND_FILE ? *(const uintptr_t *)at
           : handle_at(at, 0);
}

void comm_made(const struct about *a, const struct comm *parent,
               uint64_t number)
{
    unsigned kind = (a->traits & ABOUT_MAKES) >> ABOUT_MAKES_SHIFT;
    uintptr_t key = a->made ? stored_key(a->made, kind,
                                         a->traits & ABOUT_FORTRAN) : 0;

    if (means_nothing(key, kind))
        return;
    lock();
    if (!(a->traits & ABOUT_AGAIN) || !comm_find(key))
        add(key, kind, 0, a, parent, number);
    unlock();
}

void comm_promised(const struct about *a, const struct comm *parent,
                   uint64_t number, uintptr_t request)
{
    unsigned i = 0;

    lock();
    while (i < PROMISES && promises[i].request != 0)
        i++;
    if (i < PROMISES)
        promises[i] = (struct promise){ .request = request, .about = *a,
            .parent = { .id = parent ? parent->id : 0,
                        .same = parent && parent->same },
            .number = number };
    unlock();
}

void comm_kept(uintptr_t request)
{
    struct promise p = { 0 };

    lock();
    for (unsigned i = 0; i < PROMISES; i++)
        if (promises[i].request == request) {
            p = promises[i];
            promises[i].request = 0;
        }
    unlock();
    if (p.request)
        comm_made(&p.about, &p.parent, p.number);
}

/* Where it comes from, nobody knows: an identity of our own. */
void comm_met(const struct about *a)
{
    unsigned kind = a->traits & ABOUT_KIND;
    uintptr_t key = a->object;

    if (a->traits & ABOUT_FORTRAN)
        key = key_of_fortran(kind, (int)(key >> 1));
    if (means_nothing(key, kind))
        return;
    lock();
    if (!comm_find(key))
        add(key, kind, 0, a, NULL, 0);
    unlock();
}

void comm_remove(struct comm *c)
{
    lock();
    SET(c->fortran, -1);
    drop_peers(c);
    SET(c->key, COMM_GOING);
    unlock();
}

static void hide(struct page_comm *p)
{
    show_begin(p);
    SET(p->kind, 0);
    show_end(p);
}

/* The place may have been given to another one since. */
static void show_freed(struct page_comm *p)
{
    struct page_comm *was = freed[nfreed % PAGE_FREED];

    if (was && GET(was->freed))
        hide(was);
    freed[nfreed++ % PAGE_FREED] = p;
    show_begin(p);
    SET(p->freed, 1);
    show_end(p);
}

void comm_removed(struct comm *c, bool ok)
{
    lock();
    if (ok)
        show_freed(c->shown);
    else
        hide(c->shown);
    SET(c->key, COMM_GONE);
    /* At the end of a chain nobody searches on beyond it. */
    for (uint32_t at = (uint32_t)(c - comm_table);
         GET(comm_table[at].key) == COMM_GONE &&
         GET(comm_table[(at + 1) % PAGE_COMMS].key) == 0;
         at = (at + PAGE_COMMS - 1) % PAGE_COMMS)
        SET(comm_table[at].key, 0);
    unlock();
}

/* ------------------------------------------------------- looking up */

struct comm *comm_find_fortran(unsigned kind, uintptr_t key)
{
    int f = (int)(key >> 1);
    _Atomic uint16_t *cached = &f_cache[kind][(uint32_t)f % F_CACHE];
    uint16_t at = GET(*cached);
    struct comm *c;

    if (__builtin_expect(at && GET(comm_table[at - 1].fortran) == f &&
                         comm_table[at - 1].kind == kind, 1))
        return &comm_table[at - 1];
    key = key_of_fortran(kind, f);
    c = key > COMM_GOING ? comm_find(key) : NULL;
    if (c && c->kind == kind) {
        SET(c->fortran, f);
        SET(*cached, (uint16_t)(c - comm_table + 1));
    }
    return c;
}

void comm_status(struct comm *c, const int *status, int32_t *peer,
                 int32_t *tag)
{
    int from, its;

    if (!c || !handle_status(status, &from, &its))
        return;
    *peer = comm_peer(c, from);
    *tag = its;
}

struct comm *comm_by_id(uint64_t id)
{
    for (unsigned i = 0; i < PAGE_COMMS; i++)
        if (atomic_load_explicit(&comm_table[i].key, memory_order_acquire) >
                COMM_GOING && comm_table[i].id == id)
            return &comm_table[i];
    return NULL;
}

int32_t comm_ask_peer(struct comm *c, int rank)
{
    _Atomic uint64_t *kept;
    uint64_t is;
    MPI_Group g = (MPI_Group)0;
    int there = PAGE_UNKNOWN;

    if (rank < 0 || (uint32_t)rank >= c->size)
        return rank == handle_flavor.any_source ? PAGE_ANY
               : rank == handle_flavor.proc_null ? PAGE_NULL : PAGE_UNKNOWN;
    kept = c->peers ? &c->peers[(uint32_t)rank & c->peers_mask] : NULL;
    is = kept ? GET(*kept) : 0;
    if (is >> 32 == (uint64_t)rank + 1)
        return (int32_t)(uint32_t)is;
    if (!group_of(GET(c->key), c->kind, c->inter, &g))
        return PAGE_UNKNOWN;
    world_ranks(g, rank, 1, &there);
    group_done(&g);
    if (kept)
        SET(*kept, ((uint64_t)rank + 1) << 32 | (uint32_t)there);
    return there;
}

/* ------------------------------------------------------- beginning */

bool comm_choose(const char *version)
{
    return handle_choose(version);
}

void comm_start(struct page_header *h, struct page_shared *s)
{
    uintptr_t all = handle_known(HANDLE_WORLD);
    uintptr_t self = handle_known(HANDLE_SELF);

    if (all <= COMM_GOING || self <= COMM_GOING ||
        !group_of(all, PAGE_KIND_COMM, false, &world))
        return;
    page = h;
    self_rank = group_rank(world);
    atomic_store_explicit(&h->world_rank, (uint32_t)self_rank,
                          memory_order_relaxed);
    atomic_store_explicit(&h->world_size, group_size(world),
                          memory_order_release);
    atomic_store_explicit(&shown, s, memory_order_release);
    lock();
    add(all, PAGE_KIND_COMM, PAGE_COMM_WORLD, NULL, NULL, 0);
    add(self, PAGE_KIND_COMM, PAGE_COMM_SELF, NULL, NULL, 0);
    unlock();
}

void comm_stop(void)
{
    atomic_store_explicit(&shown, NULL, memory_order_relaxed);
    memset(comm_table, 0, sizeof(comm_table));
    memset(freed, 0, sizeof(freed));
}
