/* streams.c - the tasks' pipes on one side, the link to the redirector on
 * the other.
 *
 * Invariants: the events of all pipes are added exactly while the link can
 * take more (not paused); a pipe is freed by the same step that sends its
 * OutputEnd. Input waits until it is started, so that the slowest node's
 * tasks are all there before the first byte. */
#include "slave/streams/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/link/greeting.h"
#include "proto/link/timer.h"
#include "slave/launch/pty.h"
#include "slave/streams/input.h"

enum { READ_BYTES = 64 * 1024, READ_BUDGET = 4 };

/* What a task has written to stdout and stderr, here and where it was before. */
struct count {
    struct count *next;
    uint32_t rank;
    uint64_t out, err;
};

struct pipe_end {
    struct pipe_end *next;
    struct streams *s;          /* borrowed */
    uint64_t *count;            /* borrowed: of its stream */
    struct event *event;        /* owned */
    int fd;                     /* owned */
    int typing;                 /* the same terminal for input; -1: a pipe */
    uint32_t rank;
    Hct__Stream stream;
    enum streams_end end;
};

struct streams {
    struct event_base *base;    /* borrowed */
    const struct plan *plan;    /* borrowed */
    const char *name;           /* borrowed */
    uint64_t instance;
    const struct streams_ops *ops;
    void *arg;
    struct conn *link;          /* owned; NULL: none, or lost */
    struct event *soon;         /* owned: ready() without a link */
    struct pipe_end *pipes;     /* owned */
    struct count *counts;       /* owned; they stay when the pipes are closed */
    struct input *input;        /* owned */
    bool standing, paused;
    char buf[READ_BYTES];
};

static struct count *find_count(const struct streams *s, uint32_t rank)
{
    struct count *c = s->counts;

    while (c && c->rank != rank)
        c = c->next;
    return c;
}

/* NULL: no memory. */
static uint64_t *get_count(struct streams *s, uint32_t rank, Hct__Stream stream)
{
    struct count *c = find_count(s, rank);

    if (!c) {
        c = calloc(1, sizeof(*c));
        if (!c)
            return NULL;
        c->rank = rank;
        c->next = s->counts;
        s->counts = c;
    }
    return stream == HCT__STREAM__STREAM_STDERR ? &c->err : &c->out;
}

int streams_begin_at(struct streams *s, uint32_t rank, Hct__Stream stream,
                     uint64_t bytes)
{
    uint64_t *count = get_count(s, rank, stream);

    if (!count)
        return -1;
    *count = bytes;
    return 0;
}

uint64_t streams_written(const struct streams *s, uint32_t rank,
                         Hct__Stream stream)
{
    const struct count *c = find_count(s, rank);
    uint64_t bytes = !c ? 0 : stream == HCT__STREAM__STREAM_STDERR ? c->err
                                                                   : c->out;
    int waiting;

    for (const struct pipe_end *p = s->pipes; p; p = p->next)
        if (p->rank == rank && p->stream == stream &&
            ioctl(p->fd, FIONREAD, &waiting) == 0 && waiting > 0)
            bytes += (uint64_t)waiting;
    return bytes;
}

static void say_output(struct streams *s, Hct__Output *m, const void *data,
                       size_t bytes)
{
    if (!s->link)
        return;
    m->data.data = (uint8_t *)data;
    m->data.len = bytes;
    m->at_ns = clock_wall_ns();
    conn_send(s->link, MESSAGE_OUTPUT, m);
}

void streams_say(struct streams *s, uint32_t rank, Hct__Stream stream,
                 const void *data, size_t bytes)
{
    Hct__Output m = HCT__OUTPUT__INIT;

    m.rank = rank;
    m.stream = stream;
    m.ours = stream != HCT__STREAM__STREAM_STDTIM;
    if (bytes)
        say_output(s, &m, data, bytes);
}

static void say_end(struct streams *s, uint32_t rank, Hct__Stream stream,
                    bool moved)
{
    Hct__OutputEnd m = HCT__OUTPUT_END__INIT;

    if (!s->link)
        return;
    m.rank = rank;
    m.stream = stream;
    m.moved = moved;
    conn_send(s->link, MESSAGE_OUTPUT_END, &m);
}

void streams_end(struct streams *s, uint32_t rank, Hct__Stream stream)
{
    say_end(s, rank, stream, false);
}

void streams_end_moved(struct streams *s, uint32_t rank, Hct__Stream stream)
{
    say_end(s, rank, stream, true);
}

bool streams_congested(const struct streams *s)
{
    return s->link && conn_congested(s->link);
}

static void set_paused(struct streams *s, bool paused)
{
    if (s->paused == paused)
        return;
    s->paused = paused;
    for (struct pipe_end *p = s->pipes; p; p = p->next)
        if (paused)
            event_del(p->event);
        else
            event_add(p->event, NULL);
}

bool streams_linked(const struct streams *s)
{
    return s->link != NULL;
}

void streams_abandon(struct streams *s)
{
    conn_close(s->link);
    s->link = NULL;
    set_paused(s, false);
}

bool streams_open_pipes(const struct streams *s)
{
    return s->pipes != NULL;
}

