/* records.c - tagged calls on their way to the master.
 *
 * Invariants: the chunks hold the records acked..next-1 without a gap, in
 * order; window->bytes is the sum of all chunks of all tasks. A chunk is the
 * unit of sending and re-sending, so the master sees the same batches again
 * and can drop what it knows by their first number. */
#include "slave/page/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hct.pb-c.h"
#include "proto/base/idtable.h"
#include "slave/vault/vault.h"

struct record {
    uint64_t seq, enter_ns, exit_ns;
    int32_t marker;
    uint32_t label;             /* index in the chunk's labels */
    uint32_t thread;
    uint16_t call;
};

struct label { size_t at, bytes; };

struct records_chunk {
    struct records_chunk *next;
    uint64_t first;
    size_t n, nlabels, bytes;   /* bytes: of this chunk in all */
    struct record *v;           /* these three inside the same block */
    struct label *labels;
    char *text;
};

bool records_window_full(const struct records_window *w)
{
    return w->bytes >= w->max;
}

void records_init(struct records *r, uint64_t job, uint32_t rank,
                  struct records_window *window)
{
    *r = (struct records){ .job = job, .rank = rank, .window = window };
}

static void chunk_free(const struct records_window *w,
                       struct records_chunk *c)
{
    if (vault_has(w->vault, c))
        vault_free(w->vault, c);
    else
        free(c);
}

/* What lies elsewhere the guard could not read. */
static void show_first(const struct records *r)
{
    if (r->ledger)
        atomic_store(&r->ledger->first,
                     vault_has(r->window->vault, r->first) ? r->first : NULL);
}

static void drop_first(struct records *r)
{
    struct records_chunk *c = r->first;

    r->first = c->next;
    if (!r->first)
        r->last = NULL;
    show_first(r);
    r->window->bytes -= c->bytes;
    chunk_free(r->window, c);
}

void records_fini(struct records *r)
{
    while (r->first)
        drop_first(r);
}

bool records_empty(const struct records *r)
{
    return !r->first;
}

uint64_t records_waiting(const struct records *r)
{
    return r->first ? r->next - r->first->first : 0;
}

/* Labels of one chunk while it is built. */
enum { TEXT = 4 << 20 };
struct interner {
    struct idtable by_text;
    struct label labels[RECORDS_BATCH];
    size_t n, text_bytes;
};

static uint32_t intern(struct interner *in, const char *text, size_t at,
                       size_t bytes)
{
    uint64_t h = idtable_hash(text + at, bytes);
    size_t i = idtable_first(&in->by_text, h);
    uint32_t id;

    for (; (id = idtable_at(&in->by_text, h, &i)) != IDTABLE_NONE; i++)
        if (in->labels[id].bytes == bytes &&
            !memcmp(text + in->labels[id].at, text + at, bytes))
            return id;
    id = (uint32_t)in->n++;
    idtable_add(&in->by_text, h, id);   /* no memory: it will be there twice */
    in->labels[id] = (struct label){ .at = at, .bytes = bytes };
    in->text_bytes += bytes;
    return id;
}

/* A stamp as a record; false if its entry's record says it already. */
static bool to_record(const struct rings_batch *b, size_t i,
                      struct record *rec)
{
    const struct rings_stamp *s = &b->v[i];

    if (s->exit && s->mate != SIZE_MAX)
        return false;
    *rec = (struct record){ .seq = s->seq, .marker = s->marker,
                            .thread = s->slot, .call = s->call };
    if (s->exit) {
        rec->exit_ns = s->wall_ns;
    } else {
        rec->enter_ns = s->wall_ns;
        if (s->mate != SIZE_MAX)
            rec->exit_ns = b->v[s->mate].wall_ns;
    }
    return true;
}

/* Records of the batch from *at on, until the chunk is full. NULL: none, or
 * (err->code) no memory. */
static struct records_chunk *build(const struct records_window *w,
                                   const struct rings_batch *b, size_t *at,
                                   struct interner *in, struct record *tmp,
                                   struct err *err)
{
    const char *text = str_text(&b->text);
    struct records_chunk *c;
    size_t n = 0, i = *at, size, labels_at, text_at;
    char *to;

    in->n = in->text_bytes = 0;
    idtable_reset(&in->by_text);
    for (; i < b->n && n < RECORDS_BATCH && in->text_bytes < TEXT; i++) {
        if (!to_record(b, i, &tmp[n]))
            continue;
        tmp[n].label = intern(in, text, b->v[i].text, b->v[i].text_bytes);
        n++;
    }
    if (n == 0)
        return *at = i, NULL;
    labels_at = sizeof(*c) + n * sizeof(*c->v);
    text_at = labels_at + in->n * sizeof(*c->labels);
    size = text_at + in->text_bytes;
    c = vault_alloc(w->vault, size);
    if (!c)
        c = malloc(size);
    if (!c)
        return err_memory(err), NULL;
    *c = (struct records_chunk){ .n = n, .nlabels = in->n, .bytes = size };
    c->v = (struct record *)(c + 1);
    c->labels = (struct label *)((char *)c + labels_at);
    c->text = (char *)c + text_at;
    memcpy(c->v, tmp, n * sizeof(*c->v));
    to = c->text;
    for (size_t l = 0; l < in->n; l++) {
        c->labels[l] = (struct label){ .at = (size_t)(to - c->text),
                                       .bytes = in->labels[l].bytes };
        memcpy(to, text + in->labels[l].at, in->labels[l].bytes);
        to += in->labels[l].bytes;
    }
    *at = i;
    return c;
}

