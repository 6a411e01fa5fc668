/* reserve.c - SCHED_DEADLINE, see reserve.h. glibc has neither the call nor the
 * structure. */
#include "slave/launch/reserve.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "slave/launch/apart.h"

#define HEAD_ROOM   1.25        /* of the most that one took */
#define AT_FIRST    1.5         /* the same, of the first ones */
#define NEARLY_ALL  0.9         /* of its runtime, or of the period */
#define LEAST_NS    100000u
#define PPM         1000000u
#define LEFT_PPM    500000u     /* of all processors, to others */
enum { AGAIN = 256, POLICY_DEADLINE = 6, RESET_ON_FORK = 1 };

struct attr {                   /* struct sched_attr, version 0 */
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* ------------------------------------------------------------ what it needs */

static bool comes_round(const struct due *d)
{
    return (d->kind == DUE_PERIOD || d->kind == DUE_CLOCK) && !d->over;
}

/* Of several that with the shortest period. */
void reserve_init(struct reserve *r, const struct calendar *c, uint32_t rank)
{
    *r = (struct reserve){ 0 };
    for (size_t i = 0; i < c->n; i++) {
        const struct due *d = &c->v[i];

        if (!comes_round(d) || (d->some && !taskset_has(&d->ranks, rank)) ||
            (r->period_ns && d->limit_ns >= r->period_ns))
            continue;
        r->period_ns = d->limit_ns;
        r->entry = (unsigned)i;
    }
}

bool reserve_is_end(const struct reserve *r, const struct calendar *c,
                    const char *label, size_t bytes, uint32_t rank)
{
    uint64_t of, to;

    if (!r->period_ns)
        return false;
    calendar_match(c, label, bytes, rank, &of, &to);
    return of >> r->entry & 1;
}

static uint64_t most(const struct reserve *r)
{
    unsigned n = r->n < RESERVE_KEPT ? r->n : RESERVE_KEPT;
    uint64_t ns = 0;

    for (unsigned i = 0; i < n; i++)
        if (r->took_ns[i] > ns)
            ns = r->took_ns[i];
    return ns;
}

uint64_t reserve_need(const struct reserve *r)
{
    double room = r->n < RESERVE_KEPT ? AT_FIRST : HEAD_ROOM;
    uint64_t ns = (uint64_t)((double)most(r) * room);

    if (r->n < RESERVE_LEARN)
        return 0;
    /* One that has taken all that it has may have wanted more. */
    if (r->runtime_ns &&
        (double)most(r) > NEARLY_ALL * (double)r->runtime_ns &&
        ns < r->runtime_ns + r->runtime_ns / 2)
        ns = r->runtime_ns + r->runtime_ns / 2;
    return ns < LEAST_NS ? LEAST_NS : ns;
}

/* Too little now, or much more than it takes since long? */
static bool does_not_fit(const struct reserve *r)
{
    uint64_t ns = reserve_need(r);

    return ns > r->runtime_ns ? (double)most(r) >
                                    NEARLY_ALL * (double)r->runtime_ns
                              : r->n % RESERVE_KEPT == 0 &&
                                    ns < r->runtime_ns / 2;
}

bool reserve_measured(struct reserve *r, pid_t tid, unsigned n, uint64_t ran_ns)
{
    uint64_t took_ns = ran_ns - r->ran_ns;
    bool counts = n && r->tid == tid && ran_ns >= r->ran_ns;

    if (r->tid != tid)
        r->n = r->again = 0;
    r->tid = tid;
    r->ran_ns = ran_ns;
    for (unsigned i = 0; counts && i < n && i < RESERVE_KEPT; i++)
        r->took_ns[r->n++ % RESERVE_KEPT] = took_ns / n;
    if (!counts || r->n < RESERVE_LEARN)
        return false;
    r->again = r->again > n ? r->again - n : 0;
    return r->runtime_ns ? does_not_fit(r) : r->again == 0;
}

/* ------------------------------------------------------------ the kernel's */

static int set_attr(pid_t tid, const struct attr *a)
{
    return (int)syscall(SYS_sched_setattr, tid, a, 0);
}

static uint64_t ppm(uint64_t runtime_ns, uint64_t period_ns)
{
    return (uint64_t)((double)runtime_ns / (double)period_ns * PPM);
}

static uint64_t given(const struct reserve *r)
{
    return r->runtime_ns ? ppm(r->runtime_ns, r->period_ns) : 0;
}

void reserve_refuse(struct reserve *r, const char *why)
{
    r->refused = true;
    r->again = AGAIN;
    snprintf(r->why, sizeof(r->why), "%s", why);
}

static int refuse(struct reserve *r, int error)
{
    char why[sizeof(r->why)];

    snprintf(why, sizeof(why), "the kernel does not give SCHED_DEADLINE: %s",
             error == EBUSY ? "others have been promised what is needed"
             : error == EPERM ? "this user may not have it, or not all of its "
                                "processors" : strerror(error));
    reserve_refuse(r, why);
    return -1;
}

/* Does what it needs leave something to others? */
static bool fits(struct reserve *r, const struct reserve_pool *pool,
                 uint64_t ns)
{
    unsigned cpus = (unsigned)CPU_COUNT(apart_all());
    uint64_t others = pool->taken_ppm - given(r), more = ppm(ns, r->period_ns);
    char why[sizeof(r->why)];

    if ((double)ns > NEARLY_ALL * (double)r->period_ns)
        snprintf(why, sizeof(why), "SCHED_DEADLINE is not given: tasks compute "
                 "for %.3g ms in each %.3g ms", (double)most(r) / 1e6,
                 (double)r->period_ns / 1e6);
    else if (others + more > (uint64_t)cpus * PPM - LEFT_PPM)
        snprintf(why, sizeof(why), "SCHED_DEADLINE is not given: %.2f of %u "
                 "processors are promised, and %.2f would be needed",
                 (double)others / PPM, cpus, (double)more / PPM);
    else
        return true;
    reserve_refuse(r, why);
    return false;
}

int reserve_ask(struct reserve *r, struct reserve_pool *pool)
{
    uint64_t ns = reserve_need(r);
    struct attr a = { .size = sizeof(a), .policy = POLICY_DEADLINE,
                      .flags = RESET_ON_FORK, .runtime = ns,
                      .deadline = r->period_ns, .period = r->period_ns };
    cpu_set_t had;

    if (!ns || !fits(r, pool, ns))
        return -1;
    if (sched_getaffinity(r->tid, sizeof(had), &had) ||
        sched_setaffinity(r->tid, sizeof(had), apart_all()))
        return refuse(r, errno);
    if (set_attr(r->tid, &a)) {
        int error = errno;

        sched_setaffinity(r->tid, sizeof(had), &had);
        return refuse(r, error);
    }
    pool->taken_ppm -= given(r);
    r->runtime_ns = ns;
    pool->taken_ppm += given(r);
    r->refused = false;
    *r->why = '\0';
    return 0;
}

void reserve_drop(struct reserve *r, struct reserve_pool *pool)
{
    struct sched_param none = { 0 };

    if (!r->runtime_ns)
        return;
    pool->taken_ppm -= given(r);
    r->runtime_ns = 0;
    if (sched_getscheduler(r->tid) == (POLICY_DEADLINE | SCHED_RESET_ON_FORK))
        sched_setscheduler(r->tid, SCHED_OTHER, &none);
}

bool reserve_open(const struct reserve *r)
{
    return r->period_ns && !r->runtime_ns && !r->refused;
}
