/* launch.c - hosts looked up among the nodes, placement, Prepare messages. */
#include "master/flow/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master/act/importance.h"
#include "master/move/checkpoint.h"
#include "master/optimize/course.h"
#include "master/state/place.h"
#include "proto/link/conn.h"
#include "proto/link/message.h"
#include "proto/link/nodemap.h"

struct launch_host { char *name; uint32_t slots; };     /* name owned */

struct launch_wish {
    struct launch_host *hosts;  /* owned: wished for, in order */
    size_t nhosts;
    uint32_t per_node;
    bool by_node, quiet_oversubscribe;
};

/* ------------------------------------------------------------------ wishes */

static int launch_add_host(struct launch_wish *w, const Hct__Host *h)
{
    for (size_t i = 0; i < w->nhosts; i++)
        if (strcmp(w->hosts[i].name, h->name) == 0) {
            w->hosts[i].slots += h->slots;
            return 0;
        }
    w->hosts[w->nhosts].name = strdup(h->name);
    w->hosts[w->nhosts].slots = h->slots;
    return w->hosts[w->nhosts].name ? (w->nhosts++, 0) : -1;
}

int launch_wish(struct job *j, const Hct__Submit *s)
{
    struct launch_wish *w = j->wish = calloc(1, sizeof(*w));

    if (w)
        w->hosts = calloc(s->n_hosts + 1, sizeof(*w->hosts));
    if (!w || !w->hosts)
        return -1;
    for (size_t i = 0; i < s->n_hosts; i++)
        if (launch_add_host(w, s->hosts[i]))
            return -1;
    w->per_node = s->per_node;
    w->by_node = s->map_by == HCT__MAP_BY__MAP_BY_NODE;
    w->quiet_oversubscribe = s->no_oversubscribe_notice;
    return 0;
}

/* A later master reads that. */
static int launch_resubmit(struct job *j, char *const *nodes, size_t n,
                           struct err *err)
{
    Hct__Submit *s = hct__submit__unpack(NULL, j->submit.n, j->submit.bytes);
    Hct__Host *hosts = calloc(n + 1, sizeof(*hosts));
    Hct__Host **all = calloc(n + 1, sizeof(*all));
    Hct__Submit new = HCT__SUBMIT__INIT;
    int rc;

    if (s && hosts && all) {
        new = *s;
        new.hosts = all;
        new.n_hosts = n;
        for (size_t i = 0; i < n; i++) {
            hct__host__init(&hosts[i]);
            hosts[i].name = nodes[i];
            all[i] = &hosts[i];
        }
        rc = job_resubmit(j, &new, err);
    } else {
        rc = err_memory(err);
    }
    if (s)
        hct__submit__free_unpacked(s, NULL);
    free(all);
    free(hosts);
    return rc;
}

int launch_rewish(struct job *j, char *const *nodes, size_t n, struct err *err)
{
    struct launch_wish *w = j->wish;
    struct launch_host *hosts = calloc(n + 1, sizeof(*hosts));
    bool good = hosts != NULL;

    for (size_t i = 0; good && i < n; i++)
        good = (hosts[i].name = strdup(nodes[i])) != NULL;
    if (!good || launch_resubmit(j, nodes, n, err)) {
        for (size_t i = 0; hosts && i < n; i++)
            free(hosts[i].name);
        free(hosts);
        return err_memory(err);
    }
    for (size_t i = 0; i < w->nhosts; i++)
        free(w->hosts[i].name);
    free(w->hosts);
    w->hosts = hosts;
    w->nhosts = n;
    return 0;
}

void launch_free(struct job *j)
{
    struct launch_wish *w = j ? j->wish : NULL;

    if (!w)
        return;
    for (size_t i = 0; i < w->nhosts; i++)
        free(w->hosts[i].name);
    free(w->hosts);
    free(w);
    j->wish = NULL;
}

bool launch_is_open(const struct job *j)
{
    return j->wish && j->wish->nhosts == 0 && !j->wish->by_node;
}

bool launch_may(const struct job *j, const struct node *n)
{
    if (!j->wish || j->wish->nhosts == 0)
        return true;
    for (size_t i = 0; i < j->wish->nhosts; i++)
        if (strcmp(j->wish->hosts[i].name, n->name) == 0)
            return true;
    return false;
}

uint32_t launch_per_node(const struct job *j)
{
    return j->wish ? j->wish->per_node : 0;
}

/* --------------------------------------------------------------- placement */

/* Hosts of the job that are up, in the order of placement. */
struct launch_hosts {
    struct node **nodes;        /* owned; the nodes are borrowed */
    struct place_host *places;  /* owned */
    size_t n;
};

