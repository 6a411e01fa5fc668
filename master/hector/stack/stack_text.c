/* stack_text.c - a call tree for a terminal: classes, the tree, notes.
 *
 * The ranks have a column of their own, so that the tree stays readable; on a
 * narrow terminal ranks are cut first, then the ends of lines. Sentences are
 * not cut. */
#include "master/hector/stack/stack_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/paths.h"

enum { RANKS_MAX = 24, RANKS_MIN = 8, INDENT = 2, DEPTH = 64 };

static const char red[] = "\033[31m", dim[] = "\033[2m", bold[] = "\033[1m",
                  off[] = "\033[0m";

struct pen {
    struct str *out;
    const struct callview *v;
    const struct stack_text_style *style;
    unsigned ranks_width, count_width, traces_width;
};

/* Bytes of the first so many characters of UTF-8. */
static size_t bytes_of(const char *text, unsigned characters)
{
    const char *p = text;

    for (; *p; p++)
        if (((unsigned char)*p & 0xc0) != 0x80 && characters-- == 0)
            break;
    return (size_t)(p - text);
}

/* One line, shown safely, cut to the width; colour for all of it. */
static void put_line(const struct pen *p, const char *text, const char *colour)
{
    unsigned width = p->style->width;
    size_t n = strlen(text), size = 4 * n + 1;
    char *line = malloc(size);

    if (!line)
        return;
    n = str_visible(line, size, text, n);
    if (width && bytes_of(line, width) < n) {
        n = bytes_of(line, width - 1);
        line[n++] = '~';
    }
    if (colour && p->style->colour)
        str_addf(p->out, "%s%.*s%s\n", colour, (int)n, line, off);
    else
        str_addf(p->out, "%.*s\n", (int)n, line);
    free(line);
}

/* "[0-3,7]" as wide as its column, cut behind a comma if it must be. */
static void put_ranks(struct str *line, const char *ranks, unsigned width)
{
    size_t n = strlen(ranks);
    int keep = (int)width - 5;

    if (n <= width) {
        str_addf(line, "%-*s", (int)width, ranks);
        return;
    }
    while (keep > 1 && ranks[keep - 1] != ',')
        keep--;
    if (keep <= 1)
        keep = (int)width - 5;
    char cut[RANKS_MAX + 8];
    snprintf(cut, sizeof(cut), "%.*s...]", keep, ranks);
    str_addf(line, "%-*s", (int)width, cut);
}

static void put_place(struct str *line, const struct callview *v,
                      uint32_t node)
{
    const char *file = callview_file(v, node);

    if (*file && callview_line(v, node))
        str_addf(line, "  %s:%u", paths_base(file),
                 callview_line(v, node));
}

static void put_own(struct str *line, const struct callview *v, uint32_t node)
{
    if (callview_line(v, node))
        str_addf(line, " (%s:%u)", paths_base(callview_file(v, node)),
                 callview_line(v, node));
}

/* The innermost frame in the program itself: the line that its author can do
 * something about. */
static unsigned own_end(const struct callview *v, const uint32_t *path,
                        unsigned n)
{
    unsigned last = 0;

    for (unsigned i = 0; i < n; i++)
        if (strcmp(callview_module(v, path[i]),
                   callview_module(v, path[0])) == 0)
            last = i;
    return last;
}

static const char *title(const struct pen *p)
{
    return p->v->processes ? "PROCESSES" : "RANKS";
}

static void widths(struct pen *p)
{
    const struct callview *v = p->v;
    struct str ranks = { 0 };
    unsigned most = RANKS_MAX;
    char text[24];

    if (p->style->width && p->style->width < 70)
        most = RANKS_MIN;
    p->count_width = (unsigned)snprintf(text, sizeof(text), "%u", v->ntasks);
    p->traces_width = (unsigned)snprintf(text, sizeof(text), "%" PRIu64,
                                         prefixtree_traces(&v->tree, 0));
    for (uint32_t i = 0; i < v->n; i++) {
        str_reset(&ranks);
        callview_ranks(v, v->order[i], &ranks);
        if (ranks.n > p->ranks_width)
            p->ranks_width = (unsigned)ranks.n;
    }
    if (p->ranks_width > most)
        p->ranks_width = most;
    if (p->ranks_width < strlen(title(p)))
        p->ranks_width = (unsigned)strlen(title(p));
    str_fini(&ranks);
}

static void draw_head(const struct pen *p)
{
    const struct callview *v = p->v;
    struct str line = { 0 };

    str_addf(&line, "%s: %u %s%s", v->title, v->ntasks,
             v->processes ? "process" : "task",
             v->ntasks == 1 ? "" : v->processes ? "es" : "s");
    if (v->tree.nsamples > 1)
        str_addf(&line, ", %u samples", v->tree.nsamples);
    str_addf(&line, ", %u class%s", v->classes.n,
             v->classes.n == 1 ? "" : "es");
    put_line(p, str_text(&line), bold);
    str_fini(&line);
}

