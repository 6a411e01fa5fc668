/* reportpage.c - see reportpage.h. The page is made as a whole before any of it
 * is printed. */
#include "master/hector/page/reportpage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/hector/page/marginplot.h"
#include "master/hector/page/markup.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"

enum { SHOWN = 40 };            /* of what was found of a deadline, as text */

static const char style[] =
":root { --ink: #24292f; --page: #fff; --grid: #d8dee4; }\n"
"@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3;\n"
"  --page: #0d1117; --grid: #30363d; } }\n"
"body { color: var(--ink); background: var(--page); margin: 16px;\n"
"  font: 14px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }\n"
"h1 { font-size: 18px; } h2 { font-size: 15px; margin: 24px 0 6px; }\n"
"figure { margin: 0 0 20px; } figcaption { margin-bottom: 4px; }\n"
".wide { overflow-x: auto; } table { border-collapse: collapse; }\n"
"th, td { padding: 2px 10px 2px 0; text-align: left; white-space: nowrap; }\n"
"th { border-bottom: 1px solid var(--grid); }\n"
".n { text-align: right; } ul { margin: 4px 0; padding-left: 18px; }\n";

void reportpage_begin(struct reportpage *p, const char *title)
{
    str_add(&p->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
            "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
            "content=\"width=device-width, initial-scale=1\">\n<title>");
    markup_add(&p->out, title);
    str_addf(&p->out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<h1>",
             style, marginplot_style);
    markup_add(&p->out, title);
    str_add(&p->out, "</h1>\n");
}

void reportpage_line(struct reportpage *p, const char *text)
{
    str_add(&p->out, "<p>");
    markup_add(&p->out, text);
    str_add(&p->out, "</p>\n");
}

/* ------------------------------------------------------------------ tables */

static const char *class_of(const struct table_column *c)
{
    return c->kind == TABLE_TEXT || c->kind == TABLE_WIDE ? "" : " class=\"n\"";
}

static int on_row(void *arg, int ncols, const char *const *names,
                  const struct store_value *v)
{
    struct reportpage *p = arg;
    char buf[HUMAN_MAX];

    (void)names;
    str_add(&p->out, "<tr>");
    for (int i = 0; i < ncols; i++) {
        str_addf(&p->out, "<td%s>", class_of(&p->columns[i]));
        markup_add(&p->out, table_cell(&p->columns[i], &v[i], clock_wall_ns(),
                                       buf));
        str_add(&p->out, "</td>");
    }
    str_add(&p->out, "</tr>\n");
    return 0;
}

static void on_head(void *arg, int ncols, const char *const *names)
{
    struct reportpage *p = arg;

    (void)names;
    str_add(&p->out, "<tr>");
    for (int i = 0; i < ncols; i++)
        str_addf(&p->out, "<th%s>%s</th>", class_of(&p->columns[i]),
                 p->columns[i].title);
    str_add(&p->out, "</tr>\n");
}

void reportpage_table(struct reportpage *p, const char *title,
                      const struct table_column *columns)
{
    p->columns = columns;
    p->rows = (struct query_rows){ on_head, on_row, p };
    str_addf(&p->out, "<h2>%s</h2>\n<div class=\"wide\"><table>\n", title);
}

void reportpage_table_end(struct reportpage *p)
{
    str_add(&p->out, "</table></div>\n");
}

/* ---------------------------------------------------------------- pictures */

/* What was found of all deadlines, and instances of one. */
struct margins {
    struct reportpage *page;
    struct marginplot_mark *found, *own;        /* owned, and texts of found */
    size_t nfound, found_cap, own_cap;
    struct marginplot_point *points;            /* owned */
    size_t n, cap;
    uint32_t number;            /* 0: of none yet */
    char *title;                /* owned */
    double wanted;
    bool failed;
};

/* As the policy deadline says it. */
static enum marginplot_kind kind_of(const char *why)
{
    return strstr(why, ": missed") ? MARGINPLOT_MISSED
           : strstr(why, ": still met") ? MARGINPLOT_DECLINING
           : strstr(why, ": met again") ? MARGINPLOT_MET : MARGINPLOT_OTHER;
}

