/* input.c - stdin of the tasks of one job on this node.
 *
 * Invariants: buf holds the bytes base .. base + n of the stream; granted never
 * exceeds base + INPUT_WINDOW, so the buffer never grows past the window. Readers
 * that are here are at base or behind it: behind base + n those that were ahead when
 * another one came, for which the stream was begun again at an earlier byte.
 *
 * The event of a reader that READS waits for EV_WRITE while it has something to get,
 * else for EV_READ, which on the writing end of a pipe means only that its reader is
 * gone. For a terminal the end of file is something to get, too. Others wait for
 * nothing: one that COMES has no byte yet, one that is HELD is where it was, and one
 * that is FED has the end in its pipe. */
#include "slave/streams/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slave/launch/pty.h"

enum reader_state { READER_READS, READER_COMES, READER_HELD, READER_FED };

struct reader {
    struct reader *next;
    struct input *in;           /* borrowed */
    struct event *event;        /* owned */
    int fd;                     /* owned */
    uint32_t rank;
    enum reader_state state;
    uint64_t at;                /* next byte of the stream to write */
    bool writing;               /* what event waits for */
    bool terminal;              /* then it waits for EV_WRITE or not at all */
    bool goes;                  /* to another node, and reads on there */
    char last;                  /* byte written to a terminal */
};

struct input {
    struct event_base *base_loop;       /* borrowed */
    const struct input_ops *ops;
    void *arg;
    struct reader *readers;     /* owned */
    char *buf;                  /* owned, INPUT_WINDOW bytes */
    uint64_t base, granted;
    uint64_t most;              /* that was ever granted */
    size_t n;
    uint32_t left;              /* readers; to be told */
    bool started, ended, unwanted;
    bool cut;                   /* nobody can be asked */
};

struct input *input_create(struct event_base *base,
                           const struct input_ops *ops, void *arg)
{
    struct input *in = calloc(1, sizeof(*in));

    if (!in)
        return NULL;
    in->buf = malloc(INPUT_WINDOW);
    if (!in->buf)
        return free(in), NULL;
    in->base_loop = base;
    in->ops = ops;
    in->arg = arg;
    return in;
}

static void reader_free(struct reader *r)
{
    if (r->event)
        event_free(r->event);
    if (r->fd >= 0)
        close(r->fd);
    free(r);
}

void input_destroy(struct input *in)
{
    struct reader *next;

    if (!in)
        return;
    for (struct reader *r = in->readers; r; r = next) {
        next = r->next;
        reader_free(r);
    }
    free(in->buf);
    free(in);
}

static void drop(struct reader *r)
{
    struct input *in = r->in;

    for (struct reader **at = &in->readers; *at; at = &(*at)->next)
        if (*at == r) {
            *at = r->next;
            break;
        }
    reader_free(r);
}

static struct reader *find(const struct input *in, uint32_t rank)
{
    struct reader *r = in->readers;

    while (r && r->rank != rank)
        r = r->next;
    return r;
}

static bool is_here(const struct reader *r)
{
    return r->state != READER_COMES;
}

static void ask(struct input *in, struct input_ask a)
{
    a.left = in->left;
    in->left = 0;
    in->granted = a.again ? a.from + a.bytes : in->granted + a.bytes;
    in->most = in->granted > in->most ? in->granted : in->most;
    if (!in->cut)
        in->ops->ask(in->arg, &a);
}

/* One that is here, not only to come. */
static bool has_reader(const struct input *in)
{
    const struct reader *r = in->readers;

    while (r && !is_here(r))
        r = r->next;
    return r != NULL;
}

/* Forget what all have. */
static void forget_old(struct input *in)
{
    uint64_t end = in->base + in->n, low = end;

    for (struct reader *r = in->readers; r; r = r->next)
        if (is_here(r) && r->at < low)
            low = r->at;
    if (low > in->base) {
        in->n = (size_t)(end - low);
        memmove(in->buf, in->buf + (low - in->base), in->n);
        in->base = low;
    }
}

