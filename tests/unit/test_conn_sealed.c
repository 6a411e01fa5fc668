/* test_conn_sealed.c - links on TCP with somebody on the way: what passes there
 * says nothing to him, and what he changes, leaves out, doubles or adds is noticed,
 * before any of it is understood. */
#include "tests/unit/conn_ends.h"

#include "proto/link/seal.h"

/* What is done to the bytes from the client to the server, behind the proof. */
enum fault { FAULT_NONE, FAULT_BIT, FAULT_LEFT_OUT, FAULT_DOUBLED, FAULT_ADDED,
             FAULT_SENT_BACK, FAULTS };

enum { PROOF = KEY_CALL + KEY_PROOF, ANSWERED = KEY_ANSWER };

/* The man in the middle: one connection. */
static struct {
    int listening, client, server;      /* sockets; -1: none */
    const char *to;                     /* the server */
    enum fault fault;
    bool armed;                         /* the next record is the one */
    size_t up, down;                    /* bytes so far */
    uint8_t seen[1 << 18];              /* of both directions */
    size_t nseen;
} mitm;

static void begin(const char *server, char *addr, enum fault fault)
{
    struct addr a = { .host = "127.0.0.1" };
    struct err err;

    mitm.listening = addr_listen(&a, &err);
    assert_true(mitm.listening >= 0);
    addr_format(&a, addr, ADDR_TEXT_MAX);
    mitm.to = server;
    fcntl(mitm.listening, F_SETFL, O_NONBLOCK);
    mitm.client = mitm.server = -1;
    mitm.fault = fault;
    mitm.armed = false;
    mitm.up = mitm.down = mitm.nseen = 0;
}

static void end(void)
{
    int *fds[] = { &mitm.listening, &mitm.client, &mitm.server };

    for (int i = 0; i < 3; i++) {
        if (*fds[i] >= 0)
            close(*fds[i]);
        *fds[i] = -1;
    }
}

static void note(const uint8_t *p, size_t n)
{
    if (n > sizeof(mitm.seen) - mitm.nseen)
        n = sizeof(mitm.seen) - mitm.nseen;
    memcpy(mitm.seen + mitm.nseen, p, n);
    mitm.nseen += n;
}

static void put_all(int fd, const uint8_t *p, size_t n)
{
    assert_int_equal(send(fd, p, n, MSG_NOSIGNAL), n);
}

/* One record, as it is or as the fault has it. */
static void pass_record(uint8_t *p, size_t n)
{
    uint8_t more[SEAL_OVER + FRAME_HEADER] = { 0, 0, 0, FRAME_HEADER };

    if (!mitm.armed) {
        put_all(mitm.server, p, n);
        return;
    }
    mitm.armed = false;
    switch (mitm.fault) {
    case FAULT_BIT:
        p[n / 2] ^= 4;
        put_all(mitm.server, p, n);
        break;
    case FAULT_LEFT_OUT:
        break;
    case FAULT_DOUBLED:
        put_all(mitm.server, p, n);
        put_all(mitm.server, p, n);
        break;
    case FAULT_ADDED:
        put_all(mitm.server, more, sizeof(more));
        put_all(mitm.server, p, n);
        break;
    case FAULT_SENT_BACK:
        put_all(mitm.client, p, n);
        put_all(mitm.server, p, n);
        break;
    default:
        put_all(mitm.server, p, n);
    }
}

/* Whole records are cut out of what comes up. */
static void pass_up(void)
{
    static uint8_t in[1 << 18];
    static size_t have;
    ssize_t n;

    if (mitm.up == 0)
        have = 0;
    n = recv(mitm.client, in + have, sizeof(in) - have, MSG_DONTWAIT);
    if (n <= 0)
        return;
    note(in + have, (size_t)n);
    have += (size_t)n;
    for (;;) {
        size_t whole = mitm.up == 0 ? KEY_CALL : mitm.up == KEY_CALL ? KEY_PROOF
                     : have < SEAL_HEAD ? SIZE_MAX
                     : SEAL_OVER + ((size_t)(in[0] & 0x7f) << 24 | in[1] << 16 |
                                    in[2] << 8 | in[3]);

        if (have < whole)
            return;
        if (mitm.up < PROOF)
            put_all(mitm.server, in, whole);
        else
            pass_record(in, whole);
        mitm.up += whole;
        have -= whole;
        memmove(in, in + whole, have);
    }
}

