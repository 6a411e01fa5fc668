/* test_links.c - the links of slaves: who is let in, how output and input
 * flow, what a slave that goes away leaves. The slaves here are fakes that
 * speak real frames. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "redirector/link/links.h"

enum { FAKES = 3, NTASKS = 4, JOB = 7 };

struct fake {
    struct conn *conn;
    struct str log;             /* what came from the redirector */
    bool open;
    uint32_t attempt;           /* that it says it is of */
};

struct world {
    struct event_base *base;
    char dir[32];
    struct links *links;
    struct fake fakes[FAKES];
    struct str log;             /* what links.c told its owner */
    int credits;
};

/* ----------------------------------------------------------------- owner */

static void on_output(void *arg, uint32_t rank, int stream, const void *p,
                      size_t n, uint64_t at_ns)
{
    struct world *w = arg;

    str_addf(&w->log, "%u/%d@%u:%.*s ", rank, stream, (unsigned)at_ns, (int)n,
             (const char *)p);
}

static void on_output_end(void *arg, uint32_t rank, int stream)
{
    str_addf(&((struct world *)arg)->log, "%u/%d:END ", rank, stream);
}

static void on_join(void *arg, const char *name)
{
    str_addf(&((struct world *)arg)->log, "+%s ", name);
}

static void on_leave(void *arg, const char *name, const char *why)
{
    str_addf(&((struct world *)arg)->log, "-%s%s ", name, why ? "!" : "");
}

static void on_credit(void *arg)
{
    ((struct world *)arg)->credits++;
}

static void on_again(void *arg)
{
    str_add(&((struct world *)arg)->log, "AGAIN ");
}

static void on_missed(void *arg, uint32_t rank, uint64_t bytes)
{
    str_addf(&((struct world *)arg)->log, "%u:MISSED%u ", rank, (unsigned)bytes);
}

static void on_input_lost(void *arg, const struct err *why, bool needed)
{
    (void)why;
    str_add(&((struct world *)arg)->log, needed ? "LOST " : "UNKEPT ");
}

static void on_differs(void *arg, uint32_t rank)
{
    str_addf(&((struct world *)arg)->log, "%u:DIFFERS ", rank);
}

/* ----------------------------------------------------------------- slave */

static void fake_on_open(void *arg, struct conn *c)
{
    (void)c;
    ((struct fake *)arg)->open = true;
}

static void fake_on_close(void *arg, struct conn *c, const struct err *why)
{
    struct fake *f = arg;

    (void)c;
    (void)why;
    f->conn = NULL;
    str_add(&f->log, "closed ");
}

static int fake_on_welcome(void *arg, struct conn *c, const void *msg,
                           struct err *err)
{
    const Hct__Welcome *m = msg;

    (void)c;
    (void)err;
    assert_int_equal(m->role, HCT__ROLE__ROLE_REDIRECTOR);
    str_add(&((struct fake *)arg)->log, "welcome ");
    return 0;
}

static int fake_on_refuse(void *arg, struct conn *c, const void *msg,
                          struct err *err)
{
    (void)c;
    (void)err;
    str_addf(&((struct fake *)arg)->log, "refuse:%s ",
             ((const Hct__Refuse *)msg)->why);
    return 0;
}

static int fake_on_input(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    const Hct__Input *m = msg;

    (void)c;
    (void)err;
    str_addf(&((struct fake *)arg)->log, "%.*s ", (int)m->data.len,
             (const char *)m->data.data);
    return 0;
}

static int fake_on_input_end(void *arg, struct conn *c, const void *msg,
                             struct err *err)
{
    (void)c;
    (void)msg;
    (void)err;
    str_add(&((struct fake *)arg)->log, "END ");
    return 0;
}

static const struct conn_route fake_routes[] = {
    { MESSAGE_WELCOME, CONN_ANY, fake_on_welcome },
    { MESSAGE_REFUSE, CONN_ANY, fake_on_refuse },
    { MESSAGE_INPUT, CONN_ANY, fake_on_input },
    { MESSAGE_INPUT_END, CONN_ANY, fake_on_input_end },
};
static const struct conn_ops fake_ops = {
    .routes = fake_routes,
    .nroutes = sizeof(fake_routes) / sizeof(fake_routes[0]),
    .on_open = fake_on_open, .on_close = fake_on_close,
};

