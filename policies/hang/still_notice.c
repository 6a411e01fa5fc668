/* still_notice.c - what is worth a line of words, though nothing says that it is
 * wrong: a job that stands still where nobody knows how long it may; tasks
 * that never begin; and a job all of whose tasks do the same few calls for
 * ever. Said once; of another stand-still only if it is twice as long as any
 * before. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "policies/hang/still.h"
#include "policies/lib/words.h"

enum {
    SOME = 64,                  /* ranks that are named */
    GROUPS = 3,                 /* calls that are */
    BUSY_CALLS = 1000,          /* a second, of one who does nothing else, and */
    BUSY_OUT = 4,               /* ... part of the time outside of MPI; or */
    BUSY_TURN_NS = 2000,        /* so long there between two calls, however long
                                   these take on a busy machine */
    LOOP_DETAILS = 3,           /* looks at its last calls, at least */
    LINE_TEXT = sizeof(((struct hct_line *)0)->text),
};

#define SECOND ((uint64_t)1000000000)
#define LOOP_NS SECOND                  /* between two of these */
#define UNSEEN_NS (2 * SECOND)          /* what they did then nobody knows */

/* Ranks in words, and as those the notice is about. */
struct group {
    uint32_t v[SOME], n, all;
};

static void group_add(struct group *g, uint32_t rank)
{
    if (g->n < SOME)
        g->v[g->n++] = rank;
    g->all++;
}

enum { GROUP_TEXT = WORDS_RANKS + 16 };

static const char *group_text(char buf[GROUP_TEXT], const struct group *g)
{
    char who[WORDS_RANKS];

    snprintf(buf, GROUP_TEXT, "%s%s", words_ranks(who, g->v, g->n),
             g->all > g->n ? " and more" : "");
    return buf;
}

static bool notice_begin(struct still *s, const struct hct_snapshot *in,
                         const struct group *about, enum hct_where where,
                         uint64_t age_ns, struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_NOTICE);

    s->noticed = 1;
    s->noticed_ns = in->now_ns;
    if (!v)
        return false;
    v->where = where;
    v->phase = hct_rank(in, 0)->phase;
    v->age_ns = age_ns;
    for (uint32_t i = 0; i < about->n; i++)
        words_blame(out, about->v[i]);
    return true;
}

/* ------------------------------------------------------ nobody moves any more */

static bool waits_for_them(const struct still_rank *w, const struct hct_rank *k)
{
    return k->life == HCT_LIFE_FINALIZE || (still_alive(k) && !still_outside(w));
}

/* Its sleep ends soon: then it will be seen what it does. */
static bool wakes_soon(const struct still *s, const struct still_rank *w,
                       const struct hct_rank *k, uint64_t now_ns)
{
    uint64_t slept_ns = now_ns - w->waits_since_ns;

    return k->waits == HCT_WAITS_TIME && k->waits_ns > slept_ns &&
           k->waits_ns - slept_ns <= s->options.patience_ns;
}

/* It has asked for messages meanwhile, if not often enough to be one that does
 * nothing else: where tasks get little of a processor, nobody can tell. */
static bool has_asked(const struct still_rank *w, const struct hct_rank *k,
                      const struct hct_snapshot *in)
{
    return words_asks(hct_call(in, k->call)) && w->questions > 1;
}

