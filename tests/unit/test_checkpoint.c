/* test_checkpoint.c - how the checkpoints of a job are made, from answer to answer,
 * and which are known. The mover, links and the journal are played here. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <event2/event.h>

#include "master/move/checkpoint.h"
#include "master/move/moverank.h"
#include "master/store/journal.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"

enum { TASKS = 3, NODES = 2 };
#define OK NULL

/* ----------------------------------------------------------- what is played */

static struct str said;         /* a line for each thing that was done */
static uint64_t ticket;         /* of the last Keep */
static char sealed[8192];       /* what the last one had to write */
static size_t nsealed;
static bool able, stops;        /* the mover takes orders */
static struct mover_order moving;

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    str_vaddf(&said, fmt, ap);
    va_end(ap);
    str_add(&said, "\n");
}

int conn_send(struct conn *c, enum message_type type, const void *msg)
{
    static const char *const works[] = { "begin", "check", "seal", "drop", "copy" };
    const Hct__Keep *k = msg;
    const Hct__Result *r = msg;
    const Hct__Moving *m = msg;
    int to = *(const int *)(const void *)c;

    if (type == MESSAGE_KEEP && k->work == HCT__KEEP__WORK__DROP) {
        say("n%d: drop %s/%u%s%s", to, k->dir, k->number,
            *k->local ? " and of " : "", k->local);
    } else if (type == MESSAGE_KEEP) {
        say("n%d: %s %s/%u of %s%s%s", to, works[k->work], k->dir, k->number,
            k->ranks, *k->local ? " from " : "", k->local);
        ticket = k->ticket;
        nsealed = k->checkpoint.len;
        assert_true(nsealed <= sizeof(sealed));
        if (nsealed)
            memcpy(sealed, k->checkpoint.data, nsealed);
    } else if (type == MESSAGE_RESULT) {
        say("asker: %d %s", r->ok, r->text);
    } else {
        assert_int_equal(type, MESSAGE_MOVING);
        say("asker: %s", m->state);
    }
    return 0;
}

void journal_action_result(struct journal *jn, const struct job *j,
                           const char *action, const char *result)
{
    (void)jn, (void)j;
    say("%s: %s", action, result);
}

void journal_checkpoint(struct journal *jn, const struct job *j,
                        const struct store_checkpoint *c)
{
    (void)jn, (void)j;
    say("row: %u %s of %llu bytes", c->number, c->state,
        (unsigned long long)c->image_bytes);
}

int mover_able(const struct job *j, struct err *err)
{
    return able ? 0 : err_set(err, ENOTSUP, "job %llu cannot be moved",
                              (unsigned long long)j->id);
}

int mover_order(struct movers *all, struct job *j, const struct mover_order *o,
                struct err *err)
{
    (void)all, (void)j;
    if (!stops)
        return err_set(err, EBUSY, "task 1 is suspended");
    say("stop for %s", o->saving);
    assert_int_equal(taskset_count(o->ranks), 0);
    moving = *o;
    return 0;
}

static void notice(const struct job *j, bool error, const char *fmt, ...)
{
    char text[600];
    va_list ap;

    (void)j;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    say("notice: %d %s", error, text);
}

/* ------------------------------------------------------------------ the job */

static void store(struct job *j)
{
    (void)j;
    say("stored");
}

static const struct mover_ops ops = { .notice = notice, .store = store };
static struct movers movers = { .ops = &ops };
static struct job job;
static struct job_node job_node[NODES];
static struct node node[NODES];
static struct task task[TASKS];
static int link_of[NODES + 1] = { 0, 1, 2 };
#define LINK(i) ((struct conn *)(void *)&link_of[i])
#define ASKER LINK(NODES)

/* Two nodes: tasks 0 and 1, and task 2. */
static void make_job(void)
{
    static char names[NODES][3] = { "n0", "n1" };

    memset(node, 0, sizeof(node));
    memset(task, 0, sizeof(task));
    job = (struct job){ .id = 7, .name = (char *)"solver", .tasks = task,
                        .command = (char *)"./solver", .ntasks = TASKS,
                        .state = JOB_RUNNING, .migratable = true,
                        .nodes = job_node, .nnodes = NODES };
    for (size_t i = 0; i < NODES; i++) {
        taskset_fini(&job_node[i].ranks);
        node[i].name = names[i];
        node[i].link = LINK(i);
        job_node[i] = (struct job_node){ .node = &node[i],
                                         .ntasks = i ? 1 : 2 };
        taskset_add(&job_node[i].ranks, i ? 2 : 0, i ? 2 : 1);
    }
    for (size_t r = 0; r < TASKS; r++) {
        task[r].state = TASK_CONNECTED;
        task[r].node = r / 2;
    }
    able = stops = true;
    str_fini(&said);
}

