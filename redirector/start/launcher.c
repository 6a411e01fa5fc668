/* launcher.c - starts the adopted command, or watches a shell. */
#include "redirector/start/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void launcher_init(struct launcher *l,
                   void (*ended)(void *arg, int status), void *arg)
{
    *l = (struct launcher){ .fd = -1, .ended = ended, .arg = arg };
    sigprocmask(SIG_SETMASK, NULL, &l->mask);
    sigaction(SIGPIPE, NULL, &l->pipe);
    sigaction(SIGXFSZ, NULL, &l->file_size);
}

static void launcher_close(struct launcher *l)
{
    if (l->event)
        event_free(l->event);
    l->event = NULL;
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

void launcher_fini(struct launcher *l)
{
    launcher_close(l);
    l->pid = 0;
}

bool launcher_runs(const struct launcher *l)
{
    return l->pid > 0;
}

/* As long as it is our child, or a pidfd says so, the number is its own. */
void launcher_signal(const struct launcher *l, int sig)
{
    if (l->pid > 0 && l->child)
        syscall(SYS_pidfd_send_signal, l->fd, sig, NULL, 0);
}

static void launcher_on_end(evutil_socket_t fd, short what, void *arg)
{
    struct launcher *l = arg;
    int status = -1;

    (void)fd;
    (void)what;
    if (l->child && waitpid(l->pid, &status, WNOHANG) != l->pid)
        return;
    launcher_close(l);
    l->pid = 0;
    l->ended(l->arg, status);
}

int launcher_watch(struct launcher *l, struct event_base *base, pid_t pid,
                   struct err *err)
{
    l->fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (l->fd < 0)
        return err_sys(err, "cannot watch process %d", (int)pid);
    l->event = event_new(base, l->fd, EV_READ | EV_PERSIST, launcher_on_end,
                         l);
    if (!l->event || event_add(l->event, NULL)) {
        launcher_close(l);
        return err_memory(err);
    }
    l->pid = pid;
    return 0;
}

/* In the new process. */
__attribute__((noreturn))
static void launcher_run(const struct launcher *l, pid_t parent,
                         char *const *argv, const struct adoptenv *env,
                         int report)
{
    int code;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        raise(SIGTERM);
    for (size_t i = 0; i < env->n; i++)
        if (env->v[i].value)
            setenv(env->v[i].name, env->v[i].value, 1);
        else
            unsetenv(env->v[i].name);
    sigaction(SIGPIPE, &l->pipe, NULL);
    sigaction(SIGXFSZ, &l->file_size, NULL);
    sigprocmask(SIG_SETMASK, &l->mask, NULL);
    execvp(argv[0], argv);
    code = errno;
    if (write(report, &code, sizeof(code)) < 0)
        _exit(126);
    _exit(127);
}

int launcher_start(struct launcher *l, struct event_base *base,
                   char *const *argv, const struct adoptenv *env,
                   struct err *err)
{
    pid_t parent = getpid(), pid;
    int report[2], code = 0;
    ssize_t n;

    if (pipe2(report, O_CLOEXEC) < 0)
        return err_sys(err, "cannot start %s", argv[0]);
    pid = fork();
    if (pid == 0)
        launcher_run(l, parent, argv, env, report[1]);
    if (pid < 0)
        err_sys(err, "cannot start %s", argv[0]);
    close(report[1]);
    do
        n = read(report[0], &code, sizeof(code));
    while (n < 0 && errno == EINTR);
    close(report[0]);
    if (pid < 0)
        return -1;
    if (n == sizeof(code)) {
        waitpid(pid, NULL, 0);
        errno = code;
        return err_sys(err, "cannot start %s", argv[0]);
    }
    l->child = true;
    if (launcher_watch(l, base, pid, err) == 0)
        return 0;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -1;
}
