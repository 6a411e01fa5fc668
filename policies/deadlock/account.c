/* account.c - which messages are under way, see account.h.
 *
 * Invariant: numbers are never too low. What cannot be told apart counts as
 * the message that is asked about. */
#include "policies/deadlock/account.h"

#include <string.h>

#include "policies/deadlock/graph.h"

#define COUNT_OF(sum) ((uint32_t)((sum) & ((1u << HCT_MESSAGE_BITS) - 1)))

enum {
    KEYS = 16,                  /* messages that are tried */
    FEW = 4,                    /* of all kinds together */
    TRIED = 256,                /* so many of each kind at most */
    TAGS = 256,                 /* the low ones, that are tried, too */
    TRIES = 1 << 17,            /* of as many one is right by chance in 10^8 */
};

/* Messages that may be under way: each a communicator with a tag. */
struct keys {
    struct { uint64_t comm, sum; int32_t tag; bool same; } v[KEYS];
    unsigned n;
};

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

static const struct hct_pair *pair_of(const struct hct_snapshot *in,
                                      const struct deadlock_rank *w,
                                      uint32_t r, uint32_t peer)
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

/* ------------------------------------------------------- trying them out */

static void add_key(struct keys *k, uint64_t comm, int32_t tag)
{
    if (comm == 0 || tag < 0)
        return;
    for (unsigned i = 0; i < k->n; i++)
        if (k->v[i].comm == comm && k->v[i].tag == tag)
            return;
    if (k->n == KEYS)
        return;
    k->v[k->n].comm = comm;
    k->v[k->n].tag = tag;
    k->v[k->n++].sum = hct_message(comm, tag);
}

static bool sends(const struct hct_snapshot *in, uint32_t call)
{
    enum hct_class c = hct_call(in, call)->class_;

    return c == HCT_CLASS_SEND || c == HCT_CLASS_SENDRECV;
}

/* ... or has begun to, by MPI_Start, of which the partner is known if it
 * does. */
static bool has_sent(const struct hct_snapshot *in, uint32_t call)
{
    return sends(in, call) ||
           strncmp(hct_call(in, call)->name, "MPI_Start", 9) == 0;
}