static struct err why;

/* It wishes for every_ns and may go back twice; at most n of those it begins
 * with. */
static void submit_from(uint64_t every_ns, Hct__Checkpoint **from, size_t n)
{
    Hct__Submit s = HCT__SUBMIT__INIT;

    checkpoint_free(&job);
    make_job();
    s.migratable = 1;
    s.checkpoint_dir = (char *)"/d";
    s.checkpoint_every_ns = every_ns;
    s.max_restarts = 2;
    s.restore = from;
    s.n_restore = n;
    assert_int_equal(checkpoint_wish(&job, &s, &why), 0);
}

static void submit(uint64_t every_ns)
{
    submit_from(every_ns, NULL, 0);
    checkpoint_start(&movers, &job);
}

static void finish(void)
{
    checkpoint_free(&job);
    str_fini(&said);
    for (size_t i = 0; i < NODES; i++)
        taskset_fini(&job_node[i].ranks);
}

static bool to_store;

static int order(void)
{
    const struct checkpoint_order o = { .why = "test", .asker = ASKER,
                                        .store = to_store };

    return checkpoint_order(&movers, &job, &o, &why);
}

/* What was said since the last time. */
#define assert_said(text) do { \
        assert_string_equal(str_text(&said), text); \
        str_fini(&said); \
    } while (0)

static void answer_by(size_t i, uint64_t of, const char *no)
{
    Hct__Kept m = HCT__KEPT__INIT;

    m.job = job.id;
    m.ticket = of;
    m.ok = !no;
    m.why = (char *)(uintptr_t)(no ? no : "");
    checkpoint_kept(&job, &job_node[i], &m);
}

/* All tasks have written images of 1000 bytes and more. */
static void images_written(void)
{
    struct moverank rank[TASKS] = { 0 };
    struct mover_saved s = { .rank = rank, .serial = 4, .at_ns = 5000000000,
                             .stood_ns = 2500000000 };
    uint8_t bytes[TASKS][64];

    for (uint32_t r = 0; r < TASKS; r++) {
        Hct__TaskMoved m = HCT__TASK_MOVED__INIT;

        m.job = job.id;
        m.rank = r;
        m.kind = HCT__TASK_MOVED__KIND__SAVED;
        m.image_bytes = 1000000 + r;
        m.tagged = 10 * r;
        m.out_bytes = 100 + r;
        m.err_bytes = 200 + r;
        rank[r].said = bytes[r];
        rank[r].said_bytes = hct__task_moved__pack(&m, bytes[r]);
        assert_true(rank[r].said_bytes <= sizeof(bytes[r]));
    }
    moving.saved(&job, &s, "");
}

static const char made[] =
    "n0: begin /d/1 of 0-1\nn1: begin /d/1 of 2\n"
    "stop for /d/1\n"
    "n0: check /d/1 of 0-1\nn1: check /d/1 of 2\nasker: checking\n"
    "n0: seal /d/1 of 0-1\nasker: sealing\n"
    "row: 1 whole of 3000003 bytes\n"
    "checkpoint: done\n"
    "asker: 1 checkpoint 1 is in /d/1: 3 images of 3.0 MB, and the job stood "
    "for 2.500 s\n";

enum at { BEGINNING, STOPPING, CHECKING, SEALING, SEALED };

/* One is asked for, and comes so far. */
static void come_to(enum at at)
{
    assert_int_equal(order(), 0);
    if (at > BEGINNING) {
        answer_by(0, ticket, OK);
        answer_by(1, ticket, OK);
    }
    if (at > STOPPING)
        images_written();
    if (at > CHECKING) {
        answer_by(1, ticket, OK);
        answer_by(0, ticket, OK);
    }
    if (at > SEALING)
        answer_by(0, ticket, OK);
}

