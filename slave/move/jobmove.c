/* jobmove.c - see jobmove.h. */
#include "slave/move/jobmove_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "slave/jobs/jobpages.h"
#include "slave/jobs/jobs.h"
#include "slave/move/alone.h"
#include "slave/move/jobkeep.h"
#include "slave/move/jobroom.h"
#include "slave/move/jobstop.h"
#include "slave/move/lease.h"
#include "slave/page/registry.h"
#include "slave/page/stance.h"
#include "slave/yield/yield.h"

#define LATER_NS (2 * CLOCK_NS_PER_MS)

/* Everything of it is out of this process. */
static bool left_nothing(struct mover *v, struct task *t)
{
    struct job *j = v->job;

    if (!v->gone || v->out)
        return false;
    jobpages_read(j);
    return !tally_pending(&t->tally) && records_empty(&t->tally.records) &&
           !streams_rank_open(j->streams, v->rank) &&
           streams_flushed(j->streams);
}

static void look_at_leaving(struct mover *v)
{
    struct job *j = v->job;
    struct task *t = job_task(j, v->rank);

    if (!t || v->told)
        return;
    if (!left_nothing(v, t)) {
        if (v->gone)
            timer_set(j->move->later, LATER_NS);
        return;
    }
    v->told = true;
    if (j->plan->want_stdtim)
        streams_end_moved(j->streams, v->rank, HCT__STREAM__STREAM_STDTIM);
    jobmove_say_moved(v, HCT__TASK_MOVED__KIND__LEFT, NULL);
    job_remove_task(j, v->rank);
}

/* What it had tagged before is on its way, as its image counts on. */
static void look_at_saved(struct mover *v)
{
    struct job *j = v->job;
    struct task *t = job_task(j, v->rank);

    if (!t || v->told || !v->whole)
        return;
    jobpages_read(j);
    if (tally_pending(&t->tally)) {
        timer_set(j->move->later, LATER_NS);
        return;
    }
    v->told = true;
    jobmove_say_moved(v, HCT__TASK_MOVED__KIND__SAVED, NULL);
    streams_input_stays(j->streams, v->rank);
}

static void look_at_all(struct job *j)
{
    for (struct mover *v = j->move ? j->move->movers : NULL; v; v = v->next)
        if (v->part == LEAVING)
            look_at_leaving(v);
        else if (v->part == SAVING)
            look_at_saved(v);
}

static void on_later(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    look_at_all(arg);
}

/* ----------------------------------------------------------- a task that comes */

static void tell_swapped(struct job *j);

static void on_report(evutil_socket_t fd, short what, void *arg)
{
    struct mover *v = arg;
    struct job *j = v->job;

    (void)fd, (void)what;
    if (!task_report(v->coming.task, j->plan))
        return;
    if (v->coming.task->why)
        snprintf(j->move->why, sizeof(j->move->why), "%s: hector-restore "
                 "cannot be run: %.200s", j->part.node->name, v->coming.task->why);
    tell_swapped(j);
}

/* A process that waits for its image: one that does so already, or another. */
static int start_coming(struct mover *v, struct err *err)
{
    struct job *j = v->job;
    int rc = jobroom_take(j, v->rank, &v->coming)
             ? coming_tell(&v->coming, j->part.node->base, on_report, v, err)
             : coming_start(&v->coming, j, v->rank, "", on_report, v, err);

    if (rc)
        return -1;
    imagein_begin(v->coming.in, j->move->window, jobmove_grant, v);
    return 0;
}

static struct task *coming_task(const struct job *j, uint32_t rank)
{
    struct mover *v = jobmove_find(j, rank);

    return v && v->part == COMING ? v->coming.task : NULL;
}

/* ---------------------------------------------------------------------- leases */

static void answer_lease(struct mover *v)
{
    lease_give(v->job, v->rank, v->lease);
    v->lease = -1;
}

