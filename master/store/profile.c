/* profile.c - Profile messages checked and copied. Numbers in a message are
 * indices of its own lists; one that is wrong makes all of it wrong. */
#include "master/store/profile.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- checking */

static int check_places(const Hct__Profile *m, struct err *err)
{
    if (m->n_modules > PROFILE_MODULES || m->n_frames > PROFILE_FRAMES ||
        m->n_sites > PROFILE_SITES)
        return err_set(err, EPROTO, "a Profile with %zu modules, %zu frames, "
                       "%zu sites", m->n_modules, m->n_frames, m->n_sites);
    for (size_t i = 0; i < m->n_modules; i++)
        if (strlen(m->modules[i]->path) > PROFILE_TEXT ||
            m->modules[i]->build_id.len > PROFILE_TEXT)
            return err_set(err, EPROTO, "a path or build id in a Profile is "
                           "too long");
    for (size_t i = 0; i < m->n_frames; i++)
        if (m->frames[i]->module > m->n_modules)
            return err_set(err, EPROTO, "module %u of %zu in a Profile",
                           m->frames[i]->module, m->n_modules);
    for (size_t i = 0; i < m->n_sites; i++) {
        const Hct__Profile__Site *s = m->sites[i];

        if (s->n_frames > PROFILE_SITE_FRAMES)
            return err_set(err, EPROTO, "a call site of %zu frames",
                           s->n_frames);
        for (size_t f = 0; f < s->n_frames; f++)
            if (s->frames[f] >= m->n_frames)
                return err_set(err, EPROTO, "frame %u of %zu in a Profile",
                               s->frames[f], m->n_frames);
    }
    return 0;
}

static int check_tasks(const struct job *j, const struct job_node *at,
                       const Hct__Profile *m, struct err *err)
{
    for (size_t i = 0; i < m->n_tasks; i++) {
        const Hct__Profile__Task *t = m->tasks[i];
        const struct task *task = t->rank < j->ntasks ? &j->tasks[t->rank]
                                                      : NULL;

        if (!task || !job_has_on(j, task, at))
            return err_set(err, EPROTO, "costs of rank %u, which is not on "
                           "this node", t->rank);
        if (t->n_calls != t->n_site || t->n_in_ns != t->n_site ||
            t->n_out_ns != t->n_site || t->n_bytes != t->n_site ||
            t->n_max_ns != t->n_site)
            return err_set(err, EPROTO, "columns of different lengths in a "
                           "Profile");
        for (size_t k = 0; k < t->n_site; k++)
            if (t->site[k] >= m->n_sites)
                return err_set(err, EPROTO, "site %u of %zu in a Profile",
                               t->site[k], m->n_sites);
    }
    return 0;
}

static int check_names(const Hct__Profile *m, struct err *err)
{
    for (size_t i = 0; i < m->n_names; i++) {
        const Hct__Profile__Name *n = m->names[i];

        if (n->frame >= m->n_frames || n->depth >= PROFILE_DEPTH)
            return err_set(err, EPROTO, "frame %u of %zu, depth %u in a "
                           "Profile", n->frame, m->n_frames, n->depth);
        if (strlen(n->function) > PROFILE_TEXT ||
            strlen(n->file) > PROFILE_TEXT || strlen(n->note) > PROFILE_TEXT)
            return err_set(err, EPROTO, "a name in a Profile is too long");
    }
    return 0;
}

/* ------------------------------------------------------------ numbering */

struct digest { crypto_generichash_state state; };

static void digest_begin(struct digest *d, char kind)
{
    crypto_generichash_init(&d->state, NULL, 0, sizeof(uint64_t) * 2);
    crypto_generichash_update(&d->state, (const uint8_t *)&kind, 1);
}

static void digest_number(struct digest *d, uint64_t v)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    crypto_generichash_update(&d->state, bytes, sizeof(bytes));
}

static void digest_bytes(struct digest *d, const void *p, size_t n)
{
    digest_number(d, n);
    if (n)
        crypto_generichash_update(&d->state, p, n);
}

/* Never 0; exact also in programs whose numbers are doubles. */
static int64_t digest_end(struct digest *d)
{
    uint8_t out[16];
    uint64_t v = 0;

    crypto_generichash_final(&d->state, out, sizeof(out));
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)out[i] << 8 * i;
    v &= (1ull << 52) - 1;
    return v ? (int64_t)v : 1;
}

/* A file without a build id is that of this job alone: another job's may have
 * the same path and be another. */
static int64_t number_module(const Hct__Profile__Module *m, uint64_t job)
{
    struct digest d;

    digest_begin(&d, 'm');
    digest_bytes(&d, m->build_id.data, m->build_id.len);
    if (m->build_id.len == 0) {
        digest_bytes(&d, m->path, strlen(m->path));
        digest_number(&d, job);
    }
    return digest_end(&d);
}

