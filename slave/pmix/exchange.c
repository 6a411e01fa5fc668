/* exchange.c - PMIx operations that need other nodes.
 *
 * Invariant: a struct waiting holds exactly one call that has not been
 * answered. Fences are found by job and signature, which ends with how many
 * times these participants have met; everything else by a ticket that this
 * slave never uses twice. */
#include "slave/pmix/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "proto/base/array.h"
#include "proto/base/log.h"
#include "proto/base/str.h"

struct sent {                   /* one message, packed */
    enum message_type type;
    size_t bytes;
    uint8_t *body;              /* owned */
};

struct waiting {
    TAILQ_ENTRY(waiting) place;
    uint64_t job, ticket;
    char *signature;            /* owned; fences only */
    struct meeting *meeting;    /* borrowed; fences only */
    struct pmixd_call *call;    /* owned */
    bool lookup;
    size_t answers;             /* still to come before the call is answered */
    int status;
    struct sent *sent;          /* owned */
    size_t nsent, sent_cap;
};

/* Participants of fences that have met. Of those that are over the last
 * contribution is kept: when the master dies, another node may not have heard
 * the outcome, and all have to contribute again. */
struct meeting {
    struct meeting *next;
    uint64_t job, rounds;
    char *who;                  /* owned */
    struct sent last;           /* body owned; NULL: none */
};

/* A name that was published, for a master that does not know it. */
struct published {
    struct published *next;
    uint64_t job;
    uint32_t rank;
    char *key;                  /* owned */
    struct sent sent;           /* body owned */
};

struct exchange {
    struct uplink *uplink;      /* borrowed */
    TAILQ_HEAD(, waiting) waiting;      /* owned */
    struct meeting *meetings;   /* owned */
    struct published *names;    /* owned */
    uint64_t tickets;
};

struct exchange *exchange_create(struct uplink *uplink, struct err *err)
{
    struct exchange *x = calloc(1, sizeof(*x));

    if (!x)
        return err_memory(err), NULL;
    x->uplink = uplink;
    TAILQ_INIT(&x->waiting);
    return x;
}

static void waiting_free(struct waiting *w)
{
    for (size_t i = 0; i < w->nsent; i++)
        free(w->sent[i].body);
    free(w->sent);
    free(w->signature);
    free(w);
}

/* Take w out of the list and hand back its call. */
static struct pmixd_call *finish(struct exchange *x, struct waiting *w)
{
    struct pmixd_call *call = w->call;

    TAILQ_REMOVE(&x->waiting, w, place);
    waiting_free(w);
    return call;
}

static struct waiting *wait_new(struct exchange *x, struct pmixd_call *c,
                                uint64_t job)
{
    struct waiting *w = calloc(1, sizeof(*w));

    if (!w) {
        pmixd_answer(c, pmixd_gone);
        return NULL;
    }
    w->job = job;
    w->call = c;
    w->ticket = ++x->tickets;
    w->answers = 1;
    TAILQ_INSERT_TAIL(&x->waiting, w, place);
    return w;
}

/* Keep a message for a second time, and send it. */
static void keep(struct exchange *x, struct waiting *w,
                 enum message_type type, const void *msg)
{
    const ProtobufCMessage *m = msg;
    struct sent *v;

    uplink_send(x->uplink, type, msg);
    if (array_reserve(&w->sent, &w->sent_cap, w->nsent + 1))
        return;
    v = &w->sent[w->nsent];
    v->type = type;
    v->bytes = protobuf_c_message_get_packed_size(m);
    v->body = malloc(v->bytes ? v->bytes : 1);
    if (!v->body)
        return;
    protobuf_c_message_pack(m, v->body);
    w->nsent++;
}

static void send_again(struct exchange *x, const struct sent *s)
{
    ProtobufCMessage *m;

    if (!s->body)
        return;
    m = protobuf_c_message_unpack(message_descriptor(s->type), NULL, s->bytes,
                                  s->body);
    if (m)
        uplink_send(x->uplink, s->type, m);
    protobuf_c_message_free_unpacked(m, NULL);
}

void exchange_resend(struct exchange *x, bool new_master)
{
    struct waiting *w;

    for (struct meeting *v = x->meetings; new_master && v; v = v->next)
        send_again(x, &v->last);
    for (struct published *v = x->names; new_master && v; v = v->next)
        send_again(x, &v->sent);
    TAILQ_FOREACH(w, &x->waiting, place)
        for (size_t i = 0; i < w->nsent; i++)
            send_again(x, &w->sent[i]);
}

static struct meeting *meet(struct exchange *x, uint64_t job, const char *who)
{
    struct meeting *v = x->meetings;