/* "rank 2 has been in work() for 20 s, and uses the processor" */
static void say_one(char *buf, size_t size, const struct still_rank *w,
                    const struct hct_rank *k, const struct hct_snapshot *in)
{
    uint64_t still_ns = in->now_ns - w->moved_ns;
    const char *call = hct_call(in, k->call)->name;
    char time[WORDS_TIME], how[STILL_HOW];
    int n = snprintf(buf, size, "rank %" PRIu32 " has been ", k->rank);

    words_time(time, still_ns);
    still_how(how, w, k, still_ns);
    if (w->works)
        snprintf(buf + n, size - (size_t)n, "in %s for %s%s", call, time, how);
    else if (has_asked(w, k, in))
        snprintf(buf, size, "rank %" PRIu32 " has only asked, by %s, for %s%s",
                 k->rank, call, time, how);
    else if (k->place[0] && k->waits == HCT_WAITS_UNKNOWN)
        snprintf(buf + n, size - (size_t)n, "in %.39s() for %s%s%s%s", k->place,
                 time, *call ? ", after " : "", call, how);
    else
        snprintf(buf + n, size - (size_t)n, "outside of MPI for %s%s%s%s", time,
                 *call ? ", after " : "", call, how);
}

/* Where the others wait, if that is one call of all of them, and for what. */
enum { CALL_TEXT = 80 };

static const char *common_call(char buf[CALL_TEXT],
                               const struct hct_snapshot *in,
                               const struct group *waiting)
{
    const struct hct_rank *first = hct_rank(in, waiting->v[0]);
    const struct hct_call *c = hct_call(in, first->call);
    uint32_t by = c->class_ == HCT_CLASS_WAIT || c->class_ == HCT_CLASS_TEST
                      ? first->waits_call : 0;

    *buf = '\0';
    for (uint32_t i = 1; i < waiting->n; i++) {
        const struct hct_rank *k = hct_rank(in, waiting->v[i]);

        if (k->call != first->call)
            return buf;
        if (k->waits_call != by)
            by = 0;
    }
    snprintf(buf, CALL_TEXT, "%.32s%s%.32s", c->name,
             *c->name && by ? " by " : "", hct_call(in, by)->name);
    return buf;
}

static void say_outside(struct still *s, const struct still_rank *ranks,
                        const struct hct_snapshot *in,
                        const struct group *outside,
                        const struct group *waiting, struct hct_out *out)
{
    uint32_t first = outside->v[0];
    uint64_t still_ns = in->now_ns - s->moved_ns;
    char one[320], then[STILL_THEN], others[GROUP_TEXT], all[GROUP_TEXT];
    char time[WORDS_TIME], call[CALL_TEXT], rest[320];
    char transit[TRANSIT_TEXT] = "";
    int n;

    if (!notice_begin(s, in, outside, HCT_WHERE_COMPUTATION, still_ns, out))
        return;
    common_call(call, in, waiting);
    group_text(others, waiting);
    if (outside->all == 1) {
        say_one(one, sizeof(one), &ranks[first], hct_rank(in, first), in);
        still_then(then, hct_rank(in, first));
        if (has_asked(&ranks[first], hct_rank(in, first), in) &&
            still_transit_known(s))
            transit_text(transit, in, &s->transit);
        n = snprintf(rest, sizeof(rest), ", and %.40s wait%s for it%s%.60s%s",
                     others, waiting->all == 1 ? "s" : "", *call ? " in " : "",
                     call, *transit ? transit : *then ? then : WORDS_NOTHING_SAYS);
        words_line(out, HCT_NONE, "%.*s%s", LINE_TEXT - 1 - n, one, rest);
    } else {
        words_line(out, HCT_NONE, "%.60s have been outside of MPI for %s, and "
                   "%.60s wait%s for them%s", group_text(all, outside),
                   words_time(time, still_ns), others,
                   waiting->all == 1 ? "s" : "", WORDS_NOTHING_SAYS);
    }
}

/* Why that is no deadlock, perhaps. */
enum { REST_TEXT = 80 };

static const char *others_text(char buf[REST_TEXT],
                               const struct still_rank *ranks,
                               const struct hct_snapshot *in)
{
    struct group g = { 0 };
    char who[GROUP_TEXT];

    for (uint32_t i = 0; i < in->nranks; i++)
        if (ranks[i].in && ranks[i].others)
            group_add(&g, i);
    *buf = '\0';
    if (g.all)
        snprintf(buf, REST_TEXT, "; other threads of %.40s may yet call MPI",
                 group_text(who, &g));
    return buf;
}

