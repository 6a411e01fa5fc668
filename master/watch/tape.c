/* tape.c - snapshots, as small as they can be kept; the format is in tape.h.
 *
 * Expected of a task is that it stays as it was and grows older. The same is
 * said in looks_end(), so that a task of which nothing was heard takes no
 * byte. */
#include "master/watch/tape.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAPE_RANKS_MAX = 1 << 24, TAPE_WORDS_MAX = 64,
       TAPE_NUMBER = 10 };      /* bytes of one at most */

#define WORDS(type) (sizeof(struct type) / 8)
#define WHOLE(type) _Static_assert(sizeof(struct type) % 8 == 0 && \
    WORDS(type) <= TAPE_WORDS_MAX, "a mask has 64 bits for words of 8 bytes")
WHOLE(hct_rank);
WHOLE(hct_job);
WHOLE(hct_request);
WHOLE(hct_comm);
WHOLE(hct_flight);
WHOLE(hct_account);
WHOLE(hct_pair);
WHOLE(hct_meeting);
WHOLE(hct_state);
WHOLE(hct_edge);
WHOLE(hct_cluster);
WHOLE(hct_score);
WHOLE(hct_stretch);
WHOLE(hct_when);
WHOLE(hct_place);
WHOLE(hct_earlier);
WHOLE(hct_learnt);
WHOLE(hct_deadline);
WHOLE(hct_event);

/* With detail, of what kind: the first one had no accounts, the second one no
 * meetings. */
enum { TAPE_PLAIN, TAPE_DETAIL, TAPE_ACCOUNTS, TAPE_MEETINGS };

/* ------------------------------------------------------------------ writing */

static char *put_number(char *p, uint64_t v)
{
    for (; v > 127; v >>= 7)
        *p++ = (char)(v | 128);
    *p++ = (char)v;
    return p;
}

static void put(struct str *out, uint64_t v)
{
    char buf[TAPE_NUMBER];

    str_add_bytes(out, buf, (size_t)(put_number(buf, v) - buf));
}

static uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)-(int64_t)(difference >> 63);
}

static uint64_t unfold(uint64_t v)
{
    return v >> 1 ^ (uint64_t)-(int64_t)(v & 1);
}

static inline uint64_t word(const void *v, size_t i)
{
    uint64_t w;

    memcpy(&w, (const char *)v + 8 * i, 8);
    return w;
}

static void put_words(struct str *out, const void *now, const void *expected,
                      size_t words)
{
    char buf[(TAPE_WORDS_MAX + 1) * TAPE_NUMBER], *p;
    uint64_t mask = 0;

    for (size_t i = 0; i < words; i++)
        mask |= (uint64_t)(word(now, i) != word(expected, i)) << i;
    p = put_number(buf, mask);
    for (uint64_t left = mask; left; left &= left - 1) {
        size_t i = (size_t)__builtin_ctzll(left);

        p = put_number(p, fold(word(now, i) - word(expected, i)));
    }
    str_add_bytes(out, buf, (size_t)(p - buf));
}

static void expect_rank(struct hct_rank *r, uint64_t passed)
{
    if (r->life > HCT_LIFE_NONE)
        r->age_ns += passed;
}

static void put_ranks(struct tape *t, const struct hct_snapshot *s,
                      uint64_t passed, struct str *out)
{
    struct str body = { 0 };
    uint32_t n = 0, before = 0;

    for (uint32_t i = 0; i < s->nranks; i++) {
        expect_rank(&t->last[i], passed);
        if (memcmp(&s->ranks[i], &t->last[i], sizeof(*t->last)) == 0)
            continue;
        put(&body, i - before);
        put_words(&body, &s->ranks[i], &t->last[i], WORDS(hct_rank));
        t->last[i] = s->ranks[i];
        before = i;
        n++;
    }
    put(out, n);
    str_add_bytes(out, str_text(&body), body.n);
    str_fini(&body);
}

static void put_array(struct str *out, const void *v, uint32_t n,
                      size_t words)
{
    static const uint64_t nothing[TAPE_WORDS_MAX];
    const void *before = nothing;

    put(out, n);
    for (uint32_t i = 0; i < n; i++) {
        const void *now = (const char *)v + (size_t)i * words * 8;

        put_words(out, now, before, words);
        before = now;
    }
}