bool streams_flushed(const struct streams *s)
{
    return !s->link || conn_queued_bytes(s->link) == 0;
}

/* ------------------------------------------------------------- the pipes */

static void pipe_free(struct pipe_end *p)
{
    if (p->event)
        event_free(p->event);
    close(p->fd);
    free(p);
}

static void pipe_finish(struct pipe_end *p)
{
    struct streams *s = p->s;

    for (struct pipe_end **at = &s->pipes; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    if (p->end != STREAMS_SILENT)
        say_end(s, p->rank, p->stream, p->end == STREAMS_MOVED);
    if (p->typing >= 0)
        input_lost(s->input, p->typing);
    pipe_free(p);
}

/* One reading. 1: there was something, 0: nothing yet, -1: it has ended. */
static int pipe_read(struct pipe_end *p)
{
    struct streams *s = p->s;
    Hct__Output m = HCT__OUTPUT__INIT;
    ssize_t n = read(p->fd, s->buf, sizeof(s->buf));

    if (n > 0) {
        m.rank = p->rank;
        m.stream = p->stream;
        m.before = *p->count;
        *p->count += (uint64_t)n;
        say_output(s, &m, s->buf, (size_t)n);
        return 1;
    }
    if (n < 0 && errno == EINTR)
        return 1;
    return n < 0 && errno == EAGAIN ? 0 : -1;
}

static void on_output(evutil_socket_t fd, short what, void *arg)
{
    struct pipe_end *p = arg;
    struct streams *s = p->s;
    int more = 1;

    (void)fd, (void)what;
    if (s->ops->before)
        s->ops->before(s->arg, p->rank);
    for (int i = 0; more > 0 && i < READ_BUDGET && !streams_congested(s); i++)
        more = pipe_read(p);
    if (more < 0) {
        pipe_finish(p);
        s->ops->moved(s->arg);
    }
    if (streams_congested(s))
        set_paused(s, true);
}

static int watch(struct streams *s, uint32_t rank, Hct__Stream stream,
                 int fd, int typing, struct err *err)
{
    struct pipe_end *p = calloc(1, sizeof(*p));

    if (!p)
        return close(fd), err_memory(err);
    p->s = s;
    p->fd = fd;
    p->typing = typing;
    p->rank = rank;
    p->stream = stream;
    p->count = get_count(s, rank, stream);
    p->event = event_new(s->base, fd, EV_READ | EV_PERSIST, on_output, p);
    if (!p->count || !p->event || (!s->paused && event_add(p->event, NULL)))
        return pipe_free(p), err_memory(err);
    p->next = s->pipes;
    s->pipes = p;
    return 0;
}

int streams_watch(struct streams *s, uint32_t rank, Hct__Stream stream,
                  int fd, struct err *err)
{
    return watch(s, rank, stream, fd, -1, err);
}

void streams_cut(struct streams *s)
{
    while (s->pipes) {
        /* At most what a pipe holds: somebody may be writing on. */
        for (int i = 0; i < 16 && pipe_read(s->pipes) > 0; i++)
            ;
        pipe_finish(s->pipes);
    }
}

void streams_move(struct streams *s, uint32_t rank, enum streams_end end)
{
    for (struct pipe_end *p = s->pipes; p; p = p->next)
        if (p->rank == rank)
            p->end = end;
}

void streams_forget(struct streams *s, uint32_t rank)
{
    input_stayed_away(s->input, rank);
    for (struct pipe_end **at = &s->pipes, *p; (p = *at); )
        if (p->rank == rank) {
            *at = p->next;
            pipe_free(p);
        } else {
            at = &p->next;
        }
}

bool streams_rank_open(const struct streams *s, uint32_t rank)
{
    for (const struct pipe_end *p = s->pipes; p; p = p->next)
        if (p->rank == rank)
            return true;
    return false;
}

/* ----------------------------------------------------------------- input */

static void on_ask(void *arg, const struct input_ask *a)
{
    struct streams *s = arg;
    Hct__InputCredit m = HCT__INPUT_CREDIT__INIT;

    m.bytes = a->bytes;
    m.again = a->again;
    m.from = a->from;
    m.came = a->came;
    m.left = a->left;
    if (s->link)
        conn_send(s->link, MESSAGE_INPUT_CREDIT, &m);
}

static void on_unwanted(void *arg)
{
    struct streams *s = arg;
    Hct__InputUnwanted m = HCT__INPUT_UNWANTED__INIT;

    if (s->link)
        conn_send(s->link, MESSAGE_INPUT_UNWANTED, &m);
}

static const struct input_ops input_ops = { on_ask, on_unwanted };

int streams_feed(struct streams *s, uint32_t rank, int fd, struct err *err)
{
    return input_add(s->input, rank, fd, err);
}

int streams_feed_later(struct streams *s, uint32_t rank, int fd, struct err *err)
{
    return input_add_later(s->input, rank, fd, err);
}

void streams_input_came(struct streams *s, uint32_t rank, uint64_t at)
{
    input_came(s->input, rank, at);
}

void streams_no_input(struct streams *s, uint32_t rank)
{
    input_stayed_away(s->input, rank);
}

void streams_hold_input(struct streams *s, uint32_t rank)
{
    input_hold(s->input, rank);
}

void streams_input_stays(struct streams *s, uint32_t rank)
{
    input_stays(s->input, rank);
}

void streams_input_left(struct streams *s, uint32_t rank)
{
    input_left(s->input, rank);
}

bool streams_input_place(struct streams *s, uint32_t rank, uint64_t unread,
                         uint64_t *bytes)
{
    return input_place(s->input, rank, unread, bytes);
}

int streams_terminal(struct streams *s, uint32_t rank, int fd,
                     struct err *err)
{
    int typing = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    int rc = 0;

    if (typing < 0)
        rc = err_sys(err, "cannot write to a terminal");
    else
        rc = input_add_terminal(s->input, rank, typing, err);
    return watch(s, rank, HCT__STREAM__STREAM_STDOUT, fd,
                 rc < 0 ? -1 : typing, err) | rc;
}

static int on_terminal(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct streams *s = arg;
    struct winsize window;

    (void)c, (void)err;
    pty_size(&window, msg);
    for (struct pipe_end *p = s->pipes; p; p = p->next)
        if (p->typing >= 0)
            ioctl(p->fd, TIOCSWINSZ, &window);
    return 0;
}

void streams_start_input(struct streams *s)
{
    input_start(s->input);
    if (!s->link)
        input_cut(s->input);
}

static int on_input(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct streams *s = arg;
    const Hct__Input *m = msg;

    (void)c;
    return input_data(s->input, m->at, m->data.data, m->data.len, err);
}

static int on_input_end(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    struct streams *s = arg;
    const Hct__InputEnd *m = msg;

    (void)c, (void)err;
    input_end(s->input, m->at);
    return 0;
}

/* -------------------------------------------------------------- the link */

static void on_open(void *arg, struct conn *c)
{
    struct streams *s = arg;
    Hct__Hello m = HCT__HELLO__INIT;

    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)s->name;
    m.instance = s->instance;
    m.job = s->plan->job;
    m.cookie.data = (uint8_t *)s->plan->cookie;
    m.cookie.len = s->plan->cookie_bytes;
    m.attempt = s->plan->attempt;
    greeting_hello(c, &m);
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct streams *s = arg;

    if (greeting_welcomed(c, msg, HCT__ROLE__ROLE_REDIRECTOR, err))
        return -1;
    s->standing = true;
    s->ops->ready(s->arg, NULL);
    return 0;
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct streams *s = arg;

    (void)c;
    s->link = NULL;
    if (!s->standing) {
        s->ops->ready(s->arg, why);
        return;
    }
    log_info("streams", "link to the redirector lost job=%llu: %s",
             (unsigned long long)s->plan->job, why->text);
    input_cut(s->input);
    set_paused(s, false);
    s->ops->lost(s->arg);
}

