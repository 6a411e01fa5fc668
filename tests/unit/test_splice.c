/* test_splice.c - bytes from a pipe through a connection into another pipe, by
 * the kernel: all come, in order, whoever is slow; and each way in which that
 * ends. */
#include "tests/unit/conn_ends.h"

#include "proto/base/pipes.h"
#include "proto/link/seal.h"
#include "proto/link/timer.h"
#include "slave/move/splice.h"
#include "tests/unit/pattern.h"

enum { IMAGE = 3 << 20 };

/* One end, and what happened to it. */
struct half {
    struct splice *s;
    size_t moved;
    unsigned over;
    struct err why;
    bool failed;
};

/* A pipe that we write, a connection, a pipe that we read. */
enum way_kind { WAY_UNIX, WAY_TCP, WAY_SEALED, WAY_KINDS };

static struct {
    int write, read;            /* ours; -1: closed */
    int pipe[2];                /* theirs: where out reads, in writes */
    int sock[2];                /* of out, of in; -1: closed */
    struct seal *seal[2];       /* likewise; NULL: none */
    struct half out, in;
    size_t written, got;
} way;

static void on_moved(void *arg, size_t bytes)
{
    ((struct half *)arg)->moved += bytes;
}

static void on_over(void *arg, const struct err *why)
{
    struct half *h = arg;

    h->over++;
    h->failed = why != NULL;
    if (why)
        h->why = *why;
    splice_close(h->s);
    h->s = NULL;
}

static const struct splice_ops splice_ops = { on_moved, on_over };

static ssize_t imax(ssize_t a, ssize_t b)
{
    return a > b ? a : b;
}

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void connect_tcp(int *sock)
{
    struct addr a = { .host = "127.0.0.1" };
    struct sockaddr_storage at;
    socklen_t len = sizeof(at);
    struct err err;
    int l = addr_listen(&a, &err);

    assert_true(l >= 0);
    assert_int_equal(getsockname(l, (struct sockaddr *)&at, &len), 0);
    sock[0] = socket(at.ss_family, SOCK_STREAM, 0);
    assert_int_equal(connect(sock[0], (struct sockaddr *)&at, len), 0);
    fcntl(l, F_SETFL, 0);
    sock[1] = accept(l, NULL, NULL);
    assert_true(sock[1] >= 0);
    close(l);
}

static void make_seals(void)
{
    struct key_session keys = { { 1 }, { 2 } }, back = { { 2 }, { 1 } };
    struct err err;

    way.seal[0] = seal_new(&keys, &err);
    way.seal[1] = seal_new(&back, &err);
    assert_true(way.seal[0] && way.seal[1]);
}

static void make(enum way_kind kind)
{
    memset(&way, 0, sizeof(way));
    assert_int_equal(pipes_open(&way.pipe[0], &way.write, true), 0);
    assert_int_equal(pipes_open(&way.read, &way.pipe[1], false), 0);
    if (kind == WAY_SEALED)
        make_seals();
    if (kind != WAY_UNIX)
        connect_tcp(way.sock);
    else
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, way.sock), 0);
    fcntl(way.write, F_SETFL, O_NONBLOCK);
    fcntl(way.read, F_SETFL, O_NONBLOCK);
    fcntl(way.sock[0], F_SETFL, O_NONBLOCK);
    fcntl(way.sock[1], F_SETFL, O_NONBLOCK);
}

static void open_out(uint64_t dead_ns)
{
    struct splice_conf conf = { .from = way.pipe[0], .to = way.sock[0],
                                .socket = way.sock[0], .seal = way.seal[0],
                                .dead_ns = dead_ns };
    struct err err;

    way.out.s = splice_open(base, &conf, &splice_ops, &way.out, &err);
    assert_non_null(way.out.s);
}

static void open_in(uint64_t dead_ns)
{
    struct splice_conf conf = { .from = way.sock[1], .to = way.pipe[1],
                                .socket = way.sock[1], .seal = way.seal[1],
                                .dead_ns = dead_ns };
    struct err err;

    way.in.s = splice_open(base, &conf, &splice_ops, &way.in, &err);
    assert_non_null(way.in.s);
}

static int drop(void **state)
{
    (void)state;
    splice_close(way.out.s);
    splice_close(way.in.s);
    way.out.s = way.in.s = NULL;
    shut(&way.write);
    shut(&way.read);
    for (int i = 0; i < 2; i++) {
        shut(&way.pipe[i]);
        shut(&way.sock[i]);
        seal_free(way.seal[i]);
        way.seal[i] = NULL;
    }
    return 0;
}

