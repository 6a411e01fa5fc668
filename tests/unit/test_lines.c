/* test_lines.c - whole lines: scripted sequences with virtual time, and the
 * promises (no byte lost, no line mixed) over random ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/out/lines.h"

#define MS 1000000ull

/* What was written, port by port and all together. */
struct sink {
    struct str port[LINES_PORTS], all;
    size_t emits;
};

static void on_emit(void *arg, enum lines_port port, const void *p, size_t n)
{
    struct sink *s = arg;

    assert_true(n > 0);
    str_add_bytes(&s->port[port], p, n);
    str_add_bytes(&s->all, p, n);
    s->emits++;
}

static void sink_fini(struct sink *s)
{
    for (int i = 0; i < LINES_PORTS; i++)
        str_fini(&s->port[i]);
    str_fini(&s->all);
}

/* ---------------------------------------------------------------- scripts
 *
 * A script is lines "TIME RANK STREAM TEXT": time in ms, stream o or e, E for
 * the end of the rank's stream ("TIME RANK o END"), "TIME - say TEXT" for our
 * own words, "TIME = TEXT": all that was written since the last such line is
 * TEXT. \n in TEXT is a newline. Between the lines what is due happens when
 * it is due. "finish" ends. */
struct script {
    const char *name;
    uint32_t ntasks;
    enum label_style label;
    bool shared;                /* stdout and stderr are one terminal */
    const char *text;
};

