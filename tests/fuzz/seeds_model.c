/* seeds_model.c - models of tasks, and who is shown them. */
#include "tests/fuzz/seeds.h"

#include "proto/model/jobmodel.h"
#include "proto/model/scores.h"
#include "proto/model/whereabouts.h"

size_t pack_model(uint8_t *bytes)
{
    struct jobmodel m;
    struct taskset both = { 0 };
    struct str s = { 0 };
    uint32_t states[2];
    size_t n;

    if (jobmodel_init(&m, 2, NULL) || taskset_add(&both, 0, 1))
        exit(1);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t module = jobmodel_module(&m, "/bin/solver",
                                          (const uint8_t *)"id", 2);
        struct jobmodel_state x = { .call = 12 + i, .frames = 1 };

        x.frame[0] = jobmodel_frame(&m, module + 1, 0x500 + i);
        jobmodel_name(&m, x.frame[0], &(struct jobmodel_name_of){
            "solve", "/src/solver.c", "", SIZE_MAX, SIZE_MAX, SIZE_MAX, 7 });
        states[i] = jobmodel_state(&m, &x);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t histogram[2 * JOBMODEL_BUCKETS] = { 1, 2, 3 };
        uint32_t phase = jobmodel_phase(&m, i, i == 0);
        struct jobmodel_edge e = {
            .phase = phase, .from = i ? states[0] : JOBMODEL_START,
            .to = states[i], .n = 6, .in = { 1000, 10, 2000 },
            .out = { 50, 0, 50 }, .bytes = { 8, 2, 0 }, .histogram = histogram };

        jobmodel_meet_phase(&m.phase[phase], &(struct jobmodel_phase){
            .merged = i == 0 ? 2 : 0, .label = 3, .age_ns = 1000 });
        if (taskset_copy(&m.phase[phase].tasks, &both) ||
            jobmodel_add(&m, &e, &both, 0))
            exit(1);
    }
    jobmodel_end_task(&m, 1);
    if (taskset_copy(&m.tasks, &both) ||
        jobmodel_write(&m, NULL, NULL, 0, &s, NULL))
        exit(1);
    n = s.n;
    memcpy(bytes, s.s, n);
    jobmodel_fini(&m);
    taskset_fini(&both);
    str_fini(&s);
    return n;
}

/* A part, for who merges it (merging.h): its width goes before. */
static void tell_part(const char *dir, const char *fuzzer, uint8_t width,
                      const void *part, size_t n)
{
    tale.bytes[0] = width;
    memcpy(tale.bytes + 1, part, n);
    tale.n = n + 1;
    tell(dir, fuzzer, "two");
}

static void scores_tale(const char *dir)
{
    static struct scores s = { .width = 2, .top = 3, .number = 7 };
    struct str out = { 0 };

    for (uint32_t i = 0; i < 2; i++) {
        scores_count(&s, HCT_CLUSTER_GROUP, i, 3 + i);
        scores_count(&s, HCT_CLUSTER_KIND, 0, 1);
        scores_ran(&s, 0, 2000000000, 1000000000);
        for (uint32_t method = HCT_METHOD_CLUSTER; method <= HCT_METHOD_POLISH;
             method++)
            scores_put(&s, &(struct hct_score){
                .method = method, .rank = i, .group = i, .step = 4, .site = 3,
                .score = 2 + i, .cost_ns = 1e6, .times = 2, .share = 0.1,
                .n = 5, .in_ns = 1e3, .out_ns = 1e6 });
    }
    if (scores_write(&s, NULL, &out, NULL))
        exit(1);
    tell_part(dir, "scores", 2, out.s, out.n);
    str_fini(&out);
}

static void whereabouts_tale(const char *dir)
{
    struct whereabouts *w = whereabouts_create(4, NULL);
    struct str out = { 0 };

    if (!w)
        exit(1);
    for (uint32_t i = 0; i < 3; i++)
        whereabouts_put(w, i, &(struct hct_place){
            .place = 77 + i / 2, .call = 12, .in = i / 2, .asked = 1 + i / 2 });
    whereabouts_say(w, 0, 1, HCT_ORDER_WAITS);
    whereabouts_say(w, 1, 2, HCT_ORDER_WAITS | HCT_ORDER_WAITED);
    if (whereabouts_write(w, NULL, 0, &out, NULL))
        exit(1);
    tell_part(dir, "whereabouts", 4, out.s, out.n);
    str_fini(&out);
    free(w);
}

void model_tales(const char *dir)
{
    uint8_t bytes[4096];
    size_t n = pack_model(bytes);

    tell_part(dir, "model", 2, bytes, n);
    scores_tale(dir);
    whereabouts_tale(dir);
    for (unsigned how = 0x80; how < 0x84; how++) {
        operator_welcome(how);
        SAY(0, GATHERED, Gathered, HCT__GATHERED__INIT, m->ok = 1, m->last = 1,
            m->piece.data = bytes, m->piece.len = n);
        tell(dir, "operator", how == 0x80 ? "model" : how == 0x81
             ? "model-graph" : how == 0x82 ? "model-histogram" : "model-both");
    }
}
