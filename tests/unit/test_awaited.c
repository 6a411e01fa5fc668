/* test_awaited.c - by the page of a task that waits for a message: which of its
 * calls took the last one like it, and not one that only asks for it; and where a
 * task has sent to another last. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include "mpi-wrappers/record/record.h"
#include "slave/gather/awaited.h"

static const char *mem;
static struct awaited seen;     /* by the last call that waited */
static bool waits;
static struct awaited_sent sent;        /* the same, of what it sends to 3 */
static bool sends;

static void see(void)
{
    waits = awaited_find(mem, &seen);
    sends = awaited_sent(mem, 3, &sent);
}

static int fake_call(void)
{
    see();
    return MPI_SUCCESS;
}

static int fake_irecv(void *buf, int count, MPI_Datatype type, int source,
                      int tag, MPI_Comm comm, MPI_Request *r)
{
    (void)buf, (void)type, (void)source, (void)tag, (void)comm;
    see();
    *r = FAKE_REQUEST(2 + count);
    return MPI_SUCCESS;
}

static int fake_wait(MPI_Request *r, MPI_Status *status)
{
    (void)status;
    see();
    *r = FAKE_REQUEST(FAKE_NO_REQUEST);
    return MPI_SUCCESS;
}

static void start(void)
{
    static struct attach page;

    page = page_make(PAGE_SLOTS, PAGE_RING_BYTES);
    mem = (const char *)page.page;
    fake_mpi();
    real_table[REAL_C][CALL_Recv] = (real_f *)fake_call;
    real_table[REAL_C][CALL_Send] = (real_f *)fake_call;
    real_table[REAL_C][CALL_Sendrecv] = (real_f *)fake_call;
    real_table[REAL_C][CALL_Barrier] = (real_f *)fake_call;
    real_table[REAL_C][CALL_Irecv] = (real_f *)fake_irecv;
    real_table[REAL_C][CALL_Wait] = (real_f *)fake_wait;
    unsetenv("HECTOR_PHASE");
    record_start(&page);
    record_init_end(true);
}

static void receive(int source, int tag)
{
    MPI_Recv(NULL, 1, FAKE_TYPE(1), source, tag, FAKE_COMM(FAKE_WORLD),
             MPI_STATUS_IGNORE);
}

static void send(int to, int tag)
{
    MPI_Send(NULL, 1, FAKE_TYPE(1), to, tag, FAKE_COMM(FAKE_WORLD));
}

static MPI_Request ask(int source, int tag, int number)
{
    MPI_Request r;

    MPI_Irecv(NULL, number, FAKE_TYPE(1), source, tag, FAKE_COMM(FAKE_WORLD),
              &r);
    return r;
}

/* ------------------------------------------------------------------- taken */

static void by_receives(void)
{
    start();
    receive(1, 5);
    CHECK(waits && seen.peer == 1 && seen.tag == 5 && !seen.known);
    receive(2, 5);
    receive(1, 6);
    CHECK(!seen.known);
    receive(1, 5);              /* neither of the other task nor tag */
    CHECK(seen.known && seen.taker.call == CALL_Recv);
    CHECK(seen.taker.peer == 1 && seen.taker.tag == 5);
    receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
    receive(1, 5);              /* the last one that may have been it */
    CHECK(seen.known && seen.taker.peer == PAGE_ANY);
    MPI_Recv(NULL, 1, FAKE_TYPE(1), 0, 5, FAKE_COMM(FAKE_SELF),
             MPI_STATUS_IGNORE);
    CHECK(waits && !seen.known);        /* another communicator */
    MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    CHECK(!waits);
}

static void by_requests(void)
{
    MPI_Request a, b;

    start();
    a = ask(1, 5, 1);
    b = ask(1, 5, 2);
    MPI_Wait(&a, MPI_STATUS_IGNORE);
    CHECK(waits && seen.peer == 1 && !seen.known);      /* both are open */
    MPI_Wait(&b, MPI_STATUS_IGNORE);    /* the first one has taken one */
    CHECK(seen.known && seen.taker.call == CALL_Irecv && seen.taker.number == 1);
    receive(1, 5);
    CHECK(seen.known && seen.taker.number == 2);
    a = ask(1, 5, 3);
    MPI_Wait(&a, MPI_STATUS_IGNORE);
    CHECK(seen.known && seen.taker.call == CALL_Recv);
}

static void by_an_exchange(void)
{
    start();
    receive(2, 8);
    MPI_Sendrecv(NULL, 1, FAKE_TYPE(1), 3, 7, NULL, 1, FAKE_TYPE(1), 2, 8,
                 FAKE_COMM(FAKE_WORLD), MPI_STATUS_IGNORE);
    CHECK(waits && seen.peer == 2 && seen.tag == 8);
    CHECK(seen.known && seen.taker.tag == 8);
    CHECK(sends && sent.in && sent.by.call == CALL_Sendrecv);
}

/* -------------------------------------------------------------------- sent */

static void to_one_task(void)
{
    start();
    send(2, 1);
    CHECK(!waits && !sends);
    send(3, 9);
    CHECK(sends && sent.in && sent.by.tag == 9);
    send(2, 4);
    CHECK(sends && !sent.in && sent.by.tag == 9 && sent.by.call == CALL_Send);
    for (int i = 0; i < PAGE_FLIGHT; i++)
        send(2, 4);
    send(2, 4);
    CHECK(!sends);              /* it is too long ago */
}

static void the_last_message_was_taken_by_a_receive(void **state)
{
    (void)state;
    in_child(by_receives);
}

static void a_request_that_is_open_has_taken_nothing(void **state)
{
    (void)state;
    in_child(by_requests);
}

static void an_exchange_waits_for_its_second_partner(void **state)
{
    (void)state;
    in_child(by_an_exchange);
}

static void what_was_sent_last_is_told(void **state)
{
    (void)state;
    in_child(to_one_task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_message_was_taken_by_a_receive),
        cmocka_unit_test(a_request_that_is_open_has_taken_nothing),
        cmocka_unit_test(an_exchange_waits_for_its_second_partner),
        cmocka_unit_test(what_was_sent_last_is_told),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
