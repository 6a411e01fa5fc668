/* unspent.c - what is known of an allocation. Slurm says when it ends, some versions
 * of it when they are asked; PBS only how long it may be, and its job
 * script is the first process of the session. */
#include "redirector/frontend/unspent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/parse.h"

enum { UNSPENT_MAX_S = 366 * 86400 };

/* Field 22 of /proc/PID/stat: when it was started, in ticks since boot. */
static uint64_t session_age_s(void)
{
    unsigned long long started;
    struct timespec up;
    char path[48], text[1024], *p;
    size_t n = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)getsid(0));
    f = fopen(path, "re");
    if (f) {
        n = fread(text, 1, sizeof(text) - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    p = strrchr(text, ')');
    if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                     "%*u %*u %*d %*d %*d %*d %*d %*d %llu", &started) != 1)
        return 0;
    clock_gettime(CLOCK_BOOTTIME, &up);
    started /= (unsigned long long)sysconf(_SC_CLK_TCK);
    return (uint64_t)up.tv_sec > started ? (uint64_t)up.tv_sec - started : 0;
}

void unspent_read(struct unspent_facts *f, const struct system *s)
{
    *f = (struct unspent_facts){ .begin = system_value(s->begin),
                                 .end = system_value(s->end),
                                 .length = system_value(s->length),
                                 .now_s = (uint64_t)time(NULL) };
    if (s->end || s->length || s->ask)
        system_size(s, &f->nodes, &f->cpus);
    if (f->length)
        f->script_age_s = session_age_s();
}

uint64_t unspent_end_s(const struct unspent_facts *f)
{
    uint64_t s, end_s = f->asked_s;

    if (f->end && !parse_u64(&s, f->end, 1, INT64_MAX, NULL))
        end_s = s;
    else if (f->length && !parse_u64(&s, f->length, 1, UNSPENT_MAX_S, NULL) &&
             f->script_age_s <= f->now_s)
        end_s = f->now_s - f->script_age_s + s;
    return end_s <= f->now_s + UNSPENT_MAX_S ? end_s : 0;
}

uint64_t unspent_begin_s(const struct unspent_facts *f)
{
    uint64_t s, begin_s = f->begun_s;

    if (f->begin && !parse_u64(&s, f->begin, 1, INT64_MAX, NULL))
        begin_s = s;
    else if (f->length && f->script_age_s <= f->now_s)
        begin_s = f->now_s - f->script_age_s;
    return begin_s <= f->now_s ? begin_s : 0;
}

void unspent_text(char *buf, size_t size, const Hct__JobEnded *m)
{
    const uint64_t left_s = m->left_ns / CLOCK_NS_PER_S;
    char percent[32] = "";

    if (m->left_percent > 0)
        snprintf(percent, sizeof(percent), ", %.1f %%", m->left_percent);
    snprintf(buf, size, "%" PRIu64 "h%02um of the allocation are left%s: %.1f node "
             "hours and %.1f core hours are saved, if it ends now", left_s / 3600,
             (unsigned)(left_s / 60 % 60), percent, m->node_hours, m->core_hours);
}
