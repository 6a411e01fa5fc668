/* debugger.c - what a debugger does to a process first: attaches to it, which
 * stops it, and holds it so long; built by the tests themselves.
 *
 *   debugger PID SECONDS */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    pid_t pid = argc == 3 ? atoi(argv[1]) : 0;
    int status;

    if (pid <= 0 || ptrace(PTRACE_ATTACH, pid, NULL, NULL) ||
        waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) {
        perror("debugger");
        return 1;
    }
    puts("stopped");
    fflush(stdout);
    sleep((unsigned)atoi(argv[2]));
    return ptrace(PTRACE_DETACH, pid, NULL, NULL) ? 1 : 0;
}