static void turn(struct world *w)
{
    for (int i = 0; i < 60; i++) {
        event_base_loop(w->base, EVLOOP_NONBLOCK);
        usleep(200);
    }
}

static void fake_dial(struct world *w, int i)
{
    static const struct conn_conf conf = { .key = NULL };
    struct links_where where = links_where(w->links);
    struct err err;

    assert_int_equal(where.naddresses, 1);
    w->fakes[i].conn = conn_open_to(w->base, where.addresses[0], &conf,
                                    &fake_ops, &w->fakes[i], &err);
    assert_non_null(w->fakes[i].conn);
    turn(w);
    assert_true(w->fakes[i].open);
}

static void fake_hello(struct world *w, int i, int role, uint64_t job,
                       const void *cookie, size_t cookie_bytes)
{
    Hct__Hello m = HCT__HELLO__INIT;
    char name[16];

    snprintf(name, sizeof(name), "n%d", i);
    m.protocol = PROTOCOL_VERSION;
    m.role = (Hct__Role)role;
    m.name = name;
    m.job = job;
    m.attempt = w->fakes[i].attempt;
    m.cookie.data = (uint8_t *)cookie;
    m.cookie.len = cookie_bytes;
    conn_send(w->fakes[i].conn, MESSAGE_HELLO, &m);
    turn(w);
}

static void fake_join(struct world *w, int i)
{
    fake_dial(w, i);
    fake_hello(w, i, HCT__ROLE__ROLE_SLAVE, JOB, links_where(w->links).cookie,
               LINKS_COOKIE);
}

/* So many bytes came before. */
static void fake_write_at(struct world *w, int i, uint32_t rank, int stream,
                          uint64_t before, const char *text)
{
    Hct__Output m = HCT__OUTPUT__INIT;

    m.rank = rank;
    m.before = before;
    m.stream = (Hct__Stream)stream;
    m.data.data = (uint8_t *)text;
    m.data.len = strlen(text);
    m.at_ns = 5;
    conn_send(w->fakes[i].conn, MESSAGE_OUTPUT, &m);
}

static void fake_write(struct world *w, int i, uint32_t rank, int stream,
                       const char *text)
{
    fake_write_at(w, i, rank, stream, 0, text);
}

/* A sentence that no task wrote. */
static void fake_say(struct world *w, int i, uint32_t rank, const char *text)
{
    Hct__Output m = HCT__OUTPUT__INIT;

    m.rank = rank;
    m.stream = HCT__STREAM__STREAM_STDERR;
    m.data.data = (uint8_t *)text;
    m.data.len = strlen(text);
    m.ours = true;
    conn_send(w->fakes[i].conn, MESSAGE_OUTPUT, &m);
}

static void fake_close(struct world *w, int i)
{
    conn_close_flushed(w->fakes[i].conn);
    w->fakes[i].conn = NULL;
    turn(w);
}

/* Another slave in its place, of this attempt. */
static void fake_join_again(struct world *w, int i, uint32_t attempt)
{
    w->fakes[i].attempt = attempt;
    fake_join(w, i);
}

static void fake_end(struct world *w, int i, uint32_t rank, int stream)
{
    Hct__OutputEnd m = HCT__OUTPUT_END__INIT;

    m.rank = rank;
    m.stream = (Hct__Stream)stream;
    conn_send(w->fakes[i].conn, MESSAGE_OUTPUT_END, &m);
}

static void fake_grant(struct world *w, int i, uint64_t bytes)
{
    Hct__InputCredit m = HCT__INPUT_CREDIT__INIT;

    m.bytes = bytes;
    conn_send(w->fakes[i].conn, MESSAGE_INPUT_CREDIT, &m);
    turn(w);
}

static void fake_ask(struct world *w, int i, Hct__InputCredit m)
{
    conn_send(w->fakes[i].conn, MESSAGE_INPUT_CREDIT, &m);
    turn(w);
}

