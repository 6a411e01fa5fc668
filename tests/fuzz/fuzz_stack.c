/* fuzz_stack.c - any bytes as a slave's part of a call tree: refused, or it
 * merges with itself, travels on, gets ranks, and is drawn in all shapes. The
 * first byte is the number of tasks. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/callview.h"
#include "master/hector/stack_draw.h"
#include "proto/merge.h"

static void draw(const Hct__CallTree *m, bool cut)
{
    struct stack_text_style style = { .colour = true, .width = 60 };
    struct callview v;
    struct str s = { 0 };
    struct err err;

    if (callview_init(&v, m, cut, &err))
        abort();                /* a merge has made it */
    v.title = "t";
    stack_draw_text(&s, &v, &style);
    stack_draw_classes(&s, &v, &style, 3);
    stack_draw_json(&s, &v);
    stack_draw_dot(&s, &v);
    stack_draw_folded(&s, &v);
    stack_draw_svg(&s, &v);
    if (!cut)
        stack_draw_html(&s, &v);
    callview_fini(&v);
    str_fini(&s);
}

static void finish(void *whole, uint32_t width)
{
    uint32_t rank_of[512];
    struct str s = { 0 };
    Hct__CallTree *m;

    for (uint32_t i = 0; i < width; i++)
        rank_of[i] = width - 1 - i;
    assert(merge_stack.finish(whole, rank_of, width, &s, NULL) == 0);
    m = hct__call_tree__unpack(NULL, s.n, (uint8_t *)s.s);
    assert(m);
    if (m->tree.len) {
        draw(m, false);
        draw(m, true);
    }
    hct__call_tree__free_unpacked(m, NULL);
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
    one = merge_stack.create(width, NULL);
    two = merge_stack.create(2 * width, NULL);
    assert(one && two);
    if (merge_stack.add(one, data + 1, size - 1, 0, width, &err)) {
        assert(*err.text);
    } else {
        assert(merge_stack.pack(one, &s, NULL) == 0);
        assert(merge_stack.add(two, (uint8_t *)s.s, s.n, 0, width, NULL) == 0);
        assert(merge_stack.add(two, data + 1, size - 1, width, width, NULL)
               == 0);
        finish(two, 2 * width);
    }
    merge_stack.destroy(one);
    merge_stack.destroy(two);
    str_fini(&s);
    return 0;
}
