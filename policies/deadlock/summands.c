/* summands.c - which messages make up a sum, see summands.h.
 *
 * They are found by trying: those that the sender has sent last, the one that is
 * asked about, those that the receiver asks for, and at last one kind more, with
 * any low tag. */
#include "policies/deadlock/summands.h"

#include <string.h>

#include "policies/deadlock/account.h"
#include "policies/deadlock/graph.h"

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
    const struct hct_pair *p = account_pair(in, w, s, r);
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

uint32_t summands_find(const struct hct_snapshot *in,
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
