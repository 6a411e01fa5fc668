/* oracle.c - who can still go on, see oracle.h. Two ways to find out: to let a
 * copy of the world go on; and to ask of each task whether tasks outside of the
 * set, which may do anything, could release it. */
#include "tests/sim/oracle.h"

#include "mpi-wrappers/table/calls.h"
#include "tests/sim/chance.h"

enum { BRANCHES = 3 };

/* Beside the tasks that do what they like: nothing counts but what pages show,
 * and whatever they leave open may be so. */
#define VEILED (UINT32_C(1) << 31)
#define LIMITS (UINT32_C(1) << 30)      /* ... they tell what is sent at once */

static bool has(uint32_t set, int task)
{
    return task >= 0 && (set >> task & 1);
}

static bool takes(const struct message *m, const struct request *q,
                  uint64_t before)
{
    return q->what == WHAT_RECV && q->active && !q->matched && !q->done &&
           q->order < before && q->context == m->context &&
           world_fits(q->peer, m->from) && world_fits(q->tag, m->tag);
}

/* Messages of one kind do not overtake each other: those before it are taken
 * first. */
static bool is_posted(const struct world *w, const struct message *m)
{
    int32_t left = 0;

    for (uint32_t i = 0; i < WORLD_REQUESTS; i++)
        left += takes(m, &w->task[m->to].request[i], UINT64_MAX);
    for (uint32_t k = 0; k < w->top; k++) {
        const struct message *other = &w->message[k];

        left -= other->stage == STAGE_FIRST && other->from == m->from &&
                other->to == m->to && other->context == m->context &&
                other->tag == m->tag && other->at_ns < m->at_ns;
    }
    return left > 0;
}

/* Will requests made before take a message that is on its way, in whatever
 * order what is on its way to them arrives? */
static bool is_taken(const struct world *w, const struct message *m,
                     uint64_t before)
{
    const struct task *t = &w->task[m->to];
    uint32_t takers = 0, rivals = 0;

    for (uint32_t i = 0; i < WORLD_REQUESTS; i++)
        takers += takes(m, &t->request[i], before);
    for (uint32_t k = 0; k < w->top && takers; k++) {
        const struct message *other = &w->message[k];
        bool fits = false;

        for (uint32_t i = 0; i < WORLD_REQUESTS; i++)
            fits |= takes(m, &t->request[i], before) &&
                    takes(other, &t->request[i], before);
        rivals += fits && other->stage == STAGE_FIRST && other->to == m->to;
    }
    return takers > 0 && rivals <= takers;
}

/* Is a message for it there, or on its way? Not those for requests that it has
 * made before. */
static bool comes(const struct world *w, uint32_t task, uint64_t context,
                  int source, int tag, uint64_t before)
{
    for (uint32_t i = 0; i < w->top; i++) {
        const struct message *m = &w->message[i];

        if ((m->stage == STAGE_FIRST || m->stage == STAGE_UNEXPECTED) &&
            m->to == task && m->context == context &&
            world_fits(source, m->from) && world_fits(tag, m->tag) &&
            !(m->stage == STAGE_FIRST && is_taken(w, m, before)))
            return true;
    }
    return false;
}

/* Can it still do something with a communicator, if it does what it likes? Of
 * one that it has freed only what its requests are about. */
static bool uses(const struct world *w, uint32_t task, uint64_t context)
{
    const struct task *t = &w->task[task];

    for (uint32_t i = 0; i < WORLD_REQUESTS; i++)
        if (t->request[i].what && t->request[i].context == context)
            return true;
    for (uint32_t i = 0; i < WORLD_FREED; i++)
        if (t->freed[i].members && (t->freed[i].context == context ||
                                    t->freed[i].context + 1 == context))
            return false;
    return true;
}

static uint32_t members_of(const struct task *t, uint64_t context)
{
    for (uint32_t i = 0; i < PROGRAM_COMMS; i++)
        if (t->comms[i].members && t->comms[i].context == context)
            return t->comms[i].members;
    return UINT32_MAX;
}

