/* due.c - reads what is due, see due.h. A reader walks over the text once; each
 * part moves it behind itself, and what is wrong is named with its column. */
#include "proto/conf/due.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/parse.h"
#include "proto/base/str.h"
#include "proto/conf/instant.h"

static const char quoted_signs[] = "\",</@";    /* not without quotes */

struct reader {
    const char *text, *p;
    bool comments;
    struct err *err;
};

struct part { const char *p; size_t n; };       /* of the text */

/* Columns are characters of UTF-8, from 1. */
__attribute__((format(printf, 3, 4)))
static int bad(const struct reader *r, const char *at, const char *fmt, ...)
{
    char why[sizeof(r->err->text)];
    unsigned column = 1;
    va_list ap;

    for (const char *p = r->text; p < at; p++)
        column += ((unsigned char)*p & 0xc0) != 0x80;
    va_start(ap, fmt);
    vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    return err_set(r->err, EINVAL, "column %u: %s", column, why);
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct reader *r)
{
    while (blank(*r->p))
        r->p++;
}

static bool comment(const struct reader *r, const char *p)
{
    return r->comments && *p == '#' && (p == r->text || blank(p[-1]));
}

/* Up to the next comma, without blanks around it. */
static struct part take_value(struct reader *r)
{
    struct part v;

    skip_blanks(r);
    v.p = r->p;
    while (*r->p && *r->p != ',' && !comment(r, r->p))
        r->p++;
    v.n = (size_t)(r->p - v.p);
    while (v.n && blank(v.p[v.n - 1]))
        v.n--;
    if (*r->p == '#')
        r->p += strlen(r->p);
    return v;
}

/* As a string of its own; what is too long for it is nothing that fits here. */
static const char *text_of(struct part v, char *buf, size_t size)
{
    if (v.n >= size)
        return "";
    memcpy(buf, v.p, v.n);
    buf[v.n] = '\0';
    return buf;
}

static bool is_duration(struct part v, uint64_t *ns)
{
    char buf[64];

    return parse_duration(ns, text_of(v, buf, sizeof(buf)), NULL) == 0;
}

static int take_limit(struct reader *r, uint64_t *ns)
{
    struct part v = take_value(r);

    if (v.n == 0)
        return bad(r, v.p, "a time is wanted here, as 20ms, 1.5s or 2m");
    if (!is_duration(v, ns))
        return bad(r, v.p, "\"%.*s\" is no time, which is written as 20ms, "
                   "1.5s or 2m", (int)(v.n < 40 ? v.n : 40), v.p);
    if (*ns == 0 || *ns > DUE_LIMIT_MAX)
        return bad(r, v.p, "%.*s is not from 1ns to ten years",
                   (int)(v.n < 40 ? v.n : 40), v.p);
    return 0;
}

/* --------------------------------------------------------------- labels */

/* Two, and not more: "Sending..." is no span. */
static bool span(const struct reader *r, const char *from)
{
    const char *p = r->p;

    return p[0] == '.' && p[1] == '.' && p[2] != '.' && p[2] &&
           p > from && p[-1] != '.';
}

static int take_quoted(struct reader *r, struct str *s)
{
    const char *start = r->p++;

    for (; *r->p && *r->p != '"'; r->p++) {
        if (*r->p == '\\' && *++r->p != '"' && *r->p != '\\')
            return bad(r, r->p - 1, "in a quoted label \\ stands only before a "
                       "quote or another \\");
        str_add_bytes(s, r->p, 1);
    }
    if (!*r->p)
        return bad(r, start, "this quote is not closed: end the label with "
                   "another one");
    r->p++;
    return 0;
}

static int take_bare(struct reader *r, struct str *s)
{
    const char *start = r->p;
    size_t n;

    while (*r->p && !strchr(quoted_signs, *r->p) && !span(r, start))
        r->p++;
    if (*r->p == '"')
        return bad(r, r->p, "a label with a quote in it is written in double "
                   "quotes, with \\ before that one");
    n = (size_t)(r->p - start);
    while (n && blank(start[n - 1]))
        n--;
    if (n == 0)
        return bad(r, start, "a label is wanted here, in double quotes if it has "
                   "one of , < / @ or two dots in it");
    str_add_bytes(s, start, n);
    return 0;
}

