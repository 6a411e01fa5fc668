/* adopt.c - sessions and worlds of adopted tasks; see adopt.h.
 *
 * Invariant: a world's job is in its session's list from its creation until
 * one of the two is destroyed. Ranks that have not come have node UINT32_MAX
 * and no row in the database. */
#include "master/flow/adopt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/flow/flow_step.h"
#include "master/flow/notice.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/signals.h"
#include "proto/link/conn.h"

struct adopt {
    struct job *session;        /* borrowed; the job itself if it is one; NULL
                                   when the session is gone */
    struct job *worlds;         /* borrowed: further ones of a session */
    struct job *next;           /* in that list */
    char *world;                /* owned; NULL: no task has come yet */
    bool named;                 /* the user has named the job */
    bool closing;               /* no more tasks will come */
    bool known;                 /* the exit code is */
    int code;
    bool left;                  /* a task went without MPI_Finalize, or failed */
};

static const struct job_ops session_ops, world_ops;

static unsigned long long adopt_id(const struct job *j)
{
    return j->id;
}

int adopt_init(struct job *j, bool named, struct err *err)
{
    j->adopt = calloc(1, sizeof(*j->adopt));
    if (!j->adopt)
        return err_memory(err);
    j->ops = &session_ops;
    j->adopt->session = j;
    j->adopt->named = named;
    j->ntasks = 0;
    return 0;
}

/* Whom this word of somebody else is for. */
static int adopt_check(const struct job *j, const char *word, struct err *err)
{
    return j->ops == &session_ops
           ? 0 : err_set(err, EPROTO, "%s for job %llu, which adopts nothing",
                         word, adopt_id(j));
}

static void adopt_free(struct job *j)
{
    struct adopt *a = j->adopt;

    if (!a)
        return;
    for (struct job *w = a->worlds, *next; w; w = next) {
        next = w->adopt->next;
        w->adopt->session = w->adopt->next = NULL;
        w->adopt->closing = true;
    }
    if (a->session && a->session != j)
        for (struct job **at = &a->session->adopt->worlds; *at;
             at = &(*at)->adopt->next)
            if (*at == j) {
                *at = a->next;
                break;
            }
    free(a->world);
    free(a);
    j->adopt = NULL;
}

/* The session's nodes; its tasks come by themselves. */
static int adopt_place(struct job *j, struct node *const *nodes,
                       const uint32_t *node_of, const uint32_t *count,
                       size_t n, struct err *err)
{
    (void)node_of, (void)count;
    for (size_t i = 0; i < n; i++)
        if (!job_node_find(j, nodes[i]) && !job_add_node(j, nodes[i]))
            return err_memory(err);
    return 0;
}

/* ---------------------------------------------------------------- the end */

static uint32_t adopt_registered(const struct job *j)
{
    uint32_t n = 0;

    for (size_t i = 0; i < j->nnodes; i++)
        n += j->nodes[i].ntasks;
    return n;
}

/* Of the tasks that are known to have failed, the one that did so first; NULL:
 * there is none. */
static const struct task *first_failed(const struct job *j)
{
    const struct task *first = NULL;

    for (uint32_t r = 0; r < j->ntasks; r++) {
        const struct task *t = &j->tasks[r];

        if (t->ended && t->exit_code &&
            (!first || t->ended_ns < first->ended_ns))
            first = t;
    }
    return first;
}

/* Open MPI says what kept it, in many lines; what of that a person can do
 * something about is the option of srun. */
static void say_init(const struct job *j)
{
    const struct task *first = first_failed(j);
    bool srun = j->adopt->world && strncmp(j->adopt->world, "slurm ", 6) == 0;

    if (!first || !first->why || first->signal || job_killed(j))
        return;
    for (uint32_t r = 0; r < j->ntasks; r++)
        if (j->tasks[r].node < j->nnodes && !j->tasks[r].why)
            return;
    notice(j, true, "job %llu: no task has come out of MPI_Init; the first one "
           "%s%s", adopt_id(j), first->why,
           srun && strstr(first->why, "Open MPI")
           ? ", which srun connects with --mpi=pmix only" : "");
}