int tape_init(struct tape *t, uint32_t nranks)
{
    *t = (struct tape){ .nranks = nranks, .fresh = true };
    t->last = calloc(nranks ? nranks : 1, sizeof(*t->last));
    return t->last ? 0 : -1;
}

void tape_fini(struct tape *t)
{
    free(t->last);
    memset(t, 0, sizeof(*t));
}

void tape_cut(struct tape *t)
{
    t->fresh = true;
}

static void write_look(struct tape *t, const struct hct_snapshot *s,
                       struct str *out)
{
    static const struct hct_job no_job;

    if (t->fresh) {
        str_add(out, "K");
        put_words(out, s->job, &no_job, WORDS(hct_job));
        memset(t->last, 0, t->nranks * sizeof(*t->last));
        t->seq = t->now_ns = 0;
        t->ndeadlines = 0;
        t->fresh = false;
    } else {
        str_add(out, "D");
    }
    put(out, fold(s->seq - t->seq));
    put(out, fold(s->now_ns - t->now_ns));
    put(out, s->has_detail ? TAPE_MEETINGS : TAPE_PLAIN);
    put_ranks(t, s, s->now_ns - t->now_ns, out);
    put_array(out, s->requests, s->nrequests, WORDS(hct_request));
    put_array(out, s->comms, s->ncomms, WORDS(hct_comm));
    put_array(out, s->flights, s->nflights, WORDS(hct_flight));
    if (s->has_detail) {
        put_array(out, s->accounts, s->naccounts, WORDS(hct_account));
        put_array(out, s->pairs, s->npairs, WORDS(hct_pair));
        put_array(out, s->meetings, s->nmeetings, WORDS(hct_meeting));
    }
    t->seq = s->seq;
    t->now_ns = s->now_ns;
}

static void put_part(struct str *out, uint32_t need, const struct str *body)
{
    str_add(out, "P");
    put(out, need);
    put(out, body->n);
    str_add_bytes(out, str_text(body), body->n);
}

static void put_models(const struct hct_snapshot *s, struct str *out)
{
    struct str body = { 0 };

    put(&body, s->nmodels);
    for (uint32_t i = 0; i < s->nmodels; i++) {
        const struct hct_model *m = hct_model(s, i);

        put(&body, m->rank);
        put(&body, m->threads);
        put(&body, m->at);
        put(&body, m->lost);
        put_array(&body, m->nstates ? hct_state(s, m, 0) : NULL, m->nstates,
                  WORDS(hct_state));
        put_array(&body, m->nedges ? hct_edge(s, m, 0) : NULL, m->nedges,
                  WORDS(hct_edge));
    }
    put_part(out, HCT_NEED_MODEL, &body);
    str_fini(&body);
}

static bool has_last(const struct hct_snapshot *s)
{
    for (uint32_t i = 0; i < s->nmodels; i++)
        if (hct_model(s, i)->last_ns)
            return true;
    return false;
}

static void put_last(const struct hct_snapshot *s, struct str *out)
{
    struct str body = { 0 };

    if (!has_last(s))
        return;
    put(&body, s->nmodels);
    for (uint32_t i = 0; i < s->nmodels; i++) {
        const struct hct_model *m = hct_model(s, i);

        put(&body, i);
        put(&body, m->last_ns);
        put_array(&body, m->nlast ? &s->edges[m->last] : NULL, m->nlast,
                  WORDS(hct_edge));
    }
    put_part(out, HCT_NEED_MODEL | TAPE_MORE, &body);
    str_fini(&body);
}

/* Nothing of what is all zero: such is all time. */
static void put_time(uint32_t of, const void *v, size_t words, struct str *out)
{
    static const uint64_t nothing[TAPE_WORDS_MAX];
    struct str body = { 0 };

    if (memcmp(v, nothing, 8 * words) == 0)
        return;
    put_words(&body, v, nothing, words);
    put_part(out, of | TAPE_MORE, &body);
    str_fini(&body);
}

static void put_scores(const struct hct_snapshot *s, struct str *out)
{
    struct str body = { 0 };

    put(&body, s->question);
    put_array(&body, s->clusters, s->nclusters, WORDS(hct_cluster));
    put_array(&body, s->scores, s->nscores, WORDS(hct_score));
    put_part(out, HCT_NEED_SCORES, &body);
    str_fini(&body);
}

