/* policycheck.c - asks hector-judge about a policy, see policycheck.h. */
#include "proto/conf/policycheck.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/paths.h"

extern char **environ;

int policycheck_program(char *buf, size_t size, struct err *err)
{
    if (paths_sibling("../bin/hector-judge", buf, size, NULL) == 0)
        return 0;
    return paths_sibling("hector-judge", buf, size, err);
}

static int start(const char *program, const char *kind, const char *spec, int out,
                 pid_t *pid)
{
    char *argv[] = { (char *)"hector-judge", (char *)"-k", (char *)kind,
                     (char *)"-c", (char *)"--", (char *)spec, NULL };
    posix_spawn_file_actions_t files;
    int rc;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    rc = posix_spawn(pid, program, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* One line; the object may have printed others before. */
static void take_sentence(int fd, char *text, size_t size)
{
    size_t n = 0;
    ssize_t rc;
    char *line;

    do {
        rc = read(fd, text + n, size - 1 - n);
        n += rc > 0 ? (size_t)rc : 0;
    } while (rc > 0 || (rc < 0 && errno == EINTR));
    while (n && text[n - 1] == '\n')
        n--;
    text[n] = '\0';
    line = strrchr(text, '\n');
    if (line)
        memmove(text, line + 1, strlen(line));
}

static int check(const char *kind, const char *spec, struct err *err)
{
    char program[PATHS_MAX], text[sizeof(err->text)];
    int ends[2], rc, status = 0;
    pid_t pid;

    if (policycheck_program(program, sizeof(program), err))
        return -1;
    if (pipe2(ends, O_CLOEXEC))
        return err_sys(err, "cannot start %s", program);
    rc = start(program, kind, spec, ends[1], &pid);
    close(ends[1]);
    if (rc == 0) {
        take_sentence(ends[0], text, sizeof(text));
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    errno = rc;
    if (rc)
        return err_sys(err, "cannot start %s", program);
    if (status && !(WIFEXITED(status) && *text))
        return err_set(err, EINVAL, "the %s %.160s ends whoever loads it",
                       kind, spec);
    return status ? err_set(err, EINVAL, "%s", text) : 0;
}

int policycheck(const char *spec, struct err *err)
{
    return check("policy", spec, err);
}

int policycheck_optimizer(const char *spec, struct err *err)
{
    return check("optimizer", spec, err);
}
