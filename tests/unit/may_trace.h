/* may_trace.h - whether this process may look into another one, as the reader of call
 * stacks and whatever stops a task do: in some containers and on hardened hosts the
 * kernel refuses ptrace(2). A test that is about that alone is skipped there. */
#ifndef HECTOR_TESTS_MAY_TRACE_H
#define HECTOR_TESTS_MAY_TRACE_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static bool may_trace(void)
{
    pid_t pid = fork();
    char from = 0, to = 1;
    struct iovec local = { &to, 1 }, remote = { &from, 1 };
    bool may;

    if (pid == 0)
        for (;;)
            pause();
    may = pid > 0 && process_vm_readv(pid, &local, 1, &remote, 1, 0) == 1 &&
          ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (!may)
        puts("1..0 # SKIP the kernel refuses ptrace here");
    return may;
}

#endif
