/* mover.c - see mover.h.
 *
 * Invariant: mover->state changes in mover_step() only. */
#include "master/move/mover_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/store/journal.h"
#include "proto/base/log.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "proto/link/timer.h"

unsigned long long mover_id(const struct mover *v)
{
    return v->job->id;
}

void mover_expect(struct mover *v, bool coming)
{
    for (size_t i = 0; coming != v->expected && i < v->nto; i++) {
        uint32_t n = (uint32_t)taskset_count(&v->to[i].ranks);

        v->to[i].node->ncoming += coming ? n : -n;
    }
    v->expected = coming;
}

void mover_free(struct mover *v)
{
    mover_expect(v, false);
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

/* ------------------------------------------------------------------ words */

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

bool mover_step(struct mover *v, enum move_event ev)
{
    enum move_state from = v->state;
    struct err err;

    if (move_state_next(from, ev, &v->state, &err)) {
        log_warn("move", "step refused job=%llu: %s", mover_id(v), err.text);
        return false;
    }
    log_info("move", "%s -> %s job=%llu", move_state_name(from),
             move_state_name(v->state), mover_id(v));
    journal_step(v->all->journal, v->job, &move_state_machine, -1, ev, from,
                 v->state);
    v->acted = false;
    v->all->ops->act(v->job);
    return true;
}

/* ---------------------------------------------------------- it goes wrong */

void mover_give_up(struct mover *v, const char *fmt, ...)
{
    va_list ap;

    if (move_state_final(v->state) || v->state == MOVE_JOINED)
        return;
    va_start(ap, fmt);
    vsnprintf(v->why, sizeof(v->why), fmt, ap);
    va_end(ap);
    mover_step(v, move_state_is_whole(v->state) ? MOVE_EVENT_GIVE_UP
                                          : MOVE_EVENT_LOSE);
}

/* One that was asked a while ago, which is not now: all are asked all the time. */
static const struct job_node *silent_node(const struct mover *v)
{
    const struct job *j = v->job;

    if (v->state == MOVE_ASKED ||
        clock_monotonic_ns() - v->asked_ns < HEARD_NS)
        return NULL;
    for (size_t i = 0; i < j->nnodes; i++)
        if (mover_takes_part(&j->nodes[i]) && v->node[i].look != v->looks)
            return &j->nodes[i];
    return NULL;
}

/* Who is at it yet is cut short, and all go on. */
static void give_up_images(struct mover *v)
{
    char why[sizeof(v->why)];

    snprintf(why, sizeof(why), "not all images were written within %d minutes; does "
             "%.300s answer?", (int)(APART_NS / CLOCK_NS_PER_S / 60), v->saving);
    mover_return_all(v, why);
}

void mover_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct mover *v = arg;
    const struct job_node *silent = silent_node(v);

    (void)fd, (void)what;
    if (v->state == MOVE_ASKED && v->rooming) {         /* it is for speed only */
        mover_step(v, MOVE_EVENT_CHECKED);
        return;
    }
    v->passing = true;
    if (silent)
        mover_give_up(v, "%s does not answer", silent->node->name);
    else if (v->saving && v->state == MOVE_APART)
        give_up_images(v);
    else
        mover_give_up(v, "it took too long (%s)", move_state_name(v->state));
}

/* -------------------------------------------------------- words of slaves */

static void check_prepared(struct mover *v)
{
    for (size_t i = 0; i < v->nto; i++)
        if (v->to[i].waits)
            return;
    if (v->rooming)
        return;
    v->rooming = true;
    v->nrooms = mover_send_room_asks(v);
    if (v->nrooms)
        timer_set(v->timer, ROOM_NS);
    else
        mover_step(v, MOVE_EVENT_CHECKED);
}

void mover_prepared(struct job *j, struct job_node *jn, const Hct__Prepared *m)
{
    struct mover *v = j->mover;
    struct mover_target *to = v ? mover_target_of(v, jn->node) : NULL;

    if (!to || v->state != MOVE_ASKED || !to->waits)
        return;
    if (!m->ok) {
        v->passing = true;      /* what it had before may be on its way out */
        mover_give_up(v, "%s", m->why);
        return;
    }
    to->waits = false;
    check_prepared(v);
}

