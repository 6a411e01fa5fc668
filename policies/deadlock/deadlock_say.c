/* deadlock_say.c - a deadlock in words: who waits for whom, in which call. */
#include "policies/deadlock/deadlock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "policies/deadlock/account.h"
#include "policies/deadlock/graph.h"
#include "policies/deadlock/parcels.h"
#include "policies/deadlock/wanted.h"
#include "policies/lib/words.h"

enum { LINES = 12, CYCLE = 64 };

struct cycle {
    uint32_t rank[CYCLE];
    uint32_t n;                 /* of them in the cycle, or on the way: then the
                                   last is its end */
    bool closed;                /* the last one waits for the first one */
};

/* Two have made one call in ways that do not fit. */
static bool is_mistake(const struct deadlock_rank *w, uint32_t r)
{
    return w[r].why == DEADLOCK_MISMATCH || w[r].why == DEADLOCK_ROOT ||
           w[r].why == DEADLOCK_AMOUNT || w[r].why == DEADLOCK_PARCELS;
}

static bool ends_here(const struct deadlock_rank *w, uint32_t r)
{
    return w[r].state != DEADLOCK_BLOCKED || is_mistake(w, r);
}

/* From one rank on, to whom it waits for, until it comes back or ends: of a long
 * way the end, which is why all of them wait. False: it leads to where another
 * one has been. */
static bool walk(struct deadlock_rank *w, uint32_t from, struct cycle *c)
{
    uint32_t r = from, n = 0;
    bool seen;

    for (; !w[r].mark && !ends_here(w, r); n++) {
        w[r].mark = 1;
        r = (uint32_t)w[r].to;
    }
    seen = w[r].mark == 2;
    for (uint32_t at = from; w[at].mark == 1; at = (uint32_t)w[at].to)
        w[at].mark = 2;
    if (seen)
        return false;
    *c = (struct cycle){ .closed = !ends_here(w, r) };
    if (c->closed) {            /* r is in the cycle */
        uint32_t at = r;

        do {
            if (c->n < CYCLE)
                c->rank[c->n++] = at;
            at = (uint32_t)w[at].to;
        } while (at != r);
        return true;
    }
    for (; n >= LINES; n--)
        from = (uint32_t)w[from].to;
    for (; from != r; from = (uint32_t)w[from].to)
        c->rank[c->n++] = from;
    c->rank[c->n++] = r;
    return true;
}

/* Who takes a message from anybody waits for the one that owes an answer. */
static void wait_for_owing(const struct hct_snapshot *in,
                           struct deadlock_rank *w)
{
    for (uint32_t r = 0; r < in->nranks; r++) {
        const struct hct_rank *k = hct_rank(in, r);
        const struct hct_request *q = w[r].by < in->nrequests
            ? hct_request(in, w[r].by) : NULL;
        bool both = hct_call(in, k->call)->class_ == HCT_CLASS_SENDRECV;
        int32_t s, from = q ? q->peer : both ? k->source : k->peer;

        if (w[r].state != DEADLOCK_BLOCKED || from != HCT_ANY ||
            (w[r].why != DEADLOCK_RECV && w[r].why != DEADLOCK_PROBE))
            continue;
        s = account_owing(in, w, r, q ? q->comm : k->comm);
        if (s >= 0)
            w[r].to = s;
    }
}

/* The best one to tell: an error of the program's first, then a task that waits
 * for itself alone, then a cycle, then what leads to a task that has ended. */
static void choose(const struct hct_snapshot *in, struct deadlock_rank *w,
                   struct cycle *best)
{
    int best_is = -1;

    for (uint32_t r = 0; r < in->nranks; r++)
        w[r].mark = 0;
    for (uint32_t r = 0; r < in->nranks; r++) {
        struct cycle c;
        int is;

        if (w[r].state != DEADLOCK_BLOCKED)
            continue;
        is = is_mistake(w, r) ? 3 : w[r].to == (int32_t)r ? 2 : 0;
        if (is ? is <= best_is : best_is >= 1 || w[r].mark)
            continue;
        w[r].mark = 0;
        if (!walk(w, r, &c))
            continue;
        if (is == 0 && c.closed)
            is = 1;
        if (is > best_is) {
            best_is = is;
            *best = c;
        }
        if (best_is == 3)
            break;
    }
    for (uint32_t r = 0; r < in->nranks; r++)
        w[r].mark = 0;
}

