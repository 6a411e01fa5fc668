/* stranger.c - says what no peer of Hector's would, to any of its sockets.
 *
 * usage: stranger [-q] [-k KEYFILE] [-w SECONDS] [-n COUNT] ADDRESS WORD...
 *
 * Connects to unix:/path, unix:@name or tcp:host:port (-q: a SOCK_SEQPACKET
 * one), with -k proves the key in it, and seals what it says from then on but for
 * noise, text and replay; says the words in order, and listens
 * until the other side has closed, or for SECONDS (5). What it hears comes as
 * lines: a message's name, "Refuse: why", "N bytes", and at the end "closed"
 * or "open". With -n there are COUNT connections at a time, and only their
 * fates are counted: "N closed, N open, N failed".
 *
 *   noise:N                    random bytes
 *   text:STRING
 *   hello:FIELD=VALUE,...      role (a number), name, job, protocol, cookie,
 *                              instance; the rest as a good peer says it
 *   frame:NUMBER[:HEX]         a message with these bytes
 *   signal:JOB kill:JOB        what only some may say
 *   header:LENGTH,TYPE,VERSION,ZERO,SEQUENCE       a header as it is given
 *   again                      the last frame once more, with its number
 *   replay                     the bytes of the last frame once more
 *   clear                      what it says is not sealed from then on
 *   skip                       leaves out a sequence number
 *   cut                        half of a frame, then the end
 *   call                       the first words of the proof of the key
 *   sleep:MS */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/link/addr.h"
#include "proto/link/frame.h"
#include "proto/link/key.h"
#include "proto/link/message.h"
#include "proto/link/seal.h"

static struct {
    const char *address, *key;
    int type, count;
    double wait_s;
} opt = { .type = SOCK_STREAM, .wait_s = 5 };

static struct { uint8_t bytes[1 << 20]; size_t n; } said;   /* last frame */
static struct { uint8_t bytes[(1 << 20) + SEAL_OVER]; size_t n; } sent;
static uint32_t sequence;
static struct seal *seal;       /* NULL: what is said is as it is */
static bool in_clear;           /* so it is now, what is heard is sealed */

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* -------------------------------------------------------------- connecting */

static int dial_unix(const char *path)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                                  strlen(path));
    int fd = socket(AF_UNIX, opt.type | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(sa.sun_path))
        return errno = ENAMETOOLONG, -1;
    memcpy(sa.sun_path, path, strlen(path));
    if (*path == '@')
        sa.sun_path[0] = '\0';
    else
        bytes = sizeof(sa);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&sa, bytes) < 0)
        return close(fd), -1;
    return fd;
}

static int dial_tcp(const char *text)
{
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *ai;
    struct addr a;
    struct err err;
    char port[8];
    int fd;

    if (addr_parse(&a, text, &err)) {
        fprintf(stderr, "stranger: %s\n", err.text);
        exit(2);
    }
    snprintf(port, sizeof(port), "%u", a.port);
    if (getaddrinfo(a.host, port, &hints, &ai))
        return -1;
    fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, ai->ai_addr, ai->ai_addrlen) < 0) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(ai);
    return fd;
}

static int dial(void)
{
    if (strncmp(opt.address, "unix:", 5) == 0)
        return dial_unix(opt.address + 5);
    return dial_tcp(opt.address);
}

static void prove(int fd)
{
    struct key_exchange x;
    struct key_session keys;
    struct key key;
    struct err err;
    uint8_t call[KEY_CALL], answer[KEY_ANSWER], proof[KEY_PROOF];

    if (key_load(&key, opt.key, &err)) {
        fprintf(stderr, "stranger: %s\n", err.text);
        exit(2);
    }
    key_call(&x, call);
    if (send(fd, call, sizeof(call), MSG_NOSIGNAL) < 0 ||
        recv(fd, answer, sizeof(answer), MSG_WAITALL) != sizeof(answer)) {
        puts("no answer to the call");
        return;
    }
    if (key_prove(&x, &key, answer, proof, &err)) {
        puts("the listener has another key");
        memset(proof, 0, sizeof(proof));        /* say it all the same */
    }
    send(fd, proof, sizeof(proof), MSG_NOSIGNAL);
    if (key_session(&x, &key, false, &keys, &err) || !(seal = seal_new(&keys, &err)))
        puts("no keys of the link");
}

/* ------------------------------------------------------------------- words */

static void say(int fd, const void *p, size_t n)
{
    const char *from = p;

    while (n > 0) {
        ssize_t done = send(fd, from, n, MSG_NOSIGNAL);

        if (done <= 0)
            return;             /* it has hung up: heard below */
        from += done;
        n -= (size_t)done;
    }
}

/* The first upto bytes of it, as the link has them. */
static void say_part(int fd, const uint8_t *p, size_t n, size_t upto)
{
    bool sealed = seal && !in_clear;
    size_t before = sealed ? SEAL_HEAD : 0;

    memcpy(sent.bytes + before, p, n);
    if (sealed)
        seal_close(seal, sent.bytes, n, false);
    sent.n = before + n + (sealed ? SEAL_TAG : 0);
    say(fd, sent.bytes, upto < sent.n ? upto : sent.n);
}

