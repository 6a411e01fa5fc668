/* sgejob.c - what Grid Engine says of one of its jobs, see sgejob.h: qstat(1)
 * and qconf(1) of 8.1.9. */
#include "redirector/batch/sgejob.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/parse.h"
#include "proto/conf/gridengine.h"
#include "redirector/batch/walltime.h"

/* Its hosts say when the job began; so long after that it is the same run. */
enum { SGEJOB_RUN_S = 5 };

/* What becomes of it, when this run and when the last one was begun, what it has
 * asked for, and what its queue allows. A signal that is for all processes of the job
 * is not for these. */
const char *const sgejob_ask[] = {
    "sh", "-c",
    "trap '' TERM USR1 USR2\n"
    GRIDENGINE_FIND
    "state=$(qstat | awk -v job=\"$0\" '$1 == job { print $5 }')\n"
    "echo state $state\n"
    "case $state in *d*) exit 0; esac\n"    /* there is no time for more */
    "echo run $(stat -c %Y \"$PE_HOSTFILE\")\n"
    "qstat -xml -j \"$0\" |"
    " sed -n 's/.*<JAT_start_time>\\([0-9]*\\)<.*/start \\1/p'\n"
    "qstat -j \"$0\" 2>&1 |"
    " sed -n 's/^hard resource_list: */asks /p; s/.*do not exist.*/gone/p'\n"
    "qconf -sq \"$QUEUE\" | sed -n 's/^h_rt  */asks h_rt=/p'\n", NULL
};

const char sgejob_mail[] =
    GRIDENGINE_FIND
    "qstat -j \"$JOB_ID\" | sed -n 's/^mail_list: *//p'";

/* Of several limits the least one counts. */
static void sgejob_limit(uint64_t *limit_s, const char *asks)
{
    const char *p = strstr(asks, "h_rt=");
    uint64_t s = p && (p == asks || p[-1] == ',' || p[-1] == ' ')
                 ? walltime_seconds(p + strlen("h_rt=")) : 0;

    if (s && (*limit_s == 0 || s < *limit_s))
        *limit_s = s;
}

/* As it says it. */
struct sgejob {
    char state[16];             /* of letters, each of which says something */
    uint64_t run_s, start_s, limit_s;   /* start_s: of the last run */
    unsigned starts;            /* so many tasks of it run */
    bool gone;
};

static void sgejob_read(struct sgejob *j, const char *line)
{
    uint64_t s;

    if (strcmp(line, "gone") == 0) {
        j->gone = true;
    } else if (strncmp(line, "asks ", 5) == 0) {
        sgejob_limit(&j->limit_s, line);
    } else if (strncmp(line, "run ", 4) == 0) {
        j->run_s = parse_u64(&s, line + 4, 0, INT64_MAX, NULL) ? 0 : s;
    } else if (sscanf(line, "state %15s", j->state) != 1 &&
               strncmp(line, "start ", 6) == 0 &&
               parse_u64(&s, line + 6, 1, INT64_MAX, NULL) == 0) {
        j->start_s = s;
        j->starts++;
    }
}

/* It is to be begun again, or was: R is for good then. */
static bool sgejob_requeued(const struct sgejob *j, uint64_t restarts)
{
    if (!strchr(j->state, 'R'))
        return false;
    return restarts == 0 || !strchr(j->state, 'r') ||
           (j->run_s && j->start_s > j->run_s + SGEJOB_RUN_S);
}

static const char *sgejob_reason(const struct sgejob *j, uint64_t restarts,
                                 uint64_t end_s)
{
    if (strchr(j->state, 'd'))
        return "cancelled";
    if (sgejob_requeued(j, restarts))
        return "requeued";
    return end_s && (uint64_t)time(NULL) >= end_s ? "time limit" : "";
}

/* Of a job of several tasks that run all of these are told: of them nothing is
 * known. Before it kills a job that is over its limit its state is as ever. One that
 * it knows no more was ended, but why it does not say. */
int sgejob_answer(const char *text, uint64_t restarts, struct system_answer *a)
{
    struct sgejob j = { .state = "" };
    char *copy = strdup(text), *save = NULL;

    *a = (struct system_answer){ .reason = "" };
    for (char *p = copy ? strtok_r(copy, "\n", &save) : NULL; p;
         p = strtok_r(NULL, "\n", &save))
        sgejob_read(&j, p);
    free(copy);
    if (j.starts != 1 && !strchr(j.state, 'd') &&
        !sgejob_requeued(&j, restarts))
        return (a->gone = j.gone) ? 0 : -1;
    if (j.starts == 1)
        a->begin_s = j.start_s;
    if (a->begin_s && j.limit_s)
        a->end_s = a->begin_s + j.limit_s;
    a->reason = sgejob_reason(&j, restarts, a->end_s);
    return 0;
}
