/* judge.c - one policy of one job, in a process of its own, see judge.h. */
#include "master/watch/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "master/watch/judgewire.h"
#include "proto/base/clock.h"
#include "proto/base/paths.h"
#include "proto/base/signals.h"
#include "proto/base/str.h"
#include "proto/conf/policycheck.h"
#include "proto/link/timer.h"
#include "proto/plan/plugin.h"

extern char **environ;

/* A look of a series may come so much early. */
static const uint64_t judge_early_ns = CLOCK_NS_PER_MS;
static const uint64_t judge_again_ns = 500 * CLOCK_NS_PER_MS;
enum { JUDGE_CLOCK = 3,         /* how much longer than its processor time */
       JUDGE_QUEUE = 64 << 20,  /* bytes that wait for a busy one */
       JUDGE_LARGE = 4 << 20,   /* given back when it was seen */
       JUDGE_LOOKS = 20,        /* of which it makes sense to say what share */
       JUDGE_READS = 16,        /* before it is others' turn */
       JUDGE_ANSWER = 4 << 20, JUDGE_ANSWER_TASK = 64,
       JUDGE_PLAN = 4 };        /* a step is so many times larger than a task */

/* Every process, also those that nobody has any use for. */
struct judges_child {
    struct judges_child *next;  /* owned */
    struct judge *judge;        /* borrowed; NULL: it is only to be reaped */
    pid_t pid;
    bool gone;                  /* the number may be another's by now */
};

struct judges {
    struct event_base *base;    /* borrowed */
    struct event *reaper;       /* owned */
    struct judges_child *children;
};

enum judge_state { JUDGE_IDLE, JUDGE_DOWN, JUDGE_OPENING, JUDGE_FREE,
                   JUDGE_BUSY, JUDGE_OFF };

struct judge {
    struct judges *all;         /* borrowed, as ops and arg */
    const struct judge_ops *ops;
    void *arg;
    struct judge_conf conf;
    char *spec, name[48];       /* spec owned */
    uint32_t nranks;
    enum judge_state state;
    bool asked;                 /* there is something in queue that it is to be
                                   shown as soon as can be, or it is busy */
    struct judges_child *child; /* borrowed; NULL: no process */
    char killed[80];            /* what for, by us; or "" */
    int stream, tape, kept;     /* owned; -1: none */
    struct event *readable, *timer;     /* owned */
    struct str in;              /* of an answer */
    struct str queue;           /* frames that it is to be shown */
    size_t quiet, passed;       /* as judgewire.h has it, */
    size_t order;               /* ... and where the last order begins */
    bool follows;               /* it has had each frame since a 'K' */
    bool fits;                  /* a look in queue has all that it needs */
    bool called;                /* ... or is one that it hears of */
    uint32_t needs, takes;      /* as it has said, or none and all */
    uint32_t hears;             /* or all */
    struct judge_done shown, next;      /* what it is busy with; in queue */
    uint64_t wake_ns;
    uint64_t seen, missed;      /* looks that it had asked for */
    uint64_t since_ns, cpu_ns;  /* when the step that it is in began */
    unsigned lost;
    bool sound;                 /* a showing came to its end since the start */
    struct found found;
    size_t plan_max;            /* bytes that an answer of an optimizer may have */
};

static void judge_on_child(struct judge *j, int status,
                           const struct rusage *used);

/* ------------------------------------------------------------ the processes */

static void judges_on_sigchld(evutil_socket_t fd, short what, void *arg)
{
    struct judges *all = arg;
    struct judges_child **at = &all->children, *c;
    struct rusage used;
    int status;

    (void)fd;
    (void)what;
    while ((c = *at)) {
        if (wait4(c->pid, &status, WNOHANG, &used) == 0) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        c->gone = true;
        if (c->judge)
            judge_on_child(c->judge, status, &used);
        free(c);
        at = &all->children;    /* it may be another list by now */
    }
}

struct judges *judges_create(struct event_base *base)
{
    struct judges *all = calloc(1, sizeof(*all));

