/* main.c - hector-master(8): options, sockets, and who hears of what. */
#include <errno.h>
#include <event2/event.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "master/flow/flow.h"
#include "master/flow/recover.h"
#include "master/flow/relay.h"
#include "master/peers/listen.h"
#include "master/peers/session.h"
#include "master/store/alive.h"
#include "master/store/events.h"
#include "master/store/journal.h"
#include "master/store/store.h"
#include "proto/base/args.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/limits.h"
#include "proto/base/paths.h"
#include "proto/conf/conf.h"
#include "proto/link/conn.h"
#include "proto/link/key.h"

struct master_conf {
    char *listen, *database, *key_file;
    char *policies;
    int64_t kills_per_hour, hang_samples;
    uint64_t looks_kept_bytes;
    uint64_t judge_step_ns, judge_memory_bytes;
    int64_t judge_restarts;
    uint64_t join_wait_ns, prepare_wait_ns, lost_wait_ns, end_wait_ns;
    uint64_t tree_wait_ns;
    int64_t tree_fan_out, tree_levels;
};

#define MASTER_FIELD(f) offsetof(struct master_conf, f)
static const struct conf_key master_keys[] = {
    { "master", "listen", CONF_TEXT, MASTER_FIELD(listen), "", 0, 0,
      "Where to listen: a list of unix:/path and tcp:host:port. Empty: "
      "master.sock in the runtime directory." },
    { "master", "database", CONF_TEXT, MASTER_FIELD(database), "", 0, 0,
      "The database file. Empty: $HECTOR_DB, else hector/hector.db in the "
      "state directory." },
    { "master", "key_file", CONF_TEXT, MASTER_FIELD(key_file), "", 0, 0,
      "The cluster key, for links over TCP. Empty: $HECTOR_KEY_FILE, else "
      "hector/key in the configuration directory." },
    { "master", "join_wait", CONF_DURATION, MASTER_FIELD(join_wait_ns), "60s",
      0, 86400, "How long a job waits for hosts that have not joined." },
    { "master", "prepare_wait", CONF_DURATION, MASTER_FIELD(prepare_wait_ns),
      "60s", 1, 86400, "How long slaves may take to prepare a job." },
    { "master", "slave_lost", CONF_DURATION, MASTER_FIELD(lost_wait_ns), "4s",
      0, 86400, "How long a slave with tasks that has lost its link may take "
      "to come back." },
    { "master", "end_wait", CONF_DURATION, MASTER_FIELD(end_wait_ns), "30s",
      1, 86400, "How long a slave may take, beyond the grace, to end tasks "
      "and to clear up behind them." },
    { "master", "tree_fan_out", CONF_INT, MASTER_FIELD(tree_fan_out), "32",
      0, 65536, "When something is gathered from many slaves: the most that "
      "are below the master, or below one of them. 0: by tree_levels." },
    { "master", "tree_levels", CONF_INT, MASTER_FIELD(tree_levels), "2",
      1, 16, "Where tree_fan_out is 0: levels of slaves below the master." },
    { "master", "tree_wait", CONF_DURATION, MASTER_FIELD(tree_wait_ns), "10s",
      0.1, 3600, "When nothing new has come for so long, what has been gathered is the "
      "result." },
    { "master", "policies", CONF_TEXT, MASTER_FIELD(policies), "hang", 0, 0,
      "Policies that watch every job, with their parameters, separated by "
      "blanks; hector-run --policy none declines them." },
    { "master", "kills_per_hour", CONF_INT, MASTER_FIELD(kills_per_hour),
      "20", 0, 64, "How many jobs policies may end within an hour "
      "(--on-hang kill)." },
    { "master", "hang_samples", CONF_INT, MASTER_FIELD(hang_samples), "3",
      0, 1000, "How often, 10 ms apart, the stacks of all tasks are taken when "
      "a policy finds a hang; hector why and hector stack --last show them. 0: "
      "not at all." },
    { "master", "looks_kept", CONF_BYTES, MASTER_FIELD(looks_kept_bytes),
      "32M", 65536, 1e12, "How much is kept of what policies saw of a job." },
    { "master", "judge_step", CONF_DURATION, MASTER_FIELD(judge_step_ns), "10s",
      0.1, 86400, "How much time of a processor a policy may take to look at a "
      "job once, in its process, hector-judge; three times as much by the "
      "clock." },
    { "master", "judge_memory", CONF_BYTES, MASTER_FIELD(judge_memory_bytes),
      "1G", 1 << 24, 1e15, "How much memory a policy may have for a job, and 4 "
      "KiB for each of its tasks." },
    { "master", "judge_restarts", CONF_INT, MASTER_FIELD(judge_restarts), "3",
      0, 1000, "How often the process of a policy is started again for a job "
      "when it has ended, or was ended." },
    { NULL, NULL, CONF_BOOL, 0, NULL, 0, 0, NULL },
};