static int take_label(struct reader *r, struct due_label *l)
{
    struct str s = { 0 };
    bool quoted;
    int rc;

    skip_blanks(r);
    quoted = *r->p == '"';
    rc = quoted ? take_quoted(r, &s) : take_bare(r, &s);
    if (rc == 0 && quoted && *r->p == '*') {
        l->prefix = true;
        r->p++;
    } else if (rc == 0 && !quoted && s.n && s.s[s.n - 1] == '*') {
        l->prefix = true;
        s.s[--s.n] = '\0';
    }
    if (rc == 0) {
        str_add(&s, "");
        l->n = s.n;
        l->text = s.s ? str_take(&s) : strdup("");
        rc = l->text ? 0 : err_memory(r->err);
    }
    str_fini(&s);
    skip_blanks(r);
    return rc;
}

/* ------------------------------------------------------ what stands behind */

/* T0+k* */
static int take_clock(struct reader *r, struct due *d)
{
    const char *p, *k;
    char buf[64];

    skip_blanks(r);
    for (p = r->p; *p && *p != ','; p++) {
        if (*p != '+')
            continue;
        k = p + 1 + strspn(p + 1, " \t");
        if (*k != 'k')
            continue;
        k += 1 + strspn(k + 1, " \t");
        if (*k == '*')
            break;
    }
    if (*p != '+')
        return bad(r, r->p, "after @ a beginning and a period are wanted, as "
                   "start+k*50ms or 2026-11-27T08:00+k*50ms");
    struct part t = { r->p, (size_t)(p - r->p) };

    while (t.n && blank(t.p[t.n - 1]))
        t.n--;
    r->p = k + 1;
    text_of(t, buf, sizeof(buf));
    if (t.n == 5 && strncmp(t.p, "start", 5) == 0)
        d->from_start = true;
    else if (t.n >= sizeof(buf) || instant_parse(&d->from_ns, buf) < 0)
        return bad(r, t.p, "\"%.*s\" is no beginning: start, seconds since the "
                   "epoch, or a date and time as 2026-11-27T08:00:00 is wanted",
                   (int)(t.n < 40 ? t.n : 40), t.p);
    return take_limit(r, &d->limit_ns);
}

static int take_kind(struct reader *r, struct due *d)
{
    const char *start = r->p;

    if (take_label(r, &d->of))
        return -1;
    if (strncmp(r->p, "<=", 2) == 0) {
        d->kind = DUE_CALL;
        r->p += 2;
        return take_limit(r, &d->limit_ns);
    }
    if (*r->p == '/') {
        d->kind = DUE_PERIOD;
        r->p++;
        return take_limit(r, &d->limit_ns);
    }
    if (*r->p == '@') {
        d->kind = DUE_CLOCK;
        r->p++;
        return take_clock(r, d);
    }
    if (strncmp(r->p, "..", 2) == 0 && r->p[2] != '.') {
        d->kind = DUE_SPAN;
        r->p += 2;
        if (take_label(r, &d->to))
            return -1;
        if (strncmp(r->p, "<=", 2) != 0)
            return bad(r, r->p, "after A..B <= and a time are wanted");
        r->p += 2;
        return take_limit(r, &d->limit_ns);
    }
    if (!*r->p || *r->p == ',')
        return bad(r, start, "\"%.40s\" is neither a time for the job's end, as "
                   "60s, nor a label with <=TIME, /TIME, ..LABEL<=TIME or "
                   "@T0+k*TIME", d->of.text);
    return bad(r, r->p, "after a label <=TIME, /TIME, ..LABEL<=TIME or @T0+k*TIME "
               "is wanted; a label with such signs is written in double quotes");
}

/* -------------------------------------------------------------- options */

static bool number_or_range(const char *p)
{
    size_t n = strspn(p, "0123456789");

    if (n == 0)
        return false;
    p += n;
    if (*p == '-' && (n = strspn(p + 1, "0123456789")) > 0)
        p += n + 1;
    p += strspn(p, " \t");
    return *p == '\0' || *p == ',' || *p == '#';
}

