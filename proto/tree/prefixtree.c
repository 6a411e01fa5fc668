/* prefixtree.c - names, frames, nodes and their labels; adding and merging.
 *
 * Invariants. The name 0 is "", the node 0 the root with frame 0, which is no
 * frame of a trace. Of a label the words from first on are kept, cap of them
 * allocated and nwords in use, at words[at]; what is behind is zero. A label
 * that grows beyond its room moves to the end of words[] with twice the room,
 * so the room that is left behind is at most as much again; one that covers
 * much of the width already gets room for all of it. */
#include "proto/tree/prefixtree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/model/bits.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ENOMEM, "call tree: out of memory");
}

/* ------------------------------------------------------- names and frames */

const char *prefixtree_text(const struct prefixtree *t, uint32_t name)
{
    return name < t->nnames ? t->text + t->name_at[name] : "";
}

uint32_t prefixtree_name(struct prefixtree *t, const char *text, size_t n)
{
    uint64_t h;
    uint32_t id;
    size_t i;

    if (n > PREFIXTREE_NAME_MAX)
        n = PREFIXTREE_NAME_MAX;
    n = strnlen(text, n);
    h = idtable_hash(text, n);
    i = idtable_first(&t->by_name, h);
    for (; (id = idtable_at(&t->by_name, h, &i)) != IDTABLE_NONE; i++)
        if (t->name_at[id + 1] - t->name_at[id] == n + 1 &&
            memcmp(t->text + t->name_at[id], text, n) == 0)
            return id;
    if (t->nnames == PREFIXTREE_ITEMS_MAX ||
        array_reserve(&t->name_at, &t->cap_names, t->nnames + 2) ||
        array_reserve(&t->text, &t->cap_text, t->ntext + n + 1) ||
        idtable_add(&t->by_name, h, (uint32_t)t->nnames))
        return PREFIXTREE_NONE;
    memcpy(t->text + t->ntext, text, n);
    t->text[t->ntext + n] = '\0';
    t->name_at[t->nnames] = t->ntext;
    t->ntext += n + 1;
    t->name_at[t->nnames + 1] = t->ntext;
    return (uint32_t)t->nnames++;
}

uint64_t prefixtree_frame_hash(const struct prefixtree_frame *f)
{
    uint64_t h = idtable_mix(f->offset, (uint64_t)f->module << 32 | f->line);

    return idtable_mix(h, (uint64_t)f->function << 32 | f->file);
}

static bool frame_equal(const struct prefixtree_frame *a,
                        const struct prefixtree_frame *b)
{
    return a->module == b->module && a->function == b->function &&
           a->file == b->file && a->line == b->line &&
           a->offset == b->offset;
}

/* Behind the others, whether there is one like it or not. */
static int push_frame(struct prefixtree *t, const struct prefixtree_frame *f,
                      uint64_t h)
{
    if (t->nframes == PREFIXTREE_ITEMS_MAX ||
        array_reserve(&t->frames, &t->cap_frames, t->nframes + 1) ||
        idtable_add(&t->by_frame, h, (uint32_t)t->nframes))
        return -1;
    t->frames[t->nframes++] = *f;
    return 0;
}

uint32_t prefixtree_frame(struct prefixtree *t,
                          const struct prefixtree_frame *f)
{
    uint64_t h = prefixtree_frame_hash(f);
    size_t i = idtable_first(&t->by_frame, h);
    uint32_t id;

    if (f->module >= t->nnames || f->function >= t->nnames ||
        f->file >= t->nnames)
        return PREFIXTREE_NONE;
    for (; (id = idtable_at(&t->by_frame, h, &i)) != IDTABLE_NONE; i++)
        if (id && frame_equal(&t->frames[id], f))
            return id;
    return push_frame(t, f, h) ? PREFIXTREE_NONE : (uint32_t)t->nframes - 1;
}

/* ------------------------------------------------------------------ nodes */

