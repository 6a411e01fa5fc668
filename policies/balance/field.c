/* field.c - see field.h. */
#include "policies/balance/field.h"

#include <math.h>
#include <string.h>

#include "policies/balance/gain.h"

enum { TRIES = 24 };            /* hosts that are looked at for a task */
/* Where tasks should leave they are worth next to nothing. */
static const double unwelcome = 1.0 / 1024;
/* ... and crowded ones are behind all others. */
static const double crowded = 1e-6;

/* ------------------------------------------------------------------- memory */

static size_t round_up(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

static void *carve(char **memory, size_t n)
{
    void *p = *memory;

    *memory += round_up(n);
    return p;
}

size_t field_bytes(const struct hct_system *in)
{
    size_t hosts = in->nhosts, seats = in->nseats, works = in->nworks;

    return round_up(hosts * sizeof(struct spot)) +
           round_up((seats + 1) * sizeof(struct seat)) +
           round_up(works * sizeof(struct work)) +
           round_up(2 * (size_t)in->ntraffic * sizeof(struct task_link)) +
           round_up(in->ntraffic * sizeof(uint32_t)) +
           round_up(works * sizeof(uint32_t)) +
           round_up(seats * sizeof(uint32_t)) +
           round_up(hosts * sizeof(struct group)) +
           round_up(seats * sizeof(uint32_t)) +
           round_up(seats * sizeof(struct trial)) +
           2 * round_up(ranking_bytes(in->nhosts));
}

/* -------------------------------------------------------------------- rates */

static double share(uint64_t slots, uint64_t demand)
{
    return demand > slots ? (double)slots / (double)demand : 1;
}

double field_rate_with(const struct field *f, uint32_t host, uint64_t units)
{
    const struct spot *s = &f->spots[host];

    return s->speed * share(s->slots, s->demand + units);
}

double field_rate(const struct field *f, uint32_t host)
{
    return f->spots[host].rate;
}

static bool welcome(const struct field *f, uint32_t host)
{
    return !(hct_host(f->in, host)->flags &
             (HCT_HOST_OWNER | HCT_HOST_DRAINING));
}

/* Where nobody may come the key is 0. */
static void rank(struct field *f, uint32_t host)
{
    struct spot *s = &f->spots[host];
    double rate = welcome(f, host) ? field_rate_with(f, host, FIELD_ONE) : 0;
    bool calm = s->demand + FIELD_ONE <= s->slots;

    s->rate = field_rate_with(f, host, 0);
    ranking_set(&f->ranking, host, rate);
    if (f->calms)
        ranking_set(&f->calm, host, calm ? rate : rate * crowded);
}

/* ------------------------------------------------------------------ changes */

static void unlink_seat(struct field *f, uint32_t seat)
{
    struct seat *s = &f->seats[seat];

    if (s->prev != HCT_NOWHERE)
        f->seats[s->prev].next = s->next;
    else
        f->spots[s->at].head = s->next;
    if (s->next != HCT_NOWHERE)
        f->seats[s->next].prev = s->prev;
}

static void link_seat(struct field *f, uint32_t seat, uint32_t host)
{
    struct seat *s = &f->seats[seat];

    s->at = host;
    s->prev = HCT_NOWHERE;
    s->next = f->spots[host].head;
    if (s->next != HCT_NOWHERE)
        f->seats[s->next].prev = seat;
    f->spots[host].head = seat;
}

void field_put(struct field *f, uint32_t seat, uint32_t host)
{
    struct seat *s = &f->seats[seat];
    uint64_t memory = hct_seat(f->in, seat)->memory_bytes;

    if (s->at != HCT_NOWHERE) {
        f->spots[s->at].demand -= s->units;
        f->spots[s->at].memory -= memory;
        f->spots[s->at].ntasks--;
        unlink_seat(f, seat);
        rank(f, s->at);
        s->at = HCT_NOWHERE;
    }
    if (host == HCT_NOWHERE)
        return;
    f->spots[host].demand += s->units;
    f->spots[host].memory += memory;
    f->spots[host].ntasks++;
    link_seat(f, seat, host);
    rank(f, host);
}

double field_pace(const struct field *f, uint32_t work)
{
    const struct hct_work *w = hct_work(f->in, work);
    double pace = 0;

    for (uint32_t i = 0; i < w->ntasks; i++) {
        uint32_t at = f->seats[w->first + i].at;
        double rate = at == HCT_NOWHERE ? 0 : f->spots[at].rate;

        if (i == 0 || rate < pace)
            pace = rate;
    }
    return pace;
}

/* Where the rate has fallen it may be the least now; where it has risen only a
 * job that it was the least of can have become faster. */
void field_refresh(struct field *f, uint32_t host)
{
    double was = f->spots[host].told, rate = f->spots[host].rate;

    f->spots[host].told = rate;
    if (rate == was)
        return;
    for (uint32_t i = f->spots[host].head; i != HCT_NOWHERE;
         i = f->seats[i].next) {
        uint32_t other = hct_seat(f->in, i)->work;
        struct work *w = &f->works[other];

        if (rate < was)
            w->pace = rate < w->pace ? rate : w->pace;
        else if (w->pace >= was && w->pace < rate)
            w->pace = field_pace(f, other);
    }
}

/* --------------------------------------------------------- who may be where */

static bool has_memory(const struct field *f, uint32_t seat, uint32_t host)
{
    uint64_t all = hct_host(f->in, host)->memory_bytes;

    return all == 0 ||
           f->spots[host].memory + hct_seat(f->in, seat)->memory_bytes <= all;
}

static bool has_place(const struct field *f, const struct hct_work *w,
                      uint32_t seat, uint32_t host)
{
    uint32_t work = hct_seat(f->in, seat)->work, n = 0;

    if (w->per_node == 0)
        return true;
    for (uint32_t i = f->spots[host].head; i != HCT_NOWHERE;
         i = f->seats[i].next)
        n += hct_seat(f->in, i)->work == work;
    return n < w->per_node;
}

/* Who is placed has other rules, until it is. */
static bool keeps_limits(const struct field *f, uint32_t seat)
{
    return !f->calms && !hct_work(f->in, hct_seat(f->in, seat)->work)->crowds;
}

bool field_full(const struct field *f, uint32_t seat, uint32_t host)
{
    return f->spots[host].ntasks >= f->spots[host].most && keeps_limits(f, seat);
}

bool field_crowded(const struct field *f, uint32_t seat, uint32_t host)
{
    return f->spots[host].ntasks > f->spots[host].most && keeps_limits(f, seat);
}

bool field_may(const struct field *f, uint32_t seat, uint32_t host)
{
    return !field_full(f, seat, host) && field_may_change(f, seat, host);
}

bool field_may_change(const struct field *f, uint32_t seat, uint32_t host)
{
    const struct hct_work *w = hct_work(f->in, hct_seat(f->in, seat)->work);

    return welcome(f, host) && host != f->seats[seat].at &&
           !(w->features & ~hct_host(f->in, host)->features) &&
           has_memory(f, seat, host) && has_place(f, w, seat, host);
}

static uint32_t best_of(struct field *f, struct ranking *r, uint32_t seat,
                        double floor)
{
    uint32_t hidden[TRIES], n = 0, found = HCT_NOWHERE;

    while (n < TRIES) {
        uint32_t i = ranking_best(r);

        if (!(r->key[i] > floor))
            break;
        if (field_may(f, seat, i)) {
            found = i;
            break;
        }
        hidden[n++] = i;
        ranking_set(r, i, 0);
    }
    while (n > 0)
        rank(f, hidden[--n]);
    return found;
}

uint32_t field_best(struct field *f, uint32_t seat, double floor)
{
    return best_of(f, &f->ranking, seat, floor);
}

/* All of them, one by one: only where the best few would not do. */
uint32_t field_any(struct field *f, uint32_t seat, bool calm, bool *hard)
{
    struct ranking *r = calm ? &f->calm : &f->ranking;
    uint32_t found = *hard ? HCT_NOWHERE : best_of(f, r, seat, 0);
    double most = 0;

    if (found != HCT_NOWHERE)
        return found;
    *hard = true;
    for (uint32_t i = 0; i < r->n; i++)
        if (r->key[i] > most && field_may(f, seat, i)) {
            most = r->key[i];
            found = i;
        }
    return found;
}

void field_begin_calm(struct field *f)
{
    f->calms = true;
    for (uint32_t i = 0; i < f->in->nhosts; i++)
        rank(f, i);
}

void field_end_calm(struct field *f)
{
    f->calms = false;
}

bool field_alike(const struct field *f, uint32_t a, uint32_t b)
{
    const struct hct_seat *x = hct_seat(f->in, a), *y = hct_seat(f->in, b);

    return x->work == y->work && f->seats[a].units == f->seats[b].units &&
           x->memory_bytes == y->memory_bytes;
}

static bool may_move(const struct hct_work *w)
{
    return (w->flags & HCT_WORK_MOVABLE) &&
           !(w->flags & (HCT_WORK_SUSPENDED | HCT_WORK_MOVING));
}

bool field_movable(const struct field *f, uint32_t work)
{
    return may_move(hct_work(f->in, work)) && f->works[work].pace > 0;
}

/* ---------------------------------------------------------------- the start */

static void init_spots(struct field *f)
{
    for (uint32_t i = 0; i < f->in->nhosts; i++) {
        const struct hct_host *h = hct_host(f->in, i);
        struct spot *s = &f->spots[i];

        s->slots = (uint64_t)(h->slots ? h->slots : 1) * FIELD_ONE;
        s->demand = h->load > 0 ? (uint64_t)llround(h->load * FIELD_ONE) : 0;
        s->speed = h->speed * (welcome(f, i) ? 1 : unwelcome);
        s->head = HCT_NOWHERE;
        s->most = h->tasks_max ? h->tasks_max : UINT32_MAX;
        rank(f, i);
    }
}

static void init_seats(struct field *f)
{
    for (uint32_t i = 0; i < f->in->nseats; i++) {
        const struct hct_seat *s = hct_seat(f->in, i);
        uint32_t flags = hct_work(f->in, s->work)->flags;
        long units = lround(s->wants * FIELD_ONE);

        f->seats[i].at = HCT_NOWHERE;
        f->seats[i].units = flags & HCT_WORK_SUSPENDED ? 0
                            : units > 0 ? (uint32_t)units : 1;
        if (s->host < f->in->nhosts)
            field_put(f, i, s->host);
    }
}

/* What is not known is expected to last as long as it has lasted, as the times
 * of processes do (Harchol-Balter and Downey, Exploiting process lifetime
 * distributions for dynamic load balancing, 1996, section 2). */
static void init_works(struct field *f)
{
    for (uint32_t i = 0; i < f->in->nworks; i++) {
        const struct hct_work *w = hct_work(f->in, i);

        f->works[i].rest_s = w->rest_s > 0 ? w->rest_s : w->used_s;
        f->works[i].pace = field_pace(f, i);
    }
    for (uint32_t i = 0; i < f->in->nhosts; i++)
        f->spots[i].told = f->spots[i].rate;
}

/* Two entries for each pair, one at each end. */
static void init_links(struct field *f)
{
    const struct hct_system *in = f->in;
    uint32_t at = 0;

    for (uint32_t i = 0; i < in->ntraffic; i++) {
        f->seats[hct_traffic(in, i)->a].links++;
        f->seats[hct_traffic(in, i)->b].links++;
    }
    for (uint32_t i = 0; i <= in->nseats; i++)
        f->seats[i].links = at += f->seats[i].links;
    for (uint32_t i = in->ntraffic; i-- > 0;) {
        const struct hct_traffic *t = hct_traffic(in, i);

        f->links[--f->seats[t->a].links] = (struct task_link){t->b, t->bytes_s};
        f->links[--f->seats[t->b].links] = (struct task_link){t->a, t->bytes_s};
    }
}

/* ------------------------------------------------------------------ sorting */

/* Is a before b? Never of two equal ones both. */
typedef bool before_f(const struct hct_system *in, uint32_t a, uint32_t b);

static void sink(const struct hct_system *in, before_f *before, uint32_t *v,
                 uint32_t i, uint32_t n)
{
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        uint32_t held = v[i];

        if (child + 1 < n && before(in, v[child], v[child + 1]))
            child++;
        if (!before(in, held, v[child]))
            return;
        v[i] = v[child];
        v[child] = held;
    }
}

