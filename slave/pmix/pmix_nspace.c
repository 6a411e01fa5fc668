/* pmix_nspace.c - a plan in PMIx's words.
 *
 * NODE_MAP and PROC_MAP are what PMIx cannot do without; the rest saves the
 * tasks questions. A PROC_INFO_ARRAY must begin with the rank and hold the
 * local rank. Errors are collected in one status: the first one is told. */
#include "slave/pmix/pmix_nspace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/str.h"

struct list { void *items; pmix_status_t status; };

static void add(struct list *l, const char *key, const void *value,
                pmix_data_type_t type)
{
    if (l->status == PMIX_SUCCESS)
        l->status = PMIx_Info_list_add(l->items, key, value, type);
}

static void add_u32(struct list *l, const char *key, uint32_t value)
{
    add(l, key, &value, PMIX_UINT32);
}

static void add_u16(struct list *l, const char *key, uint32_t value)
{
    uint16_t small = (uint16_t)value;

    add(l, key, &small, PMIX_UINT16);
}

static void add_rank(struct list *l, const char *key, pmix_rank_t value)
{
    add(l, key, &value, PMIX_PROC_RANK);
}

/* Make inner an array element of outer; releases inner. */
static void add_array(struct list *outer, const char *key,
                      struct list *inner)
{
    pmix_data_array_t array = { 0 };

    if (inner->status == PMIX_SUCCESS)
        inner->status = PMIx_Info_list_convert(inner->items, &array);
    if (inner->status == PMIX_SUCCESS)
        add(outer, key, &array, PMIX_DATA_ARRAY);
    else if (outer->status == PMIX_SUCCESS)
        outer->status = inner->status;
    PMIX_DATA_ARRAY_DESTRUCT(&array);
    PMIx_Info_list_release(inner->items);
}

/* "0,1,2;3,4": the ranks of each node, written out. */
static void add_ranks(struct str *s, const struct taskset *ranks)
{
    const char *comma = "";

    for (int64_t r = -1; (r = taskset_next(ranks, r)) >= 0; comma = ",")
        str_addf(s, "%s%u", comma, (unsigned)r);
}

static void add_maps(struct list *l, const struct plan *plan)
{
    struct str names = { 0 }, ranks = { 0 }, peers = { 0 };
    const char *comma = "", *colon = "";
    char *coded = NULL;

    for (size_t i = 0; i < plan->nodes.n; i++) {
        if (!plan->nodes.v[i].ranks.n)
            continue;           /* PMIx wants to hear of none without tasks */
        str_addf(&names, "%s%s", comma, plan->nodes.v[i].name);
        str_add(&ranks, colon);
        add_ranks(&ranks, &plan->nodes.v[i].ranks);
        comma = ",";
        colon = ";";
    }
    add_ranks(&peers, &plan_here(plan)->ranks);
    if (str_failed(&names) || str_failed(&ranks) || str_failed(&peers))
        l->status = PMIX_ERR_NOMEM;
    if (l->status == PMIX_SUCCESS)
        l->status = PMIx_generate_regex(str_text(&names), &coded);
    if (l->status == PMIX_SUCCESS)
        add(l, PMIX_NODE_MAP, coded, PMIX_REGEX);
    free(coded);
    coded = NULL;
    if (l->status == PMIX_SUCCESS)
        l->status = PMIx_generate_ppn(str_text(&ranks), &coded);
    if (l->status == PMIX_SUCCESS)
        add(l, PMIX_PROC_MAP, coded, PMIX_REGEX);
    free(coded);
    add(l, PMIX_LOCAL_PEERS, str_text(&peers), PMIX_STRING);
    str_fini(&names);
    str_fini(&ranks);
    str_fini(&peers);
}

/* Nodes with tasks, below that one: so they are numbered. */
static uint32_t count_nodes(const struct plan *plan, size_t below)
{
    uint32_t n = 0;

    for (size_t i = 0; i < below; i++)
        n += plan->nodes.v[i].ranks.n != 0;
    return n;
}

