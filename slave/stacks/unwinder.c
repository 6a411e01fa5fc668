/* unwinder.c - a child process that makes a call tree of copied stacks: the
 * slave's end of it. */
#include "slave/stacks/unwinder.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>

#include "proto/base/clock.h"
#include "proto/base/signals.h"
#include "proto/link/timer.h"
#include "slave/stacks/unwinder_work.h"

enum { LIFE_S = 600 };          /* whatever happens, it ends */
#define KEPT_NS (LIFE_S / 2 * CLOCK_NS_PER_S)
#define IDLE_NS (UNWINDER_IDLE_MS * CLOCK_NS_PER_MS / 2)  /* it may just go */
#define ANSWER_MAX (1u << 30)
#define GATHERED_MAX (1u << 20) /* bytes for it that are kept back */

struct unwinder {
    struct unwinder_conf conf;
    unwinder_done_f *done;
    void *arg;
    pid_t pid;
    int pidfd; /* others reap it: its number may be another's */
    struct bufferevent *bev;    /* owned */
    struct event *timer;        /* owned: the tree is late */
    bool told, ended;
    bool whole;                 /* nothing is added any more: no gathering */
    uint64_t born_ns, told_ns;
    uid_t uid;                  /* whose rights it has */
};

/* ------------------------------------------------------------- the child */

static int drop_rights(const struct launch_user *u)
{
    if (!u || !u->change)
        return 0;
    return setgroups((size_t)u->ngroups, u->groups) || setgid(u->gid) ||
           setuid(u->uid);
}

static _Noreturn void be_unwinder(const struct unwinder_conf *c, int fd)
{
    sigset_t for_tasks;

    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&for_tasks);
    signals_add_passed(&for_tasks, true);
    sigdelset(&for_tasks, SIGALRM);     /* that is ours */
    sigprocmask(SIG_SETMASK, &for_tasks, NULL);
    if (dup2(fd, 3) < 0)
        _exit(1);
    close_range(4, ~0u, 0);
    prctl(PR_SET_NAME, "hector-unwind");
    if (drop_rights(c->user))
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(LIFE_S);
    _exit(unwinder_work(3));
}

/* ------------------------------------------------------------ the answer */

static void tell(struct unwinder *s, const struct unwinder_result *r, int code,
                 const char *why)
{
    struct err err;

    if (s->told)
        return;
    s->told = true;
    s->told_ns = clock_monotonic_ns();
    err_set(&err, code, "%s", why);
    s->done(s->arg, r, r ? NULL : &err);
}

static void on_answer(struct bufferevent *bev, void *arg)
{
    struct unwinder *s = arg;
    struct evbuffer *in = bufferevent_get_input(bev);
    size_t counts = s->conf.ntasks * sizeof(uint32_t), want;
    struct unwinder_answer a;
    struct unwinder_result r;
    char *notes, *p;

    if (evbuffer_copyout(in, &a, sizeof(a)) != sizeof(a))
        return;
    if (a.tree_bytes > ANSWER_MAX || a.notes_bytes > ANSWER_MAX) {
        tell(s, NULL, EPROTO, "the reader of stacks makes no sense");
        return;
    }
    want = sizeof(a) + counts + a.tree_bytes + a.notes_bytes;
    if (evbuffer_get_length(in) < want)
        return;
    event_del(s->timer);
    p = malloc(want);
    notes = p && evbuffer_remove(in, p, want) == (int)want
        ? strndup(p + want - a.notes_bytes, a.notes_bytes) : NULL;
    if (!notes) {
        free(p);
        tell(s, NULL, ENOMEM, "out of memory");
        return;
    }
    r.traces = (const uint32_t *)(const void *)(p + sizeof(a));
    r.tree = (const uint8_t *)p + sizeof(a) + counts;
    r.bytes = a.tree_bytes;
    r.notes = notes;
    tell(s, &r, 0, "");         /* may stop s */
    free(notes);
    free(p);
}

static void on_end(struct bufferevent *bev, short what, void *arg)
{
    (void)bev, (void)what;
    ((struct unwinder *)arg)->ended = true;
    tell(arg, NULL, EPIPE, "the reader of stacks has ended: one of the"
                           " binaries may be damaged");
}

/* All is on its way: what comes next is gathered again. */
static void on_written(struct bufferevent *bev, void *arg)
{
    struct unwinder *s = arg;

    if (!s->whole)
        bufferevent_disable(bev, EV_WRITE);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    tell(arg, NULL, ETIMEDOUT, "reading the binaries takes too long");
}

/* ------------------------------------------------------------------- life */

/* ----------------------------------------------------------------- pieces */

static void put(struct unwinder *s, enum unwinder_kind kind, uint32_t position,
                uint32_t sample, pid_t pid, const void *data, size_t n)
{
    struct unwinder_head h = { (uint32_t)kind, position, sample, (uint32_t)pid,
                             n };

    if (n > UNWINDER_PIECE_MAX)
        return;
    bufferevent_write(s->bev, &h, sizeof(h));
    if (n)
        bufferevent_write(s->bev, data, n);
}

