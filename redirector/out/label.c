/* label.c - formats labels; the text of a second is kept, as a second has
 * many lines. */
#include "redirector/out/label.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"

void label_init(struct label *l, enum label_style style, bool timestamp,
                uint32_t ntasks)
{
    *l = (struct label){ .style = style, .timestamp = timestamp, .width = 1,
                         .second = -1 };
    for (uint32_t top = ntasks ? ntasks - 1 : 0; top >= 10; top /= 10)
        l->width++;
}

bool label_wanted(const struct label *l)
{
    return l->style != LABEL_NONE || l->timestamp;
}

static void label_set_second(struct label *l, time_t second)
{
    struct tm tm;

    localtime_r(&second, &tm);
    strftime(l->text, sizeof(l->text), "%Y-%m-%dT%H:%M:%S", &tm);
    long minutes = tm.tm_gmtoff / 60;
    unsigned away = (unsigned)(minutes < 0 ? -minutes : minutes);

    snprintf(l->zone, sizeof(l->zone), "%c%02u:%02u", minutes < 0 ? '-' : '+',
             away / 60 % 100, away % 60);
    l->second = second;
}

size_t label_format(struct label *l, char buf[LABEL_MAX], uint32_t rank,
                    const char *stream, uint64_t at_ns)
{
    int n = 0;

    if (l->timestamp) {
        time_t second = (time_t)(at_ns / CLOCK_NS_PER_S);

        if (second != l->second)
            label_set_second(l, second);
        n = snprintf(buf, LABEL_MAX, "%s.%06u%s ", l->text,
                     (unsigned)(at_ns % CLOCK_NS_PER_S / 1000), l->zone);
    }
    size_t room = LABEL_MAX - (size_t)n;

    if (l->style == LABEL_RANK)
        n += snprintf(buf + n, room, "%0*u: ", l->width, (unsigned)rank);
    else if (l->style == LABEL_TAG)
        n += snprintf(buf + n, room, "[1,%u]<%s>:", (unsigned)rank, stream);
    return (size_t)n;
}
