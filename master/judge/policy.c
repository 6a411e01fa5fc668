/* policy.c - one policy, see policy.h. */
#include "master/judge/policy.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/looks.h"
#include "proto/base/clock.h"
#include "proto/base/idtable.h"
#include "proto/base/paths.h"
#include "proto/plan/plugin.h"
#include "proto/plan/settings.h"

enum { POLICY_WRONG_MAX = 3 };
/* A look of a series may come so much early. */
static const uint64_t policy_early_ns = CLOCK_NS_PER_MS;
static const uint64_t policy_wake_least_ns = 10 * CLOCK_NS_PER_MS;
static const uint64_t policy_wake_usual_ns = CLOCK_NS_PER_S;

/* ----------------------------------------------------------------- loading */

static int load(struct policy *p, const char *path, struct err *err)
{
    p->p = plugin_load(&plugin_policy, path, &p->object, err);
    if (!p->p)
        return -1;
    if (p->p->major != HCT_POLICY_MAJOR)
        return err_set(err, EPROTO, "policy %.100s was built for version %u "
                       "of the interface, this Hector has version %u", path,
                       p->p->major, HCT_POLICY_MAJOR);
    if (policy_needs(p) & ~(uint32_t)LOOKS_PARTS)
        return err_set(err, EPROTO, "policy %.100s needs a part of looks that "
                       "this Hector does not have", path);
    if (!p->p->name || !p->p->params || !p->p->state_bytes || !p->p->init ||
        !p->p->step || strlen(p->p->name) >= sizeof(p->name))
        return err_set(err, EINVAL, "%.140s is not a policy: something is "
                       "missing in it", path);
    snprintf(p->name, sizeof(p->name), "%s", p->p->name);
    return 0;
}

static int set_params(struct policy *p, const char *text, struct err *err)
{
    char who[64];

    snprintf(who, sizeof(who), "policy %s", p->name);
    return settings_read(p->p->params, p->params, who, text, err);
}

int policy_open(struct policy *p, const char *spec, struct err *err)
{
    char path[PATHS_MAX];

    memset(p, 0, sizeof(*p));
    p->spec = strdup(spec);
    if (!p->spec)
        err_memory(err);
    else if (plugin_find(&plugin_policy, spec, path, err) == 0 &&
             load(p, path, err) == 0 &&
             set_params(p, plugin_settings(spec), err) == 0)
        return 0;
    policy_close(p);
    return -1;
}

void policy_close(struct policy *p)
{
    if (p->object)
        dlclose(p->object);
    free(p->spec);
    free(p->state);
    memset(p, 0, sizeof(*p));
}

/* -------------------------------------------------------------------- state */

/* Before version 1.13 there was none. */
static size_t room_of(const struct policy *p)
{
    return p->p->minor >= 13 ? p->p->room_bytes : 0;
}

int policy_begin(struct policy *p, const struct hct_job *job, struct err *err)
{
    char why[160] = "";

    p->state_bytes = p->p->state_bytes(job, p->params);
    if (p->state_bytes > HCT_STATE_MAX)
        return err_set(err, ENOMEM, "policy %s wants %zu bytes for its state",
                       p->name, p->state_bytes);
    if (room_of(p) > HCT_STATE_MAX)
        return err_set(err, ENOMEM, "policy %s wants %zu bytes for each step",
                       p->name, room_of(p));
    free(p->state);
    p->state = calloc(1, p->state_bytes + 1);
    if (!p->state)
        return err_set(err, ENOMEM, "policy %s: out of memory", p->name);
    if (p->p->init(p->state, job, p->params, why, sizeof(why))) {
        why[sizeof(why) - 1] = '\0';
        return err_set(err, EINVAL, "policy %s: %s", p->name, why);
    }
    return 0;
}

/* -------------------------------------------------------------------- parts */

/* Before version 1.8 there was nothing to say. */
static bool says_what(const struct policy *p)
{
    return p->p->minor >= 8 && (p->p->needs | p->p->may_need);
}

uint32_t policy_needs(const struct policy *p)
{
    return says_what(p) ? p->p->needs : 0;
}

uint32_t policy_may_need(const struct policy *p)
{
    return says_what(p) ? p->p->needs | p->p->may_need : HCT_NEED_DETAIL;
}

uint32_t policy_hears(const struct policy *p)
{
    return p->p->minor >= 12 ? p->p->asked : 0;
}

/* Tasks that were not read for it seem to others not to have moved. */
bool policy_due(const struct policy *p, const struct hct_snapshot *in)
{
    return !p->off && (!in->unread || (policy_needs(p) & HCT_NEED_EVENTS)) &&
           (in->now_ns + policy_early_ns >= p->wake_ns ||
            (in->asked & policy_hears(p))) &&
           !(policy_needs(p) & ~in->parts);
}

/* The same in every run. */
static uint64_t number_of(const struct policy *p)
{
    return idtable_hash(p->p->name, strlen(p->p->name));
}

/* What others have learnt it does not get; those of one stand together. */
static void give_learnt(const struct policy *p, struct hct_snapshot *s)
{
    uint64_t by = number_of(p);
    uint32_t first = 0, n = 0;

    if (!(s->parts & HCT_NEED_EARLIER))
        s->nearlier = s->runs = s->nlearnt = 0;
    while (first < s->nlearnt && hct_learnt(s, first)->by != by)
        first++;
    while (first + n < s->nlearnt && hct_learnt(s, first + n)->by == by)
        n++;
    s->learnt = n ? hct_learnt(s, first) : NULL;
    s->nlearnt = n;
}

/* What others have asked for it does not get, unless it is of those who got
 * that always: then what it finds does not depend on them. */