/* All wait: where. */
static void say_inside(struct still *s, const struct still_rank *ranks,
                       const struct hct_snapshot *in, struct hct_out *out)
{
    uint64_t still_ns = in->now_ns - s->moved_ns;
    struct group g[GROUPS] = { 0 }, all = { 0 };
    uint32_t call[GROUPS], n = 0;
    char text[120] = "", who[GROUP_TEXT], time[WORDS_TIME], rest[REST_TEXT];
    char transit[TRANSIT_TEXT] = "", fates[WORDS_FATES];

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        uint32_t at = 0;

        if (!waits_for_them(&ranks[i], k))
            continue;
        group_add(&all, i);
        while (at < n && call[at] != k->call)
            at++;
        if (at == n && n < GROUPS)
            call[n++] = k->call;
        if (at < n)
            group_add(&g[at], i);
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *name = hct_call(in, call[i])->name;
        size_t at = strlen(text);

        snprintf(text + at, sizeof(text) - at, "%s%.40s in %.30s%s",
                 i ? ", " : "", group_text(who, &g[i]), *name ? name : "MPI",
                 ranks[g[i].v[0]].asks ? ", asking in a loop" : "");
    }
    if (!notice_begin(s, in, &all, HCT_WHERE_COMMUNICATION, still_ns, out))
        return;
    if (still_transit_known(s))
        transit_text(transit, in, &s->transit);
    words_time(time, still_ns);
    if (*words_fates(fates, in))        /* it is not the network, then */
        words_line(out, HCT_NONE, "nothing has moved for %s, and all others wait: "
                   "%.88s%s", time, text, fates);
    else if (*transit)
        words_line(out, HCT_NONE, "nothing has moved for %s, and all wait: "
                   "%.88s%s", time, text, transit);
    else
        words_line(out, HCT_NONE, "nothing has moved for %s, and all wait: "
                   "%s%s%s", time, text, others_text(rest, ranks, in),
                   WORDS_NOTHING_SAYS);
}

void still_notice(struct still *s, const struct still_rank *ranks,
                  const struct hct_snapshot *in, struct hct_out *out)
{
    uint64_t still_ns = in->now_ns - s->moved_ns;
    struct group outside = { 0 }, waiting = { 0 };

    if (still_ns < still_max(s->options.patience_ns, 2 * s->quiet_ns))
        return;
    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        if (waits_for_them(&ranks[i], k)) {
            group_add(&waiting, i);
        } else if (still_alive(k)) {
            if (wakes_soon(s, &ranks[i], k, in->now_ns) ||
                (!ranks[i].works &&
                 still_ns < STILL_EARLIER * k->earlier_ns))
                return;
            group_add(&outside, i);
        }
    }
    if (outside.all == 0 &&
        still_ns >= still_allowed_inside(s, ranks, in))
        say_inside(s, ranks, in, out);
    /* where most are at work, nobody waits for few */
    else if (outside.all && waiting.all && outside.all <= waiting.all + 1)
        say_outside(s, ranks, in, &outside, &waiting, out);
}

/* -------------------------------------------------- tasks that never begin */

/* Who has ended will not come any more. */
static void say_early(const struct group *inside, const struct group *early,
                      const struct group *gone, uint64_t age_ns,
                      struct hct_out *out)
{
    char in_it[GROUP_TEXT], others[GROUP_TEXT], time[WORDS_TIME];

    words_time(time, age_ns);
    group_text(in_it, inside);
    if (gone->all)
        words_line(out, HCT_NONE, "%.60s %s ended, and %.60s %s waited in "
                   "MPI_Init for %s, which needs all ranks",
                   group_text(others, gone), gone->all == 1 ? "has" : "have",
                   in_it, inside->all == 1 ? "has" : "have", time);
    else
        words_line(out, HCT_NONE, "%.60s %s not called MPI_Init for %s, and "
                   "%.60s wait%s in it%s", group_text(others, early),
                   early->all == 1 ? "has" : "have", time, in_it,
                   inside->all == 1 ? "s" : "", WORDS_NOTHING_SAYS);
}