static uint64_t comm_of(const struct hct_snapshot *in,
                        const struct deadlock_rank *w, uint32_t r, uint64_t *n)
{
    if (w[r].by < in->nrequests) {
        *n = hct_request(in, w[r].by)->collective;
        return hct_request(in, w[r].by)->comm;
    }
    *n = hct_rank(in, r)->collective;
    return hct_rank(in, r)->comm;
}

/* Where it is now shows the main thread; its call may be another one's. */
static uint32_t here(const struct hct_rank *k)
{
    return k->level >= HCT_LEVEL_SERIALIZED ? k->site : 0;
}

/* What a rank did as collective call n on a communicator, and where: it may wait for
 * that call's request since, in another one. */
struct entered {
    uint32_t call, site;        /* 0: not known; site also: where it is now */
    int32_t root;
};

static struct entered entered(const struct hct_snapshot *in,
                              const struct deadlock_rank *w, uint32_t rank,
                              uint64_t comm, uint64_t n)
{
    struct entered e = { .root = HCT_UNKNOWN };
    const struct hct_rank *k = hct_rank(in, rank);
    const struct hct_request *q;
    const struct hct_flight *f;

    e.call = deadlock_call(in, w, rank, comm, n, &e.root);
    e.site = here(k);
    if ((k->flags & HCT_IN_MPI) && k->comm == comm && k->collective == n &&
        k->call == e.call)
        return e;
    e.site = 0;
    for (uint32_t i = w[rank].request; (q = request_of(in, i, rank)); i++)
        if (q->comm == comm && q->collective == n && q->call == e.call)
            e.site = q->site;
    for (uint32_t i = w[rank].flight; !e.site && (f = flight_of(in, i, rank));
         i++)
        if (f->comm == comm && f->collective == n && f->call == e.call)
            e.site = f->site;
    return e;
}

static bool is_inter(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, uint32_t rank,
                     uint64_t comm)
{
    for (uint32_t i = w[rank].comm; i < in->ncomms; i++) {
        const struct hct_comm *c = hct_comm(in, i);

        if (c->rank != rank)
            break;
        if (c->id == comm)
            return c->remote_size > 0;
    }
    return false;
}

static bool differ(const struct hct_snapshot *in, const struct entered *a,
                   const struct entered *b, bool roots)
{
    if (!a->call || !b->call ||
        ((hct_call(in, a->call)->flags | hct_call(in, b->call)->flags) &
         HCT_CALL_PART))
        return false;
    if (a->call != b->call)
        return true;
    return roots && (hct_call(in, a->call)->flags & HCT_CALL_ROOTED) &&
           a->root >= 0 && b->root >= 0 && a->root != b->root;
}

/* The first call on a communicator, of those that are remembered and before
 * the n-th, that two ranks have made in different ways: both may well have got
 * through it. 0: there is none. */
static uint64_t first_different(const struct hct_snapshot *in,
                                const struct deadlock_rank *w, uint32_t a,
                                uint32_t b, uint64_t comm, uint64_t n)
{
    bool roots = !is_inter(in, w, a, comm);
    uint64_t first = 0;

    for (uint32_t i = w[a].flight; i < in->nflights; i++) {
        const struct hct_flight *f = hct_flight(in, i);
        struct entered x, y;

        if (f->rank != a)
            break;
        if (f->comm != comm || !f->collective || f->collective >= n ||
            (first && f->collective > first))
            continue;
        x = entered(in, w, a, comm, f->collective);
        y = entered(in, w, b, comm, f->collective);
        if (differ(in, &x, &y, roots))
            first = f->collective;
    }
    return first;
}

/* Two ranks that have made one call in different ways. */
static void say_different(const struct hct_snapshot *in,
                          const struct deadlock_rank *w, uint32_t a,
                          uint32_t b, uint64_t comm, uint64_t n,
                          struct hct_out *out)
{
    const uint32_t ranks[] = { a, b };
    char name[WORDS_COMM], root[32], as[128];

