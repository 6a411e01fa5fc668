/* session.c - leads what hector-run does through its phases, see session.h.
 * Whatever the reason of the end, what the tasks wrote before is shown, but
 * after session_break(). */
#include "redirector/session/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/link/key.h"
#include "proto/link/timer.h"
#include "redirector/link/loop.h"
#include "redirector/out/say.h"
#include "redirector/session/laststacks.h"
#include "redirector/start/submit.h"

/* For how long nothing may come by any link after the job's end, before we
 * stop waiting for the rest of its output. */
#define SESSION_SILENCE_NS (5 * CLOCK_NS_PER_S)
/* Slaves send two Pings a second; a network may be away for five, and the
 * kernel needs one more to notice that it is back. */
#define SESSION_VANISHED_NS (7 * CLOCK_NS_PER_S)
#define SESSION_LOOK_NS (100 * CLOCK_NS_PER_MS)

/* ---------------------------------------------------------- how it ends */

static void session_on_gone(void *arg)
{
    event_base_loopbreak(((struct session *)arg)->base);
}

static void session_leave(void *arg)
{
    struct session *s = arg;

    s->phase = SESSION_LEAVING;
    if (s->private)
        private_close(s->private, s->job == 0 || s->vanished,
                      session_on_gone);
    else
        event_base_loopbreak(s->base);
}

static void session_flush(struct session *s)
{
    s->phase = SESSION_FLUSHING;
    event_del(s->silence);
    if (s->output)
        output_finish(s->output, session_leave);
    else
        session_leave(s);
}

/* Are the links that are left those of nodes that have vanished? */
static void session_look_for_links(struct session *s)
{
    s->heard_ns = clock_monotonic_ns();
    if (!s->full)
        timer_set(s->silence, SESSION_LOOK_NS);
}

void session_drain(struct session *s)
{
    if (s->phase >= SESSION_DRAINING)
        return;
    s->phase = SESSION_DRAINING;
    event_del(s->timeout);
    s->ops->draining(s);
    uplink_close(s->uplink);
    s->uplink = NULL;
    if (links_count(s->links) == 0)
        session_flush(s);
    else
        session_look_for_links(s);
}

void session_break(struct session *s)
{
    s->phase = SESSION_LEAVING;
    event_base_loopbreak(s->base);
}

static void session_on_silence(evutil_socket_t fd, short what, void *arg)
{
    struct session *s = arg;

    (void)fd, (void)what;
    if (s->phase != SESSION_DRAINING)
        return;
    if (clock_monotonic_ns() - s->heard_ns < SESSION_SILENCE_NS &&
        !links_silent(s->links, SESSION_VANISHED_NS)) {
        timer_set(s->silence, SESSION_LOOK_NS);
        return;
    }
    s->vanished = true;
    s->ops->silent(s);
    session_flush(s);
}

static void session_on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct session *s = arg;

    (void)fd, (void)what;
    s->ops->timed_out(s);
}

static void session_on_located(void *arg)
{
    struct session *s = arg;

    s->ops->located(s);
}

void session_ask_where(struct session *s, uint64_t job)
{
    s->where = laststacks_ask(s->base, s->private ? private_address(s->private)
                                             : s->conf->master,
                              job, session_on_located, s);
}

/* ----------------------------------------------------------------- output */

static bool session_shows(const struct session *s, int stream)
{
    return s->output && (!s->ops->stdtim_only ||
                         stream == HCT__STREAM__STREAM_STDTIM);
}

static void session_on_output(void *arg, uint32_t from, int stream,
                              const void *p, size_t n, uint64_t at_ns)
{
    struct session *s = arg;

    s->heard_ns = clock_monotonic_ns();
    if (session_shows(s, stream))
        output_take(s->output, from, stream, p, n, at_ns);
}

static void session_on_output_end(void *arg, uint32_t from, int stream)
{
    struct session *s = arg;

    s->heard_ns = clock_monotonic_ns();
    if (session_shows(s, stream))
        output_end(s->output, from, stream);
}

static void session_on_full(void *arg)
{
    struct session *s = arg;

    s->full = true;
    links_pause(s->links);
    event_del(s->silence);
}

static void session_on_room(void *arg)
{
    struct session *s = arg;

    s->full = false;
    links_resume(s->links);
    if (s->phase == SESSION_DRAINING)
        session_look_for_links(s);
}

/* ------------------------------------------------------------------ links */

static void session_on_credit(void *arg)
{
    struct session *s = arg;

    if (s->ops->credit)
        s->ops->credit(s);
}

static void session_on_join(void *arg, const char *name)
{
    struct session *s = arg;

    if (s->ops->joined)
        s->ops->joined(s, name);
    if (s->private)
        private_joined(s->private, name);
}

static void session_on_leave(void *arg, const char *name, const char *why)
{
    struct session *s = arg;

    if (why)
        s->ops->torn(s, name, why);
    /* The link is counted until this returns. */
    if (s->phase == SESSION_DRAINING && links_count(s->links) == 1)
        session_flush(s);
    else if (s->phase == SESSION_DRAINING)
        session_look_for_links(s);
}

/* ----------------------------------------------------------------- master */

static void session_on_ready(void *arg)
{
    struct session *s = arg;
    struct links_where where = links_where(s->links);
    struct err err;
    Hct__Submit *m = s->ops->submit(s, &where, &err);

    s->phase = SESSION_SUBMITTED;
    if (!m || uplink_submit(s->uplink, m, &err) < 0)
        s->ops->failed(s, err.text);
    submit_free(m);
}

