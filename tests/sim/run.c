/* run.c - one program, run and looked at, see run.h. The policy's own watch
 * looks, at random moments, and always at everything: so whatever it takes for
 * still, or for starved, is what it would take in a job. */
#include "tests/sim/run.h"

#include <string.h>

#include "policies/hang/still.h"
#include "tests/sim/chance.h"
#include "tests/sim/oracle.h"
#include "tests/sim/pages.h"

enum { LOOKS = 1000, LINES = 32, VERDICTS = 4, LEAST_MS = 20,
       ABSENT = 20,             /* per mille, in look_ns */
       MUCH = 64 << 20,         /* bytes; what a Sendrecv takes is not shown */
       ENOUGH = 4 };            /* looks: one sees where the last one stands,
                                   one what it has used of its processor, one
                                   that it uses more, one the same set again */

struct run {
    struct world world;
    struct pages pages;
    struct still watch;
    struct still_rank ranks[PROGRAM_TASKS];
    struct deadlock_rank work[PROGRAM_TASKS];
    struct hct_out out;
    struct hct_verdict verdicts[VERDICTS];
    struct hct_line lines[LINES];
    uint32_t blamed[PROGRAM_TASKS];
    struct hct_proposal proposals[VERDICTS];
    uint64_t chance, looked_ns;
    uint64_t moves[PROGRAM_TASKS];      /* when the page was read */
    uint64_t seen_ns[PROGRAM_TASKS];    /* ... the first time that so many were */
    bool noticed;               /* something was said that is no proof */
    uint32_t said;              /* of whom it was said, */
    uint64_t said_moves[PROGRAM_TASKS]; /* and where they were */
    struct world before;        /* at the last look at which somebody could
                                   still do something for everybody */
    uint32_t stuck;             /* the first tasks for which nobody could, */
    uint64_t stuck_ns;          /* ... and since when */
    uint64_t excused_ns;        /* the last look at which not all were there,
                                   or one was stopped: what stands still is
                                   timed from there on */
    uint64_t due_ns;            /* when that can be told */
    uint32_t in_vain;           /* whole looks since then, in a row */
    FILE *show;
};

static const struct still_options options = {
    .alpha = 0.001, .interval_ns = 400 * WORLD_MS,
    .interval_max_ns = 60 * WORLD_S,
    /* only proofs are asked for, and notices of those who ask in a loop */
    .least_ns = 1000000 * WORLD_S, .patience_ns = 3 * WORLD_S,
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
    u->before = u->world;
    still_init(&u->watch, &u->pages.job, &options);
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
        if (u->world.task[next].moves != u->moves[next])
            u->seen_ns[next] = u->world.now_ns;
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
    still_look(&u->watch, u->ranks, u->work, &u->pages.in, &u->out);
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
        fprintf(u->show, "%s, still %.3f s, has looked %.3f s\n",
                t->helper.awake ? ", other thread awake" : "",
                (double)u->work[r].still_ns / 1e9,
                (double)u->work[r].span_ns / 1e9);
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

/* ------------------------------------------------------- the time it takes */

/* What a member of a collective call or a sender may have to pass on. */
static uint64_t bytes_of(const struct run *u, uint32_t r)
{
    const struct task *t = &u->world.task[r];
    uint64_t bytes = t->bytes;

    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++)
        if ((t->mask >> i & 1) && t->request[i].active &&
            t->request[i].bytes > bytes)
            bytes = t->request[i].bytes;
    return bytes * u->world.n;
}

/* How long those have to stand still that are stuck, as deadlock.h says. */
static uint64_t allowed(const struct run *u)
{
    uint64_t ns = options.deadlock.still_ns;

    for (uint32_t r = 0; r < u->world.n; r++) {
        const struct task *t = &u->world.task[r];
        uint64_t its = options.deadlock.small_ns + bytes_of(u, r) * 100;

        if (!(u->stuck >> r & 1) || t->life != HCT_LIFE_RUNNING)
            continue;
        if (t->asks && its < options.deadlock.spin_ns)
            its = options.deadlock.spin_ns;
        if (u->world.program->op[r][t->at].kind == OP_SENDRECV)
            its += (uint64_t)MUCH * 100;
        if (its > ns)
            ns = its;
    }
    return ns;
}

