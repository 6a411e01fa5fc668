/* test_tape.c - what is written to a tape comes back, byte for byte, takes
 * little room, and a damaged tape is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/watch/tape.h"
#include "tests/unit/draw.h"

enum { RANKS = 64, FRAMES = 200 };

static bool all(const void *arg, uint32_t rank)
{
    (void)arg;
    return rank < RANKS;
}

enum { STATES = 5, EDGES = 7 };

/* Some of what it is, as of the last time. */
static void add_last(Hct__Looked__Model *m)
{
    static Hct__Looked__Model last[2];
    Hct__Looked__Model *to = &last[m->rank % 2];

    *to = *m;
    to->n_sites = to->n_calls = to->n_places = to->n_visits = 0;
    to->n_in_ns = to->n_longest_ns = to->n_out_ns = 0;
    to->ago_ns = 1 + draw() % 1000;
    m->last = to;
}

/* Of one rank, of any size; its columns are static. */
static void make_model(Hct__Looked__Model *m, uint32_t rank)
{
    static uint32_t small[8][EDGES];
    static uint64_t large[8][EDGES];
    static double times[12][EDGES];
    uint32_t (*v)[EDGES] = &small[rank % 2 * 4];
    uint64_t (*w)[EDGES] = &large[rank % 2 * 4];
    double (*x)[EDGES] = &times[rank % 2 * 6];
    size_t states = 1 + draw() % STATES, edges = draw() % EDGES;

    for (unsigned i = 0; i < EDGES; i++) {
        v[0][i] = (uint32_t)(draw() % states);
        v[1][i] = (uint32_t)(draw() % states);
        v[2][i] = (uint32_t)draw();
        w[0][i] = draw() | 1;
        w[1][i] = draw() % 1000;
        for (unsigned k = 0; k < 6; k++)
            x[k][i] = (double)draw() / 1e6;
    }
    *m = (Hct__Looked__Model)HCT__LOOKED__MODEL__INIT;
    m->rank = rank;
    m->threads = (uint32_t)draw() % 4;
    m->at = (uint32_t)(draw() % (states + 1));
    m->lost = draw() % 100;
    m->n_sites = m->n_calls = m->n_places = m->n_visits = states;
    m->n_in_ns = m->n_longest_ns = m->n_out_ns = states;
    m->sites = m->calls = v[2];
    m->places = m->visits = w[0];
    m->in_ns = m->longest_ns = m->out_ns = w[1];
    m->n_from = m->n_to = m->n_phases = m->n_n = edges;
    m->n_in_mean = m->n_in_m2 = m->n_out_mean = m->n_out_m2 = edges;
    m->n_bytes_mean = m->n_bytes_m2 = edges;
    m->from = v[0];
    m->to = v[1];
    m->phases = v[2];
    m->n = w[0];
    m->in_mean = x[0];
    m->in_m2 = x[1];
    m->out_mean = x[2];
    m->out_m2 = x[3];
    m->bytes_mean = x[4];
    m->bytes_m2 = x[5];
    if (draw() % 2)
        add_last(m);
}

