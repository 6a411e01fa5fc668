/* fuzz_scores.c - any bytes as what the tasks of a slave answer to a question. */
#include "tests/fuzz/merging.h"

#include <stdlib.h>

#include "master/watch/looks.h"
#include "proto/model/scores.h"

static void use(const struct str *result)
{
    struct hct_job job = { .size = sizeof(job), .nranks = 512, .job = 1 };
    struct scores *s = malloc(sizeof(*s));
    struct hct_snapshot in;
    struct looks l;

    assert(s && looks_init(&l, &job) == 0);
    assert(scores_read(s, (const uint8_t *)str_text(result), result->n, 512,
                       NULL) == 0);
    looks_begin(&l, 0);
    looks_take_scores(&l, s);
    looks_end(&l, 1, &in);
    assert(in.parts & HCT_NEED_SCORES);
    for (uint32_t i = 0; i < in.nscores; i++)
        assert(hct_score(&in, i)->rank < in.nranks);
    looks_fini(&l);
    free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    merging(&merge_scores, data, size, use);
    return 0;
}
