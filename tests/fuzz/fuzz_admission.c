/* fuzz_admission.c - strangers and tasks at the door of the PMIx server: the
 * library is given only sockets that have said something, of users who may
 * come in, each once; and nothing is left open in the end.
 *
 * Peers are who connects: 0 to 7. STEP_RAW, and any message, is what they
 * say. STEP_SPECIAL is by its first byte:
 *   0  the library accepts one, if somebody waits
 *   1  from now on nobody (next byte even) or everybody may come in
 *   2  the peer connects and says nothing
 *   3  the peer says that it has said all
 *   4  the peer is cut off
 *   5  the peer says something out of band
 *   6  a crowd comes that says nothing, once
 *   7  the peer says something, and has left by the time that it is heard */
#include "tests/fuzz/steps.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/link/refused.h"
#include "slave/pmix/admission.h"

enum { GUESTS = 8, CROWD = 300 };

struct world {
    struct event_base *base;
    struct admission *admission;
    int theirs;                 /* where the library accepts */
    bool may;
    unsigned let_in, accepted;
    int guest[GUESTS], crowd[CROWD];
    size_t ncrowd;
};

static int listening;           /* one for all inputs */
static struct sockaddr_in at = { .sin_family = AF_INET };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    socklen_t n = sizeof(at);

    (void)argc, (void)argv;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert(listening >= 0 && !bind(listening, (struct sockaddr *)&at, n) &&
           !listen(listening, 64) &&
           !getsockname(listening, (struct sockaddr *)&at, &n));
    return 0;
}

static bool may(void *arg, uid_t uid)
{
    struct world *w = arg;

    assert(uid == getuid());    /* all of them are of this process */
    w->let_in += w->may;
    return w->may;
}

static void turn(struct world *w)
{
    for (int i = 0; i < 3; i++)
        event_base_loop(w->base, EVLOOP_NONBLOCK);
}

/* ------------------------------------------------------------- the guests */

/* Without a trace in the kernel: there are thousands a second. */
static void leave(int *fd)
{
    const struct linger none = { .l_onoff = 1 };

    if (*fd < 0)
        return;
    setsockopt(*fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    close(*fd);
    *fd = -1;
}

static int come(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    assert(fd >= 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) && errno != EINPROGRESS)
        leave(&fd);
    return fd;
}

static int guest(struct world *w, unsigned who)
{
    char c;

    if (w->guest[who] >= 0 &&
        recv(w->guest[who], &c, 1, MSG_DONTWAIT | MSG_PEEK) == 0)
        leave(&w->guest[who]);          /* it was sent away; comes again */
    if (w->guest[who] < 0)
        w->guest[who] = come();
    return w->guest[who];
}

static void guest_says(struct world *w, unsigned who, const struct step *s,
                       int flags)
{
    ssize_t done = send(guest(w, who), s->body, s->n,
                        flags | MSG_DONTWAIT | MSG_NOSIGNAL);

    (void)done;                 /* it may have been sent away */
}

static void hang_up(struct world *w, unsigned who)
{
    if (w->guest[who] >= 0)
        close(w->guest[who]);
    w->guest[who] = -1;
}

static void crowd_comes(struct world *w)
{
    while (w->ncrowd < CROWD) {
        w->crowd[w->ncrowd++] = come();
        if (w->ncrowd % 32 == 0)
            turn(w);
    }
}

/* The kernel may not know any more whose that was: nobody comes in so. */
static void say_and_leave(struct world *w, unsigned who, const struct step *s)
{
    unsigned before = w->let_in;

    guest_says(w, who, s, 0);
    hang_up(w, who);
    turn(w);
    assert(w->let_in == before);
}

/* ------------------------------------------------------------ the library */

static bool library_accepts(struct world *w)
{
    struct pollfd p = { .fd = w->theirs, .events = POLLIN };
    struct sockaddr_in peer = { 0 };
    socklen_t n = sizeof(peer);
    int fd;
    char c;

    if (poll(&p, 1, 0) <= 0 || !(p.revents & POLLIN))
        return false;
    fd = accept(w->theirs, (struct sockaddr *)&peer, &n);
    if (fd < 0)
        return errno != ECONNABORTED;
    w->accepted++;
    assert(w->accepted <= w->let_in);
    /* It has said something, or was cut off afterwards. */
    assert(recv(fd, &c, 1, MSG_DONTWAIT | MSG_PEEK) >= 0 || errno != EAGAIN);
    leave(&fd);
    return true;
}

/* --------------------------------------------------------------- one input */

static void special(struct world *w, const struct step *s)
{
    unsigned who = s->who % GUESTS, what = s->n ? s->body[0] % 8 : 0;
    struct step word = { .body = s->body + (s->n > 0),
                         .n = (uint16_t)(s->n - (s->n > 0)) };

    switch (what) {
    case 0: library_accepts(w); break;
    case 1: w->may = s->n > 1 && s->body[1] & 1; break;
    case 2: guest(w, who); break;
    case 3: shutdown(guest(w, who), SHUT_WR); break;
    case 4: leave(&w->guest[who]); break;
    case 5: guest_says(w, who, &word, MSG_OOB); break;
    case 6: crowd_comes(w); break;
    default: say_and_leave(w, who, &word);
    }
}

static void world_open(struct world *w)
{
    struct err err;

    refused_reset();
    *w = (struct world){ .base = event_base_new(), .may = true };
    for (int i = 0; i < GUESTS; i++)
        w->guest[i] = -1;
    w->theirs = fcntl(listening, F_DUPFD_CLOEXEC, 0);
    admission_expect();
    assert(!listen(w->theirs, 64));
    w->admission = admission_open(w->base, may, w, &err);
    assert(w->base && w->admission);
}

/* The admission leaves the end of the pipe open that it wrote to. */
static void close_pipe(int theirs)
{
    struct stat pipe, other;

    assert(!fstat(theirs, &pipe) && S_ISFIFO(pipe.st_mode));
    for (int fd = 3; fd < 4096; fd++)
        if (fd != theirs && !fstat(fd, &other) && other.st_ino == pipe.st_ino &&
            other.st_dev == pipe.st_dev) {
            close(fd);
            break;
        }
    close(theirs);
}

static void world_close(struct world *w)
{
    int fd;

    admission_close(w->admission);
    while (library_accepts(w))
        ;
    close_pipe(w->theirs);
    for (int i = 0; i < GUESTS; i++)
        leave(&w->guest[i]);
    while (w->ncrowd)
        leave(&w->crowd[--w->ncrowd]);
    event_base_free(w->base);
    while ((fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC)) >= 0)
        leave(&fd);             /* who came when the admission was closed */
}

static int lowest_free(void)
{
    int fd = dup(listening);

    close(fd);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    struct world w;
    size_t n = steps_parse(v, data, size);
    int before = lowest_free();

    world_open(&w);
    for (size_t i = 0; i < n; i++) {
        if (v[i].what == STEP_SPECIAL)
            special(&w, &v[i]);
        else if (v[i].what == STEP_CLOSE)
            hang_up(&w, v[i].who % GUESTS);
        else
            guest_says(&w, v[i].who % GUESTS, &v[i], 0);
        turn(&w);
    }
    world_close(&w);
    assert(lowest_free() == before);
    return 0;
}
