/* confine.c - what hector-judge takes from itself, see confine.h. */
#include "master/judge/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/asan.h"

enum { CONFINE_NICE = 5 };      /* less of a busy processor than who works */

int confine_user(uid_t uid, struct err *err)
{
    const struct passwd *pw = getpwuid(uid);

    if (uid == geteuid())
        return 0;
    if (!pw)
        return err_set(err, ENOENT, "there is no user %u", (unsigned)uid);
    if (initgroups(pw->pw_name, pw->pw_gid) ||
        setresgid(pw->pw_gid, pw->pw_gid, pw->pw_gid) ||
        setresuid(uid, uid, uid))
        return err_sys(err, "cannot become user %u", (unsigned)uid);
    return 0;
}

void confine_files(int last)
{
    long most = sysconf(_SC_OPEN_MAX);

    if (syscall(SYS_close_range, last + 1, ~0u, 0) == 0)
        return;
    for (int fd = last + 1; fd < most; fd++)    /* an old kernel */
        close(fd);
}

/* Data, and not the address space: the tape is mapped besides. What the
 * sanitizers map for themselves would be more than any limit. */
void confine_memory(uint64_t bytes)
{
    struct rlimit most = { bytes, bytes };

    if (bytes && !ASAN)
        setrlimit(RLIMIT_DATA, &most);
}

void confine_life(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0) {
        (void)!write(fd, "900", 3);
        close(fd);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!nice(CONFINE_NICE);
}

#if defined(__x86_64__)
#define CONFINE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINE_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef CONFINE_ARCH
#define DENY(number)                                                    \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                  \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

void confine_processes(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __NR_fork
        DENY(__NR_fork), DENY(__NR_vfork),
#endif
        DENY(__NR_clone),
#ifdef __NR_clone3
        DENY(__NR_clone3),
#endif
        DENY(__NR_execve), DENY(__NR_execveat), DENY(__NR_kill),
        DENY(__NR_ptrace), DENY(__NR_setsid),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {
        .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
void confine_processes(void)
{
}
#endif
