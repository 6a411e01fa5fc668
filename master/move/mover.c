/* mover.c - see mover.h.
 *
 * Invariants: mover->state changes in step() only. A look is complete when each
 * node of the job has answered the order with its number; the next order is sent
 * after that, and nothing else asks for looks. */
#include "master/move/mover.h"

#include <errno.h>
#include <stdarg.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/move/bill.h"
#include "master/move/moverank.h"
#include "master/move/stop.h"
#include "master/store/journal.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "proto/link/nodemap.h"
#include "proto/link/timer.h"

/* As in page.h: its words follow those of a stop. */
enum { WORD_RUN = STOP_WANT_RUN, WORD_SWAP = STOP_WANT_DRAIN + 1 };
enum { COMMS_MORE = 64 };       /* than there are at first */
#define LOOK_NS    (CLOCK_NS_PER_MS)            /* between two, at most */
#define SLOW_NS    (10 * CLOCK_NS_PER_MS)       /* the same, once apart */
#define HEARD_NS   (5 * CLOCK_NS_PER_S)         /* beyond the limit of the stop */
#define SAY_NS     (CLOCK_NS_PER_S / 5)         /* how much of the images */
#define PREPARE_NS (60 * CLOCK_NS_PER_S)
#define APART_NS   (600 * CLOCK_NS_PER_S)       /* images may be large */
#define JOIN_NS    (120 * CLOCK_NS_PER_S)

struct mover_target {
    struct node *node;          /* borrowed */
    struct taskset ranks;       /* owned: who goes there */
    bool waits, asked;          /* until it has prepared, which it was asked */
};

struct mover_node {
    uint64_t look;
    bool swapped;
    bool apart;                 /* it has said so to a master that took it up */
};

struct mover {
    struct movers *all;         /* borrowed, like the next two */
    struct job *job;
    struct conn *asker;
    enum move_state state;
    bool acted;                 /* what this state is to effect was done */
    struct taskset ranks;       /* owned: who moves */
    char *saving;               /* owned: the directory of images; NULL: none are */
    void (*saved)(struct job *j, const struct mover_saved *s, const char *text);
    uint32_t nsaid;             /* so many tasks have said whether theirs is there */
    uint64_t quiet_wall_ns;
    struct mover_target *to;    /* owned: each node once */
    size_t nto;
    bool expected;              /* they count as coming there */
    struct moverank *rank;      /* owned: of all */
    uint32_t *node_of;          /* owned: where they are to be */
    struct mover_node *node;    /* owned: of all, by index in the job's */
    size_t nnodes;
    struct stop *stop;          /* owned */
    struct stop_task *look;     /* owned: of stop_look.h */
    struct event *timer;        /* owned: it takes too long */
    uint64_t number, looks;     /* of the last orders, and looks; those of one
                                   move are not those of another */
    uint32_t generation, serial;
    bool let;                   /* who leaves may do so: nobody can return */
    bool returns;               /* all are to be where they were */
    bool taken_up;              /* by a master that was started again, which waits
                                   for all slaves to say how far it has come */
    bool uncertain;             /* whether the job goes on, where it is given up */
    bool mixed;                 /* they have not heard of the same Swap */
    uint64_t quiesce_ns;
    uint64_t quiet_ns;          /* when all stood; monotonic. 0: before this
                                   master was there */
    struct bill bill;           /* owned: what it costs */
    uint64_t said_ns;           /* to the asker; monotonic */
    bool tells;                 /* as in mover_order */
    char why[400];              /* it was given up, or is lost */
    bool passing;               /* and that may be otherwise in a while */
};

static unsigned long long id(const struct mover *v)
{
    return v->job->id;
}

/* A node counts those that are on their way to it, too: until they are there, or
 * will not come. */
static void expect(struct mover *v, bool coming)
{
    for (size_t i = 0; coming != v->expected && i < v->nto; i++) {
        uint32_t n = (uint32_t)taskset_count(&v->to[i].ranks);

        v->to[i].node->ncoming += coming ? n : -n;
    }
    v->expected = coming;
}

static void mover_free(struct mover *v)
{
    expect(v, false);
    for (size_t i = 0; i < v->nto; i++)
        taskset_fini(&v->to[i].ranks);
    free(v->to);
    free(v->saving);
    for (uint32_t r = 0; v->rank && r < v->job->ntasks; r++)
        moverank_fini(&v->rank[r]);
    free(v->rank);
    free(v->look);
    free(v->node_of);
    free(v->node);
    stop_destroy(v->stop);
    taskset_fini(&v->ranks);
    timer_free(v->timer);
    bill_fini(&v->bill);
    if (v->job->mover == v)
        v->job->mover = NULL;
    free(v);
}

/* ---------------------------------------------------------------------- words */

static void say_step(struct mover *v)
{
    Hct__Moving m = HCT__MOVING__INIT;

    if (!v->asker)
        return;
    m.job = v->job->id;
    m.state = (char *)(uintptr_t)move_state_name(v->state);
    m.image_bytes = v->bill.row.image_bytes;
    v->said_ns = clock_monotonic_ns();
    conn_send(v->asker, MESSAGE_MOVING, &m);
}

static void say_result(const struct mover *v, bool ok, const char *text)
{
    Hct__Result m = HCT__RESULT__INIT;

    if (!v->asker)
        return;
    m.ok = ok;
    m.text = (char *)(uintptr_t)text;
    conn_send(v->asker, MESSAGE_RESULT, &m);
}

static bool step(struct mover *v, enum move_event ev)
{
    enum move_state from = v->state;
    struct err err;

    if (move_state_next(from, ev, &v->state, &err)) {
        log_warn("move", "step refused job=%llu: %s", id(v), err.text);
        return false;
    }
    log_info("move", "%s -> %s job=%llu", move_state_name(from),
             move_state_name(v->state), id(v));
    journal_step(v->all->journal, v->job, &move_state_machine, -1, ev, from,
                 v->state);
    v->acted = false;
    v->all->ops->act(v->job);
    return true;
}

/* ---------------------------------------------------------------------- orders */

/* Has a part of the job, and takes part in what is ordered; while its link is
 * broken that waits for it. */
static bool takes_part(const struct job_node *jn)
{
    return jn->prepared && !jn->lost && !jn->drained;
}

static bool is_there(const struct job_node *jn)
{
    return takes_part(jn) && !jn->away && jn->node->link;
}

static void send_all(const struct mover *v, enum message_type type,
                     const void *msg)
{
    for (size_t i = 0; i < v->job->nnodes; i++)
        if (is_there(&v->job->nodes[i]))
            conn_send(v->job->nodes[i].node->link, type, msg);
}

