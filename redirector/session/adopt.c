/* adopt.c - one session of adopted tasks, from the first socket to the exit
 * status.
 *
 *   STARTING --Accepted, slaves prepared--> WATCHING   the command runs
 *   WATCHING --it has ended--> ENDING                  AdoptEnd is sent
 *   ENDING --JobEnded--> DRAINING                      stdtim still comes
 *   DRAINING --no link left--> FLUSHING                it is being written
 *   FLUSHING --all written--> LEAVING                  our processes end
 *
 * Phases only grow. Failures before WATCHING end it; in WATCHING the link to
 * the master may be lost (uplink is NULL then) and the command runs on; its
 * end leads from there to DRAINING. */
#include "redirector/session/adopt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/base/signals.h"
#include "redirector/in/ttysignal.h"
#include "redirector/link/links.h"
#include "redirector/link/uplink.h"
#include "redirector/out/output.h"
#include "redirector/out/say.h"
#include "redirector/session/behind.h"
#include "redirector/session/status.h"
#include "redirector/session/where.h"
#include "redirector/start/adoptenv.h"
#include "redirector/start/child.h"
#include "redirector/start/launcher.h"
#include "redirector/start/private.h"
#include "redirector/start/submit.h"

/* How long tasks may outlive their launcher and still be watched to their
 * end; the master may take to write; links may be silent; after TERM. */
#define ADOPT_TASKS_NS (2 * CLOCK_NS_PER_S)
#define ADOPT_MASTER_NS (20 * CLOCK_NS_PER_S)
#define ADOPT_SILENCE_NS (5 * CLOCK_NS_PER_S)
#define ADOPT_GRACE_NS (2 * CLOCK_NS_PER_S)

enum { ADOPT_NODES = 4096 };    /* that may bring stdtim */

enum adopt_phase { ADOPT_STARTING, ADOPT_WATCHING, ADOPT_ENDING,
                   ADOPT_DRAINING, ADOPT_FLUSHING, ADOPT_LEAVING };

struct adopt {
    const struct run_conf *conf;        /* borrowed */
    struct event_base *base;            /* owned, as all below */
    enum adopt_phase phase;
    struct status status;               /* until the command runs */
    bool ran;
    int code;                           /* of the command, then */
    bool timed_out;
    char dir[PATHS_MAX];                /* "" if not made */
    char socket[ADOPTENV_SOCKET];       /* of the tasks */
    char preload[PATHS_MAX];
    char link[PATHS_MAX];               /* that leads there; "": none */
    struct key *key;                    /* NULL: not needed */
    struct private *private;            /* NULL: standing master */
    struct uplink *uplink;
    struct links *links;
    struct output *output;              /* NULL: no stdtim */
    struct launcher launcher;
    pid_t shell;                        /* --adopt-env; 0: a command */
    int script;                         /* where its lines go; -1: done */
    struct ttysignal *signals;
    struct event *timeout, *patience, *kill;
    struct where *where;                /* NULL: not asked */
    uint64_t job;
    bool ending;                        /* somebody wants its end */
};

struct adopt_shell { const struct run_conf *conf; pid_t pid; };

static void adopt_set_timer(struct event *ev, uint64_t ns)
{
    struct timeval tv = clock_timeval(ns);

    event_add(ev, &tv);
}

/* ----------------------------------------------------------- how it ends */

static void adopt_on_gone(void *arg)
{
    event_base_loopbreak(((struct adopt *)arg)->base);
}

static void adopt_leave(void *arg)
{
    struct adopt *a = arg;

    a->phase = ADOPT_LEAVING;
    if (a->private)
        private_close(a->private, a->job == 0, adopt_on_gone);
    else
        event_base_loopbreak(a->base);
}

static void adopt_flush(struct adopt *a)
{
    a->phase = ADOPT_FLUSHING;
    event_del(a->patience);
    if (a->output)
        output_finish(a->output, adopt_leave);
    else
        adopt_leave(a);
}

