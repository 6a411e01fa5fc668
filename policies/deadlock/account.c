/* account.c - which messages are under way, see account.h.
 *
 * Invariant: numbers are never too low. What cannot be told apart counts as
 * the message that is asked about. */
#include "policies/deadlock/account.h"

#include "policies/deadlock/graph.h"
#include "policies/deadlock/summands.h"

#define COUNT_OF(sum) ((uint32_t)((sum) & ((1u << HCT_MESSAGE_BITS) - 1)))

void account_index(const struct hct_snapshot *in, struct deadlock_rank *w)
{
    uint32_t a = 0, p = 0;
    bool all = in->naccounts == in->nranks;

    for (uint32_t r = 0; r < in->nranks; r++) {
        w[r].under_way = 0;
        w[r].sender = UINT32_MAX;
        w[r].sender_to = 0;
    }
    for (uint32_t i = 0; i < in->npairs; i++) {
        const struct hct_pair *k = hct_pair(in, i);

        if (k->rank >= in->nranks || k->peer >= in->nranks)
            continue;
        if (k->sent && w[k->peer].sender == UINT32_MAX)
            w[k->peer].sender = k->rank;
        if (k->sent)
            w[k->peer].sender_to = k->rank;
        w[k->peer].under_way += COUNT_OF(k->sent);
        w[k->rank].under_way -= COUNT_OF(k->received) + (uint32_t)k->blind;
    }
    for (uint32_t r = 0; r < in->nranks; r++) {
        while (a < in->naccounts && hct_account(in, a)->rank < r)
            a++;
        while (p < in->npairs && hct_pair(in, p)->rank < r)
            p++;
        w[r].account = a;
        w[r].pair = p;
        if (a < in->naccounts && hct_account(in, a)->rank == r)
            w[r].under_way -= (uint32_t)hct_account(in, a)->blind;
        w[r].under_way = COUNT_OF(w[r].under_way);
        if (!all)
            w[r].under_way = ACCOUNT_UNKNOWN;
    }
}

const struct hct_account *account_of(const struct hct_snapshot *in,
                                     const struct deadlock_rank *w, uint32_t r)
{
    uint32_t i = w[r].account;

    return i < in->naccounts && hct_account(in, i)->rank == r
               ? hct_account(in, i) : NULL;
}

bool account_near(const struct hct_snapshot *in, const struct deadlock_rank *w,
                  uint32_t a, uint32_t b)
{
    const struct hct_account *x = account_of(in, w, a);
    const struct hct_account *y = account_of(in, w, b);

    return x && y && x->node && x->node == y->node;
}

const struct hct_pair *account_pair(const struct hct_snapshot *in,
                                    const struct deadlock_rank *w, uint32_t r,
                                    uint32_t peer)
{
    uint32_t low = w[r].pair;
    uint32_t high = r + 1 < in->nranks ? w[r + 1].pair : in->npairs;

    while (low < high) {
        uint32_t i = low + (high - low) / 2;
        const struct hct_pair *k = hct_pair(in, i);

        if (k->rank == r && k->peer == peer)
            return k;
        if (k->rank < r || (k->rank == r && k->peer < peer))
            low = i + 1;
        else
            high = i;
    }
    return NULL;
}

/* One communicator has the same size for both, and two places for them. */
static bool may_be_one(const struct hct_comm *x, const struct hct_comm *y)
{
    return x->kind == y->kind &&
           (x->remote_size || y->remote_size ||
            (x->size == y->size && (x->local != y->local ||
                                    x->rank == y->rank)));
}

bool account_same(const struct hct_snapshot *in, const struct deadlock_rank *w,
                  uint32_t a, uint64_t comm, uint32_t b, uint64_t its)
{
    const struct hct_comm *x, *y;

    if (comm == its || comm == 0 || its == 0 ||
        ((comm | its) & HCT_COMM_LOCAL))
        return true;
    x = comm_of_id(in, w, a, comm);
    y = comm_of_id(in, w, b, its);
    return (!comm_of_id(in, w, a, its) || !comm_of_id(in, w, b, comm)) &&
           (!x || !y || may_be_one(x, y));
}

/* What is left over between two accounts, as sum and number; false: not all
 * that r has received is in its own. */
