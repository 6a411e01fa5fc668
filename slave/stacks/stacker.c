/* stacker.c - takes the stacks of processes of this node.
 *
 * A sample goes through the tasks in slices. Maps are read before the stop, so
 * that a process which has become another program is not mistaken. Threads that
 * do not stop at once are looked at again after SIGCHLD, until time is up.
 *
 *     IDLE -begin-> TAKING -all asked-> WAITING -all here, or late-> PAUSING
 *                     ^--------------------interval-----------------'
 *                                      last sample: READING -tree-> IDLE
 *
 * Invariant: a halt that has not ended is in taken[] or in left; nothing
 * that was seized is ever forgotten. */
#include "slave/stacks/stacker.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "mpi-wrappers/page.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/link/timer.h"
#include "slave/proc/mapped.h"
#include "slave/proc/threads.h"
#include "slave/stacks/selfstack.h"
#include "slave/stacks/halt.h"
#include "slave/stacks/mapcache.h"
#include "slave/stacks/latestop.h"
#include "slave/stacks/unwinder.h"
#include "slave/stacks/stacker_note.h"
#include "slave/stacks/times.h"

#define LATE_NS (500 * CLOCK_NS_PER_MS)         /* for a thread to stop */
#define READ_NS (30 * CLOCK_NS_PER_S)           /* for the tree */
#define PATIENCE_NS (1 * CLOCK_NS_PER_MS)       /* for the first of a sample */
#define ASKED_NS (2 * CLOCK_NS_PER_MS)          /* look for answers */
#define RIDE_NS (12 * CLOCK_NS_PER_MS)          /* to wait for stacker_tick() */
#define BACKLOG_NS (5 * CLOCK_NS_PER_MS)        /* look again whether it shrinks */

enum { SLICE = 8, MAPS_MAX = 4 << 20, BACKLOG_MAX = 8 << 20,
       THREADS_MAX = 1024 };

enum stage { TAKING, WAITING, PAUSING, READING };

struct taken {                  /* a thread that was asked to stop */
    struct halt halt;
    uint32_t position;
};

struct request {
    TAILQ_ENTRY(request) place;
    struct stacker *all;        /* borrowed */
    struct stacker_conf conf;
    struct launch_user user;
    pid_t *pids;                /* owned */
    struct mapped *mapped; /* owned: what the unwinder knows, by position */
    char (*notes)[STACKER_NOTE];        /* owned */
    struct unwinder *unwinder;      /* owned; conf.keep: the stacker's */
    struct selfstack *selfstack;      /* owned: those that answer themselves */
    enum stage stage;
    bool aside;                 /* it is in that list */
    uint32_t sample, at;        /* the next task to be asked */
    uint64_t next_ns;           /* when the next sample begins, */
    uint64_t late_ns;           /* and when this one's time is up */
    struct taken *taken;        /* owned */
    size_t ntaken, cap_taken, nwaiting;
    struct halt_quiet quiet;    /* while threads are asked */
    uint64_t patience_ns;       /* how long to wait for a stop */
    struct times held, total;
    uint32_t copies, asked;
    stacker_done_f *done;
    void *arg;
};

struct stacker {
    struct event_base *base;
    struct event *child, *step; /* owned */
    TAILQ_HEAD(requests, request) requests;     /* owned: the first one is
                                                   served */
    struct requests aside;      /* owned: slices, of which all is taken that is
                                   needed; others need not wait for them */
    struct latestop left;
    struct halt_copy copy;      /* scratch */
    char *text;                 /* scratch: owned */
    struct unwinder *kept;        /* owned, or NULL */
    struct mapcache known;         /* of the last request of who asks again */
    bool no_ptrace;
};

static void request_next(struct stacker *st);

static struct request *served(const struct stacker *st)
{
    return TAILQ_FIRST(&st->requests);
}

/* -------------------------------------------------------------------- maps */

static bool has_maps(struct request *r, uint32_t i)
{
    return mapped_look(&r->mapped[i], r->pids[i], clock_monotonic_ns(),
                       r->all->text, MAPS_MAX) == 0;
}

/* Of a process whose first thread has ended the kernel tells by another one. */
static bool look_by_another(struct request *r, uint32_t i)
{
    pid_t tid = threads_left(r->pids[i]);

    if (tid <= 0)
        return false;
    r->pids[i] = tid;
    mapped_fini(&r->mapped[i]);
    if (!has_maps(r, i))
        return false;
    note_set(r->notes[i], "its first thread has ended: the stack is that of another "
             "one");
    return true;
}