static void fake_refuse_input(struct world *w, int i)
{
    Hct__InputUnwanted m = HCT__INPUT_UNWANTED__INIT;

    conn_send(w->fakes[i].conn, MESSAGE_INPUT_UNWANTED, &m);
    turn(w);
}

/* ----------------------------------------------------------------- world */

static int setup_world(void **state, bool restored)
{
    struct world *w = calloc(1, sizeof(*w));
    struct err err;

    w->base = event_base_new();
    strcpy(w->dir, "/tmp/links-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    struct links_conf conf = {
        .dir = w->dir, .ntasks = NTASKS, .on_output = on_output,
        .on_output_end = on_output_end, .on_join = on_join,
        .on_leave = on_leave, .on_again = on_again, .on_missed = on_missed,
        .on_differs = on_differs, .repeats = true, .input_keep = 1000,
        .on_input_lost = on_input_lost, .input_none = true,
        .on_credit = on_credit, .arg = w
    };

    conf.restored = restored;
    w->links = links_open(w->base, &conf, &err);
    assert_non_null(w->links);
    links_set_job(w->links, JOB);
    *state = w;
    return 0;
}

static int setup(void **state)
{
    return setup_world(state, false);
}

static int setup_restored(void **state)
{
    return setup_world(state, true);
}

static int teardown(void **state)
{
    struct world *w = *state;
    char path[64];

    for (int i = 0; i < FAKES; i++) {
        conn_close(w->fakes[i].conn);
        str_fini(&w->fakes[i].log);
    }
    links_close(w->links);
    event_base_free(w->base);
    str_fini(&w->log);
    snprintf(path, sizeof(path), "%s/stream.sock", w->dir);
    unlink(path);
    assert_int_equal(rmdir(w->dir), 0);
    free(w);
    return 0;
}

static void test_strangers(void **state)
{
    static const uint8_t wrong[LINKS_COOKIE] = { 0 };
    struct world *w = *state;
    const uint8_t *cookie = links_where(w->links).cookie;
    struct { int role; uint64_t job; const uint8_t *cookie; size_t n; }
    table[] = {
        { HCT__ROLE__ROLE_SLAVE, JOB, wrong, LINKS_COOKIE },
        { HCT__ROLE__ROLE_SLAVE, JOB, cookie, LINKS_COOKIE - 1 },
        { HCT__ROLE__ROLE_SLAVE, JOB, cookie, 0 },
        { HCT__ROLE__ROLE_SLAVE, JOB + 1, cookie, LINKS_COOKIE },
        { HCT__ROLE__ROLE_SLAVE, 0, cookie, LINKS_COOKIE },
        { HCT__ROLE__ROLE_MASTER, JOB, cookie, LINKS_COOKIE },
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        fake_dial(w, 0);
        fake_hello(w, 0, table[i].role, table[i].job, table[i].cookie,
                   table[i].n);
        assert_string_equal(str_text(&w->fakes[0].log),
                            "refuse:not a slave of this job closed ");
        str_reset(&w->fakes[0].log);
    }
    fake_dial(w, 0);            /* output before Hello */
    fake_write(w, 0, 0, 1, "x");
    turn(w);
    assert_string_equal(str_text(&w->fakes[0].log), "closed ");
    assert_string_equal(str_text(&w->log), "");
    assert_int_equal(links_count(w->links), 0);
}

/* The master tells slaves and hector-run at the same time, and the slaves may
 * be the faster ones. */
static void test_job_unknown(void **state)
{
    struct world *w = *state;
    const uint8_t *cookie = links_where(w->links).cookie;

    links_set_job(w->links, 0);
    fake_dial(w, 0);
    fake_hello(w, 0, HCT__ROLE__ROLE_SLAVE, 0, cookie, LINKS_COOKIE);
    assert_string_equal(str_text(&w->fakes[0].log),
                        "refuse:not a slave of this job closed ");
    str_reset(&w->fakes[0].log);
    fake_join(w, 0);
    fake_dial(w, 1);
    fake_hello(w, 1, HCT__ROLE__ROLE_SLAVE, JOB + 1, cookie, LINKS_COOKIE);
    fake_join(w, 2);
    fake_write(w, 2, 0, 1, "not welcome yet");
    turn(w);
    assert_string_equal(str_text(&w->fakes[0].log), "");
    assert_string_equal(str_text(&w->fakes[1].log), "");
    assert_string_equal(str_text(&w->fakes[2].log), "closed ");
    assert_int_equal(links_count(w->links), 0);
    assert_string_equal(str_text(&w->log), "");
    links_set_job(w->links, JOB);
    turn(w);
    assert_string_equal(str_text(&w->fakes[0].log), "welcome ");
    assert_string_equal(str_text(&w->fakes[1].log),
                        "refuse:not a slave of this job closed ");
    assert_string_equal(str_text(&w->log), "+n0 ");
    assert_int_equal(links_count(w->links), 1);
}

