/* names.c - the child process that looks names up, and its answers.
 *
 * The child is a copy of us at that moment, so it knows what to look up. For
 * each frame it writes one struct answer or more, the one of the highest depth
 * last, each with its texts behind it. Invariant: `known` frames are finished;
 * a child that ends early leaves the others to the next one. */
#include "slave/page/names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/signals.h"
#include "slave/symbols/symbols.h"

#define NAMES_NS (10 * CLOCK_NS_PER_S)  /* as long as somebody waits */
#define CALM_NS  (60 * CLOCK_NS_PER_S)
enum {
    FAILURES_MAX = 3, FAILURES_CALM = 2,        /* one try is for the end */
    FILES_MAX = 8, CALM = 10, OUT_BYTES = 32768,
    TEXT_MAX = 16 << 20,        /* of one job: the rest stays nameless */
};

struct answer {
    uint32_t frame, depth, line;
    uint16_t function_bytes, file_bytes, note_bytes;
    uint16_t last;              /* of this frame */
};

struct namer {
    pid_t pid;
    int fd;
    struct event *event;        /* owned */
    uint64_t since_ns, until_ns;
    struct str in;              /* not taken yet */
    bool over;
    bool hurried;               /* somebody waits for it */
};

/* ------------------------------------------------------------- the child */

static void put_answer(struct str *out, const struct answer *a,
                       const char *function, const char *file,
                       const char *note)
{
    str_add_bytes(out, a, sizeof(*a));
    str_add_bytes(out, function, a->function_bytes);
    str_add_bytes(out, file, a->file_bytes);
    str_add_bytes(out, note, a->note_bytes);
}

static uint16_t bounded(const char *text)
{
    return (uint16_t)strnlen(text, NAMES_TEXT_MAX);
}

static const struct symbol *find(struct symbols *symbols,
                                 const struct sites *s, uint32_t frame)
{
    const struct sites_frame *f = &s->frame[frame];
    const struct sites_module *m = f->module ? &s->module[f->module - 1]
                                             : NULL;

    return m ? symbols_find(symbols, m->path, m->id, m->id_bytes, f->offset,
                            true, true)
             : NULL;
}

static void put_name(struct str *out, uint32_t frame, const struct symbol *y)
{
    bool found = y && y->note == SYMBOL_FOUND;
    const char *note = y ? symbol_note_text(y->note) : "not in any file";
    unsigned n = found ? y->n : 1;

    note = note ? note : "";
    for (unsigned i = 0; i < n; i++) {
        const char *function = found ? y->frame[i].function : "";
        const char *file = found && y->frame[i].file ? y->frame[i].file : "";
        struct answer a = { .frame = frame, .depth = i,
                            .line = found ? y->frame[i].line : 0,
                            .function_bytes = bounded(function),
                            .file_bytes = bounded(file),
                            .note_bytes = bounded(note), .last = i + 1 == n };

        put_answer(out, &a, function, file, note);
    }
}

static void put_start(struct str *out, uint32_t frame)
{
    static const char note[] = "what calls main";
    struct answer a = { .frame = frame, .note_bytes = sizeof(note) - 1,
                        .last = 1 };

    put_answer(out, &a, "", "", note);
}

/* What is above main is of no use, and would cost the reading of all that is
 * known of libc. */
static void mark_wanted(bool *wanted, struct symbols *symbols,
                        const struct sites *s, size_t first)
{
    for (size_t i = 0; i < s->nsites; i++) {
        const struct site *p = &s->site[i];
        bool news = false, main = false;

        for (uint32_t f = 0; f < p->frames; f++)
            news = news || p->frame[f] >= first;
        for (uint32_t f = 0; news && !main && f < p->frames; f++) {
            const struct symbol *y = find(symbols, s, p->frame[f]);

            wanted[p->frame[f]] = true;
            main = y && y->note == SYMBOL_FOUND &&
                   !strcmp(y->frame[y->n - 1].function, "main");
        }
    }
}

