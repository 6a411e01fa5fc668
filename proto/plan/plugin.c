/* plugin.c - see plugin.h. */
#include "proto/plan/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/paths.h"

const struct plugin_kind plugin_policy = {
    "policy", "a policy", "policies", "hct_policy", &plugin_optimizer,
    "see --policy" };
const struct plugin_kind plugin_optimizer = {
    "optimizer", "an optimizer", "optimizers", "hct_optimizer", &plugin_policy,
    "it says where tasks should be, and finds nothing in a job" };

size_t plugin_name_length(const char *spec)
{
    const char *slash = strrchr(spec, '/');
    const char *colon = strchr(slash ? slash : spec, ':');

    return colon ? (size_t)(colon - spec) : strlen(spec);
}

const char *plugin_settings(const char *spec)
{
    const char *colon = spec + plugin_name_length(spec);

    return *colon ? colon + 1 : colon;
}

static int find_named(const struct plugin_kind *k, const char *name, char *path)
{
    char file[80];

    snprintf(file, sizeof(file), "%s/%.48s.so", k->folder, name);
    return *name ? paths_library(file, path, PATHS_MAX, NULL) : -1;
}

int plugin_find(const struct plugin_kind *k, const char *spec, char *path,
                struct err *err)
{
    size_t n = plugin_name_length(spec);
    char name[PATHS_MAX];

    if (n >= sizeof(name))
        return err_set(err, ENAMETOOLONG, "%s: the name of the file is too long",
                       k->noun);
    memcpy(name, spec, n);
    name[n] = '\0';
    if (strchr(name, '/')) {
        memcpy(path, name, n + 1);
        return 0;
    }
    if (find_named(k, name, path) == 0)
        return 0;
    if (find_named(k->other, name, path) == 0)
        return err_set(err, EINVAL, "%.48s is %s, not %s: %s", name, k->other->a,
                       k->a, k->other->but);
    return err_set(err, ENOENT, "there is no %s called %s%.48s%s", k->noun,
                   *name ? "" : "\"", name, *name ? "" : "\"");
}

const void *plugin_load(const struct plugin_kind *k, const char *path,
                        void **object, struct err *err)
{
    const void *(*entry)(void);
    const void *is;

    /* Other people's code may have left addresses of its own behind, at exit or in
     * threads: it stays where it is, also when it is closed. */
    *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!*object) {
        err_set(err, ENOENT, "cannot load the %s: %.160s", k->noun, dlerror());
        return NULL;
    }
    *(void **)&entry = dlsym(*object, k->symbol);
    is = entry ? entry() : NULL;
    if (!entry && dlsym(*object, k->other->symbol))
        err_set(err, EINVAL, "%.140s is %s, not %s", path, k->other->a, k->a);
    else if (!is)
        err_set(err, EINVAL, "%.140s is not %s: it has no %s", path, k->a,
                k->symbol);
    return is;
}