void still_notice_early(struct still *s, const struct hct_snapshot *in,
                        struct hct_out *out)
{
    const uint16_t excused = HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
                             HCT_STDIN | HCT_STOPPED;
    struct group inside = { 0 }, early = { 0 }, gone = { 0 };
    uint64_t age_ns;
    bool held = false;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);

        held |= (k->flags & excused) != 0;
        if (k->life == HCT_LIFE_INIT)
            group_add(&inside, i);
        else if (k->life <= HCT_LIFE_STARTED)
            group_add(&early, i);
        else if (k->life == HCT_LIFE_ENDED)
            group_add(&gone, i);
    }
    held |= !inside.all || (!early.all && !gone.all);
    if (held || !s->early_ns) {
        s->early_ns = held ? 0 : in->now_ns;
        return;
    }
    age_ns = in->now_ns - s->early_ns;
    if (s->early_noticed || age_ns < s->options.patience_ns)
        return;
    s->early_noticed = 1;
    if (notice_begin(s, in, gone.all ? &gone : &early, HCT_WHERE_UNKNOWN,
                     age_ns, out))
        say_early(&inside, &early, &gone, age_ns, out);
}

/* -------------------------------------------------- the same calls for ever */

static struct still_calls calls_of(const struct hct_rank *k)
{
    return (struct still_calls){ k->calls, k->out_ns };
}

static void loop_begin(struct still_rank *w, const struct hct_rank *k,
                       uint64_t now_ns)
{
    w->loop_since_ns = now_ns;
    w->loop_then = w->loop_last = calls_of(k);
    w->loop_details = 0;
}

/* It was not seen for so long: that, and what it did then, does not count. */
static void loop_skip(struct still_rank *w, const struct hct_rank *k,
                      uint64_t unseen_ns)
{
    struct still_calls now = calls_of(k);

    w->loop_since_ns += unseen_ns;
    w->loop_then.n += now.n - w->loop_last.n;
    w->loop_then.out_ns += now.out_ns - w->loop_last.out_ns;
}

/* It has called from there: a new place is a new beginning. */
static void loop_see(struct still_rank *w, const struct hct_rank *k,
                     uint32_t site, uint64_t now_ns)
{
    unsigned at = 0;

    while (at < STILL_LOOP && w->loop[at] && w->loop[at] != site)
        at++;
    if (site == 0 || (at < STILL_LOOP && w->loop[at] == site))
        return;
    if (at == STILL_LOOP) {
        memset(w->loop, 0, sizeof(w->loop));
        at = 0;
    }
    w->loop[at] = site;
    loop_begin(w, k, now_ns);
}

/* The next look at a task; unseen_ns after the last one. */
static void loop_follow(struct still_rank *w, const struct hct_rank *k,
                        uint64_t now_ns, uint64_t unseen_ns,
                        uint64_t patience_ns)
{
    if (unseen_ns >= patience_ns) {
        memset(w->loop, 0, sizeof(w->loop));
        loop_begin(w, k, now_ns);
    } else if (unseen_ns > UNSEEN_NS) {
        loop_skip(w, k, unseen_ns);
    }
    loop_see(w, k, k->site, now_ns);
    w->loop_last = calls_of(k);
}

/* A call that is short is seen among the last ones only. */
static void loop_read_flights(struct still_rank *ranks,
                              const struct hct_snapshot *in)
{
    for (uint32_t i = 0; i < in->nflights; i++) {
        const struct hct_flight *f = hct_flight(in, i);

        if (f->rank < in->nranks)
            loop_see(&ranks[f->rank], hct_rank(in, f->rank), f->site,
                     in->now_ns);
    }
    for (uint32_t i = 0; i < in->nranks; i++)
        ranks[i].loop_details++;
}

