/* test_conn.c - connections between real sockets in one event loop: opening,
 * refusing strangers, messages, flow control, and peers that die. */
#include "tests/unit/conn_ends.h"

static void test_unix_opens(void **state)
{
    struct end server = { 0 }, client = { 0 };
    char want[128], addr[ADDR_TEXT_MAX];
    Hct__Hello hello = HCT__HELLO__INIT;

    (void)state;
    snprintf(want, sizeof(want), "unix:%s/a.sock", dir);
    struct conn_listener *l = listen_on(want, addr, &unix_conf, &server);

    open_to(&client, addr, &unix_conf);
    hello.role = HCT__ROLE__ROLE_SLAVE;
    conn_send(client.c, MESSAGE_HELLO, &hello);         /* before it is open */
    WAIT_FOR(server.hellos == 1);
    assert_int_equal(client.opened, 1);
    assert_int_equal(server.opened, 1);
    assert_int_equal(conn_role(server.c), HCT__ROLE__ROLE_SLAVE);
    snprintf(want, sizeof(want), "uid %u pid %d", (unsigned)getuid(),
             (int)getpid());
    assert_string_equal(conn_peer(server.c), want);

    /* Both sides learn the other's clock soon; it is the same clock. */
    WAIT_FOR(conn_clock(client.c)->samples >= 4);
    const struct clock_offset *o = conn_clock(client.c);

    assert_true(llabs(o->offset_ns) <= (long long)o->error_ns);
    assert_true(o->error_ns < 1000 * MS);

    /* The listener goes, its connections stay. */
    conn_listener_close(l);
    send_input(client.c, 10);
    WAIT_FOR(server.inputs == 1);
    conn_close(client.c);
    client.c = NULL;
    WAIT_FOR(server.closed == 1);
    assert_int_equal(server.why.code, ECONNRESET);
    assert_int_equal(client.closed, 0);
}

static void test_tcp_opens(void **state)
{
    struct end server = { 0 }, client = { 0 };
    char addr[ADDR_TEXT_MAX];

    (void)state;
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &tcp_conf,
                                        &server);

    open_to(&client, addr, &tcp_conf);
    WAIT_FOR(client.opened && server.opened);
    assert_string_equal(conn_peer(client.c), addr);
    conn_set_role(server.c, HCT__ROLE__ROLE_SLAVE);
    for (int i = 0; i < 1000; i++)
        send_input(client.c, 1000);
    WAIT_FOR(server.inputs == 1000);
    assert_int_equal(server.input_bytes, 1000000);
    close_ends(&client, &server);
    conn_listener_close(l);
}

static void test_wrong_key(void **state)
{
    static const struct conn_conf wrong = { .key = &other_key };
    struct end server = { 0 }, client = { 0 };
    char addr[ADDR_TEXT_MAX];

    (void)state;
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &tcp_conf,
                                        &server);

    open_to(&client, addr, &wrong);
    WAIT_FOR(client.closed);
    assert_int_equal(client.why.code, EACCES);
    assert_int_equal(client.opened, 0);
    turn_for(20 * MS);
    assert_int_equal(server.opened + server.closed, 0);
    conn_listener_close(l);
}

/* A process is killed in the middle of its work: the other side has all
 * that it had sent, and then the end. */
static void test_killed_peer(void **state)
{
    char killed[128], addr[ADDR_TEXT_MAX];
    const char *const where[] = { killed, "tcp:127.0.0.1:0" };

    (void)state;
    snprintf(killed, sizeof(killed), "unix:%s/killed.sock", dir);
    for (int i = 0; i < 2; i++) {
        struct end server = { 0 };
        struct conn_listener *l = listen_on(where[i], addr, &tcp_conf,
                                            &server);
        pid_t pid = fork();

        if (pid == 0) {
            struct end client = { 0 };
            Hct__Hello hello = HCT__HELLO__INIT;

            alarm(60);
            event_reinit(base);
            conn_listener_close(l);     /* or we might accept ourselves */
            open_to(&client, addr, &tcp_conf);
            hello.role = HCT__ROLE__ROLE_SLAVE;
            conn_send(client.c, MESSAGE_HELLO, &hello);
            for (int k = 0; k < 100; k++)
                send_input(client.c, 100);
            while (!client.closed)
                turn();
            _exit(1);
        }
        WAIT_FOR(server.inputs == 100);
        assert_int_equal(server.closed, 0);
        kill(pid, SIGKILL);
        WAIT_FOR(server.closed == 1);
        assert_int_equal(server.why.code, ECONNRESET);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        conn_listener_close(l);
    }
}

