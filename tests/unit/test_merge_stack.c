/* test_merge_stack.c - call trees with notes from several slaves, honest ones
 * and such that are damaged or lie; and how such a tree is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hct.pb-c.h"
#include "master/hector/stack/callview.h"
#include "master/hector/stack/stack_draw.h"
#include "proto/tree/merge.h"
#include "proto/tree/prefixtree.h"

enum { WIDTH = 3 };             /* tasks of each part */

static const char *file = "/src/x.c";

static uint32_t frame(struct prefixtree *t, const char *module,
                      const char *function)
{
    struct prefixtree_frame f = { .line = 1 };

    f.module = prefixtree_name(t, module, strlen(module));
    f.function = prefixtree_name(t, function, strlen(function));
    f.file = prefixtree_name(t, file, strlen(file));
    return prefixtree_frame(t, &f);
}

/* Task 0 computes, the others are inside of MPI_Wait. */
static void make_tree(struct prefixtree *t, uint32_t width)
{
    uint32_t path[3];

    assert_int_equal(prefixtree_init(t, width, 1, NULL), 0);
    path[0] = frame(t, "a.out", "main");
    for (uint32_t i = 0; i < width; i++) {
        path[1] = frame(t, "a.out", i ? "MPI_Wait" : "compute");
        path[2] = frame(t, "libmpi.so.40", "ompi_wait");
        assert_int_equal(prefixtree_add(t, i, 0, path, i ? 3 : 2, NULL), 0);
    }
}

static void pack_tree(uint32_t width, struct str *out)
{
    struct prefixtree t;

    make_tree(&t, width);
    assert_int_equal(prefixtree_pack(&t, out), 0);
    prefixtree_fini(&t);
}

/* A part with notes "RANKS=TEXT;..." and a remark. */
static void pack_part(uint32_t width, const char *notes, const char *remark,
                      struct str *out)
{
    Hct__CallTree m = HCT__CALL_TREE__INIT;
    Hct__TreeNote note[8], *list[8];
    char *text = strdup(notes), *save = NULL, *remarks[1];
    struct str tree = { 0 };
    uint8_t *bytes;

    pack_tree(width, &tree);
    m.tree.data = (uint8_t *)tree.s;
    m.tree.len = tree.n;
    m.notes = list;
    for (char *p = strtok_r(text, ";", &save); p;
         p = strtok_r(NULL, ";", &save)) {
        Hct__TreeNote *n = &note[m.n_notes];

        hct__tree_note__init(n);
        n->ranks = p;
        n->text = strchr(p, '=') + 1;
        n->text[-1] = '\0';
        list[m.n_notes++] = n;
    }
    remarks[0] = (char *)(uintptr_t)remark;
    m.remarks = remarks;
    m.n_remarks = remark != NULL;
    m.copies = width;
    m.held_p50_ns = width * 100;
    bytes = malloc(hct__call_tree__get_packed_size(&m));
    assert_non_null(bytes);
    str_add_bytes(out, bytes, hct__call_tree__pack(&m, bytes));
    free(bytes);
    free(text);
    str_fini(&tree);
}

static int add(void *whole, const struct str *s, uint32_t at, uint32_t width,
               struct err *err)
{
    return merge_stack.add(whole, (const uint8_t *)s->s, s->n, at, width, err);
}

/* Of both parts, the second one read again from what the first level packs. */
static Hct__CallTree *merged(const char *one, const char *two)
{
    static const uint32_t rank_of[2 * WIDTH] = { 0, 2, 4, 1, 3, 5 };
    void *whole = merge_stack.create(2 * WIDTH, NULL), *half;
    struct str a = { 0 }, b = { 0 }, again = { 0 }, out = { 0 };
    Hct__CallTree *m;

    pack_part(WIDTH, one, "a.out: no names", &a);
    pack_part(WIDTH, two, "a.out: no names", &b);
    half = merge_stack.create(WIDTH, NULL);
    assert_int_equal(add(half, &b, 0, WIDTH, NULL), 0);
    assert_int_equal(merge_stack.pack(half, &again, NULL), 0);
    assert_int_equal(add(whole, &a, 0, WIDTH, NULL), 0);
    assert_int_equal(add(whole, &again, WIDTH, WIDTH, NULL), 0);
    assert_int_equal(merge_stack.finish(whole, rank_of, 2 * WIDTH, &out, NULL),
                     0);
    m = hct__call_tree__unpack(NULL, out.n, (uint8_t *)out.s);
    assert_non_null(m);
    merge_stack.destroy(half);
    merge_stack.destroy(whole);
    str_fini(&a);
    str_fini(&b);
    str_fini(&again);
    str_fini(&out);
    return m;
}