static void draw_class(const struct pen *p, uint32_t i)
{
    const struct callview *v = p->v;
    const struct prefixtree_class *c = &v->classes.v[i];
    struct str ranks = { 0 }, line = { 0 };

    callview_class_ranks(v, i, &ranks);
    for (uint32_t l = 0; l < c->nleaves; l++) {
        uint32_t leaf = v->classes.leaves[c->leaf + l], path[DEPTH];
        unsigned n = callview_path(v, leaf, path, DEPTH);

        str_reset(&line);
        if (l == 0) {
            str_addf(&line, "  %*u  ", (int)p->count_width, c->count);
            put_ranks(&line, str_text(&ranks), p->ranks_width);
        } else {
            str_addf(&line, "  %*s  %*s", (int)p->count_width, "",
                     (int)p->ranks_width, "");
        }
        str_add(&line, "  ");
        for (unsigned j = 0; j < n; j++) {
            str_addf(&line, "%s%s", j ? " > " : "",
                     callview_function(v, path[j]));
            if (j == own_end(v, path, n))
                put_own(&line, v, path[j]);
        }
        put_line(p, str_text(&line),
                 i == 0 && v->classes.n > 1 ? red : NULL);
    }
    str_fini(&ranks);
    str_fini(&line);
}

static void draw_node(const struct pen *p, uint32_t i)
{
    const struct callview *v = p->v;
    uint32_t node = v->order[i], count = prefixtree_count(&v->tree, node);
    struct str ranks = { 0 }, line = { 0 };
    uint32_t parent = v->tree.nodes[node].parent;

    callview_ranks(v, node, &ranks);
    str_addf(&line, "  %*u  ", (int)p->count_width, count);
    put_ranks(&line, str_text(&ranks), p->ranks_width);
    if (v->tree.nsamples > 1)
        str_addf(&line, "  %*" PRIu64, (int)p->traces_width,
                 prefixtree_traces(&v->tree, node));
    str_addf(&line, "  %*s%s", (int)(v->depth[i] * INDENT), "",
             callview_function(v, node));
    put_place(&line, v, node);
    put_line(p, str_text(&line),
             v->in_mpi[node] ? dim
             : parent && 2 * count <= prefixtree_count(&v->tree, parent) &&
               v->ntasks > 1 ? red : NULL);
    str_fini(&ranks);
    str_fini(&line);
}

static void draw_titles(const struct pen *p)
{
    struct str line = { 0 };

    str_addf(&line, "  %*s  %-*s", (int)p->count_width, "N",
             (int)p->ranks_width, title(p));
    if (p->v->tree.nsamples > 1)
        str_addf(&line, "  %*s", (int)p->traces_width, "T");
    str_add(&line, "  CALLS");
    put_line(p, str_text(&line), bold);
    str_fini(&line);
}

/* A sentence: goes on in the next line where it is too long for one. */
static void put_note(const struct pen *p, const char *text)
{
    struct str line = { 0 };
    unsigned indent = 0;

    while (*text) {
        unsigned room = p->style->width > INDENT ? p->style->width - indent : 0;
        size_t n = room ? bytes_of(text, room) : strlen(text);

        if (text[n]) {
            while (n > 0 && text[n] != ' ')
                n--;
            if (n == 0)
                n = strcspn(text, " ");
        }
        str_reset(&line);
        str_addf(&line, "%*s%.*s", (int)indent, "", (int)n, text);
        put_line(p, str_text(&line), NULL);
        text += n + strspn(text + n, " ");
        indent = INDENT;
    }
    str_fini(&line);
}

static void draw_notes(const struct pen *p)
{
    const Hct__CallTree *m = p->v->m;
    struct str line = { 0 };

    for (size_t i = 0; i < m->n_notes; i++) {
        str_reset(&line);
        str_addf(&line, "[%s]: %s", m->notes[i]->ranks, m->notes[i]->text);
        put_note(p, str_text(&line));
    }
    for (size_t i = 0; i < m->n_remarks; i++)
        put_note(p, m->remarks[i]);
    str_fini(&line);
}

void stack_draw_classes(struct str *out, const struct callview *v,
                        const struct stack_text_style *style, uint32_t most)
{
    struct pen p = { .out = out, .v = v, .style = style };

    widths(&p);
    draw_head(&p);
    for (uint32_t i = 0; i < v->classes.n && i < most; i++)
        draw_class(&p, i);
    draw_notes(&p);
}

void stack_draw_text(struct str *out, const struct callview *v,
                     const struct stack_text_style *style)
{
    struct pen p = { .out = out, .v = v, .style = style };

    widths(&p);
    draw_head(&p);
    for (uint32_t i = 0; i < v->classes.n; i++)
        draw_class(&p, i);
    if (v->n) {
        str_add(out, "\n");
        draw_titles(&p);
    }
    for (uint32_t i = 0; i < v->n; i++)
        draw_node(&p, i);
    if (v->m->n_notes || v->m->n_remarks)
        str_add(out, "\n");
    draw_notes(&p);
}
