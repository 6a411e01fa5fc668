/* tally.c - many runs, see tally.h. */
#include "tests/sim/tally.h"

#include <inttypes.h>

#include "tests/sim/chance.h"

static const uint64_t bin_ns = 100000000;

/* Most programs have a mistake or two. */
static uint64_t make(struct program *p, uint64_t seed, unsigned parts)
{
    uint64_t chance = seed * 0x9e3779b97f4a7c15u;

    program_make(p, &chance, parts, chance_below(&chance, 3));
    return chance_next(&chance);
}

static void add(struct tally_stuck *s, const struct run_result *r)
{
    s->stuck++;
    s->proven += r->proven;
    s->soon += r->proven && r->soon;
}

static void count(struct tally *t, const struct program *p,
                  const struct run_result *r)
{
    uint64_t bin = r->delay_ns / bin_ns;
    struct tally_call *in = &t->in[r->kind];

    if (r->lack) {
        add(&t->lack[r->lack], r);
        in->hidden += r->lack == LACK_NETWORK && !r->proven;
        return;
    }
    add(r->asks ? (r->far ? &t->far_loops : &t->loops)
                : r->far ? &t->far : &t->near, r);
    if (r->asks)
        return;
    in->missed[r->far] += !r->proven;
    in->late[r->far] += r->proven && !r->soon;
    if (r->far)
        return;
    add(&t->mistake[p->nmistakes ? p->mistake[0] : MISTAKE_NONE], r);
    if (r->proven)
        t->delays[bin < TALLY_BINS ? bin : TALLY_BINS - 1]++;
}

enum tally_found tally_run(struct tally *t, uint64_t seed, unsigned parts)
{
    static struct program p;
    struct run_options o = { .seed = make(&p, seed, parts) };
    struct run_result r;

    run_program(&p, &o, &r);
    t->programs++;
    t->looks += r.looks;
    t->still += r.still;
    t->proofs += r.proofs;
    t->overflows += r.overflow;
    t->wrong += r.refuted;
    t->last_kind = r.kind;
    t->in[r.kind].wrong += r.refuted;
    if (r.refuted)
        return TALLY_WRONG;
    if (!r.stuck)
        return TALLY_NOTHING;
    count(t, &p, &r);
    return r.proven || r.lack ? TALLY_NOTHING : TALLY_MISSED;
}

static const char *const lacks[LACK_KINDS] = {
    [LACK_PAGE] = "a task without a page",
    [LACK_ROOM] = "no room in a page",
    [LACK_ACCOUNTS] = "messages not counted",
    [LACK_COMM] = "a foreign communicator",
    [LACK_THREADS] = "threads not seen",
    [LACK_ENDED] = "a task has ended",
    [LACK_STATUS] = "no status of a message",
    [LACK_NETWORK] = "it may be under way",
};

static double delay_s(const struct tally *t, double share)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < TALLY_BINS; i++) {
        n += t->delays[i];
        if ((double)n >= share * (double)t->near.proven)
            return (double)(i + 1) * (double)bin_ns / 1e9;
    }
    return 0;
}

static void print_stuck(FILE *out, const char *what,
                        const struct tally_stuck *s)
{
    double all = s->stuck ? (double)s->stuck : 1;

    fprintf(out, "%-24s %10" PRIu64 " %9.2f%% %7.2f%%\n", what, s->stuck,
            100 * (double)s->proven / all, 100 * (double)s->soon / all);
}

static void print_calls(FILE *out, const struct tally *t)
{
    fprintf(out, "%-24s %8s %17s %17s %14s\n", "", "", "on one node",
            "on two nodes", "may be");
    fprintf(out, "%-24s %8s %8s %8s %8s %8s %14s\n", "the first one is in",
            "wrong", "missed", "late", "missed", "late", "under way");
    for (uint32_t i = 0; i < OP_KINDS; i++) {
        const struct tally_call *in = &t->in[i];

        if (in->wrong + in->missed[0] + in->missed[1] + in->late[0] +
            in->late[1] + in->hidden)
            fprintf(out, "%-24s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8"
                    PRIu64 " %8" PRIu64 " %14" PRIu64 "\n", program_call(i),
                    in->wrong, in->missed[0], in->late[0], in->missed[1],
                    in->late[1], in->hidden);
    }
}

void tally_print(FILE *out, const struct tally *t)
{
    fprintf(out, "%" PRIu64 " looks at %" PRIu64 " programs (%" PRIu64
            " too large for the model); in %" PRIu64 " looks tasks stood in "
            "MPI, in %" PRIu64 " it said deadlock; %" PRIu64 " programs it was "
            "wrong about\n", t->looks, t->programs, t->overflows, t->still,
            t->proofs, t->wrong);
    fprintf(out, "%-24s %10s %10s %8s\n", "mistake", "deadlocks", "proven",
            "in time");
    for (uint32_t i = 0; i < MISTAKE_KINDS; i++)
        print_stuck(out, program_mistake(i), &t->mistake[i]);
    print_stuck(out, "on one node", &t->near);
    print_stuck(out, "... asking in a loop", &t->loops);
    print_stuck(out, "on two nodes", &t->far);
    print_stuck(out, "... asking in a loop", &t->far_loops);
    fprintf(out, "half of those on one node within %.1f s, 99 of 100 within "
            "%.1f s\n", delay_s(t, 0.5), delay_s(t, 0.99));
    print_calls(out, t);
    fprintf(out, "not to be proven, for pages do not show it:\n");
    for (uint32_t i = 1; i < LACK_KINDS; i++)
        print_stuck(out, lacks[i], &t->lack[i]);
}

void tally_show(FILE *out, uint64_t seed, unsigned parts, bool missed)
{
    static struct program p;
    struct run_options o = { .seed = make(&p, seed, parts) };
    struct run_result r;

    fprintf(out, "---- seed %" PRIu64 ", parts %u\n", seed, parts);
    run_shrink(&p, &o, missed);
    o.show = out;
    program_print(out, &p);
    run_program(&p, &o, &r);
    fflush(out);
}