static void test_notes(void **state)
{
    Hct__CallTree *m = merged("0-1=late;2=gone", "1=gone;0=late");

    (void)state;
    assert_int_equal(m->n_notes, 2);
    assert_string_equal(m->notes[0]->text, "late");
    assert_string_equal(m->notes[0]->ranks, "0-2");     /* 0, 2 and 1 */
    assert_string_equal(m->notes[1]->text, "gone");
    assert_string_equal(m->notes[1]->ranks, "3-4");
    assert_int_equal(m->n_remarks, 1);
    assert_int_equal(m->copies, 2 * WIDTH);
    assert_int_equal(m->held_p50_ns, 300);
    hct__call_tree__free_unpacked(m, NULL);
}

/* Notes that make no sense are left out; the tree is worth more. */
static void test_lies(void **state)
{
    Hct__CallTree *m = merged("3=beyond;x=odd;0-4294967295=all of them;2-1=back",
                              "0=right");

    (void)state;
    assert_int_equal(m->n_notes, 5);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(m->notes[i]->ranks, "");
    assert_string_equal(m->notes[4]->ranks, "1");
    hct__call_tree__free_unpacked(m, NULL);
}

/* Each sentence another one, and long: there is an end to it. */
static void test_flood(void **state)
{
    void *whole = merge_stack.create(WIDTH, NULL);
    struct str s = { 0 }, out = { 0 };
    Hct__CallTree *m;
    char text[3000], remark[3000];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(text, sizeof(text), "0=%d%02000d", i, 0);
        snprintf(remark, sizeof(remark), "%d%02000d", i, 0);
        str_reset(&s);
        pack_part(WIDTH, text, remark, &s);
        assert_int_equal(add(whole, &s, 0, WIDTH, NULL), 0);
    }
    assert_int_equal(merge_stack.pack(whole, &out, NULL), 0);
    m = hct__call_tree__unpack(NULL, out.n, (uint8_t *)out.s);
    assert_non_null(m);
    assert_int_equal(m->n_notes, 256);
    assert_int_equal(m->n_remarks, 64);
    for (size_t i = 0; i < m->n_notes; i++)
        assert_int_equal(strlen(m->notes[i]->text), 400);
    hct__call_tree__free_unpacked(m, NULL);
    merge_stack.destroy(whole);
    str_fini(&s);
    str_fini(&out);
}

/* After a part that is wrong the whole is as it was. */
static void test_wrong(void **state)
{
    void *whole = merge_stack.create(2 * WIDTH, NULL);
    struct str s = { 0 }, before = { 0 }, after = { 0 };
    struct err err;

    (void)state;
    pack_part(WIDTH, "0=late", NULL, &s);
    assert_int_equal(add(whole, &s, 0, WIDTH, NULL), 0);
    assert_int_equal(merge_stack.pack(whole, &before, NULL), 0);
    assert_int_equal(add(whole, &s, WIDTH, WIDTH - 1, &err), -1);
    assert_string_equal(err.text, "a call tree over 3 tasks in place of 2");
    assert_int_equal(merge_stack.add(whole, (const uint8_t *)"\x0a\xff", 2, 0,
                                     WIDTH, &err), -1);
    assert_string_equal(err.text, "this is no call tree");
    for (size_t i = 0; i < s.n; i++) {          /* each bit, each beginning */
        merge_stack.add(whole, (const uint8_t *)s.s, i, WIDTH, WIDTH - 1, NULL);
        for (int bit = 0; bit < 8; bit++) {
            s.s[i] ^= (char)(1 << bit);
            add(whole, &s, WIDTH, WIDTH - 1, &err);
            s.s[i] ^= (char)(1 << bit);
        }
    }
    assert_int_equal(add(whole, &s, WIDTH, WIDTH, NULL), 0);
    merge_stack.destroy(whole);
    whole = merge_stack.create(2 * WIDTH, NULL);
    assert_int_equal(add(whole, &s, 0, WIDTH, NULL), 0);
    assert_int_equal(add(whole, &s, WIDTH, WIDTH - 1, NULL), -1);
    assert_int_equal(merge_stack.pack(whole, &after, NULL), 0);
    assert_int_equal(before.n, after.n);
    assert_memory_equal(before.s, after.s, after.n);
    merge_stack.destroy(whole);
    str_fini(&s);
    str_fini(&before);
    str_fini(&after);
}

/* More traces than the node above has, or than its tasks can have. */
static void test_counts(void **state)
{
    struct prefixtree t, other;
    struct str s = { 0 };
    struct err err;

    (void)state;
    for (int node = 0; node < 3; node++) {
        make_tree(&t, WIDTH);
        t.counts[node] = node ? t.counts[0] + 1 : UINT32_MAX;
        str_reset(&s);
        assert_int_equal(prefixtree_pack(&t, &s), 0);
        prefixtree_fini(&t);
        assert_int_equal(prefixtree_parse(&t, (uint8_t *)s.s, s.n, &err), -1);
        assert_non_null(strstr(err.text, "is not in order"));
    }
    make_tree(&t, WIDTH);                       /* sums have an end */
    make_tree(&other, WIDTH);
    t.counts[0] = other.counts[0] = UINT32_MAX - 1;
    assert_int_equal(prefixtree_merge(&t, &other, 0, NULL), 0);
    assert_int_equal(t.counts[0], UINT32_MAX);
    prefixtree_fini(&t);
    prefixtree_fini(&other);
    str_fini(&s);
}