static bool loop_is_busy(const struct still_rank *w, const struct hct_rank *k,
                         uint64_t age_ns)
{
    uint64_t calls = k->calls - w->loop_then.n;
    uint64_t out_ns = k->out_ns - w->loop_then.out_ns;

    return calls >= BUSY_CALLS &&
           (out_ns / calls < BUSY_TURN_NS ||
            (calls / (age_ns / SECOND + 1) >= BUSY_CALLS &&
             out_ns < age_ns / BUSY_OUT));
}

static void say_loop(struct still *s, const struct still_rank *ranks,
                     const struct hct_snapshot *in, const struct group *busy,
                     uint64_t age_ns, struct hct_out *out)
{
    const struct hct_rank *k = hct_rank(in, busy->v[0]);
    uint64_t calls = k->calls - ranks[k->rank].loop_then.n;
    char who[GROUP_TEXT], time[WORDS_TIME];

    s->loop_noticed = 1;
    if (notice_begin(s, in, busy, HCT_WHERE_COMMUNICATION, age_ns, out))
        words_line(out, HCT_NONE, "%.60s %s made the same calls at the same "
                   "places for %s, as %s, %" PRIu64 " of them, and nobody "
                   "made any other%s", group_text(who, busy),
                   busy->all == 1 ? "has" : "have", words_time(time, age_ns),
                   hct_call(in, k->call)->name, calls, WORDS_NOTHING_SAYS);
    s->noticed = 0;             /* it does not end when somebody moves */
}

/* How long all of them have done nothing else; 0: somebody has. The busy ones
 * are put into the group, and into *calls the fewest that one of them has made. */
static uint64_t loop_age(const struct still_rank *ranks,
                         const struct hct_snapshot *in, struct group *busy,
                         uint64_t *calls)
{
    uint64_t age_ns = *calls = UINT64_MAX;

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct still_rank *w = &ranks[i];
        const struct hct_rank *k = hct_rank(in, i);
        uint64_t since_ns = in->now_ns - w->loop_since_ns;

        if (loop_is_busy(w, k, since_ns)) {
            group_add(busy, i);
            age_ns = still_min(age_ns, since_ns);
            *calls = still_min(*calls, k->calls - w->loop_then.n);
        } else if (still_outside(w) || k->calls != w->loop_then.n) {
            return 0;
        }
    }
    return busy->all > 1 ? age_ns : 0;
}

void still_notice_loop(struct still *s, struct still_rank *ranks,
                       const struct hct_snapshot *in, struct hct_out *out)
{
    const uint64_t patience_ns = s->options.patience_ns;
    struct group busy = { 0 };
    uint64_t age_ns, calls, unseen_ns = in->now_ns - s->loop_seen_ns;

    if (s->loop_noticed)
        return;
    for (uint32_t i = 0; i < in->nranks; i++)
        if (hct_rank(in, i)->life != HCT_LIFE_RUNNING ||
            !(hct_rank(in, i)->flags & HCT_PAGE))
            return;
    for (uint32_t i = 0; i < in->nranks; i++)
        loop_follow(&ranks[i], hct_rank(in, i), in->now_ns, unseen_ns,
                    patience_ns);
    s->loop_seen_ns = in->now_ns;
    if (in->has_detail)
        loop_read_flights(ranks, in);
    age_ns = loop_age(ranks, in, &busy, &calls);
    if (age_ns >= LOOP_NS && in->now_ns - s->loop_detail_ns >= LOOP_NS) {
        s->loop_detail_ns = in->now_ns;
        out->need |= HCT_NEED_DETAIL;
    }
    if (age_ns >= patience_ns &&
        calls >= patience_ns / SECOND * BUSY_CALLS &&
        ranks[busy.v[0]].loop_details >= LOOP_DETAILS)
        say_loop(s, ranks, in, &busy, age_ns, out);
}
