/* main.c - hector-slave: options, signals, and what is wired to what.
 *
 * One thread and one loop, besides PMIx's own and a parent that only waits
 * (guard.h). The process ends when its master is gone for good or it is told
 * to, and then only after every task is dead and every directory of it
 * removed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <event2/event.h>

#include "proto/base/args.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/base/signals.h"
#include "proto/conf/conf.h"
#include "proto/link/key.h"
#include "proto/link/timer.h"
#include "slave/effort/pace.h"
#include "slave/gather/gather.h"
#include "slave/guard/guard.h"
#include "slave/jobs/jobs.h"
#include "slave/jobs/node.h"
#include "slave/launch/launch.h"
#include "slave/move/imagelink.h"
#include "slave/move/jobmove.h"
#include "slave/orders.h"
#include "slave/owner/owner.h"
#include "slave/proc/counters.h"
#include "slave/proc/load.h"
#include "slave/proc/sweep.h"
#include "slave/stacks/stackcmd.h"
#include "slave/yield/yield.h"

#define GRACE_NS  (2 * CLOCK_NS_PER_S)          /* of tasks that we end */
#define WATCH_NS  (1 * CLOCK_NS_PER_S)          /* of others, that end now */
#define WARM_UP_NS (1 * CLOCK_NS_PER_MS)
#define PRIVATE_LOST_NS (5 * CLOCK_NS_PER_S)    /* hector-run starts another */
#define REDIAL_NS (2 * CLOCK_NS_PER_S)          /* for an address to answer */
#define ALONE_NS (10 * CLOCK_NS_PER_S)          /* without hector-run */
#define FLUSH_NS  (1 * CLOCK_NS_PER_S)          /* last words to the master */
#define PART_NS (300 * CLOCK_NS_PER_MS)         /* the same to hector-run */
#define LASTWORDS_RETRY_NS (200 * CLOCK_NS_PER_MS)      /* a guard calls the master */

struct options {
    bool foreground, check, key_stdin, private, stack;
    int verbose;
    const char *file, *master, *name;   /* NULL: not given */
};

struct conf {
    char *master;               /* owned, as all of CONF_TEXT */
    char *name;
    uint64_t master_lost_ns;
    bool ptrace, counters;
    uint64_t pmix_wait_ns;
    struct owner_conf owner;
};

static const struct conf_key keys[] = {
    { "slave", "master", CONF_TEXT, offsetof(struct conf, master), "", 0, 0 },
    { "slave", "name", CONF_TEXT, offsetof(struct conf, name), "", 0, 0 },
    { "slave", "master_lost_s", CONF_DURATION,
      offsetof(struct conf, master_lost_ns), "60", 1, 86400 },
    { "slave", "ptrace", CONF_BOOL, offsetof(struct conf, ptrace),
      "yes", 0, 0 },
    { "slave", "counters", CONF_BOOL, offsetof(struct conf, counters),
      "yes", 0, 0 },
    { "slave", "pmix_wait", CONF_DURATION, offsetof(struct conf, pmix_wait_ns),
      "10s", 1, 86400 },
    { "slave", "owner", CONF_TEXT, offsetof(struct conf, owner.by), "", 0, 0 },
    { "slave", "owner_idle", CONF_DURATION, offsetof(struct conf, owner.idle_ns),
      "5m", 1, 86400 },
    { "slave", "owner_load", CONF_REAL, offsetof(struct conf, owner.load),
      "0.3", 0.01, 1000 },
    { "slave", "owner_else", CONF_TEXT, offsetof(struct conf, owner.otherwise),
      "nothing", 0, 0 },
    { "slave", "owner_look", CONF_DURATION, offsetof(struct conf, owner.look_ns),
      "2s", 0.1, 3 },
    { "slave", "owner_utmp", CONF_TEXT, offsetof(struct conf, owner.utmp),
      "", 0, 0 },
    { "slave", "owner_console", CONF_TEXT, offsetof(struct conf, owner.console),
      "", 0, 0 },
    { NULL, NULL, CONF_TEXT, 0, NULL, 0, 0 },
};