static bool receives(const struct world *w, uint32_t task, uint64_t context,
                     int source, int tag, uint64_t before, uint32_t others)
{
    uint32_t from = source >= 0 ? 1u << source
                                : members_of(&w->task[task], context);

    for (uint32_t r = 0; r < w->n; r++)
        if ((from & others & 1u << r) && uses(w, r, context))
            return true;
    return comes(w, task, context, source, tag, before);
}

/* Between nodes a message that may be small is perhaps on its way. */
static bool may_leave(const struct world *w, uint32_t task,
                      const struct request *q, uint32_t others)
{
    return (others & VEILED) && w->node[task] != w->node[q->peer] && !q->sync &&
           !((others & LIMITS) && q->bytes > w->eager_far + w->header);
}

/* Two threads of the task have sent, and not by turns. What they send MPI does
 * not order, "even if one physically precedes the other" (MPI 3.1, 3.5), and
 * pages do not tell which of them has sent what. Where the receiver has taken one
 * like this, it may be this one, for all they show; on one node it would be over
 * then. */
static bool may_be_taken(const struct world *w, uint32_t task,
                         const struct request *q, uint32_t others)
{
    return (others & VEILED) && w->task[task].helper.calls > 0 &&
           !w->serialized && q->peer >= 0 &&
           message_was_taken(w, (uint32_t)q->peer, task, q->context, q->tag);
}

static bool sends(const struct world *w, uint32_t task, uint32_t request,
                  uint32_t others)
{
    const struct request *q = &w->task[task].request[request];

    if (q->peer < 0 || q->reluctant || may_leave(w, task, q, others) ||
        (w->node[task] != w->node[q->peer] &&
         may_be_taken(w, task, q, others)) ||
        (has(others, q->peer) && uses(w, (uint32_t)q->peer, q->context)))
        return true;
    for (uint32_t i = 0; i < w->top; i++) {
        const struct message *m = &w->message[i];

        if (m->stage && m->from == task && m->send == (int)request)
            return m->recv >= 0 || (m->stage == STAGE_FIRST && is_posted(w, m));
    }
    return true;
}

static bool passes(const struct world *w, uint32_t task,
                   const struct schedule *s, uint32_t to, uint32_t others,
                   unsigned depth);

/* Can peer send task the next message of its schedule s? Who takes part in the
 * same call already can do what is next there, one step after another; others
 * anything. */
static bool comes_from(const struct world *w, uint32_t task,
                       const struct schedule *s, int peer, uint32_t others,
                       unsigned depth)
{
    const struct task *t = &w->task[peer];
    struct schedule its;

    if (comes(w, task, s->context, peer, s->tag, 0))
        return true;
    for (uint32_t i = 0; i < WORLD_SCHEDULES; i++)
        if (t->schedule[i].active && t->schedule[i].context == s->context &&
            t->schedule[i].tag == s->tag)
            return depth > 0 && passes(w, (uint32_t)peer, &t->schedule[i],
                                       task, others, depth - 1);
    if (!has(others, peer) || !uses(w, (uint32_t)peer, s->context))
        return false;
    collective_imagine(w, (uint32_t)peer, s, &its);
    return its.n == 0 || (depth > 0 && passes(w, (uint32_t)peer, &its, task,
                                              others, depth - 1));
}

/* Can it get rid of the message of step i? */
static bool leaves(const struct world *w, uint32_t task,
                   const struct schedule *s, uint32_t i, uint32_t others)
{
    uint32_t peer = (uint32_t)s->step[i].peer;

    if (has(others, (int)peer) && uses(w, peer, s->context))
        return true;
    if (i == s->at && s->begun)
        return sends(w, task, WORLD_STEP +
                                  (uint32_t)(s - w->task[task].schedule),
                     others);
    return s->bytes <= (w->node[task] == w->node[peer] ? w->eager
                                                       : w->eager_far);
}

/* Can it get through the schedule, up to where it sends to that task? */
static bool passes(const struct world *w, uint32_t task,
                   const struct schedule *s, uint32_t to, uint32_t others,
                   unsigned depth)
{
    for (uint32_t i = s->at; i < s->n; i++) {
        int peer = s->step[i].peer;

        if (i == s->at && s->begun &&
            w->task[task].request[WORLD_STEP + (s - w->task[task].schedule)]
                .done)
            continue;
        if (s->step[i].sends && peer == (int)to)
            return true;
        if (s->step[i].sends
                ? !leaves(w, task, s, i, others)
                : !comes_from(w, task, s, peer, others, depth))
            return false;
    }
    return to >= w->n;
}