static void say_sealed(int fd, const uint8_t *p, size_t n)
{
    say_part(fd, p, n, SIZE_MAX);
}

static void say_frame(int fd, unsigned type, const uint8_t *body, size_t n)
{
    frame_header(said.bytes, (uint16_t)type, sequence++, (uint32_t)n);
    memcpy(said.bytes + FRAME_HEADER, body, n);
    said.n = FRAME_HEADER + n;
    say_sealed(fd, said.bytes, said.n);
}

static void say_message(int fd, enum message_type type, const void *m)
{
    uint8_t body[65536];

    say_frame(fd, type, body, protobuf_c_message_pack(m, body));
}

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = 0;
    unsigned byte;

    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out[n++] = (uint8_t)byte;
    return n;
}

static void say_hello(int fd, char *fields)
{
    Hct__Hello m = HCT__HELLO__INIT;
    Hct__NodeInfo node = HCT__NODE_INFO__INIT;
    uint8_t cookie[64] = { 0 };

    m.protocol = PROTOCOL_VERSION;
    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)"stranger";
    m.version = (char *)"0";
    m.instance = 4711;
    for (char *f = strtok(fields, ","); f; f = strtok(NULL, ",")) {
        char *value = strchr(f, '=');

        if (!value)
            continue;
        *value++ = '\0';
        if (!strcmp(f, "role"))
            m.role = (Hct__Role)atoi(value);
        else if (!strcmp(f, "name"))
            m.name = value;
        else if (!strcmp(f, "job"))
            m.job = strtoull(value, NULL, 10);
        else if (!strcmp(f, "protocol"))
            m.protocol = (uint32_t)atoi(value);
        else if (!strcmp(f, "instance"))
            m.instance = strtoull(value, NULL, 10);
        else if (!strcmp(f, "cookie"))
            m.cookie.len = from_hex(value, cookie);
    }
    node.cpus = 1;
    node.hostname = m.name;
    if (m.role == HCT__ROLE__ROLE_SLAVE)
        m.node = &node;
    m.cookie.data = cookie;
    say_message(fd, MESSAGE_HELLO, &m);
}

static void say_header(int fd, const char *values)
{
    unsigned v[5] = { 0 };
    uint8_t h[FRAME_HEADER];

    sscanf(values, "%u,%u,%u,%u,%u", &v[0], &v[1], &v[2], &v[3], &v[4]);
    frame_header(h, (uint16_t)v[1], v[4], 0);
    for (int i = 0; i < 4; i++)
        h[i] = (uint8_t)(v[0] >> (24 - 8 * i));
    h[6] = (uint8_t)v[2];
    h[7] = (uint8_t)v[3];
    say_sealed(fd, h, sizeof(h));
}

static void say_noise(int fd, size_t n)
{
    uint8_t buf[4096];

    for (size_t k; n > 0; n -= k) {
        k = n < sizeof(buf) ? n : sizeof(buf);
        if (getrandom(buf, k, 0) < 0)
            fail("getrandom");
        say(fd, buf, k);
    }
}

static void say_order(int fd, const char *word, uint64_t job)
{
    Hct__Signal sig = HCT__SIGNAL__INIT;
    Hct__Kill end = HCT__KILL__INIT;

    sig.job = end.job = job;
    sig.ranks = end.ranks = (char *)"all";
    sig.signal = 9;
    end.at_once = 1;
    if (*word == 's')
        say_message(fd, MESSAGE_SIGNAL, &sig);
    else
        say_message(fd, MESSAGE_KILL, &end);
}

static void say_word(int fd, const char *text)
{
    char *word = strdup(text), *arg = strchr(word, ':'), *more;
    uint8_t body[4096];
    struct key_exchange x;
    size_t n = 0;

    if (arg)
        *arg++ = '\0';
    else
        arg = word + strlen(word);
    if (!strcmp(word, "noise")) {
        say_noise(fd, strtoul(arg, NULL, 10));
    } else if (!strcmp(word, "text")) {
        say(fd, arg, strlen(arg));
    } else if (!strcmp(word, "hello")) {
        say_hello(fd, arg);
    } else if (!strcmp(word, "frame")) {
        more = strchr(arg, ':');
        if (more)
            n = from_hex(more + 1, body);
        say_frame(fd, (unsigned)atoi(arg), body, n);
    } else if (!strcmp(word, "signal") || !strcmp(word, "kill")) {
        say_order(fd, word, strtoull(arg, NULL, 10));
    } else if (!strcmp(word, "header")) {
        say_header(fd, arg);
    } else if (!strcmp(word, "again")) {
        say_sealed(fd, said.bytes, said.n);
    } else if (!strcmp(word, "replay")) {
        say(fd, sent.bytes, sent.n);
    } else if (!strcmp(word, "clear")) {
        in_clear = true;
    } else if (!strcmp(word, "skip")) {
        sequence++;
    } else if (!strcmp(word, "cut")) {
        frame_header(said.bytes, MESSAGE_HELLO, sequence, 100);
        say_part(fd, said.bytes, FRAME_HEADER + 100, FRAME_HEADER + 50);
        shutdown(fd, SHUT_WR);
    } else if (!strcmp(word, "call")) {
        key_call(&x, body);
        say(fd, body, KEY_CALL);
    } else if (!strcmp(word, "sleep")) {
        usleep((useconds_t)atoi(arg) * 1000);
    } else {
        fprintf(stderr, "stranger: no word %s\n", text);
        exit(2);
    }
    free(word);
}

