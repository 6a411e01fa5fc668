/* test_messages.c - the account of messages in the page: what counts as sent,
 * and when, and what as received. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include "mpi-wrappers/handles/messages.h"
#include "mpi-wrappers/record/record.h"
#include "policies/hct_policy.h"

#define WORLD FAKE_COMM(FAKE_WORLD)
#define IGNORE MPI_STATUS_IGNORE

#define FAKE_MESSAGE(i) ((MPI_Message)(void *)FAKE_REQUEST(i))

static struct attach page;
static struct page_messages *all;
static int next = FAKE_EMPTY_REQUEST;    /* request */
static void (*inside)(void);    /* runs while a message is sent or taken */
static int from, its_tag;       /* what a status says */

static struct page_peer *with(int peer)
{
    static struct page_peer none;

    for (unsigned i = 0; i < PAGE_PEERS; i++)
        if (all->peer[i].peer == (uint32_t)peer + 1)
            return &all->peer[i];
    return &none;
}

static uint64_t sent(int peer)
{
    return with(peer)->sent;
}

static uint64_t received(int peer)
{
    return with(peer)->received;
}

static uint64_t of(int tag)
{
    return page_message(PAGE_COMM_WORLD, tag);
}

static int fake_send(const void *buf, int count, MPI_Datatype type, int dest,
                     int tag, MPI_Comm comm)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    if (inside)
        inside();
    return MPI_SUCCESS;
}

static int fake_recv(void *buf, int count, MPI_Datatype type, int source,
                     int tag, MPI_Comm comm, MPI_Status *status)
{
    (void)buf, (void)count, (void)type, (void)source, (void)tag, (void)comm;
    if (status != IGNORE) {
        status->MPI_SOURCE = from;
        status->MPI_TAG = its_tag;
    }
    if (inside)
        inside();
    return tag == 666 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

static int fake_irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *r)
{
    (void)buf, (void)count, (void)type, (void)source, (void)tag, (void)comm;
    *r = FAKE_REQUEST(++next);
    return MPI_SUCCESS;
}

static int fake_wait(MPI_Request *r, MPI_Status *status)
{
    if (status != IGNORE) {
        status->MPI_SOURCE = from;
        status->MPI_TAG = its_tag;
    }
    *r = FAKE_REQUEST(FAKE_NO_REQUEST);
    return MPI_SUCCESS;
}

static int fake_mprobe(int source, int tag, MPI_Comm comm, MPI_Message *m,
                       MPI_Status *status)
{
    (void)source, (void)tag, (void)comm;
    if (status != IGNORE) {
        status->MPI_SOURCE = from;
        status->MPI_TAG = its_tag;
    }
    *m = FAKE_MESSAGE(++next);
    return MPI_SUCCESS;
}

static int fake_improbe(int source, int tag, MPI_Comm comm, int *flag,
                        MPI_Message *m, MPI_Status *status)
{
    *flag = from >= 0;
    return *flag ? fake_mprobe(source, tag, comm, m, status) : MPI_SUCCESS;
}

static int fake_mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *m,
                      MPI_Status *status)
{
    (void)buf, (void)count, (void)type, (void)status;
    if (inside)
        inside();
    *m = NULL;
    return MPI_SUCCESS;
}

static int fake_imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *m,
                       MPI_Request *r)
{
    (void)buf, (void)count, (void)type;
    *m = NULL;
    *r = FAKE_REQUEST(++next);
    return MPI_SUCCESS;
}

static int fake_keep(MPI_Request *r, MPI_Status *status)
{
    (void)r, (void)status;
    return MPI_SUCCESS;
}

static void start(void)
{
    page = page_make(2, RING_BYTES_MIN);
    fake_mpi();
    real_table[REAL_C][CALL_Send] = (real_f *)fake_send;
    real_table[REAL_C][CALL_Recv] = (real_f *)fake_recv;
    real_table[REAL_C][CALL_Irecv] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Isend] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Send_init] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Recv_init] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Wait] = (real_f *)fake_wait;
    real_table[REAL_C][CALL_Mprobe] = (real_f *)fake_mprobe;
    real_table[REAL_C][CALL_Improbe] = (real_f *)fake_improbe;
    real_table[REAL_C][CALL_Mrecv] = (real_f *)fake_mrecv;
    real_table[REAL_C][CALL_Imrecv] = (real_f *)fake_imrecv;
    record_start(&page);
    record_init_end(true);
    all = (struct page_messages *)(void *)((char *)page.page +
        page_messages_at(page.slots, page.calls, page.ring_bytes));
    CHECK(all->valid == 1);
}