/* Runs of ranks at one place, and pairs of the places that were asked about: those
 * of which something is said. */
static void put_whereabouts(const struct hct_snapshot *s, struct str *out)
{
    struct str body = { 0 };
    uint32_t pairs = s->norders * s->norders;

    put(&body, s->question);
    put_array(&body, s->places, s->nplaces, WORDS(hct_place));
    for (uint32_t i = 0, first; i < s->nranks; ) {
        for (first = i; i < s->nranks && s->at[i] == s->at[first]; i++)
            ;
        put(&body, i - first);
        put(&body, s->at[first]);
    }
    put(&body, s->norders);
    for (uint32_t i = 0, before = 0; i < pairs; i++)
        if (s->orders[i]) {
            put(&body, i - before + 1);
            put(&body, s->orders[i]);
            before = i;
        }
    put(&body, 0);
    put_part(out, HCT_NEED_PROGRESS, &body);
    str_fini(&body);
}

static void put_earlier(const struct hct_snapshot *s, struct str *out)
{
    struct str body = { 0 };

    put(&body, s->runs);
    put_array(&body, s->earlier, s->nearlier, WORDS(hct_earlier));
    put_part(out, HCT_NEED_EARLIER, &body);
    str_reset(&body);
    put_array(&body, s->learnt, s->nlearnt, WORDS(hct_learnt));
    if (s->nlearnt)
        put_part(out, HCT_NEED_EARLIER | TAPE_MORE, &body);
    str_fini(&body);
}

static void put_stacks(const struct hct_snapshot *s, struct str *out)
{
    struct str body = { 0 };

    put(&body, s->stacks);
    put(&body, s->waiting);
    put_array(&body, s->inside, s->ninside, WORDS(hct_inside));
    put_part(out, HCT_NEED_STACKS, &body);
    str_fini(&body);
}

static void put_deadlines(struct tape *t, const struct hct_snapshot *s,
                          struct str *out)
{
    struct str body = { 0 };
    size_t bytes = s->ndeadlines * sizeof(*t->deadlines);

    if (s->ndeadlines == t->ndeadlines &&
        memcmp(s->deadlines, t->deadlines, bytes) == 0)
        return;
    memcpy(t->deadlines, s->deadlines, bytes);
    t->ndeadlines = s->ndeadlines;
    put_array(&body, s->deadlines, s->ndeadlines, WORDS(hct_deadline));
    put_part(out, HCT_NEED_EVENTS | TAPE_MORE, &body);
    str_fini(&body);
}

static void put_events(struct tape *t, const struct hct_snapshot *s,
                       struct str *out)
{
    struct str body = { 0 };

    put(&body, s->events_lost);
    put_array(&body, s->events, s->nevents, WORDS(hct_event));
    put_part(out, HCT_NEED_EVENTS, &body);
    str_fini(&body);
    put_deadlines(t, s, out);
}

static void put_asked(const struct hct_snapshot *s, struct str *out)
{
    struct str body = { 0 };

    put(&body, s->asked | (s->unread ? (uint32_t)TAPE_UNREAD : 0));
    put_part(out, TAPE_ASKED, &body);
    str_fini(&body);
}

size_t tape_write(struct tape *t, const struct hct_snapshot *s, struct str *out)
{
    size_t before = out->n, look;

    write_look(t, s, out);
    look = out->n - before;
    if (s->parts & HCT_NEED_MODEL) {
        put_models(s, out);
        put_last(s, out);
    }
    if (s->parts & HCT_NEED_SCORES) {
        put_scores(s, out);
        put_time(HCT_NEED_SCORES, &s->stretch, WORDS(hct_stretch), out);
    }
    if (s->parts & HCT_NEED_PROGRESS)
        put_whereabouts(s, out);
    if (s->parts & HCT_NEED_EARLIER)
        put_earlier(s, out);
    if (s->parts & HCT_NEED_STACKS)
        put_stacks(s, out);
    if (s->parts & HCT_NEED_EVENTS)
        put_events(t, s, out);
    if (s->asked) {
        put_asked(s, out);
        put_time(TAPE_ASKED, &s->person, WORDS(hct_when), out);
    }
    return look;
}

