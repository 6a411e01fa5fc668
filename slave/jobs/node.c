/* node.c - what all jobs of this slave share. */
#include "slave/jobs/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/conf/preload.h"
#include "slave/proc/load.h"

static void find_preload(struct node *n)
{
    struct err err;

    if (preload_path("libhector.so", n->rundir.dir, n->preload, &err)) {
        log_warn("node", "tasks run unwatched: %s", err.text);
        n->preload[0] = '\0';
    }
    if (preload_path("libhector-inject.so", n->rundir.dir, n->inject, &err))
        strcpy(n->inject, "libhector-inject.so");
}

int node_init(struct node *n, struct event_base *base, const char *name,
              const struct conn_conf *conn, struct err *err)
{
    memset(n, 0, sizeof(*n));
    n->base = base;
    n->name = name;
    n->conn = conn;
    n->null_fd = -1;
    n->window.max = RECORDS_WINDOW;
    ticks_init(&n->ticks);
    if (getrandom(&n->instance, sizeof(n->instance), 0) !=
        sizeof(n->instance))
        return err_sys(err, "getrandom");
    if (rundir_open(&n->rundir, err))
        return -1;
    freezer_sweep();
    if (snprintf(n->tasks_socket, sizeof(n->tasks_socket), "%s/tasks.sock",
                 n->rundir.dir) >= (int)sizeof(n->tasks_socket))
        return err_set(err, ENAMETOOLONG, "%s is too long", n->rundir.dir);
    n->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (n->null_fd < 0)
        return err_sys(err, "/dev/null");
    find_preload(n);
    n->fast_fabric = load_fast_fabric();
    return 0;
}

void node_close(struct node *n)
{
    exchange_destroy(n->exchange);
    pmixd_close(n->pmix);
    n->exchange = NULL;
    n->pmix = NULL;
}

void node_fini(struct node *n)
{
    node_close(n);
    rings_batch_fini(&n->batch);
    str_fini(&n->lines);
    if (n->null_fd >= 0)
        close(n->null_fd);
    freezer_fini(&n->freezer);
    rundir_close(&n->rundir);
}

struct pmixd *node_pmix(struct node *n, struct err *err)
{
    if (!n->pmix)
        n->pmix = pmixd_open(n->base, n->name, n->rundir.dir,
                             n->pmix_wait_ns, n->pmix_ops, n->pmix_arg, err);
    return n->pmix;
}

void node_look_at_pmix(const struct node *n)
{
    if (n->renew && pmixd_health(n->pmix) != PMIXD_SOUND)
        event_active(n->renew, EV_TIMEOUT, 0);
}