static void send(int to, int tag)
{
    MPI_Send(NULL, 1, FAKE_TYPE(1), to, tag, WORLD);
}

static void recv(int source, int tag, MPI_Status *status)
{
    MPI_Recv(NULL, 1, FAKE_TYPE(1), source, tag, WORLD, status);
}

static MPI_Request irecv(int source, int tag)
{
    MPI_Request r;

    MPI_Irecv(NULL, 1, FAKE_TYPE(1), source, tag, WORLD, &r);
    return r;
}

/* The page and policies have to mean the same. */
static void one_sum(void)
{
    for (int tag = 0; tag < 1000; tag++)
        CHECK(page_message(77, tag) == hct_message(77, tag));
    CHECK(PAGE_MESSAGE_BITS == HCT_MESSAGE_BITS);
    CHECK((of(3) & ((1 << PAGE_MESSAGE_BITS) - 1)) == 1 && of(3) != of(4));
}

static void it_is_counted(void) { CHECK(sent(2) == of(7)); }
static void it_is_not_yet(void) { CHECK(received(3) == 0); }

static void sent_and_received(void)
{
    start();
    inside = it_is_counted;             /* before MPI gets to know of it */
    send(2, 7);
    inside = it_is_not_yet;
    recv(3, 9, IGNORE);
    inside = NULL;
    CHECK(received(3) == of(9) && sent(3) == 0);
    send(MPI_PROC_NULL, 7);
    recv(MPI_PROC_NULL, 7, IGNORE);
    send(2, 8);
    CHECK(sent(2) == of(7) + of(8) && with(2)->last_tag == 8);
    MPI_Send(NULL, 100, FAKE_TYPE(39), 2, 8, WORLD);    /* of MPI_INT */
    CHECK(with(2)->bytes == 2 * 4 + 400 && with(3)->bytes == 0);
    CHECK(all->lost == 0 && all->blind == 0 && all->unsure == 0);
    recv(3, 666, IGNORE);               /* an error: perhaps it was there */
    CHECK(received(3) == of(9) && all->unsure == 1);
}

static void from_anybody(void)
{
    MPI_Status status;

    start();
    from = 1;
    its_tag = 5;
    recv(MPI_ANY_SOURCE, MPI_ANY_TAG, &status);
    CHECK(received(1) == of(5));
    recv(1, MPI_ANY_TAG, IGNORE);
    recv(MPI_ANY_SOURCE, 5, IGNORE);
    CHECK(received(1) == 3 * of(5));
    recv(MPI_ANY_SOURCE, 666, IGNORE);  /* an error, without a status */
    CHECK(received(1) == 3 * of(5) && all->unsure == 1);
    CHECK(with(1)->blind == 0 && all->blind == 0);
}

static void requests(void)
{
    MPI_Request r, send_request;
    MPI_Status status;

    start();
    r = irecv(2, 4);
    CHECK(received(2) == 0);
    MPI_Wait(&r, IGNORE);
    CHECK(received(2) == of(4));
    r = irecv(MPI_ANY_SOURCE, MPI_ANY_TAG);
    from = 3;
    its_tag = 6;
    MPI_Wait(&r, &status);
    CHECK(received(3) == of(6));
    r = irecv(MPI_ANY_SOURCE, 6);
    MPI_Wait(&r, IGNORE);
    CHECK(all->blind == 0 && received(3) == 2 * of(6));

    MPI_Isend(NULL, 1, FAKE_TYPE(1), 1, 2, WORLD, &send_request);
    CHECK(sent(1) == of(2));
    MPI_Request_free(&send_request);
    CHECK(sent(1) == of(2) && all->unsure == 0);

    r = irecv(2, 4);                    /* may end with or without a message */
    MPI_Cancel(&r);
    CHECK(all->unsure == 1);
    MPI_Wait(&r, IGNORE);
    CHECK(received(2) == of(4));
    r = irecv(2, 4);
    MPI_Request_free(&r);
    CHECK(all->unsure == 2 && received(2) == of(4));
}

/* The call before the last n ones was MPI_Start of what goes to peer. */
static bool started(unsigned n, int32_t peer)
{
    const struct page_thread *t = page_thread(&page, 0);
    uint64_t at = page_slot(&page, 0)->flights - 1 - n;
    const struct page_flight *f = &t->flight[at % PAGE_FLIGHT];

    return f->call == CALL_Start && f->peer == peer &&
           (peer < 0 || (f->tag == 2 && f->comm == PAGE_COMM_WORLD));
}

