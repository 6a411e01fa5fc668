/* jobkeep.c - see jobkeep.h.
 *
 * Invariant: the first work has a process unless images are being written, the
 * others wait. */
#include "slave/move/jobkeep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/base/pipes.h"
#include "slave/move/keeper.h"

enum { PIPE = 1 << 20 };        /* bytes: for tasks that write while others read */
#define STUCK_NS (20 * CLOCK_NS_PER_S)  /* then a file system does not answer */

struct work {
    struct work *next;
    Hct__Keep *order;           /* owned */
    struct keeper by;           /* no pid: it waits */
    uint64_t since_ns;          /* it has one */
};

struct writer {                 /* of one image; it stays if it has failed */
    struct writer *next;
    uint32_t rank;
    struct keeper by;           /* no pid: it has ended */
    uint64_t killed_ns;         /* monotonic; 0: it was not */
    char why[600];              /* it has failed */
};

struct jobkeep {
    struct work *first;         /* owned */
    struct writer *writers;     /* owned: of what was begun */
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
    keeper_fini(&w->by);
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

static bool reads_images(const Hct__Keep *m)
{
    return m->work == HCT__KEEP__WORK__CHECK || m->work == HCT__KEEP__WORK__COPY;
}

static int begin(struct job *j, struct work *w, struct err *err)
{
    const Hct__Keep *m = w->order;
    char number[16], keep[16], rate[24];
    char *argv[KEEPER_WORDS] = { NULL };
    size_t n = 1;
    int in, rc;

    if ((unsigned)m->work >= sizeof(works) / sizeof(works[0]) || *m->dir != '/')
        return err_set(err, EPROTO, "Keep of work %d in %s", (int)m->work,
                       m->dir);
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
    rc = keeper_start(&w->by, j, argv, in, err);
    close(in);
    return rc;
}

static void take_first(struct jobkeep *k)
{
    struct work *w = k->first;

    k->first = w->next;
    work_free(w);
}

static bool is_writing(const struct writer *w)
{
    return w->by.pid > 0;
}

static bool has_failed(const struct writer *w)
{
    return *w->why;
}

static struct writer *find_writer(const struct jobkeep *k,
                                  bool (*is)(const struct writer *w))
{
    struct writer *w = k->writers;

    while (w && !is(w))
        w = w->next;
    return w;
}

/* The first one that can be begun, once all images are written: none is looked at
 * if one of them is not. */
static void go_on(struct job *j)
{
    struct jobkeep *k = j->keep;
    const struct writer *bad;
    struct err why;

    while (k->first && !k->first->by.pid && !find_writer(k, is_writing)) {
        k->first->since_ns = clock_monotonic_ns();
        bad = reads_images(k->first->order) ? find_writer(k, has_failed) : NULL;
        if (bad)
            err_set(&why, EIO, "%s", bad->why);
        else if (begin(j, k->first, &why) == 0)
            return;
        say_kept(j, k->first->order, why.text);
        take_first(k);
    }
}

static struct jobkeep *keep_of(struct job *j)
{
    if (!j->keep)
        j->keep = calloc(1, sizeof(*j->keep));
    return j->keep;
}

static int add(struct job *j, const Hct__Keep *m)
{
    struct work *w = calloc(1, sizeof(*w)), **at;

    keep_of(j);
    if (w)
        *w = (struct work){ .order = copy_of(m), .by = KEEPER_NONE };
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

static void kill_writer(struct writer *w)
{
    if (!w->killed_ns)
        w->killed_ns = clock_monotonic_ns();
    keeper_kill(&w->by);
}

static void free_writer(struct writer *w)
{
    keeper_fini(&w->by);
    free(w);
}

static void drop_ended_writers(struct jobkeep *k)
{
    for (struct writer **at = &k->writers, *w; (w = *at); )
        if (is_writing(w)) {
            at = &w->next;
        } else {
            *at = w->next;
            free_writer(w);
        }
}

/* Nobody wants to know whether those images are good, or waits for a directory. */
static void cut_short(struct jobkeep *k)
{
    for (struct writer *w = k->writers; w; w = w->next)
        kill_writer(w);
    if (k->first && (reads_images(k->first->order) ||
                     k->first->order->work == HCT__KEEP__WORK__BEGIN))
        keeper_kill(&k->first->by);
}

/* Since when what is done now takes, or does not end; 0: that is not long. */
static uint64_t busy_since(const struct jobkeep *k)
{
    uint64_t since_ns = k->first && k->first->by.pid ? k->first->since_ns : 0;

    for (const struct writer *w = k->writers; w; w = w->next)
        if (is_writing(w) && w->killed_ns &&
            (!since_ns || w->killed_ns < since_ns))
            since_ns = w->killed_ns;
    return since_ns;
}

/* Somebody is at work for so long that others shall not line up behind him. */
static bool is_stuck(const struct job *j, const Hct__Keep *m)
{
    uint64_t since_ns = j->keep ? busy_since(j->keep) : 0;
    uint64_t for_ns = since_ns ? clock_monotonic_ns() - since_ns : 0;
    const struct work *w = for_ns ? j->keep->first : NULL;
    const Hct__Keep *on = w && w->by.pid ? w->order : m;
    char why[600];

    if (for_ns < STUCK_NS || (m->work != HCT__KEEP__WORK__BEGIN &&
                              m->work != HCT__KEEP__WORK__DROP))
        return false;
    snprintf(why, sizeof(why), "%.100s: %.400s does not answer: hector-keep has been at "
             "work there for %.0f s, on checkpoint %u", j->part.node->name,
             on->dir, (double)for_ns / 1e9, on->number);
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
        drop_ended_writers(j->keep);
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
    const struct jobkeep *k = j->keep;
    const struct writer *w = k ? find_writer(k, is_writing) : NULL;

    if (k && k->first && k->first->by.pid)
        return k->first->by.pid;
    return w ? w->by.pid : 0;
}

/* -------------------------------------------------- images that are written */

/* In "/scratch/run7/3", that is number 3 in /scratch/run7. */
static int start_writer(struct writer *w, const struct job *j, const char *path,
                        int in, struct err *err)
{
    char dir[PATHS_MAX], rank[16], *number;
    char *argv[KEEPER_WORDS] = { NULL, (char []){ "write" }, dir, NULL, rank };

    snprintf(rank, sizeof(rank), "%" PRIu32, w->rank);
    if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir) ||
        !(number = strrchr(dir, '/')))
        return err_set(err, EPROTO, "an image in %.80s", path);
    *number++ = '\0';
    argv[3] = number;
    return keeper_start(&w->by, j, argv, in, err);
}

