/* prefixtree_wire.c - call trees as bytes.
 *
 *   "HPT1" width nsamples nnames nframes nnodes
 *   name:   length bytes                   from number 1 on
 *   frame:  module function file line offset       from number 1 on
 *   node:   (own number - parent) frame    not for the root
 *           label, then nsamples counts
 *   label:  0                              the same tasks as the parent
 *           1 first length bytes           bits from bit first * 64 on
 *           2 n (gap length)...            n ranges: how many bits are left
 *                                          out, how many are set less one
 *
 * Numbers are as in protobuf: seven bits a byte, the low ones first. Most
 * nodes have one child, so most labels are a single byte. */
#include "proto/tree/prefixtree.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

static const char magic[4] = { 'H', 'P', 'T', '1' };
enum { LABEL_SAME, LABEL_BITS, LABEL_RANGES };

/* ----------------------------------------------------------------- packing */

static void put(struct str *out, uint64_t v)
{
    char b[10];
    size_t n = 0;

    for (; v >= 128; v >>= 7)
        b[n++] = (char)(v | 128);
    b[n++] = (char)v;
    str_add_bytes(out, b, n);
}

/* Word w of the whole vector. */
static uint64_t word_of(const struct prefixtree *t,
                        const struct prefixtree_node *n, uint32_t w)
{
    return w >= n->first && w - n->first < n->nwords
        ? t->words[n->at + (w - n->first)] : 0;
}

static bool same_label(const struct prefixtree *t,
                       const struct prefixtree_node *a,
                       const struct prefixtree_node *b)
{
    uint32_t lo = a->first < b->first ? a->first : b->first;
    uint32_t hi = a->first + a->nwords > b->first + b->nwords
        ? a->first + a->nwords : b->first + b->nwords;

    if (a->first == b->first && a->nwords == b->nwords)
        return a->nwords == 0 ||
               memcmp(t->words + a->at, t->words + b->at,
                      a->nwords * sizeof(*t->words)) == 0;
    for (uint32_t w = lo; w < hi; w++)
        if (word_of(t, a, w) != word_of(t, b, w))
            return false;
    return true;
}

static void put_bits(struct str *out, const uint64_t *v, uint32_t first,
                     uint32_t nwords)
{
    size_t bytes = (size_t)nwords * 8;
    uint64_t last = v[nwords - 1];

    for (; last >> 56 == 0; last <<= 8)
        bytes--;
    put(out, LABEL_BITS);
    put(out, first);
    put(out, bytes);
    for (uint32_t i = 0; i < nwords; i++) {
        uint64_t w = htole64(v[i]);

        str_add_bytes(out, &w, bytes < 8 ? bytes : 8);
        bytes -= bytes < 8 ? bytes : 8;
    }
}

static size_t count_ranges(const uint64_t *v, uint32_t nwords)
{
    uint64_t before = 0;
    size_t n = 0;

    for (uint32_t i = 0; i < nwords; i++) {
        n += (size_t)__builtin_popcountll(v[i] & ~(v[i] << 1 | before));
        before = v[i] >> 63;
    }
    return n;
}

static void put_ranges(struct str *out, const struct taskset *s)
{
    uint64_t next = 0;

    put(out, LABEL_RANGES);
    put(out, s->n);
    for (size_t i = 0; i < s->n; i++) {
        put(out, s->v[i].first - next);
        put(out, s->v[i].last - s->v[i].first);
        next = (uint64_t)s->v[i].last + 1;
    }
}

static int put_label(const struct prefixtree *t, uint32_t node,
                     struct taskset *scratch, struct str *out)
{
    const struct prefixtree_node *n = &t->nodes[node];
    const uint64_t *v = t->words + n->at;
    uint32_t first = n->first, nwords = n->nwords;

    if (node && same_label(t, n, &t->nodes[n->parent]))
        return put(out, LABEL_SAME), 0;
    for (; nwords && v[nwords - 1] == 0; nwords--)
        ;
    for (; nwords && v[0] == 0; nwords--, v++)
        first++;
    if (count_ranges(v, nwords) * 5 >= (size_t)nwords * 8 && nwords)
        return put_bits(out, v, first, nwords), 0;
    if (taskset_from_bits(scratch, first * 64, v, (size_t)nwords * 64))
        return -1;
    put_ranges(out, scratch);
    return 0;
}

