/* watch_say.c - a hang in words: which tasks are to blame, and where the
 * others wait. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "policies/hang/watch.h"
#include "policies/lib/words.h"

enum { BLAMED = 12, GROUPS = 8, SOME = 64 };

static bool blamed(const struct watch_rank *w, const struct hct_rank *k,
                   uint32_t outside)
{
    return outside ? k->life == HCT_LIFE_RUNNING && !w->in
                   : watch_pauses_in(w, k);
}

static void say_rank(const struct watch_rank *w, const struct hct_rank *k,
                     const struct hct_snapshot *in, struct hct_out *out)
{
    uint64_t still = in->now_ns - w->moved_ns;
    char time[WORDS_TIME], last[104] = "";
    const char *how = "", *call = hct_call(in, k->call)->name;

    if (w->in) {
        words_line(out, (int32_t)k->rank, "rank %" PRIu32 " is in %s for %s, and "
                   "sleeps there until a signal comes, instead of looking for "
                   "messages", k->rank, *call ? call : "MPI_Init",
                   words_time(time, still));
        return;
    }
    if (k->flags & HCT_PAUSES)
        how = ", and sleeps until a signal comes";
    else if (k->flags & HCT_SLEEPS)
        how = ", in uninterruptible sleep";
    else if (w->cpu_ns > w->cpu_still_ns)
        how = w->cpu_ns - w->cpu_still_ns > still / 20
            ? ", and uses the processor" : ", and sleeps";
    else if (w->cpu_ns)
        how = ", and sleeps";
    if (memchr(k->tag_text, '\0', sizeof(k->tag_text)) && k->tag_text[0])
        snprintf(last, sizeof(last), "; its last tag was \"%s\"", k->tag_text);
    words_line(out, (int32_t)k->rank, "rank %" PRIu32 " is outside of MPI for "
               "%s%s%s%s%s%.31s%s", k->rank, words_time(time, still),
               *call ? ", after " : "", call, how,
               (k->flags & HCT_SLEEPS) && k->wchan[0] ? " in " : "",
               (k->flags & HCT_SLEEPS) ? k->wchan : "", last);
}

/* Those in the same call together. */
static void say_others(const struct watch_rank *ranks,
                       const struct hct_snapshot *in, struct hct_out *out)
{
    uint32_t told[GROUPS], ntold = 0, rest = 0, some[SOME], n;
    char who[WORDS_RANKS];

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        bool known = false;

        if (k->life != HCT_LIFE_RUNNING || !ranks[i].in ||
            watch_pauses_in(&ranks[i], k))
            continue;
        for (uint32_t t = 0; t < ntold; t++)
            known |= told[t] == k->call;
        if (known)
            continue;
        if (ntold == GROUPS) {
            rest++;
            continue;
        }
        told[ntold++] = k->call;
        n = 0;
        for (uint32_t j = i; j < in->nranks && n < SOME; j++)
            if (hct_rank(in, j)->call == k->call && ranks[j].in &&
                !watch_pauses_in(&ranks[j], hct_rank(in, j)) &&
                hct_rank(in, j)->life == HCT_LIFE_RUNNING)
                some[n++] = j;
        words_line(out, (int32_t)i, "%s%s wait%s in %s%s",
                   words_ranks(who, some, n), n == SOME ? " and more" : "",
                   n == 1 ? "s" : "", hct_call(in, k->call)->name[0]
                       ? hct_call(in, k->call)->name : "MPI",
                   ranks[i].asks ? ", asking in a loop" : "");
    }
    if (rest)
        words_line(out, HCT_NONE, "%" PRIu32 " more wait in other calls",
                   rest);
}

void watch_say_alone(const struct watch *s, const struct watch_rank *w,
                     const struct hct_snapshot *in, uint32_t r,
                     struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_HANG);
    char time[WORDS_TIME];

    if (!v)
        return;
    v->where = w->in ? HCT_WHERE_COMMUNICATION : HCT_WHERE_COMPUTATION;
    v->phase = hct_rank(in, r)->phase;
    v->score = 1 - s->options.alpha;
    v->age_ns = in->now_ns - w->moved_ns;
    words_blame(out, r);
    words_line(out, HCT_NONE, "rank %" PRIu32 " hangs: it has not moved for "
               "%s; others go on", r, words_time(time, v->age_ns));
    say_rank(w, hct_rank(in, r), in, out);
    words_propose(out, HCT_REPORT);
}

void watch_say(const struct watch *s, const struct watch_rank *ranks,
               const struct hct_snapshot *in, uint32_t outside, double score,
               struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_HANG);
    char time[WORDS_TIME], who[WORDS_RANKS];
    uint32_t some[SOME], n = 0;

    if (!v)
        return;
    v->where = outside ? HCT_WHERE_COMPUTATION : HCT_WHERE_COMMUNICATION;
    v->phase = hct_rank(in, 0)->phase;
    v->score = score < 0 ? 0 : score;
    v->age_ns = in->now_ns - s->moved_ns;
    for (uint32_t i = 0; i < in->nranks; i++)
        if (blamed(&ranks[i], hct_rank(in, i), outside)) {
            words_blame(out, i);
            if (n < SOME)
                some[n++] = i;
        }
    words_time(time, v->age_ns);
    if (outside)
        words_line(out, HCT_NONE, "hang in the computation: nothing has moved "
                   "for %s, %s%s not come back to MPI, and the others wait",
                   time, words_ranks(who, some, n),
                   n == 1 ? " has" : " have");
    else if (n)
        words_line(out, HCT_NONE, "hang in the communication: nothing has "
                   "moved for %s, %s sleep%s in MPI, and the others wait",
                   time, words_ranks(who, some, n), n == 1 ? "s" : "");
    else
        words_line(out, HCT_NONE, "hang in the communication: nothing has "
                   "moved for %s, and all tasks are in MPI", time);
    n = 0;
    for (uint32_t i = 0; i < in->nranks && n < BLAMED; i++)
        if (blamed(&ranks[i], hct_rank(in, i), outside)) {
            say_rank(&ranks[i], hct_rank(in, i), in, out);
            n++;
        }
    say_others(ranks, in, out);
    words_propose(out, HCT_REPORT);
}
