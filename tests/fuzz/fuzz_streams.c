/* fuzz_streams.c - a hector-run says anything on the stream link of a slave,
 * while a task writes and reads: no byte of input is taken that was not
 * granted, and a link that breaks harms no task.
 *
 * Peer 0 is what the slave has connected to. A special step is the task's:
 * write its bytes, read, close. */
#include "tests/fuzz/peers.h"

#include <fcntl.h>

#include "slave/streams/streams.h"

struct world {
    struct event_base *base;
    struct streams *streams;
    struct peers peers;
    int out, in;                /* the task's ends; -1: closed */
};

static int listening;
static char where[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    listening = peers_listen(where);
    return 0;
}

static void on_ready(void *arg, const struct err *why)
{
    (void)arg, (void)why;
}

static void on_event(void *arg)
{
    (void)arg;
}

static const struct streams_ops ops = { .ready = on_ready, .lost = on_event,
                                        .moved = on_event };

static void connect_task(struct world *w)
{
    struct err err;
    int out[2], in[2];

    assert(!pipe2(out, O_CLOEXEC | O_NONBLOCK) &&
           !pipe2(in, O_CLOEXEC | O_NONBLOCK));
    w->out = out[1];
    w->in = in[0];
    assert(!streams_watch(w->streams, 0, HCT__STREAM__STREAM_STDOUT, out[0],
                          &err) && !streams_feed(w->streams, 0, in[1], &err));
    streams_start_input(w->streams);
}

static void hang_up(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The task comes back, and goes on at some byte. */
static void come(struct world *w, const struct step *s)
{
    struct err err;
    int in[2];

    hang_up(&w->in);
    streams_input_left(w->streams, 0);
    assert(!pipe2(in, O_CLOEXEC | O_NONBLOCK));
    w->in = in[0];
    assert(!streams_feed_later(w->streams, 0, in[1], &err));
    streams_input_came(w->streams, 0, s->n);
}

static void task(struct world *w, const struct step *s)
{
    char buf[8192];
    ssize_t n = 0;
    uint64_t bytes;

    switch (s->who % 8) {
    case 0:
        if (w->out >= 0)
            n = write(w->out, s->body, s->n);
        break;
    case 1:
        if (w->in >= 0)
            n = read(w->in, buf, sizeof(buf));
        break;
    case 2:
        hang_up(&w->out);
        break;
    case 3:
        hang_up(&w->in);
        break;
    case 4:
        streams_hold_input(w->streams, 0);
        break;
    case 5:
        streams_input_stays(w->streams, 0);
        break;
    case 6:
        streams_input_place(w->streams, 0, s->n, &bytes);
        streams_input_left(w->streams, 0);
        break;
    case 7:
        come(w, s);
    }
    (void)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct conn_conf conf;
    struct plan plan = { .job = 7, .ntasks = 1, .stream_addresses = where };
    struct step v[STEP_MAX];
    struct world w = { .base = event_base_new() };
    size_t n = steps_parse(v, data, size);
    struct err err;

    peers_open(&w.peers, w.base);
    w.streams = streams_open(w.base, &plan, &conf, "n", 1, &ops, &w, &err);
    assert(w.streams);
    peers_turn(&w.peers);
    w.peers.v[0].fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    connect_task(&w);
    for (size_t i = 0; i < n; i++) {
        if (v[i].what == STEP_SPECIAL)
            task(&w, &v[i]);
        else
            peers_step(&w.peers, 0, &v[i]);
        peers_turn(&w.peers);
    }
    streams_cut(w.streams);
    streams_close(w.streams, NULL);
    peers_close(&w.peers);
    event_base_free(w.base);
    hang_up(&w.out);
    hang_up(&w.in);
    return 0;
}
