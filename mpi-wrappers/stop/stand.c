/* stand.c - see stand.h. Who stands gives Open MPI what it needs to go on, so that
 * others can finish what they have with this task, and lets others run. */
#include "mpi-wrappers/stop/stand.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi-wrappers/inside/entry.h"
#include "mpi-wrappers/stop/drain.h"
#include "mpi-wrappers/stop/gate.h"
#include "mpi-wrappers/stop/place.h"
#include "mpi-wrappers/stop/pending.h"

static struct page_stop stand_alone;
struct page_stop *stop_page = &stand_alone;
bool stand_many;
struct stand_swap stand_swap;
_Thread_local unsigned stand_callbacks;

static struct {
    bool ready;                 /* between MPI_Init and MPI_Finalize */
    bool still;                 /* nobody stands twice */
    int times[STAND_WHYS];
} stand;

/* ------------------------------------------------------- what the page says */

static void stand_say(const char *why)
{
    if (why)
        snprintf(stop_page->why, sizeof(stop_page->why), "%s", why);
    STAND_TELL(stop_page->refuses, why != NULL);
}

static const char *stand_reason(void)
{
    static const char *const texts[STAND_WHYS] = {
        [STAND_THREADS] = "too many of its threads call MPI",
        [STAND_CROWDED] = "there are too many communicators",
        [STAND_WORLDS] = "it talks to tasks that the job did not begin with",
    };

    for (int i = 0; i < STAND_WHYS; i++)
        if (stand.times[i])
            return texts[i];
    return NULL;
}

void stand_refuse(enum stand_why why, int more)
{
    stand_lock();
    stand.times[why] += more;
    stand_say(stand_reason());
    stand_unlock();
}

/* Each number that a task stores itself. */
static void stand_copy(struct page_stop *to, const struct page_stop *from)
{
    uint32_t n = GET(from->comms);

    for (uint32_t i = 0; i < GET(from->others); i++) {
        SET(to->other[i].where, GET(from->other[i].where));
        SET(to->other[i].sent, GET(from->other[i].sent));
        SET(to->other[i].received, GET(from->other[i].received));
    }
    SET(to->others, GET(from->others));
    SET(to->many, GET(from->many));
    SET(to->where, GET(from->where));
    SET(to->sent, GET(from->sent));
    SET(to->received, GET(from->received));
    SET(to->calls, GET(from->calls));
    SET(to->kept, GET(from->kept));
    SET(to->generation, GET(from->generation));
    for (uint32_t i = 0; i < n; i++) {
        SET(to->comm[i].entered, GET(from->comm[i].entered));
        SET(to->comm[i].size, GET(from->comm[i].size));
        STAND_TELL(to->comm[i].id, GET(from->comm[i].id));
    }
    STAND_TELL(to->comms, n);
    memcpy(to->why, from->why, sizeof(to->why));
    STAND_TELL(to->refuses, GET(from->refuses));
    SET(to->tid, GET(from->tid));
    STAND_TELL(to->signal, GET(from->signal));
}

/* libhector.so has got a page from the slave. */
ENTRY_EXPORT void hector_stop_page(struct page_stop *page);
ENTRY_EXPORT void hector_stop_page(struct page_stop *page)
{
    struct page_stop *before = stop_page;

    if (!page || page == before)
        return;
    stand_copy(page, before);
    comm_page(page);
    stop_page = page;
}

/* ------------------------------------------------------------ standing still */

void stand_turn(void)
{
    int flag;

    INSIDE(Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, object_real(MPI_COMM_SELF),
                   &flag, MPI_STATUS_IGNORE);
    sched_yield();
}

static void stand_drain(bool *asked)
{
    char why[sizeof(stop_page->why)];

    if (!*asked && stand_swap.refused(why, sizeof(why)))
        stand_say(why);
    else if (!*asked && pending_is_lost())
        stand_say("a receive waits on a communicator that has been freed");
    *asked = true;
    STAND_TELL(stop_page->unfinished, drain_once());
    stand_turn();
}

/* What records the task is told, so that this is no time of its computation. */
static struct {
    void (*stand)(void), (*go_on)(void);
} stand_record;

static void stand_meet_record(void)
{
    void *stand_hook = dlsym(RTLD_DEFAULT, "hct_hook_stand");
    void *go_on_hook = dlsym(RTLD_DEFAULT, "hct_hook_go_on");

    if (!stand_hook || !go_on_hook)
        return;
    memcpy(&stand_record.stand, &stand_hook, sizeof(stand_hook));
    memcpy(&stand_record.go_on, &go_on_hook, sizeof(go_on_hook));
}

