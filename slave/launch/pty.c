/* pty.c - the pseudo-terminal of a task that wants one. */
#include "slave/launch/pty.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

int pty_open(int *ours, int *tasks, const struct winsize *window, uid_t uid,
             struct err *err)
{
    if (openpty(ours, tasks, NULL, NULL, window) < 0)
        return err_sys(err, "cannot make a terminal");
    if ((uid != geteuid() && fchown(*tasks, uid, (gid_t)-1) < 0) ||
        fcntl(*ours, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(*tasks, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(*ours, F_SETFL, O_NONBLOCK) < 0) {
        err_sys(err, "cannot set up a terminal");
        close(*ours);
        close(*tasks);
        return -1;
    }
    return 0;
}

void pty_size(struct winsize *window, const Hct__Terminal *m)
{
    *window = (struct winsize){ 0 };
    window->ws_row = (unsigned short)(m->rows & 0xffff);
    window->ws_col = (unsigned short)(m->columns & 0xffff);
}

/* In the middle of a line the first one only hands the line over. */
const char *pty_end_of_file(int ours, char last)
{
    static char keys[3];
    struct termios t;

    if (tcgetattr(ours, &t) < 0 || !(t.c_lflag & ICANON))
        return "";
    keys[0] = keys[1] = (char)t.c_cc[VEOF];
    return last == '\n' ? keys + 1 : keys;
}