    if (!all)
        return NULL;
    all->base = base;
    all->reaper = evsignal_new(base, SIGCHLD, judges_on_sigchld, all);
    if (!all->reaper) {
        free(all);
        return NULL;
    }
    return all;
}

/* Whatever it has started is in its group, if it could. */
static void end_process(const struct judges_child *c)
{
    if (c->gone)
        return;
    kill(-c->pid, SIGKILL);
    kill(c->pid, SIGKILL);
}

void judges_destroy(struct judges *all)
{
    struct judges_child *c;

    if (!all)
        return;
    while ((c = all->children)) {
        all->children = c->next;
        end_process(c);
        waitpid(c->pid, NULL, 0);
        free(c);
    }
    event_free(all->reaper);
    free(all);
}

struct spawn {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    int fd[3];                  /* as judgewire.h has them, from 3 on */
};

/* A batch system sends these to all processes of a step, and means the job: when
 * that has ended, the judge is. */
static const int for_the_job[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/* High numbers: one that is in the way of another is lost. */
static int spawn_init(struct spawn *s, const int *from)
{
    sigset_t blocked, all;
    int rc = 0;

    posix_spawn_file_actions_init(&s->files);
    posix_spawnattr_init(&s->how);
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof(for_the_job) / sizeof(for_the_job[0]); i++)
        sigaddset(&blocked, for_the_job[i]);
    signals_add_passed(&blocked, true);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&s->how, &blocked);
    posix_spawnattr_setsigdefault(&s->how, &all);
    posix_spawnattr_setpgroup(&s->how, 0);
    posix_spawnattr_setflags(&s->how, POSIX_SPAWN_SETSIGMASK |
                             POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&s->files, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&s->files, 0, 1);
    for (int i = 0; i < 3; i++) {
        s->fd[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 16);
        rc |= s->fd[i] < 0;
        posix_spawn_file_actions_adddup2(&s->files, s->fd[i],
                                         JUDGEWIRE_STREAM + i);
    }
    return rc ? -1 : 0;
}

static void spawn_fini(struct spawn *s)
{
    for (int i = 0; i < 3; i++)
        if (s->fd[i] >= 0)
            close(s->fd[i]);
    posix_spawn_file_actions_destroy(&s->files);
    posix_spawnattr_destroy(&s->how);
}

static uint64_t memory_bytes(const struct judge *j)
{
    return j->conf.memory_bytes
        ? j->conf.memory_bytes + (uint64_t)j->nranks * JUDGE_TASK_BYTES : 0;
}

static const struct plugin_kind *kind_of(const struct judge *j)
{
    return j->conf.optimizer ? &plugin_optimizer : &plugin_policy;
}

static int spawn(struct judge *j, const int *fd, pid_t *pid, struct err *err)
{
    char memory[24], uid[16], path[PATHS_MAX];
    char *argv[] = { (char *)"hector-judge", (char *)"-m", memory,
                     (char *)"-u", uid, (char *)"-k",
                     (char *)(uintptr_t)kind_of(j)->noun, (char *)"--", j->spec,
                     NULL };
    char *none[] = { NULL };
    bool other = geteuid() == 0 && j->conf.uid != 0;
    struct spawn s;
    int rc;

    if (policycheck_program(path, sizeof(path), err))
        return -1;
    snprintf(memory, sizeof(memory), "%llu", (unsigned long long)memory_bytes(j));
    snprintf(uid, sizeof(uid), "%u", geteuid() ? (unsigned)geteuid()
                                               : j->conf.uid);
    rc = spawn_init(&s, fd) ? errno
         : posix_spawn(pid, path, &s.files, &s.how, argv,
                       other ? none : environ);
    spawn_fini(&s);
    errno = rc;
    return rc ? err_sys(err, "cannot start %s", path) : 0;
}

static void judge_on_answer(evutil_socket_t fd, short what, void *arg);

