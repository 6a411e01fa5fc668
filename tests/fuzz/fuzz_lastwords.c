/* fuzz_lastwords.c - the last words of a killed slave, said by its guard,
 * whatever the tasks wrote into their pages and the master says, they come to
 * an end, and the next master that is as it should be gets all that is left.
 *
 * A special step is a piece of a page (scribble.h), who its task; with bit 2
 * the slave reads it before it dies. All others are said by the first master
 * that is called; the one after it takes everything. */
#include "tests/fuzz/peers.h"
#include "tests/fuzz/scribble.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "proto/base/clock.h"
#include "slave/guard/lastwords.h"
#include "slave/page/tally.h"

enum { TASKS = 2, JOB = 7, ALIVE = 4 };

static int listening;
static char where[64];
static struct vault *vault;
static struct { struct step v[STEP_MAX]; size_t n; } said;  /* by the first */
static _Atomic bool over;       /* nobody will call any more */
static unsigned calls, farewells;       /* that the other masters had */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct err err;

    (void)argc, (void)argv;
    listening = peers_listen(where);
    vault = vault_create(&err);
    assert(vault);
    return 0;
}

/* ----------------------------------------------------------------- a slave */

static int on_send(void *arg, const void *events)
{
    (void)arg, (void)events;
    return 0;                   /* to a master that does not acknowledge */
}

/* As far as it had come when it was killed: the vault has the pages, and what
 * was read from them. */
static void live_and_die(const struct step *v, size_t n)
{
    static struct rings_batch batch;
    struct records_window window = { .max = RECORDS_WINDOW, .vault = vault };
    struct sites sites = { 0 };
    struct ticks ticks;
    struct tally_sink sink = {
        .records = { on_send, NULL }, .batch = &batch, .window = &window,
        .ticks = &ticks, .sites = &sites };
    struct tally w[TASKS];
    struct err err;

    ticks_init(&ticks);
    for (uint32_t i = 0; i < TASKS; i++) {
        int fd;

        tally_init(&w[i], JOB, i, &window);
        fd = tally_attach(&w[i], getpid(), TASKS, &sink, &err);
        assert(fd >= 0);
        close(fd);
    }
    for (size_t i = 0; i < n; i++) {
        if (v[i].what != STEP_SPECIAL || v[i].n < SCRIBBLE_HEAD)
            continue;
        scribble(w[v[i].who % TASKS].page, v[i].body, v[i].n);
        if (v[i].who & ALIVE)
            tally_read(&w[v[i].who % TASKS], &sink);
    }
    for (uint32_t i = 0; i < TASKS; i++) {
        rings_fini(&w[i].rings);
        profile_fini(&w[i].profile);
        munmap(w[i].page, page_bytes(PAGE_SLOTS, PAGE_CALLS,
                                     PAGE_RING_BYTES));
    }
    sites_fini(&sites);
}

/* ----------------------------------------------------------------- masters */

/* Each batch of a task follows the one before. */
static void take_events(struct peers *p, const struct frame *f,
                        uint64_t next[TASKS])
{
    Hct__EventAck ack = HCT__EVENT_ACK__INIT;
    Hct__Events *m = hct__events__unpack(NULL, f->length, f->body);

    assert(m && m->job == JOB && m->rank < TASKS);
    assert(!next[m->rank] || next[m->rank] == m->first);
    next[m->rank] = m->first + m->n_records;
    ack.job = m->job;
    ack.rank = m->rank;
    ack.upto = next[m->rank];
    peers_message(p, 0, MESSAGE_EVENT_ACK, &ack);
    hct__events__free_unpacked(m, NULL);
}

/* Takes everything. */
static void serve(int fd)
{
    static uint8_t in[FRAME_HEADER + FRAME_BODY_MAX];
    Hct__Welcome welcome = HCT__WELCOME__INIT;
    uint64_t next[TASKS] = { 0 };
    struct peers p = { 0 };
    struct frame f;
    struct err err;
    size_t n = 0, need;
    ssize_t got;
    long used;

    peers_open(&p, NULL);
    p.v[0].fd = fd;
    welcome.protocol = PROTOCOL_VERSION;
    welcome.role = HCT__ROLE__ROLE_MASTER;
    peers_message(&p, 0, MESSAGE_WELCOME, &welcome);
    while ((got = recv(fd, in + n, sizeof(in) - n, 0)) > 0) {
        n += (size_t)got;
        while ((used = frame_decode(in, n, &f, &need, &err)) > 0) {
            if (f.type == MESSAGE_EVENTS)
                take_events(&p, &f, next);
            farewells += f.type == MESSAGE_FAREWELL;
            n -= (size_t)used;
            memmove(in, in + used, n);
        }
        assert(used == 0);
    }
    peers_hang_up(&p, 0);
}

static void *masters(void *arg)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

    (void)arg;
    peers_tell_all(fd, said.v, said.n);
    while ((fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC)) >= 0 && !over) {
        calls++;
        serve(fd);
    }
    close(fd);
    return NULL;
}

/* Nobody waits for another call. */
static void end_masters(pthread_t thread)
{
    struct sockaddr_un sa = { .sun_family = AF_UNIX };
    struct peers p;

    over = true;
    peers_open(&p, NULL);
    snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/sock", peers_dir);
    peers_come(&p, 0, &sa, sizeof(sa));
    pthread_join(thread, NULL);
    peers_hang_up(&p, 0);
    peers_refuse_rest(listening);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct conn_conf conn;
    const struct lastwords_conf conf = { .addresses = where, .name = "n0",
        .conn = &conn, .retry_ns = CLOCK_NS_PER_MS };
    struct step v[STEP_MAX];
    size_t n = steps_parse(v, data, size);
    uint64_t start_ns = clock_monotonic_ns();
    pthread_t thread;

    vault_empty(vault);
    live_and_die(v, n);
    said.n = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i].what != STEP_SPECIAL)
            said.v[said.n++] = v[i];
    over = false;
    calls = farewells = 0;
    assert(!pthread_create(&thread, NULL, masters, NULL));
    lastwords_end(lastwords_begin(&conf, vault, "it was killed"));
    end_masters(thread);
    assert(farewells == (calls > 0));
    assert(clock_monotonic_ns() - start_ns < 4 * CLOCK_NS_PER_S);
    return 0;
}
