/* known.c - what is mapped in processes, kept for the next request. */
#include "slave/stacks/known.h"

#include <stdlib.h>

void known_drop(struct known *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        mapped_fini(&k->mapped[i]);
    free(k->mapped);
    free(k->pids);
    *k = (struct known){ 0 };
}

void known_give(struct known *k, const pid_t *pids, struct mapped *mapped,
                uint32_t n, bool fresh)
{
    for (uint32_t i = 0; i < k->n && i < n; i++)
        if (k->pids[i] > 0 && k->pids[i] == pids[i] &&
            mapped_is_of(&k->mapped[i], pids[i])) {
            mapped[i] = k->mapped[i];
            mapped[i].fresh |= fresh && mapped[i].files;
            mapped_init(&k->mapped[i]);
        }
    known_drop(k);
}

void known_keep(struct known *k, pid_t **pids, struct mapped **mapped,
                uint32_t n)
{
    known_drop(k);
    *k = (struct known){ *pids, *mapped, n };
    *pids = NULL;
    *mapped = NULL;
}