/* Tasks that were there already need what they have found. */
static int launch_takes(const struct job *j, const struct node *n,
                        struct err *err)
{
    return node_takes(n, err) || cpuuse_check(&j->cpu, j->id, n, err) ? -1 : 0;
}

static void launch_add(struct launch_hosts *h, struct node *n, uint32_t slots,
                       uint32_t used)
{
    h->nodes[h->n] = n;
    h->places[h->n].slots = slots ? slots : n->cpus;
    h->places[h->n].used = used;
    h->n++;
}

static int launch_by_name(const void *a, const void *b)
{
    const struct node *const *x = a, *const *y = b;

    return strverscmp((*x)->name, (*y)->name);
}

/* All nodes that are up; the ones that other jobs use count as fuller. They
 * come by name, n2 before n10, and not as they have joined: so the ranks of
 * neighbours follow each other, and the map of the job stays short. */
static int launch_any(struct launch_hosts *h, const struct job *j,
                      const struct nodes *nodes, struct str *missing,
                      struct err *err)
{
    size_t n = 0, draining = 0, lesser = 0;

    for (size_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i]->state != NODE_UP)
            continue;
        if (nodes->v[i]->draining)
            draining++;
        else if (launch_takes(j, nodes->v[i], err))
            lesser++;
        else
            h->nodes[n++] = nodes->v[i];
    }
    qsort(h->nodes, n, sizeof(struct node *), launch_by_name);
    while (h->n < n)
        launch_add(h, h->nodes[h->n], 0,
                   h->nodes[h->n]->ntasks + h->nodes[h->n]->ncoming);
    if (h->n == 0 && lesser)
        return -1;
    if (h->n == 0 && draining)
        return err_set(err, EBUSY, "all nodes are draining: they take no new "
                       "tasks");
    if (h->n == 0)
        str_add(missing, "any node");
    return 0;
}

/* One that is draining is not waited for, as nobody knows for how long. A job
 * that goes on from a checkpoint takes those that remain. */
static int launch_named(struct launch_hosts *h, const struct job *j,
                        const struct nodes *nodes, struct str *missing,
                        struct err *err)
{
    struct str lacks = { 0 };
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < j->wish->nhosts; i++) {
        struct node *n = nodes_find(nodes, j->wish->hosts[i].name);
        bool takes = n && launch_takes(j, n, err) == 0;

        if (n && !takes && !j->attempt)
            rc = -1;
        else if (takes && n->state == NODE_UP)
            launch_add(h, n, j->wish->hosts[i].slots, 0);
        else
            str_addf(&lacks, "%s%s", lacks.n ? ", " : "",
                     j->wish->hosts[i].name);
    }
    if (rc == 0 && (!j->attempt || !h->n))
        str_add(missing, str_text(&lacks));
    str_fini(&lacks);
    return rc;
}

/* Where an optimizer wants them; false: nowhere, or not all of these nodes are
 * there any more. */
static bool launch_aimed(const struct job *j, const struct launch_hosts *h,
                         uint32_t *host_of, uint32_t *count)
{
    struct node *const *aims = j->course ? j->course->aims : NULL;

    for (uint32_t r = 0; aims && r < j->ntasks; r++) {
        size_t i = r && aims[r] == aims[r - 1] ? host_of[r - 1] : 0;

        while (i < h->n && h->nodes[i] != aims[r])
            i++;
        if (i == h->n) {
            memset(count, 0, h->n * sizeof(*count));
            return false;
        }
        host_of[r] = (uint32_t)i;
        count[i]++;
    }
    return aims != NULL;
}

static int launch_choose(struct job *j, const struct launch_hosts *h,
                         struct err *err)
{
    struct place_wish wish = { j->ntasks, j->wish->by_node,
                               j->wish->per_node };
    uint32_t *host_of = calloc(j->ntasks + 1, sizeof(*host_of));
    uint32_t *count = calloc(h->n + 1, sizeof(*count));
    int rc;

    if (j->migratable && !checkpoint_restores(j) && !cpuuse_known(&j->cpu))
        j->cpu = cpuuse_of(h->nodes, h->n);
    if (!host_of || !count)
        rc = err_memory(err);
    else                        /* those that come later have no places */
        rc = j->ntasks && !launch_aimed(j, h, host_of, count)
             ? place_tasks(&wish, h->places, h->n, host_of, count, err) : 0;
    if (rc == 0)
        rc = j->ops->place(j, h->nodes, host_of, count, h->n, err);
    free(host_of);
    free(count);
    return rc;
}

