/* dependence.c - see dependence.h. */
#include "policies/progress/dependence.h"

/* "When one probability is 1.0 and the other is less than 1.0, the first
 * predominates the second": execution goes that way, so who is at its end waits
 * for who is at its beginning. "If one probability is zero and the second is
 * nonzero, then the second predominates the first." (PDI, section 3.2) */
enum dependence dependence_of(enum reach forward, enum reach backward)
{
    static const enum dependence table[3][3] = {
        [REACH_NEVER] = { [REACH_NEVER] = DEPENDENCE_NONE,
                          [REACH_PERHAPS] = DEPENDENCE_FORWARD,
                          [REACH_ALWAYS] = DEPENDENCE_FORWARD },
        [REACH_PERHAPS] = { [REACH_NEVER] = DEPENDENCE_BACKWARD,
                            [REACH_PERHAPS] = DEPENDENCE_UNDEFINED,
                            [REACH_ALWAYS] = DEPENDENCE_FORWARD },
        [REACH_ALWAYS] = { [REACH_NEVER] = DEPENDENCE_BACKWARD,
                           [REACH_PERHAPS] = DEPENDENCE_BACKWARD,
                           [REACH_ALWAYS] = DEPENDENCE_UNDEFINED },
    };

    return table[forward][backward];
}

enum dependence dependence_turned(enum dependence d)
{
    return (enum dependence)((d & 1) << 1 | (d & 2) >> 1);
}
