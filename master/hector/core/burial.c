/* burial.c - see burial.h.
 *
 * A private master that dies alone is started again by its hector-run, which
 * has its sockets: only where nobody has them is there nobody who would go on.
 * That of one that stands, which is started again by others, is left to them.
 * Of a master on another host that records nothing any more the batch system of
 * its job may know that it is over: that has to know that host, and is asked a
 * few times at most. */
#include "master/hector/core/burial.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "master/hector/core/bygone.h"
#include "master/store/alive.h"
#include "master/store/query.h"
#include "master/store/reasons.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/link/addr.h"

enum { BURIAL_WAIT_MS = 500, BURIAL_ASKED = 8 };
#define BURIAL_GONE_NS (5 * CLOCK_NS_PER_S)     /* it is started at once */
#define BURIAL_ASKS_NS (2 * CLOCK_NS_PER_S)     /* after that no more is asked */

/* One that may be dead, and what its job is. */
struct suspect {
    uint64_t master, job, restarts;
    char host[256], batch[100];
};

struct burial {
    struct store_grave *v;      /* owned; their sentences, too */
    uint64_t now_ns;
    size_t n, cap;
    struct suspect suspects[BURIAL_ASKED];
    size_t nsuspects;
};

/* "/tmp/hector-Ab3xYz/master.sock" is of one run, that in "/tmp/hector-1000" of
 * whoever stands. */
static bool is_private(const struct addr *a)
{
    char standing[64];
    const char *last = strrchr(a->host, '/'), *dir = last;

    while (dir && dir > a->host && dir[-1] != '/')
        dir--;
    snprintf(standing, sizeof(standing), "hector-%u/", (unsigned)geteuid());
    return a->is_unix && dir && strncmp(dir, "hector-", 7) == 0 &&
           strncmp(dir, standing, strlen(standing)) != 0;
}

/* A name that is not there may be so for us only, in a /tmp of our own; of jobs
 * of Grid Engine it goes with the job. */
static bool is_deserted(const struct addr *a, bool silent)
{
    struct sockaddr_un sun;
    socklen_t n = addr_unix(a, &sun);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int number = 0;

    if (fd < 0)
        return false;
    if (connect(fd, (const struct sockaddr *)&sun, n))
        number = errno;
    close(fd);
    return number == ECONNREFUSED || (number == ENOENT && silent);
}

/* why: taken. */
static void add(struct burial *b, uint64_t master, const char *reason, char *why)
{
    if (array_reserve(&b->v, &b->cap, b->n + 1)) {
        free(why);
        return;
    }
    b->v[b->n++] = (struct store_grave){ .master = master, .now_ns = b->now_ns,
                                         .reason = reason, .why = why };
}

static void suspect(struct burial *b, const struct store_master *m)
{
    struct suspect *s = &b->suspects[b->nsuspects];

    if (b->nsuspects == BURIAL_ASKED || !m->host || !m->seen_ns ||
        m->seen_ns + QUERY_SILENT_NS >= b->now_ns)
        return;
    *s = (struct suspect){ .master = m->instance };
    snprintf(s->host, sizeof(s->host), "%s", m->host);
    b->nsuspects++;
}

static int on_master(void *arg, const struct store_master *m)
{
    struct burial *b = arg;
    bool silent = m->seen_ns && m->seen_ns + BURIAL_GONE_NS < b->now_ns;
    char first[ADDR_TEXT_MAX];
    struct addr a;

    if (!m->address)
        return 0;
    snprintf(first, sizeof(first), "%.*s", (int)strcspn(m->address, ","),
             m->address);
    if (addr_parse(&a, first, NULL) || !is_private(&a))
        return 0;
    if (!alive_is_dead(m->host, m->pid, m->process))
        suspect(b, m);
    else if (is_deserted(&a, silent))
        add(b, m->instance, NULL, NULL);
    return 0;
}

/* ------------------------------------------------ what batch systems know */

/* Tasks of others may be several jobs, which are of one batch job. */
static int on_job(void *arg, const struct store_job *j)
{
    struct suspect *s = arg;

    s->job = j->job;
    s->restarts = j->restarts;
    snprintf(s->batch, sizeof(s->batch), "%s", j->batch);
    return 0;
}

static char *sentence(const char *batch, const char *reason)
{
    const char *end = reason_sentence(reason);
    char *text;

    return !end || asprintf(&text, "%s %s", batch, end) < 0 ? NULL : text;
}

static void ask_about(struct burial *b, struct store *st)
{
    const uint64_t until_ns = clock_monotonic_ns() + BURIAL_ASKS_NS;

    for (size_t i = 0; i < b->nsuspects; i++) {
        struct suspect *s = &b->suspects[i];
        struct bygone_run run = { .batch = s->batch, .host = s->host };
        const char *reason;
        char *why;

        if (clock_monotonic_ns() >= until_ns)
            return;
        if (query_open_in_batch(st, s->master, on_job, s, NULL) || !s->job)
            continue;
        run.restarts = s->restarts;
        if (bygone_ask(&run, &reason) != BYGONE_IS)
            continue;
        why = reason ? sentence(s->batch, reason) : NULL;
        add(b, s->master, why ? reason : NULL, why);
    }
}

/* ----------------------------------------------------------------- writing */

static void bury(const struct burial *b, const char *path)
{
    struct store *st = store_open_now(path, NULL);
    bool good = st != NULL;

    if (st)
        store_wait(st, BURIAL_WAIT_MS);
    if (good && store_begin(st, NULL) == 0) {
        for (size_t i = 0; i < b->n && good; i++)
            good = store_bury(st, &b->v[i], NULL) == 0;
        if (!good || store_commit(st, NULL))
            store_rollback(st);
    }
    store_close(st);
}

/* Who may look at a file of others does not write there. */
void burial_of_dead(struct store *st, const char *path, uint64_t now_ns)
{
    struct burial b = { .now_ns = now_ns };
    struct stat file;

    if (stat(path, &file) == 0 && file.st_uid == geteuid() &&
        query_masters(st, on_master, &b, NULL) == 0)
        ask_about(&b, st);
    if (b.n)
        bury(&b, path);
    for (size_t i = 0; i < b.n; i++)
        free((char *)(uintptr_t)b.v[i].why);
    free(b.v);
}