/* A list has commas of its own. */
static int take_ranks(struct reader *r, struct due *d, struct part first)
{
    struct str s = { 0 };
    struct part v = first;
    struct err why;
    int rc = 0;

    for (bool closed = *v.p != '['; ; v = take_value(r)) {
        str_addf(&s, "%s%.*s", s.n ? "," : "", (int)v.n, v.p);
        closed |= v.n && v.p[v.n - 1] == ']';
        const char *next = r->p + (*r->p == ',');

        next += strspn(next, " \t");
        if (*r->p != ',' || (closed && !number_or_range(next)))
            break;
        r->p++;
    }
    d->some = first.n != 3 || strncmp(first.p, "all", 3) != 0;
    if (str_failed(&s))
        rc = err_memory(r->err);
    else if (s.n == 0)
        rc = bad(r, first.p, "ranks are wanted here, as 0-3,7");
    else if (d->some && taskset_parse(&d->ranks, str_text(&s), UINT32_MAX,
                                      &why))
        rc = bad(r, first.p, "%s", why.text);
    else if (d->some && d->ranks.n == 0)
        rc = bad(r, first.p, "ranks are wanted here, as 0-3,7");
    str_fini(&s);
    return rc;
}

static int take_margin(struct reader *r, struct due *d, struct part v)
{
    char buf[64];
    double percent;

    if (v.n && v.n < sizeof(buf) && v.p[v.n - 1] == '%') {
        v.n--;
        if (parse_double(&percent, text_of(v, buf, sizeof(buf)), 0, 100,
                         NULL) == 0) {
            d->margin = (double)(uint32_t)(percent * 1e4 + 0.5) / 1e6;
            return 0;
        }
    }
    return bad(r, v.p, "a margin from 0%% to 100%% is wanted here, as 20%%");
}

enum { SEEN_RANKS = 1, SEEN_FIRMNESS = 2, SEEN_MARGIN = 4 };

static int take_option(struct reader *r, struct due *d, unsigned *seen)
{
    struct part v = take_value(r);
    bool ranks = strncmp(v.p, "ranks=", 6) == 0;
    bool margin = strncmp(v.p, "margin=", 7) == 0;
    bool firm = v.n == 4 && strncmp(v.p, "firm", 4) == 0;
    bool soft = v.n == 4 && strncmp(v.p, "soft", 4) == 0;
    unsigned is = ranks ? SEEN_RANKS : margin ? SEEN_MARGIN
                : firm || soft ? SEEN_FIRMNESS : 0;

    if (!is)
        return bad(r, v.p, "\"%.*s\" is none of ranks=0-3,7 soft firm "
                   "margin=20%%, which may follow a comma (a label with a comma is "
                   "written in double quotes)", (int)(v.n < 40 ? v.n : 40), v.p);
    if (*seen & is)
        return bad(r, v.p, "\"%.*s\": this has been said before; say it once",
                   (int)(v.n < 40 ? v.n : 40), v.p);
    *seen |= is;
    if (ranks && d->kind == DUE_END)
        return bad(r, v.p, "the end of a job is no matter of ranks: leave them "
                   "away");
    if (ranks)
        return take_ranks(r, d, (struct part){ v.p + 6, v.n - 6 });
    if (margin)
        return take_margin(r, d, (struct part){ v.p + 7, v.n - 7 });
    d->firm = firm;
    return 0;
}

/* ------------------------------------------------------ as it is written */

static void write_duration(struct str *s, uint64_t ns)
{
    static const struct { const char *name; uint64_t ns, from_ns; } units[] = {
        { "d", 86400000000000ull, 172800000000000ull },
        { "h", 3600000000000ull, 3600000000000ull },
        { "m", 60000000000ull, 120000000000ull },
        { "s", 1000000000, 0 }, { "ms", 1000000, 0 }, { "us", 1000, 0 },
        { "ns", 1, 0 },
    };
    size_t i = 0;

    while (ns % units[i].ns != 0 || ns < units[i].from_ns)
        i++;
    str_addf(s, "%llu%s", (unsigned long long)(ns / units[i].ns),
             units[i].name);
}

static bool two_dots(const char *text)
{
    for (const char *p = text; (p = strstr(p, "..")); p += strspn(p, "."))
        if (p[2] != '.')
            return true;
    return false;
}