/* --------------------------------------------------- what pages leave open */

static bool is_far(const struct world *w)
{
    for (uint32_t r = 1; r < w->n; r++)
        if (w->node[r] != w->node[0])
            return true;
    return false;
}

static const struct world_comm *comm_of(const struct task *t, uint64_t context)
{
    for (uint32_t i = 0; i < PROGRAM_COMMS; i++)
        if (t->comms[i].members && t->comms[i].context == context)
            return &t->comms[i];
    for (uint32_t i = 0; i < WORLD_FREED; i++)
        if (t->freed[i].members && t->freed[i].context == context)
            return &t->freed[i];
    return NULL;
}

/* Has the member not entered collective call n of task's communicator, and will
 * not, and do both count the same calls? */
static bool misses(const struct world *w, uint32_t task, uint32_t member,
                   uint64_t context, uint64_t n, uint32_t others)
{
    const struct world_comm *mine = comm_of(&w->task[task], context);
    const struct world_comm *its = comm_of(&w->task[member], context);
    uint64_t k = its ? its->collectives : n;

    if (k >= n || !mine ||
        (has(others, (int)member) && uses(w, member, context)))
        return false;
    return k == 0 ||
           (k == mine->collectives ? its->history == mine->history
            : k + 1 == mine->collectives &&
                  its->history == mine->history_before);
}

/* Does another one stand in a different call with this number, and have both
 * made the same ones before? Or it has left it, and makes none any more, and
 * what it sent there is for no other: of MPI_Allreduce and MPI_Allgather, which
 * MPI may make of others, nobody knows. */
static bool differs(const struct world *w, uint32_t task, uint64_t context,
                    uint64_t n, uint32_t others)
{
    const struct world_comm *mine = comm_of(&w->task[task], context);
    uint32_t kind = w->task[task].schedule[0].kind;

    for (uint32_t r = 0; r < w->n; r++) {
        const struct world_comm *c = comm_of(&w->task[r], context);

        if (mine && c && c->collectives == n &&
            ((w->task[r].in && w->task[r].collective == n &&
              w->task[r].comm == c->id) ||
             (kind != OP_ALLREDUCE && kind != OP_ALLGATHER)) &&
            c->call != w->task[task].call &&
            c->history_before == mine->history_before &&
            !has(others, (int)r))
            return true;
    }
    return false;
}

/* Of the first n collective calls; 0: not known. */
static uint64_t history_of(const struct world_comm *c, uint64_t n)
{
    return c->collectives == n ? c->history
           : c->collectives == n + 1 ? c->history_before : 0;
}

/* Calls that need not wait are matched by their number alone. Has another member
 * made a different one with this number, for all that pages tell, or may yet?
 * Then it may send what this one takes for its own. */
static bool mixes(const struct world *w, uint32_t task,
                  const struct schedule *s, uint64_t n, uint32_t others)
{
    const struct world_comm *mine = comm_of(&w->task[task], s->context - 1);
    uint32_t call = call_find(program_call(s->kind));

    for (uint32_t r = 0; r < w->n && mine; r++) {
        const struct world_comm *c = comm_of(&w->task[r], s->context - 1);
        uint64_t history = c ? history_of(c, n) : 0;

        if (r == task || !(s->members >> r & 1))
            continue;
        if (!c || c->collectives < n
                ? has(others, (int)r) && uses(w, r, s->context - 1)
                : c->collectives == n ? c->call != call
                : !history || history != history_of(mine, n))
            return true;
    }
    return false;
}

/* Can call n of that schedule end, as far as pages show? What MPI passes on to
 * whom they do not, nor who takes part in an epoch. Time shows it where no
 * member can do anything any more, on one node. */