static int let_go_off(const struct event_base *base, const struct event *e,
                      void *arg)
{
    (void)base;
    *(struct event **)arg = (struct event *)(uintptr_t)e;
    return 1;
}

/* Its only timer, or NULL. */
static struct event *timer(void)
{
    struct event *e = NULL;

    event_base_foreach_event(movers.base, let_go_off, &e);
    return e;
}

static void time_comes(void)
{
    event_active(timer(), EV_TIMEOUT, 1);
    event_base_loop(movers.base, EVLOOP_NONBLOCK);
}

#define DROPPED(number) "n0: drop /d/" number "\nn1: drop /d/" number "\n"
#define NONE(number, text) \
    DROPPED(number) NONE_LEFT(number, text)
#define NONE_LEFT(number, text) \
    "checkpoint: there is no checkpoint " number ", and the tasks go on: " text \
    "\nasker: 0 there is no checkpoint " number ", and the tasks go on: " text "\n"

/* ------------------------------------------------------------------ refused */

#define assert_refused(words) do { \
        assert_int_equal(order(), -1); \
        assert_string_equal(why.text, words); \
        assert_said(""); \
    } while (0)

static void test_refused(void **state)
{
    (void)state;
    submit(0);
    able = false;
    assert_refused("job 7 cannot be moved");
    able = true;
    for (unsigned s = 0; s < JOB_STATE_COUNT; s++) {
        char text[64];

        if (s == JOB_RUNNING)
            continue;
        job.state = s;
        snprintf(text, sizeof(text), "job 7 is %s", job_state_name(s));
        assert_refused(text);
    }
    job.state = JOB_RUNNING;
    job.mover = (struct mover *)(void *)&job;
    assert_refused("tasks of job 7 are being moved");
    job.mover = NULL;
    task[2].state = TASK_EXITED;
    assert_refused("task 2 has ended");
    task[2].state = TASK_CONNECTED;
    for (enum at at = BEGINNING; at < SEALED; at++) {
        submit(0);
        come_to(at);
        str_fini(&said);
        assert_refused("checkpoint 1 of job 7 is being made already");
    }
    checkpoint_free(&job);
    assert_refused("job 7 has no directory for checkpoints: it was started "
                   "without --checkpoint-dir");
    finish();
}

static int wish(bool migratable, const char *dir, Hct__Checkpoint *from)
{
    Hct__Submit s = HCT__SUBMIT__INIT;
    int rc;

    make_job();
    s.migratable = migratable;
    s.checkpoint_dir = (char *)(uintptr_t)dir;
    s.restore = &from;
    s.n_restore = from != NULL;
    rc = checkpoint_wish(&job, &s, &why);
    checkpoint_free(&job);
    return rc;
}

static Hct__TaskMoved moved[TASKS];
static Hct__TaskMoved *list[TASKS];

static Hct__Checkpoint of_number(uint32_t number)
{
    Hct__Checkpoint c = HCT__CHECKPOINT__INIT;

    for (uint32_t r = 0; r < TASKS; r++) {
        hct__task_moved__init(&moved[r]);
        moved[r].rank = r;
        moved[r].tagged = 5 * r;
        moved[r].out_bytes = 100 + r;
        list[r] = &moved[r];
    }
    c.job = 7;                  /* of another database, by chance */
    c.number = number;
    c.serial = number + 1;
    c.at_ns = 5000000000;
    c.dir = (char *)"/old";
    c.ntasks = c.n_tasks = TASKS;
    c.tasks = list;
    return c;
}

static void test_wishes(void **state)
{
    Hct__Checkpoint c = of_number(3);

    (void)state;
    assert_int_equal(wish(true, "/d", NULL), 0);
    assert_int_equal(wish(false, "", NULL), 0);
    assert_int_equal(wish(true, "", &c), 0);
    assert_int_equal(wish(false, "/d", NULL), -1);
    assert_non_null(strstr(why.text, "cannot be moved"));
    assert_int_equal(wish(false, "", &c), -1);
    assert_int_equal(wish(true, "d", NULL), -1);
    c.ntasks = 4;
    assert_int_equal(wish(true, "/d", &c), -1);
    assert_string_equal(why.text, "a checkpoint of 4 tasks for a job of 3");
    c = of_number(3), c.n_tasks = 2;
    assert_int_equal(wish(true, "/d", &c), -1);
    c = of_number(3), moved[1].rank = 2;
    assert_int_equal(wish(true, "/d", &c), -1);
    assert_string_equal(why.text, "a checkpoint without task 1");
    c = of_number(0);
    assert_int_equal(wish(true, "/d", &c), -1);
    c = of_number(3), c.dir = (char *)"old";
    assert_int_equal(wish(true, "/d", &c), -1);
    finish();
}

