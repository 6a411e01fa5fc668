/* submit.c - the one place where wishes from outside are checked. */
#include "master/flow/submit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master/act/allotment.h"
#include "master/flow/adopt.h"
#include "master/flow/launch.h"
#include "master/flow/own.h"
#include "master/ladder/ladder.h"
#include "master/move/checkpoint.h"
#include "proto/base/clock.h"
#include "proto/base/taskset.h"
#include "proto/link/addr.h"

enum { SUBMIT_WAYS_MAX = 64,           /* to one socket */
       SUBMIT_MAX_SUSPEND = 50 };      /* where nothing is said */
static const uint64_t submit_grace_max_ns = 3600 * CLOCK_NS_PER_S;

/* No zero byte inside, and not empty: it becomes a C string. */
static bool submit_is_text(const ProtobufCBinaryData *b)
{
    return b->len > 0 && !memchr(b->data, 0, b->len);
}

static int submit_check_app(const Hct__App *a, size_t i, bool adopt,
                            struct err *err)
{
    if (a->n_argv == 0 || !submit_is_text(&a->argv[0]))
        return err_set(err, EINVAL, "program %zu of the job has no name",
                       i + 1);
    for (size_t k = 1; k < a->n_argv; k++)
        if (a->argv[k].len && !submit_is_text(&a->argv[k]))
            return err_set(err, EINVAL, "argument %zu of %.*s contains a zero "
                           "byte", k, (int)a->argv[0].len, a->argv[0].data);
    for (size_t k = 0; k < a->n_env; k++)
        if (!submit_is_text(&a->env[k]) ||
            !memchr(a->env[k].data, '=', a->env[k].len))
            return err_set(err, EINVAL, "environment entry %zu of %.*s is not "
                           "NAME=VALUE", k + 1, (int)a->argv[0].len,
                           a->argv[0].data);
    if (a->ntasks == 0 && !adopt)
        return err_set(err, EINVAL, "%.*s is to run with 0 tasks",
                       (int)a->argv[0].len, a->argv[0].data);
    if (*a->wdir != '/')
        return err_set(err, EINVAL, "the working directory \"%s\" of %.*s is "
                       "not absolute", a->wdir, (int)a->argv[0].len,
                       a->argv[0].data);
    return 0;
}

static int submit_check_apps(const Hct__Submit *s, uint32_t *ntasks,
                             struct err *err)
{
    uint64_t n = 0;

    if (s->n_apps == 0 || s->n_apps > SUBMIT_APPS_MAX)
        return err_set(err, EINVAL, "a job of %zu programs (1 to %d are "
                       "possible)", s->n_apps, SUBMIT_APPS_MAX);
    for (size_t i = 0; i < s->n_apps; i++) {
        if (submit_check_app(s->apps[i], i, *s->adopt_socket, err))
            return -1;
        n += s->apps[i]->ntasks;
    }
    if (n > SUBMIT_TASKS_MAX)
        return err_set(err, EINVAL, "a job of %llu tasks (%d are possible)",
                       (unsigned long long)n, SUBMIT_TASKS_MAX);
    *ntasks = (uint32_t)n;
    return 0;
}

static int submit_check_streams(const Hct__Submit *s, uint32_t ntasks,
                                struct err *err)
{
    struct taskset ranks = { 0 };
    struct addr ways[SUBMIT_WAYS_MAX];
    int rc = 0;

    if (s->n_stream_addresses == 0)
        return err_set(err, EINVAL, "a job without an address for its "
                       "streams");
    for (size_t i = 0; i < s->n_stream_addresses; i++)
        if (addr_parse_list(ways, SUBMIT_WAYS_MAX, s->stream_addresses[i],
                            err) < 0)
            return err_prefix(err, "address of the streams");
    if (s->cookie.len != SUBMIT_COOKIE)
        return err_set(err, EINVAL, "a cookie of %zu bytes, not %d",
                       s->cookie.len, SUBMIT_COOKIE);
    if (*s->stdin_ranks &&
        taskset_parse(&ranks, s->stdin_ranks, ntasks, err))
        rc = err_prefix(err, "stdin for rank \"%s\"", s->stdin_ranks);
    taskset_fini(&ranks);
    return rc;
}

