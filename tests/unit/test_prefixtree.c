/* test_prefixtree.c - call trees against a plain reference: a list of (task,
 * sample, trace), from which every label, count and class is found the long
 * way. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/tree/prefixtree.h"

enum { DEPTH = 6, FUNCTIONS = 4, TRACES = 600, SAMPLES = 3, TASKS = 700 };

/* The reference: functions are letters, a trace is a word. */
struct trace { uint32_t task, sample; char path[DEPTH + 1]; };
static struct trace traces[TRACES];
static size_t ntraces;
static uint64_t seed = 1;

static uint32_t pick(uint32_t n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % n;
}

static void random_traces(uint32_t ntasks, uint32_t nclasses)
{
    ntraces = 0;
    while (ntraces < TRACES) {
        struct trace *x = &traces[ntraces++];
        uint32_t deep = 1 + pick(DEPTH), kind;

        x->task = pick(ntasks);
        x->sample = pick(SAMPLES);
        kind = x->task % nclasses;
        for (uint32_t i = 0; i < deep; i++)
            x->path[i] = (char)('a' + (pick(8) ? (kind >> i) % FUNCTIONS
                                               : pick(FUNCTIONS)));
        x->path[deep] = '\0';
    }
}

static int add(struct prefixtree *t, const struct trace *x, uint32_t at)
{
    uint32_t frames[DEPTH], n = 0;
    char name[32];

    for (const char *p = x->path; *p; p++) {
        struct prefixtree_frame f = { .line = (uint32_t)*p, .offset = 7 };

        snprintf(name, sizeof(name), "function_%c", *p);
        f.function = prefixtree_name(t, name, strlen(name));
        f.module = prefixtree_name(t, "a.out", 5);
        frames[n] = prefixtree_frame(t, &f);
        assert_true(frames[n] != PREFIXTREE_NONE);
        n++;
    }
    return prefixtree_add(t, x->task - at, x->sample, frames, n, NULL);
}

static void full_path(const struct prefixtree *t, uint32_t node,
                      char out[DEPTH + 1])
{
    size_t deep = 0;

    for (uint32_t at = node; at; at = t->nodes[at].parent)
        deep++;
    out[deep] = '\0';
    for (uint32_t at = node; at; at = t->nodes[at].parent) {
        uint32_t function = t->frames[t->nodes[at].frame].function;
        const char *name = prefixtree_text(t, function);

        out[--deep] = name[strlen(name) - 1];
    }
}

static bool begins(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

/* Every node against the list, and every beginning in the list has a node. */
static void check(const struct prefixtree *t, uint32_t ntasks)
{
    static uint32_t counts[SAMPLES];
    char seen[1 << 12][DEPTH + 1];
    size_t nseen = 0;

    for (uint32_t i = 0; i < t->nnodes; i++) {
        static uint8_t has[TASKS];
        char path[DEPTH + 1];
        uint32_t n = 0;

        full_path(t, i, path);
        for (size_t k = 0; k < nseen; k++)
            assert_string_not_equal(seen[k], path);
        strcpy(seen[nseen++], path);
        memset(has, 0, sizeof(has));
        memset(counts, 0, sizeof(counts));
        for (size_t k = 0; k < ntraces; k++)
            if (begins(traces[k].path, path)) {
                has[traces[k].task] = 1;
                counts[traces[k].sample]++;
            }
        for (uint32_t p = 0; p < ntasks; p++) {
            assert_int_equal(prefixtree_has(t, i, p), has[p]);
            n += has[p];
        }
        assert_int_equal(prefixtree_count(t, i), n);
        assert_true(n > 0);
        for (uint32_t s = 0; s < SAMPLES; s++)
            assert_int_equal(t->counts[i * SAMPLES + s], counts[s]);
        assert_int_equal(prefixtree_traces(t, i),
                         counts[0] + counts[1] + counts[2]);
    }
    for (size_t k = 0; k < ntraces; k++)
        for (size_t deep = 1; deep <= strlen(traces[k].path); deep++) {
            char path[DEPTH + 1] = "";
            bool found = false;

            memcpy(path, traces[k].path, deep);
            for (size_t i = 0; i < nseen; i++)
                found = found || strcmp(seen[i], path) == 0;
            assert_true(found);
        }
}

static void build(struct prefixtree *t, uint32_t from, uint32_t to)
{
    assert_int_equal(prefixtree_init(t, to - from, SAMPLES, NULL), 0);
    for (size_t k = 0; k < ntraces; k++)
        if (traces[k].task >= from && traces[k].task < to)
            assert_int_equal(add(t, &traces[k], from), 0);
}

static void through_wire(struct prefixtree *t)
{
    struct str s = { 0 };
    struct err err = { 0 };

    assert_int_equal(prefixtree_pack(t, &s), 0);
    prefixtree_fini(t);
    if (prefixtree_parse(t, (uint8_t *)s.s, s.n, &err))
        fail_msg("%s", err.text);
    str_fini(&s);
}

static void test_add(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        uint32_t ntasks = 1 + pick(TASKS);
        struct prefixtree t;

        random_traces(ntasks, 1 + pick(9));
        build(&t, 0, ntasks);
        check(&t, ntasks);
        through_wire(&t);
        check(&t, ntasks);
        prefixtree_fini(&t);
    }
}

