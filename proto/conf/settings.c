/* settings.c - the section [run] of hector.conf. */
#include "proto/conf/settings.h"

#include <stddef.h>
#include <string.h>

#include "proto/conf/conf.h"

#define SETTINGS_FIELD(f) offsetof(struct settings, f)
static const struct conf_key settings_keys[] = {
    { "run", "master", CONF_TEXT, SETTINGS_FIELD(master), "", 0, 0 },
    { "run", "launch_agent", CONF_TEXT, SETTINGS_FIELD(launch_agent), "", 0, 0 },
    { "run", "db", CONF_TEXT, SETTINGS_FIELD(db), "", 0, 0 },
    { "run", "buffer", CONF_TEXT, SETTINGS_FIELD(buffer), "line", 0, 0 },
    { "run", "on_hang", CONF_TEXT, SETTINGS_FIELD(on_hang), "", 0, 0 },
    { NULL, NULL, CONF_BOOL, 0, NULL, 0, 0 },
};

int settings_load(struct settings *s, struct err *err)
{
    memset(s, 0, sizeof(*s));
    return conf_init(settings_keys, s, err) ||
           conf_load_all(settings_keys, s, NULL, err) ? -1 : 0;
}

void settings_fini(struct settings *s)
{
    conf_fini(settings_keys, s);
}
