/* ownmaster.c - a hector-master of our own. */
#include "slave/emulate/ownmaster.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/paths.h"

enum { START_S = 20, ACCEPTS = 1 << 16 };       /* in /proc/net/unix */

/* Beside this program. */
static int find_program(char path[PATHS_MAX], struct err *err)
{
    ssize_t n = readlink("/proc/self/exe", path, PATHS_MAX - 32);
    char *slash;

    if (n < 0)
        return err_sys(err, "/proc/self/exe");
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return err_set(err, ENOENT, "no folder in %s", path);
    strcpy(slash, "/hector-master");
    if (access(path, X_OK))
        return err_sys(err, "%s", path);
    return 0;
}

static int write_conf(const struct ownmaster *m, const char *dir,
                      const char *path, struct err *err)
{
    FILE *f = fopen(path, "w");

    if (!f || fprintf(f, "[master]\nlisten = %s\ndatabase = %s/emulate.db\n",
                      m->address, dir) < 0) {
        if (f)
            fclose(f);
        return err_sys(err, "cannot write %s", path);
    }
    return fclose(f) ? err_sys(err, "cannot write %s", path) : 0;
}

/* Its socket is there before it listens; a call that tries would be one of a
 * stranger. */
static bool listens(const char *path)
{
    char line[PATHS_MAX + 128];
    unsigned flags;
    bool yes = false;
    FILE *f = fopen("/proc/net/unix", "r");

    while (f && !yes && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        yes = sscanf(line, "%*s %*s %*s %x", &flags) == 1 &&
              flags & ACCEPTS && strchr(line, '/') &&
              strcmp(strchr(line, '/'), path) == 0;
    }
    if (f)
        fclose(f);
    return yes;
}

int ownmaster_start(struct ownmaster *m, const char *dir, struct err *err)
{
    char program[PATHS_MAX], conf[PATHS_MAX + 32], *path;
    int status;

    if (find_program(program, err))
        return -1;
    if (snprintf(m->address, sizeof(m->address), "unix:%s/master", dir) >=
            (int)sizeof(m->address))
        return err_set(err, ENAMETOOLONG, "%s is too long", dir);
    snprintf(conf, sizeof(conf), "%s/conf", dir);
    if (write_conf(m, dir, conf, err))
        return -1;
    m->pid = fork();
    if (m->pid < 0)
        return err_sys(err, "cannot start hector-master");
    if (m->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(program, program, "-d", "-f", conf, (char *)NULL);
        _exit(127);
    }
    path = m->address + strlen("unix:");
    for (int i = 0; i < START_S * 100 && !listens(path); i++) {
        if (waitpid(m->pid, &status, WNOHANG) == m->pid) {
            m->pid = 0;
            return err_set(err, ECHILD, "hector-master has ended at once");
        }
        usleep(10000);
    }
    return 0;
}

void ownmaster_end(struct ownmaster *m)
{
    if (m->pid <= 0)
        return;
    kill(m->pid, SIGKILL);              /* nothing of it is to be kept */
    waitpid(m->pid, NULL, 0);
    m->pid = 0;
}

uint64_t ownmaster_cpu_ns(const struct ownmaster *m)
{
    return m->pid > 0 ? clock_process_ns(m->pid) : 0;
}

static uint64_t status_kb(const struct ownmaster *m, const char *key)
{
    char path[64], line[200];
    uint64_t kb = 0;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)m->pid);
    f = m->pid > 0 ? fopen(path, "r") : NULL;
    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, key, strlen(key)) == 0)
            kb = strtoull(line + strlen(key), NULL, 10);
    if (f)
        fclose(f);
    return kb;
}

uint64_t ownmaster_rss_bytes(const struct ownmaster *m)
{
    return status_kb(m, "VmRSS:") * 1024;
}

uint64_t ownmaster_peak_bytes(const struct ownmaster *m)
{
    return status_kb(m, "VmHWM:") * 1024;
}