/* Cut into parts of any size, each over the wire, taken in in any order, some
 * by way of a tree between. */
static void test_merge(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        uint32_t ntasks = 1 + pick(TASKS), at = 0, cut[64], n = 0, first;
        struct prefixtree t, part, middle;

        random_traces(ntasks, 1 + pick(9));
        cut[n++] = 0;
        while (at < ntasks && n < 63) {
            at += 1 + pick(round % 2 ? 40 : 300);
            cut[n++] = at < ntasks ? at : ntasks;
        }
        cut[n] = ntasks;
        assert_int_equal(prefixtree_init(&t, ntasks, SAMPLES, NULL), 0);
        first = pick(n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = (first + i) % n, from = cut[k], to = cut[k + 1];
            uint32_t half = from + (to - from) / 2;

            assert_int_equal(prefixtree_init(&middle, to - from, SAMPLES,
                                             NULL), 0);
            build(&part, half, to);
            through_wire(&part);
            assert_int_equal(prefixtree_merge(&middle, &part, half - from,
                                              NULL), 0);
            prefixtree_fini(&part);
            build(&part, from, half);
            assert_int_equal(prefixtree_merge(&middle, &part, 0, NULL), 0);
            prefixtree_fini(&part);
            through_wire(&middle);
            assert_int_equal(prefixtree_merge(&t, &middle, from, NULL), 0);
            prefixtree_fini(&middle);
        }
        check(&t, ntasks);
        prefixtree_fini(&t);
    }
}

static void test_remap(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        uint32_t ntasks = 2 + pick(TASKS - 2), rank_of[TASKS];
        struct prefixtree t, out;

        random_traces(ntasks, 1 + pick(9));
        build(&t, 0, ntasks);
        for (uint32_t i = 0; i < ntasks; i++)
            rank_of[i] = i;
        if (round % 3 == 0)             /* two blocks, exchanged */
            for (uint32_t i = 0; i < ntasks; i++)
                rank_of[i] = (i + ntasks / 2) % ntasks;
        for (uint32_t i = 0; round % 3 == 1 && i < ntasks; i++) {
            uint32_t k = pick(ntasks), x = rank_of[i];

            rank_of[i] = rank_of[k];
            rank_of[k] = x;
        }
        assert_int_equal(prefixtree_remap(&out, &t, rank_of, ntasks, NULL), 0);
        for (size_t k = 0; k < ntraces; k++)
            traces[k].task = rank_of[traces[k].task];
        check(&out, ntasks);
        assert_int_equal(add(&out, &traces[0], 0), 0);  /* it goes on */
        through_wire(&out);
        prefixtree_fini(&out);
        prefixtree_fini(&t);
    }
}