/* Heapsort: the one of libc may ask for memory. */
static void sort(const struct hct_system *in, before_f *before, uint32_t *v,
                 uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;)
        sink(in, before, v, i, n);
    for (uint32_t i = n; i-- > 1;) {
        uint32_t first = v[0];

        v[0] = v[i];
        v[i] = first;
        sink(in, before, v, 0, i);
    }
}

static bool heavier(const struct hct_system *in, uint32_t a, uint32_t b)
{
    double x = hct_traffic(in, a)->bytes_s, y = hct_traffic(in, b)->bytes_s;

    return x > y || (x == y && a < b);
}

static int class_order(uint32_t class_)
{
    return class_ == HCT_WORK_REALTIME ? 0 : class_ == HCT_WORK_IDLE ? 2 : 1;
}

/* By class, by priority, then who has waited longer. */
static bool sooner(const struct hct_system *in, uint32_t a, uint32_t b)
{
    const struct hct_work *x = hct_work(in, a), *y = hct_work(in, b);

    if (x->class_ != y->class_)
        return class_order(x->class_) < class_order(y->class_);
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->submitted_ns != y->submitted_ns)
        return x->submitted_ns < y->submitted_ns;
    return a < b;
}

static bool lighter(const struct hct_system *in, uint32_t a, uint32_t b)
{
    const struct hct_seat *x = hct_seat(in, a), *y = hct_seat(in, b);
    long p = lround(x->wants * FIELD_ONE), q = lround(y->wants * FIELD_ONE);

    if (p != q)
        return p < q;
    if (x->memory_bytes != y->memory_bytes)
        return x->memory_bytes < y->memory_bytes;
    return a < b;
}

