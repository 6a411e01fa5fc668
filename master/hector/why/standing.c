/* standing.c - who stands still, and why, see standing.h. */
#include "master/hector/why/standing.h"

#include <stdlib.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/store/query.h"
#include "master/watch/tape.h"
#include "proto/base/clock.h"
#include "proto/base/taskset.h"

enum { STANDING_PLACES = 8 };   /* in the kernel that are told apart */

static bool stands(const struct hct_rank *k, uint32_t flag,
                   const char *wchan)
{
    if (flag == HCT_STOPPED && (k->flags & HCT_SUSPENDED))
        return false;           /* it is among those */
    return k->life > HCT_LIFE_NONE && k->life < HCT_LIFE_ENDED &&
           (k->flags & flag) && (!wchan || strcmp(k->wchan, wchan) == 0);
}

/* One line, if there are any. wchan NULL: wherever. */
static void say(struct str *to, const struct hct_snapshot *s, uint32_t flag,
                const char *wchan, const char *what, const char *before)
{
    struct taskset who = { 0 };
    char *text;

    for (uint32_t i = 0; i < s->nranks; i++)
        if (stands(hct_rank(s, i), flag, wchan))
            taskset_add(&who, i, i);
    text = who.n ? taskset_text(&who) : NULL;
    if (text)
        str_addf(to, "%s ago: task%s %s %s %s%s%s\n", before,
                 taskset_count(&who) == 1 ? "" : "s", text,
                 taskset_count(&who) == 1 ? "is" : "are", what,
                 wchan && *wchan ? ", in " : "", wchan ? wchan : "");
    free(text);
    taskset_fini(&who);
}

static void say_asleep(struct str *to, const struct hct_snapshot *s,
                       const char *before)
{
    const char *told[STANDING_PLACES];
    size_t n = 0;

    for (uint32_t i = 0; i < s->nranks && n < STANDING_PLACES; i++) {
        const struct hct_rank *k = hct_rank(s, i);
        bool known = !stands(k, HCT_SLEEPS, NULL);

        for (size_t t = 0; t < n && !known; t++)
            known = strcmp(told[t], k->wchan) == 0;
        if (known)
            continue;
        told[n++] = k->wchan;
        say(to, s, HCT_SLEEPS, k->wchan, "in uninterruptible sleep in the "
            "kernel", before);
    }
}

/* Lines; before: how long ago that look was, in words. */
static void add_lines(struct str *to, const struct hct_snapshot *s,
                      const char *before)
{
    static const struct { uint32_t flag; const char *what; } reasons[] = {
        { HCT_TRACED, "held by a debugger" },
        { HCT_STOPPED, "stopped by a signal" },
        { HCT_SUSPENDED, "suspended" },
        { HCT_MIGRATING, "being moved to another node" },
        { HCT_STDIN, "waiting for input" },
    };
    size_t had = to->n;

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        say(to, s, reasons[i].flag, NULL, reasons[i].what, before);
    if (to->n > had)
        str_add(to, "no hang is looked for meanwhile\n");
    say_asleep(to, s, before);
}

/* The last piece of the tape, to its end. */
static int on_look(void *arg, const struct store_look *look)
{
    struct tape_reader r = { 0 };
    struct hct_snapshot s;
    uint64_t now = clock_wall_ns(), at = look->at_ns;
    char before[HUMAN_MAX];

    if (look->data.p && tape_last(&r, look->data.p, look->data.n, &s))
        add_lines(arg, &s, human_duration(before, now > at
                                          ? (int64_t)(now - at) : 0));
    looks_fini(&r.looks);
    return 1;
}

void standing_of_job(struct str *to, struct store *st, uint64_t job)
{
    query_last_look(st, job, true, on_look, to, NULL);
}
