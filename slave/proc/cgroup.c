/* cgroup.c - control groups, see cgroup.h. */
#include "slave/proc/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "slave/proc/smallfile.h"

enum { TEXT_MAX = 64 * 1024, PASSES = 8 };

/* ------------------------------------------------------------- where it is */

/* Is this word one of a list with commas, of n bytes? */
static bool has_word(const char *list, size_t n, const char *word)
{
    size_t len = strlen(word);

    for (const char *p = list; p < list + n; p++) {
        size_t one = strcspn(p, ",\n:");

        if (p + one > list + n)
            one = (size_t)(list + n - p);
        if (one == len && memcmp(p, word, len) == 0)
            return true;
        p += one;
    }
    return false;
}

/* The line of it: "0::PATH", or "N:CONTROLLER,...:PATH". */
static const char *own_line(const char *cgroup, const char *controller)
{
    for (const char *p = cgroup; p && *p; p = strchr(p, '\n')) {
        const char *list, *end;

        p += *p == '\n';
        list = strchr(p, ':');
        end = list ? strchr(list + 1, ':') : NULL;
        if (!end)
            return NULL;
        if (controller ? has_word(list + 1, (size_t)(end - list - 1), controller)
                       : strncmp(p, "0::", 3) == 0)
            return end + 1;
    }
    return NULL;
}

static bool own_path(const char *cgroup, const char *controller, char *path,
                     size_t size)
{
    const char *p = own_line(cgroup, controller);
    size_t n = p && *p == '/' ? strcspn(p, "\n") : 0;

    if (n == 0 || n >= size || strncmp(p, "/..", 3) == 0)
        return false;
    memcpy(path, p, n);
    path[n == 1 ? 0 : n] = '\0';        /* "/" is no name */
    return true;
}

/* Below the mount; what it shows may begin further down. */
static bool below(const char *root, const char *mount, const char *path,
                  char *dir, size_t size)
{
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (strncmp(path, root, n) != 0 || (path[n] && path[n] != '/'))
        return false;
    return snprintf(dir, size, "%s%s", mount, path + n) < (int)size;
}

/* Behind " - ": type, source, options. */
static bool is_mount(const char *type, const char *controller)
{
    const char *options;

    if (!controller)
        return strncmp(type, " - cgroup2 ", 11) == 0;
    if (strncmp(type, " - cgroup ", 10) != 0)
        return false;
    options = strchr(type + 10, ' ');
    return options && has_word(options + 1, strcspn(options + 1, "\n"),
                               controller);
}

bool cgroup_find(const char *cgroup, const char *mountinfo,
                 const char *controller, char *dir, size_t size)
{
    char path[CGROUP_PATH], root[1024], mount[1024];

    if (!own_path(cgroup, controller, path, sizeof(path)))
        return false;
    for (const char *p = mountinfo; p && *p; p = strchr(p, '\n')) {
        const char *type;

        p += *p == '\n';
        type = strstr(p, " - ");
        if (!type || !is_mount(type, controller) ||
            sscanf(p, "%*d %*d %*s %1023s %1023s", root, mount) != 2)
            continue;
        if (below(root, mount, path, dir, size))
            return true;
    }
    return false;
}

bool cgroup_own(const char *controller, char *dir, size_t size)
{
    static char mounts[TEXT_MAX];
    char cgroup[CGROUP_PATH];

    return smallfile_read("/proc/self/cgroup", cgroup, sizeof(cgroup)) &&
           smallfile_read("/proc/self/mountinfo", mounts, sizeof(mounts)) &&
           cgroup_find(cgroup, mounts, controller, dir, size);
}

/* ------------------------------------------------------------------ files */

int cgroup_put(const char *dir, const char *name, const char *text)
{
    char path[CGROUP_PATH];
    int fd, rc;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    rc = write(fd, text, strlen(text)) < 0 ? -1 : 0;
    close(fd);
    return rc;
}

int cgroup_move(const char *dir, pid_t pid)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", (int)pid);
    return cgroup_put(dir, "cgroup.procs", text);
}

int cgroup_make(const char *dir)
{
    char path[CGROUP_PATH], type[32];

    if (mkdir(dir, 0755) && errno != EEXIST)
        return -1;
    if (snprintf(path, sizeof(path), "%s/cgroup.type", dir) >= (int)sizeof(path))
        return errno = ENAMETOOLONG, -1;
    if (!smallfile_read(path, type, sizeof(type)) ||
        strncmp(type, "domain invalid", 14) != 0)
        return 0;
    return cgroup_put(dir, "cgroup.type", "threaded");
}

/* Of a threaded one only its threads can be read. */
static FILE *open_members(const char *dir)
{
    static const char *const names[] = { "cgroup.procs", "cgroup.threads" };
    char path[CGROUP_PATH];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        FILE *f;
        int c;

        snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
        f = fopen(path, "re");
        if (!f)
            continue;
        errno = 0;
        c = getc(f);
        if (c != EOF || errno == 0)
            return ungetc(c, f), f;
        fclose(f);
    }
    return NULL;
}

bool cgroup_remove(const char *parent, const char *dir)
{
    char line[32];
    bool any = true;

    cgroup_put(dir, "cgroup.freeze", "0");
    for (int i = 0; any && i < PASSES; i++) {
        FILE *in = open_members(dir);

        any = false;
        while (in && fgets(line, sizeof(line), in))
            any = (atoi(line) > 0 && cgroup_move(parent, atoi(line)) == 0) ||
                  any;
        if (in)
            fclose(in);
    }
    return rmdir(dir) == 0 || errno == ENOENT;
}

void cgroup_sweep(const char *parent)
{
    char dir[CGROUP_PATH];
    struct dirent *e;
    DIR *d = opendir(parent);
    int pid;

    while (d && (e = readdir(d)))
        if (sscanf(e->d_name, "hector-%d", &pid) == 1 &&
            kill(pid, 0) && errno == ESRCH &&
            snprintf(dir, sizeof(dir), "%s/%s", parent, e->d_name) <
                (int)sizeof(dir))
            cgroup_remove(parent, dir);
    if (d)
        closedir(d);
}