    while (v && (v->job != job || strcmp(v->who, who) != 0))
        v = v->next;
    if (v)
        return v;
    v = calloc(1, sizeof(*v));
    if (!v || !(v->who = strdup(who))) {
        free(v);
        return NULL;
    }
    v->job = job;
    v->next = x->meetings;
    x->meetings = v;
    return v;
}

static void drop_meetings(struct exchange *x, uint64_t job)
{
    for (struct meeting **at = &x->meetings; *at; ) {
        struct meeting *v = *at;

        if (v->job != job) {
            at = &v->next;
            continue;
        }
        *at = v->next;
        free(v->who);
        free(v->last.body);
        free(v);
    }
}

/* key NULL: all; rank NULL: of the whole job. */
static void drop_names(struct exchange *x, uint64_t job, const uint32_t *rank,
                       const char *key)
{
    for (struct published **at = &x->names; *at; ) {
        struct published *v = *at;

        if (v->job != job || (rank && v->rank != *rank) ||
            (key && strcmp(v->key, key) != 0)) {
            at = &v->next;
            continue;
        }
        *at = v->next;
        free(v->key);
        free(v->sent.body);
        free(v);
    }
}

/* A Publish was taken: its messages stay, but for names that go with their
 * first reader. */
static void keep_names(struct exchange *x, struct waiting *w)
{
    for (size_t i = 0; i < w->nsent; i++) {
        struct sent *s = &w->sent[i];
        Hct__Publish *m = NULL;
        struct published *v;

        if (s->type == MESSAGE_PUBLISH)
            m = hct__publish__unpack(NULL, s->bytes, s->body);
        v = m && !m->first_read_only ? calloc(1, sizeof(*v)) : NULL;
        if (v && (v->key = strdup(m->key))) {
            v->job = m->job;
            v->rank = m->rank;
            v->sent = *s;
            s->body = NULL;
            v->next = x->names;
            x->names = v;
        } else {
            free(v);
        }
        if (m)
            hct__publish__free_unpacked(m, NULL);
    }
}

void exchange_drop(struct exchange *x, uint64_t job)
{
    struct waiting *next;

    drop_meetings(x, job);
    drop_names(x, job, NULL, NULL);

    for (struct waiting *w = TAILQ_FIRST(&x->waiting); w; w = next) {
        next = TAILQ_NEXT(w, place);
        if (w->job == job)
            pmixd_answer(finish(x, w), pmixd_gone);
    }
}

void exchange_destroy(struct exchange *x)
{
    if (!x)
        return;
    for (struct waiting *w; (w = TAILQ_FIRST(&x->waiting)); )
        pmixd_answer(finish(x, w), pmixd_gone);
    while (x->meetings)
        drop_meetings(x, x->meetings->job);
    while (x->names)
        drop_names(x, x->names->job, NULL, NULL);
    free(x);
}

void exchange_fence(struct exchange *x, struct pmixd_call *c, uint64_t job,
                    const char *nspace, const char *what, const char *ranks,
                    const void *data, size_t bytes)
{
    Hct__Fence m = HCT__FENCE__INIT;
    struct waiting *w = wait_new(x, c, job);
    struct str who = { 0 }, signature = { 0 };

    if (!w)
        return;
    str_addf(&who, "%s %s:%s", what, nspace, ranks);
    w->meeting = meet(x, job, str_text(&who));
    if (w->meeting)
        str_addf(&signature, "%s#%llu", str_text(&who),
                 (unsigned long long)++w->meeting->rounds);
    str_fini(&who);
    w->signature = str_take(&signature);
    if (!w->meeting || !w->signature) {
        pmixd_answer(finish(x, w), pmixd_gone);
        return;
    }
    m.job = job;
    m.signature.data = (uint8_t *)w->signature;
    m.signature.len = strlen(w->signature);
    m.data.data = (uint8_t *)data;
    m.data.len = bytes;
    m.ranks = (char *)ranks;
    keep(x, w, MESSAGE_FENCE, &m);
    log_debug("exchange", "%s job=%llu bytes=%zu", w->signature,
              (unsigned long long)job, bytes);
}

void exchange_modex(struct exchange *x, struct pmixd_call *c, uint64_t job,
                    uint32_t rank, uint32_t here)
{
    Hct__ModexRequest m = HCT__MODEX_REQUEST__INIT;
    struct waiting *w = wait_new(x, c, job);

    if (!w)
        return;
    m.job = job;
    m.rank = rank;
    m.ticket = w->ticket;
    m.from_node = here;
    keep(x, w, MESSAGE_MODEX_REQUEST, &m);
}

