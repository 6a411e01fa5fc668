/* relay.c - messages between the slaves of one job, by way of the master.
 *
 * A slave is believed only about its own node: where a message names the
 * sender, the link it came over decides. Nodes are numbered as in Prepare, so
 * that the numbers hold when the master is another one. */
#include "master/flow/relay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master/flow/flow.h"
#include "master/flow/notice.h"
#include "master/state/fence.h"
#include "master/state/published.h"
#include "proto/base/clock.h"
#include "proto/link/conn.h"
#include "proto/link/frame.h"
#include "proto/link/timer.h"

/* PMIX_ERROR: no better one is needed, the job is about to end. */
enum { RELAY_FAILED = -1, RELAY_KEYS_MAX = 4096 };

struct modex {                  /* asked, and not answered yet */
    struct modex *next;
    uint64_t job, ticket;
    uint32_t rank, from;        /* from: index in the nodes of the job */
};

struct relay {
    const struct nodes *nodes;  /* borrowed */
    struct modex *modex;        /* owned */
    struct fence_set fences;
    struct published *names;        /* owned */
    struct event *timer;        /* owned: the next look-up that times out */
};

/* ------------------------------------------------------------------ fences */

static void relay_send(const struct job_node *jn, enum message_type type,
                       const void *msg)
{
    if (jn->node->link && !jn->lost)
        conn_send(jn->node->link, type, msg);
}

/* Give the outcome to every node that takes part, or to one of them. */
static void fence_tell(struct job *j, const struct fence *f,
                       const struct job_node *only)
{
    Hct__FenceDone m = HCT__FENCE_DONE__INIT;
    size_t bytes = 0;
    uint8_t *all = f->broken ? NULL : fence_join(f, &bytes);

    m.job = j->id;
    m.signature.data = f->signature;
    m.signature.len = f->signature_bytes;
    m.data.data = all;
    m.data.len = all ? bytes : 0;
    m.status = all ? 0 : RELAY_FAILED;
    for (size_t i = 0; i < f->nparts; i++)
        if (f->parts[i].node < j->nnodes &&
            (!only || only == &j->nodes[f->parts[i].node]))
            relay_send(&j->nodes[f->parts[i].node], MESSAGE_FENCE_DONE, &m);
    free(all);
}

/* f is the set's again. */
static void fence_finish(struct relay *r, struct job *j, struct fence *f)
{
    fence_tell(j, f, NULL);
    fence_keep(&r->fences, f);
}

/* The nodes of the ranks in text, ascending; NULL with err. */
static uint32_t *fence_nodes(const struct job *j, const char *text, size_t *n,
                             struct err *err)
{
    struct taskset ranks = { 0 };
    uint32_t *v;
    bool *in;

    if (taskset_parse(&ranks, *text ? text : "all", j->ntasks, err)) {
        err_prefix(err, "ranks of a fence");
        return NULL;
    }
    v = malloc((j->nnodes + 1) * sizeof(*v));
    in = calloc(j->nnodes + 1, sizeof(*in));
    if (v && in) {
        for (int64_t r = -1; (r = taskset_next(&ranks, r)) >= 0; )
            in[j->tasks[r].node] = true;
        *n = 0;
        for (uint32_t i = 0; i < j->nnodes; i++)
            if (in[i])
                v[(*n)++] = i;
    } else {
        err_memory(err);
        free(v);
        v = NULL;
    }
    taskset_fini(&ranks);
    free(in);
    return v;
}

int relay_fence(struct relay *r, struct job *j, struct job_node *jn,
                const Hct__Fence *m, struct err *err)
{
    size_t nnodes = 0;
    uint32_t *nodes = fence_nodes(j, m->ranks, &nnodes, err);
    struct fence_arrival a = {
        .job = j->id, .node = (uint32_t)(jn - j->nodes),
        .signature = m->signature.data, .signature_bytes = m->signature.len,
        .data = m->data.data, .data_bytes = m->data.len,
        .nodes = nodes, .nnodes = nnodes,
    };
    const struct fence *kept = nodes ? fence_kept(&r->fences, &a) : NULL;
    struct fence *done = NULL;
    int rc = nodes ? 0 : -1;

    if (kept)                           /* its answer was lost with a link */
        fence_tell(j, kept, jn);
    else if (nodes)
        rc = fence_arrive(&r->fences, &a, &done, err);
    if (done)
        fence_finish(r, j, done);
    /* Somebody who has to come cannot any more. */
    for (size_t i = 0; rc == 0 && !kept && !done && i < nnodes; i++)
        if (!j->nodes[nodes[i]].away &&
            (j->nodes[nodes[i]].nlive == 0 || j->nodes[nodes[i]].lost))
            relay_node_gone(r, j, &j->nodes[nodes[i]], false);
    free(nodes);
    return rc;
}

