/* hostlist.c - host names from and to their short form; see hostlist.h.
 *
 * An item is text with any number of brackets; the names it means are counted
 * off with the last bracket turning fastest. Folding works on the last run of
 * digits of each name, and only joins neighbours, so order survives. */
#include "proto/base/hostlist.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

enum { HOSTLIST_DIGITS = 9 };           /* of one number */

void hostlist_fini(struct hostlist *h)
{
    for (size_t i = 0; i < h->n; i++)
        free(h->v[i]);
    free(h->v);
    *h = (struct hostlist){ 0 };
}

static void hostlist_cut(struct hostlist *h, size_t n)
{
    while (h->n > n)
        free(h->v[--h->n]);
}

int hostlist_add(struct hostlist *h, const char *name, struct err *err)
{
    size_t n = strlen(name);

    if (n == 0 || n > HOSTLIST_NAME_MAX)
        return err_set(err, EINVAL, n ? "host name longer than %d bytes"
                       : "empty host name", HOSTLIST_NAME_MAX);
    if (h->n == HOSTLIST_MAX)
        return err_set(err, E2BIG, "more than %d hosts", HOSTLIST_MAX);
    if (array_reserve(&h->v, &h->cap, h->n + 1))
        return err_memory(err);
    char *copy = strdup(name);

    if (!copy)
        return err_memory(err);
    h->v[h->n++] = copy;
    return 0;
}

const char *hostlist_item(const char **text, size_t *length)
{
    const char *p = *text;
    int depth = 0;

    while (*p == ',')
        p++;
    const char *start = p;

    for (; *p && (depth > 0 || *p != ','); p++) {
        if (*p == '[')
            depth++;
        else if (*p == ']' && depth > 0)
            depth--;
    }
    *text = p;
    *length = (size_t)(p - start);
    return *length ? start : NULL;
}

/* ---------------------------------------------------------------- expanding */

/* Digits at *p, at most `end`: their value, and how many there are. */
static int hostlist_number(const char **p, const char *end, uint32_t *value,
                           int *width)
{
    const char *start = *p;

    for (*value = 0; *p < end && isdigit((unsigned char)**p); (*p)++)
        if (*p - start < HOSTLIST_DIGITS)
            *value = *value * 10 + (uint32_t)(**p - '0');
    *width = (int)(*p - start);
    return *width >= 1 && *width <= HOSTLIST_DIGITS ? 0 : -1;
}

/* The name so far stands in name[0..at); item..end is still to be read. */
static int hostlist_walk(struct hostlist *h, char *name, size_t at,
                         const char *item, const char *end, struct err *err);

static int hostlist_walk_range(struct hostlist *h, char *name, size_t at,
                               const char *range, const char *range_end,
                               const char *rest, const char *end,
                               struct err *err)
{
    const char *p = range;
    uint32_t first, last;
    int width, last_width, length = (int)(range_end - range);

    if (hostlist_number(&p, range_end, &first, &width) < 0)
        return err_set(err, EINVAL, "\"%.*s\" is not a number or a range like "
                       "01-16", length, range);
    last = first;
    if (p < range_end && *p == '-') {
        p++;
        if (hostlist_number(&p, range_end, &last, &last_width) < 0)
            last = 0;
    }
    if (p != range_end || last < first)
        return err_set(err, EINVAL, "\"%.*s\" is not a number or a range like "
                       "01-16", length, range);
    for (uint32_t i = first; i <= last; i++) {
        int n = snprintf(name + at, HOSTLIST_NAME_MAX + 1 - at, "%0*u", width,
                         i);

        if (n < 0 || (size_t)n > HOSTLIST_NAME_MAX - at)
            return err_set(err, ENAMETOOLONG, "host name longer than %d bytes",
                           HOSTLIST_NAME_MAX);
        if (hostlist_walk(h, name, at + (size_t)n, rest, end, err) < 0)
            return -1;
    }
    return 0;
}

static int hostlist_walk(struct hostlist *h, char *name, size_t at,
                         const char *item, const char *end, struct err *err)
{
    size_t plain = 0;

    while (item + plain < end && item[plain] != '[' && item[plain] != ']')
        plain++;
    if (at + plain > HOSTLIST_NAME_MAX)
        return err_set(err, ENAMETOOLONG, "host name longer than %d bytes",
                       HOSTLIST_NAME_MAX);
    memcpy(name + at, item, plain);
    at += plain;
    item += plain;
    if (item == end) {
        name[at] = '\0';
        return hostlist_add(h, name, err);
    }
    const char *close = memchr(item, ']', (size_t)(end - item));

    if (*item == ']' || !close || close == item + 1 ||
        memchr(item + 1, '[', (size_t)(close - item - 1)))
        return err_set(err, EINVAL, "brackets do not match");
    for (const char *range = item + 1; range <= close; ) {
        const char *comma = memchr(range, ',', (size_t)(close - range));
        const char *range_end = comma ? comma : close;

        if (hostlist_walk_range(h, name, at, range, range_end, close + 1, end,
                                err) < 0)
            return -1;
        range = range_end + 1;
    }
    return 0;
}

