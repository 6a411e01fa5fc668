/* paths.c - where Hector keeps its things; see paths.h.
 *
 * Directories are made with mode 0700 and never repaired: one that is wrong
 * was made by somebody else, and that person decides. */
#include "proto/base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATHS_DEPTH = 256 };             /* of a tree that is removed */

static int paths_format(char *buf, size_t size, struct err *err,
                        const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static int paths_format(char *buf, size_t size, struct err *err,
                        const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(buf, size, fmt, ap);

    va_end(ap);
    if (n < 0 || (size_t)n >= size)
        return err_set(err, ENAMETOOLONG, "path too long: %.80s...", buf);
    return 0;
}

/* An environment variable that holds an absolute path, or NULL. */
static const char *paths_env(const char *name)
{
    const char *v = getenv(name);

    return v && *v == '/' ? v : NULL;
}

static int paths_home(char *buf, size_t size, struct err *err)
{
    const char *home = paths_env("HOME");

    if (!home) {
        const struct passwd *pw = getpwuid(geteuid());

        home = pw && *pw->pw_dir == '/' ? pw->pw_dir : NULL;
    }
    if (!home)
        return err_set(err, ENOENT, "HOME is not set, and uid %u has no entry "
                       "in the password file", (unsigned)geteuid());
    return paths_format(buf, size, err, "%s", home);
}

/* $variable, or what it defaults to below the home directory; then /name. */
static int paths_xdg(const char *variable, const char *below_home,
                     const char *name, char *buf, size_t size,
                     struct err *err)
{
    char home[PATHS_MAX];
    const char *dir = paths_env(variable);

    if (dir)
        return paths_format(buf, size, err, "%s/%s", dir, name);
    if (paths_home(home, sizeof(home), err) < 0)
        return -1;
    return paths_format(buf, size, err, "%s/%s/%s", home, below_home, name);
}

/* What a person named, made absolute, so that a chdir() does not change it. */
static int paths_given(const char *path, char *buf, size_t size,
                       struct err *err)
{
    char cwd[PATHS_MAX];

    if (*path == '/')
        return paths_format(buf, size, err, "%s", path);
    if (!getcwd(cwd, sizeof(cwd)))
        return err_sys(err, "cannot tell the current directory");
    return paths_format(buf, size, err, "%s/%s", cwd, path);
}

int paths_make_parents(const char *path, struct err *err)
{
    char dir[PATHS_MAX];

    if (paths_format(dir, sizeof(dir), err, "%s", path) < 0)
        return -1;
    for (char *p = dir + 1; *p && (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
            int code = errno;
            struct stat st;

            /* A read-only or foreign parent that exists is fine. */
            if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
                return errno = code, err_sys(err, "cannot make the directory "
                                             "%s", dir);
        }
    }
    return 0;
}

const char *paths_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int paths_database(char *buf, size_t size, struct err *err)
{
    const char *given = getenv("HECTOR_DB");
    int rc = given && *given ? paths_given(given, buf, size, err)
        : paths_xdg("XDG_STATE_HOME", ".local/state", "hector/hector.db", buf,
                    size, err);

    return rc < 0 ? -1 : paths_make_parents(buf, err);
}

int paths_key_file(char *buf, size_t size, struct err *err)
{
    const char *given = getenv("HECTOR_KEY_FILE");
    int rc = given && *given ? paths_given(given, buf, size, err)
        : paths_xdg("XDG_CONFIG_HOME", ".config", "hector/key", buf, size,
                    err);

    return rc < 0 ? -1 : paths_make_parents(buf, err);
}

int paths_user_conf(char *buf, size_t size, struct err *err)
{
    return paths_xdg("XDG_CONFIG_HOME", ".config", "hector/hector.conf", buf,
                     size, err);
}

/* In /tmp anybody may have made the directory first, or a link with its
 * name: only a real directory of ours, closed to others, is used. */
static int paths_check_private(const char *dir, struct err *err)
{
    struct stat st;

    if (lstat(dir, &st) < 0)
        return err_sys(err, "%s", dir);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ENOTDIR, "%s is not a directory", dir);
    if (st.st_uid != geteuid())
        return err_set(err, EPERM, "%s belongs to uid %u, not to you (uid %u)",
                       dir, (unsigned)st.st_uid, (unsigned)geteuid());
    if (st.st_mode & 077)
        return err_set(err, EPERM, "%s is open to others: chmod 700 %s", dir,
                       dir);
    return 0;
}