struct slave {
    struct options options;
    struct conf conf;
    struct conn_conf conn;
    struct key *key;            /* owned */
    struct event_base *base;
    struct node node;
    struct counters_source counters;
    struct jobs *jobs;
    struct owner *owner;        /* owned; NULL: nobody looks for one */
    Hct__Owner owner_is;        /* as the last Hello has it */
    struct gather gather;
    struct registry *registry;
    struct reap *reap;
    struct uplink_conf uplink_conf;
    struct uplink_ops uplink_ops;
    struct reduce_conf reduce_conf;
    struct imagelinks_conf imagelinks_conf;
    struct lastwords_conf lastwords;
    struct vault *vault;        /* shared with the guard */
    struct event *signals[NSIG], *warm_up, *renew, *alone, *leave;
    uint64_t alone_ns;          /* since when hector-run is away; 0: it is not */
    pid_t guard;
    bool ending, tcp;           /* tcp: the master is not on this machine */
    bool renewing;              /* the guard is to make another one of us */
    int status;
};

/* --------------------------------------------------------------- the end */

static void on_idle(void *arg)
{
    struct slave *s = arg;

    event_base_loopexit(s->base, NULL);
}

static bool is_for_us(const struct slave *s, int sig)
{
    return sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT ||
           signals_is_passed(sig, s->options.private);
}

/* A batch system means the tasks: it knows of no others than us. But TERM may
 * only tell us that the guard is dead. */
static void on_signal(evutil_socket_t sig, short what, void *arg)
{
    struct slave *s = arg;
    uint64_t grace_ns = s->ending ? 0 : GRACE_NS;

    (void)what;
    log_info("slave", "signal %d", (int)sig);
    if (s->options.private && !s->ending && getppid() == s->guard)
        jobs_pass_signal(s->jobs, (int)sig);
    if (signals_is_passed((int)sig, true))
        return;
    if (s->options.private && jobs_watches(s->jobs) && getppid() == s->guard) {
        if (!s->ending)
            timer_set(s->leave, WATCH_NS);
        s->ending = true;
        return;
    }
    s->ending = true;
    jobs_orphan(s->jobs, grace_ns);
}

/* Tasks of others may have been told to end as we were: how they did is known now. */
static void on_leave(evutil_socket_t fd, short what, void *arg)
{
    struct slave *s = arg;

    (void)fd, (void)what;
    jobs_orphan(s->jobs, 0);
}

static void on_gone(void *arg, const struct err *why)
{
    struct slave *s = arg;

    if (s->options.private && !jobs_any(s->jobs)) {
        log_debug("slave", "the master has gone: %s", why->text);
        on_idle(s);
        return;
    }
    log_warn("slave", "the master is gone, ending its jobs: %s", why->text);
    s->status = 1;
    jobs_orphan(s->jobs, GRACE_NS);
}

/* Every job is gone after the end was ordered. A standing slave whose master
 * was away for too long waits for the next one. */
static void on_jobs_gone(void *arg)
{
    struct slave *s = arg;

    if (s->options.private || s->ending) {
        on_idle(s);
        return;
    }
    s->node.orphaned = false;
    s->status = 0;
}

/* --------------------------------------------------------------- the link */

static void on_owner(void *arg)
{
    struct slave *s = arg;
    Hct__Owner m;

    owner_say(s->owner, &m);
    uplink_send(s->node.uplink, MESSAGE_OWNER, &m);
}

static void describe(void *arg, Hct__NodeInfo *m)
{
    struct slave *s = arg;

    if (s->options.private)
        return;
    hct__owner__init(&s->owner_is);
    if (s->owner)
        owner_say(s->owner, &s->owner_is);
    m->owner = &s->owner_is;
}

/* The owner may have come or gone since Hello. */
static void on_joined(void *arg)
{
    struct slave *s = arg;

    jobs_tell(s->jobs);
    if (s->owner)
        on_owner(s);
    if (s->node.paced)
        pace_tell(s->node.paced);
    reduce_tell(s->node.reduce);
}

static void on_lost(void *arg)
{
    struct slave *s = arg;

    reduce_abandon(s->node.reduce);     /* the jobs run on, facts are kept */
}

