/* bill.c - see bill.h. */
#include "master/move/bill.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "master/move/stop.h"
#include "master/store/journal.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"

/* The names of the nodes that they are on, each once. */
static void add_nodes(struct str *to, const struct job *j,
                      const struct taskset *ranks)
{
    for (size_t i = 0; i < j->nnodes; i++) {
        int64_t r = taskset_next(ranks, -1);

        while (r >= 0 && j->tasks[r].node != i)
            r = taskset_next(ranks, r);
        if (r >= 0)
            str_addf(to, "%s%s", to->n ? "," : "", j->nodes[i].node->name);
    }
}

static int check(const struct bill *b, struct err *err)
{
    return b->row.ranks && b->row.from_nodes && b->row.to_node
           ? 0 : err_memory(err);
}

int bill_open(struct bill *b, struct journal *jn, const struct job *j,
              const struct taskset *ranks, const char *to, struct err *err)
{
    struct str from = { 0 };

    add_nodes(&from, j, ranks);
    *b = (struct bill){ .journal = jn, .row = {
        .asked_ns = clock_wall_ns(), .ranks = taskset_text(ranks),
        .from_nodes = str_failed(&from) ? NULL : strdup(str_text(&from)),
        .to_node = strdup(to) } };
    str_fini(&from);
    return check(b, err);
}

static char *copied(const char *text)
{
    return strdup(text ? text : "");
}

int bill_reopen(struct bill *b, struct journal *jn, const struct store_move *row,
                struct err *err)
{
    *b = (struct bill){ .journal = jn, .row = *row };
    b->row.ranks = copied(row->ranks);
    b->row.from_nodes = copied(row->from_nodes);
    b->row.to_node = copied(row->to_node);
    return check(b, err);
}

void bill_fini(struct bill *b)
{
    free((char *)(uintptr_t)b->row.ranks);
    free((char *)(uintptr_t)b->row.from_nodes);
    free((char *)(uintptr_t)b->row.to_node);
    *b = (struct bill){ 0 };
}

void bill_image(struct bill *b, size_t bytes)
{
    b->row.image_bytes += bytes;
    b->row.sent_ns = clock_wall_ns();
    if (!b->row.sending_ns)
        b->row.sending_ns = b->row.sent_ns;
}

void bill_stop(struct bill *b, const struct stop_orders *o)
{
    b->row.pushes = o->pushed + o->tried;
    b->row.retreats = o->retreats;
}

void bill_note(struct bill *b, const struct job *j, const char *result)
{
    struct store_move row = b->row;

    if (!row.asked_ns)          /* of a move that nobody has written down */
        return;
    row.ended_ns = result ? clock_wall_ns() : 0;
    row.result = result;
    journal_move(b->journal, j, &row);
}