/* ------------------------------------------------------------------ reading */

static int damaged(struct err *err, const char *what)
{
    return err_set(err, EBADMSG, "the recorded looks are damaged: %s", what);
}

static int get(struct tape_reader *r, uint64_t *v)
{
    *v = 0;
    for (unsigned shift = 0; shift < 70 && r->p < r->end; shift += 7) {
        uint8_t byte = *r->p++;

        *v |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128)
            return 0;
    }
    return -1;
}

/* Onto what was expected. */
static int get_words(struct tape_reader *r, void *v, size_t words)
{
    uint64_t mask, difference, a;

    if (get(r, &mask) || mask >> words)
        return -1;
    for (size_t i = 0; i < words; i++) {
        if (!(mask >> i & 1))
            continue;
        if (get(r, &difference))
            return -1;
        memcpy(&a, (char *)v + 8 * i, 8);
        a += unfold(difference);
        memcpy((char *)v + 8 * i, &a, 8);
    }
    return 0;
}

static int get_job(struct tape_reader *r, struct err *err)
{
    struct hct_job job = { 0 };

    if (get_words(r, &job, WORDS(hct_job)) || job.nranks == 0 ||
        job.nranks > TAPE_RANKS_MAX)
        return damaged(err, "no job");
    job.size = sizeof(job);
    job.name[sizeof(job.name) - 1] = '\0';
    if (!r->known) {
        if (looks_init(&r->looks, &job))
            return err_memory(err);
        r->known = true;
    } else if (job.nranks != r->looks.job.nranks) {
        return damaged(err, "another number of tasks");
    }
    memset(r->looks.ranks, 0, job.nranks * sizeof(*r->looks.ranks));
    r->looks.seq = r->looks.now_ns = 0;
    r->looks.ndeadlines = 0;
    return 0;
}

static int get_ranks(struct tape_reader *r, uint64_t passed)
{
    struct looks *l = &r->looks;
    uint64_t n, gap, at = 0;

    for (uint32_t i = 0; i < l->job.nranks; i++)
        expect_rank(&l->ranks[i], passed);
    if (get(r, &n) || n > l->job.nranks)
        return -1;
    while (n--) {
        if (get(r, &gap) || gap >= l->job.nranks - at)
            return -1;
        at += gap;
        if (get_words(r, &l->ranks[at], WORDS(hct_rank)))
            return -1;
        l->ranks[at].rank = (uint32_t)at;
        l->ranks[at].tag_text[sizeof(l->ranks[at].tag_text) - 1] = '\0';
        l->ranks[at].wchan[sizeof(l->ranks[at].wchan) - 1] = '\0';
        l->ranks[at].place[sizeof(l->ranks[at].place) - 1] = '\0';
    }
    return 0;
}

#define GET_ARRAY(r, type, add) \
    GET_ARRAY_IF(r, type, add, before.rank < (r)->looks.job.nranks)

#define GET_ARRAY_IF(r, type, add, fits)                                \
    do {                                                                \
        struct type before = { 0 }, *to;                                \
        uint64_t n;                                                     \
                                                                        \
        if (get(r, &n))                                                 \
            return -1;                                                  \
        while (n--) {                                                   \
            if (get_words(r, &before, WORDS(type)) || !(fits) ||        \
                !(to = add(&(r)->looks)))                               \
                return -1;                                              \
            *to = before;                                               \
        }                                                               \
    } while (0)

static int get_detail(struct tape_reader *r, uint64_t kind)
{
    GET_ARRAY(r, hct_request, looks_add_request);
    GET_ARRAY(r, hct_comm, looks_add_comm);
    GET_ARRAY(r, hct_flight, looks_add_flight);
    if (kind < TAPE_ACCOUNTS)
        return 0;
    GET_ARRAY(r, hct_account, looks_add_account);
    GET_ARRAY(r, hct_pair, looks_add_pair);
    if (kind < TAPE_MEETINGS)
        return 0;
    GET_ARRAY(r, hct_meeting, looks_add_meeting);
    return 0;
}

/* The next part, if there is one. 1: r is behind it; -1: it makes no sense. */
static int get_part(struct tape_reader *r, uint64_t *need,
                    struct tape_reader *part)
{
    uint64_t bytes;

