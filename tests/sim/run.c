/* run.c - one program, run and looked at, see run.h. The policy's own watch
 * looks, at random moments, and always at everything: so whatever it takes for
 * still, or for starved, is what it would take in a job. */
#include "tests/sim/run.h"

#include <string.h>

#include "policies/hang/watch.h"
#include "tests/sim/chance.h"
#include "tests/sim/oracle.h"
#include "tests/sim/pages.h"

enum { LOOKS = 400, LINES = 32, VERDICTS = 4, LEAST_MS = 20,
       ABSENT = 20 };           /* per mille, in look_ns */

struct run {
    struct world world;
    struct pages pages;
    struct watch watch;
    struct watch_rank ranks[PROGRAM_TASKS];
    struct deadlock_rank work[PROGRAM_TASKS];
    struct hct_out out;
    struct hct_verdict verdicts[VERDICTS];
    struct hct_line lines[LINES];
    uint32_t blamed[PROGRAM_TASKS];
    struct hct_proposal proposals[VERDICTS];
    uint64_t chance, looked_ns;
    uint64_t moves[PROGRAM_TASKS];      /* when the page was read */
    bool noticed;               /* something was said that is no proof */
    uint32_t said;              /* of whom it was said, */
    uint64_t said_moves[PROGRAM_TASKS]; /* and where they were */
    FILE *show;
};

static const struct watch_options options = {
    .alpha = 0.001, .interval_ns = 400 * WORLD_MS,
    .interval_max_ns = 60 * WORLD_S,
    /* only proofs are asked for */
    .least_ns = 1000000 * WORLD_S, .patience_ns = 1000000 * WORLD_S,
    .sure_ns = 1000000 * WORLD_S, .work_ns = 1000000 * WORLD_S,
    .look_ns = 200 * WORLD_MS, .prove = 1,
    .deadlock = { .still_ns = 400 * WORLD_MS, .small_ns = WORLD_S,
                  .asleep_ns = 5500 * WORLD_MS, .spin_ns = 3 * WORLD_S },
};

/* Until the policy wants to look again, if it is given what it wants. */
static uint64_t wanted_ns(const struct run *u)
{
    uint64_t now_ns = u->world.now_ns, wake_ns = u->out.wake_ns;

    return wake_ns < now_ns + LEAST_MS * WORLD_MS ? LEAST_MS * WORLD_MS
                                                  : wake_ns - now_ns;
}

static void start(struct run *u, const struct program *p,
                  const struct run_options *o)
{
    memset(u, 0, sizeof(*u));
    u->chance = o->seed;
    u->show = o->show;
    world_init(&u->world, p, chance_next(&u->chance));
    pages_init(&u->pages, p->ntasks, !p->threads ? HCT_LEVEL_UNKNOWN
               : u->world.serialized ? HCT_LEVEL_SERIALIZED
                                     : HCT_LEVEL_MULTIPLE, &u->chance);
    watch_init(&u->watch, &u->pages.job, &options);
}

/* Pages are read within some milliseconds on a node, and mostly within a tenth
 * of a second on several: the order to look may itself be held up. */
static uint64_t second_node(struct run *u)
{
    uint32_t how = chance_below(&u->chance, 100);

    if (!u->world.far)
        return 0;
    return how < 5 ? chance_ns(&u->chance, 100 * WORLD_MS, 4 * WORLD_S)
         : how < 35 ? 100 * WORLD_MS : 2 * WORLD_MS;
}

static void read_pages(struct run *u)
{
    uint32_t n = u->world.n, left = (1u << n) - 1;
    uint64_t at[PROGRAM_TASKS], begin = u->world.now_ns;
    uint64_t node[3] = { 0, 0, second_node(u) }, gap = begin - u->looked_ns;

    u->pages.absent = chance_below(&u->chance, 1000) < ABSENT *
            (gap < options.look_ns ? gap : options.look_ns) / options.look_ns
        ? 1u << chance_below(&u->chance, n) : 0;
    if (chance_is(&u->chance, 50)) {
        node[1] = node[2];
        node[2] = 0;
    }
    for (uint32_t r = 0; r < n; r++)
        at[r] = begin + node[u->world.node[r]] +
                chance_below(&u->chance, chance_is(&u->chance, 80)
                                             ? 100 * 1000 : 4 * 1000 * 1000);
    while (left) {
        uint32_t next = (uint32_t)__builtin_ctz(left);

        for (uint32_t r = 0; r < n; r++)
            if ((left >> r & 1) && at[r] < at[next])
                next = r;
        left &= ~(1u << next);
        world_run(&u->world, at[next]);
        pages_read(&u->pages, &u->world, next);
        u->moves[next] = u->world.task[next].moves;
        if (chance_is(&u->chance, 20))
            world_run(&u->world, u->world.now_ns +
                                     chance_below(&u->chance, 50 * 1000));
        pages_read_detail(&u->pages, &u->world, next);
    }
    world_run(&u->world, u->world.now_ns +
                             chance_below(&u->chance, 1000 * 1000));
    u->looked_ns = u->world.now_ns;
    pages_end(&u->pages, u->world.now_ns);
}