struct options {
    const char *file, *database;
    bool foreground, check, private;
    int verbose;
};

struct master {
    struct options options;
    struct master_conf conf;
    struct event_base *base;    /* owned, like the rest */
    struct event *term, *interrupt, *orphan;
    struct nodes nodes;
    struct jobs jobs;
    struct relay *relay;
    struct flow *flow;
    struct journal *journal;
    struct session_hub *hub;
    struct key *key;            /* NULL: no TCP */
    struct listen_set sockets;
    char database[PATHS_MAX], name[320], host[256], process[256];
    uint64_t instance;
    bool leaving;
};

static const uint64_t master_orphan_ns = 60 * CLOCK_NS_PER_S;
static const uint64_t master_leave_ns = 2 * CLOCK_NS_PER_S;
static const uint64_t master_restart_ns = 10 * CLOCK_NS_PER_S;

/* --------------------------------------------------------- when to leave */

static void master_left(void *arg)
{
    struct master *m = arg;

    event_base_loopexit(m->base, NULL);
}

static void master_leave(struct master *m)
{
    struct timeval tv = clock_timeval(master_leave_ns);

    m->leaving = true;
    log_info("master", "nothing is left to do");
    event_del(m->term);
    event_del(m->interrupt);
    event_del(m->orphan);
    event_base_loopexit(m->base, &tv);  /* whatever the peers do */
    session_hub_leave(m->hub, master_left);
}

/* A private master lives as long as its redirector and the jobs. */
static void master_check(void *arg)
{
    struct master *m = arg;
    bool over = m->options.private && session_hub_had_redirector(m->hub) &&
                session_hub_count(m->hub, HCT__ROLE__ROLE_REDIRECTOR) == 0;

    if (!m->leaving && (over || flow_stopping(m->flow)) &&
        flow_idle(m->flow) && journal_idle(m->journal))
        master_leave(m);
}

static void master_on_signal(evutil_socket_t number, short what, void *arg)
{
    struct master *m = arg;

    (void)what;
    log_info("master", "told to stop by signal %d", (int)number);
    /* A private one is a part of hector-run: who means one means both. */
    flow_stop(m->flow, m->options.private ? 128 + (int)number : FLOW_FAILURE);
    master_check(m);
}

/* Whoever started a private master has not come. */
static void master_on_orphan(evutil_socket_t fd, short what, void *arg)
{
    struct master *m = arg;

    (void)fd;
    (void)what;
    if (!session_hub_had_redirector(m->hub)) {
        log_warn("master", "nobody has submitted a job: leaving");
        master_leave(m);
    }
}

/* ------------------------------------------------------ from the journal */

static void master_on_committed(void *arg)
{
    struct master *m = arg;

    flow_committed(m->flow);
    master_check(m);
}

static void master_on_acked(void *arg, struct job *j, uint32_t rank,
                            uint64_t upto)
{
    (void)arg;
    events_ack(j, rank, upto);
}

static void master_on_pressure(void *arg, bool high)
{
    struct master *m = arg;

    log_debug("master", "slaves %s", high ? "wait for the database" : "go on");
    session_hub_hold_slaves(m->hub, high);
}

/* hector-run shows the sentence; a standing master has its log. */
static void master_warn(struct master *m, const char *why, bool bad)
{
    if (!m->options.private)
        log_warn("master", "%s", why);
    session_hub_warn(m->hub, why, bad);
}

static void master_on_told(void *arg, const char *text, bool bad)
{
    master_warn(arg, text, bad);
}

static void master_on_replaced(void *arg)
{
    struct master *m = arg;

    for (size_t i = 0; i < m->nodes.n; i++)
        journal_node(m->journal, m->nodes.v[i]);
    flow_note_all(m->flow);
}

static const struct journal_ops master_journal_ops = {
    .committed = master_on_committed,
    .acked = master_on_acked,
    .pressure = master_on_pressure,
    .replaced = master_on_replaced,
    .told = master_on_told,
};

/* ------------------------------------------------------------------ set up */

static int master_key(struct master *m, struct err *err)
{
    char path[PATHS_MAX];

    if (!m->sockets.tcp)
        return 0;
    m->key = key_new(err);
    if (!m->key)
        return -1;
    if (*m->conf.key_file)
        return key_load(m->key, m->conf.key_file, err);
    if (paths_key_file(path, sizeof(path), err))
        return -1;
    return key_load(m->key, path, err);
}

