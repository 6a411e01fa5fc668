/* record.c - the thread's side of the page: what happens at the entry and the
 * exit of every outermost MPI call.
 *
 * On the path of a call there is no system call, lock or allocation, but for
 * a full ring, the shared slot, and what is seen for the first time. MPI is
 * asked about handles only after the call in which it accepted them. */
#include "mpi-wrappers/record/record.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi-wrappers/handles/matched.h"
#include "mpi-wrappers/handles/messages.h"
#include "mpi-wrappers/handles/parcels.h"
#include "mpi-wrappers/handles/type.h"
#include "mpi-wrappers/record/backtrace.h"
#include "mpi-wrappers/record/crew.h"
#include "mpi-wrappers/record/frames.h"
#include "mpi-wrappers/record/phase.h"
#include "mpi-wrappers/record/self.h"
#include "mpi-wrappers/record/tick.h"
#include "mpi-wrappers/table/calls.h"
#include "mpi-wrappers/table/real.h"

enum { ATTACH_MS = 5000,        /* how long MPI_Init may wait for a slave */
       LEVEL_SERIALIZED = 3,    /* of page_header.level */
       LEVEL_MULTIPLE = 4 };

static atomic_flag started = ATOMIC_FLAG_INIT;
/* What is begun and not over: MPI_Init, which may call MPI_Init_thread, and
 * sessions. */
static _Atomic uint32_t world, sessions;

/* ------------------------------------------------- what a call is about */

/* Of what this task sends or takes; count is set to the number of elements. */
static uint64_t bytes_of(const struct self *t, const struct about *a,
                         uint64_t *count)
{
    int64_t each;

    if (UNLIKELY(a->counts != NULL) && t->comm && !t->comm->inter) {
        *count = 0;
        for (uint32_t i = 0; i < t->comm->size; i++)
            *count += (uint64_t)about_count(a->traits, a->counts, i);
    }
    if (!a->type || (int64_t)*count <= 0)
        return 0;
    each = type_find(a->type);
    return each > 0 ? *count * (uint64_t)each : 0;
}

/* Who has to come is told before MPI waits for them. */
static COLD void meet(struct self *t, unsigned call, const struct about *a)
{
    t->meeting = meeting_enter(call, a, t->comm);
}

static COLD void part(struct self *t)
{
    meeting_leave(t->meeting);
    t->meeting = NULL;
}

/* Fills t->comm and t->about; returns how many requests it waits for. */
static inline uint32_t learn(struct self *t, unsigned call,
                             const struct about *a, uint64_t *count,
                             uint64_t now)
{
    struct request *r = &t->about;
    uint32_t traits = a->traits, n = 0;
    struct comm *c;

    *r = (struct request){ .peer = PAGE_NONE, .tag = PAGE_NONE,
                           .call = (uint16_t)call };
    t->source = t->source_tag = PAGE_NONE;
    t->sends = traits & ABOUT_SENDS;
    t->comm = NULL;
    if (traits & ABOUT_KIND) {
        t->comm = c = comm_of(a);
        if (LIKELY(c != NULL)) {
            r->comm = c->id;
            if (traits & ABOUT_PEER)
                r->peer = comm_peer(c, a->peer);
            if (traits & ABOUT_SOURCE)
                t->source = comm_peer(c, a->source);
            if (traits & ABOUT_COLLECTIVE) {
                r->collective = comm_collective(c, call, r->peer, now);
                if (UNLIKELY(a->parcels != NULL))
                    parcels_enter(a, c, r->collective);
            }
        } else if (traits & ABOUT_PEER) {
            r->peer = t->source = PAGE_UNKNOWN;
        }
        if (traits & ABOUT_TAG)
            r->tag = a->tag >= 0 ? a->tag : PAGE_ANY;
        if (traits & ABOUT_SOURCE)
            t->source_tag = a->source_tag >= 0 ? a->source_tag : PAGE_ANY;
        r->bytes = UNLIKELY(traits & ABOUT_BY_GROUP) ? 0
                                                     : bytes_of(t, a, count);
        if (UNLIKELY(traits & ABOUT_BY_GROUP))
            meet(t, call, a);
        if (r->collective && r->bytes)
            comm_collected(c, r->bytes);
        r->sent = t->sends ? messages_sent(r->comm, r->peer, r->tag, r->bytes)
                           : now;
    }
    if (UNLIKELY(traits & (ABOUT_WAITS | ABOUT_MATCHED))) {
        if (traits & ABOUT_MATCHED) {
            matched_take(a, r);
        } else {
            r->call = 0;
            n = request_wait(&t->wait, a, t->number + 1, r);
        }
    }
    return n;
}

