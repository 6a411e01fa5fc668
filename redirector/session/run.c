/* run.c - wires the parts of a run and leads it through its phases.
 *
 *   STARTING --Welcome--> SUBMITTED --Accepted--> UNDER_WAY
 *   any of these --JobEnded, failure--> DRAINING    links still bring output
 *   DRAINING --no link left--> FLUSHING             output is being written
 *   FLUSHING --all written--> LEAVING               our processes end
 *   LEAVING --all gone--> the loop ends
 *
 * Phases only grow. run_end() asks the master to end the job; run_drain() is
 * the one way from "the job goes on" to "it does not". Whatever the reason,
 * what the tasks wrote before is shown, but when somebody has asked twice: then
 * run_abandon() leads to LEAVING from anywhere. */
#include "redirector/session/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/base/signals.h"
#include "proto/link/key.h"
#include "proto/link/message.h"
#include "redirector/in/feed.h"
#include "redirector/in/interrupt.h"
#include "redirector/in/suspend.h"
#include "redirector/link/links.h"
#include "redirector/link/loop.h"
#include "redirector/link/uplink.h"
#include "redirector/out/output.h"
#include "redirector/out/progress.h"
#include "redirector/out/say.h"
#include "redirector/session/ending.h"
#include "redirector/session/saved.h"
#include "redirector/session/status.h"
#include "redirector/session/where.h"
#include "redirector/start/child.h"
#include "redirector/start/private.h"
#include "redirector/start/submit.h"

/* For how long nothing may come by any link after the job's end, before we
 * stop waiting for the rest of its output. */
#define RUN_SILENCE_NS (5 * CLOCK_NS_PER_S)
/* Slaves send two Pings a second; a network may be away for five, and the
 * kernel needs one more to notice that it is back. */
#define RUN_VANISHED_NS (7 * CLOCK_NS_PER_S)
#define RUN_LOOK_NS (100 * CLOCK_NS_PER_MS)

enum run_phase { RUN_STARTING, RUN_SUBMITTED, RUN_UNDER_WAY, RUN_DRAINING,
                 RUN_FLUSHING, RUN_LEAVING };

struct run {
    const struct run_conf *conf;        /* borrowed */
    struct event_base *base;            /* owned, as all below */
    enum run_phase phase;
    struct status status;
    char dir[PATHS_MAX];                /* "" if not made */
    struct key *key;                    /* NULL: not needed */
    struct private *private;            /* NULL: standing master */
    struct uplink *uplink;
    struct links *links;
    struct output *output;
    struct feed *feed;                  /* NULL: nobody reads stdin */
    struct interrupt *interrupt;
    struct progress *progress;
    struct suspend *suspend;
    struct where *where;
    struct event *timeout, *silence;
    uint64_t job;
    char state[32];                     /* of the job, as the master says */
    bool full;                          /* nobody takes our own output */
    uint64_t heard_ns;                  /* output, or that a link closed */
    bool vanished;                      /* a slave that brought output has */
    struct ending ending;
};

/* ---------------------------------------------------------- how it ends */

static void run_set_timer(struct event *ev, uint64_t ns)
{
    struct timeval tv = clock_timeval(ns);

    event_add(ev, &tv);
}

static void run_on_gone(void *arg)
{
    struct run *r = arg;

    event_base_loopbreak(r->base);
}

static void run_leave(void *arg)
{
    struct run *r = arg;

    r->phase = RUN_LEAVING;
    if (r->private)
        private_close(r->private, r->job == 0 || r->vanished, run_on_gone);
    else
        event_base_loopbreak(r->base);
}

static void run_flush(struct run *r)
{
    r->phase = RUN_FLUSHING;
    event_del(r->silence);
    output_finish(r->output, run_leave);
}

/* Are the links that are left those of nodes that have vanished? */
static void run_look_for_links(struct run *r)
{
    r->heard_ns = clock_monotonic_ns();
    if (!r->full)
        run_set_timer(r->silence, RUN_LOOK_NS);
}

/* The job does not go on. What is under way of its output still comes. */
static void run_drain(struct run *r)
{
    if (r->phase >= RUN_DRAINING)
        return;
    r->phase = RUN_DRAINING;
    progress_end(r->progress);
    event_del(r->timeout);
    ending_begun(&r->ending);
    suspend_forget(r->suspend);
    feed_stop(r->feed);
    uplink_close(r->uplink);
    r->uplink = NULL;
    if (links_count(r->links) == 0)
        run_flush(r);
    else
        run_look_for_links(r);
}

/* Hector itself cannot go on. */
static void run_fail(struct run *r, const char *sentence)
{
    if (r->phase >= RUN_DRAINING)
        return;
    say(SAY_ERROR, "%s", sentence);
    status_note(&r->status, STATUS_BY_FAILURE, 0);
    if (r->job)
        uplink_kill(r->uplink, sentence, STATUS_FAILURE, 0, false);
    if (r->phase != RUN_UNDER_WAY)
        run_drain(r);
}