/* One look: some tasks have moved, one has a new tag; parts now and then. */
static void look(struct looks *l, uint64_t now_ns, struct hct_snapshot *s)
{
    static Hct__Looked__Task task[RANKS];
    Hct__Looked__Task *tasks[RANKS];
    Hct__Looked__Request request = HCT__LOOKED__REQUEST__INIT,
                         *requests[] = { &request, &request };
    Hct__Looked__Account account[2], *accounts[] = { &account[0], &account[1] };
    Hct__Looked__Model model[2], *models[] = { &model[0], &model[1] };
    Hct__Looked m = HCT__LOOKED__INIT;
    Hct__Looked__Meeting meeting = HCT__LOOKED__MEETING__INIT;
    Hct__Looked__Meeting *meetings[] = { &meeting };
    uint32_t peer = (uint32_t)(draw() % RANKS);
    uint64_t sum = draw();
    int32_t tag = (int32_t)(draw() % 100);
    struct err err;

    m.tasks = tasks;
    for (uint32_t i = 0; i < RANKS; i++) {
        if (draw() % 4)
            continue;
        hct__looked__task__init(&task[i]);
        task[i].rank = i;
        task[i].life = HCT_LIFE_RUNNING;
        task[i].flags = HCT_OBSERVED | HCT_PAGE | (draw() & HCT_IN_MPI);
        task[i].calls = l->known[i].calls + draw() % 1000;
        task[i].age_ns = draw() % 1000000;
        task[i].peer = (int32_t)(draw() % 8) - 4;
        task[i].tag_text.data = (uint8_t *)"step 12";
        task[i].tag_text.len = draw() % 8;
        tasks[m.n_tasks++] = &task[i];
    }
    request.rank = (uint32_t)(draw() % RANKS);
    request.comm = draw();
    request.sent = draw();
    m.requests = requests;
    m.n_requests = 2;
    for (uint32_t i = 0; i < 2; i++) {
        account[i] = (Hct__Looked__Account)HCT__LOOKED__ACCOUNT__INIT;
        account[i].rank = 7 * i;
        account[i].n_peers = account[i].n_blinds = 1;
        account[i].n_sent = account[i].n_received = 1;
        account[i].n_last_comms = account[i].n_last_tags = 1;
        account[i].peers = &peer;
        account[i].sent = account[i].received = account[i].last_comms = &sum;
        account[i].blinds = &peer;
        account[i].last_tags = &tag;
    }
    m.accounts = accounts;
    m.n_accounts = 2;
    meeting.rank = 3;
    meeting.id = sum;
    meeting.n_firsts = meeting.n_ns = meeting.n_steps = 1;
    meeting.firsts = meeting.ns = &peer;
    meeting.steps = &tag;
    m.meetings = meetings;
    m.n_meetings = 1;
    for (uint32_t i = 0; i < 2; i++)
        make_model(&model[i], (uint32_t)(draw() % (RANKS / 2)) * 2 + i);
    m.models = models;
    m.n_models = 2;
    looks_begin(l, (draw() % 8 == 0 ? HCT_NEED_DETAIL : 0) |
                   (draw() % 8 == 0 ? HCT_NEED_MODEL : 0));
    m.seq = l->seq;
    assert_int_equal(looks_take(l, &m, 1, all, NULL, &err), 0);
    if (draw() % 16 == 0)
        looks_set_absent(l, 7);
    looks_end(l, now_ns, s);
}

/* All there is about models: of one look, to compare. */
static void models_of(const struct hct_snapshot *s, struct str *to)
{
    for (uint32_t i = 0; i < s->nmodels; i++) {
        struct hct_model m = *hct_model(s, i);

        str_add_bytes(to, (const char *)hct_state(s, &m, 0),
                      m.nstates * sizeof(struct hct_state));
        if (m.nedges)
            str_add_bytes(to, (const char *)hct_edge(s, &m, 0),
                          m.nedges * sizeof(struct hct_edge));
        if (m.nlast)
            str_add_bytes(to, (const char *)&s->edges[m.last],
                          m.nlast * sizeof(struct hct_edge));
        m.states = m.edges = m.last = 0;        /* where they are may differ */
        str_add_bytes(to, (const char *)&m, sizeof(m));
    }
}