/* ... grant what has become free, notice that nobody is left. */
static void settle(struct input *in)
{
    uint64_t more;

    forget_old(in);
    if (!in->started || in->unwanted)
        return;
    if (!in->readers) {
        if (in->left)
            ask(in, (struct input_ask){ 0 });
        in->unwanted = true;
        if (!in->ended && !in->cut)
            in->ops->unwanted(in->arg);
        return;
    }
    more = in->base + INPUT_WINDOW - in->granted;
    if (in->ended || !(more >= INPUT_STEP || (more && in->n == 0)))
        more = 0;
    if ((more && has_reader(in)) || in->left)
        ask(in, (struct input_ask){ .bytes = more });
}

static void wait_for(struct reader *r, bool writing);

/* Type the end of file. False if there is no room for it yet. */
static bool type_end(struct reader *r)
{
    const char *keys = pty_end_of_file(r->fd, r->last);
    ssize_t n = write(r->fd, keys, strlen(keys));

    if (n < (ssize_t)strlen(keys) && (n >= 0 || errno == EAGAIN)) {
        r->last = n > 0 ? '\n' : r->last;
        return false;
    }
    return true;
}

/* It finds the end after what is in its pipe. */
static void feed_end(struct reader *r)
{
    event_free(r->event);
    r->event = NULL;
    close(r->fd);
    r->fd = -1;
    r->state = READER_FED;
}

/* Write what fits. False if the reader is gone (and freed). */
static bool push(struct reader *r)
{
    struct input *in = r->in;
    uint64_t end = in->base + in->n;

    if (r->state != READER_READS)
        return true;
    while (r->at < end) {
        ssize_t n = write(r->fd, in->buf + (r->at - in->base),
                          (size_t)(end - r->at));

        if (n > 0) {
            r->at += (uint64_t)n;
            r->last = in->buf[r->at - in->base - 1];
        } else if (n < 0 && errno == EAGAIN) {
            break;
        } else if (!(n < 0 && errno == EINTR)) {
            drop(r);
            return false;
        }
    }
    if (r->at >= end && in->ended && r->terminal && type_end(r)) {
        drop(r);
        return false;
    }
    if (r->at >= end && in->ended && !r->terminal) {
        feed_end(r);
        return true;
    }
    wait_for(r, r->at < end || in->ended);
    return true;
}

static void push_all(struct input *in)
{
    struct reader *next;

    for (struct reader *r = in->readers; r; r = next) {
        next = r->next;
        if (!r->writing)
            push(r);
    }
    settle(in);
}

static void on_ready(evutil_socket_t fd, short what, void *arg)
{
    struct reader *r = arg;
    struct input *in = r->in;

    (void)fd;
    if (what & EV_READ && !r->writing)
        drop(r);                /* nobody holds the reading end */
    else
        push(r);
    settle(in);
}

static void wait_for(struct reader *r, bool writing)
{
    if (r->writing == writing)
        return;
    event_del(r->event);
    r->writing = writing;
    if (r->terminal && !writing)
        return;
    event_assign(r->event, r->in->base_loop, r->fd,
                 (short)((writing ? EV_WRITE : EV_READ) | EV_PERSIST),
                 on_ready, r);
    event_add(r->event, NULL);
}

static int add(struct input *in, uint32_t rank, int fd, bool terminal,
               enum reader_state state, struct err *err)
{
    struct reader *r = calloc(1, sizeof(*r));

    if (!r)
        return close(fd), err_memory(err);
    r->in = in;
    r->fd = fd;
    r->rank = rank;
    r->state = state;
    r->at = in->base;
    r->terminal = terminal;
    r->last = '\n';
    r->event = event_new(in->base_loop, fd, EV_READ | EV_PERSIST, on_ready,
                         r);
    if (!r->event || (!terminal && is_here(r) && event_add(r->event, NULL)))
        return reader_free(r), err_memory(err);
    r->next = in->readers;
    in->readers = r;
    return 0;
}

