/* away.c - see away.h. */
#include "master/act/away.h"

#include <errno.h>
#include <stdlib.h>

#include "master/move/leave.h"

int away_plan(const struct nodes *all, away_may *may, const void *arg,
              const struct job *j, const struct taskset *ranks,
              struct node **to_of, struct str *text, struct err *err)
{
    uint32_t n = (uint32_t)taskset_count(ranks), i = 0;
    struct leave_host *hosts = calloc(all->n + 1, sizeof(*hosts));
    struct node **of = calloc(all->n + 1, sizeof(*of));
    uint32_t *host_of = calloc(n + 1, sizeof(*host_of));
    size_t nhosts = 0;
    struct err unfit = { 0 };
    int rc = -1;

    for (size_t k = 0; hosts && of && k < all->n; k++)
        if (may(arg, all->v[k]) &&
            cpuuse_check(&j->cpu, j->id, all->v[k], &unfit) == 0) {
            hosts[nhosts] = (struct leave_host){
                all->v[k]->cpus, all->v[k]->ntasks + all->v[k]->ncoming };
            of[nhosts++] = all->v[k];
        }
    if (!hosts || !of || !host_of)
        err_memory(err);
    else if (nhosts == 0)
        err_set(err, ENOSPC, "%s", unfit.code ? unfit.text
                                 : "there is no other node any more");
    else
        rc = leave_plan(hosts, nhosts, n, j->crowds, host_of, err);
    for (int64_t r = -1; rc == 0 && (r = taskset_next(ranks, r)) >= 0; i++) {
        to_of[r] = of[host_of[i]];
        if (text && (i == 0 || host_of[i] != host_of[i - 1]))
            str_addf(text, "%s%s", i ? ", " : "", to_of[r]->name);
    }
    free(hosts);
    free(of);
    free(host_of);
    return rc;
}
