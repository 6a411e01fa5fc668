/* lsfjob.c - what LSF says of one of its jobs, see lsfjob.h: "bjobs -o" of LSF 10.1,
 * as its manual has it. It could not be had. */
#include "redirector/batch/lsfjob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its state, why it was ended, for how many seconds it runs, and how many minutes
 * it may. All elements of an array have one number. */
const char *const lsfjob_ask[] = {
    "sh", "-c",
    "trap '' INT TERM USR2\n"
    "job=$0\n"
    "[ \"${LSB_JOBINDEX:-0}\" = 0 ] || job=\"$0[$LSB_JOBINDEX]\"\n"
    "date +%s\n"
    "LSB_HMS_TIME_FORMAT=n bjobs -noheader -o "
    "\"stat exit_reason run_time runtimelimit delimiter='|'\" \"$job\"\n", NULL
};

/* The first word of exit_reason. */
static const struct { const char *word, *reason; } lsfjob_reasons[] = {
    { "TERM_RUNLIMIT", "time limit" }, { "TERM_DEADLINE", "time limit" },
    { "TERM_OWNER", "cancelled" }, { "TERM_ADMIN", "cancelled" },
    { "TERM_FORCE_OWNER", "cancelled" }, { "TERM_FORCE_ADMIN", "cancelled" },
    { "TERM_BUCKET_KILL", "cancelled" },
    { "TERM_REQUEUE_OWNER", "requeued" }, { "TERM_REQUEUE_ADMIN", "requeued" },
    { "TERM_PREEMPT", "preempted" },
};

static const char *lsfjob_reason(const char *state, const char *why)
{
    for (size_t i = 0; i < sizeof(lsfjob_reasons) / sizeof(lsfjob_reasons[0]); i++) {
        size_t n = strlen(lsfjob_reasons[i].word);

        if (strncmp(why, lsfjob_reasons[i].word, n) == 0 &&
            (!why[n] || strchr(": ", why[n])))
            return lsfjob_reasons[i].reason;
    }
    return strcmp(state, "PEND") == 0 ? "requeued" : "";
}

/* "1795733984\nRUN|-|43 second(s)|180.0/hostA\n". */
int lsfjob_answer(const char *text, uint64_t restarts, struct system_answer *a)
{
    char state[16], why[160], more[2];
    unsigned long long now_s, ran_s;
    double minutes = 0;
    int at = 0, end = 0;

    (void)restarts;
    *a = (struct system_answer){ .reason = "" };
    if (sscanf(text, "%llu %15[A-Z]|%159[^|\n]|%n", &now_s, state, why, &at) != 3 ||
        !at)
        return -1;
    if (sscanf(text + at, "%llu%*[^|\n]|%n", &ran_s, &end) == 1 && end) {
        a->begin_s = now_s - ran_s;
        if (sscanf(text + at + end, "%lf", &minutes) == 1 && minutes > 0)
            a->end_s = a->begin_s + (uint64_t)(minutes * 60);
    }
    at += (int)strcspn(text + at, "\n");
    if (sscanf(text + at, "%1s", more) == 1)
        return -1;              /* several jobs */
    a->reason = lsfjob_reason(state, why);
    if (!*a->reason && a->end_s && now_s >= a->end_s)
        a->reason = "time limit";
    return 0;
}
