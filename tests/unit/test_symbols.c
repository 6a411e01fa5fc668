/* test_symbols.c - names and lines in binaries that the compilers here have
 * just made: C with an inlined function, Fortran, a static PIE, a stripped
 * one, one that has changed since. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "slave/symbols/symbols.h"

static char dir[] = "/tmp/hct-symbols-XXXXXX";
static struct symbols *syms;

static const char c_source[] =
    "#include <stdio.h>\n"                                      /* 1 */
    "volatile int v;\n"
    "static inline __attribute__((always_inline)) void inner(void)\n"
    "{\n"
    "    v += 5;\n"                                             /* 5 */
    "}\n"
    "__attribute__((noinline)) void outer(void)\n"
    "{\n"
    "    inner();\n"                                            /* 9 */
    "}\n"
    "int main(void) { outer(); return v; }\n";                  /* 11 */

static const char f_source[] =
    "module m\n"
    "  integer, volatile :: v = 0\n"
    "contains\n"
    "  subroutine proc()\n"
    "    v = v + 1\n"                                           /* 5 */
    "  end subroutine\n"
    "end module\n"
    "subroutine plain()\n"
    "  use m\n"
    "  call proc()\n"                                           /* 10 */
    "end subroutine\n"
    "program heat\n"
    "  call plain()\n"                                          /* 13 */
    "end program\n";

/* What is inlined in a module, and a function that contains one. */
static const char f_inlined[] =
    "module m\n"
    "  integer, volatile :: v = 0\n"
    "contains\n"
    "  subroutine inner()\n"
    "    v = v + 1\n"                                           /* 5 */
    "  end subroutine\n"
    "  subroutine outer()\n"
    "    call inner()\n"                                        /* 8 */
    "  end subroutine\n"
    "end module\n"
    "subroutine around(n)\n"
    "  use m\n"
    "  integer :: n\n"
    "  do n = 1, 3\n"
    "    call within()\n"
    "    if (v > 9) call within()\n"
    "  end do\n"
    "contains\n"
    "  subroutine within()\n"
    "    v = v + n\n"                                           /* 20 */
    "  end subroutine\n"
    "end subroutine\n"
    "program heat\n"
    "  use m\n"
    "  integer :: n\n"
    "  call outer()\n"
    "  call around(n)\n"
    "end program\n";

static void write_file(const char *name, const char *text)
{
    char path[200];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

__attribute__((format(printf, 1, 2))) static int shell(const char *fmt, ...)
{
    char words[500], line[600];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    snprintf(line, sizeof(line), "cd %s && %s", dir, words);
    return system(line);
}

/* Where the function stands in the file. */
static uint64_t address_of(const char *file, const char *name, uint64_t *bytes)
{
    unsigned long long at = 0, n = 0;
    char line[600];
    FILE *p;

    snprintf(line, sizeof(line), "nm -S %s/%s | awk '$4 == \"%s\" "
             "{ print $1, $2 }'", dir, file, name);
    p = popen(line, "r");
    assert_non_null(p);
    assert_int_equal(fscanf(p, "%llx %llx", &at, &n), 2);
    pclose(p);
    if (bytes)
        *bytes = n;
    return at;
}

static const struct symbol *find(const char *file, uint64_t at)
{
    char path[200];
    const struct symbol *s;

    snprintf(path, sizeof(path), "%s/%s", dir, file);
    s = symbols_find(syms, path, NULL, 0, at, false, true);
    assert_non_null(s);
    assert_true(s->n >= 1 && s->n <= SYMBOL_DEPTH);
    assert_int_equal(s->offset, at);
    return s;
}

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);

    return n >= m && strcmp(text + n - m, with) == 0;
}

/* Some instruction of outer() is inner(), called in line 9. */
static void check_inlined(const char *file)
{
    uint64_t bytes, at = address_of(file, "outer", &bytes);
    bool seen = false;

    for (uint64_t i = 0; i < bytes; i++) {
        const struct symbol *s = find(file, at + i);

        assert_int_equal(s->note, SYMBOL_FOUND);
        assert_string_equal(s->frame[s->n - 1].function, "outer");
        if (s->n != 2)
            continue;
        assert_string_equal(s->frame[0].function, "inner");
        assert_true(ends(s->frame[0].file, "c.c"));
        assert_int_equal(s->frame[0].line, 5);
        assert_true(ends(s->frame[1].file, "c.c"));
        assert_int_equal(s->frame[1].line, 9);
        seen = true;
    }
    assert_true(seen);
}

