/* stackcmd.c - hector-slave --stack. */
#include "slave/stacks/stackcmd.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "proto/base/parse.h"
#include "proto/base/taskset.h"
#include "proto/link/message.h"
#include "slave/proc/reap.h"
#include "slave/stacks/calltree.h"
#include "slave/stacks/stacker.h"

struct stackcmd {
    struct event_base *base;
    struct stacker *stacker;
    struct reap *reap;
    pid_t *pids;                /* owned */
    uint32_t *numbers;          /* owned: the same */
    uint32_t n;
    int status;
};

static int fail(const char *text)
{
    fprintf(stderr, "hector-slave: %s\n", text);
    return 1;
}

static int write_out(const void *message)
{
    size_t n = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(n ? n : 1);
    int rc = -1;

    if (bytes) {
        protobuf_c_message_pack(message, bytes);
        rc = fwrite(bytes, 1, n, stdout) == n && fflush(stdout) == 0 ? 0 : -1;
    }
    free(bytes);
    return rc;
}

static void on_done(void *arg, const struct stacker_result *r,
                    const struct err *why)
{
    struct stackcmd *c = arg;
    Hct__CallTree m;
    struct err err;

    if (why)
        c->status = fail(why->text);
    else if (calltree_make(&m, r, c->numbers, c->n, &err))
        c->status = fail(err.text);
    else {
        c->status = write_out(&m) ? 1 : 0;
        calltree_fini(&m);
    }
    event_base_loopexit(c->base, NULL);
}

static void on_dead(void *arg, pid_t pid, int status,
                    const struct reap_usage *usage)
{
    (void)arg, (void)pid, (void)status, (void)usage;
}

static void on_stopped(void *arg, pid_t tid, int status)
{
    stacker_stopped(((struct stackcmd *)arg)->stacker, tid, status);
}

/* Numbers of processes are a set like ranks. */
static int read_pids(struct stackcmd *c, const char *text, struct err *err)
{
    struct taskset set = { 0 };

    if (taskset_parse(&set, text, 1u << 22, err))
        return -1;
    c->n = (uint32_t)taskset_count(&set);
    if (c->n < 1 || c->n > STACKER_TASKS_MAX) {
        taskset_fini(&set);
        return err_set(err, EINVAL, "%u processes", c->n);
    }
    c->pids = calloc(c->n, sizeof(*c->pids));
    c->numbers = calloc(c->n, sizeof(*c->numbers));
    c->n = 0;
    for (int64_t p = -1; c->pids && c->numbers &&
                         (p = taskset_next(&set, p)) >= 0; c->n++) {
        c->pids[c->n] = (pid_t)p;
        c->numbers[c->n] = (uint32_t)p;
    }
    taskset_fini(&set);
    return c->n ? 0 : err_memory(err);
}

static int begin(struct stackcmd *c, char **words, struct err *err)
{
    struct stacker_conf conf = { .nsamples = 1 };
    uint64_t samples;

    if (read_pids(c, words[0], err) ||
        parse_u64(&samples, words[1], 1, STACKER_SAMPLES_MAX, err) ||
        parse_u64(&conf.interval_ns, words[2], 0, UINT64_MAX / 2, err))
        return -1;
    conf.nsamples = (uint32_t)samples;
    conf.lines = strcmp(words[3], "1") == 0;
    conf.threads = strcmp(words[4], "1") == 0;
    conf.pids = c->pids;
    conf.ntasks = c->n;
    c->base = event_base_new();
    if (!c->base)
        return err_memory(err);
    c->reap = reap_open(c->base, on_dead, on_stopped, NULL, c, err);
    c->stacker = c->reap ? stacker_open(c->base, err) : NULL;
    return c->stacker ? stacker_take(c->stacker, &conf, on_done, c, err) : -1;
}

int stackcmd_run(int nwords, char **words)
{
    struct stackcmd c = { .status = 1 };
    struct err err;

    if (nwords != 5)
        return fail("--stack is for hector stack --pid"), 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    if (begin(&c, words, &err))
        fail(err.text);
    else
        event_base_dispatch(c.base);
    stacker_close(c.stacker);
    reap_close(c.reap);
    if (c.base)
        event_base_free(c.base);
    free(c.pids);
    free(c.numbers);
    return c.status;
}
