/* tasknotes.c - sentences about tasks, see tasknotes.h. */
#include "proto/model/tasknotes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *tasknotes_absent(char text[TASKNOTES_ABSENT_MAX], const char *node,
                       const char *why)
{
    snprintf(text, TASKNOTES_ABSENT_MAX, "not here, node %.200s: %.300s", node,
             why);
    return text;
}

void tasknotes_fini(struct tasknotes *t)
{
    for (size_t i = 0; i < t->n; i++) {
        taskset_fini(&t->v[i].at);
        free(t->v[i].text);
    }
    t->n = 0;
}

/* NULL: no room for another sentence. */
static struct tasknote *note_with(struct tasknotes *t, const char *text)
{
    struct tasknote *n = t->v;

    for (; n < t->v + t->n; n++)
        if (strcmp(n->text, text) == 0)
            return n;
    if (t->n == TASKNOTES_MAX)
        return NULL;
    n->at = (struct taskset){ 0 };
    n->text = strndup(text, TASKNOTES_TEXT_MAX);
    t->n += n->text != NULL;
    return n->text ? n : NULL;
}

void tasknotes_add(struct tasknotes *t, Hct__TreeNote *const *notes, size_t n,
                   uint32_t at, uint32_t width)
{
    for (size_t i = 0; i < n; i++) {
        struct tasknote *to = note_with(t, notes[i]->text);
        struct taskset part = { 0 };

        if (!to || taskset_parse(&part, notes[i]->ranks, width, NULL))
            continue;           /* the result is worth more than a note */
        for (size_t k = 0; k < part.n; k++)
            taskset_add(&to->at, part.v[k].first + at, part.v[k].last + at);
        taskset_fini(&part);
    }
}

static char *note_ranks(const struct tasknote *n, const uint32_t *rank_of)
{
    struct taskset ranks = { 0 };
    char *text;

    if (!rank_of)
        return taskset_text(&n->at);
    for (int64_t p = -1; (p = taskset_next(&n->at, p)) >= 0; )
        taskset_add(&ranks, rank_of[p], rank_of[p]);
    text = taskset_text(&ranks);
    taskset_fini(&ranks);
    return text;
}

int tasknotes_fill(const struct tasknotes *t, const uint32_t *rank_of,
                   Hct__TreeNote notes[TASKNOTES_MAX],
                   Hct__TreeNote *list[TASKNOTES_MAX])
{
    int rc = 0;

    for (size_t i = 0; i < t->n; i++) {
        hct__tree_note__init(&notes[i]);
        notes[i].ranks = note_ranks(&t->v[i], rank_of);
        notes[i].text = t->v[i].text;
        list[i] = &notes[i];
        if (!notes[i].ranks)
            rc = -1;
    }
    return rc;
}