static void test_round_trip(void **state)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS, .job = 3,
                           .seed = 9, .name = "solver" };
    struct looks live;
    struct tape tape;
    struct tape_reader r = { 0 };
    struct str bytes = { 0 };
    struct hct_snapshot s;
    struct hct_rank *want = calloc(FRAMES * RANKS, sizeof(*want));
    uint32_t nrequests[FRAMES];
    uint64_t sent[FRAMES];
    struct hct_pair pair[FRAMES];
    struct str models = { 0 }, got = { 0 };
    size_t plain = 0, with = 0, last = 0;
    struct err err;

    (void)state;
    assert_non_null(want);
    assert_int_equal(looks_init(&live, &job), 0);
    assert_int_equal(tape_init(&tape, RANKS), 0);
    for (uint64_t f = 0; f < FRAMES; f++) {
        look(&live, 1000000 + f * 10000000, &s);
        memcpy(&want[f * RANKS], s.ranks, RANKS * sizeof(*want));
        nrequests[f] = s.nrequests;
        sent[f] = s.nrequests ? s.requests[1].sent : 0;
        assert_int_equal(s.naccounts, s.has_detail ? 2 : 0);
        assert_int_equal(s.npairs, s.naccounts);
        assert_int_equal(s.nmeetings, s.has_detail ? 1 : 0);
        if (s.npairs)
            pair[f] = s.pairs[1];
        if (f == 100)
            tape_cut(&tape);
        assert_int_equal(s.nmodels, s.parts & HCT_NEED_MODEL ? 2 : 0);
        with += s.nmodels;
        for (uint32_t i = 0; i < s.nmodels; i++)
            last += hct_model(&s, i)->last_ns != 0;
        models_of(&s, &models);
        plain += tape_write(&tape, &s, &bytes);
    }
    assert_true(with > 10 && last > 5 && last < with);
    /* A quarter of the tasks moves each time: some 20 bytes for each. */
    assert_true(plain < FRAMES * RANKS / 4 * 40);
    r.p = (const uint8_t *)str_text(&bytes);
    r.end = r.p + bytes.n;
    for (uint64_t f = 0; f < FRAMES; f++) {
        assert_int_equal(tape_read(&r, &s, &err), 1);
        assert_int_equal(s.seq, f + 1);
        assert_int_equal(s.now_ns, 1000000 + f * 10000000);
        assert_string_equal(s.job->name, "solver");
        assert_int_equal(s.job->seed, 9);
        assert_memory_equal(s.ranks, &want[f * RANKS],
                            RANKS * sizeof(*want));
        assert_int_equal(s.nrequests, nrequests[f]);
        if (s.nrequests)
            assert_true(s.requests[1].sent == sent[f]);
        assert_int_equal(s.naccounts, s.has_detail ? 2 : 0);
        assert_int_equal(s.npairs, s.naccounts);
        assert_int_equal(s.nmeetings, s.has_detail ? 1 : 0);
        if (s.npairs)
            assert_memory_equal(&s.pairs[1], &pair[f], sizeof(pair[f]));
        models_of(&s, &got);
    }
    assert_int_equal(got.n, models.n);
    assert_memory_equal(str_text(&got), str_text(&models), models.n);
    assert_int_equal(tape_read(&r, &s, &err), 0);
    looks_fini(&live);
    looks_fini(&r.looks);
    tape_fini(&tape);
    str_fini(&bytes);
    str_fini(&models);
    str_fini(&got);
    free(want);
}

/* A part that nobody needs is no byte of the tape, and one that a policy does not
 * need none of what it is shown. One that is not known is passed over. */