/* Every task of a world has ended or is let go. */
static void world_finish(struct job *w)
{
    const struct task *first = first_failed(w);
    char why[1024];

    if (job_state_final(w->state))
        return;
    say_init(w);
    if (first)
        notice_of_end(w, first, false, why, sizeof(why));
    if (w->adopt->left && !job_killed(w))
        flow_fail(w, first ? first->exit_code : 1, clock_wall_ns(),
                  first ? why : job_why(w));
    for (size_t i = 0; i < w->nnodes; i++) {
        w->ndrained += !w->nodes[i].drained;
        w->nodes[i].drained = true;
    }
    flow_check_drained(w);
}

/* Stragglers may come as long as not all that were announced have. */
static void world_check(struct job *w)
{
    const struct adopt *a = w->adopt;
    uint32_t n = adopt_registered(w);

    if (w->nended < n)
        return;
    if (a->closing || a->session->adopt->closing ||
        (n == w->ntasks && w->id))
        world_finish(w);
    else
        flow_wait_for_others(w);
}

static void world_timer(struct job *j)
{
    if (j->nended == adopt_registered(j))
        world_finish(j);
}

/* Its launcher has said that it failed, and perhaps not why. */
static void session_blame(struct job *s)
{
    const struct task *first = first_failed(s);
    char task[1024], why[1400];

    if (!first || !job_failed(s) || job_killed(s))
        return;
    notice_of_end(s, first, false, task, sizeof(task));
    if (strstr(job_why(s), task))
        return;
    snprintf(why, sizeof(why), "%s: %s", job_why(s), task);
    job_set_why(s, why);
}

/* All nodes of a session are through: so are its worlds. */
static void session_check(struct job *s)
{
    struct job *next;

    if (!job_all_drained(s) || job_state_final(s->state))
        return;
    session_blame(s);
    say_init(s);
    for (struct job *w = s->adopt->worlds; w; w = next) {
        next = w->adopt->next;
        w->adopt->closing = true;
        world_finish(w);
    }
    flow_check_drained(s);
}

static int session_drained(struct job *s, struct job_node *jn,
                           const struct job_drained *d, struct err *err)
{
    const struct node *n = jn->node;
    size_t lost = flow_lose_tasks(s, jn);

    (void)d, (void)err;
    for (struct job *w = s->adopt->worlds; w; w = w->adopt->next) {
        struct job_node *wn = job_node_find(w, n);

        lost += wn ? flow_lose_tasks(w, wn) : 0;
    }
    if (lost)
        notice(s, true, "%zu task%s on %s run%s on unwatched: %s", lost,
               lost == 1 ? "" : "s", n->name, lost == 1 ? "s" : "",
               *job_why(s) && !job_failed(s) ? job_why(s)
                                             : "their launcher has ended");
    jn->drained = true;
    s->ndrained++;
    session_check(s);
    return 0;
}

static void session_send_end(const struct job *s, const struct job_node *jn,
                           uint64_t grace_ns)
{
    Hct__AdoptEnd m = HCT__ADOPT_END__INIT;

    m.job = s->id;
    m.grace_ns = grace_ns;
    if (!jn->lost && !jn->drained && jn->node->link)
        conn_send(jn->node->link, MESSAGE_ADOPT_END, &m);
}

static void session_close(struct job *s, uint64_t grace_ns)
{
    s->adopt->closing = true;
    journal_job(s->flow->journal, s);
    s->clock.ending_ns = clock_monotonic_ns();
    for (size_t i = 0; i < s->nnodes; i++)
        session_send_end(s, &s->nodes[i], grace_ns);
    session_check(s);
}

int adopt_end(struct job *s, const Hct__AdoptEnd *m, struct err *err)
{
    struct adopt *a = s->adopt;
    char why[200];

    if (adopt_check(s, "AdoptEnd", err))
        return -1;
    if (a->closing || job_state_final(s->state))
        return 0;
    a->known = !m->unknown;
    a->code = m->signal ? 128 + m->signal : m->code;
    if (m->signal)
        snprintf(why, sizeof(why), "the launcher was killed by signal %d (%s)",
                 m->signal, signals_describe(m->signal));
    else
        snprintf(why, sizeof(why), "the launcher exited with code %d",
                 m->code);
    if (s->state < JOB_STARTING) {
        flow_kill(s, why, a->code, false);
        return 0;
    }
    if (a->known && a->code)
        flow_fail(s, a->code, clock_wall_ns(), why);
    session_close(s, m->grace_ns);
    return 0;
}