static int on_late(void *arg, uint64_t at_ns, const char *why)
{
    struct margins *m = arg;
    char *text = strdup(why ? why : "");

    if (!text || array_reserve(&m->found, &m->found_cap, m->nfound + 1)) {
        free(text);
        m->failed = true;
        return 1;
    }
    m->found[m->nfound++] = (struct marginplot_mark){ at_ns, kind_of(text),
                                                      text };
    return 0;
}

/* Verdicts name their deadline as it is written shortest. */
static size_t take_own(struct margins *m)
{
    struct str name = { 0 };
    size_t n = 0;

    str_addf(&name, "deadline %s: ", m->title);
    if (str_failed(&name) || array_reserve(&m->own, &m->own_cap, m->nfound + 1))
        m->failed = true;
    for (size_t i = 0; i < m->nfound && !m->failed; i++)
        if (strstr(m->found[i].text, str_text(&name)))
            m->own[n++] = m->found[i];
    str_fini(&name);
    return n;
}

static void add_texts(struct margins *m, size_t n)
{
    struct str *out = &m->page->out;
    char buf[HUMAN_MAX];

    if (n)
        str_add(out, "<ul>\n");
    for (size_t i = 0; i < n && i < SHOWN; i++) {
        str_addf(out, "<li>%s ", human_stamp(buf, m->own[i].at_ns));
        markup_add(out, m->own[i].text);
        str_add(out, "</li>\n");
    }
    if (n > SHOWN)
        str_addf(out, "<li>and %zu more</li>\n", n - SHOWN);
    if (n)
        str_add(out, "</ul>\n");
}

static void draw(struct margins *m)
{
    size_t nown = m->n ? take_own(m) : 0;

    if (m->n && !m->failed) {
        const struct marginplot p = { m->title, m->wanted, m->points, m->n,
                                      m->own, nown };

        str_addf(&m->page->out, "<figure>\n<figcaption>%u: ", m->number);
        markup_add(&m->page->out, m->title);
        str_addf(&m->page->out, ", %zu times</figcaption>\n", m->n);
        marginplot_draw(&p, &m->page->out);
        add_texts(m, nown);
        str_add(&m->page->out, "</figure>\n");
    }
    m->n = 0;
}

static int on_instance(void *arg, const struct query_instance *i)
{
    struct margins *m = arg;

    if (i->number != m->number) {
        draw(m);
        free(m->title);
        m->title = strdup(i->text ? i->text : "");
        m->number = i->number;
        m->wanted = i->wanted;
    }
    m->failed |= !m->title || array_reserve(&m->points, &m->cap, m->n + 1);
    if (m->failed)
        return 1;
    m->points[m->n++] = (struct marginplot_point){
        i->at_ns, i->ended ? i->margin : NAN, i->late };
    return 0;
}

int reportpage_margins(struct reportpage *p, struct store *st, uint64_t job,
                       struct err *err)
{
    struct margins m = { .page = p };
    size_t before = p->out.n;
    int rc = query_late(st, job, on_late, &m, err) ||
             query_instances(st, job, on_instance, &m, err) ? -1 : 0;

    if (rc == 0)
        draw(&m);
    if (rc == 0 && m.failed)
        rc = err_memory(err);
    if (rc == 0 && p->out.n > before)
        reportpage_line(p, "The line is the least of the instances at a time,"
                        " behind it is the range of all; dots are late ones. Marks"
                        " above are what was found, and steps that were taken.");
    for (size_t i = 0; i < m.nfound; i++)
        free((char *)(uintptr_t)m.found[i].text);
    free(m.found);
    free(m.own);
    free(m.points);
    free(m.title);
    return rc;
}

int reportpage_end(struct reportpage *p, struct err *err)
{
    int rc = 0;

    str_add(&p->out, "</body>\n</html>\n");
    if (str_failed(&p->out))
        rc = err_memory(err);
    else if (fwrite(str_text(&p->out), 1, p->out.n, stdout) != p->out.n ||
             fflush(stdout))
        rc = err_sys(err, "cannot write");
    str_fini(&p->out);
    return rc;
}
