/* plan.c - the master's Prepare, checked and copied.
 *
 * The message comes from a peer that has proved who it is, but not that it
 * is right: whatever is used as an index later is checked here, once. */
#include "slave/launch/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/str.h"
#include "slave/launch/pty.h"

static void free_strings(char **v)
{
    for (char **p = v; p && *p; p++)
        free(*p);
    free(v);
}

void plan_destroy(struct plan *p)
{
    if (!p)
        return;
    for (size_t i = 0; p->apps && !p->lent && i < p->napps; i++) {
        free_strings(p->apps[i].argv);
        free_strings(p->apps[i].env);
        free(p->apps[i].wdir);
    }
    nodemap_fini(&p->nodes);
    taskset_fini(&p->stdin_ranks);
    calendar_fini(&p->periods);
    if (!p->lent)
        free(p->apps);
    free(p->node_of);
    free(p->local_of);
    free(p->stream_addresses);
    free(p->restore);
    free(p->past);
    free(p);
}

/* Byte strings of the message as C strings; a zero inside would cut one
 * short, so it is refused. */
static char **copy_strings(const ProtobufCBinaryData *from, size_t n,
                           const char *what, struct err *err)
{
    char **v = calloc(n + 1, sizeof(*v));

    for (size_t i = 0; v && i < n; i++) {
        if (from[i].len && memchr(from[i].data, 0, from[i].len)) {
            free_strings(v);
            err_set(err, EINVAL, "%s %zu has a zero byte in it", what, i);
            return NULL;
        }
        v[i] = strndup(from[i].len ? (const char *)from[i].data : "",
                       from[i].len);
        if (!v[i]) {
            free_strings(v);
            v = NULL;
        }
    }
    if (!v)
        err_memory(err);
    return v;
}

static int take_apps(struct plan *p, const Hct__Prepare *m, struct err *err)
{
    uint64_t first = 0;

    if (!m->n_apps)
        return err_set(err, EINVAL, "no program");
    p->apps = calloc(m->n_apps, sizeof(*p->apps));
    if (!p->apps)
        return err_memory(err);
    p->napps = m->n_apps;
    for (size_t i = 0; i < m->n_apps; i++) {
        const Hct__App *from = m->apps[i];
        struct plan_app *app = &p->apps[i];

        if (!from->n_argv || !from->argv[0].len)
            return err_set(err, EINVAL, "program %zu has no name", i);
        app->argv = copy_strings(from->argv, from->n_argv, "argument", err);
        if (!app->argv)
            return -1;
        app->env = copy_strings(from->env, from->n_env, "variable", err);
        if (!app->env)
            return -1;
        app->wdir = strdup(from->wdir);
        if (!app->wdir)
            return err_memory(err);
        app->first = (uint32_t)first;
        app->ntasks = from->ntasks;
        first += from->ntasks;
        if (first > m->ntasks)
            break;
    }
    if (first != m->ntasks)
        return err_set(err, EINVAL, "the programs' tasks are not %u in all",
                       m->ntasks);
    return 0;
}

static int take_node(struct plan *p, uint32_t i, uint32_t *placed,
                     struct err *err)
{
    const struct nodemap_node *node = &p->nodes.v[i];
    uint32_t local = 0;

    if (!*node->name || strpbrk(node->name, ",;"))
        return err_set(err, EINVAL, "'%s' is no name of a node", node->name);
    for (int64_t r = -1; (r = taskset_next(&node->ranks, r)) >= 0; ) {
        if (p->node_of[r] != UINT32_MAX)
            return err_set(err, EINVAL, "rank %d has two nodes", (int)r);
        p->node_of[r] = i;
        p->local_of[r] = local++;
        ++*placed;
    }
    return 0;
}

static int take_nodes(struct plan *p, const Hct__Prepare *m, struct err *err)
{
    uint32_t placed = 0;

    p->node_of = calloc(m->ntasks, sizeof(*p->node_of));
    p->local_of = calloc(m->ntasks, sizeof(*p->local_of));
    if (!p->node_of || !p->local_of)
        return err_memory(err);
    memset(p->node_of, 0xff, m->ntasks * sizeof(*p->node_of));
    if (nodemap_read(&p->nodes, m, err))
        return -1;
    if (m->here >= p->nodes.n)
        return err_set(err, EINVAL, "node %u of %zu is not one of them",
                       m->here, p->nodes.n);
    p->here = m->here;
    for (uint32_t i = 0; i < p->nodes.n; i++)
        if (take_node(p, i, &placed, err))
            return -1;
    if (placed != m->ntasks)
        return err_set(err, EINVAL, "only %u of %u ranks have a node",
                       placed, m->ntasks);
    return 0;
}

static int take_streams(struct plan *p, const Hct__Prepare *m,
                        struct err *err)
{
    struct str list = { 0 };

    for (size_t i = 0; i < m->n_stream_addresses; i++) {
        str_add(&list, i ? "," : "");
        str_add(&list, m->stream_addresses[i]);
    }
    str_add(&list, "");
    p->stream_addresses = str_take(&list);
    if (!p->stream_addresses)
        p->stream_addresses = calloc(1, 1);
    if (!p->stream_addresses)
        return err_memory(err);
    if (m->cookie.len > sizeof(p->cookie))
        return err_set(err, EINVAL, "a cookie of %zu bytes", m->cookie.len);
    if (m->cookie.len)
        memcpy(p->cookie, m->cookie.data, m->cookie.len);
    p->cookie_bytes = m->cookie.len;
    return taskset_parse(&p->stdin_ranks, m->stdin_ranks, m->ntasks, err);
}

