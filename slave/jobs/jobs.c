/* jobs.c - all jobs of this node.
 *
 * The rings are read every 10 ms as long as any task has a page, again after
 * 1 ms when something was found, and almost at once when much was: a tight
 * loop of tagged calls fills a ring in about 1 ms. Where nothing was found for
 * some two seconds, every 40 ms: each time costs the tasks a processor for some
 * 40 us, whatever is there, and most programs tag nothing. Where a job has deadlines
 * it stays at 10 ms. */
#include "slave/jobs/jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "slave/jobs/adopt.h"
#include "slave/jobs/jobhook.h"
#include "slave/jobs/jobpages.h"
#include "slave/jobs/lookout.h"
#include "slave/proc/load.h"
#include "slave/stacks/stacker.h"

#define RINGS_LAZY_NS (40 * CLOCK_NS_PER_MS)
#define RINGS_IDLE_NS (10 * CLOCK_NS_PER_MS)
#define RINGS_BUSY_NS (1 * CLOCK_NS_PER_MS)
#define RINGS_FULL_NS (CLOCK_NS_PER_MS / 10)
enum { RINGS_FULL = 1024 };     /* stamps: some ring was a good part full */
enum { RINGS_LAZY = 200 };      /* readings that found nothing */
#define SAMPLE_NS     CLOCK_NS_PER_S
#define AWAY_NS       (3 * SAMPLE_NS)

struct jobs {
    struct node *node;          /* borrowed */
    struct part *first;         /* owned: jobs of ours and sessions */
    struct lookout *lookout;    /* owned */
    struct taskwalk walk;       /* how lookout comes to tasks */
    struct event *rings;        /* owned */
    uint64_t rings_at_ns;       /* when they are read next */
    unsigned idle_readings;     /* since something was found */
    struct event *samples;      /* owned */
    uint64_t here_ns;           /* when this clockwork last turned */
    uint64_t away_ns, back_ns;  /* it has not between these; 0: it always has */
    struct load load;
    void (*idle)(void *arg);
    void *arg;
};

/* ------------------------------------------------------------- clockwork */

static void schedule_rings(struct jobs *js, uint64_t in_ns)
{
    js->rings_at_ns = clock_monotonic_ns() + in_ns;
    timer_set(js->rings, in_ns);
}

/* Who has stood for long, as a job that its batch system suspends does with all its
 * processes, or has had no processor, was told of nothing meanwhile. */
static void turn(struct jobs *js)
{
    uint64_t now_ns = clock_monotonic_ns();

    if (js->here_ns && now_ns - js->here_ns > AWAY_NS) {
        js->away_ns = js->here_ns;
        js->back_ns = now_ns;
    }
    js->here_ns = now_ns;
}

/* How long ago that began, of who has just come back; else 0. */
static uint64_t away_since(struct jobs *js)
{
    turn(js);
    return js->back_ns && js->here_ns - js->back_ns < SAMPLE_NS
           ? js->here_ns - js->away_ns : 0;
}