static void test_parts(void **state)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct str without = { 0 }, with = { 0 }, copy = { 0 }, whole = { 0 };
    struct tape_frame f = { 0 };
    struct tape_reader r = { 0 };
    struct tape tape[2];
    struct looks live;
    struct hct_snapshot s;
    struct err err;

    (void)state;
    looks_init(&live, &job);
    do
        look(&live, 1000, &s);
    while (s.parts != HCT_NEED_MODEL);
    assert_true(s.nmodels == 2);
    for (unsigned i = 0; i < 2; i++)
        tape_init(&tape[i], RANKS);
    f.look_bytes = tape_write(&tape[0], &s, &with);
    f.p = str_text(&with);
    f.bytes = with.n;
    f.parts = s.parts;
    s.parts = 0;                        /* the same look without */
    assert_int_equal(tape_write(&tape[1], &s, &without), f.look_bytes);
    assert_int_equal(without.n, f.look_bytes);
    assert_true(f.bytes > f.look_bytes);
    tape_copy(&f, HCT_NEED_DETAIL, &copy);
    assert_int_equal(copy.n, without.n);
    assert_memory_equal(str_text(&copy), str_text(&without), copy.n);
    tape_copy(&f, HCT_NEED_MODEL, &whole);
    assert_int_equal(whole.n, with.n);
    assert_memory_equal(str_text(&whole), str_text(&with), with.n);

    str_add_bytes(&copy, "P\200\001\003abcP\201\001\0", 11);
    str_add_bytes(&copy, str_text(&with) + f.look_bytes, f.bytes - f.look_bytes);
    r.p = (const uint8_t *)str_text(&copy);
    r.end = r.p + copy.n;
    assert_int_equal(tape_read(&r, &s, &err), 1);
    assert_int_equal(s.nmodels, 2);
    assert_int_equal(s.parts, HCT_NEED_MODEL);
    assert_int_equal(tape_read(&r, &s, &err), 0);
    str_add_bytes(&copy, str_text(&with) + f.look_bytes, f.bytes - f.look_bytes);
    r.p = (const uint8_t *)str_text(&copy);
    r.end = r.p + copy.n;               /* models twice */
    assert_int_equal(tape_read(&r, &s, &err), -1);
    for (unsigned i = 0; i < 2; i++)
        tape_fini(&tape[i]);
    looks_fini(&live);
    looks_fini(&r.looks);
    str_fini(&without);
    str_fini(&with);
    str_fini(&copy);
    str_fini(&whole);
}

/* Steps of earlier runs come back as they were; what is no number does not. */
static void test_earlier(void **state)
{
    struct hct_earlier step[3] = {
        { .from = 0, .to = 7, .runs = 2, .tasks = 4, .n = 1, .out_mean = 1e9 },
        { .from = 7, .to = 7, .runs = 10, .tasks = 4, .n = 99.5, .in_mean = 5.5,
          .in_sd = 0.25, .in_most = 1e3, .out_most = 1e300, .bytes_mean = 8 },
        { .from = 7, .to = UINT64_MAX - 1, .runs = 1, .tasks = 1, .n = 2 } };
    struct hct_learnt learnt[2] = {
        { .by = UINT64_MAX, .what = 7, .groups = 2, .most = 4, .times = 9, .runs = 3 },
        { .by = UINT64_MAX, .what = 8, .groups = 1, .most = 4, .times = 2, .runs = 1 } };
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct str bytes = { 0 };
    struct tape_reader r = { 0 };
    struct tape tape;
    struct looks live;
    struct hct_snapshot s, out;
    struct err err;

    (void)state;
    looks_init(&live, &job);
    tape_init(&tape, RANKS);
    look(&live, 1000, &s);
    s.parts |= HCT_NEED_EARLIER;
    s.runs = 10;
    s.earlier = step;
    s.nearlier = 3;
    s.learnt = learnt;
    s.nlearnt = 2;
    tape_write(&tape, &s, &bytes);
    s.nlearnt = 0;                      /* as versions before had it */
    tape_write(&tape, &s, &bytes);
    step[1].in_sd = (double)NAN;
    tape_write(&tape, &s, &bytes);
    step[1].in_sd = 0.25;
    r.p = (const uint8_t *)str_text(&bytes);
    r.end = r.p + bytes.n;
    assert_int_equal(tape_read(&r, &out, &err), 1);
    assert_true(out.parts & HCT_NEED_EARLIER);
    assert_int_equal(out.runs, 10);
    assert_int_equal(out.nearlier, 3);
    assert_memory_equal(out.earlier, step, sizeof(step));
    assert_int_equal(out.nlearnt, 2);
    assert_memory_equal(out.learnt, learnt, sizeof(learnt));
    assert_int_equal(tape_read(&r, &out, &err), 1);
    assert_int_equal(out.nearlier, 3);
    assert_int_equal(out.nlearnt, 0);
    assert_int_equal(tape_read(&r, &out, &err), -1);
    looks_fini(&live);
    looks_fini(&r.looks);
    tape_fini(&tape);
    str_fini(&bytes);
}