/* Parts of a larger whole: some ranks are nobody's. */
static void test_remap_sparse(void **state)
{
    static const uint32_t rank_of[] = { 900000, 3, 65 };
    static const struct trace two[] = { { 0, 0, "ab" }, { 2, 1, "ac" } };
    struct prefixtree t, out;
    struct taskset s = { 0 };
    char text[64];

    (void)state;
    assert_int_equal(prefixtree_init(&t, 3, SAMPLES, NULL), 0);
    assert_int_equal(add(&t, &two[0], 0) | add(&t, &two[1], 0), 0);
    assert_int_equal(prefixtree_remap(&out, &t, rank_of, 1000000, NULL), 0);
    assert_int_equal(prefixtree_tasks(&out, 0, &s), 0);
    taskset_format(&s, text, sizeof(text));
    assert_string_equal(text, "65,900000");
    taskset_fini(&s);
    prefixtree_fini(&t);
    prefixtree_fini(&out);
}

/* The set of beginnings of a task's traces, as one text. */
static void reference_class(uint32_t task, char *out)
{
    bool any[TRACES] = { false };
    size_t n = 0;

    for (size_t k = 0; k < ntraces; k++)
        any[k] = traces[k].task == task;
    for (;;) {                          /* sorted, each once */
        const char *least = NULL;

        for (size_t k = 0; k < ntraces; k++)
            if (any[k] && (!least || strcmp(traces[k].path, least) < 0))
                least = traces[k].path;
        if (!least)
            break;
        for (size_t k = 0; k < ntraces; k++)
            if (any[k] && &traces[k].path[0] != least &&
                strcmp(traces[k].path, least) == 0)
                any[k] = false;
        for (size_t k = 0; k < ntraces; k++)
            if (traces[k].path == least)
                any[k] = false;
        bool inner = false;

        for (size_t k = 0; k < ntraces; k++)
            inner = inner || (any[k] && begins(traces[k].path, least));
        if (!inner)
            n += (size_t)sprintf(out + n, "%s ", least);
    }
    out[n] = '\0';
}

static void test_classes(void **state)
{
    static char text[TASKS][4096];

    (void)state;
    for (int round = 0; round < 6; round++) {
        uint32_t ntasks = 1 + pick(TASKS), seen = 0;
        struct prefixtree_classes c;
        struct prefixtree t;
        struct taskset s = { 0 };

        random_traces(ntasks, 1 + pick(5));
        build(&t, 0, ntasks);
        assert_int_equal(prefixtree_classify(&c, &t), 0);
        for (uint32_t p = 0; p < ntasks; p++)
            reference_class(p, text[p]);
        for (uint32_t p = 0; p < ntasks; p++) {
            assert_int_equal(c.class_of[p] == PREFIXTREE_NONE, !*text[p]);
            for (uint32_t q = 0; *text[p] && q < p; q++)
                assert_int_equal(c.class_of[p] == c.class_of[q],
                                 strcmp(text[p], text[q]) == 0);
        }
        for (uint32_t i = 0; i < c.n; i++) {
            const struct prefixtree_class *x = &c.v[i];
            size_t n = 0;

            assert_true(i == 0 || x[-1].count < x->count ||
                        (x[-1].count == x->count &&
                         x[-1].representative < x->representative));
            assert_int_equal(prefixtree_class_tasks(&c, &t, i, &s), 0);
            assert_int_equal(taskset_count(&s), x->count);
            assert_int_equal(taskset_next(&s, -1), x->representative);
            seen += x->count;
            for (uint32_t k = 0; k < x->nleaves; k++) {
                char path[DEPTH + 2];

                full_path(&t, c.leaves[x->leaf + k], path);
                strcat(path, " ");
                assert_non_null(strstr(text[x->representative], path));
                n += strlen(path);
            }
            assert_int_equal(n, strlen(text[x->representative]));
        }
        assert_int_equal(seen, prefixtree_count(&t, 0));
        taskset_fini(&s);
        prefixtree_classes_fini(&c);
        prefixtree_fini(&t);
    }
}