static bool collects_openly(const struct world *w, uint32_t task,
                            const struct schedule *s, uint64_t n,
                            uint32_t others)
{
    uint64_t context = s->context - 1;
    uint32_t from = s->members & ~(1u << task);

    switch (s->kind) {
    case OP_IREDUCE:            /* between root and member another one may
                                   pass something on, of another call */
        if (mixes(w, task, s, n, others))
            return true;
        /* fall through */
    case OP_REDUCE: case OP_GATHER:
        from &= s->root == (int)task ? UINT32_MAX : 0;
        break;
    case OP_BCAST: case OP_SCATTER: case OP_IBCAST:
        from &= 1u << s->root;
        break;
    case OP_SCAN:
        from &= (1u << task) - 1;
        break;
    case OP_FENCE:
        break;
    case OP_POST: case OP_START_EPOCH: case OP_COMPLETE: case OP_WAIT_EPOCH:
        return true;
    case OP_IBARRIER: case OP_IALLREDUCE:
        if (mixes(w, task, s, n, others))
            return true;
        break;
    default:
        if (s == &w->task[task].schedule[0] &&
            differs(w, task, context, n, others))
            return false;
    }
    for (uint32_t r = 0; r < w->n; r++)
        if ((from >> r & 1) && misses(w, task, r, context, n, others))
            return false;
    return true;
}

/* Who is in MPI_Win_complete may put something there yet. */
static bool may_complete(const struct world *w, const struct schedule *s)
{
    for (uint32_t r = 0; r < w->n && s->kind == OP_WAIT_EPOCH; r++)
        if (w->task[r].in &&
            w->program->op[r][w->task[r].at].kind == OP_COMPLETE)
            return true;
    return false;
}

static bool collects(const struct world *w, uint32_t task, uint32_t schedule,
                     uint64_t n, uint32_t others)
{
    const struct schedule *s = &w->task[task].schedule[schedule];

    if ((others & VEILED) &&
        (is_far(w) || (s->members & others)
             ? collects_openly(w, task, s, n, others) : may_complete(w, s)))
        return true;
    return passes(w, task, &w->task[task].schedule[schedule], PROGRAM_TASKS,
                  others, PROGRAM_TASKS);
}

/* Can request i end? */
static bool ends(const struct world *w, uint32_t task, uint32_t i,
                 uint32_t others)
{
    const struct request *q = &w->task[task].request[i];

    if (q->done)
        return true;
    switch (q->what) {
    case WHAT_SEND:
        return sends(w, task, i, others);
    case WHAT_RECV:
        return q->matched || receives(w, task, q->context, q->peer, q->tag,
                                      q->order, others);
    default:
        return collects(w, task, q->schedule, q->collective, others);
    }
}

/* Is this what the task may be waiting for? Pages do not say of a request that
 * it is finished. On one node time does. */
static bool may_end_yet(const struct world *w, uint32_t task, uint32_t i,
                        uint32_t others)
{
    const struct request *q = &w->task[task].request[i];
    int32_t with = q->what == WHAT_RECV ? q->from : q->peer;

    if (!(others & VEILED) || !q->done)
        return (others & VEILED) && ends(w, task, i, others);
    return q->what != WHAT_COLLECTIVE && with >= 0 &&
           w->node[task] != w->node[with];
}

/* May the send have left without its receiver, for all that pages tell of its
 * size, or with him? That it has not is shown by a task that waits for nothing else: but one
 * that may yet be waiting for another node does not show it. */
static bool may_have_left(const struct world *w, uint32_t task, uint32_t i,
                          uint32_t others)
{
    const struct request *q = &w->task[task].request[i];

    return q->what == WHAT_SEND && q->peer >= 0 &&
           w->node[task] == w->node[q->peer] &&
           (may_be_taken(w, task, q, others) ||
            (!q->sync &&
             !((others & LIMITS) && q->bytes > w->eager + w->header)));
}

/* For all of the requests of a set. */
static bool waits_for_all(const struct world *w, uint32_t task, uint32_t mask,
                          uint32_t others)
{
    bool open = false;

    for (uint32_t i = 0; i < WORLD_REQUESTS; i++)
        open |= (mask >> i & 1) && w->task[task].request[i].active &&
                may_end_yet(w, task, i, others);
    for (uint32_t i = 0; i < WORLD_REQUESTS; i++)
        if ((mask >> i & 1) && w->task[task].request[i].active &&
            !ends(w, task, i, others) &&
            !(open && may_have_left(w, task, i, others)))
            return false;
    return true;
}