static void write_label(struct str *s, const struct due_label *l, bool spans)
{
    char last = l->n ? l->text[l->n - 1] : '\0';
    bool plain = l->n ? !blank(*l->text) && !blank(last) : l->prefix;

    if (strpbrk(l->text, quoted_signs) || strchr(l->text, '#') ||
        two_dots(l->text) || (last == '*' && !l->prefix) ||
        (spans && (*l->text == '.' || (last == '.' && !l->prefix))))
        plain = false;
    if (plain)
        str_add(s, l->text);
    else {
        str_add(s, "\"");
        for (const char *p = l->text; *p; p++)
            str_addf(s, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
        str_add(s, "\"");
    }
    if (l->prefix)
        str_add(s, "*");
}

static int write_text(struct due *d, struct err *err)
{
    static const char *const signs[] = {
        [DUE_CALL] = "<=", [DUE_PERIOD] = "/", [DUE_SPAN] = "<=",
        [DUE_CLOCK] = "@",
    };
    char t0[40] = "start", *ranks = NULL;
    struct str s = { 0 };

    if (d->kind != DUE_END) {
        write_label(&s, &d->of, d->kind == DUE_SPAN);
        if (d->kind == DUE_SPAN) {
            str_add(&s, "..");
            write_label(&s, &d->to, true);
        }
        str_add(&s, signs[d->kind]);
    }
    if (d->kind == DUE_CLOCK) {
        if (!d->from_start)
            instant_format(d->from_ns, t0, sizeof(t0));
        str_addf(&s, "%s+k*", t0);
    }
    write_duration(&s, d->limit_ns);
    if (d->some && (ranks = taskset_text(&d->ranks)))
        str_addf(&s, ",ranks=%s", ranks);
    if (d->firm)
        str_add(&s, ",firm");
    if (d->margin < DUE_MARGIN || d->margin > DUE_MARGIN)
        str_addf(&s, ",margin=%.10g%%",
                 (double)(uint32_t)(d->margin * 1e6 + 0.5) / 1e4);
    if (d->some && !ranks)
        return str_fini(&s), err_memory(err);
    free(ranks);
    d->text = str_take(&s);
    return d->text ? 0 : err_memory(err);
}

/* ----------------------------------------------------------------- whole */

static int check_signs(const struct reader *r)
{
    for (const char *p = r->text; *p; p++) {
        if (p - r->text >= DUE_TEXT_MAX)
            return bad(r, p, "it is longer than %d bytes: shorten labels by a "
                       "final *", DUE_TEXT_MAX);
        if (((unsigned char)*p < ' ' && *p != '\t') || *p == 127)
            return bad(r, p, "a control character: write a label up to there, "
                       "with a final *");
    }
    return 0;
}

static int take_all(struct reader *r, struct due *d)
{
    struct reader ahead = *r;
    unsigned seen = 0;
    uint64_t ns;

    if (check_signs(r))
        return -1;
    skip_blanks(r);
    if (!*r->p)
        return bad(r, r->p, "nothing is written here; say what is due, as 60s "
                   "or \"LABEL<=20ms\"");
    if (is_duration(take_value(&ahead), &ns)) {
        d->kind = DUE_END;
        if (take_limit(r, &d->limit_ns))
            return -1;
    } else if (take_kind(r, d)) {
        return -1;
    }
    while (*r->p == ',') {
        r->p++;
        if (take_option(r, d, &seen))
            return -1;
    }
    return write_text(d, r->err);
}

int due_parse(struct due *d, const char *text, bool comments, struct err *err)
{
    struct err own;
    struct reader r = { text, text, comments, err ? err : &own };

    *d = (struct due){ .margin = DUE_MARGIN };
    if (take_all(&r, d) == 0)
        return 0;
    due_fini(d);
    return -1;
}

bool due_same_label(const struct due_label *a, const struct due_label *b)
{
    return a->prefix == b->prefix && a->n == b->n &&
           (a->n == 0 || memcmp(a->text, b->text, a->n) == 0);
}

bool due_alike(const struct due *a, const struct due *b)
{
    return a->kind == b->kind && due_same_label(&a->of, &b->of) &&
           due_same_label(&a->to, &b->to) && a->some == b->some &&
           taskset_equal(&a->ranks, &b->ranks);
}

void due_fini(struct due *d)
{
    taskset_fini(&d->ranks);
    free(d->of.text);
    free(d->to.text);
    free(d->text);
    *d = (struct due){ 0 };
}