static void refused(const void *bytes, size_t n, const char *why)
{
    struct prefixtree t;
    struct err err = { 0 };

    assert_int_equal(prefixtree_parse(&t, bytes, n, &err), -1);
    assert_string_equal(err.text, why);
    assert_null(t.nodes);
}

static void test_limits(void **state)
{
    static const struct trace x = { 0, 0, "a" };
    struct prefixtree t, other;
    struct err err;
    uint32_t none[] = { 5 };

    (void)state;
    assert_int_equal(prefixtree_init(&t, 1 << 25, 1, &err), -1);
    assert_string_equal(err.text, "a call tree over 33554432 tasks; 16777216 "
                        "are the limit");
    assert_int_equal(prefixtree_init(&t, 4, 0, &err), -1);
    assert_int_equal(prefixtree_init(&t, 4, SAMPLES, NULL), 0);
    assert_int_equal(prefixtree_add(&t, 4, 0, none, 0, &err), -1);
    assert_int_equal(prefixtree_add(&t, 0, SAMPLES, none, 0, &err), -1);
    assert_int_equal(prefixtree_add(&t, 0, 0, none, 1, &err), -1);
    assert_string_equal(err.text, "a trace with frame 5 of 1");
    assert_int_equal(prefixtree_init(&other, 2, SAMPLES, NULL), 0);
    assert_int_equal(prefixtree_merge(&t, &other, 3, &err), -1);
    assert_string_equal(err.text, "a call tree over 2 tasks from 3 on and 3 "
                        "samples, of 4 tasks and 3 samples");
    assert_int_equal(prefixtree_merge(&t, &other, UINT32_MAX, &err), -1);
    assert_int_equal(prefixtree_merge(&t, &other, 2, &err), 0);
    assert_int_equal(add(&t, &x, 0), 0);
    assert_int_equal(prefixtree_push(&t, 0, 1), -1);    /* is there */
    prefixtree_fini(&other);
    prefixtree_fini(&t);
}

/* Each byte changed, and each beginning: a tree or a sentence. */
static void test_hostile(void **state)
{
    struct str s = { 0 };
    struct prefixtree t;
    struct err err;

    (void)state;
    refused("", 0, "0 bytes that are no call tree");
    refused("HPT2\1\1\1\1\1", 9, "9 bytes that are no call tree");
    refused("HPT1\1", 5, "a call tree that begins with numbers beyond the "
            "limits");
    refused("HPT1\4\1\1\1\1\0\0", 11,
            "a call tree whose node 0 is not in order");
    refused("HPT1\4\1\1\1\1\2\1\3\1\0", 14,         /* task 4 of 4 */
            "a call tree whose node 0 is not in order");
    refused("HPT1\4\1\2\1\1\1", 10,
            "a call tree whose name 1 is not in order");
    refused("HPT1\4\1\1\2\1\1\0\0\0\0", 14,     /* a name that is not there */
            "a call tree whose frame 1 is not in order");
    refused("HPT1\4\1\1\1\1\2\1\0\0\0\7", 15,
            "a call tree whose end, at byte 14 is not in order");
    random_traces(100, 5);
    ntraces = 20;
    build(&t, 0, 100);
    assert_int_equal(prefixtree_pack(&t, &s), 0);
    prefixtree_fini(&t);
    for (size_t i = 0; i < s.n; i++) {
        uint8_t *cut = malloc(i + 1);

        memcpy(cut, s.s, i);
        assert_int_equal(prefixtree_parse(&t, cut, i, &err), -1);
        free(cut);
        for (int bit = 0; bit < 8; bit++) {
            s.s[i] ^= (char)(1 << bit);
            if (prefixtree_parse(&t, (uint8_t *)s.s, s.n, &err) == 0)
                prefixtree_fini(&t);
            s.s[i] ^= (char)(1 << bit);
        }
    }
    str_fini(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add), cmocka_unit_test(test_merge),
        cmocka_unit_test(test_remap), cmocka_unit_test(test_remap_sparse),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_hostile),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
