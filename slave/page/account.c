/* account.c - when the costs of calls are read and told, and their names. */
#include "slave/page/account.h"

#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/table/calls.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "slave/link/uplink.h"
#include "slave/page/profilewire.h"

#define INTERVAL_NS (5 * CLOCK_NS_PER_S)
#define INTERVAL_TASK_NS (3 * CLOCK_NS_PER_MS)  /* more, for each task */

void account_fini(struct account *a)
{
    names_fini(&a->names);
    sites_fini(&a->sites);
    *a = (struct account){ 0 };
}

struct telling { const struct account_of *o; struct tally *const *v; };

static struct profile *profile_of(void *arg, size_t i, uint32_t *rank)
{
    const struct telling *t = arg;

    *rank = t->v[i]->rank;
    return &t->v[i]->profile;
}

static void send_profile(void *arg, const void *message)
{
    const struct telling *t = arg;

    uplink_send(t->o->uplink, MESSAGE_PROFILE, message);
}

void account_tell(const struct account_of *o, struct tally *const *v,
                  size_t n)
{
    struct account *a = o->account;
    struct telling t = { o, v };

    for (size_t k = 0; k < n; k++)
        if (v[k]->page)
            profile_read(&v[k]->profile, v[k]->page, o->ticks,
                         &a->sites);
    if (profilewire_tell(&(struct profilewire_of){
            .job = o->job, .sites = &a->sites, .names = &a->names,
            .names_sent = &a->names_sent, .ntasks = n, .task = profile_of,
            .send = send_profile, .arg = &t })) {
        log_warn("account", "costs of calls are not told job=%llu: out of "
                 "memory", (unsigned long long)o->job);
        account_forget_sent(a, v, n);
    }
}

uint64_t account_interval_ns(uint32_t ntasks)
{
    return INTERVAL_NS + ntasks * INTERVAL_TASK_NS;
}

bool account_tick(const struct account_of *o, struct tally *const *v,
                  size_t n)
{
    struct account *a = o->account;
    uint64_t now_ns = clock_monotonic_ns();
    uint64_t interval_ns = account_interval_ns(o->ntasks);
    bool read = false;

    if (n == 0 || uplink_congested(o->uplink))
        return false;
    names_settled(&a->names, &a->sites);        /* ends one that hangs */
    if (a->due_ns == 0) {
        a->due_ns = now_ns + interval_ns / 4;
    } else if (now_ns >= a->due_ns) {
        a->due_ns = now_ns + interval_ns;
        account_tell(o, v, n);
        read = true;
        names_ask(&a->names, o->base, &a->sites, o->user, true);
    } else if (a->names_sent < a->names.n) {
        account_tell(o, NULL, 0);
    }
    return read;
}

bool account_close(const struct account_of *o)
{
    struct account *a = o->account;

    names_ask(&a->names, o->base, &a->sites, o->user, false);
    if (!names_settled(&a->names, &a->sites))
        return false;
    if (a->names_sent < a->names.n)
        account_tell(o, NULL, 0);
    return true;
}

uint32_t account_in(struct account *a, const char *page, uint32_t *call)
{
    struct state_module *modules = calloc(PAGE_MODULES, sizeof(*modules));
    struct state_thread v[PAGE_SLOTS];
    unsigned n = state_threads(page, v, PAGE_SLOTS), in = 0;
    struct state_site s;
    uint32_t site = SITES_NONE;

    for (unsigned i = 0; i < n; i++)
        if (v[i].call && (!v[in].call || v[i].call == CALL_Abort))
            in = i;
    *call = n ? v[in].call : 0;
    if (*call && modules && state_site(page, v[in].slot, v[in].site, &s) > 0)
        site = sites_find(&a->sites, &s, modules,
                          state_modules(page, modules, PAGE_MODULES));
    free(modules);
    return site == SITES_NONE ? 0 : site + 1;
}

/* What a frame is called, without what was inlined into it; NULL: nothing. */
static const struct name *name_of(const struct names *n, uint32_t frame)
{
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].frame == frame && n->v[i].depth == 0)
            return &n->v[i];
    return NULL;
}

void account_place(const struct account *a, uint32_t site, struct str *to)
{
    const struct site *s = site ? &a->sites.site[site - 1] : NULL;
    const struct name *name = NULL;
    const char *file, *slash;

    for (uint32_t i = 0; s && i < s->frames && !(name && name->line); i++) {
        const struct name *is = name_of(&a->names, s->frame[i]);

        if (is && (!name || is->line))
            name = is;          /* the innermost one that has a line */
    }
    if (!name)
        return;
    file = name_text(&a->names, name->file);
    slash = strrchr(file, '/');
    str_addf(to, "in %s", name_text(&a->names, name->function));
    if (name->line)
        str_addf(to, " (%s:%u)", slash ? slash + 1 : file, name->line);
}

void account_end(struct tally *w)
{
    const struct page_header *h = (const struct page_header *)w->page;

    if (h && !w->profile.end_ticks)
        w->profile.end_ticks = ticks_now(
            atomic_load_explicit(&h->clock, memory_order_relaxed));
}

void account_forget_sent(struct account *a, struct tally *const *v, size_t n)
{
    a->names_sent = 0;
    for (size_t i = 0; i < n; i++)
        profile_forget_sent(&v[i]->profile);
}
