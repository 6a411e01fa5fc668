/* main.c - hector-master(8): options, sockets, and when to leave. */
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "master/master.h"
#include "master/peers/listen.h"
#include "master/store/alive.h"
#include "proto/base/args.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/limits.h"
#include "proto/base/paths.h"
#include "proto/base/signals.h"
#include "proto/conf/conf.h"
#include "proto/conf/policycheck.h"
#include "proto/conf/priority.h"
#include "proto/link/greeting.h"
#include "proto/link/key.h"

struct settings {
    char *listen, *database, *key_file;
    char *policies, *optimizer;
    uint64_t optimizer_period_ns;
    int64_t kills_per_hour, hang_samples, max_priority;
    bool realtime;
    bool hang_slices;
    uint64_t looks_kept_bytes;
    uint64_t judge_step_ns, judge_memory_bytes;
    int64_t judge_restarts;
    uint64_t join_wait_ns, prepare_wait_ns, lost_wait_ns, end_wait_ns;
    uint64_t tree_wait_ns;
    int64_t tree_fan_out, tree_levels;
};

#define MASTER_FIELD(f) offsetof(struct settings, f)
static const struct conf_key master_keys[] = {
    { "master", "listen", CONF_TEXT, MASTER_FIELD(listen), "", 0, 0 },
    { "master", "database", CONF_TEXT, MASTER_FIELD(database), "", 0, 0 },
    { "master", "key_file", CONF_TEXT, MASTER_FIELD(key_file), "", 0, 0 },
    { "master", "join_wait", CONF_DURATION, MASTER_FIELD(join_wait_ns),
      "60s", 0, 86400 },
    { "master", "prepare_wait", CONF_DURATION, MASTER_FIELD(prepare_wait_ns),
      "60s", 1, 86400 },
    { "master", "slave_lost", CONF_DURATION, MASTER_FIELD(lost_wait_ns),
      "4s", 0, 86400 },
    { "master", "end_wait", CONF_DURATION, MASTER_FIELD(end_wait_ns),
      "30s", 1, 86400 },
    { "master", "tree_fan_out", CONF_INT, MASTER_FIELD(tree_fan_out),
      "32", 0, 65536 },
    { "master", "tree_levels", CONF_INT, MASTER_FIELD(tree_levels),
      "2", 1, 16 },
    { "master", "tree_wait", CONF_DURATION, MASTER_FIELD(tree_wait_ns),
      "10s", 0.1, 3600 },
    { "master", "policies", CONF_TEXT, MASTER_FIELD(policies),
      "hang outlier progress slow", 0, 0 },
    { "master", "optimizer", CONF_TEXT, MASTER_FIELD(optimizer), "", 0, 0 },
    { "master", "optimizer_period", CONF_DURATION,
      MASTER_FIELD(optimizer_period_ns), "10s", 0.1, 86400 },
    { "master", "kills_per_hour", CONF_INT, MASTER_FIELD(kills_per_hour),
      "20", 0, 64 },
    { "master", "hang_samples", CONF_INT, MASTER_FIELD(hang_samples),
      "3", 0, 1000 },
    { "master", "hang_slices", CONF_BOOL, MASTER_FIELD(hang_slices), "yes",
      0, 0 },
    { "master", "max_priority", CONF_INT, MASTER_FIELD(max_priority), "0",
      PRIORITY_LEAST, PRIORITY_MOST },
    { "master", "realtime", CONF_BOOL, MASTER_FIELD(realtime), "no", 0, 0 },
    { "master", "looks_kept", CONF_BYTES, MASTER_FIELD(looks_kept_bytes),
      "32M", 65536, 1e12 },
    { "master", "judge_step", CONF_DURATION, MASTER_FIELD(judge_step_ns),
      "10s", 0.1, 86400 },
    { "master", "judge_memory", CONF_BYTES, MASTER_FIELD(judge_memory_bytes),
      "1G", 1 << 24, 1e15 },
    { "master", "judge_restarts", CONF_INT, MASTER_FIELD(judge_restarts),
      "3", 0, 1000 },
    { NULL, NULL, CONF_BOOL, 0, NULL, 0, 0 },
};

struct options {
    const char *file, *database, *optimizer;
    bool foreground, check, private;
    int verbose;
};

struct service {
    struct options options;
    struct settings conf;
    struct event_base *base;    /* owned, like the rest */
    struct event *term, *interrupt, *orphan;
    struct master *master;
    struct key *key;            /* NULL: no TCP */
    struct listen_set sockets;
    char database[PATHS_MAX], name[320], host[256], process[256];
    uint64_t instance;
    bool leaving;
};

static const uint64_t service_orphan_ns = 60 * CLOCK_NS_PER_S;
static const uint64_t service_leave_ns = 2 * CLOCK_NS_PER_S;
static const uint64_t service_restart_ns = 10 * CLOCK_NS_PER_S;

/* --------------------------------------------------------- when to leave */

static void service_left(void *arg)
{
    struct service *s = arg;

    event_base_loopexit(s->base, NULL);
}

