/* test_computing.c - in which function a task is seen more often than one of
 * its like; the slaves' answer is played, all else is real. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hct.pb-c.h"
#include "master/places/computing.h"
#include "master/tree/reduce.h"
#include "proto/tree/merge.h"
#include "proto/tree/prefixtree.h"

enum { TASKS = 4, SAMPLES = 48 };

/* -------------------------------------------- a reducer that is played */

static reduce_done_f *asked_done;
static void *asked_arg;
static char asked_ranks[16];
static unsigned asked, canceled;
static bool refuses;

uint64_t reducer_start(struct reducer *rd, const struct reduce_ask *ask,
                       reduce_done_f *done, void *arg, struct err *err)
{
    Hct__Stack *m = hct__stack__unpack(NULL, ask->nargument, ask->argument);

    (void)rd;
    assert_non_null(m);
    assert_int_equal(m->samples, SAMPLES);
    assert_true(m->lines);
    snprintf(asked_ranks, sizeof(asked_ranks), "%s", m->ranks);
    hct__stack__free_unpacked(m, NULL);
    asked_done = done;
    asked_arg = arg;
    if (refuses) {
        err_set(err, 0, "no");
        return 0;
    }
    return ++asked;
}

void reducer_cancel(struct reducer *rd, uint64_t id)
{
    (void)rd;
    assert_int_equal(id, asked);
    canceled++;
}

/* -------------------------------------------------------------- stacks */

/* "main heat.c:20 > flux heat.c:8 * 12": so many samples of it; without a line
 * it has no source, and of MPI is what is called so. */
static uint32_t frame(struct prefixtree *t, const char *text)
{
    char function[32], file[32] = "", module[16] = "heat";
    struct prefixtree_frame f = { 0 };
    unsigned line = 0;

    assert_true(sscanf(text, "%31s %31[^:]:%u", function, file, &line) >= 1);
    if (strncmp(function, "libc_", 5) == 0)
        strcpy(module, "libc.so.6");
    f.module = prefixtree_name(t, module, strlen(module));
    f.function = prefixtree_name(t, function, strlen(function));
    f.file = prefixtree_name(t, file, line ? strlen(file) : 0);
    f.line = line;
    return prefixtree_frame(t, &f);
}

static uint32_t add_stack(struct prefixtree *t, const char *stack,
                          uint32_t sample)
{
    char *text = strdup(stack), *save = NULL, *times = strrchr(text, '*');
    uint32_t frames[8], n = 0, many = (uint32_t)atoi(times + 1);
    struct err err;

    *times = '\0';
    for (char *p = strtok_r(text, ">", &save); p;
         p = strtok_r(NULL, ">", &save))
        frames[n++] = frame(t, p);
    for (uint32_t i = 0; i < many; i++)
        assert_int_equal(prefixtree_add(t, 0, sample + i, frames, n, &err), 0);
    free(text);
    return many;
}

/* The task that was asked for has these stacks, "" in the end; none: it is
 * gone. */
static void answer(const char *const *stacks)
{
    static const uint32_t rank_of[1] = { 0 };
    struct reduce_result r = { .merge = &merge_stack, .ntasks = 1, .width = 1,
                               .rank_of = rank_of };
    Hct__CallTree m = HCT__CALL_TREE__INIT;
    struct prefixtree t;
    struct str packed = { 0 };
    struct err err;
    uint32_t n = 0;
    uint8_t *bytes;

    assert_int_equal(prefixtree_init(&t, 1, SAMPLES, &err), 0);
    for (; stacks && **stacks; stacks++)
        n += add_stack(&t, *stacks, n);
    assert_int_equal(prefixtree_pack(&t, &packed), 0);
    m.tree.data = (uint8_t *)packed.s;
    m.tree.len = packed.n;
    bytes = malloc(hct__call_tree__get_packed_size(&m));
    assert_non_null(bytes);
    r.whole = merge_stack.create(1, &err);
    assert_int_equal(merge_stack.add(r.whole, bytes,
                                     hct__call_tree__pack(&m, bytes), 0, 1,
                                     &err), 0);
    if (!n) {
        merge_stack.destroy(r.whole);
        r.whole = NULL;
    }
    asked_done(asked_arg, &r);
    merge_stack.destroy(r.whole);
    free(bytes);
    str_fini(&packed);
    prefixtree_fini(&t);
}

