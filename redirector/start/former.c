/* former.c - see former.h. A number of a job that a batch system gives anew, or
 * another cluster has as well, is not enough: who asks compares programs, too. */
#include "redirector/start/former.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "redirector/batch/system.h"
#include "redirector/out/say.h"

bool former_name(char name[FORMER_NAME])
{
    const struct system *s = system_here();

    *name = '\0';
    return s && system_job(s, name, FORMER_NAME);
}

uint32_t former_runs(void)
{
    const struct system *s = system_here();

    return s && system_value(s->job) ? system_restarts(s) : 0;
}

uint64_t former_run_ns(void)
{
    const struct system *s = system_here();

    return s && system_value(s->job) ? system_run_ns(s) : 0;
}

bool former_may_be(void)
{
    return former_runs() || former_run_ns();
}

void former_text(char *to, size_t size)
{
    char name[FORMER_NAME];
    uint32_t n = former_runs();

    former_name(name);
    if (former_run_ns())
        snprintf(to, size, "%s was begun before", name);
    else
        snprintf(to, size, "%s was begun %" PRIu32 " time%s before", name, n,
                 n == 1 ? "" : "s");
}

bool former_is(const Hct__Submit *m)
{
    const uint64_t run_ns = former_run_ns();
    char name[FORMER_NAME];

    return former_name(name) && strcmp(name, m->batch) == 0 &&
           (run_ns ? m->batch_run_ns != run_ns
                   : m->batch_restarts < former_runs());
}

/* "1h05m", "3m10s", "12s". */
static void former_time(char *to, size_t size, uint64_t ns)
{
    uint64_t s = ns / CLOCK_NS_PER_S;

    if (s >= 3600)
        snprintf(to, size, "%" PRIu64 "h%02um", s / 3600,
                 (unsigned)(s / 60 % 60));
    else if (s >= 60)
        snprintf(to, size, "%um%02us", (unsigned)(s / 60), (unsigned)(s % 60));
    else
        snprintf(to, size, "%us", (unsigned)s);
}

void former_say_none(const char *dir)
{
    char text[200];

    if (!former_runs())
        return;
    former_text(text, sizeof(text));
    say(SAY_NOTE, "%s, and there is no checkpoint in %s: the job starts anew",
        text, dir);
}

void former_say(const Hct__Checkpoint *c)
{
    uint64_t now_ns = clock_wall_ns();
    char text[200], age[32], ran[32], saved[100] = "";

    former_text(text, sizeof(text));
    former_time(age, sizeof(age), now_ns > c->at_ns ? now_ns - c->at_ns : 0);
    if (c->ran_ns) {            /* earlier versions did not note that */
        former_time(ran, sizeof(ran), c->ran_ns);
        snprintf(saved, sizeof(saved), ", which saves %s, %.1f core hours of %"
                 PRIu32 " task%s", ran,
                 (double)c->ran_ns / 3600e9 * (double)c->ntasks, c->ntasks,
                 c->ntasks == 1 ? "" : "s");
    }
    say(SAY_NOTE, "%s: the job goes on from checkpoint %" PRIu32 " in %s, %s old%s",
        text, c->number, c->dir, age, saved);
}
