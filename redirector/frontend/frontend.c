/* frontend.c - leads what hector-run does through its phases, see frontend.h.
 * Whatever the reason of the end, what the tasks wrote before is shown, but
 * after frontend_break(). */
#include "redirector/frontend/frontend.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/link/key.h"
#include "proto/link/timer.h"
#include "redirector/batch/system.h"
#include "redirector/link/loop.h"
#include "redirector/out/say.h"
#include "redirector/frontend/laststacks.h"
#include "redirector/frontend/unspent.h"
#include "redirector/start/submit.h"

/* For how long nothing may come by any link after the job's end, before we
 * stop waiting for the rest of its output. */
#define FRONTEND_SILENCE_NS (5 * CLOCK_NS_PER_S)
/* Slaves send two Pings a second; a network may be away for five, and the
 * kernel needs one more to notice that it is back. */
#define FRONTEND_VANISHED_NS (7 * CLOCK_NS_PER_S)
#define FRONTEND_LOOK_NS (100 * CLOCK_NS_PER_MS)

/* ---------------------------------------------------------- how it ends */

static void frontend_on_over(void *arg)
{
    event_base_loopbreak(((struct frontend *)arg)->base);
}

static void frontend_on_gone(void *arg)
{
    struct frontend *s = arg;

    if (notify_is_idle(s->notify, frontend_on_over, s))
        frontend_on_over(s);
}

static void frontend_leave(void *arg)
{
    struct frontend *s = arg;

    s->phase = FRONTEND_LEAVING;
    if (s->private)
        private_close(s->private, s->job == 0 || s->vanished,
                      frontend_on_gone);
    else
        frontend_on_gone(s);
}

static void frontend_flush(struct frontend *s)
{
    s->phase = FRONTEND_FLUSHING;
    event_del(s->silence);
    if (s->output)
        output_finish(s->output, frontend_leave);
    else
        frontend_leave(s);
}

/* Are the links that are left those of nodes that have vanished? */
static void frontend_look_for_links(struct frontend *s)
{
    s->heard_ns = clock_monotonic_ns();
    if (!s->full)
        timer_set(s->silence, FRONTEND_LOOK_NS);
}

void frontend_drain(struct frontend *s)
{
    if (s->phase >= FRONTEND_DRAINING)
        return;
    s->phase = FRONTEND_DRAINING;
    event_del(s->timeout);
    s->ops->draining(s);
    uplink_close(s->uplink);
    s->uplink = NULL;
    if (links_count(s->links) == 0)
        frontend_flush(s);
    else
        frontend_look_for_links(s);
}

void frontend_break(struct frontend *s)
{
    s->phase = FRONTEND_LEAVING;
    event_base_loopbreak(s->base);
}

bool frontend_again(struct frontend *s, int sig)
{
    bool repeats = system_repeats(sig), again = repeats && s->told;

    s->told |= repeats;
    return again;
}

static void frontend_on_silence(evutil_socket_t fd, short what, void *arg)
{
    struct frontend *s = arg;

    (void)fd, (void)what;
    if (s->phase != FRONTEND_DRAINING)
        return;
    if (clock_monotonic_ns() - s->heard_ns < FRONTEND_SILENCE_NS &&
        !links_silent(s->links, FRONTEND_VANISHED_NS)) {
        timer_set(s->silence, FRONTEND_LOOK_NS);
        return;
    }
    s->vanished = true;
    s->ops->silent(s);
    frontend_flush(s);
}

static void frontend_on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct frontend *s = arg;

    (void)fd, (void)what;
    s->ops->timed_out(s);
}

static void frontend_on_located(void *arg)
{
    struct frontend *s = arg;

    s->ops->located(s);
}

void frontend_ask_where(struct frontend *s, uint64_t job)
{
    s->where = laststacks_ask(s->base, s->private ? private_address(s->private)
                                             : s->conf->master,
                              job, frontend_on_located, s);
}

/* ----------------------------------------------------------------- output */

/* Its streams may go on after their end, and then they go on in their last line:
 * that is not closed before all is over. */
static bool frontend_may_go_back(const struct frontend *s)
{
    return options_saves(s->conf->options);
}

static bool frontend_shows(const struct frontend *s, int stream)
{
    return s->output && (!s->ops->stdtim_only ||
                         stream == HCT__STREAM__STREAM_STDTIM);
}

static void frontend_on_output(void *arg, uint32_t from, int stream,
                               const void *p, size_t n, uint64_t at_ns)
{
    struct frontend *s = arg;

    s->heard_ns = clock_monotonic_ns();
    if (frontend_shows(s, stream))
        output_take(s->output, from, stream, p, n, at_ns);
}

static void frontend_on_output_end(void *arg, uint32_t from, int stream)
{
    struct frontend *s = arg;

    s->heard_ns = clock_monotonic_ns();
    if (frontend_shows(s, stream) && !frontend_may_go_back(s))
        output_end(s->output, from, stream);
}

