/* terminal.c - runs a command in a terminal of its own, for tests of what
 * happens at a terminal.
 *
 *   terminal [--size ROWSxCOLUMNS] [--then ROWSxCOLUMNS] COMMAND [ARG]...
 *
 * What comes on stdin is typed, what the terminal shows goes to stdout. The
 * end of stdin types nothing. USR1 changes the size to that of --then. At
 * the end, which is that of the command, its status is passed on, and stderr
 * has a word if the settings of the terminal are not as they were. */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

static volatile sig_atomic_t resize, ended;

static void on_signal(int sig)
{
    *(sig == SIGUSR1 ? &resize : &ended) = 1;
}

static int size_of(const char *text, struct winsize *size)
{
    *size = (struct winsize){ 0 };
    return sscanf(text, "%hux%hu", &size->ws_row, &size->ws_col) == 2;
}

static void put(int fd, const char *p, ssize_t n)
{
    while (n > 0) {
        ssize_t wrote = write(fd, p, (size_t)n);

        if (wrote < 0 && errno != EINTR)
            return;
        if (wrote > 0) {
            p += wrote;
            n -= wrote;
        }
    }
}

/* False: the command has ended and all of its output is shown. */
static int turn(int master, int *input)
{
    struct pollfd p[2] = { { .fd = master, .events = POLLIN },
                           { .fd = *input, .events = POLLIN } };
    char buf[4096];
    int was_ended = ended;

    if (poll(p, 2, was_ended ? 50 : 1000) < 0)
        return errno == EINTR;
    if (p[1].revents) {
        ssize_t n = read(*input, buf, sizeof(buf));

        if (n <= 0)
            *input = -1;
        put(master, buf, n);
    }
    if (p[0].revents & POLLIN) {
        put(STDOUT_FILENO, buf, read(master, buf, sizeof(buf)));
        return 1;
    }
    return !was_ended;
}

int main(int argc, char **argv)
{
    struct winsize size = { .ws_row = 24, .ws_col = 80 }, then = size;
    struct sigaction sa = { .sa_handler = on_signal };
    struct termios before, after;
    int master, slave, input = STDIN_FILENO, status, i = 1;

    memset(&before, 0, sizeof(before));     /* its padding, too */
    memset(&after, 0, sizeof(after));
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
        if (!size_of(argv[i + 1], strcmp(argv[i], "--size") ? &then : &size))
            return 2;
    if (i >= argc || openpty(&master, &slave, NULL, NULL, &size) < 0 ||
        tcgetattr(slave, &before) < 0)
        return perror("terminal"), 2;
    sigaction(SIGUSR1, &sa, NULL);
    sa.sa_flags = SA_NOCLDSTOP;
    sigaction(SIGCHLD, &sa, NULL);
    pid_t pid = fork();

    if (pid == 0) {
        signal(SIGUSR1, SIG_DFL);
        close(master);
        login_tty(slave);
        execvp(argv[i], argv + i);
        perror(argv[i]);
        _exit(127);
    }
    while (turn(master, &input))
        if (resize) {
            resize = 0;
            ioctl(master, TIOCSWINSZ, &then);
        }
    if (tcgetattr(slave, &after) < 0 ||
        memcmp(&before, &after, sizeof(before)) != 0)
        fputs("terminal: its settings are not as they were\n", stderr);
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return 2;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
