/* submit.c - counts tasks and builds Submit.
 *
 * Ownership in the built message: every array and every text that was put
 * together here is owned and freed by submit_free(); argv, environment,
 * addresses and names of hosts are borrowed. Which is which is fixed by
 * field, see submit_free(). */
#include "redirector/start/submit.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"
#include "redirector/in/terminal.h"
#include "redirector/start/former.h"

enum { SUBMIT_COMMAND_MAX = 4096 };
#define SUBMIT_GRACE_NS (2 * CLOCK_NS_PER_S)

uint32_t submit_cpus(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set)
                                                         : 0;

    return n > 0 ? (uint32_t)n : 1;
}

/* One task a slot. 0 with err where a host does not say its slots. */
static uint32_t submit_slots(const struct hosts *h, uint32_t cpus,
                             struct err *err)
{
    uint64_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        if (h->v[i].slots == 0 && !h->v[i].local) {
            err_set(err, EINVAL, "how many tasks? %.80s does not say its "
                    "slots; give -n N, or slots=N for each host",
                    h->v[i].name);
            return 0;
        }
        n += h->v[i].slots ? h->v[i].slots : cpus;
    }
    if (n > OPTIONS_TASKS_MAX) {
        err_set(err, E2BIG, "more than %d slots in all", OPTIONS_TASKS_MAX);
        return 0;
    }
    return (uint32_t)n;
}

uint32_t submit_count(struct options *o, const struct hosts *h,
                      bool hosts_given, uint32_t cpus, struct err *err)
{
    uint64_t total = 0;

    if (o->napps == 1 && o->apps[0].ntasks == 0) {
        if (o->per_node && h->n > 0)
            total = (uint64_t)o->per_node * h->n;
        else if (hosts_given && h->n > 0)
            total = submit_slots(h, cpus, err);
        else if (o->per_node) {
            err_set(err, EINVAL, "how many tasks? -N without -n needs the "
                    "hosts: give -n N or -H");
            return 0;
        } else
            total = 1;
        if (total == 0)
            return 0;
        if (total > OPTIONS_TASKS_MAX) {
            err_set(err, E2BIG, "more than %d tasks in all",
                    OPTIONS_TASKS_MAX);
            return 0;
        }
        return o->apps[0].ntasks = (uint32_t)total;
    }
    for (size_t i = 0; i < o->napps; i++) {
        if (o->apps[i].ntasks == 0)
            o->apps[i].ntasks = 1;
        total += o->apps[i].ntasks;
    }
    if (o->per_node && h->n > 0 && total > (uint64_t)o->per_node * h->n) {
        err_set(err, EINVAL, "%u tasks do not fit: %u a node on %zu host%s",
                (unsigned)total, o->per_node, h->n, h->n == 1 ? "" : "s");
        return 0;
    }
    return (uint32_t)total;
}

/* ----------------------------------------------------------- environment */

struct environment { ProtobufCBinaryData *v; size_t n, cap; };

/* Set "NAME=VALUE" (borrowed): in place of an earlier one of this name. */
static int environment_set(struct environment *e, const char *text)
{
    size_t name = strcspn(text, "=") + 1;
    ProtobufCBinaryData data = { strlen(text), (uint8_t *)text };

    for (size_t i = 0; i < e->n; i++)
        if (e->v[i].len >= name && memcmp(e->v[i].data, text, name) == 0)
            return e->v[i] = data, 0;
    if (array_reserve(&e->v, &e->cap, e->n + 1))
        return -1;
    e->v[e->n++] = data;
    return 0;
}

/* Entries of -x without a value are there already: the tasks get the whole
 * environment. */
static int environment_apply(struct environment *e,
                             const struct options_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (strchr(l->v[i], '=') && environment_set(e, l->v[i]) < 0)
            return -1;
    return 0;
}

static int environment_copy(struct environment *e, char *const *env)
{
    size_t n = 0;

    while (env[n])
        n++;
    if (array_reserve(&e->v, &e->cap, n))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strchr(env[i], '='))
            e->v[e->n++] = (ProtobufCBinaryData){ strlen(env[i]),
                                                  (uint8_t *)env[i] };
    return 0;
}