static void frontend_on_full(void *arg)
{
    struct frontend *s = arg;

    s->full = true;
    links_pause(s->links);
    event_del(s->silence);
}

static void frontend_on_room(void *arg)
{
    struct frontend *s = arg;

    s->full = false;
    links_resume(s->links);
    if (s->phase == FRONTEND_DRAINING)
        frontend_look_for_links(s);
}

/* ------------------------------------------------------------------ links */

static void frontend_on_credit(void *arg)
{
    struct frontend *s = arg;

    if (s->ops->credit)
        s->ops->credit(s);
}

static void frontend_on_join(void *arg, const char *name)
{
    struct frontend *s = arg;

    if (s->ops->joined)
        s->ops->joined(s, name);
    if (s->private)
        private_joined(s->private, name);
}

static void frontend_on_leave(void *arg, const char *name, const char *why)
{
    struct frontend *s = arg;

    if (why)
        s->ops->torn(s, name, why);
    if (s->phase == FRONTEND_DRAINING && links_count(s->links) == 0)
        frontend_flush(s);
    else if (s->phase == FRONTEND_DRAINING)
        frontend_look_for_links(s);
}

static void frontend_on_again(void *arg)
{
    struct frontend *s = arg;

    if (s->ops->again)
        s->ops->again(s);
}

static void frontend_on_differs(void *arg, uint32_t rank)
{
    struct frontend *s = arg;

    if (s->ops->differs)
        s->ops->differs(s, rank);
}

static void frontend_on_input_lost(void *arg, const struct err *why, bool needed)
{
    struct frontend *s = arg;

    if (needed)
        s->ops->failed(s, why->text);
    else
        say(SAY_ERROR, "%s", why->text);
}

static void frontend_on_missed(void *arg, uint32_t rank, uint64_t bytes)
{
    struct frontend *s = arg;

    if (s->ops->missed)
        s->ops->missed(s, rank, bytes);
}

/* ----------------------------------------------------------------- master */

static void frontend_on_allotment(void *arg, Hct__Allotment *m)
{
    struct frontend *s = arg;

    if (s->uplink)
        uplink_allot(s->uplink, m);
}

static void frontend_on_ready(void *arg)
{
    struct frontend *s = arg;
    struct links_where where = links_where(s->links);
    struct err err;
    Hct__Submit *m = s->ops->submit(s, &where, &err);

    s->phase = FRONTEND_SUBMITTED;
    if (m)
        allotment_submit(s->allotment, m);
    if (!m || uplink_submit(s->uplink, m, &err) < 0)
        s->ops->failed(s, err.text);
    submit_free(m);
}

static void frontend_on_accepted(void *arg, uint64_t job, const char *name)
{
    struct frontend *s = arg;

    s->job = job;
    if (s->ops->accepted)
        s->ops->accepted(s);
    links_set_job(s->links, job);
    notify_job(s->notify, job, name);
    allotment_begin(s->allotment);
    say(SAY_VERBOSE, "job %llu is called %s", (unsigned long long)job, name);
}

static void frontend_on_finding(void *arg, const Hct__Finding *m)
{
    notify_finding(((struct frontend *)arg)->notify, m);
}

static void frontend_on_notice(void *arg, const char *text, bool error)
{
    (void)arg;
    say(error ? SAY_ERROR : SAY_NOTE, "%s", text);
}

static void frontend_on_state(void *arg, const char *state, uint32_t started,
                              uint32_t ntasks)
{
    struct frontend *s = arg;

    if (strcmp(state, s->state) != 0)
        say(SAY_VERBOSE, "job %llu is %s, %u of %u tasks run",
            (unsigned long long)s->job, state, started, ntasks);
    snprintf(s->state, sizeof(s->state), "%s", state);
    if (s->private && (strcmp(state, "preparing") == 0 ||
                       strcmp(state, "starting") == 0 ||
                       strcmp(state, "running") == 0))
        private_settled(s->private);
    if (strcmp(state, "ending") == 0)
        allotment_ending(s->allotment);
    s->ops->state(s, state);
}

static void frontend_on_ended(void *arg, const Hct__JobEnded *m)
{
    struct frontend *s = arg;
    char text[200];

    notify_ended(s->notify, m);
    s->ops->ended(s, m->exit_code, m->why);
    if (!m->left_ns)
        return;
    unspent_text(text, sizeof(text), m);
    say(SAY_ERROR, "%s", text);
}

static void frontend_on_lost(void *arg, const struct err *why)
{
    struct frontend *s = arg;
    char sentence[sizeof(why->text) + 32];

    snprintf(sentence, sizeof(sentence), "%s: %s",
             s->job ? "lost the master" : "cannot use the master", why->text);
    s->ops->lost(s, sentence);
}

static void frontend_on_failure(void *arg, const char *sentence)
{
    struct frontend *s = arg;

    s->ops->private_failed(s, sentence);
}

/* ------------------------------------------------------------------ start */