/* What the policy says: of whom. */
static uint32_t ask(struct run *u)
{
    uint32_t set = 0;

    u->out = (struct hct_out){
        .size = sizeof(u->out), .verdicts = u->verdicts,
        .verdicts_max = VERDICTS, .ranks = u->blamed,
        .ranks_max = PROGRAM_TASKS, .lines = u->lines, .lines_max = LINES,
        .proposals = u->proposals, .proposals_max = VERDICTS };
    watch_look(&u->watch, u->ranks, u->work, &u->pages.in, &u->out);
    u->watch.reported = 0;              /* let it say more */
    if (u->out.nverdicts == 0)
        return 0;
    if (u->verdicts[0].kind != HCT_DEADLOCK) {
        u->noticed = true;
        return 0;
    }
    for (uint32_t r = 0; r < u->world.n; r++)
        if (u->work[r].state == DEADLOCK_BLOCKED)
            set |= 1u << r;
    return set;
}

/* What the policy could see of it. */
static void show_page(const struct run *u, uint32_t r)
{
    const struct pages *p = &u->pages;
    const struct hct_rank *k = &p->rank[r];

    fprintf(u->show, "    page: %s flags %x calls %llu polls %llu age %.6f s",
            hct_call(&p->in, k->call)->name, k->flags,
            (unsigned long long)k->calls, (unsigned long long)k->polls,
            (double)k->age_ns / 1e9);
    for (uint32_t i = 0; i < p->nrequests[r]; i++)
        fprintf(u->show, "%s %s peer %d tag %d%s%s", i ? "," : "; requests",
                hct_call(&p->in, p->request[r][i].call)->name,
                p->request[r][i].peer, p->request[r][i].tag,
                p->request[r][i].idle ? " idle" : "",
                p->request[r][i].waited ? " waited for" : "");
    fputc('\n', u->show);
}

static void show_look(const struct run *u, uint32_t set)
{
    const struct world *w = &u->world;

    fprintf(u->show, "look at %.6f s: set", (double)w->now_ns / 1e9);
    for (uint32_t r = 0; r < w->n; r++)
        if (set >> r & 1)
            fprintf(u->show, " %u", r);
    fputc('\n', u->show);
    for (uint32_t i = 0; i < u->out.nlines; i++)
        fprintf(u->show, "  | %s\n", u->lines[i].text);
    for (uint32_t r = 0; r < w->n; r++) {
        const struct task *t = &w->task[r];

        fprintf(u->show, "  rank %u (node %u) %s, operation %u ", r, w->node[r],
                t->life > HCT_LIFE_FINALIZE ? "has ended" :
                t->frozen ? "frozen" : t->asks ? "asks" : t->in ? "in MPI"
                                                                : "outside",
                t->at);
        if (t->life <= HCT_LIFE_FINALIZE)
            program_print_op(u->show, &w->program->op[r][t->at]);
        fprintf(u->show, "%s, still %.3f s\n",
                t->helper.awake ? ", other thread awake" : "",
                (double)u->work[r].still_ns / 1e9);
        show_page(u, r);
    }
    for (uint32_t i = 0; i < w->top; i++) {
        static const char *const stages[] = {
            "", "on its way", "unexpected", "asked for", "data on its way",
            "acknowledged" };
        const struct message *m = &w->message[i];

        if (m->stage)
            fprintf(u->show, "  message %u to %u tag %d bytes %u%s: %s, "
                    "%+.6f s\n", m->from, m->to, m->tag, m->bytes,
                    m->eager ? "" : " (large)", stages[m->stage],
                    m->stage == STAGE_UNEXPECTED ? 0
                        : ((double)m->at_ns - (double)w->now_ns) / 1e9);
    }
}

static bool refute(struct run *u, struct run_result *result, int rank,
                   const char *why)
{
    result->refuted = true;
    result->rank = rank;
    result->kind = u->world.program->op[rank][u->world.task[rank].at].kind;
    result->why = why;
    if (u->show)
        fprintf(u->show, "REFUTED: rank %d %s\n", rank, why);
    return false;
}

/* What has been said of them still stands? */
static bool stands(struct run *u, struct run_result *result)
{
    for (uint32_t r = 0; r < u->world.n; r++)
        if ((u->said >> r & 1) &&
            u->world.task[r].moves != u->said_moves[r])
            return refute(u, result, (int)r, "has gone on");
    return true;
}

static bool check(struct run *u, struct run_result *result, uint32_t set)
{
    const char *why = "";
    uint32_t more = set & ~u->said;
    int rank;

    result->proofs++;
    if (u->show)
        show_look(u, set);
    for (uint32_t r = 0; r < u->world.n; r++)
        if (more >> r & 1)
            u->said_moves[r] = u->moves[r];
    u->said |= set;
    if (!stands(u, result))
        return false;
    if (!more)
        return true;
    rank = oracle_refutes(&u->world, set, chance_next(&u->chance), &why);
    return rank < 0 ? true : refute(u, result, rank, why);
}