/* What stands in the pages from now on, and that they are to be looked at. */
static void send_order(struct mover *v, unsigned word, uint64_t number,
                       uint64_t wait_ns, const struct stop_orders *o)
{
    Hct__StopOrder m = HCT__STOP_ORDER__INIT;
    uint32_t n = o ? o->nraises : 0;
    Hct__StopOrder__Raise *raises = calloc(n + 1, sizeof(*raises));
    Hct__StopOrder__Raise **all = calloc(n + 1, sizeof(*all));

    for (uint32_t i = 0; raises && all && i < n; i++) {
        hct__stop_order__raise__init(&raises[i]);
        raises[i].comm = o->raises[i].comm;
        raises[i].target = o->raises[i].number;
        all[m.n_raises++] = &raises[i];
    }
    m.job = v->job->id;
    m.number = v->number = number;
    m.look = v->looks = ++v->all->looks;
    m.word = word;
    m.generation = v->generation;
    m.raises = all;
    m.signals = o ? (uint32_t *)(uintptr_t)o->signals : NULL;
    m.n_signals = o ? o->nsignals : 0;
    m.wait_ns = wait_ns;
    m.end = word == WORD_RUN && v->state != MOVE_CHECKED;
    send_all(v, MESSAGE_STOP_ORDER, &m);
    free(all);
    free(raises);
}

static void send_end(const struct mover *v)
{
    Hct__SwapEnd m = HCT__SWAP_END__INIT;

    m.job = v->job->id;
    m.serial = v->job->serial;
    send_all(v, MESSAGE_SWAP_END, &m);
}

static const char *node_name(const void *arg, size_t i)
{
    return ((const struct job *)arg)->nodes[i].node->name;
}

/* Who goes from there, and who comes; both to be freed. */
static void who_moves(const struct mover *v, size_t node, char **leaving,
                      char **coming)
{
    struct taskset from = { 0 }, to = { 0 };

    for (int64_t r = -1;
         !v->returns && (r = taskset_next(&v->ranks, r)) >= 0; ) {
        if (v->job->tasks[r].node == node)
            taskset_add(&from, (uint32_t)r, (uint32_t)r);
        if (v->node_of[r] == node)
            taskset_add(&to, (uint32_t)r, (uint32_t)r);
    }
    *leaving = from.n ? taskset_text(&from) : strdup("");
    *coming = to.n ? taskset_text(&to) : strdup("");
    taskset_fini(&from);
    taskset_fini(&to);
}

/* Where the images of those go that leave a node; to be freed, as is ranks. */
struct mover_ways { Hct__Swap__Way *v, **all; size_t n; };

static void drop_ways(struct mover_ways *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i].ranks);
    free(w->v);
    free(w->all);
}

static char *who_goes(const struct mover *v, size_t from,
                      const struct mover_target *to)
{
    struct taskset set = { 0 };
    char *text = NULL;

    for (int64_t r = -1; (r = taskset_next(&to->ranks, r)) >= 0; )
        if (v->job->tasks[r].node == from)
            taskset_add(&set, (uint32_t)r, (uint32_t)r);
    if (set.n)
        text = taskset_text(&set);
    taskset_fini(&set);
    return text;
}

/* Those that are not in it go through us. */
static void find_ways(const struct mover *v, size_t from, struct mover_ways *w)
{
    *w = (struct mover_ways){ .v = calloc(v->nto + 1, sizeof(*w->v)),
                              .all = calloc(v->nto + 1, sizeof(*w->all)) };
    for (size_t i = 0; w->v && w->all && !v->returns && i < v->nto; i++) {
        const struct node *to = v->to[i].node;
        char *ranks = to->reduce_at ? who_goes(v, from, &v->to[i]) : NULL;

        if (!ranks)
            continue;
        hct__swap__way__init(&w->v[w->n]);
        w->v[w->n].ranks = ranks;
        w->v[w->n].node = to->name;
        w->v[w->n].addresses = to->reduce_at;
        w->all[w->n] = &w->v[w->n];
        w->n++;
    }
}

static void send_swap_to(const struct mover *v, size_t i, Hct__Prepare *places)
{
    Hct__Swap m = HCT__SWAP__INIT;
    struct mover_ways ways;

    find_ways(v, i, &ways);
    m.ways = ways.all;
    m.n_ways = ways.n;
    places->here = (uint32_t)i;
    m.job = v->job->id;
    m.serial = v->serial;
    m.places = places;
    if (v->saving && !v->returns)
        m.saving = v->saving;
    who_moves(v, i, &m.leaving, &m.coming);
    if (m.leaving && m.coming)
        conn_send(v->job->nodes[i].node->link, MESSAGE_SWAP, &m);
    free(m.leaving);
    free(m.coming);
    drop_ways(&ways);
}

static bool moves(const struct mover *v, uint32_t r)
{
    return !v->returns && taskset_has(&v->ranks, r);
}

/* The name of the first one, and a number. */
static int name_space(const struct mover *v, char *to, size_t size,
                      struct err *err)
{
    const struct job_paper *paper = &v->job->placement;
    Hct__Prepare *p = hct__prepare__unpack(NULL, paper->n, paper->bytes);

    if (!p)
        return err_memory(err);
    snprintf(to, size, "%.*s.%u", (int)strcspn(p->nspace, "."), p->nspace,
             v->serial);
    hct__prepare__free_unpacked(p, NULL);
    return 0;
}

/* Where all are to be. */
static int take_aim(struct mover *v, struct err *err)
{
    struct job *j = v->job;

    for (uint32_t r = 0; r < j->ntasks; r++)
        v->node_of[r] = j->tasks[r].node;
    for (size_t i = 0; !v->returns && i < v->nto; i++) {
        const struct job_node *to = job_node_find(j, v->to[i].node);

        if (!to)
            return err_set(err, ESRCH, "%s has left", v->to[i].node->name);
        for (int64_t r = -1; (r = taskset_next(&v->to[i].ranks, r)) >= 0; )
            v->node_of[r] = (uint32_t)(to - j->nodes);
    }
    return 0;
}

static struct mover_target *target_of(struct mover *v, const struct node *n)
{
    for (size_t i = 0; i < v->nto; i++)
        if (v->to[i].node == n)
            return &v->to[i];
    return NULL;
}

/* Has tasks, or was to get some. One that all have left is about to say that it
 * has drained, and can take no order to be another. */