/* What tasks do inside of calls comes back as it was; what makes no sense, or is of
 * ranks that there are not, does not. */
static void test_stacks(void **state)
{
    struct hct_inside row[2] = {
        { .call = 3, .what = HCT_INSIDE_BEFORE, .tasks = 1, .in_call = RANKS,
          .function = 77, .rank = { 1 }, .line = 12, .name = "burn",
          .file = "burn.c" },
        { .call = 4, .what = HCT_INSIDE_LIBRARY, .tasks = 2, .in_call = 2,
          .function = UINT64_MAX, .rank = { 0, 1 }, .name = "memcpy" } };
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct str bytes = { 0 };
    struct tape_reader r = { 0 };
    struct tape tape;
    struct looks live;
    struct hct_snapshot s, out;
    struct err err;

    (void)state;
    looks_init(&live, &job);
    tape_init(&tape, RANKS);
    look(&live, 1000, &s);
    s.parts |= HCT_NEED_STACKS;
    s.stacks = RANKS;
    s.waiting = RANKS - 1;
    s.inside = row;
    s.ninside = 2;
    s.inside_size = sizeof(row[0]);
    tape_write(&tape, &s, &bytes);
    row[1].rank[1] = RANKS;
    tape_write(&tape, &s, &bytes);
    row[1].rank[1] = 1;
    r.p = (const uint8_t *)str_text(&bytes);
    r.end = r.p + bytes.n;
    assert_int_equal(tape_read(&r, &out, &err), 1);
    assert_true(out.parts & HCT_NEED_STACKS);
    assert_int_equal(out.stacks, RANKS);
    assert_int_equal(out.waiting, RANKS - 1);
    assert_int_equal(out.ninside, 2);
    assert_memory_equal(out.inside, row, sizeof(row));
    assert_int_equal(tape_read(&r, &out, &err), -1);
    looks_fini(&live);
    looks_fini(&r.looks);
    tape_fini(&tape);
    str_fini(&bytes);
}

/* What time scores are of, and a person asks about, is there with these. */
static void test_time(void **state)
{
    static const struct hct_stretch stretch = {
        .when = { HCT_WINDOW_PHASE, 7, 0 }, .least_ns = 5, .most_ns = 90,
        .tasks = 60, .missing = 4 };
    static const struct hct_when person = { HCT_WINDOW_LAST, 0, 300 };
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct str bytes = { 0 }, copy = { 0 };
    struct tape_frame f = { 0 };
    struct tape_reader r = { 0 };
    struct tape tape;
    struct looks live;
    struct hct_snapshot s;
    struct err err;

    (void)state;
    looks_init(&live, &job);
    tape_init(&tape, RANKS);
    look(&live, 1000, &s);
    s.parts |= HCT_NEED_SCORES;
    s.question = 3;
    s.stretch = stretch;
    s.asked = HCT_ASKED_BY_PERSON;
    s.person = person;
    f.look_bytes = tape_write(&tape, &s, &bytes);
    f.p = str_text(&bytes);
    f.bytes = bytes.n;
    tape_copy(&f, 0, &copy);            /* of who does not need the scores */
    look(&live, 2000, &s);
    tape_write(&tape, &s, &bytes);
    r.p = (const uint8_t *)str_text(&bytes);
    r.end = r.p + bytes.n;
    assert_int_equal(tape_read(&r, &s, &err), 1);
    assert_memory_equal(&s.stretch, &stretch, sizeof(stretch));
    assert_memory_equal(&s.person, &person, sizeof(person));
    assert_int_equal(tape_read(&r, &s, &err), 1);       /* the next has neither */
    assert_int_equal(s.stretch.tasks + s.stretch.when.window, 0);
    assert_int_equal(s.person.window, HCT_WINDOW_ALL);
    r.p = (const uint8_t *)str_text(&copy);
    r.end = r.p + copy.n;
    assert_int_equal(tape_read(&r, &s, &err), 1);
    assert_int_equal(s.stretch.tasks, 0);
    assert_memory_equal(&s.person, &person, sizeof(person));
    str_add_bytes(&copy, "P\202\200\200\200\002\003\001\300\001", 9);
    r.p = (const uint8_t *)str_text(&copy);     /* last times of no model */
    r.end = r.p + copy.n;
    assert_int_equal(tape_read(&r, &s, &err), -1);
    tape_fini(&tape);
    looks_fini(&live);
    looks_fini(&r.looks);
    str_fini(&bytes);
    str_fini(&copy);
}