static void test_output(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_join(w, 1);
    assert_string_equal(str_text(&w->log), "+n0 +n1 ");
    assert_int_equal(links_count(w->links), 2);
    str_reset(&w->log);
    fake_write(w, 0, 0, 1, "a");
    fake_write(w, 0, 1, 2, "b");
    fake_write(w, 0, 0, 3, "c");
    fake_end(w, 0, 0, 1);
    turn(w);
    assert_string_equal(str_text(&w->log), "0/1@5:a 1/2@5:b 0/3@5:c 0/1:END ");
    str_reset(&w->log);
    links_pause(w->links);
    turn(w);
    fake_write(w, 0, 1, 2, "late");
    turn(w);
    assert_string_equal(str_text(&w->log), "");
    links_resume(w->links);
    turn(w);
    assert_string_equal(str_text(&w->log), "1/2@5:late ");
}

/* One that goes in the middle of its streams, and one that does not. */
static void test_leaving(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_join(w, 1);
    fake_write(w, 0, 0, 1, "a");
    fake_write(w, 1, 2, 1, "b");
    fake_end(w, 1, 2, 1);
    fake_end(w, 1, 3, 1);       /* ended without a word */
    turn(w);
    str_reset(&w->log);
    fake_close(w, 0);
    fake_close(w, 1);
    assert_string_equal(str_text(&w->log), "-n0! -n1 ");
    assert_int_equal(links_count(w->links), 0);
}

static void test_nonsense(void **state)
{
    static const struct { uint32_t rank; int stream; } table[] = {
        { NTASKS, 1 }, { UINT32_MAX, 1 }, { 0, 0 }, { 0, 4 }, { 0, -1 },
        { 0, 1000 },
    };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        fake_join(w, 0);
        str_reset(&w->fakes[0].log);
        fake_write(w, 0, table[i].rank, table[i].stream, "x");
        turn(w);
        assert_string_equal(str_text(&w->fakes[0].log), "closed ");
        str_reset(&w->fakes[0].log);
    }
    fake_join(w, 0);            /* after its end */
    str_reset(&w->fakes[0].log);
    fake_end(w, 0, 0, 1);
    fake_write(w, 0, 0, 1, "x");
    turn(w);
    assert_string_equal(str_text(&w->fakes[0].log), "closed ");
}

static void test_credit_of_one(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_join(w, 1);
    assert_int_equal(links_credit(w->links, false), 0);
    assert_false(links_input_unwanted(w->links));
    fake_grant(w, 1, 10);
    assert_int_equal(links_credit(w->links, false), 10);
    str_reset(&w->fakes[0].log);
    str_reset(&w->fakes[1].log);
    links_send_input(w->links, "abc", 3);
    assert_int_equal(links_credit(w->links, false), 7);
    fake_grant(w, 1, 2);
    assert_int_equal(links_credit(w->links, false), 9);
    links_send_input_end(w->links);
    turn(w);
    assert_string_equal(str_text(&w->fakes[1].log), "abc END ");
    assert_string_equal(str_text(&w->fakes[0].log), "");
    fake_refuse_input(w, 1);
    assert_int_equal(links_credit(w->links, false), 0);
    assert_false(links_input_unwanted(w->links));       /* n0 is silent */
    fake_refuse_input(w, 0);
    assert_true(links_input_unwanted(w->links));
}