/* A private slave whose jobs have lost hector-run too is alone. */
static bool on_needed(void *arg)
{
    const struct slave *s = arg;

    return !s->ending && (!jobs_any(s->jobs) || jobs_linked(s->jobs));
}

/* Its tasks have no hector-run any more, and the master, whose affair it is to
 * end them, is stuck. */
static void on_alone(evutil_socket_t fd, short what, void *arg)
{
    struct slave *s = arg;
    uint64_t now_ns = clock_monotonic_ns();

    (void)fd, (void)what;
    if (s->ending || !jobs_alone(s->jobs)) {
        s->alone_ns = 0;
    } else if (!s->alone_ns) {
        s->alone_ns = now_ns;
    } else if (now_ns - s->alone_ns >= ALONE_NS) {
        log_warn("slave", "hector-run is gone and the master does nothing, "
                 "ending its jobs");
        s->ending = true;
        s->status = 1;
        s->node.abandoned = true;
        jobs_orphan(s->jobs, GRACE_NS);
    }
}

/* The master has our Hello and something to do: time to start PMIx. */
static void on_warm_up(evutil_socket_t fd, short what, void *arg)
{
    struct slave *s = arg;
    struct err err;

    (void)fd, (void)what;
    if (!node_pmix(&s->node, &err))
        log_warn("slave", "%s", err.text);
}

/* Is PMIx not sound? A private slave has one job, and ends with it. */
static void on_renew(evutil_socket_t fd, short what, void *arg)
{
    struct slave *s = arg;

    (void)fd, (void)what;
    if (s->ending || s->renewing || s->node.orphaned ||
        (s->options.private && !jobs_any(s->jobs)) || !jobs_renewable(s->jobs))
        return;
    log_info("slave", "replaced by a new process: the PMIx library of this "
             "one is not sound any more");
    s->renewing = true;
    s->status = GUARD_RENEW;
    on_idle(s);
}

/* --------------------------------------------------------------- the start */

#define OPTION(f) offsetof(struct options, f)
static const struct args_option rows[] = {
    { NULL, "d foreground", ARGS_NONE, NULL,
      "stay in the foreground, log to stderr",
      args_flag, OPTION(foreground), 0, 0 },
    { NULL, "n check", ARGS_NONE, NULL, "check the configuration and exit",
      args_flag, OPTION(check), 0, 0 },
    { NULL, "f config", ARGS_VALUE, "FILE", "read this configuration file only",
      args_text, OPTION(file), 0, 0 },
    { NULL, "master", ARGS_VALUE, "ADDRESS,...", "where the master listens",
      args_text, OPTION(master), 0, 0 },
    { NULL, "name", ARGS_VALUE, "NAME", "of this node; default: the host's",
      args_text, OPTION(name), 0, 0 },
    { NULL, "key-stdin", ARGS_NONE, NULL,
      "read the cluster key from standard input",
      args_flag, OPTION(key_stdin), 0, 0 },
    { NULL, "private", ARGS_NONE, NULL,
      "for one hector-run: leave with its master",
      args_flag, OPTION(private), 0, 0 },
    { NULL, "stack", ARGS_NONE, NULL, "WORD...: for hector stack --pid",
      args_flag, OPTION(stack), 0, 0 },
    { NULL, "v verbose", ARGS_NONE, NULL, "log more; twice: everything",
      args_count, OPTION(verbose), 0, 0 },
    ARGS_COMMON,
};
static const struct args_program program = {
    "hector-slave", "usage: hector-slave [OPTION]...\n", rows,
    sizeof(rows) / sizeof(rows[0]) };

/* -1 to go on, else the exit status. */
static int read_options(struct options *o, int argc, char **argv)
{
    int word, rc = args_program(&program, o, argc, argv, &word);

    if (rc >= 0)
        return rc;
    if (o->stack)
        return stackcmd_run(argc - word, argv + word);
    if (word == argc)
        return -1;
    fprintf(stderr, "hector-slave: no word is expected, as %s\n", argv[word]);
    return ARGS_USAGE;
}