/* Watch the job no more, nor its worlds; their tasks run on. */
static void session_release(struct job *s, const char *why, uint64_t grace_ns)
{
    if (job_state_final(s->state) || s->adopt->closing)
        return;
    if (s->state < JOB_STARTING) {
        flow_kill(s, why, 0, false);
        return;
    }
    log_info("adopt", "let go job=%llu: %s", adopt_id(s), why);
    if (!job_failed(s) && !job_killed(s))
        job_set_why(s, why);
    session_close(s, grace_ns);
}

static void session_abandoned(struct job *s, const char *why)
{
    session_release(s, why, s->grace_ns);
}

/* hector-run, whose part a private master is, hears of it as well, and ends the command:
 * a batch system means all of them. */
static void session_stop(struct job *s, const char *why, int exit_code,
                         bool again)
{
    (void)again;
    if (exit_code == FLOW_FAILURE || !s->redirector)
        session_release(s, why, 0);
}

static void session_node_lost(struct job *s, const char *why)
{
    if (s->state < JOB_STARTING) {
        flow_fail(s, 125, clock_wall_ns(), why);
        return;
    }
    notice(s, true, "%s: its tasks run on unwatched", why);
    if (s->adopt->closing)
        session_check(s);
}

static void world_node_lost(struct job *w, const char *why)
{
    (void)why;                  /* which its session says */
    world_check(w);
}

static bool session_is_over(const struct job *s)
{
    return s->adopt->closing;
}

/* Its nodes are those of its session. */
static bool world_is_over(const struct job *w)
{
    (void)w;
    return false;
}

static bool adopt_ends_tasks(const struct job *j)
{
    return job_killed(j);
}

static bool all_told(const struct job *j)
{
    for (uint32_t r = 0; r < j->ntasks; r++) {
        const struct task *t = &j->tasks[r];

        if (t->node < j->nnodes && (!t->ended || t->untold))
            return false;
    }
    return true;
}

/* A launcher does not know why. A world has none of its own: as its tasks have
 * ended, if the kernel has told. */
static int adopt_exit_code(const struct job *j, bool *known)
{
    *known = j->adopt->known || (j->ops == &world_ops && all_told(j));
    if (!j->adopt->known)
        return job_code_of_tasks(j);
    return job_kill_code(j) == JOB_CODE_HUNG ? JOB_CODE_HUNG : j->adopt->code;
}

static void session_order_again(struct job *s, struct job_node *jn)
{
    if (session_is_over(s))
        session_send_end(s, jn, s->grace_ns);
}

static void world_order_again(struct job *w, struct job_node *jn)
{
    (void)jn;
    world_check(w);
}

/* -------------------------------------------------------------------- tasks */

/* Its launcher says how it went. */
static void session_task_ended(struct job *s, struct job_node *jn,
                               struct task *t, bool core, bool finalized)
{
    (void)s, (void)jn, (void)t, (void)core, (void)finalized;
}

static void world_task_ended(struct job *w, struct job_node *jn,
                             struct task *t, bool core, bool finalized)
{
    char why[1024];

    (void)jn;
    t->left = !finalized && !t->exit_code;
    if ((!finalized || t->exit_code) && !w->adopt->left) {
        w->adopt->left = true;
        if (t->exit_code)
            notice_of_end(w, t, core, why, sizeof(why));
        else
            snprintf(why, sizeof(why), "task %u on %s ended without "
                     "MPI_Finalize", job_rank(w, t), job_node_name(w, t));
        if (!job_killed(w))
            job_set_why(w, why);
        journal_job(w->flow->journal, w);
    }
    world_check(w);
}

/* As it is not to its launcher. */
static void adopt_task_left(struct job *j, struct task *t)
{
    (void)j, (void)t;
}

static void adopt_apart_advice(const char *library, struct str *to)
{
    (void)library;
    str_add(to, "their launcher is not the one of their MPI library, or was "
            "not told to connect them (srun --mpi=pmix for Open MPI, "
            "--mpi=pmi2 for MPICH)");
}

static void adopt_reply(const struct job *s, const struct job *w,
                        const struct node *n, uint32_t rank, const char *why)
{
    Hct__Adopted m = HCT__ADOPTED__INIT;

    m.session = s->id;
    m.world = w->adopt->world;
    m.rank = rank;
    m.job = w->id;
    m.why = (char *)why;
    if (n->link)
        conn_send(n->link, MESSAGE_ADOPTED, &m);
}