enum launch_result launch_place(struct job *j, const struct nodes *nodes,
                                struct str *missing, struct err *err)
{
    size_t max = (j->wish->nhosts > nodes->n ? j->wish->nhosts : nodes->n) + 1;
    struct launch_hosts h = {
        .nodes = calloc(max, sizeof(struct node *)),
        .places = calloc(max, sizeof(struct place_host)),
    };
    enum launch_result result = LAUNCH_IMPOSSIBLE;

    if (!h.nodes || !h.places) {
        err_memory(err);
    } else if ((j->wish->nhosts ? launch_named(&h, j, nodes, missing, err)
                                : launch_any(&h, j, nodes, missing, err)) == 0) {
        if (missing->n)
            result = LAUNCH_MISSING;
        else if (launch_choose(j, &h, err) == 0)
            result = LAUNCH_PLACED;
    }
    free(h.nodes);
    free(h.places);
    return result;
}

/* Slots that the user has written down for this node; 0: none. */
static uint32_t launch_slots(const struct job *j, const struct node *n)
{
    for (size_t i = 0; i < j->wish->nhosts; i++)
        if (j->wish->hosts[i].slots && strcmp(n->name, j->wish->hosts[i].name) == 0)
            return j->wish->hosts[i].slots;
    return 0;
}

void launch_oversubscription(const struct job *j, struct str *text)
{
    uint64_t tasks = 0, cpus = 0;
    size_t over = 0;
    const char *name = NULL;

    for (size_t i = 0; !j->wish->quiet_oversubscribe && i < j->nnodes; i++) {
        const struct job_node *n = &j->nodes[i];

        if (n->ntasks <= n->node->cpus ||
            n->ntasks <= launch_slots(j, n->node))
            continue;
        tasks += n->ntasks;
        cpus += n->node->cpus;
        name = n->node->name;
        over++;
    }
    if (over == 0)
        return;
    str_addf(text, "%llu tasks on %llu processor%s of ",
             (unsigned long long)tasks, (unsigned long long)cpus,
             cpus == 1 ? "" : "s");
    if (over == 1)
        str_add(text, name);
    else
        str_addf(text, "%zu nodes", over);
    str_add(text, ": oversubscribed");
}

/* --------------------------------------------------------------- messages */

static const char *launch_name(const void *arg, size_t i)
{
    return ((const struct job *)arg)->nodes[i].node->name;
}

/* Where tasks come one by one, their ranks have no nodes yet. */
static int launch_map(Hct__Prepare *p, const struct job *j)
{
    uint32_t *node_of = NULL;
    int rc;

    if (j->ntasks) {
        node_of = malloc((j->ntasks + 1) * sizeof(*node_of));
        if (!node_of)
            return -1;
        for (uint32_t i = 0; i < j->ntasks; i++)
            node_of[i] = j->tasks[i].node;
    }
    rc = nodemap_write(p, j->nnodes, launch_name, j, node_of, j->ntasks);
    free(node_of);
    return rc;
}

/* It borrows both. */
static void launch_cpu(Hct__Prepare *p, Hct__CpuUse *cpu, struct job *j)
{
    if (!cpuuse_known(&j->cpu))
        return;
    cpuuse_write(cpu, &j->cpu);
    p->cpu = cpu;
}

int launch_seal(struct job *j, uint64_t instance, struct err *err)
{
    Hct__Prepare p = HCT__PREPARE__INIT;
    Hct__CpuUse cpu = HCT__CPU_USE__INIT;
    char nspace[64];
    int rc = launch_map(&p, j);

    snprintf(nspace, sizeof(nspace), "hector-%08x-%llu",
             (unsigned)(instance & 0xffffffffu), (unsigned long long)j->id);
    p.job = j->id;
    p.nspace = nspace;
    p.ntasks = j->ntasks;
    p.oversubscribed = j->oversubscribed;
    launch_cpu(&p, &cpu, j);
    if (rc == 0) {
        j->placement.n = hct__prepare__get_packed_size(&p);
        j->placement.bytes = malloc(j->placement.n + 1);
        rc = j->placement.bytes ? 0 : -1;
    }
    if (rc == 0)
        hct__prepare__pack(&p, j->placement.bytes);
    nodemap_drop(&p);
    return rc ? err_memory(err) : 0;
}

int launch_seal_again(struct job *j, Hct__SwapGo__Arrival **arrivals, size_t n,
                      struct err *err)
{
    Hct__Prepare *old =
        hct__prepare__unpack(NULL, j->placement.n, j->placement.bytes);
    Hct__Prepare p = HCT__PREPARE__INIT;
    Hct__CpuUse cpu = HCT__CPU_USE__INIT;
    char nspace[128];
    uint8_t *bytes = NULL;