/* Which one of a host is looked at first must not hang on ranks: still.c exchanges
 * those that are alike, and what it leaves is to be as good as it was. */
static void line_up(struct field *f)
{
    for (uint32_t i = 0; i < f->in->nworks; i++) {
        const struct hct_work *w = hct_work(f->in, i);
        bool alike = true;

        for (uint32_t k = 0; k < w->ntasks; k++) {
            f->lined[w->first + k] = w->first + k;
            alike = alike && field_alike(f, w->first, w->first + k);
        }
        if (!alike)
            sort(f->in, lighter, f->lined + w->first, w->ntasks);
    }
}

/* All that a task sends and gets would come to its node: no move of it is worth
 * more. */
static bool may_pay(const struct field *f, uint32_t seat, double price_s)
{
    return gain_traffic(f, seat, HCT_NOWHERE, HCT_NOWHERE) > price_s;
}

static void find_heaviest(struct field *f)
{
    for (uint32_t i = 0; i < f->in->ntraffic; i++) {
        const struct hct_traffic *t = hct_traffic(f->in, i);
        uint32_t work = hct_seat(f->in, t->a)->work;
        double price_s = f->in->params[FIELD_MARGIN] * gain_price(f, work);

        if (may_move(hct_work(f->in, work)) &&
            (may_pay(f, t->a, price_s) || may_pay(f, t->b, price_s)))
            f->heaviest[f->nheaviest++] = i;
    }
    sort(f->in, heavier, f->heaviest, f->nheaviest);
}