static uint32_t shown(const struct run *u, const struct world *w)
{
    return oracle_shown(w, u->pages.limits);
}

/* From when on all of them were stuck: the world as it was at the look before
 * goes the same way again, event by event. */
static uint64_t stuck_since(struct run *u)
{
    struct world *w = &u->before;

    while (!shown(u, w) && world_next(w) <= u->world.now_ns)
        world_run(w, world_next(w));
    return w->now_ns;
}

/* Did this look say nothing of how long they stand still? */
static bool is_excused(const struct run *u)
{
    for (uint32_t r = 0; r < u->world.n; r++)
        if ((u->pages.rank[r].flags & HCT_STOPPED) ||
            (still_alive(&u->pages.rank[r]) &&
             !(u->pages.rank[r].flags & HCT_OBSERVED)))
            return true;
    return u->watch.looks <= 1;
}

/* The last one has entered a collective call where this task waits, or moved. */
static uint64_t entered(const struct run *u, uint32_t r)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < WORLD_SCHEDULES; i++) {
        const struct schedule *s = &u->world.task[r].schedule[i];

        for (uint32_t k = 0; s->active && k < u->world.n * PROGRAM_COMMS; k++) {
            const struct task *t = &u->world.task[k / PROGRAM_COMMS];
            const struct world_comm *c = &t->comms[k % PROGRAM_COMMS];

            if (!c->members || c->context + 1 != s->context)
                continue;
            last = still_max(last, still_max(c->entered_ns, t->since_ns));
            last = still_max(last, t->thawed_ns);
        }
    }
    return last;
}

/* One that the system does not let run shows nothing. When a loop of questions
 * began no page tells: it is known to stand from the look on that first saw its
 * last other call. */
static uint64_t due(const struct run *u)
{
    uint64_t from = u->stuck_ns > u->excused_ns ? u->stuck_ns : u->excused_ns;

    for (uint32_t r = 0; r < u->world.n; r++) {
        const struct task *t = &u->world.task[r];

        if (!(u->stuck >> r & 1))
            continue;
        if (t->frozen)
            return UINT64_MAX;
        if (t->thawed_ns > from)
            from = t->thawed_ns;
        if (entered(u, r) > from)
            from = entered(u, r);
        if (t->asks && u->seen_ns[r] > from)
            from = u->seen_ns[r];
    }
    return from + allowed(u);
}

/* Who waits has to be seen to run since the last one that stands has moved. */
static bool moves(const struct run *u)
{
    for (uint32_t r = 0; r < u->world.n; r++)
        if (u->ranks[r].moved_ns + options.deadlock.still_ns > u->world.now_ns)
            return true;
    return false;
}

/* After a look that began then: was there time enough? */
static void keep_time(struct run *u, uint64_t began_ns)
{
    if (!u->stuck) {
        u->stuck = shown(u, &u->world);
        if (u->stuck)
            u->stuck_ns = stuck_since(u);
        else
            u->before = u->world;
    }
    if (is_excused(u))
        u->excused_ns = u->world.now_ns;
    if (!u->stuck)
        return;
    u->due_ns = due(u);
    if (u->pages.absent || began_ns < u->due_ns)
        u->in_vain = 0;
    else
        u->in_vain += !moves(u);
}

/* Of whom a message came that may have come from others, not which one. */
static bool has_taken_some(const struct task *t)
{
    uint64_t blind = t->blind + t->unsure;

    for (uint32_t r = 0; r < PROGRAM_TASKS; r++)
        blind += t->blinds[r];
    return blind > 0;
}

static enum run_lack lack_of(const struct run *u)
{
    const struct pages *p = &u->pages;

