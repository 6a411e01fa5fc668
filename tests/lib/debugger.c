/* debugger.c - what a debugger does to a process first: attaches to it, which
 * stops it, and holds it so long, and until there is that file; built by the
 * tests themselves.
 *
 *   debugger PID SECONDS FILE */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only one can: it waits while a look at the stack is taken. */
static bool attach(pid_t pid)
{
    long rc = -1;

    for (int i = 0; i < 6000 && rc; i++) {
        rc = ptrace(PTRACE_ATTACH, pid, NULL, NULL);
        if (rc && errno != EPERM)
            break;
        if (rc)
            usleep(10000);
    }
    return rc == 0;
}

int main(int argc, char **argv)
{
    pid_t pid = argc == 4 ? atoi(argv[1]) : 0;
    int status;

    if (pid <= 0 || !attach(pid) ||
        waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) {
        perror("debugger");
        return 1;
    }
    puts("stopped");
    fflush(stdout);
    sleep((unsigned)atoi(argv[2]));
    while (access(argv[3], F_OK))
        usleep(20000);
    return ptrace(PTRACE_DETACH, pid, NULL, NULL) ? 1 : 0;
}