/* False: there is nothing to look at; the note says why. */
static bool send_maps(struct request *r, uint32_t i)
{
    struct mapped *m = &r->mapped[i];

    if (!has_maps(r, i) && !look_by_another(r, i)) {
        note_gone(r->notes[i], r->pids[i]);
        return false;
    }
    if (m->fresh)
        unwinder_maps(r->unwinder, i, r->pids[i], m->files, strlen(m->files));
    m->fresh = false;
    return true;
}

/* What was copied belongs to what is mapped; if it is nowhere there, more has
 * been mapped since that was read, or it is another program. */
static bool is_known(struct request *r, uint32_t i)
{
    const struct halt_copy *copy = &r->all->copy;
    struct mapped *m = &r->mapped[i];

    for (int round = 0; round < 2; round++) {
        if (mapped_has(m, copy->pc) && mapped_has(m, copy->sp))
            return true;
        if (round == 0 && mapped_read(m, r->pids[i], clock_monotonic_ns(),
                                      r->all->text, MAPS_MAX))
            return false;
        if (m->fresh)
            return false;
    }
    return false;
}

/* ------------------------------------------------------------------- stops */

/* After its state may have changed; t is gone if it has. */
static void settle(struct request *r, struct taken *t)
{
    const struct halt_copy *copy = &r->all->copy;
    uint32_t i = t->position;

    switch (t->halt.state) {
    case HALT_COPIED:
        r->copies++;
        times_add(&r->held, t->halt.held_ns);
        times_add(&r->total, t->halt.since_asked_ns);
        if (is_known(r, i))
            unwinder_copy(r->unwinder, i, r->sample, copy,
                          halt_is_cut(&t->halt, copy));
        else
            note_set(r->notes[i], "it has become another program meanwhile");
        if (t->halt.stopped)
            note_set(r->notes[i], "it is stopped by a signal");
        break;
    case HALT_GONE:
        if (t->halt.tid == r->pids[i])
            note_gone(r->notes[i], r->pids[i]);
        break;
    case HALT_NONE: case HALT_WAIT: case HALT_LEFT:
        return;
    }
    r->nwaiting--;
    *t = r->taken[--r->ntaken];
}

static void poll_all(struct request *r)
{
    for (size_t i = 0; i < r->ntaken; ) {
        size_t before = r->ntaken;

        halt_poll(&r->taken[i].halt, &r->all->copy);
        settle(r, &r->taken[i]);
        i += r->ntaken == before;
    }
}

static void give_up_late(struct request *r)
{
    for (; r->ntaken > 0; r->ntaken--) {
        struct taken *t = &r->taken[r->ntaken - 1];

        note_late(r->notes[t->position], t->halt.tid);
        latestop_add(&r->all->left, &t->halt);
    }
    r->nwaiting = 0;
}

/* --------------------------------------------------------------- selfstack */

static void on_answered(void *arg, uint32_t position, const uint64_t *pc,
                        uint32_t n)
{
    struct request *r = arg;

    r->asked++;
    unwinder_addresses(r->unwinder, position, r->sample, pc, n);
}

/* The task answers itself, where it can. */
static void ask_task(struct request *r, uint32_t i, const struct err *why)
{
    if (selfstack_add(r->selfstack, i, r->pids[i]) == 0)
        note_told(r->notes[i], why->text, r->conf.threads ? r->pids[i] : 0);
    else
        note_set(r->notes[i], "%s, and the task has no wrapper library that"
                 " could tell", why->text);
}

static void ask_thread(struct request *r, uint32_t i, pid_t tid)
{
    struct taken *t;
    struct err err;

    if (array_reserve(&r->taken, &r->cap_taken, r->ntaken + 1))
        return;
    t = &r->taken[r->ntaken];
    t->position = i;
    if (r->all->no_ptrace)
        err_set(&err, EPERM, "ptrace is switched off");
    if (r->all->no_ptrace || halt_begin(&t->halt, r->pids[i], tid, &err)) {
        if (err.code == EPERM && tid == r->pids[i])
            ask_task(r, i, &err);
        else if (err.code == ESRCH && tid == r->pids[i])
            note_gone(r->notes[i], 0);
        else if (tid == r->pids[i])
            note_set(r->notes[i], "%s", err.text);
        return;
    }
    r->ntaken++;
    r->nwaiting++;
    if (tid == r->pids[i])
        t->halt.stack_end = r->mapped[i].stack_end;
    if (halt_wait(&r->quiet, &t->halt, &r->all->copy, r->patience_ns) ==
        HALT_WAIT)
        r->patience_ns = 0;     /* the others' stops are seen by signals */
    settle(r, t);
}

