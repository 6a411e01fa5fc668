/* test_marginplot.c - how the margin of a deadline went, as a picture: where
 * what is, that of many instances no more is drawn than can be seen, and that
 * words of programs stay words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/hector/page/marginplot.h"

#define S 1000000000ull

static struct str out;

static const char *draw(const struct marginplot *p)
{
    str_reset(&out);
    marginplot_draw(p, &out);
    assert_false(str_failed(&out));
    return str_text(&out);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (; (text = strstr(text, what)); text += strlen(what))
        n++;
    return n;
}

static void has(const char *text, const char *what)
{
    if (!strstr(text, what))
        fail_msg("\"%s\" is not in:\n%s", what, text);
}

/* 150 pixels are from 100 % to the worst, below 26; 400 places from left to
 * right. */
static void places(void **state)
{
    static const struct marginplot_point points[] = {
        { 10 * S, 1, false }, { 11 * S, 0.5, false }, { 12 * S, -0.5, true },
        { 12 * S, 0.25, false }, { 14 * S, NAN, true },
    };
    static const struct marginplot_mark marks[] = {
        { 11 * S, MARGINPLOT_DECLINING, "soon" },
        { 12 * S, MARGINPLOT_MISSED, "now" }, { 13 * S, MARGINPLOT_MET, "again" },
        { 13 * S, MARGINPLOT_STEP, "5 <is> suspended" },
        { 14 * S, MARGINPLOT_OTHER, "?" },
    };
    struct marginplot p = { "a", 0.2, points, 4, NULL, 0 };
    const char *text = draw(&p);

    (void)state;
    has(text, "<g class=\"range\">\n<line x1=\"100.00%\" y1=\"101.0\" "
        "x2=\"100.00%\" y2=\"176.0\"/>\n</g>");
    has(text, "<g class=\"least\">\n<line x1=\"0.00%\" y1=\"26.0\" x2=\"50.13%\" "
        "y2=\"76.0\"/>\n<line x1=\"50.13%\" y1=\"76.0\" x2=\"100.00%\" "
        "y2=\"176.0\"/>\n</g>");
    has(text, "<circle class=\"late\" cx=\"100.00%\" cy=\"176.0\"");
    has(text, "class=\"zero\" x1=\"0\" x2=\"100%\" y1=\"126.0\"");
    has(text, "class=\"wanted\" x1=\"0\" x2=\"100%\" y1=\"106.0\"");
    has(text, ">+2.00 s</text>");
    assert_int_equal(count(text, "<title>"), 0);
    assert_null(strstr(text, "-100 %"));
    p = (struct marginplot){ "a", 0, points, 5, marks, 5 };
    text = draw(&p);
    has(text, "-100 %, or more");
    has(text, "cx=\"100.00%\" cy=\"176.0\"");   /* has not ended */
    has(text, "<g class=\"declining\"><title>soon</title><line x1=\"25.00%\"");
    has(text, "<g class=\"missed\"><title>now</title><line x1=\"50.00%\"");
    has(text, "<g class=\"met\">");
    has(text, "<g class=\"step\"><title>5 &lt;is&gt; suspended</title>");
    has(text, "<g class=\"other\"><title>?</title><line x1=\"100.00%\"");
    assert_null(strstr(text, "class=\"wanted\""));
}

static void one(void **state)
{
    static const struct marginplot_point point = { 7, -1e6, true };
    static const struct marginplot_mark before = { 3, MARGINPLOT_STEP, "" };
    struct marginplot p = { "\"a\" < <b> & 'c'\t*<=1s", 0.2, &point, 1, NULL, 0 };
    const char *text = draw(&p);

    (void)state;
    has(text, "margin of &quot;a&quot; &lt; &lt;b&gt; &amp; &#39;c&#39;\\x09*&lt;=1s");
    has(text, "cx=\"50.13%\" cy=\"176.0\"");
    p.marks = &before;
    p.nmarks = 1;
    text = draw(&p);
    has(text, "<svg x=\"0.00%\"");
    has(text, "cx=\"100.00%\" cy=\"176.0\"");
}

/* However many there are. */
static void many(void **state)
{
    enum { N = 200000 };
    struct marginplot_point *points = calloc(N, sizeof(*points));
    struct marginplot p = { "a", 0.2, points, N, NULL, 0 };

    (void)state;
    assert_non_null(points);
    for (size_t i = 0; i < N; i++)
        points[i] = (struct marginplot_point){ i, (double)(i % 1000) / 500 - 1,
                                               i % 1000 < 500 };
    assert_true(strlen(draw(&p)) < 90000);
    assert_in_range(count(str_text(&out), "class=\"late\""), 200, 400);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places), cmocka_unit_test(one), cmocka_unit_test(many),
    };
    int rc;

    cmocka_set_message_output(CM_OUTPUT_TAP);
    rc = cmocka_run_group_tests(tests, NULL, NULL);
    str_fini(&out);
    return rc;
}