static void add_job(struct list *l, const struct plan *plan, const char *dir)
{
    const struct taskset *here = &plan_here(plan)->ranks;
    uint32_t local = (uint32_t)taskset_count(here);
    bool yes = true;

    add_u32(l, PMIX_UNIV_SIZE, plan->ntasks);
    add_u32(l, PMIX_JOB_SIZE, plan->ntasks);
    add_u32(l, PMIX_MAX_PROCS, plan->ntasks);
    add_u32(l, PMIX_NUM_NODES, count_nodes(plan, plan->nodes.n));
    add_u32(l, PMIX_JOB_NUM_APPS, (uint32_t)plan->napps);
    add(l, PMIX_JOBID, plan->nspace, PMIX_STRING);
    add_u32(l, PMIX_LOCAL_SIZE, local);
    add_u32(l, PMIX_NODE_SIZE, local);
    if (local)
        add_rank(l, PMIX_LOCALLDR, (pmix_rank_t)taskset_next(here, -1));
    add_maps(l, plan);
    add(l, PMIX_TMPDIR, dir, PMIX_STRING);
    add(l, PMIX_NSDIR, dir, PMIX_STRING);
    add(l, PMIX_TDIR_RMCLEAN, &yes, PMIX_BOOL);
}

static void add_app(struct list *l, const struct plan *plan, size_t i)
{
    struct list app = { .items = PMIx_Info_list_start() };

    add_u32(&app, PMIX_APPNUM, (uint32_t)i);
    add_u32(&app, PMIX_APP_SIZE, plan->apps[i].ntasks);
    add_rank(&app, PMIX_APPLDR, plan->apps[i].first);
    add_array(l, PMIX_APP_INFO_ARRAY, &app);
}

static void add_proc(struct list *l, const struct plan *plan, uint32_t rank,
                     const char *dir)
{
    struct list proc = { .items = PMIx_Info_list_start() };
    const struct plan_app *app = plan_app(plan, rank);
    char own[1200];

    add_rank(&proc, PMIX_RANK, rank);
    add_u32(&proc, PMIX_APPNUM, (uint32_t)(app - plan->apps));
    add_rank(&proc, PMIX_APP_RANK, rank - app->first);
    add_rank(&proc, PMIX_GLOBAL_RANK, rank);
    add_u16(&proc, PMIX_LOCAL_RANK, plan->local_of[rank]);
    add_u16(&proc, PMIX_NODE_RANK, plan->local_of[rank]);
    add(&proc, PMIX_HOSTNAME, plan->nodes.v[plan->node_of[rank]].name,
        PMIX_STRING);
    add_u32(&proc, PMIX_NODEID, count_nodes(plan, plan->node_of[rank]));
    if (plan_is_local(plan, rank)) {
        snprintf(own, sizeof(own), "%s/%u", dir, rank);
        add(&proc, PMIX_PROCDIR, own, PMIX_STRING);
    }
    add_array(l, PMIX_PROC_INFO_ARRAY, &proc);
}

int pmix_nspace_info(const struct plan *plan, const char *dir,
                     pmix_info_t **info, size_t *n, struct err *err)
{
    struct list l = { .items = PMIx_Info_list_start() };
    pmix_data_array_t array = { 0 };

    add_job(&l, plan, dir);
    for (size_t i = 0; plan->napps > 1 && i < plan->napps; i++)
        add_app(&l, plan, i);
    for (uint32_t r = 0; r < plan->ntasks; r++)
        add_proc(&l, plan, r, dir);
    if (l.status == PMIX_SUCCESS)
        l.status = PMIx_Info_list_convert(l.items, &array);
    PMIx_Info_list_release(l.items);
    if (l.status != PMIX_SUCCESS)
        return err_set(err, EIO, "PMIx cannot describe the job: %s",
                       PMIx_Error_string(l.status));
    *info = array.array;
    *n = array.size;
    return 0;
}
