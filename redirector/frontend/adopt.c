/* adopt.c - tasks that a command starts, as frontend.c leads what is done for
 * them: the command, its end and its status.
 *
 *   STARTING --Accepted, slaves prepared--> UNDER_WAY  the command runs
 *   UNDER_WAY --it has ended--> ENDING                 AdoptEnd is sent
 *   ENDING --JobEnded--> DRAINING                      stdtim still comes
 *
 * Failures before UNDER_WAY end it; then the link to the master may be lost
 * (uplink is NULL) and the command runs on; its end leads from there to
 * DRAINING. */
#include "redirector/frontend/adopt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/signals.h"
#include "proto/link/timer.h"
#include "redirector/in/suspend.h"
#include "redirector/in/ttysignal.h"
#include "redirector/out/say.h"
#include "redirector/frontend/background.h"
#include "redirector/frontend/frontend.h"
#include "redirector/start/adoptenv.h"
#include "redirector/start/child.h"
#include "redirector/start/launcher.h"
#include "redirector/start/submit.h"

/* How long tasks may outlive their launcher and still be watched to their
 * end; the master may be silent before its last word; after TERM. */
#define ADOPT_TASKS_NS (2 * CLOCK_NS_PER_S)
#define ADOPT_MASTER_NS (60 * CLOCK_NS_PER_S)
#define ADOPT_GRACE_NS (2 * CLOCK_NS_PER_S)

enum { ADOPT_NODES = 4096 };    /* that may bring stdtim */

struct adopt {
    struct frontend s;                  /* its status: until the command runs */
    bool ran;
    int code;                           /* of the command, then */
    bool timed_out;
    char socket[ADOPTENV_SOCKET];       /* of the tasks */
    char preload[PATHS_MAX];
    char link[PATHS_MAX];               /* that leads there; "": none */
    struct launcher launcher;           /* owned, as all below */
    pid_t shell;                        /* --adopt-env; 0: a command */
    int script;                         /* where its lines go; -1: done */
    struct ttysignal *signals;
    struct event *patience;             /* with the master, after the end */
    bool asked_for_patience;
    struct event *kill;
    bool ending;                        /* somebody wants its end */
    struct suspend *suspend;
    bool stands;                        /* it was stopped by us */
};

struct adopt_shell { const struct frontend_conf *conf; pid_t pid; };

static struct adopt *adopt_of(struct frontend *s)
{
    return (struct adopt *)s;
}

/* ----------------------------------------------------------- how it ends */

static void adopt_draining(struct frontend *s)
{
    suspend_forget(adopt_of(s)->suspend);
    event_del(adopt_of(s)->patience);
    event_del(adopt_of(s)->kill);
}

/* Hector itself cannot go on. */
static void adopt_fail(struct frontend *s, const char *sentence)
{
    if (s->phase >= FRONTEND_ENDING)
        return;
    if (s->phase == FRONTEND_UNDER_WAY) {
        say(SAY_ERROR, "%s: the command runs on unwatched", sentence);
        suspend_forget(adopt_of(s)->suspend);
        uplink_close(s->uplink);
        s->uplink = NULL;
        return;
    }
    say(SAY_ERROR, "%s", sentence);
    status_note(&s->status, STATUS_BY_FAILURE, 0);
    frontend_drain(s);
}

/* The master has not said its last word. One that is heard of has much to write. */
static void adopt_on_patience(evutil_socket_t fd, short what, void *arg)
{
    struct adopt *a = arg;
    uint64_t silence_ns = a->s.uplink ? uplink_silence_ns(a->s.uplink)
                                      : ADOPT_MASTER_NS;

    (void)fd, (void)what;
    if (silence_ns < ADOPT_MASTER_NS) {
        if (!a->asked_for_patience)
            say(SAY_NOTE, "hector-master has not recorded all of the job yet");
        a->asked_for_patience = true;
        timer_set(a->patience, ADOPT_MASTER_NS - silence_ns);
        return;
    }
    say(SAY_ERROR, "the master does not say that the job is recorded");
    frontend_drain(&a->s);
}

static void adopt_silent(struct frontend *s)
{
    (void)s;
    say(SAY_ERROR, "the stdtim stream may be incomplete: a slave has not "
        "closed it");
}

/* --------------------------------------------------------- the command */

static int adopt_status(const struct adopt *a)
{
    return a->timed_out ? STATUS_TIMEOUT
           : a->ran ? a->code : status_exit_code(&a->s.status);
}

static void adopt_on_launcher(void *arg, int status)
{
    struct adopt *a = arg;
    int sig = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (status >= 0)
        a->code = sig ? STATUS_SIGNAL + sig : WEXITSTATUS(status);
    event_del(a->s.timeout);
    event_del(a->kill);
    if (!a->s.uplink) {
        frontend_drain(&a->s);
        return;
    }
    a->s.phase = FRONTEND_ENDING;
    uplink_adopt_end(a->s.uplink, status < 0, adopt_status(a),
                     a->timed_out ? 0 : sig, ADOPT_TASKS_NS);
    timer_set(a->patience, ADOPT_MASTER_NS);
}

