/* refused.c - a bounded table of sources that were refused; see refused.h.
 *
 * Invariants: a (source, kind) is in the table at most once; when all places
 * are taken the one that was quiet for longest gives way. A line is logged
 * only while there is budget, which grows by one a second. */
#include "proto/link/refused.h"

#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { REFUSED_SOURCES = 64, REFUSED_NAME = 64, REFUSED_BURST = 16 };
#define REFUSED_AGAIN_NS (60 * CLOCK_NS_PER_S)

struct source {
    char name[REFUSED_NAME];    /* "": free */
    int kind;
    unsigned count;             /* since the last line */
    uint64_t logged_ns;         /* 0: never */
    uint64_t seen_ns;
};

static struct {
    struct source v[REFUSED_SOURCES];
    unsigned budget;
    uint64_t filled_ns;         /* when budget grew last; 0: at the start */
} table;

/* The port and the pid are another one each time. */
static size_t source_length(const char *peer)
{
    const char *end = NULL;

    if (strncmp(peer, "tcp:", 4) == 0)
        end = strrchr(peer, ':');
    else if (strncmp(peer, "uid ", 4) == 0)
        end = strstr(peer, " pid ");
    size_t n = end && end > peer + 3 ? (size_t)(end - peer) : strlen(peer);

    return n < REFUSED_NAME ? n : REFUSED_NAME - 1;
}

static struct source *source_find(const char *peer, size_t n, int kind)
{
    struct source *oldest = &table.v[0];

    for (struct source *s = table.v; s < table.v + REFUSED_SOURCES; s++) {
        if (*s->name && s->kind == kind && strlen(s->name) == n &&
            memcmp(s->name, peer, n) == 0)
            return s;
        if (s->seen_ns < oldest->seen_ns)
            oldest = s;
    }
    *oldest = (struct source){ .kind = kind };
    memcpy(oldest->name, peer, n);
    return oldest;
}

static bool take_budget(uint64_t now_ns)
{
    uint64_t more;

    if (!table.filled_ns) {
        table.budget = REFUSED_BURST;
        table.filled_ns = now_ns;
    }
    more = (now_ns - table.filled_ns) / CLOCK_NS_PER_S;
    table.filled_ns += more * CLOCK_NS_PER_S;
    table.budget = more > REFUSED_BURST - table.budget
                   ? REFUSED_BURST : table.budget + (unsigned)more;
    return table.budget && table.budget--;
}

bool refused_due(const char *peer, int kind, uint64_t now_ns,
                 unsigned *count)
{
    struct source *s = source_find(peer, source_length(peer), kind);

    s->seen_ns = now_ns;
    s->count++;
    if ((s->logged_ns && now_ns - s->logged_ns < REFUSED_AGAIN_NS) ||
        !take_budget(now_ns))
        return false;
    *count = s->count;
    s->count = 0;
    s->logged_ns = now_ns;
    return true;
}

void refused_reset(void)
{
    memset(&table, 0, sizeof(table));
}

void refused(const char *subsystem, const char *peer, const struct err *why)
{
    unsigned count = 0;

    if (!refused_due(peer, why->code, clock_monotonic_ns(), &count))
        return;
    if (count == 1)
        log_warn(subsystem, "refused %s: %s", peer, why->text);
    else
        log_warn(subsystem, "refused %u times %.*s, the last: %s", count,
                 (int)source_length(peer), peer, why->text);
}