static bool swaps(struct mover *v, const struct job_node *jn)
{
    return takes_part(jn) && (jn->ntasks || target_of(v, jn->node));
}

/* A further namespace: to all, or to one that may not have heard of it. */
static int send_swap(struct mover *v, const struct job_node *only,
                     struct err *err)
{
    struct job *j = v->job;
    Hct__Prepare places = HCT__PREPARE__INIT;
    char nspace[128];

    if (name_space(v, nspace, sizeof(nspace), err))
        return -1;
    if (nodemap_write(&places, j->nnodes, node_name, j, v->node_of,
                      j->ntasks))
        return err_memory(err);
    places.nspace = nspace;
    places.ntasks = j->ntasks;
    places.oversubscribed = j->oversubscribed;
    for (size_t i = 0; i < j->nnodes; i++)
        if (is_there(&j->nodes[i]) && swaps(v, &j->nodes[i]) &&
            (!only || only == &j->nodes[i]))
            send_swap_to(v, i, &places);
    nodemap_drop(&places);
    return 0;
}

static int begin_swap(struct mover *v, struct err *err)
{
    if (take_aim(v, err))
        return -1;
    for (size_t i = 0; i < v->nnodes; i++)
        v->node[i].swapped = false;
    v->serial++;
    return send_swap(v, NULL, err);
}

/* For where it comes; said is to be freed. */
static Hct__TaskMoved *fill_arrival(const struct mover *v, uint32_t rank,
                                    Hct__SwapGo__Arrival *a)
{
    Hct__TaskMoved *said = hct__task_moved__unpack(
        NULL, v->rank[rank].said_bytes, v->rank[rank].said);

    hct__swap_go__arrival__init(a);
    a->rank = rank;
    if (!said)
        return NULL;
    a->records = said->records;
    a->tagged = said->tagged;
    a->n_open = said->n_open;
    a->open = said->open;
    a->out_bytes = said->out_bytes;
    a->err_bytes = said->err_bytes;
    a->reads = said->reads;
    a->in_bytes = said->in_bytes;
    return said;
}

static void send_go(const struct mover *v)
{
    size_t n = taskset_count(&v->ranks);
    Hct__SwapGo m = HCT__SWAP_GO__INIT;
    Hct__SwapGo__Arrival *arrivals = calloc(n + 1, sizeof(*arrivals));
    Hct__TaskMoved **said = calloc(n + 1, sizeof(Hct__TaskMoved *));

    m.job = v->job->id;
    m.serial = v->serial;
    m.arrivals = calloc(n + 1, sizeof(*m.arrivals));
    for (int64_t r = -1; arrivals && said && m.arrivals &&
         (r = taskset_next(&v->ranks, r)) >= 0; ) {
        Hct__SwapGo__Arrival *a = &arrivals[m.n_arrivals];

        if (!v->rank[r].left)
            continue;           /* it is there already, for who took this up */
        said[m.n_arrivals] = fill_arrival(v, (uint32_t)r, a);
        m.arrivals[m.n_arrivals++] = a;
    }
    send_all(v, MESSAGE_SWAP_GO, &m);
    for (size_t i = 0; i < m.n_arrivals; i++)
        if (said[i])
            hct__task_moved__free_unpacked(said[i], NULL);
    free(m.arrivals);
    free(said);
    free(arrivals);
}

/* ------------------------------------------------------------------ it goes wrong */

/* All go on, where they are: or, if that cannot be, the job is lost. */
static void give_up(struct mover *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void give_up(struct mover *v, const char *fmt, ...)
{
    va_list ap;

    if (move_state_final(v->state) || v->state == MOVE_JOINED)
        return;
    va_start(ap, fmt);
    vsnprintf(v->why, sizeof(v->why), fmt, ap);
    va_end(ap);
    step(v, move_state_is_whole(v->state) ? MOVE_EVENT_GIVE_UP
                                          : MOVE_EVENT_LOSE);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct mover *v = arg;
    size_t i = 0;

    (void)fd, (void)what;
    while (i < v->job->nnodes && (!takes_part(&v->job->nodes[i]) ||
                                  v->node[i].look == v->looks))
        i++;
    v->passing = true;
    if (v->state != MOVE_ASKED && i < v->job->nnodes)
        give_up(v, "%s does not answer", v->job->nodes[i].node->name);
    else
        give_up(v, "it took too long (%s)", move_state_name(v->state));
}

/* ---------------------------------------------------------------------- looks */

/* What a task has of MPI it says when it stands. */
static bool any_refuses(struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++)
        if (v->rank[r].refuses) {
            give_up(v, "task %u cannot be moved: %s", r, v->rank[r].why);
            return true;
        }
    return false;
}

/* Whatever speaks against it, once all pages were read. */
static bool may_stop(struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (!k->heard || k->task.where == STOP_AT_GONE)
            return give_up(v, "task %u has ended, or has not called MPI_Init",
                           r), false;
        if (!k->able)
            return give_up(v, "task %u cannot be stopped: it has not called "
                           "MPI_Init, or is no program of Open MPI", r), false;
    }
    return !any_refuses(v);
}

static int make_stop(struct mover *v, struct err *err)
{
    struct stop_options o = { .limit_ns = v->quiesce_ns };
    uint32_t width = 0;

    for (uint32_t r = 0; r < v->job->ntasks; r++)
        if (v->rank[r].task.ncomms > width)
            width = v->rank[r].task.ncomms;
    v->stop = stop_create(v->job->ntasks, width + COMMS_MORE, &o, err);
    return v->stop ? 0 : -1;
}

static const struct stop_orders *stop_look_at(struct mover *v)
{
    struct stop_look in = { .now_ns = clock_monotonic_ns(), .number = v->looks,
                            .tasks = v->look, .ntasks = v->job->ntasks };

    for (uint32_t r = 0; r < v->job->ntasks; r++)
        v->look[r] = v->rank[r].task;
    return stop_step(v->stop, &in);
}

/* Steps of the move that follow from those of the stop. */
static void follow_stop(struct mover *v, const struct stop_orders *o)
{
    char text[STOP_WHY_TEXT];
    bool quiet = o->state == STOP_DRAINING || o->state == STOP_STOPPED;

    if (o->state == STOP_GIVEN_UP) {
        v->passing = true;
        give_up(v, "%s", stop_why_text(text, &o->why));
        return;
    }
    if (quiet && v->state == MOVE_CHECKED) {
        v->quiet_ns = clock_monotonic_ns();
        v->quiet_wall_ns = clock_wall_ns();
        step(v, MOVE_EVENT_QUIET);
    } else if (!quiet && v->state == MOVE_QUIET) {
        step(v, MOVE_EVENT_THAWED);
    }
    if (o->state == STOP_STOPPED && !any_refuses(v))
        step(v, MOVE_EVENT_DRAINED);
}

