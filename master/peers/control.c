/* control.c - which job and which of its tasks is meant, and which action of
 * act.h. */
#include "master/peers/control.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/act/act.h"
#include "master/act/timetable.h"
#include "master/move/checkpoint.h"
#include "master/watch/watcher.h"
#include "proto/base/clock.h"
#include "proto/base/signals.h"

/* So far apart what one sender means by one signal arrives, at most. */
static const uint64_t control_once_ns = CLOCK_NS_PER_S;

static struct job *control_job(struct jobs *jobs, const struct conn *own,
                               uint64_t id, struct err *err)
{
    struct job *j = jobs_find(jobs, id);

    if (j && (!own || j->redirector == own))
        return j;
    err_set(err, ESRCH, "job %llu is not running here",
            (unsigned long long)id);
    return NULL;
}

/* *all: no set is needed. */
static int control_ranks(const struct job *j, const char *text,
                         struct taskset *ranks, bool *all, struct err *err)
{
    if (taskset_parse(ranks, *text ? text : "all", j->ntasks, err))
        return err_prefix(err, "job %llu has %u tasks",
                          (unsigned long long)j->id, j->ntasks);
    *all = taskset_count(ranks) == j->ntasks;
    return 0;
}

/* The set that is asked for is in ranks, to be freed. */
static int control_order(const struct job *j, const struct conn *own,
                         const char *text, struct taskset *ranks,
                         struct act_order *o, struct err *err)
{
    *o = (struct act_order){ .who = own ? ACT_OWNER : ACT_OPERATOR,
                             .ranks = ranks };
    return control_ranks(j, text, ranks, &o->whole, err);
}

static void control_passes(struct job *j, int number)
{
    j->passed_signal = number;
    j->passed_mono_ns = clock_monotonic_ns();
}

/* STOP and CONT are not sent, but ordered: they last. A task that has been
 * stopped by somebody else is continued all the same. */
static long control_pass(struct acts *a, struct job *j, struct act_order *o,
                         struct err *err)
{
    const int number = o->number;

    o->act = number == SIGSTOP ? ACT_SUSPEND
             : number == SIGCONT ? ACT_RESUME : ACT_SIGNAL;
    o->why = o->who == ACT_OWNER ? "Ctrl-Z" : "hector kill --signal";
    if (acts_order(a, j, o, NULL, 0, err) < 0)
        return -1;
    o->act = ACT_SIGNAL;
    return number == SIGCONT && j->state >= JOB_STARTING
           ? acts_order(a, j, o, NULL, 0, err) : 0;
}

int control_signal(struct acts *a, struct jobs *jobs, const struct conn *own,
                   const Hct__Signal *m, struct err *err)
{
    struct job *j = control_job(jobs, own, m->job, err);
    struct taskset ranks = { 0 };
    struct act_order o;
    long n = -1;

    if (!j)
        return -1;
    if (m->signal < 1 || m->signal > SIGRTMAX)
        return err_set(err, EINVAL, "there is no signal %d", m->signal);
    if (control_order(j, own, m->ranks, &ranks, &o, err) == 0) {
        control_passes(j, m->signal);
        o.number = m->signal;
        n = control_pass(a, j, &o, err);
    }
    taskset_fini(&ranks);
    return n < 0 ? -1 : 0;
}

int control_passed_signal(struct acts *a, struct job *j,
                          const struct job_node *jn, const Hct__Signal *m,
                          struct err *err)
{
    struct taskset all = { 0 };
    struct act_order o = { .act = ACT_SIGNAL, .who = ACT_BATCH,
                           .number = m->signal, .ranks = &all };
    struct err none;
    char why[200];

    if (m->signal == SIGTERM || m->signal == SIGINT || m->signal == SIGHUP ||
        m->signal == SIGQUIT) {
        snprintf(why, sizeof(why), "%s to the slave on %.100s",
                 signals_name(m->signal), jn->node->name);
        o = (struct act_order){ .act = ACT_KILL, .who = ACT_BATCH, .why = why,
                                .whole = true, .exit_code = 128 + m->signal };
        if (!job_killed(j) && j->state != JOB_ENDING)
            acts_order(a, j, &o, NULL, 0, &none);
        return 0;
    }
    if (!signals_is_passed(m->signal, true))
        return err_set(err, EPROTO, "a slave passes on signal %d", m->signal);
    if (j->passed_signal == m->signal &&
        clock_monotonic_ns() < j->passed_mono_ns + control_once_ns)
        return 0;
    control_passes(j, m->signal);
    if (j->ntasks && taskset_add(&all, 0, j->ntasks - 1) == 0)
        acts_order(a, j, &o, NULL, 0, &none);
    taskset_fini(&all);
    return 0;
}

int control_hold(struct acts *a, struct jobs *jobs, const struct conn *own,
                 const Hct__Hold *m, char *text, size_t size, struct err *err)
{
    struct job *j = control_job(jobs, own, m->job, err);
    struct taskset ranks = { 0 };
    struct act_order o;
    long n = -1;

    if (!j)
        return -1;
    if (control_order(j, own, m->ranks, &ranks, &o, err) == 0 &&
        act_of_hold((int)m->order, &o.act, err) == 0) {
        o.why = m->why;
        n = acts_order(a, j, &o, text, size, err);
    }
    taskset_fini(&ranks);
    return n < 0 ? -1 : 0;
}