/* false: that was the end. */
static bool read_some(size_t most)
{
    static uint8_t piece[1 << 16];
    ssize_t n = read(way.read, piece, most < sizeof(piece) ? most
                                                           : sizeof(piece));

    for (ssize_t i = 0; i < n; i++)
        assert_int_equal(piece[i], byte_at(way.got + (size_t)i));
    way.got += n > 0 ? (size_t)n : 0;
    return n != 0;
}

/* In fits and starts, at either end. */
static void pass_all(void)
{
    bool more = true;

    for (unsigned round = 0; more; round++) {
        assert_true(round < 200000);
        if (round % 3 == 0 && way.write >= 0) {
            write_pattern(way.write, &way.written, IMAGE);
            if (way.written == IMAGE)
                shut(&way.write);
        }
        event_base_loop(base, EVLOOP_NONBLOCK);
        if (way.out.over && way.sock[0] >= 0) {
            assert_int_equal(shutdown(way.sock[0], SHUT_WR), 0);
            shut(&way.sock[0]);
        }
        if (way.in.over)
            shut(&way.pipe[1]);
        if (round % 2)
            more = read_some(1 + round * 7919 % 30000);
    }
    assert_int_equal(way.got, IMAGE);
    assert_int_equal(way.out.moved, IMAGE);
    assert_int_equal(way.in.moved, IMAGE);
    assert_false(way.out.failed || way.in.failed);
    assert_int_equal(way.out.over + way.in.over, 2);
}

static void test_whole(void **state)
{
    (void)state;
    for (enum way_kind kind = 0; kind < WAY_KINDS; kind++) {
        make(kind);
        open_out(0);
        open_in(0);
        pass_all();
        drop(NULL);
    }
}

