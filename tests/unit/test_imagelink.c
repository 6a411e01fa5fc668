/* test_imagelink.c - images past the master: links of the slave that a task
 * leaves to the one where it comes, and what goes through the master as there
 * is no link. Both ends are real, the master is played. */

#include "tests/unit/conn_ends.h"

#include "proto/link/refused.h"
#include "proto/link/timer.h"
#include "slave/link/passfd.h"
#include "slave/link/reduce_link.h"
#include "slave/move/imagein.h"
#include "slave/move/imagelink.h"
#include "slave/move/imageout.h"
#include "slave/move/imageroute.h"
#include "tests/unit/pattern.h"

enum { IMAGE = 3 << 20, JOB = 7, RANK = 2, SERIAL = 1, MANY = 300 };

/* The slave where the task comes. */
static struct {
    struct reduce_links *links;
    struct reduce_link *from;   /* it is to be the image */
    bool refuses;
    unsigned asked, lost;
    unsigned passed;            /* sockets, to the process */
    struct imagein *in;         /* takes what comes */
    int from_in;                /* where the process reads; -1: closed */
    char cut[300];
} target;

/* The slave that it leaves. */
static struct {
    struct imagelinks *links;
    struct imagelink *link;
    struct imageroute route;
    struct uplink *uplink;
    bool joined, over;
    char broken[400];
    struct imageout *out;
    int to_out;                 /* where the task writes; -1: closed */
    size_t written;
} source;

static struct {
    struct conn_listener *listener;
    struct conn *slave;
    size_t bytes, told;
    unsigned tells;
    bool last;
} master;

/* ------------------------------------------------------------- the target */

static int take(void *arg, struct reduce_link *l, const Hct__ImageRaw *m,
                struct err *err)
{
    (void)arg;
    assert_string_equal(reduce_link_from(l), "n1");
    target.asked++;
    if (target.refuses)
        return err_set(err, EPROTO, "an image that nobody waits for");
    assert_int_equal(m->job, JOB);
    assert_int_equal(m->rank, RANK);
    assert_int_equal(m->serial, SERIAL);
    target.from = l;
    return 0;
}

static void cut(void *arg, const struct err *why)
{
    (void)arg;
    snprintf(target.cut, sizeof(target.cut), "%s", why->text);
}

static void raw(void *arg, struct reduce_link *l, uint64_t job, int fd,
                struct seal *seal)
{
    struct err err;

    (void)arg;
    assert_int_equal(job, JOB);
    assert_ptr_equal(l, target.from);
    target.from = NULL;
    assert_int_equal(imagein_pass(target.in, fd, seal, 0, cut, NULL, &err), 0);
}

static void lost(void *arg, struct reduce_link *l, uint64_t job,
                 const struct err *why)
{
    (void)arg;
    assert_int_equal(job, JOB);
    assert_ptr_equal(l, target.from);
    assert_true(*why->text);
    target.from = NULL;
    target.lost++;
}

static const struct reduce_images images = { take, raw, lost };

static void ignore(void *arg, struct reduce_link *l, const struct err *why)
{
    (void)arg, (void)l, (void)why;
}

static const struct reduce_links_ops no_reduction = { .parent_lost = ignore,
                                                      .child_lost = ignore };
static struct reduce_links_conf target_conf = {
    .conn = &tcp_conf, .name = "n2", .tcp = true, .images = &images };

static void open_target(void)
{
    struct err err;

    target.links = reduce_links_open(base, &target_conf, &no_reduction, NULL,
                                     &err);
    target.in = imagein_open(base, &target.from_in, &err);
    assert_true(target.links && target.in);
    fcntl(target.from_in, F_SETFL, O_NONBLOCK);
}

/* ------------------------------------------------------------- the source */

static void take_sent(void *arg, size_t bytes)
{
    (void)arg;
    imageroute_sent(&source.route, bytes);
}

/* It was whole, as the task says. */
static void take_over(void *arg)
{
    (void)arg;
    imageout_close(source.out);
    source.out = NULL;
    source.over = true;
    imageroute_end(&source.route);
}

static void take_broken(void *arg, const char *why)
{
    (void)arg;
    assert_string_equal(source.broken, "");
    snprintf(source.broken, sizeof(source.broken), "%s", why);
}

static const struct imagelink_ops source_ops = { take_sent, take_over,
                                                 take_broken };
static struct imagelinks_conf source_conf;

static bool congested(void *arg)
{
    (void)arg;
    return imageroute_congested(&source.route);
}

static bool pass(void *arg, int pipe)
{
    (void)arg;
    return imageroute_pass(&source.route, pipe);
}