static void test_credit_of_all(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < 3; i++)
        fake_join(w, i);
    fake_grant(w, 0, 100);
    fake_grant(w, 1, 5);
    assert_int_equal(links_credit(w->links, true), 0);  /* n2 is silent */
    fake_refuse_input(w, 2);
    assert_int_equal(links_credit(w->links, true), 5);
    for (int i = 0; i < 3; i++)
        str_reset(&w->fakes[i].log);
    links_send_input(w->links, "abcde", 5);
    turn(w);
    assert_int_equal(links_credit(w->links, true), 0);
    assert_string_equal(str_text(&w->fakes[0].log), "abcde ");
    assert_string_equal(str_text(&w->fakes[1].log), "abcde ");
    assert_string_equal(str_text(&w->fakes[2].log), "");
    fake_refuse_input(w, 1);
    assert_int_equal(links_credit(w->links, true), 95);
    assert_false(links_input_unwanted(w->links));
    fake_refuse_input(w, 0);
    assert_true(links_input_unwanted(w->links));
}

static void reset_fakes(struct world *w)
{
    for (int i = 0; i < FAKES; i++)
        str_reset(&w->fakes[i].log);
}

/* A task that reads goes from n0 to n1: whoever says so first, it gets what it asks
 * for, and nothing more is read as long as it is under way. */
static void move_input(struct world *w, bool came_first)
{
    const Hct__InputCredit left = { PROTOBUF_C_MESSAGE_INIT(
        &hct__input_credit__descriptor), .left = 1 };
    const Hct__InputCredit came = { PROTOBUF_C_MESSAGE_INIT(
        &hct__input_credit__descriptor), .came = 1, .again = 1, .from = 2,
        .bytes = 10 };

    fake_join(w, 0);
    fake_join(w, 1);
    fake_grant(w, 0, 8);
    fake_refuse_input(w, 1);
    links_send_input(w->links, "abcdef", 6);
    turn(w);
    reset_fakes(w);
    if (came_first)
        fake_ask(w, 1, came);
    fake_ask(w, 0, left);
    fake_refuse_input(w, 0);
    if (!came_first) {
        assert_int_equal(links_credit(w->links, false), 0);
        assert_int_equal(links_credit(w->links, true), 0);
        assert_false(links_input_unwanted(w->links));
        fake_ask(w, 1, came);
    }
    assert_string_equal(str_text(&w->fakes[1].log), "cdef ");
    assert_int_equal(links_credit(w->links, false), 6);
    links_send_input(w->links, "gh", 2);
    links_send_input_end(w->links);
    turn(w);
    assert_string_equal(str_text(&w->fakes[1].log), "cdef gh END ");
    assert_string_equal(str_text(&w->fakes[0].log), "");
    fake_ask(w, 0, came);       /* and back, after the end */
    assert_string_equal(str_text(&w->fakes[0].log), "cdefgh END ");
    fake_ask(w, 1, left);
    fake_refuse_input(w, 1);
    assert_false(links_input_unwanted(w->links));
    fake_refuse_input(w, 0);
    assert_true(links_input_unwanted(w->links));
}

static void test_input_moves(void **state)
{
    move_input(*state, true);
}

static void test_input_on_its_way(void **state)
{
    move_input(*state, false);
}

/* Of those that read the one that lags behind gets what it has credit for. */
static void test_input_lags(void **state)
{
    struct world *w = *state;

    for (int i = 0; i < 2; i++) {
        fake_join(w, i);
        fake_grant(w, i, 6);
    }
    links_send_input(w->links, "abcdef", 6);
    turn(w);
    reset_fakes(w);
    fake_ask(w, 0, (Hct__InputCredit){ PROTOBUF_C_MESSAGE_INIT(
        &hct__input_credit__descriptor), .again = 1, .from = 1, .bytes = 2 });
    fake_grant(w, 1, 100);
    assert_int_equal(links_credit(w->links, true), 0);
    assert_string_equal(str_text(&w->fakes[0].log), "bc ");
    fake_grant(w, 0, 5);
    assert_string_equal(str_text(&w->fakes[0].log), "bc def ");
    assert_int_equal(links_credit(w->links, true), 2);
    links_send_input(w->links, "gh", 2);
    turn(w);
    assert_string_equal(str_text(&w->fakes[0].log), "bc def gh ");
    assert_string_equal(str_text(&w->fakes[1].log), "gh ");
}

