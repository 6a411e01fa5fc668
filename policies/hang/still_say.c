/* still_say.c - a hang in words: which tasks are to blame, and where the
 * others wait. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "policies/hang/still.h"
#include "policies/lib/words.h"

enum { BLAMED = 12, GROUPS = 8, SOME = 64 };

/* What a task does that sleeps. */
static const char *still_waits(uint32_t waits)
{
    static const char *const words[] = {
        [HCT_WAITS_TIME] = "sleeps for a time",
        [HCT_WAITS_SIGNAL] = "sleeps until a signal comes",
        [HCT_WAITS_CHILD] = "waits for a child process",
        [HCT_WAITS_LOCK] = "waits for a lock on a file",
        [HCT_WAITS_PIPE] = "waits for a pipe",
        [HCT_WAITS_SOCKET] = "waits for a socket",
        [HCT_WAITS_DEVICE] = "waits for a device",
        [HCT_WAITS_FILE] = "waits for a file",
        [HCT_WAITS_THREAD] = "waits for a thread or a lock in memory",
        [HCT_WAITS_OTHER] = "sleeps",
    };

    return waits > HCT_WAITS_UNKNOWN && waits < HCT_WAITS_OTHER ? words[waits]
                                                                : "sleeps";
}

static bool blamed(const struct still_rank *w, const struct hct_rank *k,
                   uint32_t outside)
{
    return outside ? k->life == HCT_LIFE_RUNNING && still_outside(w)
                   : still_pauses_in(w, k);
}

const char *still_how(char buf[STILL_HOW], const struct still_rank *w,
                      const struct hct_rank *k, uint64_t still_ns)
{
    uint64_t used = w->cpu_ns > w->cpu_still_ns ? w->cpu_ns - w->cpu_still_ns
                                                : 0;
    const char *for_what = k->place[0] ? ", " : "";

    *buf = '\0';
    if (k->flags & HCT_PAUSES)
        snprintf(buf, STILL_HOW, ", and sleeps until a signal comes");
    else if (k->flags & HCT_SLEEPS)
        snprintf(buf, STILL_HOW, ", in uninterruptible sleep%s%.31s",
                 k->wchan[0] ? " in " : "", k->wchan);
    else if (k->waits == HCT_WAITS_TIME && k->waits_ns)
        snprintf(buf, STILL_HOW, ", and sleeps, for %.3g s at a time",
                 (double)k->waits_ns / 1e9);
    else if (used > still_ns / 20)
        snprintf(buf, STILL_HOW, ", and uses the processor");
    else if (k->waits != HCT_WAITS_UNKNOWN)
        snprintf(buf, STILL_HOW, ", and %s%s%.39s", still_waits(k->waits),
                 k->waits == HCT_WAITS_OTHER ? "" : for_what,
                 k->waits == HCT_WAITS_OTHER ? "" : k->place);
    else if (w->napped)
        snprintf(buf, STILL_HOW, ", and sleeps again and again");
    else if ((k->flags & HCT_RUNS) && w->cpu_still_ns)
        snprintf(buf, STILL_HOW, ", and would run, but gets %s processor",
                 used > still_ns / 1000 ? "little of a" : "no");
    return buf;
}

const char *still_then(char buf[STILL_THEN], const struct hct_rank *k)
{
    char time[WORDS_TIME];

    *buf = '\0';
    if (k->earlier_ns)
        snprintf(buf, STILL_THEN, "; an earlier run was %s at this place",
                 words_time(time, k->earlier_ns));
    return buf;
}