    words_comm(name, in, a, comm);
    for (int i = 0; i < 2; i++) {
        struct entered e = entered(in, w, ranks[i], comm, n);

        if (i == 0)
            snprintf(as, sizeof(as), "collective call %" PRIu64 " of %s, the "
                     "first one that differs", n, name);
        else
            snprintf(as, sizeof(as), "the same call");
        root[0] = '\0';
        if ((hct_call(in, e.call)->flags & HCT_CALL_ROOTED) && e.root >= 0)
            snprintf(root, sizeof(root), " with root %" PRId32, e.root);
        words_line(out, (int32_t)ranks[i], "rank %" PRIu32 " entered %s%s as "
                   "%s", ranks[i], hct_call(in, e.call)->name, root, as);
        words_places(out, e.site, 0);
    }
}

/* Why nothing comes of r, which is not blocked, for the one that waits. */
static void end_line(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, uint32_t r,
                     uint32_t waiter, struct hct_out *out)
{
    const struct hct_rank *k = hct_rank(in, r);
    char comm[WORDS_COMM];
    uint64_t n, id = comm_of(in, w, waiter, &n);

    if (w[r].state == DEADLOCK_FREE)
        words_line(out, (int32_t)r, "rank %" PRIu32 " has freed %s", r,
                   words_comm(comm, in, waiter, id));
    else if (words_fate(in, r))
        words_line(out, (int32_t)r, "rank %" PRIu32 " %s", r, words_fate(in, r));
    else
        words_line(out, (int32_t)r, k->life == HCT_LIFE_FINALIZE
            ? "rank %" PRIu32 " is in MPI_Finalize: it will send and receive "
              "nothing more" : "rank %" PRIu32 " has ended MPI", r);
}

/* Of MPI_Intercomm_create the leaders know the communicator, the others do not. */
static void meeting_line(const struct hct_snapshot *in, uint32_t r, int32_t to,
                         struct hct_out *out)
{
    const struct hct_rank *k = hct_rank(in, r);
    const char *call = hct_call(in, k->call)->name;
    const struct hct_meeting *m = meeting_of(in, r);
    char comm[WORDS_COMM];

    if (!m) {
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s for rank %"
                   PRId32 ", the leader of its group", r, call, to);
        return;
    }
    words_comm(comm, in, r, m->comm);
    if (strcmp(call, "MPI_Intercomm_create") == 0)
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s for rank %"
                   PRId32 ", the leader of the other group (tag %" PRId32
                   ", %s)", r, call, to, m->tag, comm);
    else
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s for rank %"
                   PRId32 ", which has not entered it for this group (tag %"
                   PRId32 ", %s)", r, call, to, m->tag, comm);
}

enum { AMOUNT = 40 };
static const char *with_amount(const struct hct_snapshot *in,
                               const struct deadlock_rank *w, uint32_t r,
                               uint64_t comm, uint64_t n, char to[AMOUNT])
{
    uint64_t bytes;

    if (deadlock_amount(in, w, r, comm, n, &bytes))
        snprintf(to, AMOUNT, " with %" PRIu64 " byte%s", bytes,
                 bytes == 1 ? "" : "s");
    return to;
}

/* ", and takes 400 bytes more from rank 1 than that gives" */
enum { PARCELS = 80 };
static const char *with_parcels(const struct hct_snapshot *in, uint32_t r,
                                uint64_t comm, uint64_t n, char to[PARCELS])
{
    struct parcels p;
    bool gives;
    uint64_t bytes;

    *to = '\0';
    if (!parcels_differ(in, comm, n, &p) || p.from < 0)
        return to;
    gives = p.from == (int32_t)r;
    bytes = p.bytes < 0 ? -(uint64_t)p.bytes : (uint64_t)p.bytes;
    snprintf(to, PARCELS, ", and %s %" PRIu64 " byte%s %s %s rank %" PRId32
             " than that %s", gives ? "gives" : "takes", bytes,
             bytes == 1 ? "" : "s", gives == (p.bytes > 0) ? "more" : "less",
             gives ? "to" : "from", gives ? p.to : p.from,
             gives ? "takes" : "gives");
    return to;
}

