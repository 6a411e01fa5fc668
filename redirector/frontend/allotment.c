/* allotment.c - see allotment.h. What the environment says is not asked for. */
#include "redirector/frontend/allotment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "redirector/frontend/status.h"
#include "redirector/frontend/unspent.h"
#include "redirector/out/say.h"
#include "redirector/start/former.h"
#include "redirector/start/inquiry.h"

struct allotment {
    struct unspent_facts facts;
    char name[FORMER_NAME];     /* "Slurm 42" */
    uint32_t restarts;
    struct inquiry *inquiry;    /* owned; NULL: nobody can be asked */
    bool ending, ended;
    allotment_tell_cb tell;
    void *arg;
};

static void allotment_tell(struct allotment *a, const char *reason)
{
    Hct__Allotment m = HCT__ALLOTMENT__INIT;

    m.end_ns = unspent_end_s(&a->facts) * CLOCK_NS_PER_S;
    m.ending = a->ending;
    m.reason = (char *)(uintptr_t)reason;
    if (m.end_ns || m.ending)
        a->tell(a->arg, &m);
}

static void allotment_on_answer(void *arg, const struct system_answer *answer)
{
    struct allotment *a = arg;

    /* That of one that is being ended is now. */
    if (answer && !*answer->reason)
        a->facts.asked_s = answer->end_s;
    a->ended |= a->ending && answer && *answer->reason;
    allotment_tell(a, answer && a->ending ? answer->reason : "");
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
    a->restarts = system_restarts(s);
    former_name(a->name);
    a->inquiry = inquiry_open(base, allotment_on_answer, a);
    return a;
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

void allotment_ending(struct allotment *a)
{
    if (!a || !a->inquiry || a->ending)
        return;
    a->ending = true;
    inquiry_ask(a->inquiry);
}

void allotment_say_unspent(const struct allotment *a, int code,
                           const char *on_hang)
{
    struct unspent_facts now;
    char text[200];

    if (!a || code != STATUS_HUNG || !on_hang || strncmp(on_hang, "kill", 4))
        return;
    now = a->facts;
    unspent_now(&now);
    unspent_text(text, sizeof(text), &now);
    if (unspent_left_s(&now))
        say(SAY_ERROR, "%s", text);
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
    free(a);
}
