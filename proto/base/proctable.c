/* proctable.c - reads /proc/PID/stat of all processes; see proctable.h. */
#include "proto/base/proctable.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/array.h"

static bool read_one(const char *pid, struct proctable_process *p)
{
    char path[64], text[1024], *close_paren, state;
    int fd, parent, group;
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    close_paren = strrchr(text, ')');
    if (!close_paren || sscanf(close_paren + 1, " %c %d %d", &state, &parent,
                               &group) != 3)
        return false;
    *p = (struct proctable_process){ .pid = (pid_t)atoi(pid),
                                     .parent = parent, .group = group,
                                     .dead = state == 'Z' || state == 'X' };
    return true;
}

static int by_pid(const void *a, const void *b)
{
    const struct proctable_process *x = a, *y = b;

    return x->pid < y->pid ? -1 : x->pid > y->pid;
}

struct proctable_process *proctable_read(size_t *n)
{
    struct proctable_process *v = NULL;
    size_t cap = 0;
    DIR *d = opendir("/proc");
    struct dirent *e;

    *n = 0;
    while (d && (e = readdir(d))) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        if (array_reserve(&v, &cap, *n + 1))
            break;
        if (read_one(e->d_name, &v[*n]))
            ++*n;
    }
    if (d)
        closedir(d);
    if (*n)
        qsort(v, *n, sizeof(*v), by_pid);
    return v;
}

size_t proctable_find(const struct proctable_process *v, size_t n, pid_t pid)
{
    const struct proctable_process wanted = { .pid = pid };
    const struct proctable_process *p =
        n ? bsearch(&wanted, v, n, sizeof(*v), by_pid) : NULL;

    return p ? (size_t)(p - v) : SIZE_MAX;
}