static void test_c(void **state)
{
    (void)state;
    check_inlined("c");
    check_inlined("static-pie");
    check_inlined("no-aranges");
    assert_string_equal(find("c", address_of("c", "main", NULL))->module,
                        "c");
    assert_string_equal(
        find("c", address_of("c", "main", NULL))->frame[0].function, "main");
}

static void test_fortran(void **state)
{
    const struct symbol *s;

    (void)state;
    s = find("f", address_of("f", "__m_MOD_proc", NULL));
    assert_string_equal(s->frame[0].function, "m::proc");
    s = find("f", address_of("f", "plain_", NULL));
    assert_string_equal(s->frame[0].function, "plain");
    assert_true(ends(s->frame[0].file, "f.f90") && s->frame[0].line >= 8);
    s = find("f", address_of("f", "MAIN__", NULL));
    assert_string_equal(s->frame[0].function, "heat");
    /* Without DWARF the names of the symbol table are made readable. */
    s = find("f-nodebug", address_of("f-nodebug", "__m_MOD_proc", NULL));
    assert_string_equal(s->frame[0].function, "m::proc");
    assert_null(s->frame[0].file);
    s = find("f-nodebug", address_of("f-nodebug", "plain_", NULL));
    assert_string_equal(s->frame[0].function, "plain");
}

/* libdw itself does not look into modules. */
static void test_fortran_inlined(void **state)
{
    uint64_t at = address_of("fo", "__m_MOD_outer", NULL);
    const struct symbol *s;
    bool seen = false;

    (void)state;
    for (uint64_t a = at; a < at + 32; a++) {
        s = find("fo", a);
        if (s->n != 2 || strcmp(s->frame[1].function, "m::outer") != 0)
            continue;
        assert_string_equal(s->frame[0].function, "m::inner");
        assert_int_equal(s->frame[0].line, 5);
        assert_int_equal(s->frame[1].line, 8);
        seen = true;
    }
    assert_true(seen);
    s = find("fc", address_of("fc", "within.0", NULL));
    assert_string_equal(s->frame[0].function, "within");
    assert_in_range(s->frame[0].line, 19, 20);
}

static void test_stripped(void **state)
{
    uint64_t at = address_of("c", "outer", NULL);
    const struct symbol *s = find("stripped", at);
    char want[60];

    (void)state;
    assert_int_equal(s->note, SYMBOL_UNNAMED);
    snprintf(want, sizeof(want), "stripped+0x%llx", (unsigned long long)at);
    assert_string_equal(s->frame[0].function, want);
    assert_non_null(symbol_note_text(s->note));
    /* Names that were put aside are found. */
    s = find("aside", at);
    assert_int_equal(s->note, SYMBOL_FOUND);
    assert_string_equal(s->frame[s->n - 1].function, "outer");
}

static void test_other_build(void **state)
{
    static const uint8_t id[20] = { 1, 2, 3 };
    uint64_t at = address_of("c", "outer", NULL);
    const struct symbol *s;
    char path[200];

    (void)state;
    snprintf(path, sizeof(path), "%s/c", dir);
    s = symbols_find(syms, path, id, sizeof(id), at, false, true);
    assert_int_equal(s->note, SYMBOL_OTHER_BUILD);
    assert_null(strstr(s->frame[0].function, "outer"));
    s = symbols_find(syms, path, NULL, 0, at, false, true);
    assert_int_equal(s->note, SYMBOL_FOUND);
    s = symbols_find(syms, "/no/such/file", NULL, 0, 0x1234, true, true);
    assert_int_equal(s->note, SYMBOL_NO_FILE);
    assert_string_equal(s->frame[0].function, "file+0x1234");
    s = symbols_find(syms, "/etc/passwd", NULL, 0, 0x10, true, true);
    assert_int_equal(s->note, SYMBOL_NO_FILE);
}

/* The instruction before the one that a call returns to. */
static void test_call(void **state)
{
    uint64_t bytes, at = address_of("c", "outer", &bytes);
    char path[200];
    const struct symbol *s;

    (void)state;
    snprintf(path, sizeof(path), "%s/c", dir);
    s = symbols_find(syms, path, NULL, 0, at + bytes, true, true);
    assert_string_equal(s->frame[s->n - 1].function, "outer");
}