/* It could not even be executed: that is how it ended. */
static void adopt_no_launcher(struct adopt *a, const struct err *err)
{
    say(SAY_ERROR, "%s", err->text);
    adopt_on_launcher(a, W_EXITCODE(err->code == ENOENT ? 127 : 126, 0));
}

static void adopt_start(struct adopt *a)
{
    const struct frontend_conf *c = a->s.conf;
    char *const *argv = c->options->apps[0].argv;
    bool export = !a->shell && hosts_any_remote(c->hosts) &&
        adoptenv_may_export(argv, getenv("OMPI_MCA_mca_base_env_list"));
    struct adoptenv env;
    struct err err;

    if (adoptenv_make(&env, a->socket, a->s.job, a->preload,
                      getenv("LD_PRELOAD"), export) < 0) {
        adopt_fail(&a->s, "out of memory");
        return;
    }
    a->s.phase = FRONTEND_UNDER_WAY;
    a->ran = true;
    if (a->shell) {
        if (launcher_watch(&a->launcher, a->s.base, a->shell, &err) < 0) {
            say(SAY_ERROR, "%s", err.text);
            adopt_on_launcher(a, -1);
        } else {
            background_send(a->script, adoptenv_script(&env));
            a->script = -1;
        }
    } else if (launcher_start(&a->launcher, a->s.base, argv, &env, &err) < 0) {
        adopt_no_launcher(a, &err);
    }
    adoptenv_fini(&env);
}

/* End the command: TERM, and KILL after the grace. A shell that we only
 * watch is left alone. */
static void adopt_end_command(struct adopt *a)
{
    if (!launcher_runs(&a->launcher) || a->ending)
        return;
    a->ending = true;
    launcher_signal(&a->launcher, SIGTERM);
    launcher_signal(&a->launcher, SIGCONT);
    timer_set(a->kill, ADOPT_GRACE_NS);
}

static void adopt_on_kill(evutil_socket_t fd, short what, void *arg)
{
    struct adopt *a = arg;

    (void)fd, (void)what;
    launcher_signal(&a->launcher, SIGKILL);
}

static void adopt_located(struct frontend *s)
{
    if (s->phase == FRONTEND_UNDER_WAY && s->uplink)
        uplink_kill(s->uplink, "time-out", STATUS_TIMEOUT, 0, false);
    if (s->phase == FRONTEND_UNDER_WAY)
        adopt_end_command(adopt_of(s));
}

static void adopt_timed_out(struct frontend *s)
{
    say(SAY_ERROR, "time-out of %g s: the command is ended",
        (double)s->conf->options->timeout_ns / 1e9);
    adopt_of(s)->timed_out = true;
    if (s->phase < FRONTEND_UNDER_WAY) {
        status_note(&s->status, STATUS_BY_TIMEOUT, 0);
        frontend_drain(s);
        return;
    }
    frontend_ask_where(s, s->uplink ? s->job : 0);
}

/* ---------------------------------------------------------------- signals */

/* As of own tasks. Its own, on whatever hosts, are not stopped by every command that
 * is. */
static void adopt_suspend(struct adopt *a, bool from_terminal)
{
    a->stands = !from_terminal;
    if (a->stands)
        launcher_signal(&a->launcher, SIGTSTP);
    suspend_begin(a->suspend, a->s.phase == FRONTEND_UNDER_WAY && !a->shell
                              ? a->s.uplink : NULL);
}

static void adopt_went_on(void *arg)
{
    struct adopt *a = arg;

    if (a->stands)
        launcher_signal(&a->launcher, SIGCONT);
    a->stands = false;
}

/* What the terminal sends has reached the command as well. */
static void adopt_on_signal(void *arg, int sig, bool from_terminal)
{
    struct adopt *a = arg;
    bool end = !signals_is_passed(sig, false);

    allotment_signal(a->s.allotment, sig);
    if (sig == SIGCHLD) {
        child_reap_all();
    } else if (sig == SIGTSTP) {
        adopt_suspend(a, from_terminal);
    } else if (frontend_again(&a->s, sig)) {
        return;
    } else if (end && a->s.phase < FRONTEND_UNDER_WAY) {
        status_note(&a->s.status, STATUS_BY_SIGNAL, sig);
        frontend_drain(&a->s);
    } else if (end && a->s.phase > FRONTEND_UNDER_WAY) {
        say(SAY_ERROR, "%s: left without waiting for the record",
            signals_name(sig));
        frontend_break(&a->s);
    } else if (end && a->shell) {
        launcher_fini(&a->launcher);    /* watch it no more */
        adopt_on_launcher(a, -1);
    } else if (!from_terminal) {
        launcher_signal(&a->launcher, sig);
    }
}

/* ----------------------------------------------------------------- stdtim */

static void adopt_on_output_error(void *arg, const struct err *err)
{
    (void)arg;                  /* the command cannot help it */
    say(err->code == EPIPE ? SAY_VERBOSE : SAY_ERROR, "%s", err->text);
}