static struct mover *add_mover(struct job *j, uint32_t rank, enum mover_part part)
{
    struct mover *v = calloc(1, sizeof(*v));

    if (!v)
        return NULL;
    *v = (struct mover){ .next = j->move->movers, .job = j, .rank = rank,
                         .part = part, .lease = -1, .coming.words = -1 };
    j->move->movers = v;
    return v;
}

static int check_lease(const struct job *j, const struct task *t,
                       const struct page_lease_ask *ask,
                       const struct registry_peer *peer, struct err *err)
{
    if (!j->move || !jobstop_swaps(j) ||
        ask->generation != jobstop_generation(j))
        return err_set(err, ESRCH, "nobody wants generation %u of job %llu",
                       ask->generation, (unsigned long long)ask->job);
    return lease_check(j, t, ask, peer, err);
}

/* There is no image of it. */
static void say_stays_for(struct mover *v, const char *why)
{
    jobmove_say_moved(v, HCT__TASK_MOVED__KIND__STAYS, why);
    v->told = true;
    v->part = STAYING;
}

/* What it says itself. */
static void say_own_words(const struct mover *v, char *to, size_t size)
{
    struct task *t = job_task(v->job, v->rank);
    struct stance *s = calloc(1, sizeof(*s));

    if (s && t && t->tally.page)
        stance_read(t->tally.page, v->job->part.ntasks, s);
    snprintf(to, size, "%s", s && *s->why ? s->why : "no image of it can be made");
    free(s);
}

void jobmove_go_on_here(const struct mover *v)
{
    streams_move(v->job->streams, v->rank, STREAMS_END);
    streams_input_stays(v->job->streams, v->rank);
}

/* It could not leave. */
static void stays_here(struct mover *v)
{
    char why[sizeof(v->why)];

    jobmove_drop_image(v);
    jobmove_go_on_here(v);
    say_own_words(v, why, sizeof(why));
    say_stays_for(v, why);
}

/* It waits with the others. */
static void begin_saving(struct mover *v)
{
    struct err why;
    int to;

    if (jobkeep_write(v->job, v->rank, v->job->move->saving, &to, &why)) {
        say_stays_for(v, why.text);
        return;
    }
    v->begun = true;
    streams_hold_input(v->job->streams, v->rank);
    yields_unbind(v->job->part.node->yields, v->job);
    registry_lease(v->lease, PAGE_LEASE_SAVE, to, 0, NULL);
    v->lease = -1;
}

/* The words of who was to write it tell more than the task's, who only knows that
 * nobody does. */
static void not_saved(struct mover *v, bool stuck)
{
    char why[sizeof(v->why)];

    if (stuck)
        snprintf(why, sizeof(why), "%.50s: %.180s does not answer: nothing of its image "
                 "was written there for %d s", v->job->part.node->name,
                 v->job->move->saving, PAGE_SAVE_MS / 1000);
    else
        say_own_words(v, why, sizeof(why));
    jobkeep_unwritten(v->job, v->rank, why, sizeof(why));
    streams_input_stays(v->job->streams, v->rank);
    say_stays_for(v, why);
}

/* It asks for a file, or says what has become of that. */
static void save(struct mover *v, const struct page_lease_ask *ask)
{
    if (!v->begun) {
        begin_saving(v);
    } else if (ask->whole == PAGE_IMAGE_WHOLE) {
        v->whole = true;
        v->image_bytes = ask->image_bytes;
        v->unread = ask->unread;
        look_at_saved(v);
    } else {
        not_saved(v, ask->whole == PAGE_IMAGE_STUCK);
    }
}

static int give_lease(struct job *j, const struct page_lease_ask *ask,
                      const struct registry_peer *peer, int fd,
                      struct err *err)
{
    struct task *t = coming_task(j, ask->rank);
    struct mover *v;

