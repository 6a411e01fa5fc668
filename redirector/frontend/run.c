/* run.c - a job of ours, as frontend.c leads it: its input and output, how
 * people end it, and what its end says.
 *
 * It is UNDER_WAY when the master has accepted it. run_end() asks the master to
 * end the job. Whatever the reason, what the tasks wrote before is shown, but
 * when somebody has asked twice: then run_abandon() leaves from anywhere. */
#include "redirector/frontend/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/signals.h"
#include "proto/base/str.h"
#include "redirector/batch/system.h"
#include "redirector/in/feed.h"
#include "redirector/in/interrupt.h"
#include "redirector/in/suspend.h"
#include "redirector/out/progress.h"
#include "redirector/out/say.h"
#include "redirector/frontend/ending.h"
#include "redirector/frontend/frontend.h"
#include "redirector/start/child.h"
#include "redirector/start/submit.h"

struct run {
    struct frontend s;
    struct feed *feed;                  /* owned, as all below; NULL: nobody
                                           reads stdin */
    struct interrupt *interrupt;
    struct progress *progress;
    struct suspend *suspend;
    struct ending ending;
    char unaccepted[600];               /* why it is to end as soon as the master
                                           has it, so that its record knows why a
                                           batch system did that; "": it is not */
    struct str torn;                    /* lines, to be said if the job does not go
                                           back any more */
    bool missed, differs;               /* that was said */
};

static struct run *run_of(struct frontend *s)
{
    return (struct run *)s;
}

/* ---------------------------------------------------------- how it ends */

static void run_say_torn(struct frontend *s, const char *sentence)
{
    say(s->status.cause == STATUS_BY_PIPE ? SAY_VERBOSE : SAY_ERROR, "%s",
        sentence);
    status_incomplete(&s->status);
}

static void run_draining(struct frontend *s)
{
    struct run *r = run_of(s);
    char *save = NULL, *text = r->torn.n ? str_take(&r->torn) : NULL;

    for (char *p = text ? strtok_r(text, "\n", &save) : NULL; p;
         p = strtok_r(NULL, "\n", &save))
        run_say_torn(s, p);
    free(text);
    progress_end(r->progress);
    ending_begun(&r->ending);
    suspend_forget(r->suspend);
    feed_stop(r->feed);
}

/* Hector itself cannot go on. */
static void run_fail(struct frontend *s, const char *sentence)
{
    if (s->phase >= FRONTEND_DRAINING)
        return;
    say(SAY_ERROR, "%s", sentence);
    status_note(&s->status, STATUS_BY_FAILURE, 0);
    if (s->job)
        uplink_kill(s->uplink, sentence, STATUS_FAILURE, 0, false);
    if (s->phase != FRONTEND_UNDER_WAY)
        frontend_drain(s);
}

/* Leave now: what runs of the job here is killed. */
static void run_abandon(struct run *r, const char *why)
{
    say(r->s.phase < FRONTEND_LEAVING ? SAY_ERROR : SAY_VERBOSE,
        "%s: left without waiting for the end", why);
    status_abandon(&r->s.status, r->ending.signal);
    frontend_break(&r->s);
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
    private_end_alone(r->s.private);
    frontend_drain(&r->s);
}

/* End the job; asked once more, at once; and then, without it. */
static void run_end(struct run *r, const char *why, int sig)
{
    int asked = ending_ask(&r->ending, sig);

    if (r->s.phase >= FRONTEND_DRAINING || asked > 2)
        run_abandon(r, why);
    else if (r->s.phase == FRONTEND_SUBMITTED && r->s.allotment && asked == 1)
        snprintf(r->unaccepted, sizeof(r->unaccepted), "%s", why);
    else if (r->s.phase < FRONTEND_UNDER_WAY)
        frontend_drain(&r->s);
    else
        uplink_kill(r->s.uplink, why, status_exit_code(&r->s.status), sig,
                    asked > 1);
}

static void run_timed_out(struct frontend *s)
{
    say(SAY_ERROR, "time-out of %g s: the job is ended",
        (double)s->conf->options->timeout_ns / 1e9);
    status_note(&s->status, STATUS_BY_TIMEOUT, 0);
    frontend_ask_where(s, s->phase == FRONTEND_UNDER_WAY ? s->job : 0);
}

static void run_located(struct frontend *s)
{
    if (s->phase < FRONTEND_DRAINING)
        run_end(run_of(s), "time-out", 0);
}

/* ---------------------------------------------------------------- signals */

