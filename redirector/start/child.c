/* child.c - starts programs, relays what they say, notices their end.
 *
 * Invariant: children holds exactly those that have been started and whose
 * on_exit has not been called. */
#include "redirector/start/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/signals.h"
#include "redirector/out/say.h"
#include "redirector/start/kin.h"

/* At the end: after TERM; for guards, when their slaves are killed; for the
 * kernel, when all are. */
#define CHILD_TERM_NS (500 * CLOCK_NS_PER_MS)
#define CHILD_GUARD_NS (400 * CLOCK_NS_PER_MS)
#define CHILD_KILL_NS (300 * CLOCK_NS_PER_MS)

/* One stream of a child, cut into lines. */
struct child_stream {
    int fd;                     /* owned; -1: ended */
    enum say_level level;
    struct event *event;        /* owned */
    struct child *child;        /* borrowed: whose it is */
    size_t n;
    char line[CHILD_LINE_MAX];
};

struct child {
    struct child *next;
    pid_t pid;
    char *who;                  /* owned */
    bool guard;
    const char *const *noise;   /* borrowed, or NULL */
    char last[200];             /* its last line; */
    char passed_over[200];      /* ... that nobody has heard */
    struct child_stream streams[2];     /* stdout, stderr */
    void (*on_line)(void *arg, const char *line, size_t n);     /* or NULL */
    void (*on_exit)(void *arg, struct child *c, int status);
    void *arg;
};

static struct child *children;
static rlim_t limit_was;        /* 0: not raised */

/* ---------------------------------------------------------------- output */

static bool child_is_noise(const struct child_stream *s)
{
    for (const char *const *w = s->child->noise; w && *w; w++)
        if (memmem(s->line, s->n, *w, strlen(*w)))
            return true;
    return false;
}

static void child_say(struct child_stream *s)
{
    struct child *c = s->child;
    bool first = s == &c->streams[0];

    if (first && c->on_line) {
        c->on_line(c->arg, s->line, s->n);
    } else if (s->n > 0) {
        bool noise = child_is_noise(s);

        snprintf(c->last, sizeof(c->last), "%.*s", (int)s->n, s->line);
        if ((first && s->level == SAY_VERBOSE) ||
            (noise && memmem(s->line, s->n, "error", strlen("error"))))
            memcpy(c->passed_over, c->last, sizeof(c->passed_over));
        say_line(noise ? SAY_VERBOSE : s->level, c->who, s->line, s->n);
    }
    s->n = 0;
}