static const struct script scripts[] = {
    { "whole lines pass at once", 2, LABEL_NONE, false,
      "0 0 o a\\n\n0 = a\\n\n0 1 o b\\nc\\n\n0 = b\\nc\\n\n" },
    { "a piece waits for its line", 2, LABEL_NONE, false,
      "0 0 o ab\n50 = \n60 0 o c\\n\n60 = abc\\n\n" },
    { "an idle piece is written after 100 ms", 2, LABEL_NONE, false,
      "0 0 o ab\n99 = \n101 = ab\n500 0 o c\\n\n500 = c\\n\n" },
    { "the wait starts anew with each piece", 2, LABEL_NONE, false,
      "0 0 o a\n90 0 o b\n180 = \n191 = ab\n" },
    { "others' lines wait for the owner's newline", 2, LABEL_NONE, false,
      "0 0 o ab\n100 = ab\n200 1 o x\\ny\\n\n200 = \n"
      "300 0 o c\\n\n300 = c\\nx\\ny\\n\n" },
    { "but a second at most", 2, LABEL_NONE, false,
      "0 0 o ab\n100 = ab\n200 1 o x\\n\n1199 = \n1201 = \\nx\\n\n"
      "1300 0 o c\\n\n1300 = c\\n\n" },
    { "a second from the first that waits", 3, LABEL_NONE, false,
      "0 0 o ab\n100 = ab\n200 1 o x\\n\n1100 2 o y\\n\n1199 = \n"
      "1201 = \\nx\\ny\\n\n" },
    { "pieces of others wait without limit", 2, LABEL_NONE, false,
      "0 0 o ab\n100 = ab\n200 1 o xy\n9000 = \n9000 0 o c\\n\n"
      "9000 = c\\nxy\n" },
    { "the owner's next line is nobody's", 2, LABEL_NONE, false,
      "0 0 o ab\n100 = ab\n110 0 o c\\nd\n110 = c\\n\n"
      "120 1 o x\\n\n120 = x\\n\n130 0 o e\\n\n130 = de\\n\n" },
    { "a stream that ends in a piece", 2, LABEL_NONE, false,
      "0 0 o ab\n10 0 o END\n10 = ab\n20 1 o x\\n\n20 = \\nx\\n\n" },
    { "the very end adds nothing", 2, LABEL_NONE, false,
      "0 0 o ab\n10 0 o END\n10 = ab\n10 1 o END\nfinish\n10 = \n" },
    { "the owner ends, who waits goes on", 2, LABEL_NONE, false,
      "0 0 o ab\n100 = ab\n200 1 o x\\n\n300 0 o END\n300 = \\nx\\n\n" },
    { "a piece that ends while another owns", 3, LABEL_NONE, false,
      "0 0 o ab\n100 = ab\n200 1 o xy\n210 1 o END\n220 2 o z\\n\n220 = \n"
      "300 0 o c\\n\n300 = c\\nxy\\nz\\n\n" },
    { "stdout and stderr apart do not wait for each other", 2, LABEL_NONE,
      false, "0 0 o ab\n100 = ab\n200 1 e x\\n\n200 = x\\n\n" },
    { "on one terminal they do", 2, LABEL_NONE, true,
      "0 0 o ab\n100 = ab\n200 1 e x\\n\n200 = \n300 0 o c\\n\n"
      "300 = c\\nx\\n\n" },
    { "on one terminal also with itself", 2, LABEL_NONE, true,
      "0 0 o ab\n100 = ab\n200 0 e x\\n\n200 = \n1201 = \\nx\\n\n" },
    { "one task alone is a pipe", 1, LABEL_NONE, false,
      "0 0 o ab\n0 = ab\n0 0 o c\\nd\n0 = c\\nd\n0 0 o END\n0 = \n" },
    { "also on one terminal", 1, LABEL_NONE, true,
      "0 0 o ab\n0 = ab\n0 0 e c\n0 = c\n" },
    { "our words begin a line", 1, LABEL_NONE, true,
      "0 0 o ab\n0 = ab\n0 - say hector: hm\\n\n0 = \\nhector: hm\\n\n" },
    { "our words do not wait for an owner", 2, LABEL_NONE, true,
      "0 0 o ab\n100 = ab\n150 1 o x\\n\n200 - say hector: hm\\n\n"
      "200 = \\nx\\nhector: hm\\n\n300 0 o c\\n\n300 = c\\n\n" },
    { "our words pass by pieces that wait", 2, LABEL_NONE, true,
      "0 0 o ab\n10 - say hector: hm\\n\n10 = hector: hm\\n\n101 = ab\n" },
    { "labels stand at the beginning of lines", 2, LABEL_RANK, false,
      "0 0 o a\\nb\\n\n0 = 0: a\\n0: b\\n\n0 1 o \\n\n0 = 1: \\n\n" },
    { "one label a line, however it comes", 2, LABEL_RANK, false,
      "0 0 o abc\n200 = 0: abc\n300 0 o def\n300 = def\n400 0 o g\\nh\\n\n"
      "400 = g\\n0: h\\n\n" },
    { "a cut line gets a label again", 2, LABEL_RANK, false,
      "0 0 o ab\n100 = 0: ab\n200 1 o x\\n\n1201 = \\n1: x\\n\n"
      "1300 0 o c\\n\n1300 = 0: c\\n\n" },
    { "labels of what waits", 2, LABEL_RANK, false,
      "0 0 o ab\n100 = 0: ab\n200 1 o x\\ny\\nz\n290 0 o c\\n\n"
      "290 = c\\n1: x\\n1: y\\n\n301 = 1: z\n" },
    { "one task with labels is no pipe", 1, LABEL_RANK, false,
      "0 0 o ab\n50 = \n101 = 0: ab\n110 0 o c\\n\n110 = c\\n\n" },
    { "width as srun", 11, LABEL_RANK, false,
      "0 3 o a\\n\n0 = 03: a\\n\n0 10 o b\\n\n0 = 10: b\\n\n" },
    { "tags as mpirun", 2, LABEL_TAG, false,
      "0 1 o a\\n\n0 = [1,1]<stdout>:a\\n\n"
      "0 0 e b\\n\n0 = [1,0]<stderr>:b\\n\n" },
    { "a labelled piece at its end", 2, LABEL_RANK, false,
      "0 0 o ab\n10 0 o END\n10 = 0: ab\n20 1 o x\\n\n20 = \\n1: x\\n\n" },
    { "finish writes what waits", 2, LABEL_RANK, false,
      "0 0 o ab\n100 = 0: ab\n150 1 o x\\ny\nfinish\n"
      "150 = \\n1: x\\n1: y\n" },
};

struct player { struct lines *l; struct sink sink; uint64_t now; };