/* Leave now: what runs of the job here is killed. */
static void run_abandon(struct run *r, const char *why)
{
    say(r->phase < RUN_LEAVING ? SAY_ERROR : SAY_VERBOSE,
        "%s: left without waiting for the end", why);
    r->phase = RUN_LEAVING;
    status_abandon(&r->status, r->ending.signal);
    event_base_loopbreak(r->base);
}

static void run_on_over(void *arg)
{
    run_abandon(arg, "the job has not ended at once");
}

/* The master is stuck: the slaves end their tasks as they would for it. */
static void run_on_stuck(void *arg)
{
    struct run *r = arg;

    say(SAY_ERROR, "hector-master does not answer: the job is ended without "
        "it, its record is not complete");
    private_end_alone(r->private);
    run_drain(r);
}

/* End the job; asked once more, at once; and then, without it. */
static void run_end(struct run *r, const char *why, int sig)
{
    int asked = ending_ask(&r->ending, sig);

    if (r->phase >= RUN_DRAINING || asked > 2)
        run_abandon(r, why);
    else if (r->phase < RUN_UNDER_WAY)
        run_drain(r);
    else
        uplink_kill(r->uplink, why, status_exit_code(&r->status), sig,
                    asked > 1);
}

static void run_end_late(void *arg)
{
    if (((struct run *)arg)->phase < RUN_DRAINING)
        run_end(arg, "time-out", 0);
}

static void run_on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct run *r = arg;

    (void)fd, (void)what;
    say(SAY_ERROR, "time-out of %g s: the job is ended",
        (double)r->conf->options->timeout_ns / 1e9);
    status_note(&r->status, STATUS_BY_TIMEOUT, 0);
    r->where = where_ask(r->base, r->private ? private_address(r->private)
                                             : r->conf->master,
                         r->phase == RUN_UNDER_WAY ? r->job : 0, run_end_late,
                         r);
}

static void run_on_silence(evutil_socket_t fd, short what, void *arg)
{
    struct run *r = arg;

    (void)fd, (void)what;
    if (r->phase != RUN_DRAINING)
        return;
    if (clock_monotonic_ns() - r->heard_ns < RUN_SILENCE_NS &&
        !links_silent(r->links, RUN_VANISHED_NS)) {
        run_set_timer(r->silence, RUN_LOOK_NS);
        return;
    }
    r->vanished = true;
    say(SAY_ERROR, "output may be incomplete: a slave has not closed its "
        "streams");
    status_incomplete(&r->status);
    run_flush(r);
}

/* ---------------------------------------------------------------- signals */

static void run_on_signal(void *arg, enum interrupt_kind kind, int sig)
{
    struct run *r = arg;
    const char *why;

    switch (kind) {
    case INTERRUPT_CHILD:
        child_reap_all();
        break;
    case INTERRUPT_FORWARD:
        if (r->uplink)
            uplink_signal(r->uplink, sig);
        break;
    case INTERRUPT_STOP:
        suspend_begin(r->suspend, r->uplink);
        break;
    case INTERRUPT_END:
        status_note(&r->status, STATUS_BY_SIGNAL, sig);
        why = sig == SIGINT ? "interrupted" : signals_name(sig);
        if (r->phase == RUN_UNDER_WAY && r->ending.asked == 0)
            say(SAY_ERROR, "%s: job %llu is being ended; once more kills it at "
                "once", why, (unsigned long long)r->job);
        run_end(r, why, sig);
        break;
    }
}

/* ----------------------------------------------------------------- output */

static void run_on_output(void *arg, uint32_t rank, int stream, const void *p,
                          size_t n, uint64_t at_ns)
{
    struct run *r = arg;

    r->heard_ns = clock_monotonic_ns();
    output_take(r->output, rank, stream, p, n, at_ns);
}

static void run_on_output_end(void *arg, uint32_t rank, int stream)
{
    struct run *r = arg;

    r->heard_ns = clock_monotonic_ns();
    output_end(r->output, rank, stream);
}

static void run_on_full(void *arg)
{
    struct run *r = arg;

    r->full = true;
    links_pause(r->links);
    event_del(r->silence);
}

static void run_on_room(void *arg)
{
    struct run *r = arg;

    r->full = false;
    links_resume(r->links);
    if (r->phase == RUN_DRAINING)
        run_look_for_links(r);
}

static void run_on_output_error(void *arg, const struct err *err)
{
    struct run *r = arg;

    if (err->code == EPIPE) {   /* as a shell's pipeline: without words */
        say(SAY_VERBOSE, "%s", err->text);
        status_note(&r->status, STATUS_BY_PIPE, 0);
    } else {
        say(SAY_ERROR, "%s", err->text);
        status_note(&r->status, STATUS_BY_FAILURE, 0);
    }
    status_incomplete(&r->status);
    if (r->phase < RUN_DRAINING && r->ending.asked == 0)
        run_end(r, err->text, 0);
}

