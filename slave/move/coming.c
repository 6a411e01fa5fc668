/* coming.c - see coming.h. */
#include "slave/move/coming.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/pipes.h"

int coming_start(struct coming *c, struct job *j, uint32_t rank, const char *rooms,
                 event_callback_fn report, void *arg, struct err *err)
{
    struct node *node = j->part.node;
    struct task_start start = {
        .node = node, .plan = j->plan, .user = &j->user, .rooms = rooms,
        .streams = j->streams, .report = report, .report_arg = arg };
    int rc;

    c->task = malloc(sizeof(*c->task));
    if (!c->task)
        return err_memory(err);
    task_init(c->task, j->part.id, rank, reading_window(node->reading));
    c->in = imagein_open(node->base, &start.image, err);
    if (!c->in)
        return -1;
    if (pipes_open(&c->words, &start.words, true)) {
        close(start.image);
        return err_sys(err, "cannot make a pipe");
    }
    job_admit(j, 1);
    rc = task_restore(c->task, &start, site_socket(node->site), err);
    close(start.image);
    close(start.words);
    if (rc == 0)
        streams_move(j->streams, rank, STREAMS_SILENT);
    return rc;
}

int coming_tell(struct coming *c, struct event_base *base, event_callback_fn report,
                void *arg, struct err *err)
{
    struct task *t = c->task;

    if (!t->report_event)
        return 0;               /* it is known */
    event_free(t->report_event);
    t->report_event = event_new(base, t->report, EV_READ, report, arg);
    if (!t->report_event)
        return err_memory(err);
    event_add(t->report_event, NULL);
    return 0;
}

void coming_drop(struct coming *c, struct job *j, uint32_t rank)
{
    imagein_close(c->in);
    if (c->words >= 0)
        close(c->words);
    if (c->task) {
        if (!c->task->over && c->task->pid > 0)
            kill(-c->task->pid, SIGKILL);
        streams_forget(j->streams, rank);
        task_fini(c->task);
        free(c->task);
    }
    *c = (struct coming){ .words = -1 };
}

void coming_words(const struct coming *c, char *to, size_t size)
{
    ssize_t n = read(c->words, to, size - 1);

    to[n > 0 ? n : 0] = '\0';
    if (*to == '\n')            /* it had the memory that it was to take */
        memmove(to, to + 1, strlen(to));
}
