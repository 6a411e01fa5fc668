/* looks.c - what is known of all tasks of a job, see looks.h.
 *
 * Invariant: known[] is what slaves have said, ranks[] what policies see. The
 * age of a task of which nothing new was said grows with the time between two
 * snapshots; a task whose slave has not answered is not observed. */
#include "master/watch/looks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/callclass.h"
#include "proto/base/array.h"
#include "proto/link/lookwire.h"

enum { LOOKS_DETAIL_MAX = 1 << 20 };

int looks_init(struct looks *l, const struct hct_job *job)
{
    size_t n = job->nranks ? job->nranks : 1;

    memset(l, 0, sizeof(*l));
    l->job = *job;
    l->known = calloc(n, sizeof(*l->known));
    l->ranks = calloc(n, sizeof(*l->ranks));
    l->fresh = calloc(n, sizeof(*l->fresh));
    l->absent = calloc(n, sizeof(*l->absent));
    if (!l->known || !l->ranks || !l->fresh || !l->absent) {
        looks_fini(l);
        return -1;
    }
    for (uint32_t i = 0; i < job->nranks; i++)
        l->known[i] = l->ranks[i] = (struct hct_rank){
            .rank = i, .peer = HCT_NONE, .source = HCT_NONE, .tag = HCT_NONE };
    return 0;
}

void looks_fini(struct looks *l)
{
    free(l->known);
    free(l->ranks);
    free(l->fresh);
    free(l->absent);
    free(l->requests);
    free(l->comms);
    free(l->flights);
    free(l->accounts);
    free(l->pairs);
    free(l->meetings);
    free(l->models);
    free(l->states);
    free(l->edges);
    free(l->clusters);
    free(l->scores);
    free(l->places);
    free(l->earlier_steps);
    free(l->learnt);
    free(l->insides);
    free(l->events);
    free(l->at);
    free(l->orders);
    memset(l, 0, sizeof(*l));
}

void looks_forget_parts(struct looks *l)
{
    l->nrequests = l->ncomms = l->nflights = l->naccounts = l->npairs = 0;
    l->nmeetings = 0;
    l->meetings_lost = false;
    l->nmodels = l->nstates = l->nedges = 0;
    l->nclusters = l->nscores = l->nplaces = l->norders = 0;
    l->nearlier_steps = l->nlearnt = l->runs = 0;
    l->ninsides = l->stacks = l->waiting = 0;
    l->nevents = 0;
    l->unread = false;
    l->question = 0;
    l->stretch = (struct hct_stretch){ .tasks = 0 };
    l->person = (struct hct_when){ .window = HCT_WINDOW_ALL };
}

void looks_begin(struct looks *l, uint32_t parts)
{
    l->seq++;
    l->parts = parts & LOOKS_ASKED;
    l->asked = 0;
    looks_forget_parts(l);
    memset(l->fresh, 0, l->job.nranks * sizeof(*l->fresh));
    memset(l->absent, 0, l->job.nranks * sizeof(*l->absent));
}

/* ------------------------------------------------------------------ answers */