/* Who waits for a message: what has its sender sent it instead? */
static bool find_unwanted(const struct hct_snapshot *in,
                          const struct deadlock_rank *w, uint32_t r,
                          struct wanted_not *u)
{
    return w[r].state == DEADLOCK_BLOCKED &&
           (w[r].why == DEADLOCK_RECV || w[r].why == DEADLOCK_PROBE) &&
           wanted_instead(in, w, (uint32_t)w[r].to, r, u);
}

static void unwanted_line(const struct hct_snapshot *in,
                          const struct deadlock_rank *w, uint32_t r,
                          struct hct_out *out)
{
    int32_t s = w[r].to;
    char comm[WORDS_COMM];
    struct wanted_not u;

    if (!find_unwanted(in, w, r, &u))
        return;
    words_line(out, u.site ? s : HCT_NONE, "rank %" PRId32 " has sent rank %"
               PRIu32 " a message that it has not asked for (tag %" PRId32
               ", %s)", s, r, u.tag, words_comm(comm, in, (uint32_t)s, u.comm));
    words_places(out, u.site, 0);
}

/* Of a Sendrecv hct_rank has the tag of the message it sends. */
static int32_t awaited_tag(const struct hct_snapshot *in,
                           const struct deadlock_rank *w, uint32_t r)
{
    const struct hct_rank *k = hct_rank(in, r);
    const struct hct_account *a = account_of(in, w, r);

    if (w[r].by < in->nrequests)
        return hct_request(in, w[r].by)->tag;
    if (hct_call(in, k->call)->class_ != HCT_CLASS_SENDRECV ||
        w[r].why != DEADLOCK_RECV)
        return k->tag;
    return a ? a->source_tag : HCT_UNKNOWN;
}

/* The last call of r of that class; NULL: none is known. */
static const struct hct_flight *last_of(const struct hct_snapshot *in,
                                        const struct deadlock_rank *w,
                                        uint32_t r, enum hct_class class_)
{
    const struct hct_flight *f, *last = NULL;

    for (uint32_t i = w[r].flight; (f = flight_of(in, i, r)); i++)
        if (hct_call(in, f->call)->class_ == class_)
            last = f;
    return last;
}

static void line(const struct hct_snapshot *in, const struct deadlock_rank *w,
                 uint32_t r, struct hct_out *out)
{
    const struct hct_rank *k = hct_rank(in, r);
    char comm[WORDS_COMM], what[64] = "", tag[24] = "any tag", from[24];
    char parcels[PARCELS] = "";
    const struct hct_request *q = w[r].by < in->nrequests
        ? hct_request(in, w[r].by) : NULL;
    /* Who asks in a loop may be elsewhere just now. */
    const struct hct_flight *f = !w[r].spins ? NULL
        : last_of(in, w, r, q ? HCT_CLASS_TEST : HCT_CLASS_PROBE);
    const char *call = hct_call(in, f ? f->call : k->call)->name;
    int32_t t = awaited_tag(in, w, r), to = w[r].to;
    int32_t peer = q ? q->peer : k->peer;
    uint64_t n, id = comm_of(in, w, r, &n);
    struct entered e;

    if (f && !q) {
        t = f->tag;
        peer = f->peer;
        id = f->comm;
    }
    words_comm(comm, in, r, id);
    if (t >= 0)
        snprintf(tag, sizeof(tag), "tag %" PRId32, t);
    else if (t != HCT_ANY)
        snprintf(tag, sizeof(tag), "its tag");
    if (q || w[r].spins)
        snprintf(what, sizeof(what), "%s%s%s", q ? " by " : "",
                 q ? hct_call(in, q->call)->name : "",
                 w[r].spins ? ", asking in a loop" : "");
    snprintf(from, sizeof(from), peer == HCT_ANY ? "any rank"
                                                 : "rank %" PRId32, to);
    switch (w[r].why) {
    case DEADLOCK_RECV:
    case DEADLOCK_PROBE:
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s%s for a "
                   "message from %s (%s, %s)", r, call, what, from, tag, comm);
        break;
    case DEADLOCK_SEND:
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s%s for rank "
                   "%" PRId32 " to receive its message (%s, %s)", r, call,
                   what, to, tag, comm);
        break;
    case DEADLOCK_MEMBER:
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s%s for rank "
                   "%" PRId32 ", which has not entered collective call %"
                   PRIu64 " of %s", r, call, what, to, n, comm);
        break;
    case DEADLOCK_MISMATCH:
    case DEADLOCK_ROOT:
    case DEADLOCK_AMOUNT:
    case DEADLOCK_PARCELS:
        e = entered(in, w, r, id, n);
        *what = '\0';
        if (w[r].why == DEADLOCK_AMOUNT)
            with_amount(in, w, r, id, n, what);
        if (w[r].why == DEADLOCK_ROOT)
            snprintf(what, sizeof(what), " with root %" PRId32, e.root);
        if (w[r].why == DEADLOCK_PARCELS)
            with_parcels(in, r, id, n, parcels);
        words_line(out, (int32_t)r, "rank %" PRIu32 " has entered %s%s as "
                   "collective call %" PRIu64 " of %s%s", r,
                   hct_call(in, e.call)->name, what, n, comm, parcels);
        words_places(out, q ? q->site : e.site, 0);
        return;
    case DEADLOCK_LOCK:
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s for rank %"
                   PRId32 ", which keeps rank %" PRId32 " of %s locked", r,
                   call, to, k->peer, comm);
        break;
    case DEADLOCK_MEETING:
        meeting_line(in, r, to, out);
        break;
    case DEADLOCK_BUFFER:
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s for rank %"
                   PRId32 " to receive what it has sent", r, call, to);
        break;
    default:
        words_line(out, (int32_t)r, "rank %" PRIu32 " waits in %s for the "
                   "other members of %s", r, call, comm);
    }
    words_places(out, f ? f->site : w[r].spins ? k->site : here(k),
                 q ? q->site : 0);
}

