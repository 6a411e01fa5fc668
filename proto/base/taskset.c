/* taskset.c - sets of ranks as sorted ranges; see taskset.h.
 *
 * Invariant: ranges are sorted, disjoint, and never touch (v[i].last + 1 <
 * v[i+1].first), so a set has exactly one representation. */
#include "proto/base/taskset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

void taskset_fini(struct taskset *s)
{
    free(s->v);
    *s = (struct taskset){ 0 };
}

int taskset_copy(struct taskset *to, const struct taskset *from)
{
    if (to == from)
        return 0;
    if (array_reserve(&to->v, &to->cap, from->n))
        return -1;
    if (from->n)
        memcpy(to->v, from->v, from->n * sizeof(*to->v));
    to->n = from->n;
    return 0;
}

/* Index of the first range whose last is >= rank; n if there is none. */
static size_t taskset_lower(const struct taskset *s, uint32_t rank)
{
    size_t lo = 0, hi = s->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (s->v[mid].last < rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Replace ranges [from, to) by k ranges, without filling them. The room is
 * there. */
static void taskset_splice(struct taskset *s, size_t from, size_t to, size_t k)
{
    if (s->n > to && from + k != to)
        memmove(s->v + from + k, s->v + to, (s->n - to) * sizeof(*s->v));
    s->n = s->n - (to - from) + k;
}

int taskset_add(struct taskset *s, uint32_t first, uint32_t last)
{
    if (first > last)
        return 0;
    /* All ranges in [i, j) overlap or touch the new one. */
    size_t i = taskset_lower(s, first ? first - 1 : 0);
    size_t j = i;

    while (j < s->n && (last == UINT32_MAX || s->v[j].first <= last + 1))
        j++;
    if (i == j) {
        if (array_reserve(&s->v, &s->cap, s->n + 1))
            return -1;
    } else {
        if (s->v[i].first < first)
            first = s->v[i].first;
        if (s->v[j - 1].last > last)
            last = s->v[j - 1].last;
    }
    taskset_splice(s, i, j, 1);
    s->v[i] = (struct taskset_range){ first, last };
    return 0;
}

int taskset_remove(struct taskset *s, uint32_t first, uint32_t last)
{
    if (first > last)
        return 0;
    size_t i = taskset_lower(s, first), j = i;

    while (j < s->n && s->v[j].first <= last)
        j++;
    if (i == j)
        return 0;
    struct taskset_range left = s->v[i], right = s->v[j - 1];
    bool keep_left = left.first < first, keep_right = right.last > last;
    size_t k = (size_t)keep_left + (size_t)keep_right;

    if (array_reserve(&s->v, &s->cap, s->n - (j - i) + k))
        return -1;
    taskset_splice(s, i, j, k);
    if (keep_left)
        s->v[i++] = (struct taskset_range){ left.first, first - 1 };
    if (keep_right)
        s->v[i] = (struct taskset_range){ last + 1, right.last };
    return 0;
}

/* Merge both sorted lists in one pass; sets of 100,000 ranges are usual when
 * a cyclic placement is joined. */
int taskset_union(struct taskset *into, const struct taskset *s)
{
    struct taskset out = { 0 };
    size_t i = 0, j = 0;

    if (s->n == 0)
        return 0;
    if (array_reserve(&out.v, &out.cap, into->n + s->n))
        return -1;
    while (i < into->n || j < s->n) {
        struct taskset_range next;

        if (j == s->n || (i < into->n && into->v[i].first <= s->v[j].first))
            next = into->v[i++];
        else
            next = s->v[j++];
        struct taskset_range *top = out.n ? &out.v[out.n - 1] : NULL;

        if (!top || (top->last != UINT32_MAX && next.first > top->last + 1))
            out.v[out.n++] = next;
        else if (next.last > top->last)
            top->last = next.last;
    }
    taskset_fini(into);
    *into = out;
    return 0;
}

bool taskset_has(const struct taskset *s, uint32_t rank)
{
    size_t i = taskset_lower(s, rank);

    return i < s->n && s->v[i].first <= rank;
}

bool taskset_equal(const struct taskset *a, const struct taskset *b)
{
    return a->n == b->n &&
           (a->n == 0 || memcmp(a->v, b->v, a->n * sizeof(*a->v)) == 0);
}

size_t taskset_count(const struct taskset *s)
{
    size_t count = 0;

    for (size_t i = 0; i < s->n; i++)
        count += (size_t)s->v[i].last - s->v[i].first + 1;
    return count;
}

int64_t taskset_next(const struct taskset *s, int64_t after)
{
    if (after >= UINT32_MAX)
        return -1;
    uint32_t rank = after < 0 ? 0 : (uint32_t)(after + 1);
    size_t i = taskset_lower(s, rank);

    if (i == s->n)
        return -1;
    return s->v[i].first > rank ? s->v[i].first : rank;
}

/* Decimal digits at *p, moved behind them. -1 if there are none or too many. */
static int64_t taskset_number(const char **p)
{
    int64_t v = 0;
    const char *start = *p;

    for (; **p >= '0' && **p <= '9'; (*p)++) {
        v = v * 10 + (**p - '0');
        if (v > UINT32_MAX)
            return -1;
    }
    return *p == start ? -1 : v;
}

static int taskset_parse_ranges(struct taskset *s, const char *text,
                                const char *end, uint32_t limit,
                                struct err *err)
{
    for (const char *p = text; p < end; ) {
        const char *item = p;
        int64_t first = taskset_number(&p), last = first;

        if (first >= 0 && *p == '-') {
            p++;
            last = taskset_number(&p);
        }
        bool comma = p < end && *p == ',';

        if (first < 0 || last < first || (p != end && !comma) ||
            (comma && p + 1 == end))
            return err_set(err, EINVAL, "ranks \"%.60s\": "
                           "\"%.*s\" is not a number or a range like 0-3",
                           text, (int)strcspn(item, ",]"), item);
        if (last >= limit)
            return err_set(err, ERANGE, "ranks \"%.60s\": there is no rank "
                           "%lld, only %u tasks", text, (long long)last,
                           limit);
        if (taskset_add(s, (uint32_t)first, (uint32_t)last) < 0)
            return err_set(err, ENOMEM, "ranks: out of memory");
        if (comma)
            p++;
    }
    return 0;
}

int taskset_parse(struct taskset *s, const char *text, uint32_t limit,
                  struct err *err)
{
    const char *end = text + strlen(text);
    int rc;

    s->n = 0;
    if (strcmp(text, "all") == 0) {
        rc = limit ? taskset_add(s, 0, limit - 1) : 0;
        return rc < 0 ? err_set(err, ENOMEM, "ranks: out of memory") : 0;
    }
    if (*text == '[') {
        if (end[-1] != ']')
            return taskset_fini(s), err_set(err, EINVAL, "ranks \"%.60s\": no \"]\"", text);
        rc = taskset_parse_ranges(s, text + 1, end - 1, limit, err);
    } else {
        rc = taskset_parse_ranges(s, text, end, limit, err);
    }
    if (rc < 0)
        taskset_fini(s);
    return rc;
}

int taskset_format(const struct taskset *s, char *buf, size_t size)
{
    size_t at = 0;

    if (size)
        buf[0] = '\0';
    for (size_t i = 0; i < s->n; i++) {
        char *to = at < size ? buf + at : NULL;
        size_t room = at < size ? size - at : 0;
        const char *comma = i ? "," : "";
        const struct taskset_range *r = &s->v[i];

        at += (size_t)(r->first == r->last
            ? snprintf(to, room, "%s%u", comma, r->first)
            : snprintf(to, room, "%s%u-%u", comma, r->first, r->last));
    }
    return (int)at;
}

int taskset_from_bits(struct taskset *s, uint32_t first,
                      const uint64_t *words, size_t nbits)
{
    s->n = 0;
    for (size_t i = 0; i < nbits; ) {
        uint64_t w = words[i / 64] >> (i % 64);

        if (w == 0) {
            i += 64 - i % 64;
            continue;
        }
        i += (size_t)__builtin_ctzll(w);
        size_t from = i;

        while (i < nbits && (words[i / 64] >> (i % 64) & 1)) {
            w = ~(words[i / 64] >> (i % 64));
            size_t left = 64 - i % 64;
            size_t run = w ? (size_t)__builtin_ctzll(w) : 64;

            i += run < left ? run : left;
        }
        if (i > nbits)
            i = nbits;
        if (from < nbits && taskset_add(s, first + (uint32_t)from,
                                        first + (uint32_t)(i - 1)) < 0)
            return -1;
    }
    return 0;
}

char *taskset_text(const struct taskset *s)
{
    size_t size = (size_t)taskset_format(s, NULL, 0) + 1;
    char *text = malloc(size);

    if (text)
        taskset_format(s, text, size);
    return text;
}