static bool waits_for_any(const struct world *w, uint32_t task, uint32_t others)
{
    const struct task *t = &w->task[task];

    for (uint32_t i = 0; i < PROGRAM_SLOTS; i++)
        if ((t->mask >> i & 1) && t->request[i].active &&
            ends(w, task, i, others))
            return true;
    return false;
}

static bool locks(const struct world *w, uint32_t task, const struct op *o,
                  uint32_t others)
{
    uint64_t context = w->task[task].comms[o->comm].context;

    if ((others & VEILED) && (is_far(w) || o->kind == OP_UNLOCK))
        return true;
    if (w->lock_asks && !has(others, o->peer) && !world_runs(&w->task[o->peer]))
        return false;
    for (uint32_t i = 0; i < WORLD_LOCKS && o->kind == OP_LOCK; i++)
        if (w->lock[i].context == context && w->lock[i].target == o->peer)
            return has(others, w->lock[i].owner);
    return true;
}

/* Could this task go on, if those of the set others did all they can, and the
 * rest nothing? */
static bool helped(const struct world *w, uint32_t task, uint32_t others)
{
    const struct task *t = &w->task[task];
    const struct op *o = &w->program->op[task][t->at];

    if (!t->in || world_helps(w, t) || (t->asks && t->stops_ns < UINT64_MAX))
        return true;
    switch (o->kind) {
    case OP_SEND: case OP_SSEND: case OP_BSEND: case OP_RSEND:
        return ends(w, task, WORLD_OWN_SEND, others);
    case OP_RECV:
        return ends(w, task, WORLD_OWN_RECV, others);
    case OP_SENDRECV:
        return waits_for_all(w, task, 1u << WORLD_OWN_SEND |
                                          1u << WORLD_OWN_RECV, others);
    case OP_PROBE: case OP_IPROBE:
        return receives(w, task, t->comms[o->comm].context, o->peer, o->tag,
                        UINT64_MAX, others);
    case OP_WAIT: case OP_WAITALL: case OP_TEST: case OP_TESTALL:
        return waits_for_all(w, task, t->mask, others);
    case OP_WAITANY: case OP_WAITSOME: case OP_TESTANY:
        return waits_for_any(w, task, others);
    case OP_LOCK: case OP_UNLOCK:
        return locks(w, task, o, others);
    case OP_FINALIZE:
        return false;
    default:
        return collects(w, task, 0, t->collective, others);
    }
}

/* Who has left MPI helps nobody any more. */
static uint32_t alive(const struct world *w)
{
    uint32_t set = 0;

    for (uint32_t r = 0; r < w->n; r++)
        if (w->task[r].life == HCT_LIFE_RUNNING)
            set |= 1u << r;
    return set;
}

static uint32_t stuck(const struct world *w, uint32_t view)
{
    uint32_t all = alive(w), set = all, before;

    do {
        before = set;
        for (uint32_t r = 0; r < w->n; r++)
            if ((set >> r & 1) && helped(w, r, (all & ~set) | view))
                set &= ~(1u << r);
    } while (set != before);
    return set;
}

uint32_t oracle_stuck(const struct world *w)
{
    return stuck(w, 0);
}

uint32_t oracle_shown(const struct world *w, bool limits)
{
    return stuck(w, VEILED | (limits ? LIMITS : 0));
}

int oracle_refutes(const struct world *w, uint32_t set, uint64_t seed,
                   const char **why)
{
    uint32_t wrong = set & ~oracle_stuck(w);

    if (wrong) {
        *why = "could be released by others, or by what is under way";
        return __builtin_ctz(wrong);
    }
    for (uint64_t b = 0; b < BRANCHES; b++) {
        static struct world copy;

        copy = *w;
        world_branch(&copy, seed + b, b == 0);
        world_run(&copy, w->now_ns + 1000 * WORLD_S);
        for (uint32_t r = 0; r < w->n; r++)
            if ((set >> r & 1) && copy.task[r].moves != w->task[r].moves) {
                *why = "goes on";
                return (int)r;
            }
    }
    return -1;
}
