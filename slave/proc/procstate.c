/* procstate.c - see procstate.h */
#include "slave/proc/procstate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policies/hct_policy.h"
#include "slave/proc/sample.h"
#include "slave/proc/smallfile.h"

enum { AWAKE_NS = 20 * 1000 * 1000 };   /* two of the ticks that the kernel tells */

static bool proc_text(pid_t pid, const char *name, char *buf, size_t size)
{
    char path[48];

    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    return smallfile_read(path, buf, size);
}

char procstate_letter(const char *text)
{
    const char *p = strrchr(text, ')');         /* the name may have any */

    return p && p[1] == ' ' ? p[2] : '\0';
}

bool procstate_reads_stdin(const char *text)
{
    unsigned long long arg;
    long number;

    return sscanf(text, "%ld %llx", &number, &arg) == 2 &&
           number == SYS_read && arg == 0;
}

bool procstate_pauses(const char *text)
{
    unsigned long long arg[4] = { 0 };
    long number;
    int n = sscanf(text, "%ld %llx %llx %llx %llx", &number, &arg[0], &arg[1],
                   &arg[2], &arg[3]);

    if (n < 5)
        return false;
    switch (number) {
#ifdef SYS_pause                /* some have only ppoll() */
    case SYS_pause:
        return true;
    case SYS_poll:              /* of nothing, for ever */
        return arg[1] == 0 && (int32_t)arg[2] < 0;
#endif
    case SYS_rt_sigsuspend:
        return true;
    case SYS_ppoll:
        return arg[1] == 0 && arg[2] == 0;
    case SYS_rt_sigtimedwait:
        return arg[2] == 0;
    default:
        return false;
    }
}

/* By somebody else than us, who look at its stack. The kernel says who it is
 * in a file of many lines: read it only where the state makes one curious. */
static bool is_traced(pid_t pid)
{
    char text[4096];
    const char *p;

    if (!proc_text(pid, "status", text, sizeof(text)))
        return false;
    p = strstr(text, "\nTracerPid:");
    return p && atoi(p + 11) > 0 && atoi(p + 11) != getpid();
}

static void take_syscall(struct procstate *s, pid_t pid, const char *text)
{
    waiting_read(&s->waiting, pid, text);
    if (procstate_reads_stdin(text))
        s->flags |= HCT_STDIN;
    else if (procstate_pauses(text)) {
        s->flags |= HCT_PAUSES;
        s->waiting.what = HCT_WAITS_SIGNAL;
    }
}

void procstate_read(struct procstate *s, pid_t pid)
{
    char text[1024];
    struct sample_proc proc;
    uint32_t before = s->flags & ~(uint32_t)HCT_TRACED;
    char state;
    bool ours;

    s->flags = 0;
    s->wchan[0] = '\0';
    if (!proc_text(pid, "stat", text, sizeof(text)))
        return;
    if (sample_proc_parse(text, false, &proc) == 0)
        s->cpu_ns = proc.cpu_ns;
    state = procstate_letter(text);
    if (proc_text(pid, "schedstat", text, sizeof(text)))
        s->own_cpu_ns = strtoull(text, NULL, 10);
    ours = state == 't' && !is_traced(pid);
    if (ours)                   /* what was found before we held it */
        s->flags = before;
    else if (state == 't')
        s->flags |= HCT_TRACED;
    else if (state == 'T')
        s->flags |= is_traced(pid) ? HCT_TRACED : HCT_STOPPED;
    else if (state == 'R')
        s->flags |= HCT_RUNS;
    else if (state == 'D')
        s->flags |= HCT_SLEEPS;
    else if (state == 'S' && proc_text(pid, "syscall", text, sizeof(text)))
        take_syscall(s, pid, text);
    if (state != 'S' && !ours)
        s->waiting = (struct waiting){ 0 };
    if (state == 'D' && proc_text(pid, "wchan", text, sizeof(text)) &&
        strcmp(text, "0") != 0)
        snprintf(s->wchan, sizeof(s->wchan), "%.31s", text);
}

int procstate_stands(pid_t pid, uint64_t *cpu_ns)
{
    char text[1024], state;
    struct sample_proc proc;

    if (!proc_text(pid, "stat", text, sizeof(text)) ||
        sample_proc_parse(text, false, &proc) < 0)
        return -1;
    state = procstate_letter(text);
    if (state == 'T')
        *cpu_ns = proc.cpu_ns;
    if (state == 't' || (state == 'R' && proc.cpu_ns < *cpu_ns + AWAKE_NS))
        return -1;
    return state == 'T';
}
