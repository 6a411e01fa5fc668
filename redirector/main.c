/* main.c - hector-run: runs an MPI program as one Unix command. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/conf/onhang.h"
#include "proto/conf/policycheck.h"
#include "proto/conf/settings.h"
#include "redirector/batch/agent.h"
#include "redirector/batch/system.h"
#include "redirector/options/faults.h"
#include "redirector/options/options.h"
#include "redirector/options/usage.h"
#include "redirector/out/say.h"
#include "redirector/frontend/adopt.h"
#include "redirector/frontend/background.h"
#include "redirector/frontend/run.h"
#include "redirector/frontend/frontend.h"
#include "redirector/frontend/status.h"
#include "redirector/start/saved.h"
#include "redirector/start/submit.h"

extern char **environ;

/* Descriptors 0 to 2 must be somebody's, or a socket of ours becomes one. One
 * that was closed reads as empty and cannot be written. */
static void main_fill_descriptors(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int main_fail(const struct err *err, int status)
{
    say(SAY_ERROR, "%s", err->text);
    return status;
}

static const char *main_first(const char *a, const char *b, const char *c)
{
    return a && *a ? a : b && *b ? b : c && *c ? c : NULL;
}

/* Those of the batch system we are in, unless others are named. */
static int main_find_allocation(const struct options *o, struct hosts *h,
                                struct err *err)
{
    char nested[300];

    if (system_nested(nested, sizeof(nested)))
        say(SAY_VERBOSE, "%s: the first one says which hosts there are",
            nested);
    return system_add_hosts(h, options_adopts(o), err);
}

/* The hosts of this run; *given: somebody named them. agent: the one that the
 * person wants, or NULL. */
static int main_find_hosts(const struct options *o, bool standing,
                           const char *agent, struct hosts *h, bool *given,
                           struct err *err)
{
    bool named;

    for (size_t i = 0; i < o->hosts.n; i++)
        if (hosts_add_list(h, o->hosts.v[i], err) < 0)
            return -1;
    if (o->hostfile && hosts_load_file(h, o->hostfile, err) < 0)
        return -1;
    named = h->n > 0;
    if (!named && !standing && main_find_allocation(o, h, err) < 0)
        return -1;
    *given = h->n > 0;
    if (*given) {
        hosts_find_local(h);
        return named && !standing && !agent ? system_claim_hosts(h, err) : 0;
    }
    return standing ? 0 : hosts_add_here(h, err);
}

static int main_tell_buffer(const struct options *o, const struct settings *c,
                            struct err *err)
{
    const char *mode = main_first(o->buffer, getenv("HECTOR_BUFFER"),
                                  c->buffer);

    if (!mode)
        mode = "line";
    if (strcmp(mode, "line") && strcmp(mode, "block") && strcmp(mode, "none"))
        return err_set(err, EINVAL, "the buffer of tasks is to be \"%.40s\": "
                       "one of line|block|none is wanted", mode);
    return setenv("HECTOR_BUFFER", mode, 1) == 0 ? 0 :
           err_memory(err);
}

/* The tasks find faults, phases and how to print in their environment, which
 * is ours. ntasks: 0 if that is for a launcher to say. */
static int main_tell_tasks(const struct options *o, const struct settings *c,
                           uint32_t ntasks, struct err *err)
{
    if (main_tell_buffer(o, c, err) < 0)
        return -1;
    if (o->phase && setenv("HECTOR_PHASE", o->phase, 1) != 0)
        return err_memory(err);
    if (!o->faults)
        return 0;
    if (ntasks && faults_check(o->faults, ntasks, err) < 0)
        return -1;
    return setenv("HECTOR_INJECT", o->faults, 1) == 0 ? 0 :
           err_memory(err);
}

/* Before anything is started; a master elsewhere has policies of its own. */
static int main_check_policies(const struct options *o, const char *master,
                               struct err *err)
{
    if (master && strncmp(master, "unix:", 5) != 0)
        return 0;
    for (size_t i = 0; i < o->policies.n; i++)
        if (strcmp(o->policies.v[i], "none") != 0 &&
            policycheck(o->policies.v[i], err))
            return -1;
    return 0;
}

/* What is due of --calendar comes behind that of --deadline. */
static int main_take_calendars(struct options *o, struct err *err)
{
    for (size_t i = 0; i < o->calendars.n; i++)
        if (calendar_file(&o->due, o->calendars.v[i], err))
            return -1;
    return 0;
}

/* Of whatever kind these slots are, they are what was asked for. */
static void main_check_granted(struct options *o, const struct hosts *h,
                               uint32_t n)
{
    char job[100];

    if (h->granted == 0 || n <= h->granted || o->oversubscribe)
        return;
    say(SAY_NOTE, "%u tasks, where %s has granted %llu: oversubscribed", n,
        system_job(system_here(), job, sizeof(job)),
        (unsigned long long)h->granted);
    o->oversubscribe = true;    /* it is said */
}

/* Before anything is started. */
static int main_check_agent(const struct hosts *h, const char *wanted,
                            struct err *err)
{
    const char *agent = wanted ? wanted : h->agent;

    if (!agent || !hosts_any_remote(h) || agent_is_there(agent))
        return 0;
    return err_set(err, ENOENT, "no %s in PATH, which is to start a slave on "
                   "other hosts", agent_name(agent));
}

/* A private master has no other job that could give way. */
static int main_check_acts(const struct options *o, bool master, struct err *err)
{
    if (master || o->migratable || !o->on_deadline ||
        strcmp(o->on_deadline, "act") != 0)
        return 0;
    return err_set(err, EINVAL, "--on-deadline act needs a standing master, whose "
                   "other jobs can give way (--master), or tasks that can move to "
                   "other nodes (--migratable)");
}

static int main_run(struct options *o, const struct settings *c, char **argv)
{
    const char *master = main_first(o->master, getenv("HECTOR_MASTER"),
                                    c->master);
    const char *db = main_first(o->db, getenv("HECTOR_DB"), c->db);
    const char *agent = main_first(o->agent, c->launch_agent, NULL);
    struct hosts hosts = { 0 };
    struct saved saved = { 0 };
    struct err err;
    bool given;
    int status = STATUS_USAGE;
    char *absolute = NULL;

    if (main_take_calendars(o, &err) < 0 ||
        main_check_policies(o, master, &err) < 0 ||
        main_check_acts(o, master != NULL, &err) < 0 ||
        saved_open(&saved, o, &err) < 0 ||
        main_find_hosts(o, master != NULL, agent, &hosts, &given, &err) < 0) {
        status = main_fail(&err, err.code == EBUSY ? STATUS_FAILURE : status);
        goto out;
    }
    bool adopt = options_adopts(o);
    uint32_t n = adopt ? 0 : submit_count(o, &hosts, given, submit_cpus(),
                                          &err);

    if (n == 0 && !adopt) {
        main_fail(&err, 0);
        goto out;
    }
    if (main_tell_tasks(o, c, n, &err) < 0 ||
        (n && calendar_check(&o->due, n, &err) < 0)) {
        main_fail(&err, 0);
        goto out;
    }
    if (!master && main_check_agent(&hosts, agent, &err) < 0) {
        status = main_fail(&err, STATUS_FAILURE);
        goto out;
    }
    main_check_granted(o, &hosts, n);
    if (db && *db != '/') {     /* the master may have another directory */
        char *here = get_current_dir_name();

        if (here && asprintf(&absolute, "%s/%s", here, db) >= 0)
            db = absolute;
        free(here);
    }
    struct frontend_conf conf = {
        .options = o, .hosts = &hosts, .saved = &saved, .ntasks = n,
        .master = master,
        .agent = agent, .db = db,
        .argv = argv, .env = environ
    };

    status = adopt ? adopt_run(&conf) : run_job(&conf);
out:
    free(absolute);
    hosts_fini(&hosts);
    saved_fini(&saved);
    return status;
}

/* What the person has said here counts before what is in hector.conf. */
static int main_take_settings(struct options *o, const struct settings *c,
                              struct err *err)
{
    struct onhang on_hang;

    if (o->on_hang || !*c->on_hang)
        return 0;
    o->on_hang = c->on_hang;
    return onhang_parse(&on_hang, c->on_hang, err)
               ? err_prefix(err, "hector.conf: on_hang") : 0;
}

/* The job of a shell has its name for a program. */
static void main_take_shell(struct options *o)
{
    static char name[64], *words[] = { name, NULL };

    if (!o->adopt_env)
        return;
    background_name(*o->adopt_env ? (pid_t)atol(o->adopt_env) : getppid(), name,
                    sizeof(name));
    o->apps[0].argv = words;
    o->apps[0].argc = 1;
}

/* MPIEXEC_TIMEOUT is in seconds, as mpirun and mpiexec read it. */
static void main_take_environment(struct options *o)
{
    const char *text = getenv("MPIEXEC_TIMEOUT");
    long s = text ? strtol(text, NULL, 10) : 0;

    if (options_adopts(o))
        return;                 /* the launcher reads it */
    if (o->timeout_ns == 0 && s > 0 && s < INT_MAX)
        o->timeout_ns = (uint64_t)s * 1000000000u;
}

int main(int argc, char **argv)
{
    struct options options;
    struct settings settings = { 0 };
    struct err err;
    int status;

    main_fill_descriptors();
    log_init("hector", LOG_LEVEL_WARN);
    if (options_parse(&options, argc, argv, &err) < 0)
        return main_fail(&err, STATUS_USAGE);
    if (options.action != OPTIONS_RUN) {
        if (options.action == OPTIONS_HELP)
            usage_print(stdout);
        else
            puts("hector-run " HECTOR_VERSION);
        options_fini(&options);
        return fflush(stdout) == 0 ? 0 : STATUS_FAILURE;
    }
    say_init(options.quiet ? SAY_ERROR :
             options.verbose ? SAY_VERBOSE : SAY_NOTE);
    main_take_environment(&options);
    main_take_shell(&options);
    if (sodium_init() < 0) {
        err_set(&err, EIO, "cannot start libsodium");
        status = main_fail(&err, STATUS_FAILURE);
    } else if (settings_load(&settings, &err) < 0) {
        status = main_fail(&err, STATUS_FAILURE);
    } else if (main_take_settings(&options, &settings, &err) < 0) {
        status = main_fail(&err, STATUS_USAGE);
    } else {
        status = main_run(&options, &settings, argv);
    }
    settings_fini(&settings);
    options_fini(&options);
    return status;
}
