/* lookwire.c - looks, written and read by hand, see lookwire.h. The numbers are
 * those of hct.proto. */
#include "proto/link/lookwire.h"

#include <string.h>

enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };
enum { JOB = 1, SEQ = 2, TASKS = 3, AFTER = 8, TAG_TEXT = 25, WCHAN = 26,
       PLACE = 35 };

/* Of a place, which the master looks up: nothing that policies see. */
#define FIELD_KEY(U) U(36, place_key)

#define NUMBER(number, name) NUMBER_##name = number,
enum { LOOKWIRE_BEFORE(NUMBER, NUMBER) FIELD_KEY(NUMBER)
       LOOKWIRE_LAST(NUMBER, NUMBER) BEHIND_LAST };

/* ------------------------------------------------------------------ writing */

static inline uint8_t *put(uint8_t *p, uint64_t v)
{
    for (; v > 127; v >>= 7)
        *p++ = (uint8_t)(v | 128);
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *put_tag(uint8_t *p, unsigned field, unsigned type)
{
    unsigned tag = field << 3 | type;

    if (tag > 127)
        *p++ = (uint8_t)(tag | 128);
    *p++ = (uint8_t)(tag > 127 ? tag >> 7 : tag);
    return p;
}

static inline uint32_t fold(int32_t v)
{
    return (uint32_t)v << 1 ^ (uint32_t)-(v < 0);
}

static uint8_t *put_text(uint8_t *p, unsigned field, const void *text,
                         size_t n)
{
    if (n == 0)
        return p;
    if (n > LOOKWIRE_TEXT)
        n = LOOKWIRE_TEXT;
    p = put(put_tag(p, field, BYTES), n);
    memcpy(p, text, n);
    return p + n;
}

size_t lookwire_put_head(uint8_t *to, uint64_t job, uint64_t seq)
{
    uint8_t *p = to;

    if (job)
        p = put(put_tag(p, JOB, VARINT), job);
    if (seq)
        p = put(put_tag(p, SEQ, VARINT), seq);
    return (size_t)(p - to);
}

size_t lookwire_put_after(uint8_t *to, uint64_t after_ns)
{
    return after_ns ? (size_t)(put(put_tag(to, AFTER, VARINT), after_ns) - to)
                    : 0;
}

size_t lookwire_put_task(uint8_t *to, const Hct__Looked__Task *m)
{
    uint8_t *body = put_tag(to, TASKS, BYTES) + 2, *p = body;
    size_t n;

#define PUT_U(number, name) \
    if (m->name) \
        p = put(put_tag(p, number, VARINT), m->name);
#define PUT_S(number, name) \
    if (m->name) \
        p = put(put_tag(p, number, VARINT), fold(m->name));
    LOOKWIRE_BEFORE(PUT_U, PUT_S)
    p = put_text(p, TAG_TEXT, m->tag_text.data, m->tag_text.len);
    if (m->wchan[0])
        p = put_text(p, WCHAN, m->wchan, strlen(m->wchan));
    LOOKWIRE_BEHIND(PUT_U)
    if (m->place[0])
        p = put_text(p, PLACE, m->place, strlen(m->place));
    FIELD_KEY(PUT_U)
    LOOKWIRE_LAST(PUT_U, PUT_S)
    n = (size_t)(p - body);
    if (n > 127) {              /* never 1 << 14 */
        body[-2] = (uint8_t)(n | 128);
        body[-1] = (uint8_t)(n >> 7);
        return (size_t)(p - to);
    }
    body[-2] = (uint8_t)n;
    memmove(body - 1, body, n);
    return (size_t)(p - to) - 1;
}

/* ------------------------------------------------------------------ reading */

static inline int get(const uint8_t **p, const uint8_t *end, uint64_t *v)
{
    if (*p < end && **p < 128) {        /* mostly */
        *v = *(*p)++;
        return 0;
    }
    *v = 0;
    for (unsigned shift = 0; shift < 70 && *p < end; shift += 7) {
        uint8_t byte = *(*p)++;

        *v |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128)
            return 0;
    }
    return -1;
}

static int get_bytes(const uint8_t **p, const uint8_t *end,
                     const uint8_t **from, uint64_t *n)
{
    if (get(p, end, n) || *n > (uint64_t)(end - *p))
        return -1;
    *from = *p;
    *p += *n;
    return 0;
}

