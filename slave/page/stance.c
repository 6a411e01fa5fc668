/* stance.c - see stance.h. */
#include "slave/page/stance.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct page_stop *stance_of(const char *page)
{
    return (struct page_stop *)(uintptr_t)(page +
        page_stop_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
}

#define LOAD(field) atomic_load_explicit(&(field), memory_order_relaxed)

static enum page_stop_where where_of(struct page_stop_thread *t)
{
    uint32_t w = atomic_load_explicit(&t->where, memory_order_acquire);

    return w <= PAGE_AT_GONE ? (enum page_stop_where)w : PAGE_AT_LIBRARY;
}

static uint32_t others_of(const struct page_stop *p)
{
    uint32_t n = LOAD(p->others);

    return n < PAGE_STOP_OTHERS ? n : PAGE_STOP_OTHERS;
}

/* Who says most of several threads: what any of them is inside, then what it
 * is held before or waits for. Who stands is as good as inside MPI until all do. */
static unsigned rank_of(enum page_stop_where w)
{
    static const unsigned char ranks[] = {
        [PAGE_AT_USER] = 0, [PAGE_AT_FROZEN] = 1, [PAGE_AT_LIBRARY] = 2,
        [PAGE_AT_WAITING] = 3, [PAGE_AT_HELD] = 4, [PAGE_AT_COLLECTIVE] = 5,
        [PAGE_AT_FINALIZED] = 6, [PAGE_AT_GONE] = 7,
    };

    return ranks[w];
}

static const struct page_stop_thread *read_threads(struct page_stop *p,
                                                   struct stance *s)
{
    uint32_t n = others_of(p);
    struct page_stop_thread *most = &p->first;
    enum page_stop_where w;
    bool still = atomic_load_explicit(&p->still, memory_order_acquire);

    s->where = where_of(most);
    for (uint32_t i = 0; i < n; i++) {
        w = where_of(&p->other[i]);
        if (rank_of(w) > rank_of(s->where)) {
            s->where = w;
            most = &p->other[i];
        }
    }
    if (!LOAD(p->many))
        return most;
    if (still)
        s->where = PAGE_AT_FROZEN;
    else if (s->where == PAGE_AT_FROZEN)
        s->where = PAGE_AT_LIBRARY;
    return most;
}

static int32_t peer_of(const struct page_stop_thread *p, uint32_t ntasks)
{
    int32_t peer = LOAD(p->peer);

    return peer == PAGE_ANY || (peer >= 0 && (uint32_t)peer < ntasks)
           ? peer : PAGE_NONE;
}

/* A free place may have a new communicator: its number is read first. */
static void read_comms(const struct page_stop *p, uint32_t gate,
                       struct stance *s)
{
    uint32_t n = LOAD(p->comms);

    s->gate = UINT32_MAX;
    for (uint32_t i = 0; i < n && i < PAGE_STOP_COMMS; i++) {
        const struct page_stop_comm *from = &p->comm[i];
        struct stance_comm *to = &s->comms[s->ncomms];

        to->id = atomic_load_explicit(&from->id, memory_order_acquire);
        if (!to->id)
            continue;
        to->entered = LOAD(from->entered);
        to->target = LOAD(from->target);
        to->size = LOAD(from->size);
        if (i == gate)
            s->gate = s->ncomms;
        s->ncomms++;
    }
    if (s->gate == UINT32_MAX)
        s->gate = s->ncomms;
}

static void add_numbers(const struct page_stop_thread *t, struct stance *s)
{
    s->received += LOAD(t->received);
    s->sent += LOAD(t->sent);
    s->calls += LOAD(t->calls);
}

bool stance_apart(const char *page)
{
    return LOAD(stance_of(page)->swap) == PAGE_SWAP_DOWN;
}

void stance_read(const char *page, uint32_t ntasks, struct stance *s)
{
    struct page_stop *p = stance_of(page);
    const struct page_stop_thread *most;
    uint32_t swap;

    memset(s, 0, sizeof(*s));
    most = read_threads(p, s);
    s->peer = peer_of(most, ntasks);
    s->unfinished = LOAD(p->unfinished);
    swap = atomic_load_explicit(&p->swap, memory_order_acquire);
    s->swap = swap <= PAGE_SWAP_FAILED ? (enum page_swap)swap
                                       : PAGE_SWAP_NONE;
    s->generation = LOAD(p->generation);
    add_numbers(&p->first, s);
    for (uint32_t i = 0; i < others_of(p); i++)
        add_numbers(&p->other[i], s);
    s->signal = LOAD(p->signal);
    s->tid = LOAD(p->tid);
    s->stopped = LOAD(p->stopped);
    s->refuses = LOAD(p->refuses) != 0;
    memcpy(s->why, p->why, sizeof(s->why));
    s->why[sizeof(s->why) - 1] = '\0';
    for (char *c = s->why; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    read_comms(p, LOAD(most->gate), s);
}

bool stance_same(const struct stance *a, const struct stance *b)
{
    if (a->where != b->where || a->peer != b->peer || a->gate != b->gate ||
        a->unfinished != b->unfinished || a->sent != b->sent ||
        a->received != b->received || a->swap != b->swap ||
        a->generation != b->generation || a->refuses != b->refuses ||
        a->ncomms != b->ncomms)
        return false;
    for (uint32_t i = 0; i < a->ncomms; i++)
        if (a->comms[i].id != b->comms[i].id ||
            a->comms[i].entered != b->comms[i].entered ||
            a->comms[i].size != b->comms[i].size)
            return false;
    return true;
}

void stance_raise(char *page, const struct stance_raise *v, uint32_t n)
{
    struct page_stop *p = stance_of(page);
    uint32_t comms = LOAD(p->comms);

    for (uint32_t i = 0; i < comms && i < PAGE_STOP_COMMS; i++)
        for (uint32_t k = 0; k < n; k++)
            if (LOAD(p->comm[i].id) == v[k].comm &&
                LOAD(p->comm[i].target) < v[k].target)
                atomic_store_explicit(&p->comm[i].target, v[k].target,
                                      memory_order_relaxed);
}

void stance_order(char *page, enum page_stop_word word, uint32_t generation,
                  uint64_t number)
{
    struct page_stop *p = stance_of(page);

    if (word == PAGE_STOP_SWAP)
        atomic_store_explicit(&p->wanted, generation, memory_order_relaxed);
    atomic_store_explicit(&p->word, word, memory_order_release);
    atomic_store_explicit(&p->order, number, memory_order_release);
}

bool stance_ordered(const char *page, enum page_stop_word word,
                    uint32_t generation)
{
    const struct page_stop *p = stance_of(page);

    return LOAD(p->word) == (uint32_t)word &&
           (word != PAGE_STOP_SWAP || LOAD(p->wanted) == generation);
}

bool stance_interrupt(const char *page, pid_t pid)
{
    const struct page_stop *p = stance_of(page);
    uint32_t sig = LOAD(p->signal), tid = LOAD(p->tid);

    if (sig == 0 || sig >= NSIG || tid == 0 || tid > INT32_MAX || pid <= 0)
        return false;
    return syscall(SYS_tgkill, pid, (pid_t)tid, (int)sig) == 0;
}