void exchange_publish(struct exchange *x, struct pmixd_call *c, uint64_t job,
                      const char *nspace, uint32_t rank,
                      const struct pmixd_item *items, size_t n,
                      bool first_read_only, const char *range)
{
    struct waiting *w = wait_new(x, c, job);

    if (!w)
        return;
    w->answers = n;
    for (size_t i = 0; i < n; i++) {
        Hct__Publish m = HCT__PUBLISH__INIT;

        m.job = job;
        m.rank = rank;
        m.nspace = (char *)nspace;
        m.key = (char *)items[i].key;
        m.value.data = (uint8_t *)items[i].value;
        m.value.len = items[i].bytes;
        m.first_read_only = first_read_only;
        m.range = (char *)range;
        m.ticket = w->ticket;
        keep(x, w, MESSAGE_PUBLISH, &m);
    }
}

static size_t count_keys(char *const *keys)
{
    size_t n = 0;

    while (keys && keys[n])
        n++;
    return n;
}

void exchange_unpublish(struct exchange *x, struct pmixd_call *c,
                        uint64_t job, uint32_t rank, char *const *keys)
{
    Hct__Unpublish m = HCT__UNPUBLISH__INIT;
    struct waiting *w = wait_new(x, c, job);

    if (!w)
        return;
    m.job = job;
    m.rank = rank;
    m.n_keys = count_keys(keys);
    m.keys = (char **)keys;
    m.ticket = w->ticket;
    for (size_t i = 0; i < m.n_keys; i++)
        drop_names(x, job, &rank, keys[i]);
    if (m.n_keys == 0)
        drop_names(x, job, &rank, NULL);
    keep(x, w, MESSAGE_UNPUBLISH, &m);
}

void exchange_lookup(struct exchange *x, struct pmixd_call *c, uint64_t job,
                     char *const *keys, bool wait, uint64_t timeout_ns)
{
    Hct__Lookup m = HCT__LOOKUP__INIT;
    struct waiting *w = wait_new(x, c, job);

    if (!w)
        return;
    w->lookup = true;
    m.job = job;
    m.n_keys = count_keys(keys);
    m.keys = (char **)keys;
    m.wait = wait;
    m.timeout_ns = timeout_ns;
    m.ticket = w->ticket;
    keep(x, w, MESSAGE_LOOKUP, &m);
}

static struct waiting *find(struct exchange *x, uint64_t ticket)
{
    struct waiting *w;

    TAILQ_FOREACH(w, &x->waiting, place)
        if (w->ticket == ticket && !w->signature)
            return w;
    return NULL;
}

static void keep_contribution(struct waiting *w)
{
    struct meeting *v = w->meeting;

    if (w->nsent != 1)
        return;
    free(v->last.body);
    v->last = w->sent[0];
    w->sent[0].body = NULL;
}

void exchange_fence_done(struct exchange *x, const Hct__FenceDone *m)
{
    struct waiting *w;

    TAILQ_FOREACH(w, &x->waiting, place)
        if (w->job == m->job && w->signature &&
            strlen(w->signature) == m->signature.len &&
            !memcmp(w->signature, m->signature.data, m->signature.len)) {
            keep_contribution(w);
            pmixd_answer_data(finish(x, w), m->status, m->data.data,
                              m->data.len);
            return;
        }
}

void exchange_modex_reply(struct exchange *x, const Hct__ModexReply *m)
{
    struct waiting *w = find(x, m->ticket);

    if (w && !w->lookup)
        pmixd_answer_data(finish(x, w), m->status, m->data.data,
                          m->data.len);
}

void exchange_lookup_reply(struct exchange *x, const Hct__LookupReply *m)
{
    struct waiting *w = find(x, m->ticket);
    struct pmixd_item *items;
    int status = m->status;

    if (!w)
        return;
    if (!w->lookup) {           /* a Publish or Unpublish is done */
        if (m->status)
            w->status = m->status;
        if (--w->answers == 0) {
            status = w->status;
            if (status == 0)
                keep_names(x, w);
            pmixd_answer(finish(x, w), status);
        }
        return;
    }
    items = calloc(m->n_found ? m->n_found : 1, sizeof(*items));
    for (size_t i = 0; items && i < m->n_found; i++)
        items[i] = (struct pmixd_item){
            .key = m->found[i]->key, .value = m->found[i]->value.data,
            .bytes = m->found[i]->value.len, .nspace = m->found[i]->nspace,
            .rank = m->found[i]->rank };
    pmixd_answer_lookup(finish(x, w), items ? status : pmixd_gone, items,
                        items ? m->n_found : 0);
    free(items);
}
