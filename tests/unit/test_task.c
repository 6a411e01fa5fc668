/* test_task.c - is a task in the world of MPI that it was given? And for how long has
 * it stood, also where nobody was told. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi-wrappers/page.h"
#include "proto/base/clock.h"
#include "slave/jobs/node.h"
#include "slave/jobs/task.h"
#include "slave/page/registry.h"

struct look {
    uint32_t rank, size;        /* as MPI says */
    const char *nspace;         /* in its environment */
    bool news, given;           /* what follows */
};

static struct page_header *page_for(struct task *t)
{
    int fd = registry_make_page(&t->tally.page, 1, t->rank, 4, NULL);

    assert_true(fd >= 0);
    close(fd);
    return (struct page_header *)(void *)t->tally.page;
}

static void drop_page(struct task *t)
{
    registry_drop_page(t->tally.page);
    t->tally.page = NULL;
}

/* One program of task 1 of 4 after the other. */
static void follow(const struct look *v, size_t n, const char *nspace)
{
    struct records_window window = { 0 };
    struct task_given g = { 1, 4, nspace };
    struct task t;
    struct page_header *h;

    task_init(&t, 1, 1, &window);
    for (size_t i = 0; i < n; i++) {
        h = page_for(&t);
        task_new_program(&t, "Open MPI v4", sizeof("Open MPI v4"));
        assert_false(task_check_world(&t, &g));         /* not known yet */
        h->nspace = page_hash(v[i].nspace);
        h->world_rank = v[i].rank;
        h->world_size = v[i].size;
        assert_int_equal(task_check_world(&t, &g), v[i].news);
        assert_false(task_check_world(&t, &g));         /* once */
        if (v[i].news) {
            assert_true(t.facts & TASK_APART);
            assert_int_equal(t.world_rank, v[i].rank);
            assert_int_equal(t.world_size, v[i].size);
            assert_int_equal(t.world_given, v[i].given);
            assert_string_equal(t.mpi, "Open MPI v4");
        }
        drop_page(&t);
    }
    task_fini(&t);
}
#define FOLLOW(nspace, ...) do { \
        static const struct look v[] = { __VA_ARGS__ }; \
        follow(v, sizeof(v) / sizeof(v[0]), nspace); \
    } while (0)

static void test_worlds(void **state)
{
    (void)state;
    FOLLOW("h.1", { 1, 4, "h.1", false, false });
    FOLLOW("h.1", { 0, 1, "h.1", true, true }, { 0, 1, "h.1", false, false });
    FOLLOW("h.1", { 0, 4, "h.1", true, true });         /* another rank */
    FOLLOW("h.1", { 0, 1, NULL, true, false });         /* without it */
    FOLLOW("h.1", { 0, 2, "prte.7", true, false });     /* another's */
    FOLLOW("h.1", { 1, 4, "h.1", false, false },        /* a helper */
           { 0, 1, "h.1", true, false }, { 1, 4, "h.1", false, false });
    FOLLOW("h.1", { 0, 1, "h.1", true, true },          /* finds its way */
           { 1, 4, "h.1", true, true }, { 0, 1, "h.1", false, false });
    FOLLOW(NULL, { 0, 1, "slurm.4", true, true });      /* adopted */
}

static void test_unknown(void **state)
{
    struct task_given g = { 0, 0, NULL };
    struct records_window window = { 0 };
    struct task t;

    (void)state;
    task_init(&t, 1, 0, &window);
    assert_false(task_check_world(&t, &g));             /* no page */
    page_for(&t)->world_size = 3;
    assert_false(task_check_world(&t, &g));     /* nobody knows how many */
    drop_page(&t);
    task_fini(&t);
}

static void test_stood(void **state)
{
    const uint64_t ago_ns = 5 * CLOCK_NS_PER_S;
    const uint64_t began_ns = clock_wall_ns() - ago_ns;
    struct records_window window = { 0 };
    static struct node node;
    struct page_header *h;
    struct task t;

    (void)state;
    task_init(&t, 1, 0, &window);
    h = page_for(&t);
    h->clock = PAGE_CLOCK_MONOTONIC;
    assert_false(task_stood_unseen(&t, &node, 0));      /* we did not stand */
    assert_false(task_stood(&t, 0));
    assert_true(task_stood_unseen(&t, &node, ago_ns));
    assert_true(t.held && t.by_others);
    assert_in_range(t.held_ns, began_ns, began_ns + ago_ns);
    assert_true(task_stood(&t, 0));                     /* it goes on */
    assert_false(t.held || t.by_others);
    assert_in_range(h->stood_ticks, ago_ns, 2 * ago_ns);

    assert_false(task_stood(&t, SIGSTOP));      /* nobody has asked it */
    assert_false(task_stood_unseen(&t, &node, ago_ns));
    assert_false(task_stood(&t, 0));
    assert_true(task_stood(&t, SIGTSTP));
    assert_false(task_stood(&t, SIGTSTP));              /* that is no news */
    assert_false(task_stood_unseen(&t, &node, ago_ns));
    assert_true(task_stood(&t, 0));
    drop_page(&t);
    task_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds), cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_stood),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
