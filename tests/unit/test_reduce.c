/* test_reduce.c - trees of slaves: their shapes, the states of a member, and
 * how parts are put together, whatever ways they come by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/tree/reduce.h"
#include "master/tree/treeshape.h"
#include "proto/base/clock.h"
#include "proto/link/conn.h"
#include "proto/link/frame.h"
#include "proto/tree/merge.h"
#include "tests/unit/machine_sound.h"

static void check_shape(uint32_t n, uint32_t fan_out, uint32_t levels)
{
    struct treeshape_slave *v = calloc(n + 1, sizeof(*v));
    uint32_t *children = calloc(n + 1, sizeof(*children)), top = 0, deep = 0;

    assert_int_equal(treeshape_fill(v, n, 0, fan_out), levels);
    for (uint32_t i = n; i-- > 0; ) {
        uint32_t members = 1, height = 1;

        for (uint32_t k = i + 1; k < i + v[i].members; k += v[k].members) {
            assert_int_equal(v[k].parent, i);
            members += v[k].members;
            height = v[k].height + 1 > height ? v[k].height + 1 : height;
            children[i]++;
        }
        assert_int_equal(members, v[i].members);
        assert_int_equal(height, v[i].height);
        assert_true(children[i] <= fan_out);
        assert_true(v[i].parent == TREESHAPE_MASTER || v[i].parent < i);
        deep = height > deep ? height : deep;
        top += v[i].parent == TREESHAPE_MASTER;
    }
    assert_true(top <= fan_out);
    assert_int_equal(deep, levels);
    free(v);
    free(children);
}

static void test_shape(void **state)
{
    (void)state;
    check_shape(0, 4, 0);
    check_shape(1, 4, 1);
    check_shape(4, 4, 1);
    check_shape(5, 4, 2);
    check_shape(20, 4, 2);
    check_shape(21, 4, 3);
    check_shape(5, 1, 5);
    check_shape(1024, 1024, 1);
    check_shape(1024, 32, 2);
    check_shape(16384, 2, 14);
    for (uint32_t n = 1; n < 200; n++)
        for (uint32_t levels = 1; levels < 5; levels++) {
            uint32_t f = treeshape_fan_out(n, levels);
            struct treeshape_slave v[200];

            assert_true(treeshape_fill(v, n, 0, f) <= levels);
            assert_true(f == 1 || treeshape_fill(v, n, 0, f - 1) > levels);
        }
    assert_int_equal(treeshape_fan_out(1024, 1), 1024);
    assert_int_equal(treeshape_fan_out(1024, 2), 32);
    assert_int_equal(treeshape_fan_out(1024, 3), 10);
}

static void test_waits(void **state)
{
    const uint64_t s = CLOCK_NS_PER_S;

    (void)state;
    assert_int_equal(treeshape_wait_ns(1, 1, 10 * s), 5 * s);
    assert_int_equal(treeshape_wait_ns(3, 1, 40 * s), 10 * s);
    assert_int_equal(treeshape_wait_ns(3, 3, 40 * s), 30 * s);
    for (uint32_t levels = 1; levels < 10; levels++)    /* samples of 100 s */
        for (uint32_t height = 1; height <= levels; height++) {
            uint64_t ns = treeshape_wait_ns(levels, height, 140 * s);

            assert_true(ns > 100 * s && ns < 140 * s);
            assert_true(height == 1 ||
                        ns > treeshape_wait_ns(levels, height - 1, 140 * s));
        }
}

static void test_member(void **state)
{
    static const enum reduce_member_state want[4][3] = {
        /*                   merge      hold         lose */
        [REDUCE_WAITING] = { REDUCE_IN, REDUCE_HELD, REDUCE_LOST },
        [REDUCE_HELD] = { REDUCE_IN, REDUCE_HELD, REDUCE_HELD },
        [REDUCE_IN] = { REDUCE_IN, REDUCE_IN, REDUCE_IN },
        [REDUCE_LOST] = { REDUCE_IN, REDUCE_HELD, REDUCE_LOST },
    };

    (void)state;
    for (int s = 0; s < 4; s++)
        for (int e = 0; e < 3; e++)
            assert_int_equal(reduce_member_next(
                (enum reduce_member_state)s, (enum reduce_member_event)e),
                want[s][e]);
    assert_sound(&reduce_member_machine);
}

/* ------------------------------------------------- a master without links */

struct world {
    struct event_base *base;
    struct nodes nodes;
    struct reducer *reducer;
    struct str text;            /* the result */
    struct str missing;         /* "n1:why;" */
    unsigned done;
    uint32_t messages;          /* of the master, for it */
    int far[8];                 /* the other ends of the links */
    struct str heard[8];        /* what has come out there */
};

