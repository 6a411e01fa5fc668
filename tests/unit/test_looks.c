/* test_looks.c - answers of slaves become what policies see. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/watch/looks.h"

static const struct hct_job job = { .size = sizeof(job), .nranks = 4 };

/* The slave has ranks 1 and 2. */
static bool is_there(const void *arg, uint32_t rank)
{
    (void)arg;
    return rank == 1 || rank == 2;
}

static int take(struct looks *l, Hct__Looked__Task *one, struct err *err)
{
    Hct__Looked m = HCT__LOOKED__INIT;

    m.n_tasks = 1;
    m.tasks = &one;
    return looks_take(l, &m, 1, is_there, NULL, err);
}

/* A tag that is too long is cut, one that there is not has no bytes at all:
 * not even an address to copy them from. */
static void test_tags(void **state)
{
    Hct__Looked__Task t = HCT__LOOKED__TASK__INIT;
    uint8_t text[sizeof(((struct hct_rank *)0)->tag_text) + 10];
    struct hct_snapshot s;
    struct looks l;
    struct err err;

    (void)state;
    memset(text, 'x', sizeof(text));
    assert_int_equal(looks_init(&l, &job), 0);
    t.rank = 1;
    t.life = HCT_LIFE_ENDED + 1;        /* of a later version */
    t.level = HCT_LEVEL_MULTIPLE + 1;
    t.phase_id = 77;
    looks_begin(&l, 0);
    t.tag_text = (ProtobufCBinaryData){ sizeof(text), text };
    assert_int_equal(take(&l, &t, &err), 0);
    looks_end(&l, 5, &s);
    assert_int_equal(strlen(s.ranks[1].tag_text),
                     sizeof(s.ranks[1].tag_text) - 1);
    assert_int_equal(s.ranks[1].life, 0);
    assert_int_equal(s.ranks[1].level, HCT_LEVEL_UNKNOWN);
    assert_int_equal(s.ranks[1].phase_id, 77);

    t.tag_text = (ProtobufCBinaryData){ 0, NULL };
    looks_begin(&l, 0);
    assert_int_equal(take(&l, &t, &err), 0);
    looks_end(&l, 6, &s);
    assert_string_equal(s.ranks[1].tag_text, "");
    looks_fini(&l);
}

/* Of other nodes, or of no task at all, nothing is believed. */
static void test_others(void **state)
{
    Hct__Looked__Task t = HCT__LOOKED__TASK__INIT;
    struct hct_snapshot s;
    struct looks l;
    struct err err;

    (void)state;
    assert_int_equal(looks_init(&l, &job), 0);
    looks_begin(&l, 0);
    t.calls = 7;
    for (uint32_t rank = 0; rank < 6; rank += rank ? 1 : 3) {
        t.rank = rank;
        assert_int_equal(take(&l, &t, &err), -1);
        assert_int_equal(err.code, EPROTO);
    }
    looks_end(&l, 5, &s);
    for (uint32_t rank = 0; rank < 4; rank++)
        assert_int_equal(s.ranks[rank].calls, 0);
    looks_fini(&l);
}

/* Detail is taken where it was asked for, and sorted. */
static void test_detail(void **state)
{
    Hct__Looked m = HCT__LOOKED__INIT;
    Hct__Looked__Request q[3], *requests[] = { &q[0], &q[1], &q[2] };
    struct hct_snapshot s;
    struct looks l;
    struct err err;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        q[i] = (Hct__Looked__Request)HCT__LOOKED__REQUEST__INIT;
        q[i].rank = 3 - i;              /* 3 is not there */
        q[i].call = 10 + i;
        q[i].sent = 100 + i;
    }
    m.n_requests = 3;
    m.requests = requests;
    assert_int_equal(looks_init(&l, &job), 0);
    for (int detail = 0; detail < 2; detail++) {
        looks_begin(&l, detail ? HCT_NEED_DETAIL : 0);
        m.seq = l.seq;
        assert_int_equal(looks_take(&l, &m, 1, is_there, NULL, &err), 0);
        m.seq--;                        /* of an earlier look, too late */
        assert_int_equal(looks_take(&l, &m, 1, is_there, NULL, &err), 0);
        looks_end(&l, 5, &s);
        assert_int_equal(s.nrequests, detail ? 2 : 0);
    }
    assert_int_equal(s.requests[0].rank, 1);
    assert_int_equal(s.requests[0].call, 12);
    assert_int_equal(s.requests[0].sent, 102);
    assert_int_equal(s.requests[1].rank, 2);
    looks_fini(&l);
}