static void adopt_drain(struct adopt *a)
{
    if (a->phase >= ADOPT_DRAINING)
        return;
    a->phase = ADOPT_DRAINING;
    event_del(a->timeout);
    event_del(a->kill);
    uplink_close(a->uplink);
    a->uplink = NULL;
    if (links_count(a->links) == 0)
        adopt_flush(a);
    else
        adopt_set_timer(a->patience, ADOPT_SILENCE_NS);
}

/* Hector itself cannot go on; also a callback of private.h. */
static void adopt_fail(void *arg, const char *sentence)
{
    struct adopt *a = arg;

    if (a->phase >= ADOPT_ENDING)
        return;
    if (a->phase == ADOPT_WATCHING) {
        say(SAY_ERROR, "%s: the command runs on unwatched", sentence);
        uplink_close(a->uplink);
        a->uplink = NULL;
        return;
    }
    say(SAY_ERROR, "%s", sentence);
    status_note(&a->status, STATUS_BY_FAILURE, 0);
    adopt_drain(a);
}

/* The master or a slave has not said its last word in time. */
static void adopt_on_patience(evutil_socket_t fd, short what, void *arg)
{
    struct adopt *a = arg;

    (void)fd, (void)what;
    say(SAY_ERROR, a->phase == ADOPT_ENDING
        ? "the master does not say that the job is recorded"
        : "the stdtim stream may be incomplete: a slave has not closed it");
    if (a->phase == ADOPT_ENDING)
        adopt_drain(a);
    else
        adopt_flush(a);
}

/* --------------------------------------------------------- the command */

static int adopt_status(const struct adopt *a)
{
    return a->timed_out ? STATUS_TIMEOUT
           : a->ran ? a->code : status_exit_code(&a->status);
}

static void adopt_on_launcher(void *arg, int status)
{
    struct adopt *a = arg;
    int sig = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (status >= 0)
        a->code = sig ? STATUS_SIGNAL + sig : WEXITSTATUS(status);
    event_del(a->timeout);
    event_del(a->kill);
    if (!a->uplink) {
        adopt_drain(a);
        return;
    }
    a->phase = ADOPT_ENDING;
    uplink_adopt_end(a->uplink, status < 0, adopt_status(a),
                     a->timed_out ? 0 : sig, ADOPT_TASKS_NS);
    adopt_set_timer(a->patience, ADOPT_MASTER_NS);
}

/* It could not even be executed: that is how it ended. */
static void adopt_no_launcher(struct adopt *a, const struct err *err)
{
    say(SAY_ERROR, "%s", err->text);
    adopt_on_launcher(a, W_EXITCODE(err->code == ENOENT ? 127 : 126, 0));
}

