/* mapcache.c - what is mapped in processes, kept for the next request. */
#include "slave/stacks/mapcache.h"

#include <stdlib.h>

void mapcache_drop(struct mapcache *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        mapped_fini(&k->mapped[i]);
    free(k->mapped);
    free(k->pids);
    *k = (struct mapcache){ 0 };
}

void mapcache_give(struct mapcache *k, const pid_t *pids, struct mapped *mapped,
                   uint32_t n, bool fresh)
{
    for (uint32_t i = 0; i < k->n && i < n; i++)
        if (k->pids[i] > 0 && k->pids[i] == pids[i] &&
            mapped_is_of(&k->mapped[i], pids[i])) {
            mapped[i] = k->mapped[i];
            mapped[i].fresh |= fresh && mapped[i].files;
            mapped_init(&k->mapped[i]);
        }
    mapcache_drop(k);
}

void mapcache_keep(struct mapcache *k, pid_t **pids, struct mapped **mapped,
                   uint32_t n)
{
    mapcache_drop(k);
    *k = (struct mapcache){ *pids, *mapped, n };
    *pids = NULL;
    *mapped = NULL;
}
