/* parse.c - strict readers for numbers that people write; see parse.h. */
#include "proto/base/parse.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

int parse_u64(uint64_t *out, const char *text, uint64_t min, uint64_t max,
              struct err *err)
{
    char *end;

    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);

    if (!isdigit((unsigned char)*text) || *end)
        return err_set(err, EINVAL, "\"%.60s\" is not a number", text);
    if (errno == ERANGE || v < min || v > max)
        return err_set(err, ERANGE, "%.60s is not from %" PRIu64 " to %"
                       PRIu64, text, min, max);
    *out = v;
    return 0;
}

int parse_i64(int64_t *out, const char *text, int64_t min, int64_t max,
              struct err *err)
{
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;
    char *end;

    errno = 0;
    long long v = strtoll(text, &end, 10);

    if (!isdigit((unsigned char)*digits) || *end)
        return err_set(err, EINVAL, "\"%.60s\" is not a number", text);
    if (errno == ERANGE || v < min || v > max)
        return err_set(err, ERANGE, "%.60s is not from %" PRId64 " to %"
                       PRId64, text, min, max);
    *out = v;
    return 0;
}

/* The number at the start of text; *end is what follows it. No blanks, hex,
 * infinities or not-a-numbers. */
static bool parse_real(double *v, const char *text, char **end)
{
    const char *digits = *text == '-' || *text == '+' ? text + 1 : text;

    if (!isdigit((unsigned char)*digits) &&
        !(*digits == '.' && isdigit((unsigned char)digits[1])))
        return false;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        return false;
    *v = strtod(text, end);
    return isfinite(*v);
}

int parse_double(double *out, const char *text, double min, double max,
                 struct err *err)
{
    double v;
    char *end;

    if (!parse_real(&v, text, &end) || *end)
        return err_set(err, EINVAL, "\"%.60s\" is not a number", text);
    if (v < min || v > max)
        return err_set(err, ERANGE, "%.60s is not from %g to %g", text, min,
                       max);
    *out = v;
    return 0;
}

int parse_bool(bool *out, const char *text, struct err *err)
{
    static const struct { const char *word; bool value; } words[] = {
        { "yes", true }, { "true", true }, { "on", true }, { "1", true },
        { "no", false }, { "false", false }, { "off", false }, { "0", false },
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(text, words[i].word) == 0)
            return *out = words[i].value, 0;
    return err_set(err, EINVAL, "\"%.60s\" is neither yes nor no", text);
}

struct parse_unit { const char *name; double factor; };

/* A number and one of the units; the first unit is the one of a bare number.
 * The result must fit in 63 bits, so that differences can be taken. */
static int parse_with_unit(uint64_t *out, const char *text,
                           const struct parse_unit *units, const char *what,
                           struct err *err)
{
    double v;
    char *end;

    if (!parse_real(&v, text, &end) || v < 0)
        return err_set(err, EINVAL, "\"%.60s\" is not a %s", text, what);
    for (; units->name; units++) {
        if (strcasecmp(end, units->name) != 0)
            continue;
        v *= units->factor;
        if (v >= 9.2e18)
            return err_set(err, ERANGE, "%.60s is too large", text);
        *out = (uint64_t)(v + 0.5);
        return 0;
    }
    return err_set(err, EINVAL, "\"%.60s\" is not a %s: unknown unit \"%.20s\"",
                   text, what, end);
}

int parse_duration(uint64_t *ns, const char *text, struct err *err)
{
    static const struct parse_unit units[] = {
        { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
        { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
        { NULL, 0 },
    };

    return parse_with_unit(ns, text, units, "duration like 10, 1.5s or 2m",
                           err);
}

int parse_bytes(uint64_t *bytes, const char *text, struct err *err)
{
    static const struct parse_unit units[] = {
        { "", 1 }, { "B", 1 },
        { "k", 0x1p10 }, { "kB", 0x1p10 }, { "KiB", 0x1p10 },
        { "M", 0x1p20 }, { "MB", 0x1p20 }, { "MiB", 0x1p20 },
        { "G", 0x1p30 }, { "GB", 0x1p30 }, { "GiB", 0x1p30 },
        { "T", 0x1p40 }, { "TB", 0x1p40 }, { "TiB", 0x1p40 },
        { NULL, 0 },
    };

    return parse_with_unit(bytes, text, units, "size like 4096, 64k or 2G",
                           err);
}