/* The tape can only be read there. */
static int open_ends(struct judge *j, int *fd, struct err *err)
{
    char path[40];
    int pair[2];

    if (j->tape < 0)
        j->tape = memfd_create("hector-tape", MFD_CLOEXEC);
    if (j->kept < 0)
        j->kept = memfd_create("hector-kept", MFD_CLOEXEC);
    if (j->tape < 0 || j->kept < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return err_sys(err, "cannot start a judge");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", j->tape);
    fd[0] = pair[1];
    fd[1] = open(path, O_RDONLY | O_CLOEXEC);
    fd[2] = j->kept;
    j->stream = pair[0];
    evutil_make_socket_nonblocking(j->stream);
    j->readable = event_new(j->all->base, j->stream, EV_READ | EV_PERSIST,
                            judge_on_answer, j);
    if (fd[1] < 0 || !j->readable || event_add(j->readable, NULL))
        return err_sys(err, "cannot start a judge");
    return 0;
}

static int start(struct judge *j, struct err *err)
{
    struct judges_child *c = calloc(1, sizeof(*c));
    int fd[3] = { -1, -1, -1 }, rc;

    rc = !c || event_add(j->all->reaper, NULL)
         ? err_memory(err) : open_ends(j, fd, err);
    if (rc == 0)
        rc = spawn(j, fd, &c->pid, err);
    if (fd[0] >= 0)
        close(fd[0]);
    if (fd[1] >= 0)
        close(fd[1]);
    if (rc) {
        free(c);
        return -1;
    }
    c->judge = j;
    c->next = j->all->children;
    j->all->children = j->child = c;
    return 0;
}

static void stop(struct judge *j)
{
    if (j->child) {
        end_process(j->child);
        j->child->judge = NULL;
        j->child = NULL;
    }
    if (j->readable)
        event_free(j->readable);
    if (j->stream >= 0)
        close(j->stream);
    j->readable = NULL;
    j->stream = -1;
    j->killed[0] = '\0';
    event_del(j->timer);
    str_fini(&j->in);
    str_fini(&j->queue);
    j->quiet = j->passed = j->order = 0;
    j->follows = j->asked = j->fits = j->called = false;
    j->shown = j->next = (struct judge_done){ 0 };
}

/* --------------------------------------------------------- what may go wrong */

static void go_off(struct judge *j)
{
    stop(j);
    j->state = JUDGE_OFF;
}

static void lost(struct judge *j, const char *why)
{
    bool off = j->lost >= j->conf.restarts;

    stop(j);
    if (!j->sound && j->kept >= 0)      /* what it began with may be why */
        (void)!ftruncate(j->kept, 0);
    j->sound = false;
    j->wake_ns = 0;
    j->state = off ? JUDGE_OFF : JUDGE_DOWN;
    if (!off)
        timer_set(j->timer, judge_again_ns << (j->lost < 6 ? j->lost : 6));
    j->lost++;
    j->ops->lost(j->arg, j, why, off);
}

static void say_end(const struct judge *j, int status, const struct rusage *u,
                    char *why, size_t size)
{
    uint64_t most = memory_bytes(j), had = (uint64_t)u->ru_maxrss * 1024;
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (*j->killed)
        snprintf(why, size, "%s", j->killed);
    else if (sig == SIGSYS)
        snprintf(why, size, "it was ended by signal %d: it may not start or "
                 "touch a process", sig);
    else if (sig && most && had > most - most / 8)
        snprintf(why, size, "it was ended by signal %d: it had %llu MiB of "
                 "memory, and may have %llu", sig,
                 (unsigned long long)had >> 20, (unsigned long long)most >> 20);
    else if (sig)
        snprintf(why, size, "it was ended by signal %d", sig);
    else
        snprintf(why, size, "it ended its process, with status %d",
                 WEXITSTATUS(status));
}

static bool judge_read(struct judge *j, unsigned reads);

static void judge_on_child(struct judge *j, int status,
                           const struct rusage *used)
{
    const struct judges_child *c = j->child;
    char why[200];

    judge_read(j, UINT_MAX);    /* what it has said before */
    if (j->child != c)
        return;
    say_end(j, status, used, why, sizeof(why));
    lost(j, why);
}

static uint64_t cpu_ns(const struct judge *j)
{
    clockid_t clock;
    struct timespec t;

    if (!j->child || clock_getcpuclockid(j->child->pid, &clock) ||
        clock_gettime(clock, &t))
        return 0;
    return (uint64_t)t.tv_sec * CLOCK_NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Another step begins, or the first. */
static void watch_step(struct judge *j)
{
    j->since_ns = clock_monotonic_ns();
    j->cpu_ns = cpu_ns(j);
    if (j->conf.step_ns)
        timer_set(j->timer, j->conf.step_ns);
}

static void kill_for(struct judge *j, const char *why)
{
    if (!*j->killed)
        snprintf(j->killed, sizeof(j->killed), "%s", why);
    end_process(j->child);
}

/* Is it at it for too long? */
static void check_step(struct judge *j)
{
    uint64_t most = j->conf.step_ns, used = cpu_ns(j) - j->cpu_ns;
    uint64_t passed = clock_monotonic_ns() - j->since_ns;
    char why[60];

    if (used < most && passed < JUDGE_CLOCK * most) {
        used = most - used;
        passed = JUDGE_CLOCK * most - passed;
        timer_set(j->timer, (used < passed ? used : passed) + CLOCK_NS_PER_MS);
        return;
    }
    if (used < most)
        snprintf(why, sizeof(why), "a step took more than %.3g s",
                 (double)(JUDGE_CLOCK * most) / 1e9);
    else
        snprintf(why, sizeof(why), "it thought for more than %.3g s",
                 (double)most / 1e9);
    kill_for(j, why);
}

static void judge_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct judge *j = arg;

    (void)fd;
    (void)what;
    if (j->state == JUDGE_DOWN) {
        j->state = JUDGE_IDLE;
        j->ops->back(j->arg, j);
    } else if (j->child) {
        check_step(j);
    }
}

/* ------------------------------------------------------------------ showing */

static int write_tape(const struct judge *j)
{
    const char *p = str_text(&j->queue);
    size_t at = 0;

    while (at < j->queue.n) {
        ssize_t n = pwrite(j->tape, p + at, j->queue.n - at, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        at += (size_t)n;
    }
    return 0;
}

/* All that is in queue. The stream is empty: a few bytes do not wait. */
static void show(struct judge *j)
{
    struct judgewire_show w = { .bytes = j->queue.n, .quiet = j->quiet,
                                .passed = j->passed };

    if (str_failed(&j->queue) || write_tape(j) ||
        send(j->stream, &w, sizeof(w), MSG_NOSIGNAL | MSG_DONTWAIT) !=
        (ssize_t)sizeof(w)) {
        kill_for(j, "the looks cannot be given to it");
        return;
    }
    if (j->queue.cap > JUDGE_LARGE)
        str_fini(&j->queue);
    else
        str_reset(&j->queue);
    j->quiet = j->passed = j->order = 0;
    j->fits = j->called = false;
    j->shown = j->next;
    j->next = (struct judge_done){ 0 };
    j->state = JUDGE_BUSY;
    j->asked = true;
    watch_step(j);
}

static void show_if_free(struct judge *j)
{
    j->asked = true;
    if (j->state == JUDGE_FREE)
        show(j);
}

/* What a busy one cannot be kept up with any more is left out. */
static bool too_much(const struct judge *j, size_t bytes)
{
    return j->queue.n > j->quiet && j->queue.n + bytes > JUDGE_QUEUE &&
           j->state != JUDGE_FREE;
}

/* It waits to be called, and for nothing else: what others look at meanwhile would
 * only pile up. */
static bool is_idle(const struct judge *j, uint32_t asked)
{
    return j->state == JUDGE_FREE && !j->asked && j->queue.n == 0 &&
           j->wake_ns == HCT_WAKE_NEVER && !(asked & j->hears);
}

void judge_show(struct judge *j, const struct tape_frame *f)
{
    if (j->state < JUDGE_OPENING || j->state == JUDGE_OFF)
        return;
    if (is_idle(j, f->asked)) {
        j->follows = false;
        return;
    }
    if (too_much(j, f->bytes) && j->quiet == 0) {
        str_fini(&j->queue);
        j->passed = j->order = 0;
        j->follows = j->fits = j->called = false;
        j->missed++;
    }
    if (!j->follows && *(const char *)f->p != 'K')
        return;
    j->follows = true;
    j->fits |= !(j->needs & ~f->parts);
    j->called |= (f->asked & j->hears) != 0;
    tape_copy(f, j->takes, &j->queue);
}

static bool due(const struct judge *j, uint64_t now_ns)
{
    return j->called || now_ns + judge_early_ns >= j->wake_ns;
}

void judge_go(struct judge *j, uint64_t now_ns, bool stale)
{
    if (j->queue.n == j->order)
        return;                 /* it was shown nothing */
    if (j->asked)
        j->passed = j->order;
    j->order = j->queue.n;
    j->next = (struct judge_done){ .now_ns = now_ns, .stale = stale };
    if (!j->asked && j->fits && due(j, now_ns))
        show_if_free(j);
}

void judge_learn(struct judge *j, const void *frames, size_t bytes)
{
    if (j->state < JUDGE_OPENING || j->state == JUDGE_OFF || bytes == 0)
        return;
    str_add_bytes(&j->queue, frames, bytes);
    j->quiet = j->passed = j->order = j->queue.n;
    j->follows = true;
    show_if_free(j);
}

bool judge_ask(struct judge *j, const void *system, size_t bytes)
{
    if (j->asked)
        return false;
    judge_wake(j);
    if (j->state != JUDGE_OPENING && j->state != JUDGE_FREE)
        return false;
    str_reset(&j->queue);
    str_add_bytes(&j->queue, system, bytes);
    j->plan_max = bytes * JUDGE_PLAN;
    show_if_free(j);
    return true;
}

/* ----------------------------------------------------------------- answers */

static void on_opened(struct judge *j, const char *p, size_t n)
{
    struct judgewire_opened o;

    if (n != sizeof(o) || j->state != JUDGE_OPENING) {
        kill_for(j, "it answered what makes no sense");
        return;
    }
    memcpy(&o, p, sizeof(o));
    j->needs = o.needs;
    j->takes = o.needs | o.may_need;
    j->hears = o.hears;
    j->state = JUDGE_FREE;
    event_del(j->timer);
    if (j->asked)
        show(j);
}

static void on_refused(struct judge *j, const char *p, size_t n)
{
    char why[256];

    snprintf(why, sizeof(why), "%.*s", (int)n, p);
    go_off(j);
    j->ops->lost(j->arg, j, why, true);
}

static void on_found(struct judge *j, const char *p, size_t n)
{
    struct err err;

    if (found_unpack(&j->found, j->nranks, p, n, &err)) {
        kill_for(j, "it answered what makes no sense");
        return;
    }
    watch_step(j);
    if (j->found.how == FOUND_OFF)
        go_off(j);
    j->ops->found(j->arg, j, &j->found);
}

static bool take_done(struct judgewire_done *d, const char *p, size_t n)
{
    if (n < sizeof(*d))
        return false;
    memcpy(d, p, sizeof(*d));
    return d->nquestion <= HCT_QUESTION_MAX &&
           n - sizeof(*d) == d->nsample * sizeof(uint32_t) + d->nquestion;
}

static void on_done(struct judge *j, const char *p, size_t n)
{
    struct judge_done was = j->shown;
    struct judgewire_done d;
    struct str sample = { 0 };

    if (!take_done(&d, p, n) || j->state != JUDGE_BUSY) {
        kill_for(j, "it answered what makes no sense");
        return;
    }
    event_del(j->timer);
    j->state = JUDGE_FREE;
    j->sound = true;
    j->asked = false;
    j->wake_ns = d.wake_ns;
    j->seen += d.seen;
    j->missed += d.missed;
    was.need = d.need;
    str_add_bytes(&sample, p + sizeof(d), d.nsample * sizeof(uint32_t));
    was.sample = (const uint32_t *)(const void *)str_text(&sample);
    was.nsample = str_failed(&sample) ? 0 : d.nsample;
    was.last_ns = d.last_ns;
    was.question = (const uint8_t *)p + sizeof(d) + d.nsample * sizeof(uint32_t);
    was.nquestion = d.nquestion;
    (void)!ftruncate(j->tape, 0);
    if (j->queue.n && (j->quiet || (j->fits && due(j, j->next.now_ns))))
        show_if_free(j);
    j->ops->done(j->arg, j, &was);
    str_fini(&sample);
}

static void on_plan(struct judge *j, const char *p, size_t n)
{
    if (j->state != JUDGE_BUSY || !j->conf.optimizer) {
        kill_for(j, "it answered what makes no sense");
        return;
    }
    event_del(j->timer);
    j->state = JUDGE_FREE;
    j->sound = true;
    j->asked = false;
    (void)!ftruncate(j->tape, 0);
    j->ops->planned(j->arg, j, p, n);
}

static void judge_take(struct judge *j, uint32_t kind, const char *p, size_t n)
{
    switch (kind) {
    case JUDGEWIRE_OPENED:
        on_opened(j, p, n);
        break;
    case JUDGEWIRE_REFUSED:
        on_refused(j, p, n);
        break;
    case JUDGEWIRE_STEPPING:
        watch_step(j);
        break;
    case JUDGEWIRE_FOUND:
        on_found(j, p, n);
        break;
    case JUDGEWIRE_DONE:
        on_done(j, p, n);
        break;
    case JUDGEWIRE_PLAN:
        on_plan(j, p, n);
        break;
    default:
        kill_for(j, "it answered what makes no sense");
    }
}

/* Whole answers of what has come. */
static void judge_take_all(struct judge *j)
{
    const struct judges_child *c = j->child;
    struct judgewire_head h;
    struct str in = j->in;
    size_t at = 0, most = JUDGE_ANSWER + HCT_QUESTION_MAX +
                          (size_t)j->nranks * JUDGE_ANSWER_TASK + j->plan_max;

    j->in = (struct str){ 0 };
    while (j->child == c && c && !*j->killed && in.n - at >= sizeof(h)) {
        memcpy(&h, in.s + at, sizeof(h));
        if (h.bytes > most) {
            kill_for(j, "it answered what makes no sense");
            break;
        }
        if (in.n - at - sizeof(h) < h.bytes)
            break;
        judge_take(j, h.kind, in.s + at + sizeof(h), h.bytes);
        at += sizeof(h) + h.bytes;
    }
    if (j->child == c && in.n > at)
        str_add_bytes(&j->in, in.s + at, in.n - at);
    str_fini(&in);
}

/* So much at once; false: there will be no more. */
static bool judge_read(struct judge *j, unsigned reads)
{
    const struct judges_child *c = j->child;
    char buf[65536];
    ssize_t n;

    while (j->child == c && c && j->stream >= 0 && reads--) {
        n = recv(j->stream, buf, sizeof(buf), MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 && errno == EAGAIN;
        str_add_bytes(&j->in, buf, (size_t)n);
        if (!str_failed(&j->in))
            judge_take_all(j);
    }
    return true;
}

static void judge_on_answer(evutil_socket_t fd, short what, void *arg)
{
    struct judge *j = arg;

    (void)fd;
    (void)what;
    if (judge_read(j, JUDGE_READS) || !j->child)
        return;
    event_del(j->readable);     /* it is about to end, or has closed it */
    end_process(j->child);
}

/* -------------------------------------------------------------------- life */

static void name_it(struct judge *j)
{
    const char *slash = strrchr(j->spec, '/');
    const char *base = slash ? slash + 1 : j->spec;
    size_t n = strcspn(base, ":");

    if (n > 3 && slash && strncmp(base + n - 3, ".so", 3) == 0)
        n -= 3;
    snprintf(j->name, sizeof(j->name), "%.*s", (int)n, base);
}

/* Parameters are checked where the object is loaded. */
static int check_file(const struct judge *j, struct err *err)
{
    char path[PATHS_MAX];

    if (plugin_find(kind_of(j), j->spec, path, err))
        return -1;
    if (geteuid() && j->conf.uid != geteuid() && strchr(j->spec, '/'))
        return err_set(err, EPERM, "the %s %.100s cannot be loaded for user %u: "
                       "hector-master runs as user %u", kind_of(j)->noun, path,
                       j->conf.uid, (unsigned)geteuid());
    return access(path, F_OK)
           ? err_sys(err, "cannot load the %s: %.160s", kind_of(j)->noun, path)
           : 0;
}

struct judge *judge_create(struct judges *all, const char *spec,
                           const struct judge_conf *conf,
                           const struct judge_ops *ops, void *arg,
                           struct err *err)
{
    struct judge *j = calloc(1, sizeof(*j));

    if (!j || !(j->spec = strdup(spec)) ||
        !(j->timer = evtimer_new(all->base, judge_on_timer, j))) {
        if (j)
            free(j->spec);
        free(j);
        err_memory(err);
        return NULL;
    }
    j->all = all;
    j->conf = *conf;
    j->ops = ops;
    j->arg = arg;
    j->stream = j->tape = j->kept = -1;
    j->takes = j->hears = UINT32_MAX;
    name_it(j);
    if (check_file(j, err)) {
        judge_destroy(j);
        return NULL;
    }
    return j;
}

static void forget(struct judge *j)
{
    found_fini(&j->found);
    if (j->tape >= 0)
        close(j->tape);
    if (j->kept >= 0)
        close(j->kept);
    j->tape = j->kept = -1;
}

void judge_destroy(struct judge *j)
{
    if (!j)
        return;
    stop(j);
    forget(j);
    event_free(j->timer);
    free(j->spec);
    free(j);
}

const char *judge_name(const struct judge *j)
{
    return j->name;
}

void judge_use_spec(struct judge *j)
{
    snprintf(j->name, sizeof(j->name), "%.47s", j->spec);
}

bool judge_off(const struct judge *j)
{
    return j->state == JUDGE_OFF;
}

void judge_set_off(struct judge *j)
{
    go_off(j);
}

uint64_t judge_missed(const struct judge *j)
{
    return j->missed;
}

/* Steps are rare and long where a policy is asked again as soon as it has
 * answered: looks in between are what it does without. More of them than it was
 * shown are too many, and few tell nothing yet. */
bool judge_missed_most(const struct judge *j)
{
    return j->missed + j->seen >= JUDGE_LOOKS && j->missed > j->seen;
}

int judge_begin(struct judge *j, uint32_t nranks, struct err *err)
{
    judge_end(j);
    forget(j);
    j->nranks = nranks;
    if (found_init(&j->found, nranks))
        return err_memory(err);
    return 0;
}

void judge_end(struct judge *j)
{
    stop(j);
    if (j->state != JUDGE_OFF)
        j->state = JUDGE_IDLE;
    j->wake_ns = 0;
    j->sound = false;
}

void judge_wake(struct judge *j)
{
    struct err err;

    if (j->state != JUDGE_IDLE)
        return;
    if (start(j, &err)) {
        lost(j, err.text);
        return;
    }
    j->state = JUDGE_OPENING;
    watch_step(j);
}

bool judge_busy(const struct judge *j)
{
    return j->asked;
}

bool judge_wants(const struct judge *j, uint64_t *wake_ns)
{
    *wake_ns = j->wake_ns;
    return !j->asked && (j->state == JUDGE_IDLE || j->state == JUDGE_OPENING ||
                         j->state == JUDGE_FREE);
}

uint32_t judge_needs(const struct judge *j)
{
    return j->needs;
}

uint32_t judge_hears(const struct judge *j)
{
    return j->hears;
}

bool judge_wants_key(const struct judge *j, uint32_t asked)
{
    return !j->follows && j->state >= JUDGE_OPENING && j->state != JUDGE_OFF &&
           !is_idle(j, asked);
}