/* A peer that goes with a reset while much is on its way to it. */
static void test_reset(void **state)
{
    struct end server = { 0 };
    char addr[ADDR_TEXT_MAX];
    struct linger hard = { .l_onoff = 1 };
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &tcp_conf,
                                        &server);
    struct key_exchange x;
    uint8_t call[KEY_CALL], answer[KEY_ANSWER], proof[KEY_PROOF];
    int fd = connect_raw(addr);

    (void)state;
    key_call(&x, call);
    assert_int_equal(write(fd, call, sizeof(call)), sizeof(call));
    WAIT_FOR(recv(fd, answer, sizeof(answer), MSG_PEEK) == sizeof(answer));
    assert_int_equal(read(fd, answer, sizeof(answer)), sizeof(answer));
    assert_int_equal(key_prove(&x, &key, answer, proof, NULL), 0);
    assert_int_equal(write(fd, proof, sizeof(proof)), sizeof(proof));
    WAIT_FOR(server.opened);
    for (int i = 0; i < 1000; i++)
        send_input(server.c, 10000);
    turn();
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
    close(fd);
    WAIT_FOR(server.closed);
    assert_true(server.why.code == ECONNRESET || server.why.code == EPIPE);
    conn_listener_close(l);
}

/* The other side has closed: end of file or reset. */
static bool is_closed(int fd)
{
    char buf[256];
    ssize_t n = recv(fd, buf, sizeof(buf), 0);

    return n == 0 || (n < 0 && errno != EAGAIN);
}

/* A peer that proves nothing never gets a message parsed. */
static void test_strangers(void **state)
{
    static const struct { const char *what; size_t n; const char *bytes; }
    table[] = {
        { "web browser", 18, "GET / HTTP/1.1\r\n\r\n" },
        { "one wrong byte", 1, "X" },
        { "frame without a proof", 12, "\0\0\0\0\0\1\1\0\0\0\0\0" },
        { "call with a wrong end of the magic", 8, "HECTOR2\n" },
    };
    struct end server = { 0 };
    char addr[ADDR_TEXT_MAX];

    (void)state;
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &tcp_conf,
                                        &server);

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        int fd = connect_raw(addr);

        assert_int_equal(write(fd, table[i].bytes, table[i].n), table[i].n);
        WAIT_FOR(is_closed(fd));
        close(fd);
    }
    /* A right call, then nonsense instead of the proof. */
    struct key_exchange x;
    uint8_t call[KEY_CALL];
    char junk[KEY_PROOF + 100];
    int fd = connect_raw(addr);

    key_call(&x, call);
    memset(junk, 'j', sizeof(junk));
    assert_int_equal(write(fd, call, sizeof(call)), sizeof(call));
    assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
    WAIT_FOR(is_closed(fd));
    close(fd);
    assert_int_equal(server.opened + server.closed, 0);
    conn_listener_close(l);
}

/* Silent strangers occupy the listener only for the time of the proof, and
 * only so many of them. */
static void test_silent_strangers(void **state)
{
    static const struct conn_conf conf = { .key = &key, .shake_ns = 200 * MS };
    enum { STRANGERS = 300 };
    struct end server = { 0 }, client = { 0 };
    char addr[ADDR_TEXT_MAX];
    int fd[STRANGERS];

    (void)state;
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &conf,
                                        &server);

    for (int i = 0; i < STRANGERS; i++)
        fd[i] = connect_raw(addr);
    /* Behind them in the queue comes a friend, and gets in. */
    open_to(&client, addr, &tcp_conf);
    WAIT_FOR(client.opened && server.opened);
    for (int i = 0; i < STRANGERS; i++) {
        WAIT_FOR(is_closed(fd[i]));
        close(fd[i]);
    }
    close_ends(&client, &server);
    conn_listener_close(l);
}