static int read_conf(struct slave *s, struct err *err)
{
    const char *master = s->options.master, *name = s->options.name;
    char host[256] = "localhost";

    if (conf_init(keys, &s->conf, err) ||
        (!(s->options.private && !s->options.file) &&
         conf_load_all(keys, &s->conf, s->options.file, err)) ||
        (master && conf_set(keys, &s->conf, "slave", "master", master, err)) ||
        (name && conf_set(keys, &s->conf, "slave", "name", name, err)))
        return -1;
    if (!*s->conf.name) {
        gethostname(host, sizeof(host) - 1);
        host[strcspn(host, ".")] = '\0';
        return conf_set(keys, &s->conf, "slave", "name", host, err);
    }
    return 0;
}

/* The first line of stdin; fails at its end. */
static int key_from_stdin(struct key *k, struct err *err)
{
    char hex[KEY_HEX + 1];
    size_t n = 0;

    while (n < sizeof(hex) - 1) {
        ssize_t got = read(STDIN_FILENO, hex + n, 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0 || hex[n] == '\n')
            break;
        n++;
    }
    hex[n] = '\0';
    if (n == 0)
        return err_set(err, ENODATA, "no key on stdin");
    return key_from_hex(k, hex, err);
}

/* Only TCP needs a key. */
static int find_key(struct slave *s, struct err *err)
{
    struct addr addrs[ADDR_LIST_MAX / 8];
    char path[PATHS_MAX];
    int n;

    n = addr_parse_list(addrs, (int)(sizeof(addrs) / sizeof(addrs[0])),
                        s->conf.master, err);
    if (n < 0)
        return -1;
    for (int i = 0; i < n; i++)
        s->tcp = s->tcp || !addrs[i].is_unix;
    s->key = key_new(err);
    if (!s->key)
        return -1;
    s->conn.key = s->key;
    s->conn.shake_ns = REDIAL_NS;
    if (s->options.key_stdin && key_from_stdin(s->key, err) == 0)
        return 0;
    if (s->options.key_stdin && err->code != ENODATA)
        return -1;
    if (!s->tcp)
        return s->conn.key = NULL, 0;
    return paths_key_file(path, sizeof(path), err) ||
           key_load(s->key, path, err) ? -1 : 0;
}