    if (!old || launch_map(&p, j)) {
        if (old)
            hct__prepare__free_unpacked(old, NULL);
        return err_memory(err);
    }
    snprintf(nspace, sizeof(nspace), "%.*s", (int)strcspn(old->nspace, "."),
             old->nspace);
    if (j->serial)
        snprintf(nspace + strlen(nspace), 20, ".%u", j->serial);
    p.job = j->id;
    p.nspace = nspace;
    p.ntasks = j->ntasks;
    p.oversubscribed = j->oversubscribed;
    p.serial = j->serial;
    p.attempt = j->attempt;
    launch_cpu(&p, &cpu, j);
    p.arrivals = arrivals;
    p.n_arrivals = n;
    j->placement.n = hct__prepare__get_packed_size(&p);
    bytes = realloc(j->placement.bytes, j->placement.n + 1);
    if (bytes) {
        hct__prepare__pack(&p, bytes);
        j->placement.bytes = bytes;
        j->placement.stored = false;
    }
    nodemap_drop(&p);
    hct__prepare__free_unpacked(old, NULL);
    return bytes ? 0 : err_memory(err);
}

int launch_further(struct job *j, struct job_node *jn, struct node *n,
                   struct err *err)
{
    Hct__Forget forget = HCT__FORGET__INIT;

    forget.job = j->id;
    if (jn) {
        conn_send(jn->node->link, MESSAGE_FORGET, &forget);
        job_node_again(j, jn);
    } else if (!(jn = job_add_node(j, n))) {
        return err_memory(err);
    }
    return launch_seal_again(j, NULL, 0, err) || launch_prepare(j, jn, err) ? -1 : 0;
}

static void launch_fill(Hct__Prepare *p, const Hct__Submit *s,
                        const Hct__Prepare *placement, uint32_t attempt)
{
    p->job = placement->job;
    p->nspace = placement->nspace;
    p->serial = placement->serial;
    p->ntasks = placement->ntasks;
    p->n_nodes = placement->n_nodes;
    p->nodes = placement->nodes;
    p->hosts = placement->hosts;
    p->n_deals = placement->n_deals;
    p->deals = placement->deals;
    p->oversubscribed = placement->oversubscribed;
    p->cpu = placement->cpu;
    p->n_apps = s->n_apps;
    p->apps = s->apps;
    p->n_stream_addresses = s->n_stream_addresses;
    p->stream_addresses = s->stream_addresses;
    p->cookie = s->cookie;
    p->stdin_ranks = s->stdin_ranks;
    p->merge_stderr = s->merge_stderr;
    p->want_stdtim = s->want_stdtim;
    p->adopt_socket = s->adopt_socket;
    p->terminal = s->terminal;
    p->migratable = s->migratable;
    p->prompt = s->n_deadlines > s->n_deadlines_over;
    p->attempt = attempt;
    p->priority = s->priority;
    p->class_ = s->class_;
    p->n_periods = importance_periods(s, &p->periods);
    p->uid = (uint32_t)getuid();
    p->gid = (uint32_t)getgid();
}

int launch_prepare(const struct job *j, const struct job_node *only,
                   struct err *err)
{
    Hct__Submit *s = hct__submit__unpack(NULL, j->submit.n, j->submit.bytes);
    Hct__Prepare *placement =
        hct__prepare__unpack(NULL, j->placement.n, j->placement.bytes);
    Hct__Prepare p = HCT__PREPARE__INIT;
    int rc = 0;

    if (!s || !placement)
        rc = err_memory(err);
    else
        launch_fill(&p, s, placement, j->attempt);
    for (size_t i = 0; rc == 0 && i < j->nnodes; i++) {
        const struct job_node *n = &j->nodes[i];

        if (!n->node->link || n->lost || (only && n != only))
            continue;
        p.here = (uint32_t)i;
        /* Who comes later, by a move, is no task of an image in a file. */
        if (j->state == JOB_PREPARING && checkpoint_restores(j) &&
            checkpoint_fill(j, n, &p, err))
            rc = -1;
        else if (conn_send(n->node->link, MESSAGE_PREPARE, &p))
            rc = err_set(err, EMSGSIZE, "the environment and arguments of "
                         "the job are larger than a message may be");
        checkpoint_unfill(&p);
    }
    free(p.periods);
    if (placement)
        hct__prepare__free_unpacked(placement, NULL);
    if (s)
        hct__submit__free_unpacked(s, NULL);
    return rc;
}
