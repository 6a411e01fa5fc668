/* owner.c - see owner.h.
 *
 * Each look reads a few small files and stats some devices; nothing that could
 * let us wait is opened. Users whose jobs have tasks here are no strangers: that
 * they are logged in is no sign of the owner. */
#include "slave/owner/owner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "slave/jobs/jobs.h"
#include "slave/launch/launch.h"
#include "slave/owner/console.h"
#include "slave/owner/otherload.h"
#include "slave/owner/presence.h"
#include "slave/owner/sessions.h"

enum { BY_USER = 1, BY_CONSOLE = 2, BY_LOAD = 4 };
/* A program that takes a processor for a moment is no person at work. */
enum { OWNER_LOADED = 3 };

struct owner {
    const struct owner_conf *conf;      /* borrowed, like the next one */
    struct jobs *jobs;
    unsigned by;
    struct event *timer;        /* owned */
    struct presence presence;
    struct otherload load;
    unsigned loaded;            /* in a row: others took too much */
    pid_t *ours;                /* owned; processes of ours, for a look */
    size_t nours, cap;
    bool blind;                 /* not all can be read any more: said */
    char why[200];              /* of the last change */
    void (*told)(void *arg);
    void *arg;
};

struct sign { uint64_t ago_ns; char why[160]; };

/* --------------------------------------------------------------------- keys */

static int parse_by(const char *text, unsigned *by, struct err *err)
{
    static const struct { const char *name; unsigned bit; } words[] = {
        { "user", BY_USER }, { "console", BY_CONSOLE }, { "load", BY_LOAD },
    };

    *by = 0;
    for (const char *p = text + strspn(text, ", "); *p; ) {
        size_t n = strcspn(p, ", "), i = 0;

        while (i < 3 && (strlen(words[i].name) != n ||
                         strncmp(words[i].name, p, n) != 0))
            i++;
        if (i == 3)
            return err_set(err, EINVAL, "owner: %.*s is none of user, console "
                           "and load", (int)(n < 40 ? n : 40), p);
        *by |= words[i].bit;
        p += n + strspn(p + n, ", ");
    }
    return 0;
}

static const char *utmp_of(const struct owner_conf *conf)
{
    return *conf->utmp ? conf->utmp : sessions_path();
}

static const char *devices_of(const struct owner_conf *conf)
{
    return *conf->console ? conf->console : CONSOLE_DEVICES;
}

static bool nobody_passes(void *arg, uid_t uid)
{
    (void)arg, (void)uid;
    return false;
}

static int check_user(const struct owner_conf *conf, struct err *err)
{
    const char *path = utmp_of(conf);
    char why[160];

    if (!path)
        return err_set(err, ENOENT, "owner = user: there is no utmp, nor are "
                       "there sessions of systemd-logind, to see who is logged in");
    return sessions_look(path, nobody_passes, NULL, why, sizeof(why)) < 0
           ? err_sys(err, "owner = user: %s", path) : 0;
}

static int check_console(const struct owner_conf *conf, struct err *err)
{
    uint64_t ago_ns;
    char why[160];

    return console_look(devices_of(conf), nobody_passes, NULL, clock_wall_ns(),
                        &ago_ns, why, sizeof(why))
           ? err_set(err, ENOENT, "owner = console: there is no device as "
                     "%.100s", devices_of(conf)) : 0;
}

int owner_check(const struct owner_conf *conf, struct err *err)
{
    struct otherload l = { 0 };
    unsigned by;

    if (strcmp(conf->otherwise, "suspend") != 0 &&
        strcmp(conf->otherwise, "nothing") != 0)
        return err_set(err, EINVAL, "owner_else: %.40s is neither suspend nor "
                       "nothing", conf->otherwise);
    if (parse_by(conf->by, &by, err) ||
        ((by & BY_USER) && check_user(conf, err)) ||
        ((by & BY_CONSOLE) && check_console(conf, err)))
        return -1;
    if (by & BY_LOAD) {
        otherload_look(&l, NULL, 0, clock_monotonic_ns());
        if (!l.begun)
            return err_set(err, ENOENT, "owner = load: /proc/stat cannot be "
                           "read");
    }
    return 0;
}

/* -------------------------------------------------------------------- looks */

/* Of those whose jobs may have tasks here: of a slave that cannot become others
 * that is who has started it. */
struct search { uid_t uid; bool found; };

static void look_for(void *arg, struct part *p)
{
    struct search *s = arg;

    s->found |= p->user && p->user->uid == s->uid;
}

static bool is_runner(void *arg, uid_t uid)
{
    const struct owner *o = arg;
    struct search s = { .uid = uid };

    if (geteuid() != 0)
        return uid == geteuid();
    jobs_each(o->jobs, look_for, &s);
    return s.found;
}

