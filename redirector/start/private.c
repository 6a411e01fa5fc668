/* private.c - starts the processes of a run and sees them off.
 *
 * Who is who: members[0] is the master, members[1 + i] the slave of
 * hosts->v[i], directly started or behind its agent. Invariant: a member's
 * child is not NULL exactly while that process runs. */
#include "redirector/start/private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/link/addr.h"
#include "proto/link/timer.h"
#include "redirector/batch/agent.h"
#include "redirector/out/say.h"
#include "redirector/start/child.h"

/* How long processes may take to leave by themselves, and after TERM. */
#define PRIVATE_LEAVE_NS (5 * CLOCK_NS_PER_S)
#define PRIVATE_TERM_NS (2 * CLOCK_NS_PER_S)
enum { PRIVATE_SOCKETS = 2 };   /* the Unix one, and TCP for other hosts */
/* A batch system that is just not there is tried so often, at such a distance. */
enum { PRIVATE_TRIES = 30 };
#define PRIVATE_AGAIN_NS CLOCK_NS_PER_S

struct member {
    struct private *owner;      /* borrowed */
    struct child *child;        /* owned by child.c */
    const struct host *host;    /* borrowed; NULL: the master */
    bool joined;
    unsigned tries;             /* so often its agent was in vain, */
    struct event *later;        /* owned: and it is called again; NULL: it was not */
};

struct private {
    struct event_base *base;    /* borrowed */
    struct private_conf conf;
    struct member *members;     /* owned */
    size_t nmembers;
    char unix_address[ADDR_TEXT_MAX];
    char tcp_addresses[ADDR_LIST_MAX];
    struct event *timer;        /* owned; while closing */
    void (*done)(void *arg);
    int sockets[PRIVATE_SOCKETS];       /* owned: where the master listens */
    int nsockets;
    bool settled, failed, closing, termed;
    bool again;                 /* the master was started a second time */
};

static int private_start_master(struct private *p, struct err *err);
static int private_start_slave(struct private *p, struct member *m,
                               struct err *err);

/* ------------------------------------------------------------------- end */

static const char *private_agent(const struct private *p)
{
    return p->conf.agent ? p->conf.agent : agent_default(p->conf.hosts);
}

static void private_fail(struct private *p, const char *sentence)
{
    if (p->failed || p->closing)
        return;
    p->failed = true;
    p->conf.on_failure(p->conf.arg, sentence);
}

static bool private_all_gone(const struct private *p)
{
    for (size_t i = 0; i < p->nmembers; i++)
        if (p->members[i].child)
            return false;
    return true;
}

/* Once it is started again, on the sockets that we have kept: slaves and our
 * own link come back to it, and the database tells it the rest. */
static void private_master_died(struct private *p, int status,
                                const char *fate)
{
    char sentence[400];
    struct err err;

    if (WIFSIGNALED(status) && !p->again) {
        p->again = true;
        say(SAY_NOTE, "hector-master %s: started again, the job runs on",
            fate);
        if (private_start_master(p, &err) == 0)
            return;
        say(SAY_ERROR, "%s", err.text);
    }
    snprintf(sentence, sizeof(sentence),
             "hector-master %s before the job was done", fate);
    private_fail(p, sentence);
    for (size_t i = 1; i < p->nmembers; i++)
        if (p->members[i].child)
            child_kill(p->members[i].child, SIGTERM);
}

static void private_on_later(evutil_socket_t fd, short what, void *arg)
{
    struct member *m = arg;
    struct err err;

    (void)fd, (void)what;
    if (!m->owner->closing && private_start_slave(m->owner, m, &err))
        private_fail(m->owner, err.text);
}

/* Its agent has ended, with these words at last: once more, in a while? */
static bool private_tries_again(struct private *p, struct member *m,
                                const char *words)
{
    if (p->failed || !agent_may_pass(private_agent(p), words) ||
        m->tries + 1 >= PRIVATE_TRIES)
        return false;
    if (!m->later)
        m->later = evtimer_new(p->base, private_on_later, m);
    if (!m->later)
        return false;
    m->tries++;
    timer_set(m->later, PRIVATE_AGAIN_NS);
    say(SAY_VERBOSE, "%s is tried again: %s", m->host->name, words);
    return true;
}

