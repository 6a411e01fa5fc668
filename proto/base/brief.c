/* brief.c - names of C++ functions as a person wants to read them. */
#include "proto/base/brief.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool begins(const char *p, const char *with)
{
    return strncmp(p, with, strlen(with)) == 0;
}

/* The name of an operator, whose brackets are none; 0: p is at none. */
static size_t operator_bytes(const char *p)
{
    static const char *const names[] = { "()", "<=>", "<<=", "<<", "<=", "<",
        "->*", "->", ">>=", ">>", ">=", ">" };

    if (!begins(p, "operator"))
        return 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (begins(p + 8, names[i]))
            return 8 + strlen(names[i]);
    return 0;
}

/* From the bracket at p to the one that closes it; 0: there is none. */
static size_t bracket_bytes(const char *p)
{
    const char open = *p, close = open == '<' ? '>' : ')';
    size_t depth = 0;

    for (const char *at = p; *at; at++) {
        size_t n = operator_bytes(at);

        if (n) {
            at += n - 1;
            continue;
        }
        depth += *at == open;
        if (*at == close && --depth == 0)
            return (size_t)(at - p) + 1;
    }
    return 0;
}

/* Without what is in brackets of this kind. */
static void add_without(struct str *to, const char *name, char open)
{
    static const char nameless[] = "(anonymous namespace)";

    for (const char *p = name; *p; ) {
        size_t n = operator_bytes(p);

        if (!n && begins(p, nameless))
            n = sizeof(nameless) - 1;
        if (n) {
            str_add_bytes(to, p, n);
        } else if (*p == open && (n = bracket_bytes(p)) > 2) {
            str_add(to, open == '<' ? "<...>" : "(...)");
        } else {
            n = 1;
            str_add_bytes(to, p, n);
        }
        p += n;
    }
}

/* The end of it, from the first byte of a character on. */
static void add_end(struct str *to, const char *name, size_t n)
{
    size_t skip = n > 2 * BRIEF_WIDTH ? n - 2 * BRIEF_WIDTH + 3 : 0;

    while ((name[skip] & 0xc0) == 0x80)
        skip++;
    str_addf(to, "%s%s", skip ? "..." : "", name + skip);
}

void brief_add(struct str *to, const char *name)
{
    struct str templates = { 0 }, all = { 0 };
    const struct str *last = &templates;

    if (strlen(name) <= BRIEF_WIDTH) {
        str_add(to, name);
        return;
    }
    add_without(&templates, name, '<');
    if (templates.n > BRIEF_WIDTH) {
        add_without(&all, str_text(&templates), '(');
        last = &all;
    }
    add_end(to, str_text(last), last->n);
    str_fini(&templates);
    str_fini(&all);
}

static bool ends(const char *text, size_t n, const char *with)
{
    size_t m = strlen(with);

    return n >= m && memcmp(text + n - m, with, m) == 0;
}

/* Bytes before what a function takes, of which no more than "(...)" is left. */
static size_t function_bytes(const char *name, size_t n)
{
    if (ends(name, n, " const"))
        n -= strlen(" const");
    if (ends(name, n, "(...)"))
        return n - strlen("(...)");
    if (ends(name, n, "()") && !ends(name, n, "operator()"))
        return n - strlen("()");
    return n;
}

void brief_function(struct str *to, const char *name, size_t width)
{
    struct str alone = { 0 }, templates = { 0 };
    size_t n;

    add_without(&alone, name, '(');
    n = function_bytes(str_text(&alone), alone.n);
    if (n > width) {
        add_without(&templates, str_text(&alone), '<');
        n = function_bytes(str_text(&templates), templates.n);
        str_add_bytes(to, str_text(&templates), n);
    } else {
        str_add_bytes(to, str_text(&alone), n);
    }
    str_fini(&alone);
    str_fini(&templates);
}
