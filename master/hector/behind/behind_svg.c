/* behind_svg.c - the graph of who waits for whom as a picture: those who have
 * made the least progress on top, each further row waits for the ones above
 * it; and as a page around that. */
#include <inttypes.h>
#include <string.h>

#include "master/hector/behind/behind_draw.h"
#include "master/hector/stack/callview.h"

enum { WIDTH = 330, HEIGHT = 46, GAP = 30, ROW = 100, TOP = 60, MARGIN = 20,
       LETTERS = 44, NODES = 64 };

struct at { unsigned row, column; };

/* A node is below all that it waits for, as far as they do not wait in a
 * circle. */
static unsigned arrange(const struct behind *b, struct at *at, unsigned *widest)
{
    unsigned filled[NODES + 1] = { 0 }, rows = 0;

    memset(at, 0, NODES * sizeof(*at));
    for (size_t round = 0; round < b->n; round++)
        for (size_t i = 0; i < b->n; i++)
            for (size_t j = 0; j < b->n; j++)
                if ((b->node[i].waits_for >> (b->node[j].place - 1) & 1) &&
                    at[i].row <= at[j].row && at[j].row + 1 < b->n)
                    at[i].row = at[j].row + 1;
    *widest = 1;
    for (size_t i = 0; i < b->n; i++) {
        at[i].column = filled[at[i].row]++;
        if (filled[at[i].row] > *widest)
            *widest = filled[at[i].row];
        if (at[i].row + 1 > rows)
            rows = at[i].row + 1;
    }
    return rows;
}

static unsigned left(const struct at *at)
{
    return MARGIN + at->column * (WIDTH + GAP);
}

static unsigned top(const struct at *at)
{
    return TOP + at->row * ROW;
}

static void add_line(struct str *out, const struct at *from,
                     const struct at *to, bool sure)
{
    bool down = top(from) <= top(to);

    str_addf(out, "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" "
             "stroke=\"#555\"%s/>\n",
             left(from) + WIDTH / 2, top(from) + (down ? HEIGHT : 0),
             left(to) + WIDTH / 2, top(to) + (down ? 0 : HEIGHT),
             sure ? " marker-end=\"url(#to)\"" : " stroke-dasharray=\"4\"");
}

static void add_text(struct str *out, unsigned x, unsigned y, struct str *text)
{
    str_addf(out, "<text x=\"%u\" y=\"%u\">", x, y);
    if (text->n > LETTERS) {
        struct str cut = { 0 };

        str_addf(&cut, "%.*s...", LETTERS - 3, str_text(text));
        callview_escape_xml(out, str_text(&cut));
        str_fini(&cut);
    } else {
        callview_escape_xml(out, str_text(text));
    }
    str_add(out, "</text>");
}

static void add_node(struct str *out, const struct behind_node *n,
                     const struct at *at)
{
    struct str tasks = { 0 }, where = { 0 };

    behind_tasks(n, &tasks);
    behind_where(n, &where);
    str_addf(out, "<g><title>%" PRIu32 ". ", n->place);
    callview_escape_xml(out, str_text(&tasks));
    str_add(out, " ");
    callview_escape_xml(out, str_text(&where));
    str_addf(out, " %s</title><rect x=\"%u\" y=\"%u\" width=\"%d\" "
             "height=\"%d\" rx=\"6\" stroke=\"#333\" fill=\"%s\"/>",
             n->decided_by, left(at), top(at), WIDTH, HEIGHT,
             n->least ? "#ffcdd2" : "#eceff1");
    add_text(out, left(at) + 8, top(at) + 18, &tasks);
    add_text(out, left(at) + 8, top(at) + 36, &where);
    str_add(out, "</g>\n");
    str_fini(&tasks);
    str_fini(&where);
}

void behind_draw_svg(struct str *out, const struct behind *b, const char *title)
{
    struct at at[NODES];
    size_t n = b->n < NODES ? b->n : NODES;
    unsigned widest, rows = arrange(b, at, &widest);

    str_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
             "height=\"%u\" font-family=\"monospace\" font-size=\"12\">\n"
             "<defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
             "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
             "<path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
             "<text x=\"%d\" y=\"30\" font-size=\"16\">",
             2 * MARGIN + widest * (WIDTH + GAP), TOP + rows * ROW, MARGIN);
    callview_escape_xml(out, title);
    str_add(out, ": who waits for whom</text>\n");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (b->node[i].waits_for >> (b->node[j].place - 1) & 1)
                add_line(out, &at[i], &at[j], true);
            if (i < j && (b->node[i].unsure >> (b->node[j].place - 1) & 1))
                add_line(out, &at[i], &at[j], false);
        }
    for (size_t i = 0; i < n; i++)
        add_node(out, &b->node[i], &at[i]);
    str_add(out, "</svg>\n");
}

void behind_draw_html(struct str *out, const struct behind *b, const char *title)
{
    str_add(out, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>");
    callview_escape_xml(out, title);
    str_add(out, "</title></head>\n<body style=\"font-family:monospace\">\n");
    behind_draw_svg(out, b, title);
    str_add(out, "<table>\n");
    for (size_t i = 0; i < b->n; i++) {
        const struct behind_node *n = &b->node[i];
        struct str text = { 0 };

        behind_tasks(n, &text);
        str_add(&text, ": ");
        behind_where(n, &text);
        str_addf(out, "<tr><td>%" PRIu32 ".</td><td>", n->place);
        callview_escape_xml(out, str_text(&text));
        str_addf(out, "</td><td>%s</td></tr>\n", n->decided_by);
        str_fini(&text);
    }
    str_add(out, "</table>\n</body></html>\n");
}