static void piece(void *arg, const void *data, size_t bytes)
{
    (void)arg;
    imageroute_send(&source.route, data, bytes);
    imageout_credit(source.out, bytes);         /* as the master passes it on */
}

static const struct imageout_ops out_ops = { congested, pass, piece, take_over };

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void drop_image(void)
{
    imageroute_stop(&source.route);
    imageout_close(source.out);
    source.out = NULL;
    shut(&source.to_out);
}

/* The task gets its pipe. */
static void open_image(void)
{
    struct err err;

    drop_image();
    source.over = false;
    source.written = 0;
    source.out = imageout_open(base, &out_ops, NULL, &source.to_out, &err);
    assert_non_null(source.out);
    fcntl(source.to_out, F_SETFL, O_NONBLOCK);
    imageout_credit(source.out, 1 << 20);
}

static void open_link(const char *node, const char *addresses)
{
    struct err err;

    drop_image();
    imageroute_close(&source.route);
    *source.broken = '\0';
    source.route = (struct imageroute){
        .uplink = source.uplink, .job = JOB, .rank = RANK, .serial = SERIAL };
    source.route.link = imagelink_open(source.links, node, addresses,
                                       &source_ops, NULL, &err);
    assert_non_null(source.route.link);
}

static void open_links(const struct conn_conf *conf)
{
    struct err err;

    source_conf = (struct imagelinks_conf){ .conn = conf, .name = "n1" };
    source.links = imagelinks_open(base, &source_conf, &err);
    assert_non_null(source.links);
}

static bool link_is(enum imagelink_state s)
{
    return imagelink_state(source.route.link) == s;
}

/* ------------------------------------------------------------- the master */

static int master_hello(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    Hct__Welcome w = HCT__WELCOME__INIT;

    (void)arg, (void)msg, (void)err;
    w.protocol = PROTOCOL_VERSION;
    w.role = HCT__ROLE__ROLE_MASTER;
    conn_set_role(c, HCT__ROLE__ROLE_SLAVE);
    conn_send(c, MESSAGE_WELCOME, &w);
    master.slave = c;
    return 0;
}

static int master_image(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    const Hct__Image *m = msg;

    (void)arg, (void)c, (void)err;
    master.bytes += m->data.len;
    master.last = m->last;
    return 0;
}

static int master_sent(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    const Hct__ImageSent *m = msg;

    (void)arg, (void)c, (void)err;
    assert_int_equal(m->job, JOB);
    assert_int_equal(m->rank, RANK);
    assert_int_equal(m->serial, SERIAL);
    master.told += m->bytes;
    master.tells++;
    return 0;
}

static void master_open(void *arg, struct conn *c)
{
    (void)arg, (void)c;
}

static void master_close(void *arg, struct conn *c, const struct err *why)
{
    (void)arg, (void)c, (void)why;
    master.slave = NULL;
}

static const struct conn_route master_routes[] = {
    { MESSAGE_HELLO, CONN_ANY, master_hello },
    { MESSAGE_IMAGE, CONN_ANY, master_image },
    { MESSAGE_IMAGE_SENT, CONN_ANY, master_sent },
};
static const struct conn_ops master_ops = {
    .routes = master_routes,
    .nroutes = sizeof(master_routes) / sizeof(master_routes[0]),
    .on_open = master_open, .on_close = master_close,
};

static void on_joined(void *arg)
{
    (void)arg;
    source.joined = true;
}

static void on_lost(void *arg)
{
    (void)arg;
}

static const struct uplink_ops up_ops = { .joined = on_joined,
                                          .lost = on_lost };
static struct uplink_conf up_conf = {
    .name = "n1", .mpi = "", .conn = &unix_conf, .lost_ns = 3600 * CLOCK_NS_PER_S,
    .cpus = 1 };
static char up_address[128];

static int begin(void **state)
{
    struct addr a = { .is_unix = true };
    struct err err;

    (void)state;
    memset(&target, 0, sizeof(target));
    memset(&source, 0, sizeof(source));
    memset(&master, 0, sizeof(master));
    source.to_out = target.from_in = -1;
    refused_reset();
    snprintf(a.host, sizeof(a.host), "%s/master", dir);
    snprintf(up_address, sizeof(up_address), "unix:%s", a.host);
    up_conf.addresses = up_address;
    master.listener = conn_listen_fd(base, addr_listen(&a, &err), &unix_conf,
                                     &master_ops, NULL, &err);
    source.uplink = uplink_open(base, &up_conf, &up_ops, NULL, &err);
    assert_true(master.listener && source.uplink);
    WAIT_FOR(source.joined);
    open_links(&tcp_conf);
    return 0;
}