/* --------------------------------------------------------------------- made */

static void test_made(void **state)
{
    Hct__Checkpoint *c;

    (void)state;
    submit(0);
    job.submit.bytes = (uint8_t *)(uintptr_t)"paper";
    job.submit.n = 5;
    assert_false(checkpoint_may_return(&job));
    come_to(SEALING);
    c = hct__checkpoint__unpack(NULL, nsealed, (uint8_t *)sealed);
    assert_non_null(c);
    assert_int_equal(c->job, 7);
    assert_int_equal(c->number, 1);
    assert_int_equal(c->serial, 4);
    assert_int_equal(c->at_ns, 5000000000);
    assert_int_equal(c->n_tasks, TASKS);
    assert_int_equal(c->tasks[2]->rank, 2);
    assert_int_equal(c->submit.len, 5);
    assert_string_equal(c->command, "./solver");
    assert_string_equal(c->dir, "/d");
    hct__checkpoint__free_unpacked(c, NULL);
    assert_false(checkpoint_may_return(&job));
    answer_by(0, ticket, OK);
    assert_said(made);
    assert_true(checkpoint_may_return(&job));
    assert_false(checkpoint_restores(&job));
    job.submit = (struct job_paper){ 0 };
    finish();
}

/* Images are written to local disks first: what is read again is the copies, for which
 * there is time. */
static void test_local(void **state)
{
    Hct__Submit s = HCT__SUBMIT__INIT;

    (void)state;
    checkpoint_free(&job);
    make_job();
    job.submitted_ns = 0xabc;
    s.migratable = 1;
    s.checkpoint_dir = (char *)"/d";
    s.checkpoint_local = (char *)"/l";
    s.checkpoint_rate = 1000;
    s.max_restarts = 1;
    assert_int_equal(checkpoint_wish(&job, &s, &why), 0);
    checkpoint_start(&movers, &job);
    come_to(CHECKING);
    assert_said("n0: begin /d/1 of 0-1 from /l/checkpoints-abc-7\n"
                "n1: begin /d/1 of 2 from /l/checkpoints-abc-7\n"
                "stop for /l/checkpoints-abc-7/1\n"
                "n0: copy /d/1 of 0-1 from /l/checkpoints-abc-7\n"
                "n1: copy /d/1 of 2 from /l/checkpoints-abc-7\n"
                "asker: copying\n");
    time_comes();                       /* not for good yet */
    assert_said("asker: copying\n");
    answer_by(0, ticket, OK);
    answer_by(1, ticket, "n1: /d is gone");
    assert_said("n0: drop /d/1 and of /l/checkpoints-abc-7\n"
                "n1: drop /d/1 and of /l/checkpoints-abc-7\n"
                NONE_LEFT("1", "n1: /d is gone"));
    come_to(SEALED);
    assert_non_null(strstr(str_text(&said), "asker: 1 checkpoint 2 is in /d/2:"));
    assert_true(checkpoint_may_return(&job));
    job.submitted_ns = 0;
    finish();
}

/* The last two are kept. */
static void test_kept(void **state)
{
    (void)state;
    submit(0);
    for (unsigned i = 0; i < 4; i++)
        come_to(SEALED);
    assert_non_null(strstr(str_text(&said), "row: 3 whole of 3000003 bytes\n"
                           "row: 1 removed of 3000003 bytes\n"));
    assert_non_null(strstr(str_text(&said), "row: 4 whole of 3000003 bytes\n"
                           "row: 2 removed of 3000003 bytes\n"));
    str_fini(&said);
    assert_true(checkpoint_spoiled(&job));
    assert_said("row: 4 damaged of 3000003 bytes\n");
    assert_false(checkpoint_spoiled(&job));
    assert_true(checkpoint_may_return(&job));
    assert_int_equal(order(), 0);
    assert_non_null(strstr(str_text(&said), "begin /d/5"));
    finish();
}