static void put_out(struct str *out, int fd)
{
    for (size_t at = 0; at < out->n; ) {
        ssize_t n = write(fd, out->s + at, out->n - at);

        if (n < 0 && errno != EINTR)
            _exit(1);
        at += n > 0 ? (size_t)n : 0;
    }
    str_reset(out);
}

static void become_harmless(pid_t parent, int fd,
                            const struct launch_user *user, bool calm)
{
    const struct rlimit cpu = { NAMES_NS / CLOCK_NS_PER_S,
                                NAMES_NS / CLOCK_NS_PER_S };
    struct sigaction dfl = { .sa_handler = SIG_DFL };
    sigset_t for_tasks;

    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &dfl, NULL);
    close_range(3, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0u, 0);
    prctl(PR_SET_NAME, "hector-names");
    if (launch_become(user) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
        getppid() != parent)
        _exit(1);
    setrlimit(RLIMIT_CPU, &cpu);
    if (calm)
        setpriority(PRIO_PROCESS, 0, CALM);
    sigemptyset(&for_tasks);
    signals_add_passed(&for_tasks, true);
    sigprocmask(SIG_SETMASK, &for_tasks, NULL);
}

static _Noreturn void work(const struct sites *s, size_t first, int fd)
{
    struct symbols *symbols = symbols_create(FILES_MAX, NULL);
    bool *wanted = calloc(s->nframes, sizeof(*wanted));
    struct str out = { 0 };

    if (!symbols || !wanted)
        _exit(1);
    mark_wanted(wanted, symbols, s, first);
    for (size_t i = first; i < s->nframes; i++) {
        if (wanted[i])
            put_name(&out, (uint32_t)i, find(symbols, s, (uint32_t)i));
        else
            put_start(&out, (uint32_t)i);
        if (out.n >= OUT_BYTES)
            put_out(&out, fd);
    }
    put_out(&out, fd);
    _exit(0);
}

/* ------------------------------------------------------------ its answers */

static uint32_t add_text(struct names *n, const char *text, size_t bytes)
{
    uint32_t at = (uint32_t)n->text.n;

    for (size_t i = 0; i < bytes && text[i]; i++)
        str_add_bytes(&n->text, &text[i], 1);
    str_add_bytes(&n->text, "", 1);
    return at;
}

const char *name_text(const struct names *n, uint32_t at)
{
    return at < n->text.n ? n->text.s + at : "";
}

bool names_add(struct names *n, const struct name_of *is)
{
    struct name *to;

    if (n->text.n > TEXT_MAX)
        return true;
    if (array_reserve(&n->v, &n->cap, n->n + 1))
        return false;
    to = &n->v[n->n];
    *to = (struct name){ .frame = is->frame, .depth = is->depth,
                         .line = is->line };
    to->function = add_text(n, is->function, is->function_bytes);
    to->file = add_text(n, is->file, is->file_bytes);
    to->note = add_text(n, is->note, is->note_bytes);
    n->n += !str_failed(&n->text);
    return !str_failed(&n->text);
}

/* False: out of memory. */
static bool add_name(struct names *n, const struct answer *a,
                     const char *text)
{
    const char *file = text + a->function_bytes;

    return names_add(n, &(struct name_of){
        .frame = a->frame, .depth = a->depth, .line = a->line,
        .function = text, .function_bytes = a->function_bytes,
        .file = file, .file_bytes = a->file_bytes,
        .note = file + a->file_bytes, .note_bytes = a->note_bytes });
}

/* Take the whole answers; false if they make no sense. */
static bool take(struct names *n)
{
    struct str *in = &n->child->in;
    size_t at = 0;
    bool good = true;

    while (good && in->n - at >= sizeof(struct answer)) {
        struct answer a;
        size_t bytes;

        memcpy(&a, in->s + at, sizeof(a));
        bytes = (size_t)a.function_bytes + a.file_bytes + a.note_bytes;
        if (in->n - at - sizeof(a) < bytes)
            break;
        good = a.frame == n->known && a.frame < n->asked &&
               a.depth < SYMBOL_DEPTH && a.function_bytes <= NAMES_TEXT_MAX &&
               a.file_bytes <= NAMES_TEXT_MAX &&
               a.note_bytes <= NAMES_TEXT_MAX &&
               add_name(n, &a, in->s + at + sizeof(a));
        n->known += good && a.last;
        at += sizeof(a) + bytes;
    }
    if (at) {
        memmove(in->s, in->s + at, in->n - at);
        in->n -= at;
    }
    return good;
}

