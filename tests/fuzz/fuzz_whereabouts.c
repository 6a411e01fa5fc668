/* fuzz_whereabouts.c - any bytes as where the tasks of a slave are, and what
 * they say of it; and the policy is shown what came of it. */
#include "tests/fuzz/merging.h"

#include <stdlib.h>

#include "master/watch/looks.h"
#include "policies/progress/question.h"
#include "proto/model/whereabouts.h"

enum { TASKS = 512 };

static void use(const struct str *result)
{
    static struct nodes_task t[TASKS];
    static struct question q;
    struct hct_job job = { .size = sizeof(job), .nranks = TASKS, .job = 1 };
    struct whereabouts *w = whereabouts_read((const uint8_t *)str_text(result),
                                             result->n, TASKS, NULL);
    struct hct_snapshot in;
    struct looks l;

    assert(w && looks_init(&l, &job) == 0);
    looks_begin(&l, 0);
    looks_take_whereabouts(&l, w, 7);
    looks_end(&l, 1, &in);
    q = (struct question){ .number = 7, .nasked = 3 };
    assert(question_is_answered(&q, &in));
    question_take(&q, t, &in);
    for (uint32_t r = 0; r < TASKS; r++)
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
