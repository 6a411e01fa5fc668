/* still_moves.c - what a look says of each task: is it in MPI, does it ask in a
 * loop, has it moved since; and how long it has stayed where it was before. */
#include "policies/hang/parastack.h"
#include "policies/hang/still.h"
#include "policies/lib/words.h"

#define MS ((uint64_t)1000000)

enum {
    WORKS_MS = 1000,            /* in a call that waits for nobody */
    LONG_MS = 500,              /* shorter stays are never a measure */
    TORN = 8,                   /* looks in a row that are never torn */
    ASKS_MS = 10,               /* between two questions of a loop, mostly */
    ASKED = 2, ASKED_MS = 400,  /* so many at least, in so long */
};

/* How often it has asked. One that gets no processor just now is seen between
 * two questions for longer than its loop takes. */
static void count_questions(struct still_rank *w, const struct hct_rank *k,
                            uint64_t now_ns)
{
    uint64_t n = k->polls - w->polls, since_ns = now_ns - w->polls_ns;

    if (!w->known || k->polls < w->polls)
        n = 0;
    else if (since_ns < ASKED_MS * MS)
        return;
    w->asked = n >= ASKED && n * ASKS_MS * MS >= since_ns;
    w->questions += n > 0 && w->questions < UINT8_MAX;
    w->polls = k->polls;
    w->polls_ns = now_ns;
}

/* Is it in a loop that only asks? */
static bool asking(const struct still_rank *w, const struct hct_rank *k,
                   const struct hct_snapshot *in)
{
    const struct hct_call *c = hct_call(in, k->call);
    uint64_t turn_ms = w->asked ? ASKED_MS : ASKS_MS;

    return (k->flags & HCT_PAGE) && (c->flags & HCT_CALL_POLL) &&
           words_asks(c) &&
           (k->age_ns < turn_ms * MS || (k->flags & HCT_IN_MPI));
}

/* A call that waits for nobody, and takes long, is computation. */
static bool works(const struct hct_snapshot *in, const struct hct_rank *k)
{
    const struct hct_call *c = hct_call(in, k->call);

    return (k->flags & HCT_PAGE) && (k->flags & HCT_IN_MPI) &&
           c->class_ != HCT_CLASS_NONE && !words_asks(c) && !(c->flags & HCT_CALL_BLOCKING) &&
           k->age_ns >= WORKS_MS * MS;
}

static void remember_pooled(struct still *s, const struct still_rank *w,
                            uint64_t stay_ns)
{
    unsigned at = 0;

    for (unsigned i = 0; i < STILL_POOLED; i++) {
        if (s->place[i].site == w->site && s->place[i].call == w->call) {
            at = i;
            break;
        }
        if (s->place[i].longest_ns < s->place[at].longest_ns)
            at = i;
    }
    if (stay_ns <= s->place[at].longest_ns)
        return;
    s->place[at].site = w->site;
    s->place[at].call = w->call;
    s->place[at].longest_ns = stay_ns;
}

static void remember_place(struct still_rank *w, uint64_t stay_ns)
{
    unsigned at = 0;

    for (unsigned i = 0; i < STILL_PLACES; i++) {
        if (w->place[i].visits && w->place[i].site == w->site) {
            at = i;
            break;
        }
        if (w->place[i].visits < w->place[at].visits)
            at = i;
    }
    if (w->place[at].site != w->site || !w->place[at].visits) {
        w->place[at].site = w->site;
        w->place[at].visits = 0;
        w->place[at].longest_ns = 0;
    }
    w->place[at].visits++;
    if (stay_ns > w->place[at].longest_ns)
        w->place[at].longest_ns = stay_ns;
}