static void private_on_exit(void *arg, struct child *c, int status)
{
    struct member *m = arg;
    struct private *p = m->owner;
    const char *words = child_passed_over(c);
    char fate[100], sentence[600];

    child_fate(status, fate, sizeof(fate));
    m->child = NULL;
    if (p->closing) {
        if (p->done && private_all_gone(p))
            event_active(p->timer, EV_TIMEOUT, 0);
        return;
    }
    if (!m->host) {
        private_master_died(p, status, fate);
    } else if (!m->joined && !p->settled && m->host->local) {
        snprintf(sentence, sizeof(sentence),
                 "hector-slave for %s %s before it joined the master",
                 m->host->name, fate);
        private_fail(p, sentence);
    } else if (!m->joined && !p->settled && private_tries_again(p, m, child_last(c))) {
        return;
    } else if (!m->joined && !p->settled) {
        const char *agent = private_agent(p);

        snprintf(sentence, sizeof(sentence), "cannot reach %s: launch agent "
                 "\"%.100s\" %s before a slave joined from there%s%s",
                 m->host->name, agent, fate, *words ? ": " : "", words);
        private_fail(p, sentence);
    } else {
        say(SAY_VERBOSE, "%s %s", child_who(c), fate);
    }
}

static void private_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct private *p = arg;

    (void)fd;
    (void)what;
    for (size_t i = 0; i < p->nmembers; i++)
        if (p->members[i].child)
            say(SAY_VERBOSE, "%s does not end by itself",
                child_who(p->members[i].child));
    if (p->termed || private_all_gone(p)) {
        event_del(p->timer);
        p->done(p->conf.arg);
        return;
    }
    for (size_t i = 0; i < p->nmembers; i++)
        if (p->members[i].child)
            child_kill(p->members[i].child, SIGTERM);
    p->termed = true;
    timer_set(p->timer, PRIVATE_TERM_NS);
}

void private_close(struct private *p, bool at_once, void (*done)(void *arg))
{
    p->closing = true;
    p->done = done;
    timer_set(p->timer, PRIVATE_LEAVE_NS);
    if (at_once || p->failed)   /* that we end them is no news */
        child_hush_all();
    for (size_t i = 0; i < p->nmembers; i++) {
        const struct member *m = &p->members[i];
        bool waits = m->host && !m->host->local && !m->joined && !p->settled;

        if (m->child && (at_once || waits))
            child_kill(m->child, SIGTERM);
    }
    if (private_all_gone(p))
        event_active(p->timer, EV_TIMEOUT, 0);
}

/* From now on nobody is started, or told of, and nobody listens for slaves. */
static void private_abandon(struct private *p)
{
    p->closing = true;
    while (p->nsockets > 0)
        close(p->sockets[--p->nsockets]);
}

/* To the guard of a slave only: who hears of it twice has no patience. */
void private_end_alone(struct private *p)
{
    private_abandon(p);
    if (p->members[0].child)
        child_kill(p->members[0].child, SIGKILL);
    for (size_t i = 1; i < p->nmembers; i++)
        if (p->members[i].child)
            child_tell(p->members[i].child, SIGTERM);
}

void private_end_all(struct private *p)
{
    if (p)
        private_abandon(p);
    child_end_all();
}

void private_destroy(struct private *p)
{
    if (!p)
        return;
    private_abandon(p);
    timer_free(p->timer);
    for (size_t i = 0; p->members && i < p->nmembers; i++)
        timer_free(p->members[i].later);
    free(p->members);
    free(p);
}

/* ----------------------------------------------------------------- start */

static int private_start(struct private *p, struct member *m, const char *who,
                         char *const *argv, const int *fds, int nfds,
                         const char *input, struct err *err)
{
    bool remote = m->host && !m->host->local;
    struct child_conf conf = { .who = who, .argv = argv, .nfds = nfds,
                               .input = input, .on_exit = private_on_exit,
                               .guard = m->host && m->host->local,
                               .held = m->host ? 0 : p->conf.lock, .arg = m };

    if (remote) {
        conf.noise = agent_noise(private_agent(p));
        conf.unset = agent_unset(private_agent(p));
    }

    if (nfds > 0)
        memcpy(conf.fds, fds, (size_t)nfds * sizeof(int));
    m->child = child_start(p->base, &conf, err);
    return m->child ? 0 : -1;
}