/* Where splice(2) cannot do it, here as no end is a pipe. */
static void test_copied(void **state)
{
    int ends[2];

    (void)state;
    make(WAY_UNIX);
    shut(&way.write);
    shut(&way.pipe[0]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    way.write = ends[0];
    way.pipe[0] = ends[1];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    open_out(0);
    open_in(0);
    pass_all();
}

/* Turns of the loop in a while. */
static unsigned turns(uint64_t ns)
{
    struct event *end = evtimer_new(base, nothing, NULL);
    unsigned n = 0;

    timer_set(end, ns);
    for (; evtimer_pending(end, NULL); n++)
        event_base_loop(base, EVLOOP_ONCE);
    event_free(end);
    return n;
}

/* Fills all that there is between the two, where nobody reads. */
static void fill(void)
{
    size_t before;

    do {
        before = way.written;
        write_pattern(way.write, &way.written, SIZE_MAX / 2);
        turn_for(30 * MS);
    } while (way.written > before);
}

/* Nobody writes, and nobody reads, for longer than a peer may be silent:
 * nothing happens then, and it is no end. */
static void test_waits(void **state)
{
    (void)state;
    for (enum way_kind kind = 0; kind < WAY_KINDS; kind++) {
        uint64_t dead_ns = kind == WAY_SEALED ? 50 * MS : 0;
        unsigned idle = dead_ns ? 40 : 10;      /* turns, to look at the peer */

        make(kind);
        open_out(dead_ns);
        open_in(dead_ns);
        write_pattern(way.write, &way.written, 1000);
        WAIT_FOR(way.in.moved == 1000);
        assert_true(turns(200 * MS) < idle);
        fill();
        assert_true(turns(200 * MS) < idle);
        if (kind != WAY_SEALED) {       /* what one has would be lost */
            splice_close(way.out.s);
            splice_close(way.in.s);
            open_out(50 * MS);
            open_in(50 * MS);
        }
        turn_for(700 * MS);
        while (read_some(SIZE_MAX))
            if (way.got == way.written)
                break;
            else
                turn();
        assert_int_equal(way.out.over + way.in.over, 0);
        drop(NULL);
    }
}

/* While bytes are under way that nobody has read: these do not count as all. Of
 * a Unix socket who reads finds only that there is no more. */
static void test_reset(void **state)
{
    (void)state;
    for (enum way_kind kind = 0; kind < WAY_KINDS; kind++) {
        make(kind);
        open_out(0);
        open_in(0);
        fill();
        splice_close(way.out.s);
        way.out.s = NULL;
        splice_reset(way.sock[0]);
        way.sock[0] = -1;
        while (read_some(SIZE_MAX) && !way.in.over)
            turn();
        assert_int_equal(way.in.failed, kind != WAY_UNIX);
        if (kind != WAY_UNIX)
            assert_int_equal(way.in.why.code, ECONNRESET);
        drop(NULL);

        make(kind);
        open_out(0);
        fill();
        splice_reset(way.sock[1]);
        way.sock[1] = -1;
        WAIT_FOR(way.out.over);
        assert_true(way.out.failed && *way.out.why.text);
        drop(NULL);
    }
}

/* There is nothing to be sent when the peer closes, or says something. */
static void test_peer_ends(void **state)
{
    (void)state;
    for (enum way_kind kind = 0; kind < WAY_KINDS; kind++) {
        make(kind);
        open_out(0);
        turn();
        assert_int_equal(way.out.over, 0);
        shut(&way.sock[1]);
        WAIT_FOR(way.out.over);
        assert_string_equal(way.out.why.text, "it has closed the connection");
        drop(NULL);

        make(kind);
        open_out(0);
        assert_int_equal(write(way.sock[1], "x", 1), 1);
        WAIT_FOR(way.out.over);
        assert_int_equal(way.out.why.code, EPROTO);
        drop(NULL);
    }
}

static void test_reader_gone(void **state)
{
    (void)state;
    for (enum way_kind kind = WAY_TCP; kind < WAY_KINDS; kind++) {
        make(kind);
        open_out(0);
        open_in(0);
        shut(&way.read);
        write_pattern(way.write, &way.written, 1000);
        WAIT_FOR(way.in.over);
        assert_int_equal(way.in.why.code, EPIPE);
        assert_int_equal(way.out.over, 0);
        drop(NULL);
    }
}

/* Somebody is on the way, and has changed a bit, or ends it before its time. */
static void test_tampered(void **state)
{
    static uint8_t wire[4096];
    static const struct { int bit; size_t cut; int code; const char *says; } v[] = {
        { -1, 0, 0, "" },
        { 8 * 700, 0, EKEYREJECTED, "tampered" },
        { -1, 1, ECONNRESET, "reset" },
    };
    size_t n;

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        make(WAY_SEALED);
        open_out(0);
        write_pattern(way.write, &way.written, 1000);
        shut(&way.write);
        WAIT_FOR(way.out.over);
        assert_false(way.out.failed);
        assert_int_equal(way.out.moved, 1000);
        n = 0;
        WAIT_FOR((n += (size_t)imax(read(way.sock[1], wire + n, sizeof(wire) - n),
                                    0)) == 1000 + SEAL_OVER);
        for (size_t k = 0; k + 8 <= 1000; k++)          /* nothing is to be seen */
            for (size_t at = 0; at < 50; at++)
                assert_true(wire[k] != byte_at(at) || wire[k + 1] != byte_at(at + 1) ||
                            wire[k + 2] != byte_at(at + 2) ||
                            wire[k + 3] != byte_at(at + 3) ||
                            wire[k + 4] != byte_at(at + 4));
        if (v[i].bit >= 0)
            wire[v[i].bit / 8] ^= 1;
        shut(&way.sock[0]);
        shut(&way.sock[1]);
        connect_tcp(way.sock);
        fcntl(way.sock[1], F_SETFL, O_NONBLOCK);
        open_in(0);
        n -= v[i].cut;
        assert_int_equal(write(way.sock[0], wire, n), n);
        shut(&way.sock[0]);
        WAIT_FOR(way.in.over);
        assert_int_equal(way.in.failed, v[i].code != 0);
        if (v[i].code)
            assert_int_equal(way.in.why.code, v[i].code);
        assert_non_null(strstr(way.in.why.text, v[i].says));
        assert_int_equal(way.in.moved, v[i].code ? 0 : 1000);
        drop(NULL);
    }
}

int main(void)
{
#define TEST(t) cmocka_unit_test_teardown(t, drop)
    const struct CMUnitTest tests[] = {
        TEST(test_whole), TEST(test_copied), TEST(test_waits), TEST(test_reset),
        TEST(test_peer_ends), TEST(test_reader_gone),
        TEST(test_tampered),
    };

    signal(SIGPIPE, SIG_IGN);   /* as the slave does */
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