static bool look(struct run *u, struct run_result *result)
{
    uint32_t set;

    read_pages(u);
    if (u->world.overflow)
        return false;
    result->looks++;
    set = ask(u);
    for (uint32_t r = 0; r < u->world.n; r++)
        if (u->world.task[r].in &&
            u->work[r].still_ns >= options.deadlock.still_ns) {
            result->still++;
            break;
        }
    return stands(u, result) && (!set || check(u, result, set));
}

/* How long a proof may take from the last move on. */
static uint64_t patience(const struct run *u, uint32_t stuck)
{
    uint64_t ns = 2500 * WORLD_MS;

    for (uint32_t r = 0; r < u->world.n; r++)
        if ((stuck >> r & 1) && u->world.task[r].asks)
            ns = 5500 * WORLD_MS;
    return ns;
}

static uint64_t last_move(const struct run *u, uint32_t set)
{
    uint64_t last = 0;

    for (uint32_t r = 0; r < u->world.n; r++) {
        const struct task *t = &u->world.task[r];

        if ((set >> r & 1) && t->since_ns > last)
            last = t->since_ns;
    }
    return last;
}

/* Of who has ended nothing is known any more; of whom a message came that may
 * have come from others, not which one. */
static bool is_known(const struct task *t)
{
    uint64_t blind = t->blind + t->unsure;

    for (uint32_t r = 0; r < PROGRAM_TASKS; r++)
        blind += t->blinds[r];
    return t->life < HCT_LIFE_ENDED && blind == 0;
}

static void finish(struct run *u, struct run_result *result)
{
    uint32_t stuck = oracle_stuck(&u->world);

    result->whole = u->pages.accounted && !u->pages.lost && !u->pages.bare &&
                    !u->world.strange &&
                    (u->pages.level <= HCT_LEVEL_FUNNELED || u->pages.alone);
    for (uint32_t r = 0; r < u->world.n; r++) {
        result->asks |= (stuck >> r & 1) && u->world.task[r].asks;
        result->whole &= is_known(&u->world.task[r]);
    }
    result->far = u->world.far;
    result->stuck = stuck != 0;
    if (stuck) {
        result->rank = __builtin_ctz(stuck);
        result->kind = u->world.program->op[result->rank][
            u->world.task[result->rank].at].kind;
    }
    result->proven = u->said != 0 || (result->asks && u->noticed);
    if (u->show && stuck && !u->said) {
        fprintf(u->show, "MISSED:\n");
        show_look(u, stuck);
    }
}

void run_program(const struct program *p, const struct run_options *o,
                 struct run_result *result)
{
    static struct run u;
    uint64_t quiet_ns = 0, until_ns = UINT64_MAX;

    *result = (struct run_result){ .rank = -1, .why = "" };
    start(&u, p, o);
    while (result->looks < LOOKS && u.world.now_ns < until_ns) {
        uint64_t gap = quiet_ns || chance_is(&u.chance, 70)
            ? wanted_ns(&u) : chance_ns(&u.chance, WORLD_MS, WORLD_S);
        bool before = u.said || u.noticed;

        world_run(&u.world, u.world.now_ns + gap);
        if (!look(&u, result))
            break;
        if (!before && (u.said || u.noticed))
            result->delay_ns = u.world.now_ns -
                last_move(&u, u.said ? u.said : UINT32_MAX);
        if (!quiet_ns && world_next(&u.world) == UINT64_MAX) {
            uint32_t stuck = oracle_stuck(&u.world);

            quiet_ns = u.world.now_ns;
            if (!stuck)
                break;
            until_ns = quiet_ns + patience(&u, stuck);
        }
        if (quiet_ns && u.said && u.world.now_ns > quiet_ns + WORLD_S)
            break;
    }
    result->overflow = u.world.overflow;
    if (!result->overflow && !result->refuted && quiet_ns)
        finish(&u, result);
}

static bool same(const struct program *p, const struct run_options *o,
                 bool missed)
{
    struct run_result result;

    run_program(p, o, &result);
    return missed ? result.whole && !result.far && result.stuck &&
                        !result.proven
                  : result.refuted;
}

void run_shrink(struct program *p, const struct run_options *o, bool missed)
{
    struct run_options quiet = { .seed = o->seed };
    static struct program smaller;
    bool again = true;

    while (again) {
        again = false;
        for (uint32_t r = 0; r < p->ntasks; r++)
            for (uint32_t i = p->nops[r] - 1; i-- > 0;) {
                smaller = *p;
                program_drop(&smaller, r, i);
                if (!same(&smaller, &quiet, missed))
                    continue;
                *p = smaller;
                again = true;
            }
    }
}
