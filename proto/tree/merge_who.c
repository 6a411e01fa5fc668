/* merge_who.c - lines "POSITION TEXT" from many slaves become one list. */
#include "proto/tree/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/parse.h"

struct who { uint32_t width; struct str lines; };

static void *who_create(uint32_t width, struct err *err)
{
    struct who *w = calloc(1, sizeof(*w));

    if (!w)
        return err_memory(err), NULL;
    w->width = width;
    return w;
}

static void who_destroy(void *whole)
{
    struct who *w = whole;

    if (w)
        str_fini(&w->lines);
    free(w);
}

/* One line of a part; returns its length with the newline, or 0. */
static size_t who_line(const uint8_t *bytes, size_t n, uint32_t width,
                       uint64_t *position, const char **text, int *length)
{
    const char *s = (const char *)bytes, *end = memchr(s, '\n', n);
    const char *blank = end ? memchr(s, ' ', (size_t)(end - s)) : NULL;
    char number[12];

    if (!blank || blank - s >= (long)sizeof(number) ||
        memchr(s, '\0', (size_t)(end - s)))
        return 0;
    memcpy(number, s, (size_t)(blank - s));
    number[blank - s] = '\0';
    if (width == 0 || parse_u64(position, number, 0, width - 1, NULL))
        return 0;
    *text = blank + 1;
    *length = (int)(end - blank - 1);
    return (size_t)(end - s) + 1;
}

static int who_add(void *whole, const uint8_t *bytes, size_t n, uint32_t at,
                   uint32_t width, struct err *err)
{
    struct who *w = whole;
    struct str more = { 0 };

    if (at > w->width || width > w->width - at)
        return err_set(err, EBADMSG, "positions %u to %u of %u", at,
                       at + width, w->width);
    for (size_t i = 0; i < n; ) {
        uint64_t position;
        const char *text;
        int length;
        size_t used = who_line(bytes + i, n - i, width, &position, &text,
                               &length);

        if (!used) {
            str_fini(&more);
            return err_set(err, EBADMSG, "a list that is not in order at "
                           "byte %zu", i);
        }
        str_addf(&more, "%llu %.*s\n", (unsigned long long)position + at,
                 length, text);
        i += used;
    }
    str_add_bytes(&w->lines, str_text(&more), more.n);
    str_fini(&more);
    if (str_failed(&w->lines))
        return err_memory(err);
    return 0;
}

static int who_pack(const void *whole, struct str *out, struct err *err)
{
    const struct who *w = whole;

    str_add_bytes(out, str_text(&w->lines), w->lines.n);
    return str_failed(out) ? err_memory(err) : 0;
}

static int who_finish(const void *whole, const uint32_t *rank_of,
                      uint32_t ntasks, struct str *out, struct err *err)
{
    const struct who *w = whole;
    const uint8_t *p = (const uint8_t *)str_text(&w->lines);

    (void)ntasks;
    for (size_t i = 0; i < w->lines.n; ) {
        uint64_t position;
        const char *text;
        int length;

        i += who_line(p + i, w->lines.n - i, w->width, &position, &text,
                      &length);
        str_addf(out, "%u %.*s\n", rank_of[position], length, text);
    }
    return str_failed(out) ? err_memory(err) : 0;
}

const struct merge_kind merge_who = {
    "who", who_create, who_destroy, who_add, who_pack, who_finish,
};
