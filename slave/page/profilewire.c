/* profilewire.c - Profile messages, written from the tables of an account. */
#include "slave/page/profilewire.h"

#include <stdlib.h>
#include <string.h>

#include "hct.pb-c.h"
#include "proto/base/array.h"

struct profilewire_task {
    uint32_t rank;
    size_t n;
    uint64_t *calls;            /* owned: the block with all columns */
    uint64_t *in_ns, *out_ns, *bytes, *max_ns;
    uint32_t *site;
};

struct profilewire_name {       /* texts borrowed from names */
    uint32_t frame, depth, line;
    const char *function, *file, *note;
};

/* ------------------------------------------------------------ numbering */

static int index_init(struct profilewire_index *x, size_t n)
{
    x->at = calloc(n + 1, sizeof(*x->at));
    x->v = calloc(n + 1, sizeof(*x->v));
    x->n = 0;
    return x->at && x->v ? 0 : -1;
}

static void index_fini(struct profilewire_index *x)
{
    free(x->at);
    free(x->v);
    *x = (struct profilewire_index){ 0 };
}

/* Its place; *fresh: it had none. */
static uint32_t place_of(struct profilewire_index *x, uint32_t number,
                         bool *fresh)
{
    *fresh = !x->at[number];
    if (*fresh) {
        x->v[x->n] = number;
        x->at[number] = (uint32_t)++x->n;
    }
    return x->at[number] - 1;
}

static uint32_t place_frame(struct profilewire *s, uint32_t number)
{
    uint32_t module = s->sites->frame[number].module;
    bool fresh;

    if (module)
        place_of(&s->module, module - 1, &fresh);
    return place_of(&s->frame, number, &fresh);
}

static uint32_t place_site(struct profilewire *s, uint32_t number)
{
    const struct site *p = &s->sites->site[number];
    bool fresh;
    uint32_t at = place_of(&s->site, number, &fresh);

    for (uint32_t i = 0; fresh && i < p->frames; i++)
        place_frame(s, p->frame[i]);
    return at;
}

/* --------------------------------------------------------------- filling */

void profilewire_init(struct profilewire *s, uint64_t job,
                      const struct sites *sites)
{
    *s = (struct profilewire){ .job = job, .sites = sites };
    s->failed = index_init(&s->module, sites->nmodules) ||
                index_init(&s->frame, sites->nframes) ||
                index_init(&s->site, sites->nsites);
}

void profilewire_fini(struct profilewire *s)
{
    for (size_t i = 0; i < s->ntasks; i++)
        free(s->task[i].calls);
    free(s->task);
    free(s->name);
    index_fini(&s->module);
    index_fini(&s->frame);
    index_fini(&s->site);
}

/* Room for the columns of n sites; the 64-bit ones lie first. */
static bool columns(struct profilewire_task *t, size_t n)
{
    uint64_t *block = malloc(n * (5 * sizeof(uint64_t) + sizeof(uint32_t)));

    if (!block)
        return false;
    t->calls = block;
    t->in_ns = block + n;
    t->out_ns = block + 2 * n;
    t->bytes = block + 3 * n;
    t->max_ns = block + 4 * n;
    t->site = (uint32_t *)(block + 5 * n);
    return true;
}

static struct profilewire_task *new_task(struct profilewire *s, size_t n)
{
    if (array_reserve(&s->task, &s->tasks_cap, s->ntasks + 1))
        return NULL;
    s->task[s->ntasks] = (struct profilewire_task){ .n = 0 };
    return columns(&s->task[s->ntasks], n) ? &s->task[s->ntasks] : NULL;
}

void profilewire_add_task(struct profilewire *s, uint32_t rank,
                          struct profile *p)
{
    struct profilewire_task *t;
    size_t news = 0;

    for (size_t i = 0; i < p->n; i++)
        news += profile_is_news(&p->cost[i]);
    if (!news || s->failed)
        return;
    t = new_task(s, news);
    if (!t) {
        s->failed = true;
        return;
    }
    t->rank = rank;
    for (size_t i = 0; i < p->n; i++) {
        struct profile_counters c = profile_sum(&p->cost[i]);

        if (!profile_is_news(&p->cost[i]))
            continue;
        t->site[t->n] = place_site(s, p->cost[i].site);
        t->calls[t->n] = c.calls;
        t->in_ns[t->n] = c.in_ns;
        t->out_ns[t->n] = c.out_ns;
        t->bytes[t->n] = c.bytes;
        t->max_ns[t->n++] = c.max_ns;
        profile_sent(&p->cost[i]);
    }
    s->ntasks++;
    s->ncosts += news;
}

size_t profilewire_add_names(struct profilewire *s, const struct names *names,
                             size_t first)
{
    size_t n = names->n - first;

    if (n > PROFILEWIRE_NAMES)
        n = PROFILEWIRE_NAMES;
    if (n == 0 || s->failed || s->name)
        return first;
    s->name = malloc(n * sizeof(*s->name));
    if (!s->name)
        return s->failed = true, first;
    for (; s->nnames < n; s->nnames++) {
        const struct name *is = &names->v[first + s->nnames];

        s->name[s->nnames] = (struct profilewire_name){
            .frame = place_frame(s, is->frame), .depth = is->depth,
            .line = is->line, .function = name_text(names, is->function),
            .file = name_text(names, is->file),
            .note = name_text(names, is->note) };
    }
    return first + n;
}

bool profilewire_is_empty(const struct profilewire *s)
{
    return s->ntasks == 0 && s->nnames == 0;
}

static bool is_full(const struct profilewire *s)
{
    return s->ncosts >= PROFILEWIRE_COSTS;
}