/* Those that guard.c has kept for us come now. */
static int catch_signals(struct slave *s, struct err *err)
{
    sigset_t none;

    signal(SIGPIPE, SIG_IGN);
    for (int i = 1; i < NSIG; i++) {
        if (!is_for_us(s, i))
            continue;
        s->signals[i] = evsignal_new(s->base, i, on_signal, s);
        if (!s->signals[i] || event_add(s->signals[i], NULL))
            return err_memory(err);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return 0;
}

static void send_up(void *arg, enum message_type type, const void *msg)
{
    uplink_send(((struct slave *)arg)->node.uplink, type, msg);
}

/* To slaves above and below this one, where there is a tree of them, and to those
 * that tasks come from. */
static int open_reduce(struct slave *s, struct err *err)
{
    s->reduce_conf = (struct reduce_conf){
        .links = { .conn = &s->conn, .name = s->conf.name,
                   .instance = s->node.instance,
                   .dir = site_dir(s->node.site), .tcp = s->tcp,
                   .images = &jobmove_images, .images_arg = s->jobs },
        .kinds = gather_kinds, .nkinds = gather_nkinds, .arg = &s->gather,
        .send = send_up, .send_arg = s };
    s->node.reduce = reduce_open(s->base, &s->reduce_conf, err);
    return s->node.reduce ? 0 : -1;
}

static int open_imagelinks(struct slave *s, struct err *err)
{
    s->imagelinks_conf = (struct imagelinks_conf){
        .conn = &s->conn, .name = s->conf.name, .instance = s->node.instance };
    s->node.imagelinks = imagelinks_open(s->base, &s->imagelinks_conf, err);
    return s->node.imagelinks ? 0 : -1;
}

static int open_links(struct slave *s, struct err *err)
{
    s->uplink_conf = (struct uplink_conf){
        .addresses = s->conf.master, .name = s->conf.name,
        .mpi = pmixd_version(), .conn = &s->conn,
        .instance = s->node.instance,
        .lost_ns = s->options.private ? PRIVATE_LOST_NS
                                      : s->conf.master_lost_ns,
        .private = s->options.private,
        .cpu = site_cpu(s->node.site),
        .speed = s->options.private
                 ? 0 : load_speed() * load_part(load_cpus()) };
    s->uplink_ops = (struct uplink_ops){
        .routes = orders_routes, .nroutes = orders_nroutes,
        .routes_arg = s->jobs, .describe = describe, .joined = on_joined,
        .lost = on_lost,
        .needed = on_needed, .gone = on_gone };
    s->node.uplink = uplink_open(s->base, &s->uplink_conf, &s->uplink_ops, s,
                                 err);
    if (!s->node.uplink)
        return -1;
    if (!s->options.private &&
        !(s->node.paced = pace_open(s->base, s->node.uplink, err)))
        return -1;
    s->node.exchange = exchange_create(s->node.uplink, err);
    s->warm_up = evtimer_new(s->base, on_warm_up, s);
    if (!s->node.exchange || !s->warm_up || timer_set(s->warm_up, WARM_UP_NS))
        return -1;
    return 0;
}

/* With timers finer than a millisecond: rings fill faster than that. */
static struct event_base *make_loop(void)
{
    struct event_config *cfg = event_config_new();
    struct event_base *base = NULL;

    if (cfg && !event_config_set_flag(cfg, EVENT_BASE_FLAG_PRECISE_TIMER))
        base = event_base_new_with_config(cfg);
    if (cfg)
        event_config_free(cfg);
    return base;
}

/* Only a private slave has nobody else to end its tasks. */
static int tally_runner(struct slave *s)
{
    if (!s->options.private)
        return 0;
    s->alone = event_new(s->base, -1, EV_PERSIST, on_alone, s);
    return s->alone ? timer_set(s->alone, CLOCK_NS_PER_S) : -1;
}

static int start(struct slave *s, struct err *err)
{
    s->guard = getppid();
    if (sweep_init())
        return err_sys(err, "cannot inherit orphans");
    s->base = make_loop();
    if (!s->base)
        return err_set(err, ENOMEM, "no event loop");
    if (catch_signals(s, err) ||
        node_init(&s->node, s->base, s->conf.name, &s->conn, err))
        return -1;
    counters_source_init(&s->counters);
    s->node.counters = s->conf.counters ? &s->counters : NULL;
    reading_keep_in(s->node.reading, s->vault);
    vault_set_instance(s->vault, s->node.instance);
    s->jobs = jobs_create(&s->node, on_jobs_gone, s, err);
    if (!s->jobs)
        return -1;
    s->node.yields = yields_open(s->base, s->jobs, err);
    if (!s->node.yields)
        return -1;
    s->gather.jobs = s->jobs;
    s->node.hook = &jobmove_hook;
    node_serve_pmix(&s->node, &jobs_pmix_ops, s->jobs, s->conf.pmix_wait_ns);
    if (owner_open(&s->owner, s->base, &s->conf.owner, s->jobs, on_owner, s, err))
        return -1;
    if (tally_runner(s))
        return err_memory(err);
    s->renew = evtimer_new(s->base, on_renew, s);
    s->leave = evtimer_new(s->base, on_leave, s);
    if (!s->leave)
        return err_memory(err);
    node_renew_by(&s->node, s->renew);
    s->node.linkdrain.over = s->renew;
    s->registry = registry_open(s->base, site_socket(s->node.site), jobs_grant,
                                s->jobs, err);
    if (s->registry)
        registry_lease_by(s->registry, jobmove_lease);
    s->reap = s->registry ? reap_open(s->base, jobs_reaped, jobs_stopped,
                                      jobs_stood, s->jobs, err) : NULL;
    s->node.stacker = s->reap ? stacker_open(s->base, err) : NULL;
    if (!s->conf.ptrace)
        stacker_use_no_ptrace(s->node.stacker);
    return !s->node.stacker || open_reduce(s, err) || open_imagelinks(s, err)
           ? -1 : open_links(s, err);
}

/* As long as hector-run takes to read; but whoever has told us to end by a
 * signal may know that there is no hector-run any more, and no task of a slave
 * that is replaced has written anything. */
static void leave_streams(struct slave *s)
{
    linkdrain_wait(&s->node.linkdrain, s->base,
                   s->ending || s->renewing ? PART_NS : 0);
}

/* No farewell from one that is replaced: to the master it is a broken link. */
static void leave_master(struct slave *s)
{
    struct timeval tv = clock_timeval(FLUSH_NS);

    if (s->renewing) {
        uplink_drop(s->node.uplink);
    } else if (uplink_close(s->node.uplink, on_idle, s)) {
        event_base_loopexit(s->base, &tv);
        event_base_dispatch(s->base);
    }
}

/* Whoever could still call the jobs goes before them; the loop turns once
 * more, for the link to the master and those that streams went by. */
static void stop(struct slave *s)
{
    reduce_close(s->node.reduce);
    s->node.reduce = NULL;
    stacker_close(s->node.stacker);
    s->node.stacker = NULL;
    registry_close(s->registry);
    reap_close(s->reap);
    for (int i = 1; i < NSIG; i++)
        if (s->signals[i]) {
            event_free(s->signals[i]);
            signal(i, SIG_IGN);         /* it ends already */
        }
    timer_free(s->warm_up);
    timer_free(s->alone);
    timer_free(s->leave);
    node_renew_by(&s->node, NULL);
    s->node.linkdrain.over = NULL;
    timer_free(s->renew);
    yields_close(s->node.yields);
    pace_close(s->node.paced);
    owner_close(s->owner);
    jobs_destroy(s->jobs);
    imagelinks_close(s->node.imagelinks);
    node_close(&s->node);
    leave_master(s);
    leave_streams(s);
    node_fini(&s->node);
    vault_destroy(s->vault);
    key_free(s->key);
    if (s->base)
        event_base_free(s->base);
    conf_fini(keys, &s->conf);
}

/* Descriptors 0, 1, 2 exist; no other goes on to the tasks. */
static void tidy_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd < 3);
    if (fd >= 0)
        close(fd);
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
}

