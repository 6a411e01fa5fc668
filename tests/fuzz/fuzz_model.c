/* fuzz_model.c - any bytes as a slave's part of a model: refused, or it merges
 * with itself, travels on, gets ranks, and is drawn in all shapes. The first
 * byte is the number of tasks. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/model_draw.h"
#include "proto/merge.h"

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

static void finish(void *whole, uint32_t width)
{
    uint32_t rank_of[512];
    struct str s = { 0 };
    Hct__Model *m;

    for (uint32_t i = 0; i < width; i++)
        rank_of[i] = width - 1 - i;
    assert(merge_model.finish(whole, rank_of, width, &s, NULL) == 0);
    m = hct__model__unpack(NULL, s.n, (uint8_t *)s.s);
    assert(m);
    draw(m, MODELVIEW_ALL, false);
    draw(m, MODELVIEW_ALL, true);
    draw(m, MODELVIEW_EARLIER, false);
    draw(m, 0, false);
    hct__model__free_unpacked(m, NULL);
    str_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t width = size ? data[0] : 0;
    void *one, *two;
    struct str s = { 0 };
    struct err err = { 0 };

    if (size < 1)
        return 0;
    one = merge_model.create(width, NULL);
    two = merge_model.create(2 * width, NULL);
    assert(one && two);
    if (merge_model.add(one, data + 1, size - 1, 0, width, &err)) {
        assert(*err.text);
    } else {
        assert(merge_model.pack(one, &s, NULL) == 0);
        assert(merge_model.add(two, (uint8_t *)s.s, s.n, 0, width, NULL) == 0);
        assert(merge_model.add(two, data + 1, size - 1, width, width, NULL)
               == 0);
        finish(two, 2 * width);
    }
    merge_model.destroy(one);
    merge_model.destroy(two);
    str_fini(&s);
    return 0;
}