static void play_until(struct player *p, uint64_t now)
{
    uint64_t due;

    while ((due = lines_due(p->l)) != 0 && due <= now) {
        if (due > p->now)
            p->now = due;
        lines_tick(p->l, p->now);
    }
    p->now = now;
}

/* "\n" in scripts is two characters. */
static size_t unescape(const char *from, size_t n, char *to)
{
    size_t len = 0;

    for (size_t i = 0; i < n; i++)
        if (from[i] == '\\' && i + 1 < n && from[i + 1] == 'n')
            to[len++] = '\n', i++;
        else
            to[len++] = from[i];
    return len;
}

static void play_line(struct player *p, const struct script *s,
                      const char *line, size_t n)
{
    char word[32], text[256];
    unsigned long at = 0;
    int rank = -1, used = 0;
    char stream = 0;

    if (n >= 6 && strncmp(line, "finish", 6) == 0) {
        lines_finish(p->l);
        return;
    }
    if (sscanf(line, "%lu %31s%n", &at, word, &used) < 2)
        return;                 /* the continuation of a broken text */
    play_until(p, at * MS + 1000 * MS);
    const char *rest = line + used;

    rest += *rest == ' ' && rest < line + n;
    if (strcmp(word, "=") == 0) {
        size_t len = unescape(rest, (size_t)(line + n - rest), text);

        if (len != p->sink.all.n || memcmp(text, str_text(&p->sink.all), len))
            fail_msg("%s: at %lu: got \"%s\", not \"%.*s\"", s->name, at,
                     str_text(&p->sink.all), (int)len, text);
        str_reset(&p->sink.all);
        return;
    }
    if (strcmp(word, "-") == 0) {
        size_t len = unescape(rest + 4, (size_t)(line + n - rest - 4), text);

        lines_say(p->l, LINES_STDERR, text, len);
        return;
    }
    rank = atoi(word);
    stream = *rest;
    enum lines_port port = stream == 'e' ? LINES_STDERR : LINES_STDOUT;

    rest += 2;
    if (strncmp(rest, "END", 3) == 0) {
        lines_end(p->l, port, (uint32_t)rank, p->now);
    } else {
        size_t len = unescape(rest, (size_t)(line + n - rest), text);

        lines_input(p->l, port, (uint32_t)rank, text, len, 0, p->now);
    }
}

static void test_scripts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        const struct script *s = &scripts[i];
        struct player p = { .now = 1000 * MS };
        struct label label;
        struct lines_conf conf = {
            .ntasks = s->ntasks, .domain = { 0, s->shared ? 0 : 1, 2 },
            .emit = on_emit, .arg = &p.sink
        };

        label_init(&label, s->label, false, s->ntasks);
        if (label_wanted(&label))
            conf.label = &label;
        p.l = lines_create(&conf);
        assert_non_null(p.l);
        for (const char *line = s->text; *line; ) {
            size_t n = strcspn(line, "\n");

            play_line(&p, s, line, n);
            line += n + 1;
        }
        lines_destroy(p.l);
        sink_fini(&p.sink);
    }
}

/* --------------------------------------------------------- long and many */

static struct lines *open_lines(struct sink *sink, uint32_t ntasks,
                                struct label *label)
{
    struct lines_conf conf = { .ntasks = ntasks, .domain = { 0, 1, 2 },
                               .label = label, .emit = on_emit, .arg = sink };
    struct lines *l = lines_create(&conf);

    assert_non_null(l);
    return l;
}

static void test_long_line(void **state)
{
    struct sink sink = { 0 };
    struct lines *l = open_lines(&sink, 2, NULL);
    size_t piece = 64 << 10, n = 0;
    char *x = malloc(piece);

    (void)state;
    memset(x, 'x', piece);
    for (int i = 0; i < 100; i++, n += piece) {
        lines_input(l, LINES_STDOUT, 0, x, piece, 0, MS);
        assert_true(lines_held(l) <= LINES_LONG);
    }
    assert_int_equal(sink.all.n, n);    /* its writer owns the port */
    lines_input(l, LINES_STDOUT, 1, "y\n", 2, 0, 2 * MS);
    assert_int_equal(sink.all.n, n);
    lines_input(l, LINES_STDOUT, 0, "\n", 1, 0, 3 * MS);
    assert_int_equal(sink.all.n, n + 3);
    assert_memory_equal(sink.all.s + n - 1, "x\ny\n", 4);
    lines_destroy(l);
    sink_fini(&sink);
    free(x);
}