static bool adopt_output(const struct frontend *s, struct output_conf *c)
{
    c->stdtim = s->conf->options->stdtim;
    c->on_error = adopt_on_output_error;
    return c->stdtim != NULL;
}

static void adopt_torn(struct frontend *s, const char *name, const char *why)
{
    (void)s;
    say(SAY_ERROR, "the stdtim stream of tasks on %s may be incomplete: %s",
        name, why);
}

/* ----------------------------------------------------------------- master */

static Hct__Submit *adopt_submit(struct frontend *s,
                                 const struct links_where *where,
                                 struct err *err)
{
    static char *const no_env[] = { NULL };
    const struct frontend_conf *c = s->conf;
    Hct__Submit *m = submit_build(c->options, c->hosts, c->hosts->n > 0,
                                  no_env, c->argv, where, err);

    if (m) {
        m->adopt_socket = adopt_of(s)->socket;
        m->stdin_ranks = (char *)"";
    }
    return m;
}

static void adopt_state(struct frontend *s, const char *state)
{
    if (strcmp(state, "starting") == 0 && s->phase < FRONTEND_UNDER_WAY)
        adopt_start(adopt_of(s));
    else if (strcmp(state, "ending") == 0)
        adopt_end_command(adopt_of(s));
}

static void adopt_ended(struct frontend *s, int code, const char *why)
{
    struct adopt *a = adopt_of(s);

    if (s->phase == FRONTEND_UNDER_WAY) {
        adopt_fail(s, *why ? why : "the master has ended the job");
        return;
    }
    if (*why)
        say(a->ran ? SAY_VERBOSE : SAY_ERROR, "%s", why);
    if (!a->ran)
        status_end(&s->status, code);
    else if (code == STATUS_HUNG)
        a->code = code;
    frontend_drain(s);
}

static void adopt_lost(struct frontend *s, const char *sentence)
{
    if (s->phase >= FRONTEND_ENDING) {
        say(SAY_ERROR, "%s", sentence);
        frontend_drain(s);
    } else {
        adopt_fail(s, sentence);
    }
}

/* ------------------------------------------------------------------ start */

static int adopt_open(struct frontend *s, struct err *err)
{
    struct adopt *a = adopt_of(s);

    a->patience = evtimer_new(s->base, adopt_on_patience, a);
    a->kill = evtimer_new(s->base, adopt_on_kill, a);
    a->suspend = suspend_open(s->base, adopt_went_on, a);
    if (!a->patience || !a->kill || !a->suspend)
        return err_memory(err);
    a->signals = ttysignal_open(s->base, adopt_on_signal, a, err);
    return a->signals ? 0 : -1;
}

static int adopt_equip(struct frontend *s, struct err *err)
{
    struct adopt *a = adopt_of(s);
    bool remote = hosts_any_remote(s->conf->hosts);

    return adoptenv_library(a->preload, &s->place, remote ? a->socket : NULL,
                            a->link, err);
}

static void adopt_stop(struct frontend *s)
{
    launcher_fini(&adopt_of(s)->launcher);
    if (adopt_of(s)->link[0])
        unlink(adopt_of(s)->link);
}

static void adopt_close(struct frontend *s)
{
    struct adopt *a = adopt_of(s);

    timer_free(a->patience);
    timer_free(a->kill);
    suspend_close(a->suspend);
    ttysignal_close(a->signals);
    if (a->script >= 0)
        close(a->script);
}

static const struct frontend_ops adopt_ops = {
    .open = adopt_open, .output = adopt_output, .equip = adopt_equip,
    .submit = adopt_submit, .state = adopt_state, .ended = adopt_ended,
    .lost = adopt_lost, .failed = adopt_fail, .private_failed = adopt_fail,
    .timed_out = adopt_timed_out, .located = adopt_located,
    .stdtim_only = true, .torn = adopt_torn, .silent = adopt_silent,
    .draining = adopt_draining, .stop = adopt_stop, .close = adopt_close
};

static int adopt_session(const struct frontend_conf *conf, pid_t shell,
                         int script)
{
    uint32_t n = (uint32_t)conf->hosts->n;
    struct adopt a = { .s = { .conf = conf, .ops = &adopt_ops,
                              .nstreams = n ? n : ADOPT_NODES },
                       .shell = shell, .script = script };

    launcher_init(&a.launcher, adopt_on_launcher, &a);
    adoptenv_socket(a.socket);
    frontend_lead(&a.s);
    return adopt_status(&a);
}

/* In the background, for --adopt-env. */
static int adopt_behind(void *arg, int script)
{
    const struct adopt_shell *shell = arg;

    return adopt_session(shell->conf, shell->pid, script);
}

int adopt_run(const struct frontend_conf *conf)
{
    const char *text = conf->options->adopt_env;
    struct adopt_shell shell = { .conf = conf };

    if (!text)
        return adopt_session(conf, 0, -1);
    shell.pid = *text ? (pid_t)atol(text) : getppid();
    return background_run(adopt_behind, &shell);
}
