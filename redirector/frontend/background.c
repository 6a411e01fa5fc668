/* background.c - a session in the background; see background.h. */
#include "redirector/frontend/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "redirector/out/say.h"
#include "redirector/frontend/status.h"

static int background_relay(int from, pid_t session)
{
    char buf[4096];
    bool any = false;
    ssize_t n;
    int status;

    while ((n = read(from, buf, sizeof(buf))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || write(STDOUT_FILENO, buf, (size_t)n) != n)
            return STATUS_FAILURE;
        any = true;
    }
    if (any)
        return 0;
    if (waitpid(session, &status, 0) != session || !WIFEXITED(status) ||
        WEXITSTATUS(status) == 0)
        return STATUS_FAILURE;
    return WEXITSTATUS(status);
}

int background_run(int (*session)(void *arg, int script), void *arg)
{
    int script[2], null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_t pid = -1;

    if (null_fd >= 0 && pipe2(script, O_CLOEXEC) == 0)
        pid = fork();
    if (pid < 0) {
        say(SAY_ERROR, "cannot go into the background: %s", strerror(errno));
        return STATUS_FAILURE;
    }
    if (pid > 0) {
        close(script[1]);
        return background_relay(script[0], pid);
    }
    close(script[0]);
    setsid();
    dup2(null_fd, STDIN_FILENO);
    dup2(null_fd, STDOUT_FILENO);
    _exit(session(arg, script[1]));
}

void background_send(int script, char *text)
{
    size_t n = text ? strlen(text) : 0;

    if (write(script, text, n) != (ssize_t)n)
        say(SAY_ERROR, "cannot write the environment: %s", strerror(errno));
    free(text);
    close(script);
}

void background_name(pid_t shell, char *buf, size_t size)
{
    char path[64];
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/comm", (int)shell);
    f = fopen(path, "re");
    if (!f || !fgets(buf, (int)size, f))
        snprintf(buf, size, "shell");
    if (f)
        fclose(f);
    buf[strcspn(buf, "\n")] = '\0';
}
