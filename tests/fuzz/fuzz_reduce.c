/* fuzz_reduce.c - a master, a parent and children say anything about
 * reductions to a slave: it answers each at most once, and nothing is left. The
 * parent's link is to be an image, too: each is one or is lost, once.
 *
 * Peer 0 is the master, 1 connects as a parent and says Hello, 2 and 3 are
 * children: they take the slave's calls, and say Welcome. */
#include "tests/fuzz/peers.h"

#include "proto/link/refused.h"
#include "proto/link/seal.h"
#include "slave/tree/reduce.h"

enum { DONE_MAX = 64 };

static int listening;
static char where[64], own[64];
static uint64_t done[DONE_MAX];
static unsigned ndone;
static struct reduction *waiting;
static struct reduce_link *images_from;
static uint64_t images_job;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };

    (void)argc, (void)argv;
    peers_make_dir();
    snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/sock", peers_dir);
    snprintf(where, sizeof(where), "unix:%s", sa.sun_path);
    snprintf(own, sizeof(own), "%s/reduce", peers_dir);
    listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert(listening >= 0 && !bind(listening, (struct sockaddr *)&sa,
                                   sizeof(sa)) && !listen(listening, 64));
    return 0;
}

static void on_send(void *arg, enum message_type type, const void *msg)
{
    const Hct__ReducePart *m = msg;

    (void)arg;
    assert(type == MESSAGE_REDUCE_PART || type == MESSAGE_REDUCE_AT);
    if (type != MESSAGE_REDUCE_PART || !m->last)
        return;
    for (unsigned i = 0; i < ndone; i++)
        assert(done[i] != m->id);               /* told once */
    if (ndone < DONE_MAX)
        done[ndone++] = m->id;
}

/* A part that comes at once, one that comes later, and one that fails. */
static void on_start(void *arg, struct reduction *r)
{
    (void)arg;
    if (reduction_width(r) == 1)
        reduction_own(r, "0 a\n", 4);
    else if (reduction_width(r) == 2 && !waiting)
        waiting = r;
    else
        reduction_fail(r, "no");
}

static void on_stop(void *arg, struct reduction *r)
{
    (void)arg;
    assert(waiting == r);
    waiting = NULL;
}

/* Of ranks 0 and 1, one a link. */
static int on_image(void *arg, struct reduce_link *l, const Hct__ImageRaw *m,
                    struct err *err)
{
    (void)arg;
    assert(!images_from);
    if (m->rank > 1 || !m->job)
        return err_set(err, EPROTO, "rank %u of job %llu", m->rank,
                       (unsigned long long)m->job);
    images_from = l;
    images_job = m->job;
    return 0;
}

static void on_images_lost(void *arg, struct reduce_link *l, uint64_t job,
                           const struct err *why)
{
    (void)arg;
    assert(images_from == l && images_job == job && *why->text);
    images_from = NULL;
}

static void on_raw(void *arg, struct reduce_link *l, uint64_t job, int fd,
                   struct seal *seal)
{
    (void)arg;
    assert(images_from == l && images_job == job && fd >= 0);
    images_from = NULL;
    seal_free(seal);
    close(fd);
}

static const struct reduce_images images = { on_image, on_raw, on_images_lost };

/* Nobody but us is dialled. */
static void redirect(Hct__Reduce *m, char **said)
{
    for (size_t i = 0; i < m->n_below; i++) {
        said[i] = m->below[i]->addresses;
        if (*said[i])
            m->below[i]->addresses = where;
    }
}

static void restore(Hct__Reduce *m, char **said)
{
    for (size_t i = 0; i < m->n_below; i++)
        m->below[i]->addresses = said[i];
    free(said);
}