static int end(void **state)
{
    (void)state;
    drop_image();
    imageroute_close(&source.route);
    imagein_close(target.in);
    shut(&target.from_in);
    imagelinks_close(source.links);
    reduce_links_close(target.links);
    uplink_drop(source.uplink);
    conn_close(master.slave);
    conn_listener_close(master.listener);
    return 0;
}

/* ------------------------------------------------------------------ tests */

/* What is passed to the process is what it reads from then on. */
static void take_passed(void)
{
    char byte;
    int fd;

    if (passfd_receive(target.from_in, &byte, 1, &fd, MSG_PEEK | MSG_DONTWAIT) != 1 ||
        fd < 0)
        return;
    shut(&target.from_in);
    target.from_in = fd;
    target.passed++;
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* Reads what has come: false at the end. */
static bool read_some(size_t *at, size_t most)
{
    static uint8_t got[64 << 10];
    ssize_t n;

    take_passed();
    n = read(target.from_in, got, most < sizeof(got) ? most : sizeof(got));

    for (ssize_t i = 0; i < n; i++)
        assert_int_equal(got[i], byte_at(*at + (size_t)i));
    *at += n > 0 ? (size_t)n : 0;
    return n != 0;
}

static void read_all(size_t wanted)
{
    size_t got = 0;

    for (int i = 0; read_some(&got, SIZE_MAX); i++) {
        assert_true(i < 100000);
        turn();
    }
    assert_int_equal(got, wanted);
}

static bool has_read(size_t *at, size_t wanted)
{
    assert_true(read_some(at, SIZE_MAX));
    return *at == wanted;
}

/* Nothing of it passes the master, who is told how much it was; by a slow
 * reader, and by both kinds of connection. */
static void test_past_master(void **state)
{
    (void)state;
    for (int tcp = 0; tcp < 2; tcp++) {
        size_t got = 0;

        target_conf.tcp = tcp;
        target_conf.conn = tcp ? &tcp_conf : &unix_conf;
        target_conf.dir = dir;
        open_target();
        open_link("n2", reduce_links_addresses(target.links));
        assert_true(imageroute_congested(&source.route));
        open_image();
        for (unsigned round = 0; read_some(&got, 20000); round++) {
            assert_true(round < 100000);
            if (source.to_out >= 0)
                write_pattern(source.to_out, &source.written, IMAGE);
            if (source.written == IMAGE)
                shut(&source.to_out);
            event_base_loop(base, EVLOOP_NONBLOCK);
        }
        assert_int_equal(got, IMAGE);
        assert_true(source.over);
        WAIT_FOR(master.told == IMAGE);
        assert_true(master.tells < 100);
        assert_int_equal(master.bytes + target.lost, 0);
        assert_int_equal(target.passed, 1);     /* what is sealed we open */
        assert_string_equal(source.broken, "");
        assert_string_equal(target.cut, "");
        master.told = master.tells = 0;
        imagein_close(target.in);
        target.in = NULL;
        shut(&target.from_in);
        reduce_links_close(target.links);
        target.links = NULL;
    }
}

/* Pings and answers of the link are over when the image begins, also where that
 * begins late. */
static void test_pings(void **state)
{
    static const struct conn_conf often = { .key = &key, .ping_ns = 3 * MS };

    (void)state;
    imagelinks_close(source.links);
    target_conf.conn = &often;
    open_links(&often);
    for (int i = 0; i < 20; i++) {
        open_target();
        open_link("n2", reduce_links_addresses(target.links));
        WAIT_FOR(link_is(IMAGELINK_OPEN));
        turn_for((uint64_t)i * MS);
        open_image();
        write_pattern(source.to_out, &source.written, 100000);
        turn_for(10 * MS);
        shut(&source.to_out);
        read_all(100000);
        WAIT_FOR(source.over);
        assert_string_equal(source.broken, "");
        reduce_links_close(target.links);
        target.links = NULL;
        imagein_close(target.in);
        target.in = NULL;
        shut(&target.from_in);
    }
    target_conf.conn = &tcp_conf;
}

/* In the middle of it, by either end; and after its end. */
static void test_cut(void **state)
{
    size_t got = 0;

    (void)state;
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    open_image();
    write_pattern(source.to_out, &source.written, 100000);
    WAIT_FOR(link_is(IMAGELINK_RAW) && has_read(&got, 100000));
    imagein_close(target.in);
    target.in = NULL;
    WAIT_FOR(link_is(IMAGELINK_BROKEN));
    assert_non_null(strstr(source.broken, "the link to n2 is broken: "));
    assert_true(imageroute_cut(&source.route));
    WAIT_FOR(master.told == 100000);
    assert_int_equal(target.lost + (unsigned)master.bytes, 0);

    shut(&target.from_in);
    reduce_links_close(target.links);
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    open_image();
    write_pattern(source.to_out, &source.written, 100000);
    got = 0;
    WAIT_FOR(link_is(IMAGELINK_RAW) && has_read(&got, 100000));
    drop_image();
    assert_string_equal(target.cut, "");
    imageroute_close(&source.route);
    WAIT_FOR(*target.cut);
    assert_non_null(strstr(target.cut, strerror(ECONNRESET)));
    read_all(0);

    imagein_close(target.in);
    shut(&target.from_in);
    reduce_links_close(target.links);
    *target.cut = '\0';
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    open_image();
    write_pattern(source.to_out, &source.written, 1000);
    shut(&source.to_out);
    WAIT_FOR(source.over);
    assert_false(imageroute_cut(&source.route));
    imageroute_close(&source.route);
    read_all(1000);
    assert_string_equal(target.cut, "");
}

/* The task has not said that it is whole. */
static void test_not_ended(void **state)
{
    (void)state;
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    open_image();
    write_pattern(source.to_out, &source.written, 1000);
    WAIT_FOR(link_is(IMAGELINK_RAW));
    imageroute_close(&source.route);
    WAIT_FOR(*target.cut);
}

/* A link that breaks is told of before the process finds its image cut; where that
 * one ends by itself nothing is said of the link. */
static void test_ended(void **state)
{
    size_t got = 0;

    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        source.written = got = 0;
        open_target();
        open_link("n2", reduce_links_addresses(target.links));
        open_image();
        write_pattern(source.to_out, &source.written, 1000);
        WAIT_FOR(link_is(IMAGELINK_RAW) && has_read(&got, 1000));
        if (broken) {
            imageroute_close(&source.route);
            WAIT_FOR(!read_some(&got, SIZE_MAX));
            assert_true(*target.cut);
        } else {
            imagein_cut(target.in);
            turn_for(20 * MS);
            assert_string_equal(target.cut, "");
        }
        drop_image();
        imageroute_close(&source.route);
        imagein_close(target.in);
        target.in = NULL;
        shut(&target.from_in);
        reduce_links_close(target.links);
        target.links = NULL;
    }
}

