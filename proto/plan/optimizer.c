/* optimizer.c - see optimizer.h. */
#include "proto/plan/optimizer.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/paths.h"
#include "proto/plan/plugin.h"
#include "proto/plan/settings.h"

/* ------------------------------------------------------------------ loading */

static int check_version(const struct hct_optimizer *o, const char *path,
                         struct err *err)
{
    if (o->major == HCT_OPTIMIZER_MAJOR && o->minor <= HCT_OPTIMIZER_MINOR)
        return 0;
    return err_set(err, EPROTO,
                   "optimizer %.100s was built for version %u.%u of "
                   "the interface, this Hector has version %u.%u",
                   path, o->major, o->minor, HCT_OPTIMIZER_MAJOR,
                   HCT_OPTIMIZER_MINOR);
}

static int load(struct optimizer *o, const char *path, struct err *err)
{
    o->o = plugin_load(&plugin_optimizer, path, &o->object, err);
    if (!o->o || check_version(o->o, path, err))
        return -1;
    if (!o->o->name || !o->o->params || !o->o->state_bytes || !o->o->plan ||
        strlen(o->o->name) >= sizeof(o->name))
        return err_set(err, EINVAL, "%.140s is not an optimizer: something is "
                       "missing in it", path);
    snprintf(o->name, sizeof(o->name), "%s", o->o->name);
    return 0;
}

static int read_settings(struct optimizer *o, const char *text, struct err *err)
{
    char who[80];

    snprintf(who, sizeof(who), "optimizer %s", o->name);
    return settings_read(o->o->params, o->params, who, text, err);
}

int optimizer_open(struct optimizer *o, const char *spec, struct err *err)
{
    char path[PATHS_MAX];

    memset(o, 0, sizeof(*o));
    if (plugin_find(&plugin_optimizer, spec, path, err) == 0 &&
        load(o, path, err) == 0 &&
        read_settings(o, plugin_settings(spec), err) == 0)
        return 0;
    optimizer_close(o);
    return -1;
}

void optimizer_close(struct optimizer *o)
{
    if (o->object)
        dlclose(o->object);
    checked_fini(&o->plan);
    memset(o, 0, sizeof(*o));
}

/* ------------------------------------------------------------------- a plan */

static void switch_off(struct optimizer *o, const char *why)
{
    o->off = true;
    snprintf(o->why, sizeof(o->why), "%s", why);
}

/* One that plans nothing shows nothing: neither sense nor the lack of it. */
static void count(struct optimizer *o)
{
    o->why[0] = '\0';
    for (int i = 0; i < CHECKED_NREASONS; i++)
        o->refused[i] += o->plan.refused[i];
    if (o->plan.nrefused)
        o->wrong++;
    else if (o->plan.nsteps)
        o->wrong = 0;
    o->off = o->wrong >= OPTIMIZER_WRONG_MAX;
    if (o->plan.nrefused)
        snprintf(o->why, sizeof(o->why), "%s", o->plan.first);
}

int optimizer_take(struct optimizer *o, const struct hct_system *in,
                   const struct optimizer_answer *a, struct err *err)
{
    char why[80];

    checked_fini(&o->plan);
    if (o->off)
        return 0;
    o->plans++;
    if (a->rc) {
        snprintf(why, sizeof(why), "it says that it cannot go on (%d)", a->rc);
        switch_off(o, why);
        return 0;
    }
    if (a->greedy) {
        switch_off(o, "it wants more memory than there is for a plan");
        return 0;
    }
    if (a->plan.nsteps > a->plan.steps_max) {
        switch_off(
            o, "it says that its plan has more steps than there is room for");
        return 0;
    }
    o->lost += a->plan.lost;
    if (checked_plan(&o->plan, in, &a->plan, err))
        return -1;
    count(o);
    return 0;
}

int optimizer_ask(const struct optimizer *o, const struct hct_system *in,
                  struct optimizer_answer *a, struct err *err)
{
    struct hct_system given = *in;
    void *state;
    size_t bytes;

    *a = (struct optimizer_answer){
        .plan = { .size = sizeof(a->plan), .step_size = sizeof(*a->plan.steps) } };
    given.params = o->params;
    bytes = o->o->state_bytes(&given);
    a->greedy = bytes > HCT_STATE_MAX;
    if (a->greedy)
        return 0;
    a->plan.steps_max = in->nseats + in->nworks;
    state = calloc(1, bytes + 1);
    a->plan.steps = calloc((size_t)a->plan.steps_max + 1,
                           sizeof(*a->plan.steps));
    if (state && a->plan.steps)
        a->rc = o->o->plan(state, &given, &a->plan);
    free(state);
    if (state && a->plan.steps)
        return 0;
    free(a->plan.steps);
    a->plan.steps = NULL;
    return err_memory(err);
}

int optimizer_plan(struct optimizer *o, const struct hct_system *in,
                   struct err *err)
{
    struct optimizer_answer a = { .rc = 0 };
    int rc = o->off ? 0 : optimizer_ask(o, in, &a, err);

    rc = rc ? rc : optimizer_take(o, in, &a, err);
    free(a.plan.steps);
    return rc;
}