/* ------------------------------------------------------------------ input */

static void run_on_input_error(void *arg, const struct err *err)
{
    struct run *r = arg;

    say(SAY_ERROR, "%s", err->text);
    status_incomplete(&r->status);
}

static void run_on_credit(void *arg)
{
    struct run *r = arg;

    if (r->feed && r->phase < RUN_DRAINING)
        feed_wake(r->feed);
}

/* ------------------------------------------------------------------ links */

static void run_on_join(void *arg, const char *name)
{
    struct run *r = arg;

    say(SAY_VERBOSE, "%s is ready for the job", name);
    if (r->private)
        private_joined(r->private, name);
}

static void run_on_leave(void *arg, const char *name, const char *why)
{
    struct run *r = arg;

    if (why) {
        say(r->status.cause == STATUS_BY_PIPE ? SAY_VERBOSE : SAY_ERROR,
            "output of tasks on %s may be incomplete: %s", name, why);
        status_incomplete(&r->status);
    }
    /* The link is counted until this returns. */
    if (r->phase == RUN_DRAINING && links_count(r->links) == 1)
        run_flush(r);
    else if (r->phase == RUN_DRAINING)
        run_look_for_links(r);
}

/* ----------------------------------------------------------------- master */

static void run_on_ready(void *arg)
{
    struct run *r = arg;
    struct links_where where = links_where(r->links);
    const struct run_conf *c = r->conf;
    struct err err;
    Hct__Submit *m = submit_build(c->options, c->hosts, c->hosts->n > 0,
                                  c->env, c->argv, &where, &err);

    r->phase = RUN_SUBMITTED;
    if (!m || uplink_submit(r->uplink, m, &err) < 0)
        run_fail(r, err.text);
    submit_free(m);
}

static void run_on_accepted(void *arg, uint64_t job, const char *name)
{
    struct run *r = arg;

    r->job = job;
    r->phase = RUN_UNDER_WAY;
    links_set_job(r->links, job);
    say(SAY_VERBOSE, "job %llu is called %s", (unsigned long long)job, name);
}

static void run_on_notice(void *arg, const char *text, bool error)
{
    (void)arg;
    say(error ? SAY_ERROR : SAY_NOTE, "%s", text);
}

static void run_on_state(void *arg, const char *state, uint32_t started,
                         uint32_t ntasks)
{
    struct run *r = arg;
    bool running = strcmp(state, "running") == 0;

    if (strcmp(state, r->state) != 0)
        say(SAY_VERBOSE, "job %llu is %s, %u of %u tasks run",
            (unsigned long long)r->job, state, started, ntasks);
    snprintf(r->state, sizeof(r->state), "%s", state);
    progress_set(r->progress, state);
    if (r->private && (running || strcmp(state, "preparing") == 0 ||
                       strcmp(state, "starting") == 0))
        private_settled(r->private);
    if (running) {
        progress_end(r->progress);
        if (r->feed)
            feed_started(r->feed);
    } else if (strcmp(state, "ending") == 0) {
        status_note(&r->status, STATUS_BY_TASK, 0);
        ending_begun(&r->ending);
    }
}

static void run_on_ended(void *arg, int code, const char *why)
{
    struct run *r = arg;
    bool told = r->status.cause != STATUS_NONE &&
                r->status.cause != STATUS_BY_TASK;

    if (*why)
        say(told ? SAY_VERBOSE : SAY_ERROR, "%s", why);
    saved_say(code, r->conf->options->on_hang);
    status_end(&r->status, code);
    run_drain(r);
}

static void run_on_lost(void *arg, const struct err *why)
{
    struct run *r = arg;

    if (r->phase < RUN_DRAINING) {
        say(SAY_ERROR, "%s: %s", r->phase == RUN_STARTING
            ? "cannot use the master" : "lost the master", why->text);
        status_note(&r->status, STATUS_BY_FAILURE, 0);
    }
    run_drain(r);
}

static void run_on_failure(void *arg, const char *sentence)
{
    struct run *r = arg;

    run_fail(r, sentence);
    if (!private_has_master(r->private))
        run_drain(r);           /* nobody else will tell us the end */
}

/* ------------------------------------------------------------------ start */

