/* checkpoint.c - see checkpoint.h.
 *
 * Invariants: phase is IDLE, or one checkpoint is being made, whose number is
 * next. last[0] is the last one that was sealed, last[1] the one before; both
 * stay as they are until another one is sealed. */
#include "master/move/checkpoint_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/move/moverank.h"
#include "master/store/journal.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"
#include "proto/link/timer.h"

enum { PATH = 4200 };
#define AGAIN_NS (CLOCK_NS_PER_S)       /* the job is being moved */
#define INSIST_NS (5 * CLOCK_NS_PER_S) /* from one that failed to the next try */
#define SAY_NS   (60 * CLOCK_NS_PER_S)  /* that copies are under way */
#define BEGIN_NS (30 * CLOCK_NS_PER_S)  /* directories are small */
#define WORK_NS  (600 * CLOCK_NS_PER_S) /* images may be large, storage slow */

/* ------------------------------------------------------------------ marks */

void checkpoint_mark_fini(struct mark *m)
{
    if (m->of)
        hct__checkpoint__free_unpacked(m->of, NULL);
    *m = (struct mark){ 0 };
}

static Hct__Checkpoint *copy_of(const Hct__Checkpoint *c)
{
    size_t n = hct__checkpoint__get_packed_size(c);
    uint8_t *bytes = malloc(n + 1);
    Hct__Checkpoint *copy = NULL;

    if (bytes)
        copy = hct__checkpoint__unpack(NULL, hct__checkpoint__pack(c, bytes),
                                       bytes);
    free(bytes);
    return copy;
}

static uint64_t image_bytes(const struct mark *m)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->of->n_tasks; i++)
        n += m->of->tasks[i]->image_bytes;
    return n;
}

/* ----------------------------------------------------------------- wishes */

static int take_restore(struct checkpoints *c, const Hct__Submit *s,
                        uint32_t ntasks, struct err *err)
{
    for (size_t i = 0; i < s->n_restore && i < KEPT; i++) {
        const Hct__Checkpoint *of = s->restore[i];

        if (!of->number || of->ntasks != ntasks || of->n_tasks != ntasks ||
            *of->dir != '/')
            return err_set(err, EINVAL, "a checkpoint of %u tasks for a job of "
                           "%u", of->ntasks, ntasks);
        for (uint32_t r = 0; r < ntasks; r++)
            if (of->tasks[r]->rank != r)
                return err_set(err, EINVAL, "a checkpoint without task %u", r);
        c->last[i] = (struct mark){ of->number, copy_of(of), 0, 0 };
        if (!c->last[i].of)
            return err_memory(err);
        c->restores = true;
        if (i == 0)
            c->job->cpu = cpuuse_read(of->cpu);
        if (c->next <= of->number)
            c->first = c->next = of->number + 1;
    }
    return 0;
}

int checkpoint_wish(struct job *j, const Hct__Submit *s, struct err *err)
{
    struct checkpoints *c;

    if (!*s->checkpoint_dir && !s->n_restore)
        return 0;
    if (!s->migratable || (*s->checkpoint_dir && *s->checkpoint_dir != '/'))
        return err_set(err, EINVAL, "checkpoints in \"%s\" of a job whose "
                       "tasks cannot be moved", s->checkpoint_dir);
    c = j->checkpoints = calloc(1, sizeof(*c));
    if (!c)
        return err_memory(err);
    *c = (struct checkpoints){ .job = j, .every_ns = s->checkpoint_every_ns,
                               .rate = s->checkpoint_rate,
                               .max_returns = s->max_restarts,
                               .first = 1, .next = 1 };
    if (*s->checkpoint_dir && !(c->dir = strdup(s->checkpoint_dir)))
        return err_memory(err);
    if (*s->checkpoint_local == '/' && !(c->local = strdup(s->checkpoint_local)))
        return err_memory(err);
    return take_restore(c, s, j->ntasks, err);
}

void checkpoint_free(struct job *j)
{
    struct checkpoints *c = j->checkpoints;

    if (!c)
        return;
    for (size_t i = 0; i < KEPT; i++)
        checkpoint_mark_fini(&c->last[i]);
    checkpoint_mark_fini(&c->made);
    timer_free(c->timer);
    free(c->dir);
    free(c->local);
    free(c->why);
    free(c);
    j->checkpoints = NULL;
}

/* ------------------------------------------------------------------ words */