/* ------------------------------------------------------------------- modex */

static void modex_answer(const struct job *j, uint32_t to, uint64_t ticket,
                         int32_t status, const ProtobufCBinaryData *data)
{
    Hct__ModexReply m = HCT__MODEX_REPLY__INIT;

    m.job = j->id;
    m.ticket = ticket;
    m.to_node = to;
    m.status = status;
    if (data)
        m.data = *data;
    relay_send(&j->nodes[to], MESSAGE_MODEX_REPLY, &m);
}

/* Take the question out of the list. */
static void modex_done(struct relay *r, uint64_t job, uint64_t ticket,
                       uint32_t from)
{
    for (struct modex **p = &r->modex; *p; p = &(*p)->next) {
        struct modex *q = *p;

        if (q->job == job && q->ticket == ticket && q->from == from) {
            *p = q->next;
            free(q);
            return;
        }
    }
}

static void modex_ask(const struct job *j, const struct modex *q)
{
    Hct__ModexRequest m = HCT__MODEX_REQUEST__INIT;

    m.job = q->job;
    m.rank = q->rank;
    m.ticket = q->ticket;
    m.from_node = q->from;
    relay_send(&j->nodes[j->tasks[q->rank].node], MESSAGE_MODEX_REQUEST, &m);
}

int relay_modex_request(struct relay *r, struct job *j, struct job_node *jn,
                        const Hct__ModexRequest *m, struct err *err)
{
    struct task *t = job_task_find(j, m->rank);
    uint32_t from = (uint32_t)(jn - j->nodes);
    struct job_node *at = t ? &j->nodes[t->node] : NULL;
    struct modex *q;

    if (!t)
        return err_set(err, EPROTO, "modex of rank %u in a job of %u tasks",
                       m->rank, j->ntasks);
    modex_done(r, j->id, m->ticket, from);      /* asked again */
    q = at->lost || at->drained ? NULL : malloc(sizeof(*q));
    if (!q) {
        modex_answer(j, from, m->ticket, RELAY_FAILED, NULL);
        return 0;
    }
    *q = (struct modex){ r->modex, j->id, m->ticket, m->rank, from };
    r->modex = q;
    modex_ask(j, q);
    return 0;
}

int relay_modex_reply(struct relay *r, struct job *j, struct job_node *jn,
                      const Hct__ModexReply *m, struct err *err)
{
    (void)jn;
    if (m->to_node >= j->nnodes)
        return err_set(err, EPROTO, "modex reply to node %u of %zu",
                       m->to_node, j->nnodes);
    modex_done(r, j->id, m->ticket, m->to_node);
    modex_answer(j, m->to_node, m->ticket, m->status, &m->data);
    return 0;
}

void relay_node_back(struct relay *r, const struct job *j,
                     const struct job_node *jn)
{
    for (const struct modex *q = r->modex; q; q = q->next)
        if (q->job == j->id && &j->nodes[j->tasks[q->rank].node] == jn)
            modex_ask(j, q);
}

/* Questions about tasks of a node that is gone, or of all of a job. */
static void modex_drop(struct relay *r, const struct job *j,
                       const struct job_node *gone)
{
    for (struct modex **p = &r->modex; *p; ) {
        struct modex *q = *p;

        if (q->job != j->id ||
            (gone && &j->nodes[j->tasks[q->rank].node] != gone)) {
            p = &q->next;
            continue;
        }
        *p = q->next;
        if (gone)
            modex_answer(j, q->from, q->ticket, RELAY_FAILED, NULL);
        free(q);
    }
}

/* ------------------------------------------------------------------- names */