/* A new one, of zeros; NULL: there is no room for more. */
#define ONE_MORE(l, what) \
    ((l)->n##what < LOOKS_DETAIL_MAX && \
     array_reserve(&(l)->what, &(l)->what##_cap, (l)->n##what + 1) == 0 \
     ? memset(&(l)->what[(l)->n##what++], 0, sizeof(*(l)->what)) : NULL)

struct hct_request *looks_add_request(struct looks *l)
{
    return ONE_MORE(l, requests);
}

struct hct_comm *looks_add_comm(struct looks *l)
{
    return ONE_MORE(l, comms);
}

struct hct_flight *looks_add_flight(struct looks *l)
{
    return ONE_MORE(l, flights);
}

struct hct_account *looks_add_account(struct looks *l)
{
    return ONE_MORE(l, accounts);
}

struct hct_pair *looks_add_pair(struct looks *l)
{
    return ONE_MORE(l, pairs);
}

struct hct_meeting *looks_add_meeting(struct looks *l)
{
    return ONE_MORE(l, meetings);
}

struct hct_state *looks_add_state(struct looks *l)
{
    return ONE_MORE(l, states);
}

struct hct_edge *looks_add_edge(struct looks *l)
{
    return ONE_MORE(l, edges);
}

struct hct_cluster *looks_add_cluster(struct looks *l)
{
    return ONE_MORE(l, clusters);
}

struct hct_earlier *looks_add_earlier(struct looks *l)
{
    return ONE_MORE(l, earlier_steps);
}

struct hct_learnt *looks_add_learnt(struct looks *l)
{
    return ONE_MORE(l, learnt);
}

struct hct_inside *looks_add_inside(struct looks *l)
{
    return ONE_MORE(l, insides);
}

struct hct_event *looks_add_event(struct looks *l)
{
    return ONE_MORE(l, events);
}

struct hct_score *looks_add_score(struct looks *l)
{
    return ONE_MORE(l, scores);
}

struct hct_place *looks_add_place(struct looks *l)
{
    return ONE_MORE(l, places);
}

bool looks_add_at(struct looks *l, uint32_t norders)
{
    free(l->at);
    free(l->orders);
    l->at = calloc(l->job.nranks + 1, 1);
    l->orders = calloc((size_t)norders * norders + 1, 1);
    l->norders = l->orders ? norders : 0;
    return l->at && l->orders;
}

static bool is_sample(double mean, double m2)
{
    return isfinite(mean) && isfinite(m2) && mean >= 0 && m2 >= 0;
}

static bool edges_are_sane(const struct looks *l, const struct hct_model *m,
                           uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct hct_edge *e = &l->edges[first + i];

        if (e->rank != m->rank || e->from >= m->nstates ||
            e->to >= m->nstates || e->n == 0 ||
            !is_sample(e->in_mean, e->in_m2) ||
            !is_sample(e->out_mean, e->out_m2) ||
            !is_sample(e->bytes_mean, e->bytes_m2))
            return false;
    }
    return true;
}

static bool model_is_sane(const struct looks *l, const struct hct_model *m)
{
    if (m->at > m->nstates)
        return false;
    for (uint32_t i = 0; i < m->nstates; i++)
        if (l->states[m->states + i].rank != m->rank)
            return false;
    return edges_are_sane(l, m, m->edges, m->nedges);
}

bool looks_add_model(struct looks *l, const struct hct_model *m)
{
    struct hct_model is = *m, *to;

    is.states = l->nstates - m->nstates;
    is.edges = l->nedges - m->nedges;
    if (model_is_sane(l, &is) && (to = ONE_MORE(l, models))) {
        *to = is;
        return true;
    }
    l->nstates = is.states;
    l->nedges = is.edges;
    return false;
}

bool looks_add_last(struct looks *l, struct hct_model *m, uint32_t n,
                    uint64_t ago_ns)
{
    uint32_t first = l->nedges - n;

    if (!ago_ns || m->last_ns || !edges_are_sane(l, m, first, n)) {
        l->nedges = first;
        return false;
    }
    m->last = first;
    m->nlast = n;
    m->last_ns = ago_ns;
    return true;
}

static void take_task(const struct looks *l, struct hct_rank *r,
                      const Hct__Looked__Task *m)
{
    size_t n = m->tag_text.len;
    uint32_t node = r->node;

    memset(r, 0, sizeof(*r));
    r->node = node;
#define TAKE(number, name) r->name = (__typeof__(r->name))m->name;
    LOOKWIRE_BEFORE(TAKE, TAKE)
    LOOKWIRE_BEHIND(TAKE)
    LOOKWIRE_LAST(TAKE, TAKE)
#undef TAKE
    if (m->life > HCT_LIFE_ENDED)
        r->life = HCT_LIFE_NONE;
    if (m->been > HCT_BEEN_HERE)
        r->been = HCT_BEEN_UNKNOWN;
    if (m->waits > HCT_WAITS_OTHER)
        r->waits = HCT_WAITS_OTHER;
    if (m->level > HCT_LEVEL_MULTIPLE)
        r->level = HCT_LEVEL_UNKNOWN;
    if (n >= sizeof(r->tag_text))
        n = sizeof(r->tag_text) - 1;
    if (n)                      /* no tag: no bytes at all */
        memcpy(r->tag_text, m->tag_text.data, n);
    n = strnlen(m->wchan, sizeof(r->wchan) - 1);
    if (n)
        memcpy(r->wchan, m->wchan, n);
    n = strnlen(m->place, sizeof(r->place) - 1);
    if (n)
        memcpy(r->place, m->place, n);
    if (m->place_key && l->earlier)
        r->earlier_ns = l->earlier(l->earlier_arg, m->place_key);
}

static int take_tasks(struct looks *l, const Hct__Looked *m,
                      bool (*is_there)(const void *arg, uint32_t rank),
                      const void *arg, struct err *err)
{
    for (size_t i = 0; i < m->n_tasks; i++)
        if (m->tasks[i]->rank >= l->job.nranks ||
            !is_there(arg, m->tasks[i]->rank))
            return err_set(err, EPROTO, "Looked with rank %u, which is not on "
                           "this node", m->tasks[i]->rank);
    for (size_t i = 0; i < m->n_tasks; i++) {
        take_task(l, &l->known[m->tasks[i]->rank], m->tasks[i]);
        l->fresh[m->tasks[i]->rank] = true;
    }
    return 0;
}

static void take_detail(struct looks *l, const Hct__Looked *m,
                        bool (*is_there)(const void *arg, uint32_t rank),
                        const void *arg)
{
    for (size_t i = 0; i < m->n_requests; i++) {
        const Hct__Looked__Request *f = m->requests[i];
        struct hct_request *to = is_there(arg, f->rank) ? looks_add_request(l)
                                                        : NULL;
        if (to)
            *to = (struct hct_request){
                .rank = f->rank, .call = f->call, .comm = f->comm,
                .bytes = f->bytes, .collective = f->collective,
                .peer = f->peer, .tag = f->tag, .idle = f->idle != 0,
                .waited = (uint16_t)f->waited, .site = f->site,
                .sent = f->sent };
    }
    for (size_t i = 0; i < m->n_comms; i++) {
        const Hct__Looked__Comm *f = m->comms[i];
        struct hct_comm *to = is_there(arg, f->rank) ? looks_add_comm(l)
                                                     : NULL;
        if (to)
            *to = (struct hct_comm){
                .rank = f->rank, .kind = f->kind, .id = f->id,
                .parent = f->parent, .local = f->local, .size = f->size,
                .remote_size = f->remote_size, .call = f->call,
                .collectives = f->collectives, .age_ns = f->age_ns,
                .history = f->history,
                .history_before = f->history_before,
                .freed = f->freed != 0, .parcels_in = f->parcels_in,
                .gives = f->gives, .gives_to = f->gives_to,
                .takes = f->takes, .takes_from = f->takes_from };
    }
    for (size_t i = 0; i < m->n_flights; i++) {
        const Hct__Looked__Flight *f = m->flights[i];
        struct hct_flight *to = is_there(arg, f->rank) ? looks_add_flight(l)
                                                       : NULL;
        if (to)
            *to = (struct hct_flight){
                .rank = f->rank, .call = f->call, .comm = f->comm,
                .collective = f->collective, .bytes = f->bytes,
                .peer = f->peer, .tag = f->tag, .site = f->site,
                .number = f->number, .entered_ns = f->entered_ns,
                .left_ns = f->left_ns };
    }
}

static bool add_pairs(struct looks *l, const Hct__Looked__Account *m)
{
    for (size_t i = 0; i < m->n_peers; i++) {
        struct hct_pair *p = m->peers[i] < l->job.nranks &&
            (i == 0 || m->peers[i] > m->peers[i - 1]) ? looks_add_pair(l)
                                                      : NULL;
        if (!p)
            return false;
        *p = (struct hct_pair){ .rank = m->rank, .peer = m->peers[i],
                                .sent = m->sent[i],
                                .received = m->received[i],
                                .blind = m->blinds[i],
                                .last_comm = m->last_comms[i],
                                .last_tag = m->last_tags[i] };
    }
    return true;
}

/* All of it or nothing: a pair that is left out would mean that there were no
 * messages. */
static void take_account(struct looks *l, const Hct__Looked__Account *m,
                         uint32_t node)
{
    uint32_t before = l->npairs;
    struct hct_account *to;

    if (m->n_sent != m->n_peers || m->n_received != m->n_peers ||
        m->n_blinds != m->n_peers || m->n_last_comms != m->n_peers ||
        m->n_last_tags != m->n_peers)
        return;
    to = add_pairs(l, m) ? looks_add_account(l) : NULL;
    if (to)
        *to = (struct hct_account){ .rank = m->rank, .node = node,
                                    .eager = m->eager,
                                    .eager_far = m->eager_far,
                                    .unsure = m->unsure,
                                    .blind = m->blind,
                                    .source_tag = m->source_tag };
    else
        l->npairs = before;
}

static void take_meeting(struct looks *l, const Hct__Looked__Meeting *m)
{
    struct hct_meeting *to = looks_add_meeting(l);
    size_t n = m->n_firsts;

    l->meetings_lost |= !to;
    if (!to)
        return;
    *to = (struct hct_meeting){ .rank = m->rank, .call = m->call, .id = m->id,
                                .comm = m->comm, .count = m->count,
                                .tag = m->tag, .in = m->in != 0,
                                .size = m->size };
    if (n > HCT_RUNS_MAX || m->n_ns != n || m->n_steps != n)
        return;
    to->nruns = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        to->runs[i] = (struct hct_run){ .first = m->firsts[i], .n = m->ns[i],
                                        .step = m->steps[i] };
}

static bool has_columns(const Hct__Looked__Model *m)
{
    size_t s = m->n_sites, e = m->n_from;

    return m->n_calls == s && m->n_places == s && m->n_visits == s &&
           m->n_in_ns == s && m->n_longest_ns == s && m->n_out_ns == s &&
           m->n_to == e && m->n_phases == e && m->n_n == e &&
           m->n_in_mean == e && m->n_in_m2 == e && m->n_out_mean == e &&
           m->n_out_m2 == e && m->n_bytes_mean == e && m->n_bytes_m2 == e;
}

static void take_state(struct looks *l, struct hct_model *is,
                       const Hct__Looked__Model *m, size_t i)
{
    struct hct_state *s = looks_add_state(l);

    if (!s)
        return;
    is->nstates++;
    *s = (struct hct_state){
        .rank = m->rank, .site = m->sites[i], .call = m->calls[i],
        .place = m->places[i], .visits = m->visits[i], .in_ns = m->in_ns[i],
        .longest_ns = m->longest_ns[i], .out_ns = m->out_ns[i] };
}

/* Returns how many: 0, without memory, or 1. */
static uint32_t take_edge(struct looks *l, uint32_t rank,
                          const Hct__Looked__Model *m, size_t i)
{
    struct hct_edge *e = looks_add_edge(l);

    if (!e)
        return 0;
    *e = (struct hct_edge){
        .rank = rank, .from = m->from[i], .to = m->to[i],
        .phase = m->phases[i], .n = m->n[i], .in_mean = m->in_mean[i],
        .in_m2 = m->in_m2[i], .out_mean = m->out_mean[i],
        .out_m2 = m->out_m2[i], .bytes_mean = m->bytes_mean[i],
        .bytes_m2 = m->bytes_m2[i] };
    return 1;
}

/* Of the model that was added last: between its states. */
static void take_last(struct looks *l, const Hct__Looked__Model *m)
{
    struct hct_model *of = &l->models[l->nmodels - 1];
    uint32_t n = 0;

    if (m->n_sites || !has_columns(m) ||
        m->n_from > LOOKS_DETAIL_MAX - l->nedges)
        return;
    for (size_t i = 0; i < m->n_from; i++)
        n += take_edge(l, of->rank, m, i);
    looks_add_last(l, of, n, n == m->n_from ? m->ago_ns : 0);
}

/* All of it or nothing: who compares ranks takes what is missing for what was not
 * done. */
static void take_model(struct looks *l, const Hct__Looked__Model *m)
{
    struct hct_model is = { .rank = m->rank, .threads = m->threads,
                            .at = m->at, .lost = m->lost };

    if (!has_columns(m) || m->n_sites > LOOKS_DETAIL_MAX - l->nstates ||
        m->n_from > LOOKS_DETAIL_MAX - l->nedges)
        return;
    for (size_t i = 0; i < m->n_sites; i++)
        take_state(l, &is, m, i);
    for (size_t i = 0; i < m->n_from; i++)
        is.nedges += take_edge(l, m->rank, m, i);
    if (is.nstates != m->n_sites || is.nedges != m->n_from)
        is.at = UINT32_MAX;     /* no memory: it makes no sense */
    if (looks_add_model(l, &is) && m->last)
        take_last(l, m->last);
}

int looks_take(struct looks *l, const Hct__Looked *m, uint32_t node,
               bool (*is_there)(const void *arg, uint32_t rank),
               const void *arg, struct err *err)
{
    if (take_tasks(l, m, is_there, arg, err))
        return -1;
    if (m->seq != l->seq)       /* of an earlier look */
        return 0;
    for (size_t i = 0; i < m->n_models; i++)
        if ((l->parts & HCT_NEED_MODEL) && is_there(arg, m->models[i]->rank))
            take_model(l, m->models[i]);
    if (!(l->parts & HCT_NEED_DETAIL))
        return 0;
    take_detail(l, m, is_there, arg);
    for (size_t i = 0; i < m->n_accounts; i++)
        if (is_there(arg, m->accounts[i]->rank))
            take_account(l, m->accounts[i], node);
    for (size_t i = 0; i < m->n_meetings; i++)
        if (is_there(arg, m->meetings[i]->rank))
            take_meeting(l, m->meetings[i]);
    return 0;
}

int looks_take_packed(struct looks *l, const uint8_t *p, size_t n,
                      bool (*is_there)(const void *arg, uint32_t rank),
                      const void *arg, struct err *err)
{
    struct lookwire w;
    int rc;

    lookwire_open(&w, p, n);
    while ((rc = lookwire_next(&w)) > 0) {
        uint32_t rank = w.task.rank;

        if (rank >= l->job.nranks || !is_there(arg, rank))
            return err_set(err, EPROTO, "Looked with rank %u, which is not on "
                           "this node", rank);
        take_task(l, &l->known[rank], &w.task);
        l->fresh[rank] = true;
    }
    return rc < 0 ? err_set(err, EPROTO, "Looked with a look that is none")
                  : 0;
}

void looks_take_scores(struct looks *l, const struct scores *s)
{
    struct hct_cluster *c;
    struct hct_score *x;

    for (uint32_t i = 0; i < s->nclusters; i++)
        if ((c = looks_add_cluster(l)))
            *c = s->cluster[i];
    for (uint32_t i = 0; i < s->nscores; i++)
        if (s->score[i].rank < l->job.nranks && (x = looks_add_score(l)))
            *x = s->score[i];
    l->question = s->number;
    l->stretch = s->stretch;
    l->parts |= HCT_NEED_SCORES;
}

void looks_take_whereabouts(struct looks *l, const struct whereabouts *w,
                            uint64_t number)
{
    struct hct_place *p;

    if (w->width != l->job.nranks || !looks_add_at(l, HCT_PLACES_ASKED))
        return;
    for (uint32_t i = 0; i < w->nplaces; i++)
        if ((p = looks_add_place(l)))
            *p = w->place[i];
    for (uint32_t i = 0; i < w->width; i++)
        l->at[i] = w->at[i] <= l->nplaces ? w->at[i] : 0;
    for (uint32_t i = 0; i < l->norders; i++)
        for (uint32_t j = 0; j < l->norders; j++)
            l->orders[i * l->norders + j] =
                i == j ? HCT_ORDER_NONE : whereabouts_says(w, i, j);
    l->question = number;
    l->parts |= HCT_NEED_PROGRESS;
}

void looks_set_ended(struct looks *l, uint32_t rank, const char *how)
{
    struct hct_rank *r = &l->known[rank];

    if (r->life != HCT_LIFE_ENDED)
        r->flags = 0;
    r->life = HCT_LIFE_ENDED;
    memset(r->place, 0, sizeof(r->place));
    snprintf(r->place, sizeof(r->place), "%s", how);
}

void looks_set_node(struct looks *l, uint32_t rank, uint32_t node)
{
    l->known[rank].node = node;
}

void looks_set_absent(struct looks *l, uint32_t rank)
{
    l->absent[rank] = true;
}

/* ---------------------------------------------------------------- snapshots */

/* Detail is sorted by rank, each rank's in the order it came. */
#define BY_RANK(name, type)                                             \
    static int name(const void *a, const void *b)                       \
    {                                                                   \
        const struct type *x = a, *y = b;                               \
                                                                        \
        return x->rank < y->rank ? -1 : x->rank > y->rank;              \
    }
BY_RANK(requests_by_rank, hct_request)
BY_RANK(comms_by_rank, hct_comm)
BY_RANK(flights_by_rank, hct_flight)
BY_RANK(accounts_by_rank, hct_account)
BY_RANK(meetings_by_rank, hct_meeting)
BY_RANK(models_by_rank, hct_model)

static int pairs_by_rank(const void *a, const void *b)
{
    const struct hct_pair *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->peer < y->peer ? -1 : x->peer > y->peer;
}

static void sort(void *v, uint32_t n, size_t bytes,
                 int (*order)(const void *a, const void *b))
{
    if (n)
        qsort(v, n, bytes, order);
}

/* One of each rank, whatever was told. */
static void sort_models(struct looks *l)
{
    uint32_t n = 0;

    sort(l->models, l->nmodels, sizeof(*l->models), models_by_rank);
    for (uint32_t i = 0; i < l->nmodels; i++)
        if (n == 0 || l->models[i].rank != l->models[n - 1].rank)
            l->models[n++] = l->models[i];
    l->nmodels = n;
}

void looks_end(struct looks *l, uint64_t now_ns, struct hct_snapshot *out)
{
    const uint16_t seen = HCT_OBSERVED | HCT_PAGE | HCT_STACK | HCT_IN_MPI;
    uint64_t passed = l->now_ns ? now_ns - l->now_ns : 0;

    for (uint32_t i = 0; i < l->job.nranks; i++) {
        struct hct_rank *r = &l->known[i];

        if (!l->fresh[i] && r->life > HCT_LIFE_NONE)
            r->age_ns += passed;
        l->ranks[i] = *r;
        if (l->absent[i])
            l->ranks[i].flags &= (uint16_t)~seen;
    }
    l->now_ns = now_ns;
    sort(l->requests, l->nrequests, sizeof(*l->requests), requests_by_rank);
    sort(l->comms, l->ncomms, sizeof(*l->comms), comms_by_rank);
    sort(l->flights, l->nflights, sizeof(*l->flights), flights_by_rank);
    sort(l->accounts, l->naccounts, sizeof(*l->accounts), accounts_by_rank);
    sort(l->pairs, l->npairs, sizeof(*l->pairs), pairs_by_rank);
    sort(l->meetings, l->nmeetings, sizeof(*l->meetings), meetings_by_rank);
    sort_models(l);
    looks_snapshot(l, out);
}

void looks_snapshot(const struct looks *l, struct hct_snapshot *out)
{
    *out = (struct hct_snapshot){
        .size = sizeof(*out), .parts = l->parts, .asked = l->asked,
        .has_detail = (l->parts & HCT_NEED_DETAIL) != 0, .seq = l->seq,
        .now_ns = l->now_ns, .job = &l->job, .call_size = sizeof(*out->calls),
        .ranks = l->ranks, .nranks = l->job.nranks,
        .rank_size = sizeof(*l->ranks), .requests = l->requests,
        .nrequests = l->nrequests, .request_size = sizeof(*l->requests),
        .comms = l->comms, .ncomms = l->ncomms,
        .comm_size = sizeof(*l->comms), .flights = l->flights,
        .nflights = l->nflights, .flight_size = sizeof(*l->flights),
        .accounts = l->accounts, .naccounts = l->naccounts,
        .account_size = sizeof(*l->accounts), .pairs = l->pairs,
        .npairs = l->npairs, .pair_size = sizeof(*l->pairs),
        .meetings = l->meetings,
        .nmeetings = l->meetings_lost ? 0 : l->nmeetings,
        .meeting_size = sizeof(*l->meetings),
        .models = l->models, .nmodels = l->nmodels,
        .model_size = sizeof(*l->models), .states = l->states,
        .nstates = l->nstates, .state_size = sizeof(*l->states),
        .edges = l->edges, .nedges = l->nedges,
        .edge_size = sizeof(*l->edges), .question = l->question,
        .clusters = l->clusters, .nclusters = l->nclusters,
        .cluster_size = sizeof(*l->clusters), .scores = l->scores,
        .nscores = l->nscores, .score_size = sizeof(*l->scores),
        .stretch = l->stretch, .person = l->person,
        .places = l->places, .nplaces = l->nplaces,
        .place_size = sizeof(*l->places),
        .at = l->parts & HCT_NEED_PROGRESS ? l->at : NULL,
        .orders = l->orders, .norders = l->norders,
        .earlier = l->earlier_steps, .nearlier = l->nearlier_steps,
        .earlier_size = sizeof(*l->earlier_steps), .runs = l->runs,
        .learnt = l->learnt, .nlearnt = l->nlearnt,
        .learnt_size = sizeof(*l->learnt),
        .stacks = l->stacks, .waiting = l->waiting,
        .inside = l->insides, .ninside = l->ninsides,
        .inside_size = sizeof(*l->insides), .unread = l->unread,
        .deadlines = l->deadlines, .ndeadlines = l->ndeadlines,
        .deadline_size = sizeof(*l->deadlines), .events = l->events,
        .nevents = l->nevents, .event_size = sizeof(*l->events),
        .events_lost = l->events_lost };
    out->calls = callclass_table(&out->ncalls);
}
