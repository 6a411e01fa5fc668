/* loop.c - an event loop whose timers are exact. */
#include "redirector/link/loop.h"

#include <stddef.h>

struct event_base *loop_open(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;

    if (!config)
        return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}
