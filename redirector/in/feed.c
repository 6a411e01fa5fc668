/* feed.c - gives the tasks as much of standard input as their slaves take.
 *
 * Input for all tasks goes to every slave alike, so none may be forgotten:
 * not a byte is read before all tasks run. Nor is it for tasks with a
 * terminal, before our own is set up for them. */
#include "redirector/in/feed.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "redirector/in/reader.h"
#include "redirector/in/terminal.h"

struct feed {
    struct links *links;        /* borrowed */
    struct reader *reader;      /* owned */
    enum feed_terminal terminal;
    struct event *winch;        /* owned; NULL without a terminal */
    bool all, started, stopped;
    void (*on_error)(void *arg, const struct err *err);
    void *arg;
};

static size_t feed_credit(void *arg)
{
    struct feed *f = arg;

    if (f->stopped || ((f->all || f->terminal) && !f->started))
        return 0;
    return links_credit(f->links, f->all);
}

static void feed_take(void *arg, const void *p, size_t n)
{
    struct feed *f = arg;

    links_send_input(f->links, p, n);
}

static void feed_end(void *arg)
{
    struct feed *f = arg;

    links_send_input_end(f->links);
}

static void feed_fail(void *arg, const struct err *err)
{
    struct feed *f = arg;

    links_send_input_end(f->links);
    f->on_error(f->arg, err);
}

static const struct reader_ops feed_ops = {
    feed_credit, feed_take, feed_end, feed_fail
};

static void feed_on_winch(evutil_socket_t sig, short what, void *arg)
{
    struct feed *f = arg;
    uint32_t rows, columns;

    (void)sig;
    (void)what;
    terminal_size(&rows, &columns);
    links_send_size(f->links, rows, columns);
}

struct feed *feed_open(struct event_base *base, const char *ranks,
                       enum feed_terminal terminal, struct links *links,
                       void (*on_error)(void *arg, const struct err *err),
                       void *arg, struct err *err)
{
    struct feed *f = calloc(1, sizeof(*f));

    if (!f)
        return err_memory(err), NULL;
    f->links = links;
    f->all = strcmp(ranks, "all") == 0;
    f->terminal = terminal;
    f->on_error = on_error;
    f->arg = arg;
    f->reader = reader_open(base, STDIN_FILENO, &feed_ops, f, err);
    if (terminal)
        f->winch = evsignal_new(base, SIGWINCH, feed_on_winch, f);
    if (f->reader && (!terminal || (f->winch && !event_add(f->winch, NULL))))
        return f;
    if (f->reader)
        err_memory(err);
    feed_close(f);
    return NULL;
}

void feed_started(struct feed *f)
{
    f->started = true;
    if (f->terminal)
        terminal_take(f->terminal == FEED_TERMINAL_ALONE);
    feed_wake(f);
}

void feed_stop(struct feed *f)
{
    if (!f)
        return;
    f->stopped = true;
    terminal_put();
    reader_wake(f->reader);
}

void feed_wake(struct feed *f)
{
    if (f->started && links_input_unwanted(f->links))
        reader_drop(f->reader);
    else
        reader_wake(f->reader);
}

void feed_close(struct feed *f)
{
    if (!f)
        return;
    terminal_put();
    reader_close(f->reader);
    if (f->winch)
        event_free(f->winch);
    free(f);
}