static void look_at_stop(struct mover *v)
{
    const struct stop_orders *o;
    uint64_t now_ns;
    struct err err;

    if (!v->stop && (!may_stop(v) || make_stop(v, &err))) {
        if (v->state == MOVE_CHECKED)
            give_up(v, "%s", err.text);
        return;
    }
    o = stop_look_at(v);
    bill_stop(&v->bill, o);
    follow_stop(v, o);
    if (v->state != MOVE_CHECKED && v->state != MOVE_QUIET)
        return;
    now_ns = clock_monotonic_ns();
    send_order(v, o->want, o->number,
               o->wake_ns <= now_ns ? 0
               : o->wake_ns - now_ns < LOOK_NS ? o->wake_ns - now_ns : LOOK_NS,
               o);
}

/* All have dropped their library; who moves has left, and has come. */
static void look_at_parts(struct mover *v)
{
    bool left = !v->saving || v->nsaid == v->job->ntasks;

    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (moves(v, r)) {
            left &= k->left;
        } else if (k->swap == MOVERANK_FAILED) {
            give_up(v, "task %u: %s", r, k->why);
            return;
        } else if (k->task.where == STOP_AT_GONE) {
            give_up(v, "task %u has ended meanwhile", r);
            return;
        }
    }
    if (v->state == MOVE_APART && left)
        step(v, MOVE_EVENT_IMAGED);
}

static bool all_down(const struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (moves(v, r) ? !k->left || !k->came : k->swap != MOVERANK_DOWN)
            return false;
    }
    return true;
}

/* They are where they are to be: for everybody from now on. */
static int take_places(struct mover *v, struct err *err)
{
    struct job *j = v->job;
    uint64_t now_ns = clock_wall_ns();

    for (int64_t r = -1; !v->returns && (r = taskset_next(&v->ranks, r)) >= 0; ) {
        struct task *t = &j->tasks[r];

        journal_posting(v->all->journal, j, t, t->since_ns ? t->since_ns
                      : t->started_ns, now_ns);
        if (job_move_task(j, (uint32_t)r, v->node_of[r]))
            return err_memory(err);
        t->pid = v->rank[r].pid;
        t->since_ns = now_ns;
        journal_posting(v->all->journal, j, t, now_ns, 0);
        journal_task(v->all->journal, j, t);
    }
    expect(v, false);
    j->serial = v->serial;
    return v->all->ops->seal(j, err);
}

static bool all_swapped(struct mover *v)
{
    for (size_t i = 0; i < v->job->nnodes; i++)
        if (swaps(v, &v->job->nodes[i]) && !v->node[i].swapped)
            return false;
    return true;
}

static void look_at_places(struct mover *v)
{
    struct err err;

    look_at_parts(v);
    if ((v->state != MOVE_IMAGED && v->state != MOVE_RETURNING) || !all_down(v))
        return;
    if (v->state == MOVE_RETURNING && (!v->acted || !all_swapped(v)))
        return;                 /* some slave has not heard of it yet */
    if (take_places(v, &err))
        give_up(v, "%s", err.text);
    else
        step(v, MOVE_EVENT_RESTORED);
}

static void look_at_members(struct mover *v)
{
    for (uint32_t r = 0; r < v->job->ntasks; r++) {
        const struct moverank *k = &v->rank[r];

        if (k->swap == MOVERANK_FAILED) {
            give_up(v, "task %u: %s", r, k->why);
            return;
        }
        if (k->task.where == STOP_AT_GONE) {
            give_up(v, "task %u has ended meanwhile", r);
            return;
        }
    }
    for (uint32_t r = 0; r < v->job->ntasks; r++)
        if (v->rank[r].swap != MOVERANK_UP ||
            v->rank[r].generation != v->generation)
            return;
    step(v, MOVE_EVENT_JOINED);
}

static void look_complete(struct mover *v)
{
    switch (v->state) {
    case MOVE_CHECKED:
    case MOVE_QUIET:
        look_at_stop(v);
        return;
    case MOVE_APART:
    case MOVE_IMAGED:
    case MOVE_RETURNING:
        look_at_places(v);
        break;
    case MOVE_RESTORED:
        if (v->acted)
            look_at_members(v);
        break;
    default:
        return;
    }
    if (!move_state_final(v->state) && v->state != MOVE_JOINED)
        send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

int mover_looked(struct job *j, struct job_node *jn, const Hct__StopLook *m,
                 struct err *err)
{
    struct mover *v = j->mover;
    size_t i = (size_t)(jn - j->nodes);

    if (!v || m->look != v->looks || i >= v->nnodes || v->node[i].look == m->look)
        return 0;               /* of a move before */
    for (size_t k = 0; k < m->n_tasks; k++) {
        const Hct__StopLook__Task *t = m->tasks[k];
        struct task *of = job_task_find(j, t->rank);

        if (of && !job_has_on(j, of, jn) && taskset_has(&v->ranks, t->rank))
            continue;           /* it has come, and does not stay */
        if (!of || !job_has_on(j, of, jn))
            return err_set(err, EPROTO, "StopLook of rank %u, which is not on "
                           "this node", t->rank);
        if (moverank_take(&v->rank[t->rank], t, j->ntasks, err))
            return -1;
    }
    v->node[i].look = m->look;
    for (i = 0; i < j->nnodes; i++)
        if (takes_part(&j->nodes[i]) && v->node[i].look != v->looks)
            return 0;
    look_complete(v);
    return 0;
}

/* ------------------------------------------------------------ words of slaves */

/* That rank goes to that node; no other one, if it was told of before. */
static int add_target(struct mover *v, struct node *n, uint32_t rank,
                      struct err *err)
{
    struct mover_target *t = target_of(v, n);

    for (size_t i = 0; i < v->nto; i++)
        if (taskset_has(&v->to[i].ranks, rank))
            return 0;
    if (!t) {
        t = &v->to[v->nto++];
        t->node = n;
    }
    return taskset_add(&t->ranks, rank, rank) ? err_memory(err) : 0;
}

static void check_prepared(struct mover *v)
{
    for (size_t i = 0; i < v->nto; i++)
        if (v->to[i].waits)
            return;
    step(v, MOVE_EVENT_CHECKED);
}

void mover_prepared(struct job *j, struct job_node *jn, const Hct__Prepared *m)
{
    struct mover *v = j->mover;
    struct mover_target *to = v ? target_of(v, jn->node) : NULL;

    if (!to || v->state != MOVE_ASKED || !to->waits)
        return;
    if (!m->ok) {
        v->passing = true;      /* it may be getting rid of what it had before */
        give_up(v, "%s", m->why);
        return;
    }
    to->waits = false;
    check_prepared(v);
}

void mover_swapped(struct job *j, struct job_node *jn, const Hct__Swapped *m)
{
    struct mover *v = j->mover;

    if (!v || m->serial != v->serial)
        return;
    if (!m->ok) {
        give_up(v, "%s", m->why);
        return;
    }
    v->node[jn - j->nodes].swapped = true;
    if (v->state == MOVE_DRAINED && all_swapped(v))
        step(v, MOVE_EVENT_APART);
}

static struct job_node *other_end(const struct mover *v, uint32_t rank,
                                  bool to_target);

static void send_let(const struct mover *v)
{
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; ) {
        struct job_node *at = other_end(v, (uint32_t)r, false);
        Hct__ImageCredit m = HCT__IMAGE_CREDIT__INIT;

        m.job = v->job->id;
        m.rank = (uint32_t)r;
        m.serial = v->serial;
        m.came = true;
        if (at)
            conn_send(at->node->link, MESSAGE_IMAGE_CREDIT, &m);
    }
}

