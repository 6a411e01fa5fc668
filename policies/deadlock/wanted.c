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