static void adopt_refuse(const struct job *s, const struct node *n,
                         const Hct__Adopt *a, const char *why)
{
    Hct__Adopted m = HCT__ADOPTED__INIT;

    log_info("adopt", "a task runs unwatched job=%llu rank=%u pid=%u: %s",
             adopt_id(s), a->rank, a->pid, why);
    m.session = s->id;
    m.world = a->world;
    m.rank = a->rank;
    m.why = (char *)why;
    if (n->link)
        conn_send(n->link, MESSAGE_ADOPTED, &m);
}

/* A new world has its number: tell the slaves. */
static void world_accepted(struct job *w)
{
    struct job *s = w->adopt->session;

    for (uint32_t r = 0; s && r < w->ntasks; r++)
        if (w->tasks[r].node < w->nnodes)
            adopt_reply(s, w, w->nodes[w->tasks[r].node].node, r, "");
    if (w->nended == adopt_registered(w))       /* its node was lost */
        world_check(w);
}

/* The program of the first task gives a world its name. */
static void adopt_name(struct job *w, const Hct__Adopt *m)
{
    node_set_text(&w->adopt->world, m->world);
    if (*m->name && !w->adopt->named)
        node_set_text(&w->name, m->name);
}

static struct job *adopt_new_world(struct job *s, const char *name,
                                   const char *command, const char *world)
{
    struct job *w = calloc(1, sizeof(*w));

    if (!w)
        return NULL;
    w->adopt = calloc(1, sizeof(*w->adopt));
    w->name = strdup(*name ? name : "?");
    w->command = strdup(command);
    if (w->adopt)
        node_set_text(&w->adopt->world, world);
    if (!w->adopt || !w->name || !w->command || !w->adopt->world) {
        adopt_free(w);
        job_destroy(w);
        return NULL;
    }
    w->uid = s->uid;
    w->grace_ns = s->grace_ns;
    w->priority = s->priority;
    w->state = JOB_STARTING;
    w->submit.stored = w->placement.stored = true;      /* there is nothing */
    w->ops = &world_ops;
    w->adopt->session = s;
    w->adopt->next = s->adopt->worlds;
    s->adopt->worlds = w;
    return w;
}

static struct job *adopt_make_world(struct job *s, const Hct__Adopt *m)
{
    struct job *w = adopt_new_world(s, m->name, m->command, m->world);

    if (w)
        flow_submit(s->flow, w);
    return w;
}

/* Has the job ended that this world was before? */
static bool adopt_was(const struct job *s, const Hct__Adopt *m)
{
    if (!m->known || m->known == s->id)
        return false;
    for (const struct job *w = s->adopt->worlds; w; w = w->adopt->next)
        if (w->id == m->known)
            return job_state_final(w->state);
    return true;
}

/* The job of this world, perhaps a new one. */
static struct job *adopt_find_world(struct job *s, const Hct__Adopt *m)
{
    if (!s->adopt->world)
        adopt_name(s, m);
    if (s->adopt->world && strcmp(s->adopt->world, m->world) == 0)
        return s;
    for (struct job *w = s->adopt->worlds; w; w = w->adopt->next)
        if (strcmp(w->adopt->world, m->world) == 0 &&
            !job_state_final(w->state))
            return w;
    return adopt_make_world(s, m);
}

static const char *adopt_take(struct job *w, struct node *n,
                              const Hct__Adopt *m)
{
    uint32_t ntasks = m->ntasks > m->rank ? m->ntasks : m->rank + 1;
    struct job_node *jn = job_node_find(w, n);
    struct task *t;

    if (job_grow(w, ntasks) || (!jn && !(jn = job_add_node(w, n))))
        return "out of memory";
    t = &w->tasks[m->rank];
    if (t->node < w->nnodes)
        return t->pid == m->pid && w->nodes[t->node].node == n
               ? NULL : "another process has this rank";
    if (job_add_task(w, jn, m->rank))
        return "out of memory";
    t->pid = m->pid;
    t->started_ns = m->at_ns;
    if (flow_task_step(w, t, TASK_EVENT_RUN))
        w->nrunning++;
    if (w->state == JOB_STARTING)
        flow_step(w, JOB_EVENT_LAUNCHED, 0);
    else
        journal_job(w->flow->journal, w);       /* ntasks may have grown */
    return NULL;
}