/* Whoever it was made of is not needed any more; others may still fail. */
static void let_leave(struct mover *v)
{
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; )
        if (!v->rank[r].came)
            return;
    v->let = true;
    if (!v->taken_up)
        send_let(v);
}

/* Nobody has left yet. */
static void return_all(struct mover *v, const char *why)
{
    if (v->state != MOVE_APART)
        return;
    if (v->taken_up) {          /* once it is known how far all are */
        v->mixed = true;
        return;
    }
    snprintf(v->why, sizeof(v->why), "%s", why);
    v->returns = true;
    step(v, MOVE_EVENT_RETURN);
}

static void cannot_move(struct mover *v, uint32_t rank, const char *why)
{
    char text[sizeof(v->why)];

    snprintf(text, sizeof(text), "task %u cannot be moved: %.300s", rank, why);
    return_all(v, text);
}

/* Nobody moves; its image is in a file, or cannot be. */
static int take_saved(struct mover *v, const struct job_node *jn,
                      const Hct__TaskMoved *m, struct err *err)
{
    struct moverank *k = &v->rank[m->rank];
    bool again = k->left || k->stays;

    if (!job_has_on(v->job, &v->job->tasks[m->rank], jn))
        return err_set(err, EPROTO, "TaskMoved of rank %u, which is not on this "
                       "node", m->rank);
    if (again || v->returns)
        return 0;
    v->nsaid++;
    k->stays = m->kind != HCT__TASK_MOVED__KIND__SAVED;
    if (k->stays && !*v->why)
        snprintf(v->why, sizeof(v->why), "task %u: %.300s", m->rank, m->why);
    bill_image(&v->bill, m->image_bytes);
    return k->stays ? 0 : moverank_leave(k, m, err);
}

int mover_moved(struct job *j, struct job_node *jn, const Hct__TaskMoved *m,
                struct err *err)
{
    struct mover *v = j->mover;
    struct moverank *k;

    if (!v || m->serial != v->serial)
        return 0;
    if (v->saving && m->rank < j->ntasks)
        return take_saved(v, jn, m, err);
    /* Of a checkpoint that a master before had begun: that came to nothing. */
    if (m->kind == HCT__TASK_MOVED__KIND__SAVED ||
        (v->taken_up && m->kind == HCT__TASK_MOVED__KIND__STAYS))
        return 0;
    if (m->rank >= j->ntasks || !taskset_has(&v->ranks, m->rank))
        return err_set(err, EPROTO, "TaskMoved of rank %u, which does not move",
                       m->rank);
    if (v->returns)
        return 0;               /* said before it was told that all stay */
    k = &v->rank[m->rank];
    switch (m->kind) {
    case HCT__TASK_MOVED__KIND__LEFT:
        if (!v->taken_up && v->state < MOVE_RESTORED &&
            !job_has_on(j, &j->tasks[m->rank], jn))
            return err_set(err, EPROTO, "rank %u leaves where it is not",
                           m->rank);
        return moverank_leave(k, m, err);
    case HCT__TASK_MOVED__KIND__CAME:
        if (!v->taken_up && &j->nodes[v->node_of[m->rank]] != jn)
            return err_set(err, EPROTO, "rank %u comes where it is not to be",
                           m->rank);
        k->came = true;
        k->pid = m->pid;
        let_leave(v);
        break;
    case HCT__TASK_MOVED__KIND__STAYS:
        cannot_move(v, m->rank, m->why);
        break;
    default:
        if (v->state == MOVE_DRAINED)
            give_up(v, "%s", m->why);
        else if (v->let || v->state != MOVE_APART)
            give_up(v, "task %u is lost: %.300s", m->rank, m->why);
        else
            cannot_move(v, m->rank, m->why);
    }
    return 0;
}

static struct job_node *other_end(const struct mover *v, uint32_t rank,
                                  bool to_target)
{
    uint32_t node = to_target ? v->node_of[rank] : v->job->tasks[rank].node;

    return node < v->job->nnodes && is_there(&v->job->nodes[node])
           ? &v->job->nodes[node] : NULL;
}

static bool leaves(const struct mover *v, const struct job_node *jn,
                   uint32_t rank, uint32_t serial)
{
    return v && serial == v->serial && rank < v->job->ntasks && moves(v, rank) &&
           job_has_on(v->job, &v->job->tasks[rank], jn);
}

static void count(struct mover *v, uint64_t bytes)
{
    bill_image(&v->bill, bytes);
    if (clock_monotonic_ns() - v->said_ns >= SAY_NS)
        say_step(v);
}

void mover_sent(struct job *j, struct job_node *jn, const Hct__ImageSent *m)
{
    if (leaves(j->mover, jn, m->rank, m->serial))
        count(j->mover, m->bytes);
}

void mover_image(struct job *j, struct job_node *jn, const Hct__Image *m)
{
    struct mover *v = j->mover;
    struct job_node *to;

    if (!leaves(v, jn, m->rank, m->serial))
        return;
    count(v, m->data.len);
    to = other_end(v, m->rank, true);
    if (to)
        conn_send(to->node->link, MESSAGE_IMAGE, m);
}

