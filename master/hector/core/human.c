/* human.c - formats for people; programs get plain numbers (json.c). */
#include "master/hector/core/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

char *human_time(char *buf, uint64_t ns, uint64_t now_ns)
{
    time_t t = (time_t)(ns / 1000000000u), now = (time_t)(now_ns / 1000000000u);
    struct tm tm, today;

    localtime_r(&t, &tm);
    localtime_r(&now, &today);
    strftime(buf, HUMAN_MAX,
             tm.tm_year == today.tm_year && tm.tm_yday == today.tm_yday
                 ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &tm);
    return buf;
}

char *human_stamp(char *buf, uint64_t ns)
{
    time_t t = (time_t)(ns / 1000000000u);
    struct tm tm;
    size_t n;

    localtime_r(&t, &tm);
    n = strftime(buf, HUMAN_MAX, "%H:%M:%S", &tm);
    snprintf(buf + n, HUMAN_MAX - n, ".%06u",
             (unsigned)(ns % 1000000000u / 1000u));
    return buf;
}

/* Three significant digits of value, which is below 1000. */
static void three_digits(char *buf, const char *sign, double value,
                         const char *unit)
{
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

    snprintf(buf, HUMAN_MAX, "%s%.*f %s", sign, decimals, value, unit);
}

char *human_duration(char *buf, int64_t ns)
{
    static const char *const unit[] = { "us", "ms", "s" };
    const char *sign = ns < 0 ? "-" : "";
    uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    uint64_t s = (n + 500000000u) / 1000000000u;
    double value = (double)n;

    if (n < 1000) {
        snprintf(buf, HUMAN_MAX, "%s%" PRIu64 " ns", sign, n);
    } else if (s < 60) {
        int u = -1;

        do {
            value /= 1000;
            u++;
        } while (value >= 999.5 && u < 2);
        three_digits(buf, sign, value, unit[u]);
    } else if (s < 3600) {
        snprintf(buf, HUMAN_MAX, "%s%um%02us", sign, (unsigned)(s / 60),
                 (unsigned)(s % 60));
    } else if (s < 86400) {
        snprintf(buf, HUMAN_MAX, "%s%uh%02um", sign, (unsigned)(s / 3600),
                 (unsigned)(s / 60 % 60));
    } else {
        snprintf(buf, HUMAN_MAX, "%s%" PRIu64 "d%02uh", sign, s / 86400,
                 (unsigned)(s / 3600 % 24));
    }
    return buf;
}

char *human_bytes(char *buf, uint64_t bytes)
{
    static const char unit[] = "KMGTPE";
    double value = (double)bytes;
    int u = -1;

    if (bytes < 1024) {
        snprintf(buf, HUMAN_MAX, "%u", (unsigned)bytes);
        return buf;
    }
    while (value >= 1024 && u < (int)sizeof(unit) - 2) {
        value /= 1024;
        u++;
    }
    snprintf(buf, HUMAN_MAX, value < 99.95 ? "%.1f%c" : "%.0f%c", value,
             unit[u]);
    return buf;
}