/* A partner that a call of this kind waits for. */
static inline void publish(struct page_slot *s, const struct self *t,
                           uint64_t count, uint32_t requests)
{
    const struct request *r = &t->about;

    SET(s->comm, r->comm);
    SET(s->peer, r->peer);
    SET(s->source, t->source);
    SET(s->source_tag, t->source_tag);
    SET(s->tag, r->tag);
    SET(s->bytes, r->bytes);
    SET(s->collective, r->collective);
    SET(s->count, count);
    SET(s->requests, requests);
    SET(s->waits_call, requests ? r->call : 0);
}

/* Before MPI gets to know. What is sent the flight recorder tells. */
static COLD void before_starting(struct self *t, const struct about *a)
{
    if (a->traits & ABOUT_STARTS)
        request_starting(a, &t->about, t->since);
    if (a->traits & ABOUT_CANCELS)
        request_cancelled(a);
}

/* The call has taken a message: which one, if that was open, its status says.
 * After the page has said that the call is over. */
static inline void took(const struct self *t, const struct about *a, bool ok)
{
    bool both = a->traits & ABOUT_SOURCE;
    int32_t peer = both ? t->source : t->about.peer;
    int32_t tag = both ? t->source_tag : t->about.tag;

    if (UNLIKELY(peer < 0 || tag < 0) && peer != PAGE_NULL && ok)
        comm_status(t->comm, a->status, &peer, &tag);
    if (LIKELY(ok))
        messages_received(t->about.comm, peer, tag);
    else
        messages_unsure();
}

/* One was matched: it counts as received when it has been. */
static COLD void match(const struct self *t, const struct about *a)
{
    int32_t peer = t->about.peer, tag = t->about.tag;

    if (a->flag && !*a->flag)
        return;
    if ((peer < 0 || tag < 0) && peer != PAGE_NULL)
        comm_status(t->comm, a->status, &peer, &tag);
    matched_put(a, t->about.comm, peer, tag);
}

/* What goes has to be forgotten before MPI may use its handle again. */
static COLD void before_freeing(struct self *t, const struct about *a)
{
    if ((a->traits & ABOUT_FREES) && t->comm) {
        comm_remove(t->comm);
        t->freeing = t->comm;
        t->comm = NULL;
    }
    if (a->traits & ABOUT_FREES_TYPE)
        type_forget();
    if (a->traits & ABOUT_FREES_REQUEST)
        request_freed(a);
}

static COLD void after_freeing(struct self *t, bool ok)
{
    if (t->freeing)
        comm_removed(t->freeing, ok);
    t->freeing = NULL;
}

/* The call was successful, and is over: what did it make? */
static COLD void after_making(struct self *t, const struct about *a)
{
    uintptr_t request = a->traits & ABOUT_MAKES_REQUEST ? request_key(a) : 0;

    if ((a->traits & ABOUT_MAKES) && request)
        comm_promised(a, t->comm, t->about.collective, request);
    else if (a->traits & ABOUT_MAKES)
        comm_made(a, t->comm, t->about.collective);
    if (a->traits & ABOUT_STARTS)
        request_started(a);
    if ((a->traits & ABOUT_KIND) && !t->comm && !(a->traits & ABOUT_FREES))
        comm_met(a);
}

/* ---------------------------------------------------------------- calls */

/* Is the call that we believe to be in still on the stack? Somebody may have
 * jumped out of it: an error handler, a C++ exception. Calls from inside of it
 * come from deeper in the stack, and from few places: a place that was not
 * seen before costs a look at the stack. */
static COLD bool look_inside(struct self *t, const void *from,
                             const void **known)
{
    if (!frames_have(t->from))
        return false;
    *known = from;
    return true;
}

static inline bool is_inside(struct self *t, const char *frame,
                             const void *from)
{
    const void **known = &t->inner[(uintptr_t)from / 4 % SELF_INNER];

    return frame < (const char *)t->frame &&
           (LIKELY(*known == from) || look_inside(t, from, known));
}

static COLD void abandon(struct self *t)
{
    t->depth = 1;
    t->tagged = false;
    request_left(&t->wait);
    after_freeing(t, false);
    part(t);
}

/* Now, not before t->since, which is where the step would have begun, had the task
 * not stood meanwhile. */
static inline uint64_t step_end(struct self *t)
{
    uint64_t now = tick_now();

    if (UNLIKELY(GET(*t->stands) != t->stood))
        thread_stood(t);
    return LIKELY(now >= t->since) ? now : t->since;
}