/* A listener that accepts and says nothing, or nonsense. */
static void test_wrong_listeners(void **state)
{
    static const struct conn_conf conf = { .key = &key, .shake_ns = 100 * MS };
    struct end client = { 0 }, server = { 0 };
    struct addr a = { .host = "127.0.0.1" };
    struct err err;
    char silent[ADDR_TEXT_MAX], good[ADDR_TEXT_MAX];
    char list[4 * ADDR_TEXT_MAX];
    int fd = addr_listen(&a, &err);

    (void)state;
    assert_true(fd >= 0);
    addr_format(&a, silent, sizeof(silent));
    open_to(&client, silent, &conf);
    WAIT_FOR(client.closed);
    assert_int_equal(client.why.code, ETIMEDOUT);

    /* A list: no such host, nobody there twice, a silent one, and then the
     * right one. */
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", good, &tcp_conf,
                                        &server);

    snprintf(list, sizeof(list), "no.such.host.invalid:1,127.0.0.1:1,"
             "unix:%s/none,%s,%s", dir, silent, good);
    client = (struct end){ 0 };
    open_to(&client, list, &conf);
    WAIT_FOR(client.opened && server.opened);
    assert_string_equal(conn_peer(client.c), good);
    close_ends(&client, &server);
    conn_listener_close(l);
    close(fd);

    client = (struct end){ 0 };
    open_to(&client, "tcp:127.0.0.1:1", &conf);
    WAIT_FOR(client.closed);
    assert_int_equal(client.why.code, ECONNREFUSED);
    assert_non_null(strstr(client.why.text, "tcp:127.0.0.1:1"));
}

static void test_open_errors(void **state)
{
    struct end e = { 0 };
    struct err err = { 0 };
    struct addr a = { .host = "127.0.0.1" };

    (void)state;
    assert_null(conn_open_to(base, "nonsense", &tcp_conf, &ops, &e, &err));
    assert_int_equal(err.code, EINVAL);
    assert_null(conn_open_to(base, "", &tcp_conf, &ops, &e, &err));

    /* TCP without a key: neither way. */
    int fd = addr_listen(&a, &err);

    assert_null(conn_listen_fd(base, fd, &unix_conf, &ops, &e, &err));
    assert_int_equal(err.code, EINVAL);
    assert_null(conn_listen_fd(base, open("/dev/null", O_RDONLY), &unix_conf,
                               &ops, &e, &err));
    assert_int_equal(e.closed, 0);
}

/* Only our own uid and root come in by a Unix socket. */
static void test_uid(void **state)
{
    struct end server = { 0 };
    char want[128], addr[ADDR_TEXT_MAX];

    (void)state;
    if (geteuid() != 0)
        skip();
    snprintf(want, sizeof(want), "unix:%s/uid.sock", dir);
    struct conn_listener *l = listen_on(want, addr, &unix_conf, &server);

    assert_int_equal(chmod(dir, 0755), 0);
    assert_int_equal(chmod(want + 5, 0777), 0);
    pid_t pid = fork();

    if (pid == 0) {
        struct sockaddr_un sun = { .sun_family = AF_UNIX };
        char byte;
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);

        snprintf(sun.sun_path, sizeof(sun.sun_path), "%.100s", want + 5);
        if (setresuid(12345, 12345, 12345) < 0 ||
            connect(fd, (struct sockaddr *)&sun, sizeof(sun)) < 0)
            _exit(2);
        _exit(read(fd, &byte, 1) == 0 ? 0 : 1);
    }
    int status = -1;

    WAIT_FOR(waitpid(pid, &status, WNOHANG) == pid);
    assert_int_equal(status, 0);
    assert_int_equal(server.opened + server.closed, 0);
    conn_listener_close(l);
}

/* Frames cut anywhere, and many in one piece. */
static void test_torn_and_merged(void **state)
{
    struct end e = { 0 };
    int fd = open_raw(&e, &unix_conf);
    uint8_t buf[4096];
    size_t n = 0;
    static const uint8_t body[] = { 0x0a, 3, 'a', 'b', 'c' };

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        n += put_frame(buf + n, MESSAGE_INPUT, i, body, sizeof(body));
    for (size_t i = 0; i < n / 2; i++) {
        assert_int_equal(write(fd, buf + i, 1), 1);
        turn();
    }
    assert_int_equal(write(fd, buf + n / 2, n - n / 2), n - n / 2);
    WAIT_FOR(e.inputs == 100);
    assert_int_equal(e.input_bytes, 300);
    /* The peer dies in the middle of a frame. */
    assert_int_equal(write(fd, buf, 5), 5);
    close(fd);
    WAIT_FOR(e.closed);
}