static void pass_down(void)
{
    uint8_t in[65536];
    ssize_t n = recv(mitm.server, in, sizeof(in), MSG_DONTWAIT);

    if (n <= 0)
        return;
    note(in, (size_t)n);
    mitm.down += (size_t)n;
    put_all(mitm.client, in, (size_t)n);
}

static void relay(void)
{
    if (mitm.client < 0) {
        mitm.client = accept4(mitm.listening, NULL, NULL, SOCK_CLOEXEC);
        if (mitm.client >= 0)
            mitm.server = connect_raw(mitm.to);
    } else {
        pass_up();
        pass_down();
    }
    turn();
}

#define RELAY_UNTIL(condition) do {                                     \
        uint64_t end_ns = clock_monotonic_ns() + 60000 * MS;            \
        while (!(condition)) {                                          \
            if (clock_monotonic_ns() > end_ns)                          \
                fail_msg("waited in vain for %s", #condition);          \
            relay();                                                    \
        }                                                               \
    } while (0)

static const char secret[] = "the cookie of a job, and its output";

static void say_secret(struct conn *c)
{
    Hct__Input input = HCT__INPUT__INIT;

    input.data.data = (uint8_t *)(uintptr_t)secret;
    input.data.len = sizeof(secret);
    assert_int_equal(conn_send(c, MESSAGE_INPUT, &input), 0);
}

static void test_tampered(void **state)
{
    /* they are quiet: what comes up is what we say */
    static const struct conn_conf conf = { .key = &key, .ping_ns = 3600000 * MS,
                                           .dead_ns = CONN_NEVER };
    char server_at[ADDR_TEXT_MAX], at[ADDR_TEXT_MAX];

    (void)state;
    for (enum fault fault = FAULT_NONE; fault < FAULTS; fault++) {
        struct end server = { 0 }, client = { 0 };
        struct conn_listener *l = listen_on("tcp:127.0.0.1:0", server_at, &conf,
                                            &server);
        Hct__Hello hello = HCT__HELLO__INIT;

        begin(server_at, at, fault);
        open_to(&client, at, &conf);
        hello.role = HCT__ROLE__ROLE_SLAVE;
        hello.name = (char *)(uintptr_t)secret;
        conn_send(client.c, MESSAGE_HELLO, &hello);     /* before it is open */
        RELAY_UNTIL(server.hellos == 1 && client.opened &&
                    conn_clock(client.c)->samples >= 4);
        mitm.armed = true;
        say_secret(client.c);
        say_secret(client.c);
        switch (fault) {
        case FAULT_NONE:
            RELAY_UNTIL(server.inputs == 2);
            break;
        case FAULT_SENT_BACK:
            RELAY_UNTIL(client.closed);
            assert_int_equal(client.why.code, EKEYREJECTED);
            break;
        default:
            RELAY_UNTIL(server.closed);
            assert_int_equal(server.why.code, EKEYREJECTED);
            assert_non_null(strstr(server.why.text, "tampered"));
            assert_int_equal(server.inputs, fault == FAULT_DOUBLED);
        }
        assert_null(memmem(mitm.seen, mitm.nseen, secret, 8));
        assert_true(mitm.nseen > PROOF + ANSWERED + 2 * sizeof(secret));
        close_ends(&client, &server);
        conn_listener_close(l);
        end();
    }
}

/* Sizes around those at which libevent's buffers and reads end; and what was said
 * before it was open is sealed frame by frame. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = { 0, 1, 4070, 4096, 5000, 65536, 262144, 300000,
                                    5 << 20, FRAME_BODY_MAX - 8 };
    enum { N = sizeof(sizes) / sizeof(sizes[0]) };
    char addr[ADDR_TEXT_MAX];
    size_t all = 0;

    (void)state;
    for (int early = 0; early < 2; early++) {
        struct end server = { 0 }, client = { 0 };
        struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &tcp_conf,
                                            &server);
        Hct__Hello hello = HCT__HELLO__INIT;

        all = 0;
        open_to(&client, addr, &tcp_conf);
        if (!early)
            WAIT_FOR(client.opened);
        hello.role = HCT__ROLE__ROLE_SLAVE;
        conn_send(client.c, MESSAGE_HELLO, &hello);
        for (int i = 0; i < N; i++) {
            assert_int_equal(send_input(client.c, sizes[i]), 0);
            all += sizes[i];
        }
        WAIT_FOR(server.inputs == N);
        assert_int_equal(server.input_bytes, all);
        assert_int_equal(send_input(client.c, FRAME_BODY_MAX), -1);
        close_ends(&client, &server);
        conn_listener_close(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tampered),
        cmocka_unit_test(test_sizes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