void record_enter(unsigned call, const struct about *a)
{
    struct self *t = &self;
    void *frame = __builtin_frame_address(0);
    struct page_slot *s = t->slot;
    uint64_t now, count = (uint64_t)a->count;
    uint32_t requests = 0, site = 0;

    if (t->depth++ > 0) {
        if (LIKELY(is_inside(t, frame, a->from)))
            return;
        abandon(t);
    }
    t->frame = frame;
    t->from = a->from;
    if (UNLIKELY(!s)) {
        struct page_header *h = atomic_load_explicit(&thread_page,
                                                     memory_order_acquire);

        if (!h) {
            t->pending = false;
            return;
        }
        s = thread_claim(t, h);
    }
    if (UNLIKELY(t->pending)) {
        t->pending = false;
        stamp_enter(t, call);
        phase_tagged(t->marker, t->text, t->text_bytes);
    }
    if (UNLIKELY(a->traits & ABOUT_LEVEL))
        phase_pcontrol(a->tag);
    now = step_end(t);
    if (LIKELY(t->what & PAGE_DO_STATE))
        requests = learn(t, call, a, &count, now);
    slot_lock(t);
    if (LIKELY(t->what & PAGE_DO_MODEL))
        site = model_enter(&t->model, call, a->from,
                           (uint32_t)((uintptr_t)t - (uintptr_t)frame),
                           now - t->since, now);
    slot_begin(s);
    SET(s->site, site);
    SET(s->call, call);
    SET(s->since_ticks, now);
    SET(s->calls, GET(s->calls) + 1);
    SET(s->out_ticks, GET(s->out_ticks) + (now - t->since));
    publish(s, t, count, requests);
    slot_end(s);
    slot_unlock(t);
    t->call = call;
    t->since = now;
    if (UNLIKELY(a->traits & (ABOUT_FREES | ABOUT_FREES_TYPE |
                              ABOUT_FREES_REQUEST)))
        before_freeing(t, a);
    if (UNLIKELY(a->traits & (ABOUT_STARTS | ABOUT_CANCELS)) &&
        (t->what & PAGE_DO_STATE))
        before_starting(t, a);
}

/* A type of unknown size that MPI has really looked at. Between two groups
 * only some of the members give one. */
static inline bool wants_size(const struct self *t, const struct about *a)
{
    return a->type && (a->count > 0 || a->counts) && t->comm &&
           t->about.peer != PAGE_NULL &&
           !(t->comm->inter && (a->traits & ABOUT_COLLECTIVE)) &&
           type_find(a->type) == TYPE_UNKNOWN;
}

/* What is told after the call. */
static void tell_end(struct self *t, const struct about *a, bool ok)
{
    if (UNLIKELY(a->traits & ABOUT_BY_GROUP)) {
        part(t);
    } else if (a->traits & ABOUT_COMMITS) {
        if (ok)
            type_ask(a->type, a->traits & ABOUT_FORTRAN);
    } else if (ok && UNLIKELY(t->about.bytes == 0) && wants_size(t, a)) {
        uint64_t count = (uint64_t)a->count;

        type_ask(a->type, a->traits & ABOUT_FORTRAN);
        t->about.bytes = bytes_of(t, a, &count);
    }
    if (UNLIKELY(a->parcels != NULL) && ok && t->comm)
        parcels_leave(a, t->comm);
    if (UNLIKELY(t->about.bytes == 0) && (a->traits & ABOUT_COLLECTIVE) &&
        (!ok || wants_size(t, a)))
        t->about.tag = PAGE_UNKNOWN;    /* see page_flight */
    if (ok && (a->traits & ABOUT_MAKES_REQUEST)) {
        /* Of MPI_Isendrecv the page has no room for what it receives. */
        if (UNLIKELY(a->traits & ABOUT_SOURCE))
            messages_unsure();
        t->about.idle = a->traits & ABOUT_PERSISTENT;
        t->about.site = (uint16_t)page_site_in(t->number, t->model.last);
        request_made(a, &t->about);
    }
    if (a->traits & ABOUT_WAITS)
        request_waited(&t->wait, a, ok);
    if (ok && UNLIKELY(a->traits & ABOUT_MATCHES))
        match(t, a);
    if (UNLIKELY(a->traits & ABOUT_FREES))
        after_freeing(t, ok);
    if (ok && UNLIKELY((a->traits & (ABOUT_MAKES | ABOUT_STARTS)) ||
                       ((a->traits & ABOUT_KIND) && !t->comm)))
        after_making(t, a);
}

