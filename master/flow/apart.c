/* apart.c - tasks whose world in MPI is not the job's, see apart.h. */
#include "master/flow/apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/flow/notice.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/str.h"

/* Tasks come out of MPI_Init together, as a rule. */
static const uint64_t apart_wait_ns = 500 * CLOCK_NS_PER_MS;

/* Those of one kind. */
struct apart_some {
    struct taskset ranks;       /* also those that were found again */
    uint32_t task, rank, size;  /* the first: what it is in MPI */
    bool alone;                 /* each is rank 0 of 1 */
    uint64_t since_mono_ns;     /* when the first one was noted */
    bool said;
};

struct apart {
    struct apart_some lost, meant;
    struct taskset found;       /* lost ones that are in the job's world now */
    char library[64];           /* of the first */
};

/* -------------------------------------------------------------- sentences */

static void say_tasks(const struct taskset *ranks, struct str *to)
{
    char *text = taskset_text(ranks);
    bool one = taskset_count(ranks) == 1;

    str_addf(to, "task%s %s", one ? "" : "s", text ? text : "?");
    free(text);
}

/* "tasks 0-2 are each rank 0 of 1 in MPI, not of 3" */
static void what_they_are(const struct job *j, const struct apart_some *s,
                          struct str *to)
{
    bool one = taskset_count(&s->ranks) == 1;

    say_tasks(&s->ranks, to);
    if (one)
        str_addf(to, " is rank %u of %u in MPI, not %u of %u", s->rank,
                 s->size, s->task, j->ntasks);
    else if (s->alone)
        str_addf(to, " are each rank 0 of 1 in MPI, not one of %u", j->ntasks);
    else
        str_addf(to, " are not in one world of %u in MPI: task %u is rank %u "
                 "of %u", j->ntasks, s->task, s->rank, s->size);
}

static void say_lost(struct job *j, struct apart *a)
{
    struct str text = { 0 };

    str_addf(&text, "job %llu is not one MPI program: ",
             (unsigned long long)j->id);
    what_they_are(j, &a->lost, &text);
    str_add(&text, ", so its results may be wrong; ");
    j->ops->apart_advice(a->library, &text);
    notice(j, true, "%s", str_text(&text));
    log_info("apart", "%s", str_text(&text));
    str_fini(&text);
    a->lost.said = true;
}

static void say_meant(struct job *j, struct apart *a)
{
    struct str text = { 0 };

    what_they_are(j, &a->meant, &text);
    notice(j, false, "%s: programs of their own, as they were not given our "
           "PMIX_NAMESPACE or were in the job's world before",
           str_text(&text));
    str_fini(&text);
    a->meant.said = true;
}

/* ------------------------------------------------------------------ noting */

static void note(struct apart_some *s, const Hct__TaskState *m)
{
    bool alone = m->world_rank == 0 && m->world_size == 1;

    if (!s->since_mono_ns) {
        s->since_mono_ns = clock_monotonic_ns();
        s->alone = true;
    }
    if (taskset_count(&s->ranks) == 0 || m->rank < s->task) {
        s->task = m->rank;
        s->rank = m->world_rank;
        s->size = m->world_size;
    }
    s->alone &= alone;
    taskset_add(&s->ranks, m->rank, m->rank);
}

void apart_note(struct job *j, const Hct__TaskState *m)
{
    struct apart *a = j->apart;

    if (!a)
        a = j->apart = calloc(1, sizeof(*a));
    if (!a)
        return;
    if (m->world_rank == m->rank && m->world_size == j->ntasks) {
        taskset_add(&a->found, m->rank, m->rank);
        return;
    }
    if (!*a->library)
        snprintf(a->library, sizeof(a->library), "%s", m->library);
    note(m->world_given ? &a->lost : &a->meant, m);
    if (taskset_count(&a->lost.ranks) == j->ntasks && !a->lost.said)
        say_lost(j, a);
}

static bool due(const struct apart_some *s, uint64_t now_mono_ns)
{
    return s->since_mono_ns && !s->said &&
           now_mono_ns >= s->since_mono_ns + apart_wait_ns;
}

void apart_look(struct job *j, uint64_t now_mono_ns)
{
    struct apart *a = j->apart;

    if (a && due(&a->lost, now_mono_ns))
        say_lost(j, a);
    if (a && due(&a->meant, now_mono_ns))
        say_meant(j, a);
}

bool apart_end(struct job *j, char *why, size_t size)
{
    struct apart *a = j->apart;
    struct taskset left = { 0 };
    struct str text = { 0 };
    bool lost;

    apart_look(j, UINT64_MAX);
    if (!a || !j->ops->ours || taskset_copy(&left, &a->lost.ranks))
        return false;
    for (int64_t r = -1; (r = taskset_next(&a->found, r)) >= 0; )
        taskset_remove(&left, (uint32_t)r, (uint32_t)r);
    lost = taskset_count(&left) > 0;
    if (lost)
        say_tasks(&left, &text);
    snprintf(why, size, "%s did not enter the job's world of %u in MPI",
             str_text(&text), j->ntasks);
    str_fini(&text);
    taskset_fini(&left);
    return lost;
}

void apart_fini(struct job *j)
{
    struct apart *a = j->apart;

    if (!a)
        return;
    taskset_fini(&a->lost.ranks);
    taskset_fini(&a->meant.ranks);
    taskset_fini(&a->found);
    free(a);
    j->apart = NULL;
}
