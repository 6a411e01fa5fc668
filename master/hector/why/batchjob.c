/* batchjob.c - see batchjob.h. */
#include "master/hector/why/batchjob.h"

#include <inttypes.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

struct batchjob {
    uint64_t job;
    struct str head;            /* of the job that is asked about */
    struct str runs;            /* a line for each */
    unsigned n;
};

static void add_run(struct str *to, const struct store_job *j)
{
    char ran[HUMAN_MAX];

    str_addf(to, "  run %" PRIu32 ", job %" PRIu64 ": %s", j->restarts + 1, j->job,
             j->state ? j->state : "?");
    if (j->reason)
        str_addf(to, ", %s", j->reason);
    if (j->started_ns && j->ended_ns >= j->started_ns)
        str_addf(to, ", after %s",
                 human_duration(ran, (int64_t)(j->ended_ns - j->started_ns)));
    if (j->from_job)
        str_addf(to, ", from checkpoint %" PRIu32 " of job %" PRIu64,
                 j->from_checkpoint, j->from_job);
    str_add(to, "\n");
}

static int on_job(void *arg, const struct store_job *j)
{
    struct batchjob *b = arg;
    uint64_t now_ns = clock_wall_ns();
    char left[HUMAN_MAX];

    b->n++;
    add_run(&b->runs, j);
    if (j->job != b->job)
        return 0;
    str_addf(&b->head, "it %s in %s", j->ended_ns ? "was" : "is", j->batch);
    if (j->restarts)
        str_addf(&b->head, ", which was begun %" PRIu32 " time%s before",
                 j->restarts, j->restarts == 1 ? "" : "s");
    if (!j->ended_ns && j->limit_ns > now_ns)
        str_addf(&b->head, ", for %s more",
                 human_duration(left, (int64_t)(j->limit_ns - now_ns)));
    if (j->reason)
        str_addf(&b->head, ", which ended it: %s", j->reason);
    if (j->saved_node_hours > 0)
        str_addf(&b->head, ", of which %s were left when it was ended for a hang: ",
                 human_duration(left, (int64_t)(j->limit_ns - j->ended_ns)));
    if (j->saved_percent > 0)
        str_addf(&b->head, "%.1f %%, ", j->saved_percent);
    if (j->saved_node_hours > 0)
        str_addf(&b->head, "%.1f node hours and %.1f core hours",
                 j->saved_node_hours, j->saved_core_hours);
    return 0;
}

void batchjob_of_job(struct str *to, struct store *st, uint64_t job)
{
    struct batchjob b = { .job = job };
    struct err err;

    if (query_batch(st, job, on_job, &b, &err) == 0 && b.head.n)
        str_addf(to, "%s%s\n%s", str_text(&b.head), b.n > 1 ? ":" : "",
                 b.n > 1 ? str_text(&b.runs) : "");
    str_fini(&b.head);
    str_fini(&b.runs);
}