void mover_credit(struct job *j, struct job_node *jn,
                  const Hct__ImageCredit *m)
{
    struct mover *v = j->mover;
    struct job_node *to;

    if (!v || m->serial != v->serial || m->rank >= j->ntasks ||
        !moves(v, m->rank) || &j->nodes[v->node_of[m->rank]] != jn)
        return;
    to = other_end(v, m->rank, false);
    if (to)
        conn_send(to->node->link, MESSAGE_IMAGE_CREDIT, m);
}

/* -------------------------------------------------------------------- effects */

/* The nodes that they go to have a part of the job, or are to get one. One that
 * has just been left by all tasks is about to say that it has drained, and is
 * asked then: what it has of the job is on its way out. */
static void act_asked(struct mover *v)
{
    struct job *j = v->job;
    struct err err;

    timer_set(v->timer, PREPARE_NS);
    for (size_t i = 0; i < v->nto; i++) {
        struct mover_target *t = &v->to[i];
        struct job_node *jn = job_node_find(j, t->node);
        bool part = jn && takes_part(jn);

        if (t->asked || (part && jn->ntasks))
            continue;
        t->waits = true;
        if (part)               /* it is through with what it had, soon */
            continue;
        t->asked = true;
        if (!t->node->link) {
            v->passing = true;
            give_up(v, "the link to %s is broken", t->node->name);
            return;
        }
        if (v->all->ops->prepare(j, jn, t->node, &err)) {
            give_up(v, "%s", err.text);
            return;
        }
    }
    check_prepared(v);
}

void mover_drained(struct job *j)
{
    if (j->mover && j->mover->state == MOVE_ASKED && j->mover->acted)
        act_asked(j->mover);
}

static void act_checked(struct mover *v)
{
    if (v->stop)                /* they stood, and were to go on for a while */
        return;
    timer_set(v->timer, v->quiesce_ns + HEARD_NS);
    send_order(v, WORD_RUN, 0, 0, NULL);
}

static void act_swap(struct mover *v)
{
    struct err err;

    timer_set(v->timer, PREPARE_NS);
    if (begin_swap(v, &err))
        give_up(v, "%s", err.text);
}

/* Also if the last look waits for nobody any more. */
static void act_returning(struct mover *v)
{
    act_swap(v);
    if (v->state == MOVE_RETURNING)
        send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

static void act_apart(struct mover *v)
{
    timer_set(v->timer, APART_NS);
    if (v->let)                 /* it was taken up */
        send_let(v);
    else
        v->generation = v->serial;
    send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

static void act_restored(struct mover *v)
{
    timer_set(v->timer, JOIN_NS);
    send_go(v);
    send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

static void act_joined(struct mover *v)
{
    send_order(v, WORD_RUN, v->number + 1, 0, NULL);
    send_end(v);
    step(v, v->returns ? MOVE_EVENT_RETURNED : MOVE_EVENT_WENT);
}

static void end_saving(struct mover *v, bool ok, const char *text)
{
    void (*saved)(struct job *j, const struct mover_saved *s,
                  const char *text) = v->saved;
    struct mover_saved s = { .rank = v->rank, .serial = v->serial,
                             .at_ns = v->quiet_wall_ns };
    struct job *j = v->job;

    if (v->quiet_ns)
        s.stood_ns = clock_monotonic_ns() - v->quiet_ns;
    j->mover = NULL;            /* another one may begin */
    saved(j, ok && !*v->why ? &s : NULL, *v->why ? v->why : text);
    mover_free(v);
}

static void end(struct mover *v, bool ok, const char *text)
{
    struct movers *all = v->all;
    struct job *j = v->job;
    bool passing = v->passing;

    if (v->saving) {
        end_saving(v, ok, text);
        return;
    }
    journal_action_result(all->journal, j, "migrate", ok ? "done" : text);
    bill_note(&v->bill, all->journal, j, ok ? "done" : text);
    say_result(v, ok, text);
    if (!ok && v->tells)
        all->ops->notice(j, true, "job %llu: %s", id(v), text);
    mover_free(v);
    if (all->ended)
        all->ended(all->ended_arg, j, ok, passing, text);
}

/* "tasks 1-2 are on n2, task 4 is on n3 now" */
static void say_places(const struct mover *v, struct str *text)
{
    for (size_t i = 0; i < v->nto; i++) {
        char *ranks = taskset_text(&v->to[i].ranks);
        bool one = taskset_count(&v->to[i].ranks) == 1;

        str_addf(text, "%stask%s %.60s %s on %.60s", i ? ", " : "",
                 one ? "" : "s", ranks ? ranks : "", one ? "is" : "are",
                 v->to[i].node->name);
        free(ranks);
    }
}

static void act_going(struct mover *v)
{
    struct str places = { 0 };
    char text[400];

    if (v->saving) {
        end(v, true, "");
        return;
    }
    say_places(v, &places);
    snprintf(text, sizeof(text), "%.330s now", str_text(&places));
    str_fini(&places);
    if (v->quiet_ns)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), ", and the "
                 "job stood for %.3f s",
                 (double)(clock_monotonic_ns() - v->quiet_ns) / 1e9);
    v->all->ops->notice(v->job, false, "job %llu: %s", id(v), text);
    end(v, true, text);
}

static void act_back(struct mover *v)
{
    char text[sizeof(v->why) + 60];

    if (!v->returns) {
        send_order(v, WORD_RUN, v->number + 1, 0, NULL);
        send_end(v);
    }
    snprintf(text, sizeof(text), v->uncertain && !v->returns
             ? "nothing was moved: %s, the job goes on when it is back"
             : "nothing was moved, the job goes on: %s", v->why);
    end(v, false, text);
}

static void act_lost(struct mover *v)
{
    struct job *j = v->job;
    const struct mover_ops *ops = v->all->ops;
    char text[sizeof(v->why) + 60];

    snprintf(text, sizeof(text), "a move failed, and nobody can go back: %s",
             v->why);
    end(v, false, text);
    ops->fail(j, text);
}

void mover_act(struct job *j)
{
    static void (*const acts[MOVE_STATE_COUNT])(struct mover *v) = {
        [MOVE_ASKED] = act_asked, [MOVE_CHECKED] = act_checked,
        [MOVE_DRAINED] = act_swap, [MOVE_APART] = act_apart,
        [MOVE_RETURNING] = act_returning, [MOVE_RESTORED] = act_restored,
        [MOVE_JOINED] = act_joined, [MOVE_GOING] = act_going,
        [MOVE_BACK] = act_back, [MOVE_LOST] = act_lost,
    };
    struct mover *v = j->mover;

    if (!v || v->acted)
        return;
    v->acted = true;
    say_step(v);
    if (acts[v->state])
        acts[v->state](v);
}

/* ------------------------------------------- a move that another master has begun */

static const char mover_orphaned[] =
    "hector-master ended while tasks were being moved";

static struct mover *make(struct movers *all, struct job *j,
                          const struct mover_order *o, struct err *err);

static struct mover *take_up(struct movers *all, struct job *j, struct err *err)
{
    const struct taskset none = { 0 };
    const struct mover_order o = { .ranks = &none };
    struct mover *v = make(all, j, &o, err);

    if (!v)
        return NULL;
    expect(v, false);
    log_info("move", "taken up again job=%llu", (unsigned long long)j->id);
    j->mover = v;
    v->state = MOVE_APART;
    v->taken_up = v->acted = true;
    v->serial = 0;
    timer_set(v->timer, APART_NS);
    return v;
}

/* Who moves; to that node, if it is known by now. */
static int add_ranks(struct mover *v, const char *text, struct node *to,
                     struct err *err)
{
    struct taskset set = { 0 };
    int rc = *text ? taskset_parse(&set, text, v->job->ntasks, err) : 0;

    for (int64_t r = -1; rc == 0 && (r = taskset_next(&set, r)) >= 0; )
        if (taskset_add(&v->ranks, (uint32_t)r, (uint32_t)r))
            rc = err_memory(err);
        else if (to)
            rc = add_target(v, to, (uint32_t)r, err);
    taskset_fini(&set);
    return rc;
}

int mover_apart(struct movers *all, struct job *j, struct job_node *jn,
                const Hct__ComeApart *m, struct err *err)
{
    struct mover *v = j->mover;
    size_t i = (size_t)(jn - j->nodes);

    if (j->state != JOB_RUNNING || !j->migratable || (v && !v->taken_up))
        return 0;
    if (!v && !(v = take_up(all, j, err)))
        return -1;
    if (i >= v->nnodes)
        return 0;
    v->mixed |= v->serial && m->serial != v->serial;
    v->node[i].apart = true;
    v->let |= m->let;
    if (m->serial > v->serial)
        v->serial = m->serial;
    if (m->generation > v->generation)
        v->generation = m->generation;
    return add_ranks(v, m->leaving, NULL, err) ||
           add_ranks(v, m->coming, jn->node, err) ? -1 : 0;
}

/* Have all said how far they are that have tasks? In *apart: and all are apart. */
static bool all_told(const struct mover *v, bool *apart)
{
    *apart = true;
    for (size_t i = 0; i < v->job->nnodes; i++) {
        const struct job_node *jn = &v->job->nodes[i];

        if (!takes_part(jn) || !jn->ntasks)
            continue;
        if (jn->away)
            return false;
        *apart &= v->node[i].apart;
    }
    return true;
}

/* Places are taken: the database has them. */
static void go_on_there(struct mover *v, bool apart)
{
    struct job *j = v->job;
    bool lacks = false;
    struct err err;

    v->returns = !v->ranks.n;
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; )
        if (add_target(v, j->nodes[j->tasks[r].node].node, (uint32_t)r, &err)) {
            give_up(v, "%s", err.text);
            return;
        }
    if (take_aim(v, &err)) {
        give_up(v, "%s", err.text);
        return;
    }
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; )
        lacks |= v->rank[r].came && !v->rank[r].left;
    if (lacks) {                /* where what it tags is to be counted from */
        give_up(v, "%s", mover_orphaned);
        return;
    }
    v->state = apart ? MOVE_RESTORED : MOVE_JOINED;
    v->acted = false;
    v->all->ops->act(v->job);
}

