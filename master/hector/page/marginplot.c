/* marginplot.c - see marginplot.h. Places across are in per cent, those down in
 * pixels: so text, dots and lines keep their size however wide it is shown. */
#include "master/hector/page/marginplot.h"

#include <math.h>
#include <stdio.h>

#include "master/hector/core/human.h"
#include "master/hector/page/markup.h"

enum { TOP = 26, HEIGHT = 150, BOTTOM = 22, PLACES = 400 };

const char marginplot_style[] =
"svg.margin { display: block; font: 12px system-ui, sans-serif;\n"
"  --ink: #24292f; --grid: #d8dee4; --zero: #57606a; --line: #0969da;\n"
"  --range: #9ec5f0; --bad: #cf222e; --warn: #9a6700; --good: #1a7f37;\n"
"  --step: #8250df; --page: #fff; }\n"
"@media (prefers-color-scheme: dark) { svg.margin { --ink: #e6edf3;\n"
"  --grid: #30363d; --zero: #9198a1; --line: #58a6ff; --range: #1f4b7d;\n"
"  --bad: #ff7b72; --warn: #d29922; --good: #3fb950; --step: #bc8cff;\n"
"  --page: #0d1117; } }\n"
".margin text { fill: var(--ink); stroke: var(--page); stroke-width: 3px;\n"
"  paint-order: stroke; }\n"
".margin .grid { stroke: var(--grid); }\n"
".margin .zero { stroke: var(--zero); stroke-width: 1.5px; }\n"
".margin .wanted { stroke: var(--warn); stroke-dasharray: 5 4; }\n"
".margin .range { stroke: var(--range); stroke-width: 3px;\n"
"  stroke-linecap: round; }\n"
".margin .least { stroke: var(--line); stroke-width: 1.5px; }\n"
".margin .late { fill: var(--bad); stroke: none; }\n"
".margin .declining { stroke: var(--warn); fill: var(--warn); }\n"
".margin .missed { stroke: var(--bad); fill: var(--bad); }\n"
".margin .met { stroke: var(--good); fill: var(--good); }\n"
".margin .other { stroke: var(--zero); fill: var(--zero); }\n"
".margin .step { stroke: var(--step); fill: var(--step); }\n";

static const char *const kinds[] = {
    [MARGINPLOT_DECLINING] = "declining", [MARGINPLOT_MISSED] = "missed",
    [MARGINPLOT_MET] = "met", [MARGINPLOT_OTHER] = "other",
    [MARGINPLOT_STEP] = "step",
};

struct place {                  /* of the instances of some time */
    double least, most;
    bool any, late;
};

struct plot {
    const struct marginplot *p;
    struct str *to;
    uint64_t from_ns, until_ns;
    double low;                 /* margin at the lower edge */
    struct place place[PLACES];
};

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* 0 to 1. */
static double across(const struct plot *t, uint64_t at_ns)
{
    double all = (double)(t->until_ns - t->from_ns);

    return all > 0 ? clamp((double)(at_ns - t->from_ns) / all, 0, 1) : 0.5;
}

/* Pixels from the upper edge of the scale. */
static double down(const struct plot *t, double margin)
{
    return HEIGHT * (1 - clamp(margin, t->low, 1)) / (1 - t->low);
}

static void take_points(struct plot *t)
{
    const struct marginplot *p = t->p;

    t->from_ns = p->points[0].at_ns;
    t->until_ns = p->points[p->npoints - 1].at_ns;
    for (size_t i = 0; i < p->nmarks; i++) {
        if (p->marks[i].at_ns < t->from_ns)
            t->from_ns = p->marks[i].at_ns;
        if (p->marks[i].at_ns > t->until_ns)
            t->until_ns = p->marks[i].at_ns;
    }
    t->low = -0.1;
    for (size_t i = 0; i < p->npoints; i++) {
        const struct marginplot_point *is = &p->points[i];
        struct place *at = &t->place[(size_t)(across(t, is->at_ns) *
                                              (PLACES - 1) + 0.5)];
        double x = isnan(is->margin) ? -1 : clamp(is->margin, -1, 1);

        at->least = at->any ? fmin(at->least, x) : x;
        at->most = at->any ? fmax(at->most, x) : x;
        at->late |= is->late;
        at->any = true;
        t->low = fmin(t->low, x);
    }
}