static void by_master(struct reduce *rs, const struct step *s)
{
    ProtobufCMessage *m = step_is_message(s)
        ? protobuf_c_message_unpack(message_descriptor(s->what), NULL, s->n,
                                    s->body) : NULL;
    struct err err;

    if (m && s->what == MESSAGE_REDUCE) {
        Hct__Reduce *x = (Hct__Reduce *)m;
        char **said = calloc(x->n_below + 1, sizeof(*said));

        redirect(x, said);
        reduce_begin(rs, x, &err);
        restore(x, said);
    } else if (m && s->what == MESSAGE_REDUCE_END) {
        reduce_end(rs, (Hct__ReduceEnd *)m);
    } else if (s->what == STEP_SPECIAL && waiting && s->n % 2) {
        struct reduction *r = waiting;

        waiting = NULL;
        reduction_own(r, s->body, s->n);
    } else if (s->what == STEP_CLOSE) {
        reduce_abandon(rs);             /* numbers may come again */
        ndone = 0;
    }
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
}

static void say_reduce(struct peers *p, int who, const struct step *s)
{
    Hct__Reduce *m = hct__reduce__unpack(NULL, s->n, s->body);
    char **said = calloc(s->n + 1, sizeof(*said));
    static uint8_t body[1 << 16];

    if (m) {
        redirect(m, said);
        if (hct__reduce__get_packed_size(m) < sizeof(body) / 2) {
            struct step to = { .what = s->what, .body = body,
                               .n = (uint16_t)hct__reduce__pack(m, body) };

            peers_step(p, who, &to);
        }
        restore(m, said);
        hct__reduce__free_unpacked(m, NULL);
    } else {
        free(said);
    }
}

static void by_parent(struct peers *p, int who, const struct step *s)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    Hct__Hello m = HCT__HELLO__INIT;

    memcpy(sa.sun_path, own, sizeof(own));
    if (s->what != STEP_CLOSE && peers_come(p, who, &sa, sizeof(sa))) {
        m.protocol = PROTOCOL_VERSION;
        m.role = HCT__ROLE__ROLE_SLAVE;
        peers_turn(p);
        peers_message(p, who, MESSAGE_HELLO, &m);
        peers_turn(p);
    }
    if (s->what == MESSAGE_REDUCE)
        say_reduce(p, who, s);
    else if (s->what != STEP_RAW)
        peers_step(p, who, s);
}

static void by_child(struct peers *p, int who, const struct step *s)
{
    Hct__Welcome m = HCT__WELCOME__INIT;

    if (p->v[who].fd < 0) {
        p->v[who].fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (p->v[who].fd < 0)
            return;                     /* nobody calls */
        m.protocol = PROTOCOL_VERSION;
        m.role = HCT__ROLE__ROLE_SLAVE;
        peers_message(p, who, MESSAGE_WELCOME, &m);
        peers_turn(p);
    }
    peers_step(p, who, s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct reduce_kind kinds[] = { { "who", on_start, on_stop } };
    static const struct conn_conf conn;
    struct reduce_conf conf = {
        .links = { .conn = &conn, .name = "n0", .dir = peers_dir,
                   .images = &images },
        .kinds = kinds, .nkinds = 1, .send = on_send };
    struct step v[STEP_MAX];
    size_t n = steps_parse(v, data, size);
    struct peers peers;
    struct reduce *rs;
    struct err err;

    refused_reset();
    ndone = 0;
    peers_open(&peers, event_base_new());
    rs = reduce_open(peers.base, &conf, &err);
    assert(rs);
    for (size_t i = 0; i < n; i++) {
        if (v[i].who % 4 == 0)
            by_master(rs, &v[i]);
        else if (v[i].who % 4 == 1)
            by_parent(&peers, 1, &v[i]);
        else
            by_child(&peers, v[i].who % 4, &v[i]);
        peers_turn(&peers);
    }
    reduce_close(rs);
    images_from = NULL;
    assert(!waiting);
    peers_close(&peers);
    event_base_free(peers.base);
    for (int fd; (fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC)) >= 0; )
        close(fd);
    return 0;
}
