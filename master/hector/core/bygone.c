/* bygone.c - see bygone.h. */
#include "master/hector/core/bygone.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/conf/gridengine.h"

#define BYGONE_NS (3 * CLOCK_NS_PER_S)
enum { BYGONE_JOB = 64, BYGONE_TEXT = 4096, BYGONE_WORD = 32 };

/* $0 is the job, $1 the host. Slurm says of itself which jobs are ours. */
static const char slurm_script[] =
    "host=${1%%.*}\n"
    "sinfo --noheader --Node --format=%n | sed 's/[. ].*//' |"
    " grep -qx \"$host\" || exit 1\n"
    "text=$(squeue --noheader --states=all"
    " --Format=State:.24,RestartCnt:.12,UserID:.12 --job \"$0\" 2>&1) && {\n"
    "    echo \"$text\" | awk -v me=\"$(id -u)\" '$3 == me { print $1, $2 }'\n"
    "    exit 0\n"
    "}\n"
    "case $text in *'Invalid job id'*) echo gone ;; esac\n";

/* Of those that are there its qstat tells, of others it says that they do not
 * exist. */
static const char gridengine_script[] =
    GRIDENGINE_FIND
    "host=${1%%.*}\n"
    "qconf -sel | sed 's/\\..*//' | grep -qx \"$host\" || exit 1\n"
    "case $(LC_ALL=C qstat -j \"$0\" 2>&1) in\n"
    "*'do not exist'*) echo gone; exit 0 ;;\n"
    "esac\n"
    "qstat | awk -v job=\"$0\" '$1 == job { print \"state\", $5 }'\n";

/* Jobs of Slurm that it calls otherwise are there, in one state or another. */
static const struct { const char *state, *reason; } slurm_ends[] = {
    { "CANCELLED", "cancelled" },       { "TIMEOUT", "time limit" },
    { "DEADLINE", "time limit" },       { "NODE_FAIL", "node failure" },
    { "PREEMPTED", "preempted" },       { "PENDING", "requeued" },
    { "REQUEUED", "requeued" },         { "REQUEUE_HOLD", "requeued" },
    { "SPECIAL_EXIT", "requeued" },     { "REQUEUE_FED", "requeued" },
    { "COMPLETED", NULL },              { "FAILED", NULL },
    { "OUT_OF_MEMORY", NULL },          { "BOOT_FAIL", "node failure" },
};

/* An array, or one of several components, has several lines: of these nothing
 * is known. */
static bool is_one_line(const char *text)
{
    const char *end = strchr(text, '\n');

    return !end || !end[1];
}

enum bygone bygone_of_slurm(const char *text, uint64_t restarts,
                            const char **reason)
{
    char state[BYGONE_WORD];
    uint64_t again;

    *reason = NULL;
    if (strcmp(text, "gone\n") == 0)
        return BYGONE_IS;
    if (!is_one_line(text) || sscanf(text, "%31s %" SCNu64, state, &again) != 2)
        return BYGONE_UNKNOWN;
    if (again > restarts) {
        *reason = "requeued";
        return BYGONE_IS;
    }
    for (size_t i = 0; i < sizeof(slurm_ends) / sizeof(slurm_ends[0]); i++)
        if (strcmp(state, slurm_ends[i].state) == 0) {
            *reason = slurm_ends[i].reason;
            return BYGONE_IS;
        }
    return BYGONE_NOT;
}

/* "Rq", "hRwq": it waits to be begun again. Once it is ("Rr") the next run says
 * so itself. */
enum bygone bygone_of_gridengine(const char *text, uint64_t restarts,
                                 const char **reason)
{
    char state[BYGONE_WORD];

    (void)restarts;
    *reason = NULL;
    if (strcmp(text, "gone\n") == 0)
        return BYGONE_IS;
    if (!is_one_line(text) || sscanf(text, "state %31s", state) != 1)
        return BYGONE_UNKNOWN;
    if (!strchr(state, 'R') || !strchr(state, 'q'))
        return BYGONE_NOT;
    *reason = "requeued";
    return BYGONE_IS;
}

static const struct {
    const char *name, *script;
    enum bygone (*answer)(const char *text, uint64_t restarts,
                          const char **reason);
} systems[] = {
    { "Slurm ", slurm_script, bygone_of_slurm },
    { "Grid Engine ", gridengine_script, bygone_of_gridengine },
};

/* ------------------------------------------------------------------ asking */

static pid_t start(const char *script, const char *job, const char *host,
                   int *out)
{
    int fds[2], null;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC))
        return -1;
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, STDIN_FILENO);
        dup2(fds[1], STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", script, job, host, (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    if (pid < 0) {
        close(fds[0]);
        return -1;
    }
    setpgid(pid, pid);          /* whoever of us is first */
    *out = fds[0];
    return pid;
}

/* What it writes until it ends, or has taken too long: then false. */
static bool listen_to(int fd, char text[BYGONE_TEXT])
{
    const uint64_t until_ns = clock_monotonic_ns() + BYGONE_NS;
    struct pollfd p = { fd, POLLIN, 0 };
    size_t n = 0;

    for (;;) {
        uint64_t now_ns = clock_monotonic_ns();
        ssize_t got = -1;

        if (now_ns >= until_ns || n + 1 >= BYGONE_TEXT)
            return false;
        if (poll(&p, 1, (int)((until_ns - now_ns) / CLOCK_NS_PER_MS) + 1) > 0)
            got = read(fd, text + n, BYGONE_TEXT - 1 - n);
        if (got > 0)
            n += (size_t)got;
        text[n] = '\0';
        if (got == 0)
            return true;
    }
}

static bool ask(const char *script, const char *job, const char *host,
                char text[BYGONE_TEXT])
{
    int fd, status = -1;
    pid_t pid = start(script, job, host, &fd);
    bool good;

    if (pid < 0)
        return false;
    good = listen_to(fd, text);
    if (!good)
        kill(-pid, SIGKILL);
    close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* What stands behind the name is one word of digits, or it is a task of an
 * array, of which these commands do not tell. */
enum bygone bygone_ask(const struct bygone_run *r, const char **reason)
{
    char text[BYGONE_TEXT];

    *reason = NULL;
    for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
        const size_t n = strlen(systems[i].name);
        const char *job = r->batch + n;

        if (strncmp(r->batch, systems[i].name, n) != 0)
            continue;
        if (!*job || strspn(job, "0123456789") != strlen(job) ||
            strlen(job) >= BYGONE_JOB)
            return BYGONE_UNKNOWN;
        return ask(systems[i].script, job, r->host, text)
               ? systems[i].answer(text, r->restarts, reason) : BYGONE_UNKNOWN;
    }
    return BYGONE_UNKNOWN;
}