static int master_sockets(struct master *m, struct err *err)
{
    char dir[PATHS_MAX], list[PATHS_MAX + 32];

    if (listen_inherit(&m->sockets, err))
        return -1;
    if (m->sockets.n)
        return 0;
    if (m->options.private)
        return err_set(err, EINVAL, "--private needs inherited sockets");
    if (*m->conf.listen)
        return listen_bind(&m->sockets, m->conf.listen, err);
    if (paths_runtime_dir(dir, sizeof(dir), err))
        return -1;
    snprintf(list, sizeof(list), "unix:%s/master.sock", dir);
    return listen_bind(&m->sockets, list, err);
}

static int master_database(struct master *m, struct err *err)
{
    const char *path = m->conf.database;

    if (m->options.private)             /* the file is about standing ones */
        path = "";
    if (m->options.database)
        path = m->options.database;
    if (!*path)
        return paths_database(m->database, sizeof(m->database), err);
    snprintf(m->database, sizeof(m->database), "%s", path);
    return 0;
}

/* A run is never refused because of its database: why->code then says what
 * is wrong with it. */
static struct store *master_store(struct master *m, struct err *why,
                                  struct err *err)
{
    struct store *st = NULL;

    why->code = 0;
    if (master_database(m, why))
        err_prefix(why, "no database");
    else
        st = store_open(m->database, why);
    return st ? st : store_open(":memory:", err);
}

enum { MASTER_RECOVER_MS = 5000 };      /* while others have it locked */

static void master_recover(struct master *m, struct store *st)
{
    struct recover r = {
        .addresses = m->sockets.addresses, .instance = m->instance,
        .store = st, .nodes = &m->nodes, .flow = m->flow,
        .journal = m->journal,
    };
    size_t n;

    store_wait(st, MASTER_RECOVER_MS);  /* nobody is served yet */
    n = recover_jobs(&r);
    store_wait_little(st);
    if (n)
        log_info("master", "%zu jobs of the master before are taken up", n);
}

static int master_journal(struct master *m, struct err *err)
{
    struct store_master row = {
        .instance = m->instance, .pid = (uint32_t)getpid(), .host = m->host,
        .address = m->sockets.addresses, .process = m->process,
        .started_ns = clock_wall_ns(),
    };
    struct err why;
    struct store *st = master_store(m, &why, err);
    bool hope = *m->database && (!why.code || journal_may_return(&why));

    if (!st)
        return -1;
    m->journal = journal_create(m->base, st, hope ? m->database : NULL,
                                why.code ? &why : NULL, &row,
                                &master_journal_ops, m, err);
    if (!m->journal)
        return -1;
    flow_set_journal(m->flow, m->journal);
    session_hub_set_journal(m->hub, m->journal);
    if (!why.code)
        master_recover(m, st);
    return 0;
}

static int master_parts(struct master *m, struct err *err)
{
    struct flow_conf flow = {
        .watch = { .policies = m->conf.policies,
                   .tape_bytes = m->conf.looks_kept_bytes,
                   .judge = {
                       .step_ns = m->conf.judge_step_ns,
                       .memory_bytes = m->conf.judge_memory_bytes,
                       .restarts = (uint32_t)m->conf.judge_restarts } },
        .act = { .kills_per_hour = (uint32_t)m->conf.kills_per_hour,
                 .hang_samples = (uint32_t)m->conf.hang_samples },
        .instance = m->instance, .join_wait_ns = m->conf.join_wait_ns,
        .notice_ns = 5 * CLOCK_NS_PER_S, .left_wait_ns = CLOCK_NS_PER_S,
        .lost_wait_ns = m->conf.lost_wait_ns,
        .restart_wait_ns = master_restart_ns,
        .prepare_wait_ns = m->conf.prepare_wait_ns,
        .end_wait_ns = m->conf.end_wait_ns,
    };
    struct session_hub_conf hub = {
        .conn.key = m->key,
        .lost_wait_ns = m->conf.lost_wait_ns,
        .reduce = { .fan_out = (uint32_t)m->conf.tree_fan_out,
                    .levels = (uint32_t)m->conf.tree_levels,
                    .wait_ns = m->conf.tree_wait_ns },
        .instance = m->instance, .name = m->name, .quiet = master_check,
        .arg = m,
    };

    m->base = event_base_new();
    m->relay = m->base ? relay_create(m->base, &m->nodes) : NULL;
    m->flow = m->relay ? flow_create(m->base, &flow, &m->nodes, &m->jobs,
                                     m->relay) : NULL;
    m->hub = m->flow ? session_hub_create(m->base, &hub, &m->nodes, &m->jobs,
                                          m->relay, m->flow) : NULL;
    if (m->hub) {
        flow_set_reducer(m->flow, session_hub_reducer(m->hub));
        m->term = evsignal_new(m->base, SIGTERM, master_on_signal, m);
        m->interrupt = evsignal_new(m->base, SIGINT, master_on_signal, m);
        m->orphan = event_new(m->base, -1, 0, master_on_orphan, m);
    }
    if (!m->term || !m->interrupt || !m->orphan)
        return err_memory(err);
    return 0;
}