static void say_step(const struct checkpoints *c, const char *state)
{
    Hct__Moving m = HCT__MOVING__INIT;

    if (!c->asker)
        return;
    m.job = c->job->id;
    m.state = (char *)(uintptr_t)state;
    conn_send(c->asker, MESSAGE_MOVING, &m);
}

static void say_result(struct checkpoints *c, bool ok, const char *text)
{
    Hct__Result m = HCT__RESULT__INIT;

    if (c->asker) {
        m.ok = ok;
        m.text = (char *)(uintptr_t)text;
        conn_send(c->asker, MESSAGE_RESULT, &m);
    }
    c->asker = NULL;
}

/* The next one by the clock, or once more: what stood against it may have passed. */
static void wait_for_next(struct checkpoints *c)
{
    if (clock_monotonic_ns() + INSIST_NS < c->insists_ns &&
        c->job->state == JOB_RUNNING)
        timer_set(c->timer, INSIST_NS);
    else if (c->every_ns && c->job->state == JOB_RUNNING)
        timer_set(c->timer, c->every_ns);
    else
        event_del(c->timer);
}

/* A task has left MPI: it is too late for a checkpoint, and nobody minds. */
static bool is_ending(const struct job *j)
{
    for (uint32_t r = 0; r < j->ntasks; r++)
        if (j->tasks[r].state > TASK_CONNECTED)
            return true;
    return false;
}

