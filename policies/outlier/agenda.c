/* agenda.c - see agenda.h. */
#include "policies/outlier/agenda.h"

/* Phases of a program that has some are not to be over for long: a task has two
 * at most. */
static const uint64_t phases_look_ns = 200000000;
/* So long a person waits. */
static const uint64_t person_waits_ns = 30000000000;

static bool is_there(const struct hct_rank *k)
{
    return k->life >= HCT_LIFE_INIT && k->life <= HCT_LIFE_DONE;
}

static bool finalizes(const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++)
        if (hct_rank(in, i)->life == HCT_LIFE_FINALIZE)
            return true;
    return false;
}

/* The first phase that somebody is in. Tasks without a page are in none. */
static uint32_t first_phase(const struct hct_snapshot *in, uint32_t known)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (is_there(k) && (k->flags & HCT_PAGE) && k->phase < least)
            least = k->phase;
    }
    return least < UINT32_MAX ? least : known;
}

/* What lasts no longer than a step has to cost cannot have one. Of several that end
 * between two looks nobody keeps the first; the last of them has begun after the look
 * before. */
static void look_at_phase(struct agenda *a, const struct hct_snapshot *in)
{
    uint32_t first = first_phase(in, a->phase);

    if (first <= a->phase)
        return;
    if (first > a->phase + 1)
        a->phase_ns = a->looked_ns;
    a->over = in->now_ns - a->phase_ns >= a->least_ns &&
              (!a->phases_ns || in->now_ns - a->phases_ns >= a->every_ns);
    a->phase = first;
    a->phase_ns = a->looked_ns;
}

/* A tenth of the time that it has run, and no less than every. */
static void wait(struct agenda *a, uint64_t now_ns)
{
    uint64_t tenth = (now_ns - a->began_ns) / 10;

    a->next_ns = now_ns + (tenth > a->every_ns ? tenth : a->every_ns);
}

/* Its last phase ends with the program. */
static void finalize(struct agenda *a, uint64_t now_ns)
{
    a->finalized = true;
    a->next_ns = now_ns;
    if (!a->phase || now_ns - a->phase_ns < a->least_ns)
        return;
    a->over = true;
    a->phase++;
}

void agenda_look(struct agenda *a, const struct hct_snapshot *in)
{
    if (!a->began_ns) {
        a->began_ns = a->phase_ns = a->looked_ns = in->now_ns;
        wait(a, in->now_ns);
    }
    look_at_phase(a, in);
    if (!a->finalized && finalizes(in))
        finalize(a, in->now_ns);
    a->looked_ns = in->now_ns;
    if (in->asked & HCT_ASKED_BY_PERSON) {
        a->person = true;
        a->wanted = in->person;
        a->person_ns = in->now_ns;
        a->patience_ns = in->now_ns + person_waits_ns;
    }
}

/* A phase is kept for a short time only; but the last one as long as the tasks are
 * there. */
bool agenda_next(struct agenda *a, uint64_t now_ns, struct agenda_item *item)
{
    bool all = now_ns >= a->next_ns;

    *item = (struct agenda_item){ .person = false };
    if (a->person && now_ns >= a->person_ns) {
        item->person = true;
        item->when = a->wanted;
        a->person = false;
    } else if (a->over && !(a->finalized && all)) {
        item->when = (struct hct_when){ .window = HCT_WINDOW_PHASE,
                                        .phase = a->phase - 1 };
        a->phases_ns = now_ns;
        a->over = false;
    } else {
        return all;
    }
    return true;
}

void agenda_done(struct agenda *a, uint64_t now_ns,
                 const struct agenda_item *item)
{
    if (item->when.window == HCT_WINDOW_ALL)
        wait(a, now_ns);
}

void agenda_failed(struct agenda *a, uint64_t now_ns,
                   const struct agenda_item *item)
{
    agenda_done(a, now_ns, item);
    if (!item->person || a->person || now_ns >= a->patience_ns)
        return;
    a->person = true;
    a->wanted = item->when;
    a->person_ns = now_ns + a->every_ns / 5;
}

uint64_t agenda_wake(const struct agenda *a, uint64_t now_ns)
{
    uint64_t after = a->every_ns / 5;

    if (a->phase && after > phases_look_ns)
        after = phases_look_ns;
    return a->next_ns < now_ns + after ? a->next_ns : now_ns + after;
}
