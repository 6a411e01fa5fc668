/* pmix_log.c - see pmix_log.h. The library writes a line at once, and goes on
 * without it if the pipe is full: its thread never waits for our loop. */
#include "slave/pmix/pmix_log.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/log.h"

enum { PMIX_LOG_LINE = 512 };           /* a longer one is cut */
static const char pmix_log_variable[] = "PMIX_OUTPUT_STDERR_FD";

struct pmix_log {
    int ends[2];                /* owned */
    struct event *come;         /* owned */
    bool started;
    size_t n;                   /* of a line that is not whole */
    char line[PMIX_LOG_LINE];
};

static void pmix_log_say(struct pmix_log *l)
{
    if (!l->n)
        return;
    if (l->started)
        log_info("pmix", "%.*s", (int)l->n, l->line);
    else
        log_warn("pmix", "%.*s", (int)l->n, l->line);
    l->n = 0;
}

static void pmix_log_read(struct pmix_log *l)
{
    char buf[4096];
    ssize_t got;

    while ((got = read(l->ends[0], buf, sizeof(buf))) > 0)
        for (ssize_t i = 0; i < got; i++) {
            if (buf[i] == '\n')
                pmix_log_say(l);
            else if (l->n < sizeof(l->line))
                l->line[l->n++] = buf[i];
        }
}

static void on_pmix_log(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    pmix_log_read(arg);
}

struct pmix_log *pmix_log_open(struct event_base *base, struct err *err)
{
    struct pmix_log *l = calloc(1, sizeof(*l));
    char fd[16];

    if (!l)
        return err_memory(err), NULL;
    if (pipe2(l->ends, O_CLOEXEC | O_NONBLOCK)) {
        err_sys(err, "no pipe for what the PMIx library writes");
        return free(l), NULL;
    }
    l->come = event_new(base, l->ends[0], EV_READ | EV_PERSIST, on_pmix_log, l);
    if (!l->come || event_add(l->come, NULL)) {
        err_memory(err);
        return pmix_log_close(l), NULL;
    }
    snprintf(fd, sizeof(fd), "%d", l->ends[1]);
    setenv(pmix_log_variable, fd, 1);
    return l;
}

void pmix_log_started(struct pmix_log *l)
{
    unsetenv(pmix_log_variable);
    pmix_log_read(l);
    pmix_log_say(l);
    l->started = true;
}

void pmix_log_close(struct pmix_log *l)
{
    if (!l)
        return;
    pmix_log_read(l);
    pmix_log_say(l);
    if (l->come)
        event_free(l->come);
    close(l->ends[0]);
    close(l->ends[1]);
    free(l);
}