/* ---------------------------------------------------------------- showing it */

static void test_view(void **state)
{
    Hct__CallTree *m = merged("0=late", "1=gone");
    struct callview v;
    struct str s = { 0 };
    uint32_t path[8];

    (void)state;
    assert_int_equal(callview_init(&v, m, true, NULL), 0);
    assert_int_equal(v.ntasks, 6);
    assert_int_equal(v.n, 3);                   /* nothing inside of MPI */
    assert_string_equal(callview_function(&v, v.order[0]), "main");
    assert_string_equal(callview_function(&v, v.order[1]), "compute");
    assert_string_equal(callview_function(&v, v.order[2]), "MPI_Wait");
    assert_int_equal(v.depth[1], 1);
    assert_int_equal(v.classes.n, 2);
    callview_class_ranks(&v, 0, &s);
    assert_string_equal(str_text(&s), "[0-1]"); /* the odd ones first */
    str_reset(&s);
    callview_ranks(&v, v.order[2], &s);
    assert_string_equal(str_text(&s), "[2-5]");
    assert_int_equal(callview_self(&v, v.order[0]), 0);
    assert_int_equal(callview_self(&v, v.order[2]), 4);
    assert_int_equal(callview_path(&v, v.order[2], path, 8), 2);
    assert_int_equal(callview_path(&v, v.order[2], path, 1), 1);
    assert_int_equal(path[0], v.order[0]);
    v.tree.counts[v.order[0]] = 1;              /* fewer than below it */
    assert_int_equal(callview_self(&v, v.order[0]), 0);
    callview_fini(&v);
    str_reset(&s);
    assert_int_equal(callview_init(&v, m, false, NULL), 0);
    assert_int_equal(v.n, 4);
    stack_draw_folded(&s, &v);
    assert_string_equal(str_text(&s), "main:1;compute:1 2\n"
                        "main:1;MPI_Wait:1;ompi_wait:1 4\n");
    callview_fini(&v);
    str_fini(&s);
    hct__call_tree__free_unpacked(m, NULL);
}

static bool page_has(const char *path, const char *text)
{
    Hct__CallTree *m;
    struct callview v;
    struct str s = { 0 };
    bool found;

    file = path;
    m = merged("0=late", "0=late");
    file = "/src/x.c";
    assert_int_equal(callview_init(&v, m, false, NULL), 0);
    stack_draw_html(&s, &v);
    assert_false(str_failed(&s));
    found = strstr(str_text(&s), text) != NULL;
    callview_fini(&v);
    str_fini(&s);
    hct__call_tree__free_unpacked(m, NULL);
    return found;
}

static void make_file(const char *path)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs("what is in it\n", f);
    fclose(f);
}

/* Sources are in the page; other files, and what would wait, are not. */
static void test_sources(void **state)
{
    char dir[] = "/tmp/hector-test-XXXXXX", c[64], key[64], fifo[64];

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(c, sizeof(c), "%s/x.c", dir);
    snprintf(key, sizeof(key), "%s/key", dir);
    snprintf(fifo, sizeof(fifo), "%s/fifo.c", dir);
    make_file(c);
    make_file(key);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_true(page_has(c, "what is in it"));
    assert_false(page_has(key, "what is in it"));
    assert_false(page_has(fifo, "what is in it"));
    assert_false(page_has("/dev/zero", "what is in it"));
    unlink(c);
    unlink(key);
    unlink(fifo);
    rmdir(dir);
}

static void test_no_view(void **state)
{
    Hct__CallTree m = HCT__CALL_TREE__INIT;
    struct callview v;
    struct err err;

    (void)state;
    m.tree.data = (uint8_t *)(uintptr_t)"HPT1\4\1\1\1\1\0\0";
    m.tree.len = 11;
    assert_int_equal(callview_init(&v, &m, true, &err), -1);
    assert_string_equal(err.text,
                        "a call tree whose node 0 is not in order");
}

static void test_escapes(void **state)
{
    struct str s = { 0 };

    (void)state;
    callview_escape_xml(&s, "a<b>&\"c\"\1\n\xc3\xa4");
    assert_string_equal(str_text(&s),
                        "a&lt;b&gt;&amp;&quot;c&quot;\xc3\xa4");
    str_reset(&s);
    callview_escape_dot(&s, "operator\"\" \\x\n\1");
    assert_string_equal(str_text(&s), "operator\\\"\\\" \\\\x");
    str_fini(&s);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes), cmocka_unit_test(test_lies),
        cmocka_unit_test(test_flood), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_counts), cmocka_unit_test(test_view),
        cmocka_unit_test(test_sources), cmocka_unit_test(test_no_view),
        cmocka_unit_test(test_escapes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
