/* presence.c - see presence.h. */
#include "slave/owner/presence.h"

static void see(struct presence *p, uint64_t ago_ns, uint64_t now_ns)
{
    uint64_t at_ns = ago_ns < now_ns ? now_ns - ago_ns : 0;

    if (!p->seen || at_ns > p->last_ns)
        p->last_ns = at_ns;
    p->seen = true;
}

bool presence_look(struct presence *p, uint64_t ago_ns, uint64_t limit_ns,
                   uint64_t now_ns)
{
    enum presence_is was = p->is;

    if (!p->begun)
        p->begun_ns = now_ns;
    p->begun = true;
    if (ago_ns != PRESENCE_NO_SIGN && ago_ns < limit_ns)
        see(p, ago_ns, now_ns);
    if (p->seen && now_ns - p->last_ns < limit_ns)
        p->is = PRESENCE_HERE;
    else if (was == PRESENCE_HERE || now_ns - p->begun_ns >= limit_ns)
        p->is = PRESENCE_GONE;
    return p->is != was;
}