int prefixtree_pack(const struct prefixtree *t, struct str *out)
{
    struct taskset scratch = { 0 };
    int rc = 0;

    str_add_bytes(out, magic, sizeof(magic));
    put(out, t->width);
    put(out, t->nsamples);
    put(out, t->nnames);
    put(out, t->nframes);
    put(out, t->nnodes);
    for (size_t i = 1; i < t->nnames; i++) {
        size_t n = t->name_at[i + 1] - t->name_at[i] - 1;

        put(out, n);
        str_add_bytes(out, t->text + t->name_at[i], n);
    }
    for (size_t i = 1; i < t->nframes; i++) {
        put(out, t->frames[i].module);
        put(out, t->frames[i].function);
        put(out, t->frames[i].file);
        put(out, t->frames[i].line);
        put(out, t->frames[i].offset);
    }
    for (uint32_t i = 0; rc == 0 && i < t->nnodes; i++) {
        if (i) {
            put(out, i - t->nodes[i].parent);
            put(out, t->nodes[i].frame);
        }
        rc = put_label(t, i, &scratch, out);
        for (uint32_t s = 0; s < t->nsamples; s++)
            put(out, t->counts[(size_t)i * t->nsamples + s]);
    }
    taskset_fini(&scratch);
    return rc || str_failed(out) ? (errno = ENOMEM, -1) : 0;
}

/* ----------------------------------------------------------------- parsing */

struct reader {
    const uint8_t *p, *end;
    bool bad;                   /* a number that is too large, or cut */
};

/* At most max; else the reader is bad, and so is all that follows. */
static uint64_t get(struct reader *r, uint64_t max)
{
    uint64_t v = 0;

    for (unsigned shift = 0; r->p < r->end && shift < 64; shift += 7) {
        uint8_t b = *r->p++;

        v |= (uint64_t)(b & 127) << shift;
        if (!(b & 128)) {
            if (v > max || (shift == 63 && b > 1))
                break;
            return v;
        }
    }
    r->p = r->end;
    r->bad = true;
    return 0;
}

static const uint8_t *get_bytes(struct reader *r, size_t n)
{
    const uint8_t *p = r->p;

    if (r->bad || n > (size_t)(r->end - r->p))
        return r->bad = true, r->p = r->end, NULL;
    r->p += n;
    return p;
}

static int get_names(struct prefixtree *t, struct reader *r, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        size_t bytes = get(r, PREFIXTREE_NAME_MAX);
        const char *s = (const char *)get_bytes(r, bytes);

        if (!s || prefixtree_name(t, s, bytes) != i)
            return -1;          /* also one that was there already */
    }
    return 0;
}

static int get_frames(struct prefixtree *t, struct reader *r, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct prefixtree_frame f = {
            .module = (uint32_t)get(r, t->nnames - 1),
            .function = (uint32_t)get(r, t->nnames - 1),
            .file = (uint32_t)get(r, t->nnames - 1),
            .line = (uint32_t)get(r, UINT32_MAX),
            .offset = get(r, UINT64_MAX),
        };

        if (r->bad || prefixtree_frame(t, &f) != i)
            return -1;
    }
    return 0;
}

/* Room for a label that covers bits [from, to): a run of cleared words. */
static uint64_t *make_label(struct prefixtree *t, struct prefixtree_node *n,
                            size_t from, size_t to)
{
    size_t first = from / 64, nwords = (to + 63) / 64 - first;

    if (t->nwords + nwords > PREFIXTREE_WORDS_MAX ||
        array_reserve(&t->words, &t->cap_words, t->nwords + nwords))
        return NULL;
    n->first = (uint32_t)first;
    n->nwords = n->cap = (uint32_t)nwords;
    n->at = t->nwords;
    t->nwords += nwords;
    return memset(t->words + n->at, 0, nwords * sizeof(*t->words));
}

static int get_bits(struct prefixtree *t, struct reader *r,
                    struct prefixtree_node *n)
{
    size_t from = get(r, t->width / 64), bytes = get(r, t->width / 8 + 1);
    const uint8_t *p = get_bytes(r, bytes);
    uint64_t *v;

    if (!p || !bytes)
        return -1;
    v = make_label(t, n, from * 64, from * 64 + bytes * 8);
    if (!v)
        return -1;
    for (size_t i = 0; i < bytes; i++)
        v[i / 8] |= (uint64_t)p[i] << i % 8 * 8;
    return n->first + n->nwords > (t->width + 63) / 64 ||
           (n->first + n->nwords == (t->width + 63) / 64 && t->width % 64 &&
            v[n->nwords - 1] >> t->width % 64) ? -1 : 0;
}

static void set_range(uint64_t *v, size_t from, size_t to)
{
    while (from < to) {
        size_t bit = from % 64, now = to - from < 64 - bit ? to - from
                                                           : 64 - bit;

        v[from / 64] |= (now == 64 ? ~0ull : (1ull << now) - 1) << bit;
        from += now;
    }
}

static int get_ranges(struct prefixtree *t, struct reader *r,
                      struct prefixtree_node *n)
{
    size_t count = get(r, t->width), end = 0, first = 0, base;
    const uint8_t *start = r->p;
    uint64_t *v;

