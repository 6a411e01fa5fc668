/* jobpages.c - the pages of a job's tasks: given out, read, sampled. */
#include "slave/jobs/jobpages.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "slave/jobs/jobhook.h"
#include "slave/page/tally.h"

static struct tally_sink sink_of(struct job *j)
{
    struct node *node = j->part.node;

    return reading_sink(node->reading, node->uplink, &j->account.sites,
                        &j->losses_told, j->plan->want_stdtim);
}

static void say_lines(struct job *j, const struct task *t)
{
    struct str *lines = reading_lines(j->part.node->reading);

    streams_say(j->streams, t->rank, HCT__STREAM__STREAM_STDTIM,
                str_text(lines), lines->n);
    str_reset(lines);
}

/* Is it in the world that we gave it? */
static void check_world(struct job *j, struct task *t)
{
    struct task_given given = { t->rank, j->part.ntasks, j->plan->nspace };

    if (task_check_world(t, &given))
        job_tell(j, false);
}

/* How often has come round in it what does? */
static void measure(struct job *j, struct task *t, const struct rings_batch *b)
{
    unsigned n = 0;

    for (size_t i = 0; i < b->n; i++)
        n += b->v[i].exit &&
             reserve_is_end(&t->reserve, &j->plan->periods,
                            str_text(&b->text) + b->v[i].text,
                            b->v[i].text_bytes, t->rank);
    if (!n || !task_measured(t, j->part.node, j->plan, n))
        return;
    job_reserved(j);
    job_tell(j, false);
}

static long read_ring(struct job *j, struct task *t)
{
    struct tally_sink sink = sink_of(j);
    long found;

    /* The task waits for who reads the lines. */
    if (j->plan->want_stdtim && streams_congested(j->streams))
        sink.hold = true;
    found = tally_read(&t->tally, &sink);
    if (found && t->reserve.period_ns)
        measure(j, t, sink.batch);
    say_lines(j, t);
    check_world(j, t);
    return found;
}

long jobpages_read(struct job *j)
{
    long found = 0;

    if (!j->plan || !j->streams)
        return 0;
    for (size_t i = 0; i < j->ntasks; i++)
        if (!j->tasks[i]->restoring)
            found += read_ring(j, j->tasks[i]);
    return found;
}

void jobpages_before_output(struct job *j, uint32_t rank)
{
    struct task *t = j->plan->want_stdtim ? job_task(j, rank) : NULL;

    if (t && !t->restoring)
        read_ring(j, t);
}

bool jobpages_any(const struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (j->tasks[i]->tally.page)
            return true;
    return false;
}

int jobpages_grant(struct job *j, const struct page_hello *hello,
                   const struct registry_peer *peer, struct err *err)
{
    struct task *t = job_task(j, hello->rank);
    struct tally_sink sink;
    int fd;

    if (!t && j->part.node->hook)
        t = j->part.node->hook->task(j, hello->rank);
    if (!t || !t->pid || t->over)
        return err_set(err, ESRCH, "task %u of job %llu does not run here",
                       hello->rank, (unsigned long long)j->part.id);
    if (peer->uid != j->plan->uid && peer->uid != 0)
        return err_set(err, EPERM, "job %llu is not of user %u",
                       (unsigned long long)j->part.id, (unsigned)peer->uid);
    check_world(j, t);          /* of the program before */
    sink = sink_of(j);
    fd = tally_attach(&t->tally, peer->pid, j->part.ntasks, &sink, err);
    say_lines(j, t);
    if (fd < 0)
        return -1;
    task_new_program(t, hello->mpi, sizeof(hello->mpi));
    task_reserve(t, j->part.node, j->plan);
    if (!t->init_ns)
        t->init_ns = clock_wall_ns();
    t->facts |= TASK_IN_INIT;
    return fd;
}

int jobpages_ack(struct job *j, uint32_t rank, uint64_t upto, struct err *err)
{
    struct task *t = job_task(j, rank);

    if (!t)
        return err_set(err, EPROTO, "task %u of job %llu is not here", rank,
                       (unsigned long long)j->part.id);
    return records_ack(&t->tally.records, upto, err);
}

/* Its process with what that has waited for, and the MPI program where that is
 * another one. */
void jobpages_use(struct task *t, struct sample_proc *out)
{
    struct sample_proc more;

    *out = (struct sample_proc){ 0 };
    sample_proc_read(t->pid, true, out);
    if (t->tally.page && t->tally.pid != t->pid &&
        sample_proc_read(t->tally.pid, true, &more) == 0) {
        out->cpu_ns += more.cpu_ns;
        out->rss_bytes += more.rss_bytes;
    }
}

/* ---------------------------------------------------------------- costs */

typedef void account_f(const struct account_of *o, struct tally *const *v,
                       size_t n);

static void with_tasks(struct job *j, account_f *call)
{
    struct tally **v = calloc(j->ntasks + 1, sizeof(*v));
    struct account_of o = part_account(&j->part);

    for (size_t i = 0; v && i < j->ntasks; i++)
        v[i] = &j->tasks[i]->tally;
    if (v)
        call(&o, v, j->ntasks);
    free(v);
}

void jobpages_account_last(struct job *j, struct task *t)
{
    struct account_of o = part_account(&j->part);
    struct tally *w = &t->tally;

    account_end(w);
    account_tell(&o, &w, 1);
}

static void tell_again(const struct account_of *o, struct tally *const *v,
                       size_t n)
{
    account_forget_sent(o->account, v, n);
    account_tell(o, v, n);
}

void jobpages_again(struct job *j)
{
    struct records_out out = reading_out(j->part.node->uplink);

    for (size_t i = 0; i < j->ntasks; i++)
        records_resend(&j->tasks[i]->tally.records, &out);
    with_tasks(j, tell_again);
}

bool jobpages_account_close(struct job *j)
{
    struct account_of o = part_account(&j->part);

    if (!j->accounted)          /* what a task has left behind counts too */
        with_tasks(j, account_tell);
    j->accounted = true;
    return account_close(&o);
}