/* Its tasks end when it is whole, and only then; who has asked hears of it when
 * they have. */
static void test_stored(void **state)
{
    (void)state;
    submit(0);
    to_store = true;
    come_to(CHECKING);
    answer_by(0, ticket, "no space");
    assert_null(strstr(str_text(&said), "stored"));
    assert_false(checkpoint_stores(&job));
    come_to(SEALED);
    to_store = false;
    assert_non_null(strstr(str_text(&said), "stored\n"));
    assert_true(checkpoint_stores(&job));
    assert_null(strstr(str_text(&said), "asker: 1"));
    checkpoint_stored(&job);
    assert_non_null(strstr(str_text(&said), "asker: 1 all tasks are in "
                           "checkpoint 2 in /d, and have ended; hector resume "
                           "7 makes them again\n"));
    assert_true(checkpoint_restores(&job));
    assert_true(checkpoint_may_return(&job));
    checkpoint_resume(&job);
    assert_false(checkpoint_stores(&job));
    str_fini(&said);
    come_to(SEALED);                    /* the next one is for nothing else */
    assert_null(strstr(str_text(&said), "stored"));
    finish();
}

/* The asker goes away: people are told in its place. */
static void test_forgotten(void **state)
{
    (void)state;
    submit(0);
    come_to(CHECKING);
    checkpoint_forget(&job, LINK(0));
    checkpoint_forget(&job, ASKER);
    str_fini(&said);
    answer_by(0, ticket, "n0: its disk is full");
    assert_said("n0: drop /d/1\nn1: drop /d/1\n"
                "checkpoint: there is no checkpoint 1, and the tasks go on: n0: "
                "its disk is full\n"
                "notice: 1 job 7: there is no checkpoint 1, and the tasks go on: "
                "n0: its disk is full\n");
    finish();
}

/* ------------------------------------------------------------------ no good */

/* The next one is made, and has that number; the one before is there all the
 * time. */
static void assert_goes_on(uint32_t number)
{
    char text[64];

    assert_true(checkpoint_may_return(&job));
    assert_int_equal(checkpoint_serial(&job), 4);
    come_to(SEALED);
    snprintf(text, sizeof(text), "asker: 1 checkpoint %u is in /d/%u:", number,
             number);
    assert_non_null(strstr(str_text(&said), text));
    str_fini(&said);
}

/* A node says no. What is sealed may be there for all that, and what is dropped late
 * is not to be in the way: that number is used up. */
static void test_no(void **state)
{
    (void)state;
    for (enum at at = BEGINNING; at < SEALED; at++) {
        submit(0);
        come_to(SEALED);
        come_to(at);
        str_fini(&said);
        if (at == STOPPING)
            moving.saved(&job, NULL, "no space");
        else
            answer_by(0, ticket, "no space");
        assert_said(NONE("2", "no space"));
        answer_by(1, ticket, OK);               /* late */
        assert_said("");
        assert_goes_on(3);
    }
    finish();
}

static void test_node_away(void **state)
{
    (void)state;
    for (enum at at = BEGINNING; at < SEALED; at++) {
        submit(0);
        come_to(SEALED);
        come_to(at);
        str_fini(&said);
        checkpoint_node_away(&job, &job_node[0]);
        if (at == STOPPING) {           /* the mover will say so */
            assert_said("");
            continue;
        }
        assert_said(NONE("2", "the link to n0 is broken"));
        answer_by(0, ticket, OK);
        assert_said("");
        assert_goes_on(3);
    }
    finish();
}

/* One without tasks, or that has done its part. */
static void test_needless_away(void **state)
{
    (void)state;
    submit(0);
    come_to(BEGINNING);
    job_node[1].ntasks = 0;
    str_fini(&said);
    checkpoint_node_away(&job, &job_node[1]);
    assert_said("");
    submit(0);
    come_to(SEALING);
    str_fini(&said);
    checkpoint_node_away(&job, &job_node[1]);
    assert_said("");
    answer_by(1, ticket, OK);           /* it was not asked */
    assert_said("");
    answer_by(0, ticket, OK);
    assert_non_null(strstr(str_text(&said), "row: 1 whole"));
    finish();
}