static int64_t number_frame(const struct store_frame *f, uint64_t job)
{
    struct digest d;

    digest_begin(&d, 'f');
    digest_number(&d, (uint64_t)f->module);
    digest_number(&d, f->offset);
    if (!f->module)
        digest_number(&d, job);
    return digest_end(&d);
}

static int64_t number_site(const struct store_place *s)
{
    struct digest d;

    digest_begin(&d, 's');
    digest_number(&d, s->call);
    for (size_t i = 0; i < s->nframes; i++)
        digest_number(&d, (uint64_t)s->frames[i]);
    return digest_end(&d);
}

/* -------------------------------------------------------------- copying */

/* Texts of a batch, one after the other. */
static const char *keep_text(char **at, const char *text)
{
    size_t n = strlen(text) + 1;
    char *to = *at;

    if (n == 1)
        return NULL;
    memcpy(to, text, n);
    *at += n;
    return to;
}

static const char *keep_hex(char **at, const ProtobufCBinaryData *b)
{
    char *to = *at;

    if (b->len == 0)
        return NULL;
    sodium_bin2hex(to, 2 * b->len + 1, b->data, b->len);
    *at += 2 * b->len + 1;
    return to;
}

static size_t text_bytes(const Hct__Profile *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_modules; i++)
        n += strlen(m->modules[i]->path) + 1 +
             2 * m->modules[i]->build_id.len + 1;
    for (size_t i = 0; i < m->n_names; i++)
        n += strlen(m->names[i]->function) + strlen(m->names[i]->file) +
             strlen(m->names[i]->note) + 3;
    return n;
}

static void copy_places(struct store_profile *p, const Hct__Profile *m,
                        int64_t *lists, char **text)
{
    for (size_t i = 0; i < m->n_modules; i++)
        p->modules[i] = (struct store_module){
            .id = number_module(m->modules[i], m->job),
            .path = keep_text(text, m->modules[i]->path),
            .build_id = keep_hex(text, &m->modules[i]->build_id) };
    for (size_t i = 0; i < m->n_frames; i++) {
        uint32_t module = m->frames[i]->module;

        p->frames[i] = (struct store_frame){
            .module = module ? p->modules[module - 1].id : 0,
            .offset = m->frames[i]->offset };
        p->frames[i].id = number_frame(&p->frames[i], m->job);
    }
    for (size_t i = 0; i < m->n_sites; i++) {
        const Hct__Profile__Site *s = m->sites[i];

        p->sites[i] = (struct store_place){
            .call = s->call, .frames = lists, .nframes = s->n_frames };
        for (size_t f = 0; f < s->n_frames; f++)
            *lists++ = p->frames[s->frames[f]].id;
        p->sites[i].id = number_site(&p->sites[i]);
    }
}

static uint64_t bounded(uint64_t v)
{
    return v <= INT64_MAX ? v : INT64_MAX;
}

static void copy_costs(struct store_profile *p, const Hct__Profile *m)
{
    struct store_cost *to = p->costs;

    for (size_t i = 0; i < m->n_tasks; i++) {
        const Hct__Profile__Task *t = m->tasks[i];

        for (size_t k = 0; k < t->n_site; k++)
            *to++ = (struct store_cost){
                .rank = t->rank, .site = p->sites[t->site[k]].id,
                .calls = bounded(t->calls[k]), .in_ns = bounded(t->in_ns[k]),
                .out_ns = bounded(t->out_ns[k]),
                .bytes = bounded(t->bytes[k]),
                .max_ns = bounded(t->max_ns[k]) };
    }
}

static void copy_names(struct store_profile *p, const Hct__Profile *m,
                       char **text)
{
    for (size_t i = 0; i < m->n_names; i++) {
        const Hct__Profile__Name *n = m->names[i];

        p->names[i] = (struct store_source){
            .frame = p->frames[n->frame].id, .depth = n->depth,
            .line = n->line, .function = keep_text(text, n->function),
            .file = keep_text(text, n->file),
            .note = keep_text(text, n->note) };
    }
}

int profile_take(struct journal *jn, struct job *j, struct job_node *at,
                 const Hct__Profile *m, struct err *err)
{
    size_t lists = 0, costs = 0;
    struct journal_profile *b;
    char *text;

    if (check_places(m, err) || check_tasks(j, at, m, err) ||
        check_names(m, err))
        return -1;
    for (size_t i = 0; i < m->n_sites; i++)
        lists += m->sites[i]->n_frames;
    for (size_t i = 0; i < m->n_tasks; i++)
        costs += m->tasks[i]->n_site;
    b = journal_profile_create(&(struct store_profile){
        .nmodules = m->n_modules, .nframes = m->n_frames,
        .nsites = m->n_sites, .ncosts = costs, .nnames = m->n_names },
        lists, text_bytes(m));
    if (!b)
        return err_memory(err);
    text = b->text;
    copy_places(&b->rows, m, b->lists, &text);
    copy_costs(&b->rows, m);
    copy_names(&b->rows, m, &text);
    b->job = j;
    journal_costs(jn, b);
    return 0;
}