static void persistent(void)
{
    MPI_Request out, in;

    start();
    real_table[REAL_C][CALL_Wait] = (real_f *)fake_keep;
    MPI_Send_init(NULL, 1, FAKE_TYPE(1), 1, 2, WORLD, &out);
    MPI_Recv_init(NULL, 1, FAKE_TYPE(1), 2, 3, WORLD, &in);
    CHECK(sent(1) == 0 && received(2) == 0);
    for (int i = 1; i < 4; i++) {
        MPI_Start(&out);
        MPI_Start(&in);
        CHECK(sent(1) == (uint64_t)i * of(2) && with(1)->bytes == (uint64_t)i * 4);
        CHECK(started(0, PAGE_NONE) && started(1, 1));
        MPI_Wait(&out, IGNORE);
        MPI_Wait(&in, IGNORE);
        MPI_Wait(&in, IGNORE);          /* not active: no message */
        CHECK(received(2) == (uint64_t)i * of(3));
    }
}

/* What the requests that were made by call say was sent with them, together. */
static uint64_t with_requests(unsigned call)
{
    struct page_shared *s = page_shared(&page);
    uint64_t sum = 0;

    for (unsigned i = 0; i < PAGE_REQUESTS; i++)
        if (s->request_key[i] > 1 && s->request[i].call == call)
            sum += s->request[i].sent;
    return sum;
}

static void dropped(void) { record_unsent(); }

static int fake_isend(const void *buf, int count, MPI_Datatype type, int dest,
                      int tag, MPI_Comm comm, MPI_Request *r)
{
    (void)buf, (void)count, (void)type, (void)dest, (void)tag, (void)comm;
    if (inside)
        inside();
    *r = FAKE_REQUEST(++next);
    return MPI_SUCCESS;
}

static MPI_Request isend(int to, int tag)
{
    MPI_Request r;

    MPI_Isend(NULL, 1, FAKE_TYPE(1), to, tag, WORLD, &r);
    return r;
}

/* A request says how far the account of its partner had come. */
static void sent_with_it(void)
{
    MPI_Request r, out;
    uint64_t first;

    start();
    real_table[REAL_C][CALL_Isend] = (real_f *)fake_isend;
    send(1, 2);
    r = isend(1, 3);
    CHECK(with_requests(CALL_Isend) == of(2) + of(3));
    send(1, 2);
    send(2, 2);
    CHECK(with_requests(CALL_Isend) == of(2) + of(3));
    CHECK(sent(1) - with_requests(CALL_Isend) == of(2));
    MPI_Wait(&r, IGNORE);
    inside = dropped;
    isend(1, 4);
    inside = NULL;
    CHECK(with_requests(CALL_Isend) == 0);
    r = irecv(1, 2);                    /* the later, the greater */
    first = with_requests(CALL_Irecv);
    MPI_Wait(&r, IGNORE);
    r = irecv(1, 2);
    CHECK(first > 0 && with_requests(CALL_Irecv) > first);

    real_table[REAL_C][CALL_Wait] = (real_f *)fake_keep;
    MPI_Send_init(NULL, 1, FAKE_TYPE(1), 3, 5, WORLD, &out);
    for (uint64_t i = 1; i < 4; i++) {
        MPI_Start(&out);
        CHECK(with_requests(CALL_Send_init) == i * of(5));
        MPI_Wait(&out, IGNORE);
    }
}

static bool is_in_mrecv(int32_t peer, int32_t tag)
{
    const struct page_slot *s = page_slot(&page, 0);

    return s->call == CALL_Mrecv && s->peer == peer && s->tag == tag &&
           s->comm == PAGE_COMM_WORLD;
}
static void of_three(void) { CHECK(is_in_mrecv(3, 5) && received(3) == 0); }

/* A message that was probed for counts when it has been received, by whichever
 * handle it has. */
