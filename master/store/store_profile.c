/* store_profile.c - what MPI calls cost, where they stand, and the names of
 * those places.
 *
 * Costs come in every few seconds, the sites they belong to are nearly always
 * known: those in st->sites are not written again. */
#include "master/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "master/store/store_db.h"

static const char sql_module[] =
    "INSERT OR IGNORE INTO module(id, path, build_id) VALUES(?1, ?2, ?3)";
static const char sql_frame[] =
    "INSERT OR IGNORE INTO frame(id, module, offset) VALUES(?1, ?2, ?3)";
static const char sql_site[] =
    "INSERT OR IGNORE INTO site(id, call) VALUES(?1, ?2)";
static const char sql_site_frame[] =
    "INSERT OR IGNORE INTO site_frame(site, depth, frame) VALUES(?1, ?2, ?3)";
static const char sql_cost[] =
    "INSERT INTO cost(job, rank, site, calls, in_ns, out_ns, bytes, max_ns)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO UPDATE SET"
    " calls = max(calls, ?4), in_ns = max(in_ns, ?5),"
    " out_ns = max(out_ns, ?6), bytes = max(bytes, ?7),"
    " max_ns = max(max_ns, ?8)";
static const char sql_source[] =
    "INSERT INTO source(frame, depth, function, file, line, note)"
    " VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET"
    " function = ?3, file = ?4, line = ?5, note = ?6 WHERE ?3 IS NOT NULL";

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
    sqlite3_stmt *s = store_stmt(st, STORE_MODULE, sql_module, err);

    for (size_t i = 0; s && i < p->nmodules; i++) {
        sqlite3_bind_int64(s, 1, p->modules[i].id);
        store_bind_text(s, 2, p->modules[i].path);
        store_bind_text(s, 3, p->modules[i].build_id);
        if (store_run(st, s, err))
            return -1;
    }
    return s ? 0 : -1;
}

static int put_frames(struct store *st, const struct store_profile *p,
                      struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_FRAME, sql_frame, err);

    for (size_t i = 0; s && i < p->nframes; i++) {
        sqlite3_bind_int64(s, 1, p->frames[i].id);
        store_bind_known(s, 2, (uint64_t)p->frames[i].module);
        sqlite3_bind_int64(s, 3, (int64_t)p->frames[i].offset);
        if (store_run(st, s, err))
            return -1;
    }
    return s ? 0 : -1;
}

static int put_site(struct store *st, const struct store_site *site,
                    struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_SITE, sql_site, err);
    sqlite3_stmt *f = store_stmt(st, STORE_SITE_FRAME, sql_site_frame, err);

    if (!s || !f)
        return -1;
    sqlite3_bind_int64(s, 1, site->id);
    sqlite3_bind_int64(s, 2, site->call);
    if (store_run(st, s, err))
        return -1;
    for (size_t i = 0; i < site->nframes; i++) {
        sqlite3_bind_int64(f, 1, site->id);
        sqlite3_bind_int64(f, 2, (int64_t)i);
        sqlite3_bind_int64(f, 3, site->frames[i]);
        if (store_run(st, f, err))
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
    sqlite3_stmt *s = store_stmt(st, STORE_SOURCE, sql_source, err);

    for (size_t i = 0; s && i < p->nnames; i++) {
        const struct store_name *n = &p->names[i];

        sqlite3_bind_int64(s, 1, n->frame);
        sqlite3_bind_int64(s, 2, n->depth);
        store_bind_text(s, 3, n->function);
        store_bind_text(s, 4, n->file);
        store_bind_known(s, 5, n->line);
        store_bind_text(s, 6, n->note);
        if (store_run(st, s, err))
            return -1;
    }
    return s ? 0 : -1;
}

static int put_costs(struct store *st, const struct store_profile *p,
                     struct err *err)
{
    sqlite3_stmt *s = store_stmt(st, STORE_COST, sql_cost, err);

    for (size_t i = 0; s && i < p->ncosts; i++) {
        const struct store_cost *c = &p->costs[i];

        sqlite3_bind_int64(s, 1, (int64_t)p->job);
        sqlite3_bind_int64(s, 2, c->rank);
        sqlite3_bind_int64(s, 3, c->site);
        sqlite3_bind_int64(s, 4, (int64_t)c->calls);
        sqlite3_bind_int64(s, 5, (int64_t)c->in_ns);
        sqlite3_bind_int64(s, 6, (int64_t)c->out_ns);
        sqlite3_bind_int64(s, 7, (int64_t)c->bytes);
        sqlite3_bind_int64(s, 8, (int64_t)c->max_ns);
        if (store_run(st, s, err))
            return -1;
    }
    return s ? 0 : -1;
}

int store_put_profile(struct store *st, const struct store_profile *p,
                      struct err *err)
{
    return put_sites(st, p, err) || put_names(st, p, err) ||
           put_costs(st, p, err) ? -1 : 0;
}