int control_priority(struct acts *a, struct jobs *jobs, const Hct__Priority *m,
                     char *text, size_t size, struct err *err)
{
    struct job *j = control_job(jobs, NULL, m->job, err);
    struct priority to;
    struct act_order o = { .act = ACT_PRIORITY, .who = ACT_OPERATOR,
                           .whole = true, .why = m->why, .priority = &to };

    if (!j || priority_make(&to, m->priority, m->class_, err))
        return -1;
    if (m->keep_priority)
        to.n = j->priority.n;
    if (m->keep_class)
        to.class = j->priority.class;
    return acts_order(a, j, &o, text, size, err) < 0 ? -1 : 0;
}

/* What was asked for, for the record. */
static char *calendar_words(const Hct__Calendar *m)
{
    struct str s = { 0 };

    str_add(&s, m->why);
    for (size_t i = 0; i < m->n_put; i++)
        str_addf(&s, "%s %s", s.n ? "," : "", m->put[i]);
    for (size_t i = 0; i < m->n_add; i++)
        str_addf(&s, "%s --add %s", s.n ? "," : "", m->add[i]);
    for (size_t i = 0; i < m->n_remove; i++)
        str_addf(&s, "%s --remove %s", s.n ? "," : "", m->remove[i]);
    str_add(&s, m->clear ? ", --clear" : "");
    return str_take(&s);
}

int control_calendar(struct acts *a, struct jobs *jobs, const Hct__Calendar *m,
                     struct str *text, struct err *err)
{
    struct job *j = control_job(jobs, NULL, m->job, err);
    const struct timetable_change change = {
        .put = m->put, .add = m->add, .remove = m->remove, .nput = m->n_put,
        .nadd = m->n_add, .nremove = m->n_remove, .clear = m->clear,
        .said = text };
    char *why = j ? calendar_words(m) : NULL;
    const struct act_order o = { .act = ACT_DEADLINE, .who = ACT_OPERATOR,
                                 .whole = true, .why = why, .due = &change };
    long n = -1;

    if (why)
        n = acts_order(a, j, &o, NULL, 0, err);
    else if (j)
        err_memory(err);
    if (n == 0)
        str_add(text, "it is so already");
    free(why);
    return n < 0 ? -1 : 0;
}

int control_ask(struct jobs *jobs, const Hct__Ask *m, struct err *err)
{
    const struct hct_when when = { m->window, m->phase, m->ago_ns };
    struct job *j = control_job(jobs, NULL, m->job, err);

    if (m->window > HCT_WINDOW_LAST)
        return err_set(err, EPROTO, "there is no window %u", m->window);
    return j ? watcher_ask(j->watcher, m->policy, &when, err) : -1;
}

int control_kill(struct acts *a, struct jobs *jobs, const struct conn *own,
                 const Hct__Kill *m, struct err *err)
{
    struct job *j = control_job(jobs, own, m->job, err);
    struct taskset ranks = { 0 };
    struct act_order o;
    long n = -1;

    if (!j)
        return -1;
    if (control_order(j, own, m->ranks, &ranks, &o, err) == 0) {
        o.act = ACT_KILL;
        o.why = *m->why ? m->why : "it was killed";
        o.number = m->signal;
        o.exit_code = m->exit_code;
        o.at_once = m->at_once;
        n = acts_order(a, j, &o, NULL, 0, err);
    }
    taskset_fini(&ranks);
    return n < 0 ? -1 : 0;
}

static int control_move(struct movers *all, struct job *j,
                        const struct mover_order *o, const char *name,
                        struct err *err)
{
    if (!o->to)
        return err_set(err, ENOENT, "there is no node %.100s", name);
    return mover_order(all, j, o, err);
}

int control_migrate(struct acts *a, struct movers *all, struct jobs *jobs,
                    struct nodes *nodes, struct conn *asker,
                    const Hct__Migrate *m, struct err *err)
{
    struct job *j = control_job(jobs, NULL, m->job, err);
    struct taskset ranks = { 0 };
    struct act_order o;
    struct mover_order move;
    int rc = -1;

    if (!j)
        return -1;
    if (control_order(j, NULL, m->ranks, &ranks, &o, err) == 0) {
        move = (struct mover_order){ .ranks = &ranks, .why = m->why,
                                     .quiesce_ns = m->quiesce_ns,
                                     .to = nodes_find(nodes, m->node),
                                     .asker = asker };
        o.act = ACT_MIGRATE;
        o.why = m->why;
        rc = control_move(all, j, &move, m->node, err);
        acts_record(a, j, &o, rc ? err->text : "ordered");
    }
    taskset_fini(&ranks);
    return rc;
}

int control_save(struct acts *a, struct movers *all, struct jobs *jobs,
                 struct conn *asker, const Hct__Save *m, struct err *err)
{
    struct job *j = control_job(jobs, NULL, m->job, err);
    const struct checkpoint_order o = { .quiesce_ns = m->quiesce_ns,
                                        .why = m->why, .asker = asker,
                                        .store = m->suspend };
    struct act_order act = { .act = ACT_CHECKPOINT, .who = ACT_OPERATOR,
                             .why = m->why, .whole = true };
    int rc;

    if (!j)
        return -1;
    rc = checkpoint_order(all, j, &o, err);
    acts_record(a, j, &act, rc ? err->text : "ordered");
    return rc;
}

int control_drain(struct acts *a, struct drains *all, struct conn *asker,
                  const Hct__Drain *m, struct err *err)
{
    struct drain_order o = { .node = m->node, .to = m->to, .nto = m->n_to,
                             .wait = m->wait, .why = m->why,
                             .asker = asker };
    struct act_order act = { .act = m->undo ? ACT_UNDRAIN : ACT_DRAIN,
                             .who = ACT_OPERATOR, .why = m->why };
    int rc = m->undo ? drain_undo(all, &o, err) : drain_order(all, &o, err);

    if (rc)
        acts_record(a, NULL, &act, err->text);
    return rc;
}