/* What s has to do with r, the latest first; and what r asks for. */
static void find_keys(struct keys *k, const struct hct_snapshot *in,
                      const struct deadlock_rank *w, uint32_t s, uint32_t r)
{
    const struct hct_rank *rank = hct_rank(in, s);
    const struct hct_pair *p = pair_of(in, w, s, r);
    const struct hct_request *q;
    uint32_t first = w[s].flight, end = first;

    if (p)
        add_key(k, p->last_comm, p->last_tag);
    if ((rank->flags & HCT_IN_MPI) && sends(in, rank->call) &&
        rank->peer == (int32_t)r)
        add_key(k, rank->comm, rank->tag);
    for (uint32_t i = w[s].request; (q = request_of(in, i, s)); i++)
        if (sends(in, q->call) && q->peer == (int32_t)r)
            add_key(k, q->comm, q->tag);
    while (flight_of(in, end, s))
        end++;
    while (end-- > first) {
        const struct hct_flight *f = flight_of(in, end, s);

        if (has_sent(in, f->call) && f->peer == (int32_t)r)
            add_key(k, f->comm, f->tag);
    }
    for (uint32_t i = w[r].request; (q = request_of(in, i, r)); i++)
        if (hct_call(in, q->call)->class_ == HCT_CLASS_RECV &&
            (q->peer == (int32_t)s || q->peer == HCT_ANY))
            add_key(k, q->comm, q->tag);
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

static bool fits(const struct keys *k, unsigned i, uint64_t comm, int32_t tag)
{
    return (k->v[i].comm == comm || k->v[i].same) &&
           (tag < 0 || k->v[i].tag == tag);
}

/* Of all answers the greatest: they differ only if two sums are the same by
 * chance. */
struct answer { bool found; uint32_t most; };

static void add_answer(struct answer *a, uint32_t fit)
{
    a->found = true;
    a->most = fit > a->most ? fit : a->most;
}

/* n messages of one kind or two. */
static void try_two(struct answer *to, const struct keys *k, uint64_t sum,
                    uint32_t n, uint64_t comm, int32_t tag)
{
    for (unsigned a = 0; a < k->n; a++)
        for (unsigned b = a; b < k->n; b++) {
            uint64_t rest = sum - n * k->v[b].sum;
            uint64_t step = k->v[a].sum - k->v[b].sum;

            for (uint32_t i = 0; i <= n; i++)
                if (rest == i * step)
                    add_answer(to, (fits(k, a, comm, tag) ? i : 0) +
                                   (fits(k, b, comm, tag) ? n - i : 0));
        }
}

/* Few messages, of kinds from the first-th on; fit of those before them. */
static void try_few(struct answer *to, const struct keys *k, uint64_t sum,
                    uint32_t n, uint64_t comm, int32_t tag, unsigned first,
                    uint32_t fit)
{
    if (n == 0 && sum == 0)
        add_answer(to, fit);
    for (unsigned i = first; n > 0 && i < k->n; i++)
        try_few(to, k, sum - k->v[i].sum, n - 1, comm, tag, i,
                fit + fits(k, i, comm, tag));
}

/* sum is that of n messages: how many of them fit? */
static uint32_t tell_apart(const struct keys *k, uint64_t sum, uint32_t n,
                           uint64_t comm, int32_t tag)
{
    struct answer a = { .found = false };

    if (n <= FEW)
        try_few(&a, k, sum, n, comm, tag, 0, 0);
    else
        try_two(&a, k, sum, n, comm, tag);
    return a.found ? a.most : ACCOUNT_UNKNOWN;
}

/* What is left over between two accounts, as sum and number; false: not all
 * that r has received is in its own. */
static bool left_over(const struct hct_snapshot *in,
                      const struct deadlock_rank *w, uint32_t s, uint32_t r,
                      uint64_t *sum, uint32_t *n)
{
    const struct hct_pair *from = pair_of(in, w, s, r);
    const struct hct_pair *at = pair_of(in, w, r, s);

    *sum = (from ? from->sent : 0) - (at ? at->received : 0);
    *n = COUNT_OF(*sum);
    if (at && at->blind && *n == at->blind)
        *sum = *n = 0;
    return !at || !at->blind;
}

/* What is asked about messages to r. */
struct question { uint64_t comm; int32_t tag; uint32_t r; bool exact; };

static bool is_same(const struct hct_snapshot *in,
                    const struct deadlock_rank *w, uint32_t s, uint64_t comm,
                    struct question ask)
{
    return !ask.exact && account_same(in, w, s, comm, ask.r, ask.comm);
}

/* n messages, of which one or all but one are of the kind behind those in k, and
 * the others of one kind; or of three one, and the others of two kinds. */
static void try_with(struct answer *to, struct keys *k, uint64_t sum, uint32_t n,
                     uint64_t comm, int32_t tag, uint32_t *tries)
{
    unsigned mine = k->n - 1;
    uint32_t new = fits(k, mine, comm, tag);

    for (unsigned b = 0; b <= mine; b++) {
        uint32_t old = fits(k, b, comm, tag);

        if (sum == k->v[mine].sum + (n - 1) * k->v[b].sum)
            add_answer(to, new + (n - 1) * old);
        if (sum == (n - 1) * k->v[mine].sum + k->v[b].sum)
            add_answer(to, (n - 1) * new + old);
        for (unsigned c = 0; n == 3 && c < b; c++)
            if (sum == k->v[mine].sum + k->v[b].sum + k->v[c].sum)
                add_answer(to, new + old + fits(k, c, comm, tag));
        *tries += n == 3 ? 2 + b : 2;
    }
}

/* Messages of a kind that nobody remembers: with a low tag, on any communicator
 * of its sender's. One of these, or one of another kind besides. */
static uint32_t try_others(const struct hct_snapshot *in,
                           const struct deadlock_rank *w, struct keys *k,
                           uint32_t s, uint64_t sum, uint32_t n,
                           struct question ask)
{
    struct answer a = { .found = false };
    const struct hct_comm *c;
    unsigned mine = k->n;
    uint32_t tries = 0;

    if (mine == KEYS)
        return ACCOUNT_UNKNOWN;
    for (uint32_t i = w[s].comm;
         tries <= TRIES && (c = comm_of_rank(in, i, s)); i++)
        for (int32_t tag = 0; tag < TAGS && c->kind == HCT_KIND_COMM; tag++) {
            k->n = mine;
            add_key(k, c->id, tag);
            if (k->n == mine)
                continue;
            k->v[mine].same = is_same(in, w, s, c->id, ask);
            try_with(&a, k, sum, n, ask.comm, ask.tag, &tries);
        }
    k->n = mine;
    return a.found && tries <= TRIES ? a.most : ACCOUNT_UNKNOWN;
}

static uint32_t find_out(const struct hct_snapshot *in,
                         const struct deadlock_rank *w, uint32_t s, uint32_t r,
                         uint64_t sum, uint32_t n, uint64_t comm, int32_t tag,
                         bool exact)
{
    struct question ask = { comm, tag, r, exact };
    struct keys keys = { .n = 0 };
    uint32_t found;

    if (n == 0 || n > TRIED)
        return ACCOUNT_UNKNOWN;
    add_key(&keys, comm, tag);
    find_keys(&keys, in, w, s, r);
    for (unsigned i = 0; i < keys.n; i++)
        keys.v[i].same = is_same(in, w, s, keys.v[i].comm, ask);
    found = tell_apart(&keys, sum, n, comm, tag);
    return found != ACCOUNT_UNKNOWN ? found
                                    : try_others(in, w, &keys, s, sum, n, ask);
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
    return all ? find_out(in, w, s, r, sum, n, comm, tag, false)
               : ACCOUNT_UNKNOWN;
}

uint32_t account_since(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t r,
                       const struct hct_request *q)
{
    const struct hct_pair *p = q->peer < 0 || !q->sent || !account_of(in, w, r)
        ? NULL : pair_of(in, w, r, (uint32_t)q->peer);
    uint64_t sum = p ? p->sent - q->sent : 0;

    if (!p)
        return ACCOUNT_UNKNOWN;
    return sum == 0 ? 0 : find_out(in, w, r, (uint32_t)q->peer, sum,
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
    return all ? find_out(in, w, s, r, sum, n, comm, tag, true)
               : ACCOUNT_UNKNOWN;
}

bool account_nothing(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, uint32_t s, uint32_t r)
{
    const struct hct_account *a = account_of(in, w, r);
    const struct hct_pair *at = pair_of(in, w, r, s);

    return a && !a->unsure && !a->blind &&
           (!at || (at->received == 0 && at->blind == 0));
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
    const struct hct_pair *back = pair_of(in, w, k->peer, k->rank);

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