static bool left_over(const struct hct_snapshot *in,
                      const struct deadlock_rank *w, uint32_t s, uint32_t r,
                      uint64_t *sum, uint32_t *n)
{
    const struct hct_pair *from = account_pair(in, w, s, r);
    const struct hct_pair *at = account_pair(in, w, r, s);

    *sum = (from ? from->sent : 0) - (at ? at->received : 0);
    *n = COUNT_OF(*sum);
    if (at && at->blind && *n == at->blind)
        *sum = *n = 0;
    return !at || !at->blind;
}

uint32_t account_under_way(const struct hct_snapshot *in,
                           const struct deadlock_rank *w, uint32_t s,
                           uint32_t r, uint64_t comm, int32_t tag)
{
    uint64_t sum;
    uint32_t n;
    bool all;

    if (!account_of(in, w, s) || !account_of(in, w, r))
        return ACCOUNT_UNKNOWN;
    all = left_over(in, w, s, r, &sum, &n);
    if (sum == 0 || w[r].under_way == 0)
        return 0;
    return all ? summands_find(in, w, s, r, sum, n, comm, tag, false)
               : ACCOUNT_UNKNOWN;
}

uint32_t account_since(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t r,
                       const struct hct_request *q)
{
    const struct hct_pair *p = q->peer < 0 || !q->sent || !account_of(in, w, r)
        ? NULL : account_pair(in, w, r, (uint32_t)q->peer);
    uint64_t sum = p ? p->sent - q->sent : 0;

    if (!p)
        return ACCOUNT_UNKNOWN;
    return sum == 0 ? 0 : summands_find(in, w, r, (uint32_t)q->peer, sum,
                                   COUNT_OF(sum), q->comm, q->tag, true);
}

uint32_t account_exactly(const struct hct_snapshot *in,
                         const struct deadlock_rank *w, uint32_t s,
                         uint32_t r, uint64_t comm, int32_t tag)
{
    const struct hct_account *a = account_of(in, w, r);
    uint64_t sum;
    uint32_t n;

    bool all;

    if (!a || !account_of(in, w, s))
        return ACCOUNT_UNKNOWN;
    all = left_over(in, w, s, r, &sum, &n) && !a->unsure && !a->blind;
    if (sum == 0)
        return 0;
    return all ? summands_find(in, w, s, r, sum, n, comm, tag, true)
               : ACCOUNT_UNKNOWN;
}

bool account_untaken(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, uint32_t s, uint32_t r,
                     uint64_t comm, int32_t tag)
{
    const struct hct_account *a = account_of(in, w, r);
    const struct hct_pair *at = account_pair(in, w, r, s);

    if (!a || a->unsure || a->blind || (at && at->blind))
        return false;
    return !at || at->received == 0 ||
           summands_find(in, w, s, r, at->received, COUNT_OF(at->received),
                         comm, tag, true) == 0;
}

/* ----------------------------------------------------- who has not answered */

static bool is_in(const struct hct_snapshot *in, const struct deadlock_rank *w,
                  uint32_t r, uint64_t comm)
{
    return comm == HCT_COMM_WORLD || comm_of_id(in, w, r, comm);
}

/* How many more k->rank has sent to k->peer than came back. Who sends knows how
 * much that was; who receives may not know from whom. */
static int64_t owed(const struct hct_snapshot *in,
                    const struct deadlock_rank *w, const struct hct_pair *k)
{
    const struct hct_pair *back = account_pair(in, w, k->peer, k->rank);

    return (int64_t)COUNT_OF(k->sent) -
           (back ? (int64_t)COUNT_OF(back->sent) : 0);
}

int32_t account_owing(const struct hct_snapshot *in,
                      const struct deadlock_rank *w, uint32_t r,
                      uint64_t comm)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint32_t n = 0, at_least = 0, peer = 0;

    for (uint32_t i = w[r].pair; i < in->npairs && hct_pair(in, i)->rank == r;
         i++) {
        const struct hct_pair *k = hct_pair(in, i);
        int64_t more;

        if (k->peer >= in->nranks || k->peer == r || !k->sent)
            continue;
        more = owed(in, w, k);
        n++;
        if (more < least) {
            least = more;
            at_least = 0;
        }
        at_least += more == least;
        if (more > most) {
            most = more;
            peer = k->peer;
        }
    }
    if (n < 2 || at_least != n - 1 || most != least + 1 ||
        w[peer].state != DEADLOCK_BLOCKED || !is_in(in, w, peer, comm))
        return -1;
    return (int32_t)peer;
}
