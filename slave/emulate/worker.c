/* worker.c - a process that plays many daemons, in one event loop. While it is
 * told to run, each of them sends samples once a virtual second, spread over
 * it, and together they send their share of the events. */
#include "slave/emulate/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"

enum { TICKS = 100 };                   /* a second, of sending */
enum { QUIT_MS = 2000 };                /* then it is killed */

struct play {
    struct daemon_conf conf;
    struct daemon **v;                  /* owned */
    uint32_t n, next_sample, next_event;
    int control;
    struct event *tick, *order;
    double samples_due, events_due;
    uint64_t last_ns;                   /* of the tick before */
};

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct play *p = arg;
    const struct emulate *e = p->conf.options;
    uint64_t now_ns = clock_monotonic_ns();
    double past = (double)(now_ns - p->last_ns) / 1e9 * e->speed;

    (void)fd, (void)what;
    p->last_ns = now_ns;
    p->samples_due += past * p->n;
    p->events_due += past * (double)e->events / e->workers;
    for (; p->samples_due >= 1; p->samples_due--)
        daemon_samples(p->v[p->next_sample++ % p->n]);
    for (; p->events_due >= e->batch; p->events_due -= e->batch)
        daemon_events(p->v[p->next_event++ % p->n], e->batch);
}

static void on_order(evutil_socket_t fd, short what, void *arg)
{
    struct play *p = arg;
    char c;

    (void)what;
    switch (read(fd, &c, 1) == 1 ? c : 0) {
    case WORKER_RUN:
        p->last_ns = clock_monotonic_ns();
        timer_set(p->tick, CLOCK_NS_PER_S / TICKS);
        break;
    case WORKER_STOP:
        event_del(p->tick);
        break;
    default:
        event_base_loopbreak(p->conf.base);
    }
}

static int play(struct play *p, uint32_t first, uint32_t step)
{
    const struct emulate *e = p->conf.options;
    struct err err;

    p->conf.base = event_base_new();
    p->v = calloc(e->daemons, sizeof(*p->v));
    if (!p->conf.base || !p->v)
        return 1;
    p->tick = event_new(p->conf.base, -1, EV_PERSIST, on_tick, p);
    p->order = event_new(p->conf.base, p->control, EV_READ | EV_PERSIST,
                         on_order, p);
    if (!p->tick || !p->order || event_add(p->order, NULL))
        return 1;
    for (uint32_t i = first; i < e->daemons; i += step) {
        p->v[p->n] = daemon_create(&p->conf, i, &err);
        if (!p->v[p->n++]) {
            log_warn("worker", "%s", err.text);
            return 1;
        }
    }
    event_base_dispatch(p->conf.base);
    while (p->n)
        daemon_destroy(p->v[--p->n]);
    event_free(p->tick);
    event_free(p->order);
    free(p->v);
    event_base_free(p->conf.base);
    return 0;
}

int worker_start(struct worker *w, const struct emulate *e,
                 const char *master, const char *dir,
                 const struct conn_conf *conn, uint32_t number,
                 struct err *err)
{
    struct play p = { .conf = {
        .options = e, .master = master, .dir = dir, .conn = conn,
        .began_ns = clock_monotonic_ns(), .wall_ns = clock_wall_ns() } };
    int pair[2];
    void *shared = mmap(NULL, sizeof(*w->count), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (shared == MAP_FAILED ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return err_sys(err, "cannot start a worker");
    w->count = p.conf.count = shared;
    w->control = pair[0];
    fflush(stdout);
    w->pid = fork();
    if (w->pid < 0)
        return err_sys(err, "cannot start a worker");
    if (w->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pair[0]);
        log_init("hector-emulate", LOG_LEVEL_WARN);
        p.control = pair[1];
        _exit(play(&p, number, e->workers));
    }
    close(pair[1]);
    return 0;
}

void worker_tell(const struct worker *w, char what)
{
    ssize_t n = write(w->control, &what, 1);

    (void)n;                            /* one that is dead is noticed */
}

void worker_end(struct worker *w)
{
    if (w->pid <= 0)
        return;
    worker_tell(w, WORKER_QUIT);
    close(w->control);
    for (int ms = 0; waitpid(w->pid, NULL, WNOHANG) == 0; ms++) {
        if (ms == QUIT_MS)
            kill(w->pid, SIGKILL);
        usleep(1000);
    }
    w->pid = 0;
}