static uint64_t sooner(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/* When the rings are read again; looks and samples that are due go along. held:
 * nothing was read, whatever there was. */
static uint64_t next_reading(struct jobs *js, long found, bool held)
{
    uint64_t in_ns = RINGS_IDLE_NS, due_ns;

    if (found) {
        js->idle_readings = 0;
        return found > RINGS_FULL ? RINGS_FULL_NS : RINGS_BUSY_NS;
    }
    if (js->idle_readings == RINGS_LAZY)
        in_ns = RINGS_LAZY_NS;
    else if (!held)
        js->idle_readings++;
    due_ns = sooner(lookout_due(js->lookout), stacker_due(js->node->stacker));
    return sooner(in_ns, due_ns < RINGS_BUSY_NS ? RINGS_BUSY_NS : due_ns);
}

/* Are there pages, and such of jobs whose tagged calls are wanted at once? */
static bool any_pages(const struct jobs *js, bool *prompt)
{
    bool pages = false;

    *prompt = false;
    for (const struct part *p = js->first; p; p = p->next)
        if (p->ops->has_pages(p)) {
            pages = true;
            *prompt |= p->prompt;
        }
    return pages;
}

static void on_rings(evutil_socket_t fd, short what, void *arg)
{
    struct jobs *js = arg;
    bool held, prompt;
    long found = 0;

    (void)fd, (void)what;
    turn(js);
    held = uplink_congested(js->node->uplink);
    reading_hold(js->node->reading, held);
    for (struct part *p = js->first; p; p = p->next)
        found += p->ops->read(p);
    reading_hold(js->node->reading, false);
    lookout_tick(js->lookout);
    stacker_tick(js->node->stacker);
    if (!any_pages(js, &prompt))
        return;
    if (prompt)
        js->idle_readings = 0;  /* no job is read lazily then */
    schedule_rings(js, next_reading(js, found, held));
}

static uint64_t disk_available(const char *dir)
{
    struct statvfs fs;

    return statvfs(dir, &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}

static void send_load(struct jobs *js)
{
    Hct__NodeLoad m = HCT__NODE_LOAD__INIT;

    load_read(&js->load);
    m.at_ns = clock_wall_ns();
    m.load = js->load.load;
    m.memory_available_bytes = js->load.available_bytes;
    m.cpu_busy = js->load.busy;
    m.disk_available_bytes = disk_available(site_dir(js->node->site));
    m.output_waits = calloc(js->node->njobs + 1, sizeof(*m.output_waits));
    for (struct part *p = js->first; m.output_waits && p; p = p->next)
        if (p->ops->output_waits(p))
            m.output_waits[m.n_output_waits++] = p->id;
    uplink_send(js->node->uplink, MESSAGE_NODE_LOAD, &m);
    free(m.output_waits);
}

static void on_samples(evutil_socket_t fd, short what, void *arg)
{
    struct jobs *js = arg;

    (void)fd, (void)what;
    turn(js);
    ticks_update(&js->node->ticks);
    send_load(js);
    freezer_tidy(&js->node->freezer);
    for (struct part *p = js->first; p; p = p->next)
        p->ops->sample(p);
    node_look_at_pmix(js->node);
}

/* There is one more page: at first, most tags come. */
static void on_new_page(void *arg)
{
    struct jobs *js = arg;

    js->idle_readings = 0;
    schedule_rings(js, RINGS_IDLE_NS);
}

/* -------------------------------------------------------------- the list */

static bool walk_tasks(void *arg, uint64_t job, taskwalk_f *step, void *to)
{
    struct part *p = jobs_find(arg, job);

    if (p)
        p->ops->each(p, PART_KNOWN, step, to);
    return p != NULL;
}

/* Those of others are not peeked at: of them only what registers is known. */
static struct peek_job *walk_peeks(void *arg, uint64_t job)
{
    struct part *p = jobs_find(arg, job);

    return p ? p->peek : NULL;
}

static const struct launch_user *walk_user(void *arg, uint64_t job)
{
    struct part *p = jobs_find(arg, job);

    return p ? p->user : NULL;
}

struct jobs *jobs_create(struct node *node, void (*idle)(void *arg),
                         void *arg, struct err *err)
{
    struct jobs *js = calloc(1, sizeof(*js));

    if (!js)
        return err_memory(err), NULL;
    js->node = node;
    js->idle = idle;
    js->arg = arg;
    js->rings = evtimer_new(node->base, on_rings, js);
    js->samples = event_new(node->base, -1, EV_PERSIST, on_samples, js);
    js->walk = (struct taskwalk){ walk_tasks, walk_peeks, walk_user, js };
    js->lookout = lookout_create(node, &js->walk);
    if (js->rings && js->samples && js->lookout &&
        !timer_set(js->samples, SAMPLE_NS))
        return js;
    jobs_destroy(js);
    return err_memory(err), NULL;
}

void jobs_destroy(struct jobs *js)
{
    if (!js)
        return;
    while (js->first) {
        struct part *p = js->first;

        js->first = p->next;
        p->ops->destroy(p);
    }
    lookout_destroy(js->lookout);
    timer_free(js->rings);
    timer_free(js->samples);
    free(js);
}

struct part *jobs_find(const struct jobs *js, uint64_t id)
{
    struct part *in = NULL;

    for (struct part *p = js->first; p && !in; p = p->next)
        in = p->id == id ? p : p->ops->inner ? p->ops->inner(p, id) : NULL;
    return in;
}

/* Its tasks are our children; NULL: there is no such job. */
static struct job *jobs_ours(const struct jobs *js, uint64_t id)
{
    return job_of(jobs_find(js, id));
}

bool jobs_any(const struct jobs *js)
{
    return js->node->njobs > 0;
}

bool jobs_watches(const struct jobs *js)
{
    return js->first && !jobs_any(js);
}

struct node *jobs_node(const struct jobs *js)
{
    return js->node;
}

void jobs_each(const struct jobs *js, void (*step)(void *to, struct part *p),
               void *to)
{
    for (struct part *p = js->first; p; p = p->next)
        step(to, p);
}

/* Rings that would be read after the next look is due are read with it. */
void jobs_look(struct jobs *js, const Hct__Look *m)
{
    uint64_t due_ns;

    lookout_order(js->lookout, m);
    due_ns = lookout_due(js->lookout);
    if (event_pending(js->rings, EV_TIMEOUT, NULL) && due_ns < RINGS_LAZY_NS &&
        clock_monotonic_ns() + due_ns < js->rings_at_ns)
        schedule_rings(js, due_ns);
}

static void drop(struct jobs *js, struct part *p)
{
    for (struct part **at = &js->first; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    js->node->njobs -= p->ops->ours;
    p->ops->destroy(p);
}

void jobs_remove(struct jobs *js, struct part *p)
{
    drop(js, p);
    if (js->node->orphaned && !jobs_any(js))
        js->idle(js->arg);
    else
        node_look_at_pmix(js->node);
}

/* A job has ended itself. */
static void on_done(void *arg, struct job *j)
{
    jobs_remove(arg, &j->part);
}

/* The job has gone back to a checkpoint, and the word to forget what it was before
 * was lost with a link. */
static bool is_past(struct part *p, const Hct__Prepare *m)
{
    const struct job *j = job_of(p);

    return j && j->plan && m->attempt > j->plan->attempt &&
           j->state == JOB_DRAINED;
}

int jobs_prepare(struct jobs *js, const Hct__Prepare *m, struct err *err)
{
    struct part *p = jobs_find(js, m->job);

    if (p && is_past(p, m)) {
        if (p->ops->forget(p, err))
            return -1;
        drop(js, p);
        p = NULL;
    }
    if (p) {
        if (p->ops->answer)
            p->ops->answer(p);
        return 0;
    }
    p = *m->adopt_socket ? adopt_create(js->node, m, on_new_page, js, err)
                         : job_create(js->node, m, on_done, js, err);
    if (!p)
        return -1;
    p->next = js->first;
    js->first = p;
    js->node->njobs += p->ops->ours;
    return 0;
}

static size_t numbers(const struct jobs *js, uint64_t *ids, size_t max)
{
    size_t n = 0;

    for (const struct part *p = js->first; p; p = p->next)
        n += p->ops->numbers(p, max ? ids + n : NULL, max ? max - n : 0);
    return n;
}

/* The end of what is told: this is all there is. */
static void tell_jobs(struct jobs *js)
{
    Hct__SlaveJobs m = HCT__SLAVE_JOBS__INIT;
    size_t n = numbers(js, NULL, 0);
    uint64_t *v = calloc(n + 1, sizeof(*v));

    if (!v)
        return;
    m.n_jobs = numbers(js, v, n);
    m.jobs = v;
    uplink_send(js->node->uplink, MESSAGE_SLAVE_JOBS, &m);
    free(v);
}

void jobs_tell(struct jobs *js)
{
    /* What a task contributed to a fence comes before its end. */
    exchange_resend(js->node->exchange, uplink_new_master(js->node->uplink));
    send_load(js);
    for (struct part *p = js->first; p; p = p->next)
        p->ops->tell(p);
    tell_jobs(js);
}

/* The master gives the order to prepare anew to the next process. */
static bool can_wait(const struct node *n, const struct job *j)
{
    return j && pmixd_health(node_pmix_now(n)) == PMIXD_STUCK && j->state == JOB_PREPARING;
}

bool jobs_renewable(struct jobs *js)
{
    bool now = pmixd_health(node_pmix_now(js->node)) != PMIXD_SOUND &&
               LIST_EMPTY(&js->node->linkdrain.links);
    struct part *next;

    for (struct part *p = js->first; p; p = p->next)
        now = now && can_wait(js->node, job_of(p));
    for (struct part *p = js->first; p && !now; p = next) {
        next = p->next;
        if (can_wait(js->node, job_of(p)) && !job_of(p)->pmix_ready)
            job_registered(job_of(p), "the library does not answer any more, and "
                           "other jobs keep this slave from being replaced");
    }
    return now;
}

bool jobs_linked(const struct jobs *js)
{
    const struct job *j;

    for (struct part *p = js->first; p; p = p->next)
        if ((j = job_of(p)) && j->streams && streams_linked(j->streams))
            return true;
    return false;
}

bool jobs_alone(const struct jobs *js)
{
    bool run = false;

    for (struct part *p = js->first; p; p = p->next)
        run |= job_of(p) && job_of(p)->state == JOB_RUNNING;
    return run && !jobs_linked(js);
}

void jobs_pass_signal(struct jobs *js, int sig)
{
    Hct__Signal m = HCT__SIGNAL__INIT;

    m.ranks = (char *)"all";
    m.signal = sig;
    for (const struct part *p = js->first; p; p = p->next) {
        m.job = p->id;
        if (p->ops->ours)
            uplink_send(js->node->uplink, MESSAGE_SIGNAL, &m);
    }
}

void jobs_orphan(struct jobs *js, uint64_t grace_ns)
{
    struct part *next;

    js->node->orphaned = true;
    for (struct part *p = js->first; p; p = next) {
        next = p->next;
        if (p->ops->orphan(p, grace_ns))
            drop(js, p);
    }
    if (!jobs_any(js))
        js->idle(js->arg);
}

/* ----------------------------------------------------------------- facts */

void jobs_reaped(void *arg, pid_t pid, int status,
                 const struct reap_usage *usage)
{
    struct jobs *js = arg;

    ticks_update(&js->node->ticks);
    if (node_pmix_now(js->node))
        pmixd_drain(node_pmix_now(js->node));    /* it finalized before it exited */
    for (struct part *p = js->first; p; p = p->next)
        if (job_of(p) && job_reaped(job_of(p), pid, status, usage))
            return;
    log_debug("jobs", "an orphan is dead pid=%d", (int)pid);
}

void jobs_stopped(void *arg, pid_t tid, int status)
{
    stacker_stopped(((struct jobs *)arg)->node->stacker, tid, status);
}

void jobs_stood(void *arg, pid_t pid, int sig)
{
    struct jobs *js = arg;
    uint64_t ago_ns = away_since(js);

    for (struct part *p = js->first; p; p = p->next)
        if (job_of(p) && job_stood(job_of(p), pid, sig, ago_ns))
            return;
}

int jobs_grant(void *arg, const struct page_hello *hello,
               const struct registry_peer *peer, struct err *err)
{
    struct jobs *js = arg;
    struct job *j = jobs_ours(js, hello->job);
    int fd;

    if (!j)
        return err_set(err, ESRCH, "there is no job %llu here",
                       (unsigned long long)hello->job);
    ticks_update(&js->node->ticks);     /* a page before is read to its end */
    fd = jobpages_grant(j, hello, peer, err);
    if (fd < 0)
        return -1;
    job_tell(j, false);
    on_new_page(js);
    return fd;
}

static void on_registered(void *arg, uint64_t job, const char *why)
{
    struct job *j = jobs_ours(arg, job);

    if (j)
        job_registered(j, why);
}

static void on_stuck(void *arg)
{
    node_look_at_pmix(((struct jobs *)arg)->node);
}

static struct task *find_task(struct jobs *js, uint64_t job, uint32_t rank,
                              struct job **j)
{
    *j = jobs_ours(js, job);
    return *j ? job_task(*j, rank) : NULL;
}

static void on_connected(void *arg, uint64_t job, uint32_t rank)
{
    struct job *j;
    struct task *t = find_task(arg, job, rank, &j);

    if (!t || j->plan->serial)          /* it is again, after a move */
        return;
    task_connected(t);
    job_tell(j, false);
}

static const struct jobhook *js_hook(void *arg)
{
    return ((struct jobs *)arg)->node->hook;
}

static void on_finalized(void *arg, uint64_t job, uint32_t rank)
{
    struct job *j;
    struct task *t = find_task(arg, job, rank, &j);

    if (!t || (js_hook(arg) && js_hook(arg)->swaps(j)))
        return;
    task_finalized(t);
    job_tell(j, false);
}

static void on_aborted(void *arg, uint64_t job, uint32_t rank, int code,
                       const char *text, const char *ranks)
{
    struct job *j;
    struct task *t = find_task(arg, job, rank, &j);

    if (!t)
        return;
    jobpages_read(j);          /* what it tagged before */
    if (!(t->facts & TASK_ABORTED) && t->tally.page)
        t->abort_site = account_in(&j->account, t->tally.page,
                                   &t->abort_call);
    task_aborted(t, code, text, ranks);
    job_tell(j, false);
}

static void on_refused(void *arg, uint64_t job, uint32_t rank,
                       const char *what)
{
    struct job *j;
    struct task *t = find_task(arg, job, rank, &j);
    struct str line = { 0 };

    if (!t)
        return;
    str_addf(&line, "hector: task %u asked to start %s (MPI_Comm_spawn): "
             "starting tasks in a running job is not supported, the call "
             "fails\n", rank, what);
    streams_say(j->streams, rank, HCT__STREAM__STREAM_STDERR, str_text(&line),
                line.n);
    str_fini(&line);
}

static void on_fence(void *arg, struct pmixd_call *c, uint64_t job,
                     const char *what, const char *ranks, const void *data,
                     size_t bytes)
{
    struct jobs *js = arg;
    struct job *j = jobs_ours(js, job);

    if (j && j->plan)
        exchange_fence(js->node->exchange, c, job, j->plan->nspace, what,
                       ranks, data, bytes);
    else
        pmixd_answer(c, pmixd_gone);
}

static void on_modex(void *arg, struct pmixd_call *c, uint64_t job,
                     uint32_t rank)
{
    struct jobs *js = arg;
    struct job *j = jobs_ours(js, job);

    if (j && j->plan)
        exchange_modex(js->node->exchange, c, job, rank,
                       (uint32_t)j->plan->here);
    else
        pmixd_answer(c, pmixd_gone);
}

static void on_publish(void *arg, struct pmixd_call *c, uint64_t job,
                       uint32_t rank, const struct pmixd_item *items,
                       size_t n, bool first_read_only, const char *range)
{
    struct jobs *js = arg;
    struct job *j = jobs_ours(js, job);

    if (j && j->plan)
        exchange_publish(js->node->exchange, c, job, j->plan->nspace, rank,
                         items, n, first_read_only, range);
    else
        pmixd_answer(c, pmixd_gone);
}

static void on_unpublish(void *arg, struct pmixd_call *c, uint64_t job,
                         uint32_t rank, char *const *keys)
{
    struct jobs *js = arg;

    exchange_unpublish(js->node->exchange, c, job, rank, keys);
}

static void on_lookup(void *arg, struct pmixd_call *c, uint64_t job,
                      char *const *keys, bool wait, uint64_t timeout_ns)
{
    struct jobs *js = arg;

    exchange_lookup(js->node->exchange, c, job, keys, wait, timeout_ns);
}

static void on_fetched(void *arg, uint64_t job, uint64_t ticket,
                       uint32_t to_node, int status, const void *data,
                       size_t bytes)
{
    struct jobs *js = arg;
    Hct__ModexReply m = HCT__MODEX_REPLY__INIT;

    m.job = job;
    m.ticket = ticket;
    m.to_node = to_node;
    m.status = status;
    m.data.data = (uint8_t *)data;
    m.data.len = bytes;
    uplink_send(js->node->uplink, MESSAGE_MODEX_REPLY, &m);
}

const struct pmixd_ops jobs_pmix_ops = {
    .registered = on_registered, .stuck = on_stuck, .connected = on_connected,
    .finalized = on_finalized, .aborted = on_aborted, .refused = on_refused,
    .fence = on_fence, .modex = on_modex, .publish = on_publish,
    .unpublish = on_unpublish, .lookup = on_lookup, .fetched = on_fetched,
};