static void test_nobody_there(void **state)
{
    (void)state;
    submit(0);
    node[0].link = node[1].link = NULL;
    assert_int_equal(order(), 0);
    assert_said(NONE_LEFT("1", "no node is there"));
    submit(0);
    come_to(CHECKING);
    str_fini(&said);
    answer_by(0, ticket, OK);
    node[0].link = NULL;
    answer_by(1, ticket, OK);
    assert_said("n1: seal /d/1 of 2\nasker: sealing\n");
    finish();
}

/* The mover does not take the order. */
static void test_no_stop(void **state)
{
    (void)state;
    submit(0);
    come_to(SEALED);
    stops = false;
    come_to(BEGINNING);
    str_fini(&said);
    answer_by(0, ticket, OK);
    answer_by(1, ticket, OK);
    assert_said(NONE("2", "task 1 is suspended"));
    stops = true;
    assert_goes_on(3);
    finish();
}

/* Only what was asked for counts, and once. */
static void test_odd_answers(void **state)
{
    (void)state;
    submit(0);
    answer_by(0, 0, OK);
    come_to(BEGINNING);
    str_fini(&said);
    answer_by(0, ticket + 1, OK);
    answer_by(1, ticket - 1, "no");
    answer_by(0, ticket, OK);
    answer_by(0, ticket, OK);
    answer_by(0, ticket, "no");
    assert_said("");
    answer_by(1, ticket, OK);
    assert_said("stop for /d/1\n");
    answer_by(0, ticket, "no");
    assert_said("");
    images_written();
    str_fini(&said);
    images_written();
    moving.saved(&job, NULL, "no");
    answer_by(0, ticket - 1, OK);
    answer_by(1, ticket - 1, OK);
    assert_said("");
    checkpoint_free(&job);
    answer_by(0, ticket, OK);
    checkpoint_node_away(&job, &job_node[0]);
    checkpoint_forget(&job, ASKER);
    checkpoint_stop(&job, "");
    assert_false(checkpoint_may_return(&job));
    assert_false(checkpoint_spoiled(&job));
    finish();
}

/* The job ends meanwhile: the asker is told, and no more is done. */
static void test_job_ends(void **state)
{
    (void)state;
    for (enum at at = BEGINNING; at < SEALED; at++) {
        submit(0);
        come_to(SEALED);
        come_to(at);
        str_fini(&said);
        job.state = JOB_ENDING;
        checkpoint_stop(&job, "the job ends");
        assert_said(DROPPED("2") "checkpoint: the job ends\nasker: 0 the job "
                    "ends\n");
        if (at == STOPPING)             /* the move is dropped then */
            moving.saved(&job, NULL, "the job ends");
        for (unsigned i = 0; i < NODES; i++)
            answer_by(i, ticket, OK);
        checkpoint_node_away(&job, &job_node[0]);
        checkpoint_stop(&job, "once more");
        assert_said("");
        /* It went back, and runs again. */
        job.state = JOB_RUNNING;
        checkpoint_start(&movers, &job);
        assert_goes_on(3);
    }
    finish();
}

/* ------------------------------------------------------------- by the clock */

static void test_every(void **state)
{
    (void)state;
    submit(0);
    assert_null(timer());
    submit(3600 * CLOCK_NS_PER_S);
    assert_non_null(timer());
    job.mover = (struct mover *)(void *)&job;
    event_del(timer());
    checkpoint_start(&movers, &job);
    time_comes();
    assert_said("");                    /* later */
    job.mover = NULL;
    time_comes();
    assert_said("n0: begin /d/1 of 0-1\nn1: begin /d/1 of 2\n");
    answer_by(0, ticket, "no space");
    assert_said(DROPPED("1")
                "checkpoint: there is no checkpoint 1, and the tasks go on: "
                "no space\n"
                "notice: 1 job 7: there is no checkpoint 1, and the tasks go on: "
                "no space\n");
    time_comes();                       /* the next one */
    assert_said("n0: begin /d/2 of 0-1\nn1: begin /d/2 of 2\n");
    answer_by(0, ticket, OK);
    answer_by(1, ticket, OK);
    images_written();
    for (unsigned i = 0; i < NODES; i++)
        answer_by(i, ticket, OK);
    answer_by(0, ticket, OK);
    str_fini(&said);
    task[1].state = TASK_EXITED;        /* the others may end, too */
    time_comes();
    assert_said("");
    assert_non_null(timer());
    job.state = JOB_ENDING;
    checkpoint_stop(&job, "the job ends");
    assert_null(timer());
    finish();
}

