/* test_state.c - the slave reads what the wrappers write, at the same time:
 * nothing is torn, and a page that somebody has scribbled on harms nobody. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "mpi-wrappers/hct_rt.h"
#include "mpi-wrappers/record/record.h"
#include "slave/page/state.h"

static struct attach page;
static const char *mem;
static atomic_bool finished;

static int fake_irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *r)
{
    (void)buf, (void)type, (void)source, (void)tag, (void)comm;
    *r = FAKE_REQUEST(2 + count % 50);
    return MPI_SUCCESS;
}

static int fake_wait(MPI_Request *r, MPI_Status *status)
{
    (void)status;
    *r = FAKE_REQUEST(FAKE_NO_REQUEST);
    return MPI_SUCCESS;
}

static void start(const char *phases)
{
    page = page_make(PAGE_SLOTS, PAGE_RING_BYTES);
    mem = (const char *)page.page;
    fake_mpi();
    real_table[REAL_C][CALL_Irecv] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Wait] = (real_f *)fake_wait;
    setenv("HECTOR_PHASE", phases, 1);
    record_start(&page);
    record_init_end(true);
}

/* In each call tag, count and partner say the same. */
static void *work(void *arg)
{
    MPI_Comm world = FAKE_COMM(FAKE_WORLD);
    MPI_Request r;

    for (int i = 0; !finished; i++) {
        MPI_Send(NULL, i, FAKE_TYPE(1), i % 4, i, world);
        MPI_Irecv(NULL, i, FAKE_TYPE(1), i % 4, i, world, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Barrier(world);
        if (i % 1000 == 999)
            MPI_Pcontrol(i);
    }
    return arg;
}

static void check_thread(const struct state_thread *t, uint64_t *calls)
{
    if (t->torn)
        return;
    CHECK(t->calls >= *calls);
    *calls = t->calls;
    if (t->call == CALL_Send || t->call == CALL_Irecv) {
        CHECK(t->peer == t->tag % 4 && (uint64_t)t->tag == t->count);
        CHECK(t->bytes == 0 || t->bytes == 4 * t->count);
        CHECK(t->comm == PAGE_COMM_WORLD && t->collective == 0);
    } else if (t->call == CALL_Wait && t->requests) {
        CHECK(t->requests == 1 && t->waits_call == CALL_Irecv);
        CHECK(t->peer == t->tag % 4);
    } else if (t->call == CALL_Barrier) {
        CHECK(t->collective > 0 && t->peer == PAGE_NONE);
    }
}

static void check_flights(unsigned slot)
{
    static struct state_flight f[PAGE_FLIGHT];
    unsigned n = state_flights(mem, slot, f, PAGE_FLIGHT);

    for (unsigned i = 0; i < n; i++) {
        CHECK(f[i].exit_ticks >= f[i].enter_ticks);
        if (i) {
            CHECK(f[i].number > f[i - 1].number);
            CHECK(f[i].enter_ticks >= f[i - 1].exit_ticks);
        }
        if (f[i].call == CALL_Send)
            CHECK(f[i].peer == f[i].tag % 4);
        if (f[i].call == CALL_Barrier)
            CHECK(f[i].collective > 0 && f[i].tag == PAGE_NONE);
    }
}

static void check_model(struct state_model *m)
{
    uint64_t n[PAGE_BANKS] = { 0 };

    CHECK(m->damaged == 0 && m->sites_lost == 0);
    CHECK(m->nsites <= 6 && m->nedges <= 60);
    for (unsigned i = 0; i < m->nedges; i++) {
        const struct state_edge *e = &m->edge[i];

        n[e->bank] += e->n;
        CHECK(e->in_mean <= (double)e->in_max + 1);
        CHECK(e->out_mean <= (double)e->out_max + 1);
        /* m2 is at most n times the square of the range */
        CHECK(e->in_m2 <= (double)e->n * ((double)e->in_max + 1) *
                          ((double)e->in_max + 1));
    }
    for (unsigned i = 1; i < PAGE_BANKS; i++)   /* 4001 calls, 1 may be late */
        CHECK(!m->bank[i].there || n[i] <= 4002);
}

static void never_torn(void)
{
    static struct state_request r[PAGE_REQUESTS];
    static struct state_comm c[PAGE_COMMS];
    struct state_thread t[4];
    struct state_model m;
    struct err err;
    pthread_t thread;
    uint64_t calls = 0, collectives = 0;
    unsigned whole = 0, requests = 0;
    struct state_losses losses;

    start("pcontrol");
    CHECK(state_model_init(&m, &err) == 0);
    pthread_create(&thread, NULL, work, NULL);
    for (unsigned i = 0; i < 30000 || whole < 1000 || calls < 20000; i++) {
        unsigned n = state_threads(mem, t, 4);

        if (n == 0)
            continue;
        CHECK(n == 1);
        whole += !t[0].torn;
        check_thread(&t[0], &calls);
        if (i % 10 == 0)
            check_flights(t[0].slot);
        if (i % 100)
            continue;
        n = state_requests(mem, r, PAGE_REQUESTS);
        for (unsigned j = 0; j < n; j++, requests++)
            CHECK(r[j].peer == r[j].tag % 4 && r[j].call == CALL_Irecv &&
                  r[j].comm == PAGE_COMM_WORLD && r[j].waiter <= 0);
        n = state_comms(mem, c, PAGE_COMMS);
        CHECK(n >= 1 && n <= 2);
        for (unsigned j = 0; j < n; j++)
            if (c[j].id == PAGE_COMM_WORLD) {
                CHECK(c[j].collectives >= collectives && c[j].size == 4);
                collectives = c[j].collectives;
            }
        state_model_read(&m, mem, t[0].slot);
        check_model(&m);
    }
    finished = true;
    pthread_join(thread, NULL);
    CHECK(state_comms(mem, c, PAGE_COMMS) == 2);
    /* One call in four, but for those of MPI_Pcontrol. */
    CHECK(c[c[0].id != PAGE_COMM_WORLD].collectives >= 20000 / 4 - 20);
    CHECK(state_phase(mem) > 0);
    state_losses(mem, &losses);
    CHECK(!losses.phase && !losses.library && losses.comms == 0);
    state_model_read(&m, mem, 0);
    CHECK(m.nsites == 5 && m.bank[1].there && m.bank[2].there);
    CHECK(m.site[0].frames >= 2 && m.site[0].frame[0] != 0);
    state_model_fini(&m);
}

/* -------------------------------------- marks that stand between the calls */

static unsigned waited_for(uint32_t *said)
{
    static struct state_request r[PAGE_REQUESTS];
    struct state_thread t[4];
    unsigned n = state_requests(mem, r, PAGE_REQUESTS), waited = 0;

    for (unsigned i = 0; i < n; i++)
        waited += r[i].waiter == 0;
    CHECK(state_threads(mem, t, 4) == 1);
    *said = t[0].requests;
    return waited;
}

static uint32_t inside_of, said_inside;

static int fake_testany(int n, MPI_Request *r, int *index, int *flag,
                        MPI_Status *status)
{
    (void)n, (void)r, (void)index, (void)status;
    inside_of = waited_for(&said_inside);
    *flag = 0;
    return MPI_SUCCESS;
}

static int fake_wait_and_see(MPI_Request *r, MPI_Status *status)
{
    inside_of = waited_for(&said_inside);
    return fake_wait(r, status);
}

static void standing(void)
{
    MPI_Request r[20], other;
    uint32_t said;
    int n, flag;

    start("");
    real_table[REAL_C][CALL_Testany] = (real_f *)fake_testany;
    real_table[REAL_C][CALL_Wait] = (real_f *)fake_wait_and_see;
    for (int i = 0; i < 20; i++)
        MPI_Irecv(NULL, i, FAKE_TYPE(1), 1, i, FAKE_COMM(FAKE_WORLD), &r[i]);
    MPI_Irecv(NULL, 30, FAKE_TYPE(1), 1, 30, FAKE_COMM(FAKE_WORLD), &other);
    for (int i = 0; i < 3; i++) {
        MPI_Testany(20, r, &n, &flag, MPI_STATUS_IGNORE);
        CHECK(inside_of == 20 && said_inside == 20);
        CHECK(waited_for(&said) == 0);          /* it computes */
        if (i == 1) {
            MPI_Wait(&other, MPI_STATUS_IGNORE);
            CHECK(inside_of == 1 && said_inside == 1);
        }
    }
    MPI_Wait(&r[3], MPI_STATUS_IGNORE);         /* one of them */
    CHECK(inside_of == 1 && said_inside == 1);
    MPI_Testany(20, r, &n, &flag, MPI_STATUS_IGNORE);
    CHECK(inside_of == 19 && said_inside == 19);
}

/* Anything may stand anywhere. */
static void scribbled(void)
{
    static struct state_request r[PAGE_REQUESTS];
    static struct state_comm c[PAGE_COMMS];
    static struct state_flight f[PAGE_FLIGHT];
    static struct state_thread t[PAGE_SLOTS];
    static struct state_module mod[PAGE_MODULES];
    static struct state_meeting met[PAGE_MEETINGS];
    struct state_model m;
    bool lost;
    struct err err;
    struct state_losses losses;

    start("");
    CHECK(state_model_init(&m, &err) == 0);
    srandom(1);
    for (int round = 0; round < 40; round++) {
        uint32_t *w = (uint32_t *)(void *)page.page;
        size_t words = page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
                                      2) / 4;
        size_t from = page_shared_at(PAGE_SLOTS, PAGE_CALLS,
                                     PAGE_RING_BYTES) / 4;

        for (size_t i = 0; i < words; i++) {
            if (i == page_slot_at(PAGE_SLOTS) / 4)
                i = from;               /* counters and rings: elsewhere */
            w[i] = round == 0 ? UINT32_MAX : round == 1 ? 2
                   : (uint32_t)random() << (random() % 2) &
                     (random() % 4 ? ~0u : 0xfe);
        }
        w += page_meetings_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES) / 4;
        for (size_t i = 0; i < sizeof(struct page_meetings) / 4; i++)
            w[i] = (uint32_t)random() & (random() % 4 ? ~0u : 6);
        for (unsigned i = 0, n = state_meetings(mem, met, PAGE_MEETINGS, &lost);
             i < n; i++)
            CHECK(met[i].id && met[i].runs <= PAGE_RUNS &&
                  met[i].call < PAGE_CALLS && met[i].tag >= PAGE_UNKNOWN);
        for (unsigned i = 0, n = state_threads(mem, t, PAGE_SLOTS); i < n; i++)
            CHECK(t[i].call < PAGE_CALLS && t[i].site < PAGE_SITES &&
                  t[i].peer >= PAGE_UNKNOWN && t[i].requests <= PAGE_REQUESTS);
        for (unsigned i = 0, n = state_comms(mem, c, PAGE_COMMS); i < n; i++)
            CHECK(c[i].kind >= PAGE_KIND_COMM && c[i].kind <= PAGE_KIND_FILE &&
                  c[i].call < PAGE_CALLS);
        for (unsigned i = 0, n = state_requests(mem, r, PAGE_REQUESTS); i < n;
             i++)
            CHECK(r[i].waiter >= -1 && r[i].waiter < PAGE_SLOTS &&
                  r[i].call < PAGE_CALLS);
        for (unsigned i = 0, n = state_flights(mem, 1, f, PAGE_FLIGHT); i < n;
             i++)
            CHECK(f[i].call < PAGE_CALLS && f[i].site < PAGE_SITES);
        for (unsigned i = 0, n = state_modules(mem, mod, PAGE_MODULES); i < n;
             i++)
            CHECK(strlen(mod[i].path) < sizeof(mod[i].path) &&
                  mod[i].id_bytes <= sizeof(mod[i].id));
        state_model_read(&m, mem, 1);
        CHECK(m.nsites <= PAGE_SITES && m.nedges <= PAGE_BANKS * PAGE_EDGES);
        for (unsigned i = 0; i < m.nedges; i++)
            CHECK(m.edge[i].from < PAGE_SITES && m.edge[i].to < PAGE_SITES &&
                  isfinite(m.edge[i].in_mean) && m.edge[i].in_m2 >= 0);
        for (unsigned i = 0; i < m.nsites; i++)
            CHECK(m.site[i].frames <= PAGE_FRAMES &&
                  m.site[i].call < PAGE_CALLS);
        state_phase(mem);
        state_losses(mem, &losses);
        /* Nor does the task itself mind. */
        MPI_Send(NULL, 1, FAKE_TYPE(1), 1, 1, FAKE_COMM(FAKE_WORLD));
        MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    }
    state_model_fini(&m);
}