static void ask_threads(struct request *r, uint32_t i)
{
    pid_t pid = r->pids[i];
    struct dirent *e;
    char path[40];
    unsigned n = 0;
    DIR *d;

    ask_thread(r, i, pid);
    if (!r->conf.threads)
        return;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    d = opendir(path);
    while (d && n++ < THREADS_MAX && (e = readdir(d))) {
        pid_t tid = (pid_t)atol(e->d_name);

        if (tid > 0 && tid != pid)
            ask_thread(r, i, tid);
    }
    if (d)
        closedir(d);
}

static void take_place(struct request *r, uint32_t i)
{
    uint64_t pc[PAGE_FRAMES];
    uint32_t n = r->conf.place_of(r->arg, i, pc, PAGE_FRAMES);

    unwinder_addresses(r->unwinder, i, r->sample, pc, n);
}

/* Is that all that is to be said of the task? */
static bool remark(struct request *r, uint32_t i)
{
    struct unwinder_remark what;

    if (!r->conf.remark_of || !r->conf.remark_of(r->arg, i, &what))
        return false;
    unwinder_remark(r->unwinder, i, r->sample, &what);
    return what.alone;
}

static void take_task(struct request *r, uint32_t i)
{
    if (remark(r, i))
        return;
    if (r->conf.unwritten)
        unwinder_unwritten(r->unwinder, i, r->sample);
    else if (r->conf.place_of)
        take_place(r, i);
    else
        ask_threads(r, i);
}

/* ---------------------------------------------------------------- the steps */

/* A little late is early enough, if somebody else wakes us. */
static bool may_ride(const struct request *r)
{
    return r->conf.interval_ns >= 4 * RIDE_NS;
}

/* A slice takes as long as it takes. */
static void put_aside(struct request *r)
{
    struct stacker *st = r->all;

    TAILQ_REMOVE(&st->requests, r, place);
    TAILQ_INSERT_TAIL(&st->aside, r, place);
    r->aside = true;
    request_next(st);
}

static void step_waiting(struct request *r)
{
    uint64_t now_ns = clock_monotonic_ns();

    poll_all(r);
    if (now_ns < r->late_ns && (selfstack_open(r->selfstack) || r->nwaiting)) {
        timer_set(r->all->step, selfstack_open(r->selfstack)
                                ? ASKED_NS : r->late_ns - now_ns);
        return;
    }
    give_up_late(r);
    selfstack_end(r->selfstack, r->notes);
    r->sample++;
    r->stage = PAUSING;
    if (r->sample == r->conf.nsamples) {
        r->stage = READING;
        unwinder_end(r->unwinder);
        if (r->conf.slice)
            put_aside(r);
        return;
    }
    r->next_ns += r->conf.interval_ns;
    if (r->next_ns < now_ns)
        r->next_ns = now_ns;    /* none is made up for */
    timer_set(r->all->step, r->next_ns - now_ns + (may_ride(r) ? RIDE_NS : 0));
}

static void step_taking(struct request *r)
{
    halt_hush(&r->quiet);
    for (unsigned n = 0; n < SLICE && r->at < r->conf.ntasks; n++) {
        uint32_t i = r->at++;

        if (r->pids[i] == 0)
            note_gone(r->notes[i], 0);
        else if (r->pids[i] > 0 && send_maps(r, i))
            take_task(r, i);
    }
    halt_unhush(&r->quiet);
    if (r->at < r->conf.ntasks) {
        timer_set(r->all->step, 0);
        return;
    }
    r->stage = WAITING;
    r->late_ns = clock_monotonic_ns() + LATE_NS;
    step_waiting(r);
}

static void step_pausing(struct request *r)
{
    if (unwinder_backlog(r->unwinder) > BACKLOG_MAX) {
        timer_set(r->all->step, BACKLOG_NS);
        return;
    }
    r->stage = TAKING;
    r->at = 0;
    r->patience_ns = PATIENCE_NS;
    step_taking(r);
}

static void on_step(evutil_socket_t fd, short what, void *arg)
{
    struct stacker *st = arg;
    struct request *r = served(st);

    (void)fd, (void)what;
    if (!r)
        return;
    switch (r->stage) {
    case TAKING: step_taking(r); break;
    case WAITING: step_waiting(r); break;
    case PAUSING: step_pausing(r); break;
    case READING: break;
    }
}

