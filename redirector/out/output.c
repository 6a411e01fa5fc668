/* output.c - joins lines.c, out.c and outdir.c; see output.h.
 *
 * A port (lines.h) leads to a sink, of which there is one for each terminal,
 * pipe or file: ports that end in the same one share it, so that the order
 * of lines.c is the order in the file. */
#include "redirector/out/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hct.pb-c.h"
#include "proto/base/clock.h"
#include "proto/link/timer.h"
#include "redirector/out/lines.h"
#include "redirector/out/out.h"
#include "redirector/out/outdir.h"
#include "redirector/out/say.h"

struct output {
    struct output_conf conf;
    struct label label;
    struct lines *lines;        /* owned */
    struct outdir *dir;         /* owned; NULL: none */
    struct out *sinks[LINES_PORTS];     /* owned */
    int fds[LINES_PORTS];       /* of the ports; -1: no such port */
    int sink_of[LINES_PORTS];
    int stdtim_file;            /* owned; -1: none */
    struct event *timer;        /* owned; lines_due() */
    unsigned full;              /* sinks that cannot take more */
    void (*done)(void *arg);    /* once finishing */
};

/* ----------------------------------------------------------------- sinks */

static void output_on_full(void *arg)
{
    struct output *o = arg;

    if (o->full++ == 0)
        o->conf.on_full(o->conf.arg);
}

static void output_on_room(void *arg)
{
    struct output *o = arg;

    if (--o->full == 0)
        o->conf.on_room(o->conf.arg);
}

static void output_on_error(void *arg, struct out *sink,
                            const struct err *err)
{
    struct output *o = arg;

    /* Without a standard error there is nothing to say it with; and who
     * closes it does not want to hear. */
    if (sink == o->sinks[o->sink_of[LINES_STDERR]] &&
        o->sink_of[LINES_STDERR] != o->sink_of[LINES_STDOUT])
        return;
    o->conf.on_error(o->conf.arg, err);
}

static const struct out_ops sink_ops = {
    output_on_full, output_on_room, output_on_error
};

static void output_emit(void *arg, enum lines_port port, const void *p,
                        size_t n)
{
    struct output *o = arg;

    say_erase();
    out_write(o->sinks[o->sink_of[port]], p, n);
}

/* Do two descriptors end in the same place? */
static bool output_same_place(int a, int b)
{
    struct stat x, y;

    if (a < 0 || b < 0 || fstat(a, &x) < 0 || fstat(b, &y) < 0)
        return false;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool output_shares(int a, int b)
{
    return output_same_place(a, b) ||
           (a >= 0 && b >= 0 && isatty(a) && isatty(b));
}

/* ---------------------------------------------------------------- timing */

static void output_set_timer(struct output *o)
{
    uint64_t due = lines_due(o->lines), now;

    if (o->done)
        return;                 /* the timer waits for something else now */
    if (due == 0) {
        event_del(o->timer);
    } else if (!event_pending(o->timer, EV_TIMEOUT, NULL)) {
        now = clock_monotonic_ns();
        timer_set(o->timer, due > now ? due - now : 0);
    }
}

static bool output_is_written(const struct output *o)
{
    for (int i = 0; i < LINES_PORTS; i++)
        if (o->sinks[i] && out_queued(o->sinks[i]) > 0)
            return false;
    return true;
}

/* While finishing: look whether all is written; else: what lines has due. */
static void output_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct output *o = arg;

    (void)fd;
    (void)what;
    if (!o->done) {
        lines_tick(o->lines, clock_monotonic_ns());
        output_set_timer(o);
    } else if (output_is_written(o)) {
        o->done(o->conf.arg);
    } else {
        timer_set(o->timer, 2 * CLOCK_NS_PER_MS);
    }
}

static void output_say(void *arg, const char *line, size_t n)
{
    struct output *o = arg;

    lines_say(o->lines, LINES_STDERR, line, n);
}

/* ------------------------------------------------------------------ open */

/* The descriptor behind --stdtim. */
static int output_open_stdtim(struct output *o, struct err *err)
{
    const char *text = o->conf.stdtim;
    int fd = out_fd(text);

    if (strcmp(text, "-") == 0) {
        o->fds[LINES_STDTIM] = STDOUT_FILENO;
    } else if (fd >= 0) {
        if (fcntl(fd, F_GETFL) < 0)
            return err_set(err, EBADF, "--stdtim=%s: descriptor %d is not "
                           "open", text, fd);
        if (fd > STDERR_FILENO)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
        o->fds[LINES_STDTIM] = fd;
    } else {
        o->stdtim_file = open(text, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND |
                              O_CLOEXEC, 0666);
        if (o->stdtim_file < 0)
            return err_sys(err, "cannot write the stdtim stream to %s", text);
        o->fds[LINES_STDTIM] = o->stdtim_file;
    }
    return 0;
}

