/* jobkeep.c - see jobkeep.h.
 *
 * Invariant: the first work has a process, the others wait. */
#include "slave/move/jobkeep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/base/pipes.h"

#define STUCK_NS (20 * CLOCK_NS_PER_S)  /* then a file system does not answer */

struct work {
    struct work *next;
    Hct__Keep *order;           /* owned */
    pid_t pid;                  /* 0: it waits */
    uint64_t since_ns;          /* it has one */
    int report, words;          /* owned: of its exec; what it says */
};

struct jobkeep {
    struct work *first;         /* owned */
    Hct__Keep *begun;           /* owned: as it was asked for; NULL: of what was
                                   begun here all has become of it that will */
};

static const char *const works[] = {
    [HCT__KEEP__WORK__BEGIN] = "begin", [HCT__KEEP__WORK__CHECK] = "check",
    [HCT__KEEP__WORK__SEAL] = "seal", [HCT__KEEP__WORK__DROP] = "drop",
    [HCT__KEEP__WORK__COPY] = "copy" };

static Hct__Keep *copy_of(const Hct__Keep *m)
{
    size_t n = hct__keep__get_packed_size(m);
    uint8_t *bytes = malloc(n + 1);
    Hct__Keep *copy = NULL;

    if (bytes)
        copy = hct__keep__unpack(NULL, hct__keep__pack(m, bytes), bytes);
    free(bytes);
    return copy;
}

/* Nobody waits for what is dropped. */
static void say_kept(const struct job *j, const Hct__Keep *of, const char *why)
{
    Hct__Kept m = HCT__KEPT__INIT;

    if (of->work == HCT__KEEP__WORK__DROP) {
        if (why)
            log_warn("keep", "what is left of checkpoint %u stays job=%llu: %s",
                     of->number, (unsigned long long)j->part.id, why);
        return;
    }
    m.job = j->part.id;
    m.ticket = of->ticket;
    m.ok = !why;
    m.why = (char *)(uintptr_t)(why ? why : "");
    uplink_send(j->part.node->uplink, MESSAGE_KEPT, &m);
}

static void work_free(struct work *w)
{
    if (w->report >= 0)
        close(w->report);
    if (w->words >= 0)
        close(w->words);
    if (w->order)
        hct__keep__free_unpacked(w->order, NULL);
    free(w);
}

static void forget_begun(struct jobkeep *k)
{
    if (k->begun)
        hct__keep__free_unpacked(k->begun, NULL);
    k->begun = NULL;
}

/* What it reads, at its beginning; -1 with err. */
static int input_of(const struct job *j, const Hct__Keep *m, struct err *err)
{
    const ProtobufCBinaryData *b = &m->checkpoint;
    int fd;

    if (m->work != HCT__KEEP__WORK__SEAL)
        return fcntl(site_null(j->part.node->site), F_DUPFD_CLOEXEC, 3);
    fd = memfd_create("hector-checkpoint", MFD_CLOEXEC);
    if (fd < 0)
        return err_sys(err, "cannot make shared memory");
    if (b->len && (pwrite(fd, b->data, b->len, 0) != (ssize_t)b->len)) {
        close(fd);
        return err_sys(err, "cannot write to shared memory");
    }
    return fd;
}

static int start(struct job *j, struct work *w, char *const *argv, int in,
                 struct err *err)
{
    char *no_env[] = { NULL };
    struct exec_search search;
    struct launch_spec spec = {
        .search = &search, .env = no_env, .wdir = "/", .user = &j->user };

    if (exec_search_init(&search, argv, NULL, err))
        return -1;
    if (pipes_open(&w->words, &spec.fds[2], true)) {
        exec_search_fini(&search);
        return err_sys(err, "cannot make a pipe");
    }
    spec.fds[0] = in;
    spec.fds[1] = site_null(j->part.node->site);
    w->pid = launch_start(&spec, &w->report, err);
    close(spec.fds[2]);
    exec_search_fini(&search);
    return w->pid < 0 ? -1 : 0;
}

static bool reads_images(const Hct__Keep *m)
{
    return m->work == HCT__KEEP__WORK__CHECK || m->work == HCT__KEEP__WORK__COPY;
}

static int begin(struct job *j, struct work *w, struct err *err)
{
    const Hct__Keep *m = w->order;
    char program[PATHS_MAX], number[16], keep[16], rate[24];
    char *argv[12] = { program };
    size_t n = 1;
    int in, rc;

    if ((unsigned)m->work >= sizeof(works) / sizeof(works[0]) || *m->dir != '/')
        return err_set(err, EPROTO, "Keep of work %d in %s", (int)m->work,
                       m->dir);
    if (paths_sibling("hector-keep", program, sizeof(program), err))
        return -1;
    snprintf(number, sizeof(number), "%u", m->number);
    argv[n++] = (char *)(uintptr_t)works[m->work];
    if (m->work == HCT__KEEP__WORK__BEGIN && j->plan->here == 0)
        argv[n++] = (char *)"--first";
    snprintf(rate, sizeof(rate), "%" PRIu64, m->rate);
    if (*m->local && m->work != HCT__KEEP__WORK__SEAL) {
        argv[n++] = (char *)"--local";
        argv[n++] = m->local;
    }
    if (m->work == HCT__KEEP__WORK__COPY && m->rate) {
        argv[n++] = (char *)"--rate";
        argv[n++] = rate;
    }
    argv[n++] = m->dir;
    argv[n++] = number;
    if (reads_images(m))
        argv[n++] = m->ranks;
    snprintf(keep, sizeof(keep), "%u", m->keep);
    if (m->work == HCT__KEEP__WORK__SEAL)
        argv[n++] = keep;
    in = input_of(j, m, err);
    if (in < 0)
        return -1;
    rc = start(j, w, argv, in, err);
    close(in);
    return rc;
}

