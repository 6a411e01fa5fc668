/* duerows.c - see duerows.h. */
#include "master/findings/duerows.h"

#include <math.h>

#include "master/state/job.h"
#include "master/store/journal.h"

enum { AT_ONCE = 64 };

static double margin(const struct hct_instance *i)
{
    uint64_t had_ns = (uint64_t)(i->due_ns - i->release_ns);

    return i->open || i->due_ns <= i->release_ns
           ? NAN : hct_margin(i->due_ns, i->done_ns, had_ns);
}

static struct store_instance row_of(const struct hct_instance *i, int64_t shift_ns)
{
    return (struct store_instance){
        .deadline = i->deadline, .rank = i->rank, .instance = i->instance,
        .release_ns = i->release_ns + shift_ns, .due_ns = i->due_ns + shift_ns,
        .done_ns = i->open ? 0 : (uint64_t)(i->done_ns + shift_ns),
        .margin = margin(i), .late = i->late, .bound_ns = i->bound_ns,
        .slope = i->slope, .chance = i->chance };
}

void duerows_put(struct journal *jn, const struct job *j,
                 const struct hct_instance *v, uint32_t n, int64_t shift_ns)
{
    struct store_instance rows[AT_ONCE];

    for (uint32_t at = 0, k; at < n; at += k) {
        for (k = 0; k < AT_ONCE && at + k < n; k++)
            rows[k] = row_of(&v[at + k], shift_ns);
        journal_instances(jn, j, rows, k);
    }
}