static void give(struct policy *p, struct hct_snapshot *s)
{
    s->asked &= policy_hears(p);
    if (!(s->asked & HCT_ASKED_BY_PERSON))
        s->person = (struct hct_when){ .window = HCT_WINDOW_ALL };
    s->parts &= says_what(p) ? p->p->needs | p->asked : HCT_NEED_DETAIL;
    p->asked &= ~s->parts;
    if (!(s->parts & HCT_NEED_MODEL))
        s->nmodels = s->nstates = s->nedges = 0;
    if (!(s->parts & LOOKS_ANSWERS))
        s->question = 0;
    if (!(s->parts & HCT_NEED_SCORES)) {
        s->nclusters = s->nscores = 0;
        s->stretch = (struct hct_stretch){ .tasks = 0 };
    }
    if (!(s->parts & HCT_NEED_PROGRESS)) {
        s->nplaces = s->norders = 0;
        s->at = NULL;
    }
    give_learnt(p, s);
    if (!(s->parts & HCT_NEED_STACKS))
        s->ninside = s->stacks = s->waiting = 0;
    if (!(s->parts & HCT_NEED_EVENTS)) {
        s->ndeadlines = s->nevents = 0;
        s->events_lost = 0;
    }
    if (s->parts & HCT_NEED_DETAIL)
        return;
    s->has_detail = 0;
    s->nrequests = s->ncomms = s->nflights = s->naccounts = s->npairs = 0;
    s->nmeetings = 0;
}

/* NULL, or what was wrong about it. */
static const char *ask(struct policy *p, struct hct_out *out)
{
    uint32_t more = out->need & ~policy_may_need(p);

    out->need &= ~more;
    p->asked |= out->need;
    return more && says_what(p) ? "a need that its description does not name"
                                : NULL;
}

/* -------------------------------------------------------------------- steps */

/* Before version 1.5 places were part of the text. */
static void clear_places(struct found *f)
{
    for (uint32_t i = 0; i < f->out.nlines && i < FOUND_LINES; i++)
        f->lines[i].site = f->lines[i].made = 0;
}

/* Rows that were shorter, and stand closer together: what has come behind is 0. */
static void widen(void *rows, size_t was, size_t is, uint32_t n)
{
    char *p = rows;

    while (n--) {
        memmove(p + n * is, p + n * was, was);
        memset(p + n * is + was, 0, is - was);
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Before version 1.15 it did not say places of its steps. What it has learnt nobody
 * has asked for. */
static void widen_odds(struct found *f)
{
    f->out.nlearnt = 0;
    widen(f->odds, offsetof(struct hct_odd, at), sizeof(*f->odds),
          least(f->out.nodds, FOUND_ODDS));
}

/* Before version 1.17 there were no deadlines. */
static void widen_verdicts(struct found *f)
{
    f->out.ninstances = 0;
    widen(f->verdicts, offsetof(struct hct_verdict, deadline), sizeof(*f->verdicts),
          least(f->out.nverdicts, FOUND_VERDICTS));
}

/* Before version 1.12 the job moved again also where its verdict named ranks. */
static void clear_ranks(struct found *f)
{
    for (uint32_t i = 0; i < f->out.nverdicts && i < FOUND_VERDICTS; i++)
        if (f->verdicts[i].kind == HCT_PROGRESS)
            f->verdicts[i].nranks = 0;
}

static void schedule(struct policy *p, uint64_t now_ns, uint64_t wake_ns)
{
    if (wake_ns == 0)
        wake_ns = now_ns + policy_wake_usual_ns;
    if (wake_ns < now_ns + policy_wake_least_ns)
        wake_ns = now_ns + policy_wake_least_ns;
    p->wake_ns = wake_ns;
}

/* Its room is there for the step only: what it did not touch costs nothing. */
static int step(const struct policy *p, const struct hct_snapshot *in,
                struct hct_out *out)
{
    size_t bytes = room_of(p);
    int rc = ENOMEM;

    if (bytes == 0)
        return p->p->step(p->state, in, out);
    out->room = calloc(1, bytes);
    if (out->room)
        rc = p->p->step(p->state, in, out);
    free(out->room);
    out->room = NULL;
    return rc;
}

void policy_step(struct policy *p, const struct hct_snapshot *in,
                 struct found *f)
{
    struct hct_snapshot given = *in;
    const char *wrong, *more;
    int rc;

    give(p, &given);
    found_empty(f);
    f->seq = in->seq;
    f->now_ns = in->now_ns;
    rc = step(p, &given, &f->out);
    if (rc) {
        found_empty(f);
        p->off = true;
        f->how = FOUND_OFF;
        snprintf(f->why, sizeof(f->why), "it says that it cannot go on (%d)",
                 rc);
        return;
    }
    if (p->p->minor < 5)
        clear_places(f);
    if (p->p->minor < 17)
        widen_verdicts(f);
    if (p->p->minor < 12)
        clear_ranks(f);
    if (p->p->minor < 15)
        widen_odds(f);
    for (uint32_t i = 0; i < f->out.nlearnt && i < FOUND_LEARNT; i++)
        f->learnt[i].by = number_of(p);
    schedule(p, in->now_ns, f->out.wake_ns);
    more = ask(p, &f->out);
    wrong = found_check(f, in->nranks);
    wrong = wrong ? wrong : more;
    if (!wrong)
        return;
    p->off = ++p->wrong >= POLICY_WRONG_MAX;
    f->how = p->off ? FOUND_OFF : FOUND_ODD;
    snprintf(f->why, sizeof(f->why), "it gave %s", wrong);
}