static void run_told(struct run *r, int sig)
{
    struct frontend *s = &r->s;
    const char *why = sig == SIGINT ? "interrupted" : signals_name(sig);

    allotment_signal(s->allotment, sig);
    status_note(&s->status, STATUS_BY_SIGNAL, sig);
    if (s->phase == FRONTEND_UNDER_WAY && r->ending.asked == 0)
        say(SAY_ERROR, "%s: job %llu is being ended%s", why,
            (unsigned long long)s->job,
            system_repeats(sig) ? "" : "; once more kills it at once");
    run_end(r, why, sig);
}

static void run_on_signal(void *arg, enum interrupt_kind kind, int sig)
{
    struct run *r = arg;
    struct frontend *s = &r->s;

    switch (kind) {
    case INTERRUPT_NONE:
        break;
    case INTERRUPT_CHILD:
        child_reap_all();
        break;
    case INTERRUPT_FORWARD:
        allotment_signal(s->allotment, sig);
        if (s->uplink)
            uplink_signal(s->uplink, sig);
        break;
    case INTERRUPT_STOP:
        suspend_begin(r->suspend, s->uplink);
        break;
    case INTERRUPT_END:
        if (!frontend_again(s, sig))
            run_told(r, sig);
        break;
    }
}

/* ------------------------------------------------------- output and input */

static void run_on_output_error(void *arg, const struct err *err)
{
    struct run *r = arg;

    if (err->code == EPIPE) {   /* as a shell's pipeline: without words */
        say(SAY_VERBOSE, "%s", err->text);
        status_note(&r->s.status, STATUS_BY_PIPE, 0);
    } else {
        say(SAY_ERROR, "%s", err->text);
        status_note(&r->s.status, STATUS_BY_FAILURE, 0);
    }
    status_incomplete(&r->s.status);
    if (r->s.phase < FRONTEND_DRAINING && r->ending.asked == 0)
        run_end(r, err->text, 0);
}

static bool run_output(const struct frontend *s, struct output_conf *c)
{
    const struct options *o = s->conf->options;

    c->label = o->label;
    c->timestamp = o->timestamp;
    c->merge_stderr = o->merge_stderr;
    c->dir = o->output_dir;
    c->stdtim = o->stdtim;
    c->on_error = run_on_output_error;
    return true;
}

static void run_on_input_error(void *arg, const struct err *err)
{
    struct run *r = arg;

    say(SAY_ERROR, "%s", err->text);
    status_incomplete(&r->s.status);
}

static void run_credit(struct frontend *s)
{
    struct run *r = run_of(s);

    if (r->feed && s->phase < FRONTEND_DRAINING)
        feed_wake(r->feed);
}

static void run_joined(struct frontend *s, const char *name)
{
    (void)s;
    say(SAY_VERBOSE, "%s is ready for the job", name);
}

/* With a checkpoint to go back to what was lost may be written once more. */
static void run_torn(struct frontend *s, const char *name, const char *why)
{
    struct run *r = run_of(s);
    char text[400];

    snprintf(text, sizeof(text), "output of tasks on %.60s may be incomplete: "
             "%.300s", name, why);
    if (options_saves(s->conf->options) && s->phase < FRONTEND_DRAINING)
        str_addf(&r->torn, "%s\n", text);
    else
        run_say_torn(s, text);
}

static void run_again(struct frontend *s)
{
    str_reset(&run_of(s)->torn);
    run_of(s)->differs = false;
}

static void run_missed(struct frontend *s, uint32_t rank, uint64_t bytes)
{
    struct run *r = run_of(s);

    if (!r->missed)
        say(SAY_ERROR, "output is incomplete: %llu bytes that task %u wrote "
            "before the checkpoint were lost", (unsigned long long)bytes, rank);
    r->missed = true;
    status_incomplete(&s->status);
}

static void run_differs(struct frontend *s, uint32_t rank)
{
    struct run *r = run_of(s);

    if (!r->differs)
        say(SAY_NOTE, "since it went back task %u writes something else than "
            "before: that is shown, too", rank);
    r->differs = true;
}

static void run_silent(struct frontend *s)
{
    say(SAY_ERROR, "output may be incomplete: a slave has not closed its "
        "streams");
    status_incomplete(&s->status);
}

/* ----------------------------------------------------------------- master */

static Hct__Submit *run_submit(struct frontend *s,
                               const struct links_where *where,
                               struct err *err)
{
    const struct frontend_conf *c = s->conf;
    Hct__Submit *m = submit_build(c->options, c->hosts, c->hosts->n > 0, c->env,
                                  c->argv, where, err);

    if (m && submit_saved(m, c->options, c->saved, err)) {
        submit_free(m);
        m = NULL;
    }
    return m;
}