/* Who has said nothing new grows older, who cannot be asked is not seen. */
static void test_age(void **state)
{
    Hct__Looked__Task t = HCT__LOOKED__TASK__INIT;
    struct hct_snapshot s;
    struct looks l;
    struct err err;

    (void)state;
    assert_int_equal(looks_init(&l, &job), 0);
    t.rank = 2;
    t.life = HCT_LIFE_NONE + 1;
    t.flags = HCT_OBSERVED | HCT_PAGE;
    t.age_ns = 100;
    looks_begin(&l, 0);
    assert_int_equal(take(&l, &t, &err), 0);
    looks_end(&l, 1000, &s);
    assert_int_equal(s.ranks[2].age_ns, 100);
    looks_begin(&l, 0);
    looks_set_absent(&l, 2);
    looks_end(&l, 1500, &s);
    assert_int_equal(s.ranks[2].age_ns, 600);
    assert_int_equal(s.ranks[2].flags & HCT_OBSERVED, 0);
    looks_begin(&l, 0);
    looks_set_ended(&l, 2, "was killed by signal 9");
    looks_end(&l, 1600, &s);
    assert_string_equal(s.ranks[2].place, "was killed by signal 9");
    assert_int_equal(s.ranks[2].life, HCT_LIFE_ENDED);
    assert_int_equal(s.ranks[2].flags, 0);
    looks_fini(&l);
}

/* An account comes with all of its pairs, or not at all: one that is left out
 * would say that there was no message. */
static void test_accounts(void **state)
{
    Hct__Looked m = HCT__LOOKED__INIT;
    Hct__Looked__Account a[2], *accounts[] = { &a[0], &a[1] };
    uint32_t peers[] = { 0, 3 }, blinds[] = { 0, 7 };
    uint64_t sent[] = { 11, 12 }, received[] = { 21, 22 }, comms[] = { 1, 2 };
    int32_t tags[] = { 5, 6 };
    struct hct_snapshot s;
    struct looks l;
    struct err err;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        a[i] = (Hct__Looked__Account)HCT__LOOKED__ACCOUNT__INIT;
        a[i].rank = 2 - i;
        a[i].n_peers = a[i].n_blinds = a[i].n_sent = a[i].n_received = 2;
        a[i].n_last_comms = a[i].n_last_tags = 2;
        a[i].peers = peers;
        a[i].blinds = blinds;
        a[i].sent = sent;
        a[i].received = received;
        a[i].last_comms = comms;
        a[i].last_tags = tags;
        a[i].unsure = i;
    }
    m.n_accounts = 2;
    m.accounts = accounts;
    assert_int_equal(looks_init(&l, &job), 0);
    looks_begin(&l, HCT_NEED_DETAIL);
    m.seq = l.seq;
    assert_int_equal(looks_take(&l, &m, 4, is_there, NULL, &err), 0);
    looks_end(&l, 5, &s);
    assert_int_equal(s.naccounts, 2);
    assert_int_equal(s.accounts[0].rank, 1);
    assert_int_equal(s.accounts[0].node, 4);
    assert_int_equal(s.accounts[0].unsure, 1);
    assert_int_equal(s.npairs, 4);
    assert_int_equal(s.pairs[1].rank, 1);
    assert_int_equal(s.pairs[1].peer, 3);
    assert_int_equal(s.pairs[1].sent, 12);
    assert_int_equal(s.pairs[1].received, 22);
    assert_int_equal(s.pairs[1].blind, 7);
    assert_int_equal(s.pairs[1].last_comm, 2);
    assert_int_equal(s.pairs[1].last_tag, 6);

    peers[1] = 99;                      /* no rank of this job */
    a[1].n_sent = 1;                    /* makes no sense */
    looks_begin(&l, HCT_NEED_DETAIL);
    m.seq = l.seq;
    assert_int_equal(looks_take(&l, &m, 4, is_there, NULL, &err), 0);
    looks_end(&l, 5, &s);
    assert_int_equal(s.naccounts, 0);
    assert_int_equal(s.npairs, 0);
    looks_fini(&l);
}

/* Sorted by rank, with their runs; too many find no room, and then there are
 * none: a rank would seem not to have met. */
