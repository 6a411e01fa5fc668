/* slicerows.c - the lines that decide that a task is where it is. */
#include "proto/tree/slicerows.h"

#include <string.h>

static uint32_t name(struct prefixtree *t, const char *text)
{
    return prefixtree_name(t, text, strlen(text));
}

int slicerows_frame(struct prefixtree *t, const struct slicerow *row,
                    uint32_t *frames, size_t n)
{
    struct prefixtree_frame f = { .function = name(t, row->function),
                                  .line = row->line,
                                  .offset = row->awaits };

    f.module = name(t, row->reason);
    f.file = name(t, row->file);
    frames[n] = f.module == PREFIXTREE_NONE || f.function == PREFIXTREE_NONE ||
                f.file == PREFIXTREE_NONE ? PREFIXTREE_NONE
                                          : prefixtree_frame(t, &f);
    return frames[n] == PREFIXTREE_NONE ? -1 : 0;
}

bool slicerows_is_head(const struct slicerow *row)
{
    return strncmp(row->reason, "is here", strlen("is here")) == 0;
}

size_t slicerows_each(const struct prefixtree *t, uint32_t position,
                      void (*each)(void *arg, const struct slicerow *row),
                      void *arg)
{
    size_t n = 0;

    if (t->nnodes == 0 || position >= t->width)
        return 0;
    for (uint32_t at = 0; (at = prefixtree_child(t, at, position)); n++) {
        const struct prefixtree_frame *f = &t->frames[t->nodes[at].frame];
        const struct slicerow row = { prefixtree_text(t, f->function),
                                      prefixtree_text(t, f->file),
                                      prefixtree_text(t, f->module), f->line,
                                      f->offset };

        if (each)
            each(arg, &row);
    }
    return n;
}