    if (!t)
        t = job_task(j, ask->rank);
    if (t && t->restoring)
        return lease_check(j, t, ask, peer, err) ||
               lease_restored(j, t, fd, err) ? -1 : 0;
    if (check_lease(j, t, ask, peer, err))
        return -1;
    v = jobmove_find(j, ask->rank);
    if (!v && !(v = add_mover(j, ask->rank,
                              j->move->saving ? SAVING : STAYING)))
        return err_memory(err);
    if (v->lease >= 0)
        close(v->lease);        /* it asks again */
    v->lease = fd;
    if (v->part == LEAVING && v->begun && ask->whole == PAGE_IMAGE_WHOLE) {
        v->whole = true;
        v->unread = ask->unread;
        jobmove_end_image(v);
    } else if (v->part == LEAVING && v->begun) {
        stays_here(v);
    } else if (v->part == LEAVING && jobmove_begin_image(v, err)) {
        registry_lease(v->lease, EIO, -1, 0, err->text);
        v->lease = -1;
    } else if (v->part == SAVING) {
        save(v, ask);
    } else if (v->part == COMING && !v->told) {
        v->told = true;
        jobmove_say_moved(v, HCT__TASK_MOVED__KIND__CAME, NULL);
    }
    if (j->move->going && v->lease >= 0)
        answer_lease(v);
    return 0;
}

int jobmove_lease(void *arg, const struct page_lease_ask *ask,
                  const struct registry_peer *peer, int fd, struct err *err)
{
    struct job *j = job_of(jobs_find(arg, ask->job));

    return j ? give_lease(j, ask, peer, fd, err)
             : err_set(err, ESRCH, "there is no job %llu here",
                       (unsigned long long)ask->job);
}

/* ---------------------------------------------------------------------- orders */

static void mover_free(struct mover *v)
{
    if (v->part == SAVING && v->begun && !v->whole)
        jobkeep_unwritten(v->job, v->rank, v->why, sizeof(v->why));
    imageroute_close(&v->route);
    imageout_close(v->out);
    jobmove_drop_open(v);
    if (v->lease >= 0)
        close(v->lease);
    if (v->part == LEAVING && v->told)  /* all have come */
        streams_input_left(v->job->streams, v->rank);
    else if (v->part == LEAVING || v->part == SAVING)
        streams_input_stays(v->job->streams, v->rank);
    coming_drop(&v->coming, v->job, v->rank);
    free(v);
}

static void free_movers(struct jobmove *k)
{
    for (struct mover *v; (v = k->movers); ) {
        k->movers = v->next;
        mover_free(v);
    }
}

static void jobmove_free(struct jobmove *k)
{
    if (!k)
        return;
    free_movers(k);
    timer_free(k->later);
    plan_destroy(k->to);
    free(k->saving);
    free(k);
}

static bool all_reported(const struct job *j)
{
    for (const struct mover *v = j->move->movers; v; v = v->next)
        if (v->part == COMING && v->coming.task->report >= 0)
            return false;
    return true;
}

static void say_swapped(struct job *j)
{
    Hct__Swapped m = HCT__SWAPPED__INIT;
    struct jobmove *k = j->move;

    m.job = j->part.id;
    m.serial = k->serial;
    m.ok = !*k->why;
    m.why = k->why;
    uplink_send(j->part.node->uplink, MESSAGE_SWAPPED, &m);
}

static void tell_swapped(struct job *j)
{
    struct jobmove *k = j->move;

    if (k->told || (!*k->why && (!k->registered || !all_reported(j))))
        return;
    k->told = true;
    if (!*k->why)               /* others may be told to come apart now */
        jobstop_keep(j);
    say_swapped(j);
}

static bool registered(struct job *j, const char *why)
{
    struct jobmove *k = j->move;

    if (!k || !k->registering)
        return false;
    k->registering = false;
    k->registered = true;
    if (why && !*k->why)
        snprintf(k->why, sizeof(k->why), "%s: PMIx does not take the job: "
                 "%.200s", j->part.node->name, why);
    tell_swapped(j);
    return true;
}