/* Work on files that has no end; the mover minds its own time. */
static void test_too_long(void **state)
{
    (void)state;
    for (enum at at = BEGINNING; at < SEALED; at++) {
        submit(0);
        come_to(at);
        str_fini(&said);
        time_comes();
        if (at == STOPPING)
            assert_said("");
        else
            assert_said(NONE("1", "n0: the work on its files took too long; "
                                  "does /d answer there?"));
    }
    finish();
}

/* ------------------------------------------------------------------ returns */

static void test_returns(void **state)
{
    struct str text = { 0 };

    (void)state;
    submit(0);
    come_to(SEALED);
    for (job.attempt = 0; job.attempt < 2; job.attempt++) {
        assert_true(checkpoint_may_return(&job));
        checkpoint_return(&job);
        assert_true(checkpoint_restores(&job));
    }
    assert_false(checkpoint_may_return(&job));
    checkpoint_resume(&job);            /* the last attempt was no return */
    assert_true(checkpoint_may_return(&job));
    assert_int_equal(checkpoint_serial(&job), 4);
    checkpoint_text(&job, &text);
    assert_non_null(strstr(str_text(&text), "checkpoint 1 of "));
    assert_non_null(strstr(str_text(&text), ":05 in /d"));
    str_fini(&text);
    finish();
}

/* Each node hears of its own tasks. Records go on behind what is stored; tagged
 * calls behind what the checkpoint has, or behind the stored ones, each of which
 * has a record at least. */
static void test_fill(void **state)
{
    Hct__Prepare p = HCT__PREPARE__INIT;
    size_t seen = 0;

    (void)state;
    checkpoint_unfill(&p);
    submit(0);
    come_to(SEALED);
    task[0].records = 0;
    task[1].records = 3;                /* 10 were tagged */
    task[2].records = 50;               /* 20 were */
    for (size_t i = 0; i < job.nnodes; i++) {
        const struct job_node *jn = &job.nodes[i];
        int64_t r = -1;

        assert_int_equal(checkpoint_fill(&job, jn, &p, &why), 0);
        assert_string_equal(p.restore, "/d/1");
        assert_int_equal(p.n_arrivals, taskset_count(&jn->ranks));
        for (size_t k = 0; k < p.n_arrivals; k++) {
            static const uint64_t tagged[] = { 0, 10, 50 };
            const Hct__SwapGo__Arrival *a = p.arrivals[k];

            r = taskset_next(&jn->ranks, r);
            assert_int_equal(a->rank, r);
            assert_int_equal(a->records, task[r].records);
            assert_int_equal(a->tagged, tagged[r]);
            assert_int_equal(a->out_bytes, 100 + r);
            assert_int_equal(a->err_bytes, 200 + r);
            seen++;
        }
        checkpoint_unfill(&p);
        assert_string_equal(p.restore, "");
    }
    assert_int_equal(seen, TASKS);
    finish();
}

/* ----------------------------------------------------------- a later master */

static int known(uint32_t number, uint32_t tasks)
{
    Hct__Checkpoint c = of_number(number);
    struct store_checkpoint row = { .number = number, .state = "whole" };
    uint8_t bytes[256];
    size_t n;

    c.dir = (char *)"/d";
    c.ntasks = c.n_tasks = tasks;
    n = hct__checkpoint__pack(&c, bytes);
    assert_true(n <= sizeof(bytes));
    row.about.p = bytes;
    row.about.n = n;
    return checkpoint_known(&job, &row);
}

/* It goes back to these, one after the other, and the next one has that
 * number. */
static void assert_known(const uint32_t *numbers, size_t n, const char *next)
{
    checkpoint_start(&movers, &job);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(checkpoint_serial(&job), numbers[i] + 1);
        assert_int_equal(checkpoint_spoiled(&job), i + 1 < n);
    }
    str_fini(&said);
    assert_int_equal(order(), 0);
    assert_non_null(strstr(str_text(&said), next));
}
#define KNOWN(next, ...) do { \
        static const uint32_t v[] = { __VA_ARGS__ }; \
        assert_known(v, sizeof(v) / sizeof(v[0]), next); \
    } while (0)