static void adopt_start(struct adopt *a)
{
    const struct run_conf *c = a->conf;
    char *const *argv = c->options->apps[0].argv;
    bool export = !a->shell && hosts_any_remote(c->hosts) &&
        adoptenv_may_export(argv, getenv("OMPI_MCA_mca_base_env_list"));
    struct adoptenv env;
    struct err err;

    if (adoptenv_make(&env, a->socket, a->job, a->preload,
                      getenv("LD_PRELOAD"), export) < 0) {
        adopt_fail(a, "out of memory");
        return;
    }
    a->phase = ADOPT_WATCHING;
    a->ran = true;
    if (a->shell) {
        if (launcher_watch(&a->launcher, a->base, a->shell, &err) < 0) {
            say(SAY_ERROR, "%s", err.text);
            adopt_on_launcher(a, -1);
        } else {
            behind_send(a->script, adoptenv_script(&env));
            a->script = -1;
        }
    } else if (launcher_start(&a->launcher, a->base, argv, &env, &err) < 0) {
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
    adopt_set_timer(a->kill, ADOPT_GRACE_NS);
}

static void adopt_on_kill(evutil_socket_t fd, short what, void *arg)
{
    struct adopt *a = arg;

    (void)fd, (void)what;
    launcher_signal(&a->launcher, SIGKILL);
}

/* The tasks have been looked for. */
static void adopt_end_late(void *arg)
{
    struct adopt *a = arg;

    if (a->phase == ADOPT_WATCHING && a->uplink)
        uplink_kill(a->uplink, "time-out", STATUS_TIMEOUT, 0, false);
    if (a->phase == ADOPT_WATCHING)
        adopt_end_command(a);
}

static void adopt_on_timeout(evutil_socket_t fd, short what, void *arg)
{
    struct adopt *a = arg;

    (void)fd, (void)what;
    say(SAY_ERROR, "time-out of %g s: the command is ended",
        (double)a->conf->options->timeout_ns / 1e9);
    a->timed_out = true;
    if (a->phase == ADOPT_STARTING) {
        status_note(&a->status, STATUS_BY_TIMEOUT, 0);
        adopt_drain(a);
        return;
    }
    a->where = where_ask(a->base, a->private ? private_address(a->private)
                                             : a->conf->master,
                         a->uplink ? a->job : 0, adopt_end_late, a);
}

/* ---------------------------------------------------------------- signals */

/* What the terminal sends has reached the command as well. */
static void adopt_on_signal(void *arg, int sig, bool from_terminal)
{
    struct adopt *a = arg;
    bool end = sig != SIGUSR1 && sig != SIGUSR2;

    if (sig == SIGCHLD) {
        child_reap_all();
    } else if (end && a->phase == ADOPT_STARTING) {
        status_note(&a->status, STATUS_BY_SIGNAL, sig);
        adopt_drain(a);
    } else if (end && a->phase > ADOPT_WATCHING) {
        say(SAY_ERROR, "%s: left without waiting for the record",
            signals_name(sig));
        event_base_loopbreak(a->base);
    } else if (end && a->shell) {
        launcher_fini(&a->launcher);    /* watch it no more */
        adopt_on_launcher(a, -1);
    } else if (!from_terminal) {
        launcher_signal(&a->launcher, sig);
    }
}

/* ----------------------------------------------------------------- stdtim */

static void adopt_on_output(void *arg, uint32_t node, int stream,
                            const void *p, size_t n, uint64_t at_ns)
{
    struct adopt *a = arg;

    if (a->output && stream == HCT__STREAM__STREAM_STDTIM)
        output_take(a->output, node, stream, p, n, at_ns);
}

static void adopt_on_output_end(void *arg, uint32_t node, int stream)
{
    struct adopt *a = arg;

    if (a->output && stream == HCT__STREAM__STREAM_STDTIM)
        output_end(a->output, node, stream);
}

static void adopt_on_full(void *arg)
{
    struct adopt *a = arg;

    links_pause(a->links);
    if (a->phase == ADOPT_DRAINING)
        event_del(a->patience);
}

static void adopt_on_room(void *arg)
{
    struct adopt *a = arg;

    links_resume(a->links);
    if (a->phase == ADOPT_DRAINING)
        adopt_set_timer(a->patience, ADOPT_SILENCE_NS);
}

static void adopt_on_error(void *arg, const struct err *err)
{
    (void)arg;                  /* the command cannot help it */
    say(err->code == EPIPE ? SAY_VERBOSE : SAY_ERROR, "%s", err->text);
}

static void adopt_on_join(void *arg, const char *name)
{
    struct adopt *a = arg;

    if (a->private)
        private_joined(a->private, name);
}

static void adopt_on_leave(void *arg, const char *name, const char *why)
{
    struct adopt *a = arg;

    if (why)
        say(SAY_ERROR, "the stdtim stream of tasks on %s may be incomplete: "
            "%s", name, why);
    /* The link is counted until this returns. */
    if (a->phase == ADOPT_DRAINING && links_count(a->links) == 1)
        adopt_flush(a);
}

static void adopt_on_credit(void *arg)
{
    (void)arg;                  /* nobody here reads for the tasks */
}

/* ----------------------------------------------------------------- master */

static void adopt_on_ready(void *arg)
{
    static char *const no_env[] = { NULL };
    struct adopt *a = arg;
    struct links_where where = links_where(a->links);
    const struct run_conf *c = a->conf;
    struct err err;
    Hct__Submit *m = submit_build(c->options, c->hosts, c->hosts->n > 0,
                                  no_env, c->argv, &where, &err);

    if (m) {
        m->adopt_socket = a->socket;
        m->stdin_ranks = (char *)"";
    }
    if (!m || uplink_submit(a->uplink, m, &err) < 0)
        adopt_fail(a, err.text);
    submit_free(m);
}

static void adopt_on_accepted(void *arg, uint64_t job, const char *name)
{
    struct adopt *a = arg;

    a->job = job;
    links_set_job(a->links, job);
    say(SAY_VERBOSE, "job %llu is called %s", (unsigned long long)job, name);
}

static void adopt_on_notice(void *arg, const char *text, bool error)
{
    (void)arg;
    say(error ? SAY_ERROR : SAY_NOTE, "%s", text);
}

static void adopt_on_state(void *arg, const char *state, uint32_t started,
                           uint32_t ntasks)
{
    struct adopt *a = arg;

    say(SAY_VERBOSE, "job %llu is %s, %u of %u tasks run",
        (unsigned long long)a->job, state, started, ntasks);
    if (a->private && strcmp(state, "starting") == 0)
        private_settled(a->private);
    if (strcmp(state, "starting") == 0 && a->phase == ADOPT_STARTING)
        adopt_start(a);
    else if (strcmp(state, "ending") == 0)
        adopt_end_command(a);
}

static void adopt_on_ended(void *arg, int code, const char *why)
{
    struct adopt *a = arg;

    if (a->phase == ADOPT_WATCHING) {
        adopt_fail(a, *why ? why : "the master has ended the job");
        return;
    }
    if (*why)
        say(a->ran ? SAY_VERBOSE : SAY_ERROR, "%s", why);
    if (!a->ran)
        status_end(&a->status, code);
    else if (code == STATUS_HUNG)
        a->code = code;
    adopt_drain(a);
}

static void adopt_on_lost(void *arg, const struct err *why)
{
    struct adopt *a = arg;
    char sentence[400];

    snprintf(sentence, sizeof(sentence), "%s: %s",
             a->job ? "lost the master" : "cannot use the master", why->text);
    if (a->phase >= ADOPT_ENDING) {
        say(SAY_ERROR, "%s", sentence);
        adopt_drain(a);
    } else {
        adopt_fail(a, sentence);
    }
}

/* ------------------------------------------------------------------ start */

static int adopt_open_events(struct adopt *a, struct err *err)
{
    a->base = event_base_new();
    if (!a->base)
        return err_set(err, ENOMEM, "cannot start the event loop");
    a->timeout = evtimer_new(a->base, adopt_on_timeout, a);
    a->patience = evtimer_new(a->base, adopt_on_patience, a);
    a->kill = evtimer_new(a->base, adopt_on_kill, a);
    if (!a->timeout || !a->patience || !a->kill)
        return err_set(err, ENOMEM, "out of memory");
    a->signals = ttysignal_open(a->base, adopt_on_signal, a, err);
    return a->signals ? 0 : -1;
}

static int adopt_open_streams(struct adopt *a, bool tcp, struct err *err)
{
    const char *stdtim = a->conf->options->stdtim;
    uint32_t n = (uint32_t)a->conf->hosts->n, nodes = n ? n : ADOPT_NODES;
    struct links_conf links = {
        .dir = a->dir, .tcp = tcp, .key = a->key,
        .ntasks = nodes, .on_output = adopt_on_output,
        .on_output_end = adopt_on_output_end, .on_join = adopt_on_join,
        .on_leave = adopt_on_leave, .on_credit = adopt_on_credit, .arg = a
    };
    struct output_conf output = {
        .ntasks = nodes, .stdtim = stdtim, .on_full = adopt_on_full,
        .on_room = adopt_on_room, .on_error = adopt_on_error, .arg = a
    };

    a->links = links_open(a->base, &links, err);
    if (!a->links)
        return -1;
    if (stdtim)
        a->output = output_open(a->base, &output, err);
    return stdtim && !a->output ? -1 : 0;
}

static int adopt_open_master(struct adopt *a, struct err *err)
{
    static const struct uplink_ops ops = {
        .ready = adopt_on_ready, .accepted = adopt_on_accepted,
        .notice = adopt_on_notice, .state = adopt_on_state,
        .ended = adopt_on_ended, .lost = adopt_on_lost
    };
    const struct run_conf *c = a->conf;
    const char *address = c->master;

    if (!address) {
        struct private_conf conf = {
            .dir = a->dir, .hosts = c->hosts, .agent = c->agent, .db = c->db,
            .key = a->key, .verbose = c->options->verbose,
            .on_failure = adopt_fail, .arg = a
        };

        a->private = private_open(a->base, &conf, err);
        if (!a->private)
            return -1;
        address = private_address(a->private);
    }
    a->uplink = uplink_open(a->base, address, a->key, &ops, a, err);
    if (!a->uplink)
        return err_prefix(err, "master at %.80s", address);
    return 0;
}

static int adopt_open(struct adopt *a, struct err *err)
{
    bool remote = hosts_any_remote(a->conf->hosts);
    bool tcp = a->conf->master || remote;

    if (adopt_open_events(a, err) < 0 ||
        (tcp && !(a->key = key_own(err))) ||
        (!a->conf->master && paths_make_private_dir(a->dir, PATHS_MAX, err)) ||
        adoptenv_library(a->preload, a->dir, remote ? a->socket : NULL,
                         a->link, err) < 0 ||
        adopt_open_streams(a, tcp, err) < 0 ||
        adopt_open_master(a, err) < 0)
        return -1;
    if (a->conf->options->timeout_ns)
        adopt_set_timer(a->timeout, a->conf->options->timeout_ns);
    return 0;
}

static void adopt_close(struct adopt *a)
{
    struct event *timers[] = { a->timeout, a->patience, a->kill };
    struct err err;

    where_close(a->where);
    private_end_all(a->private);
    uplink_close(a->uplink);
    private_destroy(a->private);
    links_close(a->links);
    output_close(a->output);
    launcher_fini(&a->launcher);
    if (a->link[0])
        unlink(a->link);
    if (a->dir[0] && paths_remove_tree(a->dir, &err) < 0)
        say(SAY_ERROR, "%s", err.text);
    for (int i = 0; i < 3; i++)
        if (timers[i])
            event_free(timers[i]);
    ttysignal_close(a->signals);
    if (a->script >= 0)
        close(a->script);
    if (a->base)
        event_base_free(a->base);
    key_free(a->key);
}

static int adopt_session(const struct run_conf *conf, pid_t shell, int script)
{
    struct adopt a = { .conf = conf, .shell = shell, .script = script };
    struct err err = { 0 };

    launcher_init(&a.launcher, adopt_on_launcher, &a);
    signal(SIGXFSZ, SIG_IGN);
    adoptenv_socket(a.socket);
    if (adopt_open(&a, &err) < 0) {
        say(SAY_ERROR, "%s", err.text);
        status_note(&a.status, STATUS_BY_FAILURE, 0);
    } else {
        event_base_dispatch(a.base);
    }
    adopt_close(&a);
    return adopt_status(&a);
}

/* In the background, for --adopt-env. */
static int adopt_behind(void *arg, int script)
{
    const struct adopt_shell *shell = arg;

    return adopt_session(shell->conf, shell->pid, script);
}

int adopt_run(const struct run_conf *conf)
{
    const char *text = conf->options->adopt_env;
    struct adopt_shell shell = { .conf = conf };

    if (!text)
        return adopt_session(conf, 0, -1);
    shell.pid = *text ? (pid_t)atol(text) : getppid();
    return behind_run(adopt_behind, &shell);
}
