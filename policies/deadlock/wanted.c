/* wanted.c - see wanted.h. */
#include "policies/deadlock/wanted.h"

#include "policies/deadlock/account.h"
#include "policies/deadlock/graph.h"

static bool fits(int32_t peer, int32_t its_tag, uint32_t from, int32_t tag)
{
    return (peer == (int32_t)from || peer == HCT_ANY || peer == HCT_UNKNOWN) &&
           (its_tag == tag || its_tag < 0 || tag < 0);
}

static bool by_call(const struct hct_snapshot *in,
                    const struct deadlock_rank *w, uint32_t x, uint32_t from,
                    uint64_t comm, int32_t tag)
{
    const struct hct_rank *k = hct_rank(in, x);
    const struct hct_account *a = account_of(in, w, x);
    enum hct_class class_ = hct_call(in, k->call)->class_;
    bool both = class_ == HCT_CLASS_SENDRECV;

    return (both || class_ == HCT_CLASS_RECV || class_ == HCT_CLASS_PROBE) &&
           fits(both ? k->source : k->peer,
                !both ? k->tag : a ? a->source_tag : HCT_UNKNOWN, from, tag) &&
           account_same(in, w, x, k->comm, from, comm);
}

bool wanted(const struct hct_snapshot *in, const struct deadlock_rank *w,
            uint32_t x, bool in_call, uint32_t from, uint64_t comm,
            int32_t tag)
{
    const struct hct_request *q;

    if (in_call && by_call(in, w, x, from, comm, tag))
        return true;
    for (uint32_t i = w[x].request; (q = request_of(in, i, x)); i++)
        if (!q->idle && hct_call(in, q->call)->class_ == HCT_CLASS_RECV &&
            fits(q->peer, q->tag, from, tag) &&
            account_same(in, w, x, q->comm, from, comm))
            return true;
    return false;
}

/* ----------------------------------------------- what nobody has asked for */

static bool has_sent(const struct hct_snapshot *in, const struct hct_flight *f,
                     uint32_t to)
{
    const struct hct_call *c = hct_call(in, f->call);

    return !(c->flags & HCT_CALL_PERSISTENT) &&
           (c->class_ == HCT_CLASS_SEND || c->class_ == HCT_CLASS_SENDRECV) &&
           f->peer == (int32_t)to;
}

/* Is a message like that under way, which r does not want? */
static bool is_unwanted(const struct hct_snapshot *in,
                        const struct deadlock_rank *w, uint32_t s, uint32_t r,
                        const struct wanted_not *u)
{
    uint32_t n;

    if (u->comm == 0 || u->tag < 0 || wanted(in, w, r, true, s, u->comm, u->tag))
        return false;
    n = account_exactly(in, w, s, r, u->comm, u->tag);
    return n > 0 && n != ACCOUNT_UNKNOWN;
}

/* What it sends by the call that it is in; one by MPI_Send is named where it
 * waits for its receiver. */
static bool by_its_call(const struct hct_snapshot *in,
                        const struct deadlock_rank *w, uint32_t s, uint32_t r,
                        struct wanted_not *u)
{
    const struct hct_rank *k = hct_rank(in, s);

    *u = (struct wanted_not){ k->comm, k->tag, k->site };
    return (k->flags & HCT_IN_MPI) && k->peer == (int32_t)r &&
           hct_call(in, k->call)->class_ == HCT_CLASS_SENDRECV &&
           is_unwanted(in, w, s, r, u);
}

bool wanted_instead(const struct hct_snapshot *in,
                    const struct deadlock_rank *w, uint32_t s, uint32_t r,
                    struct wanted_not *u)
{
    uint32_t first = w[s].flight, end = first;

    if (by_its_call(in, w, s, r, u))
        return true;
    while (flight_of(in, end, s))
        end++;
    while (end-- > first) {
        const struct hct_flight *f = flight_of(in, end, s);

        *u = (struct wanted_not){ f->comm, f->tag, f->site };
        if (has_sent(in, f, r) && is_unwanted(in, w, s, r, u))
            return true;
    }
    return false;
}