static int skip(const uint8_t **p, const uint8_t *end, unsigned type)
{
    const uint8_t *from;
    uint64_t n;

    switch (type) {
    case VARINT:
        for (from = *p; *p < end && **p > 127; ++*p)
            ;
        return *p < end && ++*p - from <= 10 ? 0 : -1;
    case BYTES:
        return get_bytes(p, end, &from, &n);
    case FIXED64:
    case FIXED32:
        n = type == FIXED64 ? 8 : 4;
        if ((uint64_t)(end - *p) < n)
            return -1;
        *p += n;
        return 0;
    default:
        return -1;
    }
}

static inline int32_t unfold(uint64_t v)
{
    return (int32_t)((uint32_t)v >> 1 ^ (uint32_t)-((uint32_t)v & 1));
}

static int get_text(struct lookwire *w, unsigned field, const uint8_t **p,
                    const uint8_t *end)
{
    char *to = field == WCHAN ? w->wchan : w->place;
    const uint8_t *from;
    uint64_t n;

    if (get_bytes(p, end, &from, &n))
        return -1;
    if (field == TAG_TEXT) {
        w->task.tag_text.data = (uint8_t *)from;
        w->task.tag_text.len = (size_t)n;
        return 0;
    }
    if (n >= LOOKWIRE_TEXT)
        n = LOOKWIRE_TEXT - 1;
    memcpy(to, from, (size_t)n);
    to[n] = '\0';
    return 0;
}

/* The rank comes first, or is 0: so to look at the ranks of a look is cheap. */
static int get_rank(struct lookwire *w, const uint8_t **p, const uint8_t *end)
{
    uint64_t rank = 0;

    if (*p < end && **p == (NUMBER_rank << 3 | VARINT)) {
        ++*p;
        if (get(p, end, &rank))
            return -1;
    }
    w->task.rank = (uint32_t)rank;
    return 0;
}

static int get_task(struct lookwire *w, const uint8_t *p, const uint8_t *end)
{
    static const Hct__Looked__Task nothing = HCT__LOOKED__TASK__INIT;
    Hct__Looked__Task *m = &w->task;
    uint64_t tag, v;

    *m = nothing;
    w->wchan[0] = '\0';
    m->wchan = w->wchan;
    w->place[0] = '\0';
    m->place = w->place;
    if (get_rank(w, &p, end))
        return -1;
    while (p < end) {
        if (get(&p, end, &tag))
            return -1;
        if (tag >> 3 == TAG_TEXT || tag >> 3 == WCHAN || tag >> 3 == PLACE) {
            if ((tag & 7) != BYTES ||
                get_text(w, (unsigned)(tag >> 3), &p, end))
                return -1;
            continue;
        }
        if ((tag & 7) != VARINT || tag >> 3 >= BEHIND_LAST ||
            tag >> 3 <= NUMBER_rank) {
            if (tag >> 3 < BEHIND_LAST || skip(&p, end, tag & 7))
                return -1;
            continue;
        }
        if (get(&p, end, &v))
            return -1;
        switch (tag >> 3) {
#define GET_U(number, name) \
        case number: \
            m->name = (__typeof__(m->name))v; \
            break;
#define GET_S(number, name) \
        case number: \
            m->name = unfold(v); \
            break;
        LOOKWIRE_BEFORE(GET_U, GET_S)
        LOOKWIRE_BEHIND(GET_U)
        FIELD_KEY(GET_U)
        LOOKWIRE_LAST(GET_U, GET_S)
        default:
            return -1;
        }
    }
    return 0;
}

/* That the rest is whole is seen when it is read. */
static int get_only_rank(struct lookwire *w, const uint8_t *p, const uint8_t *end)
{
    return get_rank(w, &p, end);
}

void lookwire_open(struct lookwire *w, const uint8_t *p, size_t n)
{
    w->p = p;
    w->end = n ? p + n : p;     /* of nothing p may be NULL */
    w->after_ns = 0;
}

typedef int get_f(struct lookwire *w, const uint8_t *p, const uint8_t *end);

static int next(struct lookwire *w, get_f *task)
{
    while (w->p < w->end) {
        const uint8_t *from;
        uint64_t tag, n;

        if (get(&w->p, w->end, &tag))
            return -1;
        if (tag == (TASKS << 3 | BYTES))
            return get_bytes(&w->p, w->end, &from, &n) ||
                   task(w, from, from + n) ? -1 : 1;
        if (tag == (AFTER << 3 | VARINT)) {
            if (get(&w->p, w->end, &w->after_ns))
                return -1;
        } else if (tag >> 3 == 0 || skip(&w->p, w->end, tag & 7)) {
            return -1;
        }
    }
    return 0;
}

int lookwire_next(struct lookwire *w)
{
    return next(w, get_task);
}

int lookwire_next_rank(struct lookwire *w)
{
    return next(w, get_only_rank);
}