static int frontend_open_timers(struct frontend *s, struct err *err)
{
    s->base = loop_open();
    if (!s->base)
        return err_set(err, ENOMEM, "cannot start the event loop");
    s->timeout = evtimer_new(s->base, frontend_on_timeout, s);
    s->silence = evtimer_new(s->base, frontend_on_silence, s);
    if (!s->timeout || !s->silence)
        return err_memory(err);
    return 0;
}

static int frontend_open_output(struct frontend *s, struct err *err)
{
    struct output_conf conf = { .ntasks = s->nstreams,
                                .on_full = frontend_on_full,
                                .on_room = frontend_on_room, .arg = s };

    if (!s->ops->output(s, &conf))
        return 0;
    s->output = output_open(s->base, &conf, err);
    return s->output ? 0 : -1;
}

static int frontend_open_links(struct frontend *s, bool tcp, struct err *err)
{
    struct links_conf conf = {
        .dir = s->place.dir, .tcp = tcp, .key = s->key, .ntasks = s->nstreams,
        .restored = s->conf->options->restart,
        .repeats = options_saves(s->conf->options),
        .input_keep = s->conf->options->migratable ? LINKS_INPUT_KEEP : 0,
        .input_dir = s->conf->saved->dir, .sums = s->conf->saved->sums,
        .input_none = strcmp(s->conf->options->stdin_ranks, "none") == 0,
        .on_output = frontend_on_output,
        .on_output_end = frontend_on_output_end,
        .on_join = frontend_on_join, .on_leave = frontend_on_leave,
        .on_again = frontend_on_again, .on_missed = frontend_on_missed,
        .on_differs = frontend_on_differs,
        .on_input_lost = frontend_on_input_lost,
        .on_credit = frontend_on_credit, .arg = s
    };

    s->links = links_open(s->base, &conf, err);
    return s->links ? 0 : -1;
}

/* The master: one of our own, or the standing one. */
static int frontend_open_master(struct frontend *s, struct err *err)
{
    static const struct uplink_ops ops = {
        .ready = frontend_on_ready, .accepted = frontend_on_accepted,
        .notice = frontend_on_notice, .finding = frontend_on_finding,
        .state = frontend_on_state,
        .ended = frontend_on_ended, .lost = frontend_on_lost
    };
    const struct frontend_conf *c = s->conf;
    const char *address = c->master;

    if (!address) {
        struct private_conf conf = {
            .dir = s->place.dir, .hosts = c->hosts, .agent = c->agent,
            .db = c->db,
            .key = s->key, .lock = c->saved ? c->saved->lock : 0,
            .verbose = c->options->verbose, .on_failure = frontend_on_failure,
            .arg = s
        };

        s->private = private_open(s->base, &conf, err);
        if (!s->private)
            return -1;
        address = private_address(s->private);
    }
    s->uplink = uplink_open(s->base, address, s->key, &ops, s, err);
    if (!s->uplink)
        return err_prefix(err, "master at %.80s", address);
    return 0;
}

static int frontend_open(struct frontend *s, struct err *err)
{
    const struct frontend_conf *c = s->conf;
    bool tcp = c->master || hosts_any_remote(c->hosts);

    if (frontend_open_timers(s, err) < 0 || s->ops->open(s, err) < 0 ||
        (tcp && !(s->key = key_own(err))) ||
        frontend_open_output(s, err) < 0 ||
        (!c->master && runplace_open(&s->place, err) < 0) ||
        frontend_open_links(s, tcp, err) < 0 || s->ops->equip(s, err) < 0 ||
        frontend_open_master(s, err) < 0)
        return -1;
    s->allotment = allotment_open(s->base, frontend_on_allotment, s);
    s->notify = notify_open(s->base, c->options->notify, c->ntasks,
                            allotment_name(s->allotment));
    if (c->options->timeout_ns)
        timer_set(s->timeout, c->options->timeout_ns);
    return 0;
}

static void frontend_close(struct frontend *s)
{
    struct event *timers[] = { s->timeout, s->silence };
    struct err err;

    laststacks_close(s->where);
    allotment_close(s->allotment);
    notify_stop(s->notify);
    private_end_all(s->private);
    notify_close(s->notify);
    uplink_close(s->uplink);
    private_destroy(s->private);
    s->ops->stop(s);
    links_close(s->links);
    output_close(s->output);
    if (runplace_close(&s->place, &err) < 0)
        say(SAY_ERROR, "%s", err.text);
    s->ops->close(s);
    for (int i = 0; i < 2; i++)
        timer_free(timers[i]);
    if (s->base)
        event_base_free(s->base);
    key_free(s->key);
}

void frontend_lead(struct frontend *s)
{
    struct err err = { 0 };

    signal(SIGXFSZ, SIG_IGN);   /* an output file that is full: an error */
    if (frontend_open(s, &err) < 0) {
        say(SAY_ERROR, "%s", err.text);
        status_note(&s->status, STATUS_BY_FAILURE, 0);
        s->phase = FRONTEND_LEAVING;
    } else {
        event_base_dispatch(s->base);
    }
    frontend_close(s);
}