/* Two tasks, each with one line that never ends: both get on, memory stays
 * bounded. */
static void test_two_long_lines(void **state)
{
    struct sink sink = { 0 };
    struct lines *l = open_lines(&sink, 2, NULL);
    size_t piece = 64 << 10, count[2] = { 0, 0 };
    uint64_t now = MS;
    char *x = malloc(piece);

    (void)state;
    for (int i = 0; i < 2000; i++, now += MS)
        for (uint32_t rank = 0; rank < 2; rank++) {
            memset(x, rank ? 'b' : 'a', piece);
            lines_input(l, LINES_STDOUT, rank, x, piece, 0, now);
            if (lines_due(l) && lines_due(l) <= now)
                lines_tick(l, now);
            assert_true(lines_held(l) <= LINES_HELD + piece);
        }
    lines_finish(l);
    for (size_t i = 0; i < sink.all.n; i++)
        if (sink.all.s[i] != '\n')
            count[sink.all.s[i] == 'b']++;
    assert_int_equal(count[0], 2000 * piece);
    assert_int_equal(count[1], 2000 * piece);
    lines_destroy(l);
    sink_fini(&sink);
    free(x);
}

/* Somebody owns, others write without end: bounded, nothing lost. */
static void test_held_is_bounded(void **state)
{
    struct sink sink = { 0 };
    struct lines *l = open_lines(&sink, 3, NULL);
    char line[1000];
    size_t n = 3;

    (void)state;
    memset(line, 'z', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    lines_input(l, LINES_STDOUT, 0, "ab", 2, 0, MS);
    lines_tick(l, 200 * MS);
    assert_string_equal(str_text(&sink.all), "ab");
    for (int i = 0; i < 20000; i++, n += sizeof(line)) {
        lines_input(l, LINES_STDOUT, 1 + (uint32_t)i % 2, line, sizeof(line),
                    0, 201 * MS);
        assert_true(lines_held(l) <= LINES_HELD);
    }
    lines_finish(l);
    assert_int_equal(sink.all.n, n);    /* ab, a newline, the lines */
    lines_destroy(l);
    sink_fini(&sink);
}

/* Binary data of one task among several, without a neighbour: unchanged. */
static void test_one_writer_is_unchanged(void **state)
{
    struct sink sink = { 0 };
    struct str in = { 0 };
    struct lines *l = open_lines(&sink, 4, NULL);
    uint64_t now = MS;
    char piece[5000];

    (void)state;
    srand(7);
    for (int i = 0; i < 2000; i++) {
        size_t n = 1 + (size_t)rand() % sizeof(piece);

        for (size_t k = 0; k < n; k++)
            piece[k] = (char)(rand() % (i % 7 ? 256 : 3) + (i % 7 ? 0 : 9));
        str_add_bytes(&in, piece, n);
        lines_input(l, LINES_STDOUT, 2, piece, n, 0, now);
        now += (uint64_t)(rand() % 150) * MS;
        lines_tick(l, now);
    }
    lines_end(l, LINES_STDOUT, 2, now);
    lines_finish(l);
    assert_int_equal(sink.all.n, in.n);
    assert_memory_equal(sink.all.s, in.s, in.n);
    lines_destroy(l);
    sink_fini(&sink);
    str_fini(&in);
}

/* One task, no labels: not even copied. */
static void test_pipe_is_uncopied(void **state)
{
    struct sink sink = { 0 };
    struct lines *l = open_lines(&sink, 1, NULL);

    (void)state;
    for (int i = 0; i < 100; i++)
        lines_input(l, LINES_STDOUT, 0, "a\nb", 3, 0, MS);
    assert_int_equal(sink.emits, 100);
    assert_int_equal(lines_due(l), 0);
    assert_int_equal(lines_held(l), 0);
    lines_destroy(l);
    sink_fini(&sink);
}

/* Many ranks write numbered lines in random pieces at random times, quickly
 * enough that no line is cut: each line comes out whole, once, in order. */
static void random_run(unsigned seed, struct label *label)
{
    enum { RANKS = 13, LINES = 60 };
    struct sink sink = { 0 };
    struct lines *l = open_lines(&sink, RANKS, label);
    struct str out[RANKS] = { { 0 } };
    size_t at[RANKS] = { 0 };
    uint64_t now = MS;
    size_t left = 0;

    srand(seed);
    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < LINES; i++)
            str_addf(&out[r], "rank %d line %d %.*s\n", r, i, rand() % 50,
                     "..................................................");
        left += out[r].n;
    }
    while (left > 0) {
        uint32_t r = (uint32_t)rand() % RANKS;
        size_t n = (size_t)rand() % 90;

        if (n > out[r].n - at[r])
            n = out[r].n - at[r];
        lines_input(l, LINES_STDOUT, r, out[r].s + at[r], n, 0, now);
        at[r] += n;
        left -= n;
        now += (uint64_t)(rand() % 3) * MS;
        lines_tick(l, now);
        if (n > 0 && at[r] == out[r].n)
            lines_end(l, LINES_STDOUT, r, now);
    }
    lines_finish(l);
    int next[RANKS] = { 0 };

    for (const char *p = str_text(&sink.all); *p; p += strcspn(p, "\n") + 1) {
        int mark = -1, r = -1, i = -1;

        if (label && sscanf(p, "%d: rank %d line %d", &mark, &r, &i) != 3)
            fail_msg("seed %u: \"%.40s\"", seed, p);
        if (!label && sscanf(p, "rank %d line %d", &r, &i) != 2)
            fail_msg("seed %u: \"%.40s\"", seed, p);
        assert_true(r >= 0 && r < RANKS && (!label || mark == r));
        assert_int_equal(i, next[r]++);
    }
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(next[r], LINES);
        str_fini(&out[r]);
    }
    lines_destroy(l);
    sink_fini(&sink);
}