static void on_done(void *arg, const struct reduce_result *r)
{
    struct world *w = arg;

    w->done++;
    w->messages = r->nmessages;
    str_reset(&w->text);
    str_reset(&w->missing);
    if (r->whole)
        assert_int_equal(r->merge->finish(r->whole, r->rank_of, r->ntasks,
                                          &w->text, NULL), 0);
    for (uint32_t i = 0; i < r->nmembers; i++)
        if (r->members[i].state != REDUCE_IN)
            str_addf(&w->missing, "%s:%s;", r->members[i].node->name,
                     r->members[i].why ? r->members[i].why : "?");
}

static void on_link(void *arg, struct conn *c)
{
    (void)arg, (void)c;
}

/* Links to nobody: what is sent to them is never read. */
static void world_open(struct world *w, uint32_t n, uint32_t fan_out)
{
    static const struct conn_conf conn;
    static const struct conn_ops ops = { .on_open = on_link };
    struct reducer_conf conf = { .fan_out = fan_out, .last_id = 100,
                                 .wait_ns = 200000000 };

    *w = (struct world){ .base = event_base_new() };
    for (uint32_t i = 0; i < n; i++) {
        char name[] = { 'n', (char)('0' + i), 0 };
        int pair[2];
        struct node *x = nodes_make(&w->nodes, name);

        x->state = NODE_UP;
        x->reduce_at = strdup("unix:/nobody");
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0,
                                    pair), 0);
        w->far[i] = pair[1];
        x->link = conn_adopt_fd(w->base, pair[0], &conn, &ops, NULL, NULL);
        assert_non_null(x->link);
    }
    w->reducer = reducer_create(w->base, &conf, &w->nodes);
}

static void world_close(struct world *w)
{
    reducer_destroy(w->reducer);
    for (size_t i = 0; i < w->nodes.n; i++)
        conn_close(w->nodes.v[i]->link), close(w->far[i]),
        str_fini(&w->heard[i]);
    nodes_fini(&w->nodes);
    str_fini(&w->text);
    str_fini(&w->missing);
    event_base_free(w->base);
}

static void begin(struct world *w)
{
    struct reduce_ask ask = { .kind = "who" };

    assert_int_equal(reducer_start(w->reducer, &ask, on_done, w, NULL), 101);
}

/* missing: "2 4 L": members 2 to 4, L for the link, F for failed; or NULL. */
static void part(struct world *w, uint32_t member, const char *text,
                 const char *missing)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;
    Hct__ReducePart__Missing x = HCT__REDUCE_PART__MISSING__INIT;
    Hct__ReducePart__Missing *list[1] = { &x };

    m.id = 101;
    m.member = member;
    m.last = true;
    m.piece.data = (uint8_t *)(uintptr_t)text;
    m.piece.len = strlen(text);
    if (missing) {
        x.first = (uint32_t)(missing[0] - '0');
        x.last = (uint32_t)(missing[2] - '0');
        x.lack = missing[4] == 'L' ? HCT__LACK__LACK_LINK
                                   : HCT__LACK__LACK_FAILED;
        x.why = (char *)"no";
        m.missing = list;
        m.n_missing = 1;
    }
    assert_int_equal(reducer_part(w->reducer, w->nodes.v[member], &m, NULL),
                     0);
}

static void turn(struct world *w)
{
    event_base_loop(w->base, EVLOOP_NONBLOCK);
}

