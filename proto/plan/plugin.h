/* plugin.h - shared objects that people bring along, of one kind: found by name,
 * loaded, and their one symbol called.
 *
 * "hang", "hang:alpha=0.01,detail=1", "/path/to/mine.so:every=2": a name is
 * looked for in ../lib/hector/FOLDER and ../lib/FOLDER, seen from the running
 * program; behind the colon are its settings. */
#ifndef HECTOR_PLUGIN_H
#define HECTOR_PLUGIN_H

#include <stddef.h>

#include "proto/base/err.h"

struct plugin_kind {
    const char *noun, *a;       /* "policy", "a policy" */
    const char *folder, *symbol;
    const struct plugin_kind *other;    /* what it may be taken for */
    const char *but;            /* to who takes it for one of the other kind */
};
extern const struct plugin_kind plugin_policy, plugin_optimizer;

/* Where the name in a spec ends, and its settings, "" if there are none. */
size_t plugin_name_length(const char *spec);
const char *plugin_settings(const char *spec);

/* The file of a spec; path has PATHS_MAX. -1 with a sentence: there is none by
 * that name. A path is taken as it is. */
int plugin_find(const struct plugin_kind *k, const char *spec, char *path,
                struct err *err);

/* What its symbol returns; *object is to be closed by dlclose(), also after a
 * failure. NULL with a sentence: it is none of that kind. */
const void *plugin_load(const struct plugin_kind *k, const char *path,
                        void **object, struct err *err);

#endif
