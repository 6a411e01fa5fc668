/* comm.c - see comm.h. The lock is for the list and the slots. Two threads make no
 * collective calls on one communicator at a time, so its numbers need none. */
#include "mpi-wrappers/stop/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/inside/entry.h"
#include "mpi-wrappers/stop/kept.h"
#include "mpi-wrappers/stop/pending.h"

struct comm_count {             /* of communicators with the same members, made */
    uint64_t members;           /* ... without a collective on the parent */
    uint64_t made;
};

struct comm comm_all = { .next = &comm_all, .before = &comm_all };
static pthread_mutex_t comm_lock = PTHREAD_MUTEX_INITIALIZER;

/* Of two numbers another one (splitmix64: Steele, Lea, Flood 2014). */
uint64_t comm_mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* ---------------------------------------------------------------- the page */

/* With the lock, for these. */
static void comm_list(struct comm *c)
{
    struct page_stop *p = stop_page;
    uint32_t n = GET(p->comms), i = 0;

    while (i < n && GET(p->comm[i].id))
        i++;
    c->slot = UINT32_MAX;
    c->at = &c->own;
    if (i == PAGE_STOP_COMMS) {
        stand_refuse(STAND_CROWDED, 1);
        return;
    }
    c->slot = i;
    c->at = &p->comm[i];
    SET(c->at->entered, 0);
    SET(c->at->target, 0);
    SET(c->at->size, (uint32_t)(c->size + c->remote));
    STAND_TELL(c->at->id, c->id);
    if (i == n)
        STAND_TELL(p->comms, n + 1);
}

static void comm_unlist(struct comm *c)
{
    if (c->slot == UINT32_MAX)
        stand_refuse(STAND_CROWDED, -1);
    else
        STAND_TELL(c->at->id, 0);
}

void comm_page(struct page_stop *page)
{
    pthread_mutex_lock(&comm_lock);
    for (struct comm *c = comm_all.next; c != &comm_all; c = c->next)
        if (c->slot != UINT32_MAX)
            c->at = &page->comm[c->slot];
    pthread_mutex_unlock(&comm_lock);
}

/* ----------------------------------------------------------------- members */

/* World ranks of a group of n, Open MPI's handle. */
static int comm_ranks(MPI_Group group, int n, int *to)
{
    MPI_Group world = MPI_GROUP_NULL;
    int *own = malloc((size_t)(n + 1) * sizeof(*own)), rc;

    if (!own)
        return -1;
    for (int i = 0; i < n; i++)
        own[i] = i;
    rc = INSIDE(Comm_group)(object_real(MPI_COMM_WORLD), &world);
    if (rc == MPI_SUCCESS && n > 0)
        rc = INSIDE(Group_translate_ranks)(group, n, own, world, to);
    INSIDE(Group_free)(&world);
    free(own);
    for (int i = 0; i < n; i++)
        if (to[i] < 0)
            to[i] = -1;
    return rc == MPI_SUCCESS ? 0 : -1;
}

static int comm_learn(struct comm *c, MPI_Comm real)
{
    MPI_Group own = MPI_GROUP_NULL, remote = MPI_GROUP_NULL;
    int inter = 0, rc;

    INSIDE(Comm_test_inter)(real, &inter);
    INSIDE(Comm_rank)(real, &c->rank);
    INSIDE(Comm_size)(real, &c->size);
    if (inter)
        INSIDE(Comm_remote_size)(real, &c->remote);
    c->world = calloc((size_t)(c->size + c->remote) + 1, sizeof(*c->world));
    if (!c->world)
        return -1;
    INSIDE(Comm_group)(real, &own);
    rc = comm_ranks(own, c->size, c->world);
    INSIDE(Group_free)(&own);
    if (inter && rc == 0) {
        INSIDE(Comm_remote_group)(real, &remote);
        rc = comm_ranks(remote, c->remote, c->world + c->size);
        INSIDE(Group_free)(&remote);
    }
    for (int i = 0; rc == 0 && i < c->size + c->remote; i++)
        c->foreign |= c->world[i] < 0;
    return rc;
}

/* --------------------------------------------------------------- their life */

static struct comm *comm_new(void)
{
    struct comm *c = aligned_alloc(_Alignof(struct comm), sizeof(*c));

    if (c) {
        memset(c, 0, sizeof(*c));
        c->slot = UINT32_MAX;
        c->at = &c->own;
    }
    return c;
}

/* With the lock. */
static void comm_enter(struct comm *c)
{
    c->next = &comm_all;
    c->before = comm_all.before;
    c->before->next = c;
    comm_all.before = c;
    if (c->foreign)
        stand_refuse(STAND_WORLDS, 1);
}

static void comm_leave(struct comm *c)
{
    c->before->next = c->next;
    c->next->before = c->before;
    if (c->foreign)
        stand_refuse(STAND_WORLDS, -1);
}