static int push_node(struct prefixtree *t, uint32_t parent, uint32_t frame,
                     uint64_t h)
{
    struct prefixtree_node *n;

    if (t->nnodes == PREFIXTREE_ITEMS_MAX ||
        (t->nnodes + 1) * t->nsamples > PREFIXTREE_COUNTS_MAX)
        return errno = EINVAL, -1;
    if (array_reserve(&t->counts, &t->cap_counts,
                      (t->nnodes + 1) * t->nsamples) ||
        array_reserve(&t->nodes, &t->cap_nodes, t->nnodes + 1))
        return -1;
    if (t->nnodes && idtable_add(&t->edges, h, (uint32_t)t->nnodes))
        return -1;
    n = &t->nodes[t->nnodes];
    memset(n, 0, sizeof(*n));
    n->frame = frame;
    n->parent = parent;
    if (t->nnodes) {
        n->sibling = t->nodes[parent].child;
        t->nodes[parent].child = (uint32_t)t->nnodes;
    }
    memset(&t->counts[t->nnodes * t->nsamples], 0,
           t->nsamples * sizeof(*t->counts));
    t->nnodes++;
    return 0;
}

static uint32_t child_of(struct prefixtree *t, uint32_t parent, uint32_t frame)
{
    uint64_t h = idtable_mix(parent, frame);
    size_t i = idtable_first(&t->edges, h);
    uint32_t id;

    for (; (id = idtable_at(&t->edges, h, &i)) != IDTABLE_NONE; i++)
        if (t->nodes[id].parent == parent && t->nodes[id].frame == frame)
            return id;
    return push_node(t, parent, frame, h) ? PREFIXTREE_NONE
                                          : (uint32_t)t->nnodes - 1;
}

int prefixtree_push(struct prefixtree *t, uint32_t parent, uint32_t frame)
{
    size_t before = t->nnodes;

    return child_of(t, parent, frame) == before ? 0 : -1;
}

int prefixtree_init(struct prefixtree *t, uint32_t width, uint32_t nsamples,
                    struct err *err)
{
    static const struct prefixtree_frame none;

    memset(t, 0, sizeof(*t));
    if (width > PREFIXTREE_WIDTH_MAX)
        return err_set(err, EINVAL, "a call tree over %u tasks; %d are the "
                       "limit", width, PREFIXTREE_WIDTH_MAX);
    if (nsamples == 0 || nsamples > PREFIXTREE_SAMPLES_MAX)
        return err_set(err, EINVAL, "a call tree over %u samples; from 1 to %d "
                       "are possible", nsamples, PREFIXTREE_SAMPLES_MAX);
    t->width = width;
    t->nsamples = nsamples;
    /* words is never NULL: empty labels are at 0, too */
    if (array_reserve(&t->words, &t->cap_words, 1) ||
        prefixtree_name(t, "", 0) == PREFIXTREE_NONE ||
        push_frame(t, &none, prefixtree_frame_hash(&none)) || push_node(t, 0, 0, 0)) {
        prefixtree_fini(t);
        return out_of_memory(err);
    }
    return 0;
}

void prefixtree_fini(struct prefixtree *t)
{
    free(t->nodes);
    free(t->frames);
    free(t->counts);
    free(t->name_at);
    free(t->text);
    free(t->words);
    free(t->map);
    idtable_fini(&t->edges);
    idtable_fini(&t->by_frame);
    idtable_fini(&t->by_name);
    memset(t, 0, sizeof(*t));
}

/* ----------------------------------------------------------------- labels */

static int move_label(struct prefixtree *t, struct prefixtree_node *n,
                      uint32_t first, uint32_t cap)
{
    if (t->nwords + cap > PREFIXTREE_WORDS_MAX)
        return errno = EINVAL, -1;
    if (array_reserve(&t->words, &t->cap_words, t->nwords + cap))
        return -1;
    memset(t->words + t->nwords, 0, cap * sizeof(*t->words));
    if (n->nwords)
        memcpy(t->words + t->nwords + (n->first - first), t->words + n->at,
               n->nwords * sizeof(*t->words));
    n->nwords = n->nwords ? n->nwords + (n->first - first) : 0;
    n->first = first;
    n->at = t->nwords;
    n->cap = cap;
    t->nwords += cap;
    return 0;
}