/* --------------------------------------------------------------- listening */

static void hear_frame(const struct frame *f)
{
    if (f->type == MESSAGE_PING || f->type == MESSAGE_PONG)
        return;
    if (f->type == MESSAGE_REFUSE) {
        Hct__Refuse *m = hct__refuse__unpack(NULL, f->length, f->body);

        printf("Refuse: %s\n", m ? m->why : "?");
        hct__refuse__free_unpacked(m, NULL);
        return;
    }
    printf("%s\n", message_name(f->type));
}

/* As frame_decode(). */
static long decode(uint8_t *in, size_t n, struct frame *f, struct err *err)
{
    struct seal_opened o;
    size_t need;
    long used;

    if (!seal)
        return frame_decode(in, n, f, &need, err);
    used = seal_open(seal, in, n, FRAME_HEADER + FRAME_BODY_MAX, &o, &need, err);
    if (used > 0 && frame_decode(o.bytes, o.n, f, &need, err) != (long)o.n)
        return -1;
    return used;
}

static void hear(int fd)
{
    static uint8_t in[1 << 16];
    uint64_t end = clock_monotonic_ns() + (uint64_t)(opt.wait_s * 1e9), now;
    size_t n = 0;
    struct frame f;
    struct err err;
    long used;

    while ((now = clock_monotonic_ns()) < end) {
        struct pollfd p = { .fd = fd, .events = POLLIN };

        if (poll(&p, 1, (int)((end - now) / 1000000) + 1) <= 0)
            break;
        ssize_t got = recv(fd, in + n, sizeof(in) - n, 0);

        if (got <= 0) {
            puts("closed");
            return;
        }
        n += (size_t)got;
        while ((used = decode(in, n, &f, &err)) > 0) {
            hear_frame(&f);
            n -= (size_t)used;
            memmove(in, in + used, n);
        }
        if (used < 0 || n == sizeof(in)) {
            printf("%zu bytes\n", n);
            n = 0;
        }
    }
    puts("open");
}

/* -------------------------------------------------------------------- many */

/* A connection that was made waits its turn in pfd; words are said at once,
 * so they must be few. */
static void many(char **words)
{
    struct pollfd *pfd = calloc((size_t)opt.count, sizeof(*pfd));
    uint64_t end = clock_monotonic_ns() + (uint64_t)(opt.wait_s * 1e9);
    int open = 0, closed = 0, failed = 0;
    char drop[4096];

    for (int i = 0; i < opt.count; i++) {
        pfd[i] = (struct pollfd){ .fd = dial(), .events = POLLIN };
        if (pfd[i].fd < 0) {
            failed++;
            continue;
        }
        open++;
        sequence = 0;
        for (char **w = words; *w; w++)
            say_word(pfd[i].fd, *w);
        fcntl(pfd[i].fd, F_SETFL, O_NONBLOCK);
    }
    fprintf(stderr, "stranger: %d connections made\n", open);
    while (open > 0 && clock_monotonic_ns() < end &&
           poll(pfd, (nfds_t)opt.count, 100) >= 0)
        for (int i = 0; i < opt.count; i++) {
            if (pfd[i].fd < 0 || !pfd[i].revents)
                continue;
            ssize_t got = recv(pfd[i].fd, drop, sizeof(drop), 0);

            if (got == 0 || (got < 0 && errno != EAGAIN)) {
                close(pfd[i].fd);
                pfd[i].fd = -1;
                open--;
                closed++;
            }
        }
    printf("%d closed, %d open, %d failed\n", closed, open, failed);
    free(pfd);
}

int main(int argc, char **argv)
{
    struct rlimit files;
    int c, fd;

    while ((c = getopt(argc, argv, "+qk:w:n:")) >= 0)
        switch (c) {
        case 'q': opt.type = SOCK_SEQPACKET; break;
        case 'k': opt.key = optarg; break;
        case 'w': opt.wait_s = atof(optarg); break;
        case 'n': opt.count = atoi(optarg); break;
        default: return 2;
        }
    if (optind == argc)
        return fprintf(stderr, "usage: stranger ADDRESS WORD...\n"), 2;
    opt.address = argv[optind++];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (opt.count) {
        getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        many(argv + optind);
        return 0;
    }
    fd = dial();
    if (fd < 0)
        return perror("connect"), 1;
    if (opt.key)
        prove(fd);
    for (; argv[optind]; optind++)
        say_word(fd, argv[optind]);
    hear(fd);
    return 0;
}