static void put_begin(struct unwinder *s)
{
    put(s, UNWINDER_BEGIN, s->conf.ntasks, s->conf.nsamples,
        (s->conf.lines ? UNWINDER_LINES : 0) |
        (s->conf.offsets ? UNWINDER_OFFSETS : 0) |
        (s->conf.slice ? UNWINDER_SLICE : 0), NULL, 0);
}

struct unwinder *unwinder_start(const struct unwinder_conf *conf,
                                unwinder_done_f *done, void *arg,
                                struct err *err)
{
    struct unwinder *s = calloc(1, sizeof(*s));
    int fds[2] = { -1, -1 };

    if (!s)
        return err_memory(err), NULL;
    s->conf = *conf;
    s->born_ns = clock_monotonic_ns();
    s->uid = conf->user ? conf->user->uid : 0;
    s->done = done;
    s->arg = arg;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)) {
        free(s);
        return err_sys(err, "cannot make a socket"), NULL;
    }
    s->pid = fork();
    if (s->pid == 0)
        be_unwinder(conf, fds[1]);
    close(fds[1]);
    s->pidfd = s->pid > 0 ? pidfd_open(s->pid, 0) : -1;
    evutil_make_socket_nonblocking(fds[0]);
    if (s->pid > 0)
        s->bev = bufferevent_socket_new(conf->base, fds[0],
                                        BEV_OPT_CLOSE_ON_FREE);
    s->timer = evtimer_new(conf->base, on_late, s);
    if (!s->bev || !s->timer) {
        err_sys(err, "cannot start the reader of stacks");
        if (!s->bev)
            close(fds[0]);
        unwinder_stop(s);
        return NULL;
    }
    bufferevent_setcb(s->bev, on_answer, on_written, on_end, s);
    bufferevent_disable(s->bev, EV_WRITE);
    bufferevent_enable(s->bev, EV_READ);
    put_begin(s);
    return s;
}

struct unwinder *unwinder_reuse(struct unwinder *old,
                                const struct unwinder_conf *conf,
                                unwinder_done_f *done, void *arg,
                                struct err *err)
{
    struct unwinder *s = old;
    struct pollfd end = { .fd = s ? s->pidfd : -1, .events = POLLIN };

    if (!s || s->ended || poll(&end, 1, 0) != 0 || !s->told || !s->conf.keep ||
        s->uid != (conf->user ? conf->user->uid : 0) ||
        clock_monotonic_ns() - s->born_ns > KEPT_NS ||
        clock_monotonic_ns() - s->told_ns > IDLE_NS) {
        unwinder_stop(old);
        return unwinder_start(conf, done, arg, err);
    }
    s->conf = *conf;
    s->told = s->whole = false;
    bufferevent_disable(s->bev, EV_WRITE);
    s->done = done;
    s->arg = arg;
    put_begin(s);
    return s;
}

/* It is reaped by whoever reaps our children. */
void unwinder_stop(struct unwinder *s)
{
    if (!s)
        return;
    if (s->bev)
        bufferevent_free(s->bev);
    timer_free(s->timer);
    if (s->pidfd >= 0) {
        pidfd_send_signal(s->pidfd, SIGKILL, NULL, 0);
        close(s->pidfd);
    }
    free(s);
}

pid_t unwinder_pid(const struct unwinder *s)
{
    return s ? s->pid : 0;
}

void unwinder_maps(struct unwinder *s, uint32_t position, pid_t pid,
                   const char *text, size_t n)
{
    put(s, UNWINDER_MAPS, position, 0, pid, text, n);
}

void unwinder_copy(struct unwinder *s, uint32_t position, uint32_t sample,
                   const struct halt_copy *copy, bool cut)
{
    put(s, UNWINDER_COPY, position, sample, 0, copy,
        offsetof(struct halt_copy, stack) + copy->bytes);
    if (cut || unwinder_backlog(s) > GATHERED_MAX)
        bufferevent_enable(s->bev, EV_WRITE);
}

void unwinder_addresses(struct unwinder *s, uint32_t position, uint32_t sample,
                        const uint64_t *pc, uint32_t n)
{
    put(s, UNWINDER_ADDRESSES, position, sample, 0, pc, n * sizeof(*pc));
}

void unwinder_remark(struct unwinder *s, uint32_t position, uint32_t sample,
                     const struct unwinder_remark *r)
{
    put(s, UNWINDER_REMARK, position, sample, 0, r, sizeof(*r));
}

void unwinder_unwritten(struct unwinder *s, uint32_t position, uint32_t sample)
{
    put(s, UNWINDER_UNWRITTEN, position, sample, 0, NULL, 0);
}

void unwinder_end(struct unwinder *s)
{
    s->whole = true;
    put(s, UNWINDER_END, 0, s->conf.keep, 0, NULL, 0);
    bufferevent_enable(s->bev, EV_WRITE);
    timer_set(s->timer, s->conf.timeout_ns);
}

size_t unwinder_backlog(const struct unwinder *s)
{
    return evbuffer_get_length(bufferevent_get_output(s->bev));
}
