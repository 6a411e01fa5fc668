/* burial.c - see burial.h.
 *
 * A private master that dies alone is started again by its hector-run, which
 * has its sockets: only where nobody has them is there nobody who would go on.
 * That of one that stands, which is started again by others, is left to them. */
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

#include "master/store/alive.h"
#include "master/store/query.h"
#include "proto/base/array.h"
#include "proto/link/addr.h"

enum { BURIAL_WAIT_MS = 500 };
#define BURIAL_GONE_NS (5 * CLOCK_NS_PER_S)     /* it is started at once */

struct burial { uint64_t *v, now_ns; size_t n, cap; };  /* v: owned */

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

static int on_master(void *arg, const struct store_master *m)
{
    struct burial *b = arg;
    bool silent = m->seen_ns && m->seen_ns + BURIAL_GONE_NS < b->now_ns;
    char first[ADDR_TEXT_MAX];
    struct addr a;

    if (!m->address || !alive_is_dead(m->host, m->pid, m->process))
        return 0;
    snprintf(first, sizeof(first), "%.*s", (int)strcspn(m->address, ","),
             m->address);
    if (addr_parse(&a, first, NULL) || !is_private(&a) ||
        !is_deserted(&a, silent) || array_reserve(&b->v, &b->cap, b->n + 1))
        return 0;
    b->v[b->n++] = m->instance;
    return 0;
}

static void bury(const struct burial *b, const char *path)
{
    struct store *st = store_open_now(path, NULL);
    bool good = st != NULL;

    if (st)
        store_wait(st, BURIAL_WAIT_MS);
    if (good && store_begin(st, NULL) == 0) {
        for (size_t i = 0; i < b->n && good; i++)
            good = store_bury(st, b->v[i], b->now_ns, NULL) == 0;
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
        query_masters(st, on_master, &b, NULL) == 0 && b.n)
        bury(&b, path);
    free(b.v);
}