/* It breaks before anything was sent: there is another way. */
static void test_cut_before(void **state)
{
    (void)state;
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    reduce_links_close(target.links);
    target.links = NULL;
    WAIT_FOR(link_is(IMAGELINK_BROKEN));
    assert_false(imageroute_cut(&source.route));
    open_image();
    write_pattern(source.to_out, &source.written, 1000);
    shut(&source.to_out);
    WAIT_FOR(master.last && master.bytes == 1000);
    assert_int_equal(master.tells, 0);
}

/* As one of another job, or another move, is told by who takes it. */
static void test_unwanted(void **state)
{
    (void)state;
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    target.refuses = true;
    open_image();
    write_pattern(source.to_out, &source.written, 1000);
    WAIT_FOR(link_is(IMAGELINK_BROKEN));
    assert_non_null(strstr(source.broken, "refused: an image that nobody waits"));
    assert_true(imageroute_cut(&source.route));
    assert_int_equal(target.asked, 1);
    assert_int_equal(target.lost, 0);           /* nothing of it was taken */
    assert_int_equal(master.bytes, 0);
}

static void falls_back(void)
{
    WAIT_FOR(link_is(IMAGELINK_UNREACHED));
    assert_string_equal(source.broken, "");
    open_image();
    write_pattern(source.to_out, &source.written, 1500);
    shut(&source.to_out);
    WAIT_FOR(master.last && master.bytes == 1500);
    assert_true(source.over);
    assert_int_equal(target.asked, 0);
    assert_int_equal(master.tells, 0);          /* it has seen them */
    master.bytes = 0;
    master.last = false;
}

/* The key of another cluster; and another slave than the one that is meant. */
static void test_strangers(void **state)
{
    static const struct conn_conf other = { .key = &other_key };

    (void)state;
    open_target();
    open_link("n3", reduce_links_addresses(target.links));
    falls_back();
    imageroute_close(&source.route);
    imagelinks_close(source.links);
    open_links(&other);
    open_link("n2", reduce_links_addresses(target.links));
    falls_back();
}

/* A connection that nobody takes, for as long as one waits for it, and one that
 * is refused; both are tried again after a while only. */