/* Some may have left for good, as all have come. */
static void go_on_leaving(struct mover *v)
{
    struct err err;

    if (!v->nto || v->mixed || take_aim(v, &err)) {
        give_up(v, "%s", mover_orphaned);
        return;
    }
    v->acted = false;
    v->all->ops->act(v->job);
}

static void go_on(struct mover *v)
{
    bool apart, there = v->serial == v->job->serial;

    if (!all_told(v, &apart))
        return;
    v->taken_up = false;
    if (there)
        go_on_there(v, apart);
    else if (!apart)
        give_up(v, "%s", mover_orphaned);
    else if (v->let)
        go_on_leaving(v);
    else
        return_all(v, mover_orphaned);
}

/* ---------------------------------------------------- nodes that go and come */

void mover_node_away(struct job *j, struct job_node *jn)
{
    struct mover *v = j->mover;
    char why[200];

    if (!v || v->taken_up || (!takes_part(jn) && !target_of(v, jn->node)))
        return;
    snprintf(why, sizeof(why), "the link to %.100s is broken", jn->node->name);
    v->uncertain = jn->ntasks > 0;
    v->passing = true;
    if (move_state_is_whole(v->state))
        give_up(v, "%s", why);
    else if (!v->let)           /* what is lost with it may be of an image */
        return_all(v, why);
}

/* Nobody moves: it may not have heard how the last one ended. */
static void end_again(const struct job *j, const struct job_node *jn)
{
    Hct__StopOrder run = HCT__STOP_ORDER__INIT;
    Hct__SwapEnd end = HCT__SWAP_END__INIT;

    if (!j->migratable || j->state != JOB_RUNNING || !is_there(jn))
        return;
    run.job = end.job = j->id;
    run.word = WORD_RUN;
    run.end = true;
    end.serial = j->serial;
    conn_send(jn->node->link, MESSAGE_STOP_ORDER, &run);
    conn_send(jn->node->link, MESSAGE_SWAP_END, &end);
}