/* Deadlines are written where they are new, or the tape begins; events once. Whoever
 * gets none of them still hears that no task was read. */
static void test_events(void **state)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct hct_event event = { .rank = 2, .marker = -4, .seq = 7, .enter_ns = -30,
                               .exit_ns = 80, .of = 1, .label = "halo" };
    struct hct_deadline due = { .number = 1, .kind = HCT_DUE_CALL, .limit_ns = 90,
                                .margin = 0.25, .ranks = 3, .text = "halo<=90ns" };
    size_t size[4];
    struct str bytes = { 0 }, copy = { 0 };
    struct tape_reader r = { 0 };
    struct tape tape;
    struct looks live;
    struct hct_snapshot s;
    struct err err;

    (void)state;
    looks_init(&live, &job);
    tape_init(&tape, RANKS);
    for (unsigned i = 0; i < 4; i++) {
        size_t before = bytes.n;
        struct tape_frame f = { 0 };

        look(&live, 1000 * i + 1, &s);
        live.deadlines[0] = due;
        live.deadlines[0].over = i == 2;
        live.ndeadlines = 1;
        looks_snapshot(&live, &s);
        s.parts |= HCT_NEED_EVENTS;
        s.events = &event;
        s.nevents = i != 1;
        s.events_lost = 5;
        s.asked = i ? HCT_ASKED_BY_EVENT : 0;
        s.unread = i != 0;
        if (i == 3)
            tape_cut(&tape);
        f.look_bytes = tape_write(&tape, &s, &bytes);
        f.p = str_text(&bytes) + before;
        f.bytes = size[i] = bytes.n - before;
        tape_copy(&f, 0, &copy);
    }
    assert_true(size[1] + sizeof(due.text) / 8 < size[0]);
    r.p = (const uint8_t *)str_text(&bytes);
    r.end = r.p + bytes.n;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(tape_read(&r, &s, &err), 1);
        assert_int_equal(s.nevents, i != 1);
        if (i != 1)
            assert_memory_equal(hct_event(&s, 0), &event, sizeof(event));
        assert_int_equal(s.ndeadlines, 1);
        due.over = i == 2;
        assert_memory_equal(hct_deadline(&s, 0), &due, sizeof(due));
        assert_int_equal(s.events_lost, 5);
        assert_int_equal(s.unread, i != 0);
        assert_int_equal(s.asked, i ? HCT_ASKED_BY_EVENT : 0);
    }
    looks_fini(&r.looks);
    r = (struct tape_reader){ .p = (const uint8_t *)str_text(&copy) };
    r.end = r.p + copy.n;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(tape_read(&r, &s, &err), 1);
        assert_int_equal(s.nevents | s.ndeadlines, 0);
        assert_int_equal(s.unread, i != 0);
    }
    tape_fini(&tape);
    looks_fini(&live);
    looks_fini(&r.looks);
    str_fini(&bytes);
    str_fini(&copy);
}

