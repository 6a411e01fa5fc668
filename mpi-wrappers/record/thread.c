/* thread.c - which thread writes to which slot of the page: see self.h. */
#include "mpi-wrappers/record/self.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi-wrappers/handles/messages.h"
#include "mpi-wrappers/handles/request.h"
#include "mpi-wrappers/record/tick.h"

_Thread_local struct self self __attribute__((tls_model("initial-exec")));
struct attach thread_attached;
struct page_header *_Atomic thread_page;

static pthread_key_t thread_key;
static atomic_flag shared_lock = ATOMIC_FLAG_INIT;

void thread_lock(void)
{
    for (unsigned i = 0; atomic_flag_test_and_set_explicit(
             &shared_lock, memory_order_acquire); i++)
        if (i > 100)
            sched_yield();
}

void thread_unlock(void)
{
    atomic_flag_clear_explicit(&shared_lock, memory_order_release);
}

static void use_slot(struct self *t, struct page_header *h, unsigned i)
{
    const struct attach *a = &thread_attached;
    char *base = (char *)h;

    t->slot = (struct page_slot *)(void *)(base + page_slot_at(i));
    t->counts = (struct page_count *)(void *)
        (base + page_counts_at(a->slots, a->calls, i));
    t->thread = (struct page_thread *)(void *)
        (base + page_thread_at(a->slots, a->calls, a->ring_bytes, i));
    t->stands = &h->stood_ticks;
    t->number = i;
    t->what = h->what & a->what;
    t->about = (struct request){ .peer = PAGE_NONE, .tag = PAGE_NONE };
    t->ring = (struct ring){ .slot = t->slot, .bytes = a->ring_bytes,
        .data = base + page_ring_at(a->slots, a->calls, a->ring_bytes, i) };
}

COLD struct page_slot *thread_claim(struct self *t, struct page_header *h)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    int saved = errno;
    unsigned i;
    uint32_t used;

    for (i = 0; i + 1 < thread_attached.slots; i++) {
        uint32_t nobody = 0;

        use_slot(t, h, i);
        if (GET(t->slot->tid) == 0 &&
            atomic_compare_exchange_strong(&t->slot->tid, &nobody, tid))
            break;
    }
    t->shared = i + 1 == thread_attached.slots;
    if (t->shared) {
        use_slot(t, h, i);
        SET(t->slot->tid, tid);
        atomic_fetch_add(&h->threads_shared, 1);
    }
    model_init(&t->model, i, t->slot, t->thread,
               (struct page_shared *)(void *)((char *)h +
                   page_shared_at(thread_attached.slots, thread_attached.calls,
                                  thread_attached.ring_bytes)), t->what);
    used = GET(h->slots_used);
    while (used < i + 1 &&
           !atomic_compare_exchange_weak(&h->slots_used, &used, i + 1))
        ;
    t->stood = GET(h->stood_ticks);
    t->since = tick_now();
    slot_lock(t);
    slot_begin(t->slot);
    SET(t->slot->since_ticks, t->since);
    slot_end(t->slot);
    slot_unlock(t);
    pthread_setspecific(thread_key, t);
    errno = saved;
    return t->slot;
}

/* The thread ends. It may still call MPI in a later destructor, and then
 * claims anew. */
static void thread_release(void *arg)
{
    struct self *t = arg;

    request_end(&t->wait);
    if (t->slot && !t->shared) {
        slot_begin(t->slot);
        SET(t->slot->call, 0);
        slot_end(t->slot);
        atomic_store_explicit(&t->slot->tid, 0, memory_order_release);
    }
    t->slot = NULL;
    t->shared = false;
}

/* ---------------------------------------------------------------- standing still */

COLD void thread_stood(struct self *t)
{
    uint64_t stood = GET(*t->stands);

    t->since += stood - t->stood;
    t->stood = stood;
}

/* Ticks, of the machine that it stands on. */
static uint64_t stands_since;

COLD void thread_stand(void)
{
    stands_since = tick_now();
}

static void shift(_Atomic uint64_t *ticks, uint64_t by)
{
    if (GET(*ticks))
        SET(*ticks, GET(*ticks) + by);
}

static void shift_slot(struct page_slot *s, struct page_thread *of, uint64_t by)
{
    slot_begin(s);
    shift(&s->since_ticks, by);
    slot_end(s);
    for (unsigned i = 0; i < PAGE_FLIGHT; i++) {
        shift(&of->flight[i].enter_ticks, by);
        shift(&of->flight[i].exit_ticks, by);
    }
    for (unsigned i = 0; i < PAGE_BANKS; i++)
        shift(&of->bank[i].since_ticks, by);
}

/* What the page says of earlier moments is as long ago as it was when all stood:
 * another machine's clock may have begun at any time, or be another one. */
COLD void thread_go_on(void)
{
    struct page_header *h = atomic_load(&thread_page);
    const struct attach *a = &thread_attached;
    char *base = (char *)h;
    struct page_shared *shared;
    uint64_t by;

    if (!h)
        return;
    SET(h->clock, tick_choose());
    by = tick_now() - stands_since;
    for (unsigned i = 0; i < GET(h->slots_used); i++)
        shift_slot((struct page_slot *)(void *)(base + page_slot_at(i)),
                   (struct page_thread *)(void *)(base +
                       page_thread_at(a->slots, a->calls, a->ring_bytes, i)), by);
    shared = (struct page_shared *)(void *)
        (base + page_shared_at(a->slots, a->calls, a->ring_bytes));
    for (unsigned i = 0; i < PAGE_COMMS; i++)
        shift(&shared->comm[i].since_ticks, by);
    request_shift(shared, by);
    shift(&h->start_ticks, by);
    atomic_fetch_add(&h->stood_ticks, by);
}

/* The page belongs to the parent: nothing of the child's may get into it. */
static void forked(void)
{
    struct page_header *h = atomic_exchange(&thread_page, NULL);

    self.slot = NULL;
    self.shared = self.tagged = self.pending = false;
    self.meeting = NULL;
    comm_stop();
    request_stop();
    messages_stop();
    meeting_stop();
    if (h)
        munmap(h, thread_attached.bytes);
}

bool thread_start(const struct attach *a)
{
    if (pthread_key_create(&thread_key, thread_release) != 0 ||
        pthread_atfork(NULL, NULL, forked) != 0)
        return false;
    thread_attached = *a;
    return true;
}