/* The one that was announced. With the lock. */
static struct comm *comm_announced(uint64_t id)
{
    for (struct comm *c = comm_all.next; id && c != &comm_all; c = c->next)
        if (c->id == id && !c->object)
            return c;
    return NULL;
}

static void comm_make(MPI_Comm handle, uint64_t id, uint64_t parent,
                      uint64_t number)
{
    struct object *o = (struct object *)handle;
    struct comm *c;
    int first;

    if (!o || o == object_null(OBJECT_COMM) || o->comm)
        return;
    pthread_mutex_lock(&comm_lock);
    c = comm_announced(id);
    pthread_mutex_unlock(&comm_lock);
    if (!c && !(c = comm_new())) {
        stand_refuse(STAND_CROWDED, 1);
        return;
    }
    if (comm_learn(c, object_real(handle)) != 0)
        c->foreign = true;
    first = c->world && c->size ? c->world[0] : 0;
    if (c->world && c->remote && c->world[c->size] < first)
        first = c->world[c->size];
    c->object = o;
    o->comm = c;
    pthread_mutex_lock(&comm_lock);
    if (!c->next) {
        c->id = id ? id : comm_mix(comm_mix(parent, number),
                                   (uint64_t)(uint32_t)first) | 1 << 2;
        comm_list(c);
        comm_enter(c);
    } else if (c->foreign) {
        stand_refuse(STAND_WORLDS, 1);
    }
    pthread_mutex_unlock(&comm_lock);
}

void comm_made(MPI_Comm handle, const struct comm *parent)
{
    if (parent)
        comm_make(handle, 0, parent->id, GET(parent->at->entered));
    else
        comm_met(handle, 0);
}

void comm_met(MPI_Comm handle, uint64_t id)
{
    static _Atomic uint64_t alone = 1;  /* made in a way that nobody else knows */

    if (id)
        comm_make(handle, id, 0, 0);
    else
        comm_make(handle, 0, UINT64_MAX, atomic_fetch_add(&alone, 1));
}

struct comm *comm_announce(uint64_t id, int size)
{
    struct comm *c = comm_new();

    if (!c)
        return NULL;
    c->id = id;
    c->size = size;
    pthread_mutex_lock(&comm_lock);
    comm_list(c);
    comm_enter(c);
    pthread_mutex_unlock(&comm_lock);
    c->size = 0;
    return c;
}

static void comm_free(struct comm *c)
{
    kept_drop(c);
    free(c->world);
    free(c->counts);
    free(c);
}

void comm_forget(struct comm *c)
{
    pthread_mutex_lock(&comm_lock);
    comm_unlist(c);
    comm_leave(c);
    pthread_mutex_unlock(&comm_lock);
    comm_free(c);
}

/* What requests still point to stays in memory. */
static void comm_end(struct object *o)
{
    struct comm *c = o->comm;

    o->comm = NULL;
    c->object = NULL;
    pthread_mutex_lock(&comm_lock);
    comm_unlist(c);
    comm_leave(c);
    pthread_mutex_unlock(&comm_lock);
    if (!c->lasts && !pending_has(c))
        comm_free(c);
}

void comm_begin(void)
{
    int rank = 0;

    object_comm_ends = comm_end;
    INSIDE(Comm_rank)(object_real(MPI_COMM_WORLD), &rank);
    comm_make(MPI_COMM_WORLD, 1, 0, 0);
    comm_make(MPI_COMM_SELF, comm_mix(2, (uint64_t)rank) | 1 << 2, 0, 0);
}

/* ---------------------------------------- made by some of the members alone */

/* How often these have made one so, all of them know. */
static uint64_t comm_again(struct comm *c, uint64_t members)
{
    struct comm_count *v;
    uint64_t made = 0;

    pthread_mutex_lock(&comm_lock);
    for (uint32_t i = 0; i < c->ncounts && !made; i++)
        if (c->counts[i].members == members)
            made = ++c->counts[i].made;
    v = made ? NULL : realloc(c->counts, (c->ncounts + 1) * sizeof(*v));
    if (v) {
        c->counts = v;
        v[c->ncounts++] = (struct comm_count){ members, made = 1 };
    }
    pthread_mutex_unlock(&comm_lock);
    return made;
}

uint64_t comm_by_group(struct comm *c, MPI_Group group, int tag, int *ranks)
{
    MPI_Group real = object_real(group);
    uint64_t members = comm_mix(c->id, (uint64_t)(uint32_t)tag), again;
    int n = 0;

    if (INSIDE(Group_size)(real, &n) != MPI_SUCCESS ||
        comm_ranks(real, n, ranks) != 0)
        return 0;
    for (int i = 0; i < n; i++)
        members = comm_mix(members, (uint64_t)(uint32_t)ranks[i]);
    again = comm_again(c, members);
    return again ? comm_mix(members, again) | 1 << 2 : 0;
}