static void note_room(struct mover *v, uint32_t rank)
{
    if (v->rank[rank].roomed)
        return;
    v->rank[rank].roomed = true;
    if (v->nrooms > 0 && --v->nrooms == 0)
        mover_step(v, MOVE_EVENT_CHECKED);
}

static bool has_rooms(const struct mover *v, uint32_t rank, uint32_t serial)
{
    return v && v->state == MOVE_ASKED && v->rooming && serial == v->serial &&
           rank < v->job->ntasks && taskset_has(&v->ranks, rank);
}

void mover_room(struct job *j, struct job_node *jn, const Hct__Room *m)
{
    struct mover *v = j->mover;
    const struct mover_target *to;

    if (!has_rooms(v, m->rank, m->serial) ||
        !job_has_on(j, &j->tasks[m->rank], jn))
        return;
    to = mover_target_of_rank(v, m->rank);
    if (to && to->node->link && m->n_spans)
        conn_send(to->node->link, MESSAGE_ROOM, m);
    else
        note_room(v, m->rank);
}

void mover_room_made(struct job *j, struct job_node *jn, const Hct__RoomMade *m)
{
    struct mover *v = j->mover;
    const struct mover_target *to;

    if (!has_rooms(v, m->rank, m->serial))
        return;
    to = mover_target_of_rank(v, m->rank);
    if (to && to->node == jn->node)
        note_room(v, m->rank);
}

void mover_swapped(struct job *j, struct job_node *jn, const Hct__Swapped *m)
{
    struct mover *v = j->mover;

    if (!v || m->serial != v->serial || (v->taken_up && !m->ok))
        return;                 /* who took it up has another one made */
    if (!m->ok) {
        mover_give_up(v, "%s", m->why);
        return;
    }
    v->node[jn - j->nodes].swapped = true;
    if (v->state == MOVE_DRAINED && !v->taken_up && mover_all_swapped(v))
        mover_step(v, MOVE_EVENT_APART);
}

bool mover_all_came(const struct mover *v)
{
    for (int64_t r = -1; (r = taskset_next(&v->ranks, r)) >= 0; )
        if (!v->rank[r].came)
            return false;
    return v->ranks.n > 0;
}

/* Whoever it was made of is not needed any more; others may still fail. Of a move
 * that was taken up it is not known yet who moves. */
static void let_leave(struct mover *v)
{
    if (v->taken_up || !mover_all_came(v))
        return;
    v->let = true;
    mover_send_let(v);
}

void mover_return_all(struct mover *v, const char *why)
{
    if (v->state != MOVE_APART && !v->taken_up)
        return;
    snprintf(v->why, sizeof(v->why), "%s", why);
    if (v->taken_up) {          /* once it is known how far all are */
        v->mixed = true;
        return;
    }
    v->returns = true;
    mover_step(v, MOVE_EVENT_RETURN);
}

static void why_not(char *to, size_t size, uint32_t rank, const char *why)
{
    snprintf(to, size, "task %u cannot be moved: %.300s", rank, why);
}

static void cannot_move(struct mover *v, uint32_t rank, const char *why)
{
    char text[sizeof(v->why)];

    why_not(text, sizeof(text), rank, why);
    mover_return_all(v, text);
}

/* Nobody moves; its image is in a file, or cannot be. */
static int take_saved(struct mover *v, const struct job_node *jn,
                      const Hct__TaskMoved *m, struct err *err)
{
    struct moverank *k = &v->rank[m->rank];
    bool again = k->left || k->stays;

    if (!job_has_on(v->job, &v->job->tasks[m->rank], jn))
        return err_set(err, EPROTO, "TaskMoved of rank %u, which is not on "
                       "this node", m->rank);
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
    k = &v->rank[m->rank];
    if (v->returns) {           /* said before it was told that all stay */
        if (k->unread && m->kind == HCT__TASK_MOVED__KIND__FAILED)
            why_not(v->why, sizeof(v->why), m->rank, m->why);
        k->unread = false;
        return 0;
    }
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
        k->unread = m->unread;
        cannot_move(v, m->rank, m->why);
        break;
    default:
        if (v->taken_up)
            cannot_move(v, m->rank, m->why);
        else if (v->state == MOVE_DRAINED)
            mover_give_up(v, "%s", m->why);
        else if (v->let || v->state != MOVE_APART)
            mover_give_up(v, "task %u is lost: %.300s", m->rank, m->why);
        else
            cannot_move(v, m->rank, m->why);
    }
    return 0;
}