static void on_drain(void *arg, struct conn *c)
{
    struct streams *s = arg;

    (void)c;
    set_paused(s, false);
    s->ops->moved(s->arg);
}

static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },
    MESSAGES_REDIRECTOR_TO_SLAVE(CONN_ROUTE)
};

static const struct conn_ops link_ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close, .on_drain = on_drain,
};

static void on_soon(evutil_socket_t fd, short what, void *arg)
{
    struct streams *s = arg;

    (void)fd, (void)what;
    s->ops->ready(s->arg, NULL);
}

struct streams *streams_open(struct event_base *base,
                             const struct plan *plan,
                             const struct conn_conf *conf, const char *name,
                             uint64_t instance,
                             const struct streams_ops *ops, void *arg,
                             struct err *err)
{
    struct streams *s = calloc(1, sizeof(*s));
    struct conn_conf patient = *conf;

    /* Who has stopped hector-run by Ctrl-Z will continue it. */
    patient.dead_ns = CONN_NEVER;
    if (!s)
        return err_memory(err), NULL;
    s->base = base;
    s->plan = plan;
    s->name = name;
    s->instance = instance;
    s->ops = ops;
    s->arg = arg;
    s->input = input_create(base, &input_ops, s);
    if (!s->input) {
        err_memory(err);
    } else if (*plan->stream_addresses) {
        s->link = conn_open_to(base, plan->stream_addresses, &patient,
                               &link_ops, s, err);
        if (s->link)
            return s;
    } else {                    /* nobody wants to see them */
        s->standing = true;
        s->soon = evtimer_new(base, on_soon, s);
        if (s->soon && !timer_set(s->soon, 0))
            return s;
        err_memory(err);
    }
    streams_close(s, NULL);
    return NULL;
}

void streams_close(struct streams *s, struct linkdrain *linkdrain)
{
    struct pipe_end *next;

    if (!s)
        return;
    input_destroy(s->input);
    for (struct count *c; (c = s->counts); ) {
        s->counts = c->next;
        free(c);
    }
    for (struct pipe_end *p = s->pipes; p; p = next) {
        next = p->next;
        pipe_free(p);
    }
    timer_free(s->soon);
    if (s->link && linkdrain)
        linkdrain_add(linkdrain, s->link);
    else
        conn_close(s->link);
    free(s);
}