/* A program that was built anew is read anew. */
static void test_refresh(void **state)
{
    uint64_t at = address_of("c", "outer", NULL);

    (void)state;
    assert_int_equal(shell("cp c changing"), 0);
    assert_string_equal(find("changing", at)->module, "changing");
    symbols_refresh(syms);
    assert_int_equal(find("changing", at)->note, SYMBOL_FOUND);
    assert_int_equal(shell("cp stripped new && mv new changing"), 0);
    assert_int_equal(find("changing", at)->note, SYMBOL_FOUND);
    symbols_refresh(syms);
    assert_int_equal(find("changing", at)->note, SYMBOL_UNNAMED);
    assert_int_equal(shell("rm changing"), 0);
    symbols_refresh(syms);
    assert_int_equal(find("changing", at)->note, SYMBOL_NO_FILE);
}

/* Without lines the functions are the same; whether a name begins so. */
static void test_less(void **state)
{
    uint64_t bytes, at = address_of("c", "outer", &bytes);
    char path[200];

    (void)state;
    snprintf(path, sizeof(path), "%s/c", dir);
    for (uint64_t i = 0; i < bytes; i++) {
        struct symbol with = *find("c", at + i);
        const struct symbol *s = symbols_find(syms, path, NULL, 0, at + i,
                                              false, false);

        assert_int_equal(s->n, with.n);
        for (unsigned k = 0; k < s->n; k++) {
            assert_string_equal(s->frame[k].function, with.frame[k].function);
            assert_null(s->frame[k].file);
            assert_int_equal(s->frame[k].line, 0);
        }
    }
    assert_true(symbols_begins(syms, path, at, false, "out"));
    assert_false(symbols_begins(syms, path, at, false, "inner"));
    assert_false(symbols_begins(syms, "/no/such/file", at, false, "out"));
}

static void test_bounded(void **state)
{
    struct symbols *few = symbols_create(2, NULL);
    uint64_t at = address_of("c", "main", NULL);
    static const char *const names[] = { "c", "static-pie", "stripped" };

    (void)state;
    assert_non_null(few);
    for (int i = 0; i < 9; i++) {
        char path[200];

        snprintf(path, sizeof(path), "%s/%s", dir, names[i % 3]);
        assert_non_null(symbols_find(few, path, NULL, 0, at, false, true));
    }
    symbols_destroy(few);
    symbols_destroy(NULL);
}

static void test_names(void **state)
{
    static const struct { const char *raw, *pretty; } names[] = {
        { "main", "main" }, { "__m_MOD_p", "m::p" }, { "exchange_", "exchange" },
        { "MAIN__", "MAIN" }, { "_start", "_start" }, { "__libc_x", "__libc_x" },
        { "_", "_" }, { "", "" }, { "a__", "a__" }, { "__MOD_", "__MOD_" },
    };
    char out[64];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        symbol_pretty(out, sizeof(out), names[i].raw);
        assert_string_equal(out, names[i].pretty);
    }
}

static int make_binaries(void **state)
{
    struct err err;

    (void)state;
    if (!mkdtemp(dir))
        return -1;
    write_file("c.c", c_source);
    write_file("f.f90", f_source);
    write_file("fo.f90", f_inlined);
    syms = symbols_create(16, &err);
    return !syms ||
        shell("gcc -g -O2 -o c c.c && gcc -g -O2 -static-pie -o static-pie c.c"
              " && strip -o stripped c && gcc -g0 -O2 -o nodebug c.c") ||
        shell("objcopy --only-keep-debug c aside.debug && cp c aside &&"
              " strip aside && objcopy --add-gnu-debuglink=aside.debug aside") ||
        shell("cp c no-aranges && objcopy -R .debug_aranges no-aranges") ||
        shell("gfortran -g -O0 -o f f.f90 && gfortran -O0 -g0 -o f-nodebug"
              " f.f90") ||
        shell("gfortran -g -O2 -o fo fo.f90 && gfortran -g -O0 -o fc fo.f90");
}

static int remove_binaries(void **state)
{
    (void)state;
    symbols_destroy(syms);
    return shell("rm -rf %s", dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c), cmocka_unit_test(test_fortran),
        cmocka_unit_test(test_fortran_inlined), cmocka_unit_test(test_stripped),
        cmocka_unit_test(test_other_build),
        cmocka_unit_test(test_call), cmocka_unit_test(test_refresh),
        cmocka_unit_test(test_less), cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_names),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_binaries, remove_binaries);
}