static void send_chunk(const struct records *r,
                       const struct records_chunk *c,
                       const struct records_out *out)
{
    Hct__Events m = HCT__EVENTS__INIT;
    Hct__Events__Record *v = malloc(c->n * sizeof(*v));
    Hct__Events__Record **p = malloc(c->n * sizeof(*p));
    ProtobufCBinaryData *labels = malloc(c->nlabels * sizeof(*labels));

    if (v && p && labels) {     /* else: sent after the next reconnection */
        for (size_t i = 0; i < c->n; i++) {
            const struct record *rec = &c->v[i];

            p[i] = &v[i];
            hct__events__record__init(p[i]);
            v[i].seq = rec->seq;
            v[i].marker = rec->marker;
            v[i].label = rec->label;
            v[i].call = rec->call;
            v[i].enter_ns = rec->enter_ns;
            v[i].exit_ns = rec->exit_ns;
            v[i].thread = rec->thread;
        }
        for (size_t l = 0; l < c->nlabels; l++)
            labels[l] = (ProtobufCBinaryData){
                .len = c->labels[l].bytes,
                .data = (uint8_t *)c->text + c->labels[l].at };
        m.job = r->job;
        m.rank = r->rank;
        m.first = c->first;
        m.n_records = c->n;
        m.records = p;
        m.n_labels = c->nlabels;
        m.labels = labels;
        out->send(out->arg, &m);
    }
    free(v);
    free(p);
    free(labels);
}

int records_keep(struct records *r, const struct rings_batch *b,
                 const struct records_chunk **fresh, struct err *err)
{
    struct records_chunk *made = NULL, **end = &made, *c;
    struct interner *in = malloc(sizeof(*in));
    struct record *tmp = malloc(RECORDS_BATCH * sizeof(*tmp));
    struct err failed = { 0 };

    *fresh = NULL;
    if (in)
        in->by_text = (struct idtable){ 0 };
    if (!in || !tmp)
        err_memory(&failed);
    for (size_t at = 0; !failed.code && at < b->n; ) {
        c = build(r->window, b, &at, in, tmp, &failed);
        if (!c)
            continue;
        *end = c;
        end = &c->next;
    }
    if (in)
        idtable_fini(&in->by_text);
    free(in);
    free(tmp);
    while ((c = made)) {
        made = c->next;
        c->next = NULL;
        if (failed.code) {
            chunk_free(r->window, c);
            continue;
        }
        c->first = r->next;
        r->next += c->n;
        r->window->bytes += c->bytes;
        if (r->last)
            r->last->next = c;
        else
            r->first = c;
        r->last = c;
        if (r->first == c)
            show_first(r);
        if (!*fresh)
            *fresh = c;
    }
    if (failed.code) {
        if (err)
            *err = failed;
        return -1;
    }
    return 0;
}

int records_ack(struct records *r, uint64_t upto, struct err *err)
{
    if (upto > r->next)
        return err_set(err, EPROTO, "an acknowledgement of record %llu of "
                       "task %u, which has sent only %llu",
                       (unsigned long long)upto, r->rank,
                       (unsigned long long)r->next);
    while (r->first && r->first->first + r->first->n <= upto)
        drop_first(r);
    if (upto > r->acked)
        r->acked = upto;
    return 0;
}

void records_send(const struct records *r, const struct records_chunk *fresh,
                  const struct records_out *out)
{
    for (; fresh; fresh = fresh->next)
        send_chunk(r, fresh, out);
}

int records_add(struct records *r, const struct rings_batch *b,
                const struct records_out *out, struct err *err)
{
    const struct records_chunk *fresh;

    if (records_keep(r, b, &fresh, err))
        return -1;
    records_send(r, fresh, out);
    return 0;
}

void records_inherit(struct records *r, struct records_chunk *first,
                     uint64_t next)
{
    const struct vault *v = r->window->vault;
    uint64_t due = next;

    /* A chunk that lies elsewhere is lost, and all behind it of no use. */
    for (struct records_chunk *c = first; vault_has(v, c); c = c->next) {
        if (c->first + c->n > next || (r->last && c->first != due))
            break;
        if (!r->first)
            r->first = c;
        r->last = c;
        due = c->first + c->n;
        r->window->bytes += c->bytes;
    }
    if (r->last)
        r->last->next = NULL;
    r->next = due;
}

void records_resend(const struct records *r, const struct records_out *out)
{
    for (const struct records_chunk *c = r->first; c; c = c->next)
        send_chunk(r, c, out);
}
