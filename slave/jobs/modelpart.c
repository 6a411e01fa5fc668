/* modelpart.c - this node's part of the model of a job. */
#include "slave/jobs/modelpart.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/model/tasknotes.h"
#include "slave/page/taskmodel.h"

static void note(struct tasknotes *notes, uint32_t at, uint32_t n,
                 const char *text)
{
    Hct__TreeNote is = HCT__TREE_NOTE__INIT, *list[] = { &is };
    struct taskset set = { 0 };

    if (taskset_add(&set, at, at))
        return;
    is.ranks = taskset_text(&set);
    is.text = (char *)(uintptr_t)text;
    if (is.ranks)
        tasknotes_add(notes, list, 1, 0, n);
    free(is.ranks);
    taskset_fini(&set);
}

static int read_tasks(const struct modelpart *p, struct taskmodel *t,
                      struct tasknotes *notes)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct tally *w = &p->tasks[i]->tally;
        int threads = 0;

        if (p->ranks->n && !taskset_has(p->ranks, p->tasks[i]->rank))
            continue;
        if (!w->page)
            note(notes, i, p->n, "it has no model: it has not called MPI_Init,"
                 " or not by way of the wrapper library");
        else if ((threads = taskmodel_add(t, w, i)) == 0)
            note(notes, i, p->n, "it has called nothing of MPI yet");
        if (threads < 0)
            return -1;
    }
    return 0;
}

int modelpart_make(const struct modelpart *p, struct str *out,
                   struct err *err)
{
    struct tasknotes *notes = calloc(1, sizeof(*notes));
    struct taskmodel t;
    int rc = 0;

    if (!notes)
        return err_memory(err);
    if (taskmodel_init(&t, p->n, p->account, p->ticks, p->histograms, err)) {
        free(notes);
        return -1;
    }
    t.window = p->window;
    if (read_tasks(p, &t, notes))
        rc = err_memory(err);
    if (rc == 0 && out) {
        taskmodel_name(&t);
        rc = jobmodel_write(&t.model, notes, NULL, 0, out, err);
    }
    taskmodel_fini(&t);
    tasknotes_fini(notes);
    free(notes);
    return rc;
}