struct stand_round {            /* what is known of a stop so far */
    uint32_t generation;        /* of the library that is there, or was tried */
    bool asked;                 /* whether something speaks against a move */
};

/* One stop may follow another before this task has seen that it was to run: the
 * generation says whether the library is wanted that it has. */
static void stand_begin_round(struct stand_round *r)
{
    *r = (struct stand_round){ .generation = GET(stop_page->generation) };
    STAND_MORE(stop_page->stopped);
    SET(stop_page->unfinished, UINT32_MAX);
    if (stand_record.stand)
        stand_record.stand();
}

static void stand_obey(struct stand_round *r, uint32_t word)
{
    if (word == PAGE_STOP_DRAIN) {
        stand_drain(&r->asked);
    } else if (word == PAGE_STOP_SWAP &&
               r->generation != GET(stop_page->wanted)) {
        r->generation = GET(stop_page->wanted);
        stand_swap.now();
    } else {
        if (word == PAGE_STOP_FREEZE)
            drain_arrived();
        stand_turn();
    }
}

/* What was found to speak against a move does so no more. */
static void stand_end_round(const struct stand_round *r)
{
    if (r->asked)
        stand_refuse(STAND_THREADS, 0);
    if (stand_record.go_on)
        stand_record.go_on();
}

/* By the thread of our own, of a task with several. */
static void stand_lead(uint32_t word, bool begins)
{
    static struct stand_round round;

    if (begins) {
        stand_begin_round(&round);
        STAND_TELL(stop_page->still, 1);
    }
    if (word >= PAGE_STOP_FREEZE) {
        stand_obey(&round, word);
        return;
    }
    stand_end_round(&round);
    STAND_TELL(stop_page->still, 0);
}

void stand_still(void)
{
    struct page_stop *p = stop_page;
    uint32_t where = GET(p->where), word;
    struct stand_round round;
    int saved = errno;

    if (!stand.ready || stand.still || stand_callbacks)
        return;
    if (stand_many) {
        threads_stand();
        return;
    }
    stand.still = true;
    stand_begin_round(&round);
    STAND_TELL(p->where, PAGE_AT_FROZEN);
    while ((word = stand_word()) >= PAGE_STOP_FREEZE)
        stand_obey(&round, word);
    stand_end_round(&round);
    stand.still = false;
    errno = saved;
    STAND_TELL(p->where, where);
}

/* ------------------------------------------------------------- the signal */

static void stand_signal(int number, siginfo_t *info, void *context)
{
    struct page_stop *p = stop_page;

    (void)number, (void)info;
    if (stand_many || stand_word() < PAGE_STOP_FREEZE || stand.still ||
        GET(p->where) != PAGE_AT_USER)
        return;
    if (stand_callbacks || !place_is_safe(context))
        STAND_MORE(p->put_off);
    else
        stand_still();
}

/* One that nobody uses; 0 if there is none. */
static int stand_choose(void)
{
    struct sigaction old, ours = { .sa_flags = SA_SIGINFO | SA_RESTART };

    ours.sa_sigaction = stand_signal;
    sigemptyset(&ours.sa_mask);
    for (int n = SIGRTMAX - 2; n > SIGRTMIN; n--)
        if (sigaction(n, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL && sigaction(n, &ours, NULL) == 0)
            return n;
    return 0;
}

/* By several threads from now on, whether it can be brought to stand or not. */
static void stand_share(void)
{
    if (threads_begin(stand_lead) == 0)
        SET(stop_page->tid, threads_tid());
    else
        STAND_TELL(stop_page->signal, 0);
    STAND_TELL(stop_page->many, 1);
    stand_many = true;
}

void stand_begin(void)
{
    int level = MPI_THREAD_SINGLE;

    INSIDE(Query_thread)(&level);
    stand_meet_record();
    stand.ready = true;
    SET(stop_page->tid, (uint32_t)syscall(SYS_gettid));
    STAND_TELL(stop_page->signal, (uint32_t)stand_choose());
    if (level >= MPI_THREAD_SERIALIZED)
        stand_share();
}

/* All come here, or nobody goes: no stop can be half way then. */
void stand_end(void)
{
    struct page_stop_thread *t = stand_self();

    if (!stand.ready) {
        STAND_TELL(t->where, PAGE_AT_FINALIZED);
        return;
    }
    gate_enter(comm_of(MPI_COMM_WORLD));
    INSIDE(Barrier)(object_real(MPI_COMM_WORLD));
    STAND_TELL(t->where, PAGE_AT_FINALIZED);
    while (stand_word() != PAGE_STOP_RUN)
        stand_turn();
    stand.ready = false;
    if (stand_many)
        threads_end();
}