    if (r->p == r->end || *r->p != 'P')
        return 0;
    r->p++;
    if (get(r, need) || get(r, &bytes) || bytes > (uint64_t)(r->end - r->p))
        return -1;
    part->p = r->p;
    r->p += bytes;
    part->end = r->p;
    return 1;
}

void tape_copy(const struct tape_frame *f, uint32_t parts, struct str *out)
{
    const uint8_t *p = f->p;
    struct tape_reader r = { .p = p + f->look_bytes, .end = p + f->bytes }, part;
    uint64_t need;

    str_add_bytes(out, p, f->look_bytes);
    for (p = r.p; get_part(&r, &need, &part) > 0; p = r.p)
        if (need & (parts | TAPE_ASKED))
            str_add_bytes(out, p, (size_t)(r.p - p));
}

static int get_states(struct tape_reader *r)
{
    GET_ARRAY(r, hct_state, looks_add_state);
    return 0;
}

static int get_edges(struct tape_reader *r)
{
    GET_ARRAY(r, hct_edge, looks_add_edge);
    return 0;
}

static int get_model(struct tape_reader *r)
{
    struct looks *l = &r->looks;
    uint64_t least = l->nmodels ? l->models[l->nmodels - 1].rank + 1ull : 0;
    uint64_t rank, threads, at, lost;
    struct hct_model m = { .states = l->nstates, .edges = l->nedges };

    if (get(r, &rank) || get(r, &threads) || get(r, &at) || get(r, &lost) ||
        rank >= l->job.nranks || rank < least || get_states(r) ||
        get_edges(r))
        return -1;
    m.rank = (uint32_t)rank;
    m.threads = (uint32_t)threads;
    m.at = at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
    m.lost = lost;
    m.nstates = l->nstates - m.states;
    m.nedges = l->nedges - m.edges;
    return looks_add_model(l, &m) ? 0 : -1;
}

static int get_models(struct tape_reader *r)
{
    struct looks *l = &r->looks;
    uint64_t n;

    if ((l->parts & HCT_NEED_MODEL) || get(r, &n))
        return -1;
    while (n--)
        if (get_model(r))
            return -1;
    l->parts |= HCT_NEED_MODEL;
    return r->p == r->end ? 0 : -1;
}

static int get_scores(struct tape_reader *r)
{
    struct looks *l = &r->looks;

    if ((l->parts & HCT_NEED_SCORES) || get(r, &l->question))
        return -1;
    GET_ARRAY_IF(r, hct_cluster, looks_add_cluster,
                 before.number < HCT_CLUSTERS_MAX);
    GET_ARRAY(r, hct_score, looks_add_score);
    l->parts |= HCT_NEED_SCORES;
    return r->p == r->end ? 0 : -1;
}

static int get_at(struct tape_reader *r)
{
    const struct looks *l = &r->looks;
    uint64_t n, number;

    for (uint32_t at = 0; at < l->job.nranks; at += (uint32_t)n) {
        if (get(r, &n) || get(r, &number) || n == 0 ||
            n > l->job.nranks - at || number > l->nplaces)
            return -1;
        memset(l->at + at, (int)number, n);
    }
    return 0;
}

static int get_orders(struct tape_reader *r)
{
    const struct looks *l = &r->looks;
    uint64_t gap, order, at = 0, pairs = (uint64_t)l->norders * l->norders;

    while (get(r, &gap) == 0) {
        if (gap == 0)
            return 0;
        if (get(r, &order) || order > (HCT_ORDER_WAITS | HCT_ORDER_WAITED) ||
            gap - 1 >= pairs - at)
            return -1;
        at += gap - 1;
        l->orders[at] = (uint8_t)order;
    }
    return -1;
}

static int get_whereabouts(struct tape_reader *r)
{
    struct looks *l = &r->looks;
    uint64_t asked;

    if ((l->parts & HCT_NEED_PROGRESS) || get(r, &l->question))
        return -1;
    GET_ARRAY_IF(r, hct_place, looks_add_place, before.in <= 1);
    if (l->nplaces > HCT_PLACES_MAX || !looks_add_at(l, HCT_PLACES_ASKED) ||
        get_at(r) || get(r, &asked) || asked > HCT_PLACES_ASKED)
        return -1;
    l->norders = (uint32_t)asked;
    if (get_orders(r))
        return -1;
    l->parts |= HCT_NEED_PROGRESS;
    return r->p == r->end ? 0 : -1;
}