void still_look_at_rank(struct still *s, struct still_rank *w,
                        const struct hct_rank *k,
                        const struct hct_snapshot *in)
{
    uint64_t progress = still_progress(k);
    bool in_mpi, asks, moved;

    count_questions(w, k, in->now_ns);
    asks = asking(w, k, in);
    in_mpi = asks || parastack_in(in, k);
    if (k->flags & HCT_PAGE) {
        /* the question that it is asking now has not been counted yet */
        if ((k->flags & HCT_IN_MPI) &&
            (hct_call(in, k->call)->flags & HCT_CALL_POLL) && progress)
            progress--;
        /* a call is counted when it begins; its end is a move, too, and so
         * is a tag: the program says where it is */
        moved = progress > w->progress || k->mark != w->mark ||
                (w->known && w->in != in_mpi && !w->asks && !asks);
        /* A reading may be torn, and low. One that stays low says that
         * questions had been taken for more before. */
        w->low = progress < w->progress ? w->low + 1 : 0;
        if (w->low && w->low < TORN)
            progress = w->progress;
        else
            w->low = 0;
    } else {
        progress = w->progress + (w->known && w->in != in_mpi);
        moved = progress > w->progress;
    }
    if (!w->known || moved) {
        uint64_t entered = k->age_ns < in->now_ns ? in->now_ns - k->age_ns : 0;

        if (w->paused)
            s->pause_ns = still_max(s->pause_ns, in->now_ns - w->moved_ns);
        w->paused = w->napped = 0;
        w->questions = 0;
        if (w->known && !w->in && w->age_ns > LONG_MS * MS) {
            remember_place(w, in->now_ns - w->moved_ns);
            remember_pooled(s, w, in->now_ns - w->moved_ns);
        }
        w->moved_ns = !w->known || !(k->flags & HCT_PAGE) ||
                      entered < w->moved_ns || asks
            ? in->now_ns : entered;
        w->cpu_still_ns = w->own_still_ns = 0;
        w->visits = 0;
        w->longest_ns = 0;
        w->waits = HCT_WAITS_UNKNOWN;
        s->moved |= w->known;
        if (w->moved_ns > s->moved_ns) {
            if (w->known && w->moved_ns - s->moved_ns > s->quiet_ns &&
                s->begun_ns)
                s->quiet_ns = w->moved_ns - s->moved_ns;
            if (!s->begun_ns)
                s->begun_ns = w->moved_ns;
            s->moved_ns = w->moved_ns;
        }
    }
    w->progress = progress;
    w->top = still_max(w->top, progress);
    w->paused |= (k->flags & HCT_PAUSES) != 0;
    w->napped |= k->waits == HCT_WAITS_TIME;
    w->known = 1;
    w->in = in_mpi;
    w->asks = asks;
    w->works = works(in, k);
    if (w->waits != k->waits)
        w->waits_since_ns = in->now_ns;
    w->waits = k->waits;
    w->age_ns = in->now_ns - w->moved_ns;
    w->cpu_ns = k->cpu_ns;
    w->own_ns = k->own_cpu_ns;
    if (!w->cpu_still_ns)
        w->cpu_still_ns = k->cpu_ns;
    if (!w->own_still_ns)
        w->own_still_ns = k->own_cpu_ns;
    w->site = k->site;
    w->call = k->call;
    w->mark = k->mark;
}

/* ------------------------------------------------------- a look at details */

void still_read_flights(struct still_rank *ranks,
                        const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i + 1 < in->nflights; i++) {
        const struct hct_flight *f = hct_flight(in, i);
        const struct hct_flight *next = hct_flight(in, i + 1);
        struct still_rank *w;
        uint64_t stay;

        if (f->rank >= in->nranks || next->rank != f->rank)
            continue;
        w = &ranks[f->rank];
        if (i == 0 || hct_flight(in, i - 1)->rank != f->rank) {
            w->visits = 0;
            w->longest_ns = 0;
        }
        if (w->in || f->site != w->site || f->left_ns < next->entered_ns)
            continue;
        stay = f->left_ns - next->entered_ns;
        w->visits++;
        if (stay > w->longest_ns)
            w->longest_ns = stay;
    }
}

void still_read_threads(struct still_rank *ranks,
                        const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        ranks[i].others = (k->flags & HCT_PAGE) && (k->flags & HCT_IN_MPI) &&
                          k->level >= HCT_LEVEL_SERIALIZED &&
                          (k->threads_in > 1 || deadlock_others(in, k));
    }
}