static int check_terminal(const struct job *j, uint32_t rank, struct err *err)
{
    if (j->plan->has_terminal && taskset_has(&j->plan->stdin_ranks, rank))
        return err_set(err, ENOTSUP, "task %u has a terminal, which cannot be "
                       "moved or written to a file", rank);
    return 0;
}

static int check_leaving(const struct job *j, uint32_t rank, struct err *err)
{
    const struct task *t = job_task(j, rank);

    if (!t || t->over)
        return err_set(err, ESRCH, "task %u does not run any more", rank);
    return check_terminal(j, rank, err);
}

static int check_saving(const struct job *j, struct err *err)
{
    for (size_t i = 0; i < j->ntasks; i++)
        if (check_terminal(j, j->tasks[i]->rank, err))
            return -1;
    return 0;
}

static int add_all(struct job *j, const char *text, enum mover_part part,
                   struct err *err)
{
    struct taskset set = { 0 };
    int rc = *text ? taskset_parse(&set, text, j->part.ntasks, err) : 0;
    uint64_t n = rc ? 0 : taskset_count(&set);

    if (part == COMING)
        j->move->window = n * IMAGE_LEAST < IMAGE_WINDOW && n ? IMAGE_WINDOW / n
                                                              : IMAGE_LEAST;
    for (int64_t r = -1; !rc && (r = taskset_next(&set, r)) >= 0; ) {
        struct mover *v;

        if (part == LEAVING)
            rc = check_leaving(j, (uint32_t)r, err);
        else if (job_task(j, (uint32_t)r))
            rc = err_set(err, EEXIST, "task %u is here", (unsigned)r);
        if (!rc && !(v = add_mover(j, (uint32_t)r, part)))
            rc = err_memory(err);
        if (!rc && part == COMING)
            rc = start_coming(v, err);
    }
    taskset_fini(&set);
    return rc;
}

static int begin(struct job *j, const Hct__Swap *m, struct err *err)
{
    struct jobmove *k = j->move;
    struct node *node = j->part.node;
    char dir[PATHS_MAX];

    k->to = plan_elsewhere(j->plan, m, err);
    if (*m->saving && !(k->saving = strdup(m->saving)))
        return err_memory(err);
    if (k->saving && check_saving(j, err))
        return -1;
    if (!k->to || site_job_open(node->site, k->to, dir, err) ||
        add_all(j, m->leaving, LEAVING, err) || jobmove_set_routes(j, m, err) ||
        add_all(j, m->coming, COMING, err))
        return -1;
    jobroom_drop(j);            /* whoever is left there does not come */
    k->registered = !plan_here(k->to)->ranks.n;
    if (k->registered)
        return 0;               /* nobody asks PMIx here any more */
    k->registering = true;
    if (pmixd_register(node_pmix_now(node), k->to, dir, err)) {
        k->registering = false;
        return -1;
    }
    return 0;
}

/* One that tasks could not be let into is followed by another: who has asked
 * goes on waiting. */
static void keep_waiting(struct jobmove *from, struct jobmove *to)
{
    for (struct mover **at = &from->movers; *at; ) {
        struct mover *v = *at;

        if (v->part == LEAVING)
            jobmove_go_on_here(v);
        else if (v->part == SAVING)
            streams_input_stays(v->job->streams, v->rank);
        if (v->lease < 0 || v->part == COMING) {
            at = &v->next;
            continue;
        }
        *at = v->next;
        jobmove_drop_image(v);
        imageroute_close(&v->route);
        v->part = STAYING;
        v->next = to->movers;
        to->movers = v;
    }
}

