/* report.c - see report.h. */
#include "master/findings/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which rank a line is about. */
static int32_t rank_of(const struct job *j, const char *line)
{
    unsigned rank;

    return sscanf(line, "  task %u on ", &rank) == 1 && rank < j->ntasks
               ? (int32_t)rank
               : HCT_NONE;
}

struct report *report_make(const struct job *j, uint64_t seq, const char *text)
{
    struct report *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->seq = seq;
    r->text = strdup(text);
    r->why = strndup(text, strcspn(text, "\n"));
    r->line = malloc((strlen(text) + 1) * sizeof(*r->line));
    if (!r->text || !r->line || !r->why) {
        report_free(r);
        return NULL;
    }
    for (const char *line = text, *end; (end = strchr(line, '\n'));
         line = end + 1)
        r->line[r->nlines++] = (struct places_line){ rank_of(j, line), 0, 0 };
    return r;
}

void report_free(struct report *r)
{
    if (!r)
        return;
    places_free(r->places);
    free(r->text);
    free(r->why);
    free(r->line);
    free(r->computes);
    free(r);
}

void report_about(struct report *r, const struct found *f,
                  const struct hct_verdict *v)
{
    for (uint32_t i = 1; i < v->nlines && i < r->nlines; i++) {
        r->line[i].site = f->lines[v->lines + i].site;
        r->line[i].made = f->lines[v->lines + i].made;
    }
}

bool report_names_calls(const struct report *r)
{
    for (size_t i = 0; i < r->nlines; i++)
        if (r->line[i].rank != HCT_NONE && r->line[i].site)
            return true;
    return false;
}

bool report_find(struct report *r, const struct acts *a, struct job *j,
                 bool stacks, places_done_f *done, void *arg)
{
    r->places =
        places_start(&a->by, j, stacks ? r->seq : 0, r->line, r->nlines, done, arg);
    return r->places != NULL;
}

static void add_unwritten(const struct report *r, const struct job *j,
                          struct str *to)
{
    for (size_t i = 0; i < r->nlines; i++) {
        const char *text = places_unwritten(r->places, i);
        int32_t rank = r->line[i].rank;

        if (text)
            str_addf(to,
                     "  task %d on %s has printed, but not written yet: "
                     "%s\n",
                     rank, job_node_name(j, &j->tasks[rank]), text);
    }
}

void report_computes(struct report *r, const char *text)
{
    free(r->computes);
    r->computes = strdup(text);
}

static size_t first_task(const struct report *r)
{
    size_t i = 0;

    while (i < r->nlines && r->line[i].rank == HCT_NONE)
        i++;
    return i;
}

static void add_place(const struct report *r, size_t line, struct str *to)
{
    places_add(r->places, line, to);
    if (r->computes && line == first_task(r))
        str_add(to, r->computes);
}

void report_add(const struct report *r, const struct job *j, struct str *to)
{
    const char *p = r->text, *end;

    for (size_t i = 0; (end = strchr(p, '\n')); p = end + 1, i++) {
        str_add_bytes(to, p, (size_t)(end - p));
        add_place(r, i, to);
        str_add(to, "\n");
    }
    add_unwritten(r, j, to);
}

void report_add_head(const struct report *r, struct str *to)
{
    size_t first = first_task(r);

    str_add(to, r->why);
    if (first < r->nlines)
        add_place(r, first, to);
    str_add(to, "\n");
}