static bool leaves(const struct mover *v, const struct job_node *jn,
                   uint32_t rank, uint32_t serial)
{
    return v && serial == v->serial && rank < v->job->ntasks &&
           mover_moves(v, rank) && job_has_on(v->job, &v->job->tasks[rank], jn);
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
    to = mover_other_end(v, m->rank, true);
    if (to)
        conn_send(to->node->link, MESSAGE_IMAGE, m);
}

void mover_credit(struct job *j, struct job_node *jn,
                  const Hct__ImageCredit *m)
{
    struct mover *v = j->mover;
    struct job_node *to;

    if (!v || m->serial != v->serial || m->rank >= j->ntasks ||
        !mover_moves(v, m->rank) || &j->nodes[v->node_of[m->rank]] != jn)
        return;
    to = mover_other_end(v, m->rank, false);
    if (to)
        conn_send(to->node->link, MESSAGE_IMAGE_CREDIT, m);
}

/* ---------------------------------------------------------------- effects */

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
        bool part = jn && mover_takes_part(jn);

        if (t->asked || (part && jn->ntasks))
            continue;
        t->waits = true;
        if (part || (jn && jn->disowned))
            continue;           /* it is through with what it had, soon */
        t->asked = true;
        if (!t->node->link) {
            v->passing = true;
            mover_give_up(v, "the link to %s is broken", t->node->name);
            return;
        }
        if (v->all->ops->prepare(j, jn, t->node, &err)) {
            mover_give_up(v, "%s", err.text);
            return;
        }
    }
    check_prepared(v);
}

void mover_drained(struct job *j)
{
    if (j->mover && j->mover->state == MOVE_ASKED && j->mover->acted &&
        !j->mover->rooming)
        act_asked(j->mover);
}

static void act_checked(struct mover *v)
{
    if (v->stop)                /* they stood, and were to go on for a while */
        return;
    timer_set(v->timer, v->quiesce_ns + HEARD_NS);
    mover_send_order(v, WORD_RUN, 0, 0, NULL);
}

static void act_swap(struct mover *v)
{
    struct err err;

    timer_set(v->timer, PREPARE_NS);
    if (mover_begin_swap(v, &err))
        mover_give_up(v, "%s", err.text);
}