int jobmove_swap(struct job *j, const Hct__Swap *m, struct err *err)
{
    struct jobmove *k, *before = j->move;
    struct err why = { 0 };

    if (!j->plan || !j->plan->migratable || j->state != JOB_RUNNING)
        return err_set(err, EPROTO, "Swap of job %llu, which is %s",
                       (unsigned long long)m->job, jobstate_name(j->state));
    if (m->serial <= j->plan->serial || (before && m->serial <= before->serial))
        return 0;               /* told again */
    k = calloc(1, sizeof(*k));
    if (k)
        k->later = evtimer_new(j->part.node->base, on_later, j);
    if (!k || !k->later)
        return free(k), err_memory(err);
    k->serial = m->serial;
    if (before)
        keep_waiting(before, k);
    jobmove_free(before);
    j->move = k;
    if (begin(j, m, &why))
        snprintf(k->why, sizeof(k->why), "%s: %.250s", j->part.node->name,
                 why.text);
    tell_swapped(j);
    return 0;
}

/* It is a task of the job as any other, which goes on where it was. */
static int arrive(struct mover *v, const Hct__SwapGo *m)
{
    struct task *t = v->coming.task;

    if (lease_know(v->job, t, m))
        return -1;
    task_restored(t);
    t->told = t->facts;
    streams_move(v->job->streams, v->rank, STREAMS_END);
    if (job_insert_task(v->job, t))
        return -1;
    v->coming.task = NULL;
    v->part = STAYING;
    v->said.job = 0;
    return 0;
}

int jobmove_go(struct job *j, const Hct__SwapGo *m, struct err *err)
{
    struct jobmove *k = j->move;

    if (!k || k->serial != m->serial || !k->registered)
        return err_set(err, EPROTO, "SwapGo of job %llu out of turn",
                       (unsigned long long)m->job);
    if (k->going)
        return 0;
    k->going = true;
    plan_follow(j->plan, k->to);
    k->to = NULL;
    for (struct mover *v = k->movers; v; v = v->next)
        if (v->part == COMING && arrive(v, m))
            return err_memory(err);
    for (struct mover *v = k->movers; v; v = v->next)
        if (v->lease >= 0)
            answer_lease(v);
    return 0;
}

int jobmove_end(struct job *j, const Hct__SwapEnd *m, struct err *err)
{
    struct jobmove *k = j->move;
    uint32_t serial;

    (void)err;
    if (k && k->serial == m->serial && !k->going && k->to)
        plan_follow(j->plan, k->to), k->to = NULL;
    /* The number of a job that went on alone is above that of its namespace. */
    serial = j->ntasks && j->plan->serial < m->serial ? j->plan->serial : m->serial;
    pmixd_keep_only(node_pmix_now(j->part.node), j->part.id, serial);
    jobmove_free(k);
    j->move = NULL;
    jobroom_drop(j);
    j->awaits = false;
    job_look(j);
    return 0;
}

/* ----------------------------------------------------------------------- facts */

static void coming_ended(struct mover *v, int status,
                         const struct reap_usage *usage)
{
    char why[300];

    coming_words(&v->coming, why, sizeof(why));
    task_reaped(v->coming.task, v->job->part.node, status, usage);
    imagein_cut(v->coming.in);
    if (v->told)                /* it had come already, and dies */
        v->told = false;
    if (*v->cut)
        memcpy(why, v->cut, sizeof(v->cut));
    else if (!*why && WIFSIGNALED(status))
        snprintf(why, sizeof(why), "%s: what was made of its image was killed "
                 "by signal %d", v->job->part.node->name, WTERMSIG(status));
    else if (!*why)
        snprintf(why, sizeof(why), "%s: it could not be made of its image, "
                 "hector-restore exited with code %d",
                 v->job->part.node->name, WEXITSTATUS(status));
    jobmove_say_moved(v, HCT__TASK_MOVED__KIND__FAILED, why);
}