static bool earlier_fits(const struct hct_earlier *e)
{
    return isfinite(e->n) && isfinite(e->in_mean) && isfinite(e->in_sd) &&
           isfinite(e->out_mean) && isfinite(e->out_sd) && isfinite(e->in_most) &&
           isfinite(e->out_most) && isfinite(e->bytes_mean);
}

static int get_earlier(struct tape_reader *r)
{
    struct looks *l = &r->looks;
    uint64_t runs;

    if ((l->parts & HCT_NEED_EARLIER) || get(r, &runs) || runs > UINT32_MAX)
        return -1;
    GET_ARRAY_IF(r, hct_earlier, looks_add_earlier, earlier_fits(&before));
    l->runs = (uint32_t)runs;
    l->parts |= HCT_NEED_EARLIER;
    return r->p == r->end ? 0 : -1;
}

static int get_learnt(struct tape_reader *r)
{
    if (!(r->looks.parts & HCT_NEED_EARLIER) || r->looks.nlearnt)
        return -1;
    GET_ARRAY_IF(r, hct_learnt, looks_add_learnt, before.groups <= before.most);
    return r->p == r->end ? 0 : -1;
}

static bool inside_fits(const struct hct_inside *i, uint32_t nranks)
{
    uint32_t n = i->tasks < 4 ? i->tasks : 4;

    for (uint32_t k = 0; k < n; k++)
        if (i->rank[k] >= nranks)
            return false;
    return n && i->tasks <= i->in_call && i->in_call <= nranks &&
           memchr(i->name, 0, sizeof(i->name)) &&
           memchr(i->file, 0, sizeof(i->file));
}

static int get_stacks(struct tape_reader *r)
{
    struct looks *l = &r->looks;
    uint64_t stacks, waiting;

    if ((l->parts & HCT_NEED_STACKS) || get(r, &stacks) || get(r, &waiting) ||
        stacks > l->job.nranks || waiting > stacks)
        return -1;
    GET_ARRAY_IF(r, hct_inside, looks_add_inside,
                 inside_fits(&before, l->job.nranks));
    if (l->ninsides > HCT_INSIDE_MAX)
        return -1;
    l->stacks = (uint32_t)stacks;
    l->waiting = (uint32_t)waiting;
    l->parts |= HCT_NEED_STACKS;
    return r->p == r->end ? 0 : -1;
}

static bool event_fits(const struct hct_event *e, uint32_t nranks)
{
    return e->rank < nranks && e->in <= 1 && (!e->in || !e->exit_ns) &&
           memchr(e->label, 0, sizeof(e->label));
}

static int get_events(struct tape_reader *r)
{
    struct looks *l = &r->looks;

    if ((l->parts & HCT_NEED_EVENTS) || get(r, &l->events_lost))
        return -1;
    GET_ARRAY_IF(r, hct_event, looks_add_event,
                 event_fits(&before, l->job.nranks));
    l->parts |= HCT_NEED_EVENTS;
    return r->p == r->end ? 0 : -1;
}

static struct hct_deadline *add_deadline(struct looks *l)
{
    return l->ndeadlines < HCT_DEADLINES_MAX ? &l->deadlines[l->ndeadlines++] : NULL;
}

static bool deadline_fits(const struct hct_deadline *d, uint32_t after)
{
    return d->number > after && d->number <= HCT_DEADLINES_MAX &&
           d->kind >= HCT_DUE_END && d->kind <= HCT_DUE_CLOCK && d->limit_ns &&
           d->margin >= 0 && d->margin <= 1 && memchr(d->text, 0, sizeof(d->text));
}

static int get_deadlines(struct tape_reader *r)
{
    struct looks *l = &r->looks;
    uint32_t after = 0;

    l->ndeadlines = 0;
    GET_ARRAY_IF(r, hct_deadline, add_deadline, deadline_fits(&before, after) &&
                 (after = before.number));
    return r->p == r->end ? 0 : -1;
}

