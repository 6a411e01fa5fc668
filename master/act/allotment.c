/* allotment.c - see allotment.h. */
#include "master/act/allotment.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "master/store/journal.h"

static const struct { const char *reason, *sentence; } reasons[] = {
    { "cancelled", "was cancelled" },
    { "time limit", "has reached its time limit" },
    { "requeued", "goes back into the queue" },
    { "preempted", "makes room for another one" },
    { "node failure", "has lost a node" },
};

/* The batch system ends it: whatever its tasks have made of that. */
static void allotment_ended(struct acts *a, struct job *j, const char *reason,
                            const char *sentence)
{
    char why[300];

    snprintf(why, sizeof(why), "%.100s %s", j->batch.id, sentence);
    node_set_text(&j->batch.reason, reason);
    job_kill_for(j, why, 128 + SIGTERM);
    journal_job(a->journal, j);
}

int allotment_take(struct acts *a, struct job *j, const Hct__Allotment *m,
                   struct err *err)
{
    const char *sentence = NULL;

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (strcmp(m->reason, reasons[i].reason) == 0)
            sentence = reasons[i].sentence;
    if (*m->reason && (!sentence || !m->ending))
        return err_set(err, EPROTO, "a batch system ends its job for \"%.40s\"",
                       m->reason);
    if (!j->batch.id || job_state_final(j->state))
        return 0;
    if (m->end_ns && m->end_ns != j->batch.end_ns) {
        j->batch.end_ns = m->end_ns;
        journal_job(a->journal, j);
    }
    if (m->ending && !j->batch.told) {
        j->batch.told = true;
        if (sentence)
            allotment_ended(a, j, m->reason, sentence);
    }
    return 0;
}

bool allotment_is_due(const struct job *j)
{
    return j->state == JOB_ENDING && j->batch.tells && !j->batch.told &&
           j->redirector;
}
