/* test_spots.c - is a stack one that was seen between these calls of MPI before? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "slave/stacks/spots.h"

static struct spots spots;

/* "main+10 work+200", after a call of this number; of the program, or of
 * "MODULE:function+1". */
static struct spot_stack stack(uint32_t call, const char *text)
{
    struct spot_stack s;
    char copy[200], *save, *word;

    spot_begin(&s, call);
    snprintf(copy, sizeof(copy), "%s", text);
    for (word = strtok_r(copy, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        char module[40] = "prog", function[40];
        unsigned long offset;

        if (strchr(word, ':'))
            assert_int_equal(sscanf(word, "%39[^:]:%39[^+]+%lu", module,
                                    function, &offset), 3);
        else
            assert_int_equal(sscanf(word, "%39[^+]+%lu", function, &offset), 2);
        spot_push(&s, module, function, offset);
    }
    return s;
}

static void learn(uint32_t call, const char *text)
{
    struct spot_stack s = stack(call, text);

    spots_learn(&spots, &s);
}

static void lead(const char *text)
{
    struct spot_stack s = stack(0, text);

    assert_true(s.wrapper);
    spots_lead(&spots, &s);
}

static bool know(uint32_t call, const char *text)
{
    struct spot_stack s = stack(call, text);

    return spots_know(&spots, &s);
}

static int teardown(void **state)
{
    (void)state;
    spots_fini(&spots);
    return 0;
}

/* Nobody knows which functions lead to MPI: in each the line counts. */
static void lines(void **state)
{
    (void)state;
    assert_false(know(7, "main+10 work+50"));
    learn(7, "main+10 work+50");
    learn(7, "main+10 work+80");
    assert_true(know(7, "main+10 work+50"));
    assert_true(know(7, "main+10 work+66"));
    assert_false(know(7, "main+10 work+81"));
    assert_false(know(7, "main+11 work+50"));   /* called from elsewhere */
    assert_false(know(7, "main+10 post+50"));
    assert_false(know(8, "main+10 work+50"));   /* after another call */
    assert_false(know(7, "libsolve:main+10 work+50"));
    assert_true(know(7, "main+10"));
}

/* It counts only in those that do: not where work() is, but that it is called in
 * the loop. */
static void functions(void **state)
{
    (void)state;
    learn(7, "main+10 work+50 kernel+7");
    lead("main+30 libhector.so:MPI_Barrier+5 libmpi.so.40:PMPI_Barrier+1");
    assert_true(know(7, "main+10 work+900 kernel+1"));
    assert_true(know(7, "main+10 work+900"));
    assert_false(know(7, "main+20 work+50 kernel+7"));
    assert_false(know(7, "main+10 work+50 write_out+7"));
}

/* A loop in one function, and what comes behind it in the same. */
static void behind(void **state)
{
    (void)state;
    learn(7, "main+100");
    learn(7, "main+140");
    lead("main+150 libhector.so:MPI_Barrier+5");
    assert_true(know(7, "main+120"));
    assert_false(know(7, "main+160"));
    assert_false(know(7, "main+60"));
}

/* What the system's libraries do is not told apart, and has no name. */
static void libraries(void **state)
{
    struct spot_stack s = stack(7, "main+1 work+2 libc.so.6:memcpy+3 x+4");

    (void)state;
    assert_string_equal(s.name, "work");
    assert_true(s.library);
    assert_false(s.wrapper);
    assert_int_equal(s.n, 2);
    s = stack(7, "prog+0x1f+5");
    assert_int_equal(s.n, 1);
    spot_push(&s, "prog", "par<double, main(int, char**)::<lambda(double)>, "
                          "int>(int)", 1);
    assert_string_equal(s.name, "par<...>");
}

static void bounds(void **state)
{
    char text[40];
    struct spot_stack deep;

    (void)state;
    spot_begin(&deep, 1);
    for (unsigned i = 0; i < 1000; i++)
        spot_push(&deep, "prog", "down", i);
    assert_int_equal(deep.n, SPOT_DEPTH);
    for (unsigned i = 0; i < 2 * SPOTS_MAX; i++) {
        snprintf(text, sizeof(text), "f%u+1", i);
        learn(7, text);
    }
    assert_true(spots.n <= SPOTS_MAX);
    assert_true(know(7, "f17+1"));
    assert_false(know(7, "none+1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lines, teardown),
        cmocka_unit_test_teardown(functions, teardown),
        cmocka_unit_test_teardown(behind, teardown),
        cmocka_unit_test(libraries),
        cmocka_unit_test_teardown(bounds, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