static void session_on_accepted(void *arg, uint64_t job, const char *name)
{
    struct session *s = arg;

    s->job = job;
    if (s->ops->accepted)
        s->ops->accepted(s);
    links_set_job(s->links, job);
    say(SAY_VERBOSE, "job %llu is called %s", (unsigned long long)job, name);
}

static void session_on_notice(void *arg, const char *text, bool error)
{
    (void)arg;
    say(error ? SAY_ERROR : SAY_NOTE, "%s", text);
}

static void session_on_state(void *arg, const char *state, uint32_t started,
                             uint32_t ntasks)
{
    struct session *s = arg;

    if (strcmp(state, s->state) != 0)
        say(SAY_VERBOSE, "job %llu is %s, %u of %u tasks run",
            (unsigned long long)s->job, state, started, ntasks);
    snprintf(s->state, sizeof(s->state), "%s", state);
    if (s->private && (strcmp(state, "preparing") == 0 ||
                       strcmp(state, "starting") == 0 ||
                       strcmp(state, "running") == 0))
        private_settled(s->private);
    s->ops->state(s, state);
}

static void session_on_ended(void *arg, int code, const char *why)
{
    struct session *s = arg;

    s->ops->ended(s, code, why);
}

static void session_on_lost(void *arg, const struct err *why)
{
    struct session *s = arg;
    char sentence[sizeof(why->text) + 32];

    snprintf(sentence, sizeof(sentence), "%s: %s",
             s->job ? "lost the master" : "cannot use the master", why->text);
    s->ops->lost(s, sentence);
}

static void session_on_failure(void *arg, const char *sentence)
{
    struct session *s = arg;

    s->ops->private_failed(s, sentence);
}

/* ------------------------------------------------------------------ start */

static int session_open_timers(struct session *s, struct err *err)
{
    s->base = loop_open();
    if (!s->base)
        return err_set(err, ENOMEM, "cannot start the event loop");
    s->timeout = evtimer_new(s->base, session_on_timeout, s);
    s->silence = evtimer_new(s->base, session_on_silence, s);
    if (!s->timeout || !s->silence)
        return err_memory(err);
    return 0;
}

static int session_open_output(struct session *s, struct err *err)
{
    struct output_conf conf = { .ntasks = s->nstreams,
                                .on_full = session_on_full,
                                .on_room = session_on_room, .arg = s };

    if (!s->ops->output(s, &conf))
        return 0;
    s->output = output_open(s->base, &conf, err);
    return s->output ? 0 : -1;
}

static int session_open_links(struct session *s, bool tcp, struct err *err)
{
    struct links_conf conf = {
        .dir = s->dir, .tcp = tcp, .key = s->key, .ntasks = s->nstreams,
        .on_output = session_on_output,
        .on_output_end = session_on_output_end,
        .on_join = session_on_join, .on_leave = session_on_leave,
        .on_credit = session_on_credit, .arg = s
    };

    s->links = links_open(s->base, &conf, err);
    return s->links ? 0 : -1;
}

/* The master: one of our own, or the standing one. */
static int session_open_master(struct session *s, struct err *err)
{
    static const struct uplink_ops ops = {
        .ready = session_on_ready, .accepted = session_on_accepted,
        .notice = session_on_notice, .state = session_on_state,
        .ended = session_on_ended, .lost = session_on_lost
    };
    const struct session_conf *c = s->conf;
    const char *address = c->master;

    if (!address) {
        struct private_conf conf = {
            .dir = s->dir, .hosts = c->hosts, .agent = c->agent, .db = c->db,
            .key = s->key, .verbose = c->options->verbose,
            .on_failure = session_on_failure, .arg = s
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

static int session_open(struct session *s, struct err *err)
{
    const struct session_conf *c = s->conf;
    bool tcp = c->master || hosts_any_remote(c->hosts);

    if (session_open_timers(s, err) < 0 || s->ops->open(s, err) < 0 ||
        (tcp && !(s->key = key_own(err))) ||
        session_open_output(s, err) < 0 ||
        (!c->master &&
         paths_make_private_dir(s->dir, sizeof(s->dir), err) < 0) ||
        session_open_links(s, tcp, err) < 0 || s->ops->equip(s, err) < 0 ||
        session_open_master(s, err) < 0)
        return -1;
    if (c->options->timeout_ns)
        timer_set(s->timeout, c->options->timeout_ns);
    return 0;
}

static void session_close(struct session *s)
{
    struct event *timers[] = { s->timeout, s->silence };
    struct err err;

    laststacks_close(s->where);
    private_end_all(s->private);
    uplink_close(s->uplink);
    private_destroy(s->private);
    s->ops->stop(s);
    links_close(s->links);
    output_close(s->output);
    if (s->dir[0] && paths_remove_tree(s->dir, &err) < 0)
        say(SAY_ERROR, "%s", err.text);
    s->ops->close(s);
    for (int i = 0; i < 2; i++)
        timer_free(timers[i]);
    if (s->base)
        event_base_free(s->base);
    key_free(s->key);
}

void session_lead(struct session *s)
{
    struct err err = { 0 };

    signal(SIGXFSZ, SIG_IGN);   /* an output file that is full: an error */
    if (session_open(s, &err) < 0) {
        say(SAY_ERROR, "%s", err.text);
        status_note(&s->status, STATUS_BY_FAILURE, 0);
        s->phase = SESSION_LEAVING;
    } else {
        event_base_dispatch(s->base);
    }
    session_close(s);
}
