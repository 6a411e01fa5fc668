/* test_lasttags.c - what hector why says of the last tags of tasks. */
#include "tests/unit/look.h"

#include "master/hector/why/lasttags.h"
#include "master/watch/callclass.h"
#include "master/watch/tape.h"

static struct err err;

/* The last of two looks has these. */
static void record(struct store *st, const char *const *tags, uint32_t n)
{
    struct store_look l = { .job = 7, .seq = 1, .at_ns = 5 };
    struct tape t = { 0 };
    struct str row = { 0 };

    look_at(n);
    assert_int_equal(tape_init(&t, n), 0);
    tape_write(&t, &look.in, &row);
    look.in.seq++;
    look.in.now_ns += S;
    for (uint32_t r = 0; r < n; r++)
        snprintf(look.rank[r].tag_text, sizeof(look.rank[r].tag_text), "%s",
                 tags[r]);
    tape_write(&t, &look.in, &row);
    l.data = (struct row_bytes){ str_text(&row), row.n };
    assert_int_equal(store_put_look(st, &l, &err), 0);
    tape_fini(&t);
    str_fini(&row);
}

/* One job, whose tasks have these last tags, up to NULL; "" is none. seen, if
 * not NULL: those of the last recorded look. */
static void expect_seen(const char *const *tags, const char *const *seen,
                        const char *want)
{
    struct store *st = store_open(":memory:", &err);
    struct store_job j = { .job = 7, .name = "a", .command = "c",
                           .state = "running", .submitted_ns = 1,
                           .started_ns = 2 };
    struct store_node n = { .name = "n", .state = "up" };
    struct str out = { 0 };
    int64_t node;

    assert_non_null(st);
    assert_int_equal(store_put_node(st, &n, &node, &err), 0);
    while (tags[j.ntasks])
        j.ntasks++;
    assert_int_equal(store_put_job(st, &j, &err), 0);
    for (uint32_t r = 0; r < j.ntasks; r++) {
        struct store_task t = { .job = 7, .rank = r, .node = node, .pid = 1,
                                .state = "running",
                                .last_tag = *tags[r] ? tags[r] : NULL };

        assert_int_equal(store_put_task(st, &t, &err), 0);
    }
    if (seen)
        record(st, seen, j.ntasks);
    lasttags_of_job(&out, st, 7);
    assert_string_equal(str_text(&out), want);
    lasttags_of_job(&out, st, 8);       /* that is not there */
    assert_string_equal(str_text(&out), want);
    str_fini(&out);
    store_close(st);
}

static void expect(const char *const *tags, const char *want)
{
    expect_seen(tags, NULL, want);
}
#define TAGS(...) (const char *const[]){ __VA_ARGS__, NULL }

static void groups(void **state)
{
    (void)state;
    expect(TAGS("step 12", "step 12", "step 12"),
           "last tag of all 3 tasks: \"step 12\"\n");
    expect(TAGS("step 12"), "last tag of task 0: \"step 12\"\n");
    expect(TAGS("b", "b", "a", "b", "b", "a"),
           "last tag of tasks 0-1,3-4: \"b\"\n"
           "last tag of tasks 2,5: \"a\"\n");
    expect(TAGS("", "b", "", "bb"),
           "no tag of tasks 0,2\n"
           "last tag of task 1: \"b\"\n"
           "last tag of task 3: \"bb\"\n");
    expect(TAGS("b", ""), "last tag of task 0: \"b\"\nno tag of task 1\n");
}

/* Tasks that run on are known by the looks; of those that have ended, what came
 * last counts. */
static void from_looks(void **state)
{
    (void)state;
    expect_seen(TAGS("", "", ""), TAGS("a", "a", "a"),
                "last tag of all 3 tasks: \"a\"\n");
    expect_seen(TAGS("", "z", "", ""), TAGS("a", "a", "", "z"),
                "last tag of task 0: \"a\"\nlast tag of tasks 1,3: \"z\"\n"
                "no tag of task 2\n");
}

static void none(void **state)
{
    (void)state;
    expect(TAGS("", ""), "");
}

static void many(void **state)
{
    (void)state;
    expect(TAGS("0", "1", "2", "3", "4", "5", "6", "7", "0"),
           "last tag of tasks 0,8: \"0\"\nlast tag of task 1: \"1\"\n"
           "last tag of task 2: \"2\"\nlast tag of task 3: \"3\"\n"
           "last tag of task 4: \"4\"\nlast tag of task 5: \"5\"\n"
           "last tag of task 6: \"6\"\nlast tag of task 7: \"7\"\n");
    expect(TAGS("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "8", ""),
           "last tag of task 0: \"0\"\nlast tag of task 1: \"1\"\n"
           "last tag of task 2: \"2\"\nlast tag of task 3: \"3\"\n"
           "last tag of task 4: \"4\"\nlast tag of task 5: \"5\"\n"
           "last tag of task 6: \"6\"\nlast tag of task 7: \"7\"\n"
           "... and 3 more: hector ps 7\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),
        cmocka_unit_test(from_looks),
        cmocka_unit_test(none),
        cmocka_unit_test(many),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