static void over(struct checkpoints *c, bool ok, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void over(struct checkpoints *c, bool ok, const char *fmt, ...)
{
    struct job *j = c->job;
    bool asked = c->asker;
    char text[700];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    log_info("checkpoint", "%s job=%" PRIu64, text, j->id);
    journal_action_result(c->all->journal, j, "checkpoint", ok ? "done" : text);
    if (!ok || !c->store)               /* else when they have ended */
        say_result(c, ok, text);
    if (!ok && !asked && !is_ending(j))
        c->all->ops->notice(j, true, "job %" PRIu64 ": %s", j->id, text);
    c->phase = IDLE;
    c->waits = 0;
    if (ok)
        c->insists_ns = 0;
    checkpoint_mark_fini(&c->made);
    wait_for_next(c);
}

/* ------------------------------------------------------------ files' work */

static bool works_there(const struct job_node *jn)
{
    return jn->ntasks && !jn->lost && !jn->drained && jn->node->link;
}

/* The directory of this job there, which no other one has; "": there is none. */
static void name_local(const struct checkpoints *c, char *to, size_t size)
{
    *to = '\0';
    if (c->local)
        snprintf(to, size, "%.4000s/checkpoints-%" PRIx64 "-%" PRIu64, c->local,
                 c->job->submitted_ns, c->job->id);
}

static void send_keep(const struct checkpoints *c, const struct job_node *jn,
                      Hct__Keep__Work work, const ProtobufCBinaryData *of)
{
    Hct__Keep m = HCT__KEEP__INIT;
    char *ranks = taskset_text(&jn->ranks), local[PATH];

    name_local(c, local, sizeof(local));
    m.local = local;
    m.rate = c->rate;
    m.job = c->job->id;
    m.ticket = c->ticket;
    m.work = work;
    m.dir = c->dir;
    m.number = c->next;
    m.ranks = ranks ? ranks : m.ranks;
    if (of)
        m.checkpoint = *of;
    m.keep = c->last[0].number;
    conn_send(jn->node->link, MESSAGE_KEEP, &m);
    free(ranks);
}

/* The same, which is answered. */
static void ask_keep(struct checkpoints *c, struct job_node *jn,
                     Hct__Keep__Work work, const ProtobufCBinaryData *of)
{
    send_keep(c, jn, work, of);
    jn->keeping = true;
    c->waits++;
}

/* It comes to nothing: what there is of it goes, on all nodes, as some may not see the
 * files of others. What is being sealed may be whole before that, or what is dropped
 * late be in the way: its number is used up. */
static uint32_t drop(struct checkpoints *c)
{
    const struct job *j = c->job;

    for (size_t i = 0; i < j->nnodes; i++)
        if (works_there(&j->nodes[i]))
            send_keep(c, &j->nodes[i], HCT__KEEP__WORK__DROP, NULL);
    return c->next++;
}

static void no_checkpoint(struct checkpoints *c, const char *why)
{
    over(c, false, "there is no checkpoint %u, and the tasks go on: %.500s",
         drop(c), why);
}

static void begin_phase(struct checkpoints *c, enum phase phase)
{
    c->phase = phase;
    c->ticket++;
    c->waits = 0;
    for (size_t i = 0; i < c->job->nnodes; i++)
        c->job->nodes[i].keeping = false;
    timer_set(c->timer, phase == BEGINNING ? BEGIN_NS : WORK_NS);
}

/* On all nodes. */
static void begin_work(struct checkpoints *c, enum phase phase,
                       Hct__Keep__Work work)
{
    begin_phase(c, phase);
    for (size_t i = 0; i < c->job->nnodes; i++)
        if (works_there(&c->job->nodes[i]))
            ask_keep(c, &c->job->nodes[i], work, NULL);
    if (!c->waits)
        no_checkpoint(c, "no node is there");
}

static void wait_for_copies(struct checkpoints *c)
{
    timer_set(c->timer, SAY_NS);
    say_step(c, "copying");
}

/* To where all see them, at leisure; the copies are read again there. */
static void begin_copies(struct checkpoints *c)
{
    uint64_t bytes = image_bytes(&c->made);

    c->until_ns = clock_monotonic_ns() + WORK_NS;
    if (c->rate)
        c->until_ns += 2 * (bytes / c->rate + 1) * CLOCK_NS_PER_S;
    begin_work(c, COPYING, HCT__KEEP__WORK__COPY);
    if (c->phase == COPYING)
        wait_for_copies(c);
}

/* At at_ns. The last one is of these runs, or what the tasks are made of. */
static uint64_t ran_ns(const struct checkpoints *c, uint64_t at_ns)
{
    const struct mark *last = &c->last[0];
    uint64_t since_ns = c->job->started_ns, before_ns = 0;

    if (last->number && last->of->at_ns >= since_ns)
        since_ns = last->of->at_ns;
    else if (!c->restores)
        last = NULL;
    if (last && last->number)
        before_ns = last->of->ran_ns;
    return before_ns + (at_ns > since_ns ? at_ns - since_ns : 0);
}

/* The file that says what it is. */
static void begin_seal(struct checkpoints *c)
{
    struct job *j = c->job;
    Hct__Checkpoint *of = c->made.of;
    ProtobufCBinaryData bytes = { 0 };
    size_t i = 0;

    while (i < j->nnodes && !works_there(&j->nodes[i]))
        i++;
    of->ran_ns = ran_ns(c, of->at_ns);
    of->submit = (ProtobufCBinaryData){ j->submit.n, j->submit.bytes };
    bytes.len = hct__checkpoint__get_packed_size(of);
    bytes.data = malloc(bytes.len + 1);
    if (bytes.data)
        hct__checkpoint__pack(of, bytes.data);
    of->submit = (ProtobufCBinaryData){ 0 };
    if (i == j->nnodes || !bytes.data) {
        no_checkpoint(c, bytes.data ? "no node is there" : "out of memory");
    } else {
        begin_phase(c, SEALING);
        ask_keep(c, &j->nodes[i], HCT__KEEP__WORK__SEAL, &bytes);
        say_step(c, "sealing");
    }
    free(bytes.data);
}

/* Its row. */
void checkpoint_note(const struct checkpoints *c, const struct mark *m,
                     const char *state)
{
    size_t n = hct__checkpoint__get_packed_size(m->of);
    uint8_t *bytes = malloc(n + 1);
    struct store_checkpoint row = {
        .number = m->number, .state = state, .at_ns = m->of->at_ns,
        .dir = m->of->dir, .image_bytes = image_bytes(m),
        .stood_ns = m->stood_ns, .sealed_ns = m->sealed_ns };

    if (m->number < c->first || !bytes) {
        free(bytes);            /* of the job that this one goes on from */
        return;
    }
    row.about.p = bytes;
    row.about.n = hct__checkpoint__pack(m->of, bytes);
    journal_checkpoint(c->all->journal, c->job, &row);
    free(bytes);
}

static void sealed(struct checkpoints *c)
{
    uint64_t bytes = image_bytes(&c->made);
    uint32_t number = c->next++;

    c->made.stood_ns = c->stood_ns;
    c->made.sealed_ns = clock_wall_ns();
    checkpoint_note(c, &c->made, "whole");
    if (c->last[KEPT - 1].number)
        checkpoint_note(c, &c->last[KEPT - 1], "removed");
    checkpoint_mark_fini(&c->last[KEPT - 1]);
    memmove(c->last + 1, c->last, (KEPT - 1) * sizeof(*c->last));
    c->last[0] = c->made;
    c->made = (struct mark){ 0 };
    if (c->store) {
        over(c, true, "all tasks are in checkpoint %u in %.300s, and end", number,
             c->dir);
        c->job->stores = c->restores = true;
        c->all->ops->store(c->job);
        return;
    }
    over(c, true, "checkpoint %u is in %.300s/%u: %u image%s of %.1f MB, and "
         "the job stood for %.3f s", number, c->dir, number, c->job->ntasks,
         c->job->ntasks == 1 ? "" : "s", (double)bytes / 1e6,
         (double)c->stood_ns / 1e9);
}

void checkpoint_stored(struct job *j)
{
    struct checkpoints *c = j->checkpoints;
    char text[500];

    snprintf(text, sizeof(text), "all tasks are in checkpoint %u in %.300s, and have "
             "ended; hector resume %" PRIu64 " makes them again", c->last[0].number,
             c->dir, j->id);
    say_result(c, true, text);
}

/* --------------------------------------------------------------- the stop */

static int note_images(struct checkpoints *c, const struct mover_saved *s)
{
    struct job *j = c->job;
    Hct__Checkpoint m = HCT__CHECKPOINT__INIT;
    Hct__CpuUse cpu = HCT__CPU_USE__INIT;
    bool good = true;

    m.job = j->id;
    m.number = c->next;
    m.serial = s->serial;
    m.at_ns = s->at_ns;
    m.ntasks = j->ntasks;
    m.name = j->name;
    m.command = j->command;
    m.dir = c->dir;
    cpuuse_write(&cpu, &j->cpu);
    m.cpu = &cpu;
    m.tasks = calloc(j->ntasks + 1, sizeof(*m.tasks));
    for (uint32_t r = 0; m.tasks && r < j->ntasks; r++) {
        m.tasks[r] = hct__task_moved__unpack(NULL, s->rank[r].said_bytes,
                                             s->rank[r].said);
        good &= m.tasks[r] != NULL;
    }
    m.n_tasks = j->ntasks;
    if (m.tasks && good)
        c->made = (struct mark){ c->next, copy_of(&m), 0, 0 };
    for (uint32_t r = 0; m.tasks && r < j->ntasks; r++)
        if (m.tasks[r])
            hct__task_moved__free_unpacked(m.tasks[r], NULL);
    free(m.tasks);
    return c->made.of ? 0 : -1;
}

static void stopped(struct job *j, const struct mover_saved *s,
                    const char *text)
{
    struct checkpoints *c = j->checkpoints;

    if (c->phase != STOPPING)
        return;
    if (!s) {
        no_checkpoint(c, text);
    } else if (note_images(c, s)) {
        no_checkpoint(c, "out of memory");
    } else {
        c->stood_ns = s->stood_ns;
        if (c->local) {
            begin_copies(c);
            return;
        }
        begin_work(c, CHECKING, HCT__KEEP__WORK__CHECK);
        say_step(c, "checking");
    }
}

static void begin_stop(struct checkpoints *c)
{
    const struct taskset none = { 0 };
    char dir[PATH + 16], where[PATH];
    struct mover_order o = { .ranks = &none, .saving = dir, .saved = stopped,
                             .quiesce_ns = c->quiesce_ns,
                             .why = c->why ? c->why : "", .asker = c->asker };
    struct err err;

    name_local(c, where, sizeof(where));
    snprintf(dir, sizeof(dir), "%.4190s/%u", c->local ? where : c->dir, c->next);
    c->phase = STOPPING;
    timer_set(c->timer, WORK_NS);
    if (mover_order(c->all, c->job, &o, &err)) {
        c->phase = IDLE;
        no_checkpoint(c, err.text);
    }
}

/* ----------------------------------------------------------------- orders */

static int check_job(const struct checkpoints *c, const struct job *j,
                     struct err *err)
{
    unsigned long long n = j->id;

    if (mover_able(j, err))
        return -1;
    if (!c || !c->dir)
        return err_set(err, ENOTSUP, "job %llu has no directory for "
                       "checkpoints: it was started without --checkpoint-dir", n);
    if (j->state != JOB_RUNNING)
        return err_set(err, ESRCH, "job %llu is %s", n,
                       job_state_name(j->state));
    if (c->phase != IDLE)
        return err_set(err, EBUSY, "checkpoint %u of job %llu is being made "
                       "already", c->next, n);
    if (j->mover)
        return err_set(err, EBUSY, "tasks of job %llu are being moved", n);
    for (uint32_t r = 0; r < j->ntasks; r++)
        if (task_state_final(j->tasks[r].state))
            return err_set(err, ESRCH, "task %u has ended", r);
    return 0;
}

int checkpoint_order(struct movers *all, struct job *j,
                     const struct checkpoint_order *o, struct err *err)
{
    struct checkpoints *c = j->checkpoints;

    if (check_job(c, j, err))
        return -1;
    c->all = all;
    c->asker = o->asker;
    c->quiesce_ns = o->quiesce_ns;
    c->insists_ns = o->until_ns;
    c->store = o->store;
    free(c->why);
    c->why = strdup(o->why);
    log_info("checkpoint", "number %u is asked for job=%" PRIu64 ": %s",
             c->next, j->id, o->why);
    begin_work(c, BEGINNING, HCT__KEEP__WORK__BEGIN);
    return 0;
}

void checkpoint_forget(struct job *j, const struct conn *asker)
{
    if (j->checkpoints && j->checkpoints->asker == asker)
        j->checkpoints->asker = NULL;
}

/* The first of the nodes that have not answered. */
static void too_long(struct checkpoints *c)
{
    const struct job *j = c->job;
    char why[500];
    size_t i = 0;

    while (i + 1 < j->nnodes && !j->nodes[i].keeping)
        i++;
    snprintf(why, sizeof(why), "%.100s: the work on its files took too long; does %.300s "
             "answer there?", j->nodes[i].node->name, c->dir);
    no_checkpoint(c, why);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct checkpoints *c = arg;
    const struct checkpoint_order o = { .why = "its time had come",
                                        .until_ns = c->insists_ns };
    struct err err;

    (void)fd, (void)what;
    if (c->phase == STOPPING)
        return;                 /* mover.c minds the time */
    if (c->phase == COPYING && clock_monotonic_ns() < c->until_ns)
        wait_for_copies(c);
    else if (c->phase != IDLE)
        too_long(c);
    else if (c->job->mover)
        timer_set(c->timer, AGAIN_NS);
    else if (checkpoint_order(c->all, c->job, &o, &err))
        wait_for_next(c);
}

void checkpoint_start(struct movers *all, struct job *j)
{
    struct checkpoints *c = j->checkpoints;

    if (!c)
        return;
    c->all = all;
    if (c->restores && c->last[0].of->job != j->id && !j->from.job) {
        j->from.job = c->last[0].of->job;
        j->from.checkpoint = c->last[0].number;
    }
    if (!c->timer)
        c->timer = evtimer_new(all->base, on_timer, c);
    if (c->timer && c->dir)
        wait_for_next(c);
}

void checkpoint_take_up(struct movers *all, struct job *j)
{
    if (j->checkpoints)
        j->checkpoints->next++;
    checkpoint_start(all, j);
}

void checkpoint_stop(struct job *j, const char *why)
{
    struct checkpoints *c = j->checkpoints;

    if (!c || !c->all || !c->timer)
        return;
    event_del(c->timer);
    if (c->phase == IDLE)
        return;
    drop(c);
    c->phase = IDLE;
    checkpoint_mark_fini(&c->made);
    journal_action_result(c->all->journal, j, "checkpoint", why);
    say_result(c, false, why);
}

void checkpoint_kept(struct job *j, struct job_node *jn, const Hct__Kept *m)
{
    struct checkpoints *c = j->checkpoints;

    if (!c || c->phase == IDLE || c->phase == STOPPING || !jn->keeping ||
        m->ticket != c->ticket)
        return;
    jn->keeping = false;
    if (!m->ok) {
        no_checkpoint(c, m->why);
        return;
    }
    if (--c->waits)
        return;
    if (c->phase == BEGINNING)
        begin_stop(c);
    else if (c->phase == CHECKING || c->phase == COPYING)
        begin_seal(c);
    else
        sealed(c);
}

void checkpoint_node_away(struct job *j, const struct job_node *jn)
{
    struct checkpoints *c = j->checkpoints;
    char why[200];

    if (!c || c->phase == IDLE || c->phase == STOPPING || !jn->ntasks)
        return;
    if (c->phase != BEGINNING && !jn->keeping)
        return;                 /* its part is done */
    snprintf(why, sizeof(why), "the link to %.100s is broken", jn->node->name);
    no_checkpoint(c, why);
}