/* ----------------------------------------------------------------- build */

/* Absolute; to be freed. */
static char *submit_wdir(const char *wdir, struct err *err)
{
    char *here = get_current_dir_name();
    char *path = NULL;

    if (!here) {
        err_sys(err, "cannot tell the current directory");
        return NULL;
    }
    if (!wdir)
        return here;
    if (*wdir == '/')
        path = strdup(wdir);
    else if (asprintf(&path, "%s/%s", here, wdir) < 0)
        path = NULL;
    free(here);
    if (!path)
        err_memory(err);
    return path;
}

static Hct__App *submit_app(const struct options *o,
                            const struct options_app *a, char *const *env,
                            struct err *err)
{
    Hct__App *m = malloc(sizeof(*m));
    struct environment e = { 0 };

    if (!m)
        return err_memory(err), NULL;
    hct__app__init(m);
    m->ntasks = a->ntasks;
    m->wdir = submit_wdir(a->wdir, err);
    m->argv = malloc(a->argc * sizeof(*m->argv));
    bool ok = m->wdir != NULL;

    if (ok && (!m->argv || environment_copy(&e, env) < 0 ||
               environment_apply(&e, &o->env) < 0 ||
               environment_apply(&e, &a->env) < 0)) {
        err_memory(err);
        ok = false;
    }
    m->env = e.v;
    m->n_env = e.n;
    for (size_t i = 0; ok && i < a->argc; i++)
        m->argv[m->n_argv++] = (ProtobufCBinaryData){
            strlen(a->argv[i]), (uint8_t *)a->argv[i] };
    if (ok)
        return m;
    free(m->argv);
    free(m->env);
    free(m->wdir);
    free(m);
    return NULL;
}

static int submit_hosts(Hct__Submit *m, const struct hosts *h)
{
    m->hosts = calloc(h->n ? h->n : 1, sizeof(*m->hosts));
    Hct__Host *all = calloc(h->n ? h->n : 1, sizeof(*all));

    if (!m->hosts || !all) {
        free(all);
        return -1;
    }
    m->hosts[0] = all;
    for (size_t i = 0; i < h->n; i++) {
        m->hosts[i] = &all[i];
        hct__host__init(&all[i]);
        all[i].name = h->v[i].name;
        all[i].slots = h->v[i].slots;
    }
    m->n_hosts = h->n;
    return 0;
}

static char *submit_command(char *const *argv)
{
    struct str s = { 0 };

    for (size_t i = 0; argv[i] && s.n < SUBMIT_COMMAND_MAX; i++) {
        if (i > 0)
            str_add(&s, " ");
        str_add_quoted(&s, i == 0 ? "hector-run" : argv[i]);
    }
    return str_take(&s);
}

static Hct__Terminal *submit_terminal(void)
{
    Hct__Terminal *m = malloc(sizeof(*m));

    if (!m)
        return NULL;
    hct__terminal__init(m);
    terminal_size(&m->rows, &m->columns);
    return m;
}

/* As they are written shortest: a local time is one of everybody's there. */
static int submit_deadlines(Hct__Submit *m, const struct options *o)
{
    const struct calendar *c = &o->due;

    m->on_deadline = (char *)(o->on_deadline ? o->on_deadline : "");
    m->max_suspend = o->max_suspend.said ? o->max_suspend.percent + 1 : 0;
    if (c->n == 0)
        return 0;
    m->deadlines = calloc(c->n, sizeof(*m->deadlines));
    if (!m->deadlines)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        m->deadlines[m->n_deadlines++] = c->v[i].text;
    return 0;
}