/* Bytes that are not kept, and such as there have not been. */
static void test_input_refused(void **state)
{
    struct world *w = *state;
    static char much[LINKS_INPUT_MAX];
    uint64_t sent = 0;

    fake_join(w, 0);
    fake_join(w, 1);
    while (sent < 10 * sizeof(much)) {
        fake_grant(w, 0, sizeof(much));
        links_send_input(w->links, much, sizeof(much));
        sent += sizeof(much);
    }
    str_reset(&w->log);
    fake_ask(w, 1, (Hct__InputCredit){ PROTOBUF_C_MESSAGE_INIT(
        &hct__input_credit__descriptor), .again = 1, .bytes = 2 });
    assert_string_equal(str_text(&w->log), "LOST -n1 ");
    fake_ask(w, 0, (Hct__InputCredit){ PROTOBUF_C_MESSAGE_INIT(
        &hct__input_credit__descriptor), .again = 1, .from = sent + 1 });
    assert_string_equal(str_text(&w->log), "LOST -n1 LOST -n0 ");
}

/* What was shown is not shown again, and what was not is: whatever was cut how. */
static void test_again(void **state)
{
    static const struct {
        const char *first;              /* of the first attempt */
        uint64_t before;                /* of the second, and what it brings */
        const char *second, *more, *shown;
    } table[] = {
        { "", 0, "abc", "d", "AGAIN +n1 0/1@5:abc 0/1@5:d " },
        { "ab", 0, "abc", "d", "AGAIN +n1 0/1@5:c 0/1@5:d " },
        { "abcd", 0, "abc", "d", "AGAIN +n1 " },
        { "abc", 0, "abc", "d", "AGAIN +n1 0/1@5:d " },
        { "abc", 1, "bcd", "e", "AGAIN +n1 0/1@5:d 0/1@5:e " },
        { "abcde", 1, "bcd", "ef", "AGAIN +n1 0/1@5:f " },
        { "abc", 3, "def", "g", "AGAIN +n1 0/1@5:def 0/1@5:g " },
        { "ab", 4, "ef", "g",
          "AGAIN +n1 0:MISSED2 0/1@5:ef 0/1@5:g " },
        { "", 4, "ef", "g", "AGAIN +n1 0:MISSED4 0/1@5:ef 0/1@5:g " },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        void *each;
        struct world *w;

        setup(&each);
        w = each;
        fake_join(w, 0);
        fake_write(w, 0, 0, 1, table[i].first);
        turn(w);
        fake_close(w, 0);
        str_reset(&w->log);
        fake_join_again(w, 1, 1);
        fake_write_at(w, 1, 0, 1, table[i].before, table[i].second);
        fake_write_at(w, 1, 0, 1, table[i].before + strlen(table[i].second),
                      table[i].more);
        turn(w);
        if (strcmp(str_text(&w->log), table[i].shown) != 0)
            fail_msg("%zu: %s", i, str_text(&w->log));
        teardown(&each);
    }
}

/* From the first line on that is another one. */
static void test_differs(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_write(w, 0, 0, 1, "one\ntwo\nthree\n");
    turn(w);
    str_reset(&w->log);
    fake_join_again(w, 1, 1);
    fake_write(w, 1, 0, 1, "one\ntw");
    fake_write_at(w, 1, 0, 1, 6, "ice\nend");
    fake_end(w, 1, 0, 1);
    turn(w);
    assert_string_equal(str_text(&w->log), "AGAIN +n1 0/1@5:twice\n "
                        "0/1@5:end 0:DIFFERS 0/1:END ");
    str_reset(&w->log);
    fake_join_again(w, 2, 2);
    fake_write(w, 2, 0, 1, "one\nt");
    fake_end(w, 2, 0, 1);
    turn(w);
    assert_string_equal(str_text(&w->log), "AGAIN +n2 0/1@0:t 0/1:END ");
}

/* Streams of other ranks, stderr, stdtim and our own words have nothing to do with
 * it; a stream that had ended goes on; and so it does for a third time. */