/* Mostly nothing: all was known before, and nothing is made, waited for or
 * freed. */
static inline void conclude(struct self *t, const struct about *a, bool ok)
{
    const uint32_t more = ABOUT_BY_GROUP | ABOUT_MAKES_REQUEST | ABOUT_WAITS |
                          ABOUT_FREES | ABOUT_MAKES | ABOUT_STARTS |
                          ABOUT_MATCHES;

    if ((a->traits & more) || UNLIKELY(!ok) || UNLIKELY(a->parcels != NULL) ||
        UNLIKELY(t->about.bytes == 0 && a->type) ||
        UNLIKELY(!t->comm && (a->traits & ABOUT_KIND)))
        tell_end(t, a, ok);
}

static inline void fly(struct self *t, struct page_slot *s, uint64_t enter,
                       uint64_t now)
{
    uint64_t n = GET(s->flights) + 1;
    struct page_flight *f = &t->thread->flight[(n - 1) % PAGE_FLIGHT];

    SET(f->number, 0);
    atomic_thread_fence(memory_order_release);
    SET(f->enter_ticks, enter);
    SET(f->exit_ticks, now);
    SET(f->comm, t->about.comm);
    SET(f->bytes, t->about.bytes);
    SET(f->collective, t->about.collective);
    SET(f->peer, t->about.peer);
    SET(f->tag, t->about.tag);
    SET(f->call, t->call);
    SET(f->site, t->model.last);
    atomic_store_explicit(&f->number, n, memory_order_release);
    SET(s->flights, n);
}

void record_leave(const struct about *a, bool ok)
{
    struct self *t = &self;
    struct page_slot *s = t->slot;
    uint64_t now, in, bytes, wall_ns = 0;
    struct page_count *c;

    if (UNLIKELY(t->depth != 1 || !s)) {
        if (t->depth > 0)
            t->depth--;
        return;
    }
    if (UNLIKELY(t->tagged))
        wall_ns = tick_wall_ns();
    now = step_end(t);
    in = now - t->since;
    if (LIKELY(t->what & PAGE_DO_STATE))
        conclude(t, a, ok);
    c = &t->counts[t->call];
    /* Those of a request were counted for the call that made it. */
    bytes = UNLIKELY(a->traits & ABOUT_WAITS) ? 0 : t->about.bytes;
    slot_lock(t);
    if (LIKELY(t->what & PAGE_DO_MODEL))
        model_leave(&t->model, in, bytes);
    slot_begin(s);
    SET(s->call, 0);
    SET(s->since_ticks, now);
    SET(s->in_ticks, GET(s->in_ticks) + in);
    SET(c->calls, GET(c->calls) + 1);
    SET(c->in_ticks, GET(c->in_ticks) + in);
    SET(c->bytes, GET(c->bytes) + bytes);
    if (LIKELY(t->what & PAGE_DO_FLIGHT))
        fly(t, s, t->since, now);
    slot_end(s);
    slot_unlock(t);
    if ((a->traits & ABOUT_TAKES) && LIKELY(t->what & PAGE_DO_STATE))
        took(t, a, ok);
    t->since = now;
    if (UNLIKELY(t->tagged))
        stamp_leave(t, wall_ns);
    atomic_signal_fence(memory_order_seq_cst);
    t->depth = 0;               /* a signal's calls up to here are nested */
}

/* Of a persistent request, none will. */
void record_unsent(void)
{
    struct self *t = &self;

    if (t->depth == 0 || !t->slot || !(t->what & PAGE_DO_STATE))
        return;
    if (t->sends)
        messages_unsent(t->about.comm, t->about.peer, t->about.tag,
                        t->about.bytes);
    else
        t->about.peer = PAGE_NULL;
    t->about.sent = 0;
}

/* ------------------------------------------------------- the life of MPI */

/* How many of MPI_Init and sessions are not over. */
static uint32_t in_use(void)
{
    return GET(world) + GET(sessions);
}

static void set_state(enum page_state state)
{
    struct page_header *h = atomic_load_explicit(&thread_page,
                                                 memory_order_acquire);

    if (h)
        SET(h->state, state);
}

void record_start(const struct attach *a)
{
    struct page_header *h = a->page;

    if (!thread_start(a))
        return;
    phase_start(h, getenv("HECTOR_PHASE"));
    SET(h->nspace, page_hash(getenv("PMIX_NAMESPACE")));
    SET(h->clock, tick_choose());
    SET(h->pid, (uint32_t)getpid());
    SET(h->start_wall_ns, tick_wall_ns());
    SET(h->start_ticks, tick_now());
    backtrace_start(a);
    atomic_store_explicit(&thread_page, h, memory_order_release);
}