/* Also if the last look waits for nobody any more. */
static void act_returning(struct mover *v)
{
    act_swap(v);
    if (v->state == MOVE_RETURNING)
        mover_send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

static void act_apart(struct mover *v)
{
    timer_set(v->timer, APART_NS);
    if (v->let)                 /* it was taken up */
        mover_send_let(v);
    else
        v->generation = v->serial;
    mover_send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

static void act_restored(struct mover *v)
{
    timer_set(v->timer, JOIN_NS);
    mover_send_go(v);
    mover_send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

static void act_joined(struct mover *v)
{
    mover_send_order(v, WORD_RUN, v->number + 1, 0, NULL);
    mover_send_end(v);
    mover_step(v, v->returns ? MOVE_EVENT_RETURNED : MOVE_EVENT_WENT);
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

const struct moves_seen mover_unseen = { 0, 0.5, 100e6 };

/* Of small images the time says nothing about the way that they went. */
static void learn(struct movers *all, const struct mover *v)
{
    const double part = 0.3, large = 64e6, least_s = 0.02;
    const struct store_move *b = &v->bill.row;
    double bytes = (double)b->image_bytes, stood_s, sent_s;

    if (!v->quiet_ns)
        return;
    stood_s = (double)(clock_monotonic_ns() - v->quiet_ns) / 1e9;
    sent_s = (double)(b->sent_ns - b->sending_ns) / 1e9;
    if (bytes > large && b->sent_ns > b->sending_ns)
        all->seen.bytes_s += part * (bytes / sent_s - all->seen.bytes_s);
    stood_s -= bytes / all->seen.bytes_s;
    if (stood_s < least_s)
        stood_s = least_s;
    all->seen.move_s += part * (stood_s - all->seen.move_s);
    all->seen.n++;
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
    j->moved += ok;
    if (ok)
        learn(all, v);
    journal_action_result(all->journal, j, "migrate", ok ? "done" : text);
    bill_note(&v->bill, j, ok ? "done" : text);
    say_result(v, ok, text);
    if (!ok && v->tells)
        all->ops->notice(j, true, "job %llu: %s", mover_id(v), text);
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
    v->all->ops->notice(v->job, false, "job %llu: %s", mover_id(v), text);
    end(v, true, text);
}

static void act_back(struct mover *v)
{
    char text[sizeof(v->why) + 60];

    if (!v->returns) {
        mover_send_order(v, WORD_RUN, v->number + 1, 0, NULL);
        mover_send_end(v);
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

/* ----------------------------------------------- nodes that go and come */

void mover_node_away(struct job *j, struct job_node *jn)
{
    struct mover *v = j->mover;
    char why[200];

    if (!v || v->taken_up ||
        (!mover_takes_part(jn) && !mover_target_of(v, jn->node)))
        return;
    snprintf(why, sizeof(why), "the link to %.100s is broken", jn->node->name);
    v->uncertain = jn->ntasks > 0;
    v->passing = true;
    if (move_state_is_whole(v->state))
        mover_give_up(v, "%s", why);
    else if (!v->let)           /* what is lost with it may be of an image */
        mover_return_all(v, why);
}

/* Nobody is told to stand yet: it may not have heard how the last move ended. */
static void end_again(const struct job *j, const struct job_node *jn)
{
    Hct__StopOrder run = HCT__STOP_ORDER__INIT;
    Hct__SwapEnd end = HCT__SWAP_END__INIT;

    if (!j->migratable || j->state != JOB_RUNNING || !mover_is_there(jn))
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

    if (!v || v->state == MOVE_ASKED)
        end_again(j, jn);       /* one that is to get tasks anew may have to end first */
    if (v && v->taken_up)
        mover_go_on(v);
    if (!v || v->taken_up || !v->acted || move_state_is_whole(v->state))
        return;
    if (v->state == MOVE_RETURNING && mover_send_swap(v, jn, &err))
        mover_give_up(v, "%s", err.text);
    if (v->let && !v->returns)
        mover_send_let(v);
    if (v->state == MOVE_RESTORED)
        mover_send_go(v);
    mover_send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

void mover_node_lost(struct job *j, struct job_node *jn)
{
    struct mover *v = j->mover;
    char why[200];

    if (!v || v->state == MOVE_JOINED || move_state_final(v->state))
        return;
    if (v->taken_up) {
        mover_go_on(v);
        return;
    }
    snprintf(why, sizeof(why), "node %.100s was lost", jn->node->name);
    v->passing = true;          /* another one may take them */
    if (move_state_is_whole(v->state))
        mover_give_up(v, "%s", why);
    else if (mover_target_of(v, jn->node) && !v->returns && v->let)
        mover_give_up(v, "%s", why);
    else if (mover_target_of(v, jn->node) && !v->returns)
        mover_return_all(v, why);
    else if (v->acted)          /* who is left goes on */
        mover_send_order(v, WORD_SWAP, v->number + 1, SLOW_NS, NULL);
}

void mover_drop(struct job *j, const char *why)
{
    struct mover *v = j->mover;
    char text[sizeof(v->why) + 60];

    if (!v) {
        mover_close_bill(j, why);
        return;
    }
    snprintf(text, sizeof(text), *job_why(j) ? "%s: %.400s" : "%s", why,
             job_why(j));
    if (v->saving) {
        end_saving(v, false, text);
        return;
    }
    bill_note(&v->bill, j, why);
    say_result(v, false, text);
    mover_free(v);                      /* who waits for all jobs will look */
}

void mover_free_of(struct job *j)
{
    if (j->mover)
        mover_free(j->mover);
    mover_forget_bill(j);
}

void mover_forget(struct job *j, const struct conn *asker)
{
    if (j->mover && j->mover->asker == asker)
        j->mover->asker = NULL;
}
