/* fluxjob.c - what Flux says of one of its jobs, see fluxjob.h: flux-jobs(1), as its
 * manual has it. It could not be had. */
#include "redirector/batch/fluxjob.h"

#include <stdio.h>
#include <string.h>

/* The hosts are those of the instance we are in. Where that is a job itself, the
 * one around it knows how long it may be. */
const char *const fluxjob_ask[] = {
    "sh", "-c",
    "trap '' TERM\n"
    "format='{status} {exception.type:h} {t_run} {expiration}'\n"
    "job=$(flux getattr jobid 2>/dev/null)\n"
    "if [ \"$job\" ]; then flux --parent jobs -n -o \"$format\" \"$job\"\n"
    "else flux jobs -n -o \"$format\" \"$0\"; fi\n", NULL
};

static const struct { const char *word, *reason; } fluxjob_reasons[] = {
    { "timeout", "time limit" }, { "TIMEOUT", "time limit" },
    { "cancel", "cancelled" }, { "CANCELED", "cancelled" },
};

/* "RUNNING - 1629000000.25 1629003600.0"; 0.0: it never ends. */
int fluxjob_answer(const char *text, uint64_t restarts, struct system_answer *a)
{
    char state[32], exception[32];
    double begin = 0, end = 0;

    (void)restarts;
    *a = (struct system_answer){ .reason = "" };
    if (sscanf(text, "%31s %31s %lf %lf", state, exception, &begin, &end) < 2)
        return -1;
    if (begin > 0)
        a->begin_s = (uint64_t)begin;
    if (end > 0)
        a->end_s = (uint64_t)end;
    for (size_t i = 0; i < sizeof(fluxjob_reasons) / sizeof(fluxjob_reasons[0]); i++)
        if (strcmp(exception, fluxjob_reasons[i].word) == 0 ||
            strcmp(state, fluxjob_reasons[i].word) == 0)
            a->reason = fluxjob_reasons[i].reason;
    return 0;
}
