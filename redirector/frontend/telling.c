/* telling.c - see telling.h. Where there is no memory jansson is given NULL for a
 * part, and says so of whatever that was to be put into: then nothing is told. */
#include "redirector/frontend/telling.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pipe holds 64 KiB: of more tasks than there is room for the first are told. */
enum { TELLING_BYTES = 50000, TELLING_TEXT = 1000 };
enum { TELLING_STYLE = JSON_COMPACT | JSON_REAL_PRECISION(9) };

struct telling {
    json_t *is;                 /* owned */
    bool failed;
};

static void set(struct telling *t, json_t *at, const char *name, json_t *value)
{
    t->failed |= json_object_set_new(at, name, value) != 0;
}

static void set_count(struct telling *t, json_t *at, const char *name, uint64_t n)
{
    set(t, at, name, json_integer((json_int_t)n));
}

static void set_real(struct telling *t, json_t *at, const char *name, double x)
{
    set(t, at, name, isfinite(x) ? json_real(x) : json_null());
}

/* null: it is not known. */
static void set_text(struct telling *t, json_t *at, const char *name, const char *text)
{
    size_t n = text ? strnlen(text, TELLING_TEXT) : 0;
    struct str good = { 0 };

    while (n && n == TELLING_TEXT && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;                    /* no character by half */
    if (n)
        str_add_utf8(&good, text, n);
    t->failed |= str_failed(&good);
    set(t, at, name, n ? json_string(str_text(&good)) : json_null());
    str_fini(&good);
}

static json_t *part(struct telling *t, const char *name, json_t *value)
{
    set(t, t->is, name, value);
    return json_object_get(t->is, name);
}

static json_t *where(struct telling *t, const Hct__FindingTask *w)
{
    json_t *j = json_object();

    set_count(t, j, "rank", w->rank);
    set_text(t, j, "node", w->node);
    set_text(t, j, "function", w->function);
    set_text(t, j, "file", w->file);
    set(t, j, "line", w->line ? json_integer(w->line) : json_null());
    set_text(t, j, "text", w->text);
    return j;
}

static size_t size_of(const json_t *j)
{
    return json_dumpb(j, NULL, 0, TELLING_STYLE);
}

struct telling *telling_make(const Hct__Finding *m)
{
    struct telling *t = calloc(1, sizeof(*t));
    json_t *v;
    size_t bytes;

    if (!t)
        return NULL;
    t->is = json_object();
    v = part(t, "verdict", json_object());
    set_text(t, v, "policy", m->policy);
    set_text(t, v, "kind", m->kind);
    set_text(t, v, "phase", m->phase);
    set_text(t, v, "ranks", m->ranks);
    set_text(t, v, "why", m->why);
    set_text(t, v, "next", m->next);
    set_real(t, v, "score", m->score);
    set_count(t, v, "at_ns", m->at_ns);
    set_count(t, v, "age_ns", m->age_ns);
    bytes = size_of(t->is);
    v = part(t, "where", json_array());
    for (size_t i = 0; i < m->n_where && bytes < TELLING_BYTES; i++) {
        json_t *task = where(t, m->where[i]);

        bytes += size_of(task);
        t->failed |= json_array_append_new(v, task) != 0;
    }
    return t;
}

int telling_text(struct telling *t, const struct telling_job *j, struct str *to)
{
    json_t *v = part(t, "job", json_object());
    char *text;

    set_count(t, v, "job", j->job);
    set_text(t, v, "name", j->name);
    set_count(t, v, "ntasks", j->ntasks);
    set_text(t, v, "batch", j->batch);
    set(t, v, "exit_code", j->ended ? json_integer(j->exit_code) : json_null());
    v = part(t, "saved", j->left_ns ? json_object() : json_null());
    if (j->left_ns) {
        set_count(t, v, "left_ns", j->left_ns);
        set_real(t, v, "percent", j->percent);
        set_real(t, v, "node_hours", j->node_hours);
        set_real(t, v, "core_hours", j->core_hours);
    }
    text = t->failed ? NULL : json_dumps(t->is, TELLING_STYLE);
    if (!text)
        return -1;
    str_addf(to, "%s\n", text);
    free(text);
    return str_failed(to) ? -1 : 0;
}

void telling_free(struct telling *t)
{
    if (!t)
        return;
    json_decref(t->is);
    free(t);
}
