/* fuzz_model.c - any bytes as a slave's part of a model (merging.h), which is
 * drawn in all shapes, and compared with itself and with nothing. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/diff/rundiff.h"
#include "master/hector/model/model_draw.h"
#include "tests/fuzz/merging.h"

static void draw(const Hct__Model *m, int64_t phase, bool by_phase)
{
    const struct model_text all = { true, true, true };
    struct modelview v;
    struct str s = { 0 };
    struct err err;

    if (modelview_init(&v, m, phase, 5, by_phase, &err)) {
        assert(phase >= 0 || phase == MODELVIEW_EARLIER);
        return;                 /* there is no such phase */
    }
    v.title = "t";
    model_draw_dot(&s, &v);
    model_draw_json(&s, &v);
    assert(model_print(&v, &all, &err) == 0);
    modelview_fini(&v);
    str_fini(&s);
}

static size_t differences(const struct jobmodel *a, const struct jobmodel *b)
{
    const struct rundiff_run runs[] = {
        { .model = a, .wall_ns = 1e9, .ntasks = a->width },
        { .model = b, .wall_ns = 1e9, .ntasks = a->width } };
    struct rundiff d;
    size_t n;

    assert(rundiff_init(&d, runs, 2, NULL) == 0);
    n = d.n;
    rundiff_fini(&d);
    return n;
}

static void compare(const Hct__Model *m)
{
    struct jobmodel model, none;

    assert(jobmodel_read(&model, m, NULL) == 0);
    assert(jobmodel_init(&none, model.width, NULL) == 0);
    assert(differences(&model, &model) == 0);
    differences(&model, &none);
    differences(&none, &model);
    jobmodel_fini(&model);
    jobmodel_fini(&none);
}

static void use(const struct str *result)
{
    Hct__Model *m = hct__model__unpack(NULL, result->n,
                                     (const uint8_t *)result->s);

    assert(m);
    draw(m, MODELVIEW_ALL, false);
    draw(m, MODELVIEW_ALL, true);
    draw(m, MODELVIEW_EARLIER, false);
    draw(m, 0, false);
    compare(m);
    hct__model__free_unpacked(m, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    merging(&merge_model, data, size, use);
    return 0;
}
