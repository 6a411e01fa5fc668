/* instant.c - moments as people write them, see instant.h. */
#include "proto/conf/instant.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"

#define LAST_S 7258118400ll     /* the year 2200 begins */

/* So many digits at *p, moved behind them. */
static bool digits(const char **p, int n, int *out)
{
    *out = 0;
    for (int i = 0; i < n; i++, (*p)++) {
        if (**p < '0' || **p > '9')
            return false;
        *out = *out * 10 + (**p - '0');
    }
    return true;
}

static bool sign(const char **p, char c)
{
    if (**p != c)
        return false;
    (*p)++;
    return true;
}

/* .25, or nothing. */
static bool fraction(const char **p, uint64_t *ns)
{
    uint64_t each = CLOCK_NS_PER_S / 10;

    *ns = 0;
    if (!sign(p, '.'))
        return true;
    if (**p < '0' || **p > '9')
        return false;
    for (; **p >= '0' && **p <= '9'; (*p)++, each /= 10)
        *ns += each * (uint64_t)(**p - '0');
    return true;
}

static bool epoch(const char *p, int64_t *s, uint64_t *ns)
{
    const char *start = p;

    *s = 0;
    for (; *p >= '0' && *p <= '9' && p - start < 11; p++)
        *s = *s * 10 + (*p - '0');
    return p > start && fraction(&p, ns) && !*p;
}

/* Z, +01:00, +0100, +01, or nothing: then it is *local. */
static bool zone(const char **p, bool *local, int *east_s)
{
    bool west = **p == '-';
    int h, min = 0;

    *local = false;
    *east_s = 0;
    if (!**p)
        return *local = true;
    if (sign(p, 'Z') || sign(p, 'z'))
        return true;
    if (!sign(p, west ? '-' : '+') || !digits(p, 2, &h))
        return false;
    if (**p && (sign(p, ':'), !digits(p, 2, &min)))
        return false;
    *east_s = (west ? -1 : 1) * (h * 3600 + min * 60);
    return h < 24 && min < 60;
}

/* Is it as it was read, and was not made another of? The 30th of February is
 * none, nor is a time that a clock skips which is put forward. */
static bool same(const struct tm *a, const struct tm *b)
{
    return a->tm_mon == b->tm_mon && a->tm_mday == b->tm_mday &&
           a->tm_hour == b->tm_hour && a->tm_min == b->tm_min &&
           a->tm_sec == b->tm_sec;
}

static bool date(const char *p, int64_t *s, uint64_t *ns)
{
    struct tm tm = { .tm_isdst = -1 }, is;
    bool local;
    int east_s;

    if (!digits(&p, 4, &tm.tm_year) || !sign(&p, '-') ||
        !digits(&p, 2, &tm.tm_mon) || !sign(&p, '-') ||
        !digits(&p, 2, &tm.tm_mday) ||
        !(sign(&p, 'T') || sign(&p, 't') || sign(&p, ' ')) ||
        !digits(&p, 2, &tm.tm_hour) || !sign(&p, ':') ||
        !digits(&p, 2, &tm.tm_min))
        return false;
    *ns = 0;
    if (sign(&p, ':') && (!digits(&p, 2, &tm.tm_sec) || !fraction(&p, ns)))
        return false;
    if (!zone(&p, &local, &east_s) || *p)
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    is = tm;
    *s = (local ? mktime(&is) : timegm(&is)) - east_s;
    return same(&tm, &is);
}

int instant_parse(uint64_t *ns, const char *text)
{
    uint64_t rest;
    int64_t s;

    if (!epoch(text, &s, &rest) && !date(text, &s, &rest))
        return -1;
    if (s < 0 || s >= LAST_S)
        return -1;
    *ns = (uint64_t)s * CLOCK_NS_PER_S + rest;
    return 0;
}

void instant_format(uint64_t ns, char *buf, size_t size)
{
    time_t s = (time_t)(ns / CLOCK_NS_PER_S);
    char day[24], rest[12] = "";
    struct tm tm;
    size_t n;

    gmtime_r(&s, &tm);
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
    if (ns % CLOCK_NS_PER_S) {
        n = (size_t)snprintf(rest, sizeof(rest), ".%09u",
                             (unsigned)(ns % CLOCK_NS_PER_S));
        while (rest[n - 1] == '0')
            rest[--n] = '\0';
    }
    snprintf(buf, size, "%s%sZ", day, rest);
}