static void take_first(struct jobkeep *k)
{
    struct work *w = k->first;

    k->first = w->next;
    work_free(w);
}

/* The first one that can be begun. */
static void go_on(struct job *j)
{
    struct jobkeep *k = j->keep;
    struct err why;

    while (k->first && !k->first->pid) {
        k->first->since_ns = clock_monotonic_ns();
        if (begin(j, k->first, &why) == 0)
            return;
        say_kept(j, k->first->order, why.text);
        take_first(k);
    }
}

static int add(struct job *j, const Hct__Keep *m)
{
    struct work *w = calloc(1, sizeof(*w)), **at;

    if (!j->keep)
        j->keep = calloc(1, sizeof(*j->keep));
    if (w)
        *w = (struct work){ .order = copy_of(m), .report = -1, .words = -1 };
    if (!j->keep || !w || !w->order) {
        if (w)
            work_free(w);
        return -1;
    }
    for (at = &j->keep->first; *at; at = &(*at)->next)
        ;
    *at = w;
    return 0;
}

/* Nobody wants to know whether those images are good, or waits for a directory. */
static void cut_short(struct jobkeep *k)
{
    if (k->first && k->first->pid > 0 &&
        (reads_images(k->first->order) ||
         k->first->order->work == HCT__KEEP__WORK__BEGIN))
        kill(-k->first->pid, SIGKILL);
}

/* Somebody is at work for so long that others shall not line up behind him. */
static bool is_stuck(const struct job *j, const Hct__Keep *m)
{
    const struct work *w = j->keep ? j->keep->first : NULL;
    uint64_t for_ns = w && w->pid > 0 ? clock_monotonic_ns() - w->since_ns : 0;
    char why[600];

    if (for_ns < STUCK_NS || (m->work != HCT__KEEP__WORK__BEGIN &&
                              m->work != HCT__KEEP__WORK__DROP))
        return false;
    snprintf(why, sizeof(why), "%.100s: %.400s does not answer: hector-keep has been at "
             "work there for %.0f s, on checkpoint %u", j->part.node->name,
             w->order->dir, (double)for_ns / 1e9, w->order->number);
    say_kept(j, m, why);
    return true;
}

int jobkeep_order(struct job *j, const Hct__Keep *m, struct err *err)
{
    if (!j->plan) {
        say_kept(j, m, "it is not prepared");
        return 0;
    }
    if (m->work == HCT__KEEP__WORK__DROP && j->keep)
        cut_short(j->keep);
    if (is_stuck(j, m))
        return 0;
    if (add(j, m))
        return err_memory(err);
    if (m->work == HCT__KEEP__WORK__BEGIN || m->work == HCT__KEEP__WORK__DROP)
        forget_begun(j->keep);
    if (m->work == HCT__KEEP__WORK__BEGIN)
        j->keep->begun = copy_of(m);
    go_on(j);
    return 0;
}

void jobkeep_give_up(struct job *j)
{
    Hct__Keep *m = j->keep ? j->keep->begun : NULL;

    if (!m)
        return;
    j->keep->begun = NULL;
    m->work = HCT__KEEP__WORK__DROP;
    cut_short(j->keep);
    if (add(j, m) == 0)
        go_on(j);
    hct__keep__free_unpacked(m, NULL);
}

pid_t jobkeep_works(const struct job *j)
{
    return j->keep && j->keep->first ? j->keep->first->pid : 0;
}

/* Its last words, or what can be said without any. */
static void take_words(const struct job *j, const struct work *w, int status,
                       char *to, size_t size)
{
    const char *node = j->part.node->name;
    char words[400];
    ssize_t n = read(w->words, words, sizeof(words) - 1);
    struct exec_report r;

    words[n > 0 ? n : 0] = '\0';
    words[strcspn(words, "\n")] = '\0';
    if (launch_report(w->report, &r) == 1)
        exec_sentence(&r, node, "hector-keep", "/", to, size);
    else if (*words)
        snprintf(to, size, "%s: %s", node, strncmp(words, "hector-keep: ", 13)
                                           ? words : words + 13);
    else if (WIFSIGNALED(status))
        snprintf(to, size, "%s: hector-keep was killed by signal %d", node,
                 WTERMSIG(status));
    else
        snprintf(to, size, "%s: hector-keep exited with code %d", node,
                 WEXITSTATUS(status));
}

bool jobkeep_reaped(struct job *j, pid_t pid, int status)
{
    struct work *w = j->keep ? j->keep->first : NULL;
    char why[600];

    if (!w || w->pid != pid)
        return false;
    if (status)
        take_words(j, w, status, why, sizeof(why));
    else if (w->order->work == HCT__KEEP__WORK__SEAL)
        forget_begun(j->keep);
    say_kept(j, w->order, status ? why : NULL);
    take_first(j->keep);
    go_on(j);
    return true;
}

void jobkeep_destroy(struct job *j)
{
    if (!j->keep)
        return;
    if (jobkeep_works(j))
        kill(-jobkeep_works(j), SIGKILL);
    while (j->keep->first)
        take_first(j->keep);
    forget_begun(j->keep);
    free(j->keep);
    j->keep = NULL;
}
