/* target.c - reads "JOB" and "JOB.RANKS". */
#include "master/hector/core/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/parse.h"

int target_parse(struct target *t, const char *text, struct err *err)
{
    const char *dot = strchr(text, '.');
    size_t n = dot ? (size_t)(dot - text) : strlen(text);
    struct target got = { 0 };
    char job[24];

    if (n >= sizeof(job))
        return err_set(err, EINVAL, "'%s' is no JOB or JOB.RANKS", text);
    snprintf(job, sizeof(job), "%.*s", (int)n, text);
    if (parse_u64(&got.job, job, 1, INT64_MAX, NULL))
        return err_set(err, EINVAL, "'%s' is no JOB or JOB.RANKS", text);
    if (!dot || strcmp(dot + 1, "all") == 0) {
        got.all = true;
    } else {
        int rc = taskset_parse(&got.ranks, dot + 1, UINT32_MAX, err);

        if (rc)
            err_prefix(err, "'%s'", text);
        else if (taskset_count(&got.ranks) == 0)
            rc = err_set(err, EINVAL, "'%s' names no ranks", text);
        if (rc) {
            taskset_fini(&got.ranks);
            return -1;
        }
    }
    *t = got;
    return 0;
}

void target_fini(struct target *t)
{
    taskset_fini(&t->ranks);
}

int target_ranks(const struct target *t, char *buf, size_t size,
                 struct err *err)
{
    *buf = '\0';
    if (!t->all && taskset_format(&t->ranks, buf, size) >= (int)size)
        return err_set(err, EINVAL, "too many ranges");
    return 0;
}

struct query_which target_which(const struct target *t)
{
    return (struct query_which){ t->job, &t->ranks };
}