static void add_rule(const struct plot *t, double margin, const char *class)
{
    str_addf(t->to, "<line class=\"%s\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" "
             "y2=\"%.1f\"/>\n", class, TOP + down(t, margin),
             TOP + down(t, margin));
}

static void add_scale(const struct plot *t)
{
    static const int percents[] = { 100, 50, 0, -50, -100 };

    for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
        if (percents[i] / 100.0 >= t->low)
            add_rule(t, percents[i] / 100.0, percents[i] ? "grid" : "zero");
    if (t->p->wanted > 0)
        add_rule(t, t->p->wanted, "wanted");
}

/* Over the lines. */
static void add_scale_text(const struct plot *t)
{
    static const struct { double margin; const char *text; } words[] = {
        { 1, "100 %" }, { 0.5, "50 %" }, { 0, "0: due" }, { -0.5, "-50 %" },
        { -1, "-100 %, or more" },
    };
    char buf[HUMAN_MAX];

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i].margin >= t->low)
            str_addf(t->to, "<text x=\"4\" y=\"%.1f\">%s</text>\n",
                     TOP + down(t, words[i].margin) - 3, words[i].text);
    str_addf(t->to, "<text x=\"4\" y=\"%d\">%s</text>\n", TOP + HEIGHT + 16,
             human_stamp(buf, t->from_ns));
    str_addf(t->to, "<text x=\"100%%\" dx=\"-4\" y=\"%d\" text-anchor=\"end\">"
             "+%s</text>\n", TOP + HEIGHT + 16,
             human_duration(buf, (int64_t)(t->until_ns - t->from_ns)));
}

/* One that is as thick at any width. */
static void add_line(const struct plot *t, int from, double from_margin, int to,
                     double to_margin)
{
    str_addf(t->to, "<line x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" "
             "y2=\"%.1f\"/>\n", 100.0 * from / (PLACES - 1),
             TOP + down(t, from_margin), 100.0 * to / (PLACES - 1),
             TOP + down(t, to_margin));
}

static void add_lines(const struct plot *t)
{
    int before = -1;

    str_add(t->to, "<g class=\"range\">\n");
    for (int i = 0; i < PLACES; i++)
        if (t->place[i].any && t->place[i].most > t->place[i].least)
            add_line(t, i, t->place[i].most, i, t->place[i].least);
    str_add(t->to, "</g>\n<g class=\"least\">\n");
    for (int i = 0; i < PLACES; i++)
        if (t->place[i].any) {
            if (before >= 0)
                add_line(t, before, t->place[before].least, i,
                         t->place[i].least);
            before = i;
        }
    str_add(t->to, "</g>\n");
    for (int i = 0; i < PLACES; i++)
        if (t->place[i].late)
            str_addf(t->to, "<circle class=\"late\" cx=\"%.2f%%\" cy=\"%.1f\" "
                     "r=\"2.5\"/>\n", 100.0 * i / (PLACES - 1),
                     TOP + down(t, t->place[i].least));
}

static void add_mark(const struct plot *t, const struct marginplot_mark *m)
{
    double x = 100 * across(t, m->at_ns);

    str_addf(t->to, "<g class=\"%s\"><title>", kinds[m->kind]);
    markup_add(t->to, m->text);
    str_addf(t->to, "</title><line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"10\" "
             "y2=\"%d\"/>", x, x, TOP + HEIGHT);
    if (m->kind == MARGINPLOT_STEP)
        str_addf(t->to, "<svg x=\"%.2f%%\" overflow=\"visible\"><rect x=\"-5\" "
                 "y=\"3\" width=\"10\" height=\"10\"/></svg>", x);
    else
        str_addf(t->to, "<circle cx=\"%.2f%%\" cy=\"8\" r=\"5\"/>", x);
    str_add(t->to, "</g>\n");
}

void marginplot_draw(const struct marginplot *p, struct str *to)
{
    struct plot t = { .p = p, .to = to };

    take_points(&t);
    str_addf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"margin\" "
             "width=\"100%%\" height=\"%d\" role=\"img\" "
             "aria-label=\"margin of ", TOP + HEIGHT + BOTTOM);
    markup_add(to, p->title);
    str_add(to, "\">\n");
    add_scale(&t);
    add_lines(&t);
    for (size_t i = 0; i < p->nmarks; i++)
        add_mark(&t, &p->marks[i]);
    add_scale_text(&t);
    str_add(to, "</svg>\n");
}
