/* fuzz_lines.c - any sequence of output, ends, words and time: what each task
 * wrote comes out complete and in order, with nothing but newlines added, and
 * the memory for it stays bounded.
 *
 * The bytes are steps: an action, a rank and port, a length or time. Rank r
 * writes only the letter 'a' + r and newlines, so that in the output every
 * letter says whose it is. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "redirector/out/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RANKS = 5, SOURCES = RANKS * 2 };

struct world {
    size_t wrote[SOURCES], seen[SOURCES];       /* letters */
    size_t newlines_in, newlines_out, words;
    int line_of[2];             /* whose the open line is, -1: nobody's */
    bool shared;
};

static void on_emit(void *arg, enum lines_port port, const void *data,
                    size_t n)
{
    struct world *w = arg;
    const char *p = data;

    assert(n > 0 && port < LINES_STDTIM);
    int *line = &w->line_of[w->shared ? 0 : port];

    for (size_t i = 0; i < n; i++) {
        if (p[i] == '\n') {
            w->newlines_out++;
            *line = -1;
        } else if (p[i] != '#') {
            int source = p[i] - 'a';

            assert(source >= 0 && source < SOURCES);
            assert(*line == -1 || *line == source);     /* never mixed */
            *line = source;
            w->seen[source]++;
        } else {
            assert(*line == -1);
        }
    }
}

static struct lines *world_open(struct world *w, uint8_t flags)
{
    struct lines_conf conf = { .ntasks = RANKS, .domain = { 0, 1, 2 },
                               .emit = on_emit, .arg = w };

    w->shared = flags & 1;
    conf.domain[1] = w->shared ? 0 : 1;
    w->line_of[0] = w->line_of[1] = -1;
    return lines_create(&conf);
}

static void write_some(struct lines *l, struct world *w, int source, size_t n,
                       bool newline, uint64_t now)
{
    static char text[2 << 20];

    memset(text, 'a' + source, n);
    if (newline && n > 0) {
        text[n / 2] = '\n';
        w->newlines_in++;
    }
    w->wrote[source] += n - (newline && n > 0);
    lines_input(l, source % 2 ? LINES_STDERR : LINES_STDOUT,
                (uint32_t)source / 2, text, n, 0, now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world w = { 0 };
    bool ended[SOURCES] = { false };
    uint64_t now = 1;
    struct lines *l = size > 0 ? world_open(&w, data[0]) : NULL;

    if (!l)
        return 0;
    for (size_t i = 1; i + 2 < size && i < 3000; i += 3) {
        int source = data[i + 1] % SOURCES;
        size_t n = data[i + 2];
        enum lines_port port = source % 2 ? LINES_STDERR : LINES_STDOUT;

        switch (data[i] % 7) {
        case 0:
        case 1:
        case 2:
            if (!ended[source])
                write_some(l, &w, source, n, data[i] % 7 > 0, now);
            break;
        case 3:
            now += n * 5000000;
            lines_tick(l, now);
            break;
        case 4:
            if (!ended[source] && n > 200)
                lines_end(l, port, (uint32_t)source / 2, now);
            ended[source] = ended[source] || n > 200;
            break;
        case 5:
            lines_say(l, port, "#\n", 2);
            w.words++;
            break;
        case 6:
            if (!ended[source] && n > 230)
                write_some(l, &w, source, 1 << 20, n % 2, now);
            break;
        }
        assert(lines_held(l) <= LINES_HELD);
        uint64_t due = lines_due(l);

        if (due && due <= now)
            lines_tick(l, now);
    }
    lines_finish(l);
    assert(lines_held(l) == 0);
    for (int i = 0; i < SOURCES; i++)
        assert(w.wrote[i] == w.seen[i]);
    assert(w.newlines_out >= w.newlines_in + w.words);
    lines_destroy(l);
    return 0;
}
