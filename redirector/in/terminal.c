/* terminal.c - the person's terminal while tasks have one of their own.
 *
 * A process of ours, the keeper, holds the settings as they were and one end
 * of a pipe: when hector-run is killed it sees the end of the pipe, and sets
 * the terminal before it goes. Invariant: keeper > 0 <=> the terminal was
 * taken and not put back. */
#include "redirector/in/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static struct termios before, raw;
static pid_t keeper;
static int keeper_pipe = -1;    /* its other end holds it */

void terminal_size(uint32_t *rows, uint32_t *columns)
{
    static const int fds[] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
    struct winsize size;

    *rows = 24;
    *columns = 80;
    for (int i = 0; i < 3; i++)
        if (ioctl(fds[i], TIOCGWINSZ, &size) == 0 && size.ws_row > 0) {
            *rows = size.ws_row;
            *columns = size.ws_col;
            return;
        }
}

/* Not from the background, where it would stop us: then it is not ours. */
static void terminal_set(const struct termios *t)
{
    if (tcgetpgrp(STDIN_FILENO) == getpgrp())
        while (tcsetattr(STDIN_FILENO, TCSADRAIN, t) < 0 && errno == EINTR)
            ;
}

/* Only system calls: this is a fork. A byte in the pipe means that there is
 * nothing left to do. */
static _Noreturn void terminal_keep(int end)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    char byte;
    ssize_t n;

    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &ignore, NULL);
    if (end != 3)
        dup2(end, 3);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    close_range(4, ~0u, 0);
    do
        n = read(3, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    _exit(0);
}

static int terminal_start_keeper(void)
{
    int p[2];

    if (pipe2(p, O_CLOEXEC) < 0)
        return -1;
    keeper = fork();
    if (keeper == 0) {
        close(p[1]);
        terminal_keep(p[0]);
    }
    close(p[0]);
    if (keeper < 0) {
        close(p[1]);
        keeper = 0;
        return -1;
    }
    keeper_pipe = p[1];
    return 0;
}

void terminal_take(bool alone)
{
    if (keeper > 0 || tcgetattr(STDIN_FILENO, &before) < 0 ||
        terminal_start_keeper() < 0)
        return;
    raw = before;
    cfmakeraw(&raw);
    if (!alone)                 /* others end their lines with \n alone */
        raw.c_oflag |= before.c_oflag & OPOST;
    terminal_set(&raw);
}

void terminal_put(void)
{
    if (keeper <= 0)
        return;
    terminal_set(&before);
    while (write(keeper_pipe, "", 1) < 0 && errno == EINTR)
        ;
    close(keeper_pipe);
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    keeper = 0;
}

void terminal_suspend(void)
{
    if (keeper > 0)
        terminal_set(&before);
}

void terminal_resume(void)
{
    if (keeper > 0)
        terminal_set(&raw);
}
