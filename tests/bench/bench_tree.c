/* bench_tree.c - merging call trees without any network: labels as bit vectors
 * that cover their range only, against the labels of STAT's prototype, which
 * were lists of ranks as text ("1,3-6,9"), as in figure 4 of the paper. Traces
 * as there: 3 of each task, depth 7, breadth 2, 5 classes.
 *
 *   bench_tree [TASKS-OF-A-DAEMON [DAEMONS...]] */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/array.h"
#include "proto/tree/prefixtree.h"
#include "slave/emulate/traces.h"

static const struct traces parameters = { 7, 2, 5, 3 };

static void die(const char *why)
{
    fprintf(stderr, "bench_tree: %s\n", why);
    exit(1);
}

/* Of the processor: other programs do not count. */
static double now_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ------------------------------------------------------------- bit vectors */

struct packed { struct str bytes; uint32_t width; };

static void pack(struct prefixtree *t, struct packed *p)
{
    p->width = t->width;
    if (prefixtree_pack(t, &p->bytes))
        die("out of memory");
    prefixtree_fini(t);
}

static void merge(const struct packed *v, size_t n, struct prefixtree *whole)
{
    struct prefixtree part;
    struct err err;
    uint32_t width = 0, at = 0;

    for (size_t i = 0; i < n; i++)
        width += v[i].width;
    if (prefixtree_init(whole, width, parameters.traces, &err))
        die(err.text);
    for (size_t i = 0; i < n; i++) {
        if (prefixtree_parse(&part, (uint8_t *)v[i].bytes.s, v[i].bytes.n,
                             &err) ||
            prefixtree_merge(whole, &part, at, &err))
            die(err.text);
        at += v[i].width;
        prefixtree_fini(&part);
    }
}

/* One level: groups of so many parts become one each. Returns how many; the
 * time is that of one merge, for those of a level run at the same time. */
static size_t level(struct packed *v, size_t n, size_t group, double *path_s)
{
    size_t out = 0;
    double longest = 0;

    for (size_t i = 0; i < n; i += group) {
        size_t k = n - i < group ? n - i : group;
        struct prefixtree t;
        struct packed p = { 0 };
        double start = now_s();

        merge(v + i, k, &t);
        pack(&t, &p);
        if (now_s() - start > longest)
            longest = now_s() - start;
        for (size_t j = i; j < i + k; j++)
            str_fini(&v[j].bytes);
        v[out++] = p;
    }
    *path_s += longest;
    return out;
}

static double bits(uint32_t daemons, uint32_t tasks, unsigned levels,
                   size_t *bytes)
{
    struct packed *v = calloc(daemons, sizeof(*v));
    size_t n = daemons, group = 1;
    struct prefixtree whole;
    double start;
    double path_s = 0;

    if (!v)
        die("out of memory");
    for (uint32_t i = 0; i < daemons; i++) {
        struct taskset ranks = { 0 };
        struct prefixtree t;
        struct err err;

        if (taskset_add(&ranks, i * tasks, (i + 1) * tasks - 1) ||
            traces_tree(&parameters, &ranks, &t, &err))
            die("out of memory");
        pack(&t, &v[i]);
        taskset_fini(&ranks);
    }
    for (; levels > 1; levels--) {
        double all = 1;

        for (group = 1; all < (double)n; group++) {
            all = 1;
            for (unsigned k = 0; k < levels; k++)
                all *= (double)(group + 1);
        }
        n = level(v, n, group, &path_s);
    }
    start = now_s();
    merge(v, n, &whole);
    path_s += now_s() - start;
    if (prefixtree_count(&whole, 0) != daemons * tasks)
        die("tasks are missing");
    *bytes = 0;
    for (size_t i = 0; i < n; i++) {
        *bytes += v[i].bytes.n;
        str_fini(&v[i].bytes);
    }
    prefixtree_fini(&whole);
    free(v);
    return path_s;
}

/* ---------------------------------------------------------- lists as text */

/* A tree by its paths; what the prototype did with each pair of labels is to
 * read both, and to write the union. */
struct label { char *path, *ranks; };
struct text_tree { struct label *v; size_t n, cap; };

