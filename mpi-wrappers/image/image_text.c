/* image_text.c - sentences without stdio: see image_text.h. */
#include "mpi-wrappers/image/image_text.h"

#include <stdarg.h>
#include <string.h>

void image_text_begin(struct image_text *t, char *buf, size_t size)
{
    t->at = buf;
    t->end = size ? buf + size - 1 : buf;
    if (size)
        *buf = '\0';
}

void image_text_add(struct image_text *t, const char *s)
{
    if (t->at == t->end)
        return;
    while (*s && t->at < t->end)
        *t->at++ = *s++;
    *t->at = '\0';
}

void image_text_number(struct image_text *t, uint64_t n)
{
    char digits[24];
    char *p = digits + sizeof(digits) - 1;

    *p = '\0';
    do
        *--p = (char)('0' + n % 10);
    while (n /= 10);
    image_text_add(t, p);
}

void image_text_all(char *buf, size_t size, const char *first, ...)
{
    struct image_text t;
    va_list more;

    image_text_begin(&t, buf, size);
    va_start(more, first);
    for (const char *s = first; s; s = va_arg(more, const char *))
        image_text_add(&t, s);
    va_end(more);
}

uint64_t image_text_decimal(const char **p)
{
    uint64_t n = 0;

    while (**p == ' ' || **p == '\t')
        (*p)++;
    for (; **p >= '0' && **p <= '9'; (*p)++)
        n = 10 * n + (uint64_t)(**p - '0');
    return n;
}

uint64_t image_text_hex(const char **p)
{
    uint64_t n = 0;

    while (**p == ' ' || **p == '\t')
        (*p)++;
    for (;; (*p)++)
        if (**p >= '0' && **p <= '9')
            n = 16 * n + (uint64_t)(**p - '0');
        else if (**p >= 'a' && **p <= 'f')
            n = 16 * n + (uint64_t)(**p - 'a' + 10);
        else
            return n;
}

uint64_t image_text_field(const char *status, const char *name, bool hex)
{
    for (const char *p = status; *p; p++) {
        if (image_text_begins(p, name) && p[strlen(name)] == ':') {
            p += strlen(name) + 1;
            return hex ? image_text_hex(&p) : image_text_decimal(&p);
        }
        while (*p && *p != '\n')
            p++;
        if (!*p)
            break;
    }
    return 0;
}

bool image_text_begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

bool image_text_ends(const char *s, const char *with)
{
    size_t n = strlen(s), m = strlen(with);

    return n >= m && strcmp(s + n - m, with) == 0;
}
