/* gather.c - what this slave can gather in a reduction. */
#include "slave/gather/gather.h"

#include "proto/base/str.h"
#include "slave/gather/gather_model.h"
#include "slave/gather/gather_part.h"
#include "slave/gather/gather_progress.h"
#include "slave/gather/gather_scores.h"
#include "slave/gather/gather_stack.h"
#include "slave/jobs/jobs.h"

/* Who is there: the name of the node, for each of its positions. */
static void who_start(void *arg, struct reduction *r)
{
    const struct gather *g = arg;
    struct str lines = { 0 };

    for (uint32_t i = 0; i < reduction_width(r); i++)
        str_addf(&lines, "%u %s\n", i, jobs_node(g->jobs)->name);
    reduction_own(r, str_text(&lines), lines.n);
    str_fini(&lines);
}

const struct reduce_kind gather_kinds[] = {
    { "who", who_start, NULL },
    { "stack", gather_stack_start, gather_part_stop },
    { "model", gather_model_start, gather_part_stop },
    { "scores", gather_scores_start, gather_part_stop },
    { "progress", gather_progress_start, gather_part_stop },
};
const size_t gather_nkinds = sizeof(gather_kinds) / sizeof(gather_kinds[0]);
