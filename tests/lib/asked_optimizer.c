/* asked_optimizer.c - an optimizer that plans nothing and writes down, in the file
 * ASKED, when it was asked (ms of the monotonic clock), of how many jobs, and the least
 * margin of their deadlines: for tests, as none should look at a clock or write. */
#include <hct_optimizer.h>
#include <stdio.h>
#include <time.h>

static size_t state_bytes(const struct hct_system *in)
{
    (void)in;
    return 0;
}

static int plan(void *state, const struct hct_system *in, struct hct_plan *out)
{
    FILE *f = fopen(ASKED, "a");
    double margin = 1;
    struct timespec t;

    (void)state;
    (void)out;
    clock_gettime(CLOCK_MONOTONIC, &t);
    for (uint32_t i = 0; i < in->nworks; i++)
        if (hct_work(in, i)->deadlines && hct_work(in, i)->margin < margin)
            margin = hct_work(in, i)->margin;
    if (!f)
        return 1;
    fprintf(f, "%ld %u %.3f\n", (long)t.tv_sec * 1000 + t.tv_nsec / 1000000,
            in->nworks, margin);
    return fclose(f) ? 1 : 0;
}

static const struct hct_param params[] = { { .name = NULL } };
static const struct hct_optimizer optimizer = {
    .major = HCT_OPTIMIZER_MAJOR, .minor = HCT_OPTIMIZER_MINOR, .name = "asked",
    .help = "writes down when it is asked", .params = params,
    .state_bytes = state_bytes, .plan = plan,
};

const struct hct_optimizer *hct_optimizer(void)
{
    return &optimizer;
}