    if (p->bare)
        return LACK_PAGE;
    if (p->lost)
        return LACK_ROOM;
    if (!p->accounted)
        return LACK_ACCOUNTS;
    if (u->world.strange)
        return LACK_COMM;
    if (p->level > HCT_LEVEL_FUNNELED && !p->alone)
        return LACK_THREADS;
    for (uint32_t r = 0; r < u->world.n; r++)
        if (u->world.task[r].life >= HCT_LIFE_ENDED)
            return LACK_ENDED;
    for (uint32_t r = 0; r < u->world.n; r++)
        if (has_taken_some(&u->world.task[r]))
            return LACK_STATUS;
    return u->stuck ? LACK_NOTHING : LACK_NETWORK;
}

static void finish(struct run *u, struct run_result *result)
{
    uint32_t stuck = oracle_stuck(&u->world);

    result->lack = lack_of(u);
    for (uint32_t r = 0; r < u->world.n; r++)
        result->asks |= (stuck >> r & 1) && u->world.task[r].asks;
    for (uint32_t r = 1; r < u->world.n; r++)
        result->far |= u->world.node[r] != u->world.node[0];
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

/* Nothing will happen any more: has it been given its time, and some more? */
static bool is_over(const struct run *u, uint64_t quiet_ns)
{
    uint64_t from = u->due_ns > quiet_ns ? u->due_ns : quiet_ns;

    if (u->said || !u->stuck)
        return u->world.now_ns > quiet_ns + (u->said ? 1 : 3) * WORLD_S;
    return u->in_vain > 3 * ENOUGH || u->world.now_ns > from + 20 * WORLD_S;
}

void run_program(const struct program *p, const struct run_options *o,
                 struct run_result *result)
{
    static struct run u;
    uint64_t quiet_ns = 0, began_ns;

    *result = (struct run_result){ .rank = -1, .why = "" };
    start(&u, p, o);
    while (result->looks < LOOKS && !(quiet_ns && is_over(&u, quiet_ns))) {
        uint64_t gap = quiet_ns || chance_is(&u.chance, 70)
            ? wanted_ns(&u) : chance_ns(&u.chance, WORLD_MS, WORLD_S);
        bool before = u.said || u.noticed;

        if (quiet_ns && u.due_ns > u.world.now_ns + gap + WORLD_S)
            gap = u.due_ns - u.world.now_ns - WORLD_S;      /* nothing happens */

        world_run(&u.world, u.world.now_ns + gap);
        began_ns = u.world.now_ns;
        if (!look(&u, result))
            break;
        keep_time(&u, began_ns);
        if (!before && (u.said || u.noticed)) {
            result->delay_ns = u.world.now_ns - u.stuck_ns;
            result->soon = u.in_vain <= ENOUGH || !u.stuck;
        }
        if (!quiet_ns && world_next(&u.world) == UINT64_MAX) {
            quiet_ns = u.world.now_ns;
            if (!oracle_stuck(&u.world))
                break;
        }
    }
    result->overflow = u.world.overflow;
    if (!result->overflow && !result->refuted && quiet_ns)
        finish(&u, result);
}

static bool same(const struct program *p, const struct run_options *o,
                 bool missed, bool far)
{
    struct run_result result;

    run_program(p, o, &result);
    return missed ? !result.lack && result.far == far && result.stuck &&
                        !result.proven
                  : result.refuted;
}

void run_shrink(struct program *p, const struct run_options *o, bool missed)
{
    struct run_options quiet = { .seed = o->seed };
    static struct program smaller;
    struct run_result result;
    bool again = true;

    run_program(p, &quiet, &result);
    while (again) {
        again = false;
        for (uint32_t r = 0; r < p->ntasks; r++)
            for (uint32_t i = p->nops[r] - 1; i-- > 0;) {
                smaller = *p;
                program_drop(&smaller, r, i);
                if (!same(&smaller, &quiet, missed, result.far))
                    continue;
                *p = smaller;
                again = true;
            }
    }
}
