/* preload.c - paths of our libraries as LD_PRELOAD can hold them. */
#include "proto/conf/preload.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool preload_holds(const char *path)
{
    return !strpbrk(path, " :\t\n");
}

static int preload_none(const char *path, struct err *err)
{
    return err_set(err, EINVAL, "no path without blanks and colons leads to "
                   "%.100s", path);
}

int preload_path(const char *name, const char *dir, char buf[PATHS_MAX],
                 struct err *err)
{
    char link[PATHS_MAX];

    if (paths_library(name, buf, PATHS_MAX, err))
        return -1;
    if (preload_holds(buf))
        return 0;
    if (snprintf(link, sizeof(link), "%s/%s", dir, name) >=
            (int)sizeof(link) || !preload_holds(link) || symlink(buf, link))
        return preload_none(buf, err);
    strcpy(buf, link);
    return 0;
}

/* Somebody made it before: as we would have? */
static bool preload_is_link(const char *link, const char *path)
{
    char there[PATHS_MAX];
    ssize_t n = readlink(link, there, sizeof(there));

    return n >= 0 && (size_t)n == strlen(path) &&
           memcmp(there, path, (size_t)n) == 0;
}

int preload_shared(const char *name, const char *word, char buf[PATHS_MAX],
                   char link[PATHS_MAX], struct err *err)
{
    const char *home = getenv("HOME");
    char at[PATHS_MAX];

    *link = '\0';
    if (paths_library(name, buf, PATHS_MAX, err))
        return -1;
    if (preload_holds(buf))
        return 0;
    if (!home || strchr(word, '/') || *home != '/' ||
        snprintf(at, sizeof(at), "%s/.local/state/hector/%s-%s", home, word,
                 name) >= (int)sizeof(at) || !preload_holds(at) ||
        paths_make_parents(at, err))
        return preload_none(buf, err);
    if (symlink(buf, at) == 0)
        strcpy(link, at);
    else if (!preload_is_link(at, buf))
        return preload_none(buf, err);
    strcpy(buf, at);
    return 0;
}
