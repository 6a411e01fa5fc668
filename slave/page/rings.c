/* rings.c - reads the event rings of one page.
 *
 * Invariants: every length is bounded by head - tail, that by ring_bytes, and
 * ring_bytes, slots and calls are what the slave chose, never what the page
 * says. A record's header is copied before it is looked at, so that a task
 * that scribbles meanwhile changes nothing. slot.tail is our own count; the
 * page's copy is only written. */
#include "slave/page/rings.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

enum { HEADER = sizeof(struct page_record), SHORT = 8 };

void rings_batch_fini(struct rings_batch *b)
{
    free(b->v);
    str_fini(&b->text);
    *b = (struct rings_batch){ 0 };
}

void rings_init(struct rings *r, void *page, unsigned slots, unsigned calls,
                unsigned ring_bytes, uint64_t *next_seq)
{
    memset(r, 0, sizeof(*r));
    r->page = page;
    r->slots = slots < PAGE_SLOTS ? slots : PAGE_SLOTS;
    r->calls = calls;
    r->ring_bytes = ring_bytes;
    r->next_seq = next_seq;
}

void rings_fini(struct rings *r)
{
    for (unsigned s = 0; s < r->slots; s++) {
        for (size_t i = 0; i < r->slot[s].nopen; i++)
            free(r->slot[s].open[i].text);
        free(r->slot[s].open);
    }
    memset(r, 0, sizeof(*r));
}

static struct page_slot *page_slot(const struct rings *r, unsigned slot)
{
    return (struct page_slot *)(r->page + page_slot_at(slot));
}

static const char *ring_at(const struct rings *r, unsigned slot)
{
    return r->page + page_ring_at(r->slots, r->calls, r->ring_bytes, slot);
}

static unsigned slots_used(const struct rings *r)
{
    const struct page_header *h = (const struct page_header *)r->page;
    uint32_t n = atomic_load_explicit(&h->slots_used, memory_order_acquire);

    return n < r->slots ? n : r->slots;
}

static uint64_t head_of(const struct rings *r, unsigned slot)
{
    return atomic_load_explicit(&page_slot(r, slot)->head,
                                memory_order_acquire);
}

static struct rings_stamp *new_stamp(struct rings_batch *b)
{
    return array_reserve(&b->v, &b->cap, b->n + 1) ? NULL : &b->v[b->n];
}

/* One record at position pos with avail bytes behind it. Returns its size,
 * 0 if it makes no sense, -1 when memory runs out. */
static long take_record(struct rings *r, unsigned slot, uint64_t pos,
                        uint64_t avail, struct rings_batch *b)
{
    uint32_t at = (uint32_t)(pos & (r->ring_bytes - 1));
    uint32_t to_end = r->ring_bytes - at;
    const char *p = ring_at(r, slot) + at;
    struct page_record rec;
    struct rings_stamp *stamp;

    if (avail < SHORT)
        return 0;
    memcpy(&rec, p, SHORT);
    if (rec.kind == PAGE_RECORD_PAD)
        return avail < to_end ? 0 : (long)to_end;
    if (avail < HEADER || to_end < HEADER)
        return 0;
    memcpy(&rec, p, HEADER);
    if (rec.bytes < HEADER || rec.bytes > avail || rec.bytes > to_end ||
        rec.bytes % 8 || rec.text_bytes > rec.bytes - HEADER ||
        rec.text_bytes > PAGE_TEXT_MAX ||
        (rec.kind != PAGE_RECORD_ENTER && rec.kind != PAGE_RECORD_EXIT))
        return 0;
    stamp = new_stamp(b);
    if (!stamp)
        return -1;
    *stamp = (struct rings_stamp){
        .exit = rec.kind == PAGE_RECORD_EXIT, .call = rec.call,
        .slot = slot, .marker = rec.marker, .wall_ns = rec.wall_ns,
        .text = b->text.n, .text_bytes = rec.text_bytes, .mate = SIZE_MAX };
    str_add_bytes(&b->text, p + HEADER, rec.text_bytes);
    if (str_failed(&b->text))
        return -1;
    b->n++;
    return (long)rec.bytes;
}

