/* unspent.c - how much of an allocation is left. Slurm says when it ends, some
 * versions of it when they are asked; PBS only how long it may be, and its job
 * script is the first process of the session. */
#include "redirector/frontend/unspent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

void unspent_now(struct unspent_facts *f)
{
    uint64_t now_s = (uint64_t)time(NULL);

    if (f->length && now_s > f->now_s)
        f->script_age_s += now_s - f->now_s;
    f->now_s = now_s;
}

void unspent_read(struct unspent_facts *f, const struct system *s)
{
    *f = (struct unspent_facts){ .end = system_value(s->end),
                                 .length = system_value(s->length),
                                 .now_s = (uint64_t)time(NULL),
                                 .tasks = system_value(s->tasks) };
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

uint64_t unspent_left_s(const struct unspent_facts *f)
{
    uint64_t end_s = unspent_end_s(f);

    return end_s > f->now_s ? end_s - f->now_s : 0;
}

void unspent_text(char *buf, size_t size, const struct unspent_facts *f)
{
    uint64_t left_s = unspent_left_s(f), tasks;
    int n = snprintf(buf, size, "%" PRIu64 "h%02um of the allocation are left",
                     left_s / 3600, (unsigned)(left_s / 60 % 60));

    if (f->tasks && !parse_u64(&tasks, f->tasks, 1, UINT32_MAX, NULL) &&
        (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, ", %.1f core hours of its %"
                 PRIu64 " tasks", (double)left_s / 3600 * (double)tasks, tasks);
}