static int master_start(struct master *m, struct err *err)
{
    struct timeval tv = clock_timeval(master_orphan_ns);

    if (master_key(m, err) || master_parts(m, err) || master_journal(m, err))
        return -1;
    while (m->sockets.n)
        if (session_hub_listen(m->hub, m->sockets.fds[--m->sockets.n], err))
            return -1;
    event_add(m->term, NULL);
    event_add(m->interrupt, NULL);
    if (m->options.private)
        event_add(m->orphan, &tv);
    log_info("master", "listening on %s, database %s", m->sockets.addresses,
             m->database);
    return 0;
}

static void master_fini(struct master *m)
{
    if (m->flow)
        flow_set_reducer(m->flow, NULL);
    session_hub_destroy(m->hub);
    journal_destroy(m->journal);
    flow_destroy(m->flow);
    relay_destroy(m->relay);
    key_free(m->key);
    nodes_fini(&m->nodes);
    if (m->term)
        event_free(m->term);
    if (m->interrupt)
        event_free(m->interrupt);
    if (m->orphan)
        event_free(m->orphan);
    if (m->base)
        event_base_free(m->base);
    conf_fini(master_keys, &m->conf);
}

static void master_identity(struct master *m)
{
    const struct passwd *pw = getpwuid(getuid());

    if (getrandom(&m->instance, sizeof(m->instance), 0) !=
        sizeof(m->instance))
        m->instance = clock_wall_ns() ^ (uint64_t)getpid() << 40;
    if (gethostname(m->host, sizeof(m->host) - 1))
        snprintf(m->host, sizeof(m->host), "localhost");
    alive_self(m->process, sizeof(m->process));
    snprintf(m->name, sizeof(m->name), "%.60s@%.255s",
             pw ? pw->pw_name : "?", m->host);
}

/* ----------------------------------------------------------------- options */

#define OPTION(f) offsetof(struct options, f)
static const struct args_option master_options[] = {
    { NULL, "d foreground", ARGS_NONE, NULL,
      "stay in the foreground, log to stderr",
      args_flag, OPTION(foreground), 0, 0 },
    { NULL, "n check", ARGS_NONE, NULL, "check the configuration and exit",
      args_flag, OPTION(check), 0, 0 },
    { NULL, "f config", ARGS_VALUE, "FILE", "read this configuration file only",
      args_text, OPTION(file), 0, 0 },
    { NULL, "db", ARGS_VALUE, "FILE", "the database",
      args_text, OPTION(database), 0, 0 },
    { NULL, "private", ARGS_NONE, NULL,
      "for one hector-run: listen on inherited sockets, leave when it is gone "
      "and its jobs are recorded", args_flag, OPTION(private), 0, 0 },
    { NULL, "v verbose", ARGS_NONE, NULL, "log more; twice: everything",
      args_count, OPTION(verbose), 0, 0 },
    ARGS_COMMON,
};
static const struct args_program master_program = {
    "hector-master", "usage: hector-master [OPTION]...\n", master_options,
    sizeof(master_options) / sizeof(master_options[0]) };

int main(int argc, char **argv)
{
    struct master m = { 0 };
    struct rlimit user_limit;
    struct err err = { 0 };
    int rc, word;

    rc = args_program(&master_program, &m.options, argc, argv, &word);
    if (rc >= 0)
        return rc;
    if (word < argc) {
        fprintf(stderr, "hector-master: no word is expected, as %s\n",
                argv[word]);
        return ARGS_USAGE;
    }
    log_init("hector-master", m.options.verbose > 1 ? LOG_LEVEL_DEBUG
             : m.options.verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN);
    signal(SIGPIPE, SIG_IGN);
    limits_lift_file_size(&user_limit);
    signal(SIGUSR1, SIG_IGN);   /* a batch system means the tasks */
    signal(SIGUSR2, SIG_IGN);
    if (m.options.private)
        signal(SIGHUP, SIG_IGN);
    master_identity(&m);
    rc = conf_init(master_keys, &m.conf, &err);
    if (rc == 0)
        rc = conf_load_all(master_keys, &m.conf, m.options.file, &err);
    if (rc == 0 && m.options.check)
        return 0;
    if (rc == 0)
        rc = master_sockets(&m, &err);
    if (rc == 0 && !m.options.foreground) {
        if (daemon(0, 0))
            rc = err_sys(&err, "cannot go into the background");
        else
            log_to_syslog();
    }
    if (rc == 0)
        rc = master_start(&m, &err);
    if (rc == 0)
        event_base_dispatch(m.base);
    else
        log_warn("master", "%s", err.text);
    if (m.options.private)
        listen_remove_run(&m.sockets);
    master_fini(&m);
    return rc ? 1 : 0;
}