static void test_known(void **state)
{
    Hct__Checkpoint newer = of_number(5), older = of_number(4);
    Hct__Checkpoint *from[] = { &newer, &older };

    (void)state;
    submit_from(0, NULL, 0);
    known(2, TASKS);
    KNOWN("begin /d/3 ", 2);
    submit_from(0, NULL, 0);
    known(3, TASKS), known(2, TASKS);
    KNOWN("begin /d/4 ", 3, 2);
    submit_from(0, NULL, 0);
    known(2, TASKS), known(3, TASKS);
    KNOWN("begin /d/4 ", 3, 2);
    submit_from(0, NULL, 0);
    known(2, TASKS), known(4, TASKS), known(3, TASKS);
    KNOWN("begin /d/5 ", 4, 3);
    /* What it was submitted with is older, also if that job had its number. */
    submit_from(0, from, 2);
    KNOWN("begin /d/6 ", 5, 4);
    submit_from(0, from, 2);
    known(6, TASKS);
    KNOWN("begin /d/7 ", 6, 5);
    submit_from(0, from, 2);
    known(7, TASKS), known(6, TASKS);
    KNOWN("begin /d/8 ", 7, 6);
    submit_from(0, from, 1);
    known(6, TASKS), known(7, TASKS);
    KNOWN("begin /d/8 ", 7, 6);
    finish();
}

/* Rows are of its own ones alone. */
static void test_rows_of_own(void **state)
{
    Hct__Checkpoint newer = of_number(5), older = of_number(4);
    Hct__Checkpoint *from[] = { &newer, &older };

    (void)state;
    submit_from(0, from, 2);
    assert_true(checkpoint_restores(&job));
    checkpoint_start(&movers, &job);
    come_to(SEALED);
    come_to(SEALED);
    assert_null(strstr(str_text(&said), "removed"));
    come_to(SEALED);
    assert_non_null(strstr(str_text(&said), "row: 6 removed"));
    submit_from(0, from, 2);
    checkpoint_start(&movers, &job);
    assert_true(checkpoint_spoiled(&job));
    assert_said("");
    assert_int_equal(checkpoint_serial(&job), 5);
    finish();
}

static void test_unknown(void **state)
{
    struct store_checkpoint row = { .number = 1, .state = "whole",
                                    .about = { "\x7f", 1 } };
    Hct__Checkpoint one = of_number(1), *from[] = { &one };

    (void)state;
    submit_from(0, NULL, 0);
    assert_int_equal(known(2, TASKS - 1), -1);
    assert_int_equal(checkpoint_known(&job, &row), -1);
    assert_false(checkpoint_may_return(&job));
    assert_int_equal(known(2, TASKS), 0);
    assert_true(checkpoint_may_return(&job));
    assert_false(checkpoint_restores(&job));
    /* It has gone back before, with what it was submitted with or its own. */
    submit_from(0, NULL, 0);
    job.attempt = 2;
    assert_int_equal(known(2, TASKS), 0);
    assert_true(checkpoint_restores(&job));
    assert_false(checkpoint_may_return(&job));
    submit_from(0, from, 1);
    assert_true(checkpoint_may_return(&job));
    job.attempt = 2;
    checkpoint_start(&movers, &job);
    assert_false(checkpoint_may_return(&job));
    checkpoint_free(&job);
    assert_int_equal(known(2, TASKS), 0);       /* it has no use for it */
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), cmocka_unit_test(test_wishes),
        cmocka_unit_test(test_made), cmocka_unit_test(test_local), cmocka_unit_test(test_kept),
        cmocka_unit_test(test_stored), cmocka_unit_test(test_forgotten),
        cmocka_unit_test(test_no),
        cmocka_unit_test(test_node_away), cmocka_unit_test(test_needless_away),
        cmocka_unit_test(test_nobody_there), cmocka_unit_test(test_no_stop),
        cmocka_unit_test(test_odd_answers), cmocka_unit_test(test_job_ends),
        cmocka_unit_test(test_every), cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_returns), cmocka_unit_test(test_fill),
        cmocka_unit_test(test_known), cmocka_unit_test(test_rows_of_own),
        cmocka_unit_test(test_unknown),
    };
    int rc;

    log_init("test", LOG_LEVEL_WARN);
    movers.base = event_base_new();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    rc = cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
    event_base_free(movers.base);
    return rc;
}