static void end_child(struct names *n)
{
    struct namer *c = n->child;
    uint64_t since_ns;

    if (!c)
        return;
    since_ns = c->since_ns;
    n->child = NULL;
    if (!c->over)
        kill(c->pid, SIGKILL);  /* reap.c reaps it */
    if (c->event)
        event_free(c->event);
    close(c->fd);
    str_fini(&c->in);
    free(c);
    if (n->known == n->asked) {
        log_debug("names", "%zu frames are looked up, %.1f ms", n->known,
                  (double)(clock_monotonic_ns() - since_ns) / 1e6);
        return;
    }
    /* Names of a frame that was being answered come again. */
    while (n->n && n->v[n->n - 1].frame == n->known)
        n->n--;
    n->failures++;
    log_debug("names", "frames from %zu on were not looked up", n->known);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct names *n = arg;
    char buf[16384];
    ssize_t got = read(fd, buf, sizeof(buf));

    (void)what;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0) {
        str_add_bytes(&n->child->in, buf, (size_t)got);
        if (!str_failed(&n->child->in) && take(n))
            return;
    }
    n->child->over = got == 0;
    end_child(n);
}

/* --------------------------------------------------------------- asking */

static pid_t start(const struct names *n, const struct sites *s,
                   const struct launch_user *user, bool calm, int fds[2])
{
    pid_t parent = getpid(), pid;
    sigset_t all, before;

    if (pipe2(fds, O_CLOEXEC))
        return -1;
    sigfillset(&all);           /* no handler of ours may run in the child */
    sigprocmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (pid == 0) {
        become_harmless(parent, fds[1], user, calm);
        work(s, n->known, fds[1]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(fds[1]);
    if (pid < 0)
        close(fds[0]);
    return pid;
}

/* From now on it has no more than NAMES_NS. */
static void hurry(struct namer *c)
{
    uint64_t until_ns = clock_monotonic_ns() + NAMES_NS;

    c->hurried = true;
    if (until_ns < c->until_ns)
        c->until_ns = until_ns;
}

void names_ask(struct names *n, struct event_base *base,
               const struct sites *s, const struct launch_user *user,
               bool calm)
{
    struct namer *c = n->child;
    int fds[2];

    if (c && !calm)
        hurry(c);
    if (c || n->known >= s->nframes ||
        n->failures >= (calm ? FAILURES_CALM : FAILURES_MAX) ||
        !(c = calloc(1, sizeof(*c))))
        return;
    c->pid = start(n, s, user, calm, fds);
    if (c->pid < 0) {
        free(c);
        n->failures++;
        return;
    }
    c->fd = fds[0];
    c->since_ns = clock_monotonic_ns();
    c->until_ns = c->since_ns + (calm ? CALM_NS : NAMES_NS);
    c->hurried = !calm;
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    n->asked = s->nframes;
    n->child = c;
    c->event = event_new(base, c->fd, EV_READ | EV_PERSIST, on_readable, n);
    if (!c->event || event_add(c->event, NULL))
        end_child(n);
}

bool names_settled(struct names *n, const struct sites *s)
{
    struct namer *c = n->child;

    if (c && clock_monotonic_ns() >= c->until_ns) {
        bool hurried = c->hurried;

        end_child(n);
        if (hurried) {
            log_warn("names", "looking up the places of calls takes too long:"
                     " some stay without names");
            n->failures = FAILURES_MAX;
        }
    }
    return !n->child &&
           (n->known >= s->nframes || n->failures >= FAILURES_MAX);
}

void names_fini(struct names *n)
{
    end_child(n);
    free(n->v);
    str_fini(&n->text);
    *n = (struct names){ 0 };
}