static void say_rank(const struct still_rank *w, const struct hct_rank *k,
                     const struct hct_snapshot *in, struct hct_out *out)
{
    uint64_t still = in->now_ns - w->moved_ns;
    char time[WORDS_TIME], how[STILL_HOW], then[STILL_THEN], last[104] = "";
    const char *call = hct_call(in, k->call)->name;

    if (w->in) {
        words_line(out, (int32_t)k->rank, "rank %" PRIu32 " is in %s for %s, and "
                   "sleeps there until a signal comes, instead of looking for "
                   "messages", k->rank, *call ? call : "MPI_Init",
                   words_time(time, still));
        return;
    }
    if (memchr(k->tag_text, '\0', sizeof(k->tag_text)) && k->tag_text[0])
        snprintf(last, sizeof(last), "; its last tag was \"%s\"", k->tag_text);
    words_line(out, (int32_t)k->rank, "rank %" PRIu32 " is outside of MPI for "
               "%s%s%s%s%s%s", k->rank, words_time(time, still),
               *call ? ", after " : "", call, still_how(how, w, k, still),
               still_then(then, k), last);
}

/* Those in the same call together. */
static void say_others(const struct still_rank *ranks,
                       const struct hct_snapshot *in, struct hct_out *out)
{
    uint32_t told[GROUPS], ntold = 0, rest = 0, some[SOME], n;
    char who[WORDS_RANKS];

    for (uint32_t i = 0; i < in->nranks; i++) {
        const struct hct_rank *k = hct_rank(in, i);
        bool known = false;

        if (k->life != HCT_LIFE_RUNNING || !ranks[i].in ||
            still_pauses_in(&ranks[i], k))
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
                !still_pauses_in(&ranks[j], hct_rank(in, j)) &&
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

void still_say_alone(const struct still *s, const struct still_rank *w,
                     const struct hct_snapshot *in, uint32_t r,
                     struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_HANG);
    char time[WORDS_TIME];

    if (!v)
        return;
    v->where = w->in ? HCT_WHERE_COMMUNICATION : HCT_WHERE_COMPUTATION;
    v->phase = hct_rank(in, r)->phase;
    v->score = words_score(1 - s->options.alpha);
    v->longest_ms = words_ms(still_max(still_longest(s, w),
                                       still_max(hct_rank(in, r)->earlier_ns,
                                                 s->pause_ns)));
    v->age_ns = in->now_ns - w->moved_ns;
    words_blame(out, r);
    words_line(out, HCT_NONE, "rank %" PRIu32 " hangs: it has not moved for "
               "%s; others go on", r, words_time(time, v->age_ns));
    say_rank(w, hct_rank(in, r), in, out);
    words_propose(out, HCT_REPORT);
}

void still_say(const struct still *s, const struct still_rank *ranks,
               const struct hct_snapshot *in, uint32_t outside, double score,
               uint64_t longest_ns, struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_HANG);
    char time[WORDS_TIME], who[WORDS_RANKS], fates[WORDS_FATES];
    uint32_t some[SOME], n = 0;

    if (!v)
        return;
    v->where = outside ? HCT_WHERE_COMPUTATION : HCT_WHERE_COMMUNICATION;
    v->phase = hct_rank(in, 0)->phase;
    v->score = words_score(score);
    v->longest_ms = words_ms(longest_ns);
    v->age_ns = in->now_ns - s->moved_ns;
    for (uint32_t i = 0; i < in->nranks; i++)
        if (blamed(&ranks[i], hct_rank(in, i), outside)) {
            words_blame(out, i);
            if (n < SOME)
                some[n++] = i;
        } else if (words_fate(in, i)) {
            words_blame(out, i);
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
                   "moved for %s, and all %stasks are in MPI%s", time,
                   *words_fates(fates, in) ? "other " : "", fates);
    n = 0;
    for (uint32_t i = 0; i < in->nranks && n < BLAMED; i++)
        if (blamed(&ranks[i], hct_rank(in, i), outside)) {
            say_rank(&ranks[i], hct_rank(in, i), in, out);
            n++;
        } else if (words_fate(in, i)) {
            words_line(out, (int32_t)i, "rank %" PRIu32 " %s", i,
                       words_fate(in, i));
            n++;
        }
    say_others(ranks, in, out);
    words_propose(out, HCT_REPORT);
}
