/* origin.c - where a process that registers comes from.
 *
 * What is read belongs to a process of the same user, but may be nonsense:
 * everything is bounded, and an unterminated last string is no string. */
#include "slave/proc/origin.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ_MAX = 4 << 20, COMMAND_MAX = 4096, NAME_BYTES = 200,
       ANCESTORS = 16 };

/* The string that follows s in a list that ends at end, or NULL. */
static const char *next_string(const char *s, const char *end)
{
    const char *zero = memchr(s, 0, (size_t)(end - s));

    return zero && zero + 1 < end && memchr(zero + 1, 0,
                                            (size_t)(end - zero - 1))
               ? zero + 1 : NULL;
}

static const char *first_string(const char *list, size_t n)
{
    return n && memchr(list, 0, n) ? list : NULL;
}

static const char *variable(const char *env, size_t n, const char *name)
{
    size_t bytes = strlen(name);

    for (const char *s = first_string(env, n); s; s = next_string(s, env + n))
        if (!strncmp(s, name, bytes) && s[bytes] == '=' && s[bytes + 1])
            return s + bytes + 1;
    return NULL;
}

__attribute__((format(printf, 2, 3)))
static bool set_world(struct origin *o, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(o->world, sizeof(o->world), fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof(o->world))
        return true;
    o->world[0] = '\0';         /* two worlds might look alike */
    return false;
}

/* Slurm sets its variables for batch scripts too; only a step is a launch. */
bool origin_from_env(struct origin *o, const char *env, size_t n)
{
    const char *nspace = variable(env, n, "PMIX_NAMESPACE");
    const char *job = variable(env, n, "SLURM_JOB_ID");
    const char *step = variable(env, n, "SLURM_STEP_ID");

    if (nspace)
        return set_world(o, "pmix %s", nspace);
    if (job && step && variable(env, n, "SLURM_PROCID"))
        return set_world(o, "slurm %s.%s", job, step);
    o->alone = !variable(env, n, "PMI_RANK") && !variable(env, n, "PMIX_RANK")
               && !variable(env, n, "OMPI_COMM_WORLD_RANK");
    return false;
}

/* hydra_pmi_proxy --control-port HOST:PORT ... --pgid N ... */
bool origin_from_proxy(struct origin *o, const char *cmdline, size_t n)
{
    const char *s = first_string(cmdline, n), *port = NULL, *pgid = "0";
    const char *base = s ? strrchr(s, '/') : NULL;

    if (!s || strcmp(base ? base + 1 : s, "hydra_pmi_proxy") != 0)
        return false;
    for (const char *arg; (arg = next_string(s, cmdline + n)); s = arg) {
        if (strcmp(s, "--control-port") == 0)
            port = arg;
        else if (strcmp(s, "--pgid") == 0)
            pgid = arg;
    }
    return port && set_world(o, "hydra %s %s", port, pgid);
}

void origin_from_words(struct origin *o, const char *cmdline, size_t n)
{
    const char *s = first_string(cmdline, n);
    const char *base = s ? strrchr(s, '/') : NULL;

    if (s)
        str_addf(&o->name, "%.*s", NAME_BYTES, base ? base + 1 : s);
    for (bool first = true; s && o->command.n < COMMAND_MAX; first = false) {
        if (!first)
            str_add(&o->command, " ");
        str_add_quoted(&o->command, s);
        s = next_string(s, cmdline + n);
    }
}

/* ------------------------------------------------------------------ /proc */

static void read_proc(struct str *to, pid_t pid, const char *file)
{
    char path[64], buf[16384];
    ssize_t n;
    int fd;

    str_reset(to);
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    while (to->n < READ_MAX && (n = read(fd, buf, sizeof(buf))) > 0)
        str_add_bytes(to, buf, (size_t)n);
    close(fd);
}

/* Parent and start time (in ticks since the boot) of a process. */
static int read_stat(struct str *text, pid_t pid, int *parent,
                     unsigned long long *start)
{
    const char *p;

    read_proc(text, pid, "stat");
    p = strrchr(str_text(text), ')');
    return p && sscanf(p + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                       "%*u %*u %*d %*d %*d %*d %*d %*d %llu", parent,
                       start) == 2 ? 0 : -1;
}

static bool from_ancestors(struct origin *o, struct str *text, pid_t pid)
{
    unsigned long long start;
    int parent = (int)pid;

    for (int i = 0; i < ANCESTORS && parent > 1; i++) {
        read_proc(text, parent, "cmdline");
        if (origin_from_proxy(o, str_text(text), text->n))
            return true;
        if (read_stat(text, parent, &parent, &start))
            break;
    }
    return false;
}

void origin_find(struct origin *o, pid_t pid, const char *node)
{
    unsigned long long start = 0;
    struct str text = { 0 };
    int parent = 0;
    bool found;

    memset(o, 0, sizeof(*o));
    read_proc(&text, pid, "environ");
    found = origin_from_env(o, str_text(&text), text.n) ||
            (!o->alone && from_ancestors(o, &text, pid));
    if (!found) {
        read_stat(&text, pid, &parent, &start);
        if (o->alone)
            set_world(o, "alone %.100s %d %llu", node, (int)pid, start);
        else if (read_stat(&text, parent, &(int){ 0 }, &start) == 0)
            set_world(o, "parent %.100s %d %llu", node, parent, start);
    }
    read_proc(&text, pid, "cmdline");
    origin_from_words(o, str_text(&text), text.n);
    str_fini(&text);
}

void origin_fini(struct origin *o)
{
    str_fini(&o->name);
    str_fini(&o->command);
}