int hostlist_expand(struct hostlist *h, const char *text, struct err *err)
{
    char name[HOSTLIST_NAME_MAX + 1];
    const char *p = text, *item;
    size_t was = h->n, length;

    while ((item = hostlist_item(&p, &length))) {
        if (hostlist_walk(h, name, 0, item, item + length, err) == 0)
            continue;
        hostlist_cut(h, was);
        return err_prefix(err, "hosts \"%.80s\"", text);
    }
    return 0;
}

/* ------------------------------------------------------------------ folding */

/* A name taken apart around its last run of digits. */
struct hostlist_parts {
    const char *name;
    size_t head, digits;                /* lengths; the tail is the rest */
    uint32_t number;
};

static struct hostlist_parts hostlist_split(const char *name)
{
    struct hostlist_parts p = { .name = name, .head = strlen(name) };
    size_t end = p.head;

    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    size_t start = end;

    while (start > 0 && isdigit((unsigned char)name[start - 1]) &&
           end - start < HOSTLIST_DIGITS)
        start--;
    /* A longer number keeps its first digits in the head. */
    if (start < end) {
        p.head = start;
        p.digits = end - start;
        for (size_t i = start; i < end; i++)
            p.number = p.number * 10 + (uint32_t)(name[i] - '0');
    }
    return p;
}

/* May b stand in the same brackets as a? */
static bool hostlist_alike(const struct hostlist_parts *a,
                           const struct hostlist_parts *b)
{
    return a->digits > 0 && b->digits > 0 && a->head == b->head &&
           memcmp(a->name, b->name, a->head) == 0 &&
           strcmp(a->name + a->head + a->digits,
                  b->name + b->head + b->digits) == 0;
}

/* Is b the number behind a, and written as counting on from a's digits would
 * write it? After 09 comes 10, after 9 comes 10, but after 09 never 010. */
static bool hostlist_follows(const struct hostlist_parts *a,
                             const struct hostlist_parts *b, size_t width)
{
    char text[16];

    if (b->number != a->number + 1)
        return false;
    int n = snprintf(text, sizeof(text), "%0*u", (int)width, b->number);

    return n >= 0 && (size_t)n == b->digits;
}

struct hostlist_out { char *buf; size_t size, at; };

static void hostlist_put(struct hostlist_out *o, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++, o->at++)
        if (o->at + 1 < o->size)
            o->buf[o->at] = p[i];
}

/* Write names [i, j), all alike, as HEAD[ranges]TAIL. */
static void hostlist_put_group(struct hostlist_out *o,
                               const struct hostlist *h, size_t i, size_t j)
{
    struct hostlist_parts p = hostlist_split(h->v[i]);

    hostlist_put(o, p.name, p.head);
    hostlist_put(o, "[", 1);
    for (size_t k = i; k < j; ) {
        struct hostlist_parts first = hostlist_split(h->v[k]), last = first;

        if (k > i)
            hostlist_put(o, ",", 1);
        for (k++; k < j; k++) {
            struct hostlist_parts next = hostlist_split(h->v[k]);

            if (!hostlist_follows(&last, &next, first.digits))
                break;
            last = next;
        }
        hostlist_put(o, first.name + first.head, first.digits);
        if (last.number == first.number)
            continue;
        hostlist_put(o, "-", 1);
        hostlist_put(o, last.name + last.head, last.digits);
    }
    hostlist_put(o, "]", 1);
    hostlist_put(o, p.name + p.head + p.digits,
                 strlen(p.name) - p.head - p.digits);
}

int hostlist_fold(const struct hostlist *h, char *buf, size_t size)
{
    struct hostlist_out o = { buf, size, 0 };

    for (size_t i = 0, j; i < h->n; i = j) {
        struct hostlist_parts first = hostlist_split(h->v[i]);

        for (j = i + 1; j < h->n; j++) {
            struct hostlist_parts next = hostlist_split(h->v[j]);

            if (!hostlist_alike(&first, &next))
                break;
        }
        if (i > 0)
            hostlist_put(&o, ",", 1);
        if (j - i == 1)
            hostlist_put(&o, h->v[i], strlen(h->v[i]));
        else
            hostlist_put_group(&o, h, i, j);
    }
    if (size)
        buf[o.at < size ? o.at : size - 1] = '\0';
    return (int)o.at;
}