/* Everything of one ring into the batch. tails[slot] is where it stopped. */
static int take_slot(struct rings *r, unsigned slot, size_t budget,
                     struct rings_batch *b, uint64_t *tail)
{
    uint64_t head = head_of(r, slot), pos = r->slot[slot].tail;

    if (head - pos > r->ring_bytes || head % 8) {
        r->damaged++;
        pos = head;
    }
    for (size_t taken = 0; pos != head && taken < budget; ) {
        long n = take_record(r, slot, pos, head - pos, b);

        if (n < 0)
            return -1;
        if (n == 0) {
            r->damaged++;
            pos = head;
            break;
        }
        pos += (uint64_t)n;
        taken += (size_t)n;
    }
    *tail = pos;
    return 0;
}

static int by_time(const void *a, const void *b)
{
    const struct rings_stamp *x = a, *y = b;

    if (x->wall_ns != y->wall_ns)
        return x->wall_ns < y->wall_ns ? -1 : 1;
    return x->mate < y->mate ? -1 : x->mate > y->mate;  /* order of reading */
}

/* Sort by time, but never turn round two stamps of one ring: where the wall
 * clock was set back, the order in the ring is the truth. mate serves as the
 * index before sorting meanwhile. */
static void sort_stamps(struct rings_batch *b)
{
    uint64_t latest[PAGE_SLOTS] = { 0 };
    bool sorted = true;

    for (size_t i = 0; i < b->n; i++) {
        sorted = sorted && (i == 0 || b->v[i - 1].wall_ns <= b->v[i].wall_ns);
        b->v[i].mate = i;
    }
    if (!sorted) {
        /* Sort with times that do not fall within a ring. */
        uint64_t *real = malloc(b->n * sizeof(*real));

        for (size_t i = 0; real && i < b->n; i++) {
            struct rings_stamp *s = &b->v[i];

            real[i] = s->wall_ns;
            if (s->wall_ns < latest[s->slot])
                s->wall_ns = latest[s->slot];
            latest[s->slot] = s->wall_ns;
        }
        if (real) {             /* else: ring after ring, still correct */
            qsort(b->v, b->n, sizeof(*b->v), by_time);
            for (size_t i = 0; i < b->n; i++)
                b->v[i].wall_ns = real[b->v[i].mate];
            free(real);
        }
    }
    for (size_t i = 0; i < b->n; i++)
        b->v[i].mate = SIZE_MAX;
}

static void drop_open(struct rings_slot *s, size_t i)
{
    free(s->open[i].text);
    memmove(&s->open[i], &s->open[i + 1],
            (s->nopen - i - 1) * sizeof(*s->open));
    s->nopen--;
}

/* Without memory the call's exit will not be known, or have no text. */
static int add_open(struct rings_slot *s, const struct rings_batch *b,
                    const struct rings_stamp *stamp, size_t at)
{
    struct rings_open *o;

    if (s->nopen == RINGS_OPEN_MAX)
        drop_open(s, 0);
    if (array_reserve(&s->open, &s->cap, s->nopen + 1))
        return -1;
    o = &s->open[s->nopen];
    *o = (struct rings_open){ .seq = stamp->seq, .marker = stamp->marker,
                              .call = stamp->call, .at = at,
                              .text_bytes = stamp->text_bytes };
    s->nopen++;
    o->text = malloc(stamp->text_bytes + 1);
    if (!o->text)
        return o->text_bytes = 0, -1;
    memcpy(o->text, str_text(&b->text) + stamp->text, stamp->text_bytes);
    return 0;
}

/* Which open call does this exit end? A thread with a slot of its own has
 * one; in a slot that threads share, call and marker tell them apart. */
