/* behind.c - see behind.h. */
#include "master/hector/behind/behind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/query.h"
#include "proto/base/array.h"

/* ------------------------------------------------------------------ reading */

static char *copy(const char *text, bool *failed)
{
    char *s = strdup(text ? text : "");

    *failed |= !s;
    return s;
}

/* "1, 3" */
static uint64_t places(const char *text)
{
    uint64_t set = 0;
    char *end;

    for (; text && *text; text = *end == ',' ? end + 1 : end) {
        unsigned long place = strtoul(text, &end, 10);

        if (end == text)
            break;
        if (place >= 1 && place <= 64)
            set |= (uint64_t)1 << (place - 1);
    }
    return set;
}

static int on_node(void *arg, const struct store_progress_node *row)
{
    struct behind *b = arg;
    struct behind_node *n;
    bool failed = false;

    if (row->place == 0 || row->place > 64)
        return 0;
    if (array_reserve(&b->node, &b->cap, b->n + 1))
        return -1;
    n = &b->node[b->n++];
    *n = (struct behind_node){
        .place = row->place, .line = row->line, .least = row->least,
        .inside = row->inside, .ranks = copy(row->ranks, &failed),
        .call = copy(row->call, &failed),
        .function = copy(row->function, &failed),
        .file = copy(row->file, &failed),
        .decided_by = copy(row->decided_by, &failed),
        .waits_for = places(row->waits_for), .unsure = places(row->unsure) };
    b->at_ns = row->at_ns;
    if (failed)
        b->n--;
    return failed;
}

int behind_read(struct behind *b, struct store *st, uint64_t job, struct err *err)
{
    return query_progress(st, job, on_node, b, err);
}

void behind_fini(struct behind *b)
{
    for (size_t i = 0; i < b->n; i++) {
        struct behind_node *n = &b->node[i];

        free(n->ranks);
        free(n->call);
        free(n->function);
        free(n->file);
        free(n->decided_by);
    }
    free(b->node);
    *b = (struct behind){ 0 };
}

bool behind_placed(const struct behind *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (*b->node[i].function)
            return true;
    return false;
}

/* -------------------------------------------------------------------- words */

void behind_tasks(const struct behind_node *n, struct str *to)
{
    str_addf(to, "task%s %s", strpbrk(n->ranks, ",-") ? "s" : "", n->ranks);
}

void behind_where(const struct behind_node *n, struct str *to)
{
    if (*n->call)
        str_addf(to, "%s %s", n->inside ? "in" : "behind", n->call);
    else
        str_add(to, "outside of MPI");
    if (*n->function)
        str_addf(to, ", %s", n->function);
    if (*n->file && n->line)
        str_addf(to, " (%s:%" PRIu32 ")", n->file, n->line);
}