void mover_node_back(struct job *j, struct job_node *jn)
{
    struct mover *v = j->mover;
    struct err err;

    if (!v)
        end_again(j, jn);
    if (v && v->taken_up)
        go_on(v);
    if (!v || v->taken_up || !v->acted || move_state_is_whole(v->state))
        return;
    if (v->state == MOVE_RETURNING && send_swap(v, jn, &err))
        give_up(v, "%s", err.text);
    if (v->let && !v->returns)
        send_let(v);
    if (v->state == MOVE_RESTORED)
        send_go(v);
    send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

void mover_node_lost(struct job *j, struct job_node *jn)
{
    struct mover *v = j->mover;
    char why[200];

    if (!v || v->state == MOVE_JOINED || move_state_final(v->state))
        return;
    if (v->taken_up) {
        go_on(v);
        return;
    }
    snprintf(why, sizeof(why), "node %.100s was lost", jn->node->name);
    if (move_state_is_whole(v->state))
        give_up(v, "%s", why);
    else if (target_of(v, jn->node) && !v->returns && v->let)
        give_up(v, "%s", why);
    else if (target_of(v, jn->node) && !v->returns)
        return_all(v, why);
    else if (v->acted)          /* who is left goes on */
        send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

void mover_drop(struct job *j, const char *why)
{
    struct mover *v = j->mover;
    char text[sizeof(v->why) + 60];

    if (!v)
        return;
    snprintf(text, sizeof(text), *job_why(j) ? "%s: %.400s" : "%s", why,
             job_why(j));
    if (v->saving) {
        end_saving(v, false, text);
        return;
    }
    bill_note(&v->bill, v->all->journal, j, why);
    say_result(v, false, text);
    mover_free(v);                      /* who waits for all jobs will look */
}

void mover_forget(struct job *j, const struct conn *asker)
{
    if (j->mover && j->mover->asker == asker)
        j->mover->asker = NULL;
}

/* ---------------------------------------------------------------------- asked */

int mover_able(const struct job *j, struct err *err)
{
    unsigned long long n = j->id;

    if (!j->ops->ours)
        return err_set(err, ENOTSUP, "the tasks of job %llu were started by "
                       "others, and cannot be moved", n);
    if (!j->migratable)
        return err_set(err, ENOTSUP, "the tasks of job %llu cannot be moved: "
                       "it was started without --migratable", n);
    return 0;
}

static int check_job(const struct job *j, struct err *err)
{
    unsigned long long n = j->id;

    if (mover_able(j, err))
        return -1;
    if (j->state != JOB_RUNNING)
        return err_set(err, ESRCH, "job %llu is %s", n,
                       job_state_name(j->state));
    if (j->mover)
        return err_set(err, EBUSY, "tasks of job %llu are being moved already",
                       n);
    return 0;
}

static struct node *aim(const struct mover_order *o, int64_t r)
{
    return o->to_of ? o->to_of[r] : o->to;
}

static int check_ranks(const struct job *j, const struct mover_order *o,
                       struct err *err)
{
    for (int64_t r = -1; (r = taskset_next(o->ranks, r)) >= 0; ) {
        if (task_state_final(j->tasks[r].state))
            return err_set(err, ESRCH, "task %u has ended", (unsigned)r);
        if (j->nodes[j->tasks[r].node].node == aim(o, r))
            return err_set(err, EEXIST, "task %u is on %s already",
                           (unsigned)r, aim(o, r)->name);
    }
    for (uint32_t r = 0; r < j->ntasks; r++) {
        if (task_state_final(j->tasks[r].state))
            return err_set(err, ESRCH, "task %u has ended, and all tasks of a "
                           "job take part in a move", r);
        if (j->tasks[r].hold != HOLD_GOING)
            return err_set(err, EBUSY, "task %u is %s", r,
                           hold_name(j->tasks[r].hold));
    }
    return 0;
}

static int check_room(const struct job *j, const struct mover_target *t,
                      struct err *err)
{
    const struct node *to = t->node;
    uint32_t used = to->ntasks + to->ncoming;

    if (to->draining)
        return err_set(err, EBUSY, "node %s is draining: it takes no new tasks",
                       to->name);
    if (to->state != NODE_UP)
        return err_set(err, EHOSTDOWN, "node %s is %s", to->name,
                       node_state_name(to->state));
    if (used + taskset_count(&t->ranks) > to->cpus && !j->crowds)
        return err_set(err, EDQUOT, "node %s is full: %u task%s on %u "
                       "processor%s", to->name, used, used == 1 ? "" : "s",
                       to->cpus, to->cpus == 1 ? "" : "s");
    return 0;
}

/* The nodes, each once. */
static int make_targets(struct mover *v, const struct mover_order *o,
                        struct err *err)
{
    for (int64_t r = -1; (r = taskset_next(o->ranks, r)) >= 0; )
        if (add_target(v, aim(o, r), (uint32_t)r, err))
            return -1;
    for (size_t i = 0; i < v->nto; i++)
        if (check_room(v->job, &v->to[i], err))
            return -1;
    expect(v, true);
    return 0;
}

static int open_bill(struct mover *v, struct err *err)
{
    struct str to = { 0 };
    int rc;

    for (size_t i = 0; i < v->nto; i++)
        str_addf(&to, "%s%s", i ? "," : "", v->to[i].node->name);
    rc = str_failed(&to) ? err_memory(err)
       : bill_open(&v->bill, v->job, &v->ranks, str_text(&to), err);
    str_fini(&to);
    return rc;
}

static struct mover *make(struct movers *all, struct job *j,
                          const struct mover_order *o, struct err *err)
{
    struct mover *v = calloc(1, sizeof(*v));
    size_t n = taskset_count(o->ranks);

    if (!v)
        return err_memory(err), NULL;
    *v = (struct mover){ .all = all, .job = j, .saved = o->saved,
                         .asker = o->asker, .serial = j->serial,
                         .tells = o->tells,
                         .quiesce_ns = o->quiesce_ns ? o->quiesce_ns
                             : MOVER_QUIESCE_S * CLOCK_NS_PER_S };
    v->rank = calloc(j->ntasks + 1, sizeof(*v->rank));
    v->look = calloc(j->ntasks + 1, sizeof(*v->look));
    v->node_of = calloc(j->ntasks + 1, sizeof(*v->node_of));
    v->to = calloc(j->ntasks + 1, sizeof(*v->to));
    v->nnodes = j->nnodes + n;          /* at most */
    v->node = calloc(v->nnodes + 1, sizeof(*v->node));
    v->timer = evtimer_new(all->base, on_timer, v);
    if (o->saving)
        v->saving = strdup(o->saving);
    if ((o->saving && !v->saving) || !v->rank || !v->look || !v->node_of || !v->to || !v->node ||
        !v->timer || taskset_copy(&v->ranks, o->ranks))
        err_memory(err);
    else if (make_targets(v, o, err) == 0 && open_bill(v, err) == 0)
        return v;
    mover_free(v);
    return NULL;
}

int mover_order(struct movers *all, struct job *j, const struct mover_order *o,
                struct err *err)
{
    struct mover *v;

    if (check_job(j, err) || check_ranks(j, o, err))
        return -1;
    v = make(all, j, o, err);
    if (!v)
        return -1;
    j->mover = v;
    if (!v->saving)
        bill_note(&v->bill, all->journal, j, NULL);
    log_info("move", "asked for job=%llu: %s", id(v), o->why);
    all->ops->act(j);
    return 0;
}