static int get_asked(struct tape_reader *r)
{
    uint64_t v;

    if (get(r, &v) || v > UINT32_MAX || r->p != r->end)
        return -1;
    r->looks.asked = (uint32_t)v & ~(uint32_t)TAPE_UNREAD;
    r->looks.unread = v & TAPE_UNREAD;
    return 0;
}

static int get_last(struct tape_reader *r)
{
    struct looks *l = &r->looks;
    uint64_t n, i, ago_ns;

    if (get(r, &n) || n > l->nmodels)
        return -1;
    while (n--) {
        uint32_t before = l->nedges;

        if (get(r, &i) || i >= l->nmodels || get(r, &ago_ns) || get_edges(r))
            return -1;
        if ((ago_ns || l->nedges > before) &&
            !looks_add_last(l, &l->models[i], l->nedges - before, ago_ns))
            return -1;
    }
    return r->p == r->end ? 0 : -1;
}

static int get_stretch(struct tape_reader *r)
{
    struct hct_stretch *s = &r->looks.stretch;

    return get_words(r, s, WORDS(hct_stretch)) || r->p != r->end ||
           s->when.window > HCT_WINDOW_LAST ? -1 : 0;
}

static int get_person(struct tape_reader *r)
{
    struct hct_when *w = &r->looks.person;

    return get_words(r, w, WORDS(hct_when)) || r->p != r->end ||
           w->window > HCT_WINDOW_LAST ? -1 : 0;
}

/* What there is of a part, between r->p and r->end. Those that are not known are of
 * a later version. */
static int get_body(struct tape_reader *r, uint64_t need)
{
    switch (need) {
    case HCT_NEED_MODEL:
        return get_models(r);
    case HCT_NEED_MODEL | TAPE_MORE:
        return get_last(r);
    case HCT_NEED_SCORES:
        return get_scores(r);
    case HCT_NEED_SCORES | TAPE_MORE:
        return get_stretch(r);
    case HCT_NEED_PROGRESS:
        return get_whereabouts(r);
    case HCT_NEED_EARLIER:
        return get_earlier(r);
    case HCT_NEED_EARLIER | TAPE_MORE:
        return get_learnt(r);
    case HCT_NEED_STACKS:
        return get_stacks(r);
    case HCT_NEED_EVENTS:
        return get_events(r);
    case HCT_NEED_EVENTS | TAPE_MORE:
        return get_deadlines(r);
    case TAPE_ASKED:
        return get_asked(r);
    case TAPE_ASKED | TAPE_MORE:
        return get_person(r);
    }
    return 0;
}

static int get_parts(struct tape_reader *r)
{
    const uint8_t *p, *end = r->end;
    struct tape_reader part;
    uint64_t need;
    int rc;

    while ((rc = get_part(r, &need, &part)) > 0) {
        p = r->p;
        r->p = part.p;
        r->end = part.end;
        rc = get_body(r, need);
        r->p = p;
        r->end = end;
        if (rc)
            return -1;
    }
    return rc;
}

int tape_read(struct tape_reader *r, struct hct_snapshot *out,
              struct err *err)
{
    struct looks *l = &r->looks;
    uint64_t seq, passed, detail;

    if (r->p == r->end)
        return 0;
    switch (*r->p++) {
    case 'K':
        if (get_job(r, err))
            return -1;
        break;
    case 'D':
        if (r->known)
            break;
        /* fall through */
    default:
        return damaged(err, "no frame");
    }
    if (get(r, &seq) || get(r, &passed) || get(r, &detail))
        return damaged(err, "it ends in a frame");
    l->seq += unfold(seq);
    passed = unfold(passed);
    l->now_ns += passed;
    l->parts = detail ? HCT_NEED_DETAIL : 0;
    l->asked = 0;
    looks_forget_parts(l);
    if (detail > TAPE_MEETINGS || get_ranks(r, passed) ||
        get_detail(r, detail) || get_parts(r))
        return damaged(err, "a task or detail that is none");
    looks_snapshot(l, out);
    return 1;
}

bool tape_last(struct tape_reader *r, const void *piece, size_t bytes,
               struct hct_snapshot *out)
{
    bool any = false;

    r->p = piece;
    r->end = bytes ? r->p + bytes : r->p;
    while (tape_read(r, out, NULL) > 0)
        any = true;
    return any;
}