/* --------------------------------------------------------------- a job */

static struct task tasks[TASKS];
static struct job job;
static struct whereis_by by;
static struct taskset odd;
static bool done;

static void on_done(void *arg)
{
    (void)arg;
    done = true;
}

static struct computing *start(uint32_t rank)
{
    static char a_reducer;

    memset(tasks, 0, sizeof(tasks));
    job = (struct job){ .id = 1, .ntasks = TASKS, .tasks = tasks };
    by = (struct whereis_by){ .reducer = (struct reducer *)&a_reducer,
                              .samples = 1 };
    taskset_fini(&odd);
    assert_int_equal(taskset_add(&odd, rank, rank), 0);
    asked = canceled = 0;
    done = refuses = false;
    return computing_start(&by, &job, rank, &odd, on_done, NULL);
}

static void check_said(const struct computing *c, const char *want)
{
    struct str s = { 0 };

    computing_add(c, &s);
    assert_string_equal(str_text(&s), want);
    str_fini(&s);
}

/* Where that is the task is, in its own function, from which it sleeps in libc; and
 * what it does in MPI is no computation. */
static void names_the_function(void **state)
{
    static const char *const of_odd[] = {
        "libc_start > main heat.c:20 > flux heat.c:8 > libc_sleep * 30",
        "libc_start > main heat.c:20 > flux heat.c:7 * 14",
        "main heat.c:21 > halo heat.c:16 > MPI_Waitall * 4", "" };
    static const char *const of_other[] = {
        "main heat.c:20 > flux heat.c:8 > libc_sleep * 20",
        "main heat.c:21 > halo heat.c:16 > MPI_Waitall > libc_poll * 28",
        "" };
    struct computing *c = start(2);

    (void)state;
    assert_non_null(c);
    assert_string_equal(asked_ranks, "2");
    answer(of_odd);
    assert_false(done);
    assert_string_equal(asked_ranks, "3");
    answer(of_other);
    assert_true(done);
    check_said(c, ", most in flux (heat.c:8): seen there 44 times of 48, task 3 20 "
                  "times");
    computing_free(c);
    assert_int_equal(canceled, 0);
}

/* One sample more or less is chance, and so is as much as this. */
static void says_nothing_of_chance(void **state)
{
    static const char *const of_odd[] = {
        "main heat.c:20 > flux heat.c:8 * 30",
        "main heat.c:21 > MPI_Waitall * 18", "" };
    static const char *const of_other[] = {
        "main heat.c:20 > flux heat.c:8 * 22",
        "main heat.c:21 > MPI_Waitall * 26", "" };
    struct computing *c = start(3);

    (void)state;
    answer(of_odd);
    assert_string_equal(asked_ranks, "0");
    answer(of_other);
    assert_true(done);
    check_said(c, "");
    computing_free(c);
}

/* It is compared with none that is odd itself, or has ended. */
static void compares_with_who_is_not_odd(void **state)
{
    static const char *const busy[] = { "main > work * 48", "" };
    struct computing *c;

    (void)state;
    c = start(1);
    computing_free(c);
    assert_int_equal(canceled, 1);
    assert_int_equal(taskset_add(&odd, 0, 2), 0);
    c = computing_start(&by, &job, 1, &odd, on_done, NULL);
    answer(busy);
    assert_string_equal(asked_ranks, "3");
    answer(NULL);               /* it has gone meanwhile */
    assert_true(done);
    check_said(c, "");
    computing_free(c);
    tasks[3].ended = true;
    assert_null(computing_start(&by, &job, 1, &odd, on_done, NULL));
}

/* Who is gone cannot be compared; nor can anybody without a reducer. */
static void tells_when_nobody_answers(void **state)
{
    struct computing *c = start(0);

    (void)state;
    answer(NULL);
    assert_true(done);
    assert_int_equal(asked, 1);
    check_said(c, "");
    computing_free(c);
    refuses = true;
    assert_null(computing_start(&by, &job, 0, &odd, on_done, NULL));
    by.reducer = NULL;
    assert_null(computing_start(&by, &job, 0, &odd, on_done, NULL));
    check_said(NULL, "");
    computing_free(NULL);
    taskset_fini(&odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_function),
        cmocka_unit_test(says_nothing_of_chance),
        cmocka_unit_test(compares_with_who_is_not_odd),
        cmocka_unit_test(tells_when_nobody_answers),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