static size_t find_open(const struct rings_slot *s,
                        const struct rings_stamp *stamp)
{
    size_t same_call = SIZE_MAX;

    for (size_t i = s->nopen; i-- > 0; ) {
        if (s->open[i].call != stamp->call)
            continue;
        if (s->open[i].marker == stamp->marker)
            return i;
        if (same_call == SIZE_MAX)
            same_call = i;
    }
    return same_call != SIZE_MAX ? same_call : s->nopen - 1;
}

/* Number the entries, give each exit its entry's number, marker and text.
 * An exit without an entry is dropped as damage. Keeps the order. */
static void pair_stamps(struct rings *r, struct rings_batch *b)
{
    size_t to = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct rings_stamp st = b->v[i];
        struct rings_slot *s = &r->slot[st.slot];

        if (!st.exit) {
            st.seq = (*r->next_seq)++;
            if (add_open(s, b, &st, to))
                r->damaged++;
        } else if (s->nopen) {
            size_t at = find_open(s, &st);
            struct rings_open *o = &s->open[at];

            st.seq = o->seq;
            st.marker = o->marker;
            st.mate = o->at;
            if (o->at != SIZE_MAX) {
                b->v[o->at].mate = to;
                st.text = b->v[o->at].text;
                st.text_bytes = b->v[o->at].text_bytes;
            } else {
                st.text = b->text.n;
                str_add_bytes(&b->text, o->text, o->text_bytes);
                st.text_bytes = b->text.n - st.text;
            }
            drop_open(s, at);
        } else {
            r->damaged++;
            continue;
        }
        b->v[to++] = st;
    }
    b->n = to;
    for (unsigned s = 0; s < r->slots; s++)
        for (size_t i = 0; i < r->slot[s].nopen; i++)
            r->slot[s].open[i].at = SIZE_MAX;
}

long rings_take(struct rings *r, size_t budget, struct rings_batch *b)
{
    unsigned used = slots_used(r);

    b->n = 0;
    str_reset(&b->text);
    for (unsigned s = 0; s < used; s++)
        if (take_slot(r, s, budget, b, &r->slot[s].taken)) {
            for (unsigned k = 0; k < used; k++)
                r->slot[k].taken = r->slot[k].tail;
            return -1;
        }
    sort_stamps(b);
    pair_stamps(r, b);
    return (long)b->n;
}

bool rings_release(struct rings *r)
{
    bool any = false;

    for (unsigned s = 0; s < r->slots; s++)
        if (r->slot[s].taken != r->slot[s].tail) {
            r->slot[s].tail = r->slot[s].taken;
            atomic_store_explicit(&page_slot(r, s)->tail, r->slot[s].tail,
                                  memory_order_release);
            any = true;
        }
    return any;
}

void rings_skip(struct rings *r)
{
    for (unsigned s = 0; s < r->slots; s++) {
        r->slot[s].tail = r->slot[s].taken =
            atomic_load_explicit(&page_slot(r, s)->head, memory_order_acquire);
        atomic_store_explicit(&page_slot(r, s)->tail, r->slot[s].tail,
                              memory_order_release);
    }
}

int rings_reopen(struct rings *r, unsigned slot, const struct rings_open *call)
{
    struct rings_slot *s = &r->slot[slot < r->slots ? slot : 0];
    struct rings_open *o;

    if (slot >= r->slots || call->text_bytes > PAGE_TEXT_MAX ||
        s->nopen == RINGS_OPEN_MAX ||
        array_reserve(&s->open, &s->cap, s->nopen + 1))
        return -1;
    o = &s->open[s->nopen];
    *o = *call;
    o->at = SIZE_MAX;
    o->text = malloc(call->text_bytes + 1);
    if (!o->text)
        return -1;
    if (call->text_bytes)
        memcpy(o->text, call->text, call->text_bytes);
    s->nopen++;
    return 0;
}

long rings_read(struct rings *r, size_t budget, struct rings_batch *b)
{
    long n = rings_take(r, budget, b);

    rings_release(r);
    return n;
}

bool rings_pending(const struct rings *r)
{
    unsigned used = slots_used(r);

    for (unsigned s = 0; s < used; s++)
        if (head_of(r, s) != r->slot[s].tail)
            return true;
    return false;
}
