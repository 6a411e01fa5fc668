/* err.c - fills struct err; see err.h.
 *
 * Every function here returns -1 so that a caller can return its value, and
 * leaves errno equal to the code. */
#include "proto/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void err_vset(struct err *e, int code, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* A sentence is one line: control characters that came in with somebody
 * else's text become blanks. */
static void err_flatten(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

static void err_vset(struct err *e, int code, const char *fmt, va_list ap)
{
    if (!e)
        return;
    char text[sizeof(e->text)];         /* an argument may be e->text */

    vsnprintf(text, sizeof(text), fmt, ap);
    err_flatten(text);
    memcpy(e->text, text, sizeof(text));
    e->code = code;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
    va_list ap;

    if (code == 0)
        code = EIO;
    va_start(ap, fmt);
    err_vset(e, code, fmt, ap);
    va_end(ap);
    errno = code;
    return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
    int code = errno ? errno : EIO;
    va_list ap;

    va_start(ap, fmt);
    err_vset(e, code, fmt, ap);
    va_end(ap);
    if (e) {
        size_t n = strlen(e->text);

        snprintf(e->text + n, sizeof(e->text) - n, ": %s", strerror(code));
    }
    errno = code;
    return -1;
}

int err_memory(struct err *e)
{
    return err_set(e, ENOMEM, "out of memory");
}

int err_prefix(struct err *e, const char *fmt, ...)
{
    if (!e)
        return -1;
    struct err was = *e;
    va_list ap;

    va_start(ap, fmt);
    err_vset(e, was.code, fmt, ap);
    va_end(ap);
    size_t n = strlen(e->text);

    snprintf(e->text + n, sizeof(e->text) - n, ": %s", was.text);
    errno = was.code;
    return -1;
}
