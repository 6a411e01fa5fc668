/* traces.c - stack traces that nobody has. */
#include "slave/emulate/traces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/idtable.h"

enum { HEAD = 2 };                      /* _start and main */

void traces_choose(const struct traces *p, uint32_t rank, uint32_t trace,
                   uint32_t *functions)
{
    uint64_t seed = idtable_mix(p->classes ? rank % p->classes : rank, trace);

    for (uint32_t i = 0; i < p->depth; i++) {
        seed = idtable_mix(seed, i);
        functions[i] = (uint32_t)(seed >> 33) % p->breadth;
    }
}

static uint32_t frame(struct prefixtree *t, const char *function,
                      uint32_t line)
{
    struct prefixtree_frame f = { .line = line, .offset = 0x1000 + line * 64 };

    f.module = prefixtree_name(t, "solver", 6);
    f.file = prefixtree_name(t, "solver.c", 8);
    f.function = prefixtree_name(t, function, PREFIXTREE_NAME_MAX);
    return prefixtree_frame(t, &f);
}

/* Where a function is called from does not matter to its frame. */
static uint32_t *make_frames(const struct traces *p, struct prefixtree *t)
{
    size_t n = (size_t)p->depth * p->breadth;
    uint32_t *v = malloc((HEAD + n) * sizeof(*v));
    char name[64];

    if (!v)
        return NULL;
    v[0] = frame(t, "_start", 0);
    v[1] = frame(t, "main", 1);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "depth_%zu_function_%zu",
                 i / p->breadth, i % p->breadth);
        v[HEAD + i] = frame(t, name, (uint32_t)i + HEAD);
    }
    return v;
}

int traces_tree(const struct traces *p, const struct taskset *ranks,
                struct prefixtree *t, struct err *err)
{
    uint32_t *functions = malloc((p->depth + 1) * sizeof(*functions));
    uint32_t *path = malloc((HEAD + p->depth) * sizeof(*path)), *frames = NULL;
    uint32_t position = 0;
    int rc = prefixtree_init(t, (uint32_t)taskset_count(ranks), p->traces,
                             err);

    if (rc)
        goto end;
    frames = make_frames(p, t);
    if (!functions || !path || !frames) {
        rc = err_memory(err);
        goto end;
    }
    path[0] = frames[0];
    path[1] = frames[1];
    for (int64_t r = -1; rc == 0 && (r = taskset_next(ranks, r)) >= 0; ) {
        for (uint32_t s = 0; rc == 0 && s < p->traces; s++) {
            traces_choose(p, (uint32_t)r, s, functions);
            for (uint32_t i = 0; i < p->depth; i++)
                path[HEAD + i] = frames[HEAD + i * p->breadth + functions[i]];
            rc = prefixtree_add(t, position, s, path, HEAD + p->depth, err);
        }
        position++;
    }
    if (rc)
        prefixtree_fini(t);
end:
    free(functions);
    free(path);
    free(frames);
    return rc;
}
