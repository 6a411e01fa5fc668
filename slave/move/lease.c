/* lease.c - see lease.h. */
#include "slave/move/lease.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "slave/launch/taskenv.h"
#include "slave/page/registry.h"
#include "slave/page/stance.h"

static int make_env(struct job *j, const struct plan *plan, uint32_t rank,
                    struct env *env, struct err *err)
{
    char shm[PATHS_MAX];
    struct taskenv of;

    site_env(j->part.node->site, plan, shm, &of);
    if (taskenv_begin(env, plan_app(j->plan, rank)))
        return err_memory(err);
    if (pmixd_setup_env(node_pmix_now(j->part.node), j->part.id, rank, env,
                        err))
        return -1;
    return taskenv_finish(env, &of, rank) ? err_memory(err) : 0;
}

/* As page_lease has it; -1 with err. */
static int texts_to_memory(char *const *texts, uint64_t *bytes,
                           struct err *err)
{
    int fd = memfd_create("hector-lease", MFD_CLOEXEC);

    if (fd < 0)
        return err_sys(err, "cannot make shared memory");
    for (char *const *v = texts; *v; v++) {
        size_t n = strlen(*v) + 1;

        if (write(fd, *v, n) != (ssize_t)n) {
            err_sys(err, "cannot write to shared memory");
            close(fd);
            return -1;
        }
        *bytes += n;
    }
    return fd;
}

void lease_give(struct job *j, uint32_t rank, int fd)
{
    struct env env = { 0 };
    struct err err = { 0 };
    uint64_t bytes = 0;
    int memory = -1;

    if (make_env(j, j->plan, rank, &env, &err) == 0)
        memory = texts_to_memory(env.v, &bytes, &err);
    env_fini(&env);
    if (memory < 0)
        log_warn("move", "no lease for rank %u job=%llu: %s", rank,
                 (unsigned long long)j->part.id, err.text);
    registry_lease(fd, memory < 0 ? EIO : PAGE_LEASE_STAY, memory, bytes, err.text);
}

int lease_check(const struct job *j, const struct task *t,
                const struct page_lease_ask *ask,
                const struct registry_peer *peer, struct err *err)
{
    if (!t || t->over || (peer->pid != t->tally.pid && peer->pid != t->pid))
        return err_set(err, ESRCH, "task %u of job %llu does not run here by "
                       "that number of a process", ask->rank,
                       (unsigned long long)ask->job);
    if (peer->uid != j->plan->uid && peer->uid != 0)
        return err_set(err, EPERM, "job %llu is not of user %u",
                       (unsigned long long)ask->job, (unsigned)peer->uid);
    return 0;
}

/* What was known of it where it was. -1: no memory. */
static int know(struct streams *s, struct tally *w,
                const Hct__SwapGo__Arrival *a)
{
    struct tally_open *open = calloc(a->n_open + 1, sizeof(*open));
    size_t n = open ? a->n_open : 0;

    for (size_t i = 0; i < n; i++)
        open[i] = (struct tally_open){
            .slot = a->open[i]->slot,
            .call = { .seq = a->open[i]->seq, .marker = a->open[i]->marker,
                      .call = (uint16_t)a->open[i]->call,
                      .text = (char *)a->open[i]->text.data,
                      .text_bytes = a->open[i]->text.len } };
    tally_goes_on(w, a->records, a->tagged, open, n);
    free(open);
    if (a->reads)
        streams_input_came(s, a->rank, a->in_bytes);
    else
        streams_no_input(s, a->rank);
    return streams_begin_at(s, a->rank, HCT__STREAM__STREAM_STDOUT,
                            a->out_bytes) |
           streams_begin_at(s, a->rank, HCT__STREAM__STREAM_STDERR,
                            a->err_bytes);
}

int lease_know(struct job *j, struct task *t, const Hct__SwapGo *m)
{
    for (size_t i = 0; i < m->n_arrivals; i++)
        if (m->arrivals[i]->rank == t->rank &&
            know(j->streams, &t->tally, m->arrivals[i]))
            return -1;
    return 0;
}

int lease_restored(struct job *j, struct task *t, int fd, struct err *err)
{
    Hct__SwapGo *m = hct__swap_go__unpack(NULL, j->plan->past_bytes,
                                          j->plan->past);
    int rc;

    if (!m || !t->tally.page) {
        if (m)
            hct__swap_go__free_unpacked(m, NULL);
        return m ? err_set(err, ESRCH, "it has no page") : err_memory(err);
    }
    rc = lease_know(j, t, m);
    hct__swap_go__free_unpacked(m, NULL);
    if (rc)
        return err_memory(err);
    stance_order(t->tally.page, PAGE_STOP_RUN, 0, 0);
    task_restored(t);
    lease_give(j, t->rank, fd);
    job_tell(j, false);
    return 0;
}
