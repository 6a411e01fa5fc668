/* unspent.c - how much of an allocation is left. Slurm says when it ends; PBS
 * only how long it may be, and its job script is the first process of the
 * session. */
#include "redirector/frontend/unspent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/parse.h"
#include "redirector/out/say.h"
#include "redirector/frontend/status.h"

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

void unspent_read(struct unspent_facts *f)
{
    *f = (struct unspent_facts){ .slurm_end = getenv("SLURM_JOB_END_TIME"),
                               .pbs_walltime = getenv("PBS_WALLTIME"),
                               .now_s = (uint64_t)time(NULL),
                               .tasks = getenv("SLURM_NTASKS") };
    if (!f->tasks)
        f->tasks = getenv("PBS_NP");
    if (f->pbs_walltime)
        f->script_age_s = session_age_s();
}

uint64_t unspent_left_s(const struct unspent_facts *f)
{
    uint64_t s, left = 0;

    if (f->slurm_end && !parse_u64(&s, f->slurm_end, 1, INT64_MAX, NULL))
        left = s > f->now_s ? s - f->now_s : 0;
    else if (f->pbs_walltime &&
             !parse_u64(&s, f->pbs_walltime, 1, INT64_MAX, NULL))
        left = s > f->script_age_s ? s - f->script_age_s : 0;
    return left <= UNSPENT_MAX_S ? left : 0;
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

void unspent_say(int code, const char *on_hang)
{
    struct unspent_facts facts;
    char text[200];

    if (code != STATUS_HUNG || !on_hang || strncmp(on_hang, "kill", 4) != 0)
        return;
    unspent_read(&facts);
    unspent_text(text, sizeof(text), &facts);
    if (unspent_left_s(&facts))
        say(SAY_ERROR, "%s", text);
}