static void child_end_stream(struct child_stream *s)
{
    child_say(s);
    if (s->event)
        event_free(s->event);
    s->event = NULL;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

static void child_take_output(struct child_stream *s, const char *p, size_t n)
{
    for (; n > 0; p++, n--) {
        if (*p == '\n') {
            child_say(s);
            continue;
        }
        if (s->n == sizeof(s->line))
            child_say(s);
        s->line[s->n++] = *p;
    }
}

/* Read what is there, at most a budget of it. */
static void child_on_output(evutil_socket_t fd, short what, void *arg)
{
    struct child_stream *s = arg;
    char buf[4096];

    (void)what;
    for (int i = 0; i < 16; i++) {
        ssize_t n = read(fd, buf, sizeof(buf));

        if (n > 0) {
            child_take_output(s, buf, (size_t)n);
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            child_end_stream(s);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

/* ----------------------------------------------------------------- start */

void child_raise_limit(void)
{
    struct rlimit lim;

    if (limit_was || getrlimit(RLIMIT_NOFILE, &lim) < 0)
        return;
    limit_was = lim.rlim_cur;
    lim.rlim_cur = lim.rlim_max;
    setrlimit(RLIMIT_NOFILE, &lim);
}

static void child_restore_limit(void)
{
    struct rlimit lim;

    if (limit_was && getrlimit(RLIMIT_NOFILE, &lim) == 0) {
        lim.rlim_cur = limit_was;
        setrlimit(RLIMIT_NOFILE, &lim);
    }
}

/* Put fds[i] at number first + i, whatever lies there now. */
static int child_place_fds(int *fds, int n, int first)
{
    for (int i = 0; i < n; i++)
        if ((fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, first + n)) < 0)
            return -1;
    for (int i = 0; i < n; i++)
        if (dup2(fds[i], first + i) < 0)
            return -1;
    return 0;
}

static void child_set_number(const char *name, long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%ld", value);
    setenv(name, text, 1);
}

/* In the new process. fds: stdin, stdout, stderr, error pipe, the rest. */
__attribute__((noreturn))
static void child_run(const struct child_conf *conf, int *fds)
{
    enum { ERROR_FD = 3 };
    sigset_t none;
    int kept = conf->nfds + (conf->held > 0), n = 4 + kept;

    sigemptyset(&none);
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    child_restore_limit();
    unsetenv("LISTEN_FDNAMES");
    for (const char *const *v = conf->unset; v && *v; v++)
        unsetenv(*v);
    if (conf->nfds > 0) {
        child_set_number("LISTEN_FDS", conf->nfds);
        child_set_number("LISTEN_PID", getpid());
    } else {
        unsetenv("LISTEN_FDS");
        unsetenv("LISTEN_PID");
    }
    /* The error pipe goes behind the ones that are to be 3, 4, ... */
    int error_fd = fds[ERROR_FD];

    memmove(fds + ERROR_FD, fds + ERROR_FD + 1,
            (size_t)kept * sizeof(*fds));
    fds[n - 1] = error_fd;
    if (child_place_fds(fds, n, 0) == 0) {
        fcntl(n - 1, F_SETFD, FD_CLOEXEC);
        syscall(SYS_close_range, (unsigned)n, ~0u, 0);
        execvp(conf->argv[0], conf->argv);
        error_fd = n - 1;
    }
    int code = errno;

    if (write(error_fd, &code, sizeof(code)) < 0)
        _exit(126);
    _exit(127);
}

/* Four pipes; [0] is the reading end. */
struct child_pipes { int in[2], out[2], err[2], exec[2]; };

static void child_close_pipes(struct child_pipes *p)
{
    int *all = (int *)p;

    for (size_t i = 0; i < sizeof(*p) / sizeof(int); i++)
        if (all[i] >= 0)
            close(all[i]);
    memset(p, 0xff, sizeof(*p));
}

static int child_open_pipes(struct child_pipes *p, const char *input)
{
    memset(p, 0xff, sizeof(*p));
    if (pipe2(p->in, O_CLOEXEC) < 0 || pipe2(p->out, O_CLOEXEC) < 0 ||
        pipe2(p->err, O_CLOEXEC) < 0 || pipe2(p->exec, O_CLOEXEC) < 0)
        return -1;
    if (input && write(p->in[1], input, strlen(input)) < 0)
        return -1;
    return 0;
}

static int child_watch(struct event_base *base, struct child_stream *s,
                       int *fd)
{
    s->fd = *fd;
    *fd = -1;
    fcntl(s->fd, F_SETFL, O_NONBLOCK);
    s->event = event_new(base, s->fd, EV_READ | EV_PERSIST, child_on_output,
                         s);
    return s->event ? event_add(s->event, NULL) : -1;
}

static void child_free(struct child *c)
{
    for (int i = 0; i < 2; i++)
        child_end_stream(&c->streams[i]);
    free(c->who);
    free(c);
}

static struct child *child_create(const struct child_conf *conf)
{
    struct child *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    for (int i = 0; i < 2; i++) {
        c->streams[i].fd = -1;
        c->streams[i].child = c;
        c->streams[i].level = (i == 0 ? !conf->loud : conf->hushed)
                              ? SAY_VERBOSE : SAY_ERROR;
    }
    c->guard = conf->guard;
    c->noise = conf->noise;
    c->on_line = conf->on_line;
    c->on_exit = conf->on_exit;
    c->arg = conf->arg;
    c->who = strdup(conf->who);
    if (!c->who) {
        free(c);
        return NULL;
    }
    return c;
}

/* Did exec work? 0, or the errno of the new process. */
static int child_exec_result(int fd)
{
    int code = 0;
    ssize_t n;

    do
        n = read(fd, &code, sizeof(code));
    while (n < 0 && errno == EINTR);
    return n == sizeof(code) ? code : 0;
}

struct child *child_start(struct event_base *base,
                          const struct child_conf *conf, struct err *err)
{
    struct child *c = child_create(conf);
    struct child_pipes p;

    if (!c)
        return err_memory(err), NULL;
    if (child_open_pipes(&p, conf->input) < 0) {
        err_sys(err, "cannot start %s", conf->argv[0]);
        goto fail;
    }
    int fds[5 + CHILD_FDS_MAX] = { p.in[0], p.out[1], p.err[1], p.exec[1] };

    memcpy(fds + 4, conf->fds, (size_t)conf->nfds * sizeof(int));
    fds[4 + conf->nfds] = conf->held;
    c->pid = fork();
    if (c->pid == 0)
        child_run(conf, fds);
    if (c->pid < 0) {
        err_sys(err, "cannot start %s", conf->argv[0]);
        goto fail;
    }
    close(p.exec[1]);
    p.exec[1] = -1;
    int code = child_exec_result(p.exec[0]);

    if (code != 0) {
        waitpid(c->pid, NULL, 0);
        errno = code;
        err_sys(err, "cannot start %s", conf->argv[0]);
        goto fail;
    }
    if (child_watch(base, &c->streams[0], &p.out[0]) < 0 ||
        child_watch(base, &c->streams[1], &p.err[0]) < 0) {
        err_memory(err);
        kill(-c->pid, SIGKILL);
        waitpid(c->pid, NULL, 0);
        goto fail;
    }
    child_close_pipes(&p);
    c->next = children;
    children = c;
    return c;
fail:
    child_close_pipes(&p);
    child_free(c);
    return NULL;
}

/* ------------------------------------------------------------------- end */

void child_reap_all(void)
{
    for (struct child **at = &children; *at; ) {
        struct child *c = *at;
        int status;

        if (waitpid(c->pid, &status, WNOHANG) != c->pid) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        for (int i = 0; i < 2; i++)
            if (c->streams[i].fd >= 0)
                child_on_output(c->streams[i].fd, 0, &c->streams[i]);
        for (int i = 0; i < 2; i++)
            child_end_stream(&c->streams[i]);
        c->on_exit(c->arg, c, status);
        child_free(c);
        at = &children;         /* on_exit may have done anything */
    }
}

unsigned child_count(void)
{
    unsigned n = 0;

    for (const struct child *c = children; c; c = c->next)
        n++;
    return n;
}

void child_kill(const struct child *c, int sig)
{
    kill(-c->pid, sig);
}

void child_tell(const struct child *c, int sig)
{
    kill(c->pid, sig);
}

static void kill_all(int sig)
{
    for (const struct child *c = children; c; c = c->next)
        child_kill(c, sig);
}

void child_hush_all(void)
{
    for (struct child *c = children; c; c = c->next)
        for (int i = 0; i < 2; i++)
            c->streams[i].level = SAY_VERBOSE;
}

/* NULL: nothing to be done about it, or no memory. */
static struct kin *child_claim(void)
{
    pid_t *v = calloc(child_count() + 1, sizeof(*v));
    struct kin *k;
    size_t n = 0;

    for (const struct child *c = children; v && c; c = c->next)
        v[n++] = c->pid;
    k = v ? kin_claim(v, n) : NULL;
    free(v);
    return k;
}

/* Until all are gone: true. With again, KILL goes to whoever is there. */
static bool child_wait(const struct kin *k, uint64_t ns, bool again)
{
    uint64_t end_ns = clock_monotonic_ns() + ns;

    do {
        if (again && k)
            kin_kill(k, false);
        usleep(2000);
        child_reap_all();
        if (!children && !(k && kin_any(k)))
            return true;
    } while (clock_monotonic_ns() < end_ns);
    return false;
}

/* All but guards, which clear up behind the others. */
static void child_kill_guarded(const struct kin *k)
{
    for (const struct child *c = children; c; c = c->next)
        if (!c->guard)
            child_kill(c, SIGKILL);
    if (k)
        kin_kill(k, true);
}

static void child_ignore(void *arg, struct child *c, int status)
{
    (void)arg, (void)c, (void)status;
}

static void child_leave_behind(const struct kin *k)
{
    char names[400] = "";

    for (struct child *c = children; c; c = c->next)
        c->on_exit = child_ignore;
    if (k)
        kin_names(k, names, sizeof(names));
    if (*names)
        say(SAY_ERROR, "still there, though killed: %s", names);
}

/* Told twice, they are not patient with their tasks. */
void child_end_all(void)
{
    struct kin *k = children ? child_claim() : NULL;

    if (!children)
        return;
    kill_all(SIGTERM);
    kill_all(SIGINT);
    if (!child_wait(k, CHILD_TERM_NS, false)) {
        child_kill_guarded(k);
        if (!child_wait(k, CHILD_GUARD_NS, false)) {
            kill_all(SIGKILL);
            if (!child_wait(k, CHILD_KILL_NS, true))
                child_leave_behind(k);
        }
    }
    kin_release(k);
}

const char *child_passed_over(const struct child *c)
{
    return c->passed_over;
}

const char *child_last(const struct child *c)
{
    return c->last;
}

const char *child_who(const struct child *c)
{
    return c->who;
}

const char *child_fate(int status, char *buf, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(buf, size, "was killed by signal %d (%s)", WTERMSIG(status),
                 signals_describe(WTERMSIG(status)));
    else
        snprintf(buf, size, "ended with status %d", WEXITSTATUS(status));
    return buf;
}
