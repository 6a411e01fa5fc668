/* store_profile.c - what MPI calls cost, where they stand, and the names of
 * those places.
 *
 * Costs come in every few seconds, the sites they belong to are nearly always
 * known: those in st->sites are not written again. */
#include "master/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "master/store/row.h"
#include "master/store/store_db.h"

/* -------------------------------------------------------- sites we know */

void store_sites_forget(struct store *st)
{
    if (st->sites)
        memset(st->sites, 0, sizeof(*st->sites));
}

static bool site_is_known(const struct store *st, int64_t id)
{
    for (size_t i = (uint64_t)id % STORE_SITES; st->sites && st->sites->v[i];
         i = (i + 1) % STORE_SITES)
        if (st->sites->v[i] == id)
            return true;
    return false;
}

static void site_note(struct store *st, int64_t id)
{
    size_t i = (uint64_t)id % STORE_SITES;

    if (!st->sites)
        st->sites = calloc(1, sizeof(*st->sites));
    if (!st->sites)
        return;                 /* then they are written again */
    if (st->sites->n >= STORE_SITES / 2)
        store_sites_forget(st);
    while (st->sites->v[i])
        i = (i + 1) % STORE_SITES;
    st->sites->v[i] = id;
    st->sites->n++;
}

/* ------------------------------------------------------------------ rows */

static int put_modules(struct store *st, const struct store_profile *p,
                       struct err *err)
{
    for (size_t i = 0; i < p->nmodules; i++)
        if (row_put(st, STORE_TABLE_module, &p->modules[i], err))
            return -1;
    return 0;
}

static int put_frames(struct store *st, const struct store_profile *p,
                      struct err *err)
{
    for (size_t i = 0; i < p->nframes; i++)
        if (row_put(st, STORE_TABLE_frame, &p->frames[i], err))
            return -1;
    return 0;
}

static int put_site(struct store *st, const struct store_place *site,
                    struct err *err)
{
    struct store_site row = { .id = site->id, .call = site->call };

    if (row_put(st, STORE_TABLE_site, &row, err))
        return -1;
    for (size_t i = 0; i < site->nframes; i++) {
        struct store_site_frame f = { .site = site->id, .depth = (uint32_t)i,
                                      .frame = site->frames[i] };

        if (row_put(st, STORE_TABLE_site_frame, &f, err))
            return -1;
    }
    site_note(st, site->id);
    return 0;
}

static int put_sites(struct store *st, const struct store_profile *p,
                     struct err *err)
{
    bool places = p->nnames > 0;

    for (size_t i = 0; i < p->nsites; i++) {
        if (site_is_known(st, p->sites[i].id))
            continue;
        places = true;
        if (put_site(st, &p->sites[i], err))
            return -1;
    }
    return places && (put_modules(st, p, err) || put_frames(st, p, err))
           ? -1 : 0;
}

static int put_names(struct store *st, const struct store_profile *p,
                     struct err *err)
{
    for (size_t i = 0; i < p->nnames; i++)
        if (row_put(st, STORE_TABLE_source, &p->names[i], err))
            return -1;
    return 0;
}

static int put_costs(struct store *st, const struct store_profile *p,
                     struct err *err)
{
    for (size_t i = 0; i < p->ncosts; i++) {
        p->costs[i].job = p->job;
        if (row_put(st, STORE_TABLE_cost, &p->costs[i], err))
            return -1;
    }
    return 0;
}

int store_put_profile(struct store *st, const struct store_profile *p,
                      struct err *err)
{
    return put_sites(st, p, err) || put_names(st, p, err) ||
           put_costs(st, p, err) ? -1 : 0;
}
