/* notice.c - words to hector-run, see notice.h. */
#include "master/flow/notice.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "master/flow/flow_step.h"
#include "proto/base/signals.h"
#include "proto/link/conn.h"

void notice(const struct job *j, bool error, const char *fmt, ...)
{
    Hct__Notice m = HCT__NOTICE__INIT;
    char text[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    m.job = j->id;
    m.text = text;
    m.error = error;
    if (j->redirector)
        conn_send(j->redirector, MESSAGE_NOTICE, &m);
}

void notice_all(const struct flow *f, bool error, const char *text)
{
    for (const struct job *j = f->acting; j; j = j->next_acting)
        if (j->effects & JOB_EFFECT_ACCEPT)     /* not in the table yet */
            notice(j, error, "%s", text);
    for (struct job *j = NULL; (j = jobs_next(f->jobs, j)); )
        notice(j, error, "%s", text);
}

void notice_accepted(const struct job *j)
{
    Hct__Accepted m = HCT__ACCEPTED__INIT;

    m.job = j->id;
    m.name = j->name;
    if (j->redirector)
        conn_send(j->redirector, MESSAGE_ACCEPTED, &m);
}

void notice_state(const struct job *j)
{
    Hct__JobState m = HCT__JOB_STATE__INIT;

    m.job = j->id;
    m.state = (char *)job_state_name(j->state);
    m.started = j->nrunning;
    m.ntasks = j->ntasks;
    if (j->redirector)
        conn_send(j->redirector, MESSAGE_JOB_STATE, &m);
}

void notice_finding(const struct job *j, const Hct__Finding *m)
{
    if (j->redirector)
        conn_send(j->redirector, MESSAGE_FINDING, m);
}

void notice_ended(const struct job *j)
{
    const struct job_saved saved = job_saved(j);
    Hct__JobEnded m = HCT__JOB_ENDED__INIT;

    m.job = j->id;
    m.exit_code = job_exit_code(j);
    m.why = (char *)job_why(j);
    m.left_ns = saved.left_ns;
    m.left_percent = saved.percent;
    m.node_hours = saved.node_hours;
    m.core_hours = saved.core_hours;
    if (j->redirector)
        conn_send(j->redirector, MESSAGE_JOB_ENDED, &m);
}

void notice_of_end(const struct job *j, const struct task *t, bool core,
                   char *buf, size_t size)
{
    uint32_t rank = job_rank(j, t);
    const char *node = job_node_name(j, t);
    const char *reason = t->why ? t->why : "";
    size_t skip = strlen(node);
    int n;

    if (strncmp(reason, node, skip) == 0 && strncmp(reason + skip, ": ", 2) == 0)
        reason += skip + 2;             /* the node is named already */
    if (t->why && !j->ops->ours)
        n = snprintf(buf, size, "task %u on %s %.300s", rank, node, reason);
    else if (t->why)
        n = snprintf(buf, size, "task %u on %s could not be started: %.300s",
                     rank, node, reason);
    else if (t->signal)
        n = snprintf(buf, size, "task %u on %s was killed by signal %d (%s%s)",
                     rank, node, t->signal, signals_describe(t->signal),
                     core ? ", core dumped" : "");
    else if (t->left)
        n = snprintf(buf, size, "task %u on %s left without MPI_Finalize while "
                     "others were still in MPI", rank, node);
    else
        n = snprintf(buf, size, "task %u on %s exited with code %d", rank,
                     node, t->exit_code);
    if (t->starved && n > 0 && (size_t)n < size)
        n += snprintf(buf + n, size - (size_t)n, ": the memory that its control "
                      "group may have was used up");
    if (t->last_tag && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, ", last tag \"%.200s\"",
                 t->last_tag);
}