/* Make the label cover the words from lo to hi (not included). */
static int cover(struct prefixtree *t, struct prefixtree_node *n, uint32_t lo,
                 uint32_t hi)
{
    uint32_t all = (t->width + 63) / 64, cap, end = n->first + n->nwords;

    if (n->nwords == 0 && n->cap == 0)
        n->first = end = lo;
    if (n->nwords) {
        lo = lo < n->first ? lo : n->first;
        hi = hi > end ? hi : end;
    }
    if (lo < n->first || hi > n->first + n->cap) {
        cap = n->cap * 2 > hi - lo ? n->cap * 2 : hi - lo;
        if (cap > all / 8) {
            lo = 0;
            cap = all;
        } else if (n->cap && lo < n->first) {   /* it grows downwards */
            lo = hi > cap ? hi - cap : 0;
        } else if (lo + cap > all) {
            cap = all - lo;
        }
        if (move_label(t, n, lo, cap))
            return -1;
    }
    if (hi - n->first > n->nwords)
        n->nwords = hi - n->first;
    return 0;
}

static int or_label(struct prefixtree *t, uint32_t node, const uint64_t *words,
                    uint32_t nwords, size_t shift)
{
    struct prefixtree_node *n = &t->nodes[node];
    uint64_t last;

    while (nwords && words[0] == 0) {
        words++;
        nwords--;
        shift += 64;
    }
    while (nwords && words[nwords - 1] == 0)
        nwords--;
    if (nwords == 0)
        return 0;
    last = shift + (uint64_t)nwords * 64 - 1 -
           (uint64_t)__builtin_clzll(words[nwords - 1]);
    if (cover(t, n, (uint32_t)((shift + (uint64_t)__builtin_ctzll(words[0])) /
                               64), (uint32_t)(last / 64 + 1)))
        return -1;
    if (shift / 64 < n->first) {        /* the first word's bits are above */
        uint64_t high = words[0] >> (64 - shift % 64);

        t->words[n->at] |= high;
        words++;
        nwords--;
        shift += 64;
    }
    bits_or_shifted(t->words + n->at, words, nwords,
                    shift - (size_t)n->first * 64);
    return 0;
}

static int set_bit(struct prefixtree *t, uint32_t node, uint32_t position)
{
    struct prefixtree_node *n = &t->nodes[node];
    uint32_t w = position / 64;

    if ((n->nwords == 0 || w < n->first || w >= n->first + n->nwords) &&
        cover(t, n, w, w + 1))
        return -1;
    t->words[n->at + (w - n->first)] |= 1ull << position % 64;
    return 0;
}

/* ------------------------------------------------------ adding and merging */

static int full(struct err *err)
{
    if (errno == ENOMEM)
        return out_of_memory(err);
    return err_set(err, EINVAL, "the call tree is too large: more than %d "
                   "nodes, or %d MiB of task sets", PREFIXTREE_ITEMS_MAX,
                   PREFIXTREE_WORDS_MAX >> 17);
}

static int visit(struct prefixtree *t, uint32_t node, uint32_t position,
                 uint32_t sample)
{
    t->counts[(size_t)node * t->nsamples + sample]++;
    return set_bit(t, node, position);
}

int prefixtree_add(struct prefixtree *t, uint32_t position, uint32_t sample,
                   const uint32_t *frames, size_t n, struct err *err)
{
    uint32_t at = 0;

    if (position >= t->width || sample >= t->nsamples)
        return err_set(err, EINVAL, "a trace of task %u in sample %u, of a "
                       "tree over %u tasks and %u samples", position, sample,
                       t->width, t->nsamples);
    for (size_t i = 0; i < n; i++)
        if (frames[i] == 0 || frames[i] >= t->nframes)
            return err_set(err, EINVAL, "a trace with frame %u of %zu",
                           frames[i], t->nframes);
    if (visit(t, 0, position, sample))
        return full(err);
    for (size_t i = 0; i < n && i < PREFIXTREE_DEPTH_MAX; i++) {
        at = child_of(t, at, frames[i]);
        if (at == PREFIXTREE_NONE || visit(t, at, position, sample))
            return full(err);
    }
    return 0;
}