int paths_runtime_dir(char *buf, size_t size, struct err *err)
{
    const char *dir = paths_env("XDG_RUNTIME_DIR");
    int rc;

    if (dir)
        rc = paths_format(buf, size, err, "%s/hector", dir);
    else if (geteuid() == 0)
        rc = paths_format(buf, size, err, "/run/hector");
    else
        rc = paths_format(buf, size, err, "/tmp/hector-%u",
                          (unsigned)geteuid());
    if (rc < 0 || paths_make_parents(buf, err) < 0)
        return -1;
    if (mkdir(buf, 0700) < 0 && errno != EEXIST)
        return err_sys(err, "cannot make the directory %s", buf);
    return paths_check_private(buf, err);
}

int paths_make_private_dir(char *buf, size_t size, struct err *err)
{
    const char *const in[] = { paths_env("XDG_RUNTIME_DIR"),
                               paths_env("TMPDIR"), "/tmp" };
    char dir[PATHS_SOCKET_MAX - 25];

    err_set(err, ENOENT, "no place for a run's directory");
    for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++) {
        if (!in[i])
            continue;
        int n = snprintf(dir, sizeof(dir), "%s/hector-XXXXXX", in[i]);

        if (n < 0 || (size_t)n >= sizeof(dir))
            continue;
        if (mkdtemp(dir))               /* has mode 0700 */
            return paths_format(buf, size, err, "%s", dir);
        err_sys(err, "cannot make a directory in %s", in[i]);
    }
    return -1;
}

/* ----------------------------------------------------------- removing trees */

/* Keeps the first failure and goes on. */
static void paths_note(struct err *first, int *rc, const char *name)
{
    if (errno == ENOENT)
        return;
    if (*rc == 0)
        err_sys(first, "cannot remove %s", name);
    *rc = -1;
}

static int paths_remove_at(int dirfd, const char *name, int depth,
                           struct err *err);

/* Empty an open directory, which is taken. */
static int paths_empty(int fd, const char *name, int depth, struct err *err)
{
    DIR *d = fdopendir(fd);
    struct dirent *e;
    int rc = 0;

    if (!d) {
        close(fd);
        return err_sys(err, "cannot read %s", name);
    }
    while ((e = readdir(d))) {
        struct err one = { 0 };

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (paths_remove_at(fd, e->d_name, depth + 1, &one) < 0 && rc == 0)
            rc = err_set(err, one.code, "%s", one.text);
    }
    closedir(d);
    return rc;
}

static int paths_remove_at(int dirfd, const char *name, int depth,
                           struct err *err)
{
    int rc = 0;

    if (depth > PATHS_DEPTH)
        return err_set(err, ELOOP, "%s lies too deep", name);
    if (unlinkat(dirfd, name, 0) == 0)
        return 0;
    if (errno != EISDIR && errno != EPERM && errno != EACCES) {
        paths_note(err, &rc, name);
        return rc;
    }
    int fd = openat(dirfd, name,
                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0)
        rc = paths_empty(fd, name, depth, err);
    if (unlinkat(dirfd, name, AT_REMOVEDIR) < 0)
        paths_note(err, &rc, name);
    return rc;
}

int paths_remove_tree(const char *path, struct err *err)
{
    return paths_remove_at(AT_FDCWD, path, 0, err);
}

/* ------------------------------------------------------------- our programs */

/* The directory of the running program, links resolved by the kernel. */
static int paths_own_dir(char *buf, size_t size, struct err *err)
{
    ssize_t n = readlink("/proc/self/exe", buf, size);

    if (n < 0)
        return err_sys(err, "cannot tell where this program lies");
    if ((size_t)n >= size)
        return err_set(err, ENAMETOOLONG, "path of this program too long");
    buf[n] = '\0';
    *strrchr(buf, '/') = '\0';
    return 0;
}

int paths_sibling(const char *program, char *buf, size_t size,
                  struct err *err)
{
    char dir[PATHS_MAX];

    if (paths_own_dir(dir, sizeof(dir), err) < 0 ||
        paths_format(buf, size, err, "%s/%s", dir, program) < 0)
        return -1;
    if (access(buf, X_OK) < 0)
        return err_sys(err, "cannot find %s beside this program: %s", program,
                       buf);
    return 0;
}

int paths_library(const char *name, char *buf, size_t size, struct err *err)
{
    static const char *const below[] = { "lib/hector", "lib" };
    char dir[PATHS_MAX];

    if (paths_own_dir(dir, sizeof(dir), err) < 0)
        return -1;
    char *slash = strrchr(dir, '/');

    if (slash)
        *slash = '\0';                  /* .../bin -> ... */
    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
        if (paths_format(buf, size, err, "%s/%s/%s", dir, below[i],
                         name) < 0)
            return -1;
        if (access(buf, R_OK) == 0)
            return 0;
    }
    return err_set(err, ENOENT, "cannot find the library %s in %s/lib or "
                   "%s/lib/hector", name, dir, dir);
}
