/* meeting.c - calls of some members of a communicator, see meeting.h.
 *
 * Entries are changed under busy, and shown ones are never given back but to
 * another kind, when there are too many. MPI is asked about the group before
 * the call that it is given to; but it is MPI that has made it. */
#include "mpi-wrappers/handles/meeting.h"

#include "mpi-wrappers/fields.h"
#include "mpi-wrappers/handles/handle.h"

enum { CHUNK = 256 };

static struct page_meetings *_Atomic shown;     /* borrowed */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static unsigned last;           /* place that was taken last */

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

/* ---------------------------------------------------------- who takes part */

/* World ranks in their order, as few runs; n is PAGE_RUNS + 1 when they do not
 * fit, or are not known. */
struct party {
    uint64_t hash;
    uint32_t size, n;
    struct { uint32_t first, n; int32_t step; } run[PAGE_RUNS];
};

static void add(struct party *p, int32_t rank)
{
    int32_t next;

    p->hash = comm_mix(p->hash, (uint32_t)rank);
    p->size++;
    if (rank < 0 || p->n > PAGE_RUNS) {
        p->n = PAGE_RUNS + 1;
        return;
    }
    if (p->n > 0) {
        uint32_t i = p->n - 1;

        if (p->run[i].n == 1)
            p->run[i].step = rank - (int32_t)p->run[i].first;
        next = (int32_t)p->run[i].first +
               (int32_t)p->run[i].n * p->run[i].step;
        if (rank == next) {
            p->run[i].n++;
            return;
        }
    }
    if (p->n < PAGE_RUNS) {
        p->run[p->n].first = (uint32_t)rank;
        p->run[p->n].n = 1;
        p->run[p->n].step = 0;
    }
    p->n++;
}

static void all_of_group(struct party *p, uintptr_t group)
{
    int ranks[CHUNK];
    uint32_t n = comm_group_size(group);

    for (uint32_t i = 0; i < n; i += CHUNK) {
        uint32_t some = n - i < CHUNK ? n - i : CHUNK;

        comm_group_ranks(group, (int)i, (int)some, ranks);
        for (uint32_t j = 0; j < some; j++)
            add(p, ranks[j]);
    }
}

static void two_leaders(struct party *p, int32_t other)
{
    int32_t self = comm_self();

    if (other < 0)
        return;
    add(p, self < other ? self : other);
    add(p, self < other ? other : self);
}

/* ------------------------------------------------------------- in the page */

/* The entry of this identity, or a new one. */
static struct page_meeting *place_of(struct page_meetings *s, uint64_t id)
{
    struct page_meeting *m = NULL;

    for (unsigned i = 0; i < PAGE_MEETINGS; i++)
        if (GET(s->meeting[i].id) == id)
            return &s->meeting[i];
    for (unsigned i = 0; i < PAGE_MEETINGS && !m; i++) {
        last = (last + 1) % PAGE_MEETINGS;
        if (!GET(s->meeting[last].in))
            m = &s->meeting[last];
    }
    if (m ? GET(m->id) != 0 : true)
        SET(s->lost, GET(s->lost) + 1);
    return m;
}

static void show(struct page_meeting *m, unsigned call, uint64_t id,
                 uint64_t comm, int32_t tag, const struct party *p)
{
    bool known = p->n > 0 && p->n <= PAGE_RUNS;
    uint64_t before = GET(m->id) == id ? GET(m->count) : 0;

    SET(m->seq, GET(m->seq) | 1);
    atomic_thread_fence(memory_order_release);
    SET(m->call, call);
    SET(m->id, id);
    SET(m->comm, comm);
    SET(m->count, before + 1);
    SET(m->tag, tag);
    SET(m->in, 1);
    SET(m->size, p->size);
    SET(m->runs, known ? p->n : 0);
    for (uint32_t i = 0; known && i < p->n; i++) {
        SET(m->run[i].first, p->run[i].first);
        SET(m->run[i].n, p->run[i].n);
        SET(m->run[i].step, p->run[i].step);
    }
    atomic_store_explicit(&m->seq, GET(m->seq) + 1, memory_order_release);
}

static const struct comm *other_comm(const struct about *a)
{
    return a->traits & ABOUT_FORTRAN
        ? comm_find_fortran(PAGE_KIND_COMM, a->type) : comm_find(a->type);
}

static uintptr_t group_of(const struct about *a)
{
    uintptr_t key = a->traits & ABOUT_FORTRAN
        ? handle_group_f2c((int)(a->type >> 1)) : a->type;

    return key == handle_known(HANDLE_NO_GROUP) ? 0 : key;
}

struct page_meeting *meeting_enter(unsigned call, const struct about *a,
                                   const struct comm *c)
{
    struct page_meetings *s = atomic_load_explicit(&shown,
                                                   memory_order_acquire);
    struct page_meeting *m;
    struct party p = { .hash = call };
    uint64_t id;

    if (!s || !c || a->tag < 0)
        return NULL;
    if (call == CALL_Comm_create_group) {
        uintptr_t group = group_of(a);

        if (group)
            all_of_group(&p, group);
    } else if (GET(c->shown->rank) == (uint32_t)a->peer) {
        c = other_comm(a);
        if (c)
            two_leaders(&p, comm_peer((struct comm *)c, a->source));
    }
    if (p.size < 2 || !c || !c->id || (c->id & PAGE_COMM_LOCAL))
        return NULL;
    id = comm_mix(comm_mix(p.hash, (uint32_t)a->tag), c->id);
    lock();
    m = place_of(s, id ? id : 1);
    if (m)
        show(m, call, id ? id : 1, c->id, a->tag, &p);
    unlock();
    return m;
}

void meeting_leave(struct page_meeting *m)
{
    if (m)
        SET(m->in, 0);
}

/* ------------------------------------------------------- beginning */

void meeting_start(struct page_meetings *m)
{
    atomic_store_explicit(&shown, m, memory_order_release);
}

void meeting_stop(void)
{
    atomic_store_explicit(&shown, NULL, memory_order_relaxed);
}
