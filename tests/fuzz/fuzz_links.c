/* fuzz_links.c - slaves and strangers say anything on the stream socket of
 * hector-run: what comes out is output of tasks that there are, in order,
 * and never more input goes out than was asked for.
 *
 * Peers 0 to 3 are slaves of the job, 4 to 7 have said nothing. A special
 * step is the owner's: pause, resume, input, its end. */
#include "tests/fuzz/peers.h"

#include "proto/link/refused.h"
#include "redirector/link/links.h"

enum { TASKS = 4, JOB = 7, STREAMS = 4 };

struct world {
    struct event_base *base;
    struct links *links;
    struct peers peers;
    bool ended[TASKS][STREAMS];
};

static struct sockaddr_un address = { .sun_family = AF_UNIX };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    peers_make_dir();
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/stream.sock",
             peers_dir);
    return 0;
}

static void on_output(void *arg, uint32_t rank, int stream, const void *p,
                      size_t n, uint64_t at_ns)
{
    const struct world *w = arg;

    (void)at_ns;
    assert(rank < TASKS && stream > 0 && stream < STREAMS && p && n);
    assert(!w->ended[rank][stream]);
}

static void on_output_end(void *arg, uint32_t rank, int stream)
{
    struct world *w = arg;

    assert(rank < TASKS && stream > 0 && stream < STREAMS);
    assert(!w->ended[rank][stream]);
    w->ended[rank][stream] = true;
}

static void on_join(void *arg, const char *name)
{
    (void)arg;
    assert(name);
}

static void on_leave(void *arg, const char *name, const char *why)
{
    (void)arg, (void)why;
    assert(name);
}

static void on_input_lost(void *arg, const struct err *why, bool needed)
{
    (void)arg, (void)needed;
    assert(*why->text);
}

static void on_credit(void *arg)
{
    (void)arg;
}

static void come(struct world *w, int who)
{
    Hct__Hello m = HCT__HELLO__INIT;

    if (!peers_come(&w->peers, who, &address, sizeof(address)) || who > 3)
        return;
    m.protocol = PROTOCOL_VERSION;
    m.role = HCT__ROLE__ROLE_SLAVE;
    m.name = (char *)"n";
    m.job = JOB;
    m.cookie.len = LINKS_COOKIE;
    m.cookie.data = (uint8_t *)links_where(w->links).cookie;
    peers_turn(&w->peers);
    peers_message(&w->peers, who, MESSAGE_HELLO, &m);
    peers_turn(&w->peers);
}

static void special(struct world *w, const struct step *s)
{
    static const char bytes[70000];
    size_t n = links_credit(w->links, s->n > 1);

    switch (s->who % 4) {
    case 0:
        links_pause(w->links);
        break;
    case 1:
        links_resume(w->links);
        break;
    case 2:
        if (n > 0)
            links_send_input(w->links, bytes,
                             n < sizeof(bytes) ? n : sizeof(bytes));
        break;
    case 3:
        links_send_input_end(w->links);
    }
    links_input_unwanted(w->links);
    links_count(w->links);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct step v[STEP_MAX];
    struct world w = { .base = event_base_new() };
    struct links_conf conf = {
        .dir = peers_dir, .ntasks = TASKS, .on_output = on_output,
        .on_output_end = on_output_end, .on_join = on_join,
        .on_leave = on_leave, .on_input_lost = on_input_lost,
        .on_credit = on_credit, .arg = &w };
    size_t n = steps_parse(v, data, size);
    struct err err;

    refused_reset();
    peers_open(&w.peers, w.base);
    w.links = links_open(w.base, &conf, &err);
    assert(w.links);
    links_set_job(w.links, JOB);
    for (size_t i = 0; i < n; i++) {
        int who = v[i].who % PEERS;

        if (v[i].what == STEP_SPECIAL) {
            special(&w, &v[i]);
        } else {
            if (v[i].what != STEP_CLOSE)
                come(&w, who);
            peers_step(&w.peers, who, &v[i]);
        }
        peers_turn(&w.peers);
    }
    links_resume(w.links);
    peers_close(&w.peers);
    links_close(w.links);
    event_base_free(w.base);
    return 0;
}