    for (size_t i = 0; i < count && !r->bad; i++) {     /* how far it goes */
        size_t from = end + get(r, t->width);

        if (i == 0)
            first = from;
        end = from + get(r, t->width) + 1;
        if (end > t->width)
            return -1;
    }
    if (r->bad || count == 0)
        return r->bad ? -1 : 0;
    v = make_label(t, n, first, end);
    if (!v)
        return -1;
    base = (size_t)n->first * 64;
    r->p = start;
    end = 0;
    for (size_t i = 0; i < count; i++) {
        size_t from = end + get(r, t->width);

        end = from + get(r, t->width) + 1;
        set_range(v, from - base, end - base);
    }
    return 0;
}

static int get_label(struct prefixtree *t, struct reader *r, uint32_t node)
{
    struct prefixtree_node *n = &t->nodes[node], *up = &t->nodes[n->parent];
    uint64_t *v;

    switch (get(r, LABEL_RANGES)) {
    case LABEL_SAME:
        if (node == 0 || r->bad)
            return -1;
        if (up->nwords == 0)
            return 0;
        v = make_label(t, n, (size_t)up->first * 64,
                       (size_t)(up->first + up->nwords) * 64);
        if (!v)
            return -1;
        memcpy(v, t->words + up->at, up->nwords * sizeof(*v));
        return 0;
    case LABEL_BITS:
        if (get_bits(t, r, n))
            return -1;
        break;
    default:
        if (get_ranges(t, r, n))
            return -1;
    }
    for (uint32_t i = 0; node && i < n->nwords; i++)
        if (t->words[n->at + i] & ~word_of(t, up, n->first + i))
            return -1;          /* who is here must come from there */
    return 0;
}

/* Each trace comes from the node above; a task has many only by threads. */
static int get_counts(struct prefixtree *t, struct reader *r, uint32_t node)
{
    uint32_t *v = &t->counts[(size_t)node * t->nsamples];
    const uint32_t *up = &t->counts[(size_t)t->nodes[node].parent *
                                    t->nsamples];
    uint64_t most = (uint64_t)prefixtree_count(t, node) *
                    PREFIXTREE_THREADS_MAX;

    for (uint32_t s = 0; s < t->nsamples; s++) {
        v[s] = (uint32_t)get(r, node ? up[s] : UINT32_MAX);
        if (v[s] > most)
            return -1;
    }
    return r->bad ? -1 : 0;
}

/* Sets which of its nodes is wrong. */
static int get_nodes(struct prefixtree *t, struct reader *r, size_t n,
                     size_t *wrong)
{
    for (uint32_t i = 0; i < n; i++) {
        *wrong = i;
        if (i) {
            size_t up = get(r, i);
            uint32_t frame = (uint32_t)get(r, t->nframes - 1);

            if (r->bad || up == 0 || frame == 0 ||
                prefixtree_push(t, i - (uint32_t)up, frame))
                return -1;
        }
        if (get_label(t, r, i))
            return -1;
        if (get_counts(t, r, i))
            return -1;
    }
    return 0;
}

static int spoiled(struct prefixtree *t, struct err *err, const char *what,
                   size_t at)
{
    prefixtree_fini(t);
    return err_set(err, EBADMSG, "a call tree whose %s %zu is not in order",
                   what, at);
}

int prefixtree_parse(struct prefixtree *t, const uint8_t *bytes, size_t n,
                     struct err *err)
{
    struct reader r = { bytes, bytes + n, false };
    const uint8_t *m = get_bytes(&r, sizeof(magic));
    size_t nnames, nframes, nnodes, wrong = 0;
    uint32_t width, nsamples;

    memset(t, 0, sizeof(*t));
    if (!m || memcmp(m, magic, sizeof(magic)))
        return err_set(err, EBADMSG, "%zu bytes that are no call tree", n);
    width = (uint32_t)get(&r, PREFIXTREE_WIDTH_MAX);
    nsamples = (uint32_t)get(&r, PREFIXTREE_SAMPLES_MAX);
    nnames = get(&r, PREFIXTREE_ITEMS_MAX);
    nframes = get(&r, PREFIXTREE_ITEMS_MAX);
    nnodes = get(&r, PREFIXTREE_ITEMS_MAX);
    if (r.bad || !nnames || !nframes || !nnodes)
        return err_set(err, EBADMSG, "a call tree that begins with numbers "
                       "beyond the limits");
    if (prefixtree_init(t, width, nsamples, err))
        return -1;
    if (get_names(t, &r, nnames))
        return spoiled(t, err, "name", t->nnames);
    if (get_frames(t, &r, nframes))
        return spoiled(t, err, "frame", t->nframes);
    if (get_nodes(t, &r, nnodes, &wrong))
        return spoiled(t, err, "node", wrong);
    if (r.p != r.end)
        return spoiled(t, err, "end, at byte", (size_t)(r.p - bytes));
    return 0;
}