static void submit_set_options(Hct__Submit *m, const struct options *o)
{
    m->name = (char *)(o->name ? o->name : "");
    m->map_by = o->by_node ? HCT__MAP_BY__MAP_BY_NODE
                           : HCT__MAP_BY__MAP_BY_SLOT;
    m->per_node = o->per_node;
    m->no_oversubscribe_notice = o->oversubscribe || o->quiet;
    m->stdin_ranks = (char *)(strcmp(o->stdin_ranks, "none") == 0
                                  ? "" : o->stdin_ranks);
    m->merge_stderr = o->merge_stderr;
    m->want_stdtim = o->stdtim != NULL;
    m->migratable = o->migratable;
    m->grace_ns = SUBMIT_GRACE_NS;
    m->before_limit_ns = o->before_limit_ns;
    m->before_limit = (char *)(uintptr_t)(o->before_limit ? o->before_limit : "");
    m->priority = o->priority.n;
    if (o->priority.class)
        m->class_ = (char *)(uintptr_t)priority_class_name(o->priority.class);
    m->policies = o->policies.v;
    m->n_policies = o->policies.n;
    m->on_hang = (char *)(o->on_hang ? o->on_hang : "");
    m->terminal = o->pty ? submit_terminal() : NULL;
}

Hct__Submit *submit_build(const struct options *o, const struct hosts *h,
                          bool with_hosts, char *const *env,
                          char *const *argv, const struct links_where *links,
                          struct err *err)
{
    Hct__Submit *m = malloc(sizeof(*m));

    if (!m)
        return err_memory(err), NULL;
    hct__submit__init(m);
    submit_set_options(m, o);
    m->batch_run_ns = former_run_ns();
    m->stream_addresses = (char **)links->addresses;
    m->n_stream_addresses = links->naddresses;
    m->cookie.data = (uint8_t *)links->cookie;
    m->cookie.len = LINKS_COOKIE;
    m->command = submit_command(argv);
    m->apps = calloc(o->napps, sizeof(*m->apps));
    if (!m->command || !m->apps || (o->pty && !m->terminal) ||
        submit_deadlines(m, o) < 0 ||
        (with_hosts && submit_hosts(m, h) < 0)) {
        err_memory(err);
        submit_free(m);
        return NULL;
    }
    for (size_t i = 0; i < o->napps; i++) {
        m->apps[i] = submit_app(o, &o->apps[i], env, err);
        if (!m->apps[i]) {
            submit_free(m);
            return NULL;
        }
        m->n_apps++;
    }
    return m;
}

static void submit_free_apps(Hct__Submit *m)
{
    for (size_t i = 0; i < m->n_apps; i++) {
        free(m->apps[i]->argv);
        free(m->apps[i]->env);
        free(m->apps[i]->wdir);
        free(m->apps[i]);
    }
    free(m->apps);
}

int submit_saved(Hct__Submit *m, const struct options *o, const struct saved *s,
                 struct err *err)
{
    char *command = s->n > 0 ? strdup(s->submit->command) : NULL;

    if (s->n > 0 && !command)
        return err_memory(err);
    if (s->dir) {
        m->checkpoint_dir = s->dir;
        m->checkpoint_every_ns = o->checkpoint_every_ns;
        m->checkpoint_rate = o->checkpoint_rate;
        m->max_restarts = o->max_restarts;
        if (o->checkpoint_local)
            m->checkpoint_local = (char *)(uintptr_t)o->checkpoint_local;
    }
    if (s->n == 0)
        return 0;
    submit_free_apps(m);
    m->apps = s->submit->apps;
    m->n_apps = s->submit->n_apps;
    if (!o->name)
        m->name = s->submit->name;
    if (!options_seen(o, "--priority"))
        m->priority = s->submit->priority;
    if (!options_seen(o, "--class"))
        m->class_ = s->submit->class_;
    free(m->command);
    m->command = command;
    m->restore = s->v;
    m->n_restore = s->n;
    return 0;
}

void submit_free(Hct__Submit *m)
{
    if (!m)
        return;
    if (m->n_restore == 0)      /* else they are not ours */
        submit_free_apps(m);
    free(m->terminal);
    free(m->deadlines);
    if (m->hosts)
        free(m->hosts[0]);
    free(m->hosts);
    if (m->command != protobuf_c_empty_string)
        free(m->command);
    free(m);
}