int jobkeep_write(struct job *j, uint32_t rank, const char *path, int *to,
                  struct err *err)
{
    struct writer *w = calloc(1, sizeof(*w));
    int in, rc;

    if (!w || !keep_of(j)) {
        free(w);
        return err_memory(err);
    }
    *w = (struct writer){ .next = j->keep->writers, .rank = rank,
                          .by = KEEPER_NONE };
    if (pipes_open(&in, to, false)) {
        free(w);
        return err_sys(err, "cannot make a pipe");
    }
    fcntl(*to, F_SETPIPE_SZ, PIPE);
    rc = start_writer(w, j, path, in, err);
    close(in);
    if (rc == 0) {
        j->keep->writers = w;
        return 0;
    }
    close(*to);
    free_writer(w);
    return -1;
}

void jobkeep_unwritten(struct job *j, uint32_t rank, char *why, size_t size)
{
    struct writer *w = j->keep ? j->keep->writers : NULL;

    while (w && (w->rank != rank || w->killed_ns))
        w = w->next;
    if (!w)
        return;
    if (has_failed(w))
        snprintf(why, size, "%s", w->why);
    else if (is_writing(w))
        keeper_words(&w->by, j, why, size);
    kill_writer(w);
}

static bool writer_reaped(struct job *j, pid_t pid, int status)
{
    struct writer *w = j->keep ? j->keep->writers : NULL;

    while (w && w->by.pid != pid)
        w = w->next;
    if (!w)
        return false;
    if (status && !w->killed_ns)
        keeper_end_words(&w->by, j, status, w->why, sizeof(w->why));
    keeper_fini(&w->by);
    return true;
}

bool jobkeep_reaped(struct job *j, pid_t pid, int status)
{
    struct work *w = j->keep ? j->keep->first : NULL;
    char why[600];

    if (writer_reaped(j, pid, status)) {
        go_on(j);
        return true;
    }
    if (!w || w->by.pid != pid)
        return false;
    if (status)
        keeper_end_words(&w->by, j, status, why, sizeof(why));
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
    if (j->keep->first)
        keeper_kill(&j->keep->first->by);
    for (struct writer *w; (w = j->keep->writers); ) {
        j->keep->writers = w->next;
        keeper_kill(&w->by);
        free_writer(w);
    }
    while (j->keep->first)
        take_first(j->keep);
    forget_begun(j->keep);
    free(j->keep);
    j->keep = NULL;
}
