/* sessions.c - see sessions.h.
 *
 * The functions of libc for utmp take a lock, for which they wait for seconds; a
 * record that is just being written does no harm here, the next look comes soon. */
#include "slave/owner/sessions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utmp.h>

#include "proto/base/str.h"

static const char *const paths[] = { _PATH_UTMP, "/run/utmp",
                                     "/run/systemd/sessions" };

const char *sessions_path(void)
{
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (access(paths[i], R_OK) == 0)
            return paths[i];
    return NULL;
}

static void say(const char *user, const char *where, char *why, size_t size)
{
    char who[128], on[128];

    str_visible(who, sizeof(who), user, strlen(user));
    str_visible(on, sizeof(on), where, strlen(where));
    snprintf(why, size, "%s is logged in on %s", *who ? who : "somebody",
             *on ? on : "?");
}

/* Nothing but a plain file is read: others may let us wait. */
static int open_file(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    close(fd);
    return errno = EINVAL, -1;
}

/* -------------------------------------------------------------------- utmp */

static bool lives(pid_t pid)
{
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

/* Whose terminal it is; else who has logged in to become that process. */
static bool user_of(const struct utmp *u, const char *line, uid_t *uid)
{
    char path[64], text[32] = "";
    struct stat st;
    int fd;

    snprintf(path, sizeof(path), "/dev/%.40s", line);
    if (!strstr(line, "..") && stat(path, &st) == 0 && S_ISCHR(st.st_mode)) {
        *uid = st.st_uid;
        return true;
    }
    snprintf(path, sizeof(path), "/proc/%d/loginuid", (int)u->ut_pid);
    fd = open_file(AT_FDCWD, path);
    if (fd < 0)
        return false;
    if (read(fd, text, sizeof(text) - 1) < 0)
        *text = '\0';
    close(fd);
    *uid = (uid_t)strtoul(text, NULL, 10);
    return *text && *uid != (uid_t)-1;
}

static int look_at_utmp(int fd, sessions_passes_f *passes, void *arg, char *why,
                        size_t size)
{
    struct utmp u;
    uid_t uid;

    while (read(fd, &u, sizeof(u)) == (ssize_t)sizeof(u)) {
        char user[sizeof(u.ut_user) + 1] = "", line[sizeof(u.ut_line) + 1] = "";

        memcpy(user, u.ut_user, sizeof(u.ut_user));
        memcpy(line, u.ut_line, sizeof(u.ut_line));
        if (u.ut_type != USER_PROCESS || !*user || !lives(u.ut_pid) ||
            (user_of(&u, line, &uid) && passes(arg, uid)))
            continue;
        say(user, line, why, size);
        return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------ logind */

/* The value behind "NAME=" at the start of a line, to its end. */
static bool value_of(const char *text, const char *name, char *to, size_t size)
{
    size_t n = strlen(name);

    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (strncmp(p, name, n) == 0 && p[n] == '=') {
            snprintf(to, size, "%.*s", (int)strcspn(p + n + 1, "\n"), p + n + 1);
            return true;
        }
    }
    *to = '\0';
    return false;
}

/* One that a person works in: not of a service, nor of one who has left. */
static bool session_counts(const char *text)
{
    char class[32], state[32];

    value_of(text, "CLASS", class, sizeof(class));
    value_of(text, "STATE", state, sizeof(state));
    return strncmp(class, "user", 4) == 0 && strcmp(state, "closing") != 0;
}

static bool look_at_session(const char *text, sessions_passes_f *passes,
                            void *arg, char *why, size_t size)
{
    char user[64], uid[32], where[64];

    if (!session_counts(text) || !value_of(text, "UID", uid, sizeof(uid)) ||
        passes(arg, (uid_t)strtoul(uid, NULL, 10)))
        return false;
    value_of(text, "USER", user, sizeof(user));
    if (!value_of(text, "TTY", where, sizeof(where)) &&
        !value_of(text, "DISPLAY", where, sizeof(where)))
        value_of(text, "SERVICE", where, sizeof(where));
    say(*user ? user : uid, where, why, size);
    return true;
}

static int look_at_sessions(int dir, sessions_passes_f *passes, void *arg,
                            char *why, size_t size)
{
    DIR *d = fdopendir(dir);
    struct dirent *e;
    int found = 0;

    if (!d)
        return close(dir), -1;
    while (!found && (e = readdir(d))) {
        char text[4096];
        ssize_t n;
        int fd = strchr(e->d_name, '.') ? -1 : open_file(dir, e->d_name);

        if (fd < 0)
            continue;
        n = read(fd, text, sizeof(text) - 1);
        close(fd);
        text[n > 0 ? n : 0] = '\0';
        found = look_at_session(text, passes, arg, why, size);
    }
    closedir(d);
    return found;
}

int sessions_look(const char *path, sessions_passes_f *passes, void *arg,
                  char *why, size_t size)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), found;

    if (fd >= 0)
        return look_at_sessions(fd, passes, arg, why, size);
    fd = open_file(AT_FDCWD, path);
    if (fd < 0)
        return -1;
    found = look_at_utmp(fd, passes, arg, why, size);
    close(fd);
    return found;
}
