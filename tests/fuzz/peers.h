/* peers.h - the other ends of the links of what is fuzzed: sockets that say
 * what the steps say, and read what they hear into nothing. */
#ifndef PEERS_H
#define PEERS_H

#include "tests/fuzz/steps.h"

#include <assert.h>
#include <event2/event.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PEERS = 8 };

struct peers_one { int fd; uint32_t sequence; };
struct peers { struct peers_one v[PEERS]; struct event_base *base; };

static void peers_open(struct peers *p, struct event_base *base)
{
    p->base = base;
    for (int i = 0; i < PEERS; i++)
        p->v[i] = (struct peers_one){ .fd = -1 };
}

/* A private directory for sockets, gone with the process. */
static char peers_dir[32];

static void peers_remove_dir(void)
{
    char path[64];

    snprintf(path, sizeof(path), "%s/sock", peers_dir);
    unlink(path);
    snprintf(path, sizeof(path), "%s/stream.sock", peers_dir);
    unlink(path);
    rmdir(peers_dir);
}

static inline void peers_make_dir(void)
{
    strcpy(peers_dir, "/tmp/hct-fuzz-XXXXXX");
    if (!mkdtemp(peers_dir))
        abort();
    atexit(peers_remove_dir);
}

/* A socket in it that listens, and its address as the programs are told it. */
static inline int peers_listen(char where[64])
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    peers_make_dir();
    snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/sock", peers_dir);
    snprintf(where, 64, "unix:%s", sa.sun_path);
    assert(fd >= 0 && !bind(fd, (struct sockaddr *)&sa, sizeof(sa)) &&
           !listen(fd, 4));
    return fd;
}

/* The loop turns, everyone hears what there is. */
static void peers_turn(struct peers *p)
{
    static char drop[65536];

    for (int k = 0; k < 3; k++) {
        event_base_loop(p->base, EVLOOP_NONBLOCK);
        for (int i = 0; i < PEERS; i++)
            while (p->v[i].fd >= 0 &&
                   recv(p->v[i].fd, drop, sizeof(drop), MSG_DONTWAIT) > 0)
                ;
    }
}

static void peers_hang_up(struct peers *p, int who)
{
    if (p->v[who].fd >= 0)
        close(p->v[who].fd);
    p->v[who] = (struct peers_one){ .fd = -1 };
}

static inline void peers_close(struct peers *p)
{
    for (int i = 0; i < PEERS; i++)
        peers_hang_up(p, i);
    peers_turn(p);              /* also for those that were refused */
}

/* True if who is connected now, and was not before. */
static inline bool peers_come(struct peers *p, int who,
                              const struct sockaddr_un *to, socklen_t bytes)
{
    char c;

    if (p->v[who].fd >= 0 &&
        recv(p->v[who].fd, &c, 1, MSG_DONTWAIT | MSG_PEEK) == 0)
        peers_hang_up(p, who);  /* the other side did; come again */
    if (p->v[who].fd >= 0)
        return false;
    p->v[who].fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(p->v[who].fd, (const struct sockaddr *)to, bytes))
        abort();
    return true;
}

static void peers_say(struct peers *p, int who, const void *bytes, size_t n)
{
    ssize_t done = p->v[who].fd < 0 ? 0 :
        send(p->v[who].fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);

    (void)done;                 /* the other side may have hung up */
}

static void peers_step(struct peers *p, int who, const struct step *s)
{
    static uint8_t frame[STEP_FRAME];

    if (s->what == STEP_CLOSE)
        peers_hang_up(p, who);
    else if (s->what == STEP_RAW)
        peers_say(p, who, s->body, s->n);
    else if (step_is_message(s))
        peers_say(p, who, frame, step_frame(s, p->v[who].sequence++, frame));
}

static inline void peers_message(struct peers *p, int who,
                                 enum message_type type, const void *m)
{
    uint8_t body[512];
    struct step s = { .what = (uint8_t)type, .body = body };

    assert(protobuf_c_message_get_packed_size(m) <= sizeof(body));
    s.n = (uint16_t)protobuf_c_message_pack(m, body);
    peers_step(p, who, &s);
}

/* A program calls its master: who takes the call, and says Welcome. */
static inline void peers_welcome(struct peers *p, int who, int listening)
{
    Hct__Welcome m = HCT__WELCOME__INIT;

    peers_turn(p);
    p->v[who].fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    assert(p->v[who].fd >= 0);
    m.protocol = PROTOCOL_VERSION;
    m.role = HCT__ROLE__ROLE_MASTER;
    peers_message(p, who, MESSAGE_WELCOME, &m);
    peers_turn(p);
}

/* Those who have called, and were not answered. */
static inline void peers_refuse_rest(int listening)
{
    struct pollfd p = { .fd = listening, .events = POLLIN };

    while (poll(&p, 1, 0) > 0)
        close(accept4(listening, NULL, NULL, SOCK_CLOEXEC));
}

/* All the steps on a connection that was accepted, without a loop: for what
 * blocks, from a thread of its own. Returns when the other side has closed. */
static inline void peers_tell_all(int fd, const struct step *v, size_t n)
{
    struct peers p = { 0 };
    char drop[4096];

    peers_open(&p, NULL);
    p.v[0].fd = fd;
    for (size_t i = 0; i < n; i++)
        peers_step(&p, 0, &v[i]);
    if (p.v[0].fd >= 0) {
        shutdown(p.v[0].fd, SHUT_WR);
        while (recv(p.v[0].fd, drop, sizeof(drop), 0) > 0)
            ;
    }
    peers_hang_up(&p, 0);
}

#endif
