/* hang_so.h - the policy hang, as its host loads it, and a state of it. */
#ifndef HECTOR_TESTS_HANG_SO_H
#define HECTOR_TESTS_HANG_SO_H

#include <dlfcn.h>
#include <libgen.h>

#include "tests/unit/look.h"

static const struct hct_policy *policy;
static void *model;

/* For n tasks that compute; one parameter may have another value. */
static void model_of(uint32_t n, const char *name, double value)
{
    double param[HCT_PARAMS_MAX] = { 0 };
    char why[100];

    look_at(n);
    look.job.level = HCT_LEVEL_SINGLE;
    for (unsigned i = 0; policy->params[i].name; i++)
        param[i] = name && strcmp(policy->params[i].name, name) == 0
            ? value : policy->params[i].def;
    free(model);
    model = calloc(1, policy->state_bytes(&look.job, param));
    assert_int_equal(policy->init(model, &look.job, param, why, sizeof(why)),
                     0);
    look.in.has_detail = 0;
}

/* self: argv[0], from which the object is found. 0: it can go on. */
static int hang_open(char *self)
{
    char object[4096];
    hct_policy_f *get;
    void *so;

    snprintf(object, sizeof(object), "%s/../lib/policies/hang.so",
             dirname(self));
    so = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!so || !(*(void **)(void *)&get = dlsym(so, "hct_policy"))) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    policy = get();
    return 0;
}

#endif