int adopt_task(struct job *s, struct job_node *jn, const Hct__Adopt *m,
               struct err *err)
{
    const char *why = NULL;
    struct job *w = NULL;

    if (adopt_check(s, "Adopt", err))
        return -1;
    if (m->rank >= ADOPT_TASKS_MAX || m->ntasks > ADOPT_TASKS_MAX ||
        m->pid == 0 || !*m->world)
        return err_set(err, EPROTO, "Adopt of rank %u of %u", m->rank,
                       m->ntasks);
    if (s->state < JOB_STARTING || job_state_final(s->state) ||
        jn->drained || adopt_was(s, m))
        why = "its job has ended";
    else
        w = adopt_find_world(s, m);
    if (!why && !w)
        why = "out of memory";
    if (!why && w->state == JOB_ENDING && job_killed(w))
        why = "its job is being ended";
    if (!why)
        why = adopt_take(w, jn->node, m);
    if (why)
        adopt_refuse(s, jn->node, m, why);
    else if (w->id)
        adopt_reply(s, w, jn->node, m->rank, "");
    return 0;
}

/* ------------------------------------------------------------- taken up again */

int adopt_restore(struct job *j, const struct adopt_past *past)
{
    struct adopt *a = j->adopt;

    if (!a)
        return -1;
    a->closing = past->job.closing;
    a->known = past->job.known;
    a->code = past->job.code;
    a->left = past->job.left;
    if (past->job.world)
        node_set_text(&a->world, past->job.world);
    if (past->name)
        node_set_text(&j->name, past->name);
    return job_grow(j, past->ntasks);
}

struct job *adopt_restore_world(struct job *s, const struct adopt_past *past,
                                struct err *err)
{
    struct job *w;

    if (adopt_check(s, "a world", err))
        return NULL;
    w = adopt_new_world(s, past->name ? past->name : "",
                        past->command ? past->command : "",
                        past->job.world ? past->job.world : "");
    if (w && adopt_restore(w, past) == 0)
        return w;
    if (w)
        adopt_free(w);
    job_destroy(w);
    err_memory(err);
    return NULL;
}

/* The rows of its tasks are all that is known of where they are. */
static struct task *adopt_restore_task(struct job *j, struct node *n,
                                       uint64_t rank)
{
    struct job_node *jn = n ? job_node_find(j, n) : NULL;

    if (rank >= j->ntasks || (n && !jn && !(jn = job_add_node(j, n))) || !jn ||
        j->tasks[rank].node < j->nnodes ||
        job_add_task(j, jn, (uint32_t)rank))
        return NULL;
    return &j->tasks[rank];
}

static void adopt_note(const struct job *j, struct job_past *past)
{
    const struct adopt *a = j->adopt;

    *past = (struct job_past){
        .session = a->session, .world = a->world, .closing = a->closing,
        .known = a->known, .code = a->code, .left = a->left };
}

/* --------------------------------------------------------------- operations */

static void session_timer(struct job *s)
{
    (void)s;                    /* stragglers are its worlds' affair */
}

static const struct job_ops session_ops = {
    .placed = true, .place = adopt_place, .timer = session_timer,
    .task_ended = session_task_ended, .task_left = adopt_task_left,
    .apart_advice = adopt_apart_advice, .drained = session_drained,
    .node_lost = session_node_lost, .order_again = session_order_again,
    .abandoned = session_abandoned, .stop = session_stop,
    .ends_tasks = adopt_ends_tasks,
    .is_over = session_is_over, .exit_code = adopt_exit_code,
    .note = adopt_note, .restore_task = adopt_restore_task,
    .free = adopt_free,
};

static const struct job_ops world_ops = {
    .accepted = world_accepted, .timer = world_timer,
    .task_ended = world_task_ended, .task_left = adopt_task_left,
    .apart_advice = adopt_apart_advice, .node_lost = world_node_lost,
    .order_again = world_order_again, .ends_tasks = adopt_ends_tasks,
    .is_over = world_is_over, .exit_code = adopt_exit_code,
    .note = adopt_note, .restore_task = adopt_restore_task,
    .free = adopt_free,
};