static void service_leave(struct service *s)
{
    struct timeval tv = clock_timeval(service_leave_ns);

    s->leaving = true;
    log_info("master", "nothing is left to do");
    event_del(s->term);
    event_del(s->interrupt);
    event_del(s->orphan);
    event_base_loopexit(s->base, &tv);  /* whatever the peers do */
    hub_leave(s->master->hub, service_left);
}

/* A private master lives as long as its redirector and the jobs. */
static void service_check(void *arg)
{
    struct service *s = arg;
    const struct master *m = s->master;
    bool over = s->options.private && hub_had_redirector(m->hub) &&
                hub_count(m->hub, HCT__ROLE__ROLE_REDIRECTOR) == 0;

    if (!s->leaving && (over || flow_stopping(m->flow)) &&
        flow_idle(m->flow) && journal_idle(m->journal))
        service_leave(s);
}

static void service_on_signal(evutil_socket_t number, short what, void *arg)
{
    struct service *s = arg;

    (void)what;
    log_info("master", "told to stop by signal %d", (int)number);
    /* A private one is a part of hector-run: who means one means both. */
    flow_stop(s->master->flow, s->options.private ? 128 + (int)number
                                                  : FLOW_FAILURE);
    service_check(s);
}

/* Whoever started a private master has not come. */
static void service_on_orphan(evutil_socket_t fd, short what, void *arg)
{
    struct service *s = arg;

    (void)fd;
    (void)what;
    if (!hub_had_redirector(s->master->hub)) {
        log_warn("master", "nobody has submitted a job: leaving");
        service_leave(s);
    }
}

/* hector-run shows the sentence; a standing master has its log. */
static void service_told(void *arg, const char *text)
{
    const struct service *s = arg;

    if (!s->options.private)
        log_warn("master", "%s", text);
}

static const struct master_ops service_ops = {
    .turned = service_check, .told = service_told,
};

/* ------------------------------------------------------------------ set up */

static int service_key(struct service *s, struct err *err)
{
    char path[PATHS_MAX];

    if (!s->sockets.tcp)
        return 0;
    s->key = key_new(err);
    if (!s->key)
        return -1;
    if (*s->conf.key_file)
        return key_load(s->key, s->conf.key_file, err);
    if (paths_key_file(path, sizeof(path), err))
        return -1;
    return key_load(s->key, path, err);
}

static int service_sockets(struct service *s, struct err *err)
{
    char dir[PATHS_MAX], list[PATHS_MAX + 32];

    if (listen_inherit(&s->sockets, err))
        return -1;
    if (s->sockets.n)
        return 0;
    if (s->options.private)
        return err_set(err, EINVAL, "--private needs inherited sockets");
    if (*s->conf.listen)
        return listen_bind(&s->sockets, s->conf.listen, err);
    if (paths_runtime_dir(dir, sizeof(dir), err))
        return -1;
    snprintf(list, sizeof(list), "unix:%s/master.sock", dir);
    return listen_bind(&s->sockets, list, err);
}

static int service_database(struct service *s, struct err *err)
{
    const char *path = s->conf.database;

    if (s->options.private)             /* the file is about standing ones */
        path = "";
    if (s->options.database)
        path = s->options.database;
    if (!*path)
        return paths_database(s->database, sizeof(s->database), err);
    snprintf(s->database, sizeof(s->database), "%s", path);
    return 0;
}

/* A run is never refused because of its database: why->code then says what
 * is wrong with it. */
static struct store *service_store(struct service *s, struct err *why,
                                   struct err *err)
{
    struct store *st = NULL;

    why->code = 0;
    if (service_database(s, why))
        err_prefix(why, "no database");
    else
        st = store_open(s->database, why);
    return st ? st : store_open(":memory:", err);
}

/* The file is about standing ones. "none" is nobody, too. */
static const char *service_optimizer(const struct service *s)
{
    const char *spec = s->options.optimizer ? s->options.optimizer
                       : s->options.private ? "" : s->conf.optimizer;

    return strcmp(spec, "none") == 0 ? "" : spec;
}