/* Small arrays are filled as far as they go. */
static void little_room(void)
{
    struct state_flight f[3];
    struct state_comm c[1];
    struct state_thread t[1];
    struct state_meeting m[2];
    struct fake_comm two = { .n = 2, .ranks = { 0, 1 } };
    MPI_Comm made = NULL;
    bool lost;

    start("");
    for (int i = 0; i < 100; i++)
        MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    CHECK(state_threads(mem, t, 1) == 1 && state_threads(mem, t, 0) == 0);
    CHECK(t[0].calls == 100 && t[0].call == 0 && t[0].collective == 100);
    CHECK(state_comms(mem, c, 1) == 1);
    CHECK(state_flights(mem, 0, f, 3) == 3);
    CHECK(f[2].number == 100 && f[0].number == 98 && f[2].collective == 100);
    CHECK(state_flights(mem, 1, f, 3) == 0);
    CHECK(state_meetings(mem, m, 2, &lost) == 0 && !lost);
    for (int tag = 1; tag < 4; tag++)
        MPI_Comm_create_group(FAKE_COMM(FAKE_WORLD),
                              (MPI_Group)(void *)&two.n, tag, &made);
    CHECK(state_meetings(mem, m, 2, &lost) == 2 && lost);
    CHECK(m[0].count == 1 && !m[0].in && m[0].comm == PAGE_COMM_WORLD);
    CHECK(m[0].size == 2 && m[0].runs == 1 && m[0].first[0] == 0);
    CHECK(m[0].n[0] == 2 && m[0].step[0] == 1);
}

#define IN_CHILD(name) \
    static void test_##name(void **state) { (void)state; in_child(name); }
#define TESTS(X) X(never_torn) X(standing) X(scribbled) X(little_room)
TESTS(IN_CHILD)

int main(void)
{
#define LIST(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = { TESTS(LIST) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
