/* masterof.c - see masterof.h. */
#include "master/hector/why/masterof.h"

#include <inttypes.h>

#include "master/hector/core/human.h"
#include "master/store/alive.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

static int on_master(void *arg, const struct store_master *m)
{
    const char *host = m->host ? m->host : "?";
    uint64_t now_ns = clock_wall_ns();
    char silent[HUMAN_MAX];

    if (alive_is_dead(m->host, m->pid, m->process))
        str_addf(arg, "its master, process %" PRIu32 " on %s, is dead: how it ended was "
                 "not recorded\n", m->pid, host);
    else if (m->seen_ns && m->seen_ns + QUERY_SILENT_NS < now_ns)
        str_addf(arg, "its master, process %" PRIu32 " on %s, has recorded nothing for %s: "
                 "it stands still, or is dead, which a command of hector there can tell\n",
                 m->pid, host,
                 human_duration(silent, (int64_t)(now_ns - m->seen_ns)));
    return 0;
}

void masterof_job(struct str *to, struct store *st, uint64_t job)
{
    struct err err;

    query_master_of(st, job, on_master, to, &err);
}