int main(int argc, char **argv)
{
    struct slave s = { 0 };
    struct err err = { 0 };
    int rc = read_options(&s.options, argc, argv);

    if (rc >= 0)
        return rc;
    log_init("hector-slave", s.options.verbose > 1 ? LOG_LEVEL_DEBUG
             : s.options.verbose || !s.options.private ? LOG_LEVEL_INFO
             : LOG_LEVEL_WARN);
    tidy_descriptors();
    launch_init();
    unsetenv("DEBUGINFOD_URLS");
    if (geteuid() == 0)         /* other users' tasks cannot pass it */
        unsetenv("XDG_RUNTIME_DIR");
    rc = read_conf(&s, &err);
    if (!rc && !*s.conf.master)
        rc = err_set(&err, EINVAL, "no master: give --master, or set master "
                     "in the section [slave] of hector.conf");
    rc = rc || owner_check(&s.conf.owner, &err);
    if (!rc && s.options.check) {
        conf_fini(keys, &s.conf);
        return 0;
    }
    rc = rc || find_key(&s, &err);
    if (!rc && !s.options.foreground) {
        if (daemon(0, 0))
            rc = err_sys(&err, "cannot become a daemon");
        else
            log_to_syslog();
    }
    rc = rc || !(s.vault = vault_create(&err));
    if (!rc)
        s.lastwords = (struct lastwords_conf){
            s.conf.master, s.conf.name, &s.conn, LASTWORDS_RETRY_NS,
            s.options.private && !s.tcp };
    rc = rc || guard_start(&s.lastwords, s.vault, s.options.private, &err) ||
         start(&s, &err);
    if (rc) {
        log_warn("slave", "%s", err.text);
        s.status = 1;
    } else {
        event_base_dispatch(s.base);
    }
    stop(&s);
    return s.status;
}