uint64_t stacker_due(const struct stacker *st)
{
    const struct request *r = st ? served(st) : NULL;
    uint64_t now_ns = clock_monotonic_ns();

    if (!r || r->stage != PAUSING || !may_ride(r))
        return UINT64_MAX;
    return r->next_ns > now_ns ? r->next_ns - now_ns : 0;
}

void stacker_tick(struct stacker *st)
{
    if (stacker_due(st) == 0)
        step_pausing(served(st));
}

/* All are there before their time is up. */
static void look(struct request *r)
{
    if (r->stage == WAITING && r->nwaiting == 0 &&
        !selfstack_open(r->selfstack))
        timer_set(r->all->step, 0);
}

static void on_child(evutil_socket_t fd, short what, void *arg)
{
    struct stacker *st = arg;

    (void)fd, (void)what;
    latestop_poll(&st->left);
    if (!served(st))
        return;
    poll_all(served(st));
    look(served(st));
}

/* ------------------------------------------------------------------ requests */

static void request_free(struct request *r)
{
    give_up_late(r);
    if (r->unwinder && r->unwinder == r->all->kept)
        r->all->kept = NULL;    /* it is in the middle of something */
    unwinder_stop(r->unwinder);
    selfstack_destroy(r->selfstack);
    for (uint32_t i = 0; r->mapped && i < r->conf.ntasks; i++)
        mapped_fini(&r->mapped[i]);
    free(r->mapped);
    free(r->notes);
    free(r->pids);
    free(r->taken);
    times_fini(&r->held);
    times_fini(&r->total);
    launch_user_fini(&r->user);
    free(r);
}

/* It is in no list any more; true: it is the next one's turn. */
static bool take_out(struct request *r)
{
    struct stacker *st = r->all;
    bool turn = r == served(st);

    if (r->aside)
        TAILQ_REMOVE(&st->aside, r, place);
    else
        TAILQ_REMOVE(&st->requests, r, place);
    return turn;
}

static void request_end(void *arg, const struct unwinder_result *s,
                        const struct err *why)
{
    struct request *r = arg;
    struct stacker_result out = { .task_notes = r->notes,
        .copies = r->copies, .asked = r->asked };
    struct stacker *st = r->all;
    bool turn;

    if (s) {
        for (uint32_t i = 0; i < r->conf.ntasks; i++)
            if (s->traces[i] == 0 && r->pids[i] >= 0 && !r->conf.unwritten)
                note_set(r->notes[i], "its stack could not be followed");
        out.tree = s->tree;
        out.bytes = s->bytes;
        out.notes = s->notes;
        out.held_p50_ns = times_quantile(&r->held, 50);
        out.held_p99_ns = times_quantile(&r->held, 99);
        out.total_p50_ns = times_quantile(&r->total, 50);
        out.total_p99_ns = times_quantile(&r->total, 99);
    }
    turn = take_out(r);
    if (s && r->conf.keep) {    /* before done(), which may call rest() */
        r->unwinder = NULL;
        mapcache_keep(&st->known, &r->pids, &r->mapped, r->conf.ntasks);
    } else if (r->unwinder == st->kept) {
        st->kept = NULL;
    }
    r->done(r->arg, s ? &out : NULL, why);
    request_free(r);
    if (turn)
        request_next(st);
}

/* The unwinder is started when its turn has come. */
static void request_next(struct stacker *st)
{
    pid_t told = unwinder_pid(st->kept);
    struct request *r = served(st);
    struct err err;

    event_del(st->step);
    if (!r)
        return;
    struct unwinder_conf conf = { .base = st->base,
        .user = r->conf.user ? &r->user : NULL, .ntasks = r->conf.ntasks,
        .nsamples = r->conf.nsamples, .lines = r->conf.lines,
        .offsets = r->conf.offsets, .slice = r->conf.slice, .timeout_ns = READ_NS,
        .keep = r->conf.keep };

    if (conf.keep)
        r->unwinder = st->kept =
            unwinder_reuse(st->kept, &conf, request_end, r, &err);
    else
        r->unwinder = unwinder_start(&conf, request_end, r, &err);
    if (!r->unwinder) {
        request_end(r, NULL, &err);
        return;
    }
    mapcache_give(&st->known, r->pids, r->mapped, r->conf.ntasks,
                  unwinder_pid(r->unwinder) != told);
    r->stage = PAUSING;
    r->next_ns = clock_monotonic_ns();
    timer_set(st->step, 0);
}

static struct request *request_make(const struct stacker_conf *conf, void *arg)
{
    struct request *r = calloc(1, sizeof(*r));
    size_t n = conf->ntasks;