static void test_again_apart(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_write(w, 0, 0, 1, "out");
    fake_write(w, 0, 0, 2, "error");
    fake_write(w, 0, 0, 3, "time");
    fake_say(w, 0, 0, "no");
    fake_end(w, 0, 0, 1);
    turn(w);
    str_reset(&w->log);
    fake_join_again(w, 1, 1);
    fake_write(w, 1, 0, 1, "outer");
    fake_write(w, 1, 1, 1, "one");
    fake_write_at(w, 1, 0, 2, 3, "or!");
    fake_write(w, 1, 0, 3, "time");
    fake_say(w, 1, 0, "no");
    fake_end(w, 1, 0, 1);
    turn(w);
    assert_string_equal(str_text(&w->log), "AGAIN +n1 0/1@5:er 1/1@5:one "
                        "0/2@5:! 0/3@5:time 0/2@0:no 0/1:END ");
    str_reset(&w->log);
    fake_join_again(w, 2, 2);
    fake_write(w, 2, 0, 1, "outermost");
    fake_write(w, 2, 1, 1, "ones");
    turn(w);
    assert_string_equal(str_text(&w->log),
                        "AGAIN +n2 0/1@5:most 1/1@5:s ");
    assert_int_equal(links_count(w->links), 1);
}

/* What is left of the attempt before: it is shown if nobody else brings it, and
 * counts for nothing. */
static void test_older_links(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_join(w, 1);
    fake_grant(w, 0, 100);
    fake_write(w, 0, 0, 1, "ab");
    fake_write(w, 0, 1, 1, "x");
    turn(w);
    str_reset(&w->log);
    fake_join_again(w, 2, 1);
    assert_int_equal(links_count(w->links), 1);
    assert_int_equal(links_credit(w->links, false), 0);
    fake_grant(w, 2, 5);
    assert_int_equal(links_credit(w->links, true), 5);
    fake_write_at(w, 0, 0, 1, 2, "cd");
    fake_end(w, 0, 0, 1);
    turn(w);
    fake_write(w, 2, 0, 1, "abcde");
    turn(w);
    fake_write_at(w, 0, 0, 1, 4, "e");
    turn(w);
    fake_close(w, 0);
    fake_close(w, 1);
    fake_close(w, 2);
    assert_string_equal(str_text(&w->log), "AGAIN +n2 0/1@5:cd 0/1@5:e "
                        "-n0 -n1 -n2! ");
}

/* A task that moves: by two links at once, in any order, nothing is left out. */
static void test_moved_out_of_turn(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_join(w, 1);
    str_reset(&w->log);
    fake_write_at(w, 1, 0, 1, 2, "cd");
    turn(w);
    fake_write(w, 0, 0, 1, "ab");
    turn(w);
    assert_string_equal(str_text(&w->log), "0/1@5:cd 0/1@5:ab ");
}

/* What an earlier hector-run has shown is not missed here. */
static void test_restored(void **state)
{
    struct world *w = *state;

    fake_join(w, 0);
    fake_write_at(w, 0, 0, 1, 100, "ab");
    turn(w);
    str_reset(&w->log);
    fake_join_again(w, 1, 1);
    fake_write_at(w, 1, 0, 1, 101, "bc");
    fake_write_at(w, 1, 1, 1, 100, "x");
    turn(w);
    assert_string_equal(str_text(&w->log),
                        "AGAIN +n1 0/1@5:c 1/1@5:x ");
    str_reset(&w->log);
    fake_join_again(w, 2, 2);
    fake_write_at(w, 2, 0, 1, 110, "l");
    turn(w);
    assert_string_equal(str_text(&w->log), "AGAIN +n2 0:MISSED7 0/1@5:l ");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    static const struct CMUnitTest tests[] = {
        TEST(test_strangers), TEST(test_job_unknown), TEST(test_output),
        TEST(test_leaving), TEST(test_nonsense), TEST(test_credit_of_one),
        TEST(test_credit_of_all), TEST(test_input_moves),
        TEST(test_input_on_its_way), TEST(test_input_lags),
        TEST(test_input_refused), cmocka_unit_test(test_again),
        TEST(test_differs), TEST(test_again_apart), TEST(test_older_links),
        TEST(test_moved_out_of_turn),
        cmocka_unit_test_setup_teardown(test_restored, setup_restored,
                                        teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