static void matched(void)
{
    MPI_Message first, second;
    MPI_Status status;
    MPI_Request r;
    int flag;

    start();
    from = 3;
    its_tag = 5;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &first, &status);
    MPI_Mprobe(2, 4, WORLD, &second, IGNORE);
    CHECK(received(3) == 0 && received(2) == 0);
    inside = of_three;
    MPI_Mrecv(NULL, 1, FAKE_TYPE(1), &first, IGNORE);
    inside = NULL;
    CHECK(received(3) == of(5) && received(2) == 0);
    MPI_Imrecv(NULL, 1, FAKE_TYPE(1), &second, &r);
    CHECK(received(2) == 0 && with_requests(CALL_Imrecv) == 0);
    MPI_Wait(&r, IGNORE);
    CHECK(received(2) == of(4) && all->blind == 0);

    first = second = NULL;
    from = -1;                          /* none is there */
    MPI_Improbe(1, 6, WORLD, &flag, &first, IGNORE);
    from = 1;
    its_tag = 6;
    MPI_Improbe(MPI_ANY_SOURCE, 6, WORLD, &flag, &first, &status);
    CHECK(flag);
    MPI_Mrecv(NULL, 1, FAKE_TYPE(1), &first, IGNORE);
    CHECK(received(1) == of(6) && all->blind == 0);

    next = FAKE_EMPTY_REQUEST;          /* the same handles come again */
    MPI_Mprobe(1, 6, WORLD, &first, IGNORE);
    next = FAKE_EMPTY_REQUEST;
    MPI_Mprobe(MPI_ANY_SOURCE, 6, WORLD, &first, IGNORE);
    MPI_Mrecv(NULL, 1, FAKE_TYPE(1), &first, IGNORE);
    CHECK(received(1) == 2 * of(6));
    MPI_Mprobe(MPI_PROC_NULL, 6, WORLD, &first, IGNORE);
    MPI_Mrecv(NULL, 1, FAKE_TYPE(1), &first, IGNORE);
    CHECK(all->blind == 0 && all->unsure == 0);
    first = FAKE_MESSAGE(50);           /* nobody knows it */
    MPI_Mrecv(NULL, 1, FAKE_TYPE(1), &first, IGNORE);
    first = FAKE_MESSAGE(50);
    MPI_Imrecv(NULL, 1, FAKE_TYPE(1), &first, &r);
    MPI_Wait(&r, IGNORE);
    CHECK(all->blind == 0 && all->unsure == 2);
}

/* ------------------------------------------------- which message, of several */
enum { SEVERAL = 100 };

/* Of the i-th request rank i % 3 has sent the message, and i is its tag. */
static MPI_Request posted[SEVERAL];

static void fill(MPI_Status *status, int at, int i)
{
    if (status != IGNORE) {
        status[at].MPI_SOURCE = i % 3;
        status[at].MPI_TAG = i;
    }
}

static int fake_waitall(int n, MPI_Request r[], MPI_Status *status)
{
    for (int i = 0; i < n; i++) {
        r[i] = FAKE_REQUEST(FAKE_NO_REQUEST);
        fill(status, i, i);
    }
    return MPI_SUCCESS;
}

static int fake_testall(int n, MPI_Request r[], int *flag, MPI_Status *status)
{
    static int asked;

    *flag = asked++ % 3 == 2;
    return *flag ? fake_waitall(n, r, status) : MPI_SUCCESS;
}

/* The last one of those that are left. */
static int fake_testany(int n, MPI_Request r[], int *index, int *flag,
                        MPI_Status *status)
{
    *index = MPI_UNDEFINED;
    *flag = 1;
    for (int i = n - 1; i >= 0 && *index == MPI_UNDEFINED; i--)
        if (r[i] != FAKE_REQUEST(FAKE_NO_REQUEST)) {
            r[i] = FAKE_REQUEST(FAKE_NO_REQUEST);
            *index = i;
            fill(status, 0, i);
        }
    return MPI_SUCCESS;
}

static int fake_waitany(int n, MPI_Request r[], int *index, MPI_Status *status)
{
    int flag;

    return fake_testany(n, r, index, &flag, status);
}