static void add_pid(void *arg, pid_t pid)
{
    struct owner *o = arg;

    if (pid > 0 && array_reserve(&o->ours, &o->cap, o->nours + 1) == 0)
        o->ours[o->nours++] = pid;
}

static void add_task(void *arg, struct task *t)
{
    add_pid(arg, t->pid);
}

static void add_tasks(void *arg, struct part *p)
{
    p->ops->each(p, PART_HERE, add_task, arg);
}

static void sign(struct sign *s, uint64_t ago_ns, const char *why)
{
    if (ago_ns >= s->ago_ns)
        return;
    s->ago_ns = ago_ns;
    snprintf(s->why, sizeof(s->why), "%s", why);
}

static bool look_at_load(struct owner *o, struct sign *s, uint64_t now_ns)
{
    char why[160];
    double load;

    o->nours = 0;
    add_pid(o, getpid());
    jobs_each(o->jobs, add_tasks, o);
    load = otherload_look(&o->load, o->ours, o->nours, now_ns);
    if (load < 0)
        return o->load.at_ns == now_ns;
    o->loaded = load > o->conf->load ? o->loaded + 1 : 0;
    snprintf(why, sizeof(why), "other programs take %.1f processors", load);
    if (o->loaded >= OWNER_LOADED)
        sign(s, 0, why);
    return true;
}

static bool look_at_console(struct owner *o, struct sign *s)
{
    uint64_t ago_ns;
    char why[160];

    if (console_look(devices_of(o->conf), is_runner, o, clock_wall_ns(),
                     &ago_ns, why, sizeof(why)))
        return false;
    sign(s, ago_ns, why);
    return true;
}

static bool look_at_users(struct owner *o, struct sign *s)
{
    const char *path = utmp_of(o->conf);
    char why[160];
    int found = path ? sessions_look(path, is_runner, o, why, sizeof(why)) : -1;

    if (found > 0)
        sign(s, 0, why);
    return found >= 0;
}

/* Once, until it can be read again; what was known holds as if nobody came. */
static void complain(struct owner *o, bool seeing)
{
    if (!seeing && !o->blind)
        log_warn("owner", "not all signs of the owner of this node can be read "
                 "any more");
    o->blind = !seeing;
}

static bool look(struct owner *o)
{
    struct sign s = { .ago_ns = PRESENCE_NO_SIGN };
    uint64_t now_ns = clock_monotonic_ns();
    bool seeing = true, changed;

    if (o->by & BY_LOAD)
        seeing &= look_at_load(o, &s, now_ns);
    if (o->by & BY_CONSOLE)
        seeing &= look_at_console(o, &s);
    if (o->by & BY_USER)
        seeing &= look_at_users(o, &s);
    complain(o, seeing);
    changed = presence_look(&o->presence, s.ago_ns, o->conf->idle_ns, now_ns);
    if (changed && o->presence.is == PRESENCE_HERE)
        snprintf(o->why, sizeof(o->why), "%s", s.why);
    else if (changed)
        snprintf(o->why, sizeof(o->why), "there was no sign of the owner for %g s",
                 (double)o->conf->idle_ns / 1e9);
    return changed;
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct owner *o = arg;

    (void)fd, (void)what;
    if (!look(o))
        return;
    log_info("owner", "%s: %s", o->presence.is == PRESENCE_HERE
             ? "the owner is here" : "the owner is gone", o->why);
    o->told(o->arg);
}

void owner_say(const struct owner *o, Hct__Owner *m)
{
    static const Hct__Owner__State states[] = {
        [PRESENCE_SOUGHT] = HCT__OWNER__STATE__SOUGHT,
        [PRESENCE_HERE] = HCT__OWNER__STATE__HERE,
        [PRESENCE_GONE] = HCT__OWNER__STATE__GONE,
    };

    hct__owner__init(m);
    m->state = states[o->presence.is];
    m->why = (char *)(uintptr_t)o->why;
    m->suspends = strcmp(o->conf->otherwise, "suspend") == 0;
}

int owner_open(struct owner **o, struct event_base *base,
               const struct owner_conf *conf, struct jobs *jobs,
               void (*told)(void *arg), void *arg, struct err *err)
{
    unsigned by;
    struct owner *new;

    *o = NULL;
    if (parse_by(conf->by, &by, err))
        return -1;
    if (!by)
        return 0;
    new = calloc(1, sizeof(*new));
    if (!new)
        return err_memory(err);
    *new = (struct owner){ .conf = conf, .jobs = jobs, .by = by, .told = told,
                           .arg = arg };
    new->timer = event_new(base, -1, EV_PERSIST, on_timer, new);
    if (!new->timer || timer_set(new->timer, conf->look_ns))
        return owner_close(new), err_memory(err);
    look(new);                          /* the first Hello says it already */
    *o = new;
    return 0;
}

void owner_close(struct owner *o)
{
    if (!o)
        return;
    timer_free(o->timer);
    free(o->ours);
    free(o);
}
