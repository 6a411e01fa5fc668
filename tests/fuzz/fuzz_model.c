/* fuzz_model.c - any bytes as a slave's part of a model (merging.h), which is
 * drawn in all shapes. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static void use(const struct str *result)
{
    Hct__Model *m = hct__model__unpack(NULL, result->n,
                                     (const uint8_t *)result->s);

    assert(m);
    draw(m, MODELVIEW_ALL, false);
    draw(m, MODELVIEW_ALL, true);
    draw(m, MODELVIEW_EARLIER, false);
    draw(m, 0, false);
    hct__model__free_unpacked(m, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    merging(&merge_model, data, size, use);
    return 0;
}