static int submit_check_rest(const Hct__Submit *s, struct err *err)
{
    struct priority p;

    if (s->n_hosts > SUBMIT_HOSTS_MAX)
        return err_set(err, EINVAL, "%zu hosts (%d are possible)", s->n_hosts,
                       SUBMIT_HOSTS_MAX);
    for (size_t i = 0; i < s->n_hosts; i++)
        if (!*s->hosts[i]->name)
            return err_set(err, EINVAL, "a host without a name");
    if (s->map_by != HCT__MAP_BY__MAP_BY_SLOT &&
        s->map_by != HCT__MAP_BY__MAP_BY_NODE)
        return err_set(err, EINVAL, "unknown placement %d", (int)s->map_by);
    if (priority_make(&p, s->priority, s->class_, err) || ladder_check(s, err))
        return -1;
    if (s->before_limit_ns && !allotment_knows(s->before_limit))
        return err_set(err, EINVAL, "\"%.40s\" cannot be done before the end of "
                       "an allocation", s->before_limit);
    if (s->grace_ns > submit_grace_max_ns)
        return err_set(err, EINVAL, "more than an hour of grace");
    return 0;
}

/* ----------------------------------------------------------------- copying */

static char *submit_name(const Hct__Submit *s)
{
    const ProtobufCBinaryData *argv0 = &s->apps[0]->argv[0];
    const char *slash = memrchr(argv0->data, '/', argv0->len);
    const char *end = (const char *)argv0->data + argv0->len;
    const char *start = slash ? slash + 1 : (const char *)argv0->data;

    if (*s->name)
        return strdup(s->name);
    return strndup(start, (size_t)(end - start));
}

static int submit_copy(struct job *j, const Hct__Submit *s)
{
    j->submit.n = hct__submit__get_packed_size(s);
    j->submit.bytes = malloc(j->submit.n + 1);
    j->tasks = calloc(j->ntasks, sizeof(*j->tasks));
    j->tasks_cap = j->ntasks;
    j->name = submit_name(s);
    if (*s->batch && !(j->batch.id = strdup(s->batch)))
        return -1;
    if (s->before_limit_ns && !(j->batch.before = strdup(s->before_limit)))
        return -1;
    j->batch.before_ns = s->before_limit_ns;
    j->batch.restarts = s->batch_restarts;
    j->batch.run_ns = s->batch_run_ns;
    j->batch.tells = s->batch_tells && *s->batch;
    j->command = strdup(s->command);
    if (!j->submit.bytes || !j->tasks || !j->name || !j->command ||
        launch_wish(j, s))
        return -1;
    hct__submit__pack(s, j->submit.bytes);
    j->grace_ns = s->grace_ns;
    j->migratable = s->migratable;
    priority_make(&j->priority, s->priority, s->class_, NULL);
    j->reprioritized = s->reprioritized;
    j->prompt = s->n_deadlines > s->n_deadlines_over;
    j->rescheduled = s->rescheduled;
    j->acts_on_due = strcmp(s->on_deadline, "act") == 0;
    j->max_suspend = s->max_suspend ? s->max_suspend - 1 : SUBMIT_MAX_SUSPEND;
    j->crowds = s->no_oversubscribe_notice;
    memcpy(j->cookie, s->cookie.data, sizeof(j->cookie));
    j->uid = (uint32_t)getuid();
    return 0;
}

struct job *submit_job(const Hct__Submit *s, struct err *err)
{
    struct job *j;
    uint32_t ntasks = 0;

    if (submit_check_apps(s, &ntasks, err) ||
        submit_check_streams(s, ntasks, err) || submit_check_rest(s, err))
        return NULL;
    j = calloc(1, sizeof(*j));
    if (j) {
        j->ops = &own_ops;
        j->ntasks = ntasks;
    }
    if (j && checkpoint_wish(j, s, err)) {
        checkpoint_free(j);
        job_destroy(j);
        return NULL;
    }
    if (j && checkpoint_restores(j))
        j->serial = checkpoint_serial(j);
    if (!j || submit_copy(j, s) ||
        (*s->adopt_socket && adopt_init(j, *s->name, err))) {
        launch_free(j);
        if (j)
            checkpoint_free(j);
        job_destroy(j);
        err_memory(err);
        return NULL;
    }
    return j;
}
