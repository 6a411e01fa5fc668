/* env.c - the environment of a task while it is put together. */
#include "slave/launch/env.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const struct env *e)
{
    size_t n = 0;

    while (e->v && e->v[n])
        n++;
    return n;
}

static char **find(const struct env *e, const char *name)
{
    size_t len = strlen(name);

    for (char **p = e->v; p && *p; p++)
        if (!strncmp(*p, name, len) && (*p)[len] == '=')
            return p;
    return NULL;
}

void env_fini(struct env *e)
{
    for (char **p = e->v; p && *p; p++)
        free(*p);
    free(e->v);
    e->v = NULL;
}

int env_copy(struct env *e, char *const *from)
{
    size_t n = 0;

    while (from && from[n])
        n++;
    e->v = calloc(n + 1, sizeof(*e->v));
    if (!e->v)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!(e->v[i] = strdup(from[i])))
            return env_fini(e), -1;
    return 0;
}

const char *env_get(const struct env *e, const char *name)
{
    char **p = find(e, name);

    return p ? *p + strlen(name) + 1 : NULL;
}

/* Takes the string entry, which is NAME=VALUE, also when it fails. */
static int put(struct env *e, const char *name, char *entry)
{
    char **p = find(e, name), **bigger;
    size_t n = count(e);

    if (p) {
        free(*p);
        *p = entry;
        return 0;
    }
    bigger = realloc(e->v, (n + 2) * sizeof(*bigger));
    if (!bigger)
        return free(entry), -1;
    bigger[n] = entry;
    bigger[n + 1] = NULL;
    e->v = bigger;
    return 0;
}

int env_set(struct env *e, const char *name, const char *value)
{
    char *entry;

    if (asprintf(&entry, "%s=%s", name, value) < 0)
        return -1;
    return put(e, name, entry);
}

int env_setf(struct env *e, const char *name, const char *fmt, ...)
{
    va_list ap;
    char *value;
    int rc;

    va_start(ap, fmt);
    rc = vasprintf(&value, fmt, ap);
    va_end(ap);
    if (rc < 0)
        return -1;
    rc = env_set(e, name, value);
    free(value);
    return rc;
}

int env_default(struct env *e, const char *name, const char *value)
{
    return find(e, name) ? 0 : env_set(e, name, value);
}

void env_strip(struct env *e, const char *prefix, const char *except)
{
    size_t plen = strlen(prefix), xlen = except ? strlen(except) : 0;
    char **to = e->v;

    for (char **p = e->v; p && *p; p++)
        if (!strncmp(*p, prefix, plen) &&
            !(except && !strncmp(*p, except, xlen)))
            free(*p);
        else
            *to++ = *p;
    if (to)
        *to = NULL;
}

int env_prepend(struct env *e, const char *name, const char *entry, char sep)
{
    const char *old = env_get(e, name);

    if (!old || !*old)
        return env_set(e, name, entry);
    return env_setf(e, name, "%s%c%s", entry, sep, old);
}