    if (!r)
        return NULL;
    r->conf = *conf;
    r->pids = calloc(n, sizeof(*r->pids));
    r->mapped = calloc(n, sizeof(*r->mapped));
    r->notes = calloc(n, sizeof(*r->notes));
    r->selfstack = selfstack_create(on_answered, conf->page_of, arg, r);
    for (size_t i = 0; r->mapped && i < n; i++)
        mapped_init(&r->mapped[i]);
    if (r->pids && r->mapped && r->notes && r->selfstack &&
        times_init(&r->held) == 0 && times_init(&r->total) == 0 &&
        (!conf->user || launch_user_copy(&r->user, conf->user) == 0)) {
        memcpy(r->pids, conf->pids, n * sizeof(*r->pids));
        return r;
    }
    request_free(r);
    return NULL;
}

int stacker_take(struct stacker *st, const struct stacker_conf *conf,
                 stacker_done_f *done, void *arg, struct err *err)
{
    struct request *r;

    if (conf->ntasks < 1 || conf->ntasks > STACKER_TASKS_MAX)
        return err_set(err, EINVAL, "stacks of %u tasks", conf->ntasks);
    if (conf->nsamples < 1 || conf->nsamples > STACKER_SAMPLES_MAX)
        return err_set(err, EINVAL, "%u samples: 1 to %d are possible",
                       conf->nsamples, STACKER_SAMPLES_MAX);
    r = request_make(conf, arg);
    if (!r)
        return err_memory(err);
    r->all = st;
    r->done = done;
    r->arg = arg;
    TAILQ_INSERT_TAIL(&st->requests, r, place);
    if (served(st) == r)
        request_next(st);
    return 0;
}

pid_t stacker_child(const struct stacker *st)
{
    return st && served(st) ? unwinder_pid(served(st)->unwinder) : 0;
}

pid_t stacker_slices(const struct stacker *st)
{
    const struct request *r = st ? TAILQ_FIRST(&st->aside) : NULL;

    return r ? unwinder_pid(r->unwinder) : 0;
}

void stacker_rest(struct stacker *st)
{
    if (!st || (served(st) && served(st)->unwinder == st->kept))
        return;
    unwinder_stop(st->kept);
    st->kept = NULL;
    mapcache_drop(&st->known);
}

void stacker_stopped(struct stacker *st, pid_t tid, int status)
{
    struct request *r = served(st);

    if (latestop_stopped(&st->left, tid, status))
        return;
    for (size_t i = 0; r && i < r->ntaken; i++)
        if (r->taken[i].halt.tid == tid) {
            halt_stopped(&r->taken[i].halt, status, &st->copy);
            settle(r, &r->taken[i]);
            look(r);
            return;
        }
}

static struct request *find(const struct requests *list, const void *arg)
{
    struct request *r;

    TAILQ_FOREACH(r, list, place)
        if (r->arg == arg)
            break;
    return r;
}

void stacker_cancel(struct stacker *st, const void *arg)
{
    struct request *r = find(&st->requests, arg);
    bool turn;

    if (!r)
        r = find(&st->aside, arg);
    if (!r)
        return;
    turn = take_out(r);
    request_free(r);
    if (turn)
        request_next(st);
}

struct stacker *stacker_open(struct event_base *base, struct err *err)
{
    struct stacker *st = calloc(1, sizeof(*st));

    if (!st)
        return err_memory(err), NULL;
    TAILQ_INIT(&st->requests);
    TAILQ_INIT(&st->aside);
    st->base = base;
    st->text = malloc(MAPS_MAX);
    st->step = evtimer_new(base, on_step, st);
    st->child = evsignal_new(base, SIGCHLD, on_child, st);
    if (st->text && st->step && st->child && !event_add(st->child, NULL))
        return st;
    stacker_close(st);
    return err_memory(err), NULL;
}

void stacker_use_no_ptrace(struct stacker *st)
{
    if (st)
        st->no_ptrace = true;
}

bool stacker_uses_ptrace(const struct stacker *st)
{
    return st && !st->no_ptrace;
}

void stacker_close(struct stacker *st)
{
    if (!st)
        return;
    for (struct request *r; (r = served(st)); request_free(r))
        TAILQ_REMOVE(&st->requests, r, place);
    for (struct request *r; (r = TAILQ_FIRST(&st->aside)); request_free(r))
        TAILQ_REMOVE(&st->aside, r, place);
    unwinder_stop(st->kept);
    mapcache_drop(&st->known);
    if (st->child)
        event_free(st->child);
    timer_free(st->step);
    latestop_fini(&st->left);
    free(st->text);
    free(st);
}
