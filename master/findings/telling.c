/* telling.c - see telling.h. What does not fit into a message of bounded size is
 * told on stderr and in the database. */
#include "master/findings/telling.h"

#include <stdlib.h>
#include <string.h>

#include "master/places/placename.h"
#include "master/watch/verdict.h"
#include "proto/base/clock.h"

enum { TELLING_TASKS = 32 };

void telling_of(struct telling *t, const struct found *f,
                const struct hct_verdict *v)
{
    struct str ranks = { 0 };

    verdict_ranks(&ranks, f, v);
    *t = (struct telling){ .kind = found_kind_name(v->kind),
                           .phase = found_where_name(v->where),
                           .score = v->score, .age_ns = v->age_ns,
                           .ranks = ranks.n ? str_take(&ranks) : NULL };
    str_fini(&ranks);
}

void telling_fini(struct telling *t)
{
    free(t->ranks);
    *t = (struct telling){ 0 };
}

void telling_remedy(struct telling *t, struct remedy r, uint64_t now_ns)
{
    t->ends = r.wanted && r.does == ONHANG_KILL;
    t->ends_in_ns = t->ends && r.due_ns > now_ns ? r.due_ns - now_ns : 0;
}

static char *text_or_empty(const char *text)
{
    return (char *)(uintptr_t)(text ? text : "");
}

/* Its line i is text. */
static void fill(Hct__FindingTask *w, const struct job *j, const struct report *r,
                 size_t i, char *text)
{
    const char *here = places_here(r->places, i);
    struct placename p = { 0 };

    hct__finding_task__init(w);
    if (here)
        p = placename_parse(here);
    w->rank = (uint32_t)r->line[i].rank;
    w->node = text_or_empty(job_node_name(j, &j->tasks[w->rank]));
    w->function = p.function ? p.function : text_or_empty(NULL);
    w->file = p.file ? p.file : text_or_empty(NULL);
    w->line = p.line;
    w->text = text;
}

/* What fill() has made; and the texts. */
static void clear(Hct__FindingTask *w)
{
    if (*w->function)
        free(w->function);
    if (*w->file)
        free(w->file);
    free(w->text);
}

void telling_send(const struct telling *t, const struct acts *a, const struct job *j,
                  const char *policy, const struct report *r, const char *next)
{
    Hct__FindingTask task[TELLING_TASKS], *where[TELLING_TASKS];
    Hct__Finding m = HCT__FINDING__INIT;
    const char *line = r->text, *end;

    m.job = j->id;
    m.policy = text_or_empty(policy);
    m.kind = text_or_empty(t->kind);
    m.phase = text_or_empty(t->phase);
    m.score = t->score;
    m.ranks = text_or_empty(t->ranks);
    m.why = r->why;
    m.at_ns = clock_wall_ns();
    m.age_ns = t->age_ns;
    m.next = text_or_empty(next);
    m.ends = t->ends;
    m.ends_in_ns = t->ends_in_ns;
    m.where = where;
    for (size_t i = 0; i < r->nlines && m.n_where < TELLING_TASKS &&
         (end = strchr(line, '\n')); line = end + 1, i++) {
        size_t blanks = strspn(line, " ");
        char *text = r->line[i].rank == HCT_NONE ? NULL
                     : strndup(line + blanks, (size_t)(end - line) - blanks);

        if (!text)
            continue;
        fill(&task[m.n_where], j, r, i, text);
        where[m.n_where] = &task[m.n_where];
        m.n_where++;
    }
    a->ops->finding(j, &m);
    for (size_t i = 0; i < m.n_where; i++)
        clear(where[i]);
}