/* What may never come closes the connection, with a sentence. */
static void test_violations(void **state)
{
    static const struct {
        const char *what, *says;
        unsigned type;
        uint32_t sequence;
        unsigned char version, zero;
        uint32_t length;
        size_t n;
        const char *body;
    } table[] = {
        { "unknown type", "unknown message 9999", 9999, 0, 1, 0, 0, 0, "" },
        { "type 0", "unknown message 0", 0, 0, 1, 0, 0, 0, "" },
        { "not for this role", "role", MESSAGE_SUBMIT, 0, 1, 0, 0, 0, "" },
        { "wrong sequence", "where 0 was due", MESSAGE_INPUT, 1, 1, 0, 0, 0,
          "" },
        { "future version", "version 2", MESSAGE_INPUT, 0, 2, 0, 0, 0, "" },
        { "reserved byte", "not a frame", MESSAGE_INPUT, 0, 1, 1, 0, 0, "" },
        { "oversized", "at most", MESSAGE_INPUT, 0, 1, 0, FRAME_BODY_MAX + 1,
          0, "" },
        { "malformed body", "malformed", MESSAGE_INPUT, 0, 1, 0, 2, 2,
          "\x0a\x7f" },
        { "malformed ping", "malformed", MESSAGE_PING, 0, 1, 0, 2, 2,
          "\x09\x7f" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct end e = { 0 };
        int fd = open_raw(&e, &unix_conf);
        uint8_t buf[64] = { 0 };

        frame_header(buf, (uint16_t)table[i].type, table[i].sequence, 0);
        buf[0] = (uint8_t)(table[i].length >> 24);
        buf[1] = (uint8_t)(table[i].length >> 16);
        buf[2] = (uint8_t)(table[i].length >> 8);
        buf[3] = (uint8_t)table[i].length;
        buf[6] = table[i].version;
        buf[7] = table[i].zero;
        memcpy(buf + FRAME_HEADER, table[i].body, table[i].n);
        assert_int_equal(write(fd, buf, FRAME_HEADER + table[i].n),
                         FRAME_HEADER + table[i].n);
        WAIT_FOR(e.closed);
        if (!strstr(e.why.text, table[i].says) &&
            strcmp(table[i].what, "not for this role") != 0)
            fail_msg("%s: %s", table[i].what, e.why.text);
        assert_int_equal(e.inputs, 0);
        close(fd);
    }
}

/* Before Hello only what is for CONN_ANY. */
static void test_needs_hello(void **state)
{
    struct end a = { 0 }, b = { 0 };

    (void)state;
    open_pair(&a, &b, &unix_conf);
    conn_set_role(b.c, 0);
    send_input(a.c, 1);
    WAIT_FOR(b.closed);
    assert_non_null(strstr(b.why.text, "Hello"));
    WAIT_FOR(a.closed);

    a = b = (struct end){ 0 };
    open_pair(&a, &b, &unix_conf);
    conn_set_role(b.c, HCT__ROLE__ROLE_REDIRECTOR);
    send_input(a.c, 1);
    WAIT_FOR(b.closed && a.closed);
    assert_int_equal(b.inputs, 0);
}

/* A tiny message that would unpack to gigabytes is refused. */
static void test_unpacking_is_bounded(void **state)
{
    struct end e = { 0 };
    int fd = open_raw(&e, &unix_conf);
    size_t n = FRAME_BODY_MAX;
    uint8_t *buf = malloc(FRAME_HEADER + n);

    (void)state;
    assert_non_null(buf);
    frame_header(buf, MESSAGE_HELLO, 0, (uint32_t)n);
    /* Hello.node over and over: merged, each a new allocation. */
    for (size_t i = 0; i < n; i += 2) {
        buf[FRAME_HEADER + i] = 6 << 3 | 2;
        buf[FRAME_HEADER + i + 1] = 0;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    for (size_t at = 0; at < FRAME_HEADER + n && !e.closed && !e.hellos; ) {
        ssize_t got = write(fd, buf + at, FRAME_HEADER + n - at);

        if (got > 0)
            at += (size_t)got;
        turn();
    }
    WAIT_FOR(e.closed || e.hellos);
    free(buf);
    close(fd);
    conn_close(e.c);
}

static void test_handler_refuses(void **state)
{
    struct end a = { 0 }, b = { .refuse_input = true };

    (void)state;
    open_pair(&a, &b, &unix_conf);
    for (int i = 0; i < 5; i++)
        send_input(a.c, 1);
    WAIT_FOR(a.closed && b.closed);
    assert_int_equal(b.inputs, 1);
    assert_string_equal(b.why.text, "no input wanted");
    assert_int_equal(b.why.code, EINVAL);
}

/* A handler closes its own connection, or another one. */
static void test_close_in_handler(void **state)
{
    struct end a = { 0 }, b = { .close_on_input = true };
    struct end x = { 0 }, y = { 0 };

    (void)state;
    open_pair(&a, &b, &unix_conf);
    for (int i = 0; i < 5; i++)
        send_input(a.c, 1);
    WAIT_FOR(a.closed);
    assert_int_equal(b.inputs, 1);
    assert_int_equal(b.closed, 0);

    a = b = (struct end){ 0 };
    open_pair(&a, &b, &unix_conf);
    open_pair(&x, &y, &unix_conf);
    b.close_other = &y;
    send_input(x.c, 1);
    send_input(a.c, 1);
    send_input(a.c, 1);
    WAIT_FOR(b.inputs == 2 && x.closed);
    close_ends(&a, &b);
}

/* Refuse and close: the peer gets the sentence though it was sending. */
static void test_close_flushed(void **state)
{
    struct end a = { 0 }, b = { .flush_on_input = true };

    (void)state;
    open_pair(&a, &b, &unix_conf);
    for (int i = 0; i < 1000; i++)
        send_input(a.c, 10000);
    WAIT_FOR(a.closed);
    assert_string_equal(a.why.text, "refused: enough");
    assert_int_equal(b.inputs, 1);
    assert_int_equal(b.closed, 0);
}

static void count_done(void *arg)
{
    ++*(int *)arg;
}

/* Everything queued arrives, even if the peer rests for a while. */
static void test_close_then(void **state)
{
    struct end a = { 0 }, b = { .pause_on_input = true };
    int done = 0;

    (void)state;
    open_pair(&a, &b, &unix_conf);
    for (int i = 0; i < 3000; i++)
        send_input(a.c, 1000);
    conn_close_then(a.c, count_done, &done);
    send_input(a.c, 1000);              /* too late: dropped */
    a.c = NULL;
    WAIT_FOR(b.inputs == 1);
    turn_for(50 * MS);
    assert_int_equal(b.inputs, 1);
    assert_int_equal(done, 0);
    b.pause_on_input = false;
    conn_resume(b.c);
    WAIT_FOR(b.closed && done);
    assert_int_equal(b.inputs, 3000);
    assert_int_equal(done, 1);
    assert_int_equal(a.closed, 0);

    /* The peer dies instead. */
    a = (struct end){ 0 };
    done = 0;
    int fd = open_raw(&a, &unix_conf);

    for (int i = 0; i < 3000; i++)
        send_input(a.c, 1000);
    conn_close_then(a.c, count_done, &done);
    turn_for(20 * MS);
    assert_int_equal(done, 0);
    close(fd);
    WAIT_FOR(done == 1);

    /* It was never open. */
    char addr[128];

    a = (struct end){ 0 };
    snprintf(addr, sizeof(addr), "unix:%s/none", dir);
    open_to(&a, addr, &unix_conf);
    conn_close_then(a.c, count_done, &done);
    WAIT_FOR(done == 2);
    assert_int_equal(a.opened + a.closed, 0);
}

/* The watermarks: congested above high, drained below low, and what the peer
 * does not read stays with the sender. */
static void test_congestion(void **state)
{
    static const struct conn_conf conf = { .high_bytes = 256 << 10,
                                           .low_bytes = 64 << 10 };
    struct end a = { 0 }, b = { 0 };
    int sent = 0;

    (void)state;
    open_pair(&a, &b, &conf);
    conn_pause(b.c);
    for (int i = 0; i < 50; i++) {
        while (!conn_congested(a.c)) {
            send_input(a.c, 10000);
            sent++;
        }
        turn();
    }
    assert_true(conn_queued_bytes(a.c) > 64 << 10);
    assert_true(sent < 1000);
    a.drained = 0;
    assert_true(conn_congested(a.c));
    assert_int_equal(b.inputs, 0);
    conn_resume(b.c);
    WAIT_FOR(a.drained == 1);
    assert_false(conn_congested(a.c));
    assert_true(conn_queued_bytes(a.c) <= 64 << 10);
    WAIT_FOR(b.inputs == sent);
    close_ends(&a, &b);
}

static void test_too_large(void **state)
{
    struct end a = { 0 }, b = { 0 };

    (void)state;
    open_pair(&a, &b, &unix_conf);
    assert_int_equal(send_input(a.c, FRAME_BODY_MAX + 1), -1);
    assert_int_equal(send_input(a.c, FRAME_BODY_MAX - 8), 0);
    WAIT_FOR(b.inputs == 1);
    assert_int_equal(b.input_bytes, FRAME_BODY_MAX - 8);
    close_ends(&a, &b);
}

/* A flood from one peer does not keep the loop from the others. */
static void test_fairness(void **state)
{
    struct end a = { 0 }, b = { 0 }, x = { 0 }, y = { 0 };

    (void)state;
    open_pair(&a, &b, &unix_conf);
    open_pair(&x, &y, &unix_conf);
    for (int i = 0; i < 100000; i++)
        send_input(a.c, 0);
    send_input(x.c, 0);
    WAIT_FOR(y.inputs == 1);
    assert_true(b.inputs < 50000);
    WAIT_FOR(b.inputs == 100000);
    close_ends(&a, &b);
    close_ends(&x, &y);
}

/* Without free descriptors the listener rests, and goes on afterwards. */
static void test_no_descriptors(void **state)
{
    enum { FEW = 128 };
    struct end server = { 0 };
    char want[128], addr[ADDR_TEXT_MAX];
    struct rlimit was, few;
    int hog[FEW], n = 0;

    (void)state;
    snprintf(want, sizeof(want), "unix:%s/emfile.sock", dir);
    struct conn_listener *l = listen_on(want, addr, &unix_conf, &server);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un sun = { .sun_family = AF_UNIX };

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    turn_for(20 * MS);          /* libevent closes freed sockets later */
    few = was;
    few.rlim_cur = FEW;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    while (n < FEW && (hog[n] = open("/dev/null", O_RDONLY)) >= 0)
        n++;
    snprintf(sun.sun_path, sizeof(sun.sun_path), "%.100s", want + 5);
    assert_int_equal(connect(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
    turn_for(50 * MS);
    assert_int_equal(server.opened, 0);
    while (n > 0)
        close(hog[--n]);
    WAIT_FOR(server.opened == 1);
    close(fd);
    WAIT_FOR(server.closed == 1);
    conn_listener_close(l);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
}

/* Connections in every state are given up without a trace. */
static void test_abandoned(void **state)
{
    struct end e = { 0 };
    char addr[ADDR_TEXT_MAX];
    struct conn_listener *l = listen_on("tcp:127.0.0.1:0", addr, &tcp_conf,
                                        &e);

    (void)state;
    for (int turns = 0; turns < 6; turns++) {
        struct end client = { 0 };

        open_to(&client, addr, &tcp_conf);
        for (int i = 0; i < turns; i++)
            event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
        conn_close(client.c);
        if (client.opened)
            WAIT_FOR(e.closed || !e.opened);
        conn_close(e.c);
        e = (struct end){ 0 };
    }
    int fd = connect_raw(addr);

    turn_for(10 * MS);
    conn_listener_close(l);     /* with one connection that has not opened */
    WAIT_FOR(is_closed(fd));
    close(fd);
    conn_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unix_opens),
        cmocka_unit_test(test_tcp_opens),
        cmocka_unit_test(test_wrong_key),
        cmocka_unit_test(test_killed_peer),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_silent_strangers),
        cmocka_unit_test(test_wrong_listeners),
        cmocka_unit_test(test_open_errors),
        cmocka_unit_test(test_uid),
        cmocka_unit_test(test_torn_and_merged),
        cmocka_unit_test(test_violations),
        cmocka_unit_test(test_needs_hello),
        cmocka_unit_test(test_unpacking_is_bounded),
        cmocka_unit_test(test_handler_refuses),
        cmocka_unit_test(test_close_in_handler),
        cmocka_unit_test(test_close_flushed),
        cmocka_unit_test(test_close_then),
        cmocka_unit_test(test_congestion),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_fairness),
        cmocka_unit_test(test_no_descriptors),
        cmocka_unit_test(test_abandoned),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