static void names_reply(void *arg, const struct published_asker *who,
                        enum published_status status,
                        const struct published_value *found, size_t nfound)
{
    struct relay *r = arg;
    Hct__LookupReply m = HCT__LOOKUP_REPLY__INIT;
    Hct__LookupReply__Found *all = calloc(nfound + 1, sizeof(*all));
    Hct__LookupReply__Found **v = calloc(nfound + 1, sizeof(void *));

    m.ticket = who->ticket;
    m.status = all && v ? (int32_t)status : PUBLISHED_ERROR;
    for (size_t i = 0; all && v && i < nfound; i++) {
        hct__lookup_reply__found__init(&all[i]);
        all[i].key = (char *)found[i].key;
        all[i].nspace = (char *)found[i].nspace;
        all[i].value.data = (uint8_t *)found[i].value;
        all[i].value.len = found[i].bytes;
        all[i].rank = found[i].rank;
        v[m.n_found++] = &all[i];
    }
    m.found = v;
    if (who->node < r->nodes->n && r->nodes->v[who->node]->link)
        conn_send(r->nodes->v[who->node]->link, MESSAGE_LOOKUP_REPLY, &m);
    free(v);
    free(all);
}

static void relay_expire(evutil_socket_t fd, short what, void *arg)
{
    struct relay *r = arg;
    uint64_t now = clock_monotonic_ns();
    uint64_t next = published_expire(r->names, now);

    (void)fd;
    (void)what;
    if (next)
        timer_set(r->timer, next > now ? next - now : 0);
}

int relay_publish(struct relay *r, struct job *j, struct job_node *jn,
                  const Hct__Publish *m, struct err *err)
{
    struct published_asker who = { j->id, jn->node->id, m->ticket };
    struct published_value v = {
        .key = m->key, .nspace = m->nspace, .value = m->value.data,
        .bytes = m->value.len, .job = j->id, .rank = m->rank,
        .first_read_only = m->first_read_only,
    };

    if (!*m->key)
        return err_set(err, EPROTO, "publishing without a key");
    if (!published_publish(r->names, &who, &v) && !j->names_told) {
        j->names_told = true;
        notice(j, true, "the job has published %d values or %d MB, more "
               "is not possible: MPI_Publish_name and the like fail",
               PUBLISHED_JOB_VALUES, PUBLISHED_JOB_BYTES >> 20);
    }
    return 0;
}

int relay_lookup(struct relay *r, struct job *j, struct job_node *jn,
                 const Hct__Lookup *m, struct err *err)
{
    struct published_asker who = { j->id, jn->node->id, m->ticket };
    uint64_t deadline =
        m->timeout_ns ? clock_monotonic_ns() + m->timeout_ns : 0;

    if (m->n_keys == 0 || m->n_keys > RELAY_KEYS_MAX)
        return err_set(err, EPROTO, "looking up %zu keys", m->n_keys);
    published_lookup(r->names, &who, m->keys, m->n_keys, m->wait, deadline);
    if (m->wait && m->timeout_ns)
        event_active(r->timer, EV_TIMEOUT, 0);
    return 0;
}

int relay_unpublish(struct relay *r, struct job *j, struct job_node *jn,
                    const Hct__Unpublish *m, struct err *err)
{
    struct published_asker who = { j->id, jn->node->id, m->ticket };

    (void)err;
    published_unpublish(r->names, &who, m->rank, m->keys, m->n_keys);
    return 0;
}

/* ----------------------------------------------------------- ends, life */

void relay_node_gone(struct relay *r, struct job *j, const struct job_node *jn,
                     bool lost)
{
    uint32_t node = (uint32_t)(jn - j->nodes);
    struct fence *f;

    if (lost)
        modex_drop(r, j, jn);

    while ((f = fence_take_broken(&r->fences, j->id, node, lost)))
        fence_finish(r, j, f);
}

void relay_job_ended(struct relay *r, const struct job *j)
{
    modex_drop(r, j, NULL);
    fence_drop_job(&r->fences, j->id);
    published_drop_job(r->names, j->id);
}

struct relay *relay_create(struct event_base *base, const struct nodes *nodes)
{
    struct relay *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->nodes = nodes;
    r->fences.max_bytes = FRAME_BODY_MAX - 65536;
    r->names = published_create(names_reply, r);
    r->timer = evtimer_new(base, relay_expire, r);
    if (!r->names || !r->timer) {
        relay_destroy(r);
        return NULL;
    }
    return r;
}

void relay_destroy(struct relay *r)
{
    if (!r)
        return;
    timer_free(r->timer);
    published_destroy(r->names);
    while (r->modex) {
        struct modex *q = r->modex;

        r->modex = q->next;
        free(q);
    }
    fence_set_fini(&r->fences);
    free(r);
}