static bool reaped(struct job *j, pid_t pid, int status,
                    const struct reap_usage *usage)
{
    if (jobkeep_reaped(j, pid, status) || jobroom_reaped(j, pid))
        return true;
    for (struct mover *v = j->move ? j->move->movers : NULL; v; v = v->next) {
        struct task *t = v->part == COMING ? v->coming.task : job_task(j, v->rank);

        if (!t || t->pid != pid || t->over)
            continue;
        if (v->part == COMING) {
            coming_ended(v, status, usage);
            return true;
        }
        if (v->part != LEAVING || status != 0 || !v->may_go)
            return false;
        jobpages_read(j);
        t->over = v->gone = true;
        part_tell_last_use(&j->part, t);
        jobpages_account_last(j, t);
        look_at_all(j);
        return true;
    }
    return false;
}

static bool swaps(const struct job *j)
{
    return j->move && !j->move->going && jobstop_swaps(j);
}

static bool awaits(const struct job *j)
{
    return j->awaits || (j->move && !j->move->going);
}

static void drop_move(struct job *j)
{
    for (struct mover *v = j->move ? j->move->movers : NULL; v; v = v->next) {
        struct task *t = v->part == LEAVING ? job_task(j, v->rank) : NULL;

        if (t && v->gone) {     /* it ends as one that has left nothing */
            t->exited_ns = clock_wall_ns();
            t->nfinalized = t->nconnected;
            t->facts |= TASK_EXITED;
        }
    }
    jobmove_free(j->move);
    j->move = NULL;
    jobroom_drop(j);
    j->awaits = false;
}

static void drop(struct job *j)
{
    jobkeep_give_up(j);
    drop_move(j);
}

void jobmove_forget(struct job *j)
{
    jobmove_free(j->move);
    j->move = NULL;
    pmixd_keep_only(node_pmix_now(j->part.node), j->part.id, j->plan->serial);
}

/* Those of that part, "" for nobody; to be freed. NULL: no memory. */
static char *ranks_text(const struct job *j, enum mover_part part)
{
    struct taskset set = { 0 };
    char *text;

    for (const struct mover *v = j->move->movers; v; v = v->next)
        if (v->part == part)
            taskset_add(&set, v->rank, v->rank);
    text = taskset_text(&set);
    taskset_fini(&set);
    return text;
}

static void say_apart(struct job *j)
{
    Hct__ComeApart m = HCT__COME_APART__INIT;

    m.job = j->part.id;
    m.serial = j->move->serial;
    m.generation = jobstop_generation(j);
    m.leaving = ranks_text(j, LEAVING);
    m.coming = ranks_text(j, COMING);
    for (const struct mover *v = j->move->movers; v; v = v->next)
        m.let |= v->part == LEAVING && v->may_go;
    m.going = j->move->going;
    if (m.leaving && m.coming)
        uplink_send(j->part.node->uplink, MESSAGE_COME_APART, &m);
    free(m.leaving);
    free(m.coming);
}

/* What was said on a link that is broken may have been lost. */
static void tell_again(struct job *j)
{
    alone_say(j);
    if (!j->move)
        return;
    if (j->move->told)
        say_swapped(j);
    for (struct mover *v = j->move->movers; v; v = v->next)
        if (v->said.job)
            jobmove_say_again(v);
}

/* Another master: tasks that only stand go on; of those that have come apart, or
 * stand while others may have, it is told. */
static void release(struct job *j)
{
    jobkeep_give_up(j);
    jobroom_drop(j);
    if (alone_say(j))
        return;
    if (j->move && (jobstop_swaps(j) || jobstop_keeps(j))) {
        say_apart(j);
        tell_again(j);
        return;
    }
    jobstop_release(j);
    if (j->move)
        jobmove_forget(j);
}

static void destroy(struct job *j)
{
    drop_move(j);
    jobkeep_destroy(j);
    jobstop_destroy(j->stop);
    j->stop = NULL;
}

const struct jobhook jobmove_hook = {
    .registered = registered, .reaped = reaped, .look = look_at_all,
    .task = coming_task, .swaps = swaps, .awaits = awaits,
    .works = jobkeep_works, .ended = jobkeep_give_up, .release = release,
    .tell = tell_again, .drop = drop, .destroy = destroy,
    .away = alone_away,
};