/* A library before MPI that can bring the task to stand has its part of the page. */
static void tell_layer(const struct attach *a)
{
    void (*tell)(struct page_stop *);

    *(void **)&tell = dlsym(RTLD_DEFAULT, "hector_stop_page");
    if (tell)
        tell((struct page_stop *)(void *)
             ((char *)a->page + page_stop_at(a->slots, a->calls, a->ring_bytes)));
}

void record_init_begin(void)
{
    char version[8192] = "";    /* MPI_MAX_LIBRARY_VERSION_STRING and more */
    int bytes = 0;
    int (*get_version)(char *, int *) = (int (*)(char *, int *))
        real_get(REAL_C, CALL_Get_library_version);
    struct attach a;

    if (!atomic_flag_test_and_set(&started) && attach_wanted()) {
        if (get_version && get_version(version, &bytes) == 0)
            version[sizeof(version) - 1] = '\0';
        if (attach_open(&a, version, ATTACH_MS) == 0) {
            if (!comm_choose(version)) {
                a.what &= ~(uint32_t)PAGE_DO_STATE;
                SET(a.page->without, PAGE_DO_STATE);
            }
            record_start(&a);
            tell_layer(&a);
            crew_begin();
        }
    }
    if (in_use() == 0)
        set_state(PAGE_STATE_INIT);
}

/* How many threads may call MPI. */
static void learn_level(struct page_header *h, bool ok)
{
    int (*query)(int *) = (int (*)(int *))real_get(REAL_C, CALL_Query_thread);
    int level = -1;

    if (h && ok && GET(h->level) == 0 && query && query(&level) == 0 &&
        level >= 0 && level < LEVEL_MULTIPLE)
        SET(h->level, (uint32_t)level + 1);
}

void record_init_end(bool ok)
{
    struct page_header *h = atomic_load_explicit(&thread_page,
                                                 memory_order_acquire);

    if (h && ok && (thread_attached.what & PAGE_DO_STATE)) {
        struct page_shared *s = (struct page_shared *)(void *)
            ((char *)h + page_shared_at(thread_attached.slots,
                                        thread_attached.calls,
                                        thread_attached.ring_bytes));

        comm_start(h, s);
        request_start(h, s);
        type_start();
    }
    learn_level(h, ok);
    if (h && ok && (thread_attached.what & PAGE_DO_STATE))
        messages_start((struct page_messages *)(void *)
                       ((char *)h + page_messages_at(
                           thread_attached.slots, thread_attached.calls,
                           thread_attached.ring_bytes)),
                       GET(h->level) >= LEVEL_SERIALIZED);
    if (GET(sessions))          /* what was sent there is not counted */
        messages_sent(0, PAGE_UNKNOWN, PAGE_UNKNOWN, 0);
    if (h && ok && (thread_attached.what & PAGE_DO_STATE))
        meeting_start((struct page_meetings *)(void *)
                      ((char *)h + page_meetings_at(
                          thread_attached.slots, thread_attached.calls,
                          thread_attached.ring_bytes)));
    if (h && ok)
        crew_end(h);
    if (ok)
        SET(world, 1);
    set_state(PAGE_STATE_RUNNING);
}

/* What level it has is not asked for: MPI_Query_thread may not be called. */
void record_session_begun(bool ok)
{
    struct page_header *h = atomic_load_explicit(&thread_page,
                                                 memory_order_acquire);

    if (ok && atomic_fetch_add(&sessions, 1) == 0 && GET(world) == 0 && h) {
        SET(h->level, LEVEL_MULTIPLE);
        crew_end(h);
    }
    set_state(PAGE_STATE_RUNNING);
}

void record_finalize_begin(void)
{
    const struct page_header *h = atomic_load_explicit(&thread_page,
                                                       memory_order_acquire);

    if (in_use() > 1)
        return;
    set_state(PAGE_STATE_FINALIZE);
    if (h)
        crew_settle(h);
}

void record_finalize_end(void)
{
    SET(world, 0);
    if (in_use() == 0)
        set_state(PAGE_STATE_DONE);
}

void record_session_over(bool ok)
{
    if (ok && GET(sessions))
        atomic_fetch_sub(&sessions, 1);
    if (in_use() == 0)
        set_state(PAGE_STATE_DONE);
}