/* What the other one of a mismatch did. */
static void other_line(const struct hct_snapshot *in,
                       const struct deadlock_rank *w, uint32_t r,
                       struct hct_out *out)
{
    uint64_t n, id = comm_of(in, w, r, &n);
    uint32_t to = (uint32_t)w[r].to;
    struct entered e = entered(in, w, to, id, n);
    char amount[AMOUNT] = "";

    if (w[r].why == DEADLOCK_AMOUNT)
        words_line(out, (int32_t)to, "rank %" PRIu32 " entered %s%s as the same "
                   "call", to, hct_call(in, e.call)->name,
                   with_amount(in, w, to, id, n, amount));
    else if (w[r].why == DEADLOCK_ROOT)
        words_line(out, (int32_t)to, "rank %" PRIu32 " entered %s with root %"
                   PRId32 " as the same call", to, hct_call(in, e.call)->name,
                   e.root);
    else
        words_line(out, (int32_t)to, "rank %" PRIu32 " entered %s as the same "
                   "call", to, hct_call(in, e.call)->name);
    words_places(out, e.site, 0);
}

/* Where those of c are stuck may be the end of a story: two of them have gone
 * different ways before. */
static void say_first(const struct hct_snapshot *in,
                      const struct deadlock_rank *w, const struct cycle *c,
                      struct hct_out *out)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t r = c->rank[i];
        uint64_t n, first, id = comm_of(in, w, r, &n);

        if (w[r].state != DEADLOCK_BLOCKED || n == 0 ||
            (w[r].why != DEADLOCK_MEMBER && w[r].why != DEADLOCK_MISMATCH &&
             w[r].why != DEADLOCK_ROOT))
            continue;
        first = first_different(in, w, r, (uint32_t)w[r].to, id, n);
        if (first) {
            say_different(in, w, r, (uint32_t)w[r].to, id, first, out);
            return;
        }
    }
}

/* Everybody in it waits for somebody who has not entered a collective call,
 * and these are of two communicators or more. */
static bool crossed(const struct hct_snapshot *in,
                    const struct deadlock_rank *w, const struct cycle *c)
{
    uint64_t n, first = comm_of(in, w, c->rank[0], &n);
    bool differ = false;

    for (uint32_t i = 0; i < c->n; i++) {
        if (w[c->rank[i]].why != DEADLOCK_MEMBER)
            return false;
        differ |= comm_of(in, w, c->rank[i], &n) != first;
    }
    return c->closed && differ;
}

/* One of them has been sent what it does not wait for. */
static bool any_unwanted(const struct hct_snapshot *in,
                         const struct deadlock_rank *w, const struct cycle *c)
{
    struct wanted_not u;

    for (uint32_t i = 0; i < c->n; i++)
        if (find_unwanted(in, w, c->rank[i], &u))
            return true;
    return false;
}

