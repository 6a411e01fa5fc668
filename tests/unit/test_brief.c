/* test_brief.c - long names of C++, cut to what a person reads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "proto/base/brief.h"

#define LONG "std::vector<double, std::allocator<double> >"
#define NINE "aaaaaaaa:"

static const struct { const char *in, *out; } names[] = {
    { "", "" },
    { "main x.c:7", "main x.c:7" },
    { "f<int>(int) x.cc:1", "f<int>(int) x.cc:1" },
    { "void solve<" LONG ", " LONG " >(" LONG "&) x.cc:31",
      "void solve<...>(std::vector<...>&) x.cc:31" },
    { "A<" LONG ", " LONG ">::operator()(int) const x.cc:2",
      "A<...>::operator()(int) const x.cc:2" },
    { "S& operator<< <" LONG ", " LONG ">(S&, int) x.cc:2",
      "S& operator<< <...>(S&, int) x.cc:2" },
    { "A::operator->*(B<" LONG ", " LONG ">) x.cc:2",
      "A::operator->*(B<...>) x.cc:2" },
    { "(anonymous namespace)::run(" NINE NINE NINE NINE NINE NINE NINE NINE ")",
      "(anonymous namespace)::run(...)" },
    /* What is not closed stays. */
    { "f<" NINE NINE NINE NINE NINE NINE NINE NINE NINE " x.cc:3",
      "f<" NINE NINE NINE NINE NINE NINE NINE NINE NINE " x.cc:3" },
};

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct str s = { 0 };

        brief_add(&s, names[i].in);
        assert_string_equal(str_text(&s), names[i].out);
        str_fini(&s);
    }
}

/* The end says more than the beginning; characters stay whole. */
static void test_end(void **state)
{
    char name[400];

    (void)state;
    for (size_t from = 0; from < 3; from++) {
        struct str s = { 0 };

        memset(name, 'x', sizeof(name));
        for (size_t i = from; i + 1 < sizeof(name) - 10; i += 2)
            memcpy(name + i, "\xc3\xa9", 2);
        strcpy(name + sizeof(name) - 8, " x.cc:9");
        brief_add(&s, name);
        assert_true(s.n <= 2 * BRIEF_WIDTH && s.n > 2 * BRIEF_WIDTH - 4);
        assert_memory_equal(str_text(&s), "...", 3);
        assert_int_not_equal(str_text(&s)[3] & 0xc0, 0x80);
        assert_string_equal(str_text(&s) + s.n - 7, " x.cc:9");
        str_fini(&s);
    }
}

/* As in "in work()": nothing that the function takes. */
static void test_functions(void **state)
{
    static const struct { const char *name, *alone; } cases[] = {
        { "work", "work" },
        { "work()", "work" },
        { "Grid<double, 3>::step(int)", "Grid<double, 3>::step" },
        { "A::operator()(int) const", "A::operator()" },
        { "A::operator()", "A::operator()" },
        { "(anonymous namespace)::run(int)", "(anonymous namespace)::run" },
        { "par<double, main(int, char**)::<lambda(double)> >", "par<...>" },
        { "main(int, char**)::{lambda()#1}::operator()() const",
          "main(...)::{lambda()#1}::operator()" },
        { "sum<double>(double*, int)", "sum<double>" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct str s = { 0 };

        brief_function(&s, cases[i].name, 30);
        assert_string_equal(str_text(&s), cases[i].alone);
        str_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names), cmocka_unit_test(test_end),
        cmocka_unit_test(test_functions),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
