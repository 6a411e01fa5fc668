/* fuzz_stack.c - any bytes as a slave's part of a call tree (merging.h), which is
 * drawn in all shapes. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/stack/callview.h"
#include "master/hector/stack/stack_draw.h"
#include "tests/fuzz/merging.h"

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

static void use(const struct str *result)
{
    Hct__CallTree *m = hct__call_tree__unpack(NULL, result->n,
                                     (const uint8_t *)result->s);

    assert(m);
    if (m->tree.len) {
        draw(m, false);
        draw(m, true);
    }
    hct__call_tree__free_unpacked(m, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    merging(&merge_stack, data, size, use);
    return 0;
}