static bool all_why(const struct deadlock_rank *w, const struct cycle *c,
                    unsigned why)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (w[c->rank[i]].why != why)
            return false;
    return true;
}

/* Whom one waits for who is stuck by himself: any of several could help, and
 * none of them will. */
static const char *alone(const struct hct_snapshot *in,
                         const struct deadlock_rank *w, uint32_t r)
{
    int32_t peer = w[r].by < in->nrequests ? hct_request(in, w[r].by)->peer
                                           : hct_rank(in, r)->peer;

    if (w[r].why == DEADLOCK_WINDOW || w[r].why == DEADLOCK_MEMBER)
        return "others that will never come";
    return peer == HCT_ANY ? "a message from any rank, and nobody can send it"
                           : "itself";
}

static const char *name_cycle(char buf[WORDS_RANKS],
                              const struct hct_snapshot *in,
                              const struct cycle *c)
{
    uint32_t sorted[CYCLE], n = 0;

    for (uint32_t r = 0; r < in->nranks && n < CYCLE; r++)
        for (uint32_t i = 0; i < c->n; i++)
            if (c->rank[i] == r)
                sorted[n++] = r;
    return words_ranks(buf, sorted, n);
}

static void headline_parcels(const struct hct_snapshot *in,
                             const struct deadlock_rank *w, uint32_t r,
                             struct hct_out *out)
{
    struct parcels p;
    uint64_t n, comm = comm_of(in, w, r, &n);

    if (parcels_differ(in, comm, n, &p) && p.from >= 0)
        words_line(out, (int32_t)r, "deadlock: what rank %" PRId32 " gives to "
                   "rank %" PRId32 " in one collective call is not what that "
                   "takes", p.from, p.to);
    else
        words_line(out, (int32_t)r, "deadlock: what members give each other in "
                   "one collective call is not what they take");
}

static void headline(const struct hct_snapshot *in,
                     const struct deadlock_rank *w, const struct cycle *c,
                     struct hct_out *out)
{
    char ranks[WORDS_RANKS];
    uint32_t last = c->rank[c->n - 1];
    const char *fate = words_fate(in, last);

    name_cycle(ranks, in, c);
    if (!c->closed && w[last].state != DEADLOCK_BLOCKED)
        words_line(out, (int32_t)c->rank[0], "deadlock: rank %" PRIu32
                   " waits for rank %" PRIu32 ", which %s",
                   c->n > 1 ? c->rank[c->n - 2] : last, last,
                   w[last].state == DEADLOCK_FREE
                       ? "has freed what they have in common"
                       : fate ? fate : "has ended its part in MPI");
    else if (!c->closed && w[last].why == DEADLOCK_ROOT)
        words_line(out, (int32_t)last, "deadlock: ranks %" PRIu32 " and %"
                   PRId32 " name different roots in one collective call",
                   last, w[last].to);
    else if (!c->closed && w[last].why == DEADLOCK_AMOUNT)
        words_line(out, (int32_t)last, "deadlock: ranks %" PRIu32 " and %"
                   PRId32 " give different amounts to one collective call",
                   last, w[last].to);
    else if (!c->closed && w[last].why == DEADLOCK_PARCELS)
        headline_parcels(in, w, last, out);
    else if (!c->closed)
        words_line(out, (int32_t)last, "deadlock: ranks %" PRIu32 " and %"
                   PRId32 " are in different collective calls that ought to "
                   "be one", last, w[last].to);
    else if (c->n == 1)
        words_line(out, (int32_t)last, "deadlock: %s waits for %s", ranks,
                   alone(in, w, last));
    else if (crossed(in, w, c))
        words_line(out, (int32_t)last, "deadlock: %s wait for each other in "
                   "collective calls on different communicators: made in "
                   "different orders, or one of them never", ranks);
    else if (all_why(w, c, DEADLOCK_SEND))
        words_line(out, (int32_t)last, "deadlock: %s all wait to send to each "
                   "other, and nobody receives", ranks);
    else if (all_why(w, c, DEADLOCK_RECV))
        words_line(out, (int32_t)last, "deadlock: %s all wait for messages "
                   "from each other, and %s", ranks, any_unwanted(in, w, c)
                       ? "what was sent does not fit" : "nobody sends");
    else
        words_line(out, (int32_t)last, "deadlock: %s wait for each other",
                   ranks);
}