static int service_make(struct service *s, struct err *err)
{
    struct err why;
    struct store *st = service_store(s, &why, err);
    bool hope = *s->database && (!why.code || journal_may_return(&why));
    struct master_conf conf = {
        .flow = {
            .watch = { .policies = s->conf.policies,
                       .tape_bytes = s->conf.looks_kept_bytes,
                       .judge = {
                           .step_ns = s->conf.judge_step_ns,
                           .memory_bytes = s->conf.judge_memory_bytes,
                           .restarts = (uint32_t)s->conf.judge_restarts } },
            .act = { .kills_per_hour = (uint32_t)s->conf.kills_per_hour,
                     .max_priority = s->options.private
                                     ? PRIORITY_MOST : (int)s->conf.max_priority,
                     .realtime = s->options.private || s->conf.realtime,
                     .hang_samples = (uint32_t)s->conf.hang_samples,
                     .hang_slices = s->conf.hang_slices },
            .optimize = { .spec = service_optimizer(s),
                          .wait_ns = OPTIMIZE_WAIT_MS * CLOCK_NS_PER_MS,
                          .period_ns = s->conf.optimizer_period_ns },
            .instance = s->instance, .join_wait_ns = s->conf.join_wait_ns,
            .notice_ns = 5 * CLOCK_NS_PER_S, .left_wait_ns = CLOCK_NS_PER_S,
            .lost_wait_ns = s->conf.lost_wait_ns,
            .restart_wait_ns = service_restart_ns,
            .prepare_wait_ns = s->conf.prepare_wait_ns,
            .batch_wait_ns = 29 * CLOCK_NS_PER_S,
            .end_wait_ns = s->conf.end_wait_ns },
        .conn.key = s->key,
        .reduce = { .fan_out = (uint32_t)s->conf.tree_fan_out,
                    .levels = (uint32_t)s->conf.tree_levels,
                    .wait_ns = s->conf.tree_wait_ns },
        .name = s->name, .host = s->host, .process = s->process,
        .addresses = s->sockets.addresses,
        .path = hope ? s->database : NULL, .aside = why.code ? &why : NULL,
    };

    if (!st)
        return -1;
    s->master = master_create(s->base, &conf, st, &service_ops, s, err);
    return s->master ? 0 : -1;
}

static int service_events(struct service *s, struct err *err)
{
    s->base = event_base_new();
    if (s->base) {
        s->term = evsignal_new(s->base, SIGTERM, service_on_signal, s);
        s->interrupt = evsignal_new(s->base, SIGINT, service_on_signal, s);
        s->orphan = event_new(s->base, -1, 0, service_on_orphan, s);
    }
    if (!s->term || !s->interrupt || !s->orphan)
        return err_memory(err);
    return 0;
}

static int service_start(struct service *s, struct err *err)
{
    struct timeval tv = clock_timeval(service_orphan_ns);

    if (service_key(s, err) || service_events(s, err) || service_make(s, err))
        return -1;
    while (s->sockets.n)
        if (hub_listen(s->master->hub, s->sockets.fds[--s->sockets.n],
                       err))
            return -1;
    event_add(s->term, NULL);
    event_add(s->interrupt, NULL);
    if (s->options.private)
        event_add(s->orphan, &tv);
    log_info("master", "listening on %s, database %s", s->sockets.addresses,
             s->database);
    return 0;
}

static void service_fini(struct service *s)
{
    master_destroy(s->master);
    key_free(s->key);
    if (s->term)
        event_free(s->term);
    if (s->interrupt)
        event_free(s->interrupt);
    if (s->orphan)
        event_free(s->orphan);
    if (s->base)
        event_base_free(s->base);
    conf_fini(master_keys, &s->conf);
}

static void service_identity(struct service *s)
{
    if (getrandom(&s->instance, sizeof(s->instance), 0) !=
        sizeof(s->instance))
        s->instance = clock_wall_ns() ^ (uint64_t)getpid() << 40;
    if (gethostname(s->host, sizeof(s->host) - 1))
        snprintf(s->host, sizeof(s->host), "localhost");
    alive_self(s->process, sizeof(s->process));
    greeting_name(s->name, sizeof(s->name));
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
    { NULL, "optimizer", ARGS_VALUE, "NAME|FILE[:KEY=VALUE,...]",
      "who says where tasks should be; default: nobody", args_text,
      OPTION(optimizer), 0, 0 },
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
    struct service s = { 0 };
    struct rlimit user_limit;
    struct err err = { 0 };
    int rc, word;

    rc = args_program(&master_program, &s.options, argc, argv, &word);
    if (rc >= 0)
        return rc;
    if (word < argc) {
        fprintf(stderr, "hector-master: no word is expected, as %s\n",
                argv[word]);
        return ARGS_USAGE;
    }
    log_init("hector-master", s.options.verbose > 1 ? LOG_LEVEL_DEBUG
             : s.options.verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN);
    signal(SIGPIPE, SIG_IGN);
    limits_lift_file_size(&user_limit);
    for (int i = 1; i <= SIGRTMAX; i++)
        if (i != SIGCONT && signals_is_passed(i, s.options.private))
            signal(i, SIG_IGN);
    if (s.options.private)
        signal(SIGHUP, SIG_IGN);
    service_identity(&s);
    rc = conf_init(master_keys, &s.conf, &err);
    if (rc == 0)
        rc = conf_load_all(master_keys, &s.conf, s.options.file, &err);
    if (rc == 0 && *service_optimizer(&s))
        rc = policycheck_optimizer(service_optimizer(&s), &err);
    if (rc == 0 && s.options.check)
        return 0;
    if (rc == 0)
        rc = service_sockets(&s, &err);
    if (rc == 0 && !s.options.foreground) {
        if (daemon(0, 0))
            rc = err_sys(&err, "cannot go into the background");
        else
            log_to_syslog();
    }
    if (rc == 0)
        rc = service_start(&s, &err);
    if (rc == 0)
        event_base_dispatch(s.base);
    else
        log_warn("master", "%s", err.text);
    if (s.options.private)
        listen_remove_run(&s.sockets);
    service_fini(&s);
    return rc ? 1 : 0;
}