static int run_open_timers(struct run *r, struct err *err)
{
    r->base = loop_open();
    if (!r->base)
        return err_set(err, ENOMEM, "cannot start the event loop");
    r->timeout = evtimer_new(r->base, run_on_timeout, r);
    r->silence = evtimer_new(r->base, run_on_silence, r);
    r->ending = (struct ending){ .private = !r->conf->master, .arg = r,
                                 .stuck = run_on_stuck, .over = run_on_over };
    r->progress = progress_open(r->base);
    r->suspend = suspend_open(r->base);
    if (!r->timeout || !r->silence || !r->progress || !r->suspend ||
        ending_open(&r->ending, r->base) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return 0;
}

static int run_open_output(struct run *r, struct err *err)
{
    const struct options *o = r->conf->options;
    struct output_conf conf = {
        .ntasks = r->conf->ntasks, .label = o->label,
        .timestamp = o->timestamp, .merge_stderr = o->merge_stderr,
        .dir = o->output_dir, .stdtim = o->stdtim,
        .on_full = run_on_full, .on_room = run_on_room,
        .on_error = run_on_output_error, .arg = r
    };

    r->output = output_open(r->base, &conf, err);
    return r->output ? 0 : -1;
}

static int run_open_links(struct run *r, bool tcp, struct err *err)
{
    struct links_conf conf = {
        .dir = r->dir, .tcp = tcp, .key = r->key,
        .ntasks = r->conf->ntasks, .on_output = run_on_output,
        .on_output_end = run_on_output_end, .on_join = run_on_join,
        .on_leave = run_on_leave, .on_credit = run_on_credit, .arg = r
    };

    r->links = links_open(r->base, &conf, err);
    return r->links ? 0 : -1;
}

/* The master: one of our own, or the standing one. */
static int run_open_master(struct run *r, struct err *err)
{
    static const struct uplink_ops ops = {
        run_on_ready, run_on_accepted, run_on_notice, run_on_state,
        run_on_ended, run_on_lost
    };
    const char *address = r->conf->master;

    if (!address) {
        struct private_conf conf = {
            .dir = r->dir, .hosts = r->conf->hosts, .agent = r->conf->agent,
            .db = r->conf->db, .key = r->key,
            .verbose = r->conf->options->verbose,
            .on_failure = run_on_failure, .arg = r
        };

        r->private = private_open(r->base, &conf, err);
        if (!r->private)
            return -1;
        address = private_address(r->private);
    }
    r->uplink = uplink_open(r->base, address, r->key, &ops, r, err);
    if (!r->uplink)
        return err_prefix(err, "master at %.80s", address);
    return 0;
}

static int run_open(struct run *r, struct err *err)
{
    const struct options *o = r->conf->options;
    bool tcp = r->conf->master || hosts_any_remote(r->conf->hosts);

    if (run_open_timers(r, err) < 0)
        return -1;
    r->interrupt = interrupt_open(r->base, run_on_signal, r, err);
    if (!r->interrupt || (tcp && !(r->key = key_own(err))) ||
        run_open_output(r, err) < 0 ||
        (!r->conf->master &&
         paths_make_private_dir(r->dir, sizeof(r->dir), err) < 0) ||
        run_open_links(r, tcp, err) < 0)
        return -1;
    if (strcmp(o->stdin_ranks, "none") != 0) {
        r->feed = feed_open(r->base, o->stdin_ranks, !o->pty ? FEED_PIPES :
                            r->conf->ntasks == 1 ? FEED_TERMINAL_ALONE :
                            FEED_TERMINAL, r->links, run_on_input_error, r,
                            err);
        if (!r->feed)
            return -1;
    }
    if (run_open_master(r, err) < 0)
        return -1;
    if (o->timeout_ns)
        run_set_timer(r->timeout, o->timeout_ns);
    return 0;
}

static void run_free_event(struct event *ev)
{
    if (ev)
        event_free(ev);
}

static void run_close(struct run *r)
{
    struct err err;

    uplink_close(r->uplink);
    private_destroy(r->private);
    feed_close(r->feed);
    links_close(r->links);
    output_close(r->output);
    interrupt_close(r->interrupt);
    if (r->dir[0] && paths_remove_tree(r->dir, &err) < 0)
        say(SAY_ERROR, "%s", err.text);
    run_free_event(r->timeout);
    run_free_event(r->silence);
    ending_close(&r->ending);
    progress_close(r->progress);
    suspend_close(r->suspend);
    where_close(r->where);
    if (r->base)
        event_base_free(r->base);
    key_free(r->key);
}

int run_job(const struct run_conf *conf)
{
    struct run r = { .conf = conf };
    struct err err = { 0 };

    signal(SIGXFSZ, SIG_IGN);   /* an output file that is full: an error */
    child_raise_limit();
    if (run_open(&r, &err) < 0) {
        say(SAY_ERROR, "%s", err.text);
        status_note(&r.status, STATUS_BY_FAILURE, 0);
        r.phase = RUN_LEAVING;
    } else {
        event_base_dispatch(r.base);
    }
    private_end_all(r.private);
    run_close(&r);
    return status_exit_code(&r.status);
}
