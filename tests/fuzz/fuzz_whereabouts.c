/* fuzz_whereabouts.c - any bytes as where the tasks of a slave are, and what
 * they say of it; and the policy is shown what came of it. */
#include "tests/fuzz/merging.h"

#include <stdlib.h>

#include "master/watch/looks.h"
#include "policies/progress/question.h"
#include "proto/model/whereabouts.h"

enum { TASKS = 512 };

static uint32_t tasks_of(const struct str *result)
{
    Hct__Whereabouts *m = hct__whereabouts__unpack(
        NULL, result->n, (const uint8_t *)str_text(result));
    uint32_t n = 0;

    assert(m);
    for (size_t i = 0; i < m->n_runs; i += 2)
        n += m->runs[i];
    hct__whereabouts__free_unpacked(m, NULL);
    return n;
}

static void use(const struct str *result)
{
    static struct nodes_task t[TASKS];
    static struct question q;
    uint32_t n = tasks_of(result);
    struct hct_job job = { .size = sizeof(job), .nranks = n, .job = 1 };
    struct whereabouts *w = whereabouts_read((const uint8_t *)str_text(result),
                                             result->n, n, NULL);
    struct hct_snapshot in;
    struct looks l;

    assert(n <= TASKS && w && looks_init(&l, &job) == 0);
    looks_begin(&l, 0);
    looks_take_whereabouts(&l, w, 7);
    looks_end(&l, 1, &in);
    q = (struct question){ .number = 7, .nasked = 3 };
    assert(question_is_answered(&q, &in));
    question_take(&q, t, &in);
    for (uint32_t r = 0; r < n; r++)
        assert(t[r].place <= q.nplaces);
    looks_fini(&l);
    free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    merging(&merge_whereabouts, data, size, use);
    return 0;
}