static void test_meetings(void **state)
{
    Hct__Looked m = HCT__LOOKED__INIT;
    Hct__Looked__Meeting one[2], *many[2] = { &one[0], &one[1] }, **more;
    uint32_t firsts[] = { 3, 0 }, ns[] = { 2, 1 };
    int32_t steps[] = { -2, 0 };
    const size_t too_many = (1 << 20) + 1;
    struct hct_snapshot s;
    struct looks l;
    struct err err;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        one[i] = (Hct__Looked__Meeting)HCT__LOOKED__MEETING__INIT;
        one[i].rank = 2 - i;
        one[i].id = 1ull << 63 | i;
        one[i].comm = 77;
        one[i].count = 5;
        one[i].tag = 6;
        one[i].in = one[i].size = 1;
        one[i].call = 42;
        one[i].n_firsts = one[i].n_ns = one[i].n_steps = 2;
        one[i].firsts = firsts;
        one[i].ns = ns;
        one[i].steps = steps;
    }
    one[0].n_steps = 1;                 /* makes no sense */
    m.n_meetings = 2;
    m.meetings = many;
    assert_int_equal(looks_init(&l, &job), 0);
    looks_begin(&l, HCT_NEED_DETAIL);
    m.seq = l.seq;
    assert_int_equal(looks_take(&l, &m, 4, is_there, NULL, &err), 0);
    looks_end(&l, 5, &s);
    assert_int_equal(s.nmeetings, 2);
    assert_int_equal(hct_meeting(&s, 0)->rank, 1);
    assert_int_equal(hct_meeting(&s, 0)->id, 1ull << 63 | 1);
    assert_int_equal(hct_meeting(&s, 0)->comm, 77);
    assert_int_equal(hct_meeting(&s, 0)->count, 5);
    assert_int_equal(hct_meeting(&s, 0)->tag, 6);
    assert_int_equal(hct_meeting(&s, 0)->call, 42);
    assert_int_equal(hct_meeting(&s, 0)->in, 1);
    assert_int_equal(hct_meeting(&s, 0)->size, 1);
    assert_int_equal(hct_meeting(&s, 0)->nruns, 2);
    assert_int_equal(hct_meeting(&s, 0)->runs[0].first, 3);
    assert_int_equal(hct_meeting(&s, 0)->runs[0].n, 2);
    assert_int_equal(hct_meeting(&s, 0)->runs[0].step, -2);
    assert_int_equal(hct_meeting(&s, 1)->rank, 2);
    assert_int_equal(hct_meeting(&s, 1)->nruns, 0);

    more = calloc(too_many, sizeof(*more));
    assert_non_null(more);
    for (size_t i = 0; i < too_many; i++)
        more[i] = &one[1];
    m.n_meetings = too_many;
    m.meetings = more;
    looks_begin(&l, HCT_NEED_DETAIL);
    m.seq = l.seq;
    assert_int_equal(looks_take(&l, &m, 4, is_there, NULL, &err), 0);
    looks_end(&l, 5, &s);
    assert_int_equal(s.nmeetings, 0);
    looks_begin(&l, HCT_NEED_DETAIL);
    looks_end(&l, 6, &s);
    assert_false(l.meetings_lost);
    free(more);
    looks_fini(&l);
}

/* A model of three states and an edge. */
static Hct__Looked__Model model_of(uint32_t rank)
{
    static uint32_t sites[] = { 0, 1, 2 }, calls[] = { 0, 0, 12 };
    static uint64_t numbers[] = { 0, 0, 7 };
    static uint32_t one[] = { 1 }, two[] = { 2 };
    static uint64_t n[] = { 5 };
    static double times[] = { 1.5 };
    Hct__Looked__Model m = HCT__LOOKED__MODEL__INIT;

    m.rank = rank;
    m.threads = 1;
    m.at = 2;
    m.n_sites = m.n_calls = m.n_places = m.n_visits = 3;
    m.n_in_ns = m.n_longest_ns = m.n_out_ns = 3;
    m.sites = sites;
    m.calls = calls;
    m.places = m.visits = m.in_ns = m.longest_ns = m.out_ns = numbers;
    m.n_from = m.n_to = m.n_phases = m.n_n = 1;
    m.n_in_mean = m.n_in_m2 = m.n_out_mean = m.n_out_m2 = 1;
    m.n_bytes_mean = m.n_bytes_m2 = 1;
    m.from = m.phases = one;
    m.to = two;
    m.n = n;
    m.in_mean = m.in_m2 = m.out_mean = m.out_m2 = times;
    m.bytes_mean = m.bytes_m2 = times;
    return m;
}

