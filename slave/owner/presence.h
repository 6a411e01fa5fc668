/* presence.h - is the owner of a node here, by what was seen of him at each look.
 * Pure: no I/O, no clock.
 *
 *   sought --> here <--> gone,  sought --> gone
 *
 * A sign of him makes him here, at once; he is gone when no sign has come for some
 * minutes, so one who comes and goes does not drive tasks to and fro. One that has
 * only begun to look knows nothing until it has looked for as long: what was known
 * before holds until then. */
#ifndef HECTOR_PRESENCE_H
#define HECTOR_PRESENCE_H

#include <stdbool.h>
#include <stdint.h>

enum presence_is { PRESENCE_SOUGHT, PRESENCE_HERE, PRESENCE_GONE };

#define PRESENCE_NO_SIGN UINT64_MAX

struct presence {               /* {0} before the first look */
    enum presence_is is;
    bool begun, seen;
    uint64_t begun_ns, last_ns; /* last_ns: of a sign, if any was seen */
};

/* The last sign was so long ago, if there was any; limit_ns: so long he is here
 * after one. True: that has changed something. */
bool presence_look(struct presence *p, uint64_t ago_ns, uint64_t limit_ns,
                   uint64_t now_ns);

#endif
