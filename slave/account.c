/* account.c - when the costs of calls are read and told, and their names. */
#include "slave/account.h"

#include "mpi-wrappers/page.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "slave/statement.h"

#define INTERVAL_NS (5 * CLOCK_NS_PER_S)
#define INTERVAL_TASK_NS (3 * CLOCK_NS_PER_MS)  /* more, for each task */

void account_fini(struct account *a)
{
    names_fini(&a->names);
    sites_fini(&a->sites);
    *a = (struct account){ 0 };
}

static void send_profile(void *arg, const void *message)
{
    const struct node *node = arg;

    uplink_send(node->uplink, MESSAGE_PROFILE, message);
}

/* Messages of a bounded size each, until all is told. */
void account_tell(const struct account_of *o, struct watch *const *v,
                  size_t n)
{
    struct account *a = o->account;
    size_t i = 0;
    bool more = true;

    for (size_t k = 0; k < n; k++)
        if (v[k]->page)
            profile_read(&v[k]->profile, v[k]->page, &o->node->ticks,
                         &a->sites);
    while (more) {
        struct statement s;
        size_t names_sent;

        statement_init(&s, o->job, &a->sites);
        names_sent = statement_add_names(&s, &a->names, a->names_sent);
        for (; i < n && !statement_is_full(&s); i++)
            statement_add_task(&s, v[i]->rank, &v[i]->profile);
        more = !statement_is_empty(&s) && !s.failed;
        if (s.failed || (more && statement_send(&s, send_profile,
                                               (void *)(uintptr_t)o->node))) {
            log_warn("account", "costs of calls are not told job=%llu: out "
                     "of memory", (unsigned long long)o->job);
            account_forget_sent(a, v, n);
            more = false;
        } else {
            a->names_sent = names_sent;
        }
        statement_fini(&s);
    }
}

void account_tick(const struct account_of *o, struct watch *const *v,
                  size_t n)
{
    struct account *a = o->account;
    uint64_t now_ns = clock_monotonic_ns();
    uint64_t interval_ns = INTERVAL_NS + o->ntasks * INTERVAL_TASK_NS;

    if (n == 0 || uplink_congested(o->node->uplink))
        return;
    names_settled(&a->names, &a->sites);        /* ends one that hangs */
    if (a->due_ns == 0) {
        a->due_ns = now_ns + interval_ns / 4;
    } else if (now_ns >= a->due_ns) {
        a->due_ns = now_ns + interval_ns;
        account_tell(o, v, n);
        names_ask(&a->names, o->node->base, &a->sites, o->user, true);
    } else if (a->names_sent < a->names.n) {
        account_tell(o, NULL, 0);
    }
}

bool account_close(const struct account_of *o)
{
    struct account *a = o->account;

    names_ask(&a->names, o->node->base, &a->sites, o->user, false);
    if (!names_settled(&a->names, &a->sites))
        return false;
    if (a->names_sent < a->names.n)
        account_tell(o, NULL, 0);
    return true;
}

void account_end(struct watch *w)
{
    const struct page_header *h = (const struct page_header *)w->page;

    if (h && !w->profile.end_ticks)
        w->profile.end_ticks = ticks_now(
            atomic_load_explicit(&h->clock, memory_order_relaxed));
}

void account_forget_sent(struct account *a, struct watch *const *v, size_t n)
{
    a->names_sent = 0;
    for (size_t i = 0; i < n; i++)
        profile_forget_sent(&v[i]->profile);
}
