/* allotment.c - see allotment.h. */
#include "master/act/allotment.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "master/move/checkpoint.h"
#include "master/store/journal.h"
#include "master/store/reasons.h"
#include "proto/base/clock.h"

enum { ALLOTMENT_TIMEOUT = 124 };       /* exit code of one ended before */

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

/* It is about to end it, and may kill all that it is at once. */
static void allotment_warned(struct acts *a, struct job *j, const char *reason,
                             const char *sentence)
{
    if (j->batch.reason)
        return;
    node_set_text(&j->batch.reason, reason);
    journal_job(a->journal, j);
    a->ops->notice(j, true, "%.100s %s: it will be killed", j->batch.id, sentence);
}

int allotment_take(struct acts *a, struct job *j, const Hct__Allotment *m,
                   struct err *err)
{
    const char *sentence = reason_sentence(m->reason);

    if (*m->reason && !sentence)
        return err_set(err, EPROTO, "a batch system ends its job for \"%.40s\"",
                       m->reason);
    if (!j->batch.id || job_state_final(j->state))
        return 0;
    j->batch.begin_ns = m->begin_ns;
    j->batch.nodes = m->nodes;
    j->batch.cpus = m->cpus;
    if (m->end_ns && m->end_ns != j->batch.end_ns) {
        j->batch.end_ns = m->end_ns;
        journal_job(a->journal, j);
    }
    if (sentence && !m->ending)
        allotment_warned(a, j, m->reason, sentence);
    if (m->ending && !j->batch.told) {
        j->batch.told = true;
        if (sentence)
            allotment_ended(a, j, m->reason, sentence);
    }
    return 0;
}

/* ------------------------------------------------------- before it ends */

static void before_signal(struct acts *a, struct job *j, struct act_order *o)
{
    struct taskset all = { 0 };
    struct err err;

    o->ranks = &all;
    if (taskset_add(&all, 0, j->ntasks - 1) == 0 &&
        acts_order(a, j, o, NULL, 0, &err) >= 0)
        acts_record(a, j, o, "done");
    taskset_fini(&all);
}

static void before_checkpoint(struct acts *a, struct job *j, struct act_order *o)
{
    const uint64_t now_ns = clock_wall_ns(), end_ns = j->batch.end_ns;
    const struct checkpoint_order order = {
        .why = o->why,
        .until_ns = clock_monotonic_ns() + (end_ns > now_ns ? end_ns - now_ns : 0) };
    struct err err;
    int rc = checkpoint_order(a->movers, j, &order, &err);

    if (rc)
        a->ops->notice(j, true, "no checkpoint is made: %s", err.text);
    acts_record(a, j, o, rc ? err.text : "ordered");
}

static void before_kill(struct acts *a, struct job *j, struct act_order *o)
{
    struct err err;

    o->exit_code = ALLOTMENT_TIMEOUT;
    acts_order(a, j, o, NULL, 0, &err);
}

static void before_report(struct acts *a, struct job *j, struct act_order *o)
{
    acts_record(a, j, o, "done");
}

static const struct {
    const char *name;
    enum act_name act;
    int number;
    void (*carry_out)(struct acts *a, struct job *j, struct act_order *o);
} befores[] = {
    { "report", ACT_REPORT, 0, before_report },
    { "checkpoint", ACT_CHECKPOINT, 0, before_checkpoint },
    { "kill", ACT_KILL, 0, before_kill },
    { "USR1", ACT_SIGNAL, SIGUSR1, before_signal },
    { "USR2", ACT_SIGNAL, SIGUSR2, before_signal },
};
enum { BEFORES = sizeof(befores) / sizeof(befores[0]) };

static size_t before_find(const char *name)
{
    size_t i = 0;

    while (i < BEFORES && strcmp(befores[i].name, name) != 0)
        i++;
    return i;
}

bool allotment_knows(const char *before)
{
    return before_find(before) < BEFORES;
}

void allotment_look(struct acts *a, struct job *j)
{
    const uint64_t now_ns = clock_wall_ns();
    struct job_batch *b = &j->batch;
    struct act_order o = { .who = ACT_BATCH, .whole = true };
    char why[200];
    size_t i;

    if (j->state != JOB_RUNNING || !b->before_ns || b->warned || !b->end_ns ||
        now_ns + b->before_ns < b->end_ns)
        return;
    b->warned = true;
    i = before_find(b->before);
    snprintf(why, sizeof(why), "%.100s ends in %.0f s", b->id ? b->id : "it",
             now_ns < b->end_ns ? (double)(b->end_ns - now_ns) / 1e9 : 0.0);
    o.why = why;
    o.act = befores[i].act;
    o.number = befores[i].number;
    a->ops->notice(j, true, "%s: %s%s", why, o.act == ACT_SIGNAL
                   ? "all tasks get " : "", befores[i].name);
    befores[i].carry_out(a, j, &o);
}

bool allotment_may_tell(const struct job *j)
{
    return j->batch.tells && !j->batch.told && j->redirector;
}

bool allotment_is_due(const struct job *j)
{
    return j->state == JOB_ENDING && allotment_may_tell(j);
}

/* By these batch systems end jobs, or warn them. */
static bool is_of_batch(int exit_code)
{
    static const int signals[] = { SIGTERM, SIGKILL, SIGUSR1, SIGUSR2, SIGXCPU };
    size_t i = 0, n = sizeof(signals) / sizeof(signals[0]);

    while (i < n && exit_code != 128 + signals[i])
        i++;
    return i < n;
}

/* They come to hector-run as well as to tasks, or to the shell above it, at whose end
 * the batch system kills all else. */
bool allotment_left(struct acts *a, struct job *j)
{
    if (j->state != JOB_ENDING || !j->batch.tells || j->batch.told)
        return false;
    j->batch.told = true;
    if (job_failed(j) && is_of_batch(job_code_of_tasks(j))) {
        char why[300];

        snprintf(why, sizeof(why), "hector-run is gone, as %.240s", job_why(j));
        job_kill_for(j, why, 128 + SIGTERM);
        journal_job(a->journal, j);
    }
    return true;
}

void allotment_node_failed(struct acts *a, struct job *j)
{
    if (!j->batch.id || j->batch.reason)
        return;
    node_set_text(&j->batch.reason, REASON_NODE_FAILURE);
    journal_job(a->journal, j);
}