/* How often this slave has been asked. */
static unsigned asked(struct world *w, uint32_t i)
{
    char bytes[4096];
    struct str *s = &w->heard[i];
    unsigned n = 0;
    ssize_t got;

    turn(w);
    while ((got = recv(w->far[i], bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
        str_add_bytes(s, bytes, (size_t)got);
    for (size_t at = 0, need; at < s->n; ) {
        struct frame f;
        long used = frame_decode((const uint8_t *)s->s + at, s->n - at, &f,
                                 &need, NULL);

        assert_true(used > 0);
        n += f.type == MESSAGE_REDUCE;
        at += (size_t)used;
    }
    return n;
}

/* How far the subtree of this one is, or (missing, as in part) whom it cannot
 * reach. */
static void word(struct world *w, uint32_t member, uint32_t settled,
                 const char *missing)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;
    Hct__ReducePart__Missing x = HCT__REDUCE_PART__MISSING__INIT;
    Hct__ReducePart__Missing *list[1] = { &x };

    m.id = 101;
    m.member = member;
    m.settled = settled;
    if (missing) {
        x.first = (uint32_t)(missing[0] - '0');
        x.last = (uint32_t)(missing[2] - '0');
        x.lack = HCT__LACK__LACK_LINK;
        m.missing = list;
        m.n_missing = 1;
    }
    assert_int_equal(reducer_part(w->reducer, w->nodes.v[member], &m, NULL),
                     0);
}

static void ends(struct world *w, const char *text, const char *missing)
{
    turn(w);
    assert_int_equal(w->done, 1);
    assert_string_equal(str_text(&w->text), text);
    assert_string_equal(str_text(&w->missing), missing);
    world_close(w);
}

/* Seven slaves, fan-out 2: 0 (1 2 3 is 1+2, 3) ... of sizes 4 and 3:
 * 0 { 1 { 2 }, 3 }   4 { 5, 6 } */
static void test_whole(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    part(&w, 4, "0 d\n1 e\n2 f\n", NULL);
    turn(&w);
    assert_int_equal(w.done, 0);
    part(&w, 0, "0 a\n1 b\n3 c\n2 x\n", NULL);
    ends(&w, "4 d\n5 e\n6 f\n0 a\n1 b\n3 c\n2 x\n", "");
}

/* 0 dies; those below it come by themselves, 1 with what it has of 2. */
static void test_top_dies(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    part(&w, 1, "0 b\n1 c\n", NULL);
    part(&w, 4, "0 e\n1 f\n2 g\n", NULL);
    reducer_node_gone(w.reducer, w.nodes.v[0], "it died");
    turn(&w);
    assert_int_equal(w.done, 0);
    part(&w, 3, "0 d\n", NULL);
    ends(&w, "4 e\n5 f\n6 g\n1 b\n2 c\n3 d\n", "n0:it died;");
}

/* The link between 0 and 1 breaks after 0 has got the part of 1, which comes
 * to the master as well: it counts once. */
static void test_twice(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    part(&w, 1, "0 b\n1 c\n", NULL);
    part(&w, 1, "0 b\n1 c\n", NULL);            /* even so */
    part(&w, 0, "0 a\n1 b\n2 c\n3 d\n", NULL);
    part(&w, 4, "0 e\n1 f\n2 g\n", NULL);
    ends(&w, "0 a\n1 b\n2 c\n3 d\n4 e\n5 f\n6 g\n", "");
}

/* It breaks before: 0 says so, and the master waits for 1. */
static void test_link(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    part(&w, 4, "0 e\n1 f\n2 g\n", NULL);
    part(&w, 0, "0 a\n3 d\n", "1 2 L");
    turn(&w);
    assert_int_equal(w.done, 0);
    part(&w, 1, "0 b\n", "2 2 F");
    ends(&w, "4 e\n5 f\n6 g\n0 a\n3 d\n1 b\n", "n2:no;");
}

/* One that had sent its part before it died is in. */
static void test_dead_but_in(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    reducer_node_gone(w.reducer, w.nodes.v[5], "it died");
    part(&w, 4, "0 e\n1 f\n2 g\n", NULL);
    part(&w, 0, "0 a\n1 b\n2 c\n3 d\n", NULL);
    ends(&w, "4 e\n5 f\n6 g\n0 a\n1 b\n2 c\n3 d\n", "");
}

/* A part that is not in order harms only itself; one of a stranger is none. */
static void test_wrong(void **state)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;
    struct world w;
    struct err err;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    m.id = 101;
    m.member = 4;
    assert_int_equal(reducer_part(w.reducer, w.nodes.v[5], &m, &err), -1);
    m.member = 99;
    assert_int_equal(reducer_part(w.reducer, w.nodes.v[5], &m, &err), -1);
    m.id = 5;                                   /* long over */
    assert_int_equal(reducer_part(w.reducer, w.nodes.v[5], &m, &err), 0);
    part(&w, 4, "0 e\n1 f\n9 g\n", NULL);
    part(&w, 0, "0 a\n1 b\n2 c\n3 d\n", "0 9 F");       /* not its own */
    ends(&w, "0 a\n1 b\n2 c\n3 d\n",
         "n4:a list that is not in order at byte 8;"
         "n5:a list that is not in order at byte 8;"
         "n6:a list that is not in order at byte 8;");
}

static void test_time(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    part(&w, 0, "0 a\n1 b\n2 c\n3 d\n", NULL);
    part(&w, 6, "0 g\n", NULL);
    while (!w.done)
        event_base_loop(w.base, EVLOOP_ONCE);
    ends(&w, "0 a\n1 b\n2 c\n3 d\n6 g\n",
         "n4:nothing came in time;n5:nothing came in time;");
}

/* Only those at the top are asked; what that costs does not depend on how many
 * are below them. */
static void test_asked(void **state)
{
    struct world w;

    (void)state;
    for (uint32_t n = 2; n < 9; n++) {
        uint32_t second = n / 2 + n % 2;

        world_open(&w, n, 2);
        begin(&w);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(asked(&w, i), i == 0 || i == second);
        part(&w, 0, "", NULL);
        part(&w, second, "", NULL);
        turn(&w);
        assert_int_equal(w.done, 1);
        assert_int_equal(w.messages, 6);        /* asked, answered, ended */
        world_close(&w);
    }
}

/* 0 cannot reach 1, which is asked then, once; and so is 2 when 1 dies. */
static void test_stray(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    word(&w, 0, 0, "1 2 L");
    word(&w, 0, 0, "1 2 L");
    assert_int_equal(asked(&w, 1), 1);
    assert_int_equal(asked(&w, 2), 0);
    reducer_node_gone(w.reducer, w.nodes.v[1], "it died");
    assert_int_equal(asked(&w, 2), 1);
    part(&w, 2, "0 c\n", NULL);
    part(&w, 0, "0 a\n3 d\n", "1 2 L");
    part(&w, 4, "0 e\n1 f\n2 g\n", NULL);
    ends(&w, "0 a\n3 d\n4 e\n5 f\n6 g\n2 c\n", "n1:it died;");
}

/* 4 hangs and says nothing: those below it are asked past it. 0 has said that
 * it is there, and is waited for. */
static void test_silent(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    word(&w, 0, 0, NULL);
    while (!asked(&w, 5) && !w.done)
        event_base_loop(w.base, EVLOOP_ONCE);
    assert_int_equal(w.done, 0);
    assert_int_equal(asked(&w, 6), 1);
    assert_int_equal(asked(&w, 1), 0);
    part(&w, 5, "0 f\n", NULL);
    part(&w, 6, "0 g\n", NULL);
    part(&w, 0, "0 a\n1 b\n2 c\n3 d\n", NULL);
    while (!w.done)
        event_base_loop(w.base, EVLOOP_ONCE);
    ends(&w, "0 a\n1 b\n2 c\n3 d\n6 g\n5 f\n",
         "n4:nothing came in time;");
}

/* As long as something new comes nobody gives up, however long it takes. */
static void test_progress(void **state)
{
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    part(&w, 0, "0 a\n1 b\n2 c\n3 d\n", NULL);
    for (uint32_t i = 0; i < 3; i++) {          /* three times 100 of 200 ms */
        uint64_t start = clock_monotonic_ns();

        word(&w, 4, i, NULL);
        while (clock_monotonic_ns() - start < 100 * CLOCK_NS_PER_MS)
            event_base_loop(w.base, EVLOOP_ONCE);
    }
    assert_int_equal(w.done, 0);
    part(&w, 4, "0 e\n1 f\n2 g\n", NULL);
    ends(&w, "0 a\n1 b\n2 c\n3 d\n4 e\n5 f\n6 g\n", "");
}

/* A master that has stood still for longer than the whole time gives those a
 * chance whose answers it has not read. */
static void test_stood_still(void **state)
{
    uint64_t start;
    struct world w;

    (void)state;
    world_open(&w, 7, 2);
    begin(&w);
    start = clock_monotonic_ns();
    while (clock_monotonic_ns() - start < 500 * CLOCK_NS_PER_MS)
        ;
    turn(&w);
    assert_int_equal(w.done, 0);
    part(&w, 0, "0 a\n1 b\n2 c\n3 d\n", NULL);
    part(&w, 4, "0 e\n1 f\n2 g\n", NULL);
    ends(&w, "0 a\n1 b\n2 c\n3 d\n4 e\n5 f\n6 g\n", "");
}

static void test_cancel(void **state)
{
    struct reduce_ask ask = { .kind = "nonsense" };
    struct world w;
    struct err err;

    (void)state;
    world_open(&w, 3, 2);
    assert_int_equal(reducer_start(w.reducer, &ask, on_done, &w, &err), 0);
    assert_string_equal(err.text,
                        "nothing is known about gathering \"nonsense\"");
    begin(&w);
    reducer_cancel(w.reducer, 101);
    part(&w, 0, "0 a\n", NULL);
    turn(&w);
    assert_int_equal(w.done, 0);
    ask.kind = "who";
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(reducer_start(w.reducer, &ask, on_done, &w, &err),
                         102 + i);
    assert_int_equal(reducer_start(w.reducer, &ask, on_done, &w, &err), 0);
    assert_string_equal(err.text, "8 reductions are going on already: try "
                        "again later");
    world_close(&w);
    world_open(&w, 0, 2);
    assert_int_equal(reducer_start(w.reducer, &ask, on_done, &w, &err), 0);
    assert_string_equal(err.text, "no slave is there to be asked");
    world_close(&w);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape), cmocka_unit_test(test_waits),
        cmocka_unit_test(test_member),
        cmocka_unit_test(test_whole), cmocka_unit_test(test_top_dies),
        cmocka_unit_test(test_twice), cmocka_unit_test(test_link),
        cmocka_unit_test(test_dead_but_in), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_time), cmocka_unit_test(test_asked),
        cmocka_unit_test(test_stray), cmocka_unit_test(test_silent),
        cmocka_unit_test(test_progress), cmocka_unit_test(test_stood_still),
        cmocka_unit_test(test_cancel),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