/* Why a look was taken every policy is shown, and the next look has it not. */
static void test_asked(void **state)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct str bytes = { 0 }, copy = { 0 };
    struct tape_reader r = { 0 };
    struct tape tape;
    struct looks live;
    struct hct_snapshot s;
    struct err err;

    (void)state;
    looks_init(&live, &job);
    tape_init(&tape, RANKS);
    for (unsigned i = 0; i < 2; i++) {
        struct tape_frame f = { 0 };

        str_reset(&bytes);
        look(&live, 1000, &s);
        s.asked = i ? 0 : HCT_ASKED_BY_HANG;
        f.look_bytes = tape_write(&tape, &s, &bytes);
        f.p = str_text(&bytes);
        f.bytes = bytes.n;
        tape_copy(&f, 0, &copy);
    }
    r.p = (const uint8_t *)str_text(&copy);
    r.end = r.p + copy.n;
    assert_int_equal(tape_read(&r, &s, &err), 1);
    assert_int_equal(s.asked, HCT_ASKED_BY_HANG);
    assert_int_equal(tape_read(&r, &s, &err), 1);
    assert_int_equal(s.asked, 0);
    assert_int_equal(tape_read(&r, &s, &err), 0);
    tape_fini(&tape);
    looks_fini(&live);
    looks_fini(&r.looks);
    str_fini(&bytes);
    str_fini(&copy);
}

/* Bytes that are not ours: an error or a snapshot, never more than there is. */
static void test_damage(void **state)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct looks live;
    struct tape tape;
    struct str bytes = { 0 };
    struct hct_snapshot s;
    struct err err;
    unsigned refused = 0;

    (void)state;
    looks_init(&live, &job);
    tape_init(&tape, RANKS);
    for (uint64_t f = 0; f < 10; f++) {
        look(&live, f * 10000000, &s);
        tape_write(&tape, &s, &bytes);
    }
    for (unsigned i = 0; i < 2000; i++) {
        size_t n = i < bytes.n ? i : bytes.n;
        uint8_t *copy = malloc(n + 1);
        struct tape_reader r = { .p = copy, .end = copy + n };
        int rc;

        memcpy(copy, str_text(&bytes), n);
        if (i >= bytes.n && n)
            copy[draw() % n] ^= (uint8_t)(1u << draw() % 8);
        while ((rc = tape_read(&r, &s, &err)) > 0)
            ;
        refused += rc < 0;
        looks_fini(&r.looks);
        free(copy);
    }
    assert_true(refused > 500);
    looks_fini(&live);
    tape_fini(&tape);
    str_fini(&bytes);
}

/* Of a task that stands nothing is heard: it grows older, and takes no byte. */
static void test_standing(void **state)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    struct looks live;
    struct tape tape;
    struct str bytes = { 0 };
    struct hct_snapshot s;
    size_t before;
    Hct__Looked m = HCT__LOOKED__INIT;

    (void)state;
    looks_init(&live, &job);
    tape_init(&tape, RANKS);
    for (uint64_t f = 1; f < 50; f++)
        look(&live, f * 1000, &s);
    tape_write(&tape, &s, &bytes);
    before = bytes.n;
    looks_begin(&live, 0);
    looks_take(&live, &m, 1, all, NULL, NULL);
    looks_end(&live, s.now_ns + 5000000000, &s);
    tape_write(&tape, &s, &bytes);
    assert_true(bytes.n - before < 20);
    assert_true(s.ranks[0].age_ns >= 5000000000);
    looks_fini(&live);
    tape_fini(&tape);
    str_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_parts), cmocka_unit_test(test_earlier),
        cmocka_unit_test(test_stacks), cmocka_unit_test(test_events),
        cmocka_unit_test(test_asked), cmocka_unit_test(test_time),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_standing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
