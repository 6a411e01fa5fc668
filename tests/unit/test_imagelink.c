/* test_imagelink.c - images past the master: links of the slave that a task
 * leaves to the one where it comes, and what goes through the master as there is
 * no link. Both ends are real, the master is played. */
#include "tests/unit/conn_ends.h"

#include "proto/link/refused.h"
#include "proto/link/timer.h"
#include "slave/link/reduce_link.h"
#include "slave/move/imagein.h"
#include "slave/move/imagelink.h"
#include "slave/move/imageout.h"
#include "slave/move/imageroute.h"

enum { IMAGE = 3 << 20, WINDOW = 1 << 20, JOB = 7, RANK = 2, SERIAL = 1 };

/* The slave where the task comes. */
static struct {
    struct reduce_links *links;
    struct reduce_link *from;
    size_t bytes;
    bool last, refuses;
    unsigned lost;
    struct imagein *in;         /* takes what comes; or NULL */
} target;

/* The slave that it leaves. */
static struct {
    struct imagelinks *links;
    struct imagelink *link;
    struct imageroute route;
    struct uplink *uplink;
    bool joined, over;
    uint64_t credit;
    char broken[400];
    struct imageout *out;
} source;

static struct {
    struct conn_listener *listener;
    struct conn *slave;
    size_t bytes, told;
    unsigned tells;
    bool last;
} master;

/* ------------------------------------------------------------- the target */

static int take(void *arg, struct reduce_link *l, const Hct__Image *m,
                struct err *err)
{
    (void)arg;
    assert_string_equal(reduce_link_from(l), "n1");
    if (target.refuses)
        return err_set(err, EPROTO, "an image that nobody waits for");
    assert_int_equal(m->job, JOB);
    target.from = l;
    target.bytes += m->data.len;
    target.last = m->last;
    if (target.in)
        imagein_take(target.in, m->data.data, m->data.len, m->last);
    return 0;
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

static const struct reduce_images images = { take, lost };

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
    assert_non_null(target.links);
}

/* ------------------------------------------------------------- the source */

static void take_credit(void *arg, const Hct__ImageCredit *m)
{
    (void)arg;
    source.credit += m->bytes;
    if (source.out)
        imageout_credit(source.out, m->bytes);
}

static void take_broken(void *arg, const struct imagelink *l, const char *why)
{
    (void)arg;
    assert_ptr_equal(l, source.link);
    snprintf(source.broken, sizeof(source.broken), "%s", why);
}

static const struct imagelink_ops source_ops = { take_credit, take_broken };
static struct imagelinks_conf source_conf;

static void open_link(const char *node, const char *addresses)
{
    struct err err;

    imagelink_close(source.link);
    source.link = imagelink_open(source.links, node, addresses, &source_ops,
                                 NULL, &err);
    assert_non_null(source.link);
    source.route = (struct imageroute){
        .uplink = source.uplink, .link = source.link, .job = JOB, .rank = RANK,
        .serial = SERIAL };
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
    return imagelink_state(source.link) == s;
}

static void send_some(size_t bytes, bool last)
{
    static const uint8_t data[256 << 10];

    assert_true(bytes <= sizeof(data));
    assert_false(imageroute_congested(&source.route));
    imageroute_send(&source.route, data, bytes, last);
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
    imageout_close(source.out);
    imagein_close(target.in);
    imagelink_close(source.link);
    imagelinks_close(source.links);
    reduce_links_close(target.links);
    uplink_drop(source.uplink);
    conn_close(master.slave);
    conn_listener_close(master.listener);
    return 0;
}

/* ------------------------------------------------------------------ tests */

/* Nothing of it passes the master, who is told how much it was. */
static void test_past_master(void **state)
{
    Hct__ImageCredit credit = HCT__IMAGE_CREDIT__INIT;

    (void)state;
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    assert_true(imageroute_congested(&source.route));
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    send_some(1000, false);
    send_some(2000, false);
    WAIT_FOR(target.bytes == 3000 && !target.last);
    credit.bytes = 4711;
    reduce_link_send(target.from, MESSAGE_IMAGE_CREDIT, &credit);
    WAIT_FOR(source.credit == 4711);
    send_some(0, true);
    WAIT_FOR(target.last && master.told == 3000);
    assert_true(master.tells <= 3);
    assert_int_equal(master.bytes, 0);
    assert_int_equal(target.lost, 0);
    imagelink_close(source.link);
    source.link = NULL;
    WAIT_FOR(target.lost == 1);
}

static bool is_congested(void *arg)
{
    (void)arg;
    return imageroute_congested(&source.route);
}

static void piece(void *arg, const void *data, size_t bytes)
{
    (void)arg;
    imageroute_send(&source.route, data, bytes, false);
}

static void over(void *arg)
{
    (void)arg;
    imageout_close(source.out);
    source.out = NULL;
    source.over = true;
    imageroute_send(&source.route, "", 0, true);
}

static void grant(void *arg, uint64_t bytes)
{
    Hct__ImageCredit m = HCT__IMAGE_CREDIT__INIT;

    (void)arg;
    m.bytes = bytes;
    if (target.from)
        reduce_link_send(target.from, MESSAGE_IMAGE_CREDIT, &m);
    else
        imageout_credit(source.out, bytes);     /* as the master passes it on */
}

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i ^ i >> 8 ^ i >> 16);
}

/* Who takes it reads little at a time: no more is under way than it has room
 * for, and every byte comes, in order. */