static struct label *label_of(struct text_tree *t, const char *path)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->v[i].path, path) == 0)
            return &t->v[i];
    if (array_reserve(&t->v, &t->cap, t->n + 1))
        die("out of memory");
    t->v[t->n] = (struct label){ strdup(path), strdup("") };
    return &t->v[t->n++];
}

static void add_ranks(struct label *l, const char *more)
{
    struct taskset a = { 0 }, b = { 0 };
    int n;

    if (taskset_parse(&a, l->ranks, UINT32_MAX, NULL) ||
        taskset_parse(&b, more, UINT32_MAX, NULL) || taskset_union(&a, &b))
        die("out of memory");
    n = taskset_format(&a, NULL, 0);
    free(l->ranks);
    l->ranks = malloc((size_t)n + 1);
    if (!l->ranks)
        die("out of memory");
    taskset_format(&a, l->ranks, (size_t)n + 1);
    taskset_fini(&a);
    taskset_fini(&b);
}

static void text_free(struct text_tree *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->v[i].path);
        free(t->v[i].ranks);
    }
    free(t->v);
    *t = (struct text_tree){ 0 };
}

static void text_daemon(struct text_tree *t, uint32_t first, uint32_t tasks)
{
    for (uint32_t r = first; r < first + tasks; r++)
        for (uint32_t s = 0; s < parameters.traces; s++) {
            uint32_t functions[7];
            char path[16] = "SM", rank[16];

            traces_choose(&parameters, r, s, functions);
            snprintf(rank, sizeof(rank), "%u", r);
            for (uint32_t deep = 0; deep <= 7; deep++) {
                add_ranks(label_of(t, path), rank);
                if (deep < 7)
                    path[2 + deep] = (char)('a' + functions[deep]);
            }
        }
}

static void text_merge(struct text_tree *to, struct text_tree *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < from[i].n; k++)
            add_ranks(label_of(to, from[i].v[k].path), from[i].v[k].ranks);
        text_free(&from[i]);
    }
}

/* Two levels, as the paper's: groups of the square root. */
static double text(uint32_t daemons, uint32_t tasks, size_t *label_bytes)
{
    struct text_tree *v = calloc(daemons, sizeof(*v)), whole = { 0 };
    size_t group = 1, n = 0;
    double longest = 0;
    double start;

    while (group * group < daemons)
        group++;
    for (uint32_t i = 0; v && i < daemons; i++)
        text_daemon(&v[i], i * tasks, tasks);
    for (size_t i = 0; i < daemons; i += group, n++) {
        struct text_tree t = { 0 };

        start = now_s();
        text_merge(&t, v + i, daemons - i < group ? daemons - i : group);
        if (now_s() - start > longest)
            longest = now_s() - start;
        v[n] = t;
    }
    start = now_s();
    text_merge(&whole, v, n);
    longest += now_s() - start;
    *label_bytes = 0;
    for (size_t i = 0; i < whole.n; i++)
        if (strlen(whole.v[i].ranks) > *label_bytes)
            *label_bytes = strlen(whole.v[i].ranks);
    text_free(&whole);
    free(v);
    return longest;
}

static void measure(uint32_t daemons, uint32_t tasks, bool with_text)
{
    size_t bytes[4], label_bytes;
    double s[4], text_s;

    for (unsigned levels = 1; levels <= 3; levels++)
        s[levels] = bits(daemons, tasks, levels, &bytes[levels]);
    printf("merging, %u daemons of %u tasks, on the longest path: 1 level "
           "%.2f ms, 2 levels %.2f ms, 3 levels %.2f ms", daemons, tasks,
           s[1] * 1e3, s[2] * 1e3, s[3] * 1e3);
    if (with_text) {
        text_s = text(daemons, tasks, &label_bytes);
        printf("; 2 levels with text labels %.0f ms, ratio %.4f, a label of "
               "%zu kB", text_s * 1e3, s[2] / text_s, label_bytes / 1024);
    }
    putchar('\n');
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint32_t tasks = argc > 1 ? (uint32_t)atoi(argv[1]) : 128;

    for (int i = 2; i < argc; i++)
        measure((uint32_t)atoi(argv[i]), tasks, true);
    if (argc > 2)
        return 0;
    measure(128, tasks, true);
    measure(512, tasks, true);
    measure(1024, tasks, true);
    measure(8192, tasks, false);
    return 0;
}