void field_init(struct field *f, void *memory, const struct hct_system *in)
{
    size_t hosts = in->nhosts, seats = in->nseats, works = in->nworks;
    char *m = memory;

    memset(f, 0, sizeof(*f));
    f->in = in;
    f->spots = carve(&m, hosts * sizeof(*f->spots));
    f->seats = carve(&m, (seats + 1) * sizeof(*f->seats));
    f->works = carve(&m, works * sizeof(*f->works));
    f->links = carve(&m, 2 * (size_t)in->ntraffic * sizeof(*f->links));
    f->heaviest = carve(&m, in->ntraffic * sizeof(*f->heaviest));
    f->order = carve(&m, works * sizeof(*f->order));
    f->lined = carve(&m, seats * sizeof(*f->lined));
    f->groups = carve(&m, hosts * sizeof(*f->groups));
    f->grouped = carve(&m, seats * sizeof(*f->grouped));
    f->trials = carve(&m, seats * sizeof(*f->trials));
    ranking_init(&f->ranking, carve(&m, ranking_bytes(in->nhosts)), in->nhosts);
    ranking_init(&f->calm, m, in->nhosts);
    init_spots(f);
    init_seats(f);
    init_works(f);
    init_links(f);
    find_heaviest(f);
    for (uint32_t i = 0; i < in->nworks; i++)
        f->order[i] = i;
    sort(in, sooner, f->order, in->nworks);
    line_up(f);
}