/* --------------------------------------------------------------- sending */

/* Arrays as protobuf-c wants them: things, and pointers to them. */
struct parts {
    Hct__Profile m;
    Hct__Profile__Module *module;
    Hct__Profile__Frame *frame;
    Hct__Profile__Site *site;
    Hct__Profile__Task *task;
    Hct__Profile__Name *name;
    uint32_t *site_frames;      /* of all sites, one after the other */
};

#define PARTS(x, what, count)                                           \
    (((x)->what = calloc((count) + 1, sizeof(*(x)->what))) &&            \
     ((x)->m.what##s = calloc((count) + 1, sizeof(void *))))

static bool parts_init(struct parts *x, const struct profilewire *s)
{
    *x = (struct parts){ .m = HCT__PROFILE__INIT };
    x->site_frames = calloc(s->site.n * PAGE_FRAMES + 1, sizeof(uint32_t));
    return x->site_frames && PARTS(x, module, s->module.n) &&
           PARTS(x, frame, s->frame.n) && PARTS(x, site, s->site.n) &&
           PARTS(x, task, s->ntasks) && PARTS(x, name, s->nnames);
}

static void parts_fini(struct parts *x)
{
    free(x->module);
    free(x->frame);
    free(x->site);
    free(x->task);
    free(x->name);
    free(x->site_frames);
    free(x->m.modules);
    free(x->m.frames);
    free(x->m.sites);
    free(x->m.tasks);
    free(x->m.names);
}

static void fill_places(struct parts *x, const struct profilewire *s)
{
    for (size_t i = 0; i < s->module.n; i++) {
        const struct sites_module *from = &s->sites->module[s->module.v[i]];
        Hct__Profile__Module *to = x->m.modules[i] = &x->module[i];

        hct__profile__module__init(to);
        to->path = (char *)from->path;
        to->build_id = (ProtobufCBinaryData){ from->id_bytes,
                                              (uint8_t *)from->id };
    }
    for (size_t i = 0; i < s->frame.n; i++) {
        const struct sites_frame *from = &s->sites->frame[s->frame.v[i]];
        Hct__Profile__Frame *to = x->m.frames[i] = &x->frame[i];

        hct__profile__frame__init(to);
        to->module = from->module ? s->module.at[from->module - 1] : 0;
        to->offset = from->offset;
    }
    for (size_t i = 0; i < s->site.n; i++) {
        const struct site *from = &s->sites->site[s->site.v[i]];
        Hct__Profile__Site *to = x->m.sites[i] = &x->site[i];

        hct__profile__site__init(to);
        to->call = from->call;
        to->frames = x->site_frames + i * PAGE_FRAMES;
        to->n_frames = from->frames;
        for (uint32_t f = 0; f < from->frames; f++)
            to->frames[f] = s->frame.at[from->frame[f]] - 1;
    }
    x->m.n_modules = s->module.n;
    x->m.n_frames = s->frame.n;
    x->m.n_sites = s->site.n;
}

static void fill_tasks(struct parts *x, const struct profilewire *s)
{
    for (size_t i = 0; i < s->ntasks; i++) {
        const struct profilewire_task *from = &s->task[i];
        Hct__Profile__Task *to = x->m.tasks[i] = &x->task[i];

        hct__profile__task__init(to);
        to->rank = from->rank;
        to->n_site = to->n_calls = to->n_in_ns = to->n_out_ns = from->n;
        to->n_bytes = to->n_max_ns = from->n;
        to->site = from->site;
        to->calls = from->calls;
        to->in_ns = from->in_ns;
        to->out_ns = from->out_ns;
        to->bytes = from->bytes;
        to->max_ns = from->max_ns;
    }
    x->m.n_tasks = s->ntasks;
}

static void fill_names(struct parts *x, const struct profilewire *s)
{
    for (size_t i = 0; i < s->nnames; i++) {
        const struct profilewire_name *from = &s->name[i];
        Hct__Profile__Name *to = x->m.names[i] = &x->name[i];

        hct__profile__name__init(to);
        to->frame = from->frame;
        to->depth = from->depth;
        to->line = from->line;
        to->function = (char *)from->function;
        to->file = (char *)from->file;
        to->note = (char *)from->note;
    }
    x->m.n_names = s->nnames;
}

int profilewire_send(const struct profilewire *s,
                     void (*send)(void *arg, const void *message), void *arg)
{
    struct parts x;
    bool good = !s->failed && parts_init(&x, s);

    if (good) {
        x.m.job = s->job;
        fill_places(&x, s);
        fill_tasks(&x, s);
        fill_names(&x, s);
        send(arg, &x.m);
    }
    if (!s->failed)
        parts_fini(&x);
    return good ? 0 : -1;
}

int profilewire_tell(const struct profilewire_of *o)
{
    size_t i = 0;
    bool more = true;
    int rc = 0;

    while (more) {
        struct profilewire s;
        size_t names_sent;

        profilewire_init(&s, o->job, o->sites);
        names_sent = profilewire_add_names(&s, o->names, *o->names_sent);
        for (; i < o->ntasks && !is_full(&s); i++) {
            uint32_t rank;
            struct profile *p = o->task(o->arg, i, &rank);

            profilewire_add_task(&s, rank, p);
        }
        more = !profilewire_is_empty(&s) && !s.failed;
        if (s.failed || (more && profilewire_send(&s, o->send, o->arg))) {
            rc = -1;
            more = false;
        } else {
            *o->names_sent = names_sent;
        }
        profilewire_fini(&s);
    }
    return rc;
}