static int output_open_sinks(struct output *o, struct event_base *base,
                             struct err *err)
{
    static const char *const names[] = { "standard output", "standard error",
                                         "the stdtim stream" };

    for (int i = 0; i < LINES_PORTS; i++) {
        if (o->fds[i] < 0)
            continue;
        o->sink_of[i] = i;
        for (int j = 0; j < i; j++)
            if (output_same_place(o->fds[i], o->fds[j])) {
                o->sink_of[i] = o->sink_of[j];
                break;
            }
        if (o->sink_of[i] != i)
            continue;
        o->sinks[i] = out_open(base, o->fds[i], names[i], &sink_ops, o, err);
        if (!o->sinks[i])
            return -1;
    }
    return 0;
}

static struct lines *output_open_lines(struct output *o)
{
    struct lines_conf conf = {
        .ntasks = o->conf.ntasks, .stdtim = o->fds[LINES_STDTIM] >= 0,
        .label = label_wanted(&o->label) ? &o->label : NULL,
        .emit = output_emit, .arg = o
    };

    for (int i = 0; i < LINES_PORTS; i++) {
        conf.domain[i] = i;
        for (int j = 0; j < i; j++)
            if (output_shares(o->fds[i], o->fds[j])) {
                conf.domain[i] = conf.domain[j];
                break;
            }
    }
    return lines_create(&conf);
}

struct output *output_open(struct event_base *base,
                           const struct output_conf *conf, struct err *err)
{
    struct output *o = calloc(1, sizeof(*o));

    if (!o)
        return err_memory(err), NULL;
    o->conf = *conf;
    o->fds[LINES_STDOUT] = STDOUT_FILENO;
    o->fds[LINES_STDERR] = STDERR_FILENO;
    o->fds[LINES_STDTIM] = o->stdtim_file = -1;
    label_init(&o->label, conf->label, conf->timestamp, conf->ntasks);
    if ((conf->stdtim && output_open_stdtim(o, err) < 0) ||
        output_open_sinks(o, base, err) < 0)
        goto fail;
    if (conf->dir) {
        o->dir = outdir_open(conf->dir, conf->ntasks, conf->merge_stderr, err);
        if (!o->dir)
            goto fail;
    }
    o->lines = output_open_lines(o);
    o->timer = evtimer_new(base, output_on_timer, o);
    if (!o->lines || !o->timer) {
        err_memory(err);
        goto fail;
    }
    say_through(output_say, o);
    return o;
fail:
    output_close(o);
    return NULL;
}

void output_close(struct output *o)
{
    if (!o)
        return;
    say_through(NULL, NULL);
    for (int i = 0; i < LINES_PORTS; i++)
        out_close(o->sinks[i]);
    timer_free(o->timer);
    lines_destroy(o->lines);
    outdir_close(o->dir);
    if (o->stdtim_file >= 0)
        close(o->stdtim_file);
    free(o);
}

/* ---------------------------------------------------------------- output */

static enum lines_port output_port(int stream)
{
    switch (stream) {
    case HCT__STREAM__STREAM_STDERR:
        return LINES_STDERR;
    case HCT__STREAM__STREAM_STDTIM:
        return LINES_STDTIM;
    default:
        return LINES_STDOUT;
    }
}

static void output_dir_failed(struct output *o, const struct err *err)
{
    outdir_close(o->dir);
    o->dir = NULL;
    o->conf.on_error(o->conf.arg, err);
}

void output_take(struct output *o, uint32_t rank, int stream, const void *p,
                 size_t n, uint64_t at_ns)
{
    enum lines_port port = output_port(stream);
    struct err err;

    if (o->conf.dir && port != LINES_STDTIM) {
        if (o->dir && outdir_write(o->dir, rank, port == LINES_STDERR, p, n,
                                   &err) < 0)
            output_dir_failed(o, &err);
        return;
    }
    if (o->fds[port] < 0)
        return;
    lines_input(o->lines, port, rank, p, n, at_ns, clock_monotonic_ns());
    output_set_timer(o);
}

void output_end(struct output *o, uint32_t rank, int stream)
{
    enum lines_port port = output_port(stream);

    if (o->fds[port] < 0 || (o->conf.dir && port != LINES_STDTIM))
        return;
    lines_end(o->lines, port, rank, clock_monotonic_ns());
    output_set_timer(o);
}

void output_finish(struct output *o, void (*done)(void *arg))
{
    struct err err;

    assert(!o->done);
    lines_finish(o->lines);
    if (o->dir && outdir_finish(o->dir, &err) < 0)
        output_dir_failed(o, &err);
    o->done = done;
    timer_set(o->timer, 0);
}