/* Tasks that are made of images. */
static int take_past(struct plan *p, const Hct__Prepare *m, struct err *err)
{
    Hct__SwapGo go = HCT__SWAP_GO__INIT;

    if (!*m->restore)
        return 0;
    if (*m->restore != '/' || !m->migratable)
        return err_set(err, EINVAL, "images in %s", m->restore);
    go.n_arrivals = m->n_arrivals;
    go.arrivals = m->arrivals;
    p->past_bytes = hct__swap_go__get_packed_size(&go);
    p->past = malloc(p->past_bytes + 1);
    p->restore = strdup(m->restore);
    if (!p->past || !p->restore)
        return err_memory(err);
    hct__swap_go__pack(&go, p->past);
    return 0;
}

static void take_cpu(struct plan *p, const Hct__CpuUse *m)
{
    if (!m)
        return;
    cpu_take(&p->cpu, m->has, m->n_has);
    p->bind_now = m->n_has && m->bind_now;
}

/* Not in the layer before MPI: there MPI has a libc of its own. */
bool plan_yields(const struct plan *p)
{
    return p->schedule.want.class == PRIORITY_REALTIME && !p->migratable;
}

bool plan_rests(const struct plan *p)
{
    return plan_yields(p) && p->periods.n;
}

bool plan_has_periods(const struct plan *p, char *const *v, size_t n)
{
    size_t i = 0;

    while (i < n && i < p->periods.n && !strcmp(v[i], p->periods.v[i].text))
        i++;
    return i == n && i == p->periods.n;
}

int plan_take_periods(struct plan *p, char *const *v, size_t n,
                      struct err *err)
{
    struct calendar made = { 0 };

    for (size_t i = 0; i < n; i++)
        if (calendar_add(&made, v[i], err)) {
            calendar_fini(&made);
            return -1;
        }
    calendar_fini(&p->periods);
    p->periods = made;
    return 0;
}

static int take_priority(struct plan *p, const Hct__Prepare *m, struct err *err)
{
    struct priority want;

    if (priority_make(&want, m->priority, m->class_, err))
        return -1;
    schedule_want(&p->schedule, &want);
    return plan_take_periods(p, m->periods, m->n_periods, err);
}

struct plan *plan_create(const Hct__Prepare *m, struct err *err)
{
    struct plan *p = calloc(1, sizeof(*p));

    if (!p)
        return err_memory(err), NULL;
    p->job = m->job;
    p->ntasks = m->ntasks;
    p->merge_stderr = m->merge_stderr;
    p->want_stdtim = m->want_stdtim;
    p->oversubscribed = m->oversubscribed;
    p->migratable = m->migratable;
    take_cpu(p, m->cpu);
    p->serial = m->serial;
    p->attempt = m->attempt;
    if (m->terminal) {
        p->has_terminal = true;
        pty_size(&p->window, m->terminal);
    }
    p->uid = m->uid;
    p->gid = m->gid;
    if (!*m->nspace || strlen(m->nspace) > PLAN_NSPACE_MAX)
        err_set(err, EINVAL, "the namespace's name is %zu bytes long",
                strlen(m->nspace));
    else if (!m->ntasks || m->ntasks > (1u << 24))
        err_set(err, EINVAL, "%u tasks", m->ntasks);
    else if (!take_apps(p, m, err) && !take_nodes(p, m, err) &&
             !take_streams(p, m, err) && !take_past(p, m, err) &&
             !take_priority(p, m, err)) {
        memcpy(p->nspace, m->nspace, strlen(m->nspace) + 1);
        return p;
    }
    plan_destroy(p);
    err_prefix(err, "a Prepare that makes no sense");
    return NULL;
}

struct plan *plan_elsewhere(const struct plan *p, const Hct__Swap *m,
                            struct err *err)
{
    const Hct__Prepare *at = m->places;
    struct plan *to = calloc(1, sizeof(*to));

    if (!to)
        return err_memory(err), NULL;
    *to = (struct plan){
        .job = p->job, .serial = m->serial, .attempt = p->attempt,
        .ntasks = p->ntasks,
        .apps = p->apps, .lent = true, .napps = p->napps,
        .oversubscribed = p->oversubscribed, .migratable = p->migratable,
        .cpu = p->cpu, .bind_now = p->bind_now, .schedule = p->schedule,
        .uid = p->uid, .gid = p->gid };
    if (!at || at->ntasks != p->ntasks || !*at->nspace ||
        strlen(at->nspace) > PLAN_NSPACE_MAX) {
        err_set(err, EINVAL, "no places of %u tasks", p->ntasks);
    } else if (!take_nodes(to, at, err)) {
        strcpy(to->nspace, at->nspace);
        to->oversubscribed |= at->oversubscribed;
        return to;
    }
    plan_destroy(to);
    err_prefix(err, "a Swap that makes no sense");
    return NULL;
}

void plan_follow(struct plan *p, struct plan *to)
{
    struct nodemap nodes = p->nodes;
    uint32_t *node_of = p->node_of, *local_of = p->local_of;

    p->serial = to->serial;
    strcpy(p->nspace, to->nspace);
    p->here = to->here;
    p->nodes = to->nodes;
    p->node_of = to->node_of;
    p->local_of = to->local_of;
    p->oversubscribed = to->oversubscribed;
    to->nodes = nodes;
    to->node_of = node_of;
    to->local_of = local_of;
    plan_destroy(to);
}

const struct nodemap_node *plan_here(const struct plan *p)
{
    return &p->nodes.v[p->here];
}

const struct plan_app *plan_app(const struct plan *p, uint32_t rank)
{
    size_t i = 0;

    while (i + 1 < p->napps && rank >= p->apps[i].first + p->apps[i].ntasks)
        i++;
    return &p->apps[i];
}

bool plan_is_local(const struct plan *p, uint32_t rank)
{
    return rank < p->ntasks && p->node_of[rank] == p->here;
}