int input_add(struct input *in, uint32_t rank, int fd, struct err *err)
{
    return add(in, rank, fd, false, READER_READS, err);
}

int input_add_terminal(struct input *in, uint32_t rank, int fd, struct err *err)
{
    return add(in, rank, fd, true, READER_READS, err);
}

int input_add_later(struct input *in, uint32_t rank, int fd, struct err *err)
{
    return add(in, rank, fd, false, READER_COMES, err);
}

void input_lost(struct input *in, int fd)
{
    for (struct reader *r = in->readers; r; r = r->next)
        if (r->fd == fd) {
            drop(r);
            settle(in);
            return;
        }
}

void input_start(struct input *in)
{
    in->started = true;
    settle(in);
}

/* ------------------------------------------------------- tasks that move */

/* Go on at that byte, which is not in the buffer. */
static void begin_at(struct input *in, uint64_t at, struct input_ask *a)
{
    in->base = at;
    in->n = 0;
    in->ended = in->cut;
    a->again = true;
    a->from = at;
    a->bytes = INPUT_WINDOW;
}

void input_came(struct input *in, uint32_t rank, uint64_t at)
{
    struct reader *r = find(in, rank);
    struct input_ask a = { .came = 1 };

    if (!r || is_here(r))
        return;
    if (at < in->base || !has_reader(in))
        begin_at(in, at, &a);
    r->state = READER_READS;
    r->at = at;
    in->unwanted = false;
    event_add(r->event, NULL);
    ask(in, a);
    push(r);
    settle(in);
}

void input_stayed_away(struct input *in, uint32_t rank)
{
    struct reader *r = find(in, rank);

    if (!r || is_here(r))
        return;
    drop(r);
    settle(in);
}

void input_hold(struct input *in, uint32_t rank)
{
    struct reader *r = find(in, rank);

    if (!r || r->state != READER_READS || r->terminal)
        return;
    event_del(r->event);
    r->state = READER_HELD;
}

void input_stays(struct input *in, uint32_t rank)
{
    struct reader *r = find(in, rank);

    if (!r || r->state != READER_HELD)
        return;
    r->state = READER_READS;
    event_add(r->event, NULL);
    push(r);
    settle(in);
}

void input_left(struct input *in, uint32_t rank)
{
    struct reader *r = find(in, rank);

    if (!r || !is_here(r))
        return;
    in->left += r->goes;
    drop(r);
    settle(in);
}

bool input_place(struct input *in, uint32_t rank, uint64_t unread,
                 uint64_t *bytes)
{
    struct reader *r = find(in, rank);

    *bytes = 0;
    if (!r || !is_here(r))
        return false;
    *bytes = r->at - (unread < r->at ? unread : r->at);
    r->goes = r->state != READER_FED || unread > 0;
    return r->goes;
}

/* ------------------------------------------------------------ what comes */

int input_data(struct input *in, uint64_t at, const void *data, size_t n,
               struct err *err)
{
    uint64_t next = in->base + in->n;
    size_t old;

    if (in->ended || n > in->most || at > in->most - n)
        return err_set(err, EPROTO, "%zu bytes of input that were not asked "
                       "for", n);
    if (at > next || at + n <= next || !has_reader(in))
        return 0;               /* it was sent before we asked for others */
    if (at + n > in->granted)
        return err_set(err, EPROTO, "%zu bytes of input too many", n);
    old = (size_t)(next - at);
    memcpy(in->buf + in->n, (const char *)data + old, n - old);
    in->n += n - old;
    push_all(in);
    return 0;
}

void input_end(struct input *in, uint64_t at)
{
    if (at != in->base + in->n)
        return;                 /* it comes again, after what was asked for */
    in->ended = true;
    push_all(in);
}

void input_cut(struct input *in)
{
    in->ended = in->cut = true;
    push_all(in);
}
