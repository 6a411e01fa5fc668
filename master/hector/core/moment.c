/* moment.c - see moment.h. */
#include "master/hector/core/moment.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/parse.h"

static const time_t day_s = 24 * 3600;

/* What a format does not say is as it is now. */
static const struct { const char *format; bool date; } formats[] = {
    { "%Y-%m-%dT%H:%M:%S", true }, { "%Y-%m-%d %H:%M:%S", true },
    { "%Y-%m-%dT%H:%M", true }, { "%Y-%m-%d %H:%M", true },
    { "%Y-%m-%d", true }, { "%H:%M:%S", false }, { "%H:%M", false },
};

static bool is_real(const struct tm *as_read, const struct tm *as_is)
{
    return as_read->tm_mday == as_is->tm_mday &&
           as_read->tm_mon == as_is->tm_mon;
}

/* In that format? -1: no. */
static time_t read_as(const char *text, const char *format, bool date,
                      time_t now)
{
    struct tm tm = { .tm_isdst = -1 }, is;
    const char *end;
    time_t t;

    if (!date) {
        localtime_r(&now, &tm);
        tm.tm_sec = 0;
        tm.tm_isdst = -1;
    }
    end = strptime(text, format, &tm);
    if (!end || (*end && strcmp(end, "Z") != 0))
        return -1;
    is = tm;
    t = *end ? timegm(&is) : mktime(&is);
    if (t < 0 || !is_real(&tm, &is))
        return -1;
    return !date && t >= now ? t - day_s : t;
}

int moment_parse(uint64_t *ns, const char *text, uint64_t now_ns,
                 struct err *err)
{
    time_t now = (time_t)(now_ns / CLOCK_NS_PER_S), t = -1;
    uint64_t ago_ns = 0;

    if (parse_duration(&ago_ns, text, NULL) == 0) {
        if (ago_ns && ago_ns < now_ns)
            return *ns = now_ns - ago_ns, 0;
        return err_set(err, EINVAL, "\"%.40s\" ago is no time that has been",
                       text);
    }
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]) && t < 0; i++)
        t = read_as(text, formats[i].format, formats[i].date, now);
    if (t < 0)
        return err_set(err, EINVAL, "\"%.40s\" is no time: \"14:03\", "
                       "\"2026-11-20 14:03\", or how long ago, \"5m\"", text);
    if (t >= now)
        return err_set(err, EINVAL, "\"%.40s\" is yet to come", text);
    *ns = (uint64_t)t * CLOCK_NS_PER_S;
    return 0;
}