/* What came of a look with these models. */
static void take_models(struct looks *l, uint32_t parts, uint32_t late,
                        Hct__Looked__Model *a, Hct__Looked__Model *b,
                        struct hct_snapshot *s)
{
    Hct__Looked__Model *models[] = { a, b };
    Hct__Looked m = HCT__LOOKED__INIT;
    struct err err;

    m.models = models;
    m.n_models = 2;
    looks_begin(l, parts);
    m.seq = l->seq - late;
    assert_int_equal(looks_take(l, &m, 1, is_there, NULL, &err), 0);
    looks_end(l, 5, s);
}

/* Models are taken where they were asked for, whole or not at all. */
static void test_models(void **state)
{
    Hct__Looked__Model a = model_of(2), b = model_of(1), odd, last = model_of(9);
    uint32_t far[] = { 3 };
    double less[] = { -1 };
    struct hct_snapshot s;
    struct looks l;

    (void)state;
    assert_int_equal(looks_init(&l, &job), 0);
    take_models(&l, HCT_NEED_DETAIL, 0, &a, &b, &s);
    assert_int_equal(s.nmodels | s.nstates | s.nedges, 0);
    assert_int_equal(s.parts, HCT_NEED_DETAIL);
    take_models(&l, HCT_NEED_MODEL, 1, &a, &b, &s);
    assert_int_equal(s.nmodels, 0);
    take_models(&l, HCT_NEED_MODEL | 64, 0, &a, &b, &s);
    assert_int_equal(s.parts, HCT_NEED_MODEL);
    assert_int_equal(s.has_detail, 0);
    assert_int_equal(s.nmodels, 2);
    for (uint32_t i = 0; i < 2; i++) {          /* sorted */
        const struct hct_model *m = hct_model(&s, i);

        assert_int_equal(m->rank, i + 1);
        assert_true(m->nstates == 3 && m->nedges == 1 && m->at == 2);
        assert_int_equal(hct_state(&s, m, 2)->rank, i + 1);
        assert_int_equal(hct_state(&s, m, 2)->visits, 7);
        assert_int_equal(hct_edge(&s, m, 0)->to, 2);
        assert_int_equal(hct_edge(&s, m, 0)->n, 5);
        assert_true(hct_edge(&s, m, 0)->in_mean == 1.5);
    }
    last.n_sites = last.n_calls = last.n_places = last.n_visits = 0;
    last.n_in_ns = last.n_longest_ns = last.n_out_ns = 0;
    last.ago_ns = 60;
    a.last = b.last = &last;                    /* of the last time, too */
    take_models(&l, HCT_NEED_MODEL, 0, &a, &b, &s);
    for (uint32_t i = 0; i < 2; i++) {
        const struct hct_model *m = hct_model(&s, i);

        assert_true(m->nedges == 1 && m->nlast == 1 && m->last != m->edges);
        assert_int_equal(m->last_ns, 60);
        assert_int_equal(s.edges[m->last].rank, i + 1);
    }
    assert_int_equal(s.nedges, 4);
    last.to = far;
    take_models(&l, HCT_NEED_MODEL, 0, &a, &b, &s);
    assert_int_equal(s.nmodels, 2);
    assert_int_equal(s.nedges, 2);
    assert_true(hct_model(&s, 0)->last_ns == 0 && hct_model(&s, 0)->nlast == 0);
    a.last = NULL;
    b = model_of(3);                            /* not there */
    take_models(&l, HCT_NEED_MODEL, 0, &a, &b, &s);
    assert_int_equal(s.nmodels, 1);
    take_models(&l, HCT_NEED_MODEL, 0, &a, &a, &s);
    assert_int_equal(s.nmodels, 1);
    b = model_of(1);
    for (unsigned i = 0; i < 4; i++) {
        odd = model_of(2);
        if (i == 0)
            odd.n_visits = 2;
        else if (i == 1)
            odd.to = far;
        else if (i == 2)
            odd.out_m2 = less;
        else
            odd.at = 4;
        take_models(&l, HCT_NEED_MODEL, 0, &odd, &b, &s);
        assert_int_equal(s.nmodels, 1);
        assert_int_equal(s.models[0].rank, 1);
        assert_int_equal(s.nstates, 3);
        assert_int_equal(s.nedges, 1);
    }
    looks_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_detail),
        cmocka_unit_test(test_accounts),
        cmocka_unit_test(test_meetings),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_models),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
