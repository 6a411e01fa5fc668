/* pbsjob.c - what PBS says of one of its jobs, see pbsjob.h: "qstat -f" of OpenPBS,
 * PBS Pro and Torque, as their manuals and answers that people have published have
 * it. None of them could be had. */
#include "redirector/batch/pbsjob.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/parse.h"
#include "redirector/batch/walltime.h"

/* Grid Engine has a qstat, too, that says other things: the first one counts that
 * knows the job. Only where there is one, but none knows it, it may later. */
#define PBSJOB_TEXT(job) \
    "there=127 text=\n" \
    "conf=${PBS_CONF_FILE:-/etc/pbs.conf}\n" \
    "at=$(sed -n 's/^PBS_EXEC=//p' \"$conf\" 2>/dev/null)\n" \
    "IFS=:\n" \
    "for d in \"$PBS_EXEC/bin\" \"$at/bin\" $PATH; do\n" \
    "    [ -x \"$d/qstat\" ] || continue\n" \
    "    there=1\n" \
    "    text=$(LC_ALL=C \"$d/qstat\" -f \"" job "\" 2>/dev/null)\n" \
    "    case $text in 'Job Id: '*) there=0; break; esac\n" \
    "done\n" \
    "[ $there = 0 ] || exit $there\n"

const char *const pbsjob_ask[] = {
    "sh", "-c",
    "trap '' TERM\n"
    PBSJOB_TEXT("$0")
    "date '+now = %s'\n"
    "printf '%s\\n' \"$text\" | grep -E '^(Job Id:| *(job_state|stime|'"
    "'start_time|Walltime.Remaining|Resource_List.walltime) = )'\n"
    "exit 0\n", NULL
};

const char pbsjob_mail[] =
    PBSJOB_TEXT("$PBS_JOBID")
    "printf '%s\\n' \"$text\" | sed -n 's/^ *Mail_Users = //p'";

struct pbsjob {
    uint64_t now_s, start_s, length_s, left_s;
    bool left;                  /* left_s is known */
    char state;                 /* 0: not known */
    unsigned jobs;
};

/* "Thu Feb 22 14:27:48 2018", as the clock on the wall is here. */
static uint64_t pbsjob_date(const char *text)
{
    struct tm tm = { .tm_isdst = -1 };
    char month[4];
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const char *at;
    time_t t;

    if (sscanf(text, "%*3s %3s %d %d:%d:%d %d", month, &tm.tm_mday, &tm.tm_hour,
               &tm.tm_min, &tm.tm_sec, &tm.tm_year) != 6 ||
        !(at = strstr(months, month)) || (at - months) % 3)
        return 0;
    tm.tm_mon = (int)(at - months) / 3;
    tm.tm_year -= 1900;
    t = mktime(&tm);
    return t > 0 ? (uint64_t)t : 0;
}

/* When it was begun is stime in OpenPBS, start_time in Torque; what is called
 * estimated.start_time is something else. */
static void pbsjob_read(struct pbsjob *j, const char *name, const char *value)
{
    if (strcmp(name, "now") == 0)
        j->now_s = strtoull(value, NULL, 10);
    else if (strcmp(name, "job_state") == 0)
        j->state = *value;
    else if (strcmp(name, "Resource_List.walltime") == 0)
        j->length_s = walltime_seconds(value);
    else if (strcmp(name, "stime") == 0 || strcmp(name, "start_time") == 0)
        j->start_s = pbsjob_date(value);
    else if (strcmp(name, "Walltime.Remaining") == 0)
        j->left = parse_u64(&j->left_s, value, 0, INT32_MAX, NULL) == 0;
}

/* A line that goes on begins with a tab, or with eight blanks: it is no name of
 * four blanks with " = " after it. */
static void pbsjob_line(struct pbsjob *j, char *line)
{
    size_t blanks = strspn(line, " ");
    char *is = strstr(line, " = ");

    if (strncmp(line, "Job Id: ", 8) == 0)
        j->jobs++;
    if (!is || blanks > 4 || *line == '\t')
        return;
    *is = '\0';
    pbsjob_read(j, line + blanks, is + 3);
}

/* While we run it is in none of the states that it has before and after. That of
 * one whose time is over may come late. */
static const char *pbsjob_reason(const struct pbsjob *j, uint64_t end_s)
{
    if (end_s && j->now_s >= end_s)
        return "time limit";
    if (!j->state)
        return "";
    return strchr("QHWT", j->state) ? "requeued"
           : strchr("ECFX", j->state) ? "cancelled" : "";
}

int pbsjob_answer(const char *text, uint64_t restarts, struct system_answer *a)
{
    struct pbsjob j = { 0 };
    char *copy = strdup(text), *save = NULL;

    (void)restarts;
    *a = (struct system_answer){ .reason = "" };
    for (char *p = copy ? strtok_r(copy, "\n", &save) : NULL; p;
         p = strtok_r(NULL, "\n", &save))
        pbsjob_line(&j, p);
    free(copy);
    if (j.jobs != 1 || !j.now_s)
        return -1;
    a->begin_s = j.start_s;
    if (j.start_s && j.length_s)
        a->end_s = j.start_s + j.length_s;
    else if (j.left)
        a->end_s = j.now_s + j.left_s;
    a->reason = pbsjob_reason(&j, a->end_s);
    return 0;
}