/* From from's numbers of names and frames to ours. */
static int map_frames(struct prefixtree *t, const struct prefixtree *from)
{
    size_t n = from->nnames > from->nframes ? from->nnames : from->nframes;

    if (array_reserve(&t->map, &t->cap_map,
                      n > from->nnodes ? n : from->nnodes))
        return -1;
    for (size_t i = 0; i < from->nnames; i++) {
        t->map[i].name = prefixtree_name(t, from->text + from->name_at[i],
                                         from->name_at[i + 1] -
                                         from->name_at[i] - 1);
        if (t->map[i].name == PREFIXTREE_NONE)
            return -1;
    }
    t->map[0].frame = 0;
    for (size_t i = 1; i < from->nframes; i++) {
        struct prefixtree_frame f = from->frames[i];

        f.module = t->map[f.module].name;
        f.function = t->map[f.function].name;
        f.file = t->map[f.file].name;
        t->map[i].frame = prefixtree_frame(t, &f);
        if (t->map[i].frame == PREFIXTREE_NONE)
            return -1;
    }
    return 0;
}

int prefixtree_merge(struct prefixtree *t, const struct prefixtree *from,
                     uint32_t at, struct err *err)
{
    if (at > t->width || from->width > t->width - at ||
        from->nsamples != t->nsamples)
        return err_set(err, EINVAL, "a call tree over %u tasks from %u on and "
                       "%u samples, of %u tasks and %u samples", from->width,
                       at, from->nsamples, t->width, t->nsamples);
    errno = EINVAL;
    if (map_frames(t, from))
        return full(err);
    for (uint32_t i = 0; i < from->nnodes; i++) {
        const struct prefixtree_node *n = &from->nodes[i];
        uint32_t to = i == 0 ? 0 : child_of(t, t->map[n->parent].node,
                                            t->map[n->frame].frame);
        uint32_t *into;

        if (to == PREFIXTREE_NONE)
            return full(err);
        t->map[i].node = to;
        into = &t->counts[(size_t)to * t->nsamples];
        for (uint32_t s = 0; s < t->nsamples; s++) {
            uint32_t more = from->counts[(size_t)i * t->nsamples + s];

            into[s] = more > UINT32_MAX - into[s] ? UINT32_MAX
                                                  : into[s] + more;
        }
        if (n->nwords && or_label(t, to, from->words + n->at, n->nwords,
                                  (size_t)n->first * 64 + at))
            return full(err);
    }
    return 0;
}

/* ------------------------------------------------------------ what it says */

uint32_t prefixtree_count(const struct prefixtree *t, uint32_t node)
{
    const struct prefixtree_node *n = &t->nodes[node];

    return n->nwords ? (uint32_t)bits_count(t->words + n->at, n->nwords) : 0;
}

bool prefixtree_has(const struct prefixtree *t, uint32_t node,
                    uint32_t position)
{
    const struct prefixtree_node *n = &t->nodes[node];
    uint32_t w = position / 64;

    return w >= n->first && w - n->first < n->nwords &&
           t->words[n->at + (w - n->first)] >> position % 64 & 1;
}

int prefixtree_tasks(const struct prefixtree *t, uint32_t node,
                     struct taskset *out)
{
    const struct prefixtree_node *n = &t->nodes[node];

    return taskset_from_bits(out, n->first * 64, t->words + n->at,
                             (size_t)n->nwords * 64);
}

uint32_t prefixtree_child(const struct prefixtree *t, uint32_t node,
                          uint32_t position)
{
    for (uint32_t c = t->nodes[node].child; c; c = t->nodes[c].sibling)
        if (prefixtree_has(t, c, position))
            return c;
    return 0;
}

uint64_t prefixtree_traces(const struct prefixtree *t, uint32_t node)
{
    uint64_t sum = 0;

    for (uint32_t s = 0; s < t->nsamples; s++)
        sum += t->counts[(size_t)node * t->nsamples + s];
    return sum;
}
