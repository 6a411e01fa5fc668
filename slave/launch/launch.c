/* launch.c - fork and exec of one task.
 *
 * Invariant: between fork() and execve() only async-signal-safe functions
 * run, because PMIx's thread may have held any lock at the fork. */
#include "slave/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "proto/base/limits.h"
#include "proto/base/log.h"

static struct rlimit task_files, task_file_size;

void launch_init(void)
{
    limits_lift(RLIMIT_NOFILE, &task_files);
    limits_lift_file_size(&task_file_size);
}

int launch_user_init(struct launch_user *u, uid_t uid, gid_t gid,
                     struct err *err)
{
    struct passwd *pw;
    int n = 0;

    *u = (struct launch_user){ .uid = uid, .gid = gid };
    if (uid == geteuid())
        return 0;
    if (geteuid() != 0)
        return err_set(err, EPERM, "the job is of user %u, the slave runs as "
                       "user %u and cannot change", (unsigned)uid,
                       (unsigned)geteuid());
    pw = getpwuid(uid);
    if (!pw)
        return err_set(err, ENOENT, "user %u is not known here",
                       (unsigned)uid);
    getgrouplist(pw->pw_name, gid, NULL, &n);
    u->groups = calloc(n > 0 ? (size_t)n : 1, sizeof(*u->groups));
    if (!u->groups)
        return err_memory(err);
    if (getgrouplist(pw->pw_name, gid, u->groups, &n) < 0) {
        launch_user_fini(u);
        return err_set(err, EAGAIN, "the groups of user %s changed meanwhile",
                       pw->pw_name);
    }
    u->ngroups = n;
    u->change = 1;
    return 0;
}

int launch_user_copy(struct launch_user *to, const struct launch_user *u)
{
    *to = *u;
    to->groups = calloc((size_t)u->ngroups + 1, sizeof(*u->groups));
    if (to->groups && u->ngroups > 0)
        memcpy(to->groups, u->groups, (size_t)u->ngroups * sizeof(*u->groups));
    return to->groups ? 0 : -1;
}

void launch_user_fini(struct launch_user *u)
{
    free(u->groups);
    *u = (struct launch_user){ 0 };
}

static _Noreturn void fail(int report, enum exec_step step, int error)
{
    struct exec_report r = { .step = (int32_t)step, .error = error };
    ssize_t n;

    do
        n = write(report, &r, sizeof(r));
    while (n < 0 && errno == EINTR);
    _exit(exec_code(&r));
}

/* Move the three descriptors to 0, 1, 2, whatever numbers they have now. */
static int place_fds(const int fds[3])
{
    int high[3];

    for (int i = 0; i < 3; i++) {
        high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
        if (high[i] < 0)
            return -1;
    }
    for (int i = 0; i < 3; i++)
        if (dup2(high[i], i) < 0)       /* clears close-on-exec */
            return -1;
    return 0;
}

int launch_become(const struct launch_user *u)
{
    if (!u->change)
        return 0;
    return setgroups((size_t)u->ngroups, u->groups) ||
           setresgid(u->gid, u->gid, u->gid) ||
           setresuid(u->uid, u->uid, u->uid) ? -1 : 0;
}

static _Noreturn void child(const struct launch_spec *s, pid_t slave,
                            int report)
{
    struct sigaction dfl = { .sa_handler = SIG_DFL };
    sigset_t none;

    if (s->terminal ? setsid() < 0 || ioctl(s->fds[0], TIOCSCTTY, 0)
                    : setpgid(0, 0))
        fail(report, EXEC_STEP_SETUP, errno);
    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &dfl, NULL);     /* KILL, STOP and libc's own refuse */
    if (place_fds(s->fds))
        fail(report, EXEC_STEP_SETUP, errno);
    for (int i = 0; i < 2; i++)
        if (s->pass[i] && fcntl(s->pass[i], F_SETFD, 0))
            fail(report, EXEC_STEP_SETUP, errno);
    limits_restore(RLIMIT_NOFILE, &task_files);
    limits_restore(RLIMIT_FSIZE, &task_file_size);
    if (s->schedule)            /* with the rights of the slave */
        schedule_take(s->schedule);
    if (launch_become(s->user))
        fail(report, EXEC_STEP_USER, errno);
    /* After the change of user, which would clear it again. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != slave)
        fail(report, EXEC_STEP_SETUP, errno ? errno : ESRCH);
    if (*s->wdir && chdir(s->wdir))
        fail(report, EXEC_STEP_CHDIR, errno);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    fail(report, EXEC_STEP_EXEC, exec_run(s->search, s->env));
}

pid_t launch_start(const struct launch_spec *s, int *report,
                   struct err *err)
{
    pid_t slave = getpid(), pid;
    sigset_t all, before;
    int pipe_fds[2];

    if (pipe2(pipe_fds, O_CLOEXEC))
        return err_sys(err, "cannot make a pipe");
    /* The write end must not be one of the child's 0, 1, 2. */
    for (int fd; pipe_fds[1] < 3; pipe_fds[1] = fd) {
        fd = fcntl(pipe_fds[1], F_DUPFD_CLOEXEC, 3);
        if (fd < 0) {
            err_sys(err, "cannot make a pipe");
            close(pipe_fds[0]);
            close(pipe_fds[1]);
            return -1;
        }
        close(pipe_fds[1]);
    }
    /* No handler of ours may run in the child. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid = fork();
    if (pid == 0)
        child(s, slave, pipe_fds[1]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pipe_fds[1]);
    if (pid < 0) {
        err_sys(err, "cannot make a process");
        close(pipe_fds[0]);
        return -1;
    }
    if (!s->terminal)           /* whoever comes first; the child does too */
        setpgid(pid, pid);
    fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
    *report = pipe_fds[0];
    log_debug("launch", "forked pid=%d", (int)pid);
    return pid;
}

int launch_report(int report, struct exec_report *r)
{
    ssize_t n = read(report, r, sizeof(*r));

    if (n == (ssize_t)sizeof(*r) && r->step > EXEC_STEP_NONE &&
        r->step <= EXEC_STEP_EXEC)
        return 1;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return -1;
    return 0;
}
