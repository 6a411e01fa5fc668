/* allotment.c - see allotment.h. What the environment says is not asked for. */
#include "redirector/frontend/allotment.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/link/timer.h"
#include "redirector/frontend/unspent.h"
#include "redirector/start/inquiry.h"

/* On a busy machine an answer may take longer than one question may. */
enum { ALLOTMENT_TRIES = 5 };

/* Its daemons may be begun again just then: as long as it may take for what ends by
 * itself, and for what somebody has ended, who will kill us soon (KillWait of Slurm
 * is 30 s). */
#define ALLOTMENT_END_NS  (5 * CLOCK_NS_PER_S)
#define ALLOTMENT_TERM_NS (23 * CLOCK_NS_PER_S)
#define ALLOTMENT_NAP_NS  (CLOCK_NS_PER_S / 2)

struct allotment {
    struct unspent_facts facts;
    char name[100];             /* "Slurm 42" */
    uint32_t restarts;
    struct inquiry *inquiry;    /* owned; NULL: nobody can be asked */
    int warning, repeats;       /* as in struct system */
    bool warned, ending, ended;
    bool terminated;            /* we were told to end */
    uint64_t ending_ns;
    struct event *nap;          /* owned: between two questions at the end */
    unsigned asked;             /* in vain, before the end */
    allotment_tell_cb tell;
    void *arg;
};

static void allotment_tell(struct allotment *a, const char *reason)
{
    Hct__Allotment m = HCT__ALLOTMENT__INIT;

    m.end_ns = unspent_end_s(&a->facts) * CLOCK_NS_PER_S;
    m.begin_ns = unspent_begin_s(&a->facts) * CLOCK_NS_PER_S;
    m.nodes = a->facts.nodes;
    m.cpus = a->facts.cpus;
    m.ending = a->ending;
    m.reason = (char *)(uintptr_t)reason;
    if (m.end_ns || m.ending || *reason)
        a->tell(a->arg, &m);
}

static void allotment_on_nap(evutil_socket_t fd, short what, void *arg)
{
    struct allotment *a = arg;

    (void)fd, (void)what;
    inquiry_ask(a->inquiry);
}

/* There was no answer: it is asked again. */
static bool allotment_insists(struct allotment *a)
{
    const uint64_t ns = a->terminated ? ALLOTMENT_TERM_NS : ALLOTMENT_END_NS;

    if (a->ending)
        return clock_monotonic_ns() + ALLOTMENT_NAP_NS < a->ending_ns + ns &&
               timer_set(a->nap, ALLOTMENT_NAP_NS) == 0;
    if (++a->asked >= ALLOTMENT_TRIES)
        return false;
    inquiry_ask(a->inquiry);
    return true;
}

/* A job that was warned of its end, and is known no more, was ended, though nobody is
 * left to say why: its time was over, or somebody wished it. */
static const char *allotment_reason(const struct allotment *a,
                                    const struct system_answer *answer)
{
    const uint64_t end_s = unspent_end_s(&a->facts);

    if (!answer || (!a->ending && !a->warned))
        return "";
    if (!answer->gone || !a->warned)
        return answer->reason;
    return end_s && (uint64_t)time(NULL) >= end_s ? "time limit" : "cancelled";
}

static void allotment_on_answer(void *arg, const struct system_answer *answer)
{
    struct allotment *a = arg;
    const char *reason;

    if (!answer && allotment_insists(a))
        return;
    reason = allotment_reason(a, answer);
    /* That of one that is being ended is now. */
    if (answer && !*answer->reason && !answer->gone) {
        a->facts.asked_s = answer->end_s;
        a->facts.begun_s = answer->begin_s;
    }
    a->ended |= a->ending && *reason;
    allotment_tell(a, reason);
}

struct allotment *allotment_open(struct event_base *base,
                                 allotment_tell_cb tell, void *arg)
{
    const struct system *s = system_here();
    struct allotment *a = s ? calloc(1, sizeof(*a)) : NULL;

    if (!a)
        return NULL;
    unspent_read(&a->facts, s);
    a->tell = tell;
    a->arg = arg;
    a->warning = s->warning;
    a->repeats = s->repeats;
    a->restarts = system_restarts(s);
    system_job(s, a->name, sizeof(a->name));
    a->nap = evtimer_new(base, allotment_on_nap, a);
    a->inquiry = a->nap ? inquiry_open(base, allotment_on_answer, a) : NULL;
    return a;
}

const char *allotment_name(const struct allotment *a)
{
    return a ? a->name : NULL;
}

void allotment_submit(struct allotment *a, Hct__Submit *m)
{
    if (!a)
        return;
    m->batch = a->name;
    m->batch_restarts = a->restarts;
    m->batch_tells = a->inquiry != NULL;
}

void allotment_begin(struct allotment *a)
{
    if (a && (!a->inquiry || unspent_end_s(&a->facts)))
        allotment_tell(a, "");
    else if (a)
        inquiry_ask(a->inquiry);
}

/* A batch system that sends it again and again may know nothing of its job any more
 * when ours has ended, as where a shell above us was its first process: it is
 * asked at the first one. */
void allotment_signal(struct allotment *a, int sig)
{
    bool first = a && sig == a->repeats && !a->warned;

    if (a && sig == SIGTERM)
        a->terminated = true;
    if (!a || !a->inquiry || (sig != a->warning && (a->ending || !first)))
        return;
    a->warned = true;           /* tasks may have ended by it before it was seen */
    if (!a->ending)
        inquiry_ask(a->inquiry);
}

void allotment_ending(struct allotment *a)
{
    if (!a || !a->inquiry || a->ending)
        return;
    a->ending = true;
    a->ending_ns = clock_monotonic_ns();
    inquiry_ask(a->inquiry);
}

bool allotment_is_ended(const struct allotment *a)
{
    return a && a->ended;
}

void allotment_close(struct allotment *a)
{
    if (!a)
        return;
    inquiry_close(a->inquiry);
    timer_free(a->nap);
    free(a);
}
