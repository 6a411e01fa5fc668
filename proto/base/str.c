/* str.c - a string that grows; see str.h.
 *
 * Invariant: s is NULL, or holds n bytes and a NUL within cap bytes. */
#include "proto/base/str.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

#define STR_MAX ((size_t)1 << 30)

void str_fini(struct str *b)
{
    free(b->s);
    *b = (struct str){ 0 };
}

void str_reset(struct str *b)
{
    b->n = 0;
    b->failed = false;
    if (b->s)
        b->s[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static bool str_reserve(struct str *b, size_t n)
{
    if (b->failed || n > STR_MAX || b->n + n > STR_MAX ||
        array_reserve(&b->s, &b->cap, b->n + n + 1))
        b->failed = true;
    return !b->failed;
}

void str_add_bytes(struct str *b, const void *p, size_t n)
{
    if (!str_reserve(b, n))
        return;
    if (n)
        memcpy(b->s + b->n, p, n);
    b->n += n;
    b->s[b->n] = '\0';
}

void str_add(struct str *b, const char *text)
{
    str_add_bytes(b, text, strlen(text));
}

/* Written at once where there is room, as there is mostly. */
void str_vaddf(struct str *b, const char *fmt, va_list ap)
{
    size_t room = b->failed ? 0 : b->cap - b->n;
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(room ? b->s + b->n : NULL, room, fmt, ap);
    if (n < 0)
        b->failed = true;
    else if ((size_t)n >= room && str_reserve(b, (size_t)n))
        vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
    va_end(again);
    if (!b->failed)
        b->n += (size_t)n;
    else if (b->s)
        b->s[b->n] = '\0';      /* of it, nothing */
}

void str_addf(struct str *b, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    str_vaddf(b, fmt, ap);
    va_end(ap);
}

void str_add_quoted(struct str *b, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "_-+=./,:@%^";

    if (*word && word[strspn(word, plain)] == '\0') {
        str_add(b, word);
        return;
    }
    str_add(b, "'");
    for (const char *quote; (quote = strchr(word, '\'')); word = quote + 1) {
        str_add_bytes(b, word, (size_t)(quote - word));
        str_add(b, "'\\''");
    }
    str_add(b, word);
    str_add(b, "'");
}

/* How many of these n bytes are one control character. */
static size_t str_control(const unsigned char *p, size_t n)
{
    if (p[0] < ' ' || p[0] == 0x7f)
        return 1;
    return p[0] == 0xc2 && n > 1 && p[1] >= 0x80 && p[1] < 0xa0 ? 2 : 0;
}

size_t str_visible(char *out, size_t size, const char *text, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned char *p = (const unsigned char *)text;
    size_t to = 0;

    for (size_t i = 0; i < n; ) {
        size_t bad = str_control(p + i, n - i);

        if (to + (bad ? 4 * bad : 1) >= size)
            break;
        if (!bad)
            out[to++] = text[i++];
        for (; bad; bad--, i++) {
            out[to++] = '\\';
            out[to++] = 'x';
            out[to++] = hex[p[i] >> 4];
            out[to++] = hex[p[i] & 15];
        }
    }
    if (size > 0)
        out[to] = '\0';
    return to;
}

bool str_failed(const struct str *b)
{
    return b->failed;
}

const char *str_text(const struct str *b)
{
    return b->s ? b->s : "";
}

char *str_take(struct str *b)
{
    char *s = NULL;

    if (!b->failed)
        s = b->s ? b->s : strdup("");
    if (s != b->s)
        free(b->s);
    *b = (struct str){ 0 };
    if (!s)
        errno = ENOMEM;
    return s;
}

size_t str_character(const unsigned char *s, size_t n)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t bytes = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2
                   : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    uint32_t c;

    if (bytes <= 1 || bytes > n)
        return bytes > n ? 0 : bytes;
    c = s[0] & (0x7fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if (c < smallest[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    return bytes;
}

void str_add_utf8(struct str *b, const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t bytes;

    for (size_t i = 0; i < n; i += bytes) {
        bytes = str_character(s + i, n - i);
        if (bytes)
            str_add_bytes(b, s + i, bytes);
        else {
            str_add(b, "\xef\xbf\xbd");
            bytes = 1;
        }
    }
}