static void test_unreached(void **state)
{
    struct addr a = { .host = "127.0.0.1" };
    struct err err;
    int fd = addr_listen(&a, &err);
    uint64_t began_ns = clock_monotonic_ns();
    char mute[ADDR_TEXT_MAX];

    (void)state;
    source_conf.patience_ns = 200 * MS;
    addr_format(&a, mute, sizeof(mute));
    open_link("n2", mute);
    falls_back();
    assert_true(clock_monotonic_ns() - began_ns >= 150 * MS);   /* coarse */
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    assert_true(link_is(IMAGELINK_UNREACHED));
    falls_back();
    close(fd);
    open_link("n4", mute);
    falls_back();
    open_link("n5", "no address");
    falls_back();

    source_conf.again_ns = MS;
    open_link("n6", mute);
    falls_back();
    target_conf.name = "n6";
    turn_for(2 * MS);
    open_link("n6", reduce_links_addresses(target.links));
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    target_conf.name = "n2";
}

/* The other end answers late: what is to be sent waits until then. */
static void test_late(void **state)
{
    struct addr a = { .host = "127.0.0.1" };
    struct end far = { 0 };
    Hct__Welcome w = HCT__WELCOME__INIT;
    struct conn_listener *l;
    char at[ADDR_TEXT_MAX];
    struct err err;
    int fd = addr_listen(&a, &err);

    (void)state;
    addr_format(&a, at, sizeof(at));
    open_link("n2", at);
    open_image();
    write_pattern(source.to_out, &source.written, 1000);
    turn_for(100 * MS);
    assert_true(link_is(IMAGELINK_TRYING));
    assert_true(imageroute_congested(&source.route));
    l = conn_listen_fd(base, fd, &tcp_conf, &ops, &far, &err);
    WAIT_FOR(far.hellos);
    assert_true(link_is(IMAGELINK_TRYING));
    w.protocol = PROTOCOL_VERSION;
    w.role = HCT__ROLE__ROLE_SLAVE;
    w.name = (char *)"n2";
    conn_send(far.c, MESSAGE_WELCOME, &w);
    WAIT_FOR(far.closed && link_is(IMAGELINK_BROKEN));  /* it takes no images */
    assert_int_equal(master.bytes, 0);
    conn_listener_close(l);
}

static unsigned how_many(struct imagelink *const *v, enum imagelink_state s)
{
    unsigned n = 0;

    for (int i = 0; i < MANY; i++)
        n += imagelink_state(v[i]) == s;
    return n;
}

static void open_many(struct imagelink **v, const char *addresses)
{
    struct err err;

    for (int i = 0; i < MANY; i++) {
        v[i] = imagelink_open(source.links, "n2", addresses, &source_ops, NULL,
                              &err);
        assert_non_null(v[i]);
    }
}

static void close_many(struct imagelink **v)
{
    for (int i = 0; i < MANY; i++)
        imagelink_close(v[i]);
}

/* Connections that wait to be taken there. */
static unsigned knocks(int fd)
{
    unsigned n = 0;

    for (int c; (c = accept4(fd, NULL, NULL, SOCK_NONBLOCK)) >= 0; n++)
        close(c);
    return n;
}

/* A node that is emptied: more tasks than the other end lets strangers wait. They
 * come by and by, all of them; where nobody answers none waits for long. */
static void test_many(void **state)
{
    struct addr a = { .host = "127.0.0.1" };
    struct imagelink *v[MANY];
    struct err err;
    int fd = addr_listen(&a, &err);
    char mute[ADDR_TEXT_MAX];

    (void)state;
    addr_format(&a, mute, sizeof(mute));
    evutil_make_socket_nonblocking(fd);
    open_many(v, mute);
    turn_for(50 * MS);
    assert_int_equal(how_many(v, IMAGELINK_TRYING), MANY);
    assert_in_range(knocks(fd), 1, 16);
    close_many(v);
    turn_for(50 * MS);
    assert_int_equal(knocks(fd), 0);            /* nobody comes who is gone */

    open_target();
    open_many(v, reduce_links_addresses(target.links));
    WAIT_FOR(how_many(v, IMAGELINK_OPEN) == MANY);
    close_many(v);

    source_conf.patience_ns = 200 * MS;
    open_many(v, mute);
    WAIT_FOR(how_many(v, IMAGELINK_UNREACHED) == MANY);
    assert_in_range(knocks(fd), 1, 16);
    close_many(v);
    close(fd);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_past_master), TEST(test_pings), TEST(test_cut), TEST(test_not_ended),
        TEST(test_ended), TEST(test_cut_before), TEST(test_unwanted),
        TEST(test_strangers), TEST(test_unreached), TEST(test_late), TEST(test_many),
    };

    signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
