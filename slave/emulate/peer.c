/* peer.c - the emulator as hector-run and as an operator of the master. */
#include "slave/emulate/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "proto/link/greeting.h"

static void on_open(void *arg, struct conn *c)
{
    struct peer *p = arg;
    Hct__Hello m = HCT__HELLO__INIT;

    m.role = p->role;
    m.name = (char *)"hector-emulate";
    greeting_hello(c, &m);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct peer *p = arg;

    (void)c;
    p->c = NULL;
    p->why = *why;
}

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    if (greeting_welcomed(c, msg, HCT__ROLE__ROLE_MASTER, err))
        return -1;
    ((struct peer *)arg)->welcome = true;
    return 0;
}

static int on_accepted(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    (void)c, (void)err;
    ((struct peer *)arg)->job = ((const Hct__Accepted *)msg)->job;
    return 0;
}

static int on_state(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    const Hct__JobState *m = msg;

    (void)c, (void)err;
    ((struct peer *)arg)->running |= strcmp(m->state, "running") == 0;
    return 0;
}

static int on_ended(void *arg, struct conn *c, const void *msg,
                    struct err *err)
{
    struct peer *p = arg;
    const Hct__JobEnded *m = msg;

    (void)c, (void)err;
    p->ended = true;
    if (!p->running)
        err_set(&p->why, ECANCELED, "the job has not started: %s", m->why);
    return 0;
}

static int on_rest(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    (void)arg, (void)c, (void)msg, (void)err;
    return 0;
}

static int on_gathered(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    struct peer *p = arg;
    const Hct__Gathered *m = msg;
    Hct__Gathered end = *m;
    uint8_t *packed;

    (void)c;
    if (!p->gathering)
        return err_set(err, EPROTO, "Gathered, and nobody has asked");
    if (!m->ok)
        return err_set(err, EIO, "%s", m->why);
    str_add_bytes(&p->bytes, m->piece.data, m->piece.len);
    if (!m->last)
        return 0;
    p->gathering = false;
    end.piece = (ProtobufCBinaryData){ 0, NULL };
    packed = malloc(hct__gathered__get_packed_size(&end) + 1);
    if (!packed)
        return err_memory(err);
    p->gathered = hct__gathered__unpack(NULL, hct__gathered__pack(&end,
                                        packed), packed);
    free(packed);
    return p->gathered ? 0 : err_memory(err);
}

#define REST(NAME, name, roles) { MESSAGE_##NAME, CONN_ANY, on_rest },
static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },
    { MESSAGE_ACCEPTED, CONN_ANY, on_accepted },
    { MESSAGE_JOB_STATE, CONN_ANY, on_state },
    { MESSAGE_JOB_ENDED, CONN_ANY, on_ended },
    { MESSAGE_GATHERED, CONN_ANY, on_gathered },
    MESSAGES_MASTER_TO_REDIRECTOR(REST)
};
#undef REST
static const struct conn_ops ops = {
    .routes = routes, .nroutes = sizeof(routes) / sizeof(routes[0]),
    .on_open = on_open, .on_close = on_close,
};

int peer_open(struct peer *p, struct event_base *base, Hct__Role role,
              const char *master, const struct conn_conf *conf,
              struct err *err)
{
    *p = (struct peer){ .base = base, .role = role };
    p->c = conn_open_to(base, master, conf, &ops, p, err);
    return p->c ? 0 : -1;
}

static void forget_result(struct peer *p)
{
    str_fini(&p->bytes);
    if (p->gathered)
        hct__gathered__free_unpacked(p->gathered, NULL);
    p->gathered = NULL;
}

void peer_close(struct peer *p)
{
    conn_close(p->c);
    forget_result(p);
    p->c = NULL;
}

void peer_submit(struct peer *p, uint32_t ntasks, uint32_t per_node,
                 const char *policy)
{
    Hct__Submit m = HCT__SUBMIT__INIT;
    Hct__App app = HCT__APP__INIT, *apps[1] = { &app };
    ProtobufCBinaryData argv[1] = { { 8, (uint8_t *)"./solver" } };
    ProtobufCBinaryData env[1] = { { 6, (uint8_t *)"PATH=/" } };
    uint8_t cookie[16];
    char *streams[1] = { (char *)"unix:/nowhere" };
    char *policies[1] = { (char *)policy };

    app.n_argv = app.n_env = 1;
    app.argv = argv;
    app.env = env;
    app.ntasks = ntasks;
    app.wdir = (char *)"/";
    m.n_apps = 1;
    m.apps = apps;
    m.per_node = per_node;
    m.cookie.data = cookie;
    m.cookie.len = getrandom(cookie, sizeof(cookie), 0) > 0 ? 16 : 0;
    m.stream_addresses = streams;
    m.n_stream_addresses = 1;
    m.policies = policies;
    m.n_policies = policy != NULL;
    m.stdin_ranks = (char *)"";
    m.command = (char *)"hector-emulate";
    conn_send(p->c, MESSAGE_SUBMIT, &m);
}

void peer_kill(struct peer *p)
{
    Hct__Kill m = HCT__KILL__INIT;

    m.job = p->job;
    m.ranks = (char *)"all";
    m.why = (char *)"the emulation is over";
    m.at_once = true;
    conn_send(p->c, MESSAGE_KILL, &m);
}

void peer_gather(struct peer *p, const Hct__Gather *m)
{
    forget_result(p);
    p->gathering = true;
    conn_send(p->c, MESSAGE_GATHER, m);
}