static void test_slow_reader(void **state)
{
    static const struct imageout_ops out_ops = { is_congested, piece, over };
    static uint8_t image[IMAGE], got[20000];
    size_t written = 0, read_bytes = 0;
    struct err err;
    int to, from;
    ssize_t n = 1;

    (void)state;
    for (size_t i = 0; i < IMAGE; i++)
        image[i] = byte_at(i);
    open_target();
    source.out = imageout_open(base, &out_ops, NULL, &to, &err);
    target.in = imagein_open(base, &from, &err);
    fcntl(to, F_SETFL, O_NONBLOCK);
    fcntl(from, F_SETFL, O_NONBLOCK);
    open_link("n2", reduce_links_addresses(target.links));
    imagein_begin(target.in, WINDOW, grant, NULL);
    for (unsigned round = 0; n != 0; round++) {
        ssize_t put = to < 0 ? 0 : write(to, image + written, IMAGE - written);

        assert_true(round < 100000);
        written += put > 0 ? (size_t)put : 0;
        if (to >= 0 && written == IMAGE) {
            close(to);
            to = -1;
        }
        event_base_loop(base, EVLOOP_NONBLOCK);
        assert_true(target.bytes <= read_bytes + WINDOW + (1 << 20));
        n = read(from, got, sizeof(got));
        for (ssize_t i = 0; i < n; i++)
            assert_int_equal(got[i], byte_at(read_bytes + (size_t)i));
        read_bytes += n > 0 ? (size_t)n : 0;
    }
    assert_int_equal(read_bytes, IMAGE);
    assert_true(source.over && imagein_whole(target.in));
    close(from);
}

/* In the middle of it, at either end; and at its end, where it may be whole. */
static void test_cut(void **state)
{
    (void)state;
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    send_some(100000, false);
    send_some(100000, false);
    WAIT_FOR(target.bytes == 200000);
    reduce_links_close(target.links);
    target.links = NULL;
    WAIT_FOR(link_is(IMAGELINK_BROKEN));
    assert_non_null(strstr(source.broken, "the link to n2 is broken: "));
    assert_true(imageroute_cut(&source.route, source.link));
    WAIT_FOR(master.told == 200000);
    imageroute_send(&source.route, "x", 1, false);      /* goes nowhere else */
    turn_for(50 * MS);
    assert_int_equal(master.bytes, 0);

    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    send_some(1000, false);
    send_some(0, true);
    assert_false(imageroute_cut(&source.route, source.link));
    WAIT_FOR(target.last);
    imagelink_close(source.link);
    source.link = NULL;
    WAIT_FOR(target.lost == 1);
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
    assert_false(imageroute_cut(&source.route, source.link));
    send_some(1000, true);
    WAIT_FOR(master.last && master.bytes == 1000);
    assert_int_equal(master.tells, 0);
}

/* As one of another job, or another move, is told by who takes it. */
static void test_unwanted(void **state)
{
    (void)state;
    open_target();
    open_link("n2", reduce_links_addresses(target.links));
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    target.refuses = true;
    send_some(1000, false);
    WAIT_FOR(link_is(IMAGELINK_BROKEN));
    assert_non_null(strstr(source.broken, "refused: an image that nobody waits"));
    assert_true(imageroute_cut(&source.route, source.link));
    assert_int_equal(target.lost, 0);           /* nothing of it was taken */

    /* No more so than the images of a second job on one link. */
    target.refuses = false;
    open_link("n2", reduce_links_addresses(target.links));
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    send_some(1000, false);
    WAIT_FOR(target.bytes == 1000);
    source.route.job = JOB + 1;
    send_some(1000, false);
    WAIT_FOR(link_is(IMAGELINK_BROKEN));
    assert_non_null(strstr(source.broken, "images of jobs 7 and 8 on one link"));
    assert_int_equal(target.lost, 1);
}

static void falls_back(void)
{
    WAIT_FOR(link_is(IMAGELINK_UNREACHED));
    assert_false(*source.broken);
    assert_false(imageroute_congested(&source.route));
    send_some(1000, false);
    send_some(500, true);
    WAIT_FOR(master.last && master.bytes == 1500);
    assert_int_equal(target.bytes, 0);
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
    imagelink_close(source.link);
    source.link = NULL;
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
    turn_for(100 * MS);
    assert_true(link_is(IMAGELINK_TRYING));
    assert_true(imageroute_congested(&source.route));
    l = conn_listen_fd(base, fd, &tcp_conf, &ops, &far, &err);
    WAIT_FOR(far.hellos);
    assert_true(imageroute_congested(&source.route));
    w.protocol = PROTOCOL_VERSION;
    w.role = HCT__ROLE__ROLE_SLAVE;
    w.name = (char *)"n2";
    conn_send(far.c, MESSAGE_WELCOME, &w);
    WAIT_FOR(link_is(IMAGELINK_OPEN));
    assert_false(imageroute_congested(&source.route));
    send_some(1000, false);
    WAIT_FOR(far.closed && link_is(IMAGELINK_BROKEN));  /* it takes no images */
    assert_int_equal(master.bytes, 0);
    conn_listener_close(l);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_past_master), TEST(test_slow_reader), TEST(test_cut),
        TEST(test_cut_before), TEST(test_unwanted), TEST(test_strangers),
        TEST(test_unreached), TEST(test_late),
    };

    signal(SIGPIPE, SIG_IGN);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