/* The sockets the master is to listen on, in p->sockets. */
static int private_listen(struct private *p, struct err *err)
{
    struct addr a = { .is_unix = true }, tcp = { .host = "*" };
    int fd;

    snprintf(a.host, sizeof(a.host), "%s/master.sock", p->conf.dir);
    addr_format(&a, p->unix_address, sizeof(p->unix_address));
    if ((fd = addr_listen(&a, err)) < 0)
        return -1;
    p->sockets[p->nsockets++] = fd;
    if (!hosts_any_remote(p->conf.hosts))
        return 0;
    if ((fd = addr_listen(&tcp, err)) < 0)
        return -1;
    p->sockets[p->nsockets++] = fd;
    return addr_list_local(tcp.port, p->tcp_addresses,
                           sizeof(p->tcp_addresses), err) < 0 ? -1 : 0;
}

static int private_start_master(struct private *p, struct err *err)
{
    char path[PATHS_MAX];

    if (paths_sibling("hector-master", path, sizeof(path), err) < 0 ||
        (p->nsockets == 0 && private_listen(p, err) < 0))
        return -1;
    char *argv[] = { path, (char *)"-d", (char *)"--private", NULL, NULL, NULL,
                     NULL };
    int words = 3;

    if (p->conf.db) {
        argv[words++] = (char *)"--db";
        argv[words++] = (char *)p->conf.db;
    }
    if (p->conf.verbose)
        argv[words++] = (char *)"-v";
    return private_start(p, &p->members[0], "master", argv, p->sockets,
                         p->nsockets, NULL, err);
}

static int private_start_slave(struct private *p, struct member *m,
                               struct err *err)
{
    const struct host *h = m->host;
    char path[PATHS_MAX];
    const char *argv[12] = { path, "-d", "--private", "--name", h->name,
                             "--master",
                             h->local ? p->unix_address : p->tcp_addresses };
    int words = 7;
    char key[KEY_HEX + 1];

    if (paths_sibling("hector-slave", path, sizeof(path), err) < 0)
        return -1;
    if (p->conf.verbose)
        argv[words++] = "-v";
    if (h->local)
        return private_start(p, m, h->name, (char *const *)argv, NULL, 0, NULL,
                             err);
    argv[words++] = "--key-stdin";
    key_to_hex(p->conf.key, key);
    strcat(key, "\n");
    char **all = agent_words(private_agent(p), h, argv, err);
    int rc = -1;

    if (all) {
        rc = private_start(p, m, h->name, all, NULL, 0, key, err);
        if (rc < 0)
            err_prefix(err, "launch agent for %s", h->name);
    }
    explicit_bzero(key, sizeof(key));
    agent_free(all);
    return rc;
}

struct private *private_open(struct event_base *base,
                             const struct private_conf *conf,
                             struct err *err)
{
    struct private *p = calloc(1, sizeof(*p));

    if (p)
        p->members = calloc(conf->hosts->n + 1, sizeof(*p->members));
    if (p)
        p->timer = evtimer_new(base, private_on_timer, p);
    if (!p || !p->members || !p->timer) {
        private_destroy(p);
        return err_memory(err), NULL;
    }
    p->base = base;
    p->conf = *conf;
    p->nmembers = conf->hosts->n + 1;
    for (size_t i = 0; i < p->nmembers; i++) {
        p->members[i].owner = p;
        p->members[i].host = i ? &conf->hosts->v[i - 1] : NULL;
    }
    int rc = private_start_master(p, err);

    for (size_t i = 1; rc == 0 && i < p->nmembers; i++)
        rc = private_start_slave(p, &p->members[i], err);
    if (rc == 0)
        return p;
    private_end_all(p);
    private_destroy(p);
    return NULL;
}

const char *private_address(const struct private *p)
{
    return p->unix_address;
}

void private_joined(struct private *p, const char *name)
{
    for (size_t i = 1; i < p->nmembers; i++)
        if (strcmp(p->members[i].host->name, name) == 0)
            p->members[i].joined = true;
}

bool private_has_master(const struct private *p)
{
    return p && p->members[0].child;
}

void private_settled(struct private *p)
{
    p->settled = true;
}