static void run_accepted(struct frontend *s)
{
    struct run *r = run_of(s);

    s->phase = FRONTEND_UNDER_WAY;
    if (*r->unaccepted)
        uplink_kill(s->uplink, r->unaccepted, status_exit_code(&s->status),
                    r->ending.signal, false);
}

static void run_state(struct frontend *s, const char *state)
{
    struct run *r = run_of(s);

    progress_set(r->progress, state);
    if (strcmp(state, "returning") == 0)
        status_returns(&s->status);
    if (strcmp(state, "running") == 0) {
        ending_forget(&r->ending);
        progress_end(r->progress);
        if (r->feed)
            feed_started(r->feed);
    } else if (strcmp(state, "ending") == 0) {
        status_note(&s->status, STATUS_BY_TASK, 0);
        ending_begun(&r->ending);
    }
}

static void run_ended(struct frontend *s, int code, const char *why)
{
    bool told = s->status.cause != STATUS_NONE &&
                s->status.cause != STATUS_BY_TASK;

    if (*why)
        say(told && !allotment_is_ended(s->allotment) ? SAY_VERBOSE : SAY_ERROR,
            "%s", why);
    status_end(&s->status, code);
    frontend_drain(s);
}

static void run_lost(struct frontend *s, const char *sentence)
{
    if (s->phase < FRONTEND_DRAINING) {
        say(SAY_ERROR, "%s", sentence);
        status_note(&s->status, STATUS_BY_FAILURE, 0);
    }
    frontend_drain(s);
}

/* A job that has been submitted is ended by its number, once it has one: who only
 * leaves is recorded as gone, and not with why. */
static void run_private_failed(struct frontend *s, const char *sentence)
{
    struct run *r = run_of(s);

    if (s->phase == FRONTEND_SUBMITTED && private_has_master(s->private)) {
        say(SAY_ERROR, "%s", sentence);
        status_note(&s->status, STATUS_BY_FAILURE, 0);
        if (!*r->unaccepted)
            snprintf(r->unaccepted, sizeof(r->unaccepted), "%s", sentence);
        return;
    }
    run_fail(s, sentence);
    if (!private_has_master(s->private))
        frontend_drain(s);      /* nobody else will tell us the end */
}

/* ------------------------------------------------------------------ start */

static int run_open(struct frontend *s, struct err *err)
{
    struct run *r = run_of(s);

    r->ending = (struct ending){ .private = !s->conf->master, .arg = r,
                                 .stuck = run_on_stuck, .over = run_on_over };
    r->progress = progress_open(s->base);
    r->suspend = suspend_open(s->base, NULL, NULL);
    if (!r->progress || !r->suspend || ending_open(&r->ending, s->base) < 0)
        return err_memory(err);
    r->interrupt = interrupt_open(s->base, run_on_signal, r, err);
    return r->interrupt ? 0 : -1;
}

static int run_equip(struct frontend *s, struct err *err)
{
    struct run *r = run_of(s);
    const struct options *o = s->conf->options;

    if (strcmp(o->stdin_ranks, "none") == 0)
        return 0;
    r->feed = feed_open(s->base, o->stdin_ranks, !o->pty ? FEED_PIPES :
                        s->conf->ntasks == 1 ? FEED_TERMINAL_ALONE :
                        FEED_TERMINAL, s->links, run_on_input_error, r, err);
    return r->feed ? 0 : -1;
}

static void run_stop(struct frontend *s)
{
    feed_close(run_of(s)->feed);
}

static void run_close(struct frontend *s)
{
    struct run *r = run_of(s);

    interrupt_close(r->interrupt);
    ending_close(&r->ending);
    progress_close(r->progress);
    suspend_close(r->suspend);
    str_fini(&r->torn);
}

static const struct frontend_ops run_ops = {
    .open = run_open, .output = run_output, .equip = run_equip,
    .submit = run_submit, .accepted = run_accepted, .state = run_state,
    .ended = run_ended, .lost = run_lost, .failed = run_fail,
    .private_failed = run_private_failed, .timed_out = run_timed_out,
    .located = run_located, .joined = run_joined, .credit = run_credit,
    .torn = run_torn, .again = run_again, .missed = run_missed,
    .differs = run_differs,
    .silent = run_silent, .draining = run_draining,
    .stop = run_stop, .close = run_close
};

int run_job(const struct frontend_conf *conf)
{
    struct run r = { .s = { .conf = conf, .ops = &run_ops,
                            .nstreams = conf->ntasks } };

    child_raise_limit();
    frontend_lead(&r.s);
    return status_exit_code(&r.s.status);
}