static void test_random(void **state)
{
    struct label label;

    (void)state;
    label_init(&label, LABEL_RANK, false, 13);
    for (unsigned seed = 1; seed < 100; seed++) {
        random_run(seed, NULL);
        random_run(seed, &label);
    }
}

static void test_stdtim_has_no_label(void **state)
{
    static const char tim[] = "Task 1 Enter:x\t0\t1.000001\n";
    struct sink sink = { 0 };
    struct label label;
    struct lines_conf conf = { .ntasks = 2, .stdtim = true,
                               .domain = { 0, 1, 0 }, .label = &label,
                               .emit = on_emit, .arg = &sink };

    (void)state;
    label_init(&label, LABEL_RANK, false, 2);
    struct lines *l = lines_create(&conf);

    lines_input(l, LINES_STDTIM, 1, tim, sizeof(tim) - 1, 0, MS);
    lines_input(l, LINES_STDOUT, 1, "a", 1, 0, MS);
    lines_tick(l, 200 * MS);
    lines_input(l, LINES_STDTIM, 1, tim, sizeof(tim) - 1, 0, 200 * MS);
    assert_string_equal(str_text(&sink.all),
                        "Task 1 Enter:x\t0\t1.000001\n1: a");
    lines_input(l, LINES_STDOUT, 1, "\n", 1, 0, 210 * MS);
    assert_string_equal(str_text(&sink.all),
                        "Task 1 Enter:x\t0\t1.000001\n1: a\n"
                        "Task 1 Enter:x\t0\t1.000001\n");
    lines_destroy(l);
    sink_fini(&sink);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_two_long_lines),
        cmocka_unit_test(test_held_is_bounded),
        cmocka_unit_test(test_one_writer_is_unchanged),
        cmocka_unit_test(test_pipe_is_uncopied),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_stdtim_has_no_label),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