/* Two of those that are left, the last one first. */
static int fake_waitsome(int n, MPI_Request r[], int *done, int index[],
                         MPI_Status *status)
{
    int flag;

    for (*done = 0; *done < 2; ++*done) {
        fake_testany(n, r, &index[*done], &flag,
                     status == IGNORE ? IGNORE : status + *done);
        if (index[*done] == MPI_UNDEFINED)
            break;
    }
    if (*done == 0)
        *done = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static void post(int n)
{
    start();
    real_table[REAL_C][CALL_Waitall] = (real_f *)fake_waitall;
    real_table[REAL_C][CALL_Testall] = (real_f *)fake_testall;
    real_table[REAL_C][CALL_Waitany] = (real_f *)fake_waitany;
    real_table[REAL_C][CALL_Testany] = (real_f *)fake_testany;
    real_table[REAL_C][CALL_Waitsome] = (real_f *)fake_waitsome;
    real_table[REAL_C][CALL_Testsome] = (real_f *)fake_waitsome;
    for (int i = 0; i < n; i++)
        posted[i] = irecv(MPI_ANY_SOURCE, i % 2 ? i : MPI_ANY_TAG);
}

static void all_are_known(int n)
{
    uint64_t sum[3] = { 0 };

    for (int i = 0; i < n; i++)
        sum[i % 3] += of(i);
    for (int i = 0; i < 3; i++)
        CHECK(received(i) == sum[i] && with(i)->blind == 0);
    CHECK(all->blind == 0 && all->unsure == 0);
}

/* By each function, without and with statuses of the program's own, and for as few
 * requests as are looked up one by one and as many as polled.c keeps. */
static void several(void)
{
    static MPI_Status own[SEVERAL];

    for (int n = 3; n < 64; n += 20)
        for (int with_own = 0; with_own < 2; with_own++) {
            MPI_Status *status = with_own ? own : IGNORE;
            int index[SEVERAL] = { 0 }, done = 0, flag = 0;

            post(n);
            MPI_Waitall(n, posted, status);
            all_are_known(n);
            post(n);
            while (!flag)
                MPI_Testall(n, posted, &flag, status);
            all_are_known(n);
            post(n);
            for (int i = 0; i < n; i++)
                MPI_Waitany(n, posted, index, status);
            all_are_known(n);
            post(n);
            for (int i = 0; i < n; i++)
                MPI_Testany(n, posted, index, &flag, status);
            all_are_known(n);
            post(n);
            while (done != MPI_UNDEFINED)
                MPI_Waitsome(n, posted, &done, index, status);
            all_are_known(n);
            post(n);
            for (done = 0; done != MPI_UNDEFINED; )
                MPI_Testsome(n, posted, &done, index, status);
            all_are_known(n);
        }
    post(SEVERAL);                      /* more than there is room for */
    MPI_Waitall(SEVERAL, posted, IGNORE);
    CHECK(all->blind == SEVERAL && received(0) + received(1) + received(2) == 0);
}

static int fake_get_status(MPI_Request r, int *flag, MPI_Status *status)
{
    (void)r;
    *flag = from >= 0;
    if (*flag && status != IGNORE) {
        status->MPI_SOURCE = from;
        status->MPI_TAG = its_tag;
    }
    return MPI_SUCCESS;
}

/* What the program has asked about, and has been told, is there: once. */
static void asked_first(void)
{
    MPI_Request r;
    int flag;

    for (int freed = 0; freed < 2; freed++) {
        start();
        real_table[REAL_C][CALL_Request_get_status] = (real_f *)fake_get_status;
        r = irecv(MPI_ANY_SOURCE, MPI_ANY_TAG);
        from = -1;
        MPI_Request_get_status(r, &flag, IGNORE);
        CHECK(!flag && received(1) == 0);
        from = 1;
        its_tag = 5;
        for (int i = 0; i < 3; i++) {
            MPI_Request_get_status(r, &flag, IGNORE);
            CHECK(flag && received(1) == of(5));
        }
        if (freed)
            MPI_Request_free(&r);
        else
            MPI_Wait(&r, IGNORE);
        CHECK(received(1) == of(5) && all->blind == 0 && all->unsure == 0);
        next--;                         /* the handle comes again */
        r = irecv(1, 6);
        MPI_Wait(&r, IGNORE);
        CHECK(received(1) == of(5) + of(6));
    }
}

/* The fault injector lets a message go to nobody. */
static void not_sent(void)
{
    start();
    inside = dropped;
    send(2, 7);
    inside = NULL;
    CHECK(sent(2) == 0 && all->lost == 0);
}

static void both_ways(void)
{
    start();
    MPI_Sendrecv(NULL, 1, FAKE_TYPE(1), 1, 10, NULL, 1, FAKE_TYPE(1), 2, 20,
                 WORLD, IGNORE);
    CHECK(sent(1) == of(10) && received(2) == of(20));
    CHECK(page_slot(&page, 0)->source_tag == 20);
}

/* More partners than there is room for: then it says so. */
static void too_many(void)
{
    start();
    for (int i = 0; i < PAGE_PEERS + 10; i++)
        messages_sent(PAGE_COMM_WORLD, i, 1, 0);
    CHECK(all->lost == 10);
    messages_sent(0, 1, 1, 0);             /* on what is not known */
    messages_sent(PAGE_COMM_WORLD, PAGE_UNKNOWN, 1, 0);
    CHECK(all->lost == 12);
}

#define IN_CHILD(name) \
    static void test_##name(void **state) { (void)state; in_child(name); }
#define TESTS(X) \
    X(one_sum) X(sent_and_received) X(from_anybody) X(requests) X(matched) \
    X(several) X(asked_first) X(persistent) X(sent_with_it) X(not_sent) \
    X(both_ways) X(too_many)
TESTS(IN_CHILD)

int main(void)
{
#define LIST(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = { TESTS(LIST) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
