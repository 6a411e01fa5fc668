/* rungkinds.h - the steps for a deadline: what stands in column kind of the table rung,
 * and what has been done to a job by it. In the order of what they cost others. */
#ifndef HECTOR_RUNGKINDS_H
#define HECTOR_RUNGKINDS_H

#include <stddef.h>
#include <string.h>

#define RUNG_KINDS(X)                                                              \
    X(CALM, "calm", "given the least weight")                                 \
    X(RAISE, "raise", "given the most weight")                                \
    X(ASIDE, "aside", "kept off its processors")                              \
    X(SUSPEND, "suspend", "suspended")                                        \
    X(STORE, "store", "suspended to disk")                                    \
    X(LEAVE, "leave", "moved to another node")                                \
    X(FASTER, "faster", "moved to a faster node")

/* NULL: there is no such kind. */
static inline const char *rungkind_done(const char *kind)
{
#define RUNG(name, word, done) { word, done },
    static const struct { const char *word, *done; } rungs[] = { RUNG_KINDS(RUNG) };
#undef RUNG

    for (size_t i = 0; kind && i < sizeof(rungs) / sizeof(rungs[0]); i++)
        if (strcmp(rungs[i].word, kind) == 0)
            return rungs[i].done;
    return NULL;
}

#endif