/* The first of c that asks in a loop; if none does, the first one of all. */
static uint32_t asks(const struct deadlock_rank *w, const struct cycle *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (w[c->rank[i]].state == DEADLOCK_BLOCKED && w[c->rank[i]].spins)
            return c->rank[i];
    return c->rank[0];
}

/* Who asks in a loop may stop asking: that is proven of nobody, and no model says
 * how likely it is. One line, about one of them. */
void deadlock_say_asking(const struct hct_snapshot *in,
                         struct deadlock_rank *w, uint64_t age_ns,
                         struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_NOTICE);
    char who[WORDS_RANKS], time[WORDS_TIME], begin[128];
    char one[sizeof(((struct hct_line *)0)->text)] = "";
    int room = sizeof(one) - sizeof(WORDS_NOTHING_SAYS);
    struct cycle c = { .n = 0 };

    if (!v)
        return;
    wait_for_owing(in, w);
    choose(in, w, &c);
    v->where = HCT_WHERE_COMMUNICATION;
    v->phase = hct_rank(in, c.rank[0])->phase;
    v->age_ns = age_ns;
    for (uint32_t i = 0; i < c.n; i++)
        words_blame(out, c.rank[i]);
    line(in, w, asks(w, &c), out);
    if (v->nlines == 0)
        return;                         /* there is no room */
    v->nlines--;
    memcpy(one, out->lines[--out->nlines].text, sizeof(one));
    room -= snprintf(begin, sizeof(begin), "%.40s %s waited%s for %s: ",
                     name_cycle(who, in, &c), c.n == 1 ? "has" : "have",
                     !c.closed ? "" : c.n == 1 ? " for itself"
                                               : " for each other",
                     words_time(time, age_ns));
    words_line(out, HCT_NONE, "%s%.*s%s", begin, room, one,
               WORDS_NOTHING_SAYS);
}

void deadlock_say(const struct hct_snapshot *in, struct deadlock_rank *w,
                  struct hct_out *out)
{
    struct hct_verdict *v = words_verdict(out, HCT_DEADLOCK);
    char text[WORDS_RANKS];
    uint32_t others[CYCLE], nothers = 0, all = 0, last;
    struct cycle c = { .n = 0 };

    if (!v)
        return;
    wait_for_owing(in, w);
    choose(in, w, &c);
    last = c.rank[c.n - 1];
    v->where = HCT_WHERE_COMMUNICATION;
    v->score = 1;
    v->age_ns = w[c.rank[0]].still_ns;  /* who waits: never the one that ends */
    v->phase = hct_rank(in, c.rank[0])->phase;
    headline(in, w, &c, out);
    for (uint32_t i = 0; i < c.n; i++) {
        uint32_t r = c.rank[i];

        words_blame(out, r);
        if (w[r].state == DEADLOCK_BLOCKED && w[r].still_ns < v->age_ns)
            v->age_ns = w[r].still_ns;  /* it is one since the last has come */
        if (i < LINES && w[r].state == DEADLOCK_BLOCKED) {
            line(in, w, r, out);
            unwanted_line(in, w, r, out);
        } else if (i < LINES)
            end_line(in, w, r, c.rank[i ? i - 1 : 0], out);
        w[r].mark = 2;
    }
    if (!c.closed && w[last].state == DEADLOCK_BLOCKED) {
        other_line(in, w, last, out);
        if (w[w[last].to].mark != 2)
            words_blame(out, (uint32_t)w[last].to);
        w[w[last].to].mark = 2;
    }
    say_first(in, w, &c, out);
    for (uint32_t r = 0; r < in->nranks; r++)
        if (w[r].state == DEADLOCK_BLOCKED && w[r].mark != 2) {
            if (nothers < CYCLE)
                others[nothers++] = r;
            all++;
        }
    if (all)
        words_line(out, HCT_NONE, "%s%s wait%s for these in the end",
                   words_ranks(text, others, nothers),
                   all > nothers ? " and more" : "", all == 1 ? "s" : "");
    words_propose(out, HCT_REPORT);
}
