/* lasttags.c - what tasks have tagged last, see lasttags.h. The row of a task
 * that has ended says it; of others the last recorded look does. */
#include "master/hector/why/lasttags.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/query.h"
#include "master/watch/tape.h"
#include "proto/base/array.h"
#include "proto/base/taskset.h"

enum { LASTTAGS_LINES = 8 };

struct tag {
    uint32_t rank, first;       /* first: rank of the first one like it */
    char *text;                 /* owned; NULL: none */
};
struct tags { struct tag *v; size_t n, cap; };

static void set_text(struct tag *t, const char *text, size_t n)
{
    char *copy = n ? strndup(text, n) : NULL;

    if (!copy)
        return;
    free(t->text);
    t->text = copy;
}

static int on_task(void *arg, const struct store_task *task, const char *node)
{
    struct tags *l = arg;

    (void)node;
    if (array_reserve(&l->v, &l->cap, l->n + 1))
        return -1;
    l->v[l->n++] = (struct tag){ .rank = task->rank };
    if (task->last_tag)
        set_text(&l->v[l->n - 1], task->last_tag, strlen(task->last_tag));
    return 0;
}

/* A piece of the tape: its last look. */
static int on_look(void *arg, const struct store_look *look)
{
    struct tags *l = arg;
    struct tape_reader r = { 0 };
    struct hct_snapshot s;
    bool any;

    any = look->data.p && tape_last(&r, look->data.p, look->data.n, &s);
    for (size_t i = 0; any && i < l->n; i++)
        if (!l->v[i].text && l->v[i].rank < s.nranks) {
            const char *text = hct_rank(&s, l->v[i].rank)->tag_text;

            set_text(&l->v[i], text, strlen(text));
        }
    looks_fini(&r.looks);
    return 1;
}

static int by_text(const void *a, const void *b)
{
    const struct tag *x = a, *y = b;
    int c = strcmp(x->text ? x->text : "", y->text ? y->text : "");

    return c ? c : x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int by_first(const void *a, const void *b)
{
    const struct tag *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Those with the same text one after the other, and these by their first rank:
 * how many groups there are. */
static size_t group(struct tags *l)
{
    size_t n = 0;

    qsort(l->v, l->n, sizeof(*l->v), by_text);
    for (size_t i = 0; i < l->n; i++) {
        struct tag *t = &l->v[i];
        bool same = i > 0 && strcmp(t->text ? t->text : "",
                                    t[-1].text ? t[-1].text : "") == 0;

        t->first = same ? t[-1].first : t->rank;
        n += !same;
    }
    qsort(l->v, l->n, sizeof(*l->v), by_first);
    return n;
}

static void say(struct str *to, const struct tag *t, size_t n, bool all)
{
    struct taskset who = { 0 };
    char *text;

    for (size_t i = 0; i < n; i++)
        taskset_add(&who, t[i].rank, t[i].rank);
    text = taskset_text(&who);
    str_add(to, t->text ? "last tag of " : "no tag of ");
    if (all && n > 1)
        str_addf(to, "all %zu tasks", n);
    else
        str_addf(to, "task%s %s", n == 1 ? "" : "s", text ? text : "");
    if (t->text)
        str_addf(to, ": \"%s\"", t->text);
    str_add(to, "\n");
    free(text);
    taskset_fini(&who);
}

static void say_all(struct str *to, const struct tags *l, size_t ngroups,
                    uint64_t job)
{
    size_t told = 0;

    for (size_t i = 0, n; i < l->n && told < LASTTAGS_LINES; i += n, told++) {
        for (n = 1; i + n < l->n && l->v[i + n].first == l->v[i].first; n++)
            ;
        say(to, &l->v[i], n, ngroups == 1);
    }
    if (ngroups > told)
        str_addf(to, "... and %zu more: hector ps %" PRIu64 "\n",
                 ngroups - told, job);
}

void lasttags_of_job(struct str *to, struct store *st, uint64_t job)
{
    struct tags l = { 0 };
    bool any = false;

    if (query_job_tasks(st, job, on_task, &l, NULL) == 0)
        query_last_look(st, job, false, on_look, &l, NULL);
    for (size_t i = 0; i < l.n; i++)
        any |= l.v[i].text != NULL;
    if (any)
        say_all(to, &l, group(&l), job);
    for (size_t i = 0; i < l.n; i++)
        free(l.v[i].text);
    free(l.v);
}
